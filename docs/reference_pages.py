"""Generated pages of the reference: public names by topic, one page per command, modules; and the example report."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import redirect_stdout
from importlib import import_module
from io import StringIO
from pathlib import Path
from textwrap import dedent
from typing import NamedTuple

import click

from draw_dataset.cli import draw, main

HERE = Path(__file__).parent
PACKAGE = HERE.parent / "draw_dataset"
GENERATED = HERE / "reference" / "generated"
EXAMPLE = "example-report.html"


class Topic(NamedTuple):
    """A section of the reference."""

    title: str
    about: str
    members: tuple[str, ...]  # modules or packages, without draw_dataset; or commands


NAMES = (
    Topic("Data", "Problems, their numbers, derived rows and variants.", (
        "data", "deriving", "derivation.problem", "text", "variants", "checks", "annotate", "collect", "draw1k",
    )),
    Topic("Grading", "One answer or derivation: prompt, reading, verdict.", (
        "prompting", "reading", "deriving.grading", "scoring.grading", "scoring.verdict", "scoring.gold",
        "scoring.gold_rows", "scoring.steps", "scoring.prediction",
    )),
    Topic("Scores", "Many predictions: accuracies, intervals, comparisons.", (
        "scoring", "deriving.own_problems", "adapters",
    )),
    Topic("Derivations", "Templates, alignments and their exact comparison.", ("derivation",)),
    Topic("Equation systems", "Exact solutions.", ("algebra",)),
    Topic("Figures", "Derivations drawn as SVG, in a terminal or in a report.", ("report",)),
    Topic("Solver", "The trainable solver.", ("solver",)),
    Topic("Errors", "All errors about input are of one class.", ("errors", "io", "fingerprint")),
)  # fmt: skip

COMMANDS = (
    Topic("First steps", "Offline, without a file.", ("demo", "app", "show", "read", "equiv")),
    Topic("Score", "Predictions, answers and models.", (
        "score", "evaluate-model", "harness", "benchmark", "variants",
    )),
    Topic("Data", "Figures, defects, other datasets, publication.", ("stats", "check", "derive", "build")),
    Topic("Annotate", "Derivations for new problems.", ("annotate",)),
    Topic("Solve", "Train and run solvers.", ("solve",)),
    Topic("Collect", "New problems from the web.", ("crawl", "clean", "sample", "pipeline")),
    Topic("Set up", "Names in an environment, completion in a shell.", ("register", "unregister", "completion")),
)  # fmt: skip

MODULES = ("adapters.trl", "adapters.verl")  # documented besides those with __all__ and those at the top


def generate() -> None:
    """Write the pages; a page that has not changed is left alone, so that Sphinx does not build it again."""
    GENERATED.mkdir(parents=True, exist_ok=True)
    pages = {f"{name}.md": text for name, text in [*name_pages(), *command_pages(), *module_pages()]}
    for path in GENERATED.glob("*.md"):
        if path.name not in pages:
            path.unlink()
    for name, text in pages.items():
        path = GENERATED / name
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def write_example(folder: Path) -> None:
    """Write the report that the front page links to: that of draw demo, on the embedded sample."""
    with redirect_stdout(StringIO()):
        status = main(["demo", "--html", str(folder / EXAMPLE)])
    if status:
        raise RuntimeError(f"draw demo: expected exit status 0, but got {status}")


def public_names() -> dict[str, str]:
    """Return the module of each public name, as the stub of the package says."""
    stub = ast.parse((PACKAGE / "__init__.pyi").read_text(encoding="utf-8"))
    return {
        alias.name: (node.module or "").removeprefix("draw_dataset.")
        for node in stub.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if not alias.name.startswith("_")
    }


def topic_of(module: str) -> Topic:
    """Return the topic of a module: the one that names it, or the nearest package around it."""
    while module:
        for topic in NAMES:
            if module in topic.members:
                return topic
        module = module.rpartition(".")[0]
    raise LookupError("docs/reference_pages.py, NAMES: expected a topic for each public name, but one has none")


def name_pages() -> Iterator[tuple[str, str]]:
    """Yield the page of the public names, and one with their docstrings for each topic."""
    by_topic: dict[Topic, list[str]] = {topic: [] for topic in NAMES}
    for name, module in sorted(public_names().items(), key=lambda pair: pair[0].lower()):
        by_topic[topic_of(module)].append(name)
    package = import_module("draw_dataset")
    tables, listed = [], []
    for topic, names in by_topic.items():
        if not names:
            continue
        page = f"names-{_slug(topic.title)}"
        listed.append(page)
        rows = [(f"{{py:obj}}`~draw_dataset.{name}`", _first_line(getattr(package, name).__doc__)) for name in names]
        tables.append(f"## {topic.title}\n\n{topic.about} [Details]({page}.md)\n\n{_table('name', rows)}")
        yield page, f"# {topic.title}\n\n{topic.about}\n\n```{{eval-rst}}\n{_directives(names)}```\n"
    intro = "Everything that `from draw_dataset import …` offers. Other code may rely on these names."
    yield "names", "\n".join([f"# Public names\n\n{intro}\n", *tables, _toctree(listed)])


def _directives(names: Sequence[str]) -> str:
    pieces = []
    for name in names:
        kind = "autoclass" if name[0].isupper() else "autofunction"
        members = "\n   :members:" if kind == "autoclass" else ""
        pieces.append(f".. {kind}:: draw_dataset.{name}{members}\n")
    return "\n".join(pieces)


def module_pages() -> Iterator[tuple[str, str]]:
    """Yield a page for each module that is documented as a whole."""
    for module in _documented_modules():
        options = ":members:\n   :undoc-members:\n   :no-index:" if module.count(".") else ":members:"
        yield module, f"# {module}\n\n```{{eval-rst}}\n.. automodule:: {module}\n   {options}\n```\n"


def _documented_modules() -> list[str]:
    found = [f"draw_dataset.{name}" for name in MODULES]
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
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


def command_pages() -> Iterator[tuple[str, str]]:
    """Yield the page of all commands, and one for each of them."""
    os.environ["COLUMNS"] = "100"  # click wraps at the width of the terminal
    top = click.Context(draw, info_name="draw", **draw.context_settings)
    summaries = draw.summaries()
    named = [name for topic in COMMANDS for name in topic.members]
    if sorted(named) != sorted(summaries):
        apart = ", ".join(sorted({*named} ^ {*summaries}))
        raise LookupError(f"docs/reference_pages.py, COMMANDS: expected each command once; look at: {apart}")
    tables = []
    for topic in COMMANDS:
        rows = [(f"[draw {name}](draw-{name}.md)", _escape(summaries[name])) for name in topic.members]
        tables.append(f"## {topic.title}\n\n{topic.about}\n\n{_table('command', rows)}")
        for name in topic.members:
            command = draw.get_command(top, name)
            if command is not None:
                yield from _command_pages(command, name, top)
    intro = "`draw COMMAND --help` prints the same. `draw --version` and `draw --citation` need no command."
    yield "commands", "\n".join([f"# Commands\n\n{intro}\n", *tables, _toctree([f"draw-{name}" for name in named])])


def _command_pages(command: click.Command, name: str, parent: click.Context) -> Iterator[tuple[str, str]]:
    ctx = click.Context(command, info_name=name, parent=parent, **command.context_settings)
    page = ctx.command_path.replace(" ", "-")
    usage = " ".join(command.collect_usage_pieces(ctx))
    pieces = [f"# {ctx.command_path}\n", f"{_escape(command.help or '')}\n"]
    pieces.append(f"```console\n$ {ctx.command_path} {usage}\n```\n")
    details = list(_details(command.epilog or ""))
    pieces += [text for title, text in details if title == "Examples"]
    subcommands = _subcommands(command, ctx)
    if subcommands:
        rows = [
            (f"[{ctx.command_path} {sub}]({page}-{sub}.md)", _escape(one.help or ""))
            for sub, one in subcommands.items()
        ]
        pieces.append(f"## Commands\n\n{_table('command', rows)}\n{_toctree([f'{page}-{sub}' for sub in subcommands])}")
    for title, records in _options(command, ctx).items():
        rows = [(_code(record), _escape(about)) for record, about in records]
        pieces.append(f"## {title}\n\n{_table('argument' if title == 'Arguments' else 'option', rows)}")
    rest = [text for title, text in details if title != "Examples"]
    if rest:
        pieces += ["## Details\n", *rest]
    yield page, "\n".join(pieces)
    for sub, one in subcommands.items():
        yield from _command_pages(one, sub, ctx)


def _subcommands(command: click.Command, ctx: click.Context) -> dict[str, click.Command]:
    if not isinstance(command, click.Group):
        return {}
    found = {name: command.get_command(ctx, name) for name in command.list_commands(ctx)}
    return {name: one for name, one in found.items() if one is not None}


def _options(command: click.Command, ctx: click.Context) -> dict[str, list[tuple[str, str]]]:
    found: dict[str, list[tuple[str, str]]] = {}
    for param in command.get_params(ctx):
        title = "Arguments" if isinstance(param, click.Argument) else getattr(param, "group", "Options")
        record = param.get_help_record(ctx)
        if record is not None and "--help" not in record[0]:
            found.setdefault(title, []).append(record)
    return found


def _details(text: str) -> Iterator[tuple[str, str]]:
    """Yield the paragraphs of the details of a help, each with its title: examples as shell, lists as they are."""
    for paragraph in re.split(r"\n\s*\n", text.strip()):
        head, _, body = paragraph.partition("\n")
        if head.strip() == "Examples:":
            yield "Examples", f"```sh\n{dedent(body).rstrip()}\n```\n"
        elif any(line.startswith(" ") for line in paragraph.splitlines()):
            yield "", f"```text\n{paragraph.rstrip()}\n```\n"
        elif paragraph.strip():
            yield "", f"{_escape(paragraph)}\n"


def _table(first: str, rows: Sequence[tuple[str, str]]) -> str:
    lines = [f"| {first} | content |", "|---|---|"]
    return "\n".join([*lines, *(f"| {name} | {about.replace('|', chr(92) + '|')} |" for name, about in rows)]) + "\n"


def _toctree(pages: Sequence[str]) -> str:
    return "\n".join(["```{toctree}", ":hidden:", "", *pages, "```", ""])


def _code(text: str) -> str:
    return f"`{text}`".replace("|", "\\|") if "`" not in text else _escape(text)


def _escape(text: str) -> str:
    """Return plain text as Markdown; options and quoted JSON are code."""
    text = " ".join(text.split())
    pieces = re.split(r"(?<![\w-])(--?[a-zA-Z][\w-]*)", text)
    # The options are the odd pieces.
    return "".join(
        f"`{piece}`" if at % 2 else re.sub(r"([\\`*_{}\[\]<>#~$])", r"\\\1", piece) for at, piece in enumerate(pieces)
    )


def _first_line(doc: str | None) -> str:
    return " ".join((doc or "").strip().partition("\n\n")[0].split()).replace("``", "`")


def _slug(title: str) -> str:
    return title.lower().replace(" ", "-")
