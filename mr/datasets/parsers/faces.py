"""MIT CBCL faces: PGM files in four folders, an archive that has these folders, or one npz file."""

import re
from pathlib import Path

import numpy as np

from mr.datasets.dataset import Parsed, stack, with_content_digest
from mr.datasets.errors import Unreadable
from mr.datasets.parsers.reading import common, npz_parts, reading, tar_members

SIDE = 19
NPZ_FILE = "cbcl_faces.npz"
ARCHIVE_FILE = "face-miner-bf30880c027242e806389b2507974119926e95dd.tar.gz"
KINDS = {"face": 1, "non-face": -1}  # in this order; the labels are CBCL's own
FOLDERS = tuple(f"{part}/{kind}" for part in ("train", "test") for kind in KINDS)
MEMBER = re.compile(r"(?:.*/)?((?:train|test)/(?:face|non-face))/([^/.][^/]*\.pgm)")
PGM_HEADER = re.compile(rb"P5\s+(?:#[^\n]*\n\s*)*(\d+)\s+(\d+)\s+(\d+)\s")


def facemit(files) -> Parsed:
    """MIT CBCL faces, 6977 + 24045 grey images of 19 x 19; about 2 in 100 test images are faces.

    Rows are in this order: training before test images, faces before others, then by file name (compared character by
    character, so ``cmu_10000.pgm`` comes before ``cmu_9999.pgm``).
    """
    if NPZ_FILE in files:
        parts = npz_parts(files[NPZ_FILE])
    elif ARCHIVE_FILE in files:
        parts = archive_parts(files[ARCHIVE_FILE])
    else:
        parts = folder_parts(files)
    notes = "19 x 19 pixels, uint8; 20 training rows repeat another"
    with reading(common(files)):
        return with_content_digest(stack(parts, ("non-face", "face"))._replace(notes=notes))


def archive_parts(path: Path) -> dict:
    """The images of an archive that has the four folders somewhere in it."""
    images = {folder: {} for folder in FOLDERS}
    for match, contents in tar_members(path, MEMBER):
        folder, name = match.groups()
        images[folder][name] = read_pgm(contents, path, f"{folder}/{name}")
    return arrange(images, dict.fromkeys(FOLDERS, path))


def folder_parts(files) -> dict:
    """The images of the four folders."""
    images = {folder: {} for folder in FOLDERS}
    for folder in FOLDERS:
        for file in files[folder].glob("[!.]*.pgm"):
            with reading(file):
                contents = file.read_bytes()
            images[folder][file.name] = read_pgm(contents, file)
    return arrange(images, {folder: files[folder] for folder in FOLDERS})


def arrange(images: dict, origin: dict) -> dict:
    """Put the images of each part in order: faces first, then by name."""
    for folder in FOLDERS:
        if not images[folder]:
            raise Unreadable(origin[folder], f"there is no PGM file for {folder}")
    parts = {}
    for part in ("train", "test"):
        rows = [(images[f"{part}/{kind}"][name], label)
                for kind, label in KINDS.items() for name in sorted(images[f"{part}/{kind}"])]  # fmt: skip
        parts[part] = (np.stack([pixels for pixels, _ in rows]), [label for _, label in rows])
    return parts


def read_pgm(contents: bytes, path: Path, member: str = "") -> np.ndarray:
    """The pixels of one binary PGM image of 19 x 19 pixels and 256 greys."""
    header = PGM_HEADER.match(contents)
    what = f"{member} " if member else ""
    if not header or tuple(map(int, header.groups())) != (SIDE, SIDE, 255):
        raise Unreadable(path, f"{what}is not a binary PGM image of 19 x 19 pixels: it begins with {contents[:16]!r}")
    pixels = np.frombuffer(contents, dtype=np.uint8, offset=header.end())
    if pixels.size != SIDE * SIDE:
        raise Unreadable(path, f"{what}announces {SIDE * SIDE} pixels but holds {pixels.size}")
    return pixels
