"""Files that are there whole or not at all, and lines that are read one by one."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

from draw_dataset.errors import FolderError, RowError


@contextmanager
def whole_file(path: Path) -> Iterator[TextIO]:
    """Open a file for writing that takes the place of `path` once all is written, and leaves no trace if not.

    Raises:
        FolderError: the file cannot be written.
    """
    try:
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".tmp", dir=path.parent)
    except OSError as error:
        raise FolderError(f"cannot write {path}: {error.strerror or error}") from error
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        # A temporary file is private by default; the result is as any other file of the user's.
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(name, 0o666 & ~mask)
        os.replace(name, path)
    except OSError as error:
        raise FolderError(f"cannot write {path}: {error.strerror or error}") from error
    finally:
        Path(name).unlink(missing_ok=True)


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
