"""The files that benchmarks write, and how busy the machine was meanwhile.

Seconds of the clock mean little while other programs run. So every line also says how many processor seconds all other
processes used during it (``other_cpu_seconds``; empty where the system does not tell): 0 to 2 % of the clock is a quiet
machine.
"""

import csv
import os
from pathlib import Path

DOCS = Path(__file__).resolve().parents[1] / "docs"
OTHERS = "other_cpu_seconds"


class Results:
    """A CSV with a line for each measurement."""

    def __init__(self, path, columns):
        self.path, self.columns = Path(path), (*columns, OTHERS)

    def rows(self) -> list[dict]:
        if not self.path.exists():
            return []
        with self.path.open(newline="", encoding="utf-8") as file:
            return [dict.fromkeys(self.columns, "") | row for row in csv.DictReader(file)]

    def add(self, row: dict) -> None:
        """Write all lines and this one: a file of an earlier version gets the columns that it lacks."""
        rows = [*self.rows(), dict.fromkeys(self.columns, "") | row]
        fresh = self.path.with_suffix(".part")
        with fresh.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, self.columns, lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
        fresh.replace(self.path)


def add_out(parser, name: str) -> None:
    """The option --out; trials belong into another file than the committed one."""
    parser.add_argument("--out", type=Path, default=DOCS / name, help=f"file for the lines (docs/{name})")


class Others:
    """Processor seconds of all other processes since this object was made; children count as our own."""

    def __init__(self):
        self._before = _used_by_others()

    def row(self) -> dict:
        after = _used_by_others()
        return {} if after is None else {OTHERS: f"{max(0.0, after - self._before):.3g}"}


def _used_by_others() -> float | None:
    try:
        line = Path("/proc/stat").read_text().splitlines()[0]
    except OSError:
        return None
    user, nice, system, _, _, irq, softirq = map(int, line.split()[1:8])
    return (user + nice + system + irq + softirq - _ticks_of_ours()) / os.sysconf("SC_CLK_TCK")


def _ticks_of_ours() -> int:
    """Of this process and all below it, children that have ended and were waited for included."""
    spent, children = {}, {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:  # it has ended
            continue
        process, parent = int(path.parent.name), int(fields[1])
        spent[process] = sum(map(int, fields[11:15]))
        children.setdefault(parent, []).append(process)
    total, waiting = 0, [os.getpid()]
    while waiting:
        process = waiting.pop()
        total += spent.get(process, 0)
        waiting += children.get(process, ())
    return total
