"""Expressions with literals: numbers as they are written, where they may come from, and how they are combined.

An expression is a plain tuple, so that it can be compared, hashed and walked quickly::

    ("number", i)                 the literal with number i
    ("name", text)                an unknown, or a quantity that has a name in words
    ("neg", a)  ("^", a, n)       n a whole number from 0 to 4
    ("+", a, b)  ("-", a, b)  ("*", a, b)  ("/", a, b)
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

from draw_dataset.core.limits import is_long

Node = tuple[Any, ...]
"""An expression."""


@dataclass(slots=True)
class Literal:
    """A number as it is written.

    Attributes:
        value: what is written, without the percent sign.
        start: where it begins in its text.
        end: where it ends.
        text: the written characters.
        percent: whether a percent sign follows.
        unit: the words after it, if any.
        parts: for a fraction such as 7/12, its numerator and denominator.
        rank: for a number written as q3, its rank among the numbers of the text, from 1; else 0.
    """

    value: Fraction
    start: int
    end: int
    text: str
    percent: bool = False
    unit: str = ""
    parts: tuple[Fraction, Fraction] | None = None
    rank: int = 0

    @property
    def amount(self) -> Fraction:
        """Its value; for a percentage, a hundredth of what is written."""
        return self.value / 100 if self.percent else self.value

    @property
    def places(self) -> int:
        """The number of digits after the decimal point."""
        return len(self.text.partition(".")[2])

    @property
    def step(self) -> Fraction:
        """What the last written digit counts: 1/100 for 3.33."""
        return Fraction(1, 10**self.places)


class Source(NamedTuple):
    """Where a literal may come from.

    Attributes:
        kind: ``text``, ``constant``, ``result``, ``name``, ``sum``, ``difference``, ``product``, ``quotient``, or
            ``rest``: a number of the text minus a result.
        of: the class of the number, the number of the result, or the name; for two numbers a pair of classes; for a
            rest the class and the number of the result.
        scale: the factor it is multiplied by.
        offset: what is added after that.
        inverse: whether it is one divided by the number.
    """

    kind: str
    of: Any = None
    scale: Fraction = Fraction(1)
    offset: Fraction = Fraction(0)
    inverse: bool = False

    def numbers(self) -> tuple[int, ...]:
        """Return the classes of numbers that it comes from."""
        if self.kind == "text":
            return (self.of,)
        if self.kind == "rest":
            return (self.of[0],)
        return self.of if self.kind in PAIRS else ()

    def results(self) -> tuple[int, ...]:
        """Return the results that it comes from."""
        if self.kind == "result":
            return (self.of,)
        return (self.of[1],) if self.kind == "rest" else ()


PAIRS = frozenset({"sum", "difference", "product", "quotient"})
"""The kinds of sources that are two numbers of the text."""

CONSTANT = Source("constant")

AS_IT_IS = CONSTANT[2:]
"""Scale, offset and inverse of a source that is not changed. Comparing all three at once asks no fraction anything."""


def names_of(node: Node) -> set[str]:
    """Return the names in an expression."""
    found: set[str] = set()
    todo = [node]
    while todo:
        part = todo.pop()
        kind = part[0]
        if kind == "name":
            found.add(part[1])
        elif kind != "number":
            todo.append(part[1])
            if len(part) > 2 and kind != "^":
                todo.append(part[2])
    return found


def has_names(node: Node) -> bool:
    """Say whether an expression has a name."""
    kind = node[0]
    if kind == "name":
        return True
    if kind == "number":
        return False
    return has_names(node[1]) or (len(node) > 2 and kind != "^" and has_names(node[2]))


def literals_of(node: Node) -> list[int]:
    """Return the literals of an expression in their order."""
    found: list[int] = []
    todo = [node]
    while todo:
        part = todo.pop()
        kind = part[0]
        if kind == "number":
            found.append(part[1])
        elif kind != "name":
            if len(part) > 2 and kind != "^":
                todo.append(part[2])
            todo.append(part[1])
    return found


def is_bare(node: Node) -> bool:
    """Say whether an expression is one number, with or without a sign."""
    return bool(node[0] == "number" or (node[0] == "neg" and node[1][0] == "number"))


def is_fraction(node: Node, literals: list[Literal]) -> bool:
    """Say whether an expression is one fraction of whole numbers, such as 7/12."""
    return bool(node[0] == "number" and literals[node[1]].parts is not None)


def is_ratio(node: Node, literals: list[Literal]) -> bool:
    """Say whether an expression is one fraction of whole numbers, or a quotient of two, such as 12/7."""
    return is_fraction(node, literals) or bool(node[0] == "/" and node[1][0] == node[2][0] == "number")


def is_worded(name: str) -> bool:
    """Say whether a name is made of words, and not a letter with or without a number."""
    return " " in name or len(name) > 2


def as_written(node: Node, literals: list[Literal], names: Mapping[str, Fraction] | None = None) -> Fraction | None:
    """Return the value of a calculation by the numbers that are written in it; None if it is too long.

    Args:
        node: the calculation.
        literals: its numbers.
        names: the values of names; None is returned if one is missing.
    """
    kind = node[0]
    if kind == "number":
        return literals[node[1]].amount
    if kind == "name":
        return (names or {}).get(node[1])
    parts = [as_written(part, literals, names) for part in node[1:] if isinstance(part, tuple)]
    known = [part for part in parts if part is not None]
    if len(known) < len(parts):
        return None
    if kind == "/" and not known[1]:
        return None
    value = Fraction(known[0] ** node[2]) if kind == "^" else _SIGNS[kind](*known)
    return None if is_long(value) else value


_SIGNS: dict[str, Callable[..., Fraction]] = {
    "neg": operator.neg, "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv,
}  # fmt: skip
