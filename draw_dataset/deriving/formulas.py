"""Equations of formulas that are written for children, and numbers of answers.

A formula has units in brackets (``2 (dime)*10 (cent/dime)``), steps that build on each other (``43+19=62; 62-7=55``),
definitions of unknowns (``x:Amy's books; (x+18)-15=9``) and ratios (``3:4=24:32``). Comparisons, least common
multiples, remainders, times of day and patterns are refused. Without unknowns a formula is a calculation: a number that
an earlier step came to, and that no step has used yet, stands for that step, and the last step is the answer. With
unknowns it is a system of equations, and steps without any are left out.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import isnan

from draw_dataset.algebra.grammar import EVERY_NAME_UNKNOWN
from draw_dataset.algebra.number import exact, is_rounded, read_number
from draw_dataset.algebra.solution import solve_grounded
from draw_dataset.algebra.system import read_system
from draw_dataset.deriving.records import Reason, Refusal
from draw_dataset.errors import DrawError, ReadError
from draw_dataset.text.numbers import find_numbers

_ANSWER_NUMBER = r"-?\$?\s?(?:\d{1,3}(?:,\d{3})+|\d{1,30})?(?:\.\d{1,30})?"
_VALUE = re.compile(
    rf"\s*\(?\s*({_ANSWER_NUMBER})\s*(?:/\s*(\d{{1,30}}))?\s*\)?\s*%?\s*(?:\([^()]*\)|[a-z. ]*)?\s*", re.IGNORECASE
)
_ANSWER_MIXED = re.compile(r"\s*(\d{1,12})\s+(\d{1,6})\s*/\s*(\d{1,6})\s*(?:\([^()]*\)|[a-z. ]*)?\s*", re.IGNORECASE)
_NEGATIVE = re.compile(r"^\s*-\s*\((.*)\)\s*$")
_ANSWER_RATIO = re.compile(r"\s*(\d{1,12}(?:\.\d{1,12})?)\s*:\s*(\d{1,12}(?:\.\d{1,12})?)\s*")
_CLOCK = re.compile(r"\d{1,2}:[0-5]\d\b")
_MARK = "####"


def read_answers(answer: object) -> tuple[Fraction, ...]:
    r"""Return the numbers that an answer names; none for an answer such as "Yes".

    >>> [list(map(str, read_answers(answer))) for answer in (51.0, "9 (apples)", "6 (years); 9 (years)", "3:4", "Yes")]
    [['51'], ['9'], ['6', '9'], ['3/4'], []]
    >>> list(map(str, read_answers("2 1/2 (cups)")))
    ['5/2']
    >>> list(map(str, read_answers("So she has $1,250.50.\n#### 1,250.50")))
    ['2501/2']
    """
    if hasattr(answer, "tolist"):  # numbers and arrays of numpy
        answer = answer.tolist()
    if isinstance(answer, (list, tuple)):
        return tuple(value for item in answer[:20] for value in read_answers(item))
    if isinstance(answer, (int, float, Decimal, Fraction)):
        try:
            return (exact(answer),)
        except ReadError:  # a truth value, or not finite
            return ()
    if not isinstance(answer, str):
        return ()
    text = after_mark(answer)[:400]
    found = [value for part in text.split(";") if (value := _read(part)) is not None]
    return tuple(found or [number.value for number in find_numbers(text, "ordinary")])


def after_mark(text: str) -> str:
    """Return the text after the last ``####``, where GSM8K puts the answer; all of it if there is none."""
    return text.rpartition(_MARK)[2]


def is_given(answer: object) -> bool:
    """Return True if there is an answer at all: an empty cell of a table is none.

    >>> [is_given(answer) for answer in (None, float("nan"), " ", [], "B", 0, False)]
    [False, False, False, False, True, True, True]
    """
    if isinstance(answer, (list, tuple, str)):
        return bool(answer.strip() if isinstance(answer, str) else answer)
    return answer is not None and not (isinstance(answer, float) and isnan(answer))


