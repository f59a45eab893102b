"""Equations that count dozens, millions or halves where the text has one number: the 8 of "8 dozen books".

The numbers of a text hold what is meant: "8 dozen" is 96, "18 halves" is 9. Whoever writes ``8*12`` or ``18/2`` has
taken such a number apart. Here it is put together again, as ``96`` or ``9``; where only the 8 is used, as in ``8*3``
for a price by the dozen, it is ``(96/12)``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction

from draw_dataset.core.alignment import TextNumber
from draw_dataset.sources.expressions import decimal
from draw_dataset.text import find_numbers

_LITERAL = re.compile(r"(?<![\w.])\d{1,15}(?:\.\d{1,15})?(?![\w.])")
_OPERATOR = re.compile(r"\s*([*/])\s*")
_SCALED = re.compile(r"(\S.*)[\s-]+[^\W\d_]+$", re.DOTALL)

Place = int | None
"""Where a number of an equation stands in the text, if the dataset says so."""


def with_scales(
    equation: str, numbers: Sequence[TextNumber], places: Sequence[Place] = ()
) -> tuple[str, tuple[Place, ...]]:
    """Return an equation with the numbers that the text counts in dozens, millions or halves put together again.

    >>> eggs = [TextNumber(0, 2, Fraction(96), 1, "8 dozen"), TextNumber(0, 5, Fraction(5), 2, "5")]
    >>> with_scales("x = 8 * 12 / 5", eggs), with_scales("x = 5*8", eggs)
    (('x = 96 / 5', ()), ('x = 5*(96/12)', ()))

    Args:
        equation: the equation.
        numbers: the numbers of the text.
        places: where the numbers of the equation stand, if the dataset says so; else none.

    Returns:
        The equation, and the places of its numbers.
    """
    values = {number.value for number in numbers}
    scaled = {base: (value, factor) for base, value, factor in _scaled(numbers) if base not in values}
    if not scaled:
        return equation, tuple(places)
    literals = list(_LITERAL.finditer(equation))
    if places and len(places) != len(literals):
        return equation, tuple(places)
    given = list(places) or [None] * len(literals)
    written, stands, end, at = "", [], 0, 0
    while at < len(literals):
        literal = literals[at]
        written += equation[end : literal.start()]
        end = literal.end()
        whole = scaled.get(Fraction(literal.group()))
        if whole is None:
            written += literal.group()
            stands.append(given[at])
            at += 1
            continue
        value, factor = whole
        stands.append(given[at])
        divides = written.rstrip().endswith("/")
        following = literals[at + 1] if at + 1 < len(literals) and not divides else None
        if following is not None and _undone(equation[end : following.start()], following, factor):
            written += decimal(value)
            end = following.end()
            at += 2
        else:
            written += f"({decimal(value)}/{factor})" if factor > 1 else f"({decimal(value)}*{1 / factor})"
            stands.append(None)
            at += 1
    return written + equation[end:], tuple(stands) if places else ()


def _scaled(numbers: Sequence[TextNumber]) -> Iterator[tuple[Fraction, Fraction, Fraction]]:
    """Yield what stands before the last word of a number, what the number is, and how many times that is."""
    for number in numbers:
        match = _SCALED.fullmatch(number.text)
        if match is None or not number.value:
            continue
        before = find_numbers(match.group(1), "ordinary")
        if len(before) == 1 and before[0].text == match.group(1) and before[0].value > 0:
            factor = number.value / before[0].value
            if factor != 1 and 1 in (factor.numerator, factor.denominator):
                yield before[0].value, number.value, factor


def _undone(between: str, following: re.Match[str], factor: Fraction) -> bool:
    """Say whether what follows multiplies by the factor of a number: the ``*12`` after the 8 of "8 dozen"."""
    operator = _OPERATOR.fullmatch(between)
    if operator is None:
        return False
    value = Fraction(following.group())
    return value == (factor if operator.group(1) == "*" else 1 / factor)
