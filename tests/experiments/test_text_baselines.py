"""The spectral graph transducer and co-training, the baselines quoted in belkin2006's Table 5."""

import numpy as np
from scipy import optimize

from experiments.belkin2006.text_baselines import cotrain, log_odds, solve_transducer, transducer_basis
from mr import KNNGraph

rng = np.random.default_rng(0)


def test_transducer_minimises_its_objective_on_the_sphere():
    X = rng.standard_normal((40, 2))
    basis = transducer_basis(KNNGraph(5).fit(X).affinity_, 6)
    rows, y = np.array([0, 1, 2, 3, 4]), np.array([1.0, -1.0, 1.0, -1.0, -1.0])
    z = solve_transducer(basis, rows, y, c=50.0)
    goal = np.where(y > 0, np.sqrt(3 / 2), -np.sqrt(2 / 3))
    cost = np.where(y > 0, 5 / 4, 5 / 6)

    def objective(w):
        w = w * np.sqrt(40) / np.linalg.norm(w)
        return np.sum(np.arange(1, 7) ** 2 * w**2) + 50 * np.sum(cost * ((basis @ w)[rows] - goal) ** 2)

    found = min(optimize.minimize(objective, start).fun for start in rng.standard_normal((20, 6)))
    assert np.isclose(z @ z, 40) and abs(z.sum()) < 1e-8
    assert objective(basis.T @ z) <= found * (1 + 1e-6)


def test_transducer_separates_two_groups_from_two_labels():
    X = np.vstack([rng.normal(0, 0.3, (30, 2)), rng.normal(2.5, 0.3, (20, 2))])
    truth = np.repeat([1.0, -1.0], [30, 20])
    z = solve_transducer(transducer_basis(KNNGraph(6).fit(X).affinity_, 10), np.array([0, 49]), truth[[0, 49]])
    assert (np.sign(z) == truth).mean() > 0.95


def words(y, n_words=40):
    """Bags of words: each class prefers one half of the vocabulary."""
    rates = np.where((np.arange(n_words) < n_words // 2) == (y[:, None] > 0), 0.45, 0.3)
    return rng.poisson(rates).astype(float)


def test_cotraining_helps_when_views_are_independent():
    y = np.where(np.arange(600) % 4 == 0, 1.0, -1.0)
    views = [words(y), words(y)]
    rows = np.concatenate([np.flatnonzero(y > 0)[:3], np.flatnonzero(y < 0)[:9]])
    pool, test = np.arange(20, 400), np.arange(400, 600)
    errors = []
    for n_rounds in (0, 30):
        first, _ = cotrain(views, rows, y[rows], pool, np.random.default_rng(0), n_rounds)
        errors.append(np.mean((log_odds(first, views[0][test]) > 0) != (y[test] > 0)))
    assert errors[1] < 0.8 * errors[0]


def test_cotraining_stops_when_the_pool_is_empty():
    y = np.array([1.0, -1.0] * 10)
    views = [words(y), words(y)]

    def trained(n_rounds):
        pool = np.arange(2, 20)
        first, _ = cotrain(views, np.array([0, 1]), y[:2], pool, np.random.default_rng(0), n_rounds, pool_size=5)
        return log_odds(first, views[0])

    # 18 points last fewer than 30 rounds: more rounds change nothing, one round is not the end
    assert (trained(30) == trained(60)).all()
    assert (trained(30) != trained(1)).any()
