"""Machines on a graph, fitted to rows that come in blocks: the numbers are those of one array."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_moons

import mr
from mr.estimators import _manifold
from mr.kernels import Basis
from tests.solvers.test_prototypes import LikeDask

X, TRUTH = make_moons(400, noise=0.1, random_state=0)
Y = np.where(np.arange(400) < 20, TRUTH, -1)
NUMBERS = np.where(np.arange(400) % 9 == 0, X[:, 1], np.nan)
PARTS = np.array_split(X, [1, 150, 151, 300])
BASIS = {"basis": 40, "random_state": 0}
MACHINES = [
    (mr.LapRLS(**BASIS), Y),
    (mr.LapRLS(**BASIS, gamma_A=1e-3, graph_weight=10.0, fit_intercept=True, balance="class-mass"), Y),
    (mr.LapRLS(**BASIS, kernel="poly", gamma="mean", graph=mr.KNNGraph(5, power=2)), Y),
    (mr.LapRLSRegressor(**BASIS), NUMBERS),
    (mr.LapSVM(**BASIS), Y),
    (mr.LapSVR(**BASIS), Y),
    (mr.PrimalLapSVM(**BASIS), Y),
]


def values(model, points):
    return model.decision_function(points) if hasattr(model, "decision_function") else model.predict(points)


@pytest.mark.parametrize("machine, y", MACHINES)
def test_blocks_give_the_same_numbers(machine, y, tmp_path):
    plain = clone(machine).fit(X, y)
    mapped = np.memmap(tmp_path / "rows", dtype=np.float64, mode="w+", shape=X.shape)
    mapped[:] = X
    for source in (PARTS, lambda: iter(PARTS), LikeDask(PARTS), mapped):
        model = clone(machine).fit_blocks(source, y)
        assert (model.transduction_ == plain.transduction_).all() or y is NUMBERS
        assert np.abs(values(model, X) - values(plain, X)).max() <= 1e-8 * np.abs(values(plain, X)).max()
        assert np.allclose(values(model, source), values(model, X), rtol=0, atol=1e-9)
        assert model.n_features_in_ == 2 and 0 <= model.residual_ < 1e-8


def test_fit_takes_blocks_and_weights():
    weights = np.linspace(0.5, 2.0, len(X))
    plain = mr.LapRLS(**BASIS).fit(X, Y, sample_weight=weights)
    assert np.allclose(mr.LapRLS(**BASIS).fit(PARTS, Y, sample_weight=weights).predict(X), plain.predict(X))


def test_a_large_factor_is_made_by_blocks(monkeypatch):
    held = mr.LapRLS(**BASIS).fit(X, Y)
    monkeypatch.setattr(_manifold, "HELD_BYTES", 0)
    monkeypatch.setattr(mr.kernels.gram.ReducedGram, "__init__", _refuse_held(mr.kernels.gram.ReducedGram.__init__))
    made = mr.LapRLS(**BASIS).fit(X, Y)
    assert np.allclose(made.decision_function(X), held.decision_function(X), rtol=0, atol=1e-8)
    # a graph that is only a function cannot be taken by blocks of rows
    monkeypatch.undo()
    monkeypatch.setattr(_manifold, "HELD_BYTES", 0)
    few = np.arange(len(X)) < 40
    classwise = mr.LapRLS(**BASIS, gamma_A=1.0, class_gamma_I=[1.0, 1.0])
    expected = clone(classwise).fit(X[few], TRUTH[few]).decision_function(X)
    assert np.allclose(clone(classwise).fit([X[:7], X[7:40]], TRUTH[few]).decision_function(X), expected)


def _refuse_held(make):
    def check(self, kernel, X, points, blocks=None):
        assert blocks is not None and X is None
        make(self, kernel, X, points, blocks)

    return check


def test_a_graph_of_ones_own_needs_no_points(monkeypatch):
    affinity = mr.KNNGraph(6).fit(X).affinity_
    expected = mr.LapRLS(**BASIS, graph=affinity).fit(X, Y).decision_function(X)
    monkeypatch.setattr(mr.graph.blocks.RowBlocks, "whole", lambda self: pytest.fail("all rows were asked for"))
    for graph in (affinity, mr.PrecomputedGraph(affinity)):
        found = mr.LapRLS(**BASIS, graph=graph).fit(PARTS, Y).decision_function(X)
        assert np.allclose(found, expected, rtol=0, atol=1e-8)


def test_what_blocks_cannot_do_is_said():
    with pytest.raises(ValueError, match="basis=500"):
        mr.LapRLS().fit(PARTS, Y)
    with pytest.raises(ValueError, match="400 rows, but y has 399"):
        mr.LapRLS(**BASIS).fit(PARTS, Y[:-1])
    with pytest.raises(ValueError, match="one matrix"):
        mr.LapRLS(**BASIS, kernel="precomputed").fit(PARTS, Y)
    with pytest.raises(ValueError, match="3 features, but LapRLS is expecting 2"):
        mr.LapRLS(**BASIS).fit(PARTS, Y).predict([np.ones((2, 3))])
    with pytest.raises(ValueError, match="finite"):
        mr.LapRLS(**BASIS).fit([X[:200], np.full((200, 2), np.nan)], Y)


@pytest.mark.parametrize("method", ["rows", "kmeans", "leverage"])
def test_every_basis_is_the_same_from_blocks(method):
    machine = mr.LapRLS(basis=Basis(40, method), random_state=3)
    plain = clone(machine).fit(X, Y)
    blocked = clone(machine).fit(PARTS, Y)
    assert np.allclose(blocked.points_, plain.points_, rtol=0, atol=1e-12)
    assert np.abs(blocked.decision_function(X) - plain.decision_function(X)).max() < 1e-8
    assert plain.score(X, TRUTH) > 0.9
    assert mr.paths.LapRLSPath(machine, X) is not None


def test_bases_are_checked():
    for wrong in ({"size": 0}, {"size": True}, {"size": 5, "method": "best"}):
        with pytest.raises(ValueError, match="must be"):
            Basis(**wrong)
    with pytest.raises(ValueError, match="basis=401 points"):
        mr.LapRLS(basis=Basis(401, "kmeans")).fit(X, Y)
    with pytest.raises(ValueError, match="precomputed kernel"):
        mr.LapRLS(basis=Basis(5, "leverage"), kernel="precomputed").fit(X @ X.T, Y)
