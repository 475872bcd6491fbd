"""L1-LRK at wanted sparsities, for zhang2015's Fig. 4 and Table VII.

The kernel width is the one that cross-validation gave PVM on the same draw; lambda1 is chosen by cross-validation at
the sparsity in question; lambda2 is what gives that sparsity: the value of a path whose share of non-zero points is
nearest.
"""

import numpy as np

from experiments.zhang2015.protocol import decide
from mr.kernels import Kernel
from mr.solvers.blocks import RowBlocks
from mr.solvers.l1_low_rank import lasso_form, solve_l1
from mr.solvers.prototypes import prototype_graph

PATH = np.logspace(0, -4, 25)  # lambda2 as a share of the value that makes all coefficients zero
AT_ONCE = 3  # values of lambda2 between looks at the sparsity reached


class LowRank:
    """Features and smoothness of the approximated kernel at one width."""

    def __init__(self, ctx, width):
        graph = prototype_graph(RowBlocks(ctx.X, ctx.m), Kernel("rbf", width).fit(ctx.X), ctx.centres)
        self.F, self.smoothness = graph.features(ctx.X), graph.smoothness

    def path(self, rows, targets, lambda1, until):
        """Decision weights b = F'a (r x k) and the share of points used, along the path of lambda2.

        The path ends once that share has passed ``until``: the rest, with most points in the model, costs most.
        """
        form = lasso_form(self.F, self.smoothness, rows, targets, lambda1)
        lambda2s, parts, used, a = form.lambda_max * PATH, [], [], None
        for first in range(0, len(PATH), AT_ONCE):
            start = None if a is None else a[:, :, -1]
            a, _, _ = solve_l1(form, lambda2s[first : first + AT_ONCE], tol=1e-4, max_iter=300, start=start)
            parts.append(np.einsum("nr,nkp->prk", self.F, a))
            used.append((a != 0).any(axis=1).mean(axis=0))
            if used[-1].max() > until:
                break
        used = np.concatenate(used)
        return np.concatenate(parts), used, lambda2s[: len(used)]


def at_sparsities(low_rank, draw, sparsities, lambda1s):
    """For every sparsity: error on the unlabelled points, share of points used, lambda1 and lambda2."""
    validation = np.array([_validation(low_rank, draw, sparsities, value) for value in lambda1s])
    paths = {}
    found = []
    for s, sparsity in enumerate(sparsities):
        lambda1 = lambda1s[int(validation[:, s].argmin())]
        if lambda1 not in paths:
            paths[lambda1] = low_rank.path(draw.rows, draw.targets(draw.rows), lambda1, max(sparsities))
        weights, used, lambda2s = paths[lambda1]
        at = int(np.abs(used - sparsity).argmin())
        wrong = draw.wrong(decide(low_rank.F[draw.rest] @ weights[at]), draw.rest)
        found.append((100.0 * wrong / len(draw.rest), float(used[at]), lambda1, float(lambda2s[at])))
    return found


def _validation(low_rank, draw, sparsities, lambda1):
    """Wrong validation labels at each sparsity."""
    wrong = np.zeros(len(sparsities))
    for train, held in draw.splits():
        weights, used, _ = low_rank.path(train, draw.targets(train), lambda1, max(sparsities))
        for s, sparsity in enumerate(sparsities):
            at = int(np.abs(used - sparsity).argmin())
            wrong[s] += draw.wrong(decide(low_rank.F[held] @ weights[at]), held)
    return wrong
