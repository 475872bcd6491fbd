"""Claims: the file, the verdicts of its tests on made-up rows, and what the committed rows say."""

import importlib

import pandas as pd
import pytest

from experiments.belkin2006 import claims as belkin2006
from experiments.belkin2006.comparisons import differ
from experiments.engine import paths
from experiments.scoreboard import claims as module
from experiments.scoreboard.claims import CLAIM_VERDICTS, CLAIMS, Judgement, decide, judge_claims, pick
from experiments.tidy import tidy, tidy_row, to_csv_text


def rows(*cells, artifact="belkin2006_fig4"):
    """Tidy rows (dataset, method, setting, values, metric, parameters)."""
    made = [tidy_row(artifact, d, m, s, v, metric, p) for d, m, s, v, metric, p in cells]
    return tidy(artifact, pd.DataFrame(made))


def pairs(errors, part="test", n=10):
    """Errors per problem of several methods, ``n`` draws with a deviation near 0.1 each."""
    noise = [0.1 * (-1) ** i for i in range(n)]
    cells = [(i, method, value) for method, values in errors.items() for i, value in enumerate(values)]
    return rows(*[(f"USPS {i}", method, setting, [value + e for e in noise], "error_pct", {})
                  for i, method, value in cells for setting in part.split()])  # fmt: skip


def test_committed_claims_are_well_formed():
    frame = pd.read_csv(paths.reported_file().with_name("claims.csv"), dtype=str, keep_default_na=False)
    assert list(frame.columns) == CLAIMS and frame["id"].is_unique
    for claim in frame.to_dict("records"):
        assert claim["id"].startswith(claim["paper"] + "-") and claim["claim"].endswith(".")
        assert bool(claim["test"]) == bool(claim["artifact"])
        assert claim["test"] or claim["note"].startswith(module.PENDING), (
            "a claim without a test says what it waits for"
        )
        if claim["test"]:
            test = getattr(importlib.import_module(f"experiments.{claim['paper']}.claims"), claim["test"])
            assert test.__doc__


def test_committed_rows_judge_every_claim_that_is_not_pending():
    judged = judge_claims()
    assert set(judged["verdict"]) <= set(CLAIM_VERDICTS)
    pending = judged["note"].str.startswith(module.PENDING)
    assert (judged[pending]["verdict"] == "cannot be tested").all()
    assert not (judged[~pending]["verdict"] == "cannot be tested").any()
    assert (judged[~pending]["text"] != "").all() and judged[~pending]["ours"].notna().all()
    verdicts = judged.set_index("id")["verdict"]
    assert verdicts["belkin2006-table4-points"] == "holds"  # 4.1, 3.1, 4.1, 3.0 points
    assert verdicts["belkin2006-table4-tsvm"] == "fails"  # TSVM 23.3 below the SVM's 28.7
    assert verdicts["belkin2006-isolet-improve"] == "holds in part"  # 28 of 30 speakers


def test_missing_rows_cannot_be_tested(monkeypatch, tmp_path):
    monkeypatch.setenv("MR_WORKSPACE", str(tmp_path))
    judged = judge_claims()
    assert set(judged["verdict"]) == {"cannot be tested"} and judged["ours"].isna().all()


def test_wrong_columns_and_verdicts_are_refused(monkeypatch, tmp_path):
    monkeypatch.setattr(paths, "reported_file", lambda: tmp_path / "reported.csv")
    (tmp_path / "claims.csv").write_text("id,claim\n", encoding="utf-8")
    with pytest.raises(module.UsageError, match="must have the columns"):
        judge_claims()
    claim = dict.fromkeys(CLAIMS, "") | {
        "id": "x",
        "paper": "belkin2006",
        "artifact": "belkin2006_fig4",
        "test": "ring",
    }
    (tmp_path / "claims.csv").write_text(to_csv_text(pd.DataFrame([claim])), encoding="utf-8")
    monkeypatch.setattr(belkin2006, "ring", lambda found: Judgement("perhaps", 0.0, ""))
    with pytest.raises(module.UsageError, match="perhaps"):
        judge_claims()


def test_pick_and_decide():
    found = pairs({"SVM": [1.0, 2.0]})
    assert len(pick(found, dataset="USPS 1")) == 1 and len(pick(found, dataset=["USPS 0", "USPS 1"])) == 2
    with pytest.raises(match="USPS 7"):
        pick(found, dataset="USPS 7")
    assert [decide(*parts) for parts in ([True, True], [True, False], [False])] == ["holds", "holds in part", "fails"]


def test_improvement_over_the_45_pairs():
    base, low = [10.0 + i for i in range(12)], [5.0 + i for i in range(12)]
    every = pairs({"SVM": base, "RLS": base, "LapSVM": low, "LapRLS": low}, "unlabelled test")
    found = belkin2006.digits_improve(every)
    assert found.verdict == "holds" and found.ours == pytest.approx(5.0) and "on 12 of 12" in found.text
    half = pairs({"SVM": base, "RLS": base, "LapSVM": low, "LapRLS": base[::-1]}, "unlabelled test")
    assert belkin2006.digits_improve(half).verdict == "holds in part"
    assert belkin2006.digits_improve(pairs({"SVM": low, "RLS": low, "LapSVM": base, "LapRLS": base}, "unlabelled test")
                                     ).verdict == "fails"  # fmt: skip


