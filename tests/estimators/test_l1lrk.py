"""L1-LRK against its optimality conditions on the explicit kernel, and CB-LapRLS against doing it by hand."""

import numpy as np
import pytest
from sklearn.datasets import make_moons
from sklearn.linear_model import lasso_path

from mr import KNNGraph, LapRLS
from mr.baselines import L1LRK, CentroidReduced
from mr.graph.blocks import RowBlocks
from mr.paths import L1LRKPath
from mr.solvers.l1_low_rank import LassoForm, lasso_form, solve_l1
from mr.solvers.prototypes import kmeans


@pytest.fixture
def moons():
    X, classes = make_moons(120, noise=0.08, random_state=1)
    y = np.full(120, -1)
    for c in (0, 1):
        y[np.flatnonzero(classes == c)[:6]] = c
    return X, y, classes


def test_solution_satisfies_the_optimality_conditions_of_equation_31(moons):
    X, y, _ = moons
    model = L1LRK(12, lambda1=1e-3, lambda2=0.05, gamma=2.0, tol=1e-9, max_iter=200_000, random_state=0).fit(X, y)
    F = model._graph.features(X)
    rows = np.flatnonzero(y != -1)
    K = F @ F.T
    a = model.coef_[:, 0]
    d = K.sum(axis=1)
    assert (d > 0).all() and model._graph.n_floored == 0
    S = np.eye(120) - K / np.sqrt(np.outer(d, d))
    residual = K[rows] @ a - np.where(y[rows] == 1, 1.0, -1.0)
    gradient = 2 * K[rows].T @ residual + 2 * 1e-3 * K @ S @ K @ a
    assert np.abs(gradient).max() <= 0.05 * 1.001
    active = a != 0
    assert np.allclose(gradient[active], -0.05 * np.sign(a[active]), atol=5e-4)
    assert np.allclose(model.decision_function(X), K @ a)
    assert model.sparsity_ == active.mean() < 0.5


@pytest.mark.parametrize("spread", [1.0, 0.3])
def test_active_set_reaches_the_objective_of_coordinate_descent(spread):
    rng = np.random.default_rng(0)
    design = spread * rng.normal(size=(20, 100)) + 3.0 * rng.normal(size=(20, 1))  # the smaller, the more collinear
    form = LassoForm(design, rng.normal(size=(20, 2)))
    lambda2s = form.lambda_max * np.geomspace(1.0, 1e-2, 6)
    found, gaps, _ = solve_l1(form, lambda2s, tol=1e-9)
    assert gaps.max() <= 1e-9 and (found != 0).sum(axis=0).max() <= 20  # no more points than rows
    for k, c in enumerate(form.c.T):
        _, slow, _ = lasso_path(design, c, alphas=lambda2s / 40, tol=1e-6, max_iter=20_000)
        for a, other, lambda2 in zip(found[:, k].T, slow.T, lambda2s, strict=True):
            ours, theirs = (np.square(c - design @ v).sum() + lambda2 * np.abs(v).sum() for v in (a, other))
            assert ours <= theirs + 1e-8 * (c @ c)
            assert ours == pytest.approx(theirs, rel=1e-3)


def test_path_is_sparser_for_larger_penalties_and_empty_at_the_largest(moons):
    X, y, _ = moons
    model = L1LRK(n_landmarks=12, gamma=2.0, max_iter=20_000, random_state=0).fit(X, y)
    rows = np.flatnonzero(y != -1)
    targets = np.where(y[rows, None] == 1, 1.0, -1.0)
    form = lasso_form(model._graph.features(X), model._graph.smoothness, rows, targets, 1e-3)
    path, gaps, _ = solve_l1(form, form.lambda_max * np.array([1.0, 0.3, 0.01]))
    counts = (path[:, 0] != 0).sum(axis=0)
    assert counts[0] == 0 < counts[1] <= counts[2] + 1
    assert gaps.shape == (1, 3)


def test_weights_by_rule_do_not_depend_on_the_number_of_points(moons):
    X, y, _ = moons
    model = L1LRK(n_landmarks=12, random_state=0).fit(X, y)
    rows = np.flatnonzero(y != -1)
    targets = np.where(y[rows, None] == 1, 1.0, -1.0)
    form = lasso_form(model._graph.features(X), model._graph.smoothness, rows, targets, 0.01 * 12 / 120)
    assert (model.lambda1_, model.lambda2_) == pytest.approx((0.001, 0.003 * form.lambda_max))
    assert 0 < model.sparsity_ < 1
    given = L1LRK(12, lambda1=0.5, lambda2=0.25, gamma="local", random_state=0).fit(X, y)
    assert (given.lambda1_, given.lambda2_) == (0.5, 0.25) and given.gamma_ > model.gamma_
    path = L1LRKPath(L1LRK(12, random_state=0), X)
    assert np.allclose(path.fit(y).values[:, 0], model.decision_function(X))
    assert [cell["lambda2"] for cell, _ in path.grid(y, lambda2=["auto", 0.1, 0.5])] == [0.5, 0.1, "auto"]


def test_centroids_stand_for_the_unlabelled_points(moons):
    X, y, classes = moons
    inner = LapRLS(gamma_A=1e-4, gamma_I=1.0, gamma=2.0, graph=KNNGraph(n_neighbors=4))
    model = CentroidReduced(inner, n_centroids=40, random_state=3).fit(X, y)
    centres = kmeans(RowBlocks(X), 40, 120, np.random.RandomState(3))
    by_hand = inner.fit(np.concatenate([X[y != -1], centres]), np.concatenate([y[y != -1], np.full(40, -1)]))
    assert np.allclose(model.decision_function(X), by_hand.decision_function(X))
    assert (model.transduction_ == classes).mean() > 0.9
