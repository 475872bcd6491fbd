"""Matrix products and eigenvectors by the BLAS that scipy's factorisations use."""

from contextlib import nullcontext

import numpy as np
from scipy import linalg
from scipy.linalg import blas

from mr.graph.threads import serial_blas

ONE_THREAD = 1500
"""Rows of a symmetric matrix up to which it is diagonalised on one thread."""


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
    (A, trans_a), (B, trans_b) = ((M.T, True) if M.flags.c_contiguous else (M, False) for M in (A, B))
    return blas.dgemm(1.0, A, B, trans_a=trans_a, trans_b=trans_b)


def diagonalise(A, **options):
    """scipy's ``eigh``, on one thread where A is small.

    It makes very many small calls. On two cores that others use too, threads that wait for each other in all of them
    took ten times the processor time for 1000 rows.
    """
    with serial_blas() if len(A) <= ONE_THREAD else nullcontext():
        return linalg.eigh(A, **options)
