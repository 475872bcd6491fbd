"""scikit-learn estimators: each composes a graph, a kernel and a solver."""

from mr.estimators.agmr import AGMR
from mr.estimators.anchor_graph import AnchorGraph
from mr.estimators.centroids import CentroidReduced
from mr.estimators.clustering import RegularizedEigenmap, RegularizedSpectralClustering
from mr.estimators.eigenfunction import Eigenfunction
from mr.estimators.harmonic import HarmonicFunction
from mr.estimators.l1lrk import L1LRK
from mr.estimators.laperls import LapERLS, LapERLSRegressor
from mr.estimators.lapesvr import LapESVR, LapESVRRegressor
from mr.estimators.laprls import LapRLS, LapRLSRegressor
from mr.estimators.lapsvm import LapSVM
from mr.estimators.lapsvr import LapSVR, LapSVRRegressor
from mr.estimators.lgc import LGC
from mr.estimators.linear_laprls import LinearLapRLS
from mr.estimators.nfi import NFI
from mr.estimators.nystrom_lgc import NystromLGC
from mr.estimators.primal_lapsvm import PrimalLapSVM
from mr.estimators.pvm import PVM
from mr.estimators.rls import RLS, RLSRegressor
from mr.estimators.slapcvm import CVM, SLapCVM, SLapCVR
from mr.estimators.svm import SVM
from mr.estimators.tsvm import TSVM

__all__ = [
    "AGMR",
    "AnchorGraph",
    "CVM",
    "CentroidReduced",
    "Eigenfunction",
    "HarmonicFunction",
    "L1LRK",
    "LGC",
    "LapERLS",
    "LapERLSRegressor",
    "LapESVR",
    "LapESVRRegressor",
    "LapRLS",
    "LapRLSRegressor",
    "LapSVM",
    "LapSVR",
    "LapSVRRegressor",
    "LinearLapRLS",
    "NFI",
    "NystromLGC",
    "PVM",
    "PrimalLapSVM",
    "RLS",
    "RLSRegressor",
    "RegularizedEigenmap",
    "RegularizedSpectralClustering",
    "SLapCVM",
    "SLapCVR",
    "SVM",
    "TSVM",
]
