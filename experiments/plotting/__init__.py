"""One style, one colour per method, and the one way figures are saved."""

from experiments.plotting.save import save, saving
from experiments.plotting.style import METHODS, line_style, use_style
from experiments.plotting.surfaces import decision_surfaces

__all__ = [
    "METHODS",
    "decision_surfaces",
    "line_style",
    "save",
    "saving",
    "use_style",
]
