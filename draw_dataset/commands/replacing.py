"""How a file comes into being whole or not at all: written beside its place, then renamed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from draw_dataset.errors import DrawError, FolderError


@contextmanager
def replacing(path: Path) -> Iterator[TextIO]:
    """Give a file to write to that takes the place of another when all has gone well.

    Raises:
        FolderError: it cannot be written.
    """
    beside = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with beside.open("w", encoding="utf-8") as file:
            yield file
        beside.replace(path)
    except DrawError:
        raise  # of the work, though some are OSErrors too
    except OSError as error:
        raise FolderError(f"{path}: cannot write it: {error.strerror or error}") from error
    finally:
        beside.unlink(missing_ok=True)
