"""Runs resume, fail task by task, and do not depend on how the work is spread."""

import gzip
import json
import re
import signal
import subprocess
import time

import pytest

ID = "fake2000_table1"
RUNS = f"data/runs/{ID}.jsonl.gz"
INPUTS = ("inputs datasets", "inputs graphs", "inputs spectra")


def records(project) -> list[dict]:
    return [json.loads(line) for line in gzip.decompress((project.root / RUNS).read_bytes()).splitlines()]


def values(project) -> list:
    return [(record["key"], record["columns"]) for record in records(project)]


def journal(project):
    return project.root / "cache" / "journal" / f"{ID}.jsonl"


def lines(project) -> int:
    return journal(project).read_bytes().count(b"\n") if journal(project).exists() else 0


def start(project):
    return subprocess.Popen(project.command("run", ID), cwd=project.root, env=project.environment(),
                            stderr=subprocess.PIPE, text=True)  # fmt: skip


def wait_for(project, count, seconds=90):
    deadline = time.time() + seconds
    while lines(project) < count and time.time() < deadline:
        time.sleep(0.05)
    assert lines(project) >= count


def children(pid) -> list[int]:
    done = subprocess.run(["pgrep", "-P", str(pid)], capture_output=True, text=True)
    return [int(line) for line in done.stdout.split()]


def alive(pid) -> bool:
    """Running, not merely waiting to be collected."""
    done = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True)
    return bool(done.stdout.strip()) and not done.stdout.startswith("Z")


def test_a_killed_run_continues_and_gives_the_same_rows(project):
    project.params(runs=6, sleep=0.4)
    running = start(project)
    wait_for(project, 3)
    running.send_signal(signal.SIGKILL)
    running.wait()
    kept = lines(project)
    assert 3 <= kept < 7 and not (project.root / RUNS).exists()
    with open(journal(project), "ab") as file:  # as if killed in the middle of a line
        file.write(b'{"task": {"da')
    said = project.run(f"run {ID}")
    assert f"1 of {kept + 1} records are damaged" in said and f"{kept} of 7 tasks are done already" in said
    resumed = values(project)
    (project.root / RUNS).unlink()
    project.run(f"run {ID} --n-jobs 2")
    assert values(project) == resumed and not journal(project).exists()


def test_sigterm_ends_the_run_and_its_workers(project):
    project.params(runs=8, sleep=1.0, n_jobs=2)
    running = start(project)
    wait_for(project, 2)
    workers = children(running.pid)
    running.terminate()
    assert running.wait(timeout=20) == 130
    time.sleep(1.0)
    assert workers and not [pid for pid in workers if alive(pid)]
    assert "finished tasks are kept" in running.stderr.read()


@pytest.mark.parametrize("runs", [1, 40])
def test_workers_end_when_their_parent_is_killed(project, runs):
    # of three workers, one or two never have a task where there are two tasks: idle they would wait five minutes
    project.params(runs=runs, sleep=60.0 if runs == 1 else 1.0, n_jobs=3)
    running = start(project)
    wait_for(project, 1)
    workers = children(running.pid)
    running.kill()
    running.wait()
    deadline = time.time() + 40  # a busy machine takes seconds to start a worker
    while any(map(alive, workers)) and time.time() < deadline:
        time.sleep(0.2)
    assert workers and not [pid for pid in workers if alive(pid)]


def test_a_run_ends_when_the_make_that_started_it_is_killed(project):
    project.params(runs=8, sleep=1.0, n_jobs=2)
    command = "MR_MAKE=$$ " + " ".join(project.command("run", ID)) + "; true"
    make = subprocess.Popen(["sh", "-c", command], cwd=project.root, env=project.environment())
    wait_for(project, 1)
    (run,) = children(make.pid)
    started = [run, *children(run)]
    make.kill()
    make.wait()
    deadline = time.time() + 20
    while any(map(alive, started)) and time.time() < deadline:
        time.sleep(0.2)
    assert len(started) > 1 and not [pid for pid in started if alive(pid)]
    assert 1 <= lines(project) < 9 and not (project.root / RUNS).exists()


def test_a_failing_task_is_named_and_the_others_stay(project):
    project.params(broken=1)
    said = project.run(f"run {ID}", code=1)
    assert '"run":1' in said and "ZeroDivisionError: this task is broken" in said
    assert lines(project) == 3 and not (project.root / RUNS).exists()


def test_finished_tasks_of_an_unfinished_run_can_be_committed_and_continued_elsewhere(project, tmp_path_factory):
    project.params(broken=1)
    project.run(f"run {ID}", code=1)
    assert "3 tasks" in project.run(f"publish {ID}")
    journal(project).unlink()  # another machine has only what was committed
    project.params()
    assert "task" in project.run(f"run {ID}") and len(records(project)) == 4


def test_only_what_changed_runs_again(project):
    project.run(f"run {ID}")
    first = values(project)
    keys = [key for key, _ in first]
    project.params(n_jobs=2, threads=2, parts=7)  # scheduling is no part of identity
    project.run(f"run {ID}")
    assert values(project) == first
    project.params(runs=3, datasets={"moons": {"name": "two_moons", "options": {"n": 40}},
                                     "lost": {"name": "ethn"}})  # fmt: skip
    project.run(f"run {ID}")
    assert [key for key, _ in values(project)] == keys, "a new data set must leave the rows of the others alone"
    project.edit("experiments/fake2000/table1.py", 'VERSION = {"Guess": 1}', 'VERSION = {"Guess": 2}')
    project.run(f"run {ID}")
    changed = [key for key, _ in values(project)]
    assert changed[0] == keys[0] and not set(changed[1:]) & set(keys)


def test_rows_follow_the_content_of_graphs(project):
    """The reliability audit's first point: an edited graph must not leave the old rows in place."""
    project.run(*INPUTS, f"run {ID}")
    before = values(project)
    project.edit("mr/graph/knn_graph.py", "-0.5", "-5.0")
    project.run(*INPUTS[1:], f"run {ID}")
    after = values(project)
    assert [key for key, _ in before[1:]] != [key for key, _ in after[1:]]
    assert before[1][1]["fifth"] != after[1][1]["fifth"]


def test_a_damaged_graph_is_made_again_with_a_word(project):
    project.run(*INPUTS[:2])
    (graph,) = (project.root / "cache" / "graphs").iterdir()
    graph.write_bytes(graph.read_bytes()[:100])
    assert "is damaged" in project.run(f"run {ID}")
    assert "is damaged" not in project.run(INPUTS[1])


def test_a_file_in_the_place_of_the_cache_folder_is_named(project):
    (project.root / "cache").write_text("no folder")
    said = project.run(f"run {ID}", code=2)
    assert re.search(rf"error: .*(Not a directory|File exists): '{project.root / 'cache'}", said)
    assert "Traceback" not in said


def test_measured_seconds_are_kept_apart_and_checksums_cover_records(project):
    project.run(f"run {ID}")
    guess = records(project)[1]
    assert "fit_seconds" in guess["measured"] and "fit_seconds" not in guess["columns"]
    assert set(guess["provenance"]) == {"code", "environment", "lock", "commit", "date", "seconds"}
    text = gzip.decompress((project.root / RUNS).read_bytes()).replace(b'"error_pct":[', b'"error_pct":[1')
    (project.root / RUNS).write_bytes(gzip.compress(text))
    assert "record 2 does not match its checksum" in project.run(f"summary {ID}", code=2)
