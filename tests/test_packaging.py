"""What goes into the wheel, and what the library does without its extras.

`make wheel` (.ci/check_wheel.py) installs the wheel into a clean environment. Here the same is tried without a package
index: the wheel is built and read, and extras are hidden from a process of their own.
"""

import importlib.util
import subprocess
import sys
import tarfile
import zipfile
from email.parser import Parser

import pytest

from tests.source_reading import ROOT

EXTRAS = ("pandas", "matplotlib", "h5py", "osqp", "pynndescent", "pooch", "requests", "dvc", "yaml", "dask")
HIDE = f"import sys; sys.modules.update(dict.fromkeys({EXTRAS!r}))\n"


def python(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """Wheel and source archive, made by the build tools of this environment."""
    if importlib.util.find_spec("hatchling") is None:
        pytest.skip("hatchling is not installed")
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "hatchling", "build", "-d", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return next(folder.glob("*.whl")), next(folder.glob("*.tar.gz"))


def test_the_wheel_holds_the_library_only(built):
    archive = zipfile.ZipFile(built[0])
    files = [name for name in archive.namelist() if ".dist-info/" not in name]
    assert {name.split("/")[0] for name in files} == {"mr"}
    assert {name for name in files if not name.endswith(".py")} == {"mr/py.typed", "mr/datasets/registry.csv"}
    assert archive.read("mr/datasets/registry.csv") == (ROOT / "data" / "registry.csv").read_bytes()
    in_repository = {str(path.relative_to(ROOT)) for path in (ROOT / "mr").rglob("*.py")}
    assert {name for name in files if name.endswith(".py")} == in_repository


def test_only_the_core_is_required(built):
    archive = zipfile.ZipFile(built[0])
    text = archive.read(next(name for name in archive.namelist() if name.endswith("METADATA"))).decode()
    required = [line for line in Parser().parsestr(text).get_all("Requires-Dist") if "extra ==" not in line]
    assert sorted(line.split(">")[0] for line in required) == [
        "joblib", "numba", "numpy", "scikit-learn", "scipy", "threadpoolctl",
    ]  # fmt: skip


def test_the_source_archive_builds_the_same_library(built):
    names = [name.split("/", 1)[1] for name in tarfile.open(built[1]).getnames()]
    assert {name.split("/")[0] for name in names} == {
        "mr", "data", "pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md", "CITATION.cff",
        "PKG-INFO", ".gitignore",
    }  # fmt: skip
    assert [name for name in names if name.startswith("data/")] == ["data/registry.csv"]


def test_importing_mr_loads_no_library():
    """The names come when they are used, so `import mr` takes milliseconds."""
    heavy = python("import sys, mr; print({'numpy', 'scipy', 'sklearn', 'numba', 'joblib'} & set(sys.modules))")
    assert heavy == "set()"


def test_every_public_name_resolves_without_extras():
    assert python(HIDE + "import mr; print(all(getattr(mr, name) is not None for name in mr.__all__))") == "True"


@pytest.mark.parametrize(
    ("call", "extra"),
    [
        ("mr.datasets.load('usps')", "data"),
        ("mr.LapSVM(solver='osqp').fit([[0.0], [1.0], [0.1], [0.9]], [0, 1, -1, -1])", "qp"),
        ("mr.KNNGraph(1, method='approximate').fit([[0.0], [1.0], [3.0]])", "neighbors"),
    ],
)
def test_a_missing_extra_is_named(call, extra, tmp_path):
    """No local files, and the packages hidden: the error says what to install, before anything is downloaded."""
    code = f"""
import os
os.environ["MR_DATA_DIR"] = {str(tmp_path)!r}
os.environ.pop("MR_OFFLINE", None)
import mr
try:
    {call}
except ImportError as error:
    print(error)
"""
    assert f'pip install "manifold-regularization[{extra}]"' in python(HIDE + code)
