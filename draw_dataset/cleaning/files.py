"""Files of one JSON object a line, written and read one by one."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TextIO

from draw_dataset.errors import FolderError, RowError


def write_json_line(file: TextIO, data: dict[str, Any]) -> None:
    """Write one JSON object as a line."""
    file.write(json.dumps(data, ensure_ascii=False, separators=(", ", ": ")) + "\n")


def read_json_lines(path: Path) -> Iterator[dict[str, Any]]:
    """Return the objects of a JSONL file one by one.

    Raises:
        FolderError: the file cannot be read.
        RowError: a line is no JSON object; says which, and whether the file may be half of one.
    """
    try:
        with path.open(encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                if not line.strip():
                    continue
                try:
                    data = json.loads(line)
                except json.JSONDecodeError as error:
                    half = "" if line.endswith("\n") else "; the file ends within the line, so it may be half of one"
                    raise RowError(f"{path}, line {number}: expected a JSON object, but {error.msg}{half}") from error
                if not isinstance(data, dict):
                    raise RowError(f"{path}, line {number}: expected a JSON object, but got {type(data).__name__}")
                yield data
    except OSError as error:
        raise FolderError(f"cannot read {path}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise RowError(f"{path}: expected UTF-8, but got {error.reason} at byte {error.start}") from error
