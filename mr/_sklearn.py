"""What the library takes from scikit-learn's private modules, all of it here: an upgrade is checked at one place.

Parameter validation and the fit context are private, but every estimator of scikit-learn is built on them. So is taking
rows out of any container, on which every search of scikit-learn is built.
"""

from sklearn.base import _fit_context as fit_context
from sklearn.utils import _safe_indexing as safe_indexing
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions
from sklearn.utils.validation import _check_sample_weight as check_sample_weight

__all__ = ["HasMethods", "Interval", "StrOptions", "check_sample_weight", "fit_context", "safe_indexing"]
