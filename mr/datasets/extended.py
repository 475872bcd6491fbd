"""Extended USPS and extended faces: large sets made exactly from smaller ones."""

import numpy as np

from mr.datasets.dataset import Dataset, Parsed, consecutive
from mr.datasets.shifted import ShiftedImages, all_shifts
from mr.datasets.warped import ANGLES, BLURS, WarpedImages, face_maps

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
    """MIT CBCL faces, 19 x 19, the training part extended by 4 blurs x 2 sides x 21 rotations (-20 to 20 degrees by 2).

    2429 faces become 408,072, as in the core vector machine paper (Tsang, Kwok, Cheung 2005), whose data tsang2006
    takes. Its 481,914 non-faces were cut from photographs that are lost. The 4548 non-faces of the original set,
    extended the same way to 764,064, stand in for them. The 24,045 test images are the originals. The sides of the mean
    filters (2, 3 and 4 pixels) are our reading.
    """
    chosen = chosen_parts(part)
    base = np.concatenate([facemit.splits[name] for name in chosen])
    table, start = {}, 0
    for name in chosen:
        images = np.arange(start, start + len(facemit.splits[name]), dtype=np.int32)
        maps = np.arange(len(BLURS) * 2 * len(ANGLES)) if name == "train" else [ANGLES.index(0)]
        table[name] = np.stack(np.meshgrid(images, maps, indexing="ij"), axis=-1).reshape(-1, 2).astype(np.int32)
        start += len(images)
    rows = np.concatenate(list(table.values()))
    X = WarpedImages(facemit.X[base].reshape(-1, 19, 19), rows, face_maps(19))
    y = facemit.y[base][rows[:, 0]]
    splits = consecutive({name: len(part_rows) for name, part_rows in table.items()})
    notes = "19 x 19 pixels, float32, lazy; 168 consecutive training rows show one image; non-faces are a stand-in"
    return Parsed(X, y, facemit.class_names, splits, notes)


def chosen_parts(part) -> tuple:
    if part not in (None, *PARTS):
        raise ValueError(f"part must be None, 'train' or 'test', got {part!r}")
    return PARTS if part is None else (part,)
