"""The question: which of the statements of an answer are its set-up, and what do the others do.

Statements are taken in their order. One that says something new of the unknowns belongs to the set-up; one that follows
from those before is a step; one that contradicts them is a slip, and does not spoil the set-up. A calculation with
numbers alone gives a result, and its number later on stands for that result. The value of an unknown, once stated,
stands for the unknown in the same way.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from fractions import Fraction

from draw_dataset.answers.links import Links
from draw_dataset.answers.sources import TextSources
from draw_dataset.core.quantities import (
    Algebra,
    Coefficient,
    Evaluation,
    Literal,
    Node,
    Ratio,
    Result,
    SetUp,
    Source,
    has_names,
    is_bare,
    is_fraction,
    is_ratio,
    literals_of,
    names_of,
)
from draw_dataset.core.quantities.expressions import CONSTANT, as_written, is_worded
from draw_dataset.errors import LimitError
from draw_dataset.prose.relations import Relation

_FACTORS = (2, 3, 4, 5, 7, 8, 10, 12, 16, 24, 30, 36, 52, 60, 100, 365, 1000, 3600)
BETWEEN_UNITS = frozenset(Fraction(*pair) for factor in _FACTORS for pair in ((factor, 1), (1, factor)))
"""Factors between two units."""

_ONES = frozenset(map(Fraction, (1, 100)))


@dataclass(frozen=True, slots=True)
class Slip:
    """A statement that does not follow from the set-up.

    Attributes:
        at: the statement.
        side: which side of it, from 0.
        expected: what comes out, where that is a number.
        got: what is stated.
    """

    at: int
    side: int
    expected: Fraction | None
    got: Fraction | None


@dataclass(slots=True)
class Worked(SetUp):
    """What an answer sets up, and what it does with it.

    Attributes:
        slips: the statements that do not follow.
        kinds: for each statement what it is.
        weak: pairs of sides that hold only if nothing else determines the unknowns.
        stated: the values that are stated of each name, and whether as a fraction.
        fits: whether the values stated last are those that the set-up gives.
        values: what quantities and results come to at the numbers of the text, where that is determined; the latest
            first.
        known: what the names come to, where that is determined.
        labels: how each class of numbers of the text is written.
    """

    slips: list[Slip] = field(default_factory=list)
    kinds: list[str] = field(default_factory=list)
    weak: list[tuple[Node, Node, int]] = field(default_factory=list)
    stated: dict[str, list[tuple[Fraction, bool]]] = field(default_factory=dict)
    fits: bool = False
    values: dict[Node, Fraction] = field(default_factory=dict)
    known: dict[str, Fraction] = field(default_factory=dict)
    labels: tuple[str, ...] = ()

    @property
    def is_solved(self) -> bool:
        """Whether the equations determine every letter of which a value is stated, and there is one."""
        letters = [name for name in self.stated if not is_worded(name)]
        return bool(self.equations and letters) and all(name in self.known for name in letters)


class Builder:
    """Takes the statements of an answer in their order and finds the set-up.

    Args:
        literals: the numbers of the statements.
        text: the numbers of the text.
    """

    def __init__(self, literals: list[Literal], text: TextSources) -> None:
        self.setup = Worked(literals, [[CONSTANT] for _ in literals], labels=text.labels)
        for literal in literals:
            if literal.rank:
                literal.value = text.values[text.classes[literal.rank - 1]]
        algebra = Algebra()
        numbers: list[Ratio] = [(algebra.constant(value), {(): 1}) for value in text.values]
        self.now = Evaluation(self.setup, algebra, numbers, zeros=False)
        self.defined: dict[str, int] = {}
        self.expressions: dict[object, Node] = {}
        self._links = Links(self.setup, self.setup.stated, text, self.now)
        self._kept: set[object] = set()
        self._last: object = None
        self._rewritten: set[object] = set()

    def take(self, at: int, statement: Relation) -> None:
        """Take a statement in."""
        kind = "expression"
        if self._is_repeated(statement):
            self.setup.kinds.append("step")
            return
        statement = replace(statement, sides=self._links.link(statement.sides))
        try:
            if len(statement.sides) == 1:
                self._remember(statement.sides[0], at)
            else:
                kind = self._equalities(at, statement)
        except (LimitError, ZeroDivisionError):
            kind = "unread"
        self.setup.kinds.append(kind)

    def _is_repeated(self, statement: Relation) -> bool:
        """Say whether a calculation is the one before once more, as ``3*4 = <<3*4=12>>12`` has it."""
        written = _calculation(statement, self.setup.literals)
        repeated = written is not None and written == self._last
        self._last = written
        return repeated

    def _equalities(self, at: int, statement: Relation) -> str:
        sides, signs = statement.sides, statement.signs
        kinds = []
        if all(not has_names(side) for side in sides):
            return self._arithmetic(at, statement)
        first = sides[0]
        for number in range(1, len(sides)):
            kind = self._equality(at, number, first, sides[number], signs[number - 1])
            if kind == "step" and is_bare(sides[number]) and first[0] not in ("name", "number"):
                self._result(at, first, sides[number])
            if kind != "slip":
                self._expanded(at, sides[number - 1], sides[number])
            kinds.append(kind)
        for kind in ("set-up", "slip", "unread", "step", "value"):
            if kind in kinds:
                return kind
        return kinds[0]

    def _expanded(self, at: int, before: Node, after: Node) -> None:
        """Take down where the number comes from that is left when brackets are expanded: 0.5(40 - x) = 20 - 0.5x."""
        if before[0] in ("name", "number") or not has_names(before) or not has_names(after):
            return
        alone = [(part, minus) for part, minus in _addends(after) if is_bare(part)]
        if len(alone) == 1 and self._form(before) == self._form(after):
            ((part, minus),) = alone
            node = _without_names(before, self.setup.add_constant(Fraction(0)))
            self._result(at, ("neg", node) if minus else node, part)

    def _arithmetic(self, at: int, statement: Relation) -> str:
        sides = statement.sides
        literals = self.setup.literals
        plain = [
            (number, side) for number, side in enumerate(sides) if is_bare(side) and not is_fraction(side, literals)
        ]
        worked = [side for side in sides if not is_bare(side) or is_fraction(side, literals)]
        bare = plain
        if is_ratio(sides[-1], literals) and len(worked) > 1:
            if is_fraction(sides[-1], literals):
                bare = [*plain, (len(sides) - 1, sides[-1])]
            worked = worked[:-1]
        if not worked:
            return self._conversion(at, sides)
        for side in worked:
            self.setup.quantities.append((side, at))
        expected = self.now.value(worked[0])
        kind = "step"
        first = sides.index(worked[0])
        for number, side in bare:
            got = self._amount(side)
            literal = self.setup.literals[literals_of(side)[0]]
            if expected is not None and not nearly(expected, got, literal):
                if number < first:
                    continue  # what is converted: 40 nickels = 40 * 5 = 200 cents
                self.setup.slips.append(Slip(at, number, _fraction(expected), got))
                kind = "slip"
            self._result(at, worked[0], side, wrong=kind == "slip")
        return kind

    def _conversion(self, at: int, sides: tuple[Node, ...]) -> str:
        """Take in that two numbers are the same: 5% = 0.05, or 48 quarts = 12 gallons."""
        one, other = self._amount(sides[0]), self._amount(sides[-1])
        literals = [self.setup.literals[literals_of(side)[0]] for side in (sides[0], sides[-1])]
        if one == other:
            if literals[0].percent != literals[1].percent or literals[0].parts != literals[1].parts:
                self._result(at, sides[0], sides[-1])
        elif one and other and self._unit(sides[0]) != self._unit(sides[-1]) and other / one in BETWEEN_UNITS:
            self._result(at, ("*", sides[0], self.setup.add_constant(other / one)), sides[-1])
        return "remark"

    def _unit(self, node: Node) -> str:
        return self.setup.literals[literals_of(node)[0]].unit

    def _result(self, at: int, node: Node, stated: Node, wrong: bool = False) -> None:
        literal = self.setup.literals[literals_of(stated)[0]]
        if stated[0] == "neg":
            node = ("neg", node)
        self._links.add(literal, wrong)
        self.setup.results.append(Result(node, literal, at))
        if literal.parts is not None and literal.parts[0] == 1:
            # Who does 1/60 of a job in a minute needs 60 minutes, and seldom says so.
            self.setup.quantities.append((("/", self.setup.add_constant(Fraction(1)), node), at))

    def _amount(self, node: Node) -> Fraction:
        literal = self.setup.literals[literals_of(node)[0]]
        value = literal.value / 100 if literal.percent else literal.value
        return -value if node[0] == "neg" else value

    def _equality(self, at: int, number: int, left: Node, right: Node, sign: str) -> str:
        for one, other in ((left, right), (right, left)):
            if one[0] == "name" and is_bare(other):
                return self._value(at, number, one[1], other, sign)
        names = names_of(left) | names_of(right)
        literals = literals_of(left) + literals_of(right)
        if sign == "≠" or (sign in "<>≤≥" and not literals):
            return "remark"  # x > y says which is which; only a bound in numbers is an equation's border
        if not literals and left[0] != right[0] and self._is_formula(names):
            return "formula"
        if right[0] == "name" and is_worded(right[1]) and not (left[0] == "name" and is_worded(left[1])):
            left, right = right, left
        for one, other in ((left, right), (right, left)):
            if one[0] == "name" and not has_names(other):
                self._state(one[1], other)
        left, right = self._known_as(left), self._known_as(right)
        worded = left[0] == "name" and is_worded(left[1])
        if worded and right[0] != "name" and (sign == "is" or left[1] in self.defined):
            self.setup.weak.append((left, right, at))
            self._remember(right, at)
            return "definition"
        if worded:
            self.defined[left[1]] = at
        outcome = self.now.add(left, right)
        if outcome in ("new", "waits"):
            self.setup.equations.append((left, right, at))
            for side in (left, right):
                self._remember(side, at)
            return "set-up"
        if outcome == "follows":
            if not self._uses_solution(left, right):
                self._remember(left, at)
            return "step"
        if self._nearly_equal(left, right):
            return "step"
        if has_names(left) and has_names(right) and literals_of(right):
            form = self._form(right)
            if form is not None and left[0] != "name":
                self.expressions.setdefault(form, left)  # what follows builds on the slip
        a, b = self.now.value(left), self.now.value(right)
        self.setup.slips.append(Slip(at, number, _fraction(a), _fraction(b)))
        return "slip"

    def _state(self, name: str, node: Node) -> None:
        """Take down what a calculation says a name is, as it is written: x = 25/3."""
        indices = literals_of(node)
        value = as_written(node, self.setup.literals)
        if value is not None and indices:
            self.setup.stated.setdefault(name, []).append((value, True))

    def _is_formula(self, names: set[str]) -> bool:
        """Say whether names without numbers are a formula to be remembered: distance = rate * time."""
        new = sum(name not in self.now.names for name in names)
        if new <= 1 and new < len(names):
            return False  # it says what one thing is by others that are known
        return len(names) >= 3 or all(is_worded(name) for name in names)

    def _uses_solution(self, left: Node, right: Node) -> bool:
        """Say whether an equality holds only by what is known of the unknowns, and not by itself."""
        return self._form(left) != self._form(right)

    def _remember(self, side: Node, at: int) -> None:
        """Keep an expression of the set-up, and its parts in brackets, as quantities, and for `_known_as`."""
        if side[0] in ("name", "number") or is_bare(side):
            return
        self.setup.quantities.append((side, at))
        if has_names(side):
            form = self._form(side)
            if form is not None:
                self.expressions.setdefault(form, side)
        todo = [part for part in side[1:] if isinstance(part, tuple)]
        while todo:
            part = todo.pop()
            if part[0] in ("+", "-", "*", "/") and has_names(part) and literals_of(part):
                self.setup.quantities.append((part, at))
            if part[0] not in ("name", "number"):
                todo += [inner for inner in part[1:] if isinstance(inner, tuple)]

    def _form(self, side: Node) -> object:
        """Return what an expression is as a polynomial in the unknowns, at the numbers of the text."""
        above, below = self.now.ratio(side)
        if not above or all(not m for m in above):
            return None
        return tuple(sorted(above.items())), tuple(sorted(below.items()))

    def _known_as(self, side: Node) -> Node:
        """Return the first way in which an expression was written: expanded brackets lead back to the brackets."""
        if side[0] in ("name", "number") or is_bare(side) or not has_names(side):
            return side
        form = self._form(side)
        known = None if form is None else self.expressions.get(form)
        if known is not None:
            if known != side:
                self._rewritten.add(form)
            return known
        return (side[0], *(self._part_known_as(part) if isinstance(part, tuple) else part for part in side[1:]))

    def _part_known_as(self, part: Node) -> Node:
        """Return a part of an expression as it was first written.

        Where all its numbers are of the text, it is left as it is, unless the answer said before that it is the same.
        """
        if part[0] in ("name", "number"):
            return part
        of_text = all(self.setup.sources[index][0].kind == "text" for index in literals_of(part))
        if of_text and not (has_names(part) and self._form(part) in self._rewritten):
            return part
        return self._known_as(part)

    def _value(self, at: int, number: int, name: str, stated: Node, sign: str) -> str:
        literal = self.setup.literals[literals_of(stated)[0]]
        got = self._amount(stated)
        known = self.now.value(("name", name))
        self.setup.stated.setdefault(name, []).append((got, literal.parts is not None))
        if known is not None:
            if nearly(known, got, literal):
                return "value"
            self.setup.slips.append(Slip(at, number, _fraction(known), got))
            return "slip"
        source = self.setup.sources[literals_of(stated)[0]][0]
        itself = source.kind == "name" and source.of == name
        if itself or not (_is_given(source, got) or (is_worded(name) and source.inverse and literal.parts is not None)):
            return "value"
        if sign == "is":
            self.setup.weak.append((("name", name), stated, at))
            return "value"
        outcome = self.now.add(("name", name), stated)
        if outcome in ("new", "waits"):
            self.setup.equations.append((("name", name), stated, at))
            return "set-up"
        return "value"

    def _nearly_equal(self, left: Node, right: Node) -> bool:
        a, b = self.now.value(left), self.now.value(right)
        if a is None or b is None:
            return False
        literals = [self.setup.literals[i] for i in literals_of(left) + literals_of(right)]
        if not any(literal.places >= 2 for literal in literals):
            return False
        return abs(Fraction(a) - Fraction(b)) <= max(abs(Fraction(a)), abs(Fraction(b))) / 200

    def _open(self) -> bool:
        """Say whether a letter is still undetermined."""
        return any(not is_worded(name) and self.now.value(("name", name)) is None for name in self.now.names)

    def finish(self) -> Worked:
        """Return the set-up; equalities that are only implied are used where nothing else determines an unknown."""
        for left, right, at in self.setup.weak:
            names = [name for name in names_of(left) | names_of(right) if name not in self.now.names]
            fresh = left[0] == "name" and left[1] in names and is_worded(left[1])
            if not fresh and not self._open():
                continue
            try:
                if self.now.add(left, right) == "new":
                    self.setup.equations.append((left, right, at))
            except (LimitError, ZeroDivisionError):
                continue
        self._prune()
        for name in self.now.names:
            if name in self._kept or not is_worded(name):
                self.setup.quantities.append((("name", name), -1))
        self.setup.fits = self._fits()
        found = [*((result.node, result.at) for result in self.setup.results), *self.setup.quantities]
        for node in dict.fromkeys(node for node, _ in reversed(found)):
            try:
                value = self.now.value(node)
            except (LimitError, ZeroDivisionError):
                continue
            if value is not None:
                self.setup.values[node] = Fraction(value)
                if node[0] == "name":
                    self.setup.known[node[1]] = Fraction(value)
        return self.setup

    def _prune(self) -> None:
        """Leave out of the set-up what only gives something a name in words that is not used again."""
        counts: Counter[str] = Counter()
        for left, right, _ in self.setup.equations:
            counts.update(names_of(left) | names_of(right))
        used = {source.of for sources in self.setup.sources for source in sources if source.kind == "name"}
        kept = []
        for left, right, at in self.setup.equations:
            for one, other in ((left, right), (right, left)):
                if one[0] == "name" and is_worded(one[1]) and counts[one[1]] == 1 and one[1] not in used:
                    if not is_bare(other):
                        self.setup.quantities.append((other, at))
                    if self.setup.kinds[at] == "set-up":
                        self.setup.kinds[at] = "definition"
                    break
            else:
                kept.append((left, right, at))
        self.setup.equations = kept
        self._kept = {name for left, right, _ in kept for name in names_of(left) | names_of(right)} | used

    def _fits(self) -> bool:
        """Say whether the last value that is stated of each letter is the one that comes out, at least one of them."""
        letters = {name: values[-1][0] for name, values in self.setup.stated.items() if not is_worded(name)}
        known = [(self.now.value(("name", name)), stated) for name, stated in letters.items()]
        return bool(known) and all(value is not None and abs(value - got) <= abs(got) / 100 for value, got in known)


def _calculation(statement: Relation, literals: list[Literal]) -> object:
    """Return what tells one calculation with numbers alone from another: its numbers and what comes out."""
    if len(statement.sides) != 2 or any(has_names(side) for side in statement.sides) or is_bare(statement.sides[0]):
        return None
    numbers = [sorted(literals[index].value for index in literals_of(side)) for side in statement.sides]
    value = as_written(statement.sides[0], literals)
    return None if value is None else (numbers, value)


def _addends(node: Node, minus: bool = False) -> list[tuple[Node, bool]]:
    """Return the parts of a sum or difference, and whether each is subtracted."""
    if node[0] in ("+", "-"):
        return [*_addends(node[1], minus), *_addends(node[2], minus ^ (node[0] == "-"))]
    return [(node, minus)]


def _without_names(node: Node, zero: Node) -> Node:
    """Return an expression with zero for each name."""
    if node[0] == "name":
        return zero
    if node[0] == "number":
        return node
    return (node[0], *(_without_names(part, zero) if isinstance(part, tuple) else part for part in node[1:]))


def nearly(value: Coefficient, stated: Fraction, literal: Literal) -> bool:
    """Say whether a stated number is a value, exactly or rounded to the places that are written, or up to noise."""
    value = Fraction(value)
    if value == stated:
        return True
    places = literal.places + (2 if literal.percent else 0)
    if abs(value - stated) <= Fraction(1, 10**places) and (places or (abs(value) >= 10 and value.denominator > 1)):
        return True
    return bool(abs(value - stated) <= abs(value) / 500)


def _fraction(value: Coefficient | None) -> Fraction | None:
    return None if value is None else Fraction(value)


def _is_given(source: Source, value: Fraction) -> bool:
    """Say whether the value of an unknown is given, and not what was solved for: a number of the text, or a result."""
    if source.kind == "constant":
        return value in _ONES
    if source.kind == "text":
        return source.scale in (1, Fraction(1, 100)) and not source.offset and not source.inverse
    return source.kind in ("result", "name")
