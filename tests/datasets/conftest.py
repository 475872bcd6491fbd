"""Fixtures of the data tests: the real files where they exist, and small worlds of our own where they do not matter."""

import csv
import hashlib
import http.server
import threading

import pooch
import pytest

from mr import datasets
from mr.datasets import download, folders, registry


@pytest.fixture
def real():
    """`load`, but the test is skipped when the original files are not on this machine. Never downloads."""

    def load_or_skip(name, **options):
        if not datasets.available(name):
            pytest.skip(f"original files of {name} are not here (set MR_DATA_DIR or fill data/raw)")
        return datasets.load(name, **options)

    return load_or_skip


@pytest.fixture
def write_registry(tmp_path, monkeypatch):
    """An empty data folder (``write.cache`` is the empty cache folder), and a function that puts (file, url, contents)
    rows into a registry of its own. Contents of None: an archive whose sha256 is not known."""
    folder, cache = tmp_path / "raw", tmp_path / "cache"
    folder.mkdir()
    monkeypatch.setenv("MR_DATA_DIR", str(folder))
    monkeypatch.setattr(folders, "cache_dir", lambda: cache)
    monkeypatch.delenv("MR_OFFLINE", raising=False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setattr(pooch.core.time, "sleep", lambda seconds: None)
    monkeypatch.setattr(download, "_unreachable", {})

    def write(dataset, rows, content_sha256=""):
        path = tmp_path / "registry.csv"
        with open(path, "w", newline="") as stream:
            writer = csv.writer(stream)
            writer.writerow(["dataset", "file", "sha256", "bytes", "url", "content_sha256", "what"])
            for file, url, contents in rows:
                pinned = ("", "") if contents is None else (hashlib.sha256(contents).hexdigest(), len(contents))
                writer.writerow([dataset, file, *pinned, url, content_sha256, "what the test registered"])
        registry.read.cache_clear()
        monkeypatch.setattr(folders, "registry_file", lambda: path)
        return folder

    write.cache = cache
    yield write
    registry.read.cache_clear()


@pytest.fixture
def serve():
    """Start loopback servers that answer each request with the next of the given replies (the last one repeats).

    A reply is (status, announced length, body): a body shorter than announced is a connection dropped halfway. A fourth
    entry may hold further headers.
    """
    servers = []

    def start(*replies):
        hits = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                status, length, body, *headers = replies[min(len(hits), len(replies) - 1)]
                hits.append(self.path)
                self.send_response(status)
                self.send_header("Content-Length", str(length))
                for name, value in (headers[0] if headers else {}).items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *args):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        servers.append(server)
        return f"http://127.0.0.1:{server.server_port}", hits

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()
