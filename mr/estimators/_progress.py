"""What an estimator tells about its progress with ``verbose=1``: lines on standard output, as scikit-learn's do."""

from numbers import Integral

from mr._sklearn import Interval

VERBOSE_CONSTRAINTS = {"verbose": [Interval(Integral, 0, None, closed="left"), "boolean"]}


def reporter(estimator):
    """A function that prints a line for the estimator, or None if it is silent."""
    if not estimator.verbose:
        return None
    return lambda text: print(f"[{type(estimator).__name__}] {text}", flush=True)
