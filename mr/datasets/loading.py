"""`load(name)`: from a name to a `Dataset`, whatever the source."""

import difflib
import inspect

from mr.datasets import registry, sources
from mr.datasets.catalog import CATALOG, Spec
from mr.datasets.dataset import Dataset, Parsed, array_digest, combined_digest
from mr.datasets.errors import DataUnavailable, UnknownDataset, unavailable

SHORT_OPTIONS = {"n": "n_samples", "seed": "random_state"}  # of generated sets


def names() -> tuple[str, ...]:
    """Every known name, also of sets that have no source here."""
    return tuple(CATALOG)


def available(name: str) -> bool:
    """True when the set can be loaded without a network. Looks at names and sizes of files; `load` checks contents."""
    spec = find(name)
    if spec.derive:
        return available(spec.base)
    if spec.generate or spec.bundled:
        return True
    return any(sources.present(group) for group in file_groups(name))


def load(name: str, **options) -> Dataset:
    """Load a data set from the first source that has it.

    Sources, in this order: the local folder (``MR_DATA_DIR`` or ``data/raw``), data inside installed dependencies, and
    the public address in ``data/registry.csv``. ``MR_OFFLINE=1`` switches downloads off.

    Raises `UnknownDataset`, `DataUnavailable` (no source has it) or `ChecksumMismatch` (a local file is another one).

    >>> load("two_moons", n=4, seed=0).X.shape
    (4, 2)
    """
    spec = find(name)
    options = check_options(name, spec, options)
    if spec.generate:
        parsed = spec.generate(**options)
        return finish(name, spec, parsed, "generated", array_digest(parsed.X, parsed.y))
    if spec.derive:
        return derived(name, spec, options)
    return from_sources(name, spec, options)


def find(name: str) -> Spec:
    if name in CATALOG:
        return CATALOG[name]
    near = difflib.get_close_matches(str(name).lower(), CATALOG, n=3, cutoff=0.5)
    advice = f"Did you mean {' or '.join(map(repr, near))}?" if near else f"Known names: {', '.join(CATALOG)}."
    raise UnknownDataset(f"There is no data set {name!r}. {advice}")


def options_of(name: str) -> dict:
    """The options `load` takes for this set, with their defaults."""
    spec = find(name)
    function = spec.generate or spec.derive or spec.parse
    parameters = inspect.signature(function).parameters.values() if function else ()
    return {p.name: p.default for p in parameters if p.default is not inspect.Parameter.empty}


def check_options(name: str, spec: Spec, options: dict) -> dict:
    known = options_of(name)
    if spec.generate:
        options = {SHORT_OPTIONS.get(key, key): value for key, value in options.items()}
    unknown = sorted(set(options) - set(known))
    if unknown:
        takes = ", ".join(f"{key}={value!r}" for key, value in known.items()) or "no options"
        raise TypeError(f"load({name!r}) got {', '.join(unknown)}, but takes {takes}")
    return options


def file_groups(name: str) -> list[tuple]:
    """The groups of files any one of which makes up the set."""
    entries = registry.entries(name)
    endings = CATALOG[name].alternatives or ("",)
    groups = [tuple(entry for entry in entries if entry.file.endswith(ending)) for ending in endings]
    return [group for group in groups if group]


def from_sources(name: str, spec: Spec, options: dict) -> Dataset:
    """Local files, then bundled data, then download."""
    groups, attempts = file_groups(name), []
    files = sources.from_local(groups, attempts)
    if files is None and spec.bundled:
        parsed = spec.bundled()
        return finish(name, spec, parsed, "bundled (scikit-learn)", array_digest(parsed.X, parsed.y))
    files = files or sources.from_network(groups, attempts)
    if files is None:
        places = [(entry.url, sources.location(entry)) for group in groups for entry in group]
        raise unavailable(name, attempts or ["no source is known"], places, spec.hint)
    return finish(name, spec, spec.parse(files, **options), files.source, files.sha256)


def derived(name: str, spec: Spec, options: dict) -> Dataset:
    """A set computed from another one: it shares that one's source, and its digest adds the recipe."""
    try:
        base = load(spec.base)
    except DataUnavailable as error:
        raise DataUnavailable(f"The data set {name!r} is made from {spec.base!r}.\n{error}") from error
    recipe = f"{name} {sorted(options.items())}"
    return finish(name, spec, spec.derive(base, **options), base.source, combined_digest([base.sha256, recipe]))


def finish(name: str, spec: Spec, parsed: Parsed, source: str, sha256: str) -> Dataset:
    X, y, class_names, splits, notes = parsed
    return Dataset(name, X, y, class_names, splits, source, sha256, spec.citation, notes)
