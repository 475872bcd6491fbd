"""Regularisation paths: whole grids of parameters, labels and folds from one factorisation.

Every table of the compendium runs on these classes. A path takes an estimator as template and the points, and gives the
machine of any cell of its grid, for any labels, as the estimator itself would find it.
"""

from mr.paths.adaptive import AGMRPath
from mr.paths.anchors import AnchorGraphPath
from mr.paths.base import Path, PathFit
from mr.paths.deformed import LapRLSPath, LapSVMPath, LapSVRPath, RLSPath, SVMPath

__all__ = [
    "AGMRPath",
    "AnchorGraphPath",
    "LapRLSPath",
    "LapSVMPath",
    "LapSVRPath",
    "Path",
    "PathFit",
    "RLSPath",
    "SVMPath",
]
