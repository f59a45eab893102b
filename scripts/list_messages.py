"""Lists every text of the package that a person may read, so that all of it can be read in one go.

    python scripts/list_messages.py                        messages, help and page texts
    python scripts/list_messages.py --docstrings           docstrings instead
    python scripts/list_messages.py --words "after|next to"    only texts in which this pattern is found

Messages are the strings that are raised, printed, shown as help, or given to a page. ``{…}`` stands for a value that is
put in. Each comes with its file and line.
"""

from __future__ import annotations

import argparse
import ast
import re
import sys
from collections.abc import Iterator, Sequence
from html.parser import HTMLParser
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ("draw_dataset", "metric")


class Text(NamedTuple):
    """One text and where it is."""

    path: Path
    line: int
    text: str


def messages_of(path: Path) -> Iterator[Text]:
    """Yield the texts of a module, other than docstrings, that have at least two words."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    silent = {id(node) for owner in ast.walk(tree) for node in _silent(owner)}
    inside: set[int] = set()
    for node in ast.walk(tree):
        if id(node) in silent or id(node) in inside:
            continue
        if isinstance(node, ast.JoinedStr):
            inside |= {id(part) for part in node.values}
            text = "".join(p.value if isinstance(p, ast.Constant) else "{…}" for p in node.values)  # type: ignore[misc]
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            text = node.value
        else:
            continue
        if len(re.findall(r"[A-Za-z]{2,}", text.replace("{…}", ""))) >= 2 and " " in text.strip():
            yield Text(path, node.lineno, text)


def _silent(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the strings that nobody is shown: docstrings and annotations."""
    for statement in getattr(node, "body", ()) if isinstance(getattr(node, "body", None), list) else ():
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
            yield statement.value
    if isinstance(node, ast.Subscript):
        yield from ast.walk(node.slice)


def docstrings_of(path: Path) -> Iterator[Text]:
    """Yield the docstrings of a module, those of its constants included, without their examples."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        body = getattr(node, "body", None)
        for statement in body if isinstance(body, list) else ():
            if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
                text = statement.value.value
                if isinstance(text, str):
                    kept = re.sub(r"^\s*>>>.*?(?=\n\s*\n|\Z)", "", text, flags=re.MULTILINE | re.DOTALL)
                    yield Text(path, statement.lineno, kept)


class _Words(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[int, str]] = []
        self._style = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._style = tag == "style"
        for name, value in attrs:
            if name in ("aria-label", "title", "placeholder") and value:
                self.found.append((self.getpos()[0], value))

    def handle_data(self, data: str) -> None:
        text = re.sub(r"{[%#].*?[%#]}", "", data, flags=re.DOTALL).strip()
        if not self._style and len(text.split()) > 1:
            self.found.append((self.getpos()[0], " ".join(text.split())))


def page_texts_of(path: Path) -> Iterator[Text]:
    """Yield the texts of a template of a page, or of a script."""
    content = path.read_text(encoding="utf-8")
    if path.suffix == ".html":
        reader = _Words()
        reader.feed(content)
        for line, text in reader.found:
            yield Text(path, line, text)
        return
    for number, line in enumerate(content.splitlines(), 1):
        if not line.lstrip().startswith("//"):
            for text in re.findall(r"[\"'`]([^\"'`]*[A-Za-z]{2,} [a-z]{2,}[^\"'`]*)[\"'`]", line):
                yield Text(path, number, text)


def texts(docstrings: bool = False) -> Iterator[Text]:
    """Yield every text of the package."""
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix == ".py":
                yield from docstrings_of(path) if docstrings else messages_of(path)
            elif path.suffix in (".html", ".js") and not docstrings:
                yield from page_texts_of(path)


def main(argv: Sequence[str] | None = None) -> int:
    """Print the texts."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--docstrings", action="store_true", help="docstrings instead of messages")
    parser.add_argument("--words", metavar="PATTERN", help="only texts in which this regular expression is found")
    arguments = parser.parse_args(argv)
    wanted = re.compile(arguments.words or "", re.IGNORECASE)
    for path, line, text in texts(arguments.docstrings):
        if wanted.search(text):
            print(f"{path.relative_to(ROOT)}:{line}: {text}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
