"""Faces with equalised histograms: what CBCL's own normalised files show."""

import numpy as np

from mr.datasets.dataset import Dataset, Parsed


def equalised_faces(facemit: Dataset) -> Parsed:
    """MIT CBCL faces, each image's histogram equalised: a pixel becomes the share of darker pixels of its image.

    CBCL distributes the images as PGM files and as ``svm.train.normgrey`` and ``svm.test.normgrey``, histogram
    equalised and scaled to 0..1; the latter are no longer to be had. Lighting then matters little.
    """
    X = np.array([equalise(image) for image in facemit.X], dtype=np.float32)
    return Parsed(X, facemit.y, facemit.class_names, facemit.splits, "19 x 19 pixels, histograms equalised to 0..1")


def equalise(image) -> np.ndarray:
    """Histogram equalisation of one 8-bit image: (pixels up to this grey - darkest pixels) / (all - darkest pixels)."""
    counts = np.bincount(image, minlength=256).cumsum()
    darkest = counts[image.min()]
    return (counts[image] - darkest) / max(image.size - darkest, 1)
