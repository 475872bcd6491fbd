"""chen2012 Table III: FACEMIT, MNIST in two tasks and extended USPS, 20 or 100 labels, ten draws.

Parameters by validation as the paper describes (:mod:`experiments.chen2012.large`): one task chooses them, one task per
draw fits and tests, also on the points of Table IV where a data set has some (``new``). Eigenfunction takes the best on
test, as the paper does. A data set's anchors, eigenfunctions and neighbour lists are computed once from all of its rows
(no labels enter), also those held out for validation. Rows "p_value, against NAME" are paired t-tests of LapESVR.

Beside the judged columns stand variants ("COLUMN, VARIANT"):

- "LapESVR, full graph": every cell is fitted to S_l, S_v and S_u together, which gives two readings: the
  cell with the smallest mean error on S_v, and the one with the smallest on S_u. A large C has nearly every point as
  a free support vector and takes most of the time. So the grid of a draw is split into ``PARTS``, one task each, and
  ``tested`` says how many draws have a part. The choice is among the cells that all draws have; rows "whole grid" are
  the choice in the draws that have all;
- "LapESVR, mu per point": the judged row's cell, its mu multiplied by the points of the validation over those of the
  test. The smoothness g'Lg sums over all points and the misfit to the labels over few, so this keeps their balance;
- "LapESVR, L + 1e-4 I", the shift of the released code (the judged 1e-6 was found by comparing Table II with print);
- "PLapSVM, check every sqrt(n)/2", the default of its authors' program, which the text says was kept; the judged rows
  are stopped as in Table II;
- "Eigenfunction, released code" (Fergus et al.): bins over the whole range, 0.1 added to the histogram, sigma = 0.2 as
  in their example, or another that the name ends with;
- "LapRLS(Linear), with bias"; "AnchorGraphReg(M), k-means on a sample" of ten points per anchor;
- AnchorGraphReg divides memberships by the masses of the classes, as its authors do. Rows "sign of f" do not:
  chen2012 says that it takes the sign of the decision function, and names no exception.
"""

import json
import math

import numpy as np
import pandas as pd
from scipy import stats

import mr
from experiments.chen2012.large import LargeSet, cpu_seconds, on_new, validate, validated
from experiments.chen2012.large_methods import METHODS, Anchors, anchors_of, n_anchors
from experiments.chen2012.protocol import best_on_test, partly_labelled, with_edges
from experiments.splits import error_pct
from experiments.tidy import tidy_row
from mr import paths

ID = "chen2012_table3"
NAMES = {"facemit": "FACEMIT", "mnist1": "MNIST1", "mnist2": "MNIST2", "extended_usps": "extended USPS"}
SETTING = "transductive, cross-validated"
FULL = "LapESVR, full graph"
PER_POINT = "LapESVR, mu per point"
RELEASED = "Eigenfunction, released code"
SIGN = "sign of f"
WHOLE = "every cell"
IN_ONE_TASK = 3  # draws whose whole grid is one task: their rows are older than the parts
SAMPLE = 10  # points per anchor that k-means sees in the variant on a sample
# Errors are shares of at least 30,000 points; conjugate gradient and single precision may move a few of them.
TOLERANCE = {"error_pct": 0.05, "new_error_pct": 0.05, "validation_error_pct": 0.1, "one_sided": 0.1,
             "n_support": float("inf")}  # fmt: skip


def datasets(params):
    found = {key: (spec["name"], spec.get("options", {})) for key, spec in params["datasets"].items()}
    new = {new_points(key): (spec["name"], spec["new"]) for key, spec in params["datasets"].items() if "new" in spec}
    return found | new


def new_points(key) -> str:
    return f"{key}, new points"


def graphs(params):
    return {key: (key, {"weights": "heat"} | spec["search"]) for key, spec in params["datasets"].items()}


def tasks(params):
    """Validation and one test per draw, or, where nothing is validated, one task for all draws; judged ones first."""
    found = [
        {"dataset": key, "method": method} | step
        for key, spec in params["datasets"].items()
        for method in params["methods"]
        if method not in spec.get("without", ())
        for step in steps(key, method, params)
    ]
    return sorted(found, key=lambda task: (task["method"] == FULL, ", " in task["method"]))


