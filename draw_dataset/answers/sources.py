"""Sources: where may a number in an answer come from.

A number of an answer may be a number of the text, as it is or in another form (5% as .05, dollars as cents, "half" as a
division by 2, 15% off as .85), the result of an earlier calculation, the value of an unknown, or a constant. All
sources that fit its value are listed, the most natural first. The number itself rarely shows which one is meant. A
rounded number stands for the exact one from which it was rounded.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence, Set
from fractions import Fraction
from functools import cached_property
from itertools import permutations
from math import lcm
from operator import itemgetter

from draw_dataset.core.quantities import Literal, Source

SCALES: tuple[Fraction, ...] = tuple(
    Fraction(text)
    for text in "1/100 100 60 1/60 12 1/12 1000 1/1000 7 24 3600 16 3 36 1/3600 1000000 1/1000000".split()  # noqa: SIM905
)
"""Factors between common units: cents, minutes, months, feet."""

MULTIPLES: tuple[Fraction, ...] = tuple(Fraction(*pair) for n in (2, 4, 5, 6, 8, 10) for pair in ((n, 1), (1, n)))
"""Factors by which people multiply or divide an equation."""

CONSTANTS = frozenset(map(Fraction, ("0", "1", "2", "10", "100", "1/100")))


def rounded_to(value: Fraction, literal: Literal) -> bool:
    """Say whether a literal is a number, or that number rounded to the places that are written."""
    shown = literal.value
    if shown == value:
        return True
    places = literal.places
    if places < 2 and not (places == 1 and abs(shown) >= 10):
        return False
    if abs(shown) * 10**places < 10:
        return False  # one digit proves little
    off = abs(value) - abs(shown)
    # Rounded, or truncated after at least three digits.
    return abs(off) <= Fraction(1, 2 * 10**places) or (places >= 3 and 0 <= off < Fraction(1, 10**places))


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
            source for _, value, sources in self._sorted[low:high] if rounded_to(value, literal) for source in sources
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
        self._factors = _FACTORS if scales is None else scales - {_HUNDREDTH}
        self.classes = tuple(range(len(values)) if classes is None else classes)
        ranks = {class_: rank for rank, class_ in reversed(list(enumerate(self.classes, 1)))}
        self.labels = tuple(f"q{ranks[class_]}" if class_ in ranks else "q?" for class_ in range(len(values)))
        self.fractions = any(value.numerator > 1 and value.denominator > 1 for value in self.values)
        self._known: dict[object, Forms] = {}
        self._direct: dict[Fraction, list[Source]] = {}
        for index, value in enumerate(self.values):
            self._direct.setdefault(value, []).append(Source("text", index))

    # Tables that few literals need are made when the first one does.

    @cached_property
    def _forms(self) -> dict[Fraction, list[Source]]:
        """Percentages and reciprocals."""
        found: dict[Fraction, list[Source]] = {}
        for index, value in enumerate(self.values):
            if value:
                found.setdefault(value / 100, []).append(Source("text", index, _HUNDREDTH))
            if value not in (0, 1):
                found.setdefault(1 / value, []).append(Source("text", index, inverse=True))
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
        return _Near((value, found) for value, found in self._direct.items() if value.denominator > 1)

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
        key = literal.text, literal.value, literal.percent, literal.parts  # "7.5" may be 7.5 million
        found = self._known.get(key)
        if found is None:
            if len(self._known) >= MAX_KNOWN:
                self._known.clear()
            self._known[key] = found = Forms(self, literal)
        return found

    def having(self, value: Fraction) -> Sequence[Source]:
        """Return the numbers of the text that have a value."""
        return self._direct.get(value, ())

    def direct(self, literal: Literal) -> list[Source]:
        """Return the numbers of the text that a literal is, as they stand, rounded, or with the other sign."""
        value = literal.value
        if literal.percent:
            shown = [source._replace(scale=_HUNDREDTH) for source in self._direct.get(value, ())]
            return shown + self._direct.get(value / 100, [])
        found = self._direct.get(value)
        if found:
            return list(found)
        if value:
            found = [source._replace(scale=-_ONE) for source in self._direct.get(-value, ())]
            if found:
                return found
        return self._near_direct.find(literal) if literal.places >= 1 else []

    def of_fraction(self, literal: Literal) -> list[Source]:
        """Return the numbers that stand above or below in a fraction."""
        if literal.parts is None:
            return []
        above, below = literal.parts
        tops, bottoms = self._direct.get(above, []), self._direct.get(below, [])
        found = [Source("quotient", (i.of, j.of)) for i in tops for j in bottoms if i.of != j.of]
        if below not in (0, 1):
            found += [source._replace(scale=1 / below) for source in tops]
        return found + [source._replace(scale=above, inverse=True) for source in bottoms]

    def other_forms(self, literal: Literal) -> list[Source]:
        """Return the numbers of which a literal may be another form: a percentage or a reciprocal."""
        shown = literal.value / 100 if literal.percent else literal.value
        found = list(self._forms.get(shown, ()))
        if not found and literal.places >= 2:
            found = self._near_inverse.find(literal)
        return found

    def rarer_forms(self, literal: Literal) -> list[Source]:
        """Return the numbers of which a literal may be a rarer form: a complement, or another unit."""
        shown = literal.value / 100 if literal.percent else literal.value
        if not shown:
            return []
        found = []
        for index, value in enumerate(self.values):
            if value:
                found += _rarely(index, value, shown, self._factors)
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


def _rarely(index: int, value: Fraction, shown: Fraction, factors: Set[Fraction]) -> list[Source]:
    """Return a number as a source of another one, if that is a complement of it, or it in another unit."""
    if shown.denominator == 1 == value.denominator:
        # Most numbers are whole, and comparing ints is many times faster; numbers such as 1 + 5 % are not whole.
        wanted, given = shown.numerator, value.numerator
        if (
            abs(wanted - given) not in (1, 100)
            and wanted + given not in (1, 100)
            and 100 * abs(wanted - 1) != abs(given)
        ):
            return _multiple(index, shown, value, factors)
        sums = (wanted - 1 == given, wanted - 1 == -given, wanted + 1 == given)
        forms = [(100 * (wanted - 1) == given, _PART), (100 * (1 - wanted) == given, _MINUS_PART)]
        forms += list(zip(sums, _SUMS, strict=True))
        forms += [(100 - wanted == given, _REST), (wanted - 100 == given, _MORE)]
    else:
        part = value / 100
        forms = [(shown == 1 + part, _PART), (shown == 1 - part, _MINUS_PART)]
        forms += [(shown == 1 + value, _SUMS[0]), (shown == 1 - value, _SUMS[1]), (shown == value - 1, _SUMS[2])]
        forms += [(shown == 100 - value, _REST), (shown == 100 + value, _MORE)]
    found = [Source("text", index, scale, offset) for fits, (scale, offset) in forms if fits]
    return found + _multiple(index, shown, value, factors)


def _multiple(index: int, shown: Fraction, value: Fraction, factors: Set[Fraction]) -> list[Source]:
    """Return a number as a source of another one, if that is it in another unit."""
    if value == 1:
        return []
    if shown.denominator == 1 == value.denominator and (
        shown.numerator % value.numerator and value.numerator % shown.numerator
    ):
        return []  # a factor is a whole number, or one over it
    scale = shown / value
    return [Source("text", index, scale)] if scale in factors else []


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
        self.is_number = bool(text.having(literal.value))
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
_FACTORS = frozenset((*SCALES, *MULTIPLES)) - {_HUNDREDTH}
_WHOLE = Fraction(100)
_PART, _MINUS_PART = (_HUNDREDTH, _ONE), (-_HUNDREDTH, _ONE)
_SUMS = ((_ONE, _ONE), (-_ONE, _ONE), (_ONE, -_ONE))
_REST, _MORE = (-_ONE, _WHOLE), (_ONE, _WHOLE)
"""What numbers are multiplied by, and what is added then, in a complement: 1 + 5 %, 1 - 5 %, 1 + n, 1 - n, n - 1, …"""

MAX_NUMBERS = 14
"""Pairs of numbers are tried only in texts with at most this many numbers."""
