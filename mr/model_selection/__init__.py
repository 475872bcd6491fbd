"""Choosing parameters with few labels: splitters and scorers for data with unlabelled rows, and searches.

There are two ways to test a choice. scikit-learn's searches with :class:`LabelledKFold` take the tested rows out of the
graph. :class:`TransductiveSearchCV`, :class:`LapRLSCV` and the other searches keep all points and hide labels only,
as when the machine is used.
"""

from mr.model_selection.deformed import LapRLSCV, LapRLSRegressorCV, LapSVMCV
from mr.model_selection.embedded import LapERLSCV, LapESVRCV
from mr.model_selection.prototypes import PVMCV
from mr.model_selection.scoring import labelled_accuracy, labelled_r2, labelled_scorer
from mr.model_selection.splits import LabelledKFold, LabelledLeaveOneOut, LabelledShuffleSplit
from mr.model_selection.transductive import Transductive, TransductiveSearchCV, cross_val_transductive

__all__ = [
    "LabelledKFold",
    "LabelledLeaveOneOut",
    "LabelledShuffleSplit",
    "LapERLSCV",
    "LapESVRCV",
    "LapRLSCV",
    "LapRLSRegressorCV",
    "LapSVMCV",
    "PVMCV",
    "Transductive",
    "TransductiveSearchCV",
    "cross_val_transductive",
    "labelled_accuracy",
    "labelled_r2",
    "labelled_scorer",
]