def steps(key, method, params) -> list[dict]:
    """Steps of a method on a data set, on as many draws as are tested."""
    if method == FULL:
        together = range(min(IN_ONE_TASK, params["n_runs"]))
        found = [{"step": WHOLE, "run": run} for run in together]
        for part in PARTS:
            n = draws_tested(f"{method}, {part}", key, params)
            found += [{"step": part, "run": run} for run in range(len(together), n)]
        return found
    tests = [{"step": "test", "run": run} for run in range(draws_tested(method, key, params))]
    if method == PER_POINT or not tests:
        return tests
    return [{"step": "validation"}, *tests] if method in METHODS else [{"step": "test"}]


def draws_tested(name, key, params) -> int:
    """All draws, or as many as ``tested`` has for a method (or a part of the full graph's grid) on a data set."""
    return params.get("tested", {}).get(name, {}).get(key, params["n_runs"])


def needs(task, params):
    return [validation_of(task)] if "run" in task and task["method"] != FULL else []


def validation_of(task) -> dict:
    """The task that chose the parameters of a test."""
    return {"dataset": task["dataset"], "method": machine_of(task["method"]), "step": "validation"}


def machine_of(method) -> str:
    """The entry of METHODS behind a name: variants of LapESVR that are no machines of their own share its."""
    return "LapESVR" if method in (FULL, PER_POINT) else method


def graph_of(task, key, store):
    """The graph of the whole data set, for tests of methods that use one; validation searches its few rows itself."""
    return store.graph(key) if "run" in task and METHODS[machine_of(task["method"])].uses_graph else None


def run_task(task, params, store):
    key, method = task["dataset"], task["method"]
    spec = params["datasets"][key]
    data = LargeSet(store.dataset(key), spec, graph_of(task, key, store))
    draws = list(data.draws(store.seed_sequence(task, "dataset"), params["n_runs"], params["n_validation"]))
    if task["step"] == "validation":
        return validate(data, draws, METHODS[method], params)
    if method == FULL:
        return list(full_graph(data, draws[task["run"]], params | part_of_grid(task["step"], params)))
    if method.startswith("Eigenfunction"):
        return list(_eigenfunctions(data, draws, method, params))
    new = LargeSet(store.dataset(new_points(key)), spec) if "new" in spec and method != PER_POINT else None
    if method.startswith("AnchorGraphReg"):
        return _anchors(data, new, draws, method, store.random_state(task, "dataset", "method"))
    draw, cell = draws[task["run"]], validated(store.rows(validation_of(task)))
    if method == PER_POINT:
        cell["mu"] *= (len(draw[0]) + len(draw[1])) / (len(draw[0]) + len(draw[2]))
    return test_draw(data, draw, METHODS[machine_of(method)], cell, new)


def test_draw(data, draw, method, cell, new=None) -> list[dict]:
    """Error on S_u and CPU seconds of training, with the validated parameters; the same model on new points."""
    labelled, _, rest = draw
    part = data.part(labelled, rest)
    if method.uses_graph:
        part.graph  # noqa: B018  built outside of the clock, as the paper does
    machine, seconds = cpu_seconds(lambda: method.machine(part, cell))
    decide = method.decide(machine, part)
    found = part.scores(decide(part.X)) | {"parameters": json.dumps(cell), "train_seconds": seconds}
    if hasattr(machine, "n_support_"):
        found["n_support"] = int(np.sum(machine.n_support_))
    return [found if new is None else found | on_new(decide, new)]


def _up_to_1(values) -> list:
    return [value for value in values if value <= 1]


def _above_1(values) -> list:
    return [value for value in values if value > 1]


PARTS = {"small C": (_up_to_1, _up_to_1), "small C, large mu": (_up_to_1, _above_1), "large C": (_above_1, list)}
"""Parts of the full graph's grid: which of the values of C and of mu they have."""


