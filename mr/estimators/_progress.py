"""What an estimator tells about its progress with ``verbose=1``: lines on standard output, as scikit-learn's do."""

from numbers import Integral

from mr._sklearn import Interval
from mr.solvers.progress import silent

VERBOSE_CONSTRAINTS = {"verbose": [Interval(Integral, 0, None, closed="left"), "boolean"]}


def reporter(estimator):
    """A function that prints a line in the name of the estimator; one that does nothing if ``verbose`` is 0."""
    if not getattr(estimator, "verbose", 0):
        return silent
    return lambda text: print(f"[{type(estimator).__name__}] {text}", flush=True)
