"""Sources and their failures: right error, right words, no partial file left behind."""

import os
import re
import socket
import sys
from pathlib import Path

import numpy as np
import pooch
import pytest

from mr import datasets
from mr.datasets import download, folders, registry, sources
from mr.datasets.loading import file_groups

CONTENTS = b"0.1,0.2,M\n0.3,0.4,R\n"  # what sonar.csv would be with two rows and two features
FILE = "sonar/sonar.csv"


def files_below(folder):
    return [path for path in folder.rglob("*") if path.is_file()]


def put(folder, contents):
    (folder / "sonar").mkdir(parents=True, exist_ok=True)
    (folder / FILE).write_bytes(contents)


def test_local_file(write_registry):
    folder = write_registry("sonar", [(FILE, "", CONTENTS)])
    assert not datasets.available("sonar")
    put(folder, CONTENTS)
    assert datasets.available("sonar")
    data = datasets.load("sonar")
    assert data.source == "local" and data.X.tolist() == [[0.1, 0.2], [0.3, 0.4]] and data.y.tolist() == [0, 1]


def test_truncated_local_file(write_registry):
    folder = write_registry("sonar", [(FILE, "", CONTENTS)])
    put(folder, CONTENTS[:-8])
    assert not datasets.available("sonar")
    with pytest.raises(datasets.ChecksumMismatch) as caught:
        datasets.load("sonar")
    message = str(caught.value)
    assert str(folder / FILE) in message and "expected 20 bytes, got 12 (truncated)" in message


def test_wrong_local_checksum(write_registry):
    folder = write_registry("sonar", [(FILE, "", CONTENTS)])
    put(folder, CONTENTS.replace(b"0.1", b"0.9"))
    with pytest.raises(datasets.ChecksumMismatch) as caught:
        datasets.load("sonar")
    (entry,) = registry.entries("sonar")
    message = str(caught.value)
    assert str(folder / FILE) in message and f"expected {entry.sha256}" in message and "got " in message
    assert "Delete or replace what is damaged. Then retry: mr.datasets.load('sonar')" in message


def test_a_file_is_hashed_once_until_it_changes(write_registry, monkeypatch):
    folder = write_registry("sonar", [(FILE, "", CONTENTS)])
    put(folder, CONTENTS)
    calls = []
    digest = sources.hashlib.file_digest
    monkeypatch.setattr(sources.hashlib, "file_digest", lambda *args: calls.append(1) or digest(*args))
    datasets.load("sonar")
    datasets.load("sonar")
    assert len(calls) == 1
    os.utime(folder / FILE, (1, 1))
    datasets.load("sonar")
    assert len(calls) == 2


def test_download_once_then_local(write_registry, serve):
    url, hits = serve((200, len(CONTENTS), CONTENTS))
    folder = write_registry("sonar", [(FILE, f"{url}/sonar.csv", CONTENTS)])
    first, second = datasets.load("sonar"), datasets.load("sonar")
    assert (first.source, second.source) == ("download", "local") and first.sha256 == second.sha256
    assert hits == ["/sonar.csv"]
    assert files_below(folder) == [] and files_below(write_registry.cache) == [write_registry.cache / FILE]


@pytest.mark.parametrize(
    "first_reply",
    [(200, len(CONTENTS), CONTENTS[:7]), (503, 0, b""), (200, 5, b"wrong")],
    ids=["dropped", "503", "wrong"],
)
def test_second_attempt_succeeds(write_registry, serve, first_reply):
    url, hits = serve(first_reply, (200, len(CONTENTS), CONTENTS))
    write_registry("sonar", [(FILE, url, CONTENTS)])
    assert datasets.load("sonar").source == "download"
    assert len(hits) == 2 and files_below(write_registry.cache) == [write_registry.cache / FILE]


@pytest.mark.parametrize(
    "reply, reason",
    [
        ((200, len(CONTENTS), CONTENTS[:7]), "IncompleteRead"),
        ((200, len(CONTENTS), CONTENTS.replace(b"M", b"X")), "does not match the known hash"),
        ((404, 0, b""), "404"),
    ],
    ids=["drops halfway", "wrong contents", "not there"],
)
def test_server_that_never_delivers(write_registry, serve, reply, reason):
    url, hits = serve(reply)
    write_registry("sonar", [(FILE, url, CONTENTS)])
    with pytest.raises(datasets.DataUnavailable, match=reason):
        datasets.load("sonar")
    assert len(hits) == 1 + download.RETRIES
    assert files_below(write_registry.cache) == []


