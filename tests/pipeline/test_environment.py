"""pyproject.toml, environment.yml and requirements.txt name the same packages, in versions that fit."""

import re
import tomllib

import pytest
import yaml
from packaging.requirements import Requirement

from experiments.engine.paths import ROOT

BUILD = {"hatchling", "editables"}


def canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


@pytest.fixture(scope="module")
def project() -> dict[str, Requirement]:
    table = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    lines = table["dependencies"] + [line for extra in table["optional-dependencies"].values() for line in extra]
    return {canonical(Requirement(line).name): Requirement(line) for line in lines}


@pytest.fixture(scope="module")
def pinned() -> dict[str, list[str]]:
    pins: dict[str, list[str]] = {}
    for name, version in re.findall(r"^([A-Za-z0-9._-]+)==([^\s;\\]+)", (ROOT / "requirements.txt").read_text(), re.M):
        pins.setdefault(canonical(name), []).append(version)
    return pins


def test_pins_satisfy_the_project(project, pinned):
    for name, requirement in project.items():
        assert name in pinned, name
        assert all(requirement.specifier.contains(version) for version in pinned[name]), name


def test_requirements_in_and_conda_name_the_same(project):
    lines = (ROOT / "requirements.in").read_text().splitlines()
    names = {canonical(line.split("#")[0].strip()) for line in lines if line.split("#")[0].strip()}
    assert names == set(project) | BUILD
    conda = yaml.safe_load((ROOT / "environment.yml").read_text())["dependencies"]
    conda = {canonical(Requirement(line).name): Requirement(line) for line in conda}
    assert set(conda) == set(project) | BUILD | {"python", "pip"}
    for name, requirement in project.items():
        assert conda[name].specifier == requirement.specifier, name


def test_every_pin_has_hashes_and_no_index_is_named():
    text = (ROOT / "requirements.txt").read_text()
    blocks = re.split(r"\n(?=[A-Za-z0-9])", text.strip())
    assert all("--hash=sha256:" in block for block in blocks)
    assert not re.search(r"index-url|find-links|://|trusted-host|@ ", text)


def test_version_is_one():
    import mr

    assert f"version: {mr.__version__}\n" in (ROOT / "CITATION.cff").read_text()
