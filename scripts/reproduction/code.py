"""The question: was a stored figure made by the code that is here now.

A version number would have to be raised by hand whenever a feature changes; a hash of the code cannot be forgotten.
Comments and docstrings take no part in it, since they move no figure and hours of work would be thrown away for them.
Python's own syntax trees do, so that another version of Python may compute everything anew.
"""

from __future__ import annotations

import ast
import hashlib
from functools import lru_cache
from pathlib import Path

import draw_dataset

PARTS = {
    "solver": ("core", "text", "release", "sample", "scoring", "solver"),
    "dataset": ("core", "text", "release", "sample", "statistics", "annotation"),
}
"""The parts of the package that the figures of each kind of job depend on."""

MODULES = ("figures.py",)
"""The modules beside this one that every figure depends on."""


def code_hashes() -> dict[str, str]:
    """Return the hash of the code behind each kind of job."""
    return {kind: _hash(parts) for kind, parts in PARTS.items()}


@lru_cache(maxsize=4)
def _hash(parts: tuple[str, ...]) -> str:
    package = Path(draw_dataset.__file__).parent
    files = [path for part in parts for path in sorted((package / part).rglob("*"))]
    files += [Path(__file__).with_name(name) for name in MODULES]
    digest = hashlib.sha256()
    for path in files:
        if path.suffix == ".py":
            content = plain_code(path.read_text(encoding="utf-8")).encode()
        elif path.suffix in (".json", ".jsonl", ".toml"):
            content = path.read_bytes()
        else:
            continue
        digest.update(f"{path.parent.name}/{path.name} {len(content)}\n".encode())
        digest.update(content)
    return digest.hexdigest()[:12]


@lru_cache(maxsize=256)  # most files are behind both kinds of jobs
def plain_code(text: str) -> str:
    """Return Python code without what does nothing: comments, docstrings, layout."""
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
