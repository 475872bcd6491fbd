"""LGC, harmonic functions, NYS-LGC and NFI against what they approximate or what they solve, written out."""

import warnings

import numpy as np
import pytest
from sklearn.datasets import load_digits, make_moons

from mr import LGC, HarmonicFunction, KNNGraph
from mr.baselines import NFI, NystromLGC
from mr.estimators._base import UnlabelledComponentWarning
from mr.estimators._transductive import interpolated, nearest_rows
from mr.kernels import Kernel
from mr.solvers.propagation import SpectralLGC, gaussian_affinity, normalized_affinity, solve_lgc


@pytest.fixture
def moons():
    X, classes = make_moons(120, noise=0.08, random_state=1)
    y = np.full(120, -1)
    for c in (0, 1):
        y[np.flatnonzero(classes == c)[:4]] = c
    return X, y, classes


def signed(y):
    return np.where(y == -1, 0.0, np.where(y == 1, 1.0, -1.0))


@pytest.mark.parametrize("graph", [None, "gaussian"])
def test_lgc_is_the_dense_inverse(moons, graph):
    X, y, classes = moons
    model = LGC(eta=0.95, graph=graph, gamma=10.0).fit(X, y)
    W = gaussian_affinity(Kernel("rbf", 10.0).fit(X), X) if graph else KNNGraph().fit(X).affinity_.toarray()
    d = W.sum(axis=1)
    expected = np.linalg.inv(np.eye(120) - 0.95 * W / np.sqrt(np.outer(d, d))) @ signed(y)
    assert np.allclose(model.values_[:, 0], expected)
    assert np.allclose(model.decision_function(X), expected, atol=1e-6)
    assert (model.transduction_ == classes).mean() > 0.85


def test_lgc_predicts_new_points(moons):
    X, y, classes = moons
    model = LGC().fit(X[::2], y[::2])
    assert (model.predict(X[1::2]) == classes[1::2]).mean() > 0.9


@pytest.mark.parametrize("n_features", [2, 30], ids=["tree", "brute"])
@pytest.mark.parametrize("machine", [LGC, HarmonicFunction])
def test_a_row_that_exists_many_times_keeps_its_class(machine, n_features):
    # All ten nearest rows are then equal: inverse squared distances have no finite value.
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(-3, 1, (30, n_features)), rng.normal(3, 1, (30, n_features))])
    X = np.concatenate([X, np.repeat(X[[4, 34]], 14, axis=0)])
    y = np.full(len(X), -1)
    y[[0, 1, 30, 31]] = [0, 0, 1, 1]
    # 15 equal rows would be a component of their own in a graph of 6 neighbours
    model = machine(graph=KNNGraph(n_neighbors=20)).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        values = model.decision_function(X)
    assert (np.count_nonzero(model.transduction_ == 0), np.count_nonzero(model.transduction_ == 1)) == (44, 44)
    assert np.array_equal(model.predict(X), model.transduction_)
    # the graph breaks ties between equal rows, so their values differ a little: a mean lies between them
    equal = np.flatnonzero((X == X[4]).all(axis=1))
    own = model.values_[equal, 0]
    assert len(equal) == 15
    assert np.all((values[equal] >= own.min() - 1e-12) & (values[equal] <= own.max() + 1e-12))


def test_values_of_equal_rows_are_averaged():
    X, values = np.concatenate([np.zeros((10, 2)), [[5.0, 5.0]]]), np.arange(11.0)[:, None]
    assert interpolated(nearest_rows(X), np.zeros((1, 2)), values) == pytest.approx(4.5, rel=1e-15)


def test_interpolation_weighs_by_inverse_squared_distance():
    rng = np.random.default_rng(1)
    X, new, values = rng.normal(size=(50, 3)), rng.normal(size=(7, 3)), rng.normal(size=(50, 2))
    squares = np.square(new[:, None] - X).sum(axis=2)
    nearest = np.argsort(squares, axis=1)[:, :10]
    weights = 1 / np.take_along_axis(squares, nearest, 1)
    expected = (weights[:, :, None] * values[nearest]).sum(axis=1) / weights.sum(axis=1, keepdims=True)
    assert np.allclose(interpolated(nearest_rows(X), new, values), expected, rtol=1e-12)


def test_one_eigendecomposition_serves_every_eta(moons):
    X, y, _ = moons
    W = gaussian_affinity(Kernel("rbf", 10.0).fit(X), X)
    rows = np.flatnonzero(y != -1)
    spectral = SpectralLGC(normalized_affinity(W))
    for eta in (0.1, 0.999):
        exact = solve_lgc(W, rows, signed(y)[rows, None], eta).values
        assert np.allclose(spectral.solve(rows, signed(y)[rows, None], eta), exact)
        assert np.allclose(spectral.solve(rows, signed(y)[rows, None], eta, at=[5, 6]), exact[[5, 6]])


