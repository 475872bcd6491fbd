"""Smallest eigenpairs of a graph Laplacian."""

from mr.spectrum.eigenpairs import Eigenpairs, EigenpairsNotFound, smallest_eigenpairs

__all__ = ["Eigenpairs", "EigenpairsNotFound", "smallest_eigenpairs"]