def test_comparison_with_tsvm_counts_problems_that_are_clearly_worse():
    same = [3.0] * 20

    def judge(lap, without_bias, program):
        """Both LapSVM against SVM-light; the algorithm of Joachims (1999) is shown and does not count."""
        ours = pairs({"LapSVM": lap, "LapSVM without bias": without_bias, "TSVM": [0.0] * 20}, "unlabelled test")
        cells = [(f"USPS {i}", "TSVM", f"SVM-light, {part}", [value - 0.1, value + 0.1] * 5, "error_pct",
                  {"variant": "SVM-light", "part": part})
                 for i, value in enumerate(program) for part in ("unlabelled", "test")]  # fmt: skip
        cells += [(f"USPS-unscaled {i}", method, f"{method}, {part}", [value - 0.1, value + 0.1] * 5, "error_pct",
                   {"part": part})
                  for method, values in {"TSVM": program, "LapSVM without bias": without_bias}.items()
                  for i, value in enumerate(values) for part in ("unlabelled", "test")]  # fmt: skip
        return belkin2006.digits_against_tsvm(pd.concat([ours, rows(*cells, artifact="belkin2006_tsvm")]))

    assert judge(same, same, same).verdict == "holds"
    assert judge([3.9] * 20, same, same).verdict == "holds"  # significant, but less than a point
    far = [4.5, 4.5] + [3.0] * 18  # 10 % of the problems
    assert judge(far, far, same).verdict == "fails" and judge(far, far, same).ours == pytest.approx(10.0)
    assert judge(far, same, same).verdict == "holds in part"


def test_limits_must_shrink_and_be_small():
    def limit(*differences):
        weights = [{"limit": "label propagation", "gamma_A": 10.0**-i} for i in range(len(differences))]
        cells = [("moons", "LapRLS", f"gamma_A={w['gamma_A']}", [d], "relative_difference", w)
                 for d, w in zip(differences, weights, strict=True)]  # fmt: skip
        return rows(*cells, artifact="belkin2006_table2")

    assert belkin2006.label_propagation_limit(limit(0.1, 0.01, 0.001)).verdict == "holds"
    assert belkin2006.label_propagation_limit(limit(0.1, 0.2, 0.001)).verdict == "holds in part"
    assert belkin2006.label_propagation_limit(limit(0.1, 0.01, 0.05)).verdict == "fails"


def test_three_to_four_points():
    def table(gain):
        return rows(*[("Isolet-26", m, part, [30.0 - (gain if m.startswith("Lap") else 0.0)], "error_pct", {})
                      for m in ("SVM", "RLS", "LapSVM", "LapRLS") for part in ("unlabelled", "test")])  # fmt: skip

    assert [belkin2006.isolet_three_to_four_points(table(g)).verdict for g in (2.4, 2.6, 4.4, 4.6)] == [
        "fails", "holds", "holds", "fails"]  # fmt: skip


def test_more_unlabelled_pages():
    def curves(*lines):
        return rows(*[("WebKB-course", "LapSVM", f"l={l}, n={n}, common", [v], "prbep_pct",
                       {"n_labelled": l, "size": n, "part": "common"})
                      for l, line in enumerate(lines) for n, v in zip((200, 400, 779), line, strict=True)])  # fmt: skip

    assert belkin2006.transduction_improves(curves((80, 81, 82), (83, 84, 85))).verdict == "holds"
    found = belkin2006.transduction_improves(curves((80, 79, 82), (83, 84, 85)))
    assert found.verdict == "holds in part" and found.ours == 50.0


def test_welch():
    low, high = (pd.Series({"mean": m, "std": 1.0, "n_runs": 10}) for m in (5.0, 6.0))
    assert differ(low, high)  # t = 1 / sqrt(0.2) = 2.24, critical 2.10
    assert not differ(low, high.replace(6.0, 5.8))  # t = 1.79


def test_weights_of_a_grid_hold_in_nine_of_ten_cells():
    def grid(gains):
        cells = []
        for i, gain in enumerate(gains):
            for method in ("LapRLS", "LapSVM"):
                for part in ("unlabelled", "test"):
                    weights, name = {"a": 0.1, "b": float(i), "part": part}, f"a=0.1, b={i}, {part}"
                    cells.append(("USPS-45-pairs", method, name, [gain, gain + 0.2], "gain_points", weights))
                    cells.append(("USPS-45-pairs", method, name, [3.0], "error_pct", weights))
                    cells.append(("USPS-45-pairs", method, name, [1.0], "deviation_pct", weights))
        svm = {"a": 0.1, "part": "test"}
        cells.append(("USPS-45-pairs", "SVM", "a=0.1, test", [2.0], "deviation_pct", svm))
        return rows(*cells, artifact="belkin2006_parameters")

    assert belkin2006.digits_over_weights(grid([5.0] * 9 + [-5.0])).verdict == "holds"
    found = belkin2006.digits_over_weights(grid([5.0] * 8 + [-5.0] * 2))
    assert found.verdict == "holds in part" and found.ours == pytest.approx(-4.9)


def test_spirals_of_several_files_are_judged_one_by_one():
    cells = [(name, "RSC", f"k={k}, gamma=1, {part}", [wrong], "error_pct", {"gamma": 1.0, "k": k, "part": part})
             for name, k, wrong in (("file", 2, 16.0), ("file", 6, 45.0), ("generated", 6, 0.0))
             for part in ("clustered", "new")]  # fmt: skip
    found = belkin2006.clusters_found(rows(*cells, artifact="belkin2006_fig10"))
    assert found.verdict == "holds in part" and found.ours == 16.0
