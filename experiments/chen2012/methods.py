"""The columns of chen2012 Table II: each yields raw rows of one method for every parameter and labelled set.

``bench`` holds what the methods share: data, labelled sets, graph, spectrum (see :mod:`experiments.chen2012.table2`).
"""

from functools import partial
from itertools import product

import numpy as np
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import LeaveOneOut, cross_val_predict
from sklearn.svm import SVR

import mr
from experiments.chen2012.protocol import embedded, in_paper, lap_esvr, listed, partly_labelled, row
from mr import paths
from mr.kernels import SharedDeformation, mean_gamma

EARLY = "early_error_pct"
SHIFTS = {"L^p + 1e-6 I": 1e-6, "L^p + 1e-4 I": 1e-4}
"""Multiples of the identity added to L^p, by the name of a variant: the one found by comparing LapERLS on Digit1 and
COIL2 with print, and the one of the code that the first author released."""
BY_LIBSVM = "LapSVR, LIBSVM"
EVERY_3 = "PLapSVM, check every 3"
RELEASED = "Eigenfunction, released code"
RELEASED_SIGMAS = (0.05, 0.1, 0.2, 0.5, 1.0)
"""Widths of the affinity, in units of the data; 0.2 is that of the example in the released code."""


def column(method) -> str:
    """The column of the table that a method, or a variant of one, belongs to."""
    return method.partition(", ")[0]


def grid(method, params) -> dict:
    """Lists of values, by the paper's names, that a method tries in the order of its loops."""
    C, gamma = params["C"], params["gamma"]
    norms = {"gamma_A": gamma, "gamma_I": gamma}
    embedding = {"lambda": params["lambda"], "mu": C, "C": C}
    return {
        "SVR(Linear)": {"C": C},
        "SVR(RBF)": {"C": C},
        "LapRLS": norms,
        "LapSVR": {"mu": sorted({*C, *gamma}), "C": C},
        "PLapSVM": norms,
        "Eigenfunction": {
            "n_bins": params["n_bins"], "width": params["widths"], "lambda": params["eigenfunction_weights"]
        },
        RELEASED: {
            "n_bins": params["n_bins"], "sigma": RELEASED_SIGMAS, "lambda": params["eigenfunction_weights"]
        },
        "LapERLS": embedding,
        "LapESVR": embedding,
    }[method if method == RELEASED else column(method)]  # fmt: skip


def _labelled(bench):
    """(split, labelled rows, partly known labels) of every labelled set."""
    for s, rows in bench.splits:
        yield s, rows, partly_labelled(bench.labels, rows)


def _swept(bench, path, lists, held_out=None):
    """Rows of all cells of a path; ``held_out`` is the path whose leave-one-out loss stands beside them."""
    for s, rows, y in _labelled(bench):
        losses = listed(lists, (held_out or path).held_out_grid(y, **lists))
        for (cell, fit), (_, loo) in zip(listed(lists, path.grid(y, **lists)), losses, strict=True):
            more = {} if held_out is None else _certificate(fit.info)
            yield row(in_paper(cell), s, fit.values, bench.y, rows, loo, **more)


def _certificate(info) -> dict:
    return {"n_iter": info["n_iter"], "gap": info["dual_gap"], "n_support": info["n_support"]}


def svr_linear(bench, params):
    return _svr(bench, params, {"kernel": "linear"})


def svr_rbf(bench, params):
    return _svr(bench, params, {"kernel": "rbf", "gamma": mean_gamma(bench.X)})


def _svr(bench, params, kernel):
    """LIBSVM on the labelled points alone."""
    X, y = bench.X, bench.y
    for C in params["C"]:
        for s, rows in _in_order(bench.splits):
            machine = SVR(C=C, epsilon=0.1, **kernel)
            loo = cross_val_predict(machine, X[rows], y[rows], cv=LeaveOneOut())
            values = machine.fit(X[rows], y[rows]).predict(X)
            yield row({"C": C}, s, values, y, rows, loo)


def _in_order(splits):
    """(split, labelled rows ascending). LIBSVM stops at a violation of 1e-3, where depends on the order of the points;
    the code that the first author released has them in the order of the data (``find(data.Y ~= 0)``)."""
    for s, rows in splits:
        yield s, np.sort(rows)


def lap_rls(bench, params):
    """gamma_A and gamma_I straight from the grid: (J'J K + gamma_A I + gamma_I L^p K) alpha = J'y."""
    path = paths.LapRLSPath(mr.LapRLS(gamma="mean", graph=bench.graph), bench.X)
    return _swept(bench, path, {"ridge": params["gamma"], "smoothness": params["gamma"]})


def lap_svr(bench, params):
    """Support vector regression on the labelled block of K (I + mu L^p K)^-1, with bias."""
    path = paths.LapSVRPath(mr.LapSVR(gamma="mean", epsilon=0.1, graph=bench.graph), bench.X)
    return _swept(bench, path, grid("LapSVR", params))


def lap_svr_by_libsvm(bench, params):
    """The same regression by LIBSVM, which the paper used, at its default tolerance."""
    deformation = SharedDeformation.from_gram(rbf_kernel(bench.X, gamma=mean_gamma(bench.X)), bench.graph)
    for mu, (s, rows) in product(params["gamma"], _in_order(bench.splits)):
        K = deformation.columns(rows, mu)
        for C in params["C"]:
            values = SVR(kernel="precomputed", C=C, epsilon=0.1).fit(K[rows], bench.y[rows]).predict(K)
            yield row({"mu": mu, "C": C}, s, values, bench.y, rows)


