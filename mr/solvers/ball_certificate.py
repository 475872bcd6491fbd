"""How far a ball, and the function that its centre is, can be from optimal."""

import numpy as np

from mr.solvers.certificates import relative_gap


def certify(problem, ids, a, norm, square, level, values) -> dict:
    """Achieved epsilon, best tube, primal objective and relative duality gap of the dual point (ids, a).

    ``norm`` is a'K~a, ``square`` the squared radius, ``level`` the multiplier of 1'a = 1, ``values`` f on the data.
    """
    f = problem.y * values[problem.rows]
    differences = problem.edges.differences(values)
    lowest = _lowest(problem, ids, a, f, differences)
    size = np.abs(differences)
    furthest = max(norm + problem.eta - 2.0 * lowest, 0.0)
    tube = _best_tube(problem, f, size, -problem.C * level)
    smooth = problem.C**2 * (norm - float(problem.ridge(ids) @ (a * a)))
    primal = smooth + 2.0 * problem.C * tube + _losses(problem, f, size, tube)[0]
    dual = problem.C**2 * (float(problem.linear(ids) @ a) - norm)
    return {
        "achieved_epsilon": max(float(np.sqrt(furthest / square)) - 1.0, 0.0),
        "tube": float(tube),
        "objective": float(primal),
        "gap": relative_gap(primal, dual),
    }


def _lowest(problem, ids, a, f, differences) -> float:
    """min_k g_k over all points; those of the core include their ridge term."""
    m, E = problem.m, problem.n_edges
    lowest = np.inf
    for values, first, end in ((f - 1.0, 0, m), (differences, m, m + E), (-differences, m + E, m + 2 * E)):
        g = values / problem.C
        mine = (ids >= first) & (ids < end)
        g[ids[mine] - first] += problem.ridge(ids[mine]) * a[mine]
        lowest = min(lowest, float(g.min(initial=np.inf)))
    return lowest


def _losses(problem, f, size, tube):
    """Squared losses at a tube, their derivative in the tube, and its slope."""
    total, derivative, slope = 0.0, 0.0, 0.0
    groups = [(1.0 - tube - f, problem.ridge_labelled)]
    if problem.n_edges:
        groups += [(size - tube, problem.ridge_edge)]
        groups += [(-size - tube, problem.ridge_edge)] if tube < 0 else []
    for excess, ridge in groups:
        excess = excess[excess > 0]
        total += float(excess @ excess) / ridge
        derivative -= 2.0 * float(excess.sum()) / ridge
        slope += 2.0 * len(excess) / ridge
    return total, derivative, slope


def _best_tube(problem, f, size, tube):
    """min_t 2 C t + losses(t), convex and piecewise quadratic: Newton, which ends exactly."""
    for _ in range(100):
        _, derivative, slope = _losses(problem, f, size, tube)
        derivative += 2.0 * problem.C
        if slope == 0.0:
            # no loss left: the objective falls with t until the first loss appears
            tube = max(float((1.0 - f).max()), float(size.max(initial=-np.inf)))
            tube -= 1e-12 * max(abs(tube), 1.0)
            continue
        step = derivative / slope
        tube -= step
        if abs(step) <= 1e-14 * max(abs(tube), 1e-300):
            break
    return tube
