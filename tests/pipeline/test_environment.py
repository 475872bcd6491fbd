"""pyproject.toml, requirements.in, requirements.txt and environment.yml name the same packages in fitting versions."""

import re
import sys
import tomllib

import pytest
import yaml
from packaging.requirements import Requirement

import mr
from tests.source_reading import ROOT, all_imports, modules

CORE = {"numpy", "scipy", "scikit-learn", "numba", "joblib", "threadpoolctl"}
EXTRAS = {"data", "plots", "neighbors", "qp", "dask", "compendium", "test", "docs"}
LOCKED_EXTRAS = ("compendium", "test", "docs")
BUILD = {"hatchling", "editables"}
# Where the name to import is not the name to install; and what comes with another package by its own declaration.
DISTRIBUTION = {"sklearn": "scikit-learn", "yaml": "pyyaml"}
COMES_WITH = {"IPython": "jupyterlab", "packaging": "pytest", "urllib3": "selenium"}


def canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def parsed(lines) -> dict[str, Requirement]:
    return {canonical(Requirement(line).name): Requirement(line) for line in lines}


@pytest.fixture(scope="module")
def table() -> dict:
    return tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


@pytest.fixture(scope="module")
def extras(table) -> dict[str, dict[str, Requirement]]:
    return {extra: parsed(lines) for extra, lines in table["optional-dependencies"].items()}


@pytest.fixture(scope="module")
def project(table, extras) -> dict[str, Requirement]:
    """What the pinned environment holds: the core, the compendium, the tools of the tests and of the site."""
    everything = parsed(table["dependencies"])
    for extra in LOCKED_EXTRAS:
        everything |= extras[extra]
    return everything


@pytest.fixture(scope="module")
def pinned() -> dict[str, list[str]]:
    pins: dict[str, list[str]] = {}
    for name, version in re.findall(r"^([A-Za-z0-9._-]+)==([^\s;\\]+)", (ROOT / "requirements.txt").read_text(), re.M):
        pins.setdefault(canonical(name), []).append(version)
    return pins


def test_the_core_is_small_and_extras_are_named(table, extras):
    assert set(parsed(table["dependencies"])) == CORE
    assert set(extras) == EXTRAS


def test_an_extra_has_one_bound_everywhere(table, extras):
    """The compendium repeats packages of data, plots, neighbors and qp; the bounds agree."""
    seen = parsed(table["dependencies"])
    for packages in extras.values():
        for name, requirement in packages.items():
            assert seen.setdefault(name, requirement).specifier == requirement.specifier, name
    for part in ("data", "plots", "neighbors", "qp"):
        assert set(extras[part]) <= set(extras["compendium"]), part


def test_pins_satisfy_the_project(project, pinned):
    for name, requirement in project.items():
        assert name in pinned, name
        assert all(requirement.specifier.contains(version) for version in pinned[name]), name


def test_requirements_in_and_conda_name_the_same(project):
    lines = (ROOT / "requirements.in").read_text().splitlines()
    assert set(parsed(line for line in lines if line and not line.startswith("#"))) == set(project) | BUILD
    conda = parsed(yaml.safe_load((ROOT / "environment.yml").read_text())["dependencies"])
    assert set(conda) == set(project) | BUILD | {"python", "pip"}
    for name, requirement in project.items():
        assert conda[name].specifier == requirement.specifier, name


def test_every_import_is_declared(table, extras, project):
    """The library imports packages of the core and of its extras, the compendium and the tests those of the lock."""
    library = set(parsed(table["dependencies"])).union(*(extras[name] for name in ("data", "neighbors", "qp", "dask")))
    for folder, declared in (("mr", library), ("experiments", set(project)), ("tests", set(project) | library)):
        for path in modules(folder):
            for package in {name.split(".")[0] for name in all_imports(path)} - set(sys.stdlib_module_names):
                if package not in ("mr", "experiments", "tests"):
                    name = COMES_WITH.get(package, DISTRIBUTION.get(package, package))
                    assert canonical(name) in declared, f"{path.relative_to(ROOT)} imports {package}: not declared"


def test_every_pin_has_hashes_and_no_index_is_named():
    text = (ROOT / "requirements.txt").read_text()
    blocks = re.split(r"\n(?=[A-Za-z0-9])", text.strip())
    assert all("--hash=sha256:" in block for block in blocks)
    assert not re.search(r"index-url|find-links|://|trusted-host|@ ", text)


def test_version_is_one():
    assert f"version: {mr.__version__}\n" in (ROOT / "CITATION.cff").read_text()
    released = mr.__version__.removesuffix(".dev0")
    assert re.search(rf"^## \[{re.escape(released)}\]", (ROOT / "CHANGELOG.md").read_text(), re.M)


def test_classifiers_name_the_pythons_of_the_checks(table):
    named = {line.split(" :: ")[-1] for line in table["classifiers"] if re.search(r":: 3\.\d+$", line)}
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "ci.yml").read_text())
    assert set(workflow["jobs"]["checks"]["strategy"]["matrix"]["python"]) == named
    assert f">={min(named, key=lambda version: int(version.split('.')[1]))}" == table["requires-python"]
