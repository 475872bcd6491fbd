"""L1LRKPath is L1LRK fitted alone; along lambda2 points only enter the model; held-out values are those of refits."""

import numpy as np
import pytest

import mr
from mr.paths import L1LRKPath
from tests.paths.problems import alone, columns, digits, refitted

TEMPLATE = mr.baselines.L1LRK(50, gamma=0.3, tol=1e-8, max_iter=20000, random_state=0)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_path_is_the_estimator_at_every_cell(n_classes):
    X, y = digits(560, n_classes, 8)  # there are 360 images of two digits
    X, X_new, y = X[:-60], X[-60:], y[:-60]
    path = L1LRKPath(TEMPLATE, X, X_new)
    for lambda1 in (1e-2, 1.0):
        largest = path.lambda_max(y, lambda1)
        for cell, fit in path.grid(y, lambda1=[lambda1], lambda2=largest * np.array([0.03, 0.3, 1.0])):
            machine = alone(TEMPLATE, cell, X, y)
            # Both are optimal to a relative gap of 1e-8, whose root is the accuracy of their values.
            atol = 1e-3 * max(np.abs(fit.values).max(), 1e-3)
            assert np.allclose(columns(machine.decision_function(X)), fit.values, rtol=0, atol=atol), cell
            assert np.allclose(columns(machine.decision_function(X_new)), fit.new_values, rtol=0, atol=atol), cell
            assert fit.info["dual_gap"] < 1e-7


def test_a_single_machine_starts_from_zero_as_the_estimator_does():
    X, y = digits(500, 2, 8)
    path, machine = L1LRKPath(TEMPLATE, X), alone(TEMPLATE, {"lambda2": 0.1}, X, y)
    fit = path.fit(y, lambda2=0.1)
    assert np.allclose(fit.values[:, 0], machine.decision_function(X), rtol=0, atol=1e-12)
    assert (fit.info["sparsity"], fit.info["n_iter"]) == (machine.sparsity_, machine.n_iter_)


def test_the_grid_walks_down_lambda2_and_can_be_left():
    X, y = digits(500, 2, 8)
    path = L1LRKPath(TEMPLATE, X)
    largest = path.lambda_max(y)
    grid = path.grid(y, lambda2=largest * np.array([1e-9, 0.1, 0.3, 1.0]))
    found = [fit.info["sparsity"] for _, (_, fit) in zip(range(3), grid, strict=False)]  # the last would take long
    assert found[0] == 0.0 and found == sorted(found) and found[-1] > found[1] > 0.0


def test_held_out_values_are_those_of_refits():
    X, y = digits(300, 3, 6)
    path = L1LRKPath(TEMPLATE, X)
    folds = np.arange(int((y >= 0).sum())) % 3
    for cell, values in path.held_out_grid(y, folds, lambda2=path.lambda_max(y) * np.array([0.05, 0.5])):
        expected = refitted(path, y, folds, cell)
        assert np.allclose(values, expected, rtol=0, atol=1e-3 * np.abs(expected).max()), cell
