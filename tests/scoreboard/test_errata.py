"""Errata and contradictions of the papers: every one is shown by a test or by a committed row.

The derivations are done here with dense matrices, apart from the library: the printed formula and the correct one are
put into the problem that the paper states, and only one of them solves it.
"""

import ast

import numpy as np
import pandas as pd
import pytest
from scipy import integrate, stats

from experiments.engine import paths
from experiments.scoreboard import read_reported
from experiments.tidy import read_results
from experiments.wang2017 import reading

COLUMNS = ["id", "paper", "where", "printed", "correct", "evidence", "note"]
KEY = ["dataset", "method", "setting", "metric"]


def errata() -> pd.DataFrame:
    return pd.read_csv(paths.reported_file().with_name("errata.csv"), dtype=str, keep_default_na=False)


def problem(seed=0, n=12, l=5):
    """Kernel, Laplacian of a random graph, labelled rows and labels."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    W = np.triu(rng.uniform(size=(n, n)), 1)
    W += W.T
    K = np.exp(-np.square(X[:, None] - X).sum(axis=2))
    return K, np.diag(W.sum(axis=1)) - W, np.arange(l), rng.choice([-1.0, 1.0], l)


def test_every_erratum_names_evidence_that_exists():
    frame = errata()
    assert list(frame.columns) == COLUMNS and frame["id"].is_unique
    assert (frame[["paper", "where", "printed", "correct", "evidence"]] != "").all(axis=None)
    for evidence in "; ".join(frame["evidence"]).split("; "):
        if evidence.startswith("row: "):
            artifact, *entries = evidence.removeprefix("row: ").split(" | ")
            rows = read_results(artifact)
            assert (rows[KEY] == entries).all(axis=1).sum() == 1, evidence
        elif evidence != "open":
            assert _is_a_test(evidence), evidence


def test_missing_evidence_would_be_noticed():
    here = "tests/scoreboard/test_errata.py"
    assert _is_a_test(f"{here}::test_chen2012_34_lacks_the_ridge")
    assert not _is_a_test(f"{here}::test_of_nothing") and not _is_a_test("tests/scoreboard/test_none.py::test_a")


def _is_a_test(node: str) -> bool:
    file, *names = node.split("::")
    path = paths.ROOT / file
    if not path.exists():
        return False
    scope = ast.parse(path.read_text(encoding="utf-8"))
    for name in names:
        scope = next((item for item in scope.body if getattr(item, "name", None) == name), None)
        if scope is None:
            return False
    return isinstance(scope, ast.FunctionDef) and scope.name.startswith("test")


def test_chen2012_34_lacks_the_ridge():
    # Problem 33 over (alpha, g): minimise it directly and compare f = K alpha.
    K, L, rows, y = problem()
    n, C, mu = len(K), 3.0, 0.7
    Lambda, target = np.zeros((n, n)), np.zeros(n)
    Lambda[rows, rows], target[rows] = 10.0, y
    M = Lambda + mu * L
    H = np.block([[K + C * K @ K, -C * K], [-C * K, C * np.eye(n) + M]])
    alpha = np.linalg.solve(H, np.concatenate([np.zeros(n), Lambda @ target]))[:n]
    G = np.linalg.inv(M)
    virtual = G @ Lambda @ target
    # min 1/2 b'(Q + I/C)b + b'y has b = -(Q + I/C)^-1 y; as printed b = -Q^-1 y / 2. Either way alpha = -b.
    assert np.allclose(K @ np.linalg.solve(K + G + np.eye(n) / C, virtual), K @ alpha, atol=1e-8)
    printed = K @ np.linalg.solve(K + G, virtual) / 2
    assert np.abs(printed - K @ alpha).max() > 0.1 * np.abs(K @ alpha).max()


def test_zhang2015_6_lacks_the_number_of_labels():
    K, S, rows, y = problem(1)
    n, l, gamma_A, gamma_I = len(K), len(rows), 0.3, 2.0
    J, target = np.zeros((n, n)), np.zeros(n)
    J[rows, rows], target[rows] = 1.0, y

    def gradient(alpha):  # of problem 5, after (4) is put in
        return K @ (-2 / l * J @ (target - K @ alpha) + 2 * gamma_A * alpha + 2 * gamma_I / n**2 * S @ K @ alpha)

    smooth = gamma_I * l / n**2 * S @ K
    right = np.linalg.solve(J @ K + gamma_A * l * np.eye(n) + smooth, target)
    printed = np.linalg.solve(J @ K + gamma_A * np.eye(n) + smooth, target)
    assert np.abs(gradient(right)).max() < 1e-10 < 1e-3 < np.abs(gradient(printed)).max()


def test_zhang2015_14_multiplies_matrices_that_do_not_fit():
    n, m = 12, 4
    rng = np.random.default_rng(0)
    E, D = rng.uniform(size=(n, m)), np.diag(rng.uniform(1, 2, n))
    root = np.diag(np.diag(D) ** -0.5)
    with pytest.raises(ValueError, match="mismatch"):
        E @ root
    assert (root @ E @ np.eye(m) @ E.T @ root).shape == (n, n)


def test_zhang2015_21_divergence_of_two_gaussians():
    h, a, b = 0.8, 0.3, 1.7
    p, q = stats.norm(a, h), stats.norm(b, h)  # exp(-(x - y)^2 / 2 h^2), normalised
    divergence = integrate.quad(lambda x: p.pdf(x) * (p.logpdf(x) - q.logpdf(x)), -10, 10)[0]
    assert divergence == pytest.approx((a - b) ** 2 / (2 * h**2), rel=1e-6)
    assert divergence != pytest.approx((a - b) ** 2 / (4 * h**2), rel=0.1)


def test_zhang2015_prints_the_same_numbers_in_two_places():
    """Three columns of Tables V to VII repeat entries of other methods or data sets, to the last digit."""
    printed = read_reported().query("paper == 'zhang2015'").set_index(["table", "dataset", "method"]).sort_index()
    printed = printed[["mean", "std"]]
    twins = {
        ("V", "BCI", "CB-LapSVMp"): ("III", "BCI", "LapSVMp"),
        ("V", "BCI", "CB-LapRLS"): ("III", "BCI", "LapRLS"),
        ("V", "COIL", "CB-LapRLS"): ("III", "COIL", "LapRLS"),
        ("VI", "COIL", "CB-LapRLS"): ("IV", "COIL", "LapRLS"),
        ("VII", "USPS-FULL", "PVM(sqr)"): ("IV", "SVMGD1A", "PVM(sqr)"),
    }
    for first, second in twins.items():
        assert printed.loc[first].equals(printed.loc[second].astype(float)), (first, second)
    others = printed.loc["IV"].query("dataset != 'SVMGD1A'")["mean"]
    assert not (others == printed.loc["VII", "USPS-FULL", "PVM(sqr)"]["mean"]).any()


def test_zhang2015_bold_faces_contradict_the_printed_deviations():
    """SATIMAGE: LapSVMp 13.81 +- 0.22 is bold beside PVM(hinge) 13.27 +- 0.53; a t-test tells 30 draws apart."""
    printed = read_reported().query("paper == 'zhang2015' and table == 'III'").set_index(["dataset", "method"])
    for dataset, bold, best in (("SATIMAGE", "LapSVMp", "PVM(hinge)"), ("SVMGD1A", "Anchor", "LapSVMp")):
        sides = [(*printed.loc[(dataset, method), ["mean", "std"]].astype(float), 30) for method in (bold, best)]
        assert stats.ttest_ind_from_stats(*sides[0], *sides[1], alternative="greater").pvalue < 0.05


def test_wang2017_7_needs_the_symmetrised_graph_twice():
    K, _, rows, y = problem(2)
    n, gamma_1, gamma_2 = len(K), 1.0, 0.5
    W = np.random.default_rng(3).uniform(size=(n, n))
    W /= W.sum(axis=1, keepdims=True)  # directed, rows on the simplex
    K_l = K[rows]

    def objective(alpha):  # problem 6
        f = K @ alpha
        smooth = (W * np.square(f[:, None] - f)).sum()
        return smooth + gamma_1 * np.square(K_l @ alpha - y).sum() + gamma_2 * alpha @ K @ alpha

    def solution(quadratic):
        return np.linalg.solve(gamma_1 * K_l.T @ K_l + gamma_2 * K + quadratic, gamma_1 * K_l.T @ y)

    symmetric = (W + W.T) / 2
    right = solution(2 * K @ (np.diag(symmetric.sum(axis=1)) - symmetric) @ K)
    printed = solution(K.T @ (np.diag(W.sum(axis=1)) - W) @ K)
    rng = np.random.default_rng(4)
    assert all(objective(right) < objective(right + 1e-3 * rng.normal(size=n)) for _ in range(20))
    assert objective(printed) > objective(right) * 1.001


def test_wang2017_7_has_no_inverse_with_a_linear_kernel():
    rng = np.random.default_rng(5)
    n, d = 40, 6
    X = np.column_stack([rng.normal(size=(n, d)), np.ones(n)])  # with a constant feature
    K, rows = X @ X.T, np.arange(10)
    W = rng.uniform(size=(n, n))
    L = np.diag(W.sum(axis=1)) - W
    matrix = K[rows].T @ K[rows] + K + K.T @ L @ K
    assert np.linalg.matrix_rank(matrix) == d + 1 < n


def _wang(table: str) -> pd.DataFrame:
    printed = read_reported().query("paper == 'wang2017' and table == @table")
    return printed.pivot(index="dataset", columns="method")


def _counts(table: str, method: str, baseline: str) -> tuple[int, int, int]:
    """Data sets in which the printed table has the method better, worse; and its stars."""
    cells = _wang(table)
    gain = cells["mean"][method] - cells["mean"][baseline]
    return int((gain > 0).sum()), int((gain < 0).sum()), int((cells["star"][method] == "yes").sum())


def test_wang2017_counts_of_the_text_are_not_those_of_the_tables():
    assert len(_wang("1")) == len(_wang("2")) == 15
    # text: 9 better with 4 stars, 5 worse
    assert _counts("1", "AGMR_entropy", "MR_LP") == (10, 5, 6)
    # text: 12 better, 7 stars, 4 worse, together 16 of 15 sets
    assert _counts("1", "AGMR_sparse", "MR_SP") == (11, 4, 7)
    # text: 13 better, 9 stars, 1 worse
    assert _counts("2", "AGMR_sparse", "MR_SP") == (14, 1, 9)
    # text: 12 better, 3 worse
    assert _counts("2", "AGMR_sparse", "AGMR_entropy")[:2] == (11, 3)
    # these two agree with the text
    assert _counts("2", "AGMR_entropy", "MR_LP") == (11, 2, 8)
    assert _counts("1", "MR_SP", "MR_LP")[:2] == (9, 5) and _counts("2", "MR_SP", "MR_LP")[:2] == (10, 5)


def test_wang2017_one_deviation_is_printed_six_times():
    deviations = _wang("2")["std"].stack()
    assert (deviations == 6.45).sum() == 6
    assert set(deviations[deviations == 6.45].index.get_level_values("dataset")) == {"Bupa", "Ethn", "German"}


def test_wang2017_digits_are_those_of_10_runs():
    """A mean over r runs on m test points is a whole number of answers over r m: few numbers can be printed."""
    stated, likely = (reading.printable("1").loc[protocol] for protocol in ((30, "half"), (10, "unlabelled")))
    assert (stated["cells"], stated["printable"], stated["by chance"]) == (44, 26, 25.3)
    assert (likely["cells"], likely["printable"], likely["by chance"]) == (44, 29, 13.2)
    assert float(stated["probability"]) > 0.1 and float(likely["probability"]) < 1e-6


def test_chen2012_printed_ranks_follow_from_the_printed_means():
    printed = read_reported().query("paper == 'chen2012' and table == 'II'")
    means = printed.query("metric == 'error_pct'").pivot(index="method", columns="dataset", values="mean")
    ranks = means.rank(method="min").mean(axis=1)
    average = printed.query("metric == 'average_rank'").set_index("method")["mean"]
    assert (ranks.round(2) == average.reindex(ranks.index)).all()
