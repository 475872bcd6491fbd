"""belkin2006 Figure 6: Isolet, letters 1-13 against 14-26, one speaker of isolet1 labelled, 30 problems; isolet5 tests.

Claims: Laplacian machines beat inductive ones and TSVM on the unlabelled speakers of the same group, over all choices
of the labelled speaker; on the new group the gain is smaller but consistent.
"""

from experiments.belkin2006 import protocol
from experiments.belkin2006.isolet import half_rows, tasks

__all__ = ["ID", "NAMES", "TOLERANCE", "datasets", "run_task", "summarise", "tasks"]

ID = "belkin2006_fig6"
NAMES = {"isolet": "Isolet-2"}
TOLERANCE = protocol.SWITCHING


def datasets(params):
    return [params["dataset"]]


def run_task(task, params, store):
    return half_rows(task, params, store, experiment=1)


def summarise(rows, params):
    return protocol.summarise(ID, rows, NAMES)
