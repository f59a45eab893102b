"""The datasets of the release as problems, by split.

The records are joined with codes of known defects, further derivations, and what questions ask for. `raw_record`
rebuilds a record from its problem (except that a whole number may become a float of the same value).
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

from draw_dataset.algebra.number import exact
from draw_dataset.data.fetch import locate
from draw_dataset.data.manifest import SPLITS, divide, read_ids
from draw_dataset.derivation.derivation import TextNumber
from draw_dataset.derivation.problem import AlignedNumber, Problem, Role
from draw_dataset.errors import RowError
from draw_dataset.io.jsonl import decode_json, read_text
from draw_dataset.text.numbers import locate_numbers


def own_json(name: str) -> dict[str, dict[str, Any]]:
    """Return a table of ``annotations/``: findings, reviews, corrections, asked values or roles, by dataset and id."""
    text = files("draw_dataset.data").joinpath("annotations", name).read_text(encoding="utf-8")
    data: dict[str, dict[str, Any]] = decode_json(text, name)
    return data


# ``reviewed.json`` has the verdict on every problem that was read because a check or answers made its gold suspect.
# *wrong*: the gold misreads the text; the kind is ``equations`` if equations and solutions are wrong as well.
# *arguable*: the text allows another derivation, which becomes one of the row's `alternatives`. *fine*: a false alarm.

VerdictOfReader = Literal["wrong", "arguable", "fine"]

CODES = {
    ("wrong", "derivation"): "reviewed-wrong",
    ("wrong", "equations"): "reviewed-wrong-equations",
    ("arguable", ""): "reviewed-arguable",
}
"""The code that a verdict becomes in the findings of a row, by verdict and kind; what is fine has none."""


@dataclass(frozen=True, slots=True)
class Review:
    """The verdict of a reader on gold."""

    verdict: VerdictOfReader
    kind: str = ""  # of what is wrong: ``derivation`` or ``equations``
    why: str = ""  # in a sentence
    alternatives: tuple[str, ...] = ()  # further derivations in q-notation, over the published numbers

    @property
    def code(self) -> str | None:
        """The code in the findings of the row; None if there is none."""
        return CODES.get((self.verdict, self.kind))


@lru_cache(maxsize=1)
def reviews() -> dict[str, dict[int, Review]]:
    """Return all verdicts: dataset -> id -> review."""
    return {
        dataset: {
            int(id_): Review(
                one["verdict"], one.get("kind", ""), one.get("why", ""), tuple(one.get("alternatives", ()))
            )
            for id_, one in by_id.items()
        }
        for dataset, by_id in own_json("reviewed.json").items()
    }


DATA_FILE = {"draw1k": "draw.json", "alg514": "kushman.json", "dolphin_l": "dolphin_t2_final.json"}
"""The file of each dataset's records."""

DATASETS = tuple(DATA_FILE)
"""The names of the datasets."""

_FIELDS = ("sQuestion", "lEquations", "lSolutions", "Template", "iIndex", "Alignment", "Equiv")


def load_problems(dataset: str, data_dir: str | os.PathLike[str] | None = None) -> dict[str, list[Problem]]:
    """Return the problems of a dataset by split, as published."""
    paths = locate(dataset, data_dir)
    codes = load_findings().get(dataset, {})
    records = read_records(paths[DATA_FILE[dataset]])
    asked, roles, reviewed = load_asked().get(dataset, {}), load_roles().get(dataset, {}), reviews().get(dataset, {})
    problems = []
    for record in records:
        id_ = record["iIndex"]
        others = reviewed[id_].alternatives if id_ in reviewed else ()
        problem = read_problem(record, codes.get(id_, ()))
        problem = replace(problem, asked=asked.get(id_, ()), roles=roles.get(id_, ()), alternatives=others)
        problems.append((id_, problem))
    ids = {split.name: read_ids(paths[split.file]) for split in SPLITS[dataset] if split.file is not None}
    return divide(dataset, problems, ids)


@lru_cache(maxsize=1)
def load_findings() -> dict[str, dict[int, tuple[str, ...]]]:
    """Return the codes of the known defects, which take long to find: dataset -> id -> codes."""
    return _read_tuples("findings.json")


@lru_cache(maxsize=1)
def load_asked() -> dict[str, dict[int, tuple[str, ...]]]:
    """Return the values asked for, where they are decided: dataset -> id -> expressions in the template's unknowns."""
    return _read_tuples("asked.json")


@lru_cache(maxsize=1)
def load_roles() -> dict[str, dict[int, tuple[Role, ...]]]:
    """Return what each unknown of the published gold is: dataset -> id -> roles."""
    return {
        dataset: {int(id_): tuple(roles.items()) for id_, roles in by_id.items()}
        for dataset, by_id in own_json("roles.json").items()
    }


def _read_tuples(name: str) -> dict[str, dict[int, tuple[str, ...]]]:
    return {
        dataset: {int(id_): tuple(texts) for id_, texts in by_id.items()} for dataset, by_id in own_json(name).items()
    }


def read_records(path: Path) -> list[dict[str, Any]]:
    """Return the records of a file of the release."""
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
    """Return the problem of a record of the release."""
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
