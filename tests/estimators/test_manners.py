"""What users of scikit-learn expect: probabilities, weights, kernels of their own, scores, memory, interruption."""

import signal
import subprocess
import sys
import time
from functools import partial

import numpy as np
import pytest
from scipy import sparse
from sklearn import config_context
from sklearn.datasets import load_digits, make_moons
from sklearn.metrics.pairwise import laplacian_kernel, rbf_kernel
from sklearn.model_selection import GridSearchCV, cross_val_score

import mr
from mr import resources
from mr.kernels import kernel as kernel_room
from mr.kernels import products
from mr.model_selection import LabelledKFold
from tests.estimators_list import CLASSIFIERS, ESTIMATORS, REGRESSORS

DOUBLED = [mr.RLS, mr.SVM, mr.LapRLS, mr.LapSVM, mr.LapSVR, mr.LinearLapRLS]
WEIGHTED = [*DOUBLED, mr.LapERLS, mr.LapESVR, mr.PVM, mr.AGMR]
KERNELISED = [mr.RLS, mr.SVM, mr.LapRLS, mr.LapSVM, mr.LapSVR, mr.PrimalLapSVM, mr.LapERLS, mr.LapESVR]
EMBEDDED = {"C": 10.0, "mu": 1.0, "label_weight": 100.0}
FIXED = {
    mr.LapSVR: {"C": 10.0, "mu": 1.0},
    mr.LapSVRRegressor: {"C": 10.0, "mu": 1.0},
    mr.LapERLS: EMBEDDED,
    mr.LapERLSRegressor: EMBEDDED,
    mr.LapESVR: EMBEDDED,
    mr.LapESVRRegressor: EMBEDDED,
    mr.PVM: {"C1": 10.0, "C2": 1.0, "n_prototypes": 30, "random_state": 0},
    mr.AGMR: {"gamma_1": 1.0, "gamma_2": 0.1, "eta": 1.0},
}
"""Weights in the machine's own parameters; those of the others are gamma_A and gamma_I."""


@pytest.fixture(scope="module")
def moons():
    X, truth = make_moons(120, noise=0.1, random_state=0)
    y = np.full(120, -1)
    for c in (0, 1):
        y[np.flatnonzero(truth == c)[:5]] = c
    return X, y, truth


def fixed(machine, **more):
    """The machine at given weights and width."""
    names = machine().get_params()
    weights = FIXED.get(machine, {"gamma_A": 1e-2, "gamma_I": 50.0, "fit_intercept": False}) | {"gamma": 2.0} | more
    return machine(**{name: value for name, value in weights.items() if name in names})


@pytest.mark.parametrize("classifier", CLASSIFIERS)
class TestProbabilities:
    def test_two_classes(self, classifier, moons):
        X, y, _ = moons
        model = classifier().fit(X, y)
        p = model.predict_proba(X)
        assert p.shape == (120, 2) and np.allclose(p.sum(axis=1), 1) and (p >= 0).all()
        assert (model.classes_[(p[:, 1] > 0.5).astype(int)] == model.predict(X)).all()

    def test_several_classes(self, classifier):
        X, truth = load_digits(n_class=3, return_X_y=True)
        X, truth = X[:200], truth[:200]
        y = np.where(np.arange(200) < 30, truth, -1)
        model = classifier().fit(X, y)
        p = model.predict_proba(X)
        assert p.shape == (200, 3) and np.allclose(p.sum(axis=1), 1) and (p >= 0).all()
        assert (model.classes_[p.argmax(axis=1)] == model.predict(X)).all()


@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_score_ignores_unlabelled_rows(classifier, moons):
    X, y, truth = moons
    model = classifier().fit(X, y)
    labelled = y != -1
    assert model.score(X, y) == np.mean(model.predict(X)[labelled] == truth[labelled])
    assert model.score(X, truth) == np.mean(model.predict(X) == truth)
    with pytest.raises(ValueError, match="score needs labelled rows"):
        model.score(X, np.full(120, -1))


@pytest.mark.parametrize("regressor", REGRESSORS)
def test_scores_of_regressors_ignore_unlabelled_rows(regressor):
    X = np.linspace(0, 1, 60)[:, None]
    y = np.sin(3 * X[:, 0])
    few = np.where(np.arange(60) % 3 == 0, y, np.nan)
    model = regressor().fit(X, few)
    assert np.isfinite(model.score(X, few)) and model.score(X, few) == model.score(X[::3], few[::3])
    with pytest.raises(ValueError, match="score needs labelled rows"):
        model.score(X, np.full(60, np.nan))


