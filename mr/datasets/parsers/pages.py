"""WebKB course pages as texts: what Blum and Mitchell (1998) gave to co-training."""

import hashlib
import re

import numpy as np

from mr.datasets.dataset import Parsed, encode
from mr.datasets.errors import Unreadable
from mr.datasets.parsers.reading import tar_members

PACKED_FILE = "course-cotrain-data.tar.gz"
ARCHIVE_FILE = "Semi-Supervised-MultiView-Feature-Learning-9ad72eab2e7a490ac833162aa1cbf91dba46c0ff.tar.gz"
MEMBER = re.compile(r"(?:.*/)?(course-cotrain-data/(fulltext|inlinks)/(course|non-course)/([^/]+))")
VIEWS = {"page": "fulltext", "link": "inlinks"}
CLASSES = ("course", "non-course")


def webkb_pages(files, *, view="page") -> Parsed:
    """WebKB course pages, 230 course and 821 other, as raw texts in two views.

    ``view="page"`` gives the HTML source of each page, ``view="link"`` the words of the links that point to it.
    Row i is the same page in both views: course pages first, then by file name (the address of the page, with ``^``
    for ``/``). Bytes are decoded as Latin-1, which never fails and loses nothing. Features are a protocol's choice.
    """
    if view not in VIEWS:
        raise ValueError(f"view must be one of {tuple(VIEWS)}, got {view!r}")
    (path,) = files.paths.values()
    texts, lines = {kind: {} for kind in VIEWS.values()}, []
    for match, contents in tar_members(path, MEMBER):
        member, kind, label, name = match.groups()
        texts[kind][CLASSES.index(label), name] = contents.decode("latin-1")
        lines.append(f"{member}\0{hashlib.sha256(contents).hexdigest()}\n")
    pages = sorted(texts["fulltext"])
    if not pages or pages != sorted(texts["inlinks"]):
        counts = f"{len(pages)} pages and {len(texts['inlinks'])} pages with links"
        raise Unreadable(path, f"every page should be there in both views, but the archive holds {counts}")
    X = np.empty(len(pages), dtype=object)
    X[:] = [texts[VIEWS[view]][page] for page in pages]
    y, class_names = encode([label for label, _ in pages], CLASSES)
    digest = hashlib.sha256("".join(sorted(lines)).encode()).hexdigest()
    return Parsed(X, y, class_names, {}, f"texts, view {view!r}", digest)
