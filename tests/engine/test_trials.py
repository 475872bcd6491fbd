"""The five trials of the design: what a refactoring, a wrong number, a tampered file, an upgrade and a new table do."""

import gzip
import json
import shutil

import pytest

ID = "fake2000_table1"
RUNS = f"data/runs/{ID}.jsonl.gz"
RESULTS = "data/results/fake2000/table1.csv"


def test_1_a_refactoring_that_changes_no_number_is_accepted(clone):
    clone.edit("mr/graph/knn_graph.py", "class KNNGraph", "UNUSED_NAME = 1\n\n\nclass KNNGraph")
    said = clone.run("verify", "recheck")
    assert f"due for a recheck (make recheck, needs the data): {ID}" in said
    assert "due for a recheck (the code changed)" in said and "today's code gives the committed rows" in said
    assert ID in (clone.root / "data" / "rechecks.csv").read_text()
    assert "due for a recheck" not in clone.run("verify", "recheck")


def test_comments_and_docstrings_are_not_due(clone):
    clone.edit("mr/graph/knn_graph.py", "class KNNGraph", "# a remark\n\n\nclass KNNGraph")
    assert "due for a recheck" not in clone.run("verify")


def test_2_a_changed_number_fails_the_recheck_and_names_the_artifact(clone):
    heat = "-0.5"
    clone.edit("mr/graph/knn_graph.py", heat, "-0.505")
    said = clone.run("recheck", code=1)
    assert f"FAILED for {ID}" in said and "content of graphs" in said
    assert not (clone.root / "data" / "rechecks.csv").exists()


def test_2_a_changed_machine_fails_the_recheck(clone):
    clone.edit(
        "mr/solvers/rls.py",
        "system.flat[:: len(system) + 1] += ridge",
        "system.flat[:: len(system) + 1] += 1.01 * ridge",
    )
    said = clone.run("recheck", code=1)
    assert f"FAILED for {ID}" in said and "largest" in said


def raw_row(text):
    return text.replace('"largest":[', '"largest":[1', 1)


TAMPERED = {
    RUNS: raw_row,
    RESULTS: lambda text: text.replace(
        "fake2000_table1,Moons,Guess,fake,error_pct,", "fake2000_table1,Moons,Guess,fake,error_pct,1", 1
    ),
    "data/scoreboard.csv": lambda text: text.replace("50.0", "51.0", 1),
    "data/metrics.json": lambda text: text.replace("0", "7", 1),
    "data/claims_judged.csv": lambda text: text + "x\n",
    "figures/fake2000/fig1.pdf": lambda text: text.replace("1", "2", 1),
    "notebooks/executed/01_fake2000.ipynb": lambda text: text.replace("slope", "slipe", 1),
}


def test_3_what_was_not_changed_belongs_together(clone):
    assert "belong together" in clone.run("verify")


@pytest.mark.parametrize("name", TAMPERED)
def test_3_a_changed_digit_is_found_and_named(clone, name):
    file = clone.root / name
    read = gzip.decompress if name.endswith(".gz") else bytes
    write = gzip.compress if name.endswith(".gz") else bytes
    before = read(file.read_bytes()).decode("latin-1")
    after = TAMPERED[name](before)
    assert after != before
    file.write_bytes(write(after.encode("latin-1")))
    assert name in clone.run("verify", code=1)


def test_3_a_missing_or_foreign_record_is_found(clone):
    file = clone.root / RUNS
    lines = gzip.decompress(file.read_bytes()).splitlines(keepends=True)
    file.write_bytes(gzip.compress(b"".join(lines[:-1])))
    assert "rows of 1 tasks are missing" in clone.run("verify", code=1)


def test_4_an_upgraded_package_makes_rows_due_and_is_named(clone):
    clone.edit(
        "experiments/engine/provenance.py",
        "return metadata.version(name)",
        'return "99.0" if name == "scikit-learn" else metadata.version(name)',
    )
    said = clone.run("recheck")
    assert "scikit-learn" in said and "became 99.0" in said and "today's code gives the committed rows" in said


def test_5_a_new_paper_needs_a_module_and_a_block(clone):
    shutil.copytree(clone.root / "experiments" / "fake2000", clone.root / "experiments" / "other2001")
    clone.edit("experiments/other2001/table1.py", "fake2000_table1", "other2001_table1")
    clone.params("other2001_table1")
    reported = clone.root / "data" / "reported.csv"
    reported.write_text(reported.read_text() + "other2001,1,Moons,Guess,fake,error_pct,50.0,1.0,\n")
    assert "run@other2001_table1" in clone.dvc("dag")
    clone.run("run other2001_table1", "summary other2001_table1", "scoreboard")
    assert "other2001,1,Moons" in (clone.root / "data" / "scoreboard.csv").read_text()


def test_nothing_changed_runs_nothing(dvc_project):
    assert "Data and pipelines are up to date" in dvc_project.dvc("status")
    assert "Running stage" not in dvc_project.dvc("repro")
    assert dvc_project.git("status", "--porcelain") == ""


def test_a_clone_without_cache_needs_no_run_for_summaries(clone):
    """A corrected summary costs seconds: rows come from the committed file."""
    clone.edit("experiments/fake2000/table1.py", '"fake", group', '"fake, corrected", group')
    said = clone.dvc("repro", "--allow-missing")
    assert "summary@fake2000" in said and "fake, corrected" in (clone.root / RESULTS).read_text()
    assert "task/s" not in said  # no task ran


def test_experiments_of_dvc(dvc_project, tmp_path):
    dvc_project.dvc("exp", "run", "--temp", "-S", f"artifacts.{ID}.paper.runs=2")
    assert json.loads(dvc_project.dvc("metrics", "show", "--json").splitlines()[-1])


def test_a_reader_s_rerun_reports_and_leaves_the_files_alone(clone):
    said = clone.run(f"reproduce --profile paper --only {ID}")
    assert "report: 4 rows equal, 0 within tolerance, 0 values differ" in said and "verdicts that change: 0" in said
    assert clone.git("status", "--porcelain") == ""
    clone.edit(
        "mr/solvers/rls.py",
        "system.flat[:: len(system) + 1] += ridge",
        "system.flat[:: len(system) + 1] += 2 * ridge",
    )
    (clone.root / "cache" / "rerun" / f"{ID}.jsonl").unlink()
    said = clone.run(f"reproduce --profile paper --only {ID}")
    assert "largest" in said and "report: 1 rows equal" in said
    assert "data/" not in clone.git("status", "--porcelain")
    clone.run(f"reproduce --profile paper --only {ID} --accept")
    changed = clone.git("status", "--porcelain")
    assert RUNS in changed and RESULTS in changed
    assert "belong together" in clone.run("verify")


def test_quick_scale_writes_below_quick_only(clone):
    clone.run("reproduce")
    assert (clone.root / "quick" / RESULTS).exists() and (
        clone.root / "quick" / "figures" / "fake2000" / "fig1.png"
    ).exists()
    assert clone.git("status", "--porcelain") == ""
