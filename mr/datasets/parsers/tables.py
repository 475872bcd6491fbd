"""Reading tables as text, and the three ways to treat missing values."""

import csv

import numpy as np

MISSING = "?"


def read_rows(path, delimiter=",") -> list[list[str]]:
    """Rows of stripped cells, blank lines left out. Header lines are the caller's business."""
    with open(path, newline="", encoding="utf-8") as stream:
        rows = [[cell.strip() for cell in row] for row in csv.reader(stream, delimiter=delimiter)]
    rows = [row for row in rows if any(row)]
    widths = {len(row) for row in rows}
    if len(widths) != 1:
        raise ValueError(f"{path.name}: rows of one length expected, got lengths {sorted(widths)}")
    return rows


def numeric(cells) -> np.ndarray:
    """Cells as floats; ``?`` becomes NaN."""
    return np.array([[np.nan if cell == MISSING else float(cell) for cell in row] for row in cells])


def one_hot(column) -> np.ndarray:
    """One 0/1 column per category, in sorted order; a missing cell is NaN in all of them."""
    column = np.asarray(column)
    categories = np.unique(column[column != MISSING])
    indicators = (column[:, None] == categories).astype(np.float64)
    indicators[column == MISSING] = np.nan
    return indicators


def integers(column) -> np.ndarray:
    """One column: the place of each category in sorted order; a missing cell is NaN."""
    column = np.asarray(column)
    places = np.searchsorted(np.unique(column[column != MISSING]), column).astype(np.float64)
    places[column == MISSING] = np.nan
    return places[:, None]


def treat_missing(X, labels, missing: str):
    """Return X, labels and a note. ``"mean"``: column means of the known values (so the mean of an indicator is its
    frequency); ``"nan"``: left as NaN; ``"drop"``: rows with a missing value are left out."""
    holes = np.isnan(X)
    count = f"{int(holes.any(axis=1).sum())} rows of {len(X)} had missing values"
    if missing == "nan":
        return X, labels, f"{count}, left as NaN"
    if missing == "drop":
        complete = ~holes.any(axis=1)
        return X[complete], np.asarray(labels)[complete], f"{count}, left out"
    if missing == "mean":
        return np.where(holes, np.nanmean(X, axis=0), X), labels, f"{count}, filled with column means"
    raise ValueError(f"missing must be 'mean', 'nan' or 'drop', got {missing!r}")
