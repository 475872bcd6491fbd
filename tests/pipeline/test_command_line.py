"""Messages and exit codes of ``python -m mr``, in this process."""

import pytest

from mr import cli
from experiments.engine import cli_pipeline as pipeline
from experiments.engine import ids


@pytest.fixture(autouse=True)
def workspace(monkeypatch, tmp_path):
    monkeypatch.setenv("MR_WORKSPACE", str(tmp_path))


def test_help_has_examples(capsys):
    with pytest.raises(SystemExit) as stop:
        cli.main(["--help"])
    assert stop.value.code == 0
    shown = capsys.readouterr().out
    assert "examples:" in shown and "exit codes" in shown


@pytest.mark.parametrize("command", ["run", "graph", "spectrum", "results"])
def test_an_unknown_id_suggests_the_nearest(command, capsys):
    assert cli.main([command, "chen2012_tabl2"]) == 2
    assert "did you mean 'chen2012_table2'?" in capsys.readouterr().err


def test_unknown_data_and_notebooks_suggest_too(capsys):
    assert cli.main(["data", "two_mons"]) == 2
    assert "did you mean 'two_moons'?" in capsys.readouterr().err
    assert cli.main(["notebook", "00_overvew"]) == 2
    assert "did you mean '00_overview'?" in capsys.readouterr().err


def test_a_missing_step_is_named(capsys):
    assert cli.main(["run", "chen2012_table2"]) == 2
    assert "first: python -m mr data chen2012_table2" in capsys.readouterr().err


def test_data_lists_and_loads(capsys):
    assert cli.main(["data"]) == 0
    assert "two_moons" in capsys.readouterr().out
    assert cli.main(["data", "two_moons"]) == 0
    assert "generated" in capsys.readouterr().out


def test_the_committed_pipeline_is_what_the_generator_writes():
    assert pipeline.out_of_date() == []


def test_graph_stages_do_not_depend_on_solvers_and_no_stage_depends_on_a_folder_of_code():
    import yaml

    from mr import paths

    stages = yaml.safe_load(pipeline.render(paths.ROOT, "paper", ids()))["stages"]
    for name, stage in stages.items():
        assert not [dep for dep in stage["deps"] if (paths.ROOT / dep).is_dir() and not dep.startswith("cache/")]
        if name.startswith(("data-", "graph-", "spectrum-")):
            assert not [dep for dep in stage["deps"] if dep.startswith(("mr/solvers", "mr/estimators", "mr/kernels"))]


def test_every_artifact_has_both_profiles_and_every_module_a_block():
    import re

    from mr import paths
    from experiments.engine import params

    blocks = params.load()
    assert all({"paper", "quick"} <= set(block) for block in blocks.values())
    files = [file.stem for file in (paths.ROOT / "mr" / "experiments").glob("*.py")]
    assert sorted(f for f in files if re.fullmatch(r"[a-z]+\d{4}_(table|fig)\d+", f)) == sorted(
        i for i in ids() if re.fullmatch(r"[a-z]+\d{4}_(table|fig)\d+", i)
    )
