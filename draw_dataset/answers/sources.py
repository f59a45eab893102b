"""Sources: where may a number in an answer come from.

A number of an answer may be a number of the text, as it is or in another form (5% as .05, dollars as cents, "half" as a
division by 2, 15% off as .85), the result of an earlier calculation, the value of an unknown, or a constant. All
sources that fit its value are listed, the most natural first. The number itself rarely shows which one is meant. A
rounded number stands for the exact one from which it was rounded.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from fractions import Fraction
from functools import cached_property
from itertools import permutations
from math import lcm
from operator import itemgetter

from draw_dataset.core.exact import is_rounded
from draw_dataset.core.quantities import Literal, Source
from draw_dataset.core.quantities.points import in_lowest_terms

Pair = tuple[int, int]
"""Numerator and denominator of a number. As the key of a table it is many times faster than a fraction."""

SCALES: tuple[Fraction, ...] = tuple(
    Fraction(text)
    for text in "1/100 100 60 1/60 12 1/12 1000 1/1000 7 24 3600 16 3 36 1/3600 1000000 1/1000000".split()  # noqa: SIM905
)
"""Factors between common units: cents, minutes, months, feet."""

MULTIPLES: tuple[Fraction, ...] = tuple(Fraction(*pair) for n in (2, 4, 5, 6, 8, 10) for pair in ((n, 1), (1, n)))
"""Factors by which people multiply or divide an equation."""

CONSTANTS = frozenset(map(Fraction, ("0", "1", "2", "10", "100", "1/100")))


class _Near:
    """Numbers sorted by size, to find those that a literal may have been rounded from.

    Args:
        sources: the numbers, each with the sources that give it.
    """

    def __init__(self, sources: Iterable[tuple[Fraction, Sequence[Source]]]) -> None:
        # Floats only narrow the search; numbers with more digits than any literal are left out.
        self._sorted = sorted(
            ((float(abs(value)), value, found) for value, found in sources if abs(value) < _LARGEST),
            key=itemgetter(0),
        )
        self._sizes = [size for size, _, _ in self._sorted]

    def find(self, literal: Literal) -> list[Source]:
        """Return the sources of the numbers that a literal may be, exactly or rounded."""
        size = float(abs(literal.value))
        width = 2 * 10.0**-literal.places + size * 1e-12
        low, high = bisect_left(self._sizes, size - width), bisect_right(self._sizes, size + width)
        return [
            source
            for _, value, sources in self._sorted[low:high]
            if is_rounded(abs(value), abs(literal.value), literal.step)
            for source in sources
        ]


class TextSources:
    """The numbers of a text, by class, as sources of literals: tables by value, made once for a text.

    Args:
        values: the value of each class of numbers.
        classes: for each number of the text its class; each is its own if not given.
        scales: factors by which a number may be multiplied in an answer; all of them if not given.

    Attributes:
        values: the value of each class of numbers.
        classes: for each number of the text its class.
        labels: how each class is written.
        fractions: whether the text has a fraction such as 2/3, whose parts may stand apart in an answer.
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
        self.fractions = any(value.numerator > 1 and value.denominator > 1 for value in self.values)
        self._known: dict[object, Forms] = {}
        self._direct: dict[Pair, list[Source]] = {}
        for index, value in enumerate(self.values):
            self._direct.setdefault(value.as_integer_ratio(), []).append(Source("text", index))

    # Tables that few literals need are made when the first one does.

    @cached_property
    def _forms(self) -> dict[Pair, list[Source]]:
        """Percentages and reciprocals."""
        found: dict[Pair, list[Source]] = {}
        for index, value in enumerate(self.values):
            above, below = value.as_integer_ratio()
            if above:
                part = in_lowest_terms(above, 100 * below)
                found.setdefault(part, []).append(Source("text", index, _HUNDREDTH))
            if above not in (0, below):
                inverse = (below, above) if above > 0 else (-below, -above)
                found.setdefault(inverse, []).append(Source("text", index, inverse=True))
        return found

    @cached_property
    def _whole(self) -> tuple[list[int], int]:
        """The values as whole numbers over one denominator: pairs of them are compared many times faster so."""
        below = lcm(*(value.denominator for value in self.values))
        return [value.numerator * (below // value.denominator) for value in self.values], below

    def _pairs(self, wanted: Fraction) -> list[Source]:
        """Return the sums, differences, products and quotients of two numbers that have a value."""
        found: list[Source] = []
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
                        found.append(Source("product", (i, j)))
                    if both == 100 * product:
                        found.append(Source("product", (i, j), _HUNDREDTH))
                    if (a + b) * under == sum_:
                        found.append(Source("sum", (i, j)))
                if i != j:
                    if (a - b) * under == sum_:
                        found.append(Source("difference", (i, j)))
                    if b and a * under == above * b:
                        found.append(Source("quotient", (i, j)))
        return found

    @cached_property
    def _near_direct(self) -> _Near:
        return _Near((Fraction(*pair), found) for pair, found in self._direct.items() if pair[1] > 1)

    @cached_property
    def _near_inverse(self) -> _Near:
        return _Near((1 / value, [Source("text", index, inverse=True)]) for index, value in self._proper())

    @cached_property
    def _near_unit(self) -> _Near:
        return _Near(
            (value * scale, [Source("text", index, scale)]) for index, value in self._proper() for scale in SCALES[1:6]
        )

    @cached_property
    def _near_quotient(self) -> _Near:
        quotients: dict[Fraction, list[Source]] = {}
        listed = list(enumerate(self.values)) if len(self.values) <= MAX_NUMBERS else []
        for (i, a), (j, b) in permutations(listed, 2):
            if b:
                quotients.setdefault(a / b, []).append(Source("quotient", (i, j)))
        return _Near((value, sources) for value, sources in quotients.items() if value.denominator > 1)

    def _proper(self) -> Iterator[tuple[int, Fraction]]:
        return ((index, value) for index, value in enumerate(self.values) if value not in (0, 1))

    def forms(self, literal: Literal) -> Forms:
        """Return what a literal may be among the numbers of the text; the same number is asked for again and again."""
        # "7.5" may be 7.5 million
        key = literal.text, literal.value.as_integer_ratio(), literal.percent, literal.parts
        found = self._known.get(key)
        if found is None:
            if len(self._known) >= MAX_KNOWN:
                self._known.clear()
            self._known[key] = found = Forms(self, literal)
        return found

    def having(self, value: Pair) -> Sequence[Source]:
        """Return the numbers of the text that have a value."""
        return self._direct.get(value, ())

    def direct(self, literal: Literal) -> list[Source]:
        """Return the numbers of the text that a literal is, as they stand, rounded, or with the other sign."""
        value = literal.value
        if literal.percent:
            shown = [source._replace(scale=_HUNDREDTH) for source in self.having(value.as_integer_ratio())]
            return [*shown, *self.having((value / 100).as_integer_ratio())]
        above, below = value.as_integer_ratio()
        found = self._direct.get((above, below))
        if found:
            return list(found)
        if above:
            found = [source._replace(scale=-_ONE) for source in self.having((-above, below))]
            if found:
                return found
        return self._near_direct.find(literal) if literal.places >= 1 else []

    def of_fraction(self, literal: Literal) -> list[Source]:
        """Return the numbers that stand above or below in a fraction."""
        if literal.parts is None:
            return []
        above, below = literal.parts
        tops, bottoms = self.having(above.as_integer_ratio()), self.having(below.as_integer_ratio())
        found = [Source("quotient", (i.of, j.of)) for i in tops for j in bottoms if i.of != j.of]
        if below not in (0, 1):
            found += [source._replace(scale=1 / below) for source in tops]
        return found + [source._replace(scale=above, inverse=True) for source in bottoms]

    def other_forms(self, literal: Literal) -> list[Source]:
        """Return the numbers of which a literal may be another form: a percentage or a reciprocal."""
        shown = literal.value / 100 if literal.percent else literal.value
        found = list(self._forms.get(shown.as_integer_ratio(), ()))
        if not found and literal.places >= 2:
            found = self._near_inverse.find(literal)
        return found

    def rarer_forms(self, literal: Literal) -> list[Source]:
        """Return the numbers of which a literal may be a rarer form: a complement, or another unit."""
        shown = literal.value / 100 if literal.percent else literal.value
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

    def of_two(self, literal: Literal) -> list[Source]:
        """Return the pairs of numbers that a literal may have been computed from silently."""
        shown = literal.value / 100 if literal.percent else literal.value
        if not shown:
            return []
        found = self._pairs(shown)
        if not found and literal.places >= 2:
            found = self._near_quotient.find(literal)
        return found


def _rarely(index: int, value: Pair, shown: Pair, factors: Mapping[Pair, Fraction]) -> list[Source]:
    """Return a number as a source of another one, if that is a complement of it, or it in another unit."""
    given, below = value
    # Everything is multiplied by both denominators: comparing ints is many times faster.
    unit = shown[1] * below
    wanted, given = shown[0] * below, given * shown[1]
    found: list[Source] = []
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
        found = [Source("text", index, scale, offset) for fits, (scale, offset) in forms if fits]
    if given != unit:  # the number is not 1
        above, under = (wanted, given) if given > 0 else (-wanted, -given)
        scale = factors.get(in_lowest_terms(above, under))
        if scale is not None:
            found.append(Source("text", index, scale))
    return found


def _by_pair(factors: Iterable[Fraction]) -> dict[Pair, Fraction]:
    return {factor.as_integer_ratio(): factor for factor in factors}


class Forms:
    """What one literal may be among the numbers of a text; each kind is looked up when it is first asked for.

    Attributes:
        direct: the numbers that it is (`TextSources.direct`).
        fraction: the numbers that stand above or below in it (`TextSources.of_fraction`).
        is_number: whether its value is one of the text.
    """

    __slots__ = ("_literal", "_others", "_rarer", "_text", "_two", "direct", "fraction", "is_number")

    def __init__(self, text: TextSources, literal: Literal) -> None:
        self._text = text
        self._literal = literal
        self.direct = tuple(text.direct(literal))
        self.fraction = tuple(text.of_fraction(literal))
        self.is_number = bool(text.having(literal.value.as_integer_ratio()))
        self._others: tuple[Source, ...] | None = None
        self._rarer: tuple[Source, ...] | None = None
        self._two: tuple[Source, ...] | None = None

    @property
    def others(self) -> tuple[Source, ...]:
        """The numbers of which it may be another form (`TextSources.other_forms`)."""
        if self._others is None:
            self._others = tuple(self._text.other_forms(self._literal))
        return self._others

    @property
    def rarer(self) -> tuple[Source, ...]:
        """The numbers of which it may be a rarer form (`TextSources.rarer_forms`)."""
        if self._rarer is None:
            self._rarer = tuple(self._text.rarer_forms(self._literal))
        return self._rarer

    @property
    def two(self) -> tuple[Source, ...]:
        """The pairs that it may have been computed from (`TextSources.of_two`)."""
        if self._two is None:
            self._two = tuple(self._text.of_two(self._literal))
        return self._two


MAX_KNOWN = 500
"""How many literals are cached with their possible sources."""

_ONE = Fraction(1)
_LARGEST = 10**30
_HUNDREDTH = Fraction(1, 100)
_FACTORS = _by_pair({*SCALES, *MULTIPLES} - {_HUNDREDTH})
_WHOLE = Fraction(100)
_PART, _MINUS_PART = (_HUNDREDTH, _ONE), (-_HUNDREDTH, _ONE)
_SUMS = ((_ONE, _ONE), (-_ONE, _ONE), (_ONE, -_ONE))
_REST, _MORE = (-_ONE, _WHOLE), (_ONE, _WHOLE)
"""What numbers are multiplied by, and what is added then, in a complement: 1 + 5 %, 1 - 5 %, 1 + n, 1 - n, n - 1, …"""

MAX_NUMBERS = 14
"""Pairs of numbers are tried only in texts with at most this many numbers."""
