"""Compact data of graded predictions, as the viewer of the HTML report reads it.

A problem and each prediction of it become short JSON texts when they are added, so readings and figures are not kept.
The page draws figures and marks from this data. Every text passes `printable`: it has no character that a browser could
obey or misplace, and JavaScript counts the same characters.
"""

from __future__ import annotations

import base64
import gzip
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from draw_dataset.algebra.number import short_number
from draw_dataset.data.corrections import KINDS as CORRECTIONS
from draw_dataset.derivation.problem import ProblemId, name_of
from draw_dataset.report.picture import (
    MAX_SHOWN,
    Picture,
    Side,
    Stretch,
    clip,
    picture_of,
    printable,
    printable_lines,
    raw_text,
    stretches,
    summarize_reading,
)
from draw_dataset.scoring.files import Judged
from draw_dataset.scoring.gold import PreparedProblem
from draw_dataset.scoring.prediction import answer_of
from draw_dataset.scoring.problem_layouts import Columns
from draw_dataset.scoring.verdict import Reason, Status, StepKind, StepVerdict, Verdict

CHUNK = 50
"""The number of problems whose details are compressed together, and read when one of them is opened."""

_MAX_BEGINNING = 90  # characters of the question in the list
_MAX_MESSAGE = 600
_MAX_RAW = 2_000
_MAX_STEPS = 60
_MAX_STEP = 200
_MAX_LISTED = 12  # alternatives
_MAX_SAMPLE = 40  # characters of the number of a sample

REASONS, STATUSES, STEPS = list(Reason), list(Status), [kind for kind in StepKind if kind.is_error]
"""What the numbers of an entry in the list stand for."""


@dataclass(frozen=True, slots=True)
class _Entry:
    """A prediction: the numbers for the list, and its details as JSON."""

    # Status, reason, whether the solution is right, length, first error and whether that is sure; then a 1 if it
    # is right only on corrected gold.
    listed: tuple[int, ...]
    details: str


Key = tuple[ProblemId, int | str | None]
"""A row of the list: a problem, or one sample of it."""


class Entries:
    """Collects graded predictions of systems; see `add`."""

    def __init__(self) -> None:
        self._problems: dict[ProblemId, tuple[str, str, str]] = {}  # name, beginning of the question, details
        self._systems: dict[str, dict[ProblemId, dict[int | str | None, _Entry]]] = {}

    @property
    def systems(self) -> list[str]:
        """The names of the systems that have predictions."""
        return list(self._systems)

    def add(self, system: str, judged: Judged) -> None:
        """Keep a prediction of a system, right or wrong. Each of several samples of a problem has a row of its own."""
        reference, prediction, verdict, sample = judged[:4]
        picture = picture_of(reference, (prediction,), verdict)
        id_ = reference.problem.id
        if id_ not in self._problems:
            details = compact_json(problem_details(reference, picture))
            self._problems[id_] = (printable(name_of(id_)), beginning(reference.problem.question), details)
        corrected = judged.corrected
        is_mended = corrected is not None and corrected.derivation and not verdict.derivation
        entry = _entry(prediction, verdict, picture, judged.columns, is_mended=is_mended)
        self._systems.setdefault(system, {}).setdefault(id_, {})[sample] = entry

    def _rows(self) -> list[Key]:
        """Return the rows of the list: a problem has one, or one for each of the samples that any system has of it."""
        rows: list[Key] = []
        for id_ in self._problems:
            several = [samples for found in self._systems.values() if len(samples := found.get(id_, {})) > 1]
            rows += [(id_, sample) for sample in dict.fromkeys(chain.from_iterable(several))] or [(id_, None)]
        return rows

    def _found(self, system: str) -> dict[Key, _Entry]:
        """Return the entries of a system by their rows; the only answer to a problem stands in its first row."""
        found: dict[Key, _Entry] = {}
        own, last = self._systems.get(system, {}), None
        for id_, sample in self._rows():
            samples = own.get(id_, {})
            if len(samples) > 1 and sample in samples:
                found[id_, sample] = samples[sample]
            elif len(samples) == 1 and id_ != last:
                found[id_, sample] = next(iter(samples.values()))
            last = id_
        return found

    def samples(self) -> list[int]:
        """Return for each row of the list the first row of its problem; empty if no problem has several samples."""
        rows = self._rows()
        if len(rows) == len(self._problems):
            return []
        first: dict[ProblemId, int] = {}
        return [first.setdefault(id_, row) for row, (id_, _) in enumerate(rows)]

    def first_errors(self, system: str) -> Counter[StepKind]:
        """Return how many predictions of a system first go wrong in each kind of step."""
        entries = chain.from_iterable(samples.values() for samples in self._systems.get(system, {}).values())
        return Counter(STEPS[entry.listed[4]] for entry in entries if entry.listed[4] >= 0)

    def index(self, systems: Sequence[str]) -> list[list[Any]]:
        """Return what the list needs: name, beginning of the question, and an entry or null for each system."""
        entries = [self._found(system) for system in systems]
        return [
            [self._name(key), self._problems[key[0]][1], *(f[key].listed if key in f else None for f in entries)]
            for key in self._rows()
        ]

    def _name(self, key: Key) -> str:
        """Return the name of a row: the id, with the number of the sample if there are several."""
        id_, sample = key
        return self._problems[id_][0] + ("" if sample is None else printable(f" #{clip(str(sample), _MAX_SAMPLE)}"))

    def chunks(self, systems: Sequence[str]) -> list[str]:
        """Return the details of the problems in their order, `CHUNK` problems in each compressed text."""
        entries = [self._found(system) for system in systems]
        problems = [
            f"[{self._problems[key[0]][2]},{','.join(f[key].details if key in f else 'null' for f in entries)}]"
            for key in self._rows()
        ]
        return compressed_chunks(problems)


