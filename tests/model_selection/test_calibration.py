"""One temperature for all probabilities."""

import numpy as np
import pytest
from scipy.optimize import brute
from scipy.special import expit, log_softmax

from mr.model_selection.calibration import SPREAD, fit_temperature, probabilities

rng = np.random.default_rng(0)


def signed(codes, k):
    return np.where(codes[:, None] == np.arange(k), 1.0, -1.0)[:, (1 if k == 2 else 0) :]


@pytest.mark.parametrize("k", [2, 4])
def test_it_has_the_least_penalised_log_loss(k):
    codes = rng.integers(k, size=30)
    targets = signed(codes, k)
    values = 0.3 * targets + 0.2 * rng.normal(size=targets.shape)
    size = np.sqrt(np.square(values).mean())

    def loss(power):
        a = np.exp(power[0]) / size
        if k == 2:
            likely = -np.log(expit(2 * a * values[:, 0] * targets[:, 0])).sum()
        else:
            likely = -log_softmax(a * values, axis=1)[np.arange(30), codes].sum()
        return likely + 0.5 * (power[0] / SPREAD) ** 2

    best = brute(loss, [(-5, 5)], Ns=2001)
    assert np.isclose(fit_temperature(values, targets), np.exp(best[0]) / size, rtol=1e-2)


def test_probabilities_are_right_on_average():
    """Values whose log odds are known: many labels find the temperature that generated them."""
    f = rng.normal(size=(4000, 1))
    codes = (rng.uniform(size=4000) < expit(2 * 1.7 * f[:, 0])).astype(int)
    assert np.isclose(fit_temperature(f, signed(codes, 2)), 1.7, rtol=0.08)


@pytest.mark.parametrize("scale", [1e-8, 1.0, 1e8])
def test_the_scale_of_values_does_not_matter(scale):
    targets = signed(rng.integers(3, size=20), 3)
    values = targets + rng.normal(size=targets.shape)
    ratio = fit_temperature(scale * values, targets) * scale / fit_temperature(values, targets)
    assert np.isclose(ratio, 1.0, rtol=1e-3)


def test_separated_and_contradicted_labels_give_finite_temperatures():
    targets = signed(np.repeat([0, 1], 10), 2)
    right, wrong = fit_temperature(targets, targets), fit_temperature(-targets, targets)
    assert 1.0 < right < 20.0 and 0.01 < wrong < 1.0
    assert fit_temperature(np.zeros((20, 1)), targets) == 1.0


@pytest.mark.parametrize("k", [2, 5])
def test_the_most_probable_class_is_the_decision_even_between_equal_bits(k):
    values = rng.normal(size=(200, 1 if k == 2 else k)) * np.logspace(-30, 3, 200)[:, None]
    p = probabilities(values, 3.0)
    decided = (values[:, 0] > 0).astype(int) if k == 2 else values.argmax(axis=1)
    assert (p.argmax(axis=1) == decided).all()
    assert np.allclose(p.sum(axis=1), 1.0) and (p >= 0).all()


def test_values_that_cannot_be_computed_leave_the_temperature_at_one():
    targets = np.array([[1.0], [-1.0], [1.0]])
    for value in (np.nan, np.inf, 1e200):
        assert fit_temperature(np.array([[1.0], [-1.0], [value]]), targets) == 1.0
