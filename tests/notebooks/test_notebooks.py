"""Every notebook is clean in git and has the common parameters; `make reproduce` runs them at quick scale."""

import nbformat
import papermill
import pytest

from experiments.engine import notebooks, paths
from experiments.engine.errors import UsageError

SHARED = {"profile", "recompute", "save"}


def source(name):
    return paths.notebooks_dir() / f"{name}.ipynb"


@pytest.mark.parametrize("name", notebooks.names())
def test_sources_are_clean(name):
    notebook = nbformat.read(source(name), as_version=4)
    nbformat.validate(notebook)
    ids = [cell.id for cell in notebook.cells]
    assert len(set(ids)) == len(ids)
    for cell in notebook.cells:
        assert set(cell.metadata) <= {"tags"}
        if cell.cell_type == "code":
            assert cell.outputs == [] and cell.execution_count is None
    assert source(name).stat().st_size < 100_000


@pytest.mark.parametrize("name", notebooks.names())
def test_a_plain_run_writes_nothing_and_reads_committed_results(name):
    known = papermill.inspect_notebook(str(source(name)))
    assert SHARED <= set(known)
    assert known["save"]["default"] == "False" and known["recompute"]["default"] == "False"
    assert known["profile"]["default"] == '"paper"'


def test_an_unknown_parameter_or_notebook_is_an_error():
    with pytest.raises(UsageError, match="no parameter 'n_point' .did you mean 'n_points'"):
        notebooks.execute("00_overview", "quick", {"n_point": 3})
    with pytest.raises(UsageError, match="did you mean '00_overview'"):
        notebooks.execute("00_overvew", "quick")


def test_normalising_strips_what_changes():
    cell = nbformat.v4.new_code_cell("x = 1", metadata={"papermill": {"duration": 1}, "execution": {"a": "1"}})
    cell.metadata["tags"] = ["injected-parameters"]
    cell.outputs = [nbformat.v4.new_output("stream", text=f"see {paths.ROOT}/figures")]
    book = nbformat.v4.new_notebook(cells=[cell], metadata={"papermill": {}})
    book.metadata["language_info"] = {"name": "python", "version": "3.11.7"}
    clean = notebooks.normalise(book)
    assert clean.metadata == {"language_info": {"name": "python"}}
    assert clean.cells[0].metadata == {"tags": ["injected-parameters"]} and clean.cells[0].id == "injected-parameters"
    assert clean.cells[0].outputs[0].text == "see ./figures"


def test_a_failing_notebook_overwrites_nothing(monkeypatch, tmp_path):
    monkeypatch.setenv("MR_WORKSPACE", str(tmp_path))
    target = tmp_path / "notebooks" / "executed" / "00_overview.ipynb"
    target.parent.mkdir(parents=True)
    target.write_text("old")
    with pytest.raises(Exception, match="nothing was overwritten"):
        notebooks.execute("00_overview", "quick", {"n_points": "many"})
    assert target.read_text() == "old" and not (tmp_path / "figures").exists()
