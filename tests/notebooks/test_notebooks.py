"""Every notebook is clean in git and runs at quick scale."""

import nbformat
import pytest

from experiments.engine import cli_notebooks as notebooks
from experiments.engine import paths
from experiments.engine.errors import UsageError


@pytest.mark.parametrize("name", notebooks.names())
def test_sources_are_clean(name):
    notebook = notebooks.read(name)
    nbformat.validate(notebook)
    ids = [cell.id for cell in notebook.cells]
    assert len(set(ids)) == len(ids)
    assert [cell for cell in notebook.cells if "parameters" in cell.metadata.get("tags", [])]
    for cell in notebook.cells:
        assert set(cell.metadata) <= {"tags"}
        if cell.cell_type == "code":
            assert cell.outputs == [] and cell.execution_count is None
            assert "def " not in cell.source  # code lives in mr
    assert notebooks.source_file(name).stat().st_size < 100_000


@pytest.mark.parametrize("name", notebooks.names())
def test_runs_at_quick_scale(name, monkeypatch, tmp_path):
    monkeypatch.setenv("MR_WORKSPACE", str(tmp_path))
    monkeypatch.setenv("PYTHONPATH", str(paths.ROOT))
    executed = notebooks.execute(name, "quick")
    assert executed.stat().st_size < notebooks.LIMIT
    text = executed.read_text(encoding="utf-8")
    assert str(paths.ROOT) not in text and str(tmp_path) not in text
    notebook = nbformat.reads(text, as_version=4)
    assert "papermill" not in notebook.metadata
    made = {file.name for file in paths.figures_dir().iterdir()}
    assert made == {f"{name}.{kind}" for name in notebooks.declaration(name)["figures"] for kind in ("pdf", "png")}


def test_an_unknown_parameter_is_an_error():
    with pytest.raises(UsageError, match="no parameter 'n_point' .did you mean 'n_points'"):
        notebooks.execute("00_overview", "quick", {"n_point": 3})


def test_figures_must_be_those_declared(tmp_path):
    (tmp_path / "a.pdf").touch()
    notebooks._check_figures("x", ["a"], tmp_path)
    with pytest.raises(UsageError, match=r"declares the figures \['b'\] in its metadata but made \['a'\]"):
        notebooks._check_figures("x", ["b"], tmp_path)


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
