"""The prototype vector machine against closed forms on the explicit n x n Laplacian, a QP solver, and itself."""

import numpy as np
import osqp
import pytest
from scipy import sparse
from sklearn.datasets import load_digits, make_blobs, make_moons
from sklearn.svm import SVC

from mr import AGMR, PVM
from mr.kernels import Kernel
from mr.labels import encode_labels
from mr.solvers.choice import choose_cell
from tests.solvers.test_prototypes import LikeDask, explicit_laplacian


@pytest.fixture
def moons():
    X, classes = make_moons(150, noise=0.1, random_state=0)
    y = np.full(150, -1)
    for c in (0, 1):
        y[np.flatnonzero(classes == c)[:6]] = c
    return X, y, classes


@pytest.fixture
def blobs():
    X, classes = make_blobs(150, centers=4, cluster_std=1.5, random_state=3)
    y = np.where(np.arange(150) % 5 == 0, classes, -1)
    return X, y, classes


def pieces(X, y, V, gamma, laplacian):
    """H, S, labelled rows and one-versus-rest targets, written out."""
    kernel = Kernel("rbf", gamma).fit(X)
    H = kernel(X, V)
    rows = np.flatnonzero(y != -1)
    classes = np.unique(y[rows])
    targets = np.where(y[rows, None] == classes[1:] if len(classes) == 2 else y[rows, None] == classes, 1.0, -1.0)
    return H, kernel(V), explicit_laplacian(H, kernel(V), laplacian), rows, targets


@pytest.mark.parametrize("laplacian", ["normalized", "unnormalized"])
@pytest.mark.parametrize(
    "regularizer,C2", [("unlabeled", 0.0), ("unlabeled", 0.1), ("rkhs", 0.1), ("coefficients", 0.1)]
)
def test_square_loss_is_the_closed_form(blobs, laplacian, regularizer, C2):
    X, y, _ = blobs
    V = X[:12]
    H, W, S, rows, targets = pieces(X, y, V, 0.02, laplacian)
    others = np.setdiff1d(np.arange(len(X)), rows)
    R = {"unlabeled": H[others].T @ H[others], "rkhs": W, "coefficients": np.eye(len(V))}[regularizer]
    A = H.T @ S @ H + 3.0 * H[rows].T @ H[rows] + C2 * R
    expected = H @ np.linalg.solve(A, 3.0 * H[rows].T @ targets)
    model = PVM(C1=3.0, C2=C2, gamma=0.02, laplacian=laplacian, regularizer=regularizer, prototypes=V).fit(X, y)
    assert model.rank_ == 12 and model.n_raised_degrees_ == 0
    assert np.allclose(model.decision_function(X), expected, atol=1e-6)


@pytest.mark.parametrize("C2", [0.0, 0.1])
def test_hinge_loss_is_the_primal_problem_by_osqp(moons, C2):
    X, y, _ = moons
    V = X[::10]
    H, W, S, rows, targets = pieces(X, y, V, 8.0, "normalized")
    others = np.setdiff1d(np.arange(len(X)), rows)
    A = H.T @ S @ H + C2 * H[others].T @ H[others]
    m, l = len(V), len(rows)
    # min 1/2 f'Af + C1 1'xi,  y_i H_i f + xi_i >= 1,  xi >= 0, in the variables (f, xi)
    solver = osqp.OSQP()
    solver.setup(
        sparse.csc_matrix(np.triu(np.block([[A, np.zeros((m, l))], [np.zeros((l, m + l))]]))),
        np.concatenate([np.zeros(m), np.full(l, 2.0)]),
        sparse.csc_matrix(np.block([[targets * H[rows], np.eye(l)], [np.zeros((l, m)), np.eye(l)]])),
        np.concatenate([np.ones(l), np.zeros(l)]), np.full(2 * l, np.inf),
        eps_abs=1e-9, eps_rel=1e-9, max_iter=400_000, polishing=True, verbose=False,
    )  # fmt: skip
    f = solver.solve(raise_error=False).x[:m]

    def objective(values, coefficients):
        return 0.5 * coefficients @ A @ coefficients + 2.0 * np.maximum(0, 1 - targets[:, 0] * values[rows]).sum()

    model = PVM(loss="hinge", C1=2.0, C2=C2, gamma=8.0, regularizer="unlabeled", prototypes=V, tol=1e-9).fit(X, y)
    assert model.dual_gap_ <= 1e-8
    ours = objective(model.decision_function(X), model.dual_coef_[:, 0])
    assert ours == pytest.approx(objective(H @ f, f), rel=1e-4)
    assert ours <= objective(H @ f, f) * (1 + 1e-6)


