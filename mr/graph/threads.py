"""Sharing independent ranges of work among threads."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from functools import cache
from threading import Lock

from joblib import cpu_count
from threadpoolctl import ThreadpoolController


def n_threads(n_jobs) -> int:
    """Number of threads meant by ``n_jobs``: None or -1 is every core this process may use."""
    if n_jobs is None or n_jobs == -1:
        return cpu_count()
    if n_jobs < 0:
        return max(1, cpu_count() + 1 + n_jobs)
    return max(1, int(n_jobs))


def blas_threads() -> int:
    """Threads that BLAS may use now: runs that pin BLAS to one, because processes share the work, pin ours with it."""
    return max((pool["num_threads"] for pool in _pools().info() if pool["user_api"] == "blas"), default=1)


@cache
def _pools():
    # finding the loaded libraries takes milliseconds, asking them for their threads does not
    return ThreadpoolController()


_pinning = Lock()


def serial_blas():
    """Context in which BLAS stays on the calling thread.

    After a product of its own, BLAS's idle threads spin for tens of milliseconds and take the cores from ours.
    """
    with _pinning:
        # Who finds BLAS pinned, by another thread's team perhaps, must not restore "one thread" after the other left.
        return nullcontext() if blas_threads() == 1 else _pools().limit(limits=1, user_api="blas")


@contextmanager
def team(n_jobs):
    """Yield ``share(work, n)``, which calls ``work(lo, hi)`` on the parts of range(n), one part per thread.

    Matrix products inside run on the thread that asks for them: share them out too.
    """
    size = n_threads(n_jobs)
    with serial_blas(), ThreadPoolExecutor(size) as pool:

        def share(work, n, parts=size):
            edges = [n * part // parts for part in range(parts + 1)]
            # list() waits for every part and raises what a part raised
            list(pool.map(work, edges[:-1], edges[1:]))

        yield share
