"""Links: where does each number of a statement come from, given the statements before it.

A number may be a number of the text, in one of its forms (`sources`). Or it may be something that was found before: the
result of a calculation (as it is, in percent, as the rest of a whole, or as a numerator), or the stated value of a
name. A result that has not been used yet is preferred, because the next step is usually about it; otherwise the text
comes first.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Sequence
from fractions import Fraction

from draw_dataset.answers.sources import CONSTANTS, Pair, TextSources
from draw_dataset.core.quantities import Evaluation, Literal, Node, SetUp, Source, has_names, is_bare, literals_of
from draw_dataset.core.quantities.expressions import CONSTANT
from draw_dataset.core.quantities.points import in_lowest_terms

_ONE = CONSTANT.scale  # the very object that sources have by default, so that comparing them is quick

_RECENT = 60
"""How many results are tried, the latest ones, and how many names."""

_MOST = 4
"""How many results and names are sources of one number."""


class Links:
    """Finds the sources of the numbers of statements, one statement after the other.

    Args:
        setup: where literals, sources and results are kept.
        stated: where the values are kept that are stated of each name, and whether as a fraction.
        text: the numbers of the text.
        now: what the equations so far determine.
    """

    def __init__(
        self,
        setup: SetUp,
        stated: dict[str, list[tuple[Fraction, bool]]],
        text: TextSources,
        now: Evaluation,
    ) -> None:
        self._setup = setup
        self._stated = stated
        self._text = text
        self._now = now
        self._by_amount: defaultdict[Pair, list[int]] = defaultdict(list)
        self._by_value: defaultdict[Pair, list[int]] = defaultdict(list)
        self._by_numerator: defaultdict[Pair, list[int]] = defaultdict(list)
        self._used: set[object] = set()
        self._wrong: set[int] = set()
        self._named: dict[int, bool] = {}
        self._ranks: dict[str, int] = {}
        self._by_stated: defaultdict[tuple[int, int, bool], list[tuple[int, str]]] = defaultdict(list)

    def link(self, sides: Sequence[Node]) -> tuple[Node, ...]:
        """Find the sources of a statement's numbers; a fraction is one number only if it was a result before.

        Args:
            sides: of the statement.

        Returns:
            The sides, with fractions that are two numbers taken apart.
        """
        found = []
        named = any(has_names(side) for side in sides)
        literals = self._setup.literals
        for side in sides:
            bare, new = is_bare(side), side
            indices = literals_of(side)
            if not bare and any(literals[index].parts is not None for index in indices):
                new = self._split(side)
                indices = literals_of(new)
            if self._text.fractions and not bare:
                new = self._joined(new)
                indices = literals_of(new)
            hundreds = [index for index in indices if literals[index].value == 100]
            percentages = _divisors(new).intersection(hundreds) if hundreds else ()
            for index in indices:
                self._setup.sources[index] = self._sources(index, bare, named, index in percentages)
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

    def state(self, name: str, value: Fraction, fraction: bool) -> None:
        """Record a value that is stated of a name, and whether as a fraction."""
        self._stated.setdefault(name, []).append((value, fraction))
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
            parts = []
            for value in literal.parts:
                parts.append(("number", len(self._setup.literals)))
                self._setup.literals.append(Literal(value, literal.start, literal.end, str(value)))
                self._setup.sources.append([CONSTANT])
            return ("/", *parts)
        return (node[0], *(self._split(part) if isinstance(part, tuple) else part for part in node[1:]))

    def _joined(self, node: Node) -> Node:
        """Return a product in which a fraction of the text is one factor again: 27 / 3 * 2 if the text has 2/3."""
        if node[0] in ("name", "number"):
            return node
        if node[0] not in ("*", "/"):
            return (node[0], *(self._joined(part) if isinstance(part, tuple) else part for part in node[1:]))
        factors = _factors(node)
        for above, over in factors:
            for below, under in factors:
                if above[0] == below[0] == "number" and under and not over and self._is_part(above[1], below[1]):
                    rest = [(self._joined(factor), flag) for factor, flag in factors if factor not in (above, below)]
                    value = self._setup.literals[above[1]].value / self._setup.literals[below[1]].value
                    index = len(self._setup.literals)
                    first = self._setup.literals[above[1]]
                    self._setup.literals.append(Literal(value, first.start, first.end, str(value)))
                    self._setup.sources.append([CONSTANT])
                    return _product([(("number", index), False), *rest])
        return (node[0], *(self._joined(part) for part in node[1:]))

    def _is_part(self, above: int, below: int) -> bool:
        """Say whether two numbers are numerator and denominator of a fraction of the text, and not both its numbers."""
        one, other = self._setup.literals[above], self._setup.literals[below]
        if other.value in (0, 1) or one.value in (0, 1) or one.percent or other.percent or one.rank or other.rank:
            return False
        value = one.value / other.value
        return (
            value.denominator == other.value
            and value in self._text.values
            and not (self._is_known(one) and self._is_known(other))
        )

    def _is_known(self, literal: Literal) -> bool:
        return literal.value in self._text.values or bool(self._by_value.get(literal.value.as_integer_ratio()))

    def _is_one_number(self, literal: Literal) -> bool:
        """Say whether a fraction is a form of one number of the text, as 1/3 of an hour for 20 minutes."""
        forms = self._text.forms(literal)
        if forms.is_number:
            return True
        stated = {result.stated.value for result in self._setup.results[-_RECENT:]}
        if any(part != 1 and (part in self._text.values or part in stated) for part in literal.parts or ()):
            return False
        return bool(forms.direct or forms.rarer)

    def _sources(self, index: int, bare: bool, named: bool, hundred: bool) -> list[Source]:
        literal = self._setup.literals[index]
        if literal.rank:
            return [Source("text", self._text.classes[literal.rank - 1])]
        forms = self._text.forms(literal)
        direct = forms.direct
        earlier = self._earlier(literal)
        fresh = [source for source in earlier if self._is_fresh(source)]
        if fresh and direct:
            # The next step is usually about a result that has not been used yet.
            found = [*fresh, *direct, *(source for source in earlier if source not in fresh)]
        else:
            found = [*direct, *earlier]
        if found and found[0].kind == "result" and not bare:
            self._used.add(found[0].of)
        found += forms.fraction
        value = literal.value
        if not literal.percent and (value == 1 or not value):
            # The number 1 rarely comes from the text: it is the whole job, or a factor that is not written.
            first = fresh or [source for source in earlier if source.kind == "result" and self._is_number(source)]
            return [*first, CONSTANT, *(source for source in found if source not in first)]
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
            found += [source for source in forms.others if source not in found]
            if named:
                # An equation may contain a sum that was computed before; a step of a chain would have stated it.
                found += [source for source in forms.two if source.kind in ("sum", "difference")]
        return [*found[:8], CONSTANT, *self._rests(literal)]

    def _rests(self, literal: Literal) -> list[Source]:
        """Return the numbers of the text of which a literal may be what a result leaves, if that is a part of it."""
        found: list[Source] = []
        results = self._setup.results
        above, below = literal.amount.as_integer_ratio()
        if above <= 0:
            return found
        for number in range(len(results) - 1, max(len(results) - 5, -1), -1):
            result = results[number]
            more, under = result.stated.amount.as_integer_ratio()
            total = (above + more, 1) if below == under == 1 else _sum(above, below, more, under)
            for whole in self._text.having(total):
                parts = [self._setup.sources[index][0] for index in literals_of(result.node)]
                if any(part.kind == "text" and part.of == whole.of for part in parts):
                    found.append(Source("rest", (whole.of, number)))
        return found[:2]

    def _is_fresh(self, source: Source) -> bool:
        """Say whether a source is the result of a calculation with numbers that has not been used yet."""
        if source.kind != "result" or source.of in self._used or source.of in self._wrong:
            return False
        return self._is_number(source)

    def _is_number(self, source: Source) -> bool:
        """Say whether a result comes from a calculation with numbers alone."""
        if source.scale != 1 or source.offset:
            return False
        number = source.of
        if number not in self._named:
            self._named[number] = has_names(self._setup.results[number].node)
        return not self._named[number]

    def _earlier(self, literal: Literal) -> list[Source]:
        """Return the results and stated values that a literal may be, the latest first."""
        found: list[Source] = []
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
            scale = _scale_between(result.stated, literal)
            if scale is not None and (literal.parts is None or result.stated.parts is not None):
                found.append(Source("result", number, scale))
            elif 0 < amount < 1 and amount + result.stated.amount == 1:
                found.append(Source("result", number, Fraction(-1), Fraction(1)))  # the rest of a whole
            elif result.stated.parts is not None and result.stated.parts[0] == literal.value:
                found.append(Source("result", number, result.stated.parts[1]))  # 11x = 12, where 11/12 was found
        for _, name in self._by_stated.get((above, below, literal.parts is not None), ())[:_RECENT]:
            if len(found) == _MOST:
                break
            if self._now.value(("name", name)) is not None:
                found.append(Source("name", name))
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


def _sum(a: int, b: int, c: int, d: int) -> Pair:
    """Return a/b + c/d."""
    return in_lowest_terms(a * d + c * b, b * d)


def _scale_between(stated: Literal, literal: Literal) -> Fraction | None:
    """Return what a stated result is multiplied by in a literal: 50% may come again as 50 or .5."""
    if stated.percent == literal.percent:
        return _ONE if stated.value == literal.value else None
    if stated.percent:
        if literal.value == stated.value:
            return Fraction(100)
        return _ONE if literal.value * 100 == stated.value else None
    return _ONE if literal.value == stated.value * 100 else Fraction(1, 100) if literal.value == stated.value else None