@pytest.mark.parametrize("loss", ["square", "hinge"])
def test_blocks_give_the_same_numbers(blobs, loss):
    X, y, _ = blobs
    model = PVM(n_prototypes=20, loss=loss, C1=10.0, C2=0.0, gamma=0.1, random_state=0)
    plain = model.fit(X, y).decision_function(X)
    parts = np.array_split(X, [1, 40, 41, 100])
    for blocks in (parts, lambda: (part for part in parts), LikeDask(parts)):
        blocked = PVM(n_prototypes=20, loss=loss, C1=10.0, C2=0.0, gamma=0.1, random_state=0).fit_blocks(blocks, y)
        assert np.allclose(blocked.decision_function(X), plain, rtol=1e-6, atol=1e-7)
        assert (blocked.transduction_ == model.transduction_).all()
        assert blocked.n_features_in_ == 2
        through_fit = PVM(n_prototypes=20, loss=loss, C1=10.0, C2=0.0, gamma=0.1, random_state=0).fit(blocks, y)
        assert (through_fit.decision_function(X) == blocked.decision_function(X)).all()


def test_width_rules_work_on_blocks(blobs):
    X, y, _ = blobs
    for rule in ("scale", "mean", "local"):
        plain = PVM(n_prototypes=20, gamma=rule, random_state=0).fit(X, y)
        blocked = PVM(n_prototypes=20, gamma=rule, random_state=0).fit_blocks(np.array_split(X, 3), y)
        assert blocked.kernel_.gamma_ == pytest.approx(plain.kernel_.gamma_)


def test_blocks_and_labels_must_agree(moons):
    X, y, _ = moons
    with pytest.raises(ValueError, match="150 rows, but y has 149"):
        PVM().fit_blocks([X], y[:-1])


def test_prototypes_of_other_dimension_are_refused(moons):
    X, y, _ = moons
    with pytest.raises(ValueError, match="2 columns"):
        PVM(prototypes=np.zeros((3, 5))).fit(X, y)


@pytest.mark.parametrize("loss", ["square", "hinge"])
def test_few_prototypes_separate_the_moons(moons, loss):
    X, y, classes = moons
    model = PVM(n_prototypes=15, loss=loss, C1=100.0, C2=0.0, gamma=20.0, random_state=0).fit(X, y)
    assert (model.transduction_ == classes).mean() > 0.85
    assert model.points_.shape == (15, 2)


def tried(X, n_labels):
    """(gamma, C1, C2) of every cell that gamma = C1 = C2 = "auto" tries, written out."""
    n, V = len(X), X[::5]
    mean = 1 / np.square(X[:, None] - X).sum(axis=2).mean()
    local = 8 / np.sort(np.square(X[:, None] - V).sum(axis=2), axis=1)[:, 1].mean()
    weak = [(mean, 0.1, ridge) for ridge in (1e-2, 1e-3, 1e-4)]
    strong = [(gamma, strength, 1e-4) for gamma in (local / 2, local) for strength in (1e2, 1e4, 1e6)]
    return V, [(gamma, n / t / (ridge * n_labels), n / t) for gamma, t, ridge in weak + strong]


