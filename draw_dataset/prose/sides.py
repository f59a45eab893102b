"""The question: how is one side of an equation written so that the core reads it, and which numbers does it have.

Products get their sign, a percentage becomes ``(0.01*8)``, ``4 2/3`` a sum in brackets. Units and currency signs are
dropped, and their families noted: cents and dollars in one equation must not be dropped both.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from draw_dataset.prose.lexemes import CLOSING, OPENING, Lexeme, Sort
from draw_dataset.prose.vocabulary import UNIT_LETTERS, UNITS

WrittenNumber = tuple[Fraction, ...]
"""A number written in an equation; of a quotient of two numbers its value, the number above and the number below."""


def write_side(side: Sequence[Lexeme], units: dict[str, set[str]]) -> tuple[str, tuple[WrittenNumber, ...], str, str]:
    """Return one side as the core reads it, its numbers, a doubt and a problem."""
    written: list[str] = []
    numbers: list[WrittenNumber] = []
    doubt = problem = ""
    place = 0
    previous: Lexeme | None = None  # the last operand or operator that was written
    while place < len(side):
        token = side[place]
        doubt = doubt or token.doubt
        ends_operand = previous is not None and (previous.sort in (Sort.NUMBER, Sort.NAME) or previous.text in CLOSING)
        if token.sort is Sort.CURRENCY:
            units.setdefault("money", set()).add("dollar")
            place += 1
            continue
        if token.sort is Sort.UNIT:
            place += _skip_unit(side, place, units)
            if not ends_operand:
                problem = problem or f"the unit {token.text!r} stands without a number"
            continue
        if token.sort is Sort.NUMBER:
            if ends_operand:
                problem = problem or "two numbers stand side by side"
            text, used, value = _number(side, place)
            if previous is not None and previous.text in ("/", "^") and text.startswith("(0.01*"):
                problem = problem or "a percent sign follows a quotient"  # 1/2% is not one over 2%
            if previous is not None and previous.text == "/" and place > 1 and side[place - 2].sort is Sort.NUMBER:
                above = numbers.pop()[-1]
                numbers.append((above / value, above, value) if value else (value,))
            else:
                numbers.append((value,))
            written.append(text)
            place += used
            previous = token
            continue
        if token.sort is Sort.PERCENT and previous is not None and previous.sort is Sort.NAME:
            if place > 1 and side[place - 2].text in ("/", "^"):
                problem = problem or "a percent sign follows a quotient"
            written[-1] = f"(0.01*{written[-1]})"  # x% of 80
            place += 1
            continue
        if token.sort is Sort.PERCENT:
            problem = problem or "a percent sign stands without a number"
        elif token.sort is Sort.NAME or token.text in OPENING:
            if ends_operand:
                if token.sort is Sort.NAME and previous is not None and previous.sort is Sort.NAME and not token.glued:
                    doubt = doubt or "two letters stand side by side"
                doubt = doubt or _unclear_division(side, place)
                written.append("*")
            written.append(token.text)
        else:
            written.append(token.text)
        previous = token
        place += 1
    return "".join(written), tuple(numbers), doubt, problem


def _number(side: Sequence[Lexeme], place: int) -> tuple[str, int, Fraction]:
    """Return a number with what belongs to it: a mixed number, a percentage."""
    token = side[place]
    value = _value(token)
    rest = side[place + 1 : place + 4]
    if (
        value.denominator == 1 and "." not in token.text and len(rest) == 3
        and rest[0].sort is Sort.NUMBER and not rest[0].glued and rest[1].text == "/" and rest[2].sort is Sort.NUMBER
    ):  # fmt: skip
        top, bottom = _value(rest[0]), _value(rest[2])
        if 0 < top < bottom:
            return f"({token.text}+{rest[0].text}/{rest[2].text})", 4, value + top / bottom
    if rest and rest[0].sort is Sort.PERCENT:
        return f"(0.01*{token.text})", 2, value
    return token.text, 1, value


def _skip_unit(side: Sequence[Lexeme], place: int, units: dict[str, set[str]]) -> int:
    """Return how many tokens a unit takes (miles/hour, cm^2), and note its family."""
    token = side[place]
    rest = side[place + 1 : place + 3]
    if len(rest) == 2 and rest[0].text == "/" and rest[1].sort in (Sort.UNIT, Sort.NAME) and rest[1].glued:
        return 3  # a rate, which is no size of a family
    if len(rest) == 2 and rest[0].text == "^" and rest[1].sort is Sort.NUMBER:
        return 3
    family, unit = UNIT_LETTERS[token.text] if token.text in UNIT_LETTERS else UNITS[token.text]
    units.setdefault(family, set()).add(unit)
    return 1


def _unclear_division(side: Sequence[Lexeme], place: int) -> str:
    """Say whether a factor stands behind a divisor without a sign: 1/2x is half of x, 12/2x may be either."""
    if place < 2 or side[place - 2].text != "/":
        return ""
    above, below = side[place - 3] if place >= 3 else None, side[place - 1]
    numbers = above is not None and above.sort is below.sort is Sort.NUMBER
    if numbers and above is not None and _value(above) < _value(below):
        return ""
    return "a factor stands behind a divisor"


def _value(token: Lexeme) -> Fraction:
    return Fraction(token.text.replace(",", ""))
