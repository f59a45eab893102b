"""Fingerprints: were cached rows, a cached model or a stored figure made by the present code and data.

Rows depend on how text, numbers and templates are read, on the known findings, the corrections and the sample; a model
of the sample on all of the solver. A version number would have to be raised by hand whenever any of these changes; a
hash of them cannot be forgotten. What comes from the release needs no part in it, as its files are pinned.

What is quickly made again is known by the bytes of the code, which are quickly hashed. Figures that took hours are
known by the code without its comments, docstrings and layout, which move none of them: by Python's own syntax trees, so
that another version of Python may compute everything again.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

_ROWS = ("core", "text", "release", "sample", "catalog.py", "draw1k.py", "huggingface/features.py")
_MODELS = ("core", "text", "sample", "solver")
_SUFFIXES = {".py", ".json", ".jsonl", ".toml"}


@lru_cache(maxsize=1)
def row_fingerprint() -> str:
    """Return a hash of everything in the package that rows are made from.

    >>> len(row_fingerprint())
    16
    """
    return fingerprint_of(_ROWS)


@lru_cache(maxsize=1)
def model_fingerprint() -> str:
    """Return a hash of everything in the package that a solver of the sample is made from.

    >>> len(model_fingerprint())
    16
    """
    return fingerprint_of(_MODELS)


def fingerprint_of(parts: Iterable[str], others: Iterable[Path] = (), *, plain: bool = False) -> str:
    """Return a hash of parts of the package.

    Args:
        parts: modules and folders of the package, by their paths in it.
        others: further files, known by their names.
        plain: whether comments, docstrings and layout of code are left out.
    """
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
    """Return Python code without what does nothing: comments, docstrings, layout.

    >>> plain_code("x = 1  # one") == plain_code("x=1")
    True
    """
    tree = ast.parse(text)
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            kept = [statement for statement in body if not _does_nothing(statement)]
            node.body = kept or [ast.Pass()]  # type: ignore[attr-defined]
    return ast.dump(tree)


def _does_nothing(statement: ast.AST) -> bool:
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
    )
