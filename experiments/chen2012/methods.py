"""The columns of chen2012 Table II: each yields raw rows of one method for every parameter and labelled set.

``bench`` holds what the methods share: data, labelled sets, Gram matrix, graph, spectrum (see chen2012_table2).
"""

import numpy as np
from scipy import linalg
from sklearn.model_selection import LeaveOneOut, cross_val_predict
from sklearn.svm import SVR

from mr.estimators.eigenfunction import principal_axes
from experiments.chen2012.protocol import ErlsSweep, graph_kernel, lap_esvr_path, row
from experiments.sweep import lap_rls_sweep
from mr.solvers.eigenfunction import coordinate_functions
from mr.solvers.primal_cg import solve_pcg
from mr.solvers.primal_svm import solve_newton


def svr(bench, params, kernel):
    """LIBSVM on the labelled points alone."""
    X, y = bench.X, bench.y
    for C in params["C"]:
        for s, rows in bench.splits:
            machine = SVR(C=C, epsilon=0.1, **kernel)
            loo = cross_val_predict(machine, X[rows], y[rows], cv=LeaveOneOut())
            yield row({"C": C}, s, machine.fit(X[rows], y[rows]).predict(X), y, rows, loo)


def lap_rls(bench, params):
    """gamma_A and gamma_I straight from the grid: (J'J K + gamma_A I + gamma_I L^p K) alpha = J'y."""
    splits = np.array([rows for _, rows in bench.splits])
    for a, b, values, loo in lap_rls_sweep(bench.deformation, splits, bench.y, params["gamma"], params["gamma"]):
        for i, (s, rows) in enumerate(bench.splits):
            yield row({"gamma_A": a, "gamma_I": b}, s, values[:, i], bench.y, rows, loo[:, i])


def lap_svr(bench, params):
    """LIBSVM on the labelled block of K (I + mu L^p K)^-1, with bias."""
    for mu in sorted({*params["C"], *params["gamma"]}):
        for s, rows in bench.splits:
            columns = bench.deformation.columns(rows, mu)
            for C in params["C"]:
                machine = SVR(kernel="precomputed", C=C, epsilon=0.1)
                loo = cross_val_predict(machine, columns[rows], bench.y[rows], cv=LeaveOneOut())
                values = machine.fit(columns[rows], bench.y[rows]).predict(columns)
                yield row({"C": C, "mu": mu}, s, values, bench.y, rows, loo)


def p_lap_svm(bench, params):
    """Primal LapSVM with bias: conjugate gradient with the authors' early stopping ("stability"), and the optimum
    ("newton").

    Both share the leave-one-out predictions of the optimum. "newton, no bias" is the same without a bias.
    """
    y = bench.y
    for a in params["gamma"]:
        for b in params["gamma"]:
            for s, rows in bench.splits:
                columns = bench.deformation.columns(rows, b / a)
                block, targets = np.ascontiguousarray(columns[rows]), y[rows][:, None]
                cell = {"gamma_A": a, "gamma_I": b}
                for name, bias in (("newton", True), ("newton, no bias", False)):
                    loo = _newton_leave_one_out(block, targets, a, bias)
                    optimum = solve_newton(block, targets, a, fit_intercept=bias)
                    values = columns @ optimum.coefficients[:, 0] + optimum.intercepts[0]
                    yield row(cell | {"stop": name}, s, values, y, rows, loo)
                    if bias:
                        early = solve_pcg(bench.K, bench.graph, rows, targets, a, b, fit_intercept=True)
                        values = (bench.K @ early.coefficients)[:, 0] + early.intercepts[0]
                        yield row(cell | {"stop": "stability"}, s, values, y, rows, loo)


def _newton_leave_one_out(block, targets, ridge, bias):
    keep = ~np.eye(len(block), dtype=bool)
    predictions = []
    for i, others in enumerate(keep):
        inner = np.ascontiguousarray(block[np.ix_(others, others)])
        found = solve_newton(inner, targets[others], ridge, fit_intercept=bias)
        predictions.append(block[i, others] @ found.coefficients[:, 0] + found.intercepts[0])
    return np.array(predictions)


def eigenfunction(bench, params):
    """Fergus et al. on all principal coordinates, 2 d functions; the width of the affinity is not in chen2012."""
    mean, axes = principal_axes(bench.X)
    scores = bench.X @ axes - mean @ axes
    for bins in params["n_bins"]:
        for width in params["widths"]:
            functions = coordinate_functions(
                scores, 2 * scores.shape[1], bins, width * scores[:, 0].std(), clip=2.5, smoothing=0.01
            )
            U = functions(scores)
            U = U / np.linalg.norm(U, axis=0)
            for weight in params["eigenfunction_weights"]:
                for s, rows in bench.splits:
                    values, loo = span_fit(U, functions.values, rows, bench.y[rows], weight)
                    yield row({"n_bins": bins, "width": width, "lambda": weight}, s, values, bench.y, rows, loo)


def span_fit(U, eigenvalues, rows, y, weight):
    """f = U alpha, (Sigma + U'Lambda U) alpha = U'Lambda y, as an l x l system; and its leave-one-out predictions."""
    scaled = U / np.maximum(eigenvalues, 1e-12)
    gram = scaled @ U[rows].T
    inverse = linalg.inv(gram[rows] + np.eye(len(rows)) / weight)
    beta = inverse @ y
    return gram @ beta, y - beta / np.diag(inverse)


def lap_erls(bench, params):
    """All C, mu and lambda from one eigendecomposition of the Gram matrix."""
    sweep = ErlsSweep(bench.K, bench.spectrum, bench.n_eigenvectors, bench.power)
    for weight in params["lambda"]:
        for mu in params["C"]:
            for C in params["C"]:
                for s, rows in bench.splits:
                    values, loo = sweep.fit(rows, bench.y, C, mu, weight)
                    yield row({"C": C, "mu": mu, "lambda": weight}, s, values, bench.y, rows, loo)


def lap_esvr(bench, params):
    """Warm starts along C. The honest choice borrows LapERLS's exact leave-one-out at the same C, mu and lambda."""
    sweep = ErlsSweep(bench.K, bench.spectrum, bench.n_eigenvectors, bench.power)
    for s, rows in bench.splits:
        for weight in params["lambda"]:
            for mu in params["C"]:
                embedding = graph_kernel(bench.spectrum, bench.n_eigenvectors, rows, bench.y, weight, mu, bench.power)
                for C, values, solution in lap_esvr_path(bench.K, embedding, params["C"]):
                    _, loo = sweep.fit(rows, bench.y, C, mu, weight)
                    cell = {"C": C, "mu": mu, "lambda": weight}
                    more = {"n_iter": solution.n_iter, "gap": solution.gap, "n_support": solution.n_support}
                    yield row(cell, s, values, bench.y, rows, loo, **more)
