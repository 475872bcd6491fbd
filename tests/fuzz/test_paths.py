"""Every path answers with finite values or refuses in words, whatever it is given."""

import pytest

from tests.fuzz.paths import PATHS, draw_path_case, warm_up_path
from tests.fuzz.profiles import short_profile
from tests.fuzz.trial import try_estimator


@pytest.mark.parametrize("path", PATHS)
def test_answers_or_refuses(path):
    faults = try_estimator(path, draw_path_case, warm_up_path, short_profile)
    assert not faults, faults
