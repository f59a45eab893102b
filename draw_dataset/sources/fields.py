"""The question: which fields of a dataset's records are what, and how does a record become a `SourceProblem`.

Fields are named by the user or by a preset. A question may stand in several fields, which are put one after the other.
A field that is missing, or is not a string, is named; nothing else about a record is looked at here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from draw_dataset.core.problem import ProblemId, is_problem_id
from draw_dataset.errors import ChoiceError, shown
from draw_dataset.sources.record import Reason, Refusal, SourceProblem
from draw_dataset.text.tokens import MAX_CHARACTERS

Names = str | Sequence[str]
"""The name of a field, or the names of several that belong together."""


@dataclass(frozen=True, slots=True)
class Fields:
    """Where the parts of a problem stand in a record.

    Attributes:
        question: the text; several fields are joined by a blank.
        equations: equations, or an expression that is the answer.
        formula: a formula with units and steps.
        solution: a worked solution.
        answer: the answer.
        id: what the problem is called; where a record lacks it, it is called by its position.
    """

    question: Names = "question"
    equations: str | None = None
    formula: str | None = None
    solution: str | None = None
    answer: str | None = None
    id: str | None = "id"

    def changed(self, given: Mapping[str, Names | None]) -> Fields:
        """Return the fields with some named otherwise; None leaves a name as it is.

        One of equations, formula and solution that is given takes the place of the others.

        Raises:
            ChoiceError: a name is no string, or several references are given.
        """
        chosen: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
        for name, value in chosen.items():
            several = name == "question" and isinstance(value, (list, tuple)) and value
            if not all(isinstance(one, str) for one in (value if several else [value])):
                raise ChoiceError(f"{name}: expected the name of a field, but got {shown(value)}")
        references = [name for name in REFERENCES if name in chosen]
        if len(references) > 1:
            raise ChoiceError(f"expected one of {', '.join(REFERENCES)}, but got {' and '.join(references)}")
        if references:
            chosen = dict.fromkeys(REFERENCES) | chosen
        return replace(self, **chosen)

    @property
    def names(self) -> list[str]:
        """The fields that a record must have."""
        question = [self.question] if isinstance(self.question, str) else list(self.question)
        return question + [name for name in (self.equations, self.formula, self.solution) if name is not None]


FIELDS = ("question", "equations", "formula", "solution", "answer", "id")
"""What a field may be named for."""

REFERENCES = ("equations", "formula", "solution")
"""What a derivation may be read from."""

Adjust = Callable[[Mapping[str, Any], SourceProblem], SourceProblem]
"""What a preset does with a problem besides naming its fields."""


def with_names(record: Mapping[str, Any], names: Sequence[str]) -> Mapping[str, Any]:
    """Return a record with its fields by some names, where it writes them in other letters: body for Body.

    >>> with_names({"body": "Ann has 2 pens.", "Formula": "2-1=1"}, ["Body", "Formula"])["Body"]
    'Ann has 2 pens.'
    """
    lacking = [name for name in names if name not in record]
    if not lacking:
        return record
    written = {key.lower(): key for key in record if isinstance(key, str)}
    return {**record, **{name: record[written[name.lower()]] for name in lacking if name.lower() in written}}


def id_of(record: Mapping[str, Any], fields: Fields, position: int) -> ProblemId:
    """Return what a problem is called: its own id, or its position from 0.

    >>> id_of({"id": "a7"}, Fields(), 3), id_of({}, Fields(), 3), id_of({"id": 2.5}, Fields(), 3)
    ('a7', 3, 3)
    """
    given = record.get(fields.id) if fields.id is not None else None
    if is_problem_id(given):
        return given
    return position


def problem_of(record: Mapping[str, Any], fields: Fields, position: int, adjust: Adjust | None = None) -> SourceProblem:
    """Return a record as a problem.

    Raises:
        Refusal: a field is missing or is not a string; names it.
    """
    id_ = id_of(record, fields, position)
    names = [fields.question] if isinstance(fields.question, str) else fields.question
    question = " ".join(_text(record, name).strip() for name in names).strip()
    if not question:
        raise Refusal(Reason.MISSING, f"{' and '.join(names)} is empty")
    if len(question) > MAX_CHARACTERS:
        raise Refusal(Reason.TOO_LARGE, f"a question of {len(question)} characters")
    problem = SourceProblem(
        id=id_,
        question=question,
        equations=_reference(record, fields.equations),
        formula=_reference(record, fields.formula),
        solution=_reference(record, fields.solution),
        answer=record.get(fields.answer) if fields.answer is not None else None,
    )
    return problem if adjust is None else adjust(record, problem)


def _text(record: Mapping[str, Any], name: str) -> str:
    value = record.get(name)
    if value is None:
        raise Refusal(Reason.MISSING, name)
    if not isinstance(value, str):
        raise Refusal(Reason.MISSING, f"{name} is no text: {shown(value)}")
    return value


def _reference(record: Mapping[str, Any], name: str | None) -> str | None:
    if name is None:
        return None
    value = record.get(name)
    if isinstance(value, (list, tuple)) and value and all(isinstance(part, str) for part in value):
        return "; ".join(value)
    text = _text(record, name)
    if not text.strip():
        raise Refusal(Reason.MISSING, f"{name} is empty")
    return text
