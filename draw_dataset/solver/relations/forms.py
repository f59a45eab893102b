"""Linear forms: what a phrase says of the unknowns, as a sum of multiples of them and a number.

An unknown goes by the name that the text gives it. "the larger number" and "the smaller number" are the largest and the
smallest of all unknowns. "one number" and "the second number" are called by their rank. Anything else, such as a
person, is called by its lemma.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction

LARGER, SMALLER = "larger", "smaller"
"""The largest and the smallest of all unknowns."""

ALL = "all"
"""The sum of three unknowns, where there are no more."""

RANKS = ("first", "second", "third")
"""Unknowns by their rank in the text."""

MAX_MEANINGS = 8
"""Forms that one phrase may mean."""


@dataclass(frozen=True, slots=True)
class Form:
    """A sum of multiples of unknowns, and a number.

    Attributes:
        parts: names of unknowns with what each is multiplied by, never 0, in order of the names.
        constant: the number.
        written: how the text has it, in q-notation with the names of unknowns in angle brackets.
    """

    parts: tuple[tuple[str, Fraction], ...]
    constant: Fraction
    written: str = field(compare=False)

    @classmethod
    def named(cls, name: str) -> Form:
        """Return the form of an unknown alone."""
        return cls(((name, Fraction(1)),), Fraction(0), f"<{name}>")

    @classmethod
    def number(cls, value: Fraction | int, written: str | None = None) -> Form:
        """Return the form of a number alone; it is written as it is, unless told otherwise."""
        return cls((), Fraction(value), f"({value})" if written is None else written)

    @property
    def names(self) -> frozenset[str]:
        """The unknowns."""
        return frozenset(name for name, _ in self.parts)

    @property
    def is_number(self) -> bool:
        """Whether it has no unknown."""
        return not self.parts

    def plus(self, other: Form) -> Form:
        """Return the sum of this form and another."""
        return self._combined(other, 1, f"{self.written} + {other.written}")

    def minus(self, other: Form) -> Form:
        """Return this form less another.

        >>> form = Form.named("first").plus(Form.number(2)).minus(Form.named("first").plus(Form.named("second")))
        >>> form.parts, form.constant, form.written
        ((('second', Fraction(-1, 1)),), Fraction(2, 1), '<first> + (2) - (<first> + <second>)')
        """
        return self._combined(other, -1, f"{self.written} - ({other.written})")

    def times(self, other: Form) -> Form | None:
        """Return the product of this form and another; None if neither is a number."""
        if not self.is_number:
            return other.times(self) if other.is_number else None
        return other._scaled(self.constant, f"{_held(self.written)}*({other.written})")

    def over(self, other: Form) -> Form | None:
        """Return this form divided by another; None if that is no number, or 0."""
        if not other.is_number or not other.constant:
            return None
        return self._scaled(1 / other.constant, f"({self.written})/({other.written})")

    def negative(self) -> Form:
        """Return the form with the other sign."""
        return self._scaled(Fraction(-1), f"-({self.written})")

    def renamed(self, names: Mapping[str, str]) -> Form:
        """Return the form with other names of unknowns, by the old ones; two may become one."""
        parts = _added((names.get(name, name), by) for name, by in self.parts)
        written = re.sub("<([^>]*)>", lambda found: f"<{names.get(found[1], found[1])}>", self.written)
        return Form(parts, self.constant, written)

    def _scaled(self, by: Fraction, written: str) -> Form:
        parts = tuple((name, by * part) for name, part in self.parts) if by else ()
        return Form(parts, by * self.constant, written)

    def _combined(self, other: Form, times: int, written: str) -> Form:
        parts = _added((*self.parts, *((name, times * by) for name, by in other.parts)))
        return Form(parts, self.constant + times * other.constant, written)

    def __str__(self) -> str:
        """Write it for people, multiplied out."""
        terms = [name if by == 1 else f"{by}*{name}" for name, by in self.parts]
        return " + ".join([*terms, *([str(self.constant)] if self.constant or not terms else [])])


def _added(parts: Iterable[tuple[str, Fraction]]) -> tuple[tuple[str, Fraction], ...]:
    """Return multiples of unknowns, those of the same one added up, without those that are 0."""
    found: dict[str, Fraction] = {}
    for name, by in parts:
        found[name] = found.get(name, Fraction(0)) + by
    return tuple(sorted((name, by) for name, by in found.items() if by))


def _held(written: str) -> str:
    return written if written.isalnum() or written.startswith("(") else f"({written})"


Meanings = tuple[Form, ...]
"""What a phrase may mean; mostly one form."""

FIRST, SECOND = Form.named(RANKS[0]), Form.named(RANKS[1])
SUM = Form.named(LARGER).plus(Form.named(SMALLER))
DIFFERENCE = Form.named(LARGER).minus(Form.named(SMALLER))


def noun(lemma: str) -> Form:
    """Return the form of an unknown that goes by a noun; its name is told from the others by an article."""
    return Form.named(f"the {lemma}")


def is_noun(name: str) -> bool:
    """Say whether a name is that of a noun."""
    return name.startswith("the ")


def combined(one: Iterable[Form], other: Iterable[Form], how: Callable[[Form, Form], Form | None]) -> Meanings:
    """Return what two phrases joined may mean: all pairs of their meanings, as far as they can be joined."""
    right = tuple(other)
    joined = (how(a, b) for a in one for b in right)
    return tuple(form for form in joined if form is not None)[:MAX_MEANINGS]
