"""From the raw rows of a run to the committed ``data/results/ID.csv``."""

import math
import warnings

import pandas as pd

from experiments.engine import load, reported_name
from experiments.engine.cards import read_card, unavailable
from experiments.engine.errors import UsageError
from experiments.engine.files import replacing
from experiments.engine.paths import results_file
from experiments.engine.runner import runs_file
from experiments.tidy import COLUMNS, NO_DATA, read_results, tidy


def read_runs(artifact: str) -> pd.DataFrame:
    """Raw rows of the last run."""
    path = runs_file(artifact)
    if not path.exists():
        raise UsageError(f"no run of {artifact} yet; first: python -m mr run {artifact}")
    try:
        return pd.read_csv(path)
    except pd.errors.EmptyDataError:
        return pd.DataFrame()


def write_results(artifact: str, params: dict) -> pd.DataFrame:
    """Summarise the last run into ``data/results/ID.csv``.

    Data sets that cannot be had on this machine keep the rows of the existing file, with a warning; where there are
    none, one row with the source "no data" says so.
    """
    module = load(artifact)
    rows = read_runs(artifact)
    fresh = module.summarise(rows, params) if len(rows) else pd.DataFrame(columns=COLUMNS)
    fresh = tidy(artifact, fresh, rows)
    missing = [reported_name(module, key) for key in unavailable(read_card(artifact))]
    frame = pd.concat([fresh, *_kept(artifact, fresh, missing)], ignore_index=True)
    path = results_file(artifact)
    with replacing(path) as temporary:
        frame.to_csv(temporary, index=False, lineterminator="\n")
    return frame


def _kept(artifact: str, fresh: pd.DataFrame, missing: list[str]) -> list[pd.DataFrame]:
    """For each data set that is missing now: its rows in the existing file, or one row that says "no data"."""
    old = read_results(artifact)
    kept = []
    for name in missing:
        if (fresh["dataset"] == name).any():
            continue
        rows = old[old["dataset"] == name]
        if (rows["data_source"] != NO_DATA).any():
            warnings.warn(f"{artifact}: {name} is unavailable now; keeping its {len(rows)} earlier rows", stacklevel=3)
        else:
            row = dict.fromkeys(COLUMNS, "") | {"artifact": artifact, "dataset": name, "data_source": NO_DATA}
            rows = pd.DataFrame([row | {"mean": math.nan, "std": math.nan, "n_runs": pd.NA}])
        kept.append(rows)
    return kept
