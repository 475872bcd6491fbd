"""Do the committed results belong to the committed rows, parameters and versions? Without data, in seconds.

From the raw rows every summary, verdict and claim is made again and compared with the committed file, byte by byte;
figures and executed notebooks are compared with the hashes in ``dvc.lock``. Nothing is written.
"""

import hashlib
import sys

import yaml

from experiments.engine import paths
from experiments.engine import rows as raw
from experiments.engine.errors import UsageError
from experiments.engine.inputs import Inputs
from experiments.engine.params import ids
from experiments.engine.recheck import reasons_due
from experiments.engine.summary import due, render_summary
from experiments.engine.tasks import Planner


def verify() -> int:
    """Print what does not belong together; 0 when everything does."""
    from experiments.scoreboard import render_all

    planner, problems, waiting = Planner("paper", Inputs()), [], []
    for artifact in ids("artifacts"):
        try:
            problems += _artifact(artifact, planner, waiting)
        except UsageError as error:
            problems.append(str(error))
    problems += _due()
    try:
        problems += [_differs(path, text) for path, text in render_all().items() if _differs(path, text)]
    except UsageError as error:
        problems.append(str(error))
    problems += _locked()
    for problem in dict.fromkeys(problems):
        print(problem)
    if problems:
        print("verify: FAILED. `dvc repro` makes summaries, scoreboard, figures and notebooks again; "
              "`python -m experiments run ID` the rows that are missing", file=sys.stderr)  # fmt: skip
        return 1
    print(f"verify: rows, results, scoreboard, figures and notebooks of {len(ids())} artifacts belong together")
    print(f"{len(ids('due'))} of them await a new protocol (data/due.csv); their results stand without raw rows")
    if waiting:
        print(f"due for a recheck (make recheck, needs the data): {', '.join(waiting)}")
    return 0


def _artifact(artifact: str, planner: Planner, waiting: list[str]) -> list[str]:
    records = raw.read_committed(artifact)
    name = paths.shown(paths.runs_file(artifact))
    expected = {job.key for job in planner.jobs(artifact)}
    if not expected <= records.keys():
        return [f"{name}: rows of {len(expected - records.keys())} tasks are missing"]
    problems = []
    if records.keys() - expected:
        problems.append(f"{name}: {len(records.keys() - expected)} records belong to no task of today's parameters")
    if reasons_due(artifact, records):
        waiting.append(artifact)
    problem = _differs(paths.results_file(artifact), render_summary(artifact, "paper", list(records.values())))
    return problems + ([problem] if problem else [])


def _due() -> list[str]:
    """Results without raw rows must be the recorded ones."""
    recorded, problems = due(), []
    for artifact in ids("due"):
        file = paths.results_file(artifact)
        if artifact not in recorded:
            problems.append(f"data/due.csv has no line for {artifact}, which params.yaml lists under `due`")
        elif not file.exists() or hashlib.sha256(file.read_bytes()).hexdigest() != recorded[artifact]["sha256"]:
            problems.append(f"{paths.shown(file)} is not the file that data/due.csv records")
    return problems


def _locked() -> list[str]:
    """Figures and executed notebooks against the hashes recorded when the pipeline made them."""
    lock = paths.ROOT / "dvc.lock"
    stages = (yaml.safe_load(lock.read_text(encoding="utf-8")) or {}).get("stages", {}) if lock.exists() else {}
    outs = {out["path"]: out["md5"] for stage in stages.values() for out in stage.get("outs", [])}
    notebooks = {path: md5 for path, md5 in outs.items() if path.startswith("notebooks/")}
    problems = [] if notebooks else ["dvc.lock records no executed notebook; run: dvc repro"]
    for path, md5 in notebooks.items():
        file = paths.ROOT / path
        if not file.exists() or hashlib.md5(file.read_bytes(), usedforsecurity=False).hexdigest() != md5:
            problems.append(f"{path} is not what the pipeline made (dvc.lock)")
    for folder in (paths.ROOT / path for path in outs if path.startswith("figures/")):
        listed = (folder / "SHA256SUMS").read_text().split() if (folder / "SHA256SUMS").exists() else []
        hashes = dict(zip(listed[1::2], listed[::2], strict=True))
        files = {file.name for file in folder.glob("*") if file.name != "SHA256SUMS"}
        for name in sorted(hashes.keys() | files):
            file = folder / name
            if not file.exists() or hashlib.sha256(file.read_bytes()).hexdigest() != hashes.get(name):
                problems.append(f"{paths.shown(file)} is not what the pipeline made (SHA256SUMS)")
    return problems


def _differs(path, text: str) -> str:
    if not path.exists():
        return f"{paths.shown(path)} is missing"
    if path.read_bytes() != text.encode():
        return f"{paths.shown(path)} does not follow from the raw rows"
    return ""
