"""``params.yaml`` and the modules behind it: artifact ids, their parameters at two scales, their code.

An artifact is a table or a figure of a paper. Its id ``PAPER_NAME`` names a block of ``params.yaml`` (below
``artifacts``, or below ``due`` while its raw rows wait for a new protocol) and module ``experiments/PAPER/NAME.py``.
"""

import copy
import importlib
import re
from functools import cache

import yaml

from experiments.engine import paths
from experiments.engine.errors import UsageError, one_of

PROFILES = ("quick", "paper")
SECTIONS = ("artifacts", "due")
REQUIRED = ("datasets", "tasks", "run_task", "summarise")


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
    """Reads ``1e-6`` as a number. YAML 1.1 (PyYAML) makes it a string, YAML 1.2 (DVC) a float: they must agree."""


_Loader.add_implicit_resolver(
    "tag:yaml.org,2002:float", re.compile(r"^[-+]?(\d+(\.\d*)?|\.\d+)[eE][-+]?\d+$"), list("-+.0123456789")
)


def ids(*sections: str) -> list[str]:
    """Artifact ids, in the order of ``params.yaml``; of the given sections, or of all."""
    parsed = _read()
    return [artifact for section in sections or SECTIONS for artifact in parsed[section]]


def block(artifact: str, profile: str) -> dict:
    """The parameters of one artifact at one scale."""
    blocks = {name: body for section in SECTIONS for name, body in _read()[section].items()}
    body = one_of(blocks, artifact, "artifact")
    return copy.deepcopy(one_of(body, profile, f"profile of {artifact}"))


def load(artifact: str):
    """The module of one artifact; an unknown id suggests the nearest known one."""
    one_of(dict.fromkeys(ids()), artifact, "artifact")
    paper, _, name = artifact.partition("_")
    module = importlib.import_module(f"experiments.{paper}.{name}")
    missing = [name for name in REQUIRED if not hasattr(module, name)]
    if missing:
        raise UsageError(f"{module.__name__} does not define {', '.join(missing)}")
    return module


def paper_of(artifact: str) -> str:
    return artifact.partition("_")[0]


def declared(module, name: str, *arguments):
    """What an optional function of an artifact's module declares; nothing where it is not defined."""
    return getattr(module, name)(*arguments) if hasattr(module, name) else {}


def dataset_specs(module, params: dict) -> dict[str, tuple[str, dict]]:
    """``datasets(params)`` of a module in one form: key -> (name, options)."""
    declared = module.datasets(params)
    if not isinstance(declared, dict):
        declared = {spec if isinstance(spec, str) else spec[0]: spec for spec in declared}
    return {key: (spec, {}) if isinstance(spec, str) else (spec[0], dict(spec[1])) for key, spec in declared.items()}


def _read() -> dict[str, dict]:
    file = paths.params_file()
    try:
        return _parsed(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"{paths.shown(file)} cannot be read: {error.strerror}") from error
    except yaml.YAMLError as error:
        where = f" in line {error.problem_mark.line + 1}" if getattr(error, "problem_mark", None) else ""
        raise UsageError(f"{paths.shown(file)} is not valid YAML{where}: {getattr(error, 'problem', error)}") from error


@cache
def _parsed(text: str) -> dict[str, dict]:
    parsed = yaml.load(text, Loader=_Loader) or {}
    if not isinstance(parsed, dict) or not isinstance(parsed.get("artifacts"), dict):
        raise UsageError("params.yaml must have a section `artifacts:` with one block per artifact id")
    found = {section: parsed.get(section) or {} for section in SECTIONS}
    for section, blocks in found.items():
        for artifact, body in blocks.items():
            if not isinstance(body, dict) or not all(isinstance(body.get(profile), dict) for profile in PROFILES):
                raise UsageError(f"params.yaml: {section}.{artifact} needs the two blocks `paper:` and `quick:`")
    return found
