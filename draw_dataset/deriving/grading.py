"""Grading by a row, or by a question and its solution: `grade` of the package.

Gold is derived from the solution: from the equations of a worked solution, from its calculations, or from equations. If
nothing can be derived, only the solution of a prediction is graded.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from draw_dataset.derivation.derivation import Derivation
from draw_dataset.derivation.problem import Problem, ProblemId, is_problem_id
from draw_dataset.errors import ChoiceError, DrawError, RowError, ScoreError, short_repr
from draw_dataset.io.jsonl import DEEPEST_NESTING, display_name
from draw_dataset.io.records import open_records
from draw_dataset.scoring.files import Judged
from draw_dataset.scoring.gold import PreparedProblem
from draw_dataset.scoring.grading import grade as grade_with_row
from draw_dataset.scoring.layouts import answer_texts
from draw_dataset.scoring.options import GoldMode, MatchMode, Options
from draw_dataset.scoring.prediction import ANSWER_FIELDS
from draw_dataset.scoring.score import ItemResults, Score, Tally
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
    return _grade_by(prediction, _gold_of(question, _plain(solution)), options.with_match(match).with_gold(gold))


def _grade_by(prediction: Any, derived: DerivedGold, options: Options) -> Verdict:
    verdict = grade_with_row(_as_prediction(prediction), derived.reference, options)
    return verdict if derived.missing is None else _without_derivation(verdict, derived.missing)


QUESTIONS = ("question", "problem", "query", "sQuestion", "input", "prompt")
SOLUTIONS = (
    "solution", "gold", "gold_solution", "gold_answer", "reference", "reference_answer", "reference_solution",
    "ground_truth", "expected", "expected_answer", "target", "label", "lSolutions",
)  # fmt: skip
"""Fields that commonly hold questions and their solutions, the most likely first."""


def solution_fields(entry: Any, field: str | None = None) -> tuple[str, str, str] | None:
    """Return the fields with question, solution and model answer of a record that has all three; else None.

    >>> solution_fields({"question": "…", "answer": "#### 4", "response": "4"})
    ('question', 'answer', 'response')
    >>> solution_fields({"question": "…", "solution": 4, "answer": "4"})
    ('question', 'solution', 'answer')
    """
    if not isinstance(entry, Mapping):
        return None
    question = next((name for name in QUESTIONS if isinstance(entry.get(name), str)), None)
    answers = [
        name for name in ((field,) if field else (*ANSWER_FIELDS, "samples", "prediction", "answer")) if name in entry
    ]
    known = [name for name in (*SOLUTIONS, "answer") if name in entry and name != field]
    if question is None or not answers or not known:
        return None
    solution = known[0]
    answer = next((name for name in answers if name not in (solution, question)), None)
    return None if answer is None else (question, solution, answer)


def score_with_solutions(
    path: str | os.PathLike[str],
    options: Options = Options(),  # noqa: B008
    *,
    field: str | None = None,
    id_field: str | None = None,
    note: Callable[[str], object] | None = None,
    judged: Callable[[Judged], object] | None = None,
) -> Score | None:
    """Score a file whose records have a question, its solution and a model answer, as `grade` does without a row.

    Args:
        path: the file, in any format of `score_file`.
        options: how to grade.
        field: the field with the model answer, if it is not found by its name.
        id_field: the field with the id; by default ``id``, or the number of the record. Several records with the same
            id are samples, and so are the answers of a list.
        note: called with a sentence about the fields that are used, and about solutions without a derivation.
        judged: called with every prediction and its verdict.

    Returns:
        The score; None if the first record has not all three fields.

    Raises:
        ScoreError: a record lacks one of the fields, or the file cannot be read.
        RowError: a solution has neither equations nor numbers.
    """
    tally = Tally(options, results=ItemResults())
    told, problems, without = note or (lambda _: None), dict[ProblemId, DerivedGold](), 0
    numbers, samples = dict[ProblemId, int](), Counter[ProblemId]()
    names: tuple[str, str, str] | None = None
    with open_records(path, error=ScoreError, nesting=DEEPEST_NESTING) as records:
        for place, (where, entry) in enumerate(records.items, 1):
            if names is None:
                names = solution_fields(entry, field)
                if names is None:
                    return None
                told(
                    f'{display_name(path)}: using "{names[2]}" as the answer, "{names[1]}" as gold of each "{names[0]}"'
                )
            if not isinstance(entry, Mapping) or not all(name in entry for name in names):
                raise ScoreError(f"{where}: expected the fields {', '.join(names)}, but got {short_repr(entry)}")
            question, solution, answer = (entry[name] for name in names)
            id_ = entry.get(id_field or "id", place)
            if not is_problem_id(id_):
                raise ScoreError(f"{where}: expected a whole number or a string as the id, but got {short_repr(id_)}")
            if not isinstance(question, str) or not question.strip():
                raise ScoreError(f"{where}: expected the text of the problem, but got {short_repr(question)}")
            try:
                derived = _gold_of(question, _plain(solution))
            except RowError as error:
                raise RowError(f"{where}: {error}") from error
            if id_ not in problems:
                own = PreparedProblem(replace(derived.reference.problem, id=id_))
                problems[id_] = DerivedGold(own, derived.missing)
                without += derived.missing is not None
            elif problems[id_].reference.problem.question != derived.reference.problem.question:
                raise ScoreError(
                    f"{where}: expected one question for each id, but got another one for {short_repr(id_)}"
                )
            derived = problems[id_]
            number = numbers.setdefault(id_, len(numbers))
            # A list or a chat; a prediction with a template has no texts.
            texts = answer_texts(answer) if isinstance(answer, (list, dict)) else None
            for given in [answer] if texts is None else texts:
                verdict = _grade_by(given, derived, options)
                prediction = _as_prediction(given)
                tally.add(prediction, derived.reference, problem=number, verdict=verdict)
                if judged is not None:
                    sample = samples[id_] if texts is not None and len(texts) > 1 else samples[id_] or None
                    judged(Judged(derived.reference, prediction, verdict, sample))
                samples[id_] += 1
    if without:
        told(
            f"{without} of {len(problems)} solutions have no derivation to compare with; "
            "there only the result is graded"
        )
    return tally.result()


@dataclass(frozen=True, slots=True)
class DerivedGold:
    """Gold that was derived from a solution."""

    reference: PreparedProblem
    missing: str | None = None  # why there is no derivation, but only the solution; None if there is one


def _plain(solution: Any) -> str | tuple[Any, ...]:
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
def _gold_of(question: str, solution: str | tuple[Any, ...]) -> DerivedGold:
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


def _as_prediction(given: Any) -> Any:
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
