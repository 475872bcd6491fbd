"""From raw rows to ``data/results/PAPER/NAME.csv``: apart from the run, so that correcting a summary reruns nothing."""

import csv

import pandas as pd

from experiments.engine import paths
from experiments.engine import rows as raw
from experiments.engine.errors import UsageError
from experiments.engine.files import write_text
from experiments.engine.inputs import Inputs
from experiments.engine.params import block, ids, load
from experiments.engine.tasks import Planner
from experiments.tidy import COLUMNS, NO_DATA, tidy, to_csv_text


def due() -> dict[str, dict]:
    """Artifacts whose committed results await a new protocol: hash of their file, and the reason."""
    path = paths.ROOT / "data" / "due.csv"
    with open(path, newline="", encoding="utf-8") as handle:
        return {row["artifact"]: row for row in csv.DictReader(handle)}


def write_summary(artifact: str, profile: str, records: list[dict] | None = None) -> None:
    """Write the result file; artifacts that are due keep theirs."""
    if records is None and artifact in ids("due") and profile == "paper":
        return
    write_text(paths.results_file(artifact), render_summary(artifact, profile, records))


def render_summary(artifact: str, profile: str, records: list[dict] | None = None) -> str:
    """Text of the result file, from the given or the committed records."""
    if records is None:
        records = list(raw.read_committed(artifact).values())
        if not records:
            raise UsageError(f"no raw rows of {artifact} yet; first: python -m experiments run {artifact}")
    module, rows = load(artifact), raw.frame(records)
    frame = module.summarise(rows, block(artifact, profile)) if len(rows) else pd.DataFrame(columns=COLUMNS)
    planner = Planner(profile, Inputs())
    planner.jobs(artifact)
    names = getattr(module, "NAMES", {})
    missing = [names.get(key, key) for key in planner.missing[artifact]]
    nothing = dict.fromkeys(COLUMNS, "") | {"mean": float("nan"), "std": float("nan"), "n_runs": pd.NA}
    blank = [nothing | {"artifact": artifact, "dataset": name, "data_source": NO_DATA} for name in missing]
    whole = pd.concat([tidy(artifact, frame, rows), *([pd.DataFrame(blank)] if blank else [])], ignore_index=True)
    return to_csv_text(whole.astype({"n_runs": "Int64"}))
