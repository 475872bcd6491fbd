"""What the library takes from scikit-learn's private modules, all of it here: an upgrade is checked at one place.

Parameter validation and the fit context are private, but every estimator of scikit-learn is built on them. So is taking
rows out of any container, on which every search of scikit-learn is built.
"""

import sys
from numbers import Integral

from sklearn.base import _fit_context as fit_context
from sklearn.utils import _safe_indexing as safe_indexing
from sklearn.utils._param_validation import HasMethods, StrOptions, validate_parameter_constraints
from sklearn.utils._param_validation import Interval as _Interval
from sklearn.utils.validation import _check_sample_weight as check_sample_weight

__all__ = [
    "HasMethods",
    "Interval",
    "StrOptions",
    "check_sample_weight",
    "fit_context",
    "safe_indexing",
    "validate_parameter_constraints",
]

LARGEST_INTEGER = 2**63 - 1


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