def beginning(question: str) -> str:
    """Return the beginning of a question, as the list shows it."""
    return printable(clip(" ".join(question.split()), _MAX_BEGINNING))


def compressed_chunks(problems: Sequence[str]) -> list[str]:
    """Return the details of problems, each a JSON text, `CHUNK` problems in each compressed text."""
    return [compressed(f"[{','.join(problems[start : start + CHUNK])}]") for start in range(0, len(problems), CHUNK)]


def compressed(text: str) -> str:
    """Return a text as Base64 of gzip, the same for the same text."""
    return base64.b64encode(gzip.compress(text.encode(), 6, mtime=0)).decode()


def compact_json(value: object) -> str:
    """Return a value as JSON without blanks."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def filled(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields that say anything."""
    return {name: value for name, value in fields.items() if value not in (None, "", [], False)}


def problem_details(reference: PreparedProblem, picture: Picture) -> dict[str, Any]:
    """Return the details of a problem."""
    problem, gold = reference.problem, picture.below
    classes: dict[object, int] = {}
    pieces: list[Any] = []
    for piece in picture.pieces:
        if piece.mark is None:
            pieces.append(piece.text)
        else:
            own = reference.classes.of_place(piece.mark.number.place)
            pieces.append([piece.text, piece.mark.label, classes.setdefault(own, len(classes))])
    correction = problem.correction
    return filled(
        {
            "question": pieces,
            "gold": side_details(gold),
            "solutions": ", ".join(map(short_number, problem.solutions)),
            "roles": [[one.name, one.role] for one in gold.unknowns],
            "asked": list(gold.asked),
            "alternatives": [printable(clip(text, _MAX_STEP)) for text in problem.alternatives[:_MAX_LISTED]],
            "findings": [printable(clip(code, _MAX_STEP)) for code in problem.findings[:_MAX_LISTED]],
            "correction": None
            if correction is None
            else [correction.edition, printable(correction.kind), CORRECTIONS.get(correction.kind, "")],
        }
    )


def side_details(side: Side) -> dict[str, Any]:
    """Return a derivation: its equations with a line end before and after each slot, and the number in each slot."""
    return filled(
        {
            "name": side.name,
            "equations": [
                "".join(term.text if term.slot is None else f"\n{term.slot}\n" for term in terms)
                for terms in side.equations
            ],
            "notation": side.notation,
            "slots": [
                [one.slot, one.label, *([1, one.wanted_label] if one.wanted_label else [])] for one in side.slots
            ],
            "note": side.note,
        }
    )


def _entry(prediction: Any, verdict: Verdict, picture: Picture, columns: Columns, *, is_mended: bool = False) -> _Entry:
    answer, reading, error = answer_of(prediction), verdict.reading, verdict.first_error
    given = "" if answer is not None else raw_text(prediction, _MAX_RAW)
    listed = (
        STATUSES.index(verdict.status),
        REASONS.index(verdict.reason),
        int(verdict.solution),
        len(answer) if answer is not None else len(given),
        -1 if error is None else STEPS.index(error.kind),
        int(error is not None and error.certain),
        *([1] if is_mended else []),
    )
    shown: list[Any] = []
    if answer is not None:
        marked = None if reading is None else stretches(answer, reading, MAX_SHOWN)
        shown = [printable_lines(clip(answer, MAX_SHOWN))] if marked is None else list(map(_stretch, marked))
    steps = _select_steps(verdict.steps, error)
    return _Entry(
        listed,
        compact_json(
            filled(
                {
                    "message": printable(clip(verdict.message, _MAX_MESSAGE)),
                    "witness": "" if verdict.witness is None else printable(clip(str(verdict.witness), _MAX_MESSAGE)),
                    "certain": verdict.derivation and verdict.certain,
                    "given": given,
                    "more": [[printable(name), printable(text)] for name, text in columns],
                    "isAnswer": answer is not None,
                    "answer": shown,
                    "reading": [] if reading is None else [list(line) for line in summarize_reading(reading)],
                    "steps": [_step(answer or "", step, is_first=step == error) for step in steps],
                    "moreSteps": len(verdict.steps) - len(steps),
                    "side": None if picture.above is None else side_details(picture.above),
                    "goldDiffers": [one.slot for one in picture.below.slots if one.differs],
                }
            )
        ),
    )


def _stretch(stretch: Stretch) -> Any:
    """Return text around the marks as it is, and a mark as its kind and its text, with results in lists."""
    if not stretch.kind:
        return stretch.text
    return [stretch.kind, *([part.text] if part.result else part.text for part in stretch.parts)]


def _select_steps(steps: Sequence[StepVerdict], error: StepVerdict | None) -> list[StepVerdict]:
    """Return the first steps, and the first wrong one even if it comes later."""
    return [step for at, step in enumerate(steps) if at < _MAX_STEPS or step == error]


def _step(answer: str, step: StepVerdict, *, is_first: bool) -> dict[str, Any]:
    text = clip(" ".join(answer[slice(*step.span)].split()), _MAX_STEP)
    return filled(
        {
            "number": step.index + 1,
            "kind": str(step.kind),
            "text": printable(text),
            "function": printable(clip(step.function, _MAX_STEP)),
            "stated": "" if step.stated is None else short_number(step.stated),
            "expected": "" if step.expected is None else short_number(step.expected),
            "certain": step.certain,
            "because": printable(clip(step.because, _MAX_MESSAGE)),
            "first": is_first,
        }
    )
