"""Sets in the LIBSVM format. All are small, so they leave as dense arrays."""

from sklearn.datasets import load_svmlight_file

from mr.datasets.dataset import Parsed, encode, stack


def read(path, n_features: int):
    """Without ``n_features`` a file whose last features happen to be zero would come out too narrow."""
    X, labels = load_svmlight_file(str(path), n_features=n_features)
    return X.toarray(), labels.astype(int)


def splice(files) -> Parsed:
    X, labels = read(files["splice"], 60)
    notes = "nucleotides coded 1..4, unscaled; the file holds the 1000 training rows only"
    return Parsed(X, *encode(labels, ("-1", "+1")), {}, notes)


def german(files) -> Parsed:
    X, labels = read(files["german.numer"], 24)
    return Parsed(X, *encode(labels, ("-1", "+1")), {}, "unscaled; -1 is good credit (700 rows), +1 bad (300)")


def dna(files) -> Parsed:
    parts = {"train": read(files["dna.scale"], 180), "test": read(files["dna.scale.t"], 180)}
    return stack(parts)._replace(notes="60 nucleotides, three 0/1 indicators each")


def svmguide1(files) -> Parsed:
    parts = {"train": read(files["svmguide1"], 4), "test": read(files["svmguide1.t"], 4)}
    return stack(parts)._replace(notes="unscaled")
