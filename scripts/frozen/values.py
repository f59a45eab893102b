"""Values as plain data without what may differ between two runs, and the data that all sections use."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

Item = tuple[str, str, Any]
"""A section, a key and a value."""

SHARED = Path(os.environ.get("DRAW_SHARED_DIR", "/work/shared"))
PIECES = 8
"""Pieces that a file of answers or problems is cut into."""


def mask(text: str) -> str:
    """Return a text without what may differ between two runs: folders, versions, times."""
    for folder, name in ((os.environ["FREEZE_TEMPORARY"], "TEMPORARY"), (os.environ["FREEZE_TREE"], "TREE")):
        text = text.replace(folder, f"<{name}>")
    text = re.sub(r"(version[\"']?[:=] ?[\"']?|\bdraw |draw[-_]dataset[ /])\d+\.\d+[\w.]*", r"\1*", text)
    return re.sub(r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d)?(\.\d+)?(Z|\+\d\d:?\d\d)?)?", "<DATE>", text)


def plain(value: Any) -> Any:
    """Return a value as JSON data; names of classes, which may change, are left out."""
    if isinstance(value, Enum | Fraction):
        return str(value)
    if isinstance(value, str):
        return mask(value)
    if value is None or isinstance(value, bool | int | float):
        return value
    if hasattr(value, "to_dict"):
        return plain(value.to_dict())
    if isinstance(value, Mapping):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, set | frozenset):
        return sorted(map(plain, value))
    if isinstance(value, Sequence):
        return [plain(one) for one in value]
    if hasattr(value, "equations"):
        return plain(value.equations)
    if is_dataclass(value):
        return {one.name: plain(getattr(value, one.name)) for one in fields(value) if not one.name.startswith("_")}
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    raise TypeError(f"no plain form of {type(value)}")


def attempt(function: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
    """Return the plain result of a call, or the message of the package's own error."""
    from draw_dataset import DrawError

    try:
        return plain(function(*arguments, **named))
    except DrawError as error:
        return {"error": mask(str(error))}


def read_lines(path: Path | str) -> list[Any]:
    """Return the values of a JSONL file."""
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def write_lines(path: Path | str, values: Iterable[Any]) -> None:
    """Write values as a JSONL file."""
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(json.dumps(value, ensure_ascii=False) + "\n" for value in values)


def digest_of(value: Any) -> str:
    """Return the digest of plain data."""
    return hashlib.sha256(json.dumps(value, ensure_ascii=False).encode()).hexdigest()


def take_piece(values: Iterable[Any], every: int, piece: int, pieces: int = PIECES) -> list[tuple[int, Any]]:
    """Return one piece of every so manyth value, with positions."""
    return list(enumerate(values))[::every][piece::pieces]


@cache
def load_rows(config: str, corrected: bool | str = False) -> dict[str, list[dict[str, Any]]]:
    """Return the rows of a configuration by split."""
    from datasets import load_dataset

    import draw_dataset  # noqa: F401 - makes the names known

    more = {} if corrected is False else {"corrected": corrected}
    return {name: list(split) for name, split in load_dataset("draw1k", config, **more).items()}


def all_rows(config: str) -> list[dict[str, Any]]:
    """Return the rows of all splits of a configuration."""
    return [row for split in load_rows(config).values() for row in split]
