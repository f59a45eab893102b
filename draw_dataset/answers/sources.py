"""The question: where may a number in an answer come from.

A number of an answer may be a number of the text, as it stands or in another form (5% as .05, dollars as cents, "half"
as a division by 2, 15% off as .85), the result of an earlier calculation, the value of an unknown, or a constant. All
sources that fit its value are listed, the most natural first; which of them is meant, the numbers themselves seldom say.
A rounded number stands for the exact one that it was rounded from.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from draw_dataset.answers.expressions import Literal

SCALES: tuple[Fraction, ...] = tuple(map(Fraction, ("1/100", "100", "60", "1/60", "12", "1/12", "1000", "1/1000", "7", "24", "3600", "16", "3", "36", "1/3600")))
"""Factors between units that people use: cents, minutes, months, feet."""

CONSTANTS = frozenset(map(Fraction, (0, 1, 2, 10, 100)))


class Source(NamedTuple):
    """Where a literal comes from.

    Attributes:
        kind: ``text``, ``constant``, ``result``, ``name``, ``sum``, ``difference``, ``product`` or ``quotient``.
        of: the class of the number, the number of the result, or the name; of two numbers a pair of classes.
        scale: what it is multiplied by.
        offset: what is added then.
        inverse: whether it is one divided by the number.
    """

    kind: str
    of: object = None
    scale: Fraction = Fraction(1)
    offset: Fraction = Fraction(0)
    inverse: bool = False


CONSTANT = Source("constant")


def rounded_to(value: Fraction, literal: Literal) -> bool:
    """Say whether a literal is a number, or that number rounded to the places that are written."""
    shown = literal.value
    if shown == value:
        return True
    places = literal.places
    if places < 2 and not (places == 1 and abs(shown) >= 10):
        return False
    off = abs(value) - abs(shown)
    # Rounded, or cut off behind three digits or more.
    return abs(off) <= Fraction(1, 2 * 10**places) or (places >= 3 and 0 <= off < Fraction(1, 10**places))


class TextSources:
    """The numbers of a text, by class, as sources of literals.

    Args:
        values: the value of each class of numbers.
    """

    def __init__(self, values: Sequence[Fraction]) -> None:
        self.values = tuple(values)

    def direct(self, literal: Literal) -> list[Source]:
        """Return the numbers of the text that a literal may be, in any of the forms that people write."""
        found: list[Source] = []
        for index, value in enumerate(self.values):
            if literal.percent:
                if value == literal.value:
                    found.insert(0, Source("text", index, Fraction(1, 100)))
                elif value * 100 == literal.value:
                    found.append(Source("text", index))
            elif value == literal.value:
                found.append(Source("text", index))
        if found:
            return found
        for index, value in enumerate(self.values):
            if not literal.percent and value == -literal.value and value:
                found.append(Source("text", index, Fraction(-1)))
        if found:
            return found
        for index, value in enumerate(self.values):
            if not literal.percent and value.denominator > 1 and rounded_to(value, literal):
                found.append(Source("text", index))
        return found

    def of_fraction(self, literal: Literal) -> list[Source]:
        """Return the numbers that stand above or below in a fraction."""
        if literal.parts is None:
            return []
        above, below = literal.parts
        tops = [i for i, value in enumerate(self.values) if value == above]
        bottoms = [i for i, value in enumerate(self.values) if value == below]
        found = [Source("quotient", (i, j)) for i in tops for j in bottoms if i != j]
        if below not in (0, 1):
            found += [Source("text", i, 1 / below) for i in tops]
        return found + [Source("text", j, above, inverse=True) for j in bottoms]

    def other_forms(self, literal: Literal) -> list[Source]:
        """Return the numbers of which a literal may be another form: a percentage or a reciprocal."""
        found: list[Source] = []
        shown = literal.value / 100 if literal.percent else literal.value
        if not shown:
            return found
        for index, value in enumerate(self.values):
            if not value:
                continue
            if shown * 100 == value:
                found.insert(0, Source("text", index, Fraction(1, 100)))
            elif value != 1 and shown * value == 1:
                found.append(Source("text", index, inverse=True))
            elif value != 1 and literal.places >= 2 and rounded_to(1 / value, literal):
                found.append(Source("text", index, inverse=True))
        return found

    def rarer_forms(self, literal: Literal) -> list[Source]:
        """Return the numbers of which a literal may be a rarer form: a complement, or another unit."""
        found: list[Source] = []
        shown = literal.value / 100 if literal.percent else literal.value
        if not shown:
            return found
        for index, value in enumerate(self.values):
            hundredth = value / 100
            for offset, scale, result in (
                (1, Fraction(1, 100), 1 + hundredth), (1, Fraction(-1, 100), 1 - hundredth),
                (1, Fraction(1), 1 + value), (1, Fraction(-1), 1 - value), (-1, Fraction(1), value - 1),
                (100, Fraction(-1), 100 - value), (100, Fraction(1), 100 + value),
            ):  # fmt: skip
                if result == shown and value:
                    found.append(Source("text", index, scale, Fraction(offset)))
        for index, value in enumerate(self.values):
            for scale in SCALES:
                if scale != Fraction(1, 100) and value * scale == shown and value not in (0, 1):
                    found.append(Source("text", index, scale))
            if value and value not in (1,) and literal.places >= 2:
                for scale in SCALES[1:6]:
                    if value * scale != shown and rounded_to(value * scale, literal):
                        found.append(Source("text", index, scale))
        return found

    def of_two(self, literal: Literal) -> list[Source]:
        """Return the pairs of numbers that a literal may have been computed from silently."""
        shown = literal.value / 100 if literal.percent else literal.value
        found: list[Source] = []
        values = self.values
        if len(values) > 14 or not shown:
            return found
        for i, a in enumerate(values):
            for j, b in enumerate(values):
                if i < j:
                    if a * b == shown:
                        found.append(Source("product", (i, j)))
                    elif a * b == shown * 100:
                        found.append(Source("product", (i, j), Fraction(1, 100)))
                    if a + b == shown:
                        found.append(Source("sum", (i, j)))
                if i != j:
                    if a - b == shown:
                        found.append(Source("difference", (i, j)))
                    if b and a == shown * b:
                        found.append(Source("quotient", (i, j)))
                    elif b and literal.places >= 2 and rounded_to(a / b, literal):
                        found.append(Source("quotient", (i, j)))
        return found
