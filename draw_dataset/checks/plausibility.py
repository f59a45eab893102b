"""Gold solutions that cannot be right: a fraction of things that are counted, a negative measure, and the like.

Each function looks for one kind of suspicion in one problem and returns its message, or None. A suspicion is less than
a defect: docs/known-defects.md counts the false alarms of each kind.
"""

from __future__ import annotations

import re
from fractions import Fraction
from itertools import pairwise

from draw_dataset.checks.question import counts_asked, is_about_ages, is_about_numbers, questions_of
from draw_dataset.core.equations import SolutionKind
from draw_dataset.core.problem import Problem

_PERCENT_ASKED = re.compile(r"\b(?:what|which|find) (?:the )?(?:percent|percentage)\b", re.IGNORECASE)
_CONSECUTIVE = re.compile(r"\bconsec\w*\b", re.IGNORECASE)
_MULTIPLES = re.compile(r"\bmultiples?\b", re.IGNORECASE)
_PARITY = re.compile(r"\b(odd|even)\b", re.IGNORECASE)
_SUM = re.compile(
    r"\b(sum|difference) (?:of|between) (?:the |these |those |both )*(?:two |2 |three |3 )?(?:consecutive )?"
    r"(?:odd |even )?(?:positive |whole |natural )?(?:numbers|integers) (?:is|equals|was) (?=\d)",
    re.IGNORECASE,
)
_LESS_THAN = re.compile(r"\s*(?:less|more|times|greater|fewer|%)\b|\s*%", re.IGNORECASE)
_BELOW_ZERO = re.compile(
    r"\b(?:temperature|below|negative|debt|loss|profit|position|elevation|degrees)\b", re.IGNORECASE
)


def solution_of(problem: Problem) -> list[Fraction] | None:
    """Return gold's exact solution in ascending order; None if it is not unique."""
    if any(number.value is None for number in problem.derivation.alignment.values()):
        return None
    solution = problem.derivation.solve()
    return list(solution.numbers) if solution.kind is SolutionKind.UNIQUE else None


def impossible_solution(problem: Problem) -> str | None:
    """Find solutions that cannot be: negative measures and counts, fractions of what is counted, ages below zero."""
    values = solution_of(problem)
    if values is None:
        return None
    text = problem.question
    if not is_about_numbers(text) and not _BELOW_ZERO.search(text) and values[0] < 0:
        return f"expected no negative solution, but got {_shown(values[0])}"
    if is_about_ages(text) and not is_about_numbers(text) and any(value > 130 for value in values):
        return f"expected ages, but got {_shown(values[-1])}"
    fractions = [value for value in values if value.denominator > 1]
    if counts_asked(text) and fractions and len(fractions) == len(values):
        return f"expected a whole number of what is counted, but got {_shown(fractions[0])}"
    if _PERCENT_ASKED.search(text) and len(values) == 1 and not 0 <= values[0] <= 100:
        return f"expected a percentage, but got {_shown(values[0])}"
    if "10" in "".join(problem.template) and "digit" in text.lower() and not _are_digits(values):
        return f"expected digits, but got {_listed(values)}"
    return None


def not_consecutive(problem: Problem) -> str | None:
    """Find solutions that are no integers, or not as far apart, where the text speaks of consecutive ones."""
    values = solution_of(problem)
    text = problem.question
    if values is None or not _CONSECUTIVE.search(text):
        return None
    if any(value.denominator > 1 for value in values):
        return f"expected integers, but got {_listed(values)}"
    if _MULTIPLES.search(text):
        return None
    step = 2 if _PARITY.search(text) else 1
    if len(values) > 1 and any(b - a != step for a, b in pairwise(values)):
        return f"expected integers that are {step} apart, but got {_listed(values)}"
    return None


def words_contradict(problem: Problem) -> str | None:
    """Find solutions whose sum or difference is not what the text says in so many words."""
    values = solution_of(problem)
    if values is None or len(values) != 2:
        return None
    starts = {number.start: number for number in problem.numbers}
    for match in _SUM.finditer(problem.question):
        number = starts.get(match.end())
        if number is None or number.value is None or _LESS_THAN.match(problem.question, number.end or 0):
            continue
        got = values[0] + values[1] if match[1].lower() == "sum" else values[1] - values[0]
        if abs(got) != abs(number.value) and not _of_something_else(problem, match.start()):
            what = match[1].lower()
            return f"expected the {what} {_shown(number.value)}, as q{number.index} says, but got {_shown(got)}"
    return None


def question_number_unused(problem: Problem) -> str | None:
    """Find numbers in the sentence that asks which the derivation does not use."""
    return _unused(problem, in_question=True)


def number_unused(problem: Problem) -> str | None:
    """Find numbers with a unit, outside the sentence that asks, which the derivation does not use."""
    return _unused(problem, in_question=False)


_UNIT_AFTER = re.compile(
    r"[\s-]*(?:%|percent|hours?|hrs?|minutes?|min\b|days?|weeks?|months?|years?|miles?|km|feet|ft|inch|mph|km/h|m/s|"
    r"pounds?|lbs?|kg|grams?|ounces?|oz|liters?|litres?|ml|gallons?|quarts?|pints?|dollars?|cents?|cups?|times|more|less|"
    r"fewer|points?|meters?|cm)\b",
    re.IGNORECASE,
)
_MONEY_BEFORE = re.compile(r"\$ ?$")


def _unused(problem: Problem, in_question: bool) -> str | None:
    used = {problem.number_classes.of_place(n.place) for n in problem.derivation.alignment.values()}
    values = {n.value for n in problem.derivation.alignment.values()}
    constants = {abs(Fraction(c)) for t in problem.template for c in re.findall(r"\d*\.?\d+", t)}
    asking = questions_of(problem.question)
    text = problem.question
    for number in problem.numbers:
        if number.value is None or number.start is None or number.end is None:
            continue
        inside = any(span.start <= number.start < span.end for span in asking)
        if inside is not in_question or problem.number_classes.of_place(number.place) in used:
            continue
        if number.value in values or number.value in constants or number.value / 100 in constants:
            continue
        written = number.text or ""
        tells = bool(_UNIT_AFTER.match(text[number.end :]) or _MONEY_BEFORE.search(text[: number.start]))
        if (tells or (in_question and any(c.isdigit() for c in written))) and not _counts_things(text, number.end):
            return f"expected every number to be used, but q{number.index} ({written[:20]}) is not"
    return None


def _counts_things(text: str, end: int) -> bool:
    """Say whether a number counts digits or numbers themselves: a two digit number, three consecutive integers."""
    return bool(re.match(r"[\s-]*(?:digits?|numbers?|consecutive|integers?)\b", text[end:], re.IGNORECASE))


def _of_something_else(problem: Problem, start: int) -> bool:
    """Say whether a sum is not that of the numbers themselves: twice the sum, the sum of the squares, k% of the sum."""
    before = problem.question[max(0, start - 30) : start].lower()
    return bool(re.search(r"(?:times|twice|half|third|fourth|of|%|if|when|product|and|by) (?:the )?$", before))


def _are_digits(values: list[Fraction]) -> bool:
    return all(value.denominator == 1 and 0 <= value <= 9 for value in values)


def _shown(value: Fraction) -> str:
    return str(value) if value.denominator < 1000 else f"{float(value):.6g}"


def _listed(values: list[Fraction]) -> str:
    return ", ".join(map(_shown, values))
