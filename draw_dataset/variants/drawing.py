"""Sources of values: from which whole numbers the values of a problem are drawn.

The values of a problem are multiples of one *unit*: the smallest part with which a field or an unknown can be written.
A `Source` says which multiples one of them may have. A `Drawing` has the sources of a problem, its equations in these
whole numbers, and the plans: which equations are solved for a field, and for which.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product
from math import lcm
from random import Random

from draw_dataset.core.algebra import cross_product_integers
from draw_dataset.core.equations import SolutionKind, solve_grounded
from draw_dataset.variants.fields import Field, Puzzle
from draw_dataset.variants.sizes import DRAWN_FACTOR, MOST_DECIMALS, decimals_of, room, roundness

_NAMES = tuple(f"x{i}" for i in range(64))


@dataclass(frozen=True, slots=True)
class Source:
    """From where one value is drawn; all numbers are multiples of the problem's unit.

    Attributes:
        old: the value in the original.
        step: what drawn values are multiples of.
        low: the smallest absolute value that is drawn, in steps.
        high: the largest, in steps.
        only: the only values, if there are few.
        moves: whether it may take another value.
        least: the smallest value that holds, sign included.
        most: the largest value that holds.
        grain: what every value that holds is a multiple of; 0 if any value will do.
    """

    old: int
    step: int
    low: int
    high: int
    only: tuple[int, ...]
    moves: bool
    least: int | Fraction
    most: int | Fraction
    grain: int

    def draw(self, random: Random) -> int:
        """Return a value."""
        if not self.moves:
            return self.old
        if self.only:
            return self.only[int(random.random() * len(self.only))]
        if self.high < self.low:
            return self.old
        size = (self.low + int(random.random() * (self.high - self.low + 1))) * self.step
        return size if self.old > 0 else -size

    def holds(self, value: Fraction, unit: int) -> bool:
        """Say whether a value is within the limits."""
        scaled = value * unit
        if scaled.denominator > 1:
            return not self.grain and self.least <= scaled <= self.most
        return self.least <= scaled.numerator <= self.most and (not self.grain or not scaled.numerator % self.grain)


@dataclass(frozen=True, slots=True)
class Plan:
    """Which equations are turned round.

    Attributes:
        turned: pairs of an equation and the field that it is solved for.
        rest: the other equations.
        drawn: the fields that no equation is solved for.
        orders: pairs of these of which the first is the smaller one.
    """

    turned: tuple[tuple[int, int], ...]
    rest: tuple[int, ...]
    drawn: tuple[int, ...]
    orders: tuple[tuple[int, int], ...]


Scaled = tuple[int, int, tuple[int, ...]]
"""A term: its column, its coefficient with as many units as it lacks factors, and the fields in it."""


@dataclass(frozen=True, slots=True)
class Drawing:
    """A problem in whole numbers.

    Attributes:
        puzzle: the problem.
        unit: how many units are 1.
        old: the values of the fields.
        fields: from where each is drawn.
        unknowns: from where each unknown is drawn.
        others: the values of numbers that belong to no field, those that are multiples of the unit.
        plans: the ways to draw, in turn.
        rows: the equations, each term multiplied for the factors that it lacks among the fields.
        forms: the same, the unknowns being factors, too.
    """

    puzzle: Puzzle
    unit: int
    old: tuple[int, ...]
    fields: tuple[Source, ...]
    unknowns: tuple[Source, ...]
    others: tuple[int, ...]
    plans: tuple[Plan, ...]
    rows: tuple[tuple[Scaled, ...], ...]
    forms: tuple[tuple[Scaled, ...], ...]
    _allowed: dict[tuple[int, int], bool] = field(default_factory=dict)

    def allows(self, position: int, value: int) -> bool:
        """Say whether a field may have a value."""
        source = self.fields[position]
        if value == source.old:
            return True
        if not source.moves or not source.least <= value <= source.most or value % source.grain:
            return False
        known = self._allowed.get((position, value))
        if known is None:
            known = self.puzzle.fields[position].allows(Fraction(value, self.unit))
            self._allowed[position, value] = known
        return known

    def row(self, equation: int, values: Sequence[int]) -> list[int]:
        """Return an equation as a linear form in the unknowns."""
        found = [0] * (len(self.unknowns) + 1)
        for column, c, fields in self.rows[equation]:
            for position in fields:
                c *= values[position]
            found[column] += c
        return found

    def solve(self, values: Sequence[int]) -> tuple[Fraction, ...] | None:
        """Return the unknowns; None unless there is exactly one solution."""
        n, system = len(self.unknowns), self.puzzle.system
        if len(self.rows) == n <= 2 and not system.conditions:
            vector = cross_product_integers([self.row(equation, values) for equation in range(n)])
            return tuple([Fraction(value, vector[n]) for value in vector[:n]]) if vector[n] else None
        slots = [Fraction(values[position], self.unit) for position in self.puzzle.field_of]
        solution = solve_grounded(system, slots, _NAMES[:n])
        return tuple(solution.values.values()) if solution.kind is SolutionKind.UNIQUE else None

    def solved_for(self, equation: int, wanted: int, values: Sequence[int], unknowns: Sequence[int]) -> int | None:
        """Return the value of a field by an equation; None if it is no multiple of the unit."""
        constant = factor = 0
        for column, c, fields in self.forms[equation]:
            if column < len(unknowns):
                c *= unknowns[column]
            for position in fields:
                if position != wanted:
                    c *= values[position]
            if wanted in fields:
                factor += c
            else:
                constant += c
        if not factor or constant % factor:
            return None
        return -(constant // factor)


def drawing_of(puzzle: Puzzle, factor: int) -> Drawing:
    """Return a problem in whole numbers; a number becomes at most so many times larger or smaller."""
    parts = [value.denominator for value in puzzle.values]
    for one in puzzle.fields:
        parts += [mention.style.step.denominator for mention in one.mentions if one.moves]
        parts += [value.denominator for mention in one.mentions for value in mention.style.choices if one.moves]
    parts += [value.denominator for value in puzzle.solution if decimals_of(value) <= MOST_DECIMALS]
    unit = lcm(*parts, *[10 ** decimals_of(v) for v in puzzle.solution if decimals_of(v) <= MOST_DECIMALS])
    others = [value * unit for value in puzzle.others]
    return Drawing(
        puzzle=puzzle,
        unit=unit,
        old=tuple(int(value * unit) for value in puzzle.values),
        fields=tuple(_of_field(one, unit, factor) for one in puzzle.fields),
        unknowns=tuple(_of_unknown(value, puzzle, unit, factor) for value in puzzle.solution),
        others=tuple(int(value) for value in others if value.denominator == 1),
        plans=_plans(puzzle),
        rows=_scaled(puzzle, unit, unknowns=False),
        forms=_scaled(puzzle, unit, unknowns=True),
    )


def _of_field(one: Field, unit: int, factor: int) -> Source:
    if not one.moves:
        return _fixed(one.value, unit)
    only: tuple[Fraction, ...] = one.bounds.only
    for mention in one.mentions:
        choices = mention.style.choices
        only = only if not choices else choices if not only else tuple(v for v in only if v in choices)
    step = max(mention.style.step for mention in one.mentions)
    return _around(one.value, step, one.bounds.least, one.bounds.most, only, unit, factor)


def _of_unknown(value: Fraction, puzzle: Puzzle, unit: int, factor: int) -> Source:
    places = decimals_of(value)
    if not value:
        return _fixed(value, unit)
    if places > MOST_DECIMALS:  # it is never drawn, and any value of its size will do
        low, high = room(value, factor)
        high = min(high, puzzle.unknowns.most)
        least, most = (low, high) if value > 0 else (-high, -low)
        return Source(0, 1, 0, 0, (), False, least * unit, most * unit, 0)
    return _around(value, Fraction(1, 10**places), Fraction(0), puzzle.unknowns.most, (), unit, factor)


def _fixed(value: Fraction, unit: int) -> Source:
    whole = int(value * unit)
    return Source(whole, 1, 0, 0, (), False, whole, whole, 1)


def _limits(old: Fraction, most: Fraction, unit: int, factor: int) -> tuple[int, int]:
    """Return the smallest and the largest value, sign included, in units."""
    low, high = room(old, factor)
    smallest, largest = int(-(-low * unit // 1)), int(min(high, most) * unit // 1)
    return (smallest, largest) if old > 0 else (-largest, -smallest)


def _around(
    old: Fraction, grain: Fraction, least: Fraction, most: Fraction, only: tuple[Fraction, ...], unit: int, factor: int
) -> Source:
    step = grain * roundness(old / grain) if (old / grain).denominator == 1 else grain
    size = abs(old)
    highest = min(max(size * DRAWN_FACTOR, size + 6 * step), most)
    lowest = max(size / DRAWN_FACTOR, least, step)
    near = tuple(int(v * unit) for v in only if v == old or lowest / 2 <= abs(v) <= 2 * highest)
    smallest, largest = _limits(old, most, unit, factor)
    # A fraction of the text is one of a few; otherwise a value is a multiple of what can be written.
    whole_grain = 1 if only else int(grain * unit)
    low, high = int(-(-lowest // step)), int(highest // step)
    return Source(int(old * unit), int(step * unit), low, high, near, True, smallest, largest, whole_grain)


def _scaled(puzzle: Puzzle, unit: int, unknowns: bool) -> tuple[tuple[Scaled, ...], ...]:
    n = puzzle.system.unknown_count
    found = []
    for terms in puzzle.system.terms:
        sizes = [len(slots) + (unknowns and column < n) for column, _, slots in terms]
        degree = max(sizes, default=0)
        found.append(
            tuple(
                (column, c * unit ** (degree - size), tuple(puzzle.field_of[slot] for slot in slots))
                for (column, c, slots), size in zip(terms, sizes, strict=True)
            )
        )
    return tuple(found)


def _plans(puzzle: Puzzle) -> tuple[Plan, ...]:
    """Return the ways to draw: each way to turn equations round, the most first, and after each one drawing all."""
    system = puzzle.system
    can_turn = all(decimals_of(value) <= MOST_DECIMALS for value in puzzle.solution)
    fields_of = [[[puzzle.field_of[slot] for slot in slots] for _, _, slots in terms] for terms in system.terms]
    choices: list[list[int | None]] = []
    for equation, terms in enumerate(fields_of):
        here = {f for term in terms for f in term}
        elsewhere = {f for other, ts in enumerate(fields_of) if other != equation for term in ts for f in term}
        simple = [f for f in sorted(here - elsewhere) if all(term.count(f) <= 1 for term in terms)]
        choices.append([*(f for f in simple if can_turn and puzzle.fields[f].moves), None])
    found = []
    for chosen in product(*choices):
        turned = tuple((equation, f) for equation, f in enumerate(chosen) if f is not None)
        rest = tuple(equation for equation, f in enumerate(chosen) if f is None)
        drawn = tuple(f for f in range(len(puzzle.fields)) if f not in chosen)
        orders = tuple((i, j) for i, j in puzzle.orders if i in drawn and j in drawn)
        found.append(Plan(turned, rest, drawn, orders))
    found.sort(key=lambda plan: -len(plan.turned))
    plain = found[-1]
    return tuple(plan for turned in found[:-1] for plan in (turned, plain)) or (plain,)
