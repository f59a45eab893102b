"""Expressions with literals, origins of literals, and the evaluation of set-ups.

An expression is a plain tuple, so that it can be compared, hashed and walked quickly::

    ("number", i)                 the literal with number i
    ("name", text)                an unknown, or a quantity that has a name in words
    ("neg", a)  ("^", a, n)       n a whole number from 0 to 4
    ("+", a, b)  ("-", a, b)  ("*", a, b)  ("/", a, b)
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, ClassVar, assert_never
from typing import Literal as OneOf

from draw_dataset.algebra.limits import is_long
from draw_dataset.algebra.nonlinear import ONE, Algebra, Coefficient, EquationSolver, Outcome, Ratio
from draw_dataset.errors import LimitError

Node = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Literal:
    """A number as it is written."""

    value: Fraction  # as written, without the percent sign
    start: int
    end: int
    text: str
    percent: bool = False
    unit: str = ""  # the words after it, if any
    parts: tuple[Fraction, Fraction] | None = None  # for a fraction such as 7/12, its numerator and denominator
    rank: int = 0  # for a number written as q3, its rank among the numbers of the text, from 1; else 0

    @property
    def amount(self) -> Fraction:
        """The value, a hundredth of the written number for a percentage."""
        return self.value / 100 if self.percent else self.value

    @property
    def places(self) -> int:
        """The number of digits after the decimal point."""
        return len(self.text.partition(".")[2])

    @property
    def step(self) -> Fraction:
        """Unit of the last written digit: 1/100 for 3.33."""
        return Fraction(1, 10**self.places)


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
    """Decide whether an expression has a name."""
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
    """Decide whether an expression is one number, with or without a sign."""
    return bool(node[0] == "number" or (node[0] == "neg" and node[1][0] == "number"))


def is_fraction(node: Node, literals: list[Literal]) -> bool:
    """Decide whether an expression is one fraction of whole numbers, such as 7/12."""
    return bool(node[0] == "number" and literals[node[1]].parts is not None)


def is_ratio(node: Node, literals: list[Literal]) -> bool:
    """Decide whether an expression is one fraction of whole numbers, or a quotient of two, such as 12/7."""
    return is_fraction(node, literals) or bool(node[0] == "/" and node[1][0] == node[2][0] == "number")


def fractions_of(node: Node, literals: list[Literal]) -> set[Fraction]:
    """Return the values of the fractions of whole numbers in an expression."""
    found: set[Fraction] = set()
    todo = [node]
    while todo:
        part = todo.pop()
        value = as_written(part, literals) if is_ratio(part, literals) else None
        if value is not None:
            found.add(value)
        else:
            todo += [inner for inner in part[1:] if isinstance(inner, tuple)]
    return found


def is_worded(name: str) -> bool:
    """Decide whether a name is made of words, and not a letter with or without a number."""
    return " " in name or len(name) > 2


def as_written(node: Node, literals: list[Literal], names: Mapping[str, Fraction] | None = None) -> Fraction | None:
    """Return the value of a calculation by its written numbers; None if it is too long or a name has no value."""
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


# `Origin` is a sealed union: each use is one ``match`` ending in ``assert_never``, so mypy finds an unhandled kind.


Sign = OneOf["+", "-", "*", "/"]
_ONE = Fraction(1)
_ZERO = Fraction(0)


@dataclass(frozen=True, slots=True)
class Change:
    """The form in which a number is written: inverted first, then multiplied, then something is added."""

    scale: Fraction = _ONE
    offset: Fraction = _ZERO  # added after scaling
    inverse: bool = False  # one divided by the number


UNCHANGED = Change()
IN_PERCENT = Change(Fraction(1, 100))  # a hundredth of the number


@dataclass(frozen=True, slots=True)
class ConstantOrigin:
    """No origin: the literal stands for itself."""

    change: ClassVar[Change] = UNCHANGED


@dataclass(frozen=True, slots=True)
class TextOrigin:
    """A number of the text."""

    number: int  # the class of the number
    change: Change = UNCHANGED


@dataclass(frozen=True, slots=True)
class PairOrigin:
    """Two numbers of the text, combined without a word."""

    sign: Sign
    first: int  # the class of the first number
    second: int
    change: Change = UNCHANGED


@dataclass(frozen=True, slots=True)
class ResultOrigin:
    """The result of an earlier calculation."""

    result: int
    change: Change = UNCHANGED


@dataclass(frozen=True, slots=True)
class RestOrigin:
    """A number of the text minus an earlier result."""

    change: ClassVar[Change] = UNCHANGED

    number: int  # the class of the number
    result: int


@dataclass(frozen=True, slots=True)
class NameOrigin:
    """The value of a name."""

    name: str
    change: Change = UNCHANGED


Origin = ConstantOrigin | TextOrigin | PairOrigin | ResultOrigin | RestOrigin | NameOrigin
CONSTANT = ConstantOrigin()


def is_plain(origin: Origin) -> bool:
    """Decide whether an origin is a number, or a result, as it stands."""
    return origin.change is UNCHANGED or origin.change == UNCHANGED


def numbers_of(origin: Origin) -> tuple[int, ...]:
    """Return the classes of numbers that an origin has."""
    match origin:
        case TextOrigin() | RestOrigin():
            return (origin.number,)
        case PairOrigin():
            return origin.first, origin.second
        case ConstantOrigin() | ResultOrigin() | NameOrigin():
            return ()
        case _:
            assert_never(origin)


def results_of(origin: Origin) -> tuple[int, ...]:
    """Return the results that an origin has."""
    match origin:
        case ResultOrigin() | RestOrigin():
            return (origin.result,)
        case ConstantOrigin() | TextOrigin() | PairOrigin() | NameOrigin():
            return ()
        case _:
            assert_never(origin)


# One evaluation serves three purposes: with the values of the numbers it computes quantities, with other values in a
# prime field it rejects, and with letters it proves that two functions are the same.


MAX_DEPTH = 200  # nesting of results and brackets


@dataclass(slots=True)
class Result:
    """The result of a calculation."""

    node: Node
    stated: Literal
    at: int  # the statement that says so


@dataclass(slots=True)
class SetUp:
    """Equations and calculations whose literals may come from several places."""

    literals: list[Literal]
    origins: list[Sequence[Origin]]  # per literal, the most natural first
    equations: list[tuple[Node, Node, int]] = field(default_factory=list)
    results: list[Result] = field(default_factory=list)
    quantities: list[tuple[Node, int]] = field(default_factory=list)
    memory: dict[object, Any] = field(default_factory=dict, repr=False, compare=False)

    def add_literal(self, literal: Literal, origins: Sequence[Origin] = (CONSTANT,)) -> Node:
        """Add a number, and return the expression that it is."""
        self.literals.append(literal)
        self.origins.append(origins)
        return ("number", len(self.literals) - 1)

    def add_constant(self, value: Fraction) -> Node:
        """Add a number that is not in the text, and return the expression that it is."""
        return self.add_literal(Literal(value, 0, 0, str(value)))

    def add_equation(self, left: Node, right: Node, at: int) -> None:
        """Add an equation of the statement at a position."""
        self.equations.append((left, right, at))

    def add_result(self, node: Node, stated: Literal, at: int) -> None:
        """Add a calculation and the number that is stated as its result."""
        self.results.append(Result(node, stated, at))

    def add_quantity(self, node: Node, at: int) -> None:
        """Add a quantity that may be one of gold's."""
        self.quantities.append((node, at))

    def set_origins(self, index: int, origins: Sequence[Origin]) -> None:
        """Set the origins that a literal may have, the most natural first."""
        self.origins[index] = origins

    def origin(self, index: int) -> Origin:
        """Return the most natural origin of a literal."""
        return self.origins[index][0]


