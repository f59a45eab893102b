"""Grading by a row, or by a question and its solution: `grade` of the package.

Gold is derived from the solution: from the equations of a worked solution, from its calculations, or from equations. If
nothing can be derived, only the solution of a prediction is graded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from draw_dataset.derivation.derivation import Derivation
from draw_dataset.derivation.problem import Problem, is_problem_id
from draw_dataset.errors import ChoiceError, DrawError, RowError, short_repr
from draw_dataset.scoring.gold import PreparedProblem
from draw_dataset.scoring.grading import grade as grade_with_row
from draw_dataset.scoring.options import GoldMode, MatchMode, Options
from draw_dataset.scoring.prediction import answer_of
from draw_dataset.scoring.problem_layouts import QUESTIONS, SOLUTIONS
from draw_dataset.scoring.roles import NO_ROLES, asked_unknown, words_of_result
from draw_dataset.scoring.verdict import Kind, Reason, Verdict
from draw_dataset.text.question import asks_for_one, asks_for_pair, clause_of, names_all, questions_of

if TYPE_CHECKING:
    from draw_dataset.deriving.records import SourceProblem
    from draw_dataset.reading.answer import ParsedAnswer
    from draw_dataset.reading.result import Final

MAX_VALUES = 3  # numbers that a solution without a derivation may have; more are not the result of a word problem
_RANK = re.compile(r"\bq[1-9]\d*\b")
_PARTS = re.compile(r"[;\n]|,\s+|\s+and\s+")
_WORD = re.compile(r"[^\W\d_]{3,}")
_NAME = re.compile(r"(?<![\d_])[^\W\d]\w*")  # a name that stands by itself: not the eggs of "3 eggs"
_ONLY_VALUES = re.compile(r"(?:[^\W\d]\w* *= *-?\d[\d.,]*(?:; )?)+")
_COUNTED = re.compile(r"\d[ \t]*\Z")


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
    if derived.missing is not None:
        return _without_derivation(verdict, derived, prediction)
    if derived.all_asked is None or not verdict.solution or not _is_answer(prediction):
        return verdict
    complete = grade_with_row(as_prediction(prediction), derived.all_asked, options)
    return verdict if complete.solution else _with_open_result(verdict)


def _is_answer(prediction: Any) -> bool:
    """Decide whether a prediction is a model answer, which may give one value and not the others."""
    given = as_prediction(prediction)
    return isinstance(given, Mapping) and "template" not in given


def _with_open_result(verdict: Verdict) -> Verdict:
    """Return a verdict on an answer that gives some of gold's values, where the asked one is not known."""
    told = f"{verdict.message}; " if verdict.derivation else ""
    opened = Verdict(
        derivation=verdict.derivation,
        equation=verdict.equation,
        solution=False,
        reason=verdict.reason if verdict.derivation else Reason.UNDECIDED,
        message=f"{told}undecided is the result: it gives some of gold's values, and {NOT_CLEAR}",
        slot_map=verdict.slot_map,
        certain=verdict.certain,
        reading=lambda: verdict.reading,
        open_result=True,
    )
    return opened.with_steps(lambda: verdict.steps)


NOT_CLEAR = (
    "which of them the question asks for is not clear: name gold's unknowns by words of the question, "
    "or give the final number as the solution"
)


def own_row(entry: Any, place: int) -> tuple[dict[str, Any], str] | None:
    """Return the row of a record with a question and equations or a solution, and why it has no derivation, or "".

    >>> row, missing = own_row({"question": "Bo has 3 pens and buys 4 . How many has he ?", "equations": "x = 3+4"}, 1)
    >>> row["id"], row["derivation"], missing
    (1, 'm = q1 + q2', '')

    Args:
        entry: the record.
        place: its number, which is its id if it has none.

    Returns:
        The row; None if it is a row already, or has not both fields.

    Raises:
        RowError: the solution cannot be read.
    """
    if not isinstance(entry, Mapping) or "template" in entry:
        return None
    question = next((name for name in QUESTIONS if isinstance(entry.get(name), str)), None)
    solution = next((name for name in ("equations", *SOLUTIONS) if entry.get(name) not in (None, "", [])), None)
    id_ = entry.get("id", place)
    if question is None or solution is None or not is_problem_id(id_):
        return None
    derived = gold_of(entry[question], plain_solution(entry[solution]))
    return replace(derived.reference.problem, id=id_).to_row(), derived.missing or ""


