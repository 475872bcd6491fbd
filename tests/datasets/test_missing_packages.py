"""Without the extra ``data``: generated and bundled sets load, and the other sets name the extra."""

import csv
import hashlib
import os
import subprocess
import sys
import textwrap

import h5py
import numpy as np
import pytest

BLOCK = (
    "import sys\nfor package in ('pooch', 'requests', 'h5py', 'pandas', 'matplotlib'): sys.modules[package] = None\n"
)
INSTALL = 'pip install "manifold-regularization[data]"'
TABLE = b"0.1,0.2,M\n0.3,0.4,R\n"


@pytest.fixture
def run(tmp_path):
    """Run lines of Python in a process that cannot import the packages of the extra."""

    def start(code, **environment):
        clean = {key: value for key, value in os.environ.items() if not key.startswith("MR_")}
        clean |= {"XDG_CACHE_HOME": str(tmp_path / "cache"), "MR_DATA_DIR": str(tmp_path / "raw")} | environment
        command = [sys.executable, "-c", BLOCK + textwrap.dedent(code)]
        return subprocess.run(command, capture_output=True, text=True, env=clean, timeout=120)

    return start


def test_generated_and_bundled_sets_need_no_extra(run):
    done = run("""
        from mr import datasets
        print(*(datasets.load(name).source for name in ("two_moons", "ring", "g241c_like", "digits", "wdbc")), sep=", ")
        print(datasets.available("sonar"), datasets.options_of("webkb_pages"))
    """)
    assert done.stderr == ""
    bundled = "bundled (scikit-learn)"
    assert done.stdout.splitlines() == [
        f"generated, generated, generated, {bundled}, {bundled}",
        "False {'view': 'page'}",
    ]


def test_a_download_names_the_extra(run):
    done = run("""
        from mr import datasets
        try:
            datasets.load("sonar")
        except ImportError as error:
            print(type(error).__name__, isinstance(error, datasets.DataError), error)
    """)
    message = f"The data set 'sonar' is not on this machine, and downloading it needs the package pooch, which is not installed: {INSTALL}"  # noqa: E501
    assert done.stdout.strip() == f"MissingPackage True {message}", done.stderr


def test_offline_the_extra_would_not_help(run):
    done = run("from mr import datasets\ndatasets.load('sonar')", MR_OFFLINE="1")
    assert done.returncode == 1 and "DataUnavailable: The data set 'sonar' is not available." in done.stderr


@pytest.fixture
def small_registry(tmp_path):
    """A registry with a USPS of two images and a sonar of two rows, both on this machine (sonar in the cache)."""
    (tmp_path / "raw" / "usps").mkdir(parents=True)
    (tmp_path / "cache" / "mr" / "sonar").mkdir(parents=True)
    files = {"usps/usps.h5": tmp_path / "raw/usps/usps.h5", "sonar/sonar.csv": tmp_path / "cache/mr/sonar/sonar.csv"}
    files["sonar/sonar.csv"].write_bytes(TABLE)
    with h5py.File(files["usps/usps.h5"], "w") as archive:
        for part in ("train", "test"):
            archive[f"{part}/data"], archive[f"{part}/target"] = np.zeros((1, 256), np.float32), np.array([0])
    with open(tmp_path / "registry.csv", "w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["dataset", "file", "sha256", "bytes", "url", "content_sha256", "what"])
        for name, path in files.items():
            contents = path.read_bytes()
            writer.writerow(
                [name.split("/")[0], name, hashlib.sha256(contents).hexdigest(), len(contents), "", "", "x"]
            )
    return (
        f"from mr.datasets import folders, load\nfolders.registry_file = lambda: {str(tmp_path / 'registry.csv')!r}\n"
    )


def test_a_file_that_needs_a_reader_names_the_extra(run, small_registry):
    done = run(small_registry + "load('usps')")
    assert done.returncode == 1
    assert f"Reading the data set 'usps' (an HDF5 file) needs the package h5py, which is not installed: {INSTALL}" in (
        done.stderr
    )


@pytest.mark.skipif(sys.platform != "linux", reason="the cache folder is set by XDG_CACHE_HOME, as on Linux")
def test_files_in_the_cache_need_no_extra(run, small_registry):
    done = run(small_registry + "print(load('sonar'))")
    assert done.stdout.startswith("<Dataset sonar: 2 x 2, 2 classes"), done.stderr
