"""belkin2006 Figure 10: regularised spectral clustering of two spirals, no labels, for growing gamma.

Claim: the clusters are found, the surface is defined (and smooth) off the data, and gamma controls its ambient
smoothness: too large a gamma cuts through the clusters.

The authors' file has 194 points on two curves that are one apart, while neighbours at the outer end of a curve are 1.28
apart. So every nearest-neighbour graph joins the two spirals there. ``denser`` are the same two curves with eight times
the points, ``generated`` the spirals of ``mr.datasets``. The paper states neither the graph nor the kernel's width.
"""

import numpy as np

from experiments.belkin2006 import protocol
from experiments.belkin2006.toys import Plane, clustering_rows
from mr import datasets as mr_datasets

ID = "belkin2006_fig10"
VERSION = 2
AUTHORS, DENSER, GENERATED = "authors' 194 points", "denser", "generated"
STEPS = 97  # points of a spiral in the file, a sixteenth of half a turn apart


def datasets(params):
    return {key: (entry["name"], entry["options"]) for key, entry in params["datasets"].items()}


def tasks(params):
    return [{"dataset": key} for key in params["datasets"]]


def run_task(task, params, store):
    entry = params["datasets"][task["dataset"]]
    data = plane(task["dataset"], store.dataset(task["dataset"]), entry)
    rows = []
    for k in entry["n_neighbors"]:
        block = params | entry | {"graph": params["graph"] | {"n_neighbors": k}}
        rows += [found | {"setting": f"k={k}, {found['setting']}"} for found in clustering_rows(data, block, k=k)]
    return rows


def plane(key, dataset, entry) -> Plane:
    """Points to cluster and new ones: of the authors' curves, new points lie halfway between two neighbours."""
    if key == GENERATED:
        return Plane(dataset)
    step = 1.0 / entry["density"]
    at = np.arange(0.0, STEPS - 1 + step / 2, step)
    parts = {"train": spirals(at), "test": spirals(at[:-1] + step / 2)}
    if key == AUTHORS:
        parts["train"] = dataset.X, dataset.y
    X, y = (np.concatenate([part[i] for part in parts.values()]) for i in (0, 1))
    n = len(parts["train"][1])
    splits = {"train": np.arange(n), "test": np.arange(n, len(y))}
    return Plane(mr_datasets.Dataset(dataset.name, X, y, dataset.class_names, splits))


def spirals(at):
    """Points of both spirals of the authors' file at these numbers of steps from the outer end."""
    angle, radius = at * np.pi / 16.0, 6.5 * (104.0 - at) / 104.0
    first = np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])
    return np.concatenate([-first, first]), np.repeat([0, 1], len(at))


def summarise(rows, params):
    return protocol.summarise(ID, rows)
