"""Held-out values of ridge regression in features against refits by normal equations."""

import numpy as np
import pytest

from mr.solvers.feature_ridge import FeatureRidge


def refitted(features, targets, folds, C1, fit_intercept):
    """Every fold predicted by the machine on the others, with an explicit, unpenalised constant."""
    values = np.empty_like(targets)
    l, r = features.shape
    penalty = np.eye(r)
    if fit_intercept:
        features = np.column_stack([features, np.ones(l)])
        penalty = np.diag(np.append(np.ones(r), 0.0))
    for number in np.unique(folds):
        held = folds == number
        train = features[~held]
        weights = np.linalg.solve(penalty + C1 * train.T @ train, C1 * train.T @ targets[~held])
        values[held] = features[held] @ weights
    return values


@pytest.mark.parametrize("fit_intercept", [False, True])
@pytest.mark.parametrize("shape", [(12, 30), (12, 12), (12, 11), (30, 6)])
@pytest.mark.parametrize("C1", [0.01, 1.0, 100.0])
def test_held_out_values_are_those_of_refits(shape, C1, fit_intercept):
    rng = np.random.default_rng(0)
    features, targets = rng.normal(size=shape), rng.normal(size=(shape[0], 2))
    ridge = FeatureRidge(features, fit_intercept)
    for folds in (np.arange(shape[0]), np.arange(shape[0]) % 4):
        expected = refitted(features, targets, folds, C1, fit_intercept)
        assert np.allclose(ridge.held_out(targets, folds, C1), expected, atol=1e-9)
    assert np.allclose(
        ridge.held_out(targets, None, C1),
        refitted(features, targets, np.arange(shape[0]), C1, fit_intercept),
        atol=1e-9,
    )


@pytest.mark.parametrize("fit_intercept", [False, True])
def test_features_of_low_rank(fit_intercept):
    rng = np.random.default_rng(1)
    features = rng.normal(size=(15, 2)) @ rng.normal(size=(2, 20))
    targets = rng.normal(size=(15, 1))
    expected = refitted(features, targets, np.arange(15), 10.0, fit_intercept)
    assert np.allclose(FeatureRidge(features, fit_intercept).held_out(targets, None, 10.0), expected, atol=1e-8)


@pytest.mark.parametrize("fit_intercept", [False, True])
def test_weighted_labels_are_left_out_as_refits_say(fit_intercept):
    rng = np.random.default_rng(0)
    features, targets, weights = rng.standard_normal((9, 3)), rng.standard_normal((9, 2)), rng.uniform(0.1, 3.0, 9)
    values = FeatureRidge(features, fit_intercept, weights).held_out(targets, None, 0.7)
    columns = np.column_stack([features, np.ones(9)]) if fit_intercept else features
    penalty = np.diag([1.0] * 3 + [0.0] * fit_intercept)
    for i in range(9):
        F, w = np.delete(columns, i, axis=0), np.delete(weights, i)
        solved = np.linalg.solve(0.7 * F.T * w @ F + penalty, 0.7 * F.T * w @ np.delete(targets, i, axis=0))
        assert np.allclose(columns[i] @ solved, values[i])
