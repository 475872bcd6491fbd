"""The spectral graph transducer (Joachims, Transductive learning via spectral graph partitioning, ICML 2003)."""

import numpy as np
from scipy import linalg, sparse


def transducer_basis(affinity, n_eigenvectors=80):
    """The d smoothest eigenvectors of mean zero of the Laplacian of A + A', A the affinity with rows of sum 1.

    Joachims takes eigenvectors 2 to d + 1. On a graph in several pieces the first is not determined, so the constant is
    put at the other end of the spectrum instead.
    """
    W = sparse.csr_array(affinity)
    sums = np.asarray(W.sum(axis=1)).ravel()
    scale = np.divide(1.0, sums, out=np.zeros_like(sums), where=sums > 0)
    A = (sparse.diags_array(scale) @ W).toarray()
    A += A.T
    degrees = A.sum(axis=1)
    L = np.diag(degrees) - A + 4.0 * degrees.max() / len(A)  # eigenvalues of L are at most twice the largest degree
    d = min(n_eigenvectors, len(L) - 1)
    return linalg.eigh(L, subset_by_index=[0, d - 1])[1]


def solve_transducer(basis, rows, targets, c=3200.0):
    """z on all n points: min w'Dw + c (Vw - g)'C(Vw - g), w'w = n, D_ii = i^2 (his equations 18 to 22).

    g is sqrt(l-/l+) on positive and -sqrt(l+/l-) on negative labels, C weighs both classes the same. The minimiser of a
    quadratic on a sphere is (G - mu I)^-1 b with mu the smallest real eigenvalue of [[G, -I], [-bb'/n, G]].
    """
    n, d = basis.shape
    l = len(rows)
    positive = targets > 0
    l_plus, l_minus = positive.sum(), (~positive).sum()
    goal = np.where(positive, np.sqrt(l_minus / l_plus), -np.sqrt(l_plus / l_minus))
    cost = np.where(positive, l / (2.0 * l_plus), l / (2.0 * l_minus))
    V = basis[rows]
    G = np.diag(np.arange(1.0, d + 1) ** 2) + c * (V.T * cost) @ V
    b = c * V.T @ (cost * goal)
    pencil = np.block([[G, -np.eye(d)], [-np.outer(b, b) / n, G]])
    values = linalg.eigvals(pencil)
    real = values.real[np.abs(values.imag) < 1e-6 * np.abs(values).max()]
    return basis @ linalg.solve(G - real.min() * np.eye(d), b)
