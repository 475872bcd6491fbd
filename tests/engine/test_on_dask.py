"""The tasks of an artifact on a real cluster of two worker processes."""

import os

import pytest

from experiments import on_dask
from experiments.engine import rows

distributed = pytest.importorskip("distributed")
ARTIFACT = "chen2012_limits"


@pytest.fixture
def cluster(tmp_path, monkeypatch):
    monkeypatch.setenv("MR_WORKSPACE", str(tmp_path))  # workers inherit it
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        yield cluster


def test_tasks_run_on_the_workers(cluster):
    with distributed.Client(cluster) as client:
        before = set(client.run(os.getpid).values())
        assert on_dask.main([cluster.scheduler_address, "run", ARTIFACT, "--profile", "quick"]) == 0
        assert set(client.run(os.getpid).values()) == before  # a task ends no worker
        computed = client.run_on_scheduler(_computed)
    assert 0 < len(rows.read_committed(ARTIFACT)) <= computed


def _computed(dask_scheduler) -> int:
    """Tasks that the workers have finished."""
    return sum(event[2] == "memory" for event in dask_scheduler.transition_log)


def test_an_address_and_a_command_are_needed(capsys):
    assert on_dask.main(["tcp://localhost:8786"]) == 2
    assert "ADDRESS COMMAND" in capsys.readouterr().err
