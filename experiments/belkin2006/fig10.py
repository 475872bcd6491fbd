"""belkin2006 Figure 10: regularised spectral clustering of two spirals, no labels, for growing gamma.

Claim: the clusters are found, the surface is defined (and smooth) off the data, and gamma controls its ambient
smoothness: too large a gamma cuts through the clusters.
"""

from experiments.belkin2006 import protocol
from experiments.belkin2006.toys import Plane, clustering_rows

ID = "belkin2006_fig10"


def datasets(params):
    return {"two spirals": (params["dataset"], params["options"])}


def tasks(params):
    return [{"dataset": "two spirals"}]


def run_task(task, params, store):
    return clustering_rows(Plane(store.dataset("two spirals")), params)


def summarise(rows, params):
    return protocol.summarise(ID, rows)
