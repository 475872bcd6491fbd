"""Statistics that judge the claims of tsang2006 (``data/claims.csv``), each from committed result rows.

The paper prints curves and no cells, so its claims are its scoreboard. Methods are compared on the draws of one size by
the means over draws. Growth is the slope of log(measure) over log(n) at fixed parameters; draws that a cap on the core
ended are left out by the summary. Words of size are constants here, with the reason beside them.
"""

import numpy as np

from experiments.scoreboard.claims import Judgement, decide, pick

PERFECT = 99.95  # percent: "always 100 %" to one digit
SMALL = 0.25  # "a small fraction of the examples"
FLAT = 0.25  # exponent below which growth is "almost constant": 2000 times the points, at most 7 times the cost
SUBLINEAR = 0.9  # exponent clearly below 1
MUCH = 10.0  # points of error: "much better"
SIZE = r"n=(\d+)"


def line(rows, method, metric):
    """Means of a method by n, ascending."""
    part = pick(rows, method=method, metric=metric)
    n = part["setting"].str.extract(SIZE, expand=False).astype(int)
    return part.assign(n=n).set_index("n")["mean"].astype(float).sort_index()


def exponent(curve) -> float:
    """Slope of logarithms; KeyError with fewer than three sizes."""
    if len(curve) < 3:
        raise KeyError(f"growth needs three sizes, got {list(curve.index)}")
    return float(np.polyfit(np.log(curve.index.to_numpy(float)), np.log(np.maximum(curve, 1e-6)), 1)[0])


def both(rows, first, second, metric):
    """Means of two methods at the sizes they share."""
    a, b = line(rows, first, metric), line(rows, second, metric)
    shared = a.index.intersection(b.index)
    if not len(shared):
        raise KeyError(f"{first} and {second} share no size")
    return a[shared], b[shared]


def series(curve, digits=2) -> str:
    return ", ".join(f"{value:.{digits}f} (n={n})" for n, value in curve.items())


def always_perfect(rows) -> Judgement:
    """Figure 1(b): LapSVM and SLapCVM always reach 100 %."""
    ours, exact = line(rows, "SLapCVM", "accuracy_pct"), line(rows, "LapSVM", "accuracy_pct")
    text = f"accuracy: SLapCVM {series(ours)}; LapSVM {series(exact)}"
    return Judgement(decide(ours.min() >= PERFECT, exact.min() >= PERFECT), float(ours.min()), text)


def million_perfect(rows) -> Judgement:
    """Figure 1(b) to the full size, theta growing with the edges."""
    ours = line(rows, "SLapCVM, theta ~ edges", "accuracy_pct")
    seconds, memory = (line(rows, "SLapCVM, theta ~ edges", m).iloc[-1] for m in ("seconds_fit", "peak_mib"))
    text = f"accuracy {series(ours)}; at the largest n {seconds:.1f} s beyond the graph and {memory:.0f} MiB"
    return Judgement(decide(ours.index.max() >= 10**6, ours.min() >= PERFECT), float(ours.min()), text)


def faster_than_lapsvm(rows) -> Judgement:
    """SLapCVM takes less time than LapSVM at every size that both can take."""
    ours, theirs = both(rows, "SLapCVM", "LapSVM", "seconds_fit")
    text = f"seconds beyond the graph: SLapCVM {series(ours)}; LapSVM {series(theirs)}"
    return Judgement(decide(*(ours < theirs)), float((theirs / ours).iloc[-1]), text)


def sparser_than_lapsvm(rows) -> Judgement:
    """LapSVM expands over all points, SLapCVM over a small fraction."""
    ours, theirs = both(rows, "SLapCVM", "LapSVM", "kernel_expansions")
    share = ours / ours.index
    text = f"kernel expansions: SLapCVM {series(ours, 0)}; LapSVM {series(theirs, 0)}"
    return Judgement(decide(bool((ours < theirs).all()), share.iloc[-1] < SMALL), 100.0 * float(share.iloc[-1]), text)


