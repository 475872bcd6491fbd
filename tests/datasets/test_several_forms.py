"""Sets that can be had in several forms: every form gives the same arrays, and damage is said of the file."""

import gzip
import hashlib
import io
import struct
import tarfile

import numpy as np
import pytest

from mr import datasets
from mr.datasets.parsers import faces, images, pages
from mr.datasets.sources import Files

rng = np.random.default_rng(0)


def write_files(folder, contents):
    """Write {path: bytes} below a folder."""
    for name, content in contents.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return folder


def tar_gz(contents, prefix):
    """A tar.gz archive as GitHub serves it: everything below one folder, which has an entry of its own."""
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w:gz") as archive:
        directory = tarfile.TarInfo(prefix)
        directory.type = tarfile.DIRTYPE
        archive.addfile(directory)
        for name, content in contents.items():
            member = tarfile.TarInfo(f"{prefix}/{name}")
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return stream.getvalue()


# Faces: three training and five test images


def pgm(pixels, header=b"P5\n19 19\n255\n"):
    return header + pixels.tobytes()


PIXELS = rng.integers(0, 256, (8, 361)).astype(np.uint8)
FACE_FILES = {  # in the order of rows, which is not the order of numbers: cmu_10 comes before cmu_9
    "train/face/face00001.pgm": pgm(PIXELS[0]),
    "train/non-face/B1_00001.pgm": pgm(PIXELS[1], b"P5 # a comment\n19 19\n255\n"),
    "train/non-face/geyser1.pgm": pgm(PIXELS[2]),
    "test/face/cmu_0000.pgm": pgm(PIXELS[3]),
    "test/non-face/cmu_0000.pgm": pgm(PIXELS[4]),
    "test/non-face/cmu_10.pgm": pgm(PIXELS[5]),
    "test/non-face/cmu_11.pgm": pgm(PIXELS[6]),
    "test/non-face/cmu_9.pgm": pgm(PIXELS[7]),
}
SCATTERED = {"datasets/yalefaces/a.pgm": b"P5 something else"} | {
    f"datasets/mitcbcl/{name}": content for name, content in reversed(FACE_FILES.items())
}
FACE_LABELS = [1, -1, -1, 1, -1, -1, -1, -1]
FACE_ARCHIVE = tar_gz(SCATTERED, "face-miner-bf30880c")


def face_npz():
    stream = io.BytesIO()
    labels = np.array(FACE_LABELS, np.int8)
    np.savez(stream, X_train=PIXELS[:3], y_train=labels[:3], X_test=PIXELS[3:], y_test=labels[3:])
    return stream.getvalue()


@pytest.fixture
def face_world(write_registry, tmp_path):
    """A registry that pins the eight images, with the archive at a given address; the folder of the set."""
    write_files(tmp_path / "pinned", {faces.NPZ_FILE: face_npz()})
    parsed = faces.facemit(Files({faces.NPZ_FILE: tmp_path / "pinned" / faces.NPZ_FILE}, "test", ""))

    def register(url=""):
        rows = [(f"facemit/{faces.NPZ_FILE}", "", face_npz()), (f"facemit/{faces.ARCHIVE_FILE}", url, None)]
        return write_registry("facemit", rows, parsed.content_sha256) / "facemit"

    register.cache = write_registry.cache / "facemit"
    return register


FACE_FORMS = {
    "npz": {faces.NPZ_FILE: face_npz()},
    "archive": {faces.ARCHIVE_FILE: FACE_ARCHIVE},
    "folders": FACE_FILES | {"train/face/Thumbs.db": b"x", "train/face/._face00001.pgm": b"left by macOS"},
}


@pytest.mark.parametrize("form", FACE_FORMS)
def test_faces_are_the_same_in_every_form(face_world, form, tmp_path):
    folder = face_world()
    assert not datasets.available("facemit")
    write_files(folder, FACE_FORMS[form])
    assert datasets.available("facemit")
    data = datasets.load("facemit")
    np.testing.assert_array_equal(data.X, PIXELS)
    assert data.X.dtype == np.uint8 and data.source == "local"
    assert data.y.tolist() == [1, 0, 0, 1, 0, 0, 0, 0] and data.class_names == ("non-face", "face")
    assert data.splits["train"].tolist() == [0, 1, 2] and data.splits["test"].tolist() == [3, 4, 5, 6, 7]
    elsewhere = datasets.load("facemit", folder=write_files(tmp_path / "elsewhere", FACE_FORMS[form]))
    assert elsewhere.sha256 == data.sha256 == datasets.registry.entries("facemit")[0].content_sha256
    assert datasets.load("equalised_faces", folder=folder).X.shape == (8, 361)


