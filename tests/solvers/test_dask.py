"""Estimators on dask arrays, on dask's local scheduler: the numbers are those of one array, and no chunk is fetched."""

import numpy as np
import pytest
from sklearn.datasets import make_moons

import mr
from mr.solvers.blocks import RowBlocks

da = pytest.importorskip("dask.array")

X, TRUTH = make_moons(400, noise=0.1, random_state=0)
Y = np.where(np.arange(400) < 20, TRUTH, -1)
MACHINES = [mr.PVM(n_prototypes=20, random_state=0), mr.LapRLS(basis=30, random_state=0)]


@pytest.fixture(autouse=True)
def no_chunk_comes_here(monkeypatch):
    """Chunks of a dask array are never read by the process that fits."""
    read = RowBlocks._wholes

    def refuse(self):
        assert not isinstance(self.source, da.Array), "a chunk was fetched"
        return read(self)

    monkeypatch.setattr(RowBlocks, "_wholes", refuse)


def check(machine, array):
    machine = machine.set_params(graph=mr.KNNGraph().fit(X).affinity_) if hasattr(machine, "graph") else machine
    expected = machine.fit(X, Y)
    values, labels = expected.decision_function(X), expected.transduction_
    found = machine.fit(array, Y)
    assert np.abs(found.decision_function(X) - values).max() < 1e-8 * np.abs(values).max()
    assert (found.transduction_ == labels).all() and (found.predict(array) == labels).all()


@pytest.mark.parametrize("machine", MACHINES, ids=lambda machine: type(machine).__name__)
def test_without_a_cluster(machine):
    check(machine, da.from_array(X, chunks=(90, 1)))


def test_unknown_chunks_are_refused():
    array = da.from_array(X, chunks=(100, 2))
    with pytest.raises(ValueError, match="compute_chunk_sizes"):
        RowBlocks(array[array[:, 0] > 0]).take(np.arange(3))
