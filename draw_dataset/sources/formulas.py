"""The question: which equations does a formula that is written for children state.

A formula has units in brackets (``2 (dime)*10 (cent/dime)``), steps that build on each other (``43+19=62; 62-7=55``),
definitions of unknowns (``x:Amy's books; (x+18)-15=9``), ratios (``3:4=24:32``), and sometimes says what is not a
derivation: comparisons, least common multiples, remainders, times of day, patterns. Each of those is refused, and the
reason names it.

Without unknowns a formula is a calculation. Its steps are put into each other: a number that an earlier step came to,
and that no step has used yet, stands for that step. What the last step comes to is the answer. With unknowns it is a
system of equations, and steps without any are left out.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from fractions import Fraction

from draw_dataset.core.equations import EVERY_NAME_UNKNOWN, read_system, solve_grounded
from draw_dataset.core.exact import is_rounded, read_number
from draw_dataset.errors import DrawError
from draw_dataset.sources.answers import is_clock_time, read_answers
from draw_dataset.sources.record import Reason, Refusal

MAX_CHARACTERS = 2_000
"""Of one formula."""

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
    """What a formula states.

    Attributes:
        equations: the equations, in names and numbers.
        calculation: whether it is a calculation that comes to the answer, and its equation is ``x = …``.
        value: what the calculation comes to.
    """

    equations: tuple[str, ...]
    calculation: bool
    value: Fraction | None = None


def read_formula(formula: str, answer: object = None, known: Collection[Fraction] = ()) -> Formula:
    """Return the equations that a formula states.

    >>> read_formula("43+19+16=78; 78-77=1", "1 (dollars)").equations
    ('x = (43+19+16)-77',)
    >>> read_formula("x:Amy's books; (x+18)-15=9").equations
    ('(x+18)-15=9',)

    Args:
        formula: the formula.
        answer: the answer, which says what a ratio asks for, and what a calculation must come to.
        known: the numbers of the text; a term of a ratio that is none of them is what the ratio gives.

    Raises:
        Refusal: it states none; says which kind it is.
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

    text = _UNIT.sub(unit, statement)
    sides = [_TRAILING.sub("", side) if not defined and _has_words(side) else side for side in text.split("=")]
    text = "=".join(sides)
    text = _PERCENT.sub(r"(\1/100)", text).strip().rstrip(".").strip()
    return _POWER.sub(lambda match: "*".join([match.group(1)] * int(match.group(2))), text)


def _has_words(side: str) -> bool:
    return re.search(r"\d\s*[A-Za-z]{2,}\s*\.?\s*$|\d\s+[A-Za-z]\s*$|\)\s*[A-Za-z]{2,}\s*$", side) is not None


def _system(stated: list[str], defined: list[str]) -> Formula:
    lowered = {name.lower(): name for name in defined}
    equations = []
    for part in stated:
        if not _NAME.search(part):
            continue  # a calculation with what was found
        names = set(_NAME.findall(part))
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
            step = _of_ratio(ratio, () if asks_ratio else answers, known, last=part is stated[-1])
        elif _TIME.search(part):
            raise Refusal(Reason.CLOCK)
        elif ":" in part:
            raise Refusal(Reason.UNREADABLE, f"a colon in {part[:40]}")
        else:
            step = _of_step(part)
        expression = _NUMBER.sub(lambda match: _from_earlier(match, found, used), step[0])
        found.append((expression, step[1]))
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


def _of_step(part: str) -> tuple[str, Fraction]:
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


def _of_ratio(
    ratio: re.Match[str], answers: tuple[Fraction, ...], known: Collection[Fraction], last: bool
) -> tuple[str, Fraction]:
    """Return what a ratio gives: one of its last two numbers, or the ratio itself."""
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
