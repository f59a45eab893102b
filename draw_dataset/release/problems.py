"""The datasets of the release as problems, by split.

The records are read and joined with what we know about them: codes of known defects, further derivations that a text
allows, and what its question asks for. No field of a record is lost: `raw_record` rebuilds it from the problem (except
that a whole number written without a decimal point becomes a float of the same value).
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from draw_dataset.core.alignment import TextNumber
from draw_dataset.core.exact import exact
from draw_dataset.core.problem import AlignedNumber, Problem
from draw_dataset.errors import RowError
from draw_dataset.files import decode_json, read_text
from draw_dataset.release.data import own_json
from draw_dataset.release.fetch import locate
from draw_dataset.release.reviews import reviews
from draw_dataset.release.splits import SPLITS, divide, read_ids
from draw_dataset.text import locate_numbers

DATA_FILE = {"draw1k": "draw.json", "alg514": "kushman.json", "dolphin_l": "dolphin_t2_final.json"}
"""The file of each dataset's records."""

DATASETS = tuple(DATA_FILE)
"""The names of the datasets."""

_FIELDS = ("sQuestion", "lEquations", "lSolutions", "Template", "iIndex", "Alignment", "Equiv")


def load_problems(dataset: str, data_dir: str | os.PathLike[str] | None = None) -> dict[str, list[Problem]]:
    """Return the problems of a dataset by split, as published.

    Args:
        dataset: ``draw1k``, ``alg514`` or ``dolphin_l``.
        data_dir: the folder of the release's files; by default DRAW_RELEASE_DIR, our cache, or a download.

    Raises:
        ReleaseRequestError: there is no such dataset.
        DrawError: the files cannot be read, or are not the release.
    """
    paths = locate(dataset, data_dir)
    codes = known_findings().get(dataset, {})
    records = read_records(paths[DATA_FILE[dataset]])
    asked, reviewed = known_asked().get(dataset, {}), reviews().get(dataset, {})
    problems = []
    for record in records:
        id_ = record["iIndex"]
        problem = read_problem(record, codes.get(id_, ()))
        wanted, others = asked.get(id_, ()), reviewed[id_].alternatives if id_ in reviewed else ()
        problems.append((id_, replace(problem, asked=wanted, alternatives=others) if wanted or others else problem))
    ids = {split.name: read_ids(paths[split.file]) for split in SPLITS[dataset] if split.file is not None}
    return divide(dataset, problems, ids)


@lru_cache(maxsize=1)
def known_findings() -> dict[str, dict[int, tuple[str, ...]]]:
    """Return the codes of the known defects: dataset -> id -> codes.

    They are kept with the package because finding them costs more than loading the data; `draw check` finds them again.
    """
    return {
        dataset: {int(id_): tuple(codes) for id_, codes in by_id.items()}
        for dataset, by_id in own_json("findings.json").items()
    }


@lru_cache(maxsize=1)
def known_asked() -> dict[str, dict[int, tuple[str, ...]]]:
    """Return what questions ask for where it is decided: dataset -> id -> expressions in the template's unknowns."""
    return {
        dataset: {int(id_): tuple(expressions) for id_, expressions in by_id.items()}
        for dataset, by_id in own_json("asked.json").items()
    }


def read_records(path: Path) -> list[dict[str, Any]]:
    """Return the records of a file of the release.

    Raises:
        RowError: it is no JSON list of records with the release's fields.
    """
    records = decode_json(read_text(path), str(path))
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