def is_clock_time(answer: object) -> bool:
    """Return True if an answer is a time of day: 11:30, 5:45 p.m.

    >>> is_clock_time("12:50"), is_clock_time("3:4")
    (True, False)
    """
    return isinstance(answer, str) and _CLOCK.match(answer.strip()) is not None


def _read(part: str) -> Fraction | None:
    negative = _NEGATIVE.match(part)
    if negative:
        value = _read(negative.group(1))
        return None if value is None else -value
    ratio = _ANSWER_RATIO.fullmatch(part)
    if ratio:
        below = Fraction(ratio.group(2))
        return Fraction(ratio.group(1)) / below if below else None
    mixed = _ANSWER_MIXED.fullmatch(part)
    if mixed:
        whole, above, bottom = map(int, mixed.groups())
        return whole + Fraction(above, bottom) if bottom else None
    match = _VALUE.fullmatch(part)
    if match is None:
        return None
    digits = re.sub("[,$ ]", "", match.group(1))
    if not digits.lstrip("-").replace(".", "", 1).isdigit():
        return None
    below = Fraction(match.group(2) or 1)
    return Fraction(digits) / below if below else None


MAX_CHARACTERS = 2_000  # of one formula

_SIGNS = str.maketrans(
    {"×": "*", "÷": "/", "−": "-", "–": "-", "：": ":", "；": ";", "＝": "=", "（": "(", "）": ")", "·": "*", "$": ""}
)
_MIXED = re.compile(r"(?<![\w.])(\d{1,6})\s+(\d{1,4})\s*/\s*(\d{1,4})(?![\w.])")
_DEFINITION = re.compile(r"^\s*([A-Za-z]\w*)\s*:\s*\D")
_UNIT = re.compile(r"(?<=[\d)%])\s*\(\s*(?:[A-Za-z²³.'-]+(?:[\s/][A-Za-z²³.'-]+)*)\s*\)|\(\s*(?:st|nd|rd|th)\s*\)")
_SINGLE = re.compile(r"\(\s*([A-Za-z])\s*\)")
_TRAILING = re.compile(r"(?<=[\d)])\s*(?:[A-Za-z][A-Za-z.']*(?:\s+[A-Za-z][A-Za-z.']*)*)\s*$")
_NUMBER = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+")
_PERCENT = re.compile(r"(\d+(?:\.\d+)?)\s*%")
_PATTERN = re.compile(r"\s*\d+(?:\.\d+)?(?:\s*,\s*\d+(?:\.\d+)?){2,}\s*")
_REMAINDER = re.compile(r"\d\s*r\s*(\d+)", re.IGNORECASE)
_RATIO = re.compile(r"\s*([\d.]+)\s*:\s*([\d.]+)\s*(?:=\s*([\d.]+)\s*:\s*([\d.]+)\s*)?")
_POWER = re.compile(r"(\([^()]{1,60}\)|\d{1,12}(?:\.\d{1,12})?)\s*\^\s*([23])(?![\d.])")
_TIME = re.compile(r"(?<!\d)\d{1,2}:[0-5]\d(?!\d)")
_NAME = re.compile(r"[A-Za-z]\w*")
_ENDS_IN_WORDS = re.compile(r"\d\s*[A-Za-z]{2,}\s*\.?\s*$|\d\s+[A-Za-z]\s*$|\)\s*[A-Za-z]{2,}\s*$")

_REFUSED: tuple[tuple[re.Pattern[str], Reason], ...] = (
    (re.compile(r"\bLCM\b", re.IGNORECASE), Reason.LEAST_MULTIPLE),
    (re.compile(r"\bGCD\b|\bGCF\b|\bHCF\b", re.IGNORECASE), Reason.GREATEST_DIVISOR),
    (re.compile(r"hh\s*:\s*mm|\d\s*:\s*\d\d\s*[ap]\.?m", re.IGNORECASE), Reason.CLOCK),
    (re.compile(r"[≤≥]|[<>]="), Reason.INEQUALITY),
    (re.compile(r"[<>]|\bequals\b|\b(?:more|less|greater|fewer)\s+than\b"), Reason.COMPARISON),
    (re.compile(r"\^\s*\(?\s*(?:1\s*/|0?\.)|√|\bsqrt\b"), Reason.POWER),
)


