"""Every public estimator, once. Common tests run over this list, so a new estimator is tested on arrival."""

import mr

CLASSIFIERS = [
    mr.AGMR,
    mr.RLS,
    mr.LapRLS,
    mr.SVM,
    mr.LapSVM,
    mr.LapSVR,
    mr.TSVM,
    mr.PrimalLapSVM,
    mr.LinearLapRLS,
    mr.PVM,
    mr.LGC,
    mr.HarmonicFunction,
    mr.baselines.NystromLGC,
    mr.baselines.NFI,
    mr.baselines.CentroidReduced,
    mr.baselines.L1LRK,
    mr.LapESVR,
    mr.LapERLS,
    mr.AnchorGraph,
    mr.baselines.Eigenfunction,
    mr.SLapCVM,
    mr.baselines.CVM,
    mr.LapRLSCV,
    mr.LapSVMCV,
    mr.LapERLSCV,
    mr.LapESVRCV,
    mr.PVMCV,
]
REGRESSORS = [
    mr.RLSRegressor,
    mr.LapRLSRegressor,
    mr.LapSVRRegressor,
    mr.LapESVRRegressor,
    mr.LapERLSRegressor,
    mr.SLapCVR,
    mr.LapRLSRegressorCV,
]
OTHERS = [mr.RegularizedEigenmap, mr.RegularizedSpectralClustering]

ESTIMATORS = [*CLASSIFIERS, *REGRESSORS, *OTHERS]
