"""Sphinx configuration of the site: `make docs`.

A build first generates reference/generated: the help of every command, and a page per part of the package with the
docstrings of its public names. So the reference always matches the code.
"""

import ast
import os
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from draw_dataset.version import __version__

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

_OPTIONAL = {"sources", "variants", "harnesses", "systems", "systems-kazb", "confidence", "scale"}
"""Pages about parts of the package that may not be there."""

_HERE = Path(__file__).parent
_GENERATED = _HERE / "reference" / "generated"
_PACKAGE = _HERE.parent / "draw_dataset"


def _write(name: str, text: str) -> None:
    """Write a generated page if it has changed, so that Sphinx does not rebuild unchanged pages."""
    path = _GENERATED / name
    if not path.is_file() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def _public_parts() -> list[str]:
    """Return the packages and modules with ``__all__``, and the modules at the top of the package."""
    found = []
    for path in sorted(_PACKAGE.rglob("*.py")):
        parts = path.relative_to(_PACKAGE.parent).with_suffix("").parts
        module = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        private = any(part.startswith("_") for part in parts[:-1])
        if private or module == "draw_dataset" or parts[1] in ("commands", "cli", "version", "citation"):
            continue
        targets = {
            target.id
            for node in ast.parse(path.read_text(encoding="utf-8")).body
            if isinstance(node, ast.Assign)
            for target in node.targets
            if isinstance(target, ast.Name)
        }
        if "__all__" in targets or len(parts) == 2:
            found.append(module)
    return found


def _public_names() -> list[str]:
    stub = ast.parse((_PACKAGE / "__init__.pyi").read_text(encoding="utf-8"))
    names = [alias.name for node in stub.body if isinstance(node, ast.ImportFrom) for alias in node.names]
    return sorted((name for name in names if not name.startswith("_")), key=str.lower)


def _module_page(module: str) -> str:
    options = ":members:\n   :undoc-members:\n   :no-index:" if module.count(".") else ":members:"
    return f"# {module}\n\n```{{eval-rst}}\n.. automodule:: {module}\n   {options}\n```\n"


def _names_page() -> str:
    directives = []
    for name in _public_names():
        kind = "autoclass" if name[0].isupper() else "autofunction"
        more = "\n   :members:" if kind == "autoclass" else ""
        directives.append(f".. {kind}:: draw_dataset.{name}{more}\n")
    listed = "\n".join(directives)
    return (
        "# The public names\n\nEverything that `from draw_dataset import …` offers. "
        f"Other code may rely on these names.\n\n```{{eval-rst}}\n{listed}```\n"
    )


def _commands_page() -> str:
    import click

    from draw_dataset.cli import draw

    os.environ["COLUMNS"] = "100"  # click wraps at the width of the terminal
    pieces = ["# The commands\n", "The output of `draw COMMAND --help`.\n"]

    def describe(command: Any, name: str, parent: Any, level: int) -> None:
        ctx = click.Context(command, info_name=name, parent=parent, **command.context_settings)
        pieces.append(f"{'#' * level} {ctx.command_path}\n\n```text\n{command.get_help(ctx).rstrip()}\n```\n")
        if isinstance(command, click.Group):
            for one in command.list_commands(ctx):
                describe(command.get_command(ctx, one), one, ctx, min(level + 1, 3))

    describe(draw, "draw", None, 2)
    return "\n".join(pieces)


def _generate(_app: Any) -> None:
    _GENERATED.mkdir(parents=True, exist_ok=True)
    pages = {"names.md": _names_page(), "commands.md": _commands_page()}
    pages |= {f"{module}.md": _module_page(module) for module in _public_parts()}
    for path in _GENERATED.glob("*.md"):
        if path.name not in pages:
            path.unlink()
    for name, text in pages.items():
        _write(name, text)


def _drop_missing(_app: Any, docname: str, source: list[str]) -> None:
    """Drop optional pages that this checkout lacks from the table of contents."""
    if docname == "index":
        lines = source[0].splitlines()
        source[0] = "\n".join(line for line in lines if line not in _OPTIONAL or (_HERE / f"{line}.md").is_file())


def setup(app: Any) -> None:
    """Generate the reference before Sphinx collects pages."""
    app.connect("config-inited", lambda app, _config: _generate(app))
    app.connect("source-read", _drop_missing)
