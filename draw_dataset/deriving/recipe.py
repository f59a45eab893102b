"""Rows from records: a `Recipe` names the fields, and `derive_row` derives a problem's row.

The equations are tried first, then a formula, then a worked solution. A problem without a derivation becomes a refused
row that says why, and so does one whose answer is no number, because a derivation cannot be compared with it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from draw_dataset.algebra.number import is_rounded, number_literal, number_text
from draw_dataset.algebra.solution import solve
from draw_dataset.derivation.derivation import Derivation, TextNumber
from draw_dataset.deriving.equations import derive_equations
from draw_dataset.deriving.files import Record
from draw_dataset.deriving.formulas import after_mark, is_given, read_answers, read_formula
from draw_dataset.deriving.records import (
    PRESETS,
    REFERENCES,
    Derived,
    Fields,
    Names,
    Reason,
    Refusal,
    SourceProblem,
    derived_row,
    find_preset,
    id_of,
    problem_of,
    refused_row,
    with_names,
)
from draw_dataset.deriving.solutions import odd_constant, read_solution, steps_of
from draw_dataset.deriving.transfer import Instance, Sibling, keep_transferring, original_of, value_at
from draw_dataset.errors import ChoiceError, DrawError, LimitError, short_repr
from draw_dataset.io.records import Broken
from draw_dataset.reading.functions import leaves, q_notation, value_of
from draw_dataset.text.numbers import FoundNumber, find_numbers
from draw_dataset.text.units import name_of_constant

_NAME = re.compile(r"[^\W\d]")
_ALONE = re.compile(r"\s*[^\W\d]\w*\s*=[^=;\n]*|[^=;\n]*=\s*[^\W\d]\w*\s*")
"""An equation that says what its unknown is: ``x = 7 + 2``."""

MAX_SOLUTION = 40_000  # characters of a worked solution
LARGEST = 10**300  # the largest number of a text that a row can hold
MAX_SHOWN = 2_000  # characters of a question that a refused row keeps


def derive_row(source: SourceProblem, siblings: Sequence[Sibling] | None = None) -> dict[str, Any]:
    """Return the row that is derived from a problem; with siblings, one that is verified by them.

    >>> row = derive_row(SourceProblem(7, "Ann had 12 pens. She gave 5 to Bob.", equations="12 - 5", answer=7))
    >>> row["derivation"], row["solutions"], row["status"]
    ('m = q1 - q2', [7.0], 'decided')
    >>> derive_row(SourceProblem(8, "Ann had 12 pens.", formula="12 > 5"))["reason"]
    'comparison'
    """
    numbers: tuple[TextNumber, ...] = ()
    verified = {} if siblings is None else {"siblings": 0}
    try:
        found = find_numbers(source.question, "ordinary")
        for number in found:
            if abs(number.value) > LARGEST:
                raise Refusal(Reason.TOO_LARGE, f"the number {short_repr(number.text)}")
        numbers = tuple([TextNumber(n.sentence, n.token, n.value, n.index, n.text, n.start, n.end) for n in found])
        derived = _derive(source, found, numbers, siblings or ())
        answer = _answer(source)
        if is_given(answer) and not read_answers(answer):
            raise Refusal(Reason.ANSWER, short_repr(answer))
        return derived_row(source, derived) | (verified and {"siblings": derived.siblings})
    except Refusal as refusal:
        return refused_row(source.id, source.question, numbers, refusal) | verified
    except DrawError as error:  # what this package says of an input; anything else is a fault of ours, and is raised
        reason = Reason.TOO_LARGE if isinstance(error, LimitError) else Reason.UNREADABLE
        return refused_row(source.id, source.question, numbers, Refusal(reason, str(error)[:100])) | verified


def _answer(source: SourceProblem) -> object:
    """Return the answer of a problem: that of its own field, or what its worked solution marks as the answer."""
    solution = source.solution
    if is_given(source.answer) or solution is None or "####" not in solution:
        return source.answer
    return after_mark(solution).strip()


def _derive(
    source: SourceProblem,
    found: Sequence[FoundNumber],
    numbers: tuple[TextNumber, ...],
    siblings: Sequence[Sibling],
) -> Derived:
    if source.equations is not None:
        return _verify(source, _from_equations(source, numbers), siblings)
    if source.formula is not None:
        return _verify(source, _from_formula(source, numbers), siblings)
    if source.solution is not None:
        return _from_solution(source, found, numbers, siblings)
    raise Refusal(Reason.MISSING, "equations, formula or solution")


def _verify(source: SourceProblem, derived: Derived, siblings: Sequence[Sibling]) -> Derived:
    """Keep the derivations that give the answers of siblings, where their unknown is the answer."""
    answers = read_answers(_answer(source))
    if len(derived.solutions) != 1 or not any(is_rounded(derived.solutions[0], answer) for answer in answers):
        return derived
    kept, count = keep_transferring(derived.derivations, value_at, siblings)
    readings = derived.readings - len(derived.derivations) + len(kept)
    return replace(derived, derivations=tuple(kept), readings=readings, siblings=count)


def _from_equations(source: SourceProblem, numbers: Sequence[TextNumber]) -> Derived:
    text = source.equations or ""
    if not text.strip():
        raise Refusal(Reason.MISSING, "the equations are empty")
    answers = read_answers(source.answer)
    if "=" in text and not _NAME.search(text):
        return _from_formula(replace(source, formula=text.strip().removesuffix("=")), numbers)
    if "=" in text:
        derived = derive_equations(source.question, numbers, [part.strip() for part in text.split(";") if part.strip()])
        # A system may ask for something that its unknowns give, as the number 63 for the digits 6 and 3.
        if _ALONE.fullmatch(text):
            _check(derived, answers)
        return derived
    derived = derive_equations(source.question, numbers, [f"x = {text.strip()}"], source.places, asked=["m"])
    _check(derived, answers)
    return derived


def _from_formula(source: SourceProblem, numbers: Sequence[TextNumber]) -> Derived:
    formula = read_formula(source.formula or "", source.answer, {n.value for n in numbers if n.value is not None})
    return derive_equations(source.question, numbers, formula.equations, asked=["m"] if formula.calculation else [])


def _check(derived: Derived, answers: Sequence[Fraction]) -> None:
    """Refuse equations whose unknown is the answer and that come to something else."""
    if answers and not any(is_rounded(derived.solutions[0], answer) for answer in answers):
        value = number_text(derived.solutions[0])
        raise Refusal(Reason.CONTRADICTION, f"{value} is not {', '.join(map(number_text, answers))}")


def _from_solution(
    source: SourceProblem,
    found: Sequence[FoundNumber],
    numbers: tuple[TextNumber, ...],
    siblings: Sequence[Sibling],
) -> Derived:
    solution = source.solution or ""
    if len(solution) > MAX_SOLUTION:
        raise Refusal(Reason.TOO_LARGE, f"a solution of {len(solution)} characters")
    answers = read_answers(_answer(source))
    solved = read_solution(source.question, found, solution, answers[0] if len(answers) == 1 else None)
    if not solved.expressions:
        reason = Reason.NO_DERIVATION if solved.final is None else Reason.CONTRADICTION
        raise Refusal(reason, "" if solved.final is None else f"nothing comes to {number_text(solved.final)}")
    expressions, transfers = keep_transferring(solved.expressions, value_of, siblings)
    gold = expressions[0]
    constants: dict[str, None] = {}
    speaking = f"{source.question}\n{solution}"
    odd = odd_constant(gold, speaking)
    if odd is not None:
        timed = any(number.kind == "clock" for number in found)
        raise Refusal(Reason.CLOCK if timed else Reason.NOT_IN_TEXT, number_text(odd))
    for leaf in leaves(gold):
        if leaf[0] == "c" and leaf[1] not in (0, 1, -1):
            name = name_of_constant(leaf[1], speaking)
            constants[f"{number_text(leaf[1])}: {name or 'of the solution'}"] = None
    if not any(leaf[0] == "q" for leaf in leaves(gold)):
        raise Refusal(Reason.NO_NUMBERS, "the result comes from no number of the text")
    derivations = []
    for expression in expressions:
        try:
            derivations.append(Derivation.read(f"m = {q_notation(expression)}", numbers))
        except DrawError:
            continue
    if not derivations:
        raise Refusal(Reason.TOO_LARGE, "the derivation")
    equation = f"x = {in_values(derivations[0])}"
    return Derived(
        numbers=numbers,
        equations=(equation,),
        derivations=tuple(derivations),
        readings=max(len(derivations), solved.count - len(solved.expressions) + len(expressions)),
        solutions=tuple(solve(equation).numbers),
        constants=tuple(constants),
        asked=("m",),
        siblings=transfers,
        steps=tuple(steps_of(gold, solved.words, [number.value for number in found])),
    )


def in_values(derivation: Derivation) -> str:
    """Return the right side of a derivation with the numbers as they are written."""
    numbers = derivation.alignment.in_slots(derivation.template.slots)
    values = [number_literal(number.value or Fraction(0)) for number in numbers]
    return derivation.template.written_with(values).partition("=")[2].strip()


@dataclass(frozen=True, slots=True)
class Recipe:
    """How records become rows; it can be sent to another process."""

    fields: Fields  # where the parts of a problem stand
    preset: str = ""  # the preset that adjusts problems; empty if there is none

    def row(self, record: Record, position: int, siblings: Sequence[Sibling] | None = None) -> dict[str, Any]:
        """Return the row of a record, verified if its siblings are given; what is wrong becomes a refused row."""
        verified = {} if siblings is None else {"siblings": 0}
        if not isinstance(record, Mapping):
            why = record.message if isinstance(record, Broken) else f"no record: {type(record).__name__}"
            return refused_row(position, "", (), Refusal(Reason.BROKEN, why)) | verified
        record = self._with_names(record)
        try:
            problem = self._problem(record, position)
        except Refusal as refusal:
            id_, question = id_of(record, self.fields, position), _question(record, self.fields)
            return refused_row(id_, question, (), refusal) | verified
        return derive_row(problem, siblings)

    def instance(self, record: Record, position: int, field: str | None = None) -> Instance | None:
        """Return what is kept of a record to find its siblings; None if it has no number, or not one answer."""
        if not isinstance(record, Mapping):
            return None
        try:
            problem = self._problem(self._with_names(record), position)
            answers = read_answers(_answer(problem))
            numbers = find_numbers(problem.question, "ordinary")
        except (Refusal, DrawError):
            return None
        if len(answers) != 1 or not numbers:
            return None
        return Instance.of(problem.id, problem.question, numbers, answers[0], original_of(record, field))

    def _with_names(self, record: Mapping[str, Any]) -> Mapping[str, Any]:
        return with_names(record, PRESETS[self.preset].names) if self.preset else record

    def _problem(self, record: Mapping[str, Any], position: int) -> SourceProblem:
        adjust = PRESETS[self.preset].adjust if self.preset else None
        return problem_of(record, self.fields, position, adjust)

    def missing_fields(self, columns: Sequence[str]) -> list[str]:
        """Return the fields that a dataset with some columns lacks."""
        known = {*columns, *(with_names(dict.fromkeys(columns), PRESETS[self.preset].names) if self.preset else ())}
        return [name for name in self.fields.names if name not in known]

    @property
    def element(self) -> str:
        """In XML files, the element that is one record."""
        return PRESETS[self.preset].element if self.preset else "Problem"


def _question(record: Mapping[str, Any], fields: Fields) -> str:
    """Return the parts of a question that a record has, for its refused row."""
    names = [fields.question] if isinstance(fields.question, str) else fields.question
    found = [record[name] for name in names if isinstance(record.get(name), str)]
    return " ".join(part.strip() for part in found)[:MAX_SHOWN]


def recipe_for(preset: str | None, named: Mapping[str, Names | None]) -> Recipe:
    """Return the recipe of a preset, or of fields by name; None leaves a name as it is."""
    if preset is not None:
        chosen = find_preset(preset)
        return Recipe(chosen.fields.with_changes(named), chosen.name)
    if all(named.get(reference) is None for reference in REFERENCES):
        raise ChoiceError(
            f"expected a preset ({', '.join(PRESETS)}), or the field with the equations, the formula or the solution"
        )
    return Recipe(Fields().with_changes(named))
