"""Class-mass normalisation of decision values."""

import numpy as np

from mr._sklearn import StrOptions
from mr.estimators._base import SemiSupervisedClassifier

BALANCE_CONSTRAINTS = {"balance": [None, StrOptions({"class-mass"})]}


class BalancedClassifier(SemiSupervisedClassifier):
    """Adds ``balance=None | "class-mass"``: with few or skewed labels one class can take most points.

    The rule (Zhu, Ghahramani, Lafferty 2003, carried from memberships in [0, 1] to decision values f_c fitted to +-1):
    s_c = (1 + f_c) / 2 is the membership in class c (two classes: f_1 = f, f_0 = -f). Its mass m_c is the mean of
    max(s_c, 0) over the unlabelled training points (all points if every one is labelled), at least half a point. With
    q_c the share of class c among the labelled points, decision values become

        several classes: (q_c / m_c) s_c;        two classes: (q_1 / m_1) s_1 - (q_0 / m_0) s_0.

    For two classes that moves the threshold and leaves every ranking as it was. The factors q_c / m_c are fitted once
    (``class_factors_``) and reused at new points.
    """

    def _calibrate(self, values, labels):
        self.class_factors_ = None
        if self.balance is None:
            return
        unlabelled = np.setdiff1d(np.arange(len(values)), labels.rows)
        scores = self._memberships(values[unlabelled] if len(unlabelled) else values)
        mass = np.maximum(np.maximum(scores, 0.0).mean(axis=0), 0.5 / len(scores))
        shares = np.bincount(labels.codes, minlength=len(labels.classes)) / len(labels.rows)
        self.class_factors_ = shares / mass

    def _adjust(self, values):
        if self.class_factors_ is None:
            return values
        scores = self._memberships(values) * self.class_factors_
        return scores[:, 1:] - scores[:, :1] if len(self.classes_) == 2 else scores

    def _memberships(self, values):
        if len(self.classes_) == 2:
            values = np.column_stack([-values[:, 0], values[:, 0]])
        return (1.0 + values) / 2.0
