"""The embedded sample: 120 problems written for this package, and three sets of predictions for its test split."""

from __future__ import annotations

from importlib.resources import files
from typing import Any

from draw_dataset.algebra.number import from_float64
from draw_dataset.derivation.derivation import TextNumber
from draw_dataset.derivation.problem import AlignedNumber, Problem
from draw_dataset.io.jsonl import decode_line
from draw_dataset.text.numbers import locate_numbers

__all__ = ["ANSWERS", "PREDICTIONS", "SPLITS", "load_sample", "load_sample_answers", "load_sample_predictions"]

SPLITS = {"train": 60, "validation": 30, "test": 30}
"""The splits, and how many problems each has."""

PREDICTIONS = ("careful", "lucky", "mixed")
ANSWERS = ("careful", "hasty")
"""The sets of predictions."""


def load_sample() -> dict[str, list[Problem]]:
    """Return the problems of the sample by split."""
    divided: dict[str, list[Problem]] = {split: [] for split in SPLITS}
    for line in _lines("problems.jsonl"):
        divided[line["split"]].append(_problem(line))
    return divided


def load_sample_predictions(name: str) -> dict[int, Any]:
    """Return one of the bundled sets of predictions for the test split, by problem id."""
    return {line["id"]: line["prediction"] for line in _lines("predictions", f"{name}.jsonl")}


def load_sample_answers(name: str) -> dict[int, str]:
    """Return one of the bundled sets of answers to the test split, written as language models write, by problem id."""
    return {line["id"]: line["answer"] for line in _lines("answers", f"{name}.jsonl")}


def _lines(*path: str) -> list[dict[str, Any]]:
    # Not by path: a package may be imported from an archive.
    content = files("draw_dataset.data.sample").joinpath(*path).read_bytes()
    return [decode_line(line, f"{path[-1]}, line {i}") for i, line in enumerate(content.splitlines(), 1)]


def _problem(line: dict[str, Any]) -> Problem:
    alignment = tuple(AlignedNumber(a["slot"], a["sentence"], a["token"], float(a["value"])) for a in line["alignment"])
    annotated = {(a.sentence, a.token): from_float64(a.value) for a in alignment}
    numbers, _ = locate_numbers(line["question"], annotated, rule="release")
    return Problem(
        id=line["id"],
        question=line["question"],
        numbers=numbers,
        equations=tuple(line["equations"]),
        solutions=tuple(float(v) for v in line["solutions"]),
        template=tuple(line["template"]),
        alignment=alignment,
        equiv_tnum=tuple(
            tuple(TextNumber(n["sentence"], n["token"], from_float64(n["value"])) for n in group)
            for group in line["equiv_tnum"]
        ),
        asked=tuple(line["asked"]),
        roles=tuple(line["roles"].items()),
    )
