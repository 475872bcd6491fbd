"""TSVMPath: every machine is TSVM fitted alone; what is held out becomes unlabelled."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_digits

import mr
from mr import paths


def problem(n_classes, per_class, n_new=60):
    digits = load_digits(n_class=n_classes)
    rows = np.random.default_rng(0).permutation(len(digits.target))[: 500 + n_new]
    X, truth = digits.data[rows] / 16.0, digits.target[rows]
    y = np.full(len(X) - n_new, -1)
    for c in range(n_classes):
        y[np.flatnonzero(truth[: len(y)] == c)[:per_class]] = c
    return X[: len(y)], y, X[len(y) :]


@pytest.mark.parametrize("n_classes", [2, 4])
def test_path_is_the_estimator_at_every_cell(n_classes):
    X, y, X_new = problem(n_classes, 4)
    path = paths.TSVMPath(mr.TSVM(gamma=0.5), X, X_new)
    lists = {"gamma_A": [1e-3, 1e-1], "unlabelled_weight": [0.0, 0.1, 1.0]}
    for cell, fit in path.grid(y, **lists):
        alone = mr.TSVM(gamma=0.5, **cell).fit(X, y)
        # The same search on the same Gram matrix: only the products with new points are computed otherwise.
        assert np.abs(fit.values - alone.decision_function(X).reshape(fit.values.shape)).max() < 1e-9, cell
        assert np.abs(fit.new_values - alone.decision_function(X_new).reshape(fit.new_values.shape)).max() < 1e-9, cell
        assert fit.info["n_programs"] == sum(solution.n_solves for solution in alone.solutions_)
        assert fit.info["n_switches"] == sum(solution.n_switches for solution in alone.solutions_)
        assert fit.info["dual_gap"] == max(solution.gap for solution in alone.solutions_)


def test_held_out_points_become_unlabelled():
    X, y, _ = problem(2, 4)
    path = paths.TSVMPath(mr.TSVM(gamma=0.5), X)
    rows = np.flatnonzero(y >= 0)
    folds = np.arange(len(rows)) % 2
    values = path.held_out(y, folds, ridge=0.1)
    for number in (0, 1):
        hidden = y.copy()
        hidden[rows[folds == number]] = -1
        expected = path.fit(hidden, ridge=0.1).values[rows[folds == number]]
        assert (values[folds == number] == expected).all()


def test_unscaled_weight_sparse_points_and_fractions():
    X, y, _ = problem(2, 3)
    dense = paths.TSVMPath(mr.TSVM(kernel="linear"), X)
    values = dense.fit(y, gamma_A=0.05).values
    assert np.allclose(values, dense.fit(y, ridge=0.05 * 6).values)
    assert np.allclose(
        values, paths.TSVMPath(mr.TSVM(kernel="linear"), sparse.csr_array(X)).fit(y, gamma_A=0.05).values
    )
    assert np.abs(values - dense.fit(y, gamma_A=0.05, positive_fraction=0.3).values).max() > 0.01
    with pytest.raises(ValueError, match="one number for each of the 2 classes; got 3"):
        dense.fit(y, positive_fraction=[0.2, 0.3, 0.5])
