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

# Checks of scikit-learn that cannot hold, and why.
SIGNED_CLASSES = {
    "check_classifiers_classes": "its last step uses -1 as a class; in semi-supervised learning -1 is no class"
}


# A point of weight 0 stays in X, where it belongs to the graph and to the kernel's width; a repeated row changes both,
# and the choice of weights. What weights do mean is tested in test_manners.py, at given widths and weights.
ROWS_STAY = {
    f"check_sample_weight_equivalence_on_{kind}_data": "rows of weight 0 still carry geometry"
    for kind in ("dense", "sparse")
}