class Evaluation:
    """Values of expressions where `numbers` stand for the classes of numbers of the text.

    `chosen` is the reading: the index of the origin of each literal, 0 if it is not listed.
    """

    __slots__ = ("_depth", "_ratios", "_results", "algebra", "chosen", "names", "numbers", "setup", "solving")

    def __init__(
        self,
        setup: SetUp,
        algebra: Algebra,
        numbers: Sequence[Ratio],
        chosen: Mapping[int, int] | None = None,
        zeros: bool = True,
    ) -> None:
        self.setup = setup
        self.algebra = algebra
        self.numbers = numbers
        self.chosen = chosen or {}
        self.names: dict[str, int] = {}
        self.solving = EquationSolver(algebra, zeros)
        self._ratios: dict[object, Ratio] = {}
        self._results: dict[int, Ratio] = {}
        self._depth = 0

    def add(self, left: Node, right: Node) -> Outcome:
        """Add the equation that two expressions are equal."""
        a, b = self.ratio(left), self.ratio(right)
        algebra = self.algebra
        return self.solving.add(algebra.add(algebra.multiply(a[0], b[1]), algebra.multiply(b[0], a[1]), -1))

    def add_all(self) -> None:
        """Add all equations of the set-up."""
        for left, right, _ in self.setup.equations:
            self.add(left, right)

    def value(self, node: Node) -> Coefficient | None:
        """Return the value of an expression; None if it is not determined, or divides by zero."""
        try:
            return self.solving.value(self.ratio(node))
        except ZeroDivisionError:
            return None

    def known(self, node: Node) -> Ratio:
        """Return an expression with its names replaced as far as they are determined."""
        return self.solving.known(self.ratio(node))

    def ratio(self, node: Node) -> Ratio:
        """Return an expression as a quotient of polynomials in its names, or raise LimitError or ZeroDivisionError."""
        kind = node[0]
        if kind == "name":
            return self._name(node[1])
        # Only whole expressions and literals are cached: hashing every part of an expression would cost more.
        key: object = node[1] if kind == "number" else node if not self._depth else None
        if key is not None:
            found = self._ratios.get(key)
            if found is not None:
                return found
        self._depth += 1
        try:
            if self._depth > MAX_DEPTH:
                raise LimitError(
                    f"expected calculations that depend on each other at most {MAX_DEPTH} deep, but got more"
                )
            found = self._ratio(node)
        finally:
            self._depth -= 1
        if key is not None:
            self._ratios[key] = found
        return found

    def _ratio(self, node: Node) -> Ratio:
        kind = node[0]
        algebra = self.algebra
        if kind == "number":
            return self._literal(node[1])
        if kind == "neg":
            above, below = self.ratio(node[1])
            return algebra.add({}, above, -1), below
        if kind == "^":
            above, below = self.ratio(node[1])
            result: Ratio = (ONE, ONE)
            for _ in range(node[2]):
                result = algebra.multiply(result[0], above), algebra.multiply(result[1], below)
            return result
        return algebra.combine(kind, self.ratio(node[1]), self.ratio(node[2]))

    def _name(self, name: str) -> Ratio:
        index = self.names.get(name)
        if index is None:
            self.names[name] = index = len(self.names)
            # People solve for letters. Names in words stand for other things and are eliminated first.
            self.solving.rank[index] = 0 if is_worded(name) else 1
        return {(index,): 1}, ONE

    def _literal(self, index: int) -> Ratio:
        origin = self.setup.origins[index][self.chosen.get(index, 0)]
        found = self._origin(origin, index)
        change = origin.change
        if change is UNCHANGED:
            return found
        algebra = self.algebra
        if change.inverse:
            found = algebra.combine("/", (ONE, ONE), found)
        if change.scale != 1:
            found = algebra.multiply(found[0], algebra.constant(change.scale)), found[1]
        if change.offset:
            found = algebra.add(found[0], algebra.multiply(algebra.constant(change.offset), found[1])), found[1]
        return found

    def _origin(self, origin: Origin, index: int) -> Ratio:
        match origin:
            case TextOrigin():
                return self.numbers[origin.number]
            case ConstantOrigin():
                return self.algebra.number(self.setup.literals[index].amount)
            case ResultOrigin():
                return self._result(origin.result)
            case NameOrigin():
                return self._name(origin.name)
            case PairOrigin():
                return self.algebra.combine(origin.sign, self.numbers[origin.first], self.numbers[origin.second])
            case RestOrigin():
                return self.algebra.combine("-", self.numbers[origin.number], self._result(origin.result))
            case _:
                assert_never(origin)

    def _result(self, number: int) -> Ratio:
        found = self._results.get(number)
        if found is None:
            self._results[number] = found = self.ratio(self.setup.results[number].node)
        return found
