"""Writing a file whole, or not at all."""

from __future__ import annotations

import os
from pathlib import Path

from draw_dataset.errors import FolderError


def write_whole(path: Path, text: str) -> None:
    """Write a text to a file that takes its place when it is complete.

    Raises:
        FolderError: it cannot be written.
    """
    beside = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        try:
            beside.write_text(text, encoding="utf-8")
            beside.replace(path)
        finally:
            beside.unlink(missing_ok=True)
    except OSError as error:
        raise FolderError(f"cannot write {path}: {error.strerror or error}") from error
