"""What a release says of itself to machines: ``codemeta.json`` and an RO-Crate of the results.

    python -m experiments.site.release codemeta    # writes codemeta.json; a test compares it with the project's files
    python -m experiments.site.release crate       # writes build/ro-crate-metadata.json (make crate, make archive)

The crate follows from ``dvc.lock``: every stage is an action, with the files it read and wrote, their md5 and size; the
stages that ran experiments also name data sets (sha256), code fingerprint, commit, environment and day of their rows.
"""

import hashlib
import json
import subprocess
import sys
import tomllib
from functools import cache
from pathlib import Path

import yaml

import mr
from experiments.engine import params, paths
from experiments.engine.errors import UsageError
from experiments.engine.files import write_text
from experiments.site import records

LICENSE = "https://spdx.org/licenses/BSD-3-Clause"
HASHES = "http://id.loc.gov/vocabulary/preservation/cryptographicHashFunctions/"
TERMS = {name: HASHES + name for name in ("md5", "sha256")}  # RO-Crate 1.1 itself has no term for them
ABSENT = "CreativeWork"  # what the archive names but does not hold; File and Dataset are for what it holds or links to
STAMPS = ("code", "commit", "environment", "lock")


def codemeta() -> dict:
    """CodeMeta 2.0, from pyproject.toml, CITATION.cff and the version of ``mr``."""
    project = _project()
    return {
        "@context": "https://doi.org/10.5063/schema/codemeta-2.0",
        "@type": "SoftwareSourceCode",
        "name": project["name"],
        "description": project["description"],
        "version": mr.__version__,
        "license": LICENSE,
        "keywords": project["keywords"],
        "programmingLanguage": "Python",
        "runtimePlatform": f"Python {project['requires-python']}",
        "softwareRequirements": project["dependencies"],
        "author": _authors(),
        "referencePublication": [_publication(reference) for reference in _cited()["references"]],
    }


def _publication(reference: dict) -> dict:
    authors = [f"{author['given-names']} {author['family-names']}" for author in reference["authors"]]
    found = {"@type": "ScholarlyArticle", "name": reference["title"], "author": authors}
    found["datePublished"] = reference["year"]
    return found | ({"@id": f"https://doi.org/{reference['doi']}"} if "doi" in reference else {})


def crate(lock: dict) -> dict:
    """RO-Crate 1.1 of a lock file of DVC, given as read from YAML."""
    files: dict[str, dict] = {}
    properties: list[dict] = []
    actions = [_action(name, stage, files, properties) for name, stage in lock["stages"].items()]
    wrong = [name for name, entry in files.items() if not _as_locked(name, entry["md5"])]
    if wrong:
        raise UsageError(
            f"dvc.lock does not describe the files that are here: {', '.join(sorted(wrong)[:5])}"
            f"{', ...' if len(wrong) > 5 else ''} ({len(wrong)} in all). Run `dvc repro --allow-missing` first."
        )
    things = [*files.values(), *_sources()]
    authors = [{"@id": f"#author/{i}", **author} for i, author in enumerate(_authors())]
    absent = [thing for thing in things if thing["@type"] == ABSENT]
    kinds = ["File", "SoftwareSourceCode", "ComputationalWorkflow"]
    workflow = {"@id": "dvc.yaml", "@type": kinds, "name": "the pipeline"}
    root = {
        "@id": "./",
        "@type": "Dataset",
        "name": f"{_project()['name']} {mr.__version__}: results",
        "description": _project()["description"],
        "license": {"@id": LICENSE},
        "author": [{"@id": author["@id"]} for author in authors],
        "datePublished": _git("log", "-1", "--format=%cs"),
        "version": mr.__version__,
        "mainEntity": {"@id": "dvc.yaml"},
        "hasPart": [{"@id": thing["@id"]} for thing in [workflow, *things] if thing not in absent],
        "mentions": [{"@id": thing["@id"]} for thing in [*actions, *absent]],
    }
    descriptor = {
        "@id": "ro-crate-metadata.json",
        "@type": "CreativeWork",
        "conformsTo": {"@id": "https://w3id.org/ro/crate/1.1"},
        "about": {"@id": "./"},
    }
    licence = {"@id": LICENSE, "@type": "CreativeWork", "name": "BSD 3-Clause License"}
    graph = [descriptor, root, workflow, licence, *authors, *things, *actions, *properties]
    return {"@context": ["https://w3id.org/ro/crate/1.1/context", TERMS], "@graph": graph}