def part_of_grid(step, params) -> dict:
    """The lists of a part of the full graph's grid."""
    whole = lists(FULL, params)
    of_C, of_mu = PARTS.get(step, (list, list))
    return whole | {"C": of_C(whole["C"]), "mu": of_mu(whole["mu"])}


def full_graph(data, draw, params):
    """Cells of LapESVR fitted to S_l, S_v and S_u together: errors on S_v and on S_u."""
    labelled, validation, rest = draw
    part = data.part(labelled, np.concatenate([validation, rest]))
    for cell, values in METHODS["LapESVR"].grid(part, params):
        wrong = (np.ravel(values) > 0) != (data.y > 0)
        yield part.scores(values) | {
            "parameters": json.dumps(cell), "validation_error_pct": 100.0 * float(wrong[validation].mean()),
            "error_pct": 100.0 * float(wrong[rest].mean()),
        }  # fmt: skip


def _anchors(data, new, draws, method, seed):
    """Weights of the points are computed outside of the clock of training."""
    X = data.points()
    centres = anchors_of(X, n_anchors(method), seed, SAMPLE if method.endswith("on a sample") else None)
    anchors = Anchors(X, centres, None if new is None else new.points())
    found = []
    for run, (labelled, _, rest) in enumerate(draws):
        part = data.part(labelled, rest, stored=False)
        path = anchors.path(np.sort(np.concatenate([labelled, rest])))
        for normalize in (True, False):
            cell = {"normalize": normalize}
            fit, seconds = cpu_seconds(lambda path=path, part=part, cell=cell: path.fit(part.labels, **cell))
            row = part.scores(fit.values) | {"run": run, "parameters": json.dumps(cell), "train_seconds": seconds}
            if new is not None:
                row |= on_new(lambda _, fit=fit: fit.new_values[:, 0], new, whole=True)
                row["test_seconds"] += anchors.seconds
            found.append(row)
    return found


def _eigenfunctions(data, draws, method, params):
    """All cells on S_u; of the released code with its histogram and its sigma."""
    released = method.startswith(RELEASED)
    options = {"histogram": "whole", "smoothing": 0.1} if released else {}
    path = paths.EigenfunctionPath(mr.baselines.Eigenfunction(intercept=False, **options), data.points())
    width = _sigma(method) if released else params["width"] * path.scores[:, 0].std()
    for bins in params["n_bins"]:
        for weight in params["eigenfunction_weights"]:
            for run, (labelled, validation, _) in enumerate(draws):
                y = partly_labelled(data.y > 0, labelled)
                fit = path.fit(y, n_bins=bins, bandwidth=width, label_weight=weight)
                error = error_pct(fit.values[:, 0], data.y, np.concatenate([labelled, validation]))
                yield {"run": run, "parameters": json.dumps({"n_bins": bins, "lambda": weight}), "error_pct": error}


def _sigma(method) -> float:
    """0.2, or the number in the name of a variant, such as "..., sigma 0.5"."""
    return float(method.partition("sigma ")[2] or 0.2)


def lists(method, params) -> dict:
    """Lists of values that a method tries, by the paper's names."""
    if method.startswith("Eigenfunction"):
        return {"n_bins": params["n_bins"], "lambda": params["eigenfunction_weights"]}
    machine = METHODS.get(machine_of(method))
    return machine.lists(params) if machine else {}


def readings(method, group, params):
    """(column of the table, setting, rows of the chosen cell) of a method: its one reading, or those of FULL."""
    column, _, variant = method.partition(", ")
    if column.startswith("AnchorGraphReg"):
        for text, rows in group.groupby("parameters", sort=False):
            rules = [] if json.loads(text)["normalize"] else [SIGN]
            yield column, ", ".join([SETTING, *([variant] if variant else []), *rules]), rows
        return
    if method != FULL:
        values, best = best_on_test(group)
        yield column, f"{SETTING}, {variant}" if variant else SETTING, group[group["parameters"] == json.dumps(best)]
        return
    whole = with_whole_grid(group, params)
    parts = {"": cells_of_all_draws(group)}
    if 0 < whole["run"].nunique() < group["run"].nunique():
        parts[f", whole grid, first {whole['run'].nunique()} draws"] = whole
    for metric, name in (("validation_error_pct", "validated in the full graph"), ("error_pct", "best on S_u")):
        for words, part in parts.items():
            means = part.groupby("parameters", sort=False)[metric].mean().round(9)
            yield column, f"{SETTING}, {name}{words}", part[part["parameters"] == means.idxmin()]


