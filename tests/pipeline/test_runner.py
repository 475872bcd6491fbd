"""Runs resume, fail task by task, and do not depend on how the work is spread."""

import json
import signal
import subprocess
import time

import pandas as pd

ID = "fake2000_table1"


def prepared(project, *commands, ok=True, **params):
    project.params(**params)
    return project.all(f"data {ID}", f"graph {ID}", f"spectrum {ID}", *commands, ok=ok)


def rows(project) -> pd.DataFrame:
    return pd.read_csv(project.root / "quick" / "cache" / "runs" / f"{ID}.csv")


def journals(project) -> list:
    return sorted((project.root / "quick" / "cache" / "journal" / ID).glob("*.jsonl"))


def journal_lines(project) -> int:
    return sum(file.read_bytes().count(b"\n") for file in journals(project))


def test_a_killed_run_continues_and_gives_the_same_rows(project):
    prepared(project, runs=6, sleep=0.4)
    running = subprocess.Popen(project.command("run", ID), cwd=project.root, env=project.environment())
    deadline = time.time() + 60
    while journal_lines(project) < 2 and time.time() < deadline:
        time.sleep(0.05)
    running.send_signal(signal.SIGKILL)
    running.wait()
    kept = journal_lines(project)
    assert 2 <= kept < 6
    with open(journals(project)[0], "ab") as file:  # as if killed in the middle of a line
        file.write(b'{"task": {"da')

    done = project.mr("run", ID)
    assert f"{kept} of 6 tasks are in the journal" in done.stdout
    resumed = rows(project)
    for file in journals(project):
        file.unlink()
    project.mr("run", ID, "--n-jobs", "2")
    pd.testing.assert_frame_equal(resumed, rows(project))
    assert resumed["state"].nunique() == 6  # every task has a seed of its own
    assert set(resumed["data_source"]) == {"generated"}


def test_a_failing_task_is_named_and_the_others_stay(project):
    done = prepared(project, f"run {ID}", broken=1, ok=False)
    assert done.returncode == 1
    assert '"run":1' in done.stderr and "ZeroDivisionError: this task is broken" in done.stderr
    assert journal_lines(project) == 2
    assert not (project.root / "quick" / "cache" / "runs").exists()


def test_other_parameters_code_or_seed_start_another_journal_but_comments_do_not(project):
    prepared(project, f"run {ID}")
    first = rows(project)
    module = project.root / "mr" / "experiments" / f"{ID}.py"
    module.write_text(module.read_text().replace('"""A tiny', '"""Edited: a tiny') + "\n# a remark\n")
    assert "3 of 3 tasks are in the journal" in project.mr("run", ID).stdout
    module.write_text(module.read_text().replace("uniform(0, 100)", "uniform(0, 50)"))
    assert "in the journal" not in project.mr("run", ID).stdout
    assert (rows(project)["error_pct"] < first["error_pct"]).all()
    project.params(seed=8)
    project.mr("run", ID)
    assert len(journals(project)) == 3


def test_equal_graphs_are_computed_once_and_missing_data_is_skipped(project):
    prepared(project, f"graph {ID}", f"run {ID}", f"results {ID}", "scoreboard", lost=True)
    card = json.loads((project.root / "quick" / "cache" / "cards" / f"{ID}.json").read_text())
    assert not card["lost"]["available"] and card["moons"]["shape"] == [40, 2]
    assert str(project.root) not in json.dumps(card)
    assert len(list((project.root / "quick" / "cache" / "pool").iterdir())) == 2  # one graph, one spectrum
    assert set(rows(project)["dataset"]) == {"moons"}
    board = pd.read_csv(project.root / "quick" / "data" / "scoreboard.csv", keep_default_na=False)
    assert board["verdict"].tolist()[1:] == ["no data", "pending"]
    assert board["note"].tolist() == ["", "It is lost.", ""]

    # results that were there before the data went missing stay
    file = project.root / "quick" / "data" / "results" / f"{ID}.csv"
    table = pd.read_csv(file)
    table.loc[table["dataset"] == "Lost", ["method", "setting", "metric"]] = ["Guess", "fake", "error_pct"]
    table.loc[table["dataset"] == "Lost", ["mean", "n_runs", "data_source"]] = [10.01, 3, "local"]
    table.to_csv(file, index=False)
    done = project.all(f"results {ID}", "scoreboard")
    assert "Lost is unavailable now; keeping its 1 earlier rows" in done.stderr
    assert pd.read_csv(project.root / "quick" / "data" / "scoreboard.csv")["verdict"].tolist()[1] == "exact"
