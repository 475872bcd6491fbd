"""Runs the tasks of an artifact: in parallel, resumable, with pinned threads and seeds that belong to the task."""

import traceback
import warnings
from pathlib import Path

import pandas as pd
from joblib import Parallel, delayed
from threadpoolctl import threadpool_limits
from tqdm import tqdm

from experiments.engine import paths
from mr.datasets import DataUnavailable
from experiments.engine import load
from experiments.engine.closure import closure, fingerprint, module_file
from experiments.engine.errors import TasksFailed
from experiments.engine.files import canonical, digest, replacing
from experiments.engine.journal import Journal
from experiments.engine.store import Store

# How the work is spread does not change the rows, so it does not make a new journal.
SCHEDULING = ("n_jobs",)


def runs_file(artifact: str) -> Path:
    return paths.cache_dir() / "runs" / f"{artifact}.csv"


def run_code(artifact: str) -> set[Path]:
    """Source files that determine the rows of a run.

    Of this machinery only the files that seed and pin: what the store loads was made by earlier stages, whose code
    counts through what they wrote.
    """
    own = {module_file(name) for name in ("experiments.engine.runner", "experiments.engine.store")}
    return closure([f"experiments.engine.{artifact}"]) | own


def journal_file(store: Store) -> Path:
    """Journal of this run: named by a hash of parameters, code and data."""
    settings = {key: value for key, value in store.params.items() if key not in SCHEDULING}
    code = fingerprint(run_code(store.artifact))
    key = digest(settings, code, store.card)
    return paths.cache_dir() / "journal" / store.artifact / f"{key[:32]}.jsonl"


def run(artifact: str, params: dict, n_jobs: int | None = None) -> pd.DataFrame:
    """Run what the journal does not hold yet, then write all rows to ``cache/runs/ID.csv``.

    A failing task does not stop the others; at the end :class:`TasksFailed` names it. Tasks whose data set is
    unavailable are left out.
    """
    module = load(artifact)
    store = Store(artifact, module, params)
    n_jobs = n_jobs or params.get("n_jobs", 1)
    tasks = [task for task in module.tasks(params) if _has_data(task, store)]
    journal = Journal(journal_file(store))
    done = journal.load()
    todo = [task for task in tasks if canonical(task) not in done]
    if len(todo) < len(tasks):
        print(f"{artifact}: {len(tasks) - len(todo)} of {len(tasks)} tasks are in the journal")
    # pinned even with one job: dense solves differ in the last bits with the number of BLAS threads
    threads = 1 if n_jobs > 1 else params.get("threads", 1)
    failed = []
    work = (delayed(_attempt)(artifact, task, store, threads) for task in todo)
    finished = Parallel(n_jobs=n_jobs, return_as="generator_unordered", batch_size=1)(work)
    for task, rows, error in tqdm(finished, total=len(todo), desc=artifact, unit="task", disable=not todo):
        if error:
            failed.append(f"task {canonical(task)} of {artifact} failed:\n{error}")
        elif rows is not None:
            done[canonical(task)] = journal.append(task, rows)
    if failed:
        raise TasksFailed("\n".join(failed) + f"\n{len(failed)} of {len(tasks)} tasks failed; the others are kept")
    frame = pd.DataFrame([row for task in tasks for row in done.get(canonical(task), [])])
    _write(artifact, frame)
    return frame


def _attempt(artifact: str, task: dict, store: Store, threads: int):
    """One task in a worker: (task, rows, error). Rows are None when the data turned out to be unavailable."""
    try:
        with threadpool_limits(limits=threads):
            rows = load(artifact).run_task(task, store.params, store)
    except DataUnavailable as error:
        warnings.warn(f"{artifact}: {error}", stacklevel=2)
        return task, None, None
    except Exception:
        return task, None, traceback.format_exc()
    source = {"data_source": store.dataset(task["dataset"]).source} if "dataset" in task else {}
    return task, [task | source | row for row in rows], None


def _has_data(task: dict, store: Store) -> bool:
    entry = store.card.get(task.get("dataset"), {"available": True})
    return entry["available"]


def _write(artifact: str, frame: pd.DataFrame) -> None:
    with replacing(runs_file(artifact)) as temporary:
        frame.to_csv(temporary, index=False, float_format="%.12g", lineterminator="\n")