def test_face_archive_is_downloaded_once_into_the_cache(face_world, serve):
    url, hits = serve((200, len(FACE_ARCHIVE), FACE_ARCHIVE))
    folder = face_world(f"{url}/archive/commit.tar.gz")
    first, second = datasets.load("facemit"), datasets.load("facemit")
    assert (first.source, second.source) == ("download", "local") and hits == ["/archive/commit.tar.gz"]
    np.testing.assert_array_equal(second.X, PIXELS)
    assert not folder.exists() and [path.name for path in face_world.cache.iterdir()] == [faces.ARCHIVE_FILE]


def test_the_server_may_send_us_elsewhere(face_world, serve):
    """As github.com does: the archive of a commit is served by another host."""
    elsewhere, _ = serve((200, len(FACE_ARCHIVE), FACE_ARCHIVE))
    url, hits = serve((302, 0, b"", {"Location": f"{elsewhere}/archive"}))
    face_world(url)
    np.testing.assert_array_equal(datasets.load("facemit").X, PIXELS)
    assert len(hits) == 1


def test_an_archive_packed_anew_is_as_good(face_world, serve):
    """GitHub may compress an archive in another way tomorrow: only the contents are pinned."""
    repacked = gzip.compress(gzip.decompress(FACE_ARCHIVE), compresslevel=1)
    assert repacked != FACE_ARCHIVE
    url, _ = serve((200, len(repacked), repacked))
    face_world(url)
    np.testing.assert_array_equal(datasets.load("facemit").X, PIXELS)


CHANGED = tar_gz(SCATTERED | {"datasets/mitcbcl/test/face/cmu_0000.pgm": pgm(PIXELS[0])}, "face-miner-bf30880c")


