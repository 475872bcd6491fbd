"""belkin2006, section 5.4: course pages among web pages. Features from the raw pages, shared by Table 5 and Figure 8.

The paper: "the top 3000 words (skipping HTML headers) having highest mutual information with the class variable,
followed by TFIDF mapping", unit length, "9 documents were found to contain none of these words and were removed". So
the element ``<head>`` and all tags are cut, words are sequences of letters in lower case, English stop words go. Stop
words and words of one letter are not mentioned; with them as here 9 pages have none of the 3000 words, as the paper
says, and 779 + 263 pages stay, as in its Figure 8. No error had been looked at when this was chosen.

Variants: ``head kept`` cuts tags only and takes words of two letters or more (8 pages without words); ``file`` is a
ready matrix, WebKB.mat of a clustering paper, which kept the stop words (5 pages without words).
"""

import re
from functools import lru_cache

import numpy as np
from scipy import sparse
from scipy.special import xlogy
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.preprocessing import normalize

POSITIVE = 0
"""Class code of "course", the class whose precision and recall count."""
HEAD = re.compile(r"<head.*?</head>", re.IGNORECASE | re.DOTALL)
TAG = re.compile(r"<[^>]*>")


class Pages:
    """Pages with at least one word of the vocabulary.

    Attributes
    ----------
    X : features of unit length
    y : 1 for course, else 0
    n_empty, n_empty_courses : int
        Pages without any word, which are left out, and the courses among them.
    words : dict
        Matrices for naive Bayes, by vocabulary: ``"chosen"`` (the words of X) and ``"all"``; counts, or what there is.
    links : matrix or None
        Counts of the words of links to the pages.
    """

    def __init__(self, dataset, links=None, **options):
        if dataset.X.dtype == object:
            counts = count_words(dataset, **{key: options[key] for key in ("head", "pattern", "stop_words")})
            chosen = counts[:, most_informative(counts, dataset.y == POSITIVE, options["n_words"])]
            X, every = tfidf(chosen), counts
        else:
            X = chosen = every = sparse.csr_array(dataset.X)
        rows = np.flatnonzero(chosen.sum(axis=1) > 0)
        is_course = (dataset.y == POSITIVE).astype(int)
        self.X, self.y = normalize(X[rows]), is_course[rows]
        self.n_empty, self.n_empty_courses = len(dataset.y) - len(rows), int(is_course.sum() - self.y.sum())
        self.words = {"chosen": chosen[rows], "all": every[rows]}
        self.links = (
            None if links is None else count_words(links, True, options["pattern"], options["stop_words"])[rows]
        )


@lru_cache(maxsize=8)  # one process runs many tasks on the same pages
def pages_of(dataset, links, options) -> Pages:
    """:class:`Pages` of a data set; ``options`` are the sorted items of the entry of params."""
    return Pages(dataset, links, **dict(options))


@lru_cache(maxsize=4)
def count_words(dataset, head, pattern, stop_words) -> sparse.csr_array:
    """Counts (pages x words) of the words in the texts, without tags and, unless ``head``, without the HTML head."""
    texts = [TAG.sub(" ", text if head else HEAD.sub(" ", text)) for text in dataset.X]
    return sparse.csr_array(CountVectorizer(token_pattern=pattern, stop_words=stop_words).fit_transform(texts))


def most_informative(counts, positive, n_words) -> np.ndarray:
    """Columns of the words whose occurrence has the highest mutual information with the class; ties by alphabet."""
    occurs, n = (counts > 0).astype(float), len(positive)
    information = np.zeros(counts.shape[1])
    for of_class in (positive, ~positive):
        inside, total = occurs[of_class].sum(axis=0), occurs.sum(axis=0)
        for joint, word in ((inside, total), (of_class.sum() - inside, n - total)):
            ratio = np.divide(joint * n, word * of_class.sum(), out=np.ones(len(joint)), where=joint > 0)
            information += xlogy(joint / n, ratio)
    order = np.argsort(-information.round(12), kind="stable")  # equal counts tie whatever the rounding errors
    return np.sort(order[:n_words])


def tfidf(counts) -> sparse.csr_array:
    """Counts times log(pages / pages with the word)."""
    frequency = (counts > 0).sum(axis=0)
    return sparse.csr_array(counts.multiply(np.log(counts.shape[0] / np.maximum(frequency, 1))))


def two_views(pages, vocabulary, occurrence) -> list:
    """Word counts of the page and of links to it, or whether words occur; without links (quick scale) two halves."""
    page = pages.words[vocabulary]
    views = (
        [page[:, : page.shape[1] // 2], page[:, page.shape[1] // 2 :]] if pages.links is None else [page, pages.links]
    )
    return [(view > 0).astype(float) if occurrence else view for view in views]


def label_counts(l, positive_share) -> dict:
    """How many of l labels are courses, at least one: 3 of the paper's 12."""
    positive = max(1, round(positive_share * l))
    return {1: positive, 0: l - positive}
