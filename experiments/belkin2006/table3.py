"""belkin2006 Table 3: USPS test digits, one-versus-rest, 50 labels, the 10 splits of Chapelle and Zien (2005).

The paper prints neither parameters nor graph here. We take those of Sindhwani, Niyogi and Belkin (ICML 2005), to which
it refers for this data set: Gaussian of width 9.4, ten neighbours, L^2, a = 1e-6, b = 1e-2. Weights of edges are open:
binary.
"""

from experiments.belkin2006 import protocol as belkin2006
from experiments.belkin2006.protocol import Machines, grouped_tasks, kernel_of, multiclass_pct, one_versus_rest, others, row
from experiments.splits import labelled_sets

ID = "belkin2006_table3"
NAMES = {"uspst": "USPS-test-multiclass"}
SETTING = "one-vs-rest, l=50, u=1957, 10 splits"


def datasets(params):
    return [params["dataset"]]


def graphs(params):
    return {params["dataset"]: (params["dataset"], params["graph"])}


def tasks(params):
    return grouped_tasks(params["dataset"], params, params["n_splits"])


def run_task(task, params, store):
    data = store.dataset(task["dataset"])
    splits = labelled_sets(data, params["n_labelled"], params["n_splits"], store.seed_sequence(task, "dataset"))
    laplacian = any("b" in params["methods"][method] for method in task["methods"])
    machines = Machines(
        kernel_of(params["kernel"], data.X)(data.X), store.graph(task["dataset"]) if laplacian else None
    )
    rows = []
    for split in range(*task["units"]):
        labelled = splits[split]
        unlabelled = others(len(data.y), labelled)
        targets = one_versus_rest(data.y[labelled], data.n_classes)
        for method in task["methods"]:
            values, _ = machines.values(method, params["methods"][method], labelled, targets)
            error = multiclass_pct(values[unlabelled], data.y[unlabelled])
            rows.append(row(method, SETTING, "error_pct", error, **params["methods"][method]))
    return rows


def summarise(rows, params):
    return belkin2006.summarise(rows, NAMES)
