"""NFI and NYS-LGC with their default parameters: widths, and the choice that NFI makes."""

import numpy as np
import pytest
from sklearn.datasets import load_digits, make_moons
from sklearn.svm import SVC

from mr.baselines import NFI, NystromLGC
from mr.paths import NFIPath, NystromLGCPath
from mr.solvers.choice import choose_cell


@pytest.fixture
def moons():
    X, classes = make_moons(120, noise=0.08, random_state=1)
    y = np.full(120, -1)
    for c in (0, 1):
        y[np.flatnonzero(classes == c)[:4]] = c
    return X, y, classes


def signed(y):
    return np.where(y == -1, 0.0, np.where(y == 1, 1.0, -1.0))


def test_nfi_by_default_is_the_choice_among_refits_without_each_label(moons):
    X, y, _ = moons
    n, rows = len(X), np.flatnonzero(y != -1)
    model = NFI(n_subset=30, random_state=0).fit(X, y)
    mean = 1 / np.square(X[:, None] - X).sum(axis=2).mean()
    local = 8 / np.sort(np.square(X[:, None] - model.subset_).sum(axis=2), axis=1)[:, 2].mean()
    tried = [(mean, 1e4), (4 * mean, 1e4), (local / 2, 1.0), (local, 1e-2)]
    cells = [(gamma, weight * n / len(rows)) for gamma, weight in tried]
    held_out = []
    for gamma, C1 in cells:
        values = []
        for row in rows:
            hidden = y.copy()
            hidden[row] = -1
            values.append(NFI(30, C1, gamma, random_state=0).fit(X, hidden).decision_function(X[[row]]))
        held_out.append(np.array(values))
    best = cells[choose_cell(held_out, signed(y)[rows, None], 0)]
    assert (model.gamma_, model.C1_) == pytest.approx(best)
    given = NFI(30, model.C1_, model.gamma_, random_state=0).fit(X, y)
    assert np.allclose(given.decision_function(X), model.decision_function(X))
    assert NFI(30, C1=3.0, gamma="local", random_state=0).fit(X, y).C1_ == 3.0
    weight = NFI(30, gamma="scale", random_state=0).fit(X, y).C1_ * len(rows) / n
    assert np.isclose(weight, [1e4, 1e2, 1.0, 1e-2]).any()


def test_digits_by_default_beat_a_support_vector_machine_on_the_labels():
    X, truth = load_digits(return_X_y=True)
    y = np.where(np.arange(len(truth)) < 50, truth, -1)
    supervised = SVC().fit(X[:50], truth[:50]).score(X[50:], truth[50:])
    for model in (NFI(random_state=0), NystromLGC(random_state=0)):
        assert (model.fit(X, y).transduction_[50:] == truth[50:]).mean() > supervised + 0.05


def test_nystrom_lgc_takes_the_width_of_neighbours(moons):
    X, y, _ = moons
    model = NystromLGC(30, random_state=0).fit(X, y)
    third = np.sort(np.square(X[:, None] - model.landmarks_).sum(axis=2), axis=1)[:, 2]
    assert model.gamma_ == pytest.approx(8 / third.mean())
    path = NystromLGCPath(NystromLGC(30, random_state=0), X)
    assert np.allclose(path.fit(y).values[:, 0], model.decision_function(X), atol=1e-9)


def test_nfi_chooses_in_a_path_as_well(moons):
    X, y, _ = moons
    template = NFI(30, gamma="local", random_state=0)
    path = NFIPath(template, X)
    assert np.allclose(path.fit(y).values[:, 0], template.fit(X, y).decision_function(X))
    rows, folds = np.flatnonzero(y != -1), np.arange(8) % 4
    found = path.held_out(y, folds)
    for number in range(4):
        hidden = y.copy()
        hidden[rows[folds == number]] = -1
        assert np.allclose(path.fit(hidden).values[rows[folds == number]], found[folds == number])
    with pytest.raises(ValueError, match="NFIPath takes one kernel width"):
        NFIPath(NFI(), X)