@dataclass(frozen=True, slots=True)
class DerivedGold:
    """Gold that was derived from a solution."""

    reference: PreparedProblem
    missing: str | None = None  # why there is no derivation, but only the solution; None if there is one
    all_asked: PreparedProblem | None = None  # gold that asks for all unknowns, if which of them are asked is not clear


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
            return _with_asked(PreparedProblem.of(row), solution)
        reason = reason or _OWN_ANSWER.sub("none of its calculations comes to", row["reason"])
    return DerivedGold(_only_solution(question, _values(question, solution)), reason or "the solution is only a number")


_OWN_ANSWER = re.compile(r"^reference does not come to its own answer: nothing comes to")


def _with_asked(reference: PreparedProblem, solution: str | tuple[Any, ...]) -> DerivedGold:
    """Return gold with what the question asks for, if gold has several unknowns."""
    from draw_dataset.algebra.solution import solve

    problem = reference.problem
    unknowns = problem.derivation.template.unknowns
    if problem.asked or len(unknowns) < 2:
        return DerivedGold(reference)
    every = PreparedProblem(replace(problem, asked=tuple(unknowns)))
    clause = " ".join(clause_of(span.text) for span in questions_of(problem.question))
    if names_all(clause) or asks_for_pair(clause):
        return DerivedGold(every)
    values = solve(problem.equations).values
    text = solution if isinstance(solution, str) else ""
    unknown = None
    if tuple(map(float, values.values())) == problem.solutions:  # the unknowns of gold, in their order
        unknown = asked_unknown(problem.question, reference.for_answers.roles, values, text)
    if unknown is None:
        return DerivedGold(reference, all_asked=every)
    return DerivedGold(PreparedProblem(replace(problem, asked=(unknowns[unknown],))))


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
    if "=" not in solution and expression is None and (not is_worded or _LISTED.fullmatch(solution)):
        return  # final numbers, perhaps with a unit
    equations = expression or _equations(solution)
    if equations is not None:
        if _ONLY_VALUES.fullmatch(equations):
            return
        yield SourceProblem(0, question, equations=_result_of_chain(question, equations) or equations)
        return
    marked = read_answers(solution) if after_mark(solution) != solution else ()
    found = extract_equations(question, [solution])
    if found.equations and (not marked or {*marked} <= {*found.solution.values()}):
        yield SourceProblem(0, question, equations="; ".join(found.equations))
    yield SourceProblem(0, question, solution=solution)


_NUMBER = r"-?[$€£]?\d[\d,]*(?:\.\d+)?(?:/\d+)?%?"
_LISTED = re.compile(rf"\s*{_NUMBER}(?: [^\W\d_]+)?(?:(?:\s*[,;&]\s*|,? and ){_NUMBER}(?: [^\W\d_]+)?)+[.\s]*")
"""Matches final numbers, each with a word: 24 pens and 12 caps."""


def _expression(text: str) -> str | None:
    """Return a text that is an expression of several numbers, such as ``12 - 5``; else None."""
    operators = re.search(r"[\d)]\s*[-+*/×÷]\s*[\d(]", text)
    plain = re.fullmatch(r"[-+*/×÷().\d\s]+", text)
    return text.strip() if operators and plain and re.fullmatch(r"\s*\d+\s*/\s*\d+\s*", text) is None else None


def _equations(text: str) -> str | None:
    """Return a text that is nothing but equations, joined by semicolons; else None.

    Unknowns may have names of several letters. Raises `RowError` if such equations leave an unknown open: their right
    sides are no results.
    """
    from draw_dataset.algebra.solution import SolutionKind, solve

    parts = [part.strip() for part in _PARTS.split(text) if part.strip()]
    if not all(part.count("=") == 1 for part in parts):
        return None
    if len(parts) == 1 and not any(character.isalpha() for character in text):
        return parts[0]  # a formula: 7 + 2 = 9
    joined = "; ".join(parts)
    names = [name for name in _NAME.finditer(joined) if not _COUNTED.search(joined, 0, name.start())]
    if _WORD.search(joined) and not names:
        return None  # units: 3 eggs = 6 dollars
    try:
        found = solve(joined)
    except DrawError:
        return None
    if found.kind is not SolutionKind.UNIQUE and names:
        listed = ", ".join(dict.fromkeys(name[0] for name in names))
        raise RowError(
            f"solution: expected equations with one solution for {listed}, but {short_repr(joined)} is "
            f"{_KINDS_OF_SYSTEMS[found.kind]}; give further equations, or the final numbers"
        )
    return joined


_KINDS_OF_SYSTEMS = {"infinite": "true for many values", "none": "contradictory", "not linear": "not linear"}


