"""belkin2006 Table 4: Isolet, 26 letters one-versus-rest, mean of 30 labelled speakers, parameters of Figure 6.

The Laplacian is the normalised one, which Remark 3 of the paper states for all of section 5. Neighbours and weights of
edges have the defaults of the authors' MATLAB code.
"""

from experiments.belkin2006 import protocol
from experiments.belkin2006.isolet import letter_rows, tasks

__all__ = ["ID", "NAMES", "TOLERANCE", "VERSION", "datasets", "run_task", "summarise", "tasks"]

ID = "belkin2006_table4"
NAMES = {"isolet": "Isolet-26"}
TOLERANCE = protocol.SWITCHING
VERSION = {"TSVM": 2}


def datasets(params):
    return [params["dataset"]]


def run_task(task, params, store):
    return letter_rows(task, params, store)


def summarise(rows, params):
    return protocol.summarise(ID, rows, NAMES)
