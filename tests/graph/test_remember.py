"""What joblib keeps is used again while the code is the same, and only then."""

import numpy as np
import pytest

from mr.graph import KNNGraph, as_graph
from mr.graph import remember as module
from mr.graph.remember import hash_of, remembered


@pytest.fixture
def fits(monkeypatch):
    """Number of graphs that were really fitted."""
    calls, fit = [], KNNGraph.fit
    monkeypatch.setattr(KNNGraph, "fit", lambda self, X, y=None: (calls.append(1), fit(self, X))[1])
    return calls


def test_a_graph_is_fitted_again_when_the_code_changed(tmp_path, fits, monkeypatch):
    X = np.random.default_rng(0).normal(size=(20, 2))
    for _ in range(2):
        remembered(str(tmp_path), as_graph)(KNNGraph(), X)
    assert len(fits) == 1
    monkeypatch.setattr(module, "fingerprint", lambda: "other code")
    remembered(str(tmp_path), as_graph)(KNNGraph(), X)
    assert len(fits) == 2


def test_without_memory_nothing_is_kept(fits):
    X = np.random.default_rng(0).normal(size=(20, 2))
    for _ in range(2):
        remembered(None, as_graph)(KNNGraph(), X)
    assert len(fits) == 2


def test_the_hash_sees_content_and_names_of_sources(tmp_path):
    folder, single = tmp_path / "graph", tmp_path / "pair_descent.py"
    folder.mkdir()
    (folder / "a.py").write_text("one")
    single.write_text("two")
    hashes = {hash_of([folder, single])}
    (folder / "notes.txt").write_text("no source")
    assert {hash_of([folder, single])} == hashes
    (folder / "a.py").write_text("changed")
    hashes.add(hash_of([folder, single]))
    (folder / "a.py").rename(folder / "b.py")
    hashes.add(hash_of([folder, single]))
    single.write_text("changed")
    hashes.add(hash_of([folder, single]))
    assert len(hashes) == 4
    assert module.fingerprint() == module.fingerprint()
