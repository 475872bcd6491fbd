"""Extended USPS and extended faces: large sets made exactly from smaller ones."""

import numpy as np

from mr.datasets.dataset import Dataset, Parsed, consecutive
from mr.datasets.shifted import ShiftedImages, all_shifts

PARTS = ("train", "test")


def extended_usps(usps: Dataset, *, part=None) -> Parsed:
    """Digits 0 and 1 of USPS, 16 x 16 on a 26 x 26 canvas, at all 121 shifts up to 5 pixels (chen2012, tsang2006).

    2199 training images become 266,079 rows and 623 test images 75,383; rows 121 i .. 121 i + 120 show the same image.
    (chen2012 says 1005 zeros and 1194 ones; it is 1194 zeros and 1005 ones.)
    """
    chosen = chosen_parts(part)
    images = {name: usps.splits[name][usps.y[usps.splits[name]] <= 1] for name in chosen}
    base = np.concatenate(list(images.values()))
    rows = all_shifts(np.arange(len(base)), reach=5)
    X = ShiftedImages(usps.X[base].astype(np.float32).reshape(-1, 16, 16), rows, border=5, fill=-1.0)
    y = usps.y[base][rows[:, 0]]
    splits = consecutive({name: 121 * len(index) for name, index in images.items()})
    return Parsed(X, y, ("0", "1"), splits, "26 x 26 pixels, float32, lazy; 121 consecutive rows show one image")


def extended_faces(facemit: Dataset, *, part=None) -> Parsed:
    """MIT CBCL faces, 19 x 19 on a 21 x 21 canvas, the training part extended by shifts and mirroring.

    Each of the 6977 training images is shown at the 9 shifts of up to 1 pixel, plain and mirrored left-right: 18 rows
    each, 125,586 in all, edges repeated into the border. The 24,045 test images are only centred. tsang2006 trains on
    889,986 rows made by a procedure its text does not state, so this recipe of ours stands in for it.
    """
    chosen = chosen_parts(part)
    base = np.concatenate([facemit.splits[name] for name in chosen])
    table, start = {}, 0
    for name in chosen:
        images = np.arange(start, start + len(facemit.splits[name]))
        table[name] = all_shifts(images, reach=1, mirror=True) if name == "train" else all_shifts(images, reach=0)
        start += len(images)
    rows = np.concatenate(list(table.values()))
    X = ShiftedImages(facemit.X[base].reshape(-1, 19, 19), rows, border=1, fill="edge")
    y = facemit.y[base][rows[:, 0]]
    splits = consecutive({name: len(part_rows) for name, part_rows in table.items()})
    notes = "21 x 21 pixels, uint8, lazy; 18 consecutive training rows show one image; not tsang2006's 889,986 rows"
    return Parsed(X, y, facemit.class_names, splits, notes)


def chosen_parts(part) -> tuple:
    if part not in (None, *PARTS):
        raise ValueError(f"part must be None, 'train' or 'test', got {part!r}")
    return PARTS if part is None else (part,)
