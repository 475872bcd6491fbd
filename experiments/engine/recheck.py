"""Does today's code still give the committed rows? A sample is run again and compared; and whole reruns likewise.

Rows whose code or environment is no longer today's are due for a recheck, not void. Equal within the stated tolerance:
today's code is accepted and recorded in ``data/rechecks.csv``. Not equal: the artifact is named; then VERSION of the
method must rise, and its tasks run again.
"""

import math
import random
import shutil
import sys
from dataclasses import dataclass, field

import pandas as pd

from experiments.engine import paths
from experiments.engine import rows as raw
from experiments.engine.errors import TasksFailed
from experiments.engine.files import canonical, write_text
from experiments.engine.inputs import KINDS, Inputs
from experiments.engine.params import ids, load, paper_of
from experiments.engine.provenance import code_of, environment, stamp
from experiments.engine.runner import run_jobs
from experiments.engine.tasks import Planner
from experiments.tidy import to_csv_text
from mr.datasets import DataUnavailable

SECONDS = 15.0  # processor seconds per artifact; the cheapest task is run whatever it takes
FEW = 0.1  # share of rows that may differ within the tolerance when code is accepted
EQUAL = 1e-8  # relative difference up to which two numbers count as equal
FIELDS = ("artifact", "code", "environment", "commit", "date", "n_tasks", "largest_difference")


@dataclass
class Comparison:
    """Rows of one artifact, committed against computed anew."""

    equal: int = 0
    within: int = 0
    close: int = 0
    largest: float = 0.0
    differ: list[str] = field(default_factory=list)

    @property
    def moved(self) -> bool:
        """Whether too many rows differ for rounding: a flipped decision is rare, another method moves many rows.

        Columns with a tolerance of 1 or more are known to hang on the last bits and do not count.
        """
        return self.close > max(3, FEW * (self.equal + self.within))

    def add(self, old: dict, new: dict, tolerance: dict) -> None:
        """Compare two records of one task, column by column; no measurements, no columns of infinite tolerance."""
        task = canonical(old["task"])
        if old["columns"].keys() != new["columns"].keys():
            self.differ.append(f"{task}: columns {sorted(old['columns'])} became {sorted(new['columns'])}")
            return
        rows = list(zip(*old["columns"].values(), strict=True)), list(zip(*new["columns"].values(), strict=True))
        if len(rows[0]) != len(rows[1]):
            self.differ.append(f"{task}: {len(rows[0])} rows became {len(rows[1])}")
            return
        for before, after in zip(*rows, strict=True):
            self._add_row(task, dict(zip(old["columns"], before, strict=True)), after, tolerance)

    def _add_row(self, task, before: dict, after: tuple, tolerance: dict) -> None:
        states, allowed = [], []
        for (name, was), now in zip(before.items(), after, strict=True):
            if tolerance.get(name) == math.inf:  # the way to a solution, such as counts of iterations, not the solution
                continue
            numbers = all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in (was, now))
            gap = abs(was - now) if numbers else 0.0
            if was == now or (numbers and gap <= EQUAL * max(abs(was), abs(now))):
                continue
            allowed.append(tolerance.get(name, 0.0))
            states.append(numbers and gap <= allowed[-1])
            self.largest = max(self.largest, gap)
            if not states[-1]:
                self.differ.append(f"{task}: {name} {was!r} became {now!r}")
        if not states:
            self.equal += 1
        elif all(states):
            self.within, self.close = self.within + 1, self.close + (min(allowed) < 1)


def compare(artifact: str, old: dict[str, dict], new: dict[str, dict]) -> Comparison:
    """Records by key against records by key (those that both have)."""
    found, tolerance = Comparison(), getattr(load(artifact), "TOLERANCE", {})
    for key in _steady(artifact, old).keys() & new.keys():
        found.add(old[key], new[key], tolerance)
    return found


def _steady(artifact: str, records: dict[str, dict]) -> dict[str, dict]:
    """Without the tasks whose rows hang on the last bits: another machine finds others."""
    unstable = getattr(load(artifact), "unstable", lambda task: False)
    return {key: record for key, record in records.items() if not unstable(record["task"])}


def accepted() -> set[tuple[str, str, str]]:
    """(artifact, code, environment) that a recheck has found to give the committed rows."""
    return set(_log()[["artifact", "code", "environment"]].itertuples(index=False, name=None))


