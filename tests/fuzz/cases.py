"""Cases of an estimator."""

from random import Random

from sklearn.utils.validation import has_fit_parameter

from tests.estimators_list import CLASSIFIERS, REGRESSORS
from tests.fuzz.labels import WEIGHTS, draw_labels, draw_targets
from tests.fuzz.parameters import draw_parameters
from tests.fuzz.points import draw_points, mostly
from tests.fuzz.rule import Case

WILD = ("points", "labels", "parameters", "parameters", "points labels parameters")
"""What goes beyond the usual: mostly one thing, so that the others let it through to the depth of the solvers."""


def draw_case(estimator, number) -> Case:
    """The case with this number.

    hypothesis draws the number, and everything follows from it. With a draw of its own for every field, most examples
    would be mutations of each other: 274 of 500 had n = 12, and 452 the scale 1.
    """
    rng = Random(number)
    wild = rng.choice(WILD).split()
    weighted = has_fit_parameter(estimator, "sample_weight")
    answers = draw_labels if estimator in CLASSIFIERS else draw_targets if estimator in REGRESSORS else None
    return Case(
        estimator=estimator,
        parameters=draw_parameters(rng, estimator, "parameters" in wild),
        points=draw_points(rng, "points" in wild),
        labels=answers(rng, "labels" in wild) if answers else None,
        new_form=rng.choice(["dense", "csr"]),
        weights=rng.choice([None, *WEIGHTS]) if weighted and "labels" in wild else None,
        factor=mostly(rng, 2.0, -1e3, 1e20, 1e100, 1e150, 1e-200) if "points" in wild else 2.0,
    )
