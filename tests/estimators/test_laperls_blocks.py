"""LapERLS on rows that come in blocks: the numbers of one matrix."""

import numpy as np
import pytest
from sklearn.datasets import make_moons

import mr
from mr.estimators import _embedded, laperls

X, TRUTH = make_moons(300, noise=0.05, random_state=0)
Y = np.where(np.arange(300) < 20, TRUTH, -1)
FAR = np.vstack([X, X[:40] + 100.0])  # a component without a label
FAR_Y = np.concatenate([Y, np.full(40, -1)])
SOURCES = {
    "list": lambda A: [A[:70], A[70:200], A[200:]],
    "function": lambda A: lambda: (A[i : i + 64] for i in range(0, len(A), 64)),
}


def machine(**options):
    return mr.LapERLS(solver="nystroem", n_landmarks=40, n_eigenvectors=10, random_state=0, **options)


@pytest.mark.filterwarnings("ignore::mr.estimators._base.UnlabelledComponentWarning")
@pytest.mark.parametrize("weights", [{}, {"C": 10.0, "mu": 1.0, "label_weight": 1e3}, {"C": 1.0, "mu": 0.0}])
@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("points, y", [(X, Y), (FAR, FAR_Y)], ids=["one graph", "a component without a label"])
def test_blocks_give_the_numbers_of_one_matrix(points, y, source, weights):
    whole, blocks = (machine(**weights).fit(A, y) for A in (points, SOURCES[source](points)))
    values = whole.decision_function(X)
    assert np.abs(blocks.decision_function(X) - values).max() < 1e-8 * np.abs(values).max()
    assert (blocks.transduction_ == whole.transduction_).all()
    assert blocks.residual_ == pytest.approx(whole.residual_, rel=1e-4, abs=1e-8)


def test_features_that_are_not_held_give_the_same(monkeypatch):
    expected = machine().fit(X, Y).decision_function(X)
    monkeypatch.setattr(_embedded, "HELD_BYTES", 0)
    monkeypatch.setattr(laperls, "HELD_BYTES", 0)
    assert np.abs(machine().fit(X, Y).decision_function(X) - expected).max() < 1e-8 * np.abs(expected).max()


@pytest.mark.parametrize("solver", ["exact", "cg"])
def test_solvers_on_the_gram_matrix_refuse_blocks(solver):
    with pytest.raises(ValueError, match="solver='nystroem'"):
        machine().set_params(solver=solver).fit([X[:100], X[100:]], Y)
