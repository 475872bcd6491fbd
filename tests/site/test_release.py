"""What a release says of itself: codemeta.json, and the RO-Crate that follows from dvc.lock."""

import csv
import hashlib
import io
import json
import subprocess
import tarfile
from pathlib import Path

import pytest
import yaml

from experiments.engine.errors import UsageError
from experiments.site import release
from tests.source_reading import ROOT


def test_codemeta_is_made_from_the_project():
    assert (ROOT / "codemeta.json").read_text(encoding="utf-8") == release.as_text(release.codemeta())
    assert len(release.codemeta()["referencePublication"]) == 5


def stage(out: str, md5: str) -> dict:
    return {"cmd": "python -m experiments run x", "outs": [{"path": out, "md5": md5, "size": 1}],
            "deps": [{"path": "cache/graphs", "md5": "0.dir", "size": 2}]}  # fmt: skip


def test_a_crate_links_every_stage_to_its_files():
    md5 = hashlib.md5((ROOT / "params.yaml").read_bytes()).hexdigest()
    tree = release.crate({"stages": {"run@belkin2006_table4": stage("params.yaml", md5)}})
    assert {"md5", "sha256"} <= set(tree["@context"][1])
    things = {thing["@id"]: thing for thing in json.loads(release.as_text(tree))["@graph"]}
    action = things["#stage/run@belkin2006_table4"]
    assert action["result"] == [{"@id": "params.yaml"}] and action["object"] == [{"@id": "#cache/graphs/"}]
    told = {things[entry["@id"]]["name"] for entry in action["additionalProperty"]}
    assert {"code", "commit", "environment"} <= told and any(name.startswith("sha256 of isolet") for name in told)
    parts = {part["@id"] for part in things["./"]["hasPart"]}
    assert parts | {part["@id"] for part in things["./"]["mentions"]} <= set(things)
    assert "#cache/graphs/" not in parts  # is not committed, so the archive does not hold it
    local = [part for part in parts if not part.startswith("https://")]
    assert "params.yaml" in local and all((ROOT / part).exists() for part in local)
    assert things["ro-crate-metadata.json"]["conformsTo"]["@id"].endswith("ro/crate/1.1")


def test_the_archive_holds_what_its_crate_names_and_no_data(monkeypatch):
    """The list of files of ``make archive`` beside the crate of the committed lock."""
    packed = subprocess.run(["git", "archive", "HEAD"], cwd=ROOT, capture_output=True, check=True).stdout
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        names = {member.name for member in archive}
    monkeypatch.setattr(release, "_as_locked", lambda name, md5: True)
    tree = release.crate(yaml.safe_load((ROOT / "dvc.lock").read_text(encoding="utf-8")))
    root = next(thing for thing in tree["@graph"] if thing["@id"] == "./")
    local = {part["@id"].rstrip("/") for part in root["hasPart"] if not part["@id"].startswith("https://")}
    assert local and local <= names, sorted(local - names)
    with open(ROOT / "data" / "registry.csv", newline="", encoding="utf-8") as stream:
        originals = {Path(row["file"]).name for row in csv.DictReader(stream)}
    assert not originals & {Path(name).name for name in names}


def test_a_lock_that_does_not_describe_the_files_is_refused():
    with pytest.raises(UsageError, match="dvc.lock does not describe the files that are here: params.yaml"):
        release.crate({"stages": {"data": stage("params.yaml", "0" * 32)}})


def test_citation_has_what_the_format_asks_for():
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert {"cff-version", "message", "title", "authors", "version", "license"} <= set(cited)
    assert [reference["year"] for reference in cited["references"]] == [2006, 2006, 2012, 2015, 2017]
    assert all({"type", "title", "authors", "year"} <= set(reference) for reference in cited["references"])
