"""The pipeline under DVC and git: what reruns, what stays, and what ``verify`` notices."""

ID = "fake2000_table1"
MODULE = f"mr/experiments/{ID}.py"
EDITS = {  # file: (old, new, stage that becomes stale)
    MODULE: ("uniform(0, 100)", "uniform(0, 99)", f"run-{ID}"),
    "params.yaml": ("runs: 3", "runs: 4", f"data-{ID}"),
    f"data/results/{ID}.csv": ("Guess", "Gues", f"results-{ID}"),
    "mr/results/verdict.py": ("POINT = 1.0", "POINT = 2.0", "scoreboard"),
    "data/timing_order.csv": ("paper", "papers", "scoreboard"),
    "notebooks/executed/00_fake.ipynb": ("slope", "slop", "notebook-00"),
}


def test_a_fresh_clone_verifies_without_any_cache_and_edits_are_noticed(clone):
    assert not (clone.root / "cache").exists()
    assert "belong to the committed code" in clone.mr("verify").stdout
    assert clone.git("status", "--porcelain") == ""

    for file, (old, new, _) in EDITS.items():
        text = (clone.root / file).read_text()
        assert old in text
        (clone.root / file).write_text(text.replace(old, new))
    (clone.root / "figures" / "fake.pdf").unlink()
    done = clone.mr("verify", ok=False)
    assert done.returncode == 1 and "FAILED" in done.stderr
    stale = {line.split()[1]: line for line in done.stdout.splitlines() if line.startswith("stale: ")}
    for file, (_, _, stage) in EDITS.items():
        assert file in stale[stage]
    assert "figures/fake.pdf deleted" in stale["notebook-00"]

    module = clone.root / MODULE
    module.write_text(module.read_text() + "\nfrom mr import labels  # noqa\n")
    done = clone.all("verify", "pipeline --check", ok=False)
    assert done.stdout.count("dvc.yaml is out of date") == 2


def test_a_quick_run_leaves_git_alone_and_its_second_time_is_a_no_op(clone):
    first = clone.mr("reproduce")
    assert f"artifact-{ID}" in first.stdout
    assert "quick/figures/" in first.stdout and "quick/data/scoreboard.csv" in first.stdout
    assert (clone.root / "quick" / "figures" / "fake.pdf").exists()
    assert clone.git("status", "--porcelain") == ""
    second = clone.mr("reproduce", "--only", ID)
    # the card that misses data is looked for again, and nothing else runs
    assert [line for line in second.stdout.splitlines() if "Running" in line] == [f"Running stage 'artifact-{ID}':"]
    same = ["notebooks/executed/00_fake.ipynb", "figures/fake.pdf", "figures/fake.png", f"data/results/{ID}.csv"]
    for file in same:  # two independent executions, the same bytes
        assert (clone.root / file).read_bytes() == (clone.root / "quick" / file).read_bytes(), file


def test_a_failing_notebook_leaves_committed_figures_and_says_so(clone):
    clone.notebook(clone.figure_source() + "raise RuntimeError('no figure today')")
    done = clone.mr("notebook", "00_fake", "--profile", "paper", ok=False)
    assert "no figure today" in done.stderr and "nothing was overwritten" in done.stderr
    assert clone.git("status", "--porcelain").split() == ["M", "notebooks/00_fake.ipynb"]
