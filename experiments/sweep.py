"""Whole parameter grids for the price of one factorisation."""

import numpy as np

from mr.solvers.rls import solve_rls


def lap_rls_sweep(deformation, splits, y_signed, ridges, smoothnesses):
    """LapRLS for every (ridge a, smoothness b) and every labelled set, (J'J K + a I + b L K) alpha = J'y.

    Yields (a, b, values, loo) with the decision values on all points, n x n_splits, and the leave-one-out predictions
    on the labelled points, l x n_splits. Cells of equal r = b / a share the columns of the deformed kernel.
    """
    n_splits, l = splits.shape
    groups = {}
    for a in ridges:
        for b in smoothnesses:
            groups.setdefault(f"{b / a:.12g}", []).append((a, b))
    for cells in groups.values():
        a, b = cells[0]
        columns = deformation.columns(splits.ravel(), b / a).reshape(-1, n_splits, l)
        for a, b in cells:
            values = np.empty((columns.shape[0], n_splits))
            loo = np.empty((l, n_splits))
            for s, rows in enumerate(splits):
                block = columns[rows, s]
                beta, loo[:, s] = _fit_with_leave_one_out(block, y_signed[rows], a)
                values[:, s] = columns[:, s] @ beta
            yield a, b, values, loo


def _fit_with_leave_one_out(K, y, ridge):
    """beta = (K + ridge I)^-1 y and the exact leave-one-out predictions y_i - beta_i / [(K + ridge I)^-1]_ii."""
    inverse = solve_rls(K, np.eye(len(y)), ridge)
    beta = inverse @ y
    return beta, y - beta / np.diag(inverse)
