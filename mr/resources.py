"""What a machine can give: memory asked for beforehand, and long calls that can be interrupted."""

import ctypes
import os
import threading
from functools import cache, partial

import numpy as np
from scipy import linalg

GIBIBYTE = 2**30
ONE_SECOND = 2000
"""Rows of a symmetric matrix that is diagonalised in about a second."""
COPIED = 64
"""Rows or columns copied at once into another order: what is read and written of them stays in the cache."""
LONG_LOOP = 1000
"""Variables from which on a loop in compiled code may take longer than a second."""


def available_memory() -> int | None:
    """Bytes that can be allocated without swapping, or None where the system does not say."""
    try:
        with open("/proc/meminfo") as file:
            for line in file:
                if line.startswith("MemAvailable:"):
                    return 1024 * int(line.split()[1])
    except OSError:
        pass
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return None


def require_memory(n_bytes, purpose, instead):
    """Raise MemoryError, which says what was needed and what to do instead, before anything is allocated."""
    available = available_memory()
    if available is not None and n_bytes > available:
        raise MemoryError(
            f"{purpose} needs {n_bytes / GIBIBYTE:.1f} GiB, but {available / GIBIBYTE:.1f} GiB are available. {instead}"
        )


def interruptible(call, *arguments, **options):
    """``call(...)``, in a thread of its own while this one waits: Ctrl-C is answered at once.

    For single calls into compiled code that take seconds and release the interpreter's lock. A call that was
    interrupted runs to its end in the background; its result is dropped.
    """
    if threading.current_thread() is not threading.main_thread():
        return call(*arguments, **options)  # only the main thread receives Ctrl-C
    outcome = {}

    def work():
        try:
            outcome["result"] = call(*arguments, **options)
        except BaseException as error:  # raised again where the caller can see it
            outcome["error"] = error

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    while thread.is_alive():
        thread.join(0.1)
    if "error" in outcome:
        raise outcome["error"]
    return outcome["result"]


def interruptible_loop(loop, n):
    """A compiled loop over n variables without the interpreter's lock, in a thread of its own where it may be long."""
    return partial(interruptible, loop) if n > LONG_LOOP else loop


def lapack_routine(name):
    """A routine of scipy's LAPACK that releases the interpreter's lock, which those of :mod:`scipy.linalg.lapack` hold.

    Its arguments are those of the Fortran routine: a letter, an int, a float or an array, which is changed in place.
    With :func:`interruptible`, a call of minutes can be interrupted.
    """
    return _unlocked("scipy.linalg.cython_lapack", name)


def blas_routine(name):
    """As :func:`lapack_routine`, of scipy's BLAS."""
    return _unlocked("scipy.linalg.cython_blas", name)


@cache
def _unlocked(module, name):
    from numba.extending import get_cython_function_address

    routine = ctypes.CFUNCTYPE(None)(get_cython_function_address(module, name))

    def call(*arguments):
        held = [_in_memory(argument) for argument in arguments]
        routine(*(ctypes.c_void_p(address) for address, _ in held))

    return call


def _in_memory(argument):
    """The address of an argument, and what has to live for as long as the address is used.

    Addresses are plain numbers: a pointer that ``ctypes.cast`` makes refers to itself, and would keep an array of many
    megabytes until Python looks for such cycles.
    """
    if isinstance(argument, np.ndarray):
        return argument.ctypes.data, argument
    if isinstance(argument, str):
        held = ctypes.create_string_buffer(argument.encode())
    else:
        held = (ctypes.c_int if isinstance(argument, int) else ctypes.c_double)(argument)
    return ctypes.addressof(held), held


def eigenpairs(A, B=None, largest=None):
    """All v with A v = s v or A v = s B v, or those of the ``largest`` s, by scipy's ``eigh``.

    It holds the interpreter's lock: beyond a second of work numpy's takes its place, which does not.
    """
    n, kept = len(A), len(A) if largest is None else largest
    if n <= ONE_SECOND:
        return linalg.eigh(A, B, subset_by_index=None if largest is None else [n - kept, n - 1])
    if B is None:
        values, vectors = interruptible(np.linalg.eigh, A)
        return values[n - kept :], vectors[:, n - kept :]
    lower = interruptible(np.linalg.cholesky, B)
    half = interruptible(np.linalg.solve, lower, A)
    values, vectors = interruptible(np.linalg.eigh, interruptible(np.linalg.solve, lower, half.T))
    return values[n - kept :], interruptible(np.linalg.solve, lower.T, vectors[:, n - kept :])


def fortran_copy(A) -> np.ndarray:
    """A matrix as doubles in Fortran order, copied in parts: Ctrl-C is answered in between."""
    A = np.asarray(A)
    copy = np.empty(A.shape, order="F")
    if A.flags.f_contiguous:
        for start in range(0, A.shape[1], COPIED):
            copy[:, start : start + COPIED] = A[:, start : start + COPIED]
    else:
        for start in range(0, len(A), COPIED):
            copy[start : start + COPIED] = A[start : start + COPIED]
    return copy


def positive_solution(A, B):
    """A^-1 B by Cholesky's factor of A, as scipy's ``cho_factor`` and ``cho_solve`` find it, which hold the lock.

    LinAlgError if A is not positive definite up to rounding.
    """
    n = len(A)
    if n <= ONE_SECOND:
        return linalg.cho_solve(linalg.cho_factor(A, lower=True, check_finite=False), B)
    factor, failed = fortran_copy(A), np.zeros(1, dtype=np.intc)
    x = np.array(np.asarray_chkfinite(B, dtype=float).reshape(n, -1), order="F")
    interruptible(lapack_routine("dpotrf"), "L", n, factor, n, failed)
    if failed[0]:
        raise linalg.LinAlgError(f"{failed[0]}-th leading minor of the array is not positive definite")
    interruptible(lapack_routine("dpotrs"), "L", n, x.shape[1], factor, n, x, n, failed)
    return x.reshape(np.shape(B))


def positive_inverse(A):
    """A^-1, all of it, from Cholesky's factor in half the time of solving for every column; A is overwritten.

    ``A`` has Fortran order. LinAlgError if it is not positive definite up to rounding; then half of it is lost.
    """
    n, failed = len(A), np.zeros(1, dtype=np.intc)
    run = interruptible if n > ONE_SECOND else lambda call, *arguments: call(*arguments)
    for name in ("dpotrf", "dpotri"):
        run(lapack_routine(name), "L", n, A, n, failed)
        if failed[0]:
            raise linalg.LinAlgError(f"{failed[0]}-th leading minor of the array is not positive definite")
    for start in range(0, n, COPIED):  # the factor's triangle onto the other one
        stop = min(start + COPIED, n)
        block = A[start:stop, start:stop]
        block[...] = np.tril(block) + np.tril(block, -1).T
        A[start:stop, stop:] = A[stop:, start:stop].T
    return A