def closed_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def test_unreachable_server(write_registry):
    url = f"http://127.0.0.1:{closed_port()}/sonar.csv"
    folder = write_registry("sonar", [(FILE, url, CONTENTS)])
    with pytest.raises(datasets.DataUnavailable) as caught:
        datasets.load("sonar")
    message = str(caught.value)
    for part in ("'sonar'", "no sonar.csv", "ConnectionError", url, str(folder / FILE), "mr.datasets.load('sonar')"):
        assert part in message
    assert files_below(folder) == [] and files_below(write_registry.cache) == []
    with pytest.raises(datasets.DataUnavailable, match="unreachable a moment ago"):
        datasets.load("sonar")


def test_folder_that_cannot_be_written(write_registry, serve, monkeypatch, tmp_path):
    url, _ = serve((200, len(CONTENTS), CONTENTS))
    write_registry("sonar", [(FILE, url, CONTENTS)])
    blocked = tmp_path / "a file, not a folder"
    blocked.write_text("")
    monkeypatch.setattr(folders, "cache_dir", lambda: blocked)
    with pytest.raises(datasets.DataUnavailable, match="Error"):
        datasets.load("sonar")


def test_offline_asks_no_server(write_registry, serve, monkeypatch):
    url, hits = serve((200, len(CONTENTS), CONTENTS))
    write_registry("sonar", [(FILE, url, CONTENTS)])
    monkeypatch.setenv("MR_OFFLINE", "1")
    with pytest.raises(datasets.DataUnavailable, match="switched off by MR_OFFLINE"):
        datasets.load("sonar")
    assert hits == []


def test_only_missing_files_are_downloaded(write_registry, serve, tmp_path):
    train, test = b"1 1:2\n0 2:1\n", b"1 4:7\n"
    url, hits = serve((200, len(test), test))
    rows = [("svmguide1/svmguide1", f"{url}/a", train), ("svmguide1/svmguide1.t", f"{url}/b", test)]
    folder = write_registry("svmguide1", rows)
    (folder / "svmguide1").mkdir()
    (folder / rows[0][0]).write_bytes(train)
    assert datasets.load("svmguide1").source == "download"
    assert hits == ["/b"]


def test_bundled_data_stands_in_for_absent_files(write_registry, serve):
    url, hits = serve((200, 1, b"x"))
    write_registry("wdbc", [("wdbc/wdbc.data", url, b"x")])
    data = datasets.load("wdbc")
    assert data.source == "bundled (scikit-learn)" and np.bincount(data.y).tolist() == [357, 212]
    assert hits == []


def test_sets_without_an_address_say_so(write_registry):
    write_registry("facemit", [("facemit/cbcl_faces.npz", "", b"x")])
    with pytest.raises(datasets.DataUnavailable, match="(?s)no public address.*research use only"):
        datasets.load("facemit")
    with pytest.raises(
        datasets.DataUnavailable, match="(?s)'extended_faces' is made from 'facemit'.*no public address"
    ):
        datasets.load("extended_faces")
    with pytest.raises(datasets.DataUnavailable, match="wang2017"):
        datasets.load("ethn")
    assert not datasets.available("ethn") and not datasets.available("extended_faces")


@pytest.mark.parametrize("wrong, right", [("digit_1", "digit1"), ("MNIST", "mnist"), ("two_moon", "two_moons")])
def test_unknown_name_suggests_the_nearest(wrong, right):
    with pytest.raises(datasets.UnknownDataset, match=f"'{right}'"):
        datasets.load(wrong)


def test_unknown_option_lists_the_known():
    with pytest.raises(TypeError, match=r"two_moons.*got sigma, but takes n_samples=200, noise=0.1, random_state=0"):
        datasets.load("two_moons", sigma=1)
    with pytest.raises(TypeError, match="takes no options"):
        datasets.load("digits", n=3)


def test_registry_and_catalog_name_the_same_sets():
    from mr.datasets.catalog import CATALOG

    registered = {entry.dataset for entry in registry.read(folders.registry_file())}
    assert registered == {name for name, spec in CATALOG.items() if spec.parse}


NO_ADDRESS = ("mnist/mnist.npz", "facemit/cbcl_faces.npz", "webkb_pages/course-cotrain-data.tar.gz")
SEVERAL_FORMS = ("mnist", "facemit", "webkb_pages")


def is_digest(text):
    return len(text) == 64 and int(text, 16) >= 0


def test_registry_rows_are_usable():
    for entry in registry.read(folders.registry_file()):
        assert entry.file.startswith(f"{entry.dataset}/") and entry.what
        assert entry.url.startswith("https://") or entry.file in NO_ADDRESS
        assert (is_digest(entry.sha256) and entry.bytes > 0) or (is_digest(entry.content_sha256) and not entry.sha256)
        assert is_digest(entry.content_sha256) == (entry.dataset in SEVERAL_FORMS)