@dataclass(frozen=True, slots=True)
class Formula:
    """What a formula states."""

    equations: tuple[str, ...]  # the equations, in names and numbers
    calculation: bool  # whether it is a calculation that comes to the answer, and its equation is ``x = …``
    value: Fraction | None = None  # what the calculation comes to


def read_formula(formula: str, answer: object = None, known: Collection[Fraction] = ()) -> Formula:
    """Return the equations that a formula states.

    >>> read_formula("43+19+16=78; 78-77=1", "1 (dollars)").equations
    ('x = (43+19+16)-77',)
    >>> read_formula("x:Amy's books; (x+18)-15=9").equations
    ('(x+18)-15=9',)
    """
    if len(formula) > MAX_CHARACTERS:
        raise Refusal(Reason.TOO_LARGE, f"a formula of {len(formula)} characters")
    text = _MIXED.sub(_improper, formula.translate(_SIGNS)).strip()
    if _PATTERN.fullmatch(text):
        raise Refusal(Reason.PATTERN)
    for pattern, reason in _REFUSED:
        if pattern.search(text):
            raise Refusal(reason)
    if any(int(match.group(1)[:30]) for match in _REMAINDER.finditer(text)):
        raise Refusal(Reason.REMAINDER)
    if is_clock_time(answer) and not _RATIO.search(text):
        raise Refusal(Reason.CLOCK)
    text = _REMAINDER.sub(lambda match: match.group()[0], text)
    statements = [part for part in text.split(";") if part.strip()]
    defined = [match.group(1) for part in statements if (match := _DEFINITION.match(part))]
    stated = [_plain(part, defined) for part in statements if not _DEFINITION.match(part)]
    if not stated:
        raise Refusal(Reason.UNREADABLE, "no equation")
    if any(_NAME.search(part) for part in stated):
        return _system(stated, defined)
    asks_ratio = isinstance(answer, str) and _RATIO.fullmatch(answer) is not None
    return _calculation(stated, read_answers(answer), asks_ratio, known)


def _improper(mixed: re.Match[str]) -> str:
    """Return a mixed number as one fraction: (5/2) for 2 1/2."""
    whole, above, below = map(int, mixed.groups())
    return f"({whole * below + above}/{below})"


def _plain(statement: str, defined: list[str]) -> str:
    """Return a statement without its units, and with small powers written as products."""
    kept = {name for name in defined if len(name) == 1}

    def unit(match: re.Match[str]) -> str:
        single = _SINGLE.fullmatch(match.group().strip())
        return match.group() if single and single.group(1) in kept else ""

    sides = _UNIT.sub(unit, statement).split("=")
    text = "=".join(_TRAILING.sub("", side) if not defined and _ENDS_IN_WORDS.search(side) else side for side in sides)
    text = _PERCENT.sub(r"(\1/100)", text).strip().rstrip(".").strip()
    return _POWER.sub(lambda match: "*".join([match.group(1)] * int(match.group(2))), text)


def _system(stated: list[str], defined: list[str]) -> Formula:
    lowered = {name.lower(): name for name in defined}
    equations = []
    for part in stated:
        names = set(_NAME.findall(part))
        if not names:
            continue  # a calculation with what was found
        words = [name for name in names if len(name) > 2 and name not in defined and set(name) - set(defined)]
        if words:
            raise Refusal(Reason.UNREADABLE, f"words in a formula: {' '.join(sorted(words))[:40]}")
        # The definition says x, the equation X.
        equations.append(_NAME.sub(lambda match: _named(match.group(), lowered), part))
    return Formula(tuple(equations), calculation=False)


