"""Every other estimator predicts or refuses in words, whatever it is given (two files, so that two workers share)."""

import pytest

from tests.estimators_list import ESTIMATORS
from tests.fuzz.trial import try_estimator


@pytest.mark.parametrize("estimator", ESTIMATORS[1::2])
def test_predicts_or_refuses(estimator):
    faults = try_estimator(estimator)
    assert not faults, faults
