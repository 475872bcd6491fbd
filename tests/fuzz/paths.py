"""Cases of the paths: a template, points, labels and the parameters of a cell."""

from dataclasses import dataclass, field
from random import Random

import numpy as np

import mr
from mr._sklearn import Interval
from mr.estimators.agmr import CELL
from mr.paths.base import UNSCALED
from tests.estimators_list import CLASSIFIERS
from tests.fuzz.cases import WILD
from tests.fuzz.labels import draw_labels, draw_targets
from tests.fuzz.parameters import _value, draw_parameters
from tests.fuzz.points import draw_points
from tests.fuzz.rule import Case

PATHS = [getattr(mr.paths, name) for name in mr.paths.__all__ if name.endswith("Path") and name != "Path"]


VARIED = {
    mr.paths.AGMRPath: CELL["entropy"],
    mr.paths.CentroidReducedPath: ("gamma_A", "gamma_I"),
    mr.paths.TSVMPath: ("gamma_A", "unlabelled_weight"),
}
"""Parameters to vary where the template decides which there are, or where most draws of one are refused."""
WIDTHS = {mr.PVM: 0.5, mr.baselines.NFI: 0.5}
"""Of templates whose own default is to choose the width, which a path refuses."""


@dataclass(frozen=True)
class PathCase(Case):
    path: type = None
    cell: dict = field(default_factory=dict)
    question: str = "fit"

    def exercise(self, model, X, y, arguments):
        path = self.path(model, X, None if self.points.seed % 2 else self.new())
        if self.question == "fit":
            answers = [path.fit(y, **self.cell).values]
        elif self.question == "held_out":
            answers = [path.held_out(y, **self.cell)]
        else:
            answers = [fit.values for _, fit in path.grid(y, **{name: [value] for name, value in self.cell.items()})]
        return None if all(np.isfinite(values).all() for values in answers) else f"{self.question} gave NaN or infinity"

    @property
    def ordinary(self):
        """A path may need numbers where the estimator chooses."""
        return False


def _names(rng, path):
    """Parameters that a cell holds: mostly one convention for the weights, as a whole."""
    known = VARIED.get(path, path.parameters)
    if rng.random() < 0.2:
        return rng.sample(path.parameters or known, rng.randint(1, min(3, len(path.parameters or known))))
    if "smoothness" in known:
        return rng.choice([("gamma_A", "gamma_I"), ("gamma_A", "graph_weight"), ("ridge", "smoothness")])
    return [name for name in known if name != "ridge"]


def _ranges(rng, constraints):
    """Mostly numbers alone: a path needs them where an estimator chooses."""
    ranges = [constraint for constraint in constraints if isinstance(constraint, Interval)]
    return ranges if ranges and rng.random() < 0.9 else constraints


def template_class(path):
    found = path.estimator_class
    return found if isinstance(found, type) else found[0]


def draw_path_case(path, number) -> PathCase:
    """The case with this number; see :func:`tests.fuzz.cases.draw_case`."""
    rng = Random(number)
    wild = rng.choice(WILD).split()
    classes = path.estimator_class if isinstance(path.estimator_class, tuple) else (path.estimator_class,)
    estimator = rng.choice(classes)
    template = draw_parameters(rng, estimator, "parameters" in wild and rng.random() < 0.5)
    names = _names(rng, path)
    known = mr.LapRLS._parameter_constraints | UNSCALED | estimator._parameter_constraints
    constraints = {name: _ranges(rng, known[name]) for name in names}
    return PathCase(
        estimator=estimator,
        parameters=({"gamma": WIDTHS[estimator]} if estimator in WIDTHS else {}) | template,
        points=draw_points(rng, "points" in wild),
        labels=(draw_labels if estimator in CLASSIFIERS else draw_targets)(rng, "labels" in wild),
        path=path,
        cell={name: _value(rng, name, constraints[name], "parameters" in wild) for name in names},
        question=rng.choice(["fit", "held_out", "grid"]),
    )


def warm_up_path(path):
    """Compile what ordinary cases need, outside any limit."""
    from tests.fuzz.trial import warm_up

    warm_up(template_class(path))