def cells_of_all_draws(group):
    """Rows of the cells that no draw lacks."""
    return group[group.groupby("parameters")["run"].transform("nunique") == group["run"].nunique()]


def with_whole_grid(group, params):
    """Rows of the draws that have every cell of the full graph's grid."""
    size = math.prod(len(values) for values in lists(FULL, params).values())
    return group[group.groupby("run")["parameters"].transform("nunique") == size]


def summarise(rows, params):
    tidy, errors = [], {}
    rows = rows[rows["step"] != "validation"]
    for (dataset, method), group in rows.groupby(["dataset", "method"], sort=False):
        name, group = NAMES.get(dataset, dataset), group.assign(split=group["run"])
        for column, setting, chosen in readings(method, group, params):
            chosen = chosen.sort_values("run")
            if setting == SETTING:
                setting += unfinished(chosen, params)
            cell = _cell(chosen, group[group["run"].isin(chosen["run"])], method, params)
            errors[name, column, setting] = chosen["error_pct"].to_numpy()
            for metric in ("error_pct", "train_seconds", "n_support"):
                values = chosen[metric].dropna() if metric in chosen else []
                if len(values):
                    tidy.append(tidy_row(ID, name, column, setting, values, metric, cell, chosen))
    return pd.DataFrame(tidy + list(t_tests(errors, SETTING, ID)))


def unfinished(chosen, params) -> str:
    """What a setting adds while draws are missing: such a row stands beside the printed cell and does not judge it."""
    return "" if len(chosen) == params["n_runs"] else f", first {len(chosen)} draws"


def _cell(chosen, group, method, params) -> dict:
    """The chosen parameters and what raises flags; ``group`` has all cells of the draws."""
    tried, less = lists(method, params), []
    if method == FULL:
        among = pd.DataFrame(map(json.loads, cells_of_all_draws(group)["parameters"]))
        n_whole, n_draws = (part["run"].nunique() for part in (with_whole_grid(group, params), group))
        for name, values in tried.items():
            tried[name] = [value for value in values if value in set(among[name])]
            if len(tried[name]) < len(values):
                less.append(f"{name} above {max(tried[name]):g} in {n_whole} of {n_draws} draws")
    cell = with_edges(json.loads(chosen["parameters"].iloc[0]), tried)
    for name in ("one_sided", "majority"):
        if name in chosen and chosen[name].notna().all():
            cell[name] = round(float(chosen[name].mean()), 2)
    if method in ("LapESVR", FULL, PER_POINT):
        cell["read_from_print"] = "L + 1e-6 I"
    if len(chosen) < params["n_runs"]:
        less.append(f"{len(chosen)} of {params['n_runs']} draws")
    return cell | ({"reduced": ", ".join(less)} if less else {})


def t_tests(errors, setting, artifact):
    """Paired t-tests of LapESVR against every other column (anchor graphs by both rules), on the draws of both."""
    for (name, column, of), values in errors.items():
        ours, rule = errors.get((name, "LapESVR", setting)), of.removeprefix(setting)
        if rule not in ("", f", {SIGN}") or column == "LapESVR" or ours is None:
            continue
        n = min(len(ours), len(values))
        if n > 1:
            difference = ours[:n] - values[:n]
            p = stats.ttest_1samp(difference, 0.0).pvalue if np.ptp(difference) > 0 else 1.0
            cell = {"difference": float(difference.mean())}
            yield tidy_row(artifact, name, "LapESVR", f"{setting}, against {column}{rule}", [p], "p_value", cell)
