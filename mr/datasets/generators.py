"""Data made by recipe: any size, seeded, the same on every machine up to rounding.

Each function returns `Parsed`; rows alternate between the classes, so a prefix is a balanced smaller sample.
"""

import numpy as np

from mr.datasets.dataset import Parsed, encode


def alternating(n_samples: int, n_classes: int = 2) -> np.ndarray:
    if n_samples < n_classes:
        raise ValueError(f"n_samples must be at least {n_classes}, got {n_samples}")
    return np.arange(n_samples) % n_classes


def two_moons(n_samples=200, noise=0.1, random_state=0) -> Parsed:
    """Two interleaved half circles of radius 1, Gaussian noise of the given standard deviation.

    The upper moon (class 0) is centred at (0, 0), the lower one (class 1) at (1, 0.5). With noise 0.1 they are
    separable to the eye, as in belkin2006 Fig. 2, tsang2006 Fig. 1 and chen2012 Fig. 1.
    """
    rng = np.random.default_rng(random_state)
    y = alternating(n_samples)
    angle = rng.uniform(0.0, np.pi, n_samples)
    side = 1.0 - 2.0 * y
    X = rng.normal(scale=noise, size=(n_samples, 2)) if noise else np.zeros((n_samples, 2))
    X[:, 0] += side * np.cos(angle) + y
    X[:, 1] += side * np.sin(angle) + 0.5 * y
    return Parsed(X, y, ("upper", "lower"), {}, f"noise {noise}")


def two_spirals(n_samples=400, noise=0.02, turns=1.5, random_state=0) -> Parsed:
    """Two Archimedean spirals, one the other turned by 180 degrees (belkin2006 Figs 9 and 10).

    Radius grows from 0.1 to 1 over the given number of turns; the square root spreads points evenly along the curve.
    """
    rng = np.random.default_rng(random_state)
    y = alternating(n_samples)
    radius = np.sqrt(rng.uniform(0.1**2, 1.0, n_samples))
    angle = 2.0 * np.pi * turns * radius + np.pi * y
    X = radius[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
    return Parsed(X + rng.normal(scale=noise, size=X.shape), y, ("0", "1"), {}, f"noise {noise}, {turns} turns")


def ring(n_samples=202, noise=0.05, random_state=0) -> Parsed:
    """belkin2006 Fig. 1: two labelled points suggest a line; the unlabelled ones show that a circle is natural.

    Row 0 is the labelled point at the centre (class 0), row 1 the labelled point (1, 0) on the ring (class 1). The
    others are unlabelled: every fifth in a disc of radius 0.25 round the centre, the rest on the unit circle, with
    Gaussian noise along the radius.
    """
    rng = np.random.default_rng(random_state)
    if n_samples < 2:
        raise ValueError(f"n_samples must be at least 2 (the labelled points), got {n_samples}")
    y = np.where(np.arange(n_samples) % 5 == 0, 0, 1)
    angle = rng.uniform(0.0, 2.0 * np.pi, n_samples)
    inner = 0.25 * np.sqrt(rng.uniform(size=n_samples))
    radius = np.where(y == 0, inner, 1.0 + rng.normal(scale=noise, size=n_samples))
    X = radius[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
    X[:2] = [[0.0, 0.0], [1.0, 0.0]]
    splits = {"labeled": np.arange(2), "unlabeled": np.arange(2, n_samples)}
    return Parsed(X, y, ("centre", "ring"), splits, f"noise {noise}")


def g241c_like(n_samples=1500, random_state=0) -> Parsed:
    """The recipe of g241c (SSL book, chapter 21): the cluster assumption holds.

    Two Gaussians in 241 dimensions with identity covariance, means 2.5 apart in a random direction, one per class;
    then every dimension is standardised. A fresh draw, not the original 1500 points.
    """
    rng = np.random.default_rng(random_state)
    y = alternating(n_samples)
    means = np.stack([np.zeros(241), random_step(rng, 2.5)])
    X = means[y] + rng.normal(size=(n_samples, 241))
    return Parsed(standardise(X), *encode(y, ("-1", "+1")), {}, "a new draw by the recipe, not the original points")


def g241d_like(n_samples=1500, random_state=0) -> Parsed:
    """The recipe of g241d (SSL book, chapter 21): the clusters mislead, because each holds both classes.

    Class +1: two Gaussians with identity covariance whose means are 6 apart in a random direction. Class -1: two more,
    each 2.5 from one of the former means in a random direction of its own. A quarter of the points comes from each;
    then every dimension is standardised. So k-means finds two clusters, and each is half +1, half -1.
    """
    rng = np.random.default_rng(random_state)
    component = alternating(n_samples, 4)  # +1, -1 in the first cluster, +1, -1 in the second
    first = np.zeros(241)
    second = random_step(rng, 6.0)
    means = np.stack([first, first + random_step(rng, 2.5), second, second + random_step(rng, 2.5)])
    X = means[component] + rng.normal(size=(n_samples, 241))
    y = 1 - component % 2
    return Parsed(standardise(X), *encode(y, ("-1", "+1")), {}, "a new draw by the recipe, not the original points")


def random_step(rng, length: float, dimension: int = 241) -> np.ndarray:
    """A vector of the given length in a uniformly random direction."""
    step = rng.normal(size=dimension)
    return length * step / np.linalg.norm(step)


def standardise(X: np.ndarray) -> np.ndarray:
    return (X - X.mean(axis=0)) / X.std(axis=0)
