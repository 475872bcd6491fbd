"""Small parts of the engine."""

import json
from types import SimpleNamespace

import numpy as np
import pytest

from experiments.__main__ import main
from experiments.engine import params, paths, rows
from experiments.engine.errors import UsageError
from experiments.engine.files import replacing, write_text
from experiments.engine.inputs import Inputs, content_hash, hash_arrays
from experiments.engine.recheck import Comparison, compare
from experiments.engine.tasks import Job, relevant
from mr.datasets import Dataset


@pytest.fixture
def settings(monkeypatch, tmp_path):
    """Write a params.yaml of one's own."""
    file = tmp_path / "params.yaml"
    monkeypatch.setenv("MR_PARAMS", str(file))
    return file


def test_numbers_in_params_are_numbers(settings):
    settings.write_text("artifacts: {a: {paper: {grid: [1e-6, 1e+2, -2.5e-1, 3], name: 1e}, quick: {}}}")
    assert params.block("a", "paper") == {"grid": [1e-6, 100.0, -0.25, 3], "name": "1e"}
    with pytest.raises(UsageError, match="unknown profile of a 'papr' .did you mean 'paper'"):
        params.block("a", "papr")


BAD = {
    "artifacts: [": "is not valid YAML in line",
    "chen2012_table2: {}": "must have a section `artifacts:`",
    "artifacts: {a: {paper: {}}}": "artifacts.a needs the two blocks `paper:` and `quick:`",
    "artifacts: {a: 3}": "artifacts.a needs the two blocks",
}


@pytest.mark.parametrize("text", BAD)
def test_bad_params_get_one_clear_sentence(settings, text, capsys):
    settings.write_text(text)
    assert main(["list"]) == 2
    said = capsys.readouterr().err
    assert BAD[text] in said and said.count("\n") == 1


def test_params_agree_with_what_dvc_reads_and_name_their_modules():
    from dvc.utils.serialize import load_yaml

    parsed = load_yaml(str(paths.params_file()))
    for section in params.SECTIONS:
        for artifact, body in parsed[section].items():
            paper, _, name = artifact.partition("_")
            assert body["module"] == f"experiments/{paper}/{name}.py" and (paths.ROOT / body["module"]).exists()
            for profile in params.PROFILES:
                assert params.block(artifact, profile) == body[profile]


@pytest.mark.parametrize("artifact", params.ids())
def test_every_module_keeps_the_contract(artifact):
    module = params.load(artifact)
    for profile in params.PROFILES:
        block = params.block(artifact, profile)
        specs = params.dataset_specs(module, block)
        tasks = module.tasks(block)
        assert specs and tasks
        names = [json.dumps(task, sort_keys=True) for task in tasks]
        assert len(set(names)) == len(names)
        for task in tasks:
            assert not {"part", "parts"} & set(task), "how work is spread is no part of a task"
        for _, (of, _) in (module.graphs(block) if hasattr(module, "graphs") else {}).items():
            assert of in specs


def test_scheduling_and_other_entries_are_not_relevant():
    block = {"n_jobs": 2, "parts": 3, "seed": 0, "datasets": {"a": 1, "b": 2}, "methods": ["x", "y"]}
    assert relevant(block, {"dataset": "a", "method": "x"}) == {"seed": 0, "datasets": {"a": 1}}
    assert relevant(block, {"dataset": "z"}) == {"seed": 0, "datasets": {"a": 1, "b": 2}, "methods": ["x", "y"]}


def record(**columns):
    return rows.make_record(Job("a_b", {"method": "m"}, "k"), [columns], {"seconds": 1.0})


def test_records_keep_digits_and_refuse_changes():
    kept = record(error_pct=np.float64(1 / 3), name="n", fit_seconds=0.5, missing=float("nan"))
    assert kept["columns"] == {"error_pct": [0.3333333333], "name": ["n"], "missing": [None]}
    assert kept["measured"] == {"fit_seconds": [0.5]} and kept["checksum"] == rows.checksum(kept)
    kept["columns"]["error_pct"] = [0.3333333334]
    assert kept["checksum"] != rows.checksum(kept)
    frame = rows.frame([kept])
    assert frame.loc[0, "method"] == "m" and np.isnan(frame.loc[0, "missing"])


def test_a_row_s_own_entries_win_and_the_task_s_fill_the_others():
    job = Job("a_b", {"dataset": "d", "units": [0, 3]}, "k")
    kept = rows.make_record(job, [{"error_pct": 1.0}, {"error_pct": 2.0, "dataset": "other"}], {})
    frame = rows.frame([kept])
    assert frame["dataset"].tolist() == ["d", "other"] and frame["units"].tolist() == ["[0,3]"] * 2


