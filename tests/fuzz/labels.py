"""Labels and targets: descriptions, and the arrays that they stand for."""

from dataclasses import dataclass

import numpy as np

from tests.fuzz.points import _pandas, mostly

NAMES = np.array(["ash", "birch", "cedar", "douglas", "elm", "unlabeled"])  # the last is the marker, code -1


def _objects(codes, replacement):
    """Strings with something else among them."""
    y = NAMES[codes].astype(object)
    y[len(y) // 2] = replacement
    return y


def _read_only(codes):
    y = codes.copy()
    y.flags.writeable = False
    return y


def _series(codes):
    pandas = _pandas()
    return pandas.Series(NAMES[codes]) if pandas else NAMES[codes].tolist()


PROPER = {
    "int": np.array,
    "int8": lambda codes: codes.astype(np.int8),
    "big-endian": lambda codes: codes.astype(">i4"),
    "float": lambda codes: codes.astype(float),
    "list": lambda codes: codes.tolist(),
    "read-only": _read_only,
    "strided": lambda codes: np.repeat(codes, 2)[::2],
    "column": lambda codes: codes[:, None],
    "strings": lambda codes: NAMES[codes],
    "object": lambda codes: NAMES[codes].astype(object),
    "list of strings": lambda codes: NAMES[codes].tolist(),
    "series": _series,
}
IMPROPER = {
    "uint8": lambda codes: codes.astype(np.uint8),
    "uint64": lambda codes: codes.astype(np.uint64),
    "bool": lambda codes: codes > 0,
    "bytes": lambda codes: NAMES[codes].astype("S"),
    "fractions": lambda codes: np.where(codes < 0, -1.0, codes + 0.5),
    "nan": lambda codes: np.where(codes < 0, np.nan, codes),
    "inf": lambda codes: np.where(codes == 0, np.inf, codes),
    "signed": lambda codes: np.where(codes == 0, -1, 1),
    "mixed": lambda codes: _objects(codes, 3),
    "with None": lambda codes: _objects(codes, None),
    "with NaN": lambda codes: _objects(codes, np.nan),
    "with a tuple": lambda codes: _objects(codes, (1, 2)),
    "empty string": lambda codes: _objects(codes, ""),
    "object integers": lambda codes: codes.astype(object),
    "huge integers": lambda codes: (codes.astype(object) + 1) * 10**30,
    "complex": lambda codes: codes.astype(complex),
    "dates": lambda codes: codes.astype("datetime64[D]"),
    "two columns": lambda codes: np.stack([codes, codes], axis=1),
    "short": lambda codes: codes[:-1],
    "long": lambda codes: np.append(codes, 0),
    "empty": lambda codes: codes[:0],
    "scalar": lambda codes: 1,
    "None": lambda codes: None,
}
HOPELESS = {"short", "long", "empty", "scalar", "None", "two columns", "complex"}
AMOUNTS = ("few", "one per class", "half", "all", "all but one", "one class", "one label", "none")


@dataclass(frozen=True)
class Labels:
    n_classes: int = 2
    amount: str = "few"
    kind: str = "int"

    def make(self, n):
        return (PROPER | IMPROPER)[self.kind](self.codes(n))

    def codes(self, n) -> np.ndarray:
        classes = np.arange(n) % self.n_classes
        keep = np.zeros(n, bool)
        shown = {
            "few": 2 * self.n_classes,
            "one per class": self.n_classes,
            "half": (n + 1) // 2,
            "all": n,
            "all but one": n - 1,
            "one label": 1,
        }
        keep[: shown.get(self.amount, 0)] = True
        if self.amount == "one class":
            keep = classes == 0
        return np.where(keep, classes, -1)

    @property
    def hopeless(self) -> bool:
        return self.kind in HOPELESS or self.amount == "none"

    @property
    def ordinary(self) -> bool:
        return self.kind in PROPER and self.amount in ("few", "half", "all", "all but one")


def draw_labels(rng, wild) -> Labels:
    """Labels that say something; the wild ones in all kinds and amounts."""
    if not wild:
        return Labels(rng.randint(2, 5), rng.choice(AMOUNTS[:5]))
    kind = rng.choice(sorted(PROPER if rng.random() < 0.5 else IMPROPER))
    return Labels(rng.randint(2, 5), mostly(rng, *AMOUNTS), kind)


PROPER_TARGETS = {
    "float": np.array,
    "float32": lambda y: y.astype(np.float32),
    "big-endian": lambda y: y.astype(">f8"),
    "list": lambda y: y.tolist(),
    "read-only": _read_only,
    "strided": lambda y: np.repeat(y, 2)[::2],
    "two targets": lambda y: np.stack([y, 1 - y], axis=1),
    "constant": lambda y: np.where(np.isnan(y), y, 1.0),
    "zeros": lambda y: np.where(np.isnan(y), y, 0.0),
}
IMPROPER_TARGETS = {
    "integers": lambda y: np.nan_to_num(8 * y).astype(int),
    "large": lambda y: 1e30 * y,
    "very large": lambda y: 1e149 * y,
    "huge": lambda y: 1e300 * y,
    "tiny": lambda y: 1e-300 * y,
    "inf": lambda y: np.where(y > 0, np.inf, y),
    "half a row": lambda y: np.stack([y, np.where(y > 0, np.nan, y)], axis=1),
    "small": lambda y: 1e-30 * y,
    "no columns": lambda y: np.stack([y, y], axis=1)[:, :0],
    "three-dimensional": lambda y: y[:, None, None],
    "strings": lambda y: np.full(len(y), "a"),
    "object": lambda y: np.array([None, *y[1:]], dtype=object),
    "complex": lambda y: y.astype(complex),
    "short": lambda y: y[:-1],
    "empty": lambda y: y[:0],
    "scalar": lambda y: 1.0,
    "None": lambda y: None,
}


WEIGHTS = {
    "ones": np.ones,
    "some zeros": lambda n: np.arange(n) % 3.0,
    "zeros": np.zeros,
    "unequal": lambda n: 10.0 ** (40 * (np.arange(n) % 3 - 1)),
    "huge": lambda n: np.full(n, 1e308),
    "tiny": lambda n: np.full(n, 1e-308),
    "negative": lambda n: np.where(np.arange(n) == 0, -1.0, 1.0),
    "nan": lambda n: np.where(np.arange(n) == 0, np.nan, 1.0),
    "list": lambda n: [1] * n,
    "strings": lambda n: ["a"] * n,
    "number": lambda n: 2.0,
    "short": lambda n: np.ones(max(n - 1, 0)),
    "two columns": lambda n: np.ones((n, 2)),
}
"""Weights of the labels."""


@dataclass(frozen=True)
class Targets:
    amount: str = "half"
    kind: str = "float"

    def make(self, n):
        y = np.sin(np.arange(n) + 0.5)
        shown = {"half": (n + 1) // 2, "one label": 1, "all": n, "all but one": n - 1, "none": 0}[self.amount]
        y[shown:] = np.nan
        return (PROPER_TARGETS | IMPROPER_TARGETS)[self.kind](y)

    @property
    def hopeless(self) -> bool:
        wrong = {"inf", "strings", "complex", "short", "empty", "scalar", "None", "no columns", "three-dimensional"}
        return self.kind in wrong or (self.amount == "none" and self.kind in PROPER_TARGETS)

    @property
    def ordinary(self) -> bool:
        return self.kind in PROPER_TARGETS and self.amount != "none"


def draw_targets(rng, wild) -> Targets:
    """As :func:`draw_labels`, for regression."""
    if not wild:
        return Targets(mostly(rng, "half", "one label", "all", "all but one"))
    kind = rng.choice(sorted(PROPER_TARGETS if rng.random() < 0.5 else IMPROPER_TARGETS))
    return Targets(mostly(rng, "half", "one label", "all", "all but one", "none"), kind)
