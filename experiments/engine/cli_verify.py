"""``python -m mr verify``: do the committed results, figures and notebooks belong to the committed code and parameters?

Works on a fresh clone, without data and without any cache, in seconds, and never runs a stage: it compares hashes with
``dvc.lock``. Intermediates below ``cache/`` may be missing; everything else must be there and unchanged.
"""

import json
import subprocess
import sys

import yaml

from experiments.engine import cli_pipeline as pipeline
from experiments.engine.cli_reproduce import environment
from experiments.engine import paths
from experiments.engine import ids
from experiments.engine.errors import TasksFailed

MISSING = ("deleted", "not in cache")


def verify() -> int:
    """Print what is stale, stage by stage; 0 when nothing is."""
    problems = pipeline.out_of_date() or stale_stages() or _dry_run()
    for problem in problems:
        print(problem)
    if problems:
        print(
            "verify: FAILED. Rerun what is listed: python -m mr reproduce --profile paper [--only ID]", file=sys.stderr
        )
        return 1
    stages = pipeline.stage_names(paths.ROOT)
    print(f"verify: the committed outputs of all {len(stages)} stages belong to the committed code and parameters")
    waiting = [artifact for artifact in ids() if artifact not in pipeline.released()]
    if waiting:
        print(f"not yet run at paper scale: {', '.join(waiting)}")
    return 0


def stale_stages() -> list[str]:
    """One line a stage whose recorded inputs or outputs differ from the files here."""
    done = _dvc("status", "--json")
    if done.returncode:
        raise TasksFailed(f"dvc status failed:\n{done.stderr}")
    # older entries of DVC's output may precede the JSON, which is its last line
    status = json.loads(done.stdout.strip().splitlines()[-1])
    recorded = _recorded()
    stale = [f"stale: {name} (never run)" for name in pipeline.stage_names(paths.ROOT) if name not in recorded]
    for name, entries in status.items():
        reasons = [reason for entry in entries for reason in _reasons(entry)]
        if reasons and name in recorded:
            stale.append(f"stale: {name} ({'; '.join(reasons)})")
    return stale


def _reasons(entry) -> list[str]:
    """What changed, in words; missing intermediates do not count."""
    if isinstance(entry, str):
        return [entry]
    found = []
    for kind, items in entry.items():
        for path, state in items.items():
            if isinstance(state, dict):
                found += [f"{key} of {path} {how}" for key, how in state.items()]
            elif not (state in MISSING and path.startswith("cache/")):
                found.append(f"{path} {state}" if "deps" in kind or "outs" in kind else f"{kind}: {path} {state}")
    return found


def _dry_run() -> list[str]:
    """Let DVC itself confirm: it also compares what one stage recorded as output with what the next read."""
    done = _dvc("repro", "--allow-missing", "--dry")
    running = [line for line in done.stdout.splitlines() if line.startswith("Running stage")]
    if done.returncode or running:
        return [f"dvc repro --allow-missing would run: {line}" for line in running or done.stderr.strip().splitlines()]
    return []


def _dvc(*arguments: str) -> subprocess.CompletedProcess:
    command = [sys.executable, "-m", "dvc", *arguments]
    return subprocess.run(command, cwd=paths.ROOT, env=environment(), capture_output=True, text=True)


def _recorded() -> dict:
    lock = paths.ROOT / "dvc.lock"
    return (yaml.safe_load(lock.read_text(encoding="utf-8")) or {}).get("stages", {}) if lock.exists() else {}
