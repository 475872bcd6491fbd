"""Approximate eigenvectors of a graph Laplacian from one-dimensional densities (Fergus, Weiss, Torralba 2009).

For a product density the eigenfunctions of the limit Laplacian depend on one coordinate each. Along a coordinate with
histogram p at bin centres s and affinity W~ of the centres they solve, equation 3 of the paper,

    (D~ - P W~ P) g = sigma P D^ g,     P = diag(p),  D~ = diag(P W~ P 1),  D^ = diag(W~ p).
"""

from dataclasses import dataclass

import numpy as np
from scipy import linalg, sparse

from mr.graph.blocks import BLOCK_BYTES, RowBlocks


class Coordinates:
    """Coordinates (X - mean) axes of the rows of X: kept if X is dense, computed a block at a time if it is sparse.

    A sparse X is never centred and never dense as a whole, and neither are its coordinates.

    Parameters
    ----------
    X : array or CSR matrix (n, d)
    mean : array (d,)
    axes : array (d, r)
    """

    def __init__(self, X, mean, axes):
        self.shape = (X.shape[0], axes.shape[1])
        self._X, self._axes, self._shift = X, axes, mean @ axes
        self._kept = None if sparse.issparse(X) else X @ axes - self._shift

    def columns(self):
        """One coordinate of all points after the other."""
        n, r = self.shape
        step = max(1, BLOCK_BYTES // (8 * n))
        for first in range(0, r, step):
            part = slice(first, first + step)
            kept = self._kept
            block = self._X @ self._axes[:, part] - self._shift[part] if kept is None else kept[:, part]
            yield from block.T

    def rows(self, width):
        """Blocks (b, r) of points, of a size for results with ``width`` columns."""
        if self._kept is not None:
            yield from RowBlocks(self._kept, width)
        else:
            for block in RowBlocks(self._X, max(width, self.shape[1])):
                yield block @ self._axes - self._shift


@dataclass(frozen=True)
class CoordinateFunctions:
    """Smallest non-trivial eigenfunctions over all coordinates, tabulated at bin centres."""

    coordinates: np.ndarray
    """(k,) coordinate each function depends on."""
    values: np.ndarray
    """(k,) eigenvalues, ascending."""
    centres: np.ndarray
    """(k, bins)"""
    tables: np.ndarray
    """(k, bins)"""
    limits: np.ndarray
    """(k, 2) range of the coordinate beyond which the function is constant."""

    def __call__(self, X) -> np.ndarray:
        """Functions at the rows of X by linear interpolation; constant beyond the limits."""
        each = zip(self.coordinates, self.centres, self.tables, self.limits, strict=True)
        return np.column_stack([np.interp(np.clip(X[:, c], *ends), s, g) for c, s, g, ends in each])


def coordinate_functions(
    X, n_functions, n_bins, bandwidth, clip=0.0, smoothing=0.01, histogram="clipped"
) -> CoordinateFunctions:
    """The ``n_functions`` smallest eigenfunctions over all coordinates of X, constants left out.

    Parameters
    ----------
    X : array (n, d), or :class:`Coordinates`
    bandwidth : of the affinity exp(-(s_i - s_j)^2 / (2 bandwidth^2)); a number, or one a coordinate
    clip : percentage of points at each end of a coordinate beyond which functions are constant
    histogram : "clipped" or "whole": bins between these percentiles, or over the whole range
    smoothing : added to the histogram, which sums to 1, before it is normalised again (empty bins)
    """
    d = X.shape[1]
    bandwidth = np.broadcast_to(bandwidth, d)
    per_coordinate = min(n_bins - 1, n_functions, max(20, 4 * n_functions // d))
    found = []
    for c, column in enumerate(X.columns() if isinstance(X, Coordinates) else X.T):
        low, high = np.percentile(column, [clip, 100.0 - clip])
        if not high > low:
            continue
        ends = (low, high) if histogram == "clipped" else (column.min(), column.max())
        counts, edges = np.histogram(np.clip(column, *ends), bins=n_bins, range=ends)
        centres = 0.5 * (edges[1:] + edges[:-1])
        density = counts / counts.sum() + smoothing
        values, tables = line_eigenfunctions(centres, density / density.sum(), bandwidth[c], per_coordinate)
        found += [(value, c, centres, table, (low, high)) for value, table in zip(values, tables.T, strict=True)]
    if not found:
        raise ValueError(
            f"Expected a coordinate that varies between its percentiles {clip:g} and {100.0 - clip:g}; none of the {d} "
            "does. A smaller clip, or other points, would help."
        )
    found.sort(key=lambda entry: entry[:2])
    values, coordinates, centres, tables, limits = map(np.array, zip(*found[:n_functions], strict=True))
    return CoordinateFunctions(coordinates, values, centres, tables, limits)


def line_eigenfunctions(centres, density, bandwidth, k):
    """The k smallest non-constant solutions of the generalised problem above."""
    W = np.exp(-0.5 * np.square(np.subtract.outer(centres, centres) / bandwidth))
    PWP = density[:, None] * W * density
    right = density * (W @ density)
    # symmetric form with B^-1/2 on both sides: B is diagonal and positive thanks to the smoothing
    scale = 1.0 / np.sqrt(right)
    left = (np.diag(PWP.sum(axis=1)) - PWP) * scale[:, None] * scale
    values, vectors = linalg.eigh(left, subset_by_index=(1, k), check_finite=False)
    tables = vectors * scale[:, None]
    return np.maximum(values, 0.0), tables


def solve_in_span(labelled, values, targets, label_weight):
    """alpha of f = U alpha with (Sigma + U'Lambda U) alpha = U'Lambda y (Fergus et al., section 2).

    ``labelled`` holds the labelled rows of U, ``values`` the eigenvalues.
    """
    system = label_weight * (labelled.T @ labelled)
    system.flat[:: len(system) + 1] += values
    right = label_weight * (labelled.T @ targets)
    # constant functions have eigenvalue 0; one label holds them
    return (
        linalg.lstsq(system, right, check_finite=False)[0]
        if values.min() <= 0
        else linalg.solve(system, right, assume_a="pos", check_finite=False)
    )
