"""One publication style, and one colour, marker and line style per method in the figures of all five papers.

Colours are those of Okabe and Ito, told apart by colour-blind readers; in greyscale marker and line style tell every
method from every other. Relatives share a colour: supervised methods are black or grey, LapRLS blue, LapSVM vermilion;
a paper's own methods have another.
"""

from experiments.engine.errors import UsageError, nearest

BLACK, GREY = "#000000", "#7f7f7f"
ORANGE, SKY, GREEN, YELLOW = "#E69F00", "#56B4E9", "#009E73", "#F0E442"
BLUE, VERMILION, PURPLE = "#0072B2", "#D55E00", "#CC79A7"

SOLID, DASHED, DOTTED, DASHDOT = "-", "--", ":", "-."

METHODS = {
    # supervised
    "RLS": (BLACK, "s", DASHED),
    "SVM": (BLACK, "o", DASHED),
    "SVR(Linear)": (BLACK, "v", DOTTED),
    "SVR(RBF)": (BLACK, "^", DASHDOT),
    "k-NN": (GREY, "s", DOTTED),
    "Naive-Bayes": (GREY, "o", DOTTED),
    # semi-supervised without a manifold
    "TSVM": (GREY, "D", SOLID),
    "SGT": (GREY, "^", DOTTED),
    "Cotraining": (GREY, "v", DASHED),
    # LapRLS and its relatives
    "LapRLS": (BLUE, "s", SOLID),
    "LapRLS(Linear)": (BLUE, "<", DOTTED),
    "CB-LapRLS": (BLUE, "D", DASHED),
    "L1-LRK": (BLUE, "X", DASHDOT),
    # LapSVM, LapSVR and their relatives
    "LapSVM": (VERMILION, "o", SOLID),
    "LapSVR": (VERMILION, "<", DASHDOT),
    "PLapSVM": (VERMILION, "P", DASHED),
    "LapSVMp": (VERMILION, "X", DASHED),
    "CB-LapSVMp": (VERMILION, "D", DOTTED),
    "Reduced LapSVM": (VERMILION, ">", DOTTED),
    # tsang2006
    "SLapCVM": (GREEN, "*", SOLID),
    # chen2012
    "LapESVR": (GREEN, "P", SOLID),
    "LapERLS": (GREEN, "p", DASHED),
    "Eigenfunction": (YELLOW, "D", DASHDOT),
    # graphs and approximations of graphs
    "LGC": (PURPLE, "h", SOLID),
    "NYS-LGC": (PURPLE, "h", DASHED),
    "NFI": (PURPLE, "h", DOTTED),
    "Anchor": (SKY, "v", SOLID),
    "AnchorGraphReg(500)": (SKY, "p", DOTTED),
    "AnchorGraphReg(1000)": (SKY, "p", DASHDOT),
    "AnchorGraphReg(2000)": (SKY, ">", DASHED),
    "AnchorGraphReg(5000)": (SKY, ">", SOLID),
    # zhang2015
    "PVM(sqr)": (ORANGE, "^", SOLID),
    "PVM(hinge)": (ORANGE, "^", DASHED),
    # wang2017
    "MR_LP": (PURPLE, "v", DASHDOT),
    "MR_SP": (PURPLE, "s", DASHDOT),
    "AGMR_entropy": (GREEN, "P", DASHDOT),
    "AGMR_sparse": (GREEN, "*", DOTTED),
    # the scaling study: what no paper names, and peers
    "HarmonicFunction": (PURPLE, "d", SOLID),
    "LabelSpreading(knn)": (GREY, "X", DOTTED),
    "LabelSpreading(knn, 1000 steps)": (GREY, "X", SOLID),
    "graphlearning Laplace": (BLACK, "*", DASHED),
    "graphlearning Poisson": (BLACK, "*", DASHDOT),
    "exact": (BLACK, ">", DASHDOT),
    "clusters": (BLUE, "H", SOLID),
    "pynndescent": (VERMILION, "d", DASHED),
    "faiss IVF": (GREEN, "d", DOTTED),
    "faiss HNSW": (SKY, "o", DASHDOT),
    "faiss flat": (BLACK, "<", SOLID),
}

RC = {
    "figure.dpi": 100,
    "savefig.dpi": 200,
    "figure.constrained_layout.use": True,
    "font.family": "DejaVu Sans",  # ships with matplotlib: the same letters on every machine
    "font.size": 9,
    "axes.titlesize": 9,
    "axes.labelsize": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.alpha": 0.3,
    "grid.linewidth": 0.5,
    "legend.frameon": False,
    "legend.fontsize": 8,
    "lines.linewidth": 1.5,
    "lines.markersize": 5,
    "pdf.fonttype": 42,
    "svg.hashsalt": "mr",
}


def use_style() -> None:
    """Apply the style to all figures made from now on."""
    import matplotlib

    matplotlib.rcParams.update(RC)


def line_style(method: str) -> dict:
    """Keywords for ``ax.plot`` of a method, label included."""
    if method not in METHODS:
        raise UsageError(
            f"no style for method {method!r}{nearest(method, METHODS)}; styles are in experiments/plotting/style.py"
        )
    color, marker, line = METHODS[method]
    # an unfilled marker in a light colour vanishes on paper: edges are always black
    return {"color": color, "marker": marker, "linestyle": line, "markeredgecolor": BLACK, "markeredgewidth": 0.6,
            "label": method}  # fmt: skip