def _named(name: str, defined: Mapping[str, str]) -> str:
    """Return a name as it was defined; letters that were defined each by itself are multiplied."""
    known = defined.get(name.lower())
    if known is not None:
        return known
    letters = [defined.get(letter.lower()) for letter in name]
    return "*".join(letter for letter in letters if letter) if len(name) > 1 and all(letters) else name


def _calculation(
    stated: list[str], answers: tuple[Fraction, ...], asks_ratio: bool, known: Collection[Fraction]
) -> Formula:
    found: list[tuple[str, Fraction]] = []
    used: set[int] = set()
    for part in stated:
        ratio = _RATIO.fullmatch(part)
        if ratio:
            step, value = _solve_ratio(ratio, () if asks_ratio else answers, known, last=part is stated[-1])
        elif _TIME.search(part):
            raise Refusal(Reason.CLOCK)
        elif ":" in part:
            raise Refusal(Reason.UNREADABLE, f"a colon in {part[:40]}")
        else:
            step, value = _read_step(part)
        found.append((_NUMBER.sub(lambda match: _from_earlier(match, found, used), step), value))
    expression, value = found[-1]
    if answers and not any(is_rounded(value, answer) or is_rounded(100 * value, answer) for answer in answers):
        raise Refusal(Reason.CONTRADICTION, f"{value} is not {', '.join(map(str, answers))}")
    return Formula((f"x = {expression}",), calculation=True, value=value)


def _from_earlier(match: re.Match[str], found: list[tuple[str, Fraction]], used: set[int]) -> str:
    value = Fraction(*read_number(match.group()))
    for index in range(len(found) - 1, -1, -1):
        if index not in used and found[index][1] == value:
            used.add(index)
            return f"({found[index][0]})"
    return match.group()


def _read_step(part: str) -> tuple[str, Fraction]:
    """Return the expression of a step and its value, which must be what is stated."""
    sides = [side.strip() for side in part.split("=")]
    if not all(sides):
        raise Refusal(Reason.UNREADABLE, part[:40])
    values = [_value(side) for side in sides]
    if any(not is_rounded(values[0], value) for value in values[1:]):
        raise Refusal(Reason.CONTRADICTION, f"{sides[0][:40]} is {values[0]}, not {sides[-1][:20]}")
    return sides[0], values[0]


def _value(side: str) -> Fraction:
    try:
        source, system = read_system(f"x = {side}", EVERY_NAME_UNKNOWN)
    except DrawError as error:
        raise Refusal(Reason.UNREADABLE, str(error)[:80]) from error
    solution = solve_grounded(system, (), source.unknowns)
    if len(solution.numbers) != 1:
        raise Refusal(Reason.CONTRADICTION, f"{side[:40]} has no value")
    return solution.numbers[0]


def _with_sum(term: str, other: str, value: Fraction, part: Fraction, known: Collection[Fraction]) -> str:
    """Return a term of a ratio that is the whole of two parts of the text as a sum: 9 of 5:9, where 5:4 is given."""
    if value in known or part not in known or value - part not in known:
        return term
    return f"({other}+{value - part})"


def _solve_ratio(
    ratio: re.Match[str], answers: tuple[Fraction, ...], known: Collection[Fraction], last: bool
) -> tuple[str, Fraction]:
    """Return the expression and value of a ratio: one of its last two numbers, or the ratio itself."""
    a, b, c, d = ratio.groups()
    above, below = Fraction(a), Fraction(b)
    if not above or not below:
        raise Refusal(Reason.CONTRADICTION, ratio.group()[:40])
    if c is None:
        return f"{a}/{b}", above / below
    third, fourth = Fraction(c), Fraction(d)
    if above * fourth != below * third:
        raise Refusal(Reason.CONTRADICTION, ratio.group()[:40])
    a, b = _with_sum(a, b, above, below, known), _with_sum(b, a, below, above, known)
    if fourth in answers or (not last and fourth not in known):
        return f"{c}*{b}/{a}", fourth
    if third in answers or (not last and third not in known):
        return f"{d}*{a}/{b}", third
    return f"{a}/{b}", above / below
