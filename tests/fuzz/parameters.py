"""Parameters of an estimator, valid and not, from its own ``_parameter_constraints``."""

from dataclasses import dataclass
from numbers import Integral

import numpy as np
from sklearn.utils._param_validation import generate_invalid_param_val, generate_valid_param, make_constraint
from sklearn.utils.extmath import safe_sparse_dot

import mr
from mr._sklearn import HasMethods, Interval, StrOptions
from mr.kernels import Basis
from tests.fuzz.graphs import draw_graph

MAGNITUDES = (
    5e-324, 1e-308, 1e-200, 1e-150, 1e-50, 1e-16, 1e-8, 1e-3, 0.1, 0.5, 0.999999, 1.0, 3.0, 10.0, 1e3, 1e6, 1e8, 1e16,
    1e50, 1e150, 1e200, 1e308,
)  # fmt: skip
REALS = [0.0, *MAGNITUDES, *(-x for x in MAGNITUDES), 2, 10**19, -(10**19), 10**400, np.float32(0.3)]
INTEGERS = [-1, 0, 1, 2, 3, 5, 17, 59, 60, 200, 1000, 10**6, 2**31, 10**12, 2**63, 10**19, 10**400, np.int8(2), True]
NONSENSE = ["nonsense", None, np.nan, np.inf, -1.0, 1.5, 10**400, True, [], {}, np.zeros(2), object()]


@dataclass(frozen=True)
class Rows:
    """Points in the place of chosen ones (``basis``, ``prototypes``, ``anchors``, ``centroids``): some rows of X."""

    kind: str

    def make(self, points):
        X = np.nan_to_num(points.dense())
        with np.errstate(over="ignore"):
            return {
                "three": lambda: X[:3],
                "all": lambda: X,
                "one": lambda: X[:1],
                "twice": lambda: X[[0, 0, 0]],
                "list": lambda: X[:3].tolist(),
                "none": lambda: X[:0],
                "narrow": lambda: X[:3, :-1],
                "vector": lambda: X[0],
                "nan": lambda: np.where(np.arange(len(X))[:, None] == 0, np.nan, X),
                "inf": lambda: np.where(np.arange(len(X))[:, None] == 0, np.inf, X),
                "huge": lambda: X[:3] + 1e200,
                "strings": lambda: np.full((2, X.shape[1]), "a"),
                "integers": lambda: np.zeros((2, X.shape[1]), dtype=int),
            }[self.kind]()


ROWS = "three all one twice list none narrow vector nan inf huge strings integers".split()
WEIGHTS = [
    [], [0.5], [0.5, 0.5], [0.0, 1.0], [1, 2, 3], [-1.0, 2.0], [np.nan, 1.0], [np.inf, 1], ["a", "b"], [1e300, 1e-300],
    [[0.5, 0.5]],
]  # fmt: skip
ESTIMATORS = [None, mr.LapRLS(), mr.PrimalLapSVM(), mr.RLS(), mr.LGC(), mr.RLSRegressor(), mr.RLS, "a"]


def product_kernel(A, B):
    return safe_sparse_dot(A, B.T, dense_output=True)


def narrow_kernel(A, B):
    return np.zeros((A.shape[0], 1))


def broken_kernel(A, B):
    return np.full((A.shape[0], B.shape[0]), np.nan)


def indefinite_kernel(A, B):
    return -np.ones((A.shape[0], B.shape[0]))


POOLS = {
    None: [None],
    "boolean": [False, True],
    "random_state": [0, 2**32 - 1, np.random.RandomState(0), None],
    callable: [product_kernel, product_kernel, narrow_kernel, broken_kernel, indefinite_kernel],
    dict: [{}, {0: 2.0, 1: 0.5}, {0: 1e300, 1: 1e-300}, {0: np.nan}, {0: 0.0}, {0: -1.0}, {"ash": 2.0}, {0: "a"}],
}
"""Values for constraints that are no ranges."""
SPECIAL = {
    "graph": draw_graph,
    "memory": lambda rng: rng.choice([None, None, 3, object()]),
    "n_bins": lambda rng: rng.choice([3, 10, 100, 200, 0, 2001, 2**31, 1.5]),  # a thousand bins cost seconds each
    "n_jobs": lambda rng: rng.choice([None, 1, -1, 0, "a", 1.5, 10**400]),
    "estimator": lambda rng: rng.choice(ESTIMATORS),
    "class_gamma_I": lambda rng: rng.choice([None, *WEIGHTS]),
    "positive_fraction": lambda rng: rng.choice([None, 0.0, 0.5, 1.0, 2.0, np.nan, *WEIGHTS]),
}
"""Parameters that a constraint does not describe well enough."""


def draw_parameters(rng, estimator, wild) -> dict:
    """Up to four parameters: moderate values, or mostly valid ones of all magnitudes."""
    names = sorted(estimator().get_params(deep=False))
    chosen = rng.sample(names, min(rng.randint(1, 4) if wild else rng.choice([0, 0, 1, 2]), len(names)))
    return {name: _value(rng, name, estimator._parameter_constraints[name], wild) for name in chosen}


def _value(rng, name, constraints, wild):
    if name in SPECIAL:
        return SPECIAL[name](rng)
    if wild and rng.random() < 0.15:
        return _invalid(rng, constraints)
    if name == "max_iter":
        wild = False  # 2**31 iterations take as long as they were asked to
    return _valid(rng, constraints, rng.choice(constraints), wild)


def _valid(rng, constraints, constraint, wild):
    if isinstance(constraint, Interval):
        pool = INTEGERS if constraint.type is Integral else REALS
        pool = pool if wild else [value for value in pool if 1e-3 <= value <= 1e3]
        ends = [end for end in (constraint.left, constraint.right) if end is not None and end <= 1000]
        return rng.choice([value for value in [*pool, *ends] if constraint.is_satisfied_by(value)])
    if isinstance(constraint, StrOptions):
        return rng.choice(sorted(constraint.options))
    if isinstance(constraint, HasMethods):
        return None
    if constraint == "array-like" and (single := [part for part in constraints if isinstance(part, Interval)]):
        return [_valid(rng, single, rng.choice(single), wild) for _ in range(rng.randint(0, 3))]
    if constraint is np.ndarray or constraint in ("array-like", "sparse matrix"):
        return Rows(rng.choice(ROWS))
    if constraint is Basis:
        return Basis(rng.choice([1, 2, 20, 10**6]), rng.choice(["rows", "kmeans", "leverage"]))
    if constraint in POOLS:
        return rng.choice(POOLS[constraint])
    return generate_valid_param(make_constraint(constraint))


def _invalid(rng, constraints):
    try:
        return rng.choice([*NONSENSE, generate_invalid_param_val(rng.choice(constraints))])
    except NotImplementedError:  # of a constraint without a wrong value
        return rng.choice(NONSENSE)
