"""Grading by a row, or by a question and its solution: `grade` of the package.

Gold is derived from the solution: from the equations of a worked solution, from its calculations, or from equations. If
nothing can be derived, only the solution of a prediction is graded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from draw_dataset.derivation.derivation import Derivation
from draw_dataset.derivation.problem import Problem
from draw_dataset.errors import ChoiceError, DrawError, RowError, short_repr
from draw_dataset.scoring.gold import PreparedProblem
from draw_dataset.scoring.grading import grade as grade_with_row
from draw_dataset.scoring.options import GoldMode, MatchMode, Options
from draw_dataset.scoring.verdict import Kind, Reason, Verdict

if TYPE_CHECKING:
    from draw_dataset.deriving.records import SourceProblem

MAX_VALUES = 3  # numbers that a solution without a derivation may have; more are not the result of a word problem
_RANK = re.compile(r"\bq[1-9]\d*\b")
_PARTS = re.compile(r"[;\n]|,\s+")
_WORD = re.compile(r"[^\W\d_]{3,}")


def grade(
    prediction: Any,
    row: Mapping[str, Any] | PreparedProblem | None = None,
    options: Options = Options(),  # noqa: B008
    *,
    question: str | None = None,
    solution: Any = None,
    match: MatchMode | None = None,
    gold: GoldMode | None = None,
) -> Verdict:
    """Grade one prediction: with the row of its problem, or with a question and its solution.

    >>> from draw_dataset.data.sample import load_sample
    >>> row = load_sample()["train"][0].to_row()
    >>> grade("m = n + q2; m + n = q3", row).derivation
    True
    >>> question = "Eggs cost $2 . Bo buys 3 eggs and pays with $10 . How much does he get back ?"
    >>> verdict = grade("3 eggs are 3*2 = $6, so he gets 10-6 = $4", question=question, solution="10 - 3*2 = 4")
    >>> str(verdict.status), verdict.solution
    ('right', True)
    >>> verdict = grade("3 eggs are 3*2 = $6, so he gets 10-6 = $4", question=question, solution=4)
    >>> str(verdict.status), verdict.solution, verdict.message
    ('undecided', True, 'right answer; no gold derivation to compare with: the solution is only a number')

    Args:
        prediction: the prediction, in any form of `draw_dataset.scoring.prediction`. With a question, a string is a
            model answer, unless it is q-notation with numbers of the text: ``m = q1 + q2``.
        row: the row of the problem, or its prepared problem.
        options: how to grade.
        question: the text of the problem, if there is no row.
        solution: what gold is derived from: a worked solution (the result may stand after ``####``), equations or an
            expression (``"x + y = 30; x - y = 4"``, or a list), or the final number or numbers. If no derivation can be
            derived, the solution is graded, the derivation is undecided, and the message says why.
        match: when a derivation counts as right; overrides the options, see `Options`.
        gold: gold derivations to accept; overrides the options, see `Options`.

    Returns:
        Whether derivation, equations and solution are right, and why. A prediction that cannot be read is wrong, and
        the verdict says so; it does not raise.

    Raises:
        RowError: the row or its gold cannot be read, or the solution has neither equations nor numbers.
        ChoiceError: there are a row and a question, or a question without a solution; or `match` or `gold` has an
            unknown value.
        LimitError: the expected mode of equation accuracy would compare with too many derivations.
    """
    if question is None and solution is None:
        if row is None:
            raise RowError("expected a row, or question= and solution=, but got neither")
        return grade_with_row(prediction, row, options, match=match, gold=gold)
    if row is not None:
        raise ChoiceError("expected a row, or question= and solution=, but got both")
    if not isinstance(question, str) or not question.strip():
        raise ChoiceError(f"question: expected the text of the problem, but got {short_repr(question)}")
    return grade_by(prediction, gold_of(question, plain_solution(solution)), options.with_match(match).with_gold(gold))


def grade_by(prediction: Any, derived: DerivedGold, options: Options) -> Verdict:
    """Grade one prediction with derived gold."""
    verdict = grade_with_row(as_prediction(prediction), derived.reference, options)
    return verdict if derived.missing is None else _without_derivation(verdict, derived.missing)


@dataclass(frozen=True, slots=True)
class DerivedGold:
    """Gold that was derived from a solution."""

    reference: PreparedProblem
    missing: str | None = None  # why there is no derivation, but only the solution; None if there is one


def plain_solution(solution: Any) -> str | tuple[Any, ...]:
    """Return a solution as a text, or as a tuple of texts or numbers; raises `RowError` for anything else."""
    if isinstance(solution, str):
        return solution
    plain = solution.tolist() if hasattr(solution, "tolist") else solution
    listed = tuple(plain) if isinstance(plain, (list, tuple)) else (plain,)
    numbers = all(isinstance(one, (int, float, Decimal, Fraction)) and not isinstance(one, bool) for one in listed)
    if not listed or not (numbers or all(isinstance(one, str) for one in listed)):
        raise _bad_solution(solution)
    return listed


def _bad_solution(solution: Any) -> RowError:
    expected = "a worked solution, equations, or the final number or numbers"
    return RowError(f"solution: expected {expected}, but got {short_repr(solution)}")


@lru_cache(maxsize=256, typed=True)
def gold_of(question: str, solution: str | tuple[Any, ...]) -> DerivedGold:
    """Derive gold of a question from its solution."""
    # Imported here: with a row, nothing is derived.
    from draw_dataset.derivation.problem import REFUSED
    from draw_dataset.deriving.recipe import derive_row

    reason = ""
    for source in _sources(question, solution):
        row = derive_row(source)
        if row["status"] != REFUSED:
            return DerivedGold(PreparedProblem.of(row))
        reason = reason or row["reason"]
    return DerivedGold(_only_solution(question, _values(question, solution)), reason or "the solution is only a number")


def _sources(question: str, solution: str | tuple[Any, ...]) -> Iterator[SourceProblem]:
    """Yield what a derivation may be read from, the surest first."""
    from draw_dataset.deriving.formulas import after_mark, read_answers
    from draw_dataset.deriving.records import SourceProblem
    from draw_dataset.reading.extraction import extract_equations
    from draw_dataset.text.numbers import find_numbers

    if isinstance(solution, tuple):
        if isinstance(solution[0], str):
            yield SourceProblem(0, question, equations="; ".join(solution))
        return
    expression = _expression(solution)
    is_worded = _WORD.search(solution) is not None and len(find_numbers(solution, "ordinary")) > 1
    if "=" not in solution and expression is None and not is_worded:
        return  # final numbers, perhaps with a unit
    equations = expression or _equations(solution)
    if equations is not None:
        yield SourceProblem(0, question, equations=equations)
        return
    marked = read_answers(solution) if after_mark(solution) != solution else ()
    found = extract_equations(question, [solution])
    if found.equations and (not marked or {*marked} <= {*found.solution.values()}):
        yield SourceProblem(0, question, equations="; ".join(found.equations))
    yield SourceProblem(0, question, solution=solution)


def _expression(text: str) -> str | None:
    """Return a text that is an expression of several numbers, such as ``12 - 5``; else None."""
    operators = re.search(r"[\d)]\s*[-+*/×÷]\s*[\d(]", text)
    plain = re.fullmatch(r"[-+*/×÷().\d\s]+", text)
    return text.strip() if operators and plain and re.fullmatch(r"\s*\d+\s*/\s*\d+\s*", text) is None else None


def _equations(text: str) -> str | None:
    """Return a text that is nothing but equations, joined by semicolons; else None."""
    from draw_dataset.algebra.solution import solve

    parts = [part.strip() for part in _PARTS.split(text) if part.strip()]
    if not all(part.count("=") == 1 for part in parts) or _WORD.search(text):
        return None
    if len(parts) == 1 and not any(character.isalpha() for character in text):
        return parts[0]  # a formula: 7 + 2 = 9
    try:
        solve("; ".join(parts))
    except DrawError:
        return None
    return "; ".join(parts)


def _values(question: str, solution: str | tuple[Any, ...]) -> tuple[Fraction, ...]:
    """Return the final numbers of a solution from which nothing was derived; raises `RowError` if it has none."""
    from draw_dataset.algebra.solution import solve
    from draw_dataset.deriving.formulas import after_mark, read_answers
    from draw_dataset.deriving.recipe import LARGEST
    from draw_dataset.reading.answer import number_origins_of, parse_answer

    text = "; ".join(solution) if isinstance(solution, tuple) and isinstance(solution[0], str) else solution
    found: Sequence[Fraction] = ()
    if isinstance(text, str) and after_mark(text) == text:
        equations = _equations(text)
        if equations is not None and any(character.isalpha() for character in equations):
            found = tuple(solve(equations).numbers)
        elif "=" in text or _WORD.search(text):
            closing = parse_answer(text, number_origins_of(question)).closing
            found = tuple(dict.fromkeys(final.value for final in closing))
    found = found or read_answers(text)
    if not 1 <= len(found) <= MAX_VALUES or any(abs(value) > LARGEST for value in found):
        raise _bad_solution(solution)
    return tuple(found)


def _only_solution(question: str, values: Sequence[Fraction]) -> PreparedProblem:
    """Return a problem whose gold is nothing but its solution."""
    from draw_dataset.algebra.number import number_literal
    from draw_dataset.text.numbers import locate_numbers

    names = "mno"[: len(values)]
    equations = tuple([f"{name} = {number_literal(value)}" for name, value in zip(names, values, strict=True)])
    return PreparedProblem(
        Problem(
            id=0,
            question=question,
            numbers=tuple(locate_numbers(question)[0]),
            equations=equations,
            solutions=tuple([float(value) for value in values]),
            template=equations,
            alignment=(),
            asked=tuple(names),
        )
    )


def as_prediction(given: Any) -> Any:
    """Return a prediction for a problem without a row: a text is a model answer, unless it is q-notation."""
    if not isinstance(given, str) or not given.strip():
        return given
    if _RANK.search(given):
        try:
            Derivation.read(given)
        except DrawError:
            return {"answer": given}
        return given
    return {"answer": given}


def _without_derivation(verdict: Verdict, missing: str) -> Verdict:
    """Return a verdict of which only the solution stands, because gold has no derivation."""
    result = "right" if verdict.solution else "wrong"
    is_own = verdict.reason.kind in (Kind.NONE, Kind.UNREAD) and verdict.reason is not Reason.UNDECIDED
    return Verdict(
        derivation=False,
        equation=False,
        solution=verdict.solution,
        reason=verdict.reason if is_own else Reason.UNDECIDED,
        message=verdict.message if is_own else f"{result} answer; no gold derivation to compare with: {missing}",
        reading=lambda: verdict.reading,
    )
