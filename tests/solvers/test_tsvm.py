"""Label switching: what holds at its end, and against all labellings where they can be counted."""

import itertools

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

import mr
from mr.solvers import tsvm
from mr.solvers.svm import minimise_balanced, solve_svc
from mr.solvers.tsvm import MARGIN, _Annealing, solve_tsvm


def blobs(n, seed, labelled=2, distance=3.0):
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(n) % 2 == 0, 1.0, -1.0)
    X = rng.normal(size=(n, 2)) + distance / 2 * y[:, None]
    return np.exp(-0.3 * np.square(X[:, None] - X).sum(-1)), np.arange(2 * labelled), y


def objective(K, y, C):
    solution = solve_svc(K, y[:, None], C)
    beta = solution.coefficients[:, 0]
    return 0.5 * beta @ K @ beta + C * np.maximum(0, 1 - y * (K @ beta + solution.intercepts[0])).sum()


def test_clusters_are_found_from_one_label_each():
    K, rows, y = blobs(200, 0, labelled=1, distance=4.0)
    solution = solve_tsvm(K, rows, y[rows], 1.0)
    assert (np.sign(solution.values) == y).mean() > 0.97


@pytest.mark.parametrize("seed", range(4))
def test_no_exchange_of_a_pair_lowers_the_final_objective(seed):
    K, rows, y = blobs(24, seed, distance=1.5)
    C = 1.0
    solution = solve_tsvm(K, rows, y[rows], C)
    assert solution.objective == pytest.approx(objective(K, solution.labels, C), rel=1e-6)
    free = np.arange(len(rows), 24)
    hinge = np.maximum(0, 1 - solution.labels * solution.values)
    for i in free[solution.labels[free] > 0]:
        for j in free[solution.labels[free] < 0]:
            # the search leaves a gain below its margin; slacks are known to 1e-6
            assert min(hinge[i], hinge[j]) <= MARGIN + 1e-5 or hinge[i] + hinge[j] <= 2 + MARGIN + 1e-5


@pytest.mark.parametrize("seed", range(3))
def test_close_to_the_best_of_all_labellings(seed):
    K, rows, y = blobs(12, seed, labelled=1, distance=2.5)
    solution = solve_tsvm(K, rows, y[rows], 1.0)
    free = np.arange(2, 12)
    objectives = []
    for positive in itertools.combinations(free, 5):
        labels = y.copy()
        labels[free] = -1.0
        labels[list(positive)] = 1.0
        objectives.append(objective(K, labels, 1.0))
    assert solution.objective >= min(objectives) * (1 - 1e-6)
    # a local search: not always the best of 252, but among the best twentieth
    assert solution.objective <= np.quantile(objectives, 0.05) * (1 + 1e-6)


def test_class_ratio_is_kept():
    K, rows, y = blobs(60, 5)
    for fraction in (0.25, 0.5):
        labels = solve_tsvm(K, rows, y[rows], 1.0, positive_fraction=fraction).labels
        assert (labels[len(rows) :] > 0).sum() == round(fraction * 56)


def test_without_unlabelled_loss_it_is_the_svm():
    K, rows, y = blobs(40, 6, labelled=5)
    machine = solve_svc(K[np.ix_(rows, rows)], y[rows][:, None], 1.0)
    expected = K[:, rows] @ machine.coefficients[:, 0] + machine.intercepts[0]
    assert np.allclose(solve_tsvm(K, rows, y[rows], 1.0, C_unlabelled=0.0).values, expected, atol=1e-4)
    assert np.allclose(solve_tsvm(K[np.ix_(rows, rows)], rows, y[rows], 1.0).values, expected[rows], atol=1e-4)


def test_deterministic_and_certified():
    K, rows, y = blobs(100, 7, distance=1.0)
    first, second = solve_tsvm(K, rows, y[rows], 5.0), solve_tsvm(K, rows, y[rows], 5.0)
    assert (first.values == second.values).all()
    assert first.n_switches > 0 and first.gap < 1e-5


