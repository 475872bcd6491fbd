"""Every public estimator, once. Common tests run over this list, so a new estimator is tested on arrival."""

import mr

CLASSIFIERS = [mr.RLS, mr.LapRLS]
REGRESSORS = [mr.RLSRegressor, mr.LapRLSRegressor]
OTHERS = []

ESTIMATORS = [*CLASSIFIERS, *REGRESSORS, *OTHERS]
