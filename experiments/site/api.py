"""The API index: every public name of the library, module by module, from ``__all__``."""

import importlib
import inspect

from sklearn.base import is_classifier, is_regressor

import mr

ROOMS = ("model_selection", "paths", "baselines", "graph", "spectrum", "kernels", "labels", "metrics", "datasets")
KINDS = (  # of mr's own names: title and what belongs there
    ("Classifiers", "classifier"),
    ("Regressors", "regressor"),
    ("Clustering and embedding", "other"),
    ("Graphs", "graph"),
)


def public_names() -> dict[str, list[str]]:
    """Full names by title of their section. A name that two modules share is documented once."""
    found: dict[str, list[str]] = {title: [] for title, _ in KINDS}
    titles = {kind: title for title, kind in KINDS}
    for name in _own():
        thing = getattr(mr, name)
        if not inspect.ismodule(thing):
            found[titles[_kind(thing)]].append(f"mr.{name}")
    for room in ROOMS:
        module = importlib.import_module(f"mr.{room}")
        here = [name for name in module.__all__ if name not in _own()]
        found[f"mr.{room}"] = [f"mr.{room}.{name}" for name in here]
    return found


def aliases(room: str) -> list[str]:
    """Names of a module that are documented as names of ``mr`` itself."""
    return [name for name in importlib.import_module(room).__all__ if name in _own()]


def index_page() -> str:
    """``api/index.rst``."""
    lines = ["API reference", "=============", "", f"Every public name of ``mr`` {mr.__version__}.", ""]
    for title, names in public_names().items():
        lines += [title, "-" * len(title), ""]
        if title.startswith("mr."):
            first = (importlib.import_module(title).__doc__ or "").strip().splitlines()[0]
            lines += [first, ""]
            also = ", ".join(f":class:`~mr.{name}`" for name in aliases(title))
            lines += [f"Also here: {also}.", ""] if also else []
        lines += [".. autosummary::", "   :toctree: generated", "", *(f"   {name}" for name in names), ""]
    return "\n".join(lines)


def _own() -> list[str]:
    """Public names of ``mr`` itself: ``dir`` lists them, and the version."""
    return [name for name in dir(mr) if name != "__version__"]


def _kind(thing) -> str:
    if thing.__module__.startswith("mr.graph"):
        return "graph"
    made = thing()
    return "classifier" if is_classifier(made) else "regressor" if is_regressor(made) else "other"
