"""belkin2006, section 5.4: course pages among web pages. Shared by Table 5 and Figure 8.

Pages without any of the 3000 words are left out: their vector is zero, so no kernel and no cosine sees them. The file
at hand has 5 of them (1046 pages stay); the paper found 9 (1042 stayed), because its choice of words differed.
"""

import numpy as np
from sklearn.preprocessing import normalize

POSITIVE = 0
"""Class code of "course", the class whose precision and recall count."""


class Pages:
    """Rows with words: ``X`` (unit length), ``y`` (1 for course, else 0), and ``link`` if a second view is given."""

    def __init__(self, dataset, link=None):
        rows = dataset.splits.get("nonzero", np.arange(len(dataset.y)))
        self.X = normalize(dataset.X[rows])
        self.y = (dataset.y[rows] == POSITIVE).astype(int)
        self.link = None if link is None else link.X[rows]

    def views(self):
        """Which words occur, in the page and in links to it, for naive Bayes; without links (quick scale) two halves.

        Blum and Mitchell counted words. The file holds TFIDF scaled to unit length, whose masses are so small that
        add-one smoothing decides alone; the occurrence of a word is what can be recovered of the counts.
        """
        occurs = (self.X > 0).astype(float)
        if self.link is not None:
            return [occurs, (self.link > 0).astype(float)]
        half = occurs.shape[1] // 2
        return [occurs[:, :half], occurs[:, half:]]


def label_counts(l, positive_share) -> dict:
    """How many of l labels are courses, at least one: 3 of the paper's 12."""
    positive = max(1, round(positive_share * l))
    return {1: positive, 0: l - positive}
