"""Kernels, Gram blocks on demand, and the kernel deformed by a graph."""

from mr.kernels.deformation import SharedDeformation, deform_once, pivoted_cholesky, thin_factor
from mr.kernels.gram import FullGram, ReducedGram, ThinGram
from mr.kernels.kernel import KERNELS, PRECOMPUTED, Kernel, PrecomputedKernel, mean_gamma, scale_gamma
from mr.kernels.products import multiply
from mr.kernels.reduced import Basis, choose_basis, deform_factor, reduced_factor
from mr.kernels.tridiagonal import TridiagonalDeformation

__all__ = [
    "Basis",
    "FullGram",
    "KERNELS",
    "Kernel",
    "PRECOMPUTED",
    "PrecomputedKernel",
    "ReducedGram",
    "SharedDeformation",
    "ThinGram",
    "TridiagonalDeformation",
    "choose_basis",
    "deform_factor",
    "deform_once",
    "mean_gamma",
    "multiply",
    "pivoted_cholesky",
    "reduced_factor",
    "scale_gamma",
    "thin_factor",
]
