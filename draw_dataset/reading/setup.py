"""Set-up of an answer: its equations and calculations, from the attempt that counts.

Statements are taken in their order. One that says something new about the unknowns belongs to the set-up, one that
follows is a step, and one that contradicts is a slip and does not change the set-up. The number of a calculation's
result stands for that result later on, and the stated value of an unknown for the unknown. If the answer starts again,
the later attempt counts if it leads to the stated result, or uses as many numbers of the text as the earlier one.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Sequence
from fractions import Fraction
from typing import assert_never

from draw_dataset.algebra.nonlinear import Algebra
from draw_dataset.algebra.number import CARRIED_ROUNDING
from draw_dataset.errors import LimitError
from draw_dataset.reading.links import AnswerSetup, Links, is_nearly
from draw_dataset.reading.provenance import NumberOrigins
from draw_dataset.reading.quantities import (
    IN_PERCENT,
    UNCHANGED,
    ConstantOrigin,
    Evaluation,
    Literal,
    NameOrigin,
    Node,
    Origin,
    PairOrigin,
    RestOrigin,
    ResultOrigin,
    SetUp,
    TextOrigin,
    as_written,
    fractions_of,
    has_names,
    is_bare,
    is_fraction,
    is_ratio,
    is_worded,
    literals_of,
    names_of,
    numbers_of,
)
from draw_dataset.reading.relations import Relation
from draw_dataset.text.units import whole_factors


class FirstForms:
    """First forms of the expressions of an answer, whose numbers are those of the text.

    Answers expand brackets and merge terms. Two expressions are forms of the same quantity if they are the same
    polynomial in the unknowns, at the numbers of the text.
    """

    def __init__(self, setup: SetUp, now: Evaluation, numbers: Sequence[Fraction]) -> None:
        self._setup = setup
        self._now = now
        self._numbers = numbers
        self._first: dict[object, Node] = {}
        self._rewritten: set[object] = set()

    def add_form(self, side: Node, first: Node) -> None:
        """Treat an expression as a form of another one."""
        form = self.form(side)
        if form is not None:
            self._first.setdefault(form, first)

    def add(self, side: Node, at: int) -> None:
        """Add an expression of the set-up as a first form, and it and its parts in brackets as quantities."""
        if side[0] in ("name", "number") or is_bare(side):
            return
        self._setup.add_quantity(side, at)
        if has_names(side):
            self.add_form(side, side)
        todo = [part for part in side[1:] if isinstance(part, tuple)]
        while todo:
            part = todo.pop()
            if part[0] in ("+", "-", "*", "/") and has_names(part) and literals_of(part):
                self._setup.add_quantity(part, at)
            if part[0] not in ("name", "number"):
                todo += [inner for inner in part[1:] if isinstance(inner, tuple)]

    def equate(self, first: Node, side: Node) -> None:
        """Record that the answer wrote an expression in another form: (2x + 7) - x = x + 7."""
        if first != side and has_names(first):
            self._rewritten.add(self.form(first))

    def form(self, side: Node) -> object:
        """Return an expression as a polynomial in the unknowns, at the numbers of the text; None for a number."""
        above, below = self._now.ratio(side)
        if not above or all(not m for m in above):
            return None
        return tuple(sorted(above.items())), tuple(sorted(below.items()))

    def first_form(self, side: Node) -> Node:
        """Return the first form of an expression: expanded brackets lead back to the brackets."""
        if side[0] in ("name", "number") or is_bare(side) or not has_names(side):
            return side
        form = self.form(side)
        known = None if form is None else self._first.get(form)
        if known is not None and not self._has_more_numbers(side, known):
            if known != side:
                self._rewritten.add(form)
            return known
        return (side[0], *(self._first_form_of_part(part) if isinstance(part, tuple) else part for part in side[1:]))

    def _has_more_numbers(self, side: Node, known: Node) -> bool:
        """Decide whether an expression has numbers of the text that its first form has not: 4(y - 1) - 3(y - 1).

        One may be there by chance; a fraction is not, because it may be a number in another unit (2/3 of an hour).
        """
        ours, theirs = (
            {
                origin.number
                for index in literals_of(node)
                if isinstance(origin := self._setup.origin(index), TextOrigin)
            }
            for node in (side, known)
        )
        fractions, known_fractions = (fractions_of(node, self._setup.literals) for node in (side, known))
        more = fractions - known_fractions
        return len(ours - theirs) > 1 or any(may_be_converted(value, self._numbers) for value in more)

    def _first_form_of_part(self, part: Node) -> Node:
        """Return the first form of a part; if all its numbers are of the text, only if the answer equated them."""
        if part[0] in ("name", "number"):
            return part
        of_text = all(isinstance(self._setup.origin(index), TextOrigin) for index in literals_of(part))
        if of_text and not (has_names(part) and self.form(part) in self._rewritten):
            return part
        return self.first_form(part)


_PARTS = frozenset({12, 24, 60, 3600})  # minutes and seconds of an hour, hours of a day, months of a year, inches


def may_be_converted(fraction: Fraction, numbers: Iterable[Fraction]) -> bool:
    """Decide whether a fraction may be a number of the text in a larger unit: 2/3 of an hour for 40 minutes."""
    return any(number / fraction in _PARTS for number in numbers if number and fraction)


_CALENDAR = (30, 52, 365)
# Factors between two units, and those of the calendar.
BETWEEN_UNITS = frozenset(
    Fraction(*pair) for factor in {*whole_factors(), *_CALENDAR} for pair in ((factor, 1), (1, factor))
)


class Calculations:
    """Adds calculations with numbers alone and their results, in their order.

    A number that remains after expanding brackets is a result too, and so is an amount in another unit.
    """

    def __init__(self, setup: AnswerSetup, now: Evaluation, links: Links, forms: FirstForms) -> None:
        self._setup = setup
        self._now = now
        self._links = links
        self._forms = forms
        self._last: Relation | None = None

    def is_repeated(self, statement: Relation) -> bool:
        """Decide whether a calculation is the one before on its line once more, as ``3*4 = <<3*4=12>>12`` has it."""
        last = self._last
        self._last = statement if _is_calculation(statement) else None
        # On another line the same numbers mostly count other things.
        if last is None or self._last is None or last.line != statement.line:
            return False
        written = _written(statement, self._setup.literals)
        return written is not None and written == _written(last, self._setup.literals)

    def add_expansion(self, at: int, before: Node, after: Node) -> None:
        """Record the origin of a number that remains after expanding brackets: 0.5(40 - x) = 20 - 0.5x."""
        if before[0] in ("name", "number") or not has_names(before) or not has_names(after):
            return
        alone = [(part, minus) for part, minus in _addends(after) if is_bare(part)]
        if len(alone) == 1 and self._forms.form(before) == self._forms.form(after):
            ((part, minus),) = alone
            node = _without_names(before, self._setup.add_constant(Fraction(0)))
            self.add_result(at, ("neg", node) if minus else node, part)

    def add_calculation(self, at: int, sides: tuple[Node, ...]) -> str:
        """Add a calculation, and return its kind."""
        literals = self._setup.literals
        plain = [
            (number, side) for number, side in enumerate(sides) if is_bare(side) and not is_fraction(side, literals)
        ]
        worked = [side for side in sides if not is_bare(side) or is_fraction(side, literals)]
        bare = plain
        if is_ratio(sides[-1], literals) and len(worked) > 1:
            if is_fraction(sides[-1], literals):
                bare = [*plain, (len(sides) - 1, sides[-1])]
            worked = worked[:-1]
        if not worked or (len(sides) == 2 and is_bare(sides[0]) and self._is_converted(sides)):
            return self._conversion(at, sides)
        self._setup.quantities += [(side, at) for side in worked]
        expected, written = self._now.value(worked[0]), as_written(worked[0], literals)
        kind = "step"
        first = sides.index(worked[0])
        before: Node | None = None
        for number, side in bare:
            got = self.amount(side)
            literal = self._setup.literals[literals_of(side)[0]]
            # A calculation with rounded numbers is no slip if it is right as written.
            holds = expected is None or is_nearly(expected, got, literal)
            if not holds and (written is None or not is_nearly(written, got, literal)):
                if number < first:
                    continue  # converted: 40 nickels = 40 * 5 = 200 cents
                if self._in_another_unit(at, worked[0], before, side):
                    continue
                self._setup.add_slip(at, number, expected, got)
                kind = "slip"
            self.add_result(at, worked[0], side, wrong=kind == "slip")
            before = side
        return kind

    def _in_another_unit(self, at: int, node: Node, before: Node | None, side: Node) -> bool:
        """Add that the result before is stated again in another unit: 4 * 25 = 100 cents = 1 dollar."""
        if before is None or self._unit(before) == self._unit(side) or not self.amount(before):
            return False
        factor = self.amount(side) / self.amount(before)
        if factor not in BETWEEN_UNITS:
            return False
        self.add_result(at, ("*", node, self._setup.add_constant(factor)), side)
        return True

    def _is_converted(self, sides: tuple[Node, ...]) -> bool:
        """Decide whether a number is said again as a fraction of a larger unit: 40 minutes = 2/3 hour."""
        number, fraction = sides
        if not is_ratio(fraction, self._setup.literals) or is_fraction(number, self._setup.literals):
            return False
        value, amount = as_written(fraction, self._setup.literals), self.amount(number)
        unit = self._setup.literals[literals_of(fraction)[-1]].unit
        if not value or not amount or not unit or unit == self._unit(number):
            return False
        return value / amount in BETWEEN_UNITS

    def _conversion(self, at: int, sides: tuple[Node, ...]) -> str:
        """Add that two numbers are the same: 5% = 0.05, 48 quarts = 12 gallons, or 90 minutes = 3/2 hours."""
        if sides[-1][0] == "/":
            above, below = (self._setup.literals[index] for index in literals_of(sides[-1]))
            text = f"{above.text}/{below.text}"
            parts = above.value, below.value
            whole = Literal(above.value / below.value, above.start, below.end, text, unit=below.unit, parts=parts)
            sides = (*sides[:-1], self._setup.add_literal(whole))
            self._links.add_fraction(whole.value)
        one, other = self.amount(sides[0]), self.amount(sides[-1])
        literals = [self._setup.literals[literals_of(side)[0]] for side in (sides[0], sides[-1])]
        if one == other:
            if literals[0].percent != literals[1].percent or literals[0].parts != literals[1].parts:
                self.add_result(at, sides[0], sides[-1])
        elif one and other and self._unit(sides[0]) != self._unit(sides[-1]) and other / one in BETWEEN_UNITS:
            self.add_result(at, ("*", sides[0], self._setup.add_constant(other / one)), sides[-1])
        return "remark"

    def _unit(self, node: Node) -> str:
        return self._setup.literals[literals_of(node)[0]].unit

    def add_result(self, at: int, node: Node, stated: Node, wrong: bool = False) -> None:
        """Add the result of a calculation, and whether it is wrong."""
        literal = self._setup.literals[literals_of(stated)[0]]
        if stated[0] == "neg":
            node = ("neg", node)
        self._links.add(literal, wrong)
        self._setup.add_result(node, literal, at)
        if literal.parts is not None and literal.parts[0] == 1:
            # A worker who does 1/60 of a job in a minute needs 60 minutes; answers rarely say so.
            self._setup.add_quantity(("/", self._setup.add_constant(Fraction(1)), node), at)

    def amount(self, node: Node) -> Fraction:
        """Return the value of a side that is one number."""
        value = self._setup.literals[literals_of(node)[0]].amount
        return -value if node[0] == "neg" else value


def _is_calculation(statement: Relation) -> bool:
    """Decide whether a statement is a calculation with numbers alone and its result."""
    sides = statement.sides
    return len(sides) == 2 and not is_bare(sides[0]) and not any(map(has_names, sides))


def _written(statement: Relation, literals: list[Literal]) -> object:
    """Return the numbers of a calculation and its result; None if that is too long."""
    value = as_written(statement.sides[0], literals)
    if value is None:
        return None
    return [sorted(literals[index].value for index in literals_of(side)) for side in statement.sides], value


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


_ONES = frozenset(map(Fraction, (1, 100)))


class Builder:
    """Builds the set-up from the statements of an answer, in their order."""

    def __init__(self, literals: Sequence[Literal], text: NumberOrigins) -> None:
        self._setup = AnswerSetup.begin(literals, text)
        algebra = Algebra()
        numbers = [algebra.number(value) for value in text.values]
        self._now = Evaluation(self._setup, algebra, numbers, zeros=False)
        self._defined: set[str] = set()
        self._links = Links(self._setup, text, self._now)
        self._forms = FirstForms(self._setup, self._now, text.values)
        self._calculations = Calculations(self._setup, self._now, self._links, self._forms)

    def add(self, at: int, statement: Relation, dropped: bool) -> None:
        """Add a statement; one that is dropped belongs to an attempt that was given up."""
        if dropped or self._calculations.is_repeated(statement):
            self._setup.add_kind("dropped" if dropped else "step")
            return
        kind = "expression"
        sides = self._links.link(statement.sides)
        try:
            if len(sides) == 1:
                self._forms.add(sides[0], at)
            else:
                kind = self._equalities(at, sides, statement.signs)
        except (LimitError, ZeroDivisionError):
            kind = "unread"
        self._setup.add_kind(kind)

    def _equalities(self, at: int, sides: tuple[Node, ...], signs: tuple[str, ...]) -> str:
        kinds = []
        if not any(map(has_names, sides)):
            return self._calculations.add_calculation(at, sides)
        first = sides[0]
        for number in range(1, len(sides)):
            kind = self._equality(at, number, first, sides[number], signs[number - 1])
            if kind == "step" and is_bare(sides[number]) and first[0] not in ("name", "number"):
                self._calculations.add_result(at, first, sides[number])
            if kind != "slip":
                self._calculations.add_expansion(at, sides[number - 1], sides[number])
            kinds.append(kind)
        return next((kind for kind in ("set-up", "slip", "unread", "step", "value") if kind in kinds), kinds[0])

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
        left, right = self._forms.first_form(left), self._forms.first_form(right)
        worded = left[0] == "name" and is_worded(left[1])
        if worded and right[0] != "name" and (sign == "is" or left[1] in self._defined):
            self._setup.add_weak(left, right, at)
            self._forms.add(right, at)
            return "definition"
        if worded:
            self._defined.add(left[1])
        outcome = self._now.add(left, right)
        if outcome in ("new", "waits"):
            self._setup.add_equation(left, right, at)
            self._forms.add(left, at)
            self._forms.add(right, at)
            return "set-up"
        if outcome == "follows":
            if self._forms.form(left) == self._forms.form(right):  # without the solution
                self._forms.add(left, at)
                self._forms.equate(left, right)
            return "step"
        if self._nearly_equal(left, right):
            return "step"
        if left[0] != "name" and has_names(left) and has_names(right) and literals_of(right):
            self._forms.add_form(right, left)  # a slip, but later steps build on it
        self._setup.add_slip(at, number, self._now.value(left), self._now.value(right))
        return "slip"

    def _state(self, name: str, node: Node) -> None:
        """Record the value that a calculation gives to a name, as it is written: x = 25/3."""
        value = as_written(node, self._setup.literals)
        if value is not None and literals_of(node):
            self._links.state(name, value, fraction=True)

    def _is_formula(self, names: set[str]) -> bool:
        """Decide whether names without numbers are a formula to be remembered: distance = rate * time."""
        new = sum(name not in self._now.names for name in names)
        if new <= 1 and new < len(names):
            return False  # it defines one thing by others that are known
        return len(names) >= 3 or all(is_worded(name) for name in names)

    def _value(self, at: int, number: int, name: str, stated: Node, sign: str) -> str:
        literal = self._setup.literals[literals_of(stated)[0]]
        got = self._calculations.amount(stated)
        known = self._now.value(("name", name))
        self._links.state(name, got, fraction=literal.parts is not None)
        if known is not None:
            if is_nearly(known, got, literal):
                return "value"
            self._setup.add_slip(at, number, known, got)
            return "slip"
        origin = self._setup.origin(literals_of(stated)[0])
        itself = isinstance(origin, NameOrigin) and origin.name == name
        inverted = is_worded(name) and origin.change.inverse and literal.parts is not None
        if itself or not (_gives_value(origin, got) or inverted):
            return "value"
        if sign == "is":
            self._setup.add_weak(("name", name), stated, at)
            return "value"
        if self._now.add(("name", name), stated) in ("new", "waits"):
            self._setup.add_equation(("name", name), stated, at)
            return "set-up"
        return "value"

    def _nearly_equal(self, left: Node, right: Node) -> bool:
        a, b = self._now.value(left), self._now.value(right)
        if a is None or b is None:
            return False
        literals = [self._setup.literals[i] for i in literals_of(left) + literals_of(right)]
        if not any(literal.places >= 2 for literal in literals):
            return False
        return abs(Fraction(a) - Fraction(b)) <= CARRIED_ROUNDING * max(abs(Fraction(a)), abs(Fraction(b)))

    def _is_open(self) -> bool:
        """Decide whether a letter is still undetermined."""
        return any(not is_worded(name) and self._now.value(("name", name)) is None for name in self._now.names)

    def finish(self) -> AnswerSetup:
        """Return the set-up; implied equalities are used only if nothing else determines an unknown."""
        for left, right, at in self._setup.weak:
            names = [name for name in names_of(left) | names_of(right) if name not in self._now.names]
            fresh = left[0] == "name" and left[1] in names and is_worded(left[1])
            if not fresh and not self._is_open():
                continue
            try:
                if self._now.add(left, right) == "new":
                    self._setup.add_equation(left, right, at)
            except (LimitError, ZeroDivisionError):
                continue
        kept = self._setup.remove_namings()
        names = [name for name in self._now.names if name in kept or not is_worded(name)]
        self._setup.quantities += [(("name", name), -1) for name in names]
        self._setup.fits = self._fits()
        found = [*((result.node, result.at) for result in self._setup.results), *self._setup.quantities]
        for node in dict.fromkeys(node for node, _ in reversed(found)):
            try:
                value = self._now.value(node)
            except (LimitError, ZeroDivisionError):
                continue
            if value is not None:
                self._setup.add_value(node, Fraction(value))
        return self._setup

    def _fits(self) -> bool:
        """Decide whether the last stated value of each letter is the solution; there must be at least one."""
        letters = {name: values[-1][0] for name, values in self._setup.stated.items() if not is_worded(name)}
        known = [(self._now.value(("name", name)), stated) for name, stated in letters.items()]
        return bool(known) and all(value is not None and abs(value - got) <= abs(got) / 100 for value, got in known)


def _gives_value(origin: Origin, value: Fraction) -> bool:
    """Decide whether the value of an unknown is given and not solved for: a number of the text, or a result."""
    match origin:
        case ConstantOrigin():
            return value in _ONES
        case TextOrigin():
            return origin.change in (UNCHANGED, IN_PERCENT)
        case ResultOrigin() | NameOrigin():
            return True
        case PairOrigin() | RestOrigin():
            return False
        case _:
            assert_never(origin)


MAX_ATTEMPTS = 4  # attempts tried, the last first
_ANEW = re.compile(
    r"\b(?:mistakes?|wait|try again|let's try|let us try|however|different approach|another (?:way|approach)|actually|"
    r"oops|errors?|apologi[sz]e|redo|re-?evaluate|re-?examine|start over|does(?:n't| not) make sense|"
    r"not (?:possible|valid)|impossible|incorrect|correct(?:ion|ed)?|instead|go back|revis\w+|contradict\w+|wrong|"
    r"misread|sorry)\b",
    re.IGNORECASE,
)


def build_setup(
    statements: Sequence[Relation], literals: Sequence[Literal], text: NumberOrigins, answer: str
) -> AnswerSetup:
    """Return the set-up of the last attempt that leads to the result, else of the first.

    An attempt begins with the first statement, and again where the answer says so ("let's try again") and gives an
    equation with numbers of the text that contradicts the statements before.
    """
    first = _attempt(statements, literals, text, ())
    if not first.slips or first.fits:
        return first
    slips = [at for at in sorted({slip.at for slip in first.slips}) if _may_begin(first, statements[at].sides)]
    for words in list(_ANEW.finditer(answer))[: -MAX_ATTEMPTS - 1 : -1]:
        start = next((at for at in slips if statements[at].start >= words.end()), None)
        if start is None:
            continue
        other = _attempt(statements, literals, text, range(start))
        share = Fraction(1, 2) if other.fits else 1
        if (other.fits or other.is_solved) and _given(other) >= share * _given(first):
            return other
    return first


def _attempt(
    statements: Sequence[Relation], literals: Sequence[Literal], text: NumberOrigins, dropped: Container[int]
) -> AnswerSetup:
    builder = Builder(literals, text)
    for at, statement in enumerate(statements):
        builder.add(at, statement, dropped=at in dropped)
    return builder.finish()


def without_contradictions(
    statements: Sequence[Relation], text: NumberOrigins, first: AnswerSetup
) -> AnswerSetup | None:
    """Return the set-up without the statements that the values stated last contradict; None if there are none.

    Those may be misread or silently dropped, or have a letter that stands for two things. A right equation is
    contradicted too if a slip follows it, so this is only another reading of the answer.
    """
    values = {name: stated[-1][0] for name, stated in first.stated.items()}
    dropped: set[int] = set()
    defined: dict[str, list[tuple[int, Fraction]]] = {}
    for at, statement in enumerate(statements):
        if first.kinds[at] not in ("set-up", "definition"):
            continue
        known = [as_written(side, first.literals, values) for side in statement.sides]
        found = [value for value in known if value is not None]
        if any(_differ(value, found[0]) for value in found):
            dropped.add(at)
        for side, value in zip(statement.sides, known, strict=True):
            if value is None and side[0] == "name" and found:
                defined.setdefault(side[1], []).append((at, found[0]))
    for places in defined.values():
        if any(_differ(value, places[0][1]) for _, value in places):
            dropped.update(at for at, _ in places)
    return _attempt(statements, first.literals, text, dropped) if dropped else None


def _differ(value: Fraction, other: Fraction) -> bool:
    """Decide whether two values differ by more than rounded numbers on the way explain."""
    return abs(value - other) > max(abs(value), abs(other)) / 100


def _given(setup: AnswerSetup) -> int:
    """Return how many numbers of the text stand in the equations."""
    sides = [side for left, right, _ in setup.equations for side in (left, right)]
    return sum(len(numbers_of(setup.origin(index))) for side in sides for index in literals_of(side))


def _may_begin(setup: AnswerSetup, sides: Sequence[Node]) -> bool:
    """Decide whether a statement may begin another attempt: an equation whose numbers are those of the text."""
    if not any(has_names(side) for side in sides) or (sides[0][0] == "name" and any(map(is_bare, sides))):
        return False
    indices = [index for side in sides for index in literals_of(side)]
    known = [setup.origin(index) for index in indices if setup.literals[index].value not in (0, 1, 2)]
    return bool(known) and all(map(_is_given, known))


def _is_given(origin: Origin) -> bool:
    """Decide whether an origin is a number of the text, or a sum of two."""
    return isinstance(origin, TextOrigin) or (isinstance(origin, PairOrigin) and origin.sign == "+")
