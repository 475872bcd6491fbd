"""belkin2006 Figure 9: regularised spectral clustering of two moons, no labels, for growing gamma.

Claim: the clusters are found, the surface is defined (and smooth) off the data, and gamma controls its ambient
smoothness: too large a gamma cuts through the clusters.
"""

from experiments.belkin2006 import protocol
from experiments.belkin2006.toys import Plane, clustering_rows

ID = "belkin2006_fig9"


def datasets(params):
    return {"two moons": (params["dataset"], params["options"])}


def tasks(params):
    return [{"dataset": "two moons"}]


def run_task(task, params, store):
    return clustering_rows(Plane(store.dataset("two moons")), params)


def summarise(rows, params):
    return protocol.summarise(ID, rows)
