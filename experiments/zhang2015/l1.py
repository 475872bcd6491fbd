"""L1-LRK over the stated grids, and what it gives at wanted sparsities, for zhang2015's Fig. 4.

Width, lambda1 and lambda2 are chosen by cross-validation of L1-LRK itself, among the cells of the grid that come near
the wanted share of points. No value gives exactly that share (section V-D), so the share that the chosen cell reached
is kept beside its error.

lambda1 and lambda2 have the range of footnote 9. lambda2 has steps of a quarter of a decade where the footnote has
whole ones, so that there are cells near every sparsity. That favours L1-LRK.
"""

import numpy as np

import mr
from experiments.zhang2015.methods import Points
from experiments.zhang2015.protocol import decide
from mr.paths import L1LRKPath

NEAR = 1.25  # a cell is near a wanted sparsity when it reached between 1 / NEAR and NEAR times as much


def low_rank_path(points, width) -> L1LRKPath:
    """The path of one kernel width, on as many landmarks as PVM has prototypes."""
    return L1LRKPath(mr.baselines.L1LRK(points.m, gamma=width, tol=1e-4, random_state=points.seed), points.X)


def lambda2s(params) -> list[float]:
    """Values of lambda2, from sparse models to dense ones."""
    spec = params["lambda2"]
    return np.geomspace(spec["last"], spec["first"], spec["steps"]).tolist()


def grid_cells(X, draw, widths, params, seed) -> list[dict]:
    """The cells of the grid that come near a wanted sparsity; only these are validated.

    Each has its parameters, the share of points ``used``, the wrong validation labels and the error on the unlabelled
    points.
    """
    points, wanted, found = Points(X, params, seed), params["sparsities"], []
    for width in widths:
        path = low_rank_path(points, width)
        for lambda1 in params["lambda1"]:
            cells = along_lambda2(path, draw, lambda1, lambda2s(params), NEAR * max(wanted))
            cells = [cell for cell in cells if any(is_near(cell["used"], sparsity) for sparsity in wanted)]
            wrong = _validation(path, draw, lambda1, [cell["lambda2"] for cell in cells])
            found += [{"width": float(width), "lambda1": lambda1, **cell, "validation": int(count)}
                      for cell, count in zip(cells, wrong, strict=True)]  # fmt: skip
    return found


def along_lambda2(path, draw, lambda1, values, densest) -> list[dict]:
    """Non-empty models from sparse to dense; it ends with the first that uses a larger share than ``densest``.

    What follows, with most points in the model, costs most.
    """
    cells = []
    for given, fit in path.grid(draw.partial(), lambda1=[lambda1], lambda2=values):
        used = fit.info["sparsity"]
        if used > 0:
            wrong = draw.wrong(decide(fit.values[draw.rest]), draw.rest)
            cells.append({"lambda2": float(given["lambda2"]), "used": float(used),
                          "error_pct": 100.0 * wrong / len(draw.rest)})  # fmt: skip
        if used > densest:
            break
    return cells


def _validation(path, draw, lambda1, values) -> np.ndarray:
    """Wrong validation labels of every lambda2."""
    wrong = np.zeros(len(values), dtype=int)
    for k in range(draw.n_folds) if values else ():
        held = draw.rows[draw.folds == k]
        y = draw.partial()
        y[held] = -1
        for i, (_, fit) in enumerate(path.grid(y, lambda1=[lambda1], lambda2=values)):
            wrong[i] += draw.wrong(decide(fit.values[held]), held)
    return wrong


def is_near(used, wanted) -> bool:
    return bool(abs(np.log(used / wanted)) <= np.log(NEAR))


def at_sparsity(cells, wanted) -> dict | None:
    """The cell with the fewest wrong validation labels among those near the wanted sparsity; None where there is none.

    The nearest of them decides between equals. A lasso whose design has rank r has a solution of at most r points: with
    two classes no cell uses more than the share of points that are landmarks.
    """
    near = [cell for cell in cells if is_near(cell["used"], wanted)]
    return min(near, key=lambda cell: (cell["validation"], abs(np.log(cell["used"] / wanted))), default=None)
