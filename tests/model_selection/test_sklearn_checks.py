"""scikit-learn's checks of the search that wraps any estimator; those of LapRLSCV's kin run with the estimators."""

import warnings

from sklearn.utils.estimator_checks import parametrize_with_checks

import mr
from mr.model_selection import TransductiveSearchCV
from tests.estimators_list import ROWS_STAY, SIGNED_CLASSES

SEARCHES = [
    TransductiveSearchCV(machine(graph_weight=1.0), {"gamma_A": [0.1, 0.01]}, cv=2, error_score="raise")
    for machine in (mr.LapRLS, mr.LapRLSRegressor)
]


def expected_failures(search):
    """Repeated points change the graph, for any search over machines with one; see tests/estimators/test_common.py."""
    if not isinstance(search.estimator, mr.LapRLS):
        return ROWS_STAY
    return ROWS_STAY | SIGNED_CLASSES


@parametrize_with_checks(SEARCHES, expected_failed_checks=expected_failures)
def test_sklearn_compatible(estimator, check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check(estimator)
