"""scikit-learn estimators: each composes a graph, a kernel and a solver."""

from mr.estimators.agmr import AGMR
from mr.estimators.clustering import RegularizedEigenmap, RegularizedSpectralClustering
from mr.estimators.laprls import LapRLS, LapRLSRegressor
from mr.estimators.lapsvm import LapSVM
from mr.estimators.lapsvr import LapSVR, LapSVRRegressor
from mr.estimators.linear_laprls import LinearLapRLS
from mr.estimators.primal_lapsvm import PrimalLapSVM
from mr.estimators.rls import RLS, RLSRegressor
from mr.estimators.svm import SVM
from mr.estimators.tsvm import TSVM

__all__ = [
    "AGMR",
    "LapRLS",
    "LapRLSRegressor",
    "LapSVM",
    "LapSVR",
    "LapSVRRegressor",
    "LinearLapRLS",
    "PrimalLapSVM",
    "RLS",
    "RLSRegressor",
    "RegularizedEigenmap",
    "RegularizedSpectralClustering",
    "SVM",
    "TSVM",
]