def p_lap_svm(bench, params):
    """Primal LapSVM with bias: conjugate gradient with the authors' early stopping ("stability"), and the optimum
    ("newton").

    Both share the leave-one-out predictions of the optimum. "newton, no bias" is the same without a bias. Errors of
    early stopping have a column of their own, because they have a tolerance of their own (``table2.TOLERANCE``).
    """
    path = paths.PrimalLapSVMPath(mr.PrimalLapSVM(gamma="mean", fit_intercept=True, graph=bench.graph), bench.X)
    for a, b in product(params["gamma"], params["gamma"]):
        cell = {"ridge": a, "smoothness": b}
        for s, rows, y in _labelled(bench):
            loo = path.held_out(y, **cell)
            unbiased = path.held_out(y, **cell, fit_intercept=False)
            for stop, options, held_out in (
                ("newton", {}, loo),
                ("stability", {"solver": "pcg"}, loo),
                ("newton, no bias", {"fit_intercept": False}, unbiased),
            ):
                fit = path.fit(y, **cell, **options)
                found = row(in_paper(cell) | {"stop": stop}, s, fit.values, bench.y, rows, held_out)
                if stop == "stability":
                    found[EARLY] = found.pop("error_pct")
                yield found


def p_lap_svm_every_3(bench, params):
    """Conjugate gradient that looks at the decisions every 3 iterations, as the demonstration of lapsvmp does."""
    template = mr.PrimalLapSVM(gamma="mean", fit_intercept=True, graph=bench.graph, solver="pcg", check_every=3)
    path = paths.PrimalLapSVMPath(template, bench.X)
    for a, b in product(params["gamma"], params["gamma"]):
        cell = {"ridge": a, "smoothness": b}
        for s, rows, y in _labelled(bench):
            fit = path.fit(y, **cell)
            found = row(in_paper(cell), s, fit.values, bench.y, rows, n_iter=fit.info["n_iter"])
            found[EARLY] = found.pop("error_pct")
            yield found


def eigenfunction_released(bench, params):
    """Bins over the whole range of a coordinate, at most a tenth as many as points; 0.1 added to the histogram."""
    template = mr.baselines.Eigenfunction(intercept=False, histogram="whole", smoothing=0.1)
    path = paths.EigenfunctionPath(template, bench.X)
    most = len(bench.y) // 10
    for sigma, bins in product(RELEASED_SIGMAS, params["n_bins"]):
        for (s, rows, y), weight in product(list(_labelled(bench)), params["eigenfunction_weights"]):
            fit = path.fit(y, n_bins=min(bins, most), bandwidth=sigma, label_weight=weight)
            yield row({"n_bins": bins, "sigma": sigma, "lambda": weight}, s, fit.values, bench.y, rows)


def eigenfunction(bench, params):
    """Fergus et al. on all principal coordinates, 2 d functions; the width of the affinity is not in chen2012."""
    path = paths.EigenfunctionPath(mr.baselines.Eigenfunction(intercept=False), bench.X)
    deviation = path.scores[:, 0].std()
    for bins, width, (s, rows, y) in product(params["n_bins"], params["widths"], list(_labelled(bench))):
        for weight in params["eigenfunction_weights"]:
            cell = {"n_bins": bins, "bandwidth": width * deviation, "label_weight": weight}
            named = {"n_bins": bins, "width": width, "lambda": weight}
            yield row(named, s, path.fit(y, **cell).values, bench.y, rows, path.held_out(y, **cell))


def lap_erls(bench, params, shift=0.0):
    """All C, mu and lambda from one eigendecomposition of the Gram matrix."""
    return _swept(bench, _lap_erls_path(bench, shift), _embedding(params))


def lap_esvr_rows(bench, params, shift=0.0):
    """Warm starts along C. The honest choice borrows LapERLS's exact leave-one-out at the same C, mu and lambda."""
    template = lap_esvr(bench.graph, bench.n_eigenvectors, shift=shift)
    path = paths.LapESVRPath(template, bench.X, eigenpairs=bench.spectrum)
    return _swept(bench, path, _embedding(params), held_out=_lap_erls_path(bench, shift))


def _lap_erls_path(bench, shift):
    template = embedded(mr.LapERLS, bench.graph, bench.n_eigenvectors, shift=shift)
    return paths.LapERLSPath(template, bench.X, eigenpairs=bench.spectrum)


def _embedding(params):
    return {"label_weight": params["lambda"], "mu": params["C"], "C": params["C"]}


METHODS = {
    "SVR(Linear)": svr_linear,
    "SVR(RBF)": svr_rbf,
    "LapRLS": lap_rls,
    "LapSVR": lap_svr,
    "PLapSVM": p_lap_svm,
    "Eigenfunction": eigenfunction,
    "LapERLS": lap_erls,
    "LapESVR": lap_esvr_rows,
    BY_LIBSVM: lap_svr_by_libsvm,
    EVERY_3: p_lap_svm_every_3,
    RELEASED: eigenfunction_released,
    **{f"LapERLS, {name}": partial(lap_erls, shift=shift) for name, shift in SHIFTS.items()},
    **{f"LapESVR, {name}": partial(lap_esvr_rows, shift=shift) for name, shift in SHIFTS.items()},
}
