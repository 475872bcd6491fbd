"""Raw rows on disk: one record per finished task, with a checksum of its own.

``data/runs/ID.jsonl.gz`` holds the committed records of an artifact, in the order of its tasks. While a run is
under way its records go to a journal in the cache, one line at a time, so that a killed run continues where it was.
A record holds the task and its key, the rows by column, what was measured (seconds, memory) apart from them, and the
provenance.
"""

import gzip
import json
import math
import os
import re
import sys
import zlib
from collections.abc import Iterable
from pathlib import Path

import pandas as pd

from experiments.engine import paths
from experiments.engine.errors import UsageError
from experiments.engine.files import canonical, digest, plain, replacing

MEASURED = re.compile(r"(seconds|_mib)$")  # columns that differ from run to run by nature
DIGITS = 10


def make_record(job, rows: list[dict], provenance: dict, source: str = "") -> dict:
    """The record of one finished task."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    columns = {name: [_stored(row.get(name)) for row in rows] for name in names}
    record = {
        "key": job.key,
        "task": job.task,
        "columns": {name: values for name, values in columns.items() if not MEASURED.search(name)},
        "measured": {name: values for name, values in columns.items() if MEASURED.search(name)},
        "data_source": source,
        "provenance": provenance,
    }
    return json.loads(canonical(record | {"checksum": checksum(record)}))


def checksum(record: dict) -> str:
    return digest({name: value for name, value in record.items() if name != "checksum"})[:16]


def frame(records: Iterable[dict]) -> pd.DataFrame:
    """All rows of some records: entries of the task, ``data_source``, then the row's own columns (which win)."""
    parts = []
    for record in records:
        whole = {name: value if isinstance(value, (str, int, float, bool)) else canonical(value)
                 for name, value in record["task"].items()} | {"data_source": record["data_source"]}  # fmt: skip
        stored = record["columns"] | record["measured"]
        columns = {name: [whole.get(name, math.nan) if value is None else value for value in values]
                   for name, values in stored.items()}  # fmt: skip
        length = len(next(iter(columns.values()), []))
        parts.append(pd.DataFrame({name: [value] * length for name, value in whole.items()} | columns))
    parts = [part for part in parts if len(part)]
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame()


def read_committed(artifact: str) -> dict[str, dict]:
    """Committed records by key; a damaged file or record is an error that names it."""
    path = paths.runs_file(artifact)
    if not path.exists():
        return {}
    try:
        lines = gzip.decompress(path.read_bytes()).splitlines()
    except (OSError, EOFError, zlib.error) as error:
        raise UsageError(f"{paths.shown(path)} is damaged ({error}); restore it with git") from error
    records = {}
    for number, line in enumerate(lines, 1):
        record = _parsed(line)
        if record is None:
            raise UsageError(f"{paths.shown(path)}: record {number} does not match its checksum; restore it with git")
        records[record["key"]] = record
    return records


def write_committed(artifact: str, records: Iterable[dict]) -> Path:
    """Publish records as the committed rows of an artifact; equal records give equal bytes."""
    path = paths.runs_file(artifact)
    text = "".join(canonical(record) + "\n" for record in records)
    with replacing(path) as temporary:
        temporary.write_bytes(gzip.compress(text.encode(), 9, mtime=0))
    return path


class Journal:
    """Append-only file of records in the cache; only the process that opened it writes."""

    def __init__(self, folder: str, artifact: str):
        self.path = paths.cache_dir() / folder / f"{artifact}.jsonl"

    def read(self) -> dict[str, dict]:
        """Whole records by key. Lines that are cut off or changed are dropped with a word; their tasks run again."""
        if not self.path.exists():
            return {}
        lines = self.path.read_bytes().splitlines()
        found = [_parsed(line) for line in lines]
        damaged = found.count(None)
        if damaged:
            print(f"{paths.shown(self.path)}: {damaged} of {len(lines)} records are damaged; "
                  "their tasks run again", file=sys.stderr)  # fmt: skip
            with replacing(self.path) as temporary:
                temporary.write_bytes(b"".join(line + b"\n" for line, ok in zip(lines, found, strict=True) if ok))
        return {record["key"]: record for record in found if record}

    def append(self, record: dict) -> None:
        """Write one record; on return it has reached the disk."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with open(self.path, "ab") as handle:
            handle.write((canonical(record) + "\n").encode())
            handle.flush()
            os.fsync(handle.fileno())

    def forget(self) -> None:
        self.path.unlink(missing_ok=True)


def _parsed(line: bytes) -> dict | None:
    try:
        record = json.loads(line)
        return record if record["checksum"] == checksum(record) else None
    except (ValueError, KeyError, TypeError):
        return None


def _stored(value):
    """A number with a stable count of digits; NaN and infinity, which JSON does not have, as None."""
    value = plain(value) if hasattr(value, "tolist") else value
    if isinstance(value, float):
        return float(f"{value:.{DIGITS}g}") if math.isfinite(value) else None
    return value
