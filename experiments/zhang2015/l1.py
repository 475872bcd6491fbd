"""L1-LRK at wanted sparsities, for zhang2015's Fig. 4 and Table VII.

The kernel width is the one that cross-validation gave PVM on the same draw; lambda1 is chosen by cross-validation at
the sparsity in question; lambda2 is what gives that sparsity: the value of a path whose share of non-zero points is
nearest.
"""

import numpy as np

import mr
from experiments.zhang2015.protocol import decide
from mr.paths import L1LRKPath

SHARES = np.logspace(0, -4, 25)  # lambda2 as a share of the value that makes all coefficients zero
LOOKED_AT = 3  # the sparsity reached is looked at after every third value of lambda2


def low_rank_path(points, width) -> L1LRKPath:
    """The path of one kernel width, on as many landmarks as PVM has prototypes."""
    return L1LRKPath(
        mr.baselines.L1LRK(points.m, gamma=width, tol=1e-4, max_iter=300, random_state=points.seed), points.X
    )


def along_lambda2(path, y, lambda1, until):
    """Decision values (one array per machine), shares of points used, and lambda2, from sparse models to dense ones.

    It ends once that share has passed ``until``: the rest, with most points in the model, costs most.
    """
    values, used, lambda2s = [], [], []
    for cell, fit in path.grid(y, lambda1=[lambda1], lambda2=path.lambda_max(y, lambda1) * SHARES):
        values.append(fit.values)
        used.append(fit.info["sparsity"])
        lambda2s.append(cell["lambda2"])
        if len(used) % LOOKED_AT == 0 and max(used[-LOOKED_AT:]) > until:
            break
    return values, np.array(used), lambda2s


def at_sparsities(path, draw, sparsities, lambda1s):
    """For every sparsity: error on the unlabelled points, share of points used, lambda1 and lambda2."""
    validation = np.array([_validation(path, draw, sparsities, value) for value in lambda1s])
    machines, found = {}, []
    for s, sparsity in enumerate(sparsities):
        lambda1 = lambda1s[int(validation[:, s].argmin())]
        if lambda1 not in machines:
            machines[lambda1] = along_lambda2(path, draw.partial(), lambda1, max(sparsities))
        values, used, lambda2s = machines[lambda1]
        at = int(np.abs(used - sparsity).argmin())
        wrong = draw.wrong(decide(values[at][draw.rest]), draw.rest)
        found.append((100.0 * wrong / len(draw.rest), float(used[at]), lambda1, float(lambda2s[at])))
    return found


def _validation(path, draw, sparsities, lambda1):
    """Wrong validation labels at each sparsity."""
    wrong = np.zeros(len(sparsities))
    for k in range(draw.n_folds):
        held = draw.rows[draw.folds == k]
        y = draw.partial()
        y[held] = -1
        values, used, _ = along_lambda2(path, y, lambda1, max(sparsities))
        for s, sparsity in enumerate(sparsities):
            at = int(np.abs(used - sparsity).argmin())
            wrong[s] += draw.wrong(decide(values[at][held]), held)
    return wrong
