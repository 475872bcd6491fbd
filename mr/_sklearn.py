"""What the library takes from scikit-learn's private modules, all of it here: an upgrade is checked at one place.

Parameter validation and the fit context are private, but every estimator of scikit-learn is built on them.
"""

from sklearn.base import _fit_context as fit_context
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions
from sklearn.utils.validation import _check_sample_weight as check_sample_weight

__all__ = ["HasMethods", "Interval", "StrOptions", "check_sample_weight", "fit_context"]
