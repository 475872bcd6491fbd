"""Small parts of the machinery."""

import numpy as np
import pytest

from experiments.engine import paths
from mr.datasets import Dataset
from experiments.engine import dataset_specs
from experiments.engine import params
from experiments.engine.cards import content_hash
from experiments.engine.errors import UsageError
from experiments.engine.files import canonical, replacing, write_text
from experiments.engine.journal import Journal


def test_numbers_in_params_are_numbers(monkeypatch, tmp_path):
    file = tmp_path / "params.yaml"
    file.write_text("a: {paper: {grid: [1e-6, 1e+2, 1E3, -2.5e-1, 3, .5e1], name: 1e, seed: 0}}")
    monkeypatch.setattr(paths, "params_file", lambda: file)
    block = params.block("a", "paper")
    assert block["grid"] == [1e-6, 100.0, 1000.0, -0.25, 3, 5.0]
    assert block["name"] == "1e"
    with pytest.raises(UsageError, match="no profile 'quick'"):
        params.block("a", "quick")


def test_params_agree_with_what_dvc_reads():
    from dvc.utils.serialize import load_yaml

    assert load_yaml(str(paths.params_file())) == params.load()


def test_a_journal_survives_a_torn_line(tmp_path):
    journal = Journal(tmp_path / "a" / "j.jsonl")
    assert journal.load() == {}
    journal.append({"b": 1, "a": 2}, [{"x": np.float64(0.5)}])
    with open(journal.path, "ab") as file:
        file.write(b'{"task": {"b"')
    assert Journal(journal.path).load() == {canonical({"a": 2, "b": 1}): [{"x": 0.5}]}
    journal.append({"c": 3}, [])
    assert len(Journal(journal.path).load()) == 2


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


def test_data_sets_may_be_names_pairs_or_a_dict():
    class Module:
        __name__ = "m"

        @staticmethod
        def datasets(params):
            return params["d"]

    assert dataset_specs(Module, {"d": ["a", ("b", {"n": 2})]}) == {"a": ("a", {}), "b": ("b", {"n": 2})}
    assert dataset_specs(Module, {"d": {"x": ("b", {"n": 2}), "y": "b"}}) == {"x": ("b", {"n": 2}), "y": ("b", {})}
    Module.__name__ = "m"
    with pytest.raises(UsageError, match="twice"):
        dataset_specs(Module, {"d": ["a", "a"]})
