"""What the library takes from scikit-learn's private modules, all of it here: an upgrade is checked at one place.

Parameter validation and the fit context are private, but every estimator of scikit-learn is built on them. So is taking
rows out of any container, on which every search of scikit-learn is built.
"""

import sys
from functools import wraps
from numbers import Integral

from sklearn.base import _fit_context as fit_context
from sklearn.utils import _safe_indexing as safe_indexing
from sklearn.utils import check_array as _check_array
from sklearn.utils._param_validation import HasMethods, StrOptions, validate_parameter_constraints
from sklearn.utils._param_validation import Interval as _Interval
from sklearn.utils.validation import _check_sample_weight
from sklearn.utils.validation import validate_data as _validate_data

__all__ = [
    "HasMethods",
    "Interval",
    "StrOptions",
    "check_array",
    "check_sample_weight",
    "fit_context",
    "safe_indexing",
    "validate_data",
    "validate_parameter_constraints",
]

LARGEST_INTEGER = 2**63 - 1


def _in_doubles(check):
    """A check of numbers that says what was expected where an integer of Python is beyond the largest double."""

    @wraps(check)
    def checked(*arguments, **options):
        try:
            return check(*arguments, **options)
        except OverflowError as error:
            raise ValueError(
                "Expected numbers that double precision can hold, up to 1.8e308 in size; got a larger integer."
            ) from error

    return checked


check_array, check_sample_weight, validate_data = map(_in_doubles, (_check_array, _check_sample_weight, _validate_data))


class Interval(_Interval):
    """scikit-learn's interval without numbers that compiled code cannot hold, and without True and False.

    An integer of Python has any size: as a count it must fit into 64 bits, as a real number into a double.
    """

    def is_satisfied_by(self, val):
        """Whether the value is a number of the interval's type, inside it."""
        if isinstance(val, bool):
            return False
        largest = LARGEST_INTEGER if self.type is Integral else sys.float_info.max
        if isinstance(val, Integral) and abs(int(val)) > largest:
            return False
        return super().is_satisfied_by(val)

    def __str__(self):
        words = super().__str__()
        return words.replace("inf)", "2**63)") if self.type is Integral else words
