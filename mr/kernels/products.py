"""Matrix products and eigenvectors by the BLAS that scipy's factorisations use."""

from contextlib import nullcontext

import numpy as np
from scipy import linalg
from scipy.linalg import blas

from mr.graph.threads import serial_blas
from mr.resources import blas_routine, interruptible

ONE_THREAD = 1500
"""Rows of a symmetric matrix up to which it is diagonalised on one thread."""
LONG_PRODUCT = 2e9
"""Multiplications of a product that takes some tenths of a second: from here on Ctrl-C must not wait for its end."""


def multiply(A, B) -> np.ndarray:
    """A B by scipy's BLAS, for a product that precedes or follows a factorisation.

    numpy brings a BLAS of its own. Threads of either wait for their next call by spinning, for tens of milliseconds,
    and take the cores from those of the other: a 150 x 150 system took 80 ms instead of 0.3 on two cores. Either order
    of memory is taken without a copy.

    See Also
    --------
    mr.kernels.deform_once : uses it.

    Examples
    --------
    >>> import numpy as np
    >>> from mr.kernels import multiply
    >>> multiply(np.eye(2), np.array([[1.0, 2.0], [3.0, 4.0]]))
    array([[1., 2.],
           [3., 4.]])
    """
    if 0 in A.shape or 0 in B.shape:
        return A @ B
    if A.ndim == B.ndim == 2 and A.size * B.shape[1] > LONG_PRODUCT:
        return interruptible(_multiply_unlocked, A, B)
    (A, trans_a), (B, trans_b) = ((M.T, True) if M.flags.c_contiguous else (M, False) for M in (A, B))
    return blas.dgemm(1.0, A, B, trans_a=trans_a, trans_b=trans_b)


def _multiply_unlocked(A, B) -> np.ndarray:
    """The same product by the same routine, without the interpreter's lock."""
    (m, k), n = A.shape, B.shape[1]
    product = np.empty((m, n), order="F")
    (A, trans_a), (B, trans_b) = (_in_fortran_order(M) for M in (A, B))
    blas_routine("dgemm")(trans_a, trans_b, m, n, k, 1.0, A, len(A), B, len(B), 0.0, product, m)
    return product


def _in_fortran_order(M):
    """M as columns of doubles, or its transpose, and the letter that says which."""
    M = np.asarray(M, dtype=float)
    return (M.T, "T") if M.flags.c_contiguous else (np.asfortranarray(M), "N")


def diagonalise(A, **options):
    """scipy's ``eigh``, on one thread where A is small.

    It makes very many small calls. On two cores that others use too, threads that wait for each other in all of them
    took ten times the processor time for 1000 rows.
    """
    with serial_blas() if len(A) <= ONE_THREAD else nullcontext():
        return linalg.eigh(A, **options)
