"""Links between statements: the origins of each number of a statement, given the statements before it.

A number may be a number of the text, in one of its forms (`provenance`), the result of a calculation (as it is, in
percent, as the rest of a whole, or as a numerator), or the stated value of a name. A result that has not been used yet
is preferred, because the next step is usually about it; otherwise the text comes first.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

from draw_dataset.algebra.nonlinear import Coefficient
from draw_dataset.algebra.number import is_rounded
from draw_dataset.reading.points import in_lowest_terms
from draw_dataset.reading.provenance import CONSTANTS, NumberOrigins, Pair
from draw_dataset.reading.quantities import (
    CONSTANT,
    IN_PERCENT,
    UNCHANGED,
    Change,
    Evaluation,
    Literal,
    NameOrigin,
    Node,
    Origin,
    RestOrigin,
    ResultOrigin,
    SetUp,
    TextOrigin,
    has_names,
    is_bare,
    is_plain,
    is_worded,
    literals_of,
    names_of,
)


@dataclass(frozen=True, slots=True)
class Slip:
    """A statement that does not follow from the set-up."""

    at: int
    side: int  # which side of it, from 0
    expected: Fraction | None  # value by the set-up, if it is one number
    got: Fraction | None


@dataclass(slots=True)
class AnswerSetup(SetUp):
    """Set-up of an answer, the values that it states, and the statements that do not follow."""

    slips: list[Slip] = field(default_factory=list)
    kinds: list[str] = field(default_factory=list)  # kind of each statement
    weak: list[tuple[Node, Node, int]] = field(default_factory=list)
    stated: dict[str, list[tuple[Fraction, bool]]] = field(default_factory=dict)
    fits: bool = False  # whether the values stated last are those that the set-up gives
    values: dict[Node, Fraction] = field(default_factory=dict)
    known: dict[str, Fraction] = field(default_factory=dict)  # the values of the names, if they are determined
    labels: tuple[str, ...] = ()  # q1, q2, … for each class of numbers

    @classmethod
    def begin(cls, literals: Sequence[Literal], text: NumberOrigins) -> AnswerSetup:
        """Return an empty set-up; a literal written as q3 gets the value of that number."""
        own = [replace(one, value=text.values[text.classes[one.rank - 1]]) if one.rank else one for one in literals]
        return cls(own, [(CONSTANT,)] * len(own), labels=text.labels)

    def extended(self) -> AnswerSetup:
        """Return a copy to which literals may be added."""
        return replace(self, literals=[*self.literals], origins=[*self.origins], memory={})

    def add_kind(self, kind: str) -> None:
        """Add the kind of the next statement."""
        self.kinds.append(kind)

    def add_weak(self, left: Node, right: Node, at: int) -> None:
        """Add an implied equality, used only if nothing else determines an unknown."""
        self.weak.append((left, right, at))

    def add_stated(self, name: str, value: Fraction, fraction: bool) -> None:
        """Add a value that the answer states for a name."""
        self.stated.setdefault(name, []).append((value, fraction))

    def add_slip(self, at: int, side: int, expected: Coefficient | None, got: Coefficient | None) -> None:
        """Add a side of a statement that does not follow."""
        values = [None if value is None else Fraction(value) for value in (expected, got)]
        self.slips.append(Slip(at, side, *values))

    def add_value(self, node: Node, value: Fraction) -> None:
        """Add the value of a quantity or a result."""
        self.values[node] = value
        if node[0] == "name":
            self.known[node[1]] = value

    def remove_namings(self) -> set[str]:
        """Remove equations that only give something a name in words which is not used again; return the other names."""
        counts: Counter[str] = Counter()
        for left, right, _ in self.equations:
            counts.update(names_of(left) | names_of(right))
        used = {origin.name for origins in self.origins for origin in origins if isinstance(origin, NameOrigin)}
        kept = []
        for left, right, at in self.equations:
            for one, other in ((left, right), (right, left)):
                if one[0] == "name" and is_worded(one[1]) and counts[one[1]] == 1 and one[1] not in used:
                    if not is_bare(other):
                        self.add_quantity(other, at)
                    if self.kinds[at] == "set-up":
                        self.kinds[at] = "definition"
                    break
            else:
                kept.append((left, right, at))
        self.equations = kept
        return {name for left, right, _ in kept for name in names_of(left) | names_of(right)} | used

    @property
    def is_solved(self) -> bool:
        """Whether the equations determine every letter of which a value is stated, and there is one."""
        letters = [name for name in self.stated if not is_worded(name)]
        return bool(self.equations and letters) and all(name in self.known for name in letters)


def is_nearly(value: Coefficient, stated: Fraction, literal: Literal) -> bool:
    """Decide whether a stated number equals a value, exactly or rounded to the digits that are written."""
    return is_rounded(Fraction(value), stated, literal.step / 100 if literal.percent else literal.step)


_TIMES_HUNDRED = Change(Fraction(100))
_LEFT_OF_ONE = Change(Fraction(-1), Fraction(1))
_RECENT = 60  # latest results, and names, that are tried
_MOST = 4  # results and names listed as origins of one number


class Links:
    """Finds the origins of numbers, one statement after the other; `now` is the evaluation of the set-up so far."""

    def __init__(self, setup: AnswerSetup, text: NumberOrigins, now: Evaluation) -> None:
        self._setup = setup
        self._text = text
        self._now = now
        self._by_amount: defaultdict[Pair, list[int]] = defaultdict(list)
        self._by_value: defaultdict[Pair, list[int]] = defaultdict(list)
        self._by_numerator: defaultdict[Pair, list[int]] = defaultdict(list)
        self._used: set[object] = set()
        self._wrong: set[int] = set()
        self._named: dict[int, bool] = {}
        self._ranks: dict[str, int] = {}
        self._fractions: set[Fraction] = set()
        self._by_stated: defaultdict[tuple[int, int, bool], list[tuple[int, str]]] = defaultdict(list)

    def link(self, sides: Sequence[Node]) -> tuple[Node, ...]:
        """Find the origins of a statement's numbers; return its sides, with fractions of two numbers split."""
        found = []
        named = any(has_names(side) for side in sides)
        literals = self._setup.literals
        for side in sides:
            bare, new = is_bare(side), side
            indices = literals_of(side)
            if not bare and any(literals[index].parts is not None for index in indices):
                new = self._split(side)
                indices = literals_of(new)
            if (self._text.fractions or self._fractions) and not bare:
                new = self._join_fraction(new)
                indices = literals_of(new)
            hundreds = [index for index in indices if literals[index].value == 100]
            percentages = _divisors(new).intersection(hundreds) if hundreds else ()
            for index in indices:
                self._setup.set_origins(index, self._origins(index, bare, named, index in percentages))
            found.append(new)
        return tuple(found)

    def add(self, stated: Literal, wrong: bool = False) -> None:
        """Record that the next result of the set-up is stated as a literal, and whether that is a slip."""
        number = len(self._setup.results)
        if wrong:
            self._wrong.add(number)
        self._by_amount[stated.amount.as_integer_ratio()].append(number)
        self._by_value[stated.value.as_integer_ratio()].append(number)
        if stated.parts is not None and stated.parts[0] not in (0, 1):
            self._by_numerator[stated.parts[0].as_integer_ratio()].append(number)

    def add_fraction(self, value: Fraction) -> None:
        """Record a fraction above one that the answer says is one number, so that its parts stand for it together."""
        self._fractions.add(value)

    def state(self, name: str, value: Fraction, fraction: bool) -> None:
        """Record a value that is stated of a name, and whether as a fraction."""
        self._setup.add_stated(name, value, fraction)
        entry = self._ranks.setdefault(name, len(self._ranks)), name
        for alone in (False, True) if fraction else (False,):
            listed = self._by_stated[(*value.as_integer_ratio(), alone)]
            place = bisect_left(listed, entry)
            if listed[place : place + 1] != [entry]:
                listed.insert(place, entry)

    def _split(self, node: Node) -> Node:
        if node[0] == "name":
            return node
        if node[0] == "number":
            literal = self._setup.literals[node[1]]
            if literal.parts is None or self._earlier(literal) or self._is_one_number(literal):
                return node
            parts = [Literal(value, literal.start, literal.end, str(value)) for value in literal.parts]
            return ("/", *map(self._setup.add_literal, parts))
        return (node[0], *(self._split(part) if isinstance(part, tuple) else part for part in node[1:]))

    def _join_fraction(self, node: Node) -> Node:
        """Return a product in which a fraction of the text is one factor again: 27 / 3 * 2 if the text has 2/3."""
        if node[0] in ("name", "number"):
            return node
        if node[0] not in ("*", "/"):
            return (node[0], *(self._join_fraction(part) if isinstance(part, tuple) else part for part in node[1:]))
        factors = _factors(node)
        for above, over in factors:
            for below, under in factors:
                if above[0] == below[0] == "number" and under and not over and self._is_part(above[1], below[1]):
                    rest = [
                        (self._join_fraction(factor), flag) for factor, flag in factors if factor not in (above, below)
                    ]
                    value = self._setup.literals[above[1]].value / self._setup.literals[below[1]].value
                    first = self._setup.literals[above[1]]
                    whole = self._setup.add_literal(Literal(value, first.start, first.end, str(value)))
                    return _product([(whole, False), *rest])
        return (node[0], *(self._join_fraction(part) for part in node[1:]))

    def _is_part(self, above: int, below: int) -> bool:
        """Decide whether two numbers are numerator and denominator of a fraction of the text, not both known alone."""
        one, other = self._setup.literals[above], self._setup.literals[below]
        if other.value in (0, 1) or one.value in (0, 1) or one.percent or other.percent or one.rank or other.rank:
            return False
        value = one.value / other.value
        if value in self._fractions:
            return True
        if value.denominator != other.value or value not in self._text.values:
            return False
        return not (self._is_known(one) and self._is_known(other))

    def _is_known(self, literal: Literal) -> bool:
        return literal.value in self._text.values or bool(self._by_value.get(literal.value.as_integer_ratio()))

    def _is_one_number(self, literal: Literal) -> bool:
        """Decide whether a fraction is a form of one number of the text, as 1/3 of an hour for 20 minutes."""
        forms = self._text.forms(literal)
        if forms.is_number:
            return True
        stated = {result.stated.value for result in self._setup.results[-_RECENT:]}
        if any(part != 1 and (part in self._text.values or part in stated) for part in literal.parts or ()):
            return False
        return bool(forms.direct or forms.rarer)

    def _origins(self, index: int, bare: bool, named: bool, hundred: bool) -> list[Origin]:
        literal = self._setup.literals[index]
        if literal.rank:
            return [TextOrigin(self._text.classes[literal.rank - 1])]
        forms = self._text.forms(literal)
        direct = forms.direct
        earlier = self._earlier(literal)
        fresh = [origin for origin in earlier if self._is_fresh(origin)]
        if fresh and direct:
            # The next step is usually about a result that has not been used yet.
            found = [*fresh, *direct, *(origin for origin in earlier if origin not in fresh)]
        else:
            found = [*direct, *earlier]
        if found and isinstance(found[0], ResultOrigin) and not bare:
            self._used.add(found[0].result)
        found += forms.fraction
        value = literal.value
        if not literal.percent and (value == 1 or not value):
            # The number 1 rarely comes from the text: it is the whole job, or a factor that is not written.
            first = fresh or [origin for origin in earlier if self._is_number(origin)]
            return [*first, CONSTANT, *(origin for origin in found if origin not in first)]
        if hundred and not direct:
            return [CONSTANT, *found]  # divided by 100: a percentage, whatever else was 100 before
        if not found:
            constant = value in CONSTANTS
            found += forms.others
            if not constant:
                found += forms.two
            found += forms.rarer
            if constant:
                # Two is hardly ever 120 minutes.
                return [CONSTANT, *found[:8]]
        elif not literal.percent:
            found += [origin for origin in forms.others if origin not in found]
            if named and not direct:
                # An equation may contain a sum that was computed before; a step of a chain would have stated it.
                found += [origin for origin in forms.two if origin.sign in ("+", "-")]
        return [*found[:8], CONSTANT, *self._rests(literal)]

    def _rests(self, literal: Literal) -> list[Origin]:
        """Return the numbers of the text that a literal may be minus a recent result that is a part of them."""
        found: list[Origin] = []
        results = self._setup.results
        above, below = literal.amount.as_integer_ratio()
        if above <= 0:
            return found
        for number in range(len(results) - 1, max(len(results) - 5, -1), -1):
            result = results[number]
            more, under = result.stated.amount.as_integer_ratio()
            total = in_lowest_terms(above * under + more * below, below * under)
            for whole in self._text.with_value(total):
                parts = [self._setup.origin(index) for index in literals_of(result.node)]
                if any(isinstance(part, TextOrigin) and part.number == whole.number for part in parts):
                    found.append(RestOrigin(whole.number, number))
        return found[:2]

    def _is_fresh(self, origin: Origin) -> bool:
        """Decide whether an origin is the result of a calculation with numbers that has not been used yet."""
        if not isinstance(origin, ResultOrigin) or origin.result in self._used or origin.result in self._wrong:
            return False
        return self._is_number(origin)

    def _is_number(self, origin: Origin) -> bool:
        """Decide whether an origin is the result of a calculation with numbers alone."""
        if not isinstance(origin, ResultOrigin) or not is_plain(origin):
            return False
        number = origin.result
        if number not in self._named:
            self._named[number] = has_names(self._setup.results[number].node)
        return not self._named[number]

    def _earlier(self, literal: Literal) -> list[Origin]:
        """Return the results, the latest first, and the stated values that a literal may be."""
        found: list[Origin] = []
        amount, oldest = literal.amount, len(self._setup.results) - _RECENT
        alike: set[int] = set()
        above, below = amount.as_integer_ratio()
        if self._by_amount:
            written = literal.value.as_integer_ratio()
            # What is left of a whole has the denominator below too.
            for table, pair in (
                (self._by_amount, (above, below)),
                (self._by_value, written),
                (self._by_amount, (below - above, below)),
                (self._by_numerator, written),
            ):
                if numbers := table.get(pair):
                    alike.update(numbers[-_RECENT:])
        for number in sorted([number for number in alike if number > oldest], reverse=True) if alike else ():
            if len(found) == _MOST:
                return found
            result = self._setup.results[number]
            change = _change_between(result.stated, literal)
            if change is not None and (literal.parts is None or result.stated.parts is not None):
                found.append(ResultOrigin(number, change))
            elif 0 < amount < 1 and amount + result.stated.amount == 1:
                found.append(ResultOrigin(number, _LEFT_OF_ONE))
            elif result.stated.parts is not None and result.stated.parts[0] == literal.value:
                # 11x = 12, where 11/12 was found
                found.append(ResultOrigin(number, Change(result.stated.parts[1])))
        for _, name in self._by_stated.get((above, below, literal.parts is not None), ())[:_RECENT]:
            if len(found) == _MOST:
                break
            if self._now.value(("name", name)) is not None:
                found.append(NameOrigin(name))
        return found


