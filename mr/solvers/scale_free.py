"""Weights that mean the same whatever the numbers of points and labels are.

Machines with the squared loss and the smoothness of a graph all minimise, divided by something,

    1/l ||f_l - y||^2 + ridge (scale ||f||_K^2 + strength / n f'Lf),

where f'Lf / n is a mean over the points if L has mean degree 1, and scale is the mean of k(x, x). Papers sum where this
takes means, each in its own way, so the meaning of their weights depends on n and l. An estimator whose weights are
"auto" tries a few values of ``ridge`` and ``strength``, translated into the weights of its paper, and takes those of
least leave-one-out error (:mod:`mr.solvers.choice`), weak graphs first.

For a normalised Laplacian f'Lf / n <= 2 ||f||^2 / n <= 2 scale ||f||_K^2: at ``NO_GRAPH`` the graph adds at most a
fifth to the penalty, and what is left is nearly the supervised machine.
"""

import numpy as np

AUTO = "auto"
RIDGES = (1e-2, 1e-3, 1e-4)
NO_GRAPH = 0.1


def is_auto(value) -> bool:
    return isinstance(value, str) and value == AUTO


def mean_degree(graph) -> float:
    """Mean of the diagonal of what ``graph.apply`` multiplies by; 1 for a normalised Laplacian without isolated points.

    An own graph object without the attribute ``laplacian_`` is taken as it is.
    """
    laplacian = getattr(graph, "laplacian_", None)
    if laplacian is None:
        return 1.0
    mean = float(np.mean(laplacian.diagonal() ** getattr(graph, "power", 1)))
    return mean if mean > 0 else 1.0
