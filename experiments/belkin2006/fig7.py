"""belkin2006 Figure 7, experiment 2: Isolet with training and test utterances of the same speakers (isolet1).

Claim: errors on the test set and on the unlabelled set are highly correlated when both come from the same speakers. The
figure's experiment 1 are the rows of ``belkin2006_fig6``.
"""

from experiments.belkin2006 import protocol
from experiments.belkin2006.isolet import half_rows, tasks

__all__ = ["ID", "NAMES", "datasets", "run_task", "summarise", "tasks"]

ID = "belkin2006_fig7"
NAMES = {"isolet": "Isolet-2"}


def datasets(params):
    return [params["dataset"]]


def run_task(task, params, store):
    return half_rows(task, params, store, experiment=2)


def summarise(rows, params):
    return protocol.summarise(ID, rows, NAMES)