def reasons_due(artifact: str, records: dict[str, dict]) -> list[str]:
    """Why the rows of an artifact are due for a recheck; empty when they are not."""
    code, today = code_of(paper_of(artifact)), environment()
    if (artifact, code, today) in accepted():
        return []
    made = {(record["provenance"]["code"], record["provenance"]["environment"]) for record in records.values()}
    reasons = ["the code changed"] if any(old != code for old, _ in made) else []
    for _, old in made:
        versions = zip(_pairs(old), _pairs(today), strict=True)
        reasons += [f"{name} {was} became {now}" for (name, was), (_, now) in versions if was != now]
    return list(dict.fromkeys(reasons))


def _pairs(text: str) -> list[tuple[str, str]]:
    """``python 3.11 numpy 2.4.0`` as pairs of package and version."""
    return list(zip((words := text.split(" "))[::2], words[1::2], strict=True))


def recheck(only: list[str], everything: bool = False, seed: int | None = None) -> int:
    """Run a random sample of each due artifact's tasks and compare; 1 when something differs."""
    failed, unchecked = [], []
    for artifact in only or ids("artifacts"):
        records = raw.read_committed(artifact)
        due = reasons_due(artifact, records)
        if not records or not (due or everything):
            continue
        print(f"{artifact}: due for a recheck ({', '.join(due) or 'asked for'})")
        try:
            outcome, n_tasks = _sample(artifact, records, seed)
        except DataUnavailable as error:
            print(f"  cannot be rechecked here: {str(error).splitlines()[0]}")
            unchecked.append(artifact)
            continue
        if outcome.moved:
            outcome.differ.append(f"{outcome.within} rows moved within the tolerance: too many for rounding")
        if outcome.differ:
            failed.append(artifact)
            print(*(f"  {line}" for line in outcome.differ[:5]), f"  {len(outcome.differ)} differences", sep="\n")
            continue
        print(f"  {n_tasks} of {len(records)} tasks: {outcome.equal} rows equal, {outcome.within} within the tolerance")
        _accept(artifact, n_tasks, outcome.largest)
    if unchecked:
        print(f"recheck: no data here for {', '.join(unchecked)}")
    if failed:
        print(f"recheck: FAILED for {', '.join(failed)}. If the change is meant, raise VERSION of what it touches, and "
              "run these artifacts again: python -m experiments run ID", file=sys.stderr)  # fmt: skip
        return 1
    print("recheck: today's code gives the committed rows" if not unchecked else "recheck: incomplete")
    return 0


def _sample(artifact: str, records: dict, seed) -> tuple[Comparison, int]:
    """Inputs looked at afresh, then tasks at random until the budget of seconds is spent."""
    cache = paths.cache_dir() / "recheck"
    inputs = Inputs(trust=False, cache=cache)
    planner = Planner("paper", inputs)
    jobs = {canonical(job.task): job for job in planner.jobs(artifact)}
    if planner.missing[artifact]:
        raise DataUnavailable(f"no data for {', '.join(planner.missing[artifact])}")
    outcome = Comparison()
    for kind in KINDS:
        for name, entry in inputs.found[kind].items():
            known = inputs.known[kind].get(name)
            if known and known["sha256"] != entry["sha256"]:
                outcome.differ.append(f"content of {kind} {name} changed")
    if outcome.differ:
        return outcome, 0
    order = random.Random(seed).sample(steady := list(_steady(artifact, records).values()), len(steady))
    chosen, spent = [], 0.0
    for record in order:
        if spent + record["provenance"]["seconds"] <= SECONDS:
            chosen.append(record)
            spent += record["provenance"]["seconds"]
    chosen = chosen or [min(order, key=lambda record: record["provenance"]["seconds"])]
    wanted = [jobs[canonical(record["task"])] for record in chosen if canonical(record["task"]) in jobs]
    shutil.rmtree(cache / "journal", ignore_errors=True)
    done = run_jobs(wanted, "paper", inputs, folder="recheck/journal", committed=False)
    old, new = ({canonical(record["task"]): record for record in kept} for kept in (chosen, done.values()))
    found = compare(artifact, old, new)
    if not found.equal + found.within + len(found.differ):
        raise TasksFailed(f"{artifact}: nothing could be compared; its committed rows belong to other tasks")
    return found, len(wanted)


def _log() -> pd.DataFrame:
    path = paths.data_file("rechecks.csv")
    return pd.read_csv(path, dtype=str) if path.exists() else pd.DataFrame(columns=FIELDS)


def _accept(artifact: str, n_tasks: int, largest: float) -> None:
    """Record that today's code gives these rows: one line per artifact, the latest."""
    row = stamp(paper_of(artifact)) | {"artifact": artifact, "n_tasks": n_tasks, "largest_difference": f"{largest:.3g}"}
    log = pd.concat([_log().query("artifact != @artifact"), pd.DataFrame([row])[list(FIELDS)]])
    write_text(paths.data_file("rechecks.csv"), to_csv_text(log.sort_values("artifact")))
