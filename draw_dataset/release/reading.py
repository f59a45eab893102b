"""The release's own records as problems, and back.

Nothing of a record is lost: `raw_record` rebuilds every field from the problem (a whole number that the release writes
without its decimal point comes back as a float of the same value).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from draw_dataset.core.alignment import TextNumber
from draw_dataset.core.exact import exact
from draw_dataset.core.problem import AlignedNumber, Problem
from draw_dataset.errors import RowError
from draw_dataset.text import locate_numbers

DATA_FILE = {"draw1k": "draw.json", "alg514": "kushman.json", "dolphin_l": "dolphin_t2_final.json"}
"""The file of each dataset's records."""

_FIELDS = ("sQuestion", "lEquations", "lSolutions", "Template", "iIndex", "Alignment", "Equiv")


def read_records(path: Path) -> list[dict[str, Any]]:
    """Return the records of a file of the release.

    Raises:
        RowError: it is no JSON list of records with the release's fields.
    """
    try:
        records = json.loads(path.read_text(encoding="utf-8"))
    except (UnicodeDecodeError, json.JSONDecodeError) as error:
        raise RowError(f"{path}: expected JSON, but got {error}") from error
    if not isinstance(records, list):
        raise RowError(f"{path}: expected a list of records, but got {type(records).__name__}")
    for position, record in enumerate(records):
        missing = [name for name in _FIELDS if not isinstance(record, dict) or name not in record]
        if missing:
            raise RowError(f"{path}: record {position}: expected the field {missing[0]}, but it is missing")
        if type(record["iIndex"]) is not int:
            raise RowError(
                f"{path}: record {position}: expected iIndex to be a whole number, but got {record['iIndex']!r}"
            )
    return records


def read_problem(record: Mapping[str, Any], findings: Sequence[str] = ()) -> Problem:
    """Return the problem of a record.

    Args:
        record: a record of the release.
        findings: the codes of its known defects.
    """
    alignment = tuple(
        AlignedNumber(a["coeff"], a["SentenceId"], a["TokenId"], float(a["Value"])) for a in record["Alignment"]
    )
    annotated = {(a.sentence, a.token): exact(a.value) for a in alignment}
    numbers, _ = locate_numbers(record["sQuestion"], annotated, rule="release")
    return Problem(
        id=record["iIndex"],
        question=record["sQuestion"],
        numbers=numbers,
        equations=tuple(record["lEquations"]),
        solutions=tuple(float(value) for value in record["lSolutions"]),
        template=tuple(record["Template"]),
        alignment=alignment,
        equiv_tnum=tuple(
            tuple(TextNumber(sentence, token, exact(value)) for sentence, token, value in group)
            for group in record["Equiv"]
        ),
        findings=tuple(findings),
    )


def raw_record(problem: Problem) -> dict[str, Any]:
    """Return a problem as the release writes it."""
    return {
        "sQuestion": problem.question,
        "lSolutions": list(problem.solutions),
        "Template": list(problem.template),
        "lEquations": list(problem.equations),
        "iIndex": problem.id,
        "Alignment": [
            {"coeff": a.slot, "SentenceId": a.sentence, "Value": a.value, "TokenId": a.token} for a in problem.alignment
        ],
        "Equiv": [
            [[n.sentence, n.token, float(n.value) if n.value is not None else None] for n in group]
            for group in problem.equiv_tnum
        ],
    }
