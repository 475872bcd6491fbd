"""Provenance of a printed cell's counterpart: data, code, commit and environment, as the records state them."""

import csv
import warnings
from functools import cache

from experiments import tidy
from experiments.engine import params, paths
from experiments.engine import rows as raw
from experiments.engine.files import canonical
from experiments.engine.inputs import Inputs
from experiments.site.methods import class_of
from mr import datasets as library

DUE = "Results of an earlier protocol. A new protocol is to replace them, so their raw rows are not committed."
PART = "Not complete: only a part of this result has been computed by its protocol, and its raw rows are committed."


def is_due(artifact: str) -> bool:
    """Whether the committed results of an artifact wait for rows (``due`` in params.yaml)."""
    return artifact in params.ids("due")


def has_rows(artifact: str) -> bool:
    return bool(_records(artifact))


def papers() -> list[str]:
    """The papers, in the order of params.yaml."""
    return list(dict.fromkeys(params.paper_of(artifact) for artifact in params.ids()))


def module_file(artifact: str) -> str:
    paper, _, name = artifact.partition("_")
    return f"experiments/{paper}/{name}.py"


def command(artifact: str) -> str:
    """The one command that computes an artifact again on the real data."""
    return f"make reproduce PROFILE=paper ONLY={artifact}"


@cache
def artifact_entry(artifact: str) -> dict:
    """What all cells of an artifact share: protocol, command, whether it is due, recheck, minutes of the rows."""
    found = _records(artifact)
    checks = [row for row in table("rechecks.csv") if row["artifact"] == artifact]
    return {
        "protocol": module_file(artifact),
        "command": command(artifact),
        "due": "" if not is_due(artifact) else PART if found else DUE,
        "rows": "" if not found else paths.shown(paths.runs_file(artifact)),
        "results": paths.shown(paths.results_file(artifact)),
        "minutes": round(sum(float(r["provenance"].get("seconds") or 0) for r in found) / 60, 1) if found else None,
        "recheck": _recheck(checks[-1]) if checks else None,
    }


def provenance(artifact: str, dataset: str, method: str) -> dict:
    """Records behind one number: how many tasks, with which code, commit, environment, lock, and on which days."""
    mine = [record for record in _records(artifact) if _about(record, artifact, dataset, method)]
    mine = mine or list(_records(artifact))
    shared = {"data": data_hashes(artifact, dataset), "class": class_of(method)}
    return {"tasks": len(mine), **_stamps(mine), **shared}


def stamps(artifact: str) -> dict[str, list[str]]:
    """The distinct code fingerprints, commits, environments, locks and days of all records of an artifact."""
    return _stamps(_records(artifact))


def _stamps(found) -> dict[str, list[str]]:
    return {
        name: sorted({str(record["provenance"][name]) for record in found if record["provenance"].get(name)})
        for name in ("code", "commit", "environment", "lock", "date")
    }


@cache
def single_values(artifact: str) -> dict[tuple[str, str, str, str], list[float]]:
    """The value of every draw behind each result, by data set, method, setting and metric; empty without rows."""
    found = _records(artifact)
    if not found:
        return {}
    with tidy.single_values() as heard, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # `python -m experiments verify` shows what a summary has to say
        params.load(artifact).summarise(raw.frame(found), params.block(artifact, "paper"))
    return heard


@cache
def data_hashes(artifact: str, dataset: str) -> list[dict]:
    """Content hashes of a cell's data sets from data/inputs, or sha256 of the original files where it is not there."""
    module, block, inputs = params.load(artifact), params.block(artifact, "paper"), Inputs()
    specs = params.dataset_specs(module, block)
    names = getattr(module, "NAMES", {})
    named = {key: spec for key, spec in specs.items() if names.get(key, key) == dataset}
    found = []
    for name, options in (named or specs).values():
        text = f"{name} {canonical(options)}" if options else name
        known = inputs.known["datasets"].get(text)
        if known:
            found.append({"name": text, "sha256": known["sha256"], "of": "content", "shape": known["shape"]})
            continue
        files = [row for row in table("registry.csv") if row["dataset"] == name]
        found += [{"name": f"{text}: {row['file']}", "sha256": row["sha256"], "of": "file"} for row in files]
        if not files and name in library.names():
            found.append({"name": text, "sha256": "", "of": "made by mr.datasets from other sets or a seed"})
    return found


@cache
def _records(artifact: str) -> tuple[dict, ...]:
    return tuple(raw.read_committed(artifact).values())


@cache
def _names(artifact: str) -> dict:
    return getattr(params.load(artifact), "NAMES", {})


def _about(record: dict, artifact: str, dataset: str, method: str) -> bool:
    """Whether a record may hold rows of this data set and method; one that names neither may."""
    for entry, wanted in (("dataset", dataset), ("method", method)):
        said = {record["task"][entry]} if entry in record["task"] else set()
        said |= {value for value in record["columns"].get(entry, []) if value}
        if entry == "dataset":
            said |= {_names(artifact).get(name, name) for name in said if isinstance(name, str)}
        if said and wanted not in said:
            return False
    return True


def _recheck(row: dict) -> dict:
    return {name: row[name] for name in ("code", "commit", "date", "n_tasks", "largest_difference")}


@cache
def table(name: str) -> tuple[dict, ...]:
    """The rows of a file of ``data/``, as text."""
    with open(paths.data_file(name), newline="", encoding="utf-8") as stream:
        return tuple(csv.DictReader(stream))
