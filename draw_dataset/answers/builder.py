"""The set-up of an answer: which of its statements belong to it, and what the others do.

Statements are taken in their order. A statement that says something new about the unknowns belongs to the set-up. One
that follows from the statements before is a step. One that contradicts them is a slip, and does not change the set-up.
A calculation with numbers alone gives a result, and its number stands for that result later on. In the same way the
stated value of an unknown stands for the unknown.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

from draw_dataset.answers.calculations import Calculations
from draw_dataset.answers.links import Links
from draw_dataset.answers.setup import Slip, Worked, exact, nearly
from draw_dataset.answers.sources import TextSources
from draw_dataset.answers.writings import Writings
from draw_dataset.core.quantities import (
    Algebra,
    Evaluation,
    Literal,
    Node,
    Source,
    has_names,
    is_bare,
    literals_of,
    names_of,
)
from draw_dataset.core.quantities.expressions import CONSTANT, as_written, is_worded
from draw_dataset.errors import LimitError
from draw_dataset.prose.relations import Relation

_ONES = frozenset(map(Fraction, (1, 100)))


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
        numbers = [algebra.number(value) for value in text.values]
        self.now = Evaluation(self.setup, algebra, numbers, zeros=False)
        self.defined: dict[str, int] = {}
        self._links = Links(self.setup, self.setup.stated, text, self.now)
        self._writings = Writings(self.setup, self.now)
        self._calculations = Calculations(self.setup, self.now, self._links, self._writings)
        self._kept: set[object] = set()

    def take(self, at: int, statement: Relation) -> None:
        """Add a statement."""
        kind = "expression"
        if self._calculations.is_repeated(statement):
            self.setup.kinds.append("step")
            return
        sides = self._links.link(statement.sides)
        try:
            if len(sides) == 1:
                self._writings.remember(sides[0], at)
            else:
                kind = self._equalities(at, sides, statement.signs)
        except (LimitError, ZeroDivisionError):
            kind = "unread"
        self.setup.kinds.append(kind)

    def _equalities(self, at: int, sides: tuple[Node, ...], signs: tuple[str, ...]) -> str:
        kinds = []
        if not any(map(has_names, sides)):
            return self._calculations.arithmetic(at, sides)
        first = sides[0]
        for number in range(1, len(sides)):
            kind = self._equality(at, number, first, sides[number], signs[number - 1])
            if kind == "step" and is_bare(sides[number]) and first[0] not in ("name", "number"):
                self._calculations.result(at, first, sides[number])
            if kind != "slip":
                self._calculations.expanded(at, sides[number - 1], sides[number])
            kinds.append(kind)
        for kind in ("set-up", "slip", "unread", "step", "value"):
            if kind in kinds:
                return kind
        return kinds[0]

    def _equality(self, at: int, number: int, left: Node, right: Node, sign: str) -> str:
        for one, other in ((left, right), (right, left)):
            if one[0] == "name" and is_bare(other):
                return self._value(at, number, one[1], other, sign)
        names = names_of(left) | names_of(right)
        literals = literals_of(left) + literals_of(right)
        if sign == "≠" or (sign in "<>≤≥" and not literals):
            return "remark"  # x > y only says which is the larger; a bound with a number may be an equation
        if not literals and left[0] != right[0] and self._is_formula(names):
            return "formula"
        if right[0] == "name" and is_worded(right[1]) and not (left[0] == "name" and is_worded(left[1])):
            left, right = right, left
        for one, other in ((left, right), (right, left)):
            if one[0] == "name" and not has_names(other):
                self._state(one[1], other)
        left, right = self._writings.known_as(left), self._writings.known_as(right)
        worded = left[0] == "name" and is_worded(left[1])
        if worded and right[0] != "name" and (sign == "is" or left[1] in self.defined):
            self.setup.weak.append((left, right, at))
            self._writings.remember(right, at)
            return "definition"
        if worded:
            self.defined[left[1]] = at
        outcome = self.now.add(left, right)
        if outcome in ("new", "waits"):
            self.setup.equations.append((left, right, at))
            for side in (left, right):
                self._writings.remember(side, at)
            return "set-up"
        if outcome == "follows":
            if not self._uses_solution(left, right):
                self._writings.remember(left, at)
            return "step"
        if self._nearly_equal(left, right):
            return "step"
        if left[0] != "name" and has_names(left) and has_names(right) and literals_of(right):
            self._writings.builds_on(right, left)
        a, b = self.now.value(left), self.now.value(right)
        self.setup.slips.append(Slip(at, number, exact(a), exact(b)))
        return "slip"

    def _state(self, name: str, node: Node) -> None:
        """Record the value that a calculation gives to a name, as it is written: x = 25/3."""
        indices = literals_of(node)
        value = as_written(node, self.setup.literals)
        if value is not None and indices:
            self._links.state(name, value, fraction=True)

    def _is_formula(self, names: set[str]) -> bool:
        """Say whether names without numbers are a formula to be remembered: distance = rate * time."""
        new = sum(name not in self.now.names for name in names)
        if new <= 1 and new < len(names):
            return False  # it defines one thing by others that are known
        return len(names) >= 3 or all(is_worded(name) for name in names)

    def _uses_solution(self, left: Node, right: Node) -> bool:
        """Say whether an equality follows only from what is known about the unknowns, and not by itself."""
        return self._writings.form(left) != self._writings.form(right)

    def _value(self, at: int, number: int, name: str, stated: Node, sign: str) -> str:
        literal = self.setup.literals[literals_of(stated)[0]]
        got = self._calculations.amount(stated)
        known = self.now.value(("name", name))
        self._links.state(name, got, fraction=literal.parts is not None)
        if known is not None:
            if nearly(known, got, literal):
                return "value"
            self.setup.slips.append(Slip(at, number, exact(known), got))
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
        """Return the set-up; implied equalities are used only if nothing else determines an unknown."""
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
        """Remove equations that only give something a name in words which is not used again."""
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
        """Say whether the last stated value of each letter is the solution; there must be at least one."""
        letters = {name: values[-1][0] for name, values in self.setup.stated.items() if not is_worded(name)}
        known = [(self.now.value(("name", name)), stated) for name, stated in letters.items()]
        return bool(known) and all(value is not None and abs(value - got) <= abs(got) / 100 for value, got in known)


def _is_given(source: Source, value: Fraction) -> bool:
    """Say whether the value of an unknown is given and not solved for: a number of the text, or a result."""
    if source.kind == "constant":
        return value in _ONES
    if source.kind == "text":
        return source.scale in (1, Fraction(1, 100)) and not source.offset and not source.inverse
    return source.kind in ("result", "name")