def _growth(rows, method, limit) -> Judgement:
    found = {metric: exponent(line(rows, method, metric)) for metric in ("seconds_fit", "kernel_expansions")}
    sizes = line(rows, method, "kernel_expansions").index
    text = f"exponents of {method} from {sizes.min()} to {sizes.max()} points: seconds {found['seconds_fit']:.2f}, "
    text += f"expansions {found['kernel_expansions']:.2f}"
    return Judgement(decide(*(value < limit for value in found.values())), found["kernel_expansions"], text)


def almost_constant(rows) -> Judgement:
    """Figure 1(c), (d): time and space almost constant, at one C and one theta."""
    return _growth(rows, "SLapCVM", FLAT)


def almost_constant_with_edges(rows) -> Judgement:
    """The same where theta grows with the number of edges."""
    return _growth(rows, "SLapCVM, theta ~ edges", FLAT)


def sublinear(rows) -> Judgement:
    """Figure 2(a), (b): time and expansions grow sublinearly."""
    return _growth(rows, "SLapCVM", SUBLINEAR)


def sublinear_optimum(rows) -> Judgement:
    """The same for the optimum itself: all edges are looked at before the search stops."""
    return _growth(rows, "SLapCVM, exact", SUBLINEAR)


def reduced_is_inferior_on_moons(rows) -> Judgement:
    """Section 4.1: reduced LapSVM slightly inferior in accuracy."""
    ours, theirs = both(rows, "SLapCVM", "Reduced LapSVM", "accuracy_pct")
    text = f"accuracy: SLapCVM {series(ours)}; reduced LapSVM {series(theirs)}"
    return Judgement(decide(theirs.min() < ours.min()), float(theirs.min()), text)


def better_than_supervised(rows) -> Judgement:
    """Figure 2(c): semi-supervised learning much better than the SVM on the labels."""
    parts, words = [], []
    for method in ("SLapCVM", "LapSVM"):
        ours, svm = both(rows, method, "SVM", "error_pct")
        parts.append(bool((ours <= svm - MUCH).all()))
        words.append(f"{method} {series(ours, 1)} against SVM {series(svm, 1)}")
    ours, svm = both(rows, "SLapCVM", "SVM", "error_pct")
    return Judgement(decide(*parts), float((svm - ours).min()), "test error: " + "; ".join(words))


def better_than_lapsvm(rows) -> Judgement:
    """Section 4.2: SLapCVM always more accurate than LapSVM, unnormalised Laplacian for both."""
    ours, theirs = both(rows, "SLapCVM", "LapSVM", "error_pct")
    text = f"test error: SLapCVM {series(ours, 1)}; LapSVM {series(theirs, 1)}"
    return Judgement(decide(*(ours < theirs)), float((theirs - ours).min()), text)


def better_than_lapsvm_normalised(rows) -> Judgement:
    """The same with the normalised Laplacian for both, and the degree rule beside it."""
    ours, theirs = both(rows, "SLapCVM, normalised", "LapSVM, normalised", "error_pct")
    degree = line(rows, "degree rule", "transductive_error_pct")
    text = f"test error: SLapCVM {series(ours, 1)}; LapSVM {series(theirs, 1)}; degree rule on the training images "
    text += series(degree, 1)
    return Judgement(decide(*(ours < theirs)), float((theirs - ours).min()), text)


def reduced_is_inferior(rows) -> Judgement:
    """Section 4.2: reduced LapSVM as fast as SLapCVM, and inferior."""
    ours, theirs = both(rows, "SLapCVM", "Reduced LapSVM", "error_pct")
    seconds, their_seconds = both(rows, "SLapCVM", "Reduced LapSVM", "seconds_fit")
    comparable = bool((their_seconds <= 3.0 * seconds).all())
    text = f"test error: SLapCVM {series(ours, 1)}; reduced LapSVM {series(theirs, 1)}; seconds {series(seconds)} and "
    text += series(their_seconds)
    return Judgement(decide(bool((theirs > ours).all()), comparable), float((theirs - ours).min()), text)
