"""Sphinx configuration of the site. ``make site`` copies this folder to build/site-source, adds what is generated from
the repository (papers, overview, API index; see experiments/site/build.py) and builds there.

Nothing is taken from another host: no fonts, no scripts, no MathJax. Equations become MathML at build time.
"""

import os
import sys
import warnings
from pathlib import Path

ROOT = Path(os.environ["MR_ROOT"])  # set by experiments.site.build
sys.path[:0] = [str(ROOT), str(Path(__file__).parent / "_ext")]

import mr  # noqa: E402

project = "mr"
author = "The mr developers"
copyright = "the mr developers, BSD-3-Clause"
version = release = mr.__version__

extensions = [
    "myst_nb",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_gallery.gen_gallery",
    "docstrings",
    "mathml",
    "scoreboard_data",
    "source_pages",
]
exclude_patterns = ["_generated", "_ext", "examples", "**.ipynb_checkpoints", "gallery/*.ipynb"]
nitpicky = False  # types in docstrings ("array-like", "int or None") are words, not references
suppress_warnings = ["config.cache"]

# Executed notebooks are shown as they were committed. The code of the guide runs before the build, see pages.py.
nb_execution_mode = "off"
nb_merge_streams = True
nb_render_markdown_format = "gfm"  # outputs of notebooks hold tables
myst_enable_extensions = ["dollarmath", "amsmath", "colon_fence", "deflist"]
myst_heading_anchors = 3
source_suffix = {".rst": "restructuredtext", ".md": "myst-nb", ".ipynb": "myst-nb"}  # first: autosummary writes it

autosummary_generate = True
autodoc_typehints = "none"
numpydoc_show_class_members = False  # the template of a class lists its methods
numpydoc_use_plots = False
add_module_names = False
templates_path = ["_templates"]

html_math_renderer = "mathml"
html_theme = "pydata_sphinx_theme"
html_title = f"mr {release}"
html_static_path = ["_static"]
html_css_files = ["site.css", "explorer.css"]
html_context = {"default_mode": "auto"}  # light or dark as the reader's system says
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "logo": {"text": "mr"},
    "navbar_end": ["theme-switcher"],
    "navbar_persistent": ["search-button"],
    "show_prev_next": False,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "navigation_with_keys": False,
    "header_links_before_dropdown": 7,
}
html_sidebars = {"index": [], "scoreboard": [], "claims": []}

warnings.filterwarnings("ignore", category=UserWarning, message=".*non-interactive.*")  # plt.show() in examples
sphinx_gallery_conf = {
    "examples_dirs": str(ROOT / "docs" / "examples"),
    "gallery_dirs": "gallery",
    "filename_pattern": r"/plot_",
    "within_subsection_order": "FileNameSortKey",
    "backreferences_dir": "api/backreferences",
    "doc_module": ("mr",),
    "download_all_examples": False,
    "show_memory": False,
    "show_signature": False,
    "min_reported_time": 5,
    "abort_on_example_error": True,
    "remove_config_comments": True,
    "copyfile_regex": r"^$",
    "write_computation_times": False,
}