def test_comparison_sorts_rows_into_equal_within_and_different():
    found = Comparison()
    old = record(error_pct=10.0, text="a", fit_seconds=1.0)
    for new in (
        record(error_pct=10.0, text="a", fit_seconds=9.0),
        record(error_pct=10.05, text="a", fit_seconds=1.0),
        record(error_pct=11.0, text="a", fit_seconds=1.0),
        record(error_pct=10.0, text="b", fit_seconds=1.0),
    ):
        found.add(old, new, {"error_pct": 0.1})  # fmt: skip
    assert (found.equal, found.within, len(found.differ)) == (1, 1, 2)
    found.add(old, record(other=1.0), {})
    assert "columns" in found.differ[-1]


def test_many_small_differences_are_not_rounding():
    for tolerance, moved in ((0.5, True), (12.0, False)):  # the second is known to hang on the last bits
        found = Comparison()
        for _ in range(10):
            found.add(record(error_pct=10.0), record(error_pct=10.1), {"error_pct": tolerance})
        assert found.within == 10 and found.moved == moved
    assert not Comparison(equal=95, within=5, close=5).moved


def test_columns_of_infinite_tolerance_are_not_compared():
    """Counts of iterations may differ by thousands; the largest difference is that of what must be equal."""
    found, tolerance = Comparison(), {"error_pct": 0.1, "n_iter": float("inf")}
    found.add(record(error_pct=10.0, n_iter=20000), record(error_pct=10.0, n_iter=5000), tolerance)
    found.add(record(error_pct=10.0, n_iter=20000), record(error_pct=10.05, n_iter=None), tolerance)
    assert (found.equal, found.within, found.differ) == (1, 1, [])
    assert found.largest == pytest.approx(0.05)


def test_rows_that_hang_on_the_last_bits_are_not_compared(monkeypatch):
    def records(value):
        kept = (
            rows.make_record(Job("a_b", {"solver": s}, s), [{"error_pct": value}], {}) for s in ("inverse", "primal")
        )
        return {record["key"]: record for record in kept}

    artifact = SimpleNamespace(unstable=lambda task: task["solver"] == "inverse")
    monkeypatch.setattr("experiments.engine.recheck.load", lambda name: artifact)
    assert [line.partition(":")[0] for line in compare("a_b", records(1.0), records(2.0)).differ] == ['{"solver"']
    del artifact.unstable
    assert len(compare("a_b", records(1.0), records(2.0)).differ) == 2


def test_a_journal_survives_torn_and_changed_lines(monkeypatch, tmp_path, capsys):
    monkeypatch.setenv("MR_WORKSPACE", str(tmp_path))
    journal = rows.Journal("journal", "a_b")
    assert journal.read() == {}
    for key in "xyz":
        journal.append(rows.make_record(Job("a_b", {}, key), [{"error_pct": 1.0}], {}))
    text = journal.path.read_text().replace('"key":"y"', '"key":"w"') + '{"task": {"b"'
    journal.path.write_text(text)
    assert list(journal.read()) == ["x", "z"], "a bad line in the middle loses itself only"
    assert "2 of 4 records are damaged" in capsys.readouterr().err
    assert list(rows.Journal("journal", "a_b").read()) == ["x", "z"]


def test_a_failed_write_leaves_the_old_file(tmp_path):
    file = tmp_path / "f.csv"
    write_text(file, "old")
    with pytest.raises(RuntimeError), replacing(file) as temporary:
        temporary.write_text("ne")
        raise RuntimeError
    assert file.read_text() == "old" and [p.name for p in tmp_path.iterdir()] == ["f.csv"]


def test_the_content_hash_ignores_last_bits_but_not_values():
    def data(x):
        return Dataset("d", np.array([[x, -0.0]]), np.array([0]), ("a",))

    assert content_hash(data(0.1)) == content_hash(data(0.1 + 1e-16)) != content_hash(data(0.1001))
    assert hash_arrays(np.array([1, 2], dtype=np.int32)) == hash_arrays(np.array([1, 2], dtype=np.int64))


def test_damaged_input_hashes_are_an_error(monkeypatch, tmp_path):
    monkeypatch.setenv("MR_WORKSPACE", str(tmp_path))
    write_text(tmp_path / "data" / "inputs" / "graphs.json", "{")
    with pytest.raises(UsageError, match="graphs.json is damaged"):
        Inputs()


@pytest.mark.parametrize("command", ["run", "publish", "summary"])
def test_an_unknown_id_suggests_the_nearest(command, capsys):
    assert main([command, "chen2012_tabl2"]) == 2
    assert "did you mean 'chen2012_table2'?" in capsys.readouterr().err


def test_help_and_list(capsys):
    with pytest.raises(SystemExit) as stop:
        main(["--help"])
    assert stop.value.code == 0 and "exit codes" in capsys.readouterr().out
    assert main(["list"]) == 0
    assert "chen2012_table2" in capsys.readouterr().out
