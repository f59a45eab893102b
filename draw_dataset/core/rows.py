"""Rows in a file, one JSON object per line (see `draw_dataset.core.problem` for the shape)."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from draw_dataset.core.problem import Problem
from draw_dataset.errors import FolderError, RowError
from draw_dataset.files import read_json_lines, write_json_lines
from draw_dataset.files.jsonl import named


def read_rows(path: str | os.PathLike[str]) -> list[Problem]:
    """Return the problems of a JSONL file of rows; blank lines are ignored.

    Args:
        path: the file; ``-`` is standard input.

    Raises:
        RowError: the file cannot be read, or a line is not a row; says which.
    """
    problems = []
    for line in read_json_lines(path):
        try:
            problems.append(Problem.from_row(line.value))
        except RowError as error:
            raise RowError(f"{named(path)}, line {line.number}: {error}") from error
    return problems


def write_rows(path: Path, problems: Iterable[Problem]) -> None:
    """Write problems as a JSONL file of rows, all of it or nothing.

    Raises:
        FolderError: the file cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FolderError(f"cannot write {path}: {error}") from error
    write_json_lines(path, (problem.to_row() for problem in problems))
