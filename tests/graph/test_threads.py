"""A team of threads keeps BLAS from starting threads of its own, and leaves it as it was."""

import os
from threading import Barrier, Thread

import pytest
from threadpoolctl import threadpool_limits

from mr.graph.threads import blas_threads, team


@pytest.fixture
def two_threads():
    with threadpool_limits(2, user_api="blas"):
        assert blas_threads() == 2
        yield


@pytest.mark.skipif("PYTEST_XDIST_WORKER" not in os.environ, reason="one process may use all cores")
def test_workers_of_the_suite_do_not_fight_for_cores():
    assert blas_threads() == 1


def test_team_shares_every_index_once():
    seen = []
    with team(3) as share:
        share(lambda low, high: seen.extend(range(low, high)), 10)
    assert sorted(seen) == list(range(10))


def test_blas_is_serial_inside_and_restored_after_an_error(two_threads):
    with pytest.raises(ZeroDivisionError), team(2) as share:
        assert blas_threads() == 1
        share(lambda low, high: 1 / 0, 4)
    assert blas_threads() == 2


def test_overlapping_teams_leave_blas_as_it_was(two_threads):
    both_inside, one_left = Barrier(2, timeout=30), Barrier(2, timeout=30)

    def leave_first():
        with team(1):
            both_inside.wait()
        one_left.wait()

    other = Thread(target=leave_first)
    other.start()
    with team(1):
        both_inside.wait()
        one_left.wait()
    other.join()
    assert blas_threads() == 2
