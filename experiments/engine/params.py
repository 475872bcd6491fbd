"""``params.yaml``: one block an artifact id, with the sub-blocks ``paper`` and ``quick``."""

import copy
import re
from functools import cache

import yaml

from experiments.engine import paths
from experiments.engine.errors import UsageError, nearest

PROFILES = ("quick", "paper")


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
    """Reads ``1e-6`` as a number. YAML 1.1 (PyYAML) makes it a string, YAML 1.2 (DVC) a float: they must agree."""


_Loader.add_implicit_resolver(
    "tag:yaml.org,2002:float",
    re.compile(r"^[-+]?(\d+(\.\d*)?|\.\d+)[eE][-+]?\d+$"),
    list("-+.0123456789"),
)


def load() -> dict[str, dict]:
    """All blocks: id -> {"paper": ..., "quick": ...}."""
    return copy.deepcopy(_parsed(paths.params_file().read_text(encoding="utf-8")))


@cache
def _parsed(text: str) -> dict[str, dict]:
    return yaml.load(text, Loader=_Loader) or {}


def block(artifact: str, profile: str) -> dict:
    """The parameters of one artifact at one scale."""
    blocks = load()
    if artifact not in blocks:
        raise UsageError(f"unknown artifact {artifact!r}{nearest(artifact, blocks)}")
    if profile not in blocks[artifact]:
        raise UsageError(f"params.yaml has no profile {profile!r} for {artifact}{nearest(profile, blocks[artifact])}")
    return blocks[artifact][profile] or {}
