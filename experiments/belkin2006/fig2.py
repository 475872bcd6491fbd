"""belkin2006 Figure 2: LapSVM on two moons, one label per class, gamma_A = 0.03125 and gamma_I = 0, 0.01, 1.

Claim: as gamma_I grows, the surface turns from that of the SVM to one that follows the moons. The drawn panels label
the point nearest to each class mean; the rows also hold random labelled points, and the captions' values with the 1/n^2
of equation 2.
"""

from experiments.belkin2006 import protocol
from experiments.belkin2006.protocol import row
from experiments.belkin2006.toys import Plane, error_pct, moon_models

ID = "belkin2006_fig2"


def datasets(params):
    return {"two moons": (params["dataset"], params["options"])}


def tasks(params):
    return [{"dataset": "two moons"}]


def run_task(task, params, store):
    data = Plane(store.dataset("two moons"))
    rows = _rows(data, data.central_rows(), params, "central labels")
    for child in store.seed_sequence(task).spawn(params["n_draws"]):
        labelled = data.drawn_rows(child)
        rows += _rows(data, labelled, params, "random labels")
        rows += _rows(data, labelled, params, "random labels, 1/n^2", scaled=True)
    return rows


def _rows(data, labelled, params, setting, scaled=False):
    y = data.partly_labelled(labelled)
    rows = []
    for gamma_I, model in moon_models(data.X, y, params, scaled).items():
        for part, X, truth in (("unlabelled", data.X[y == -1], data.y[y == -1]), ("new", data.X_new, data.y_new)):
            name = f"{setting}, gamma_I={gamma_I:g}, {part}"
            error = error_pct(model, X, truth)
            rows.append(row("LapSVM", name, "error_pct", error, gamma_I=gamma_I, part=part, labels=setting))
    return rows


def summarise(rows, params):
    return protocol.summarise(ID, rows)