@pytest.mark.parametrize(
    "body, reason",
    [
        (CHANGED, "8 rows (train 3, test 5), contents with sha256 "),
        (FACE_ARCHIVE[: len(FACE_ARCHIVE) // 2], "EOFError|ReadError"),
        (b"<html>not found</html>", "ReadError"),
    ],
    ids=["another image", "half an archive", "a web page"],
)
def test_a_wrong_download_is_not_kept(face_world, serve, body, reason):
    url, _ = serve((200, len(body), body), (200, len(FACE_ARCHIVE), FACE_ARCHIVE))
    face_world(url)
    with pytest.raises(datasets.ChecksumMismatch) as caught:
        datasets.load("facemit")
    message = str(caught.value)
    assert any(part in message for part in reason.split("|")), message
    assert str(face_world.cache / faces.ARCHIVE_FILE) in message and "The download was not kept." in message
    assert list(face_world.cache.iterdir()) == []
    np.testing.assert_array_equal(datasets.load("facemit").X, PIXELS)


DAMAGE = {
    "half an npz": ({faces.NPZ_FILE: face_npz()[:2000]}, faces.NPZ_FILE, "BadZipFile"),
    "empty npz": ({faces.NPZ_FILE: b""}, faces.NPZ_FILE, "EOFError"),
    "half an archive": ({faces.ARCHIVE_FILE: FACE_ARCHIVE[:900]}, faces.ARCHIVE_FILE, "E"),
    "damaged image": (
        FACE_FILES | {"test/face/cmu_0000.pgm": pgm(PIXELS[3])[:-1]},
        "test/face/cmu_0000.pgm",
        "announces 361 pixels but holds 360",
    ),
    "other size": (
        FACE_FILES | {"test/face/cmu_0000.pgm": pgm(PIXELS[3], b"P5\n361 1\n255\n")},
        "test/face/cmu_0000.pgm",
        "is not a binary PGM image of 19 x 19 pixels",
    ),
    "image missing": (
        {name: content for name, content in FACE_FILES.items() if not name.endswith("cmu_9.pgm")},
        "test/non-face",
        "7 rows (train 3, test 4)",
    ),
    "image changed": (FACE_FILES | {"train/face/face00001.pgm": pgm(PIXELS[1])}, "train/face", "8 rows"),
    "empty folder": (
        {name: content for name, content in FACE_FILES.items() if not name.startswith("test/face")}
        | {"test/face/readme.txt": b""},
        "test/face",
        "no PGM file for test/face",
    ),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_damaged_local_faces(face_world, damage):
    """The message says which file, what was expected, and what to do. A damaged local file is never deleted."""
    contents, culprit, reason = DAMAGE[damage]
    folder = write_files(face_world(), contents)
    with pytest.raises(datasets.ChecksumMismatch) as caught:
        datasets.load("facemit")
    message = str(caught.value)
    for part in (
        "'facemit'",
        f"file: {folder / culprit}",
        "expected: what the test registered",
        datasets.registry.entries("facemit")[0].content_sha256,
        reason,
        "Delete or replace what is damaged. Then retry: mr.datasets.load('facemit')",
    ):
        assert part in message
    assert all((folder / name).exists() for name in contents)


# MNIST: two training and one test image

TRAIN, TEST = np.arange(24, dtype=np.uint8).reshape(2, 3, 4), np.arange(100, 112, dtype=np.uint8).reshape(1, 3, 4)


def idx(array):
    return bytes([0, 0, 8, array.ndim]) + struct.pack(f">{array.ndim}i", *array.shape) + array.tobytes()


def mnist_npz():
    stream = io.BytesIO()
    X = {"X_train": TRAIN.reshape(2, -1), "X_test": TEST.reshape(1, -1)}
    np.savez(stream, **X, y_train=np.array([1, 0], np.uint8), y_test=np.array([1], np.uint8))
    return stream.getvalue()


PLAIN = dict(
    zip(images.PLAIN_IDX, map(idx, (TRAIN, np.array([1, 0], np.uint8), TEST, np.array([1], np.uint8))), strict=True)
)
GZIPPED = {f"{name}.gz": gzip.compress(content, mtime=0) for name, content in PLAIN.items()}
MNIST_FORMS = {"npz": {images.MNIST_NPZ: mnist_npz()}, "plain": PLAIN, "gzipped": GZIPPED}


@pytest.fixture
def mnist_world(write_registry, tmp_path):
    """A registry that pins the three images, with the gzipped idx files at given addresses; the folder of the set."""
    write_files(tmp_path / "pinned", PLAIN)
    parsed = images.mnist(Files({name: tmp_path / "pinned" / name for name in PLAIN}, "test", ""))

    def register(addresses=None):
        rows = [(f"mnist/{images.MNIST_NPZ}", "", mnist_npz())]
        rows += [(f"mnist/{name}", (addresses or {}).get(name, ""), content) for name, content in GZIPPED.items()]
        return write_registry("mnist", rows, parsed.content_sha256) / "mnist"

    register.cache = write_registry.cache / "mnist"
    return register


@pytest.mark.parametrize("form", MNIST_FORMS)
def test_mnist_is_the_same_in_every_form(mnist_world, form):
    folder = mnist_world()
    assert not datasets.available("mnist")
    write_files(folder, MNIST_FORMS[form])
    assert datasets.available("mnist")
    data = datasets.load("mnist")
    np.testing.assert_array_equal(data.X, np.concatenate([TRAIN, TEST]).reshape(3, -1))
    assert data.X.dtype == np.uint8 and data.y.tolist() == [1, 0, 1] and data.splits["test"].tolist() == [2]
    assert data.sha256 == datasets.registry.entries("mnist")[0].content_sha256


def test_mnist_is_downloaded_as_gzipped_idx_files(mnist_world, serve):
    served = {name: serve((200, len(content), content)) for name, content in GZIPPED.items()}
    mnist_world({name: f"{url}/{name}" for name, (url, _) in served.items()})
    data, again = datasets.load("mnist"), datasets.load("mnist")
    assert (data.source, again.source) == ("download", "local") and data.sha256 == again.sha256
    assert [hits for _, hits in served.values()] == [[f"/{name}"] for name in GZIPPED]
    assert sorted(path.name for path in mnist_world.cache.iterdir()) == sorted(GZIPPED)


@pytest.mark.parametrize(
    "contents, culprit, reason",
    [
        (GZIPPED | {"t10k-labels-idx1-ubyte.gz": GZIPPED["t10k-labels-idx1-ubyte.gz"][:-9]}, "t10k-labels", "EOFError"),
        (PLAIN | {"train-images-idx3-ubyte": PLAIN["train-images-idx3-ubyte"][:-1]}, "train-images", "holds 23"),
        (PLAIN | {"train-images-idx3-ubyte": PLAIN["train-images-idx3-ubyte"][:9]}, "train-images", "announces"),
        (PLAIN | {"train-labels-idx1-ubyte": b""}, "train-labels", "not an idx file"),
        (PLAIN | {"t10k-labels-idx1-ubyte": idx(np.array([0], np.uint8))}, "t10k-labels", "3 rows (train 2, test 1)"),
        (
            PLAIN | {"t10k-labels-idx1-ubyte": idx(np.array([1, 1], np.uint8))},
            "",
            "part 'test' has 1 rows but 2 labels",
        ),
    ],
    ids=["truncated gz", "truncated", "header only", "empty", "another label", "a label too many"],
)
def test_damaged_mnist(mnist_world, contents, culprit, reason):
    folder = write_files(mnist_world(), contents)
    with pytest.raises(datasets.ChecksumMismatch) as caught:
        datasets.load("mnist")
    message = str(caught.value)
    assert f"file: {folder / culprit}" in message and reason in message and "Delete or replace" in message


# WebKB pages: one course page and two others

PAGE_FILES = {
    "fulltext/course/http:^^a^cs101": b"<h1>CS 101</h1>",
    "fulltext/non-course/http:^^b^home": "<p>Universität</p>".encode("latin-1"),
    "fulltext/non-course/http:^^a^zoo": b"\0binary\xff",
    "inlinks/course/http:^^a^cs101": b"Intro course \n",
    "inlinks/non-course/http:^^b^home": b"my home \n",
    "inlinks/non-course/http:^^a^zoo": b"zoo \n",
}
PACKED = tar_gz(PAGE_FILES, "course-cotrain-data")
REPOSITORY_ARCHIVE = tar_gz(
    {"README.md": b"x"} | {f"course-cotrain-data/{name}": content for name, content in reversed(PAGE_FILES.items())},
    "Semi-Supervised-MultiView-Feature-Learning-9ad72eab",
)
PAGES_SHA256 = hashlib.sha256(
    b"".join(
        sorted(
            f"course-cotrain-data/{name}\0{hashlib.sha256(content).hexdigest()}\n".encode()
            for name, content in PAGE_FILES.items()
        )
    )
).hexdigest()
PAGE_TEXTS = ["<h1>CS 101</h1>", "\0binary\xff", "<p>Universität</p>"]
LINK_TEXTS = ["Intro course \n", "zoo \n", "my home \n"]


@pytest.mark.parametrize("file, archive", [(pages.PACKED_FILE, PACKED), (pages.ARCHIVE_FILE, REPOSITORY_ARCHIVE)])
def test_webkb_pages(write_registry, file, archive):
    rows = [(f"webkb_pages/{pages.PACKED_FILE}", "", PACKED), (f"webkb_pages/{pages.ARCHIVE_FILE}", "", None)]
    folder = write_registry("webkb_pages", rows, PAGES_SHA256)
    write_files(folder / "webkb_pages", {file: archive})
    page, link = datasets.load("webkb_pages"), datasets.load("webkb_pages", view="link")
    assert page.X.tolist() == PAGE_TEXTS and link.X.tolist() == LINK_TEXTS
    assert page.y.tolist() == link.y.tolist() == [0, 1, 1] and page.class_names == ("course", "non-course")
    assert page.sha256 == link.sha256 == PAGES_SHA256
    assert repr(page) == "<Dataset webkb_pages: 3 texts, 2 classes, splits: none; source: local>"
    with pytest.raises(ValueError, match="read-only"):
        page.X[0] = ""
    with pytest.raises(ValueError, match=r"view must be one of \('page', 'link'\), got 'both'"):
        datasets.load("webkb_pages", view="both")


def test_webkb_pages_are_downloaded_with_their_repository(write_registry, serve):
    url, hits = serve((200, len(REPOSITORY_ARCHIVE), REPOSITORY_ARCHIVE))
    rows = [(f"webkb_pages/{pages.PACKED_FILE}", "", PACKED), (f"webkb_pages/{pages.ARCHIVE_FILE}", url, None)]
    write_registry("webkb_pages", rows, PAGES_SHA256)
    assert [datasets.load("webkb_pages", view=view).source for view in ("page", "link")] == ["download", "local"]
    assert len(hits) == 1


def test_webkb_pages_in_one_view_only(write_registry):
    half = {name: content for name, content in PAGE_FILES.items() if "zoo" not in name or "fulltext" in name}
    folder = write_registry("webkb_pages", [(f"webkb_pages/{pages.PACKED_FILE}", "", PACKED)], PAGES_SHA256)
    write_files(folder / "webkb_pages", {pages.PACKED_FILE: tar_gz(half, "course-cotrain-data")})
    with pytest.raises(datasets.ChecksumMismatch, match="3 pages and 2 pages with links"):
        datasets.load("webkb_pages")
