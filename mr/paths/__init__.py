"""Regularisation paths: whole grids of parameters, labels and folds from one factorisation.

Every table of the compendium runs on these classes. A path takes an estimator as template and the points, and gives the
machine of any cell of its grid, for any labels, as the estimator itself would find it.
"""

from mr.paths.adaptive import AGMRPath
from mr.paths.anchors import AnchorGraphPath
from mr.paths.base import Path, PathFit
from mr.paths.centroids import CentroidReducedPath, kmeans_centres
from mr.paths.deformed import LapRLSPath, LapSVMPath, LapSVRPath, RLSPath, SVMPath
from mr.paths.eigenfunction import EigenfunctionPath
from mr.paths.embedded import LapERLSPath, LapESVRPath
from mr.paths.induction import NFIPath
from mr.paths.l1 import L1LRKPath
from mr.paths.linear import LinearLapRLSPath
from mr.paths.primal import PrimalLapSVMPath
from mr.paths.propagation import LGCPath, NystromLGCPath
from mr.paths.prototypes import PVMPath
from mr.paths.transductive import TSVMPath

__all__ = [
    "AGMRPath",
    "AnchorGraphPath",
    "CentroidReducedPath",
    "EigenfunctionPath",
    "L1LRKPath",
    "LGCPath",
    "LapERLSPath",
    "LapESVRPath",
    "LapRLSPath",
    "LapSVMPath",
    "LapSVRPath",
    "LinearLapRLSPath",
    "NFIPath",
    "NystromLGCPath",
    "PVMPath",
    "Path",
    "PathFit",
    "PrimalLapSVMPath",
    "RLSPath",
    "SVMPath",
    "TSVMPath",
    "kmeans_centres",
]