class TestWeights:
    @pytest.mark.parametrize("machine", DOUBLED)
    def test_a_weight_of_two_is_the_label_twice(self, machine, moons):
        """In a problem whose graph and width are given, doubling a loss is adding the point again."""
        X, y, _ = moons
        row = np.flatnonzero(y == 1)[0]
        weights = np.ones(120)
        weights[row] = 2.0
        again, twice = np.vstack([X, X[row]]), np.append(y, y[row])
        l = (y != -1).sum()
        graph = mr.KNNGraph(6).fit(X).affinity_
        # The copy has no edges: it adds its loss and nothing else. gamma_A l and gamma_I l / n^2 stay what they are.
        grown = sparse.block_diag([graph, sparse.csr_array((1, 1))]).tocsr()
        one = {"gamma_A": 0.5, "gamma_I": 50.0, "C": 0.1, "graph": graph}
        two = {"gamma_A": 0.5 * l / (l + 1), "gamma_I": 50.0 * l / (l + 1) * (121 / 120) ** 2, "C": 0.1, "graph": grown}
        weighted = fixed(machine, **one).fit(X, y, sample_weight=weights)
        doubled = fixed(machine, **two).fit(again, twice)
        assert np.allclose(weighted.decision_function(X), doubled.decision_function(X), atol=1e-5)
        alike = fixed(machine, **one).fit(X, y).decision_function(X)
        assert not np.allclose(weighted.decision_function(X), alike, atol=1e-4)

    @pytest.mark.parametrize("machine", WEIGHTED)
    def test_a_weight_of_zero_is_no_label(self, machine, moons):
        X, y, _ = moons
        row = np.flatnonzero(y == 1)[0]
        weights, hidden = np.ones(120), y.copy()
        weights[row], hidden[row] = 0.0, -1
        left = fixed(machine).fit(X, y, sample_weight=weights).decision_function(X)
        assert np.allclose(left, fixed(machine).fit(X, hidden).decision_function(X), atol=1e-7)
        with pytest.raises(ValueError, match="positive at some labelled row"):
            fixed(machine).fit(X, y, sample_weight=(y == -1).astype(float))
        with pytest.raises(ValueError, match="[Nn]egative values"):
            fixed(machine).fit(X, y, sample_weight=-weights)

    @pytest.mark.parametrize("machine", WEIGHTED)
    def test_balanced_classes_are_weights_of_their_labels(self, machine, moons):
        X, y, _ = moons
        y = y.copy()
        y[np.flatnonzero(y == 1)[2:]] = -1  # two labels against five
        weights = np.where(y == 1, 7 / 4, 7 / 10)
        balanced = fixed(machine, class_weight="balanced").fit(X, y).decision_function(X)
        assert np.allclose(balanced, fixed(machine).fit(X, y, sample_weight=weights).decision_function(X), atol=1e-7)
        given = fixed(machine, class_weight={0: 0.7, 1: 1.75}).fit(X, y).decision_function(X)
        assert np.allclose(given, balanced, atol=1e-7)

    @pytest.mark.parametrize(
        ("machine", "name"),
        [(mr.LapERLS, "label_weight"), (mr.LapESVR, "label_weight"), (mr.PVM, "C1"), (mr.AGMR, "gamma_1")],
    )
    def test_equal_weights_multiply_the_weight_of_the_loss(self, machine, name, moons):
        X, y, _ = moons
        weighted = fixed(machine).fit(X, y, sample_weight=np.full(120, 3.0)).decision_function(X)
        larger = fixed(machine, **{name: 3.0 * FIXED[machine][name]}).fit(X, y).decision_function(X)
        assert np.allclose(weighted, larger, atol=1e-5)

    @pytest.mark.parametrize("loss", ["square", "hinge"])
    def test_prototype_machines_see_a_weighted_label_twice(self, loss):
        rng = np.random.default_rng(0)
        F, y, A = (
            rng.standard_normal((8, 5)),
            np.where(np.arange(8) % 2, 1.0, -1.0)[:, None],
            np.diag(1.0 + np.arange(5)),
        )
        weights, again = np.r_[2.0, np.ones(7)], np.r_[0, np.arange(8)]
        machine = mr.PVM(loss=loss, tol=1e-10)
        weighted, _ = machine._solve(A, F, y, 0.3, weights)
        assert np.allclose(weighted, machine._solve(A, F[again], y[again], 0.3)[0], atol=1e-6)
        assert not np.allclose(weighted, machine._solve(A, F, y, 0.3)[0], atol=1e-4)

    def test_weights_count_where_everything_else_is_chosen(self):
        """Labels that are wrong, but of hardly any weight, do little harm to a machine with its default parameters."""
        X, truth = load_digits(n_class=2, return_X_y=True)
        y, weights = np.where(np.arange(len(X)) < 40, truth, -1), np.ones(len(X))
        y[20:40] = 1 - truth[20:40]
        weights[20:40] = 1e-6
        for machine in WEIGHTED:
            model = machine(**{"random_state": 0} if "random_state" in machine().get_params() else {})
            assert (model.fit(X, y, sample_weight=weights).transduction_ == truth).mean() > 0.9, machine
            assert (model.fit(X, y).transduction_ == truth).mean() < 0.7, machine

    @pytest.mark.parametrize("machine", [mr.PVM, mr.AGMR])
    def test_machines_that_need_points_refuse_a_precomputed_kernel(self, machine, moons):
        with pytest.raises(ValueError, match="'kernel' parameter of .* 'precomputed'"):
            machine(kernel="precomputed").fit(*moons[:2])

    def test_balanced_weights_raise_the_recall_of_a_rare_class(self):
        X, digits = (part[::2] for part in load_digits(return_X_y=True))
        truth = (digits == 3).astype(int)
        rng = np.random.default_rng(0)
        y = np.full(len(X), -1)
        y[rng.choice(np.flatnonzero(truth == 1), 2, replace=False)] = 1
        y[rng.choice(np.flatnonzero(truth == 0), 100, replace=False)] = 0
        recall = [
            np.mean(mr.LapRLS(graph_weight=10.0, class_weight=weight).fit(X, y).transduction_[truth == 1] == 1)
            for weight in (None, "balanced")
        ]
        assert recall[1] > recall[0]

    def test_regressors(self):
        X = np.linspace(0, 1, 30)[:, None]
        y = np.where(np.arange(30) % 3 == 0, X[:, 0], np.nan)
        weights = np.ones(30)
        weights[0] = 0.0
        machines = [mr.RLSRegressor, mr.LapRLSRegressor, mr.LapSVRRegressor, mr.LapERLSRegressor, mr.LapESVRRegressor]
        for machine in machines:
            left, hidden = fixed(machine).fit(X, y, sample_weight=weights), y.copy()
            hidden[0] = np.nan
            assert np.allclose(left.predict(X), fixed(machine).fit(X, hidden).predict(X), atol=1e-8)


