"""`load(name)`: from a name to a `Dataset`, whatever the source."""

import difflib
import inspect

from mr.datasets import registry, sources
from mr.datasets.catalog import CATALOG, Spec
from mr.datasets.dataset import Dataset, Parsed, array_digest, combined_digest
from mr.datasets.errors import DataUnavailable, UnknownDataset, Unreadable, unavailable, wrong_contents

SHORT_OPTIONS = {"n": "n_samples", "seed": "random_state"}  # of generated sets


def names() -> tuple[str, ...]:
    """Every known name, also of sets that have no source here.

    Returns
    -------
    tuple of str

    See Also
    --------
    mr.datasets.load : loads one of them.

    Examples
    --------
    >>> from mr.datasets import names
    >>> "two_moons" in names()
    True
    """
    return tuple(CATALOG)


def available(name: str) -> bool:
    """Tell whether a set can be loaded without a network.

    Looks at names and sizes of files; `load` checks contents.

    Parameters
    ----------
    name : str
        One of `names`.

    Returns
    -------
    bool

    See Also
    --------
    mr.datasets.load : loads the set.

    Examples
    --------
    >>> from mr.datasets import available
    >>> available("digits")
    True
    """
    spec = find(name)
    if spec.derive:
        return available(spec.base)
    if spec.generate or spec.bundled:
        return True
    places = sources.set_folders(name)
    return any(sources.present(group, places) for group in file_groups(name))


def load(name: str, *, folder=None, **options) -> Dataset:
    """Load a data set from the first source that has it.

    Sources, in this order: the local folder (``MR_DATA_DIR``, or ``data/raw`` of a repository checkout), the user's
    cache folder (``~/.cache/mr`` on Linux), data inside installed dependencies, and the public address in the registry.
    A download is kept in the cache folder. ``MR_OFFLINE=1`` switches downloads off.

    Parameters
    ----------
    name : str
        One of `names`.
    folder : path-like, default=None
        Read the original files of this set from this folder and from nowhere else.
    **options
        What `options_of` lists for this set. Generated sets also take ``n`` for ``n_samples`` and ``seed`` for
        ``random_state``.

    Returns
    -------
    Dataset

    Raises
    ------
    UnknownDataset
        There is no such name.
    DataUnavailable
        No source has the set; the message says where to get its files and where to put them.
    ChecksumMismatch
        A file does not hold the registered data.
    MissingPackage
        A package of the extra ``data`` is needed and not installed.

    See Also
    --------
    mr.datasets.names : the names that are known.
    mr.datasets.options_of : the options of a set.

    Examples
    --------
    >>> from mr.datasets import load
    >>> load("two_moons", n=4, seed=0).X.shape
    (4, 2)
    """
    spec = find(name)
    options = check_options(name, spec, options)
    if spec.derive:
        return derived(name, spec, options, folder)
    if folder is not None and not spec.parse:
        raise TypeError(f"load({name!r}) takes no folder: this set is not read from files")
    if spec.generate:
        parsed = spec.generate(**options)
        return finish(name, spec, parsed, "generated", array_digest(parsed.X, parsed.y))
    return from_sources(name, spec, options, folder)


def find(name: str) -> Spec:
    if name in CATALOG:
        return CATALOG[name]
    near = difflib.get_close_matches(str(name).lower(), CATALOG, n=3, cutoff=0.5)
    advice = f"Did you mean {' or '.join(map(repr, near))}?" if near else f"Known names: {', '.join(CATALOG)}."
    raise UnknownDataset(f"There is no data set {name!r}. {advice}")


def options_of(name: str) -> dict:
    """The options that `load` takes for one set.

    Parameters
    ----------
    name : str
        One of `names`.

    Returns
    -------
    dict of str to object
        Default value per option.

    See Also
    --------
    mr.datasets.load : takes the options.

    Examples
    --------
    >>> from mr.datasets import options_of
    >>> options_of("webkb_pages")
    {'view': 'page'}
    """
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
    """The groups of files any one of which makes up the set, the fastest to read first."""
    entries = registry.entries(name)
    if not entries:
        return []
    registered = {entry.name: entry for entry in entries}
    contents = entries[0].content_sha256
    return [
        tuple(
            registered.get(file) or registry.Entry(name, f"{name}/{file}", content_sha256=contents)
            for file in alternative
        )
        for alternative in CATALOG[name].alternatives or (tuple(registered),)
    ]


def from_sources(name: str, spec: Spec, options: dict, folder) -> Dataset:
    """Local files, then bundled data, then download."""
    groups, places, attempts = file_groups(name), sources.set_folders(name, folder), []
    files = sources.from_local(groups, places, attempts)
    if files is None and folder is None:
        if spec.bundled:
            parsed = spec.bundled()
            return finish(name, spec, parsed, "bundled (scikit-learn)", array_digest(parsed.X, parsed.y))
        files = sources.from_network(groups, places, attempts)
    if files is None:
        groups = sorted(groups, key=lambda group: not all(entry.url for entry in group))  # downloads first
        choices = [[(entry.url, places[0] / entry.name) for entry in group] for group in groups]
        raise unavailable(name, attempts or ["no source is known"], choices, spec.hint)
    parsed = parse(name, spec, files, options)
    return finish(name, spec, parsed, files.source, parsed.content_sha256 or files.sha256)


def parse(name: str, spec: Spec, files: sources.Files, options: dict) -> Parsed:
    """Read the files, and compare what they hold with the registered digest of the contents, if the set has one."""
    entry = registry.entries(name)[0]
    paths = files.paths.values()
    try:
        parsed = spec.parse(files, **options)
        if parsed.content_sha256 == entry.content_sha256:
            return parsed
        sizes = ", ".join(f"{part} {len(rows)}" for part, rows in parsed.splits.items())
        got = f"{len(parsed.y)} rows{f' ({sizes})' if sizes else ''}, contents with sha256 {parsed.content_sha256}"
    except Unreadable as error:
        paths, got = [error.path], error.reason
    for path in files.unchecked:
        path.unlink(missing_ok=True)
    raise wrong_contents(name, paths, entry.content_sha256, got, entry.what, deleted=bool(files.unchecked))


def derived(name: str, spec: Spec, options: dict, folder) -> Dataset:
    """A set computed from another one: it shares that one's source, and its digest adds the recipe."""
    try:
        base = load(spec.base, folder=folder)
    except DataUnavailable as error:
        raise DataUnavailable(f"The data set {name!r} is made from {spec.base!r}.\n{error}") from error
    recipe = f"{name} {sorted(options.items())}"
    return finish(name, spec, spec.derive(base, **options), base.source, combined_digest([base.sha256, recipe]))


def finish(name: str, spec: Spec, parsed: Parsed, source: str, sha256: str) -> Dataset:
    """Add the provenance."""
    return Dataset(
        name, parsed.X, parsed.y, parsed.class_names, parsed.splits, source, sha256, spec.citation, parsed.notes
    )
