"""The transductive SVM by label switching."""

import warnings
from dataclasses import dataclass

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from mr.solvers.certificates import hinge_gap
from mr.solvers.progress import silent
from mr.solvers.svm import minimise_balanced

FIRST_WEIGHT = 1e-5
"""Unlabelled weight at the start, relative to its final value (Joachims 1999)."""
MARGIN = 1e-2
"""How far a slack must be above 0, and the sum of two above 2, for a switch. Points on the margin have a slack of
exactly 0 at the optimum, so that without it the sign of a rounding error would decide about them."""
COARSE = 1e-5
"""Tolerance of the programs on the way: far below ``MARGIN``, so that another processor switches the same labels."""
STEPS_PER_POINT, FEWEST_POINTS = 50_000, 100
"""Pair steps that all programs of a search may take, per point: an end where the kernel is hopelessly conditioned."""
MOST_STEPS, LEAST_STEPS = 1_000_000, 10_000
"""Pair steps of one program, and what it may take when those of the search are spent."""
DIGITS = 5
"""Decimals of the values that are compared: equal points tie whatever their rounding errors, and the smaller index
goes first."""


@dataclass(frozen=True)
class TransductiveSolution:
    """A local optimum: no pair of unlabelled points of opposite labels can be exchanged for a lower objective."""

    coefficients: np.ndarray
    """Signed coefficients over all n points: f = K coefficients + intercept."""
    intercept: float
    values: np.ndarray
    """f on the n points."""
    labels: np.ndarray
    """+-1 for every point: given on ``rows``, assigned elsewhere."""
    objective: float
    """1/2 ||f||^2 + C sum_labelled hinge + C_unlabelled sum_unlabelled hinge."""
    gap: float
    """Relative duality gap of the SVM on the final labels."""
    n_switches: int
    n_solves: int


def solve_tsvm(
    K, rows, targets, C, C_unlabelled=None, positive_fraction=None, tol=1e-6, max_iter=1000, report=silent
) -> TransductiveSolution:  # fmt: skip
    """min over f and y_u: 1/2 ||f||^2 + C sum_l hinge(y_i f_i) + C_unlabelled sum_u hinge(y_j f_j), with bias.

    A fixed number of unlabelled points is positive: ``positive_fraction`` of them (default: that of the labelled ones).
    Joachims' (1999) annealing: label the unlabelled points by an SVM on the labelled ones, then raise their weight from
    1e-5 C_unlabelled by doubling, and at each weight exchange labels of pairs (one +, one -) with positive slacks that
    sum to more than 2, which lowers the objective. All such pairs are exchanged between two solves (as Sindhwani and
    Keerthi's multiple switching does for linear machines): with both classes sorted by slack the k-th of one is matched
    to the k-th of the other, so every pair alone lowers the objective and the method still ends. Every solve starts
    from the last.

    Parameters
    ----------
    K : array (n, n), Gram matrix of labelled and unlabelled points
    rows : indices of the labelled points
    targets : their labels in {-1, +1}
    C, C_unlabelled : weights of the losses (default: equal)
    tol : largest violation of the optimality conditions of the last quadratic program
    max_iter : largest number of quadratic programs. When it is reached no more labels are exchanged; one or two
        programs, at the final weights, are left
    report : function of a text, told of every weight
    """
    K = np.ascontiguousarray(K, dtype=float)
    n = len(K)
    unlabelled = np.setdiff1d(np.arange(n), rows)
    y = np.zeros(n)
    y[rows] = targets
    C_unlabelled = C if C_unlabelled is None else C_unlabelled
    u = len(unlabelled)
    run = _Annealing(K, y, rows, unlabelled, C)
    if u == 0 or C_unlabelled == 0:
        run.solve(tol)
        _warn(False, max_iter, run.violation, tol)
        return run.finish()
    run.solve(COARSE)
    n_positive = _count_positive(u, np.mean(targets > 0) if positive_fraction is None else positive_fraction)
    run.assign(n_positive)
    # The rarer label weighs more at first, so that both together weigh the same (Joachims 1999).
    weight_minus = FIRST_WEIGHT * C_unlabelled
    weight_plus = weight_minus * max(n_positive, 1) / max(u - n_positive, 1)
    limited = False
    while True:
        weight_plus, weight_minus = min(weight_plus, C_unlabelled), min(weight_minus, C_unlabelled)
        last = weight_plus == C_unlabelled and weight_minus == C_unlabelled
        run.weigh(weight_plus, weight_minus)
        run.solve(min(tol, COARSE) if last else COARSE)
        while not (limited := run.n_solves >= max_iter) and run.switch():
            run.solve(min(tol, COARSE) if last else COARSE)
        report(
            f"unlabelled weight {weight_minus / C_unlabelled:.1e} of its final value: {run.n_solves} programs, "
            f"{run.n_switches} exchanges"
        )
        if last:
            # The labels are final: one more solve, from the last one, for the certificate.
            run.solve(1e-2 * tol)
            _warn(limited, max_iter, run.violation, tol)
            return run.finish()
        weight_plus, weight_minus = 2 * weight_plus, 2 * weight_minus
        if limited:
            weight_plus = weight_minus = C_unlabelled


