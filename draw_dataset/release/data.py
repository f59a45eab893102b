"""The JSON files of this package: findings, reviews, corrections and what questions ask for, by dataset and id."""

from __future__ import annotations

from importlib.resources import files
from typing import Any

from draw_dataset.files import decode_json


def own_json(name: str) -> dict[str, dict[str, Any]]:
    """Return what a JSON file next to this module holds, by dataset and id."""
    text = files("draw_dataset.release").joinpath(name).read_text(encoding="utf-8")
    data: dict[str, dict[str, Any]] = decode_json(text, name)
    return data
