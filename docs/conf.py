"""Sphinx configuration of the site: `make docs`.

A build first generates reference/generated (see reference_pages.py): a page per command, and the docstrings of the
public names by topic. So the reference always matches the code. At its end it writes the example report.
"""

import sys
import tomllib
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from docutils import nodes

from draw_dataset.version import __version__

_HERE = Path(__file__).parent
sys.path.insert(0, str(_HERE))
import reference_pages  # noqa: E402 - a module of this folder

_URLS = tomllib.loads((_HERE.parent / "pyproject.toml").read_text(encoding="utf-8"))["project"]["urls"]

project = "draw-dataset"
author = "the authors of draw-dataset"
copyright = "the authors of draw-dataset, MIT licence"
version = release = __version__

extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["_build", "images"]
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3
nb_execution_mode = "off"  # the tests execute the notebooks; the site shows the stored outputs

default_role = "code"
smartquotes = False  # quotes and dashes of commands stay what one types
autodoc_typehints = "description"
autodoc_member_order = "bysource"
autodoc_mock_imports = [
    name
    for name in ("fastapi", "gradio", "HanTa", "itsdangerous", "jinja2", "matplotlib", "scrapy", "uvicorn", "warcio")
    if find_spec(name) is None
]
napoleon_google_docstring = True
napoleon_numpy_docstring = False
napoleon_use_ivar = True

html_theme = "furo"
html_title = f"draw-dataset {release}"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_js_files = ["copy.js"]

templates_path = ["templates"]
html_context = {"repository": _URLS["Repository"]}
html_sidebars = {
    "**": [
        "sidebar/brand.html",
        "sidebar/search.html",
        "repository.html",
        "sidebar/scroll-start.html",
        "sidebar/navigation.html",
        "sidebar/scroll-end.html",
    ]
}
html_theme_options = {
    "source_view_link": f"{_URLS['Repository']}/blob/main/docs/{{filename}}",
    "top_of_page_buttons": ["view"],
    "footer_icons": [{"name": "Repository", "url": _URLS["Repository"], "html": "Repository", "class": ""}],
}

_OPTIONAL = {"sources", "variants", "harnesses", "systems", "systems-kazb", "confidence", "scale"}
"""Pages about parts of the package that may not be there."""


def _drop_missing(_app: Any, docname: str, source: list[str]) -> None:
    """Drop optional pages that this checkout lacks from the table of contents."""
    if docname == "index":
        lines = source[0].splitlines()
        source[0] = "\n".join(line for line in lines if line not in _OPTIONAL or (_HERE / f"{line}.md").is_file())


def _mark_plots(app: Any, doctree: Any) -> None:
    """Give plots on a white ground a class, by which the style sheet turns them over in the dark."""
    for image in doctree.findall(nodes.image):
        path = Path(app.srcdir) / image.get("uri", "")
        own = path.is_file() and path.suffix == ".svg" and "prefers-color-scheme" in path.read_text(encoding="utf-8")
        if path.suffix == ".svg" or "jupyter_execute" in path.parts:
            image["classes"].append("figure-own" if own else "figure-plot")


def _finish(app: Any, error: Exception | None) -> None:
    """Write the example report next to the pages."""
    if error is None and app.builder.format == "html":
        reference_pages.write_example(Path(app.outdir))


def setup(app: Any) -> None:
    """Generate the reference before Sphinx collects pages, and the example report after it has written them."""
    app.connect("config-inited", lambda *_: reference_pages.generate())
    app.connect("source-read", _drop_missing)
    app.connect("doctree-read", _mark_plots)
    app.connect("build-finished", _finish)