def test_nystrom_lgc_with_all_points_is_lgc_with_self_loops(moons):
    X, y, _ = moons
    model = NystromLGC(n_landmarks=120, eta=0.9, gamma=40.0).fit(X, y)
    K = Kernel("rbf", 40.0).fit(X)(X)
    assert model.rank_ == 120 and model.n_raised_degrees_ == 0
    exact = solve_lgc(K, np.flatnonzero(y != -1), signed(y)[y != -1, None], 0.9).values
    assert np.allclose(model.decision_function(X) + signed(y), exact[:, 0], atol=1e-6)


def test_nystrom_lgc_with_few_landmarks(moons):
    X, y, classes = moons
    model = NystromLGC(n_landmarks=40, eta=0.99, gamma=10.0, random_state=0).fit(X, y)
    assert (model.transduction_ == classes).mean() > 0.85


def test_harmonic_functions_are_means_of_their_neighbours(moons):
    X, y, classes = moons
    model = HarmonicFunction().fit(X, y)
    f, W = model.values_[:, 0], model.graph_.affinity_
    unlabelled = y == -1
    assert np.allclose((W @ f / model.graph_.degrees_)[unlabelled], f[unlabelled])
    assert np.allclose(f[~unlabelled], signed(y)[~unlabelled])
    assert (model.transduction_ == classes).mean() > 0.85


def test_harmonic_functions_say_which_components_have_no_label():
    X = np.concatenate([np.arange(10.0), 100 + np.arange(10.0)])[:, None]
    y = np.full(20, -1)
    y[[0, 9]] = 0, 1
    with pytest.warns(UnlabelledComponentWarning):
        model = HarmonicFunction(graph=KNNGraph(n_neighbors=2)).fit(X, y)
    assert np.allclose(model.values_[10:], 0.0)


def test_class_mass_normalisation_balances_the_classes():
    X = np.arange(40.0)[:, None]
    y = np.full(40, -1)
    y[[0, 1]] = 0, 1  # one label of each class, both at one end
    plain = HarmonicFunction(graph=KNNGraph(n_neighbors=2)).fit(X, y).transduction_.mean()
    balanced = HarmonicFunction(True, graph=KNNGraph(n_neighbors=2)).fit(X, y).transduction_.mean()
    assert abs(balanced - 0.5) <= abs(plain - 0.5)


def test_nfi_minimises_its_objective(moons):
    X, y, classes = moons
    model = NFI(n_subset=30, C1=5.0, gamma=10.0, random_state=0).fit(X, y)
    W = Kernel("rbf", 10.0).fit(X)(X, model.subset_)
    P, rows = W / W.sum(axis=1, keepdims=True), y != -1

    def objective(f):
        smooth = (W * np.square((P @ f)[:, None] - f)).sum()
        return smooth + 5.0 * np.square((P @ f)[rows] - signed(y)[rows]).sum()

    f = model.subset_values_[:, 0]
    rng = np.random.default_rng(0)
    best = objective(f)
    for size in (1e-1, 1e-2):
        assert all(objective(f + size * rng.normal(size=30)) > best for _ in range(20))
    assert np.allclose(model.decision_function(X), P @ f)
    assert (model.transduction_ == classes).mean() > 0.85


def test_nfi_far_from_everything_is_finite(moons):
    X, y, _ = moons
    model = NFI(n_subset=30, gamma=10.0, random_state=0).fit(X, y)
    assert np.isfinite(model.decision_function(np.full((1, 2), 1e6))).all()


def test_balanced_classes_keep_a_rare_one_from_being_outvoted():
    X, digits = load_digits(return_X_y=True)
    X, truth = X[np.isin(digits, [0, 3])], digits[np.isin(digits, [0, 3])] // 3
    rng, y = np.random.default_rng(0), np.full(len(truth), -1)
    for c, size in ((0, 100), (1, 2)):
        y[rng.choice(np.flatnonzero(truth == c), size, replace=False)] = c
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        plain, balanced = (LGC(eta=0.99, class_weight=weight).fit(X, y).transduction_ for weight in (None, "balanced"))
    rare = truth == 1
    assert np.mean(plain[rare] == 1) < 0.1 and np.mean(balanced[rare] == 1) > 0.95 and np.mean(balanced == truth) > 0.95


def test_weights_multiply_the_labels(moons):
    X, y, _ = moons
    weights = np.random.default_rng(0).uniform(0.5, 2.0, len(y))
    Q = normalized_affinity(KNNGraph().fit(X).affinity_).toarray()
    expected = np.linalg.solve(np.eye(len(y)) - 0.9 * Q, weights * signed(y))
    assert np.allclose(LGC(eta=0.9, class_weight=None).fit(X, y, sample_weight=weights).values_[:, 0], expected)
