"""Tidy result rows: one row per (data set, method, setting, metric), as committed in ``data/results/PAPER/NAME.csv``.

``summarise`` of an artifact makes its rows with :func:`tidy_row`; :func:`tidy` checks and rounds them before they are
written; :func:`read_results` reads the committed file and refuses a damaged one.
"""

import json
import math
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pandas as pd

from experiments.engine import paths
from experiments.engine.errors import UsageError
from experiments.engine.files import canonical

COLUMNS = [
    "artifact", "dataset", "method", "setting", "metric", "mean", "std", "n_runs", "parameters", "data_source",
]  # fmt: skip
KEY = ["dataset", "method", "setting", "metric"]
NO_DATA = "no data"
DIGITS = 6  # significant digits that are committed: beyond them results differ between machines
_listening: list[dict] = []  # of `single_values`


def tidy_row(artifact, dataset, method, setting, values, metric="error_pct", parameters=None, group=None) -> dict:
    """One tidy row: mean, standard deviation (ddof = 1) and number of the values of single runs.

    Parameters
    ----------
    artifact : str
        Id of the artifact, such as ``"chen2012_table2"``.
    dataset, method, setting : str
        What the row is about, in the words of ``data/reported.csv`` where the paper prints the cell.
    values : array-like of float
        The metric in each run. One value has no deviation (NaN).
    metric : str, default="error_pct"
        Name of the metric.
    parameters : dict or str, optional
        Chosen parameters, and the keys that raise flags (see :mod:`experiments.scoreboard.flags`); a str is JSON.
    group : DataFrame, Series or dict, optional
        Raw rows behind the values; the first entry of ``group["data_source"]`` names the source of the data.

    Returns
    -------
    dict
        Entries of :data:`COLUMNS`, not rounded yet.

    Examples
    --------
    >>> row = tidy_row("x_table1", "BCI", "RLS", "l=10", [40.0, 42.0])
    >>> row["mean"], round(row["std"], 3), row["n_runs"]
    (41.0, 1.414, 2)
    """
    values = np.asarray(values, dtype=float)
    if values.ndim != 1 or not len(values):
        raise UsageError(f"{artifact}: a row needs a list of at least one value, got shape {values.shape}")
    for heard in _listening:
        heard[dataset, method, setting, metric] = [_rounded(value) for value in values]
    return {
        "artifact": artifact, "dataset": dataset, "method": method, "setting": setting, "metric": metric,
        "mean": float(values.mean()), "std": float(values.std(ddof=1)) if len(values) > 1 else math.nan,
        "n_runs": len(values), "parameters": {} if parameters is None else parameters, "data_source": _source(group),
    }  # fmt: skip


@contextmanager
def single_values() -> Iterator[dict[tuple[str, str, str, str], list[float]]]:
    """The values behind each row that is made inside of the ``with`` block, by data set, method, setting and metric.

    >>> with single_values() as heard:
    ...     row = tidy_row("x_table1", "BCI", "RLS", "l=10", [40.0, 42.0])
    >>> heard
    {('BCI', 'RLS', 'l=10', 'error_pct'): [40.0, 42.0]}
    """
    heard: dict = {}
    _listening.append(heard)
    try:
        yield heard
    finally:
        _listening.remove(heard)


def tidy(artifact: str, frame: pd.DataFrame, rows: pd.DataFrame | None = None) -> pd.DataFrame:
    """Check what ``summarise`` returned, fill what can be filled, and round it to the committed digits."""
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


def read_results(artifact: str) -> pd.DataFrame:
    """Committed rows of an artifact; an empty frame when it has no file yet."""
    return read_tidy(paths.results_file(artifact))


def read_tidy(path: Path) -> pd.DataFrame:
    """A tidy file. A damaged one is an error: its missing rows must not look like work still to be done."""
    if not path.exists():
        return pd.DataFrame(columns=COLUMNS)
    text = path.read_text(encoding="utf-8")
    if not text.endswith("\n"):
        raise _damaged(path, "the last line is cut off")
    try:
        frame = pd.read_csv(path, dtype=str, keep_default_na=False, index_col=False)
    except (pd.errors.ParserError, pd.errors.EmptyDataError) as error:
        raise _damaged(path, str(error)) from error
    if list(frame.columns) != COLUMNS or frame.isna().any(axis=None) or frame.empty:
        raise _damaged(path, f"expected rows with the {len(COLUMNS)} columns {', '.join(COLUMNS)}")
    try:
        for name in ("mean", "std"):
            frame[name] = [float(value) if value else math.nan for value in frame[name]]
        frame["n_runs"] = pd.array([int(value) if value else pd.NA for value in frame["n_runs"]], dtype="Int64")
        for value in frame["parameters"]:
            json.loads(value or "{}")
    except ValueError as error:
        raise _damaged(path, str(error)) from error
    if frame.duplicated(KEY).any():
        raise _damaged(path, f"a cell stands there twice: {frame.loc[frame.duplicated(KEY), KEY].iloc[0].to_dict()}")
    return frame


def to_csv_text(frame: pd.DataFrame) -> str:
    """A frame as the text of a committed CSV file: the same bytes on every system."""
    return frame.to_csv(index=False, lineterminator="\n")


def _damaged(path: Path, why: str) -> UsageError:
    return UsageError(f"{path} is damaged ({why}); restore it with git, or make it again from the raw rows")


def _source(group) -> str:
    if group is None:
        return ""
    source = group["data_source"]
    return source if isinstance(source, str) else str(source.iloc[0])


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
