"""MATLAB files: the benchmark of the SSL book, USPST, ISOLET, WebKB, and the moons and spirals of the original code."""

import numpy as np
from scipy import sparse
from scipy.io import loadmat

from mr.datasets.dataset import Parsed, encode, stack

SPEAKERS_PER_PART = 30
ISOLET_PARTS = ("Isolet1.mat", "Isolet2.mat", "Isolet3.mat", "Isolet4.mat", "isolet5.mat")
LETTERS = tuple("ABCDEFGHIJKLMNOPQRSTUVWXYZ")


def zero_based(indices) -> np.ndarray:
    """MATLAB counts rows from 1 (and in uint16, where subtraction would wrap)."""
    return np.asarray(indices, dtype=np.int64) - 1


def labelled_splits(contents: dict) -> dict:
    """The official repetitions in a split file: one row per repetition, labelled and unlabelled rows."""
    labelled = zero_based(contents["idxLabs"])
    size = labelled.shape[1]
    return {f"labeled{size}": labelled, f"unlabeled{size}": zero_based(contents["idxUnls"])}


def ssl_book(files) -> Parsed:
    """A benchmark set of Chapelle, Schoelkopf and Zien (2006, chapter 21) with its 12 + 12 official splits."""
    names = sorted(files.paths, key=len)  # "...,data.mat", then the splits with 10 and with 100 labels
    contents = loadmat(files[names[0]])
    X = contents["X"]
    X = sparse.csr_matrix(X, dtype=np.float64) if sparse.issparse(X) else np.ascontiguousarray(X, dtype=np.float64)
    labels = contents["y"].astype(np.int64)  # some files hold unsigned codes
    y, class_names = encode(labels, ("-1", "+1") if labels.min() == -1 else None)
    splits = {}
    for name in names[1:]:
        splits |= labelled_splits(loadmat(files[name]))
    return Parsed(X, y, class_names, splits)


def uspst(files) -> Parsed:
    """The USPS test digits with the 10 splits of Chapelle and Zien (2005): 50 labelled, 1957 unlabelled."""
    contents = loadmat(files["uspst.mat"])
    y, class_names = encode(contents["y"])
    X = np.ascontiguousarray(contents["X"], dtype=np.float64)
    notes = "pixels are multiples of 1/16 in [-15/16, 15/16]; not the rows of the test part of usps (counts differ)"
    return Parsed(X, y, class_names, labelled_splits(contents), notes)


def two_moons_belkin(files) -> Parsed:
    """The two moons of the original MATLAB code: 200 training and 200 test points."""
    contents = loadmat(files["2moons.mat"])
    parts = {"train": (contents["x"], contents["y"]), "test": (contents["xt"], contents["yt"])}
    return stack(parts, ("-1", "+1"))


def two_spirals_belkin(files) -> Parsed:
    """The two spirals of the original MATLAB code: 194 points, the classes alternating from the outer end inwards."""
    contents = loadmat(files["2spirals.mat"])
    X = np.ascontiguousarray(contents["x"], dtype=np.float64)
    return Parsed(X, *encode(contents["y"], ("-1", "+1")), {})


def isolet(files) -> Parsed:
    """ISOLET, five parts of 30 speakers who said each letter twice.

    belkin2006 labels one speaker and holds second utterances out, so rows need a speaker and an utterance. They follow
    from the order of rows, where the order survived: parts 1 and 2 are sorted by letter with each speaker's two
    utterances adjacent, part 5 is in original order. In parts 3 and 4 pairs are no longer adjacent (nearest
    neighbours show it), so speaker and utterance are -1 there.
    """
    parts, speakers, utterances = {}, [], []
    for number, name in enumerate(ISOLET_PARTS, start=1):
        contents = loadmat(files[name])
        letters = contents["gnd"].ravel().astype(np.int64)
        parts[f"part{number}"] = (contents["fea"], letters)
        speaker, utterance = speakers_of_part(number, letters)
        speakers.append(speaker)
        utterances.append(utterance)
    parsed = stack(parts, LETTERS)
    order = {"speaker": np.concatenate(speakers), "utterance": np.concatenate(utterances)}
    notes = "splits 'speaker' (0..149) and 'utterance' (0, 1) have one entry per row; -1 (unknown) in parts 3 and 4"
    return parsed._replace(splits=parsed.splits | order, notes=notes)


def speakers_of_part(number: int, letters: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Speaker and utterance of each row of one part, from the order of its rows."""
    if number in (3, 4):
        unknown = np.full(len(letters), -1)
        return unknown, unknown.copy()
    if number == 5:  # speaker after speaker, letters ascending, so a new speaker begins where the letter falls
        speaker = np.concatenate([[0], np.cumsum(np.diff(letters) < 0)])
    else:
        speaker = occurrence(letters) // 2
    utterance = occurrence(speaker * (letters.max() + 1) + letters)
    return speaker + (number - 1) * SPEAKERS_PER_PART, utterance


def occurrence(keys: np.ndarray) -> np.ndarray:
    """How often the same key came in earlier rows."""
    order = np.argsort(keys, kind="stable")
    _, start, counts = np.unique(keys[order], return_index=True, return_counts=True)
    ranks = np.empty(len(keys), dtype=np.int64)
    ranks[order] = np.arange(len(keys)) - np.repeat(start, counts)
    return ranks


def webkb(files, *, view="page") -> Parsed:
    """WebKB course pages (TFIDF, unit length): words of the page, words of links to it, or both side by side."""
    blocks = {"page": ("PAGE",), "link": ("LINK",), "page+link": ("PAGE", "LINK")}
    if view not in blocks:
        raise ValueError(f"view must be one of {tuple(blocks)}, got {view!r}")
    contents = loadmat(files["WebKB.mat"], variable_names=["PAGE", "LINK", "Y"])
    X = sparse.hstack([sparse.csr_matrix(contents[block], dtype=np.float64) for block in blocks[view]], format="csr")
    y, class_names = encode(contents["Y"], ("course", "non-course"))
    nonzero = np.flatnonzero(X.getnnz(axis=1))
    notes = f"view {view!r}; {len(y) - len(nonzero)} rows have no words, split 'nonzero' lists the others"
    return Parsed(X, y, class_names, {"nonzero": nonzero}, notes)
