"""LapSVM as the papers describe it: one inverse of an n x n matrix, whatever rank the kernel has.

tsang2006 times this machine (section 3.4: O(n^3) time, O(n^2) memory). :class:`mr.LapSVM` finds the same function from
a thin factor of the kernel matrix where there is one, as on two moons, and its seconds say nothing about that claim.
"""

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.svm import SVC


class LapSVMByInversion(ClassifierMixin, BaseEstimator):
    """min gamma_A ||f||^2 + gamma_I / n^2 f'Lf + mean hinge loss, labels 0 and 1, Gaussian kernel, with intercept.

    f = sum_j alpha_j k(x_j, .) + b with alpha = (I + r L K)^-1 J'beta and r = gamma_I / (gamma_A n^2), where beta
    solves the dual of an SVM with the kernel K (I + r L K)^-1 on the labelled points (belkin2006, section 4.2).
    """

    def __init__(self, gamma_A=1e-6, gamma_I=1.0, gamma=1.0, graph=None):
        self.gamma_A = gamma_A
        self.gamma_I = gamma_I
        self.gamma = gamma
        self.graph = graph

    def fit(self, X, y):
        n, rows = len(X), np.flatnonzero(y >= 0)
        K, ratio = rbf_kernel(X, gamma=self.gamma), self.gamma_I / (self.gamma_A * len(X) ** 2)
        inverse = np.linalg.inv(np.eye(n) + ratio * self.graph.fit(X).apply(K))
        deformed = K[rows] @ inverse[:, rows]
        machine = SVC(C=1.0 / (2.0 * self.gamma_A * len(rows)), kernel="precomputed", tol=1e-10)
        machine.fit(0.5 * (deformed + deformed.T), y[rows])
        self.dual_coef_ = inverse[:, rows[machine.support_]] @ machine.dual_coef_.T
        self.intercept_, self.points_, self.classes_ = machine.intercept_, X, machine.classes_
        return self

    def decision_function(self, X):
        return rbf_kernel(X, self.points_, gamma=self.gamma) @ self.dual_coef_[:, 0] + self.intercept_

    def predict(self, X):
        return self.classes_[(self.decision_function(X) > 0).astype(int)]
