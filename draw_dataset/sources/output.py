"""Derived rows in a file that can be resumed: what a killed run has written is kept, and the next one continues.

Rows are written to ``FILE.part``, in order, a JSON object a line. Next to it ``FILE.part.json`` says what they are made
of: the source with its size and time, the fields, and the version of this package. A run that finds both, made of the
same, drops a last line that was cut off, skips as many records as there are rows, and continues. When all rows are
there the file takes its name, and ``FILE.part.json`` is removed.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from draw_dataset.errors import FolderError
from draw_dataset.files import json_line, write_atomically
from draw_dataset.files.atomic import PART
from draw_dataset.sources.tally import Tally

FLUSHED = 200
"""Rows after which what was written is handed to the system."""


@dataclass(slots=True)
class RowFile:
    """A file of rows that is being written.

    Attributes:
        done: how many rows it had when it was opened.
        tally: what the rows are, those that were there included.
    """

    done: int
    tally: Tally
    _file: IO[str]
    _waiting: int = 0

    def write(self, row: Mapping[str, Any]) -> None:
        """Write a row."""
        self._file.write(json_line(row))
        self.tally.add(row)
        self._waiting += 1
        if self._waiting >= FLUSHED:
            self._file.flush()
            self._waiting = 0


@contextmanager
def row_file(path: Path, made_of: Mapping[str, Any]) -> Iterator[RowFile]:
    """Open a file of rows to write or to continue; it takes its name when the block ends well.

    Args:
        path: the file.
        made_of: what the rows are made of, as plain data.

    Raises:
        FolderError: it cannot be written.
    """
    part, note = path.with_name(path.name + PART), path.with_name(f"{path.name}{PART}.json")
    said = json.dumps(made_of, sort_keys=True, ensure_ascii=False)
    try:
        tally = _kept(part, note, said)
        if tally is None:
            tally = Tally()
            part.unlink(missing_ok=True)
            write_atomically(note, said)
        with part.open("a", encoding="utf-8", newline="\n") as file:
            yield RowFile(tally.total, tally, file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, path)
        note.unlink(missing_ok=True)
    except FolderError:
        raise
    except OSError as error:
        raise FolderError(f"cannot write {path}: {error.strerror or error}") from error


def _kept(part: Path, note: Path, said: str) -> Tally | None:
    """Return what is there already, if it is made of the same; a last line that was cut off is dropped."""
    if not part.is_file() or not note.is_file() or note.read_text(encoding="utf-8") != said:
        return None
    tally, end = Tally(), 0
    with part.open("r+b") as file:
        for line in file:
            if not line.endswith(b"\n"):
                break
            try:
                row = json.loads(line)
            except ValueError:
                break
            tally.add(row)
            end += len(line)
        file.truncate(end)
    return tally
