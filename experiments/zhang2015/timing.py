"""zhang2015's methods as public estimators, for timing: seconds of one fit, predictions for all points included.

Processor time, so that what else the machine does hardly counts.
"""

import time

import numpy as np

from experiments.zhang2015.methods import GRAPH, REDUCED_BASIS
from experiments.zhang2015.protocol import REDUCED_FROM, n_prototypes
from mr import LGC, PVM, SVM, AnchorGraph, LapRLS, PrimalLapSVM
from mr.baselines import NFI, CentroidReduced, NystromLGC
from mr.graph import KernelGraph

# Where a parameter was not chosen by cross-validation.
DEFAULTS = {"C": 1.0, "C1": 10.0, "gamma_A": 1e-3, "gamma_I": 1.0, "gamma": 0.1, "weight_A": 10.0, "weight_I": 10.0}


def estimator(method, parameters, n, n_labelled, seed, m=None):
    """The estimator of one method at given parameters (names as in the rows of a sweep); m centres, or as Table II."""
    p = DEFAULTS | parameters
    width, m = p.get("width"), m or n_prototypes(n)
    norms = {"gamma_A": p["gamma_A"], "gamma_I": p["gamma_I"], "gamma": width}
    # weights of lapsvmp in belkin2006's scale, on all points and on the labelled ones with the centres
    ambient, intrinsic = p["weight_A"] / n_labelled, p["weight_I"] / n_labelled
    primal = {"gamma_A": ambient, "gamma_I": intrinsic * n**2, "gamma": width, "graph": GRAPH}
    reduced = primal | {"gamma_I": intrinsic * (n_labelled + m) ** 2}
    basis = {"basis": REDUCED_BASIS, "random_state": seed} if n > REDUCED_FROM else {}
    prototypes = {"C1": p["C1"], "C2": 0.0, "gamma": width, "laplacian": "unnormalized", "random_state": seed}
    makers = {
        "SVM": lambda: SVM(gamma_A=1.0 / (2.0 * p["C"] * n_labelled), gamma=width, tol=1e-4),
        "LGC": lambda: LGC(eta=1.0 / (1.0 + p["C"]), graph="gaussian", gamma=width, class_weight=None),
        "LapRLS": lambda: LapRLS(**norms, graph=KernelGraph(width, "unnormalized"), **basis),
        "LapSVMp": lambda: PrimalLapSVM(**primal, solver="pcg"),
        "NYS-LGC": lambda: NystromLGC(m, eta=1.0 / (1.0 + p["C"]), gamma=width, random_state=seed),
        "NFI": lambda: NFI(m, C1=p["C1"], gamma=width, random_state=seed),
        "Anchor": lambda: AnchorGraph(m, graph_weight=p["gamma"], normalize=False, kmeans_iter=5, random_state=seed),
        "PVM(sqr)": lambda: PVM(m, "square", **prototypes),
        "PVM(hinge)": lambda: PVM(m, "hinge", tol=1e-4, **prototypes),
        "CB-LapRLS": lambda: CentroidReduced(LapRLS(**norms, graph=KernelGraph(width, "unnormalized")), m, seed),
        "CB-LapSVMp": lambda: CentroidReduced(PrimalLapSVM(**reduced), m, seed),
    }
    return makers[method]()


def timed(model, X, draw) -> tuple[float, float]:
    """Processor seconds of training and prediction (one thread), and the error on the unlabelled points."""
    start = time.process_time()
    codes = model.fit(X, draw.partial()).transduction_
    seconds = time.process_time() - start
    return seconds, 100.0 * draw.wrong(codes[draw.rest], draw.rest) / len(draw.rest)


def warm_up(method):
    """Compile and load before the clock starts, for few and for many coordinates: neighbour search differs."""
    rng = np.random.default_rng(0)
    y = np.full(60, -1)
    y[[0, 1, 2, 30, 31, 32]] = [0, 0, 0, 1, 1, 1]
    for d in (2, 50):
        X = rng.normal(size=(60, d)) + np.repeat([0.0, 4.0], 30)[:, None]
        estimator(method, {"width": 0.5 / d}, 60, 6, 0).fit(X, y)