class TestKernels:
    @pytest.mark.parametrize("machine", KERNELISED)
    def test_a_function_is_the_kernel_that_it_computes(self, machine, moons):
        X, y, _ = moons
        own = fixed(machine, kernel=lambda A, B: rbf_kernel(A, B, gamma=2.0)).fit(X, y).decision_function(X)
        assert np.allclose(own, fixed(machine).fit(X, y).decision_function(X), atol=1e-6)
        assert fixed(machine, kernel=laplacian_kernel).fit(X, y).predict(X[:3]).shape == (3,)

    @pytest.mark.parametrize("machine", KERNELISED)
    def test_precomputed(self, machine, moons):
        """Neighbours in the feature space of a Gaussian kernel are neighbours, in the same order."""
        X, y, _ = moons
        K = rbf_kernel(X, gamma=2.0)
        new = make_moons(20, random_state=3)[0]
        binary = {"graph": mr.KNNGraph(6, weights="binary")} if "graph" in machine().get_params() else {}
        points = fixed(machine, **binary).fit(X, y)
        gram = fixed(machine, kernel="precomputed", **binary).fit(K, y)
        assert np.allclose(gram.decision_function(K), points.decision_function(X), atol=1e-6)
        assert np.allclose(
            gram.decision_function(rbf_kernel(new, X, gamma=2.0)), points.decision_function(new), atol=1e-6
        )

    def test_precomputed_inside_cross_validation(self, moons):
        X, y, truth = moons
        scores = cross_val_score(mr.LapRLS(kernel="precomputed"), rbf_kernel(X, gamma=2.0), truth, cv=3)
        assert scores.min() > 0.9

    def test_what_is_no_kernel_matrix_is_refused(self, moons):
        X, y, _ = moons
        with pytest.raises(ValueError, match="n x n matrix of kernel values .* got shape"):
            mr.LapRLS(kernel="precomputed").fit(X, y)
        K = rbf_kernel(X)
        K[0, 1] = 5.0
        with pytest.raises(ValueError, match="symmetric"):
            mr.LapRLS(kernel="precomputed").fit(K, y)
        with pytest.raises(ValueError, match="must return finite numbers of shape"):
            mr.LapRLS(kernel=lambda A, B: np.zeros(3)).fit(X, y)

    def test_distances_of_ones_own(self, moons):
        X, _, _ = moons
        D = np.linalg.norm(X[:, None] - X[None], axis=-1)
        given, found = mr.KNNGraph(6, metric="precomputed").fit(D), mr.KNNGraph(6).fit(X)
        assert abs(given.affinity_ - found.affinity_).max() < 1e-12
        for wrong, message in ((X, "n x n matrix of distances"), (-D, "not negative")):
            with pytest.raises(ValueError, match=message):
                mr.KNNGraph(6, metric="precomputed").fit(wrong)


