"""What Figures 2 and 3 share: one task per draw, with a subset, centres and labels of its own, and the stated grid."""

import json

import numpy as np

from experiments.zhang2015 import protocol as zhang2015
from experiments.zhang2015.methods import Points
from experiments.zhang2015.sweep import EACH, ONCE, chosen

METHOD = "PVM(sqr)"


def labelled(task, value, y, labels_per_class, params, store):
    """The labelled set of one draw; ``value`` tells the settings of a figure apart."""
    seed = store.seed_sequence(task | {"value": value}, "dataset", "draw", "value")
    return zhang2015.Draw(y, labels_per_class, params["n_folds"], seed)


def seen_by_prototypes(X, params, seed) -> Points:
    """Points and k-means centres in fewer coordinates, with the same distances between any two of them that PVM sees.

    PVM knows a point by its distances to the m centres. So the coordinates within the affine span of the centres and
    the distance from that span, m in all, replace the d pixels. Nothing is approximated.
    """
    points = Points(X, params, seed)
    centres, n_pixels = points.centres, X.shape[1]
    if len(centres) >= n_pixels:
        return points
    origin = centres.mean(axis=0)
    axes = np.linalg.svd(centres - origin, full_matrices=False)[2][: len(centres) - 1].T
    inside = (X - origin) @ axes
    away = np.square(X - origin).sum(axis=1) - np.square(inside).sum(axis=1)
    found = Points(np.column_stack([inside, np.sqrt(np.maximum(away, 0.0))]), params, seed)
    found.centres = np.column_stack([(centres - origin) @ axes, np.zeros(len(centres))])
    return found


def error_rows(artifact, dataset, setting, rows, reduced="") -> list[dict]:
    """Tidy rows of one point of a curve, for both rules; edges of the grid are those of the choice."""
    tidy, ends = [], {name: (rows[name].min(), rows[name].max()) for name in ("C1", "width_index")}
    for rule in (ONCE, EACH):
        group = chosen(rows, rule)
        usual = {name: group[name].mode().iloc[0] for name in ends}
        edge = [name.removesuffix("_index") for name, value in usual.items() if value in ends[name]]
        parameters = {"C1": float(usual["C1"]), "width": round(float(np.median(group["width"])), 6)}
        parameters |= {"edge": edge} if edge else {}
        parameters |= {"reduced": reduced} if reduced else {}
        name = setting if rule == ONCE else f"{setting}, {EACH}"
        values = group["error_pct"]
        tidy.append(zhang2015.row(artifact, dataset, METHOD, name, "error_pct", values, group, json.dumps(parameters)))
    return tidy
