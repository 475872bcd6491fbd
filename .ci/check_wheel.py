"""Build wheel and source archive, check both, install the wheel into a clean environment and use it as a newcomer.

twine checks that an index could show the description, check-wheel-contents that the wheel holds what it should.

`make wheel` runs this. The clean environment takes the core dependencies from the package index that pip is set up
with, in the versions of requirements.txt. Without an index there is nothing to install from: the check says so and
counts as skipped.
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SMALLEST = "threadpoolctl"  # of the dependencies; tells a missing index from a wheel that cannot be installed
ABSENT = ("pandas", "matplotlib", "h5py", "osqp", "pynndescent", "pooch", "dvc", "experiments")

# Runs in the clean environment, away from the repository.
PROBE = """
import importlib.util
import os
import pathlib
import sys

assert not [name for name in sys.argv[1:] if importlib.util.find_spec(name)], "extras in the clean environment"

import mr
assert pathlib.Path(mr.__file__).is_relative_to(sys.prefix), mr.__file__
from sklearn.datasets import make_moons

X, y = make_moons(300, noise=0.1, random_state=0)
few = y.copy()
few[10:] = -1
score = mr.LapRLS(gamma_A=1e-3, gamma_I=100.0).fit(X, few).score(X, y)
assert score > 0.9, score
for name in mr.__all__:
    getattr(mr, name)
assert mr.datasets.load("two_moons").X.shape[1] == 2, "generated sets need no extra"
assert "usps" in mr.datasets.names(), "registry.csv is inside the wheel"

def message(call):
    try:
        call()
    except Exception as error:
        return str(error)
    return "no error"

os.environ.pop("MR_DATA_DIR", None)
os.environ.pop("MR_OFFLINE", None)
for call, extra in (
    (lambda: mr.datasets.load("usps"), "[data]"),
    (lambda: mr.LapSVM(solver="osqp").fit(X, few), "[qp]"),
    (lambda: mr.KNNGraph(method="approximate").fit(X), "[neighbors]"),
):
    assert f"manifold-regularization{extra}" in message(call), (extra, message(call))
print(f"the wheel works without extras: mr {mr.__version__}, LapRLS scores {score:.3f} on the moons with 10 labels")
"""


def run(*command) -> subprocess.CompletedProcess:
    return subprocess.run([str(part) for part in command], capture_output=True, text=True, cwd=ROOT)


def checked(*command) -> str:
    done = run(*command)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout


def build(folder: Path) -> Path:
    """Build and check both archives with the tools of the running environment: no index is needed."""
    checked(sys.executable, "-m", "hatchling", "build", "-d", folder)
    wheel, source = next(folder.glob("*.whl")), next(folder.glob("*.tar.gz"))
    checked(sys.executable, "-m", "twine", "check", "--strict", wheel, source)
    checked(sys.executable, "-m", "check_wheel_contents", wheel)
    return wheel


def constraints(folder: Path) -> Path:
    """The pins of requirements.txt without their hashes, which pip would ask of the wheel too."""
    pins = re.findall(r"^([\w.-]+==[^\\\n]+?)\s*\\?$", (ROOT / "requirements.txt").read_text(), re.M)
    path = folder / "constraints.txt"
    path.write_text("\n".join(pins) + "\n")
    return path


def main() -> int:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        wheel = build(folder)
        checked(sys.executable, "-m", "venv", folder / "clean")
        python = folder / "clean" / "bin" / "python"
        pip = (python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check")
        done = run(*pip, "--constraint", constraints(folder), wheel)
        if done.returncode:
            if run(python, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", folder, SMALLEST).returncode:
                print("skipped: pip reaches no package index, so there is no clean environment", file=sys.stderr)
                return 0
            sys.exit(f"the wheel cannot be installed:\n{done.stdout}{done.stderr}")
        (folder / "probe.py").write_text(PROBE)
        print(checked(python, "-I", folder / "probe.py", *ABSENT), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
