"""Provenance of numbers: the numbers of a text that a number in an answer may come from.

A number of an answer may be a number of the text as it is or in another form (5% as .05, dollars as cents, "half" as a
division by 2, 15% off as .85), or two of them combined. All origins that fit its value are listed, the most natural
first, because the number itself rarely shows which one is meant. A rounded number stands for the exact one.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from fractions import Fraction
from functools import cached_property
from itertools import permutations
from math import lcm
from operator import itemgetter
from typing import Generic, TypeVar

from draw_dataset.algebra.number import is_rounded
from draw_dataset.reading.points import UNITS, in_lowest_terms
from draw_dataset.reading.quantities import IN_PERCENT, Change, Literal, Origin, PairOrigin, TextOrigin

# Numerator and denominator of a number. As the key of a table it is many times faster than a fraction.
Pair = tuple[int, int]

# Factors between common units: cents, minutes, months, feet.
SCALES: tuple[Fraction, ...] = (*UNITS, *map(Fraction, (16, 3, 36, 10**6)), Fraction(1, 10**6))

# Factors by which people multiply or divide an equation.
MULTIPLES: tuple[Fraction, ...] = tuple(Fraction(*pair) for n in (2, 4, 5, 6, 8, 10) for pair in ((n, 1), (1, n)))

CONSTANTS = frozenset(map(Fraction, ("0", "1", "2", "10", "100", "1/100")))
_Found = TypeVar("_Found", TextOrigin, PairOrigin)


class _Near(Generic[_Found]):
    """Numbers sorted by size, each with its origins, to find those that a literal may have been rounded from."""

    def __init__(self, origins: Iterable[tuple[Fraction, Sequence[_Found]]]) -> None:
        # Floats only narrow the search; numbers with more digits than any literal are left out.
        self._sorted: list[tuple[float, Fraction, Sequence[_Found]]] = sorted(
            ((float(abs(value)), value, found) for value, found in origins if abs(value) < _LARGEST),
            key=itemgetter(0),
        )
        self._sizes = [size for size, _, _ in self._sorted]

    def find(self, literal: Literal) -> list[_Found]:
        """Return the origins of the numbers that a literal may be, exactly or rounded."""
        size = float(abs(literal.value))
        width = 2 * 10.0**-literal.places + size * 1e-12
        low, high = bisect_left(self._sizes, size - width), bisect_right(self._sizes, size + width)
        return [
            origin
            for _, value, origins in self._sorted[low:high]
            if is_rounded(abs(value), abs(literal.value), literal.step)
            for origin in origins
        ]


class NumberOrigins:
    """Numbers of a text by class, with tables by value to find the origins of literals.

    `classes` has the class of each number (by default its own), `scales` the factors that an answer may use.
    """

    def __init__(
        self,
        values: Sequence[Fraction],
        classes: Sequence[int] | None = None,
        scales: Set[Fraction] | None = None,
    ) -> None:
        self.values = tuple(values)
        self._factors = _FACTORS if scales is None else _by_pair(scales - {_HUNDREDTH})
        self.classes = tuple(range(len(values)) if classes is None else classes)
        ranks = {class_: rank for rank, class_ in reversed(list(enumerate(self.classes, 1)))}
        self.labels = tuple(f"q{ranks[class_]}" if class_ in ranks else "q?" for class_ in range(len(values)))
        # Whether there is a fraction such as 2/3, whose parts may stand apart in an answer.
        self.fractions = any(value.numerator > 1 and value.denominator > 1 for value in self.values)
        self._known: dict[object, Forms] = {}
        self._direct: dict[Pair, list[TextOrigin]] = {}
        for index, value in enumerate(self.values):
            self._direct.setdefault(value.as_integer_ratio(), []).append(TextOrigin(index))

    # Tables that few literals need are made when the first one does.

    @cached_property
    def _forms(self) -> dict[Pair, list[TextOrigin]]:
        """Percentages and reciprocals."""
        found: dict[Pair, list[TextOrigin]] = {}
        for index, value in enumerate(self.values):
            above, below = value.as_integer_ratio()
            if above:
                part = in_lowest_terms(above, 100 * below)
                found.setdefault(part, []).append(TextOrigin(index, IN_PERCENT))
            if above not in (0, below):
                inverse = (below, above) if above > 0 else (-below, -above)
                found.setdefault(inverse, []).append(TextOrigin(index, _INVERSE))
        return found

    @cached_property
    def _whole(self) -> tuple[list[int], int]:
        """The values as integers over one denominator, because comparing pairs of integers is many times faster."""
        below = lcm(*(value.denominator for value in self.values))
        return [value.numerator * (below // value.denominator) for value in self.values], below

    def _pairs(self, wanted: Fraction) -> list[PairOrigin]:
        """Return the pairs of numbers whose sum, difference, product or quotient is a value."""
        found: list[PairOrigin] = []
        if len(self.values) > MAX_NUMBERS:
            return found
        values, below = self._whole
        above, under = wanted.numerator, wanted.denominator
        product, sum_ = above * below * below, above * below
        for i, a in enumerate(values):
            for j, b in enumerate(values):
                if i < j:
                    both = a * b * under
                    if both == product:
                        found.append(PairOrigin("*", i, j))
                    if both == 100 * product:
                        found.append(PairOrigin("*", i, j, IN_PERCENT))
                    if (a + b) * under == sum_:
                        found.append(PairOrigin("+", i, j))
                if i != j:
                    if (a - b) * under == sum_:
                        found.append(PairOrigin("-", i, j))
                    if b and a * under == above * b:
                        found.append(PairOrigin("/", i, j))
        return found

    @cached_property
    def _near_direct(self) -> _Near[TextOrigin]:
        return _Near((Fraction(*pair), found) for pair, found in self._direct.items() if pair[1] > 1)

    @cached_property
    def _near_inverse(self) -> _Near[TextOrigin]:
        return _Near((1 / value, [TextOrigin(index, _INVERSE)]) for index, value in self._proper())

    @cached_property
    def _near_unit(self) -> _Near[TextOrigin]:
        return _Near(
            (value * scale, [TextOrigin(index, Change(scale))])
            for index, value in self._proper()
            for scale in SCALES[1:6]
        )

    @cached_property
    def _near_quotient(self) -> _Near[PairOrigin]:
        quotients: dict[Fraction, list[PairOrigin]] = {}
        listed = list(enumerate(self.values)) if len(self.values) <= MAX_NUMBERS else []
        for (i, a), (j, b) in permutations(listed, 2):
            if b:
                quotients.setdefault(a / b, []).append(PairOrigin("/", i, j))
        return _Near((value, origins) for value, origins in quotients.items() if value.denominator > 1)

    def _proper(self) -> Iterator[tuple[int, Fraction]]:
        return ((index, value) for index, value in enumerate(self.values) if value not in (0, 1))

    def forms(self, literal: Literal) -> Forms:
        """Return the cached forms of a literal."""
        # "7.5" may be 7.5 million
        key = literal.text, literal.value.as_integer_ratio(), literal.percent, literal.parts
        found = self._known.get(key)
        if found is None:
            if len(self._known) >= MAX_KNOWN:
                self._known.clear()
            self._known[key] = found = Forms(self, literal)
        return found

    def with_value(self, value: Pair) -> Sequence[TextOrigin]:
        """Return the numbers of the text that have a value."""
        return self._direct.get(value, ())

    def direct(self, literal: Literal) -> list[TextOrigin]:
        """Return the numbers of the text that a literal is, as they stand, rounded, or with the other sign."""
        value = literal.value
        if literal.percent:
            shown = [TextOrigin(origin.number, IN_PERCENT) for origin in self.with_value(value.as_integer_ratio())]
            return [*shown, *self.with_value((value / 100).as_integer_ratio())]
        above, below = value.as_integer_ratio()
        found = self._direct.get((above, below))
        if found:
            return list(found)
        if above:
            found = [TextOrigin(origin.number, _NEGATIVE) for origin in self.with_value((-above, below))]
            if found:
                return found
        return self._near_direct.find(literal) if literal.places >= 1 else []

    def of_fraction(self, literal: Literal) -> list[Origin]:
        """Return the numbers that stand above or below in a fraction."""
        if literal.parts is None:
            return []
        above, below = literal.parts
        tops, bottoms = self.with_value(above.as_integer_ratio()), self.with_value(below.as_integer_ratio())
        found: list[Origin] = [
            PairOrigin("/", i.number, j.number) for i in tops for j in bottoms if i.number != j.number
        ]
        if below not in (0, 1):
            found += [TextOrigin(origin.number, Change(1 / below)) for origin in tops]
        return [*found, *(TextOrigin(origin.number, Change(above, inverse=True)) for origin in bottoms)]

    def other_forms(self, literal: Literal) -> list[TextOrigin]:
        """Return the numbers of which a literal may be another form: a percentage or a reciprocal."""
        shown = literal.amount
        found = list(self._forms.get(shown.as_integer_ratio(), ()))
        if not found and literal.places >= 2:
            found = self._near_inverse.find(literal)
        return found

    def rarer_forms(self, literal: Literal) -> list[TextOrigin]:
        """Return the numbers of which a literal may be a rarer form: a complement, or another unit."""
        shown = literal.amount
        if not shown:
            return []
        found = []
        pair = shown.as_integer_ratio()
        for index, value in enumerate(self.values):
            if value:
                found += _rarely(index, value.as_integer_ratio(), pair, self._factors)
        if not found and literal.places >= 2:
            found = self._near_unit.find(literal)
        return found

    def of_two(self, literal: Literal) -> list[PairOrigin]:
        """Return the pairs of numbers that a literal may have been computed from silently."""
        shown = literal.amount
        if not shown:
            return []
        found = self._pairs(shown)
        if not found and literal.places >= 2:
            found = self._near_quotient.find(literal)
        return found


def _rarely(index: int, value: Pair, shown: Pair, factors: Mapping[Pair, Fraction]) -> list[TextOrigin]:
    """Return a number as origin of `shown`, if that is a complement of it or the number in another unit."""
    given, below = value
    # Everything is multiplied by both denominators: comparing ints is many times faster.
    unit = shown[1] * below
    wanted, given = shown[0] * below, given * shown[1]
    found: list[TextOrigin] = []
    if (
        abs(wanted - given) in (unit, 100 * unit)
        or wanted + given in (unit, 100 * unit)
        or 100 * abs(wanted - unit) == abs(given)
    ):
        forms = (
            (100 * (wanted - unit) == given, _PART),
            (100 * (unit - wanted) == given, _MINUS_PART),
            (wanted - unit == given, _SUMS[0]),
            (unit - wanted == given, _SUMS[1]),
            (wanted + unit == given, _SUMS[2]),
            (100 * unit - wanted == given, _REST),
            (wanted - 100 * unit == given, _MORE),
        )
        found = [TextOrigin(index, change) for fits, change in forms if fits]
    if given != unit:  # the number is not 1
        above, under = (wanted, given) if given > 0 else (-wanted, -given)
        scale = factors.get(in_lowest_terms(above, under))
        if scale is not None:
            found.append(TextOrigin(index, Change(scale)))
    return found


def _by_pair(factors: Iterable[Fraction]) -> dict[Pair, Fraction]:
    return {factor.as_integer_ratio(): factor for factor in factors}


class Forms:
    """Origins of one literal among the numbers of a text, each kind looked up on first use."""

    def __init__(self, text: NumberOrigins, literal: Literal) -> None:
        self._text = text
        self._literal = literal
        self.direct = tuple(text.direct(literal))
        self.fraction = tuple(text.of_fraction(literal))
        self.is_number = bool(text.with_value(literal.value.as_integer_ratio()))  # whether its value is one of the text

    @cached_property
    def others(self) -> tuple[TextOrigin, ...]:
        """The numbers of which it may be another form."""
        return tuple(self._text.other_forms(self._literal))

    @cached_property
    def rarer(self) -> tuple[TextOrigin, ...]:
        """The numbers of which it may be a rarer form."""
        return tuple(self._text.rarer_forms(self._literal))

    @cached_property
    def two(self) -> tuple[PairOrigin, ...]:
        """The pairs that it may have been computed from."""
        return tuple(self._text.of_two(self._literal))


MAX_KNOWN = 500  # cached literals
_ONE = Fraction(1)
_LARGEST = 10**30
_HUNDREDTH = Fraction(1, 100)
_FACTORS = _by_pair({*SCALES, *MULTIPLES} - {_HUNDREDTH})
_WHOLE = Fraction(100)
_NEGATIVE, _INVERSE = Change(-_ONE), Change(inverse=True)
_PART, _MINUS_PART = Change(_HUNDREDTH, _ONE), Change(-_HUNDREDTH, _ONE)
_SUMS = (Change(_ONE, _ONE), Change(-_ONE, _ONE), Change(_ONE, -_ONE))
# What numbers are multiplied by, and what is added then, in a complement: 1 + 5 %, 1 - 5 %, 1 + n, 1 - n, n - 1, ….
_REST, _MORE = Change(-_ONE, _WHOLE), Change(_ONE, _WHOLE)

MAX_NUMBERS = 14  # pairs of numbers are tried only in texts with at most this many numbers
