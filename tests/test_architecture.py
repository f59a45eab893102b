"""The walks of docs/architecture.md: what they name exists, and none of them comes back to a part that it has left."""

from __future__ import annotations

import re
from importlib import import_module
from itertools import groupby
from pathlib import Path

import pytest

DOCUMENT = Path(__file__).resolve().parents[1] / "docs" / "architecture.md"
STAGED = ("cleaning",)
"""Parts whose sub-packages are stages of their own."""


def walks() -> dict[str, list[str]]:
    """Return the functions of each walk in their order."""
    titled = re.split(r"^## (.+)$", DOCUMENT.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    return {
        title: [
            name
            for line in text.splitlines()
            if line.startswith("| ")
            for name in re.findall(r"`([\w.]+)`", line.rsplit("|", 2)[1])
        ]
        for title, text in zip(titled[::2], titled[1::2], strict=True)
    }


def part(name: str) -> str:
    first, second = name.split(".")[:2]
    return f"{first}.{second}" if first in STAGED else first


@pytest.mark.parametrize("title", walks())
def test_every_function_of_a_walk_exists(title: str) -> None:
    named = walks()[title]
    assert named
    for name in named:
        pieces, value = name.split("."), import_module("draw_dataset")
        for place, piece in enumerate(pieces):
            try:
                value = import_module(".".join(["draw_dataset", *pieces[: place + 1]]))
            except ModuleNotFoundError:
                value = getattr(value, piece)


@pytest.mark.parametrize("title", walks())
def test_no_walk_steps_back(title: str) -> None:
    visited = [name for name, _ in groupby(map(part, walks()[title]))]
    assert len(visited) == len(set(visited)), visited
