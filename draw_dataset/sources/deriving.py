"""One problem of a dataset, and the row that is derived from it: the way from a `SourceProblem` to a row.

Whatever the dataset has is tried: equations, then a formula, then a worked solution. Nothing that is wrong with a
problem stops the work: a problem without a derivation becomes a refused row that says why. So does one whose answer is
no number, because a derivation cannot be compared with it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from draw_dataset.core.alignment import TextNumber
from draw_dataset.core.derivation import Derivation
from draw_dataset.core.equations import solve
from draw_dataset.core.exact import is_rounded
from draw_dataset.errors import DrawError, LimitError, shown
from draw_dataset.sources.answers import is_given, marked, read_answers
from draw_dataset.sources.constants import name_of_constant
from draw_dataset.sources.equations import derive_equations, values_of
from draw_dataset.sources.expressions import decimal, leaves, written
from draw_dataset.sources.formulas import read_formula
from draw_dataset.sources.record import Derived, Reason, Refusal, SourceProblem, derived_row, refused_row
from draw_dataset.sources.solutions import odd_constant, read_solution
from draw_dataset.text import FoundNumber, find_numbers

_NAME = re.compile(r"[^\W\d]")
_ALONE = re.compile(r"\s*[^\W\d]\w*\s*=[^=;\n]*|[^=;\n]*=\s*[^\W\d]\w*\s*")
"""An equation that says what its unknown is: ``x = 7 + 2``."""

MAX_SOLUTION = 40_000
"""Characters of a worked solution."""


def derive_row(source: SourceProblem) -> dict[str, Any]:
    """Return the row that is derived from a problem.

    >>> row = derive_row(SourceProblem(7, "Ann had 12 pens. She gave 5 to Bob.", equations="12 - 5", answer=7))
    >>> row["derivation"], row["solutions"], row["status"]
    ('m = q1 - q2', [7.0], 'decided')
    >>> derive_row(SourceProblem(8, "Ann had 12 pens.", formula="12 > 5"))["reason"]
    'comparison'
    """
    numbers: tuple[TextNumber, ...] = ()
    try:
        found = _numbers(source.question)
        numbers = tuple([TextNumber(n.sentence, n.token, n.value, n.index, n.text, n.start, n.end) for n in found])
        derived = _derive(source, found, numbers)
        answer = _answer(source)
        if is_given(answer) and not read_answers(answer):
            raise Refusal(Reason.ANSWER, shown(answer))
        return derived_row(source, derived)
    except Refusal as refusal:
        return refused_row(source.id, source.question, numbers, refusal)
    except DrawError as error:  # what this package says of an input; anything else is a fault of ours, and is raised
        reason = Reason.TOO_LARGE if isinstance(error, LimitError) else Reason.UNREADABLE
        return refused_row(source.id, source.question, numbers, Refusal(reason, str(error)[:100]))


def _answer(source: SourceProblem) -> object:
    """Return the answer of a problem: that of its own field, or what its worked solution marks as the answer."""
    solution = source.solution
    if is_given(source.answer) or solution is None or "####" not in solution:
        return source.answer
    return marked(solution).strip()


def _numbers(question: str) -> list[FoundNumber]:
    found = find_numbers(question, "ordinary")
    for number in found:
        if abs(number.value) > LARGEST:
            raise Refusal(Reason.TOO_LARGE, f"the number {shown(number.text)}")
    return found


LARGEST = 10**300
"""The largest number of a text that a row can hold."""


def _derive(source: SourceProblem, found: Sequence[FoundNumber], numbers: tuple[TextNumber, ...]) -> Derived:
    if source.equations is not None:
        return _of_equations(source, numbers)
    if source.formula is not None:
        return _of_formula(source, numbers)
    if source.solution is not None:
        return _of_solution(source, found, numbers)
    raise Refusal(Reason.MISSING, "equations, formula or solution")


def _of_equations(source: SourceProblem, numbers: Sequence[TextNumber]) -> Derived:
    text = source.equations or ""
    if not text.strip():
        raise Refusal(Reason.MISSING, "the equations are empty")
    answers = read_answers(source.answer)
    if "=" in text and not _NAME.search(text):
        return _of_formula(replace(source, formula=text.strip().removesuffix("=")), numbers)
    if "=" in text:
        derived = derive_equations(source.question, numbers, [part.strip() for part in text.split(";") if part.strip()])
        _check(derived, answers, alone=_ALONE.fullmatch(text) is not None)
        return derived
    derived = derive_equations(source.question, numbers, [f"x = {text.strip()}"], source.places, asked=["m"])
    _check(derived, answers, alone=True)
    return derived


def _of_formula(source: SourceProblem, numbers: Sequence[TextNumber]) -> Derived:
    formula = read_formula(source.formula or "", source.answer, values_of(numbers))
    derived = derive_equations(source.question, numbers, formula.equations, asked=["m"] if formula.calculation else [])
    if not formula.calculation:
        _check(derived, read_answers(source.answer), alone=False)
    return derived


def _check(derived: Derived, answers: Sequence[Fraction], alone: bool) -> None:
    """Refuse equations whose one unknown is the answer and that come to something else.

    A system may ask for something that its unknowns give, as the number 63 for the digits 6 and 3: it is not refused.
    """
    if not answers or (not alone and len(derived.solutions) != 1):
        return
    value = derived.solutions[0]
    if any(is_rounded(value, answer) for answer in answers):
        return
    if alone:
        raise Refusal(Reason.CONTRADICTION, f"{decimal(value)} is not {', '.join(map(decimal, answers))}")


def _of_solution(source: SourceProblem, found: Sequence[FoundNumber], numbers: tuple[TextNumber, ...]) -> Derived:
    solution = source.solution or ""
    if len(solution) > MAX_SOLUTION:
        raise Refusal(Reason.TOO_LARGE, f"a solution of {len(solution)} characters")
    answers = read_answers(_answer(source))
    solved = read_solution(source.question, found, solution, answers[0] if len(answers) == 1 else None)
    if not solved.expressions:
        reason = Reason.NO_DERIVATION if solved.final is None else Reason.CONTRADICTION
        raise Refusal(reason, "" if solved.final is None else f"nothing comes to {decimal(solved.final)}")
    gold = solved.expressions[0]
    constants: dict[str, None] = {}
    speaking = f"{source.question}\n{solution}"
    odd = odd_constant(gold, speaking)
    if odd is not None:
        timed = any(number.kind == "clock" for number in found)
        raise Refusal(Reason.CLOCK if timed else Reason.NOT_IN_TEXT, decimal(odd))
    for leaf in leaves(gold):
        if leaf[0] == "c" and leaf[1] not in (0, 1, -1):
            name = name_of_constant(leaf[1], speaking)
            constants[f"{decimal(leaf[1])}: {name or 'of the solution'}"] = None
    if not any(leaf[0] == "q" for leaf in leaves(gold)):
        raise Refusal(Reason.NO_NUMBERS, "the result comes from no number of the text")
    derivations = []
    for expression in solved.expressions:
        try:
            derivations.append(Derivation.read(f"m = {written(expression)}", numbers))
        except DrawError:
            continue
    if not derivations:
        raise Refusal(Reason.TOO_LARGE, "the derivation")
    equation = f"x = {_in_values(derivations[0])}"
    return Derived(
        numbers=numbers,
        equations=(equation,),
        derivations=tuple(derivations),
        readings=max(len(derivations), solved.count),
        solutions=tuple(solve(equation).numbers),
        constants=tuple(constants),
        asked=("m",),
    )


def _in_values(derivation: Derivation) -> str:
    """Return the right side of a derivation with the numbers as they are written."""
    values = [
        decimal(number.value or Fraction(0)) for number in derivation.alignment.in_slots(derivation.template.slots)
    ]
    shown_ = [value if value.replace(".", "").isdigit() else f"({value})" for value in values]
    return derivation.template.written_with(shown_).partition("=")[2].strip()
