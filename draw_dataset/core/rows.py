"""Rows in a file: one JSON object a line (see `draw_dataset.core.problem` for the shape)."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from draw_dataset.core.problem import Problem
from draw_dataset.errors import FolderError, RowError
from draw_dataset.files import whole_file


def read_rows(path: Path) -> list[Problem]:
    """Return the problems of a JSONL file of rows; blank lines are passed over.

    Raises:
        RowError: the file cannot be read, or a line is no row; says which.
    """
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise RowError(f"{path}: expected a JSONL file of rows, but got {error}") from error
    problems = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            problems.append(Problem.from_row(json.loads(line)))
        except json.JSONDecodeError as error:
            raise RowError(f"{path}, line {number}: expected a JSON object, but got {error}") from error
        except RowError as error:
            raise RowError(f"{path}, line {number}: {error}") from error
    return problems


def write_rows(path: Path, problems: Iterable[Problem]) -> None:
    """Write problems as a JSONL file of rows: whole, or not at all.

    Raises:
        FolderError: the file cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FolderError(f"cannot write {path}: {error}") from error
    with whole_file(path) as sink:
        for problem in problems:
            sink.write(json.dumps(problem.to_row(), ensure_ascii=False) + "\n")
