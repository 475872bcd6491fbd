"""``data/results/ID.csv``: what a run found, one row a (data set, method, setting, metric)."""

import json
import math
from pathlib import Path

import pandas as pd

from experiments.engine import paths
from experiments.engine.errors import UsageError
from experiments.engine.files import canonical

COLUMNS = [
    "artifact", "dataset", "method", "setting", "metric", "mean", "std", "n_runs", "parameters", "data_source",
]  # fmt: skip
KEY = ["dataset", "method", "setting", "metric"]
TEXT = ["artifact", *KEY, "parameters", "data_source"]
NO_DATA = "no data"
DIGITS = 6  # significant digits that are committed: beyond them results differ between machines


def results_file(artifact: str) -> Path:
    return paths.results_dir() / f"{artifact}.csv"


def read_results(artifact: str) -> pd.DataFrame:
    """Committed rows of an artifact (empty frame when there are none)."""
    return read_tidy(results_file(artifact))


def read_tidy(path: Path) -> pd.DataFrame:
    if not path.exists():
        return pd.DataFrame(columns=COLUMNS)
    # "NA"-like texts are names here; only numbers can be missing
    frame = pd.read_csv(path, dtype={name: str for name in TEXT}, keep_default_na=False,
                        na_values={"mean": [""], "std": [""], "n_runs": [""]})  # fmt: skip
    return frame.astype({"n_runs": "Int64"})


def tidy(artifact: str, frame: pd.DataFrame, rows: pd.DataFrame | None = None) -> pd.DataFrame:
    """Check what ``summarise`` returned, fill what can be filled, and round it."""
    frame = frame.copy()
    frame["artifact"] = artifact
    for name, default in (("setting", ""), ("std", math.nan), ("parameters", "{}")):
        if name not in frame:
            frame[name] = default
    if "data_source" not in frame:
        sources = _sources(rows)
        frame["data_source"] = [sources.get(name, "") for name in frame.get("dataset", [])]
    missing = [name for name in COLUMNS if name not in frame]
    if missing:
        raise UsageError(f"summarise of {artifact} must give the columns {', '.join(missing)}")
    frame["parameters"] = [_compact(value) for value in frame["parameters"]]
    for name in ("mean", "std"):
        frame[name] = [_rounded(value) for value in frame[name].astype(float)]
    frame["n_runs"] = frame["n_runs"].astype("Int64")
    frame["setting"] = frame["setting"].fillna("")
    twice = frame.duplicated(KEY)
    if twice.any():
        raise UsageError(f"summarise of {artifact} gives a cell twice: {frame.loc[twice, KEY].iloc[0].to_dict()}")
    return frame[COLUMNS]


def _sources(rows: pd.DataFrame | None) -> dict[str, str]:
    """Source of each data set, from the raw rows."""
    if rows is None or not {"dataset", "data_source"} <= set(rows.columns):
        return {}
    return rows.drop_duplicates("dataset").set_index("dataset")["data_source"].astype(str).to_dict()


def _rounded(value: float) -> float:
    return float(f"{value:.{DIGITS}g}")


def _compact(value) -> str:
    """Parameters as compact JSON, floats with a stable number of digits."""
    if isinstance(value, str):
        value = json.loads(value or "{}")
    return canonical(_stable(value))


def _stable(value):
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, dict):
        return {key: _stable(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_stable(item) for item in value]
    return _rounded(value) if isinstance(value, float) else value
