"""Shares of the classes among unlabelled points: those of the labels, unless the points contradict them."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.preprocessing import scale

import mr
from mr.solvers.class_share import unlabelled_shares


def cancer():
    X, truth = load_breast_cancer(return_X_y=True)
    X = scale(X)
    return X, truth, rbf_kernel(X)


def labelled(truth, sizes, seed):
    """Rows with so many labels of each class, and their signed targets."""
    rng, k = np.random.default_rng(seed), len(sizes)
    rows = [rng.choice(np.flatnonzero(truth == c), size, replace=False) for c, size in enumerate(sizes)]
    rows = np.sort(np.concatenate(rows))
    targets = np.where(truth[rows][:, None] == np.arange(k), 1.0, -1.0)
    return rows, targets[:, 1:] if k == 2 else targets


def test_labels_drawn_at_random_are_believed():
    _, truth, K = cancer()
    contradicted = 0
    for seed in range(100):
        rows = np.random.default_rng(seed).choice(len(truth), 40, replace=False)
        targets = np.where(truth[rows] == 1, 1.0, -1.0)[:, None]
        contradicted += unlabelled_shares(K, rows, targets) != [None]
    assert contradicted <= 4  # one in a hundred is expected


@pytest.mark.parametrize("rare", [0, 1])
def test_a_class_that_is_rare_among_labels_alone(rare):
    _, truth, K = cancer()  # 37 and 63 %
    in_truth, among_labels = 0.63, 100 / 102 if rare == 0 else 2 / 102
    shares = []
    for seed in range(5):
        rows, targets = labelled(truth, (2, 100) if rare == 0 else (100, 2), seed)
        shares += unlabelled_shares(K, rows, targets)
    gaps = np.abs(np.array(shares) - in_truth)
    assert (gaps < abs(among_labels - in_truth)).all() and gaps.mean() < abs(among_labels - in_truth) - 0.1


def test_several_classes_share_all_points():
    X, truth = load_digits(n_class=3, return_X_y=True)
    rows, targets = labelled(truth, (2, 60, 60), 0)
    shares = unlabelled_shares(rbf_kernel(X, gamma=1e-3), rows, targets)
    assert np.isclose(sum(shares), 1.0) and abs(shares[0] - 1 / 3) < 0.1


def test_nothing_unlabelled():
    _, truth, K = cancer()
    targets = np.where(truth == 1, 1.0, -1.0)[:, None]
    assert unlabelled_shares(K, np.arange(len(truth)), targets) == [None]


def test_the_papers_shares_are_one_word_away():
    X, truth, _ = cancer()
    rows, _ = labelled(truth, (60, 2), 0)
    y = np.full(len(truth), -1)
    y[rows] = truth[rows]
    plain, named, own = (mr.TSVM(positive_fraction=p).fit(X, y) for p in (None, "labels", "auto"))
    assert np.array_equal(plain.decision_function(X), named.decision_function(X)) and named.positive_fraction_ == [None]
    hidden = y == -1
    assert np.mean(named.solutions_[0].labels[hidden] > 0) == pytest.approx(2 / 62, abs=1 / hidden.sum())
    assert np.mean(own.solutions_[0].labels[hidden] > 0) == pytest.approx(
        own.positive_fraction_[0], abs=1 / hidden.sum()
    )
    path = mr.paths.TSVMPath(mr.TSVM(), X)
    assert np.allclose(path.fit(y).values[:, 0], own.decision_function(X), rtol=0, atol=1e-9)


def test_a_kernel_with_negative_eigenvalues_is_no_obstacle():
    _, truth, K = cancer()
    rows, targets = labelled(truth, (60, 2), 0)
    (share,) = unlabelled_shares(K - 0.5 * np.eye(len(K)), rows, targets)
    assert share is not None and 0.0 < share < 1.0


@pytest.mark.parametrize("sizes", [(2, 100), (100, 2)])
def test_common_classes_leave_the_true_share_to_a_rare_one(sizes):
    X, digits = load_digits(return_X_y=True)
    pair = np.isin(digits, (3, 8))
    truth, K = (digits[pair] == 8).astype(int), rbf_kernel(X[pair], gamma=1e-3)
    for seed in range(20):
        rows, targets = labelled(truth, sizes, seed)
        (share,) = unlabelled_shares(K, rows, targets)
        assert abs(share - np.delete(truth, rows).mean()) < 0.15


def test_tsvm_finds_a_rare_class_in_every_draw():
    X, digits = load_digits(return_X_y=True)
    pair = np.isin(digits, (3, 8))
    X, truth = X[pair], (digits[pair] == 8).astype(int)
    for seed in range(20):
        rows, _ = labelled(truth, (100, 2), seed)
        y = np.full(len(truth), -1)
        y[rows] = truth[rows]
        hidden = (y == -1) & (truth == 1)
        assert np.mean(mr.TSVM().fit(X, y).transduction_[hidden] == 1) > 0.8
