"""What the site is made from: the explorer's data, public names, links, pages of code. No Sphinx, no browser."""

import importlib.util
import inspect
import json
import pkgutil
import re

import pytest

import mr
from experiments.engine.errors import UsageError
from experiments.scoreboard import read_scoreboard
from experiments.site import api, board, build, links, methods, overview, pages
from tests.source_reading import ROOT


@pytest.fixture(scope="module")
def data() -> dict:
    return json.loads(json.dumps(board.explorer_data(), allow_nan=False))


def test_every_printed_cell_is_there_once_and_unchanged(data):
    table = read_scoreboard()
    assert len({cell["id"] for cell in data["cells"]}) == len(data["cells"]) == len(table)
    for cell, row in zip(data["cells"], table.to_dict("records"), strict=True):
        assert (cell["paper"], cell["dataset"], cell["method"], cell["verdict"]) == (
            row["paper"], row["dataset"], row["method"], row["verdict"],
        )  # fmt: skip
        assert cell["printed"] == pytest.approx(row["reported_mean"])
        assert cell["ours"] is None or cell["ours"] == pytest.approx(row["ours_mean"])


def test_a_cell_names_the_variant_that_explains_it(data):
    explained = [cell for cell in data["cells"] if cell["status"] == "demonstrated"]
    for cell in explained:
        assert [variant["explains"] for variant in cell["variants"]].count(True) == 1, cell["id"]


def test_the_example_of_the_overview_is_a_cell(data):
    named = re.findall(r"open=([\w.-]+)", (ROOT / "docs" / "index.md").read_text(encoding="utf-8"))
    assert named and set(named) <= {cell["id"] for cell in data["cells"]}


def test_a_cell_leads_to_files_that_exist(data):
    for entry in data["artifacts"].values():
        assert (ROOT / entry["protocol"]).is_file()
        assert re.fullmatch(r"make reproduce PROFILE=paper ONLY=\w+", entry["command"])
    for name, files in data["classes"].items():
        assert files and all((ROOT / file).is_file() for file in files), name
    for claim in data["claims"]:
        assert not claim["test"] or (ROOT / claim["test"].split(":")[0]).is_file()


def test_rows_behind_a_cell_state_code_environment_and_data(data):
    with_rows = [cell for cell in data["cells"] if cell["provenance"]["tasks"]]
    assert with_rows
    for cell in with_rows:
        found = cell["provenance"]
        assert found["code"] and found["environment"] and found["date"] and found["data"], cell["id"]


def test_a_method_without_a_class_is_a_known_one(data):
    for method in {cell["method"] for cell in data["cells"]}:
        plain = re.sub(r"\(.*\)$", "", method)
        listed = methods.CLASSES.get(method, methods.CLASSES.get(plain))
        assert methods.class_of(method) or listed == "", f"{method}: not a public class and not in methods.CLASSES"


def test_every_public_name_has_a_page():
    listed = {name for names in api.public_names().values() for name in names}
    short = {name.removeprefix("mr.") for name in listed if name.count(".") == 1}
    for name in dir(mr):
        if name != "__version__" and not inspect.ismodule(getattr(mr, name)):
            assert name in short, name
    for room in [info.name for info in pkgutil.iter_modules(mr.__path__) if info.name in dir(mr)]:
        for name in importlib.import_module(f"mr.{room}").__all__:
            assert name in short or f"mr.{room}.{name}" in listed, f"mr.{room}.{name}"
    assert len(listed) == sum(len(names) for names in api.public_names().values()), "a name is documented twice"
    assert all(f"   {name}\n" in api.index_page() for name in listed)


SECTIONS = ("Examples", "See Also")
NO_PLACE = {"mr.model_selection.labelled_accuracy", "mr.model_selection.labelled_r2"}  # objects: scorers of one class


def test_every_public_name_has_examples_and_says_what_belongs_to_it():
    for name in (name for names in api.public_names().values() for name in names):
        module, _, short = name.rpartition(".")
        thing = getattr(importlib.import_module(module), short)
        if (inspect.isclass(thing) or inspect.isfunction(thing)) and name not in NO_PLACE:
            text = inspect.getdoc(thing)
            missing = [title for title in SECTIONS if f"\n{title}\n---" not in text]
            assert not missing, f"{name}: no section {missing}"


def mathml():
    spec = importlib.util.spec_from_file_location("mathml", ROOT / "docs" / "_ext" / "mathml.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("latex", "above", "below"),
    [(r"\tfrac12 \|f\|^2", "1", "2"), (r"\frac1l \sum", "1", "l"), (r"\frac{1}{2} a", "1", "2")],
)
def test_a_fraction_has_one_digit_above_as_in_tex(latex, above, below):
    drawn = re.sub(r"\s", "", mathml().to_mathml(latex, block=False))
    assert re.search(rf"<mfrac[^>]*><mn>{above}</mn><m[ni]>{below}</m[ni]></mfrac>", drawn), drawn


def test_the_single_draws_of_a_cell_have_its_mean(data):
    found = [cell for cell in data["cells"] if cell["draws"]]
    assert any(len(cell["draws"]) > 1 for cell in found)
    for cell in found:
        assert len(cell["draws"]) == cell["n_runs"], cell["id"]
        assert sum(cell["draws"]) / len(cell["draws"]) == pytest.approx(cell["ours"], rel=1e-4), cell["id"]


def test_the_overview_counts_what_the_scoreboard_holds():
    text = overview.pieces()["glance.md"]
    counts = read_scoreboard()["status"].value_counts()
    for name in overview.STATUSES:
        assert f">{counts.get(name, 0)}</a>" in text.partition(">all</a>")[2]


def test_broken_links_are_found(tmp_path):
    (tmp_path / "a.html").write_text(
        '<a href="b.html#there">1</a><a href="b.html#no">2</a><a href="c.html">3</a>'
        '<a href="http://elsewhere.org">4</a><img src="http://elsewhere.org/x.png">'
    )
    (tmp_path / "b.html").write_text('<p id="there"></p><a href="a.html#row">5</a>')
    assert links.broken(tmp_path, {"a.html": {"row"}}) == [
        "a.html -> b.html#no: there is no such anchor",
        "a.html -> c.html: there is no such file",
        "a.html loads http://elsewhere.org/x.png from another host",
    ]


def test_a_page_must_print_what_it_shows(tmp_path):
    page = tmp_path / "page.md"
    code = "```python\nimport matplotlib.pyplot as plt\nplt.figure()\nprint(1 + 1)\n```\n"
    code += "```text\n{}\n```\n<!-- picture: A. -->\n"
    page.write_text(code.format(2))
    assert "```{figure} page-1.png\n:alt: A." in pages.run(page, tmp_path) and (tmp_path / "page-1.png").exists()
    page.write_text(code.format(3))
    with pytest.raises(UsageError, match="page.md prints\n2\nwhere it shows\n3"):
        pages.run(page, tmp_path)
    assert pages.filled(page) == code.format(2)
    page.write_text("no picture")
    with pytest.raises(UsageError, match="needs a picture"):
        pages.run(page, tmp_path)


def test_guide_gallery_and_extending_are_complete():
    names = {path.stem for path in build.pages_of_code()}
    guide = "own_data which_estimator choosing_parameters graphs large_data imbalance pitfalls"
    assert set(guide.split()) <= names
    assert {"paper", "estimator", "dataset"} <= names
    assert len(list((ROOT / "docs" / "examples").glob("plot_*.py"))) >= 10