@pytest.mark.parametrize("n_classes", [2, 4])
def test_auto_is_the_choice_among_refits_without_each_label(moons, blobs, n_classes):
    X, y, _ = moons if n_classes == 2 else blobs
    rows = np.flatnonzero(y != -1)
    V, cells = tried(X, len(rows))
    held_out = []
    for gamma, C1, C2 in cells:
        values = []
        for row in rows:
            hidden = y.copy()
            hidden[row] = -1
            values.append(PVM(C1=C1, C2=C2, gamma=gamma, prototypes=V).fit(X, hidden).decision_function(X[[row]])[0])
        held_out.append(np.reshape(values, (len(rows), -1)))
    best = cells[choose_cell(held_out, encode_labels(y).signed, 1)]
    model = PVM(prototypes=V).fit(X, y)
    assert (model.gamma_, model.C1_, model.C2_) == pytest.approx(best)
    given = PVM(C1=model.C1_, C2=model.C2_, gamma=model.gamma_, prototypes=V).fit(X, y)
    assert np.allclose(given.decision_function(X), model.decision_function(X), rtol=1e-9, atol=1e-9)


def test_auto_means_the_same_for_three_times_as_many_points(blobs):
    X, y, _ = blobs
    once = PVM(prototypes=X[:30]).fit(X, y)
    more = PVM(prototypes=X[:30]).fit(np.concatenate([X, X, X]), np.concatenate([y, np.full(2 * len(y), -1)]))
    assert (more.gamma_, more.C1_, more.C2_) == pytest.approx((once.gamma_, 3 * once.C1_, 3 * once.C2_))
    assert np.allclose(more.decision_function(X), once.decision_function(X), atol=1e-6)


def test_auto_leaves_out_a_graph_that_misleads():
    X = np.random.default_rng(0).normal(size=(300, 10))
    classes = (X[:, 0] > 0).astype(int)  # neighbours in ten dimensions say little about one of them
    y = np.where(np.arange(300) < 60, classes, -1)
    model = PVM(random_state=0).fit(X, y)
    assert 300 / model.C2_ == pytest.approx(0.1)
    graph = PVM(C2=300 / 1e4, gamma="local", random_state=0).fit(X, y)
    assert model.score(X, classes) > graph.score(X, classes) + 0.05


def test_what_is_given_stays_and_too_few_labels_choose_nothing(blobs):
    X, y, classes = blobs
    model = PVM(C1=7.0, gamma="scale", random_state=0).fit(X, y)
    assert model.C1_ == 7.0 and len(X) / model.C2_ in (0.1, 1e2, 1e4, 1e6)
    assert model.gamma_ == pytest.approx(1 / (2 * X.var()))
    assert PVM(C2=0.5, random_state=0).fit(X, y).C2_ == 0.5
    assert PVM(regularizer="unlabeled", random_state=0).fit(X, y).C2_ == 0.0
    assert PVM(kernel="poly", random_state=0).fit(X, y).gamma_ == pytest.approx(1 / (2 * X.var()))
    few = np.full(len(y), -1)
    few[[np.flatnonzero(classes == c)[0] for c in range(4)]] = range(4)
    model = PVM(random_state=0).fit(X, few)  # a graph between neighbours
    assert (model.C1_, model.C2_, model.gamma_) == pytest.approx((10.0, 0.0, 32 / (2 * X.var())))
    given = PVM(gamma="scale", random_state=0).fit(X, few)  # nearly the supervised machine
    assert (given.C1_, given.C2_) == pytest.approx((1500 / (1e-3 * 4), 1500))


def test_digits_by_default_beat_a_support_vector_machine_on_the_labels():
    X, truth = load_digits(return_X_y=True)
    y = np.where(np.arange(len(truth)) < 50, truth, -1)
    supervised = SVC().fit(X[:50], truth[:50]).score(X[50:], truth[50:])
    for loss in ("square", "hinge"):
        model = PVM(loss=loss, random_state=0).fit(X, y)
        assert (model.transduction_[50:] == truth[50:]).mean() > supervised + 0.05


@pytest.mark.parametrize("machine", [PVM, AGMR])
def test_a_function_as_kernel(moons, machine):
    X, y, _ = moons

    def gaussian(A, B):
        return np.exp(-3.0 * np.square(A[:, None] - B).sum(axis=2))

    by_name, by_function = (
        machine(gamma=3.0, random_state=0).fit(X, y),
        machine(kernel=gaussian, random_state=0).fit(X, y),
    )
    assert np.allclose(by_name.decision_function(X), by_function.decision_function(X), atol=1e-6)
    with pytest.raises(ValueError, match="kernel"):
        machine(kernel="precomputed").fit(X @ X.T, y)
