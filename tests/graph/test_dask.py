"""Estimators on dask arrays: a real cluster of two worker processes, one of which is killed during a fit."""

import os
import signal
import threading
import time

import numpy as np
import pytest
from sklearn.datasets import make_moons

import mr
from mr.graph.blocks import RowBlocks

da = pytest.importorskip("dask.array")
distributed = pytest.importorskip("distributed")

X, TRUTH = make_moons(400, noise=0.1, random_state=0)
Y = np.where(np.arange(400) < 20, TRUTH, -1)
MACHINES = [
    mr.PVM(n_prototypes=20, random_state=0),
    mr.LapRLS(basis=30, random_state=0),
    mr.LapERLS(solver="nystroem", n_landmarks=30, n_eigenvectors=10, random_state=0),
    mr.AnchorGraph(n_anchors=20),
    mr.AnchorGraph(n_anchors=20, weights="nadaraya-watson"),
]


@pytest.fixture(scope="module")
def client():
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
    with distributed.LocalCluster(**options) as cluster, distributed.Client(cluster) as client:
        yield client


@pytest.fixture(autouse=True)
def no_chunk_comes_here(monkeypatch):
    """Chunks of a dask array are never read by the process that fits."""
    read = RowBlocks._wholes

    def refuse(self):
        assert not isinstance(self.source, da.Array), "a chunk was fetched"
        return read(self)

    monkeypatch.setattr(RowBlocks, "_wholes", refuse)


def slow(block):
    time.sleep(0.1)
    return block


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


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_neighbours_are_searched_where_the_chunks_are(metric, monkeypatch):
    monkeypatch.setattr(mr.graph.cluster_search, "SIZE", 50)
    monkeypatch.setattr(mr.graph.cluster_search, "OVERLAP", 1)  # so that some neighbours are missed
    graph = mr.KNNGraph(5, metric=metric, method="clusters")
    expected = graph.fit(X)
    matrix, recall = expected.affinity_, expected.recall_
    found = graph.fit(da.from_array(X, chunks=(90, 1)))
    assert abs(found.affinity_ - matrix).max() < 1e-12 and found.recall_ == pytest.approx(recall, abs=1e-12)
    assert 0.5 < recall < 1.0 and found.n_features_in_ == 2


def test_a_machine_on_a_graph_of_clusters(monkeypatch):
    monkeypatch.setattr(mr.graph.cluster_search, "SIZE", 150)
    machine = mr.LapRLS(basis=30, graph=mr.KNNGraph(method="clusters"), random_state=0)
    values = machine.fit(X, Y).decision_function(X)
    found = machine.fit(da.from_array(X, chunks=(90, 2)), Y).decision_function(X)
    assert np.abs(found - values).max() < 1e-8 * np.abs(values).max()


def test_cosine_weights_of_euclidean_neighbours_need_all_points():
    with pytest.raises(ValueError, match="needs metric='cosine'"):
        mr.KNNGraph(weights="cosine", method="clusters").fit(da.from_array(X, chunks=(90, 2)))


def test_unknown_chunks_are_refused():
    array = da.from_array(X, chunks=(100, 2))
    with pytest.raises(ValueError, match="compute_chunk_sizes"):
        RowBlocks(array[array[:, 0] > 0]).take(np.arange(3))


def test_on_two_workers_that_can_be_lost(client):
    array = da.from_array(X, chunks=(50, 2)).map_blocks(slow, dtype=X.dtype)
    for machine in MACHINES:
        check(machine, array)
    before = client.run(os.getpid)
    assert len(set(before.values())) == 2
    victim = next(iter(before.values()))
    threading.Timer(0.5, os.kill, (victim, signal.SIGKILL)).start()
    start = time.monotonic()
    check(MACHINES[0], array.persist())
    assert time.monotonic() - start > 0.5  # the worker was lost during the fit, not after it
    client.wait_for_workers(2)
    assert victim not in client.run(os.getpid).values()
