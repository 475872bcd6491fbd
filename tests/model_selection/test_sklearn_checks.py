"""scikit-learn's checks of the search that wraps any estimator; those of LapRLSCV's kin run with the estimators."""

import warnings

from sklearn.utils.estimator_checks import parametrize_with_checks

import mr
from mr.model_selection import TransductiveSearchCV

SEARCHES = [
    TransductiveSearchCV(machine(graph_weight=1.0), {"gamma_A": [0.1, 0.01]}, cv=2, error_score="raise")
    for machine in (mr.LapRLS, mr.LapRLSRegressor)
]


def expected_failures(search):
    if not isinstance(search.estimator, mr.LapRLS):
        return {}
    return {"check_classifiers_classes": "its last step uses -1 as a class, which marks unlabelled points here"}


@parametrize_with_checks(SEARCHES, expected_failed_checks=expected_failures)
def test_sklearn_compatible(estimator, check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check(estimator)
