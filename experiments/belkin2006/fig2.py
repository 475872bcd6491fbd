"""belkin2006 Figure 2: LapSVM on two moons, one label per class, gamma_A = 0.03125 and gamma_I = 0, 0.01, 1.

Claim: as gamma_I grows, the surface turns from that of the SVM to one that follows the moons. The drawn panels label
the point nearest to each class mean; the rows also hold random labelled points, the captions' values with the 1/n^2 of
equation 2, LapSVM without bias, and L = D - W in place of the normalised Laplacian that Remark 3 states.
"""

from experiments.belkin2006 import protocol
from experiments.belkin2006.protocol import row
from experiments.belkin2006.toys import LAPSVM, Plane, error_pct, moon_models

ID = "belkin2006_fig2"
VERSION = 2
CENTRAL, RANDOM = "central labels", "random labels"


def datasets(params):
    return {"two moons": (params["dataset"], params["options"])}


def tasks(params):
    return [{"dataset": "two moons"}]


def run_task(task, params, store):
    data = Plane(store.dataset("two moons"))
    unnormalised = params | {"graph": params["graph"] | {"laplacian": "unnormalized"}}
    rows = _rows(data, data.central_rows(), params, CENTRAL) + _rows(data, data.central_rows(), unnormalised, CENTRAL)
    for child in store.seed_sequence(task).spawn(params["n_draws"]):
        labelled = data.drawn_rows(child)
        rows += _rows(data, labelled, params, RANDOM) + _rows(data, labelled, unnormalised, RANDOM)
        rows += _rows(data, labelled, params, f"{RANDOM}, 1/n^2", scaled=True)
    return rows


def _rows(data, labelled, params, labels, scaled=False):
    y, laplacian, rows = data.partly_labelled(labelled), params["graph"]["laplacian"], []
    setting = labels if laplacian == "normalized" else f"{labels}, D - W"
    for method, bias in LAPSVM.items():
        for gamma_I, model in moon_models(data.X, y, params, scaled, bias).items():
            for part, X, truth in (("unlabelled", data.X[y == -1], data.y[y == -1]), ("new", data.X_new, data.y_new)):
                entries = {"gamma_I": gamma_I, "part": part, "labels": labels, "laplacian": laplacian}
                name = f"{setting}, gamma_I={gamma_I:g}, {part}"
                rows.append(row(method, name, "error_pct", error_pct(model, X, truth), **entries))
    return rows


def summarise(rows, params):
    return protocol.summarise(ID, rows)
