"""Relations among the fields of a problem: totals that its text states, the order of prices, ratios in lowest terms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from math import gcd
from typing import TYPE_CHECKING

from draw_dataset.core.alignment import TextNumber
from draw_dataset.core.equations import System
from draw_dataset.variants.bounds import Bounds
from draw_dataset.variants.surroundings import Surroundings, Words

if TYPE_CHECKING:
    from draw_dataset.variants.fields import Field

_ORDERED = frozenset({"$", "%"})
"""Units of which the larger number stays the larger one: prices and percentages."""


def without_stated(fields: list[Field], numbers: tuple[TextNumber, ...], columns: Sequence[int | None]) -> list[Field]:
    """Fix the fields whose sum is a number of the text: 10 and 15 liters make the 25 liters of the text.

    Such a number fills no slot, so it would not change with them, and the text would contradict itself.
    """
    loose = [n.value for n, column in zip(numbers, columns, strict=True) if column is None and n.value is not None]
    fixed: set[int] = set()
    for total in loose:
        if total < _LEAST_TOTAL:
            continue
        others: list[tuple[int | None, Fraction]] = [(None, value) for value in loose if value != total]
        parts = [*enumerate(field.value for field in fields), *others]
        for count in (2, 3):
            for chosen in combinations(parts, count):
                values = [value for _, value in chosen]
                made = {sum(values)} if count == 3 else {sum(values), abs(values[0] - values[1]), values[0] * values[1]}
                if total in made:
                    fixed |= {at for at, _ in chosen if at is not None}
    why = Bounds(fixed="part of a total that the text states")
    return [replace(one, bounds=why) if at in fixed and one.moves else one for at, one in enumerate(fields)]


def without_counted(fields: list[Field], counted: frozenset[Fraction]) -> list[Field]:
    """Fix the numbers that may be among those that somebody counted: two zebras, another and one more are four."""
    most = max(counted, default=Fraction(0))
    why = Bounds(fixed="part of what the solution counts")
    return [
        replace(one, bounds=why)
        if one.moves and one.value.denominator == 1 and 0 < one.value < most and one.unit not in _ORDERED
        else one
        for one in fields
    ]


_LEAST_TOTAL = 5
"""Smaller numbers are too often the sum of others by chance."""


def is_halved(system: System, field_of: Sequence[int], fields: Sequence[Field]) -> bool:
    """Say whether the unknowns are halves of even numbers: a word for 2, as odd or two, multiplies one of them."""
    twos = {f for f, one in enumerate(fields) if not one.moves and one.value == 2}
    return any(
        column < system.unknown_count and any(field_of[slot] in twos for slot in slots)
        for terms in system.terms
        for column, _, slots in terms
    )


def adds_percentages(system: System, field_of: Sequence[int], fields: Sequence[Field]) -> bool:
    """Say whether a percentage is added as it stands, so that the one unknown is a percentage, too."""
    return system.unknown_count == 1 and any(
        column == 1 and len(slots) == 1 and fields[field_of[slots[0]]].unit == "%"
        for terms in system.terms
        for column, _, slots in terms
    )


def orders(fields: list[Field]) -> tuple[tuple[int, int], ...]:
    """Return the pairs of fields of which the first stays the smaller one."""
    pairs = [(i, j) for i in range(len(fields)) for j in range(len(fields)) if fields[i].value < fields[j].value]
    return tuple((i, j) for i, j in pairs if fields[i].unit in _ORDERED and fields[i].unit == fields[j].unit)


def ratios(
    fields: list[Field],
    numbers: tuple[TextNumber, ...],
    columns: list[int | None],
    arounds: Sequence[Surroundings],
    words: Words,
) -> tuple[tuple[int, int], ...]:
    """Return the pairs of fields that are written as a ratio in lowest terms."""
    found = []
    for first, second in zip(range(len(numbers)), range(1, len(numbers)), strict=False):
        one, two = columns[first], columns[second]
        start, end = numbers[first].end, numbers[second].start
        if one is None or two is None or one == two or start is None or end is None:
            continue
        between = [t.text.lower() for t in words.tokens if start <= t.start and t.end <= end]
        told = (
            between in (["to"], [":"])
            or (between == ["and"] and "ratio" in words.lower)
            or (arounds[first].previous == "every" and not {".", "?", "!"} & set(between))
        )
        values = fields[one].value, fields[two].value
        if told and all(v.denominator == 1 for v in values) and gcd(*map(int, values)) == 1:
            found.append((one, two))
    return tuple(found)
