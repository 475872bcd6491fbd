"""The ``graph`` parameter: graph objects with any parameters, and affinity matrices right and wrong."""

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from mr.graph import KNNGraph, PrecomputedGraph, SparseRepresentationGraph

COUNTS = (0, -1, 2, 3, 10, 59, 60, 10**6, 10**19, 2.5, True, None, "a", np.int8(4))
REALS = (1e-300, 1e-20, 1e-3, 1.0, 10, 1e20, 1e300, 10**400, 0.0, -1.0, np.nan, np.inf, None, "a", np.float32(0.5))


def _ring(n) -> np.ndarray:
    W = np.zeros((n, n))
    i = np.arange(n)
    W[i, (i + 1) % n] = 1.0 + i % 3
    W = np.maximum(W, W.T)
    np.fill_diagonal(W, 0.0)
    return W


def _at(W, i, j, value):
    W = W.copy()
    W[i, j] = W[j, i] = value
    return W


def _halves(W):
    W = W.copy()
    half = len(W) // 2
    W[:half, half:] = W[half:, :half] = 0.0
    return W


AFFINITIES = {
    "ring": lambda W: W,
    "complete": lambda W: np.ones_like(W) - np.eye(len(W)),
    "halves": _halves,
    "no edges": np.zeros_like,
    "one edge": lambda W: _at(0 * W, 0, -1, 1.0),
    "self loops": lambda W: W + np.eye(len(W)),
    "zero row": lambda W: W * (np.arange(len(W)) > 0) * (np.arange(len(W)) > 0)[:, None],
    "huge": lambda W: 1e300 * W,
    "overflowing": lambda W: 1e308 * W,
    "large": lambda W: 1e160 * W,
    "tiny": lambda W: 1e-300 * W,
    "denormal": lambda W: 5e-324 * W,
    "unequal": lambda W: W * 10.0 ** (30 * (np.add.outer(np.arange(len(W)), np.arange(len(W))) % 7 - 3)),
    "negative": lambda W: _at(W, 0, -1, -1.0),
    "nan": lambda W: _at(W, 0, -1, np.nan),
    "inf": lambda W: _at(W, 0, -1, np.inf),
    "asymmetric": np.triu,
    "nearly symmetric": lambda W: W + 1e-12 * np.triu(W),
    "rectangle": lambda W: W[:, :-1],
    "too small": lambda W: W[:-1, :-1],
    "too large": lambda W: np.pad(W, 1),
    "vector": lambda W: W[0],
    "empty": lambda W: W[:0, :0],
    "strings": lambda W: np.full(W.shape, "a"),
    "complex": lambda W: W.astype(complex),
    "object": lambda W: W.astype(object),
}
FORMS = {
    "dense": np.array,
    "csr": lambda W: sparse.csr_matrix(W) if W.ndim == 2 and W.dtype.kind in "fc" else W,
    "coo": lambda W: sparse.coo_array(W) if W.dtype.kind in "fc" else W,
    "csr float32": lambda W: sparse.csr_array(W.astype(np.float32)) if W.ndim == 2 and W.dtype.kind == "f" else W,
    "csr integers": lambda W: sparse.csr_array(np.nan_to_num(W).astype(np.int32)) if W.dtype.kind == "f" else W,
    "list": lambda W: W.tolist(),
    "precomputed": lambda W: PrecomputedGraph(sparse.csr_array(W) if W.ndim == 2 and W.dtype.kind == "f" else W),
    "precomputed unnormalized": lambda W: PrecomputedGraph(W, laplacian="unnormalized"),
    "precomputed squared": lambda W: PrecomputedGraph(W, power=2),
}


@dataclass(frozen=True)
class Affinity:
    """An affinity matrix of as many points as there are."""

    kind: str
    form: str

    def make(self, n):
        with np.errstate(all="ignore"):
            return FORMS[self.form](AFFINITIES[self.kind](_ring(n)))


def draw_graph(rng):
    """A graph, a matrix, None, or something else."""
    kind = rng.choice([_nothing, _knn, _knn, _affinity, _affinity, _reconstruction, _other])
    return kind(rng)


def _nothing(rng):
    return None


def _other(rng):
    return rng.choice([KNNGraph, "knn", 3, object()])


def _affinity(rng):
    return Affinity(rng.choice(sorted(AFFINITIES)), rng.choice(sorted(FORMS)))


def _knn(rng):
    # not method="approximate": it compiles for a minute, and its neighbours are checked in tests/graph
    choices = {
        "n_neighbors": COUNTS,
        "metric": ("cosine", "manhattan"),
        "weights": ("binary", "cosine", "distance", "tf-idf", None),
        "sigma": REALS,
        "laplacian": ("unnormalized", "signless"),
        "power": (2, 3, 50, *COUNTS),
        "method": ("exact", "fastest"),
        "n_jobs": (1, 2, -1, -100, 0, "a", 1.5),
        "random_state": (None, -1, "a"),
    }
    return KNNGraph(**_some(rng, choices))


def _reconstruction(rng):
    choices = {
        "alpha": REALS,
        "n_candidates": COUNTS,
        "laplacian": ("normalized",),
        "tol": (1e-300, 0.0, -1.0, 10, np.nan, "a"),
        "max_steps": (1, 10**19, 0),
    }
    return SparseRepresentationGraph(**_some(rng, choices))


def _some(rng, choices):
    names = rng.sample(sorted(choices), rng.randint(0, 2))
    return {name: rng.choice(choices[name]) for name in names}
