"""Runs jobs: in parallel, resumable, with pinned threads; a failing task does not stop the others."""

import os
import signal
import sys
import threading
import time
import traceback
from contextlib import contextmanager

from joblib import Parallel, delayed
from joblib.externals.loky import get_reusable_executor
from joblib.parallel import LokyBackend, get_active_backend
from threadpoolctl import threadpool_limits
from tqdm import tqdm

from experiments.engine import rows as raw
from experiments.engine.errors import TasksFailed
from experiments.engine.files import canonical
from experiments.engine.inputs import Inputs
from experiments.engine.params import block, load, paper_of
from experiments.engine.provenance import stamp
from experiments.engine.store import Store
from experiments.engine.tasks import Job, Planner
from mr.datasets import DataUnavailable


def run(artifact: str, profile: str, n_jobs: int | None = None, fresh: bool = False) -> list[dict]:
    """Records of all tasks of an artifact; runs those that neither the committed rows nor the journal hold.

    With ``fresh``, committed rows do not count and a journal of its own is kept: a rerun to compare with them. Nothing
    is published here; :func:`publish` does that once everything has succeeded.
    """
    planner = Planner(profile, Inputs())
    jobs = planner.jobs(artifact)
    for key in planner.missing[artifact]:
        print(f"{artifact}: no data for {key}; its tasks are left out", file=sys.stderr)
    done = run_jobs(jobs, profile, planner.inputs, n_jobs, "rerun" if fresh else "journal", committed=not fresh)
    return [done[job.key] for job in jobs if job.key in done]


def publish(artifact: str, records: list[dict]) -> None:
    """Make records the committed rows of the artifact, and forget its journal."""
    raw.write_committed(artifact, records)
    raw.Journal("journal", artifact).forget()


def run_jobs(jobs: list[Job], profile, inputs, n_jobs=None, folder="journal", committed=True) -> dict[str, dict]:
    """Records by key of the jobs and of all they need; what is on disk already is not run again."""
    whole = _with_needs(jobs)
    done: dict[str, dict] = {}
    for artifact in dict.fromkeys(job.artifact for job in whole):
        done |= (raw.read_committed(artifact) if committed else {}) | raw.Journal(folder, artifact).read()
    todo = [job for job in whole if job.key not in done]
    if todo and len(todo) < len(whole):
        print(f"{jobs[0].artifact}: {len(whole) - len(todo)} of {len(whole)} tasks are done already", file=sys.stderr)
    failed: list[str] = []
    while todo:  # waves: a task runs once the rows it needs are there
        ready = [job for job in todo if all(need.key in done for need in job.needs)]
        if not ready:
            break
        todo = [job for job in todo if job not in ready]
        for job, record, error in _parallel(ready, done, profile, inputs, n_jobs):
            if error:
                failed.append(f"task {canonical(job.task)} of {job.artifact} failed:\n{error}")
            elif record is not None:
                raw.Journal(folder, job.artifact).append(record)
                done[job.key] = record
    if failed:
        raise TasksFailed("\n".join(failed) + f"\n{len(failed)} of {len(whole)} tasks failed; the others are kept")
    return done


def _with_needs(jobs: list[Job]) -> list[Job]:
    """The jobs and, before each, those it needs."""
    found: dict[str, Job] = {}

    def add(job: Job):
        for need in job.needs:
            add(need)
        found.setdefault(job.key, job)

    for job in jobs:
        add(job)
    return list(found.values())


def _parallel(jobs: list[Job], done, profile, inputs, n_jobs):
    stores, work = {}, []
    for job in jobs:
        stores.setdefault(job.artifact, Store(job.artifact, profile, inputs))
        needed = {canonical([need.artifact, need.task]): raw.frame([done[need.key]]) for need in job.needs}
        work.append(delayed(_attempt)(job, stores[job.artifact], needed))
    n_jobs = n_jobs or max(block(artifact, profile).get("n_jobs", 1) for artifact in stores)
    with _ending_workers():
        finished = Parallel(n_jobs=n_jobs, return_as="generator_unordered", batch_size=1, **_watching())(work)
        yield from tqdm(finished, total=len(work), desc=jobs[0].artifact, unit="task", mininterval=1.0)


def _attempt(job: Job, store: Store, needed: dict):
    """One task in a worker: (job, record, error). The record is None when the data turned out to be unavailable."""
    store.needed, params = needed, store.params
    # pinned even with one job: dense solves differ in the last bits with the number of BLAS threads
    threads = 1 if params.get("n_jobs", 1) > 1 else params.get("threads", 1)
    start = time.process_time()
    try:
        with threadpool_limits(limits=threads):
            rows = load(job.artifact).run_task(job.task, params, store)
        source = store.dataset(job.task["dataset"]).source if job.task.get("dataset") in store.specs else ""
        source = "local" if source == "download" else source  # the same files, wherever they were found
    except DataUnavailable as error:
        print(f"{job.artifact}: {error}", file=sys.stderr)
        return job, None, None
    except Exception:
        return job, None, traceback.format_exc()
    provenance = stamp(paper_of(job.artifact)) | {"seconds": round(time.process_time() - start, 2)}
    return job, raw.make_record(job, rows, provenance, source), None


def _watching() -> dict:
    """What joblib starts workers of its own with, so that they end with this process; those of a cluster live on."""
    backend, _ = get_active_backend()
    return {"initializer": _die_with, "initargs": (os.getpid(),)} if isinstance(backend, LokyBackend) else {}


def _die_with(parent: int) -> None:
    """End this worker soon after its parent is gone: a killed parent cannot end it, and idle it would wait minutes."""

    def watch():
        while os.getppid() == parent:
            time.sleep(2.0)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


@contextmanager
def _ending_workers():
    """A SIGTERM becomes an interrupt here, and whatever ends the run early ends its workers too."""

    def stop(signum, frame):
        raise KeyboardInterrupt

    main = threading.current_thread() is threading.main_thread()
    before = signal.signal(signal.SIGTERM, stop) if main else None
    try:
        yield
    except BaseException:
        get_reusable_executor().shutdown(wait=False, kill_workers=True)
        raise
    finally:
        if main:
            signal.signal(signal.SIGTERM, before)
