"""belkin2006 Table 4: Isolet, 26 letters one-versus-rest, mean of 30 labelled speakers, parameters of Figure 6."""

from experiments.belkin2006 import protocol as belkin2006
from experiments.belkin2006.isolet import multiclass_rows, tasks

__all__ = ["ID", "NAMES", "datasets", "run_task", "summarise", "tasks"]

ID = "belkin2006_table4"
NAMES = {"isolet": "Isolet-26"}


def datasets(params):
    return [params["dataset"]]


def run_task(task, params, store):
    return multiclass_rows(task, params, store, experiment=1)


def summarise(rows, params):
    return belkin2006.summarise(rows, NAMES)
