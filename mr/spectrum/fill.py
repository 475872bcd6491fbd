"""Sparse LU of a Laplacian, and whether it is worth trying.

The factors of a graph of points on a curve or surface have a few times the non-zeros of L; those of a neighbour graph
in many dimensions fill up. SuperLU cannot be stopped half way, so the fill is predicted: factorise two connected
pieces, of PIECES points, and extrapolate the fill (non-zeros of the factors over those of L) to n points as a power of
n.

Measured, predicted (true) fill: two moons, 6 to 20 neighbours, n = 20,000: 3 to 5 (3 to 6); swiss roll 3 (3); uniform
in a cube 18 (21, 0.6 s); 5 dimensions 80; 10 dimensions 290; MNIST, 20 neighbours: 550.
"""

import numpy as np
from scipy import sparse
from scipy.sparse import csgraph
from scipy.sparse.linalg import splu

PIECES = (1000, 2000)
LARGEST_FILL = 30
LARGEST_FACTORS = 2e8
"""Non-zeros of both factors, at 12 bytes each: three million points in the plane."""


def factorise(L, shift):
    """SuperLU of L + shift I with a symmetric ordering; positive definite, so no pivoting is needed."""
    A = sparse.csc_array(L + shift * sparse.eye_array(L.shape[0], format="csr"))
    A.indices, A.indptr = A.indices.astype(np.int32), A.indptr.astype(np.int32)
    return splu(A, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True})


def worth_factorising(L, labels, shift) -> bool:
    """Whether the predicted factors of L are small."""
    fill = predicted_fill(L, labels, shift)
    return fill <= LARGEST_FILL and fill * L.nnz <= LARGEST_FACTORS


def predicted_fill(L, labels, shift) -> float:
    """Fill of the factors of L, extrapolated from two pieces of its largest component."""
    largest = np.bincount(labels).argmax()
    root = int(np.argmax(labels == largest))
    reached = csgraph.breadth_first_order(L, root, directed=False, return_predecessors=False)
    sizes = [min(size, len(reached)) for size in PIECES]
    small, large = (_fill(L[reached[:size]][:, reached[:size]], shift) for size in sizes)
    if sizes[0] == sizes[1] or large <= small:
        return large
    exponent = np.log(large / small) / np.log(sizes[1] / sizes[0])
    return float(large * (len(reached) / sizes[1]) ** exponent)


def _fill(piece, shift):
    factors = factorise(piece, shift)
    return (factors.L.nnz + factors.U.nnz) / max(piece.nnz, 1)
