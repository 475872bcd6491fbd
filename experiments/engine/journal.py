"""Rows of a run, on disk as they finish: a killed run continues where it was.

One file of JSON lines a run key. The key is a hash of everything the rows depend on (parameters, code, data), so that
rows of older code or other parameters are never taken for current ones: they are simply in another file.
"""

import json
import os
from pathlib import Path

from experiments.engine.files import canonical, plain


class Journal:
    """Append-only record ``task -> rows``; only the process that opened it writes."""

    def __init__(self, path: Path):
        self.path = path

    def load(self) -> dict[str, list[dict]]:
        """Finished tasks: canonical task -> rows. A line cut off by a kill is dropped from the file."""
        if not self.path.exists():
            return {}
        done: dict[str, list[dict]] = {}
        whole = 0
        with open(self.path, "rb") as handle:
            for line in handle:
                try:
                    entry = json.loads(line) if line.endswith(b"\n") else None
                except ValueError:
                    entry = None
                if entry is None:
                    break
                done[canonical(entry["task"])] = entry["rows"]
                whole += len(line)
        if whole != self.path.stat().st_size:
            os.truncate(self.path, whole)
        return done

    def append(self, task: dict, rows: list[dict]) -> list[dict]:
        """Write one finished task; on return it has reached the disk. Gives the rows as :meth:`load` will."""
        text = json.dumps({"task": task, "rows": rows}, default=plain)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with open(self.path, "ab") as handle:
            handle.write((text + "\n").encode())
            handle.flush()
            os.fsync(handle.fileno())
        return json.loads(text)["rows"]