def _divisors(node: Node) -> set[int]:
    """Return the literals by which something is divided."""
    found: set[int] = set()
    todo = [node]
    while todo:
        part = todo.pop()
        if part[0] in ("name", "number"):
            continue
        if part[0] == "/" and part[2][0] == "number":
            found.add(part[2][1])
        todo += [inner for inner in part[1:] if isinstance(inner, tuple)]
    return found


def _factors(node: Node, under: bool = False) -> list[tuple[Node, bool]]:
    """Return the factors of a product or quotient, and whether each is divided by."""
    if node[0] in ("*", "/"):
        return [*_factors(node[1], under), *_factors(node[2], under ^ (node[0] == "/"))]
    return [(node, under)]


def _product(factors: Sequence[tuple[Node, bool]]) -> Node:
    product = factors[0][0]
    for factor, under in factors[1:]:
        product = ("/" if under else "*", product, factor)
    return product


def _change_between(stated: Literal, literal: Literal) -> Change | None:
    """Return the form of a stated result in a literal (50% may recur as 50 or .5); None if it is another number."""
    if stated.percent == literal.percent:
        return UNCHANGED if stated.value == literal.value else None
    if stated.percent:
        if literal.value == stated.value:
            return _TIMES_HUNDRED
        return UNCHANGED if literal.value * 100 == stated.value else None
    if literal.value == stated.value * 100:
        return UNCHANGED
    return IN_PERCENT if literal.value == stated.value else None
