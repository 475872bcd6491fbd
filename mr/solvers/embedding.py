"""The Laplacian embedding of chen2012: a graph kernel of low rank, and virtual labels for every point."""

from dataclasses import dataclass

import numpy as np
from scipy import linalg

FREE = 1e-6
"""Eigenvalue of S in directions where g is free. Zero would make G infinite, and far smaller ones make it so large that
rounding hides K. At this value the weight on g moves the optimality conditions by FREE times the coefficient of g, some
1e-5 in units of the labels: below the tolerance of 1e-3 at which the regression stops."""


@dataclass(frozen=True)
class Embedding:
    """G = features features' is the graph kernel, targets = G Lambda y the virtual labels."""

    features: np.ndarray
    """(n, r): chen2012's Phi~, equation 28."""
    targets: np.ndarray
    """(n, k): y~, equation 26."""
    n_singular: int
    """Directions of S that neither a label nor the graph holds."""


def embed(values, vectors, rows, targets, label_weight, mu, power=1, free=False) -> Embedding:
    """S = Phi'Lambda Phi + mu diag(sigma^power), G = Phi S^-1 Phi', y~ = G Lambda y (chen2012, equations 25 to 29).

    Parameters
    ----------
    values, vectors : (n_ev,), (n, n_ev)
        Smallest eigenpairs of the Laplacian's first power.
    rows, targets : labelled rows and their targets (l, k)
    label_weight : lambda, the entries of Lambda on labelled rows
    mu : > 0, weight of g'L^power g

    A connected component without labels puts its constant vector into the null space of S. The caller should leave such
    components out before; what is left of them is counted, and dropped from G (g has no part in these directions) or,
    with ``free``, kept: g is free there. Directions that are free, or that a small mu leaves all but free, get the
    eigenvalue FREE.
    """
    labelled = vectors[rows]
    S = label_weight * (labelled.T @ labelled)
    S.flat[:: len(S) + 1] += mu * values**power
    eigenvalues, rotation = linalg.eigh(S)
    keep = eigenvalues > len(S) * np.finfo(float).eps * eigenvalues[-1]
    if free:
        floor = max(FREE, len(S) * np.finfo(float).eps * eigenvalues[-1])
        basis = rotation / np.sqrt(np.maximum(eigenvalues, floor))
    else:
        basis = rotation[:, keep] / np.sqrt(eigenvalues[keep])
    features = vectors @ basis
    return Embedding(features, features @ (features[rows].T @ (label_weight * targets)), int((~keep).sum()))
