"""scikit-learn estimators: each composes a graph, a kernel and a solver."""

from mr.estimators.laprls import LapRLS, LapRLSRegressor
from mr.estimators.rls import RLS, RLSRegressor

__all__ = ["LapRLS", "LapRLSRegressor", "RLS", "RLSRegressor"]
