"""The l1-penalised kernel regressor on a low-rank kernel (zhang2015, equation 31).

    min over a of ||y_l - K_l a||^2 + lambda1 (K a)'S(K a) + lambda2 ||a||_1,        K = F F' of rank r.

With b = F'a the first two terms are ||c - P b||^2 + constant for P'P = F_l'F_l + lambda1 F'SF, P'c = F_l'y: a lasso
with the r x n design P F'. The paper brings the problem to lasso form in O(n^3) time and O(n^2) memory; through F it
is O(n r^2), O(n r).
"""

import warnings
from dataclasses import dataclass

import numpy as np
from scipy import linalg
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import lasso_path


@dataclass(frozen=True)
class LassoForm:
    """min ||c - Z a||^2 + lambda2 ||a||_1, one column of ``c`` a function."""

    design: np.ndarray
    """Z = P F', r x n."""
    c: np.ndarray

    @property
    def lambda_max(self) -> float:
        """Smallest lambda2 at which every coefficient is zero."""
        return 2.0 * float(np.abs(self.design.T @ self.c).max())


def lasso_form(F, smoothness, rows, targets, lambda1) -> LassoForm:
    """The problem above for every column of ``targets``; ``smoothness`` is F'SF."""
    N = F[rows].T @ F[rows] + lambda1 * smoothness
    values, vectors = linalg.eigh(N)
    keep = values > len(values) * np.finfo(float).eps * values[-1]
    roots, vectors = np.sqrt(values[keep]), vectors[:, keep]
    return LassoForm((roots[:, None] * vectors.T) @ F.T, (vectors / roots).T @ (F[rows].T @ targets))


def solve_l1(form: LassoForm, lambda2s, tol=1e-4, max_iter=1000, start=None):
    """a (n x k x len(lambda2s)) along a decreasing sequence of lambda2; relative duality gaps and iterations (k x len).

    ``start`` (n x k) is where the first one begins.

    scikit-learn's coordinate descent minimises ||c - Z a||^2 / (2 r) + alpha ||a||_1: alpha = lambda2 / (2 r).
    """
    r = len(form.design)
    alphas = np.asarray(lambda2s, dtype=float) / (2.0 * r)
    path, gaps, iterations = [], [], []
    for k, c in enumerate(form.c.T):
        first = None if start is None else np.array(start[:, k], order="F")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # the gap is returned: the caller judges
            _, a, gap, n_iter = lasso_path(
                form.design, c, alphas=alphas, coef_init=first, tol=tol, max_iter=max_iter, return_n_iter=True
            )
        path.append(a)
        iterations.append(n_iter)
        gaps.append(np.asarray(gap) * r / max(0.5 * float(c @ c), np.finfo(float).tiny))
    return np.stack(path, axis=1), np.array(gaps), np.array(iterations)
