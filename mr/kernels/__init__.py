"""Kernels, Gram blocks on demand, and the kernel deformed by a graph."""

from mr.kernels.deformation import SharedDeformation, deform_once, multiply, pivoted_cholesky
from mr.kernels.kernel import KERNELS, Kernel, mean_gamma, scale_gamma
from mr.kernels.reduced import choose_basis, deform_factor, reduced_factor

__all__ = [
    "KERNELS",
    "Kernel",
    "SharedDeformation",
    "choose_basis",
    "deform_factor",
    "deform_once",
    "mean_gamma",
    "multiply",
    "pivoted_cholesky",
    "reduced_factor",
    "scale_gamma",
]