class TestMemory:
    def test_asked_for_before_it_is_taken(self, moons, monkeypatch):
        X, y, _ = moons
        monkeypatch.setattr(resources, "available_memory", lambda: 1000)
        with pytest.raises(MemoryError, match=r"120 x 120 Gram matrix.*GiB are available.*basis=.*mr.PVM"):
            mr.LapRLS().fit(X, y)
        mr.LapRLS(basis=20, random_state=0).fit(X, y)

    @pytest.mark.parametrize(
        "machine",
        [mr.LapRLSCV, mr.LapSVMCV, mr.LapERLSCV, mr.LapESVRCV, mr.LapERLS, mr.LapESVR, mr.PrimalLapSVM,
         mr.RegularizedEigenmap, mr.RegularizedSpectralClustering, partial(mr.LapRLSCV, gamma=(0.1, 1.0))],
    )  # fmt: skip
    def test_no_gram_matrix_is_made_without_asking(self, machine, monkeypatch):
        X = np.random.default_rng(0).normal(size=(60, 10))
        monkeypatch.setattr(resources, "available_memory", lambda: 1000)
        monkeypatch.setattr(kernel_room, "ASKED_FOR", 8 * 60**2)
        with pytest.raises(MemoryError, match=r"60 x 60 Gram matrix.*GiB are available.*basis=.*mr.PVM"):
            machine().fit(X, np.where(np.arange(60) < 10, np.arange(60) % 2, -1))

    def test_principal_axes_of_many_columns_ask_first(self, monkeypatch):
        X = np.random.default_rng(0).normal(size=(60, 300))
        monkeypatch.setattr(resources, "available_memory", lambda: 1000)
        with pytest.raises(MemoryError, match=r"60 x 60 matrix and its eigenvectors.*TruncatedSVD"):
            mr.baselines.Eigenfunction().fit(X, np.where(np.arange(60) < 10, np.arange(60) % 2, -1))

    def test_the_system_says_how_much_there_is(self):
        assert resources.available_memory() > 2**20


