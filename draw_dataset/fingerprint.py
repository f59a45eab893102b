"""Fingerprints of code and data, which decide whether cached rows, a cached model or a stored figure is up to date.

Rows, which are quickly made again, depend on the bytes of the code. Figures that took hours depend on its syntax trees
without docstrings; another version of Python may compute them again.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

_ROWS = ("algebra", "derivation", "text", "data", "draw1k.py")
_SUFFIXES = {".py", ".json", ".jsonl", ".toml"}


@lru_cache(maxsize=1)
def row_fingerprint() -> str:
    """Return a hash of everything in the package that rows are made from."""
    return fingerprint_of(_ROWS)


def fingerprint_of(parts: Iterable[str], others: Iterable[Path] = (), *, plain: bool = False) -> str:
    """Return a hash of modules and folders of the package and of other files; `plain` ignores comments and layout."""
    package = Path(__file__).parent
    named = {path.relative_to(package).as_posix(): path for part in parts for path in _files(package / part)}
    named |= {path.name: path for path in others}
    digest = hashlib.sha256()
    for name, path in sorted(named.items()):
        content = path.read_bytes()
        if plain and path.suffix == ".py":
            content = plain_code(content.decode()).encode()
        digest.update(f"{name} {len(content)}\n".encode())
        digest.update(content)
    return digest.hexdigest()[:16]


def _files(path: Path) -> list[Path]:
    return [path] if path.is_file() else [file for file in path.rglob("*") if file.suffix in _SUFFIXES]


@lru_cache(maxsize=256)  # several kinds of figures depend on most files
def plain_code(text: str) -> str:
    """Return the syntax tree of Python code as text, without comments, docstrings and layout.

    >>> plain_code("x = 1  # one") == plain_code("x=1")
    True
    """
    tree = ast.parse(text)
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            kept = [statement for statement in body if not _is_docstring(statement)]
            node.body = kept or [ast.Pass()]  # type: ignore[attr-defined]
    return ast.dump(tree)


def _is_docstring(statement: ast.AST) -> bool:
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
    )
