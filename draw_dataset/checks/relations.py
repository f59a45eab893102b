"""Whether gold uses numbers as the words next to them say: "5 more than" is added, "5 times" and "twice" multiply.

So are "5 years ago" and "in 5 years": years are added to an age, and never multiply it.

Each function looks for one kind of suspicion in one problem and returns its message, or None.
"""

from __future__ import annotations

import re

from draw_dataset.core.alignment import TextNumber
from draw_dataset.core.problem import Problem

_ADDED = re.compile(
    r"(?:[\s-]+[\w$'-]+){0,2}?\s+(?:more|less|fewer|greater|larger|smaller|older|younger|longer|shorter|wider|faster|slower|"
    r"taller|heavier|cheaper)\s+(?:than|then)\b",
    re.IGNORECASE,
)
_NOT_ADDED = re.compile(r"[\s-]*(?:%|percent|per cent|times|and|,|;|of\b|is\b|are\b|as\b)", re.IGNORECASE)
_TIMES = re.compile(r"[\s-]*times?\s+(?!per\b|a\b (?:day|week|month|year)|for\b|and\b)", re.IGNORECASE)
_YEARS_AFTER = re.compile(r"[\s-]+(?:years?|yrs?)\s+(?:ago|hence|later|earlier|from now|before|after)\b", re.IGNORECASE)
_YEARS = re.compile(r"[\s-]+(?:years?|yrs?)\b(?!\s*-?\s*old)", re.IGNORECASE)
_IN = re.compile(r"\b(?:in|after|within)\s+(?:about\s+)?$", re.IGNORECASE)
_MULTIPLIERS = re.compile(r"(?:twice|thrice|doubled?|tripled?|quadrupled?)$", re.IGNORECASE)


def relation_misread(problem: Problem) -> str | None:
    """Find numbers that only multiply where the text adds them, or are only added where it multiplies by them."""
    derivation = problem.derivation
    system = derivation.template.system
    with_unknown: set[int] = set()
    without: set[int] = set()
    for terms in system.terms:
        for column, _, slots in terms:
            (with_unknown if column < system.unknown_count else without).update(slots)
    for at, slot in enumerate(derivation.template.slots):
        number = derivation.alignment[slot]
        if is_multiplier(problem, number):
            if at not in with_unknown:
                return f"q{number.index} multiplies in the text, but slot {slot} multiplies no unknown"
        elif _is_added(problem, number) and at not in without:
            return f"q{number.index} is added in the text, but slot {slot} only multiplies unknowns"
    return None


def multiplier_unused(problem: Problem) -> str | None:
    """Find "twice", "3 times" and the like that the derivation does not use."""
    used = {problem.number_classes.of_place(n.place) for n in problem.derivation.alignment.values()}
    for number in problem.numbers:
        if is_multiplier(problem, number) and problem.number_classes.of_place(number.place) not in used:
            return f"expected every multiplier to be used, but q{number.index} ({(number.text or '')[:20]}) is not"
    return None


def is_multiplier(problem: Problem, number: TextNumber) -> bool:
    """Say whether a number multiplies by the word that it is, or by the word after it."""
    if number.end is None:
        return False
    return bool(_MULTIPLIERS.match(number.text or "") or _TIMES.match(problem.question, number.end))


def _is_added(problem: Problem, number: TextNumber) -> bool:
    if number.start is None or number.end is None:
        return False
    text = problem.question
    if _YEARS_AFTER.match(text, number.end) or (_YEARS.match(text, number.end) and _IN.search(text[: number.start])):
        return True
    return _NOT_ADDED.match(text, number.end) is None and _ADDED.match(text, number.end) is not None