@pytest.mark.parametrize("name", SEVERAL_FORMS)
def test_every_form_of_a_set_has_one_content_digest_and_one_form_an_address(name):
    assert len({entry.content_sha256 for entry in registry.entries(name)}) == 1
    groups = file_groups(name)
    assert {entry.name for group in groups for entry in group} >= {entry.name for entry in registry.entries(name)}
    assert any(all(entry.url for entry in group) for group in groups)


def test_groups():
    assert [len(group) for group in file_groups("mnist")] == [1, 4, 4]
    assert [len(group) for group in file_groups("facemit")] == [1, 1, 4]
    assert [len(group) for group in file_groups("digit1")] == [3]


def test_the_cache_is_poochs_and_follows_the_environment(monkeypatch, tmp_path):
    assert folders.cache_dir() == pooch.os_cache("mr")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(sys, "platform", "linux")
    assert folders.cache_dir() == tmp_path / "mr"
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", "")
    assert folders.cache_dir() == tmp_path / ".cache" / "mr"
    monkeypatch.setattr(sys, "platform", "darwin")
    assert folders.cache_dir() == tmp_path / "Library" / "Caches" / "mr"
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "local"))
    assert folders.cache_dir() == tmp_path / "local" / "mr" / "mr" / "Cache"


def test_search_path(monkeypatch, tmp_path):
    """MR_DATA_DIR wins over data/raw of a checkout; data/raw beside an installed package is nobody's."""
    monkeypatch.setattr(folders, "REPOSITORY", tmp_path)
    monkeypatch.delenv("MR_DATA_DIR", raising=False)
    raw = tmp_path / "data" / "raw"
    assert folders.search_path() == [folders.cache_dir()]
    raw.mkdir(parents=True)
    assert folders.search_path() == [folders.cache_dir()]
    (tmp_path / "data" / "registry.csv").write_text("")
    assert folders.search_path() == [raw, folders.cache_dir()]
    monkeypatch.setenv("MR_DATA_DIR", str(tmp_path / "mine"))
    assert folders.search_path() == [tmp_path / "mine", folders.cache_dir()]


def test_the_local_folder_wins_over_the_cache(write_registry):
    folder = write_registry("sonar", [(FILE, "", CONTENTS)])
    put(write_registry.cache, CONTENTS)
    assert datasets.available("sonar") and datasets.load("sonar").source == "local"
    put(folder, CONTENTS[:-8])
    with pytest.raises(datasets.ChecksumMismatch, match=re.escape(str(folder / FILE))):
        datasets.load("sonar")


def test_damaged_file_in_the_cache(write_registry, serve):
    url, hits = serve((200, len(CONTENTS), CONTENTS))
    write_registry("sonar", [(FILE, url, CONTENTS)])
    put(write_registry.cache, CONTENTS[:-8])
    with pytest.raises(datasets.ChecksumMismatch) as caught:
        datasets.load("sonar")
    for part in (str(write_registry.cache / FILE), "expected 20 bytes, got 12 (truncated)", "Delete or replace"):
        assert part in str(caught.value)
    (write_registry.cache / FILE).unlink()  # what the message advises
    assert hits == [] and datasets.load("sonar").source == "download"


def test_a_folder_of_ones_own(write_registry, serve, tmp_path):
    url, hits = serve((200, len(CONTENTS), CONTENTS))
    folder = write_registry("sonar", [(FILE, url, CONTENTS)])
    put(folder, CONTENTS)
    with pytest.raises(
        datasets.DataUnavailable, match=f"local folder {re.escape(str(tmp_path / 'mine'))}: no sonar.csv"
    ):
        datasets.load("sonar", folder=tmp_path / "mine")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "sonar.csv").write_bytes(CONTENTS)
    assert datasets.load("sonar", folder=str(tmp_path / "mine")).source == "local" and hits == []
    for name in ("two_moons", "digits"):
        with pytest.raises(TypeError, match="takes no folder"):
            datasets.load(name, folder=tmp_path)


def test_registry_of_an_installed_package(tmp_path, monkeypatch):
    """The wheel carries registry.csv beside the module."""
    monkeypatch.setattr(folders, "__file__", str(tmp_path / "folders.py"))
    monkeypatch.setattr(folders, "REPOSITORY", tmp_path / "site-packages")
    assert folders.registry_file() == tmp_path / "site-packages" / "data" / "registry.csv"
    (tmp_path / "registry.csv").write_text("")
    assert folders.registry_file() == tmp_path / "registry.csv"
