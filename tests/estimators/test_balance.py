"""Class-mass normalisation: the documented rule, and what it is for."""

import numpy as np
import pytest
from sklearn.datasets import load_digits, make_moons

from mr import LapRLS, LapSVM, LapSVR, PrimalLapSVM


@pytest.fixture
def skewed():
    """Two moons, where four labels of one class face one of the other that weighs as much in truth."""
    X, classes = make_moons(150, noise=0.05, random_state=3)
    y = np.full(150, -1)
    y[np.flatnonzero(classes == 0)[:3]] = 0
    y[np.flatnonzero(classes == 1)[:3]] = 1
    return X, y, classes


@pytest.mark.parametrize("estimator", [LapRLS, LapSVM, LapSVR, PrimalLapSVM])
def test_two_classes_move_the_threshold_only(estimator, skewed):
    X, y, _ = skewed
    plain = estimator().fit(X, y).decision_function(X)
    balanced = estimator(balance="class-mass").fit(X, y).decision_function(X)
    # an increasing affine function of the plain values
    slope, offset = np.polyfit(plain, balanced, 1)
    assert slope > 0 and np.allclose(slope * plain + offset, balanced)


def test_the_rule_written_out(skewed):
    X, y, _ = skewed
    f = LapRLS().fit(X, y).decision_function(X)
    unlabelled = y == -1
    s1, s0 = (1 + f) / 2, (1 - f) / 2
    expected = 0.5 * s1 / np.maximum(s1[unlabelled], 0).mean() - 0.5 * s0 / np.maximum(s0[unlabelled], 0).mean()
    assert np.allclose(LapRLS(balance="class-mass").fit(X, y).decision_function(X), expected)


def test_new_points_use_the_factors_of_the_training_points(skewed):
    X, y, _ = skewed
    model = LapRLS(balance="class-mass").fit(X, y)
    assert np.allclose(model.decision_function(X[:7]), model.decision_function(X)[:7])


def test_several_classes_approach_the_labelled_proportions():
    X, classes = load_digits(n_class=5, return_X_y=True)
    X, classes = X[:400] / 16, classes[:400]
    y = np.full(400, -1)
    for c in range(5):
        y[np.flatnonzero(classes == c)[:1]] = c

    def imbalance(balance):
        model = LapRLS(gamma_A=1e-4, gamma_I=100.0, gamma=0.05, balance=balance).fit(X, y)
        counts = np.bincount(model.transduction_, minlength=5)
        return np.abs(counts - 80).sum(), (model.transduction_ == classes).mean()

    plain, balanced = imbalance(None), imbalance("class-mass")
    assert balanced[0] <= plain[0] and balanced[1] >= plain[1]


def test_nothing_unlabelled():
    X, classes = make_moons(40, noise=0.1, random_state=0)
    model = LapSVM(balance="class-mass").fit(X, classes)
    assert (model.predict(X) == classes).mean() > 0.8


def test_unknown_rule_is_refused(skewed):
    with pytest.raises(ValueError, match="balance"):
        LapRLS(balance="mass").fit(*skewed[:2])
