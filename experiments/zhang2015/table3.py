"""zhang2015 Table III: errors on the unlabelled points, 14 data sets, 9 methods, 30 draws, 5-fold cross-validation.

Rows with the paper's setting have parameters chosen once per data set, those with ``EACH_SETTING`` draw by draw (see
:mod:`experiments.zhang2015.sweep`). Every draw has k-means centres or a random subset of its own, every method the
stated grid of widths and weights. LapSVMp expands over 1000 k-means centres beyond 4000 points (flag ``reduced``).

Variants are rows of the same methods by other conventions (:data:`experiments.zhang2015.methods.VARIANTS`), and of
other readings of a data set: SEGMENT and SATIMAGE without scaling, SPLICE with all 3186 points that the DNA file has of
it. A reading of a data set is joined with the main rows of the other data sets, so that it stands for a whole column.
"""

import time

from experiments.zhang2015 import protocol as zhang2015
from experiments.zhang2015.methods import LITERAL, VARIANTS
from experiments.zhang2015.sweep import BEST, EACH, ONCE, sweep

ID = "zhang2015_table3"
NAMES = zhang2015.NAMES
SETTING = "unlabelled, 30 runs, 5-fold CV"
EACH_SETTING = f"{SETTING} {EACH}"
BEST_SETTING = f"{SETTING}, {BEST}"
READINGS = {
    "SEGMENT and SATIMAGE unscaled": ("segment_raw", "satimage_raw"),
    "SPLICE with 3186 points": ("splice_all",),
}
datasets = zhang2015.datasets
tasks = zhang2015.sweep_tasks


def run_task(task, params, store):
    """Errors of one method on one data set, at parameters chosen by both rules, and at the best cell on test."""
    X, y = zhang2015.points(store, task["dataset"])
    draws = list(zhang2015.draws(y, params, store, task, range(zhang2015.n_draws(task, params))))
    start = time.process_time()
    widths = zhang2015.widths(X, params, literal=task["method"].endswith(LITERAL))
    rows = sweep(task["method"], X, draws, widths, params,
                 lambda number: zhang2015.centre_seed(task, number, params, store))  # fmt: skip
    seconds = (time.process_time() - start) / len(draws)
    return [row | {"cpu_seconds": seconds} for row in rows]


def summarise(rows, params, artifact=ID, setting=SETTING):
    """Mean and standard deviation over the draws, for both rules, the best cell on test, variants and readings."""
    main, _, variant = (rows["method"].str.partition(", ")[i] for i in range(3))
    rows = rows.assign(method=main, variant=variant)
    read = rows["dataset"].isin([key for keys in READINGS.values() for key in keys])
    plain, once = rows["variant"] == "", rows["rule"] == ONCE
    tidy = zhang2015.error_rows(artifact, rows[once & plain & ~read], setting)
    tidy += zhang2015.error_rows(artifact, rows[(rows["rule"] == EACH) & plain & ~read], f"{setting} {EACH}")
    tidy += zhang2015.error_rows(artifact, rows[(rows["rule"] == BEST) & plain & ~read], f"{setting}, {BEST}")
    for name, meaning in VARIANTS.items():
        tidy += zhang2015.error_rows(artifact, rows[once & (rows["variant"] == name) & ~read], f"{setting}, {meaning}")
    for meaning, keys in READINGS.items():
        for name in ("", *VARIANTS):
            called = f"{setting}, {VARIANTS[name]}, {meaning}" if name else f"{setting}, {meaning}"
            tidy += zhang2015.error_rows(artifact, read_as(rows[once & (rows["variant"] == name)], keys), called)
    main = rows[once & plain & ~read]
    for method in sorted(set(main["method"]) - {"SVM"}):
        tidy += paired_rows(artifact, main, "method", (method, "SVM"), f"{setting}, minus SVM")
    hinge = rows[once & ~read & (rows["method"] == "PVM(hinge)")]
    for S in ("", "(14) "):
        tidy += paired_rows(artifact, hinge, "variant", (f"{S}C2 K_v", S.strip()), f"{setting}, {S}C2 K_v minus C2 = 0")
    return zhang2015.frame(tidy)


def read_as(rows, keys):
    """Rows of other readings of some data sets, with those of the other data sets; of methods that have both."""
    other = rows["dataset"].isin(keys)
    replaced, readings = {NAMES[key] for key in keys}, {key for several in READINGS.values() for key in several}
    kept = ~rows["dataset"].replace(NAMES).isin(replaced) & ~rows["dataset"].isin(readings)
    return rows[(other | kept) & rows["method"].isin(rows.loc[other, "method"])]


def paired_rows(artifact, rows, column, pair, setting) -> list[dict]:
    """Error of the first entry of a column minus that of the second on the same draws: what a paired t-test needs."""
    tidy = []
    for dataset, group in rows[rows[column].isin(pair)].groupby("dataset", sort=False):
        wide = group.pivot(index="draw", columns=column, values="error_pct")
        if set(pair) <= set(wide):
            method = group.loc[group[column] == pair[0], "method"].iloc[0]
            values = wide[pair[0]] - wide[pair[1]]
            tidy.append(zhang2015.row(artifact, dataset, method, setting, "difference", values, group))
    return tidy