def _result_of_chain(question: str, equations: str) -> str | None:
    """Return the last of some calculations with words as names, each put in for its name; None if they are none.

    >>> _result_of_chain("How much is left ?", "spent = 3*2; left = 10 - spent")
    'left = 10 - (3*2)'
    """
    known: dict[str, str] = {}
    used: set[str] = set()
    last = ""
    for part in equations.split("; "):
        name, _, value = (piece.strip() for piece in part.partition("="))
        names = set(_NAME.findall(value))
        if not _NAME.fullmatch(name) or not _WORD.search(name) or name in known or not names <= set(known):
            return None
        used |= names
        written = _NAME.sub(lambda found: f"({known[found[0]]})", value)
        known[name], last = written, f"{name} = {written}"
    return last if len(known) > 1 and len(used) == len(known) - 1 and asks_for_one(question) else None


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
            work = parse_answer(text, number_origins_of(question))
            if work.closing and all(_is_side_with_unknowns(final, work) for final in work.closing):
                raise RowError(
                    f"solution: expected a result, but {short_repr(text)} ends in an equation whose unknowns are open; "
                    "give equations alone (x + y = 30; x - y = 4), or the final numbers"
                )
            found = tuple(dict.fromkeys(final.value for final in work.closing))
    found = found or read_answers(text)
    if not 1 <= len(found) <= MAX_VALUES or any(abs(value) > LARGEST for value in found):
        raise _bad_solution(solution)
    return tuple(found)


def _is_side_with_unknowns(final: Final, work: ParsedAnswer) -> bool:
    """Decide whether a number stands in an equation that calculates with unknowns: the 16 of 2x + 3y = 16."""
    from draw_dataset.reading.quantities import names_of

    return any(
        side[0] != "name" and names_of(side)
        for statement in work.statements
        if statement.start <= final.start < statement.end
        for side in statement.sides
    )


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


def _without_derivation(verdict: Verdict, derived: DerivedGold, prediction: Any) -> Verdict:
    """Return a verdict of which only the solution stands, because gold has no derivation."""
    from draw_dataset.algebra.number import short_number

    gold = derived.reference.solutions
    several = () if verdict.solution or len(gold) > 1 else _several_results(prediction, derived.reference)
    solution = verdict.solution or several == gold
    is_open = len(several) > 1
    is_own = verdict.reason.kind in (Kind.NONE, Kind.UNREAD) and verdict.reason is not Reason.UNDECIDED and not is_open
    named = " and ".join(short_number(value) for value in gold)
    result = "right answer" if solution else "wrong answer" if len(gold) == 1 else f"wrong answer (gold: {named})"
    if is_open:
        listed = " and ".join(map(short_number, several))
        result = (
            f"undecided is the result: {listed} are given as results, and not which of them is meant; gold is {named}"
        )
    return Verdict(
        derivation=False,
        equation=False,
        solution=solution,
        reason=verdict.reason if is_own else Reason.UNDECIDED,
        message=verdict.message if is_own else f"{result}; no gold derivation to compare with: {derived.missing}",
        reading=lambda: verdict.reading,
        open_result=is_open,
    )


_BETWEEN = re.compile(r"[^\W\d]*(?: [^\W\d]+){0,4},?(?: and)? [$€£]?", re.IGNORECASE)


def _several_results(prediction: Any, reference: PreparedProblem) -> tuple[Fraction, ...]:
    """Return the results of an answer that gives gold's value and another one side by side; the one asked for if known.

    They are values of different names, "p = 5 and r = 2", or of different things, "5 pens and 2 rulers".
    """
    from draw_dataset.reading.answer import number_origins_of, parse_answer

    answer, (gold,), question = answer_of(as_prediction(prediction)), reference.solutions, reference.problem.question
    if answer is None:
        return ()
    work = parse_answer(answer, number_origins_of(question))
    text = work.plain.text
    named = {values[-1][0]: name for name, values in work.setup.stated.items() if values}
    finals = {final.value: final for final in work.finals}
    if gold not in finals or not work.closing:
        return ()
    other = next((value for value in reversed(finals) if value != gold), gold)
    first, last = sorted((finals[gold], finals[other]), key=lambda final: final.start)
    side_by_side = (
        _BETWEEN.fullmatch(text, first.end, last.start) is not None and " and " in text[first.end : last.start]
    )
    if other == gold or not (side_by_side or {gold, other} <= named.keys()):
        return ()
    names = {
        named.get(value) or "_".join(sorted(words_of_result(text, finals[value])[0])): value for value in (gold, other)
    }
    told = asked_unknown(question, NO_ROLES, names, answer) if len(names) == 2 else None
    return (gold, other) if told is None else ((gold, other)[told],)