def _warn(limited, max_iter, violation, tol):
    if limited:
        warnings.warn(
            f"Label switching stopped after max_iter={max_iter} quadratic programs: exchanges of labels that lower the "
            "objective may be left.",
            ConvergenceWarning,
            stacklevel=4,
        )
    if violation > tol:
        warnings.warn(
            f"The last quadratic program ended at a violation of {violation:.1e}; {tol:.1e} was asked for. A larger "
            "gamma_A makes the problem easier.",
            ConvergenceWarning,
            stacklevel=4,
        )


def _count_positive(u, fraction):
    if not 0.0 <= fraction <= 1.0:
        raise ValueError(f"positive_fraction must be between 0 and 1; got {fraction!r}.")
    count = int(np.floor(fraction * u + 0.5))
    # Both classes were seen, so each is assumed to occur among the unlabelled points too, if there are two of them.
    return min(max(count, 1), u - 1) if u > 1 else count


class _Annealing:
    """State of the search: labels, box, coefficients and function values."""

    def __init__(self, K, y, rows, unlabelled, C):
        self.K, self.y, self.rows, self.unlabelled, self.C = K, y, rows, unlabelled, C
        self.weights = np.zeros(len(y))
        self.weights[rows] = C
        self.coefficients = np.zeros(len(y))
        self.products = None
        self.n_switches = self.n_solves = 0
        self.steps_left = STEPS_PER_POINT * max(len(y), FEWEST_POINTS)

    def weigh(self, plus, minus):
        y = self.y[self.unlabelled]
        self.weights[self.unlabelled] = np.where(y > 0, plus, minus)

    def assign(self, n_positive):
        """The highest-valued unlabelled points are positive; ties go to the smaller index."""
        order = np.argsort(-self.values[self.unlabelled].round(DIGITS), kind="stable")
        self.y[self.unlabelled] = -1.0
        self.y[self.unlabelled[order[:n_positive]]] = 1.0

    def solve(self, tol):
        bound = self.weights * self.y
        solution = minimise_balanced(
            self.K, -self.y, np.minimum(bound, 0.0), np.maximum(bound, 0.0), start=self.coefficients, tol=tol,
            max_iter=max(min(self.steps_left, max(MOST_STEPS, 100 * len(self.y))), LEAST_STEPS), products=self.products,
        )  # fmt: skip
        self.steps_left -= solution.n_iter
        self.coefficients, self.products, self.bias = solution.coefficients, solution.products, solution.bias
        self.violation = solution.violation
        self.values = solution.products + solution.bias
        self.n_solves += 1

    def switch(self):
        """Exchange labels, weights and coefficients of all pairs that lower the objective; False if there is none.

        Exchanging the coefficients too keeps them inside the box and their sum at zero: a feasible start.
        """
        slack = (1.0 - self.y * self.values).round(DIGITS)
        plus, minus = self._by_slack(slack, 1.0), self._by_slack(slack, -1.0)
        size = min(len(plus), len(minus))
        plus, minus = plus[:size], minus[:size]
        # Slacks are known to the solver's tolerance only; the margin keeps rounding from switching for ever.
        lower = slack[plus] + slack[minus] > 2.0 + MARGIN
        plus, minus = plus[lower], minus[lower]
        self.y[plus], self.y[minus] = -1.0, 1.0
        for state in (self.weights, self.coefficients):
            state[plus], state[minus] = state[minus], state[plus]
        if len(plus):
            self.products = None  # of other coefficients
        self.n_switches += len(plus)
        return len(plus) > 0

    def _by_slack(self, slack, label):
        candidates = self.unlabelled[(self.y[self.unlabelled] == label) & (slack[self.unlabelled] > MARGIN)]
        return candidates[np.argsort(-slack[candidates], kind="stable")]

    def finish(self):
        f = self.values - self.bias
        hinge = np.maximum(0.0, 1.0 - self.y * self.values)
        objective = 0.5 * float(self.coefficients @ f) + float((self.weights * hinge).sum())
        gap = hinge_gap(f, self.coefficients, self.bias, self.y, self.weights)
        labels = np.where(self.y == 0, np.where(self.values > 0, 1.0, -1.0), self.y)
        return TransductiveSolution(
            self.coefficients, self.bias, self.values, labels, objective, gap, self.n_switches, self.n_solves
        )