def test_rounding_errors_of_the_kernel_switch_no_label():
    """Here a point on the margin, of slack 0, could be switched or not by the sign of its rounding error."""
    rng = np.random.default_rng(22)
    y = np.where(np.arange(200) % 8 == 0, 1.0, -1.0)
    X = rng.normal(size=(200, 30))
    X[:, 0] += y
    K, rows = np.exp(-0.02 * np.square(X[:, None] - X).sum(-1)), np.arange(16)
    change = np.random.default_rng(22).normal(scale=1e-15, size=K.shape)
    first, second = solve_tsvm(K, rows, y[rows], 10.0), solve_tsvm(K * (1 + change + change.T), rows, y[rows], 10.0)
    assert (first.labels == second.labels).all() and first.n_switches == second.n_switches > 0
    assert np.allclose(first.values, second.values, atol=1e-6)


@pytest.mark.parametrize("error", [1e-9, -1e-9])
def test_a_point_on_the_margin_is_never_switched(error):
    run = _Annealing(np.eye(4), np.array([1.0, -1.0, 1.0, -1.0]), np.arange(2), np.arange(2, 4), 1.0)
    run.values = np.array([1.0, -1.0, 1.0 - error, 1.5])  # slacks of the unlabelled points: 0 up to rounding, and 2.5
    assert not run.switch() and (run.y == [1, -1, 1, -1]).all()
    run.values[2] = 0.5  # slacks 0.5 and 2.5: an exchange lowers the objective
    assert run.switch() and (run.y == [1, -1, -1, 1]).all()


@pytest.mark.parametrize("label", [1.0, -1.0])
def test_one_unlabelled_point_of_which_none_is_positive(label):
    K, _, _ = blobs(4, 9)
    solution = solve_tsvm(K, np.arange(3), label * np.array([1.0, -1.0, 1.0]), 1.0)
    assert solution.n_switches == 0 and solution.gap < 1e-5


def test_bad_fraction():
    K, rows, y = blobs(10, 8)
    with pytest.raises(ValueError, match="between 0 and 1"):
        solve_tsvm(K, rows, y[rows], 1.0, positive_fraction=1.5)


@pytest.mark.parametrize("max_iter", [1, 5, 15])
def test_the_number_of_programs_is_limited(max_iter):
    K, rows, y = blobs(100, 7, distance=1.0)
    whole = solve_tsvm(K, rows, y[rows], 5.0)
    with pytest.warns(ConvergenceWarning, match=f"stopped after max_iter={max_iter} quadratic programs"):
        solution = solve_tsvm(K, rows, y[rows], 5.0, max_iter=max_iter)
    assert solution.n_solves <= max_iter + 3 < whole.n_solves
    # a machine on the labels it ended with: certified, of the same class ratio, but a worse objective
    assert solution.objective == pytest.approx(objective(K, solution.labels, 5.0), rel=1e-6)
    assert (solution.labels > 0).sum() == (whole.labels > 0).sum()
    assert solution.objective > whole.objective


def test_known_products_change_no_bit(monkeypatch):
    """Products with the kernel are handed from one program to the next; without that the search is the same."""
    K, rows, y = blobs(100, 7, distance=1.0)
    handed = solve_tsvm(K, rows, y[rows], 5.0)

    def forgetful(*arguments, products=None, **options):
        return minimise_balanced(*arguments, **options)

    monkeypatch.setattr(tsvm, "minimise_balanced", forgetful)
    alone = solve_tsvm(K, rows, y[rows], 5.0)
    assert (handed.values == alone.values).all() and handed.n_switches == alone.n_switches > 0


def test_progress_is_told(capsys):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 2)), np.full(30, -1)
    y[:6] = np.arange(6) % 3
    mr.TSVM(verbose=1).fit(X, y)
    told = capsys.readouterr().out
    assert "[TSVM] problem 3 of 3" in told and "1.0e+00 of its final value" in told
    mr.TSVM().fit(X, y)
    assert capsys.readouterr().out == ""