def _action(name: str, stage: dict, files: dict, properties: list) -> dict:
    """A stage of the lock as an action; its files are added to ``files``, what its rows say to ``properties``."""
    for entry in [*stage.get("deps", ()), *stage.get("outs", ())]:
        at = _at(entry)
        kind = ABSENT if at.startswith("#") else "Dataset" if at.endswith("/") else "File"
        said = {"name": entry["path"], "md5": entry["md5"], "contentSize": str(entry["size"])}
        files[at] = {"@id": at, "@type": kind, **said}
    action = {
        "@id": f"#stage/{name}",
        "@type": "CreateAction",
        "name": name,
        "description": stage["cmd"],
        "instrument": {"@id": "dvc.yaml"},
        "object": [{"@id": _at(entry)} for entry in stage.get("deps", ())],
        "result": [{"@id": _at(entry)} for entry in stage.get("outs", ())],
    }
    kind, _, artifact = name.partition("@")
    if kind == "run" and artifact in params.ids():
        said = _run(artifact)
        properties += said
        action["additionalProperty"] = [{"@id": entry["@id"]} for entry in said]
        action["endTime"] = max(records.stamps(artifact)["date"])
    return action


def _at(entry: dict) -> str:
    """Where an input or output is in the archive; a name with # where it is not, as the cache of graphs and spectra."""
    path = entry["path"] + ("/" if entry["md5"].endswith(".dir") else "")
    return path if entry["path"] in _committed() else f"#{path}"


@cache
def _committed() -> set[str]:
    """Every file of the commit that is packed, and every folder of these."""
    files = [Path(name) for name in _git("ls-tree", "-r", "--name-only", "HEAD").splitlines()]
    return {path.as_posix() for file in files for path in (file, *file.parents)}


def _run(artifact: str) -> list[dict]:
    """What the raw rows of an artifact say: code, commit, environment and lock, and data sets by their hash."""
    stamps = records.stamps(artifact)
    said = [(name, value) for name in STAMPS for value in stamps[name]]
    hashed = (data for data in records.data_hashes(artifact, "") if data["sha256"])
    said += [(f"sha256 of {data['name']}", data["sha256"]) for data in hashed]
    return [
        {"@id": f"#run/{artifact}/{i}", "@type": "PropertyValue", "name": name, "value": value}
        for i, (name, value) in enumerate(said)
    ]


def _as_locked(name: str, md5: str) -> bool:
    """Whether a file is what the lock says. Folders, and what is not here (the cache), are not looked at."""
    path = paths.ROOT / name
    return not path.is_file() or hashlib.md5(path.read_bytes(), usedforsecurity=False).hexdigest() == md5


def _sources() -> list[dict]:
    """The original data files: their sha256, and where they come from if that is an address. None is in the archive."""
    rows = records.table("registry.csv")
    return [
        {
            "@id": row["url"] or f"#data/{row['dataset']}/{row['file']}",
            "@type": "File" if row["url"] else ABSENT,
            "name": f"{row['dataset']}: {row['file']}",
            "sha256": row["sha256"],
            "contentSize": row["bytes"],
        }
        for row in {row["url"] or (row["dataset"], row["file"]): row for row in rows}.values()
    ]


def _cited() -> dict:
    return yaml.safe_load((paths.ROOT / "CITATION.cff").read_text(encoding="utf-8"))


def _authors() -> list[dict]:
    return [{"@type": "Organization", "name": author["name"]} for author in _cited()["authors"]]


def _project() -> dict:
    return tomllib.loads((paths.ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def _git(*arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=paths.ROOT, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def as_text(tree: dict) -> str:
    return json.dumps(tree, indent=2, ensure_ascii=False) + "\n"


def main(what: str) -> int:
    try:
        if what == "codemeta":
            write_text(paths.ROOT / "codemeta.json", as_text(codemeta()))
        else:
            lock = yaml.safe_load((paths.ROOT / "dvc.lock").read_text(encoding="utf-8"))
            write_text(paths.ROOT / "build" / "ro-crate-metadata.json", as_text(crate(lock)))
    except UsageError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
