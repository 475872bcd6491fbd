"""Failures of arithmetic in the words of the estimator that they happen to."""

from contextlib import contextmanager

import numpy as np

from mr.spectrum import EigenpairsNotFound

NOT_FINITE = ("infs or NaNs", "has a NaN entry")
"""How scipy says that a matrix is no longer finite: its checks, and its singular value decomposition."""


def as_numbers(name, values) -> np.ndarray:
    """The values of a parameter as an array of floats."""
    try:
        return np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        raise ValueError(f"{name} must hold numbers; got {values!r}.") from None


@contextmanager
def in_words(estimator):
    """Turn what linear algebra says deep inside a fit into what the caller can change; the cause stays attached."""
    try:
        yield
    except (ArithmeticError, np.linalg.LinAlgError, EigenpairsNotFound) as error:
        raise _refusal(estimator, error) from error
    except ValueError as error:
        if not any(words in str(error) for words in NOT_FINITE):
            raise
        raise _refusal(estimator, error) from error


def _refusal(estimator, error):
    return ValueError(
        f"{type(estimator).__name__} cannot be computed in double precision with these parameters on these points "
        f"({type(error).__name__} inside). Expected weights and widths of moderate size, and features of similar "
        "scale: rescale X, for example with sklearn.preprocessing.StandardScaler."
    )