class TestInterruption:
    def test_results_and_errors_come_through(self):
        assert resources.interruptible(max, 3, 4) == 4
        with pytest.raises(ZeroDivisionError):
            resources.interruptible(lambda: 1 / 0)

    def test_eigenpairs_are_the_same_with_and_without_the_lock(self, monkeypatch):
        A, B = (M @ M.T + np.eye(30) for M in np.random.default_rng(0).normal(size=(2, 30, 30)))
        for right, largest in ((None, None), (B, None), (B, 4)):
            values, vectors = resources.eigenpairs(A, right, largest)
            with monkeypatch.context() as patch:
                patch.setattr(resources, "ONE_SECOND", 0)
                again, others = resources.eigenpairs(A, right, largest)
            assert np.allclose(values, again) and np.allclose(np.abs(vectors), np.abs(others))
            assert np.allclose(A @ others, (others if right is None else B @ others) * again)

    @pytest.mark.parametrize(
        "left", [np.ascontiguousarray, np.asfortranarray, lambda M: np.repeat(M, 2, axis=1)[:, ::2]]
    )
    @pytest.mark.parametrize("right", [np.ascontiguousarray, np.asfortranarray])
    def test_products_are_the_same_with_and_without_the_lock(self, left, right, monkeypatch):
        A, B = (np.random.default_rng(0).normal(size=shape) for shape in ((40, 30), (30, 20)))
        product = products.multiply(left(A), right(B))
        monkeypatch.setattr(products, "LONG_PRODUCT", 0)
        assert np.array_equal(products.multiply(left(A), right(B)), product)

    def test_solutions_are_the_same_with_and_without_the_lock(self, monkeypatch):
        M, B = (np.random.default_rng(0).normal(size=shape) for shape in ((30, 30), (30, 3)))
        A = M @ M.T + np.eye(30)
        found, column = resources.positive_solution(A, B), resources.positive_solution(A, B[:, 0])
        monkeypatch.setattr(resources, "ONE_SECOND", 0)
        assert np.allclose(resources.positive_solution(A, B), found, rtol=1e-12) and np.allclose(A @ found, B)
        assert np.allclose(resources.positive_solution(A, B[:, 0]), column, rtol=1e-12)
        with pytest.raises(np.linalg.LinAlgError, match="not positive definite"):
            resources.positive_solution(-A, B)

    def test_ctrl_c_is_answered_inside_a_factorisation(self, tmp_path):
        """A factorisation of about ten seconds; the signal is answered while it runs, not after it."""
        script = tmp_path / "long.py"
        script.write_text(
            "import os, signal, time, numpy as np\n"
            "signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have it ignored\n"
            "from scipy import linalg\n"
            "from mr.resources import interruptible\n"
            "A = np.ones((8000, 8000))\n"
            "A.flat[::8001] += 50\n"
            "print(time.process_time(), flush=True)\n"
            "try:\n"
            "    interruptible(linalg.lu_factor, A.T, overwrite_a=True, check_finite=False)\n"
            "except KeyboardInterrupt:\n"
            "    print(time.process_time(), flush=True)\n"
            "    os._exit(0)\n"
        )
        process = subprocess.Popen([sys.executable, script], stdout=subprocess.PIPE, text=True)
        try:
            begun = float(process.stdout.readline())
            time.sleep(0.5)  # into the factorisation
            process.send_signal(signal.SIGINT)
            assert float(process.stdout.readline()) < begun + 3.0  # processor seconds: other work does not count
        finally:
            process.kill()
            process.wait()


@pytest.mark.parametrize("machine", ESTIMATORS)
def test_progress_is_told_when_asked_for(machine, moons, capsys):
    """By every estimator: there is none whose fit takes no more than a few seconds on any data."""
    X, y, _ = moons
    y = np.where(y == -1, np.nan, y) if machine in REGRESSORS else y
    machine().fit(X, y)
    assert capsys.readouterr().out == ""
    machine(verbose=1).fit(X, y)
    lines = capsys.readouterr().out.splitlines()
    speakers = [machine.__name__, machine.__name__.removesuffix("CV")]
    if machine in (mr.SLapCVM, mr.SLapCVR, mr.baselines.CVM):
        speakers += ["newton", "core set"]  # their solvers
    assert lines and all(line.startswith(tuple(f"[{name}] " for name in speakers)) for line in lines)
    if machine in (mr.LapRLS, mr.LapSVM, mr.LapSVR, mr.PrimalLapSVM):
        assert "leave-one-out" in lines[2]


@pytest.mark.parametrize("machine", [*WEIGHTED, mr.LapRLSCV, mr.PVMCV])
def test_weights_are_routed(machine, moons):
    """Through a search of scikit-learn, without and with its metadata routing."""
    X, y, _ = moons
    weights, lists = np.random.default_rng(0).uniform(0.5, 2.0, len(y)), {"class_weight": [None, "balanced"]}
    model = fixed(machine)
    plain = GridSearchCV(model, lists, cv=LabelledKFold(2), error_score="raise").fit(X, y, sample_weight=weights)
    with config_context(enable_metadata_routing=True):
        model = model.set_fit_request(sample_weight=True).set_score_request(sample_weight=False)
        routed = GridSearchCV(model, lists, cv=LabelledKFold(2), error_score="raise").fit(X, y, sample_weight=weights)
    assert np.array_equal(plain.predict(X), routed.predict(X))


def test_tables_come_out_where_tables_are_asked_for(moons):
    table = mr.RegularizedEigenmap(2).set_output(transform="pandas").fit_transform(moons[0])
    assert list(table.columns) == ["regularizedeigenmap0", "regularizedeigenmap1"]
