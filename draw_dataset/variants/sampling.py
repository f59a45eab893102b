"""Other values that the fields of a problem can take, in exact whole numbers of one small unit.

Either every field that moves is drawn and the system is solved, or some equations are *turned round*: the unknowns are
drawn, and each of these equations is solved for one field. A candidate is kept if the system has one solution whose
unknowns keep their signs, order, decimals and about their size, and if every field is natural and can be written.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import permutations, product
from math import gcd, lcm
from operator import mul
from random import Random

from draw_dataset.algebra.linear import cross_product_integers
from draw_dataset.algebra.number import DRAWN_FACTOR, FACTORS, MOST_DECIMALS, decimals_of, room, roundness
from draw_dataset.algebra.solution import SolutionKind, solve_grounded
from draw_dataset.variants.fields import Field, VariableProblem

_NAMES = tuple(f"x{i}" for i in range(64))


@dataclass(frozen=True, slots=True)
class ValueRange:
    """The values that a field or an unknown may take, as multiples of the problem's unit."""

    old: int  # the value in the original
    step: int  # the unit of drawn values
    low: int  # the smallest absolute value that is drawn, in steps
    high: int  # the largest, in steps
    only: tuple[int, ...]  # the only values, if there are few
    moves: bool  # whether it may take another value
    least: int | Fraction  # the smallest value that holds, sign included
    most: int | Fraction  # the largest value that holds
    grain: int  # every possible value is a multiple of it; 0 if any value will do

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
        """Return True if a value is within the limits."""
        scaled = value * unit
        if scaled.denominator > 1:
            return not self.grain and self.least <= scaled <= self.most
        return self.least <= scaled.numerator <= self.most and (not self.grain or not scaled.numerator % self.grain)


@dataclass(frozen=True, slots=True)
class Plan:
    """A way to draw: the equations that are turned round, and the others."""

    turned: tuple[tuple[int, int], ...]  # pairs of an equation and the field that it is solved for
    rest: tuple[int, ...]  # the other equations
    drawn: tuple[int, ...]  # the fields that no equation is solved for
    orders: tuple[tuple[int, int], ...]  # pairs of these of which the first is the smaller one


# A term: its column, its coefficient with as many units as it lacks factors, and the fields in it.
ScaledTerm = tuple[int, int, tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class ScaledProblem:
    """A problem in whole numbers."""

    variable: VariableProblem
    unit: int  # how many units are 1
    old: tuple[int, ...]  # the values of the fields
    fields: tuple[ValueRange, ...]  # the range of each
    unknowns: tuple[ValueRange, ...]
    others: tuple[int, ...]  # the values of numbers that belong to no field, those that are multiples of the unit
    plans: tuple[Plan, ...]  # the ways to draw, in turn
    rows: tuple[tuple[ScaledTerm, ...], ...]  # the equations, each term multiplied for the fields that it lacks
    forms: tuple[tuple[ScaledTerm, ...], ...]  # the same, the unknowns being factors, too
    _allowed: dict[tuple[int, int], bool] = field(default_factory=dict)

    def allows(self, position: int, value: int) -> bool:
        """Return True if a field may have a value."""
        limits = self.fields[position]
        if value == limits.old:
            return True
        if not limits.moves or not limits.least <= value <= limits.most or value % limits.grain:
            return False
        known = self._allowed.get((position, value))
        if known is None:
            known = self.variable.fields[position].allows(Fraction(value, self.unit))
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
        n, system = len(self.unknowns), self.variable.system
        if len(self.rows) == n <= 2 and not system.conditions:
            vector = cross_product_integers([self.row(equation, values) for equation in range(n)])
            return tuple([Fraction(value, vector[n]) for value in vector[:n]]) if vector[n] else None
        slots = [Fraction(values[position], self.unit) for position in self.variable.field_of]
        solution = solve_grounded(system, slots, _NAMES[:n])
        return tuple(solution.values.values()) if solution.kind is SolutionKind.UNIQUE else None

    def solve_for(self, equation: int, wanted: int, values: Sequence[int], unknowns: Sequence[int]) -> int | None:
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
        return None if not factor or constant % factor else -(constant // factor)


def scale_problem(variable: VariableProblem, factor: int) -> ScaledProblem:
    """Return a problem in whole numbers; a number becomes at most so many times larger or smaller."""
    parts = [value.denominator for value in variable.values]
    for one in variable.fields:
        parts += [mention.style.step.denominator for mention in one.mentions if one.moves]
        parts += [value.denominator for mention in one.mentions for value in mention.style.choices if one.moves]
    parts += [value.denominator for value in variable.solution if decimals_of(value) <= MOST_DECIMALS]
    most_places = variable.places or (0,) * len(variable.solution)
    unit = lcm(*parts, *[10 ** decimals_of(v) for v in variable.solution if decimals_of(v) <= MOST_DECIMALS])
    unit = lcm(unit, 10 ** max(most_places, default=0))
    others = [value * unit for value in variable.others]
    return ScaledProblem(
        variable=variable,
        unit=unit,
        old=tuple(int(value * unit) for value in variable.values),
        fields=tuple(_of_field(one, unit, factor) for one in variable.fields),
        unknowns=tuple(
            _of_unknown(value, max(decimals_of(value), more), variable, unit, factor)
            for value, more in zip(variable.solution, most_places, strict=True)
        ),
        others=tuple(int(value) for value in others if value.denominator == 1),
        plans=_plans(variable),
        rows=_scale_terms(variable, unit, unknowns=False),
        forms=_scale_terms(variable, unit, unknowns=True),
    )


def _of_field(one: Field, unit: int, factor: int) -> ValueRange:
    if not one.moves:
        return _fix_range(one.value, unit)
    only: tuple[Fraction, ...] = one.bounds.only
    for mention in one.mentions:
        choices = mention.style.choices
        only = only if not choices else choices if not only else tuple(v for v in only if v in choices)
    step = max(mention.style.step for mention in one.mentions)
    fine = any(mention.style.places is not None for mention in one.mentions)
    return _around(one.value, step, one.bounds.least, one.bounds.most, only, unit, factor, fine=fine)


def _of_unknown(value: Fraction, places: int, variable: VariableProblem, unit: int, factor: int) -> ValueRange:
    if not value:
        return _fix_range(value, unit)
    if places > MOST_DECIMALS:  # it is never drawn, and any value of its size will do
        low, high = room(value, factor)
        high = min(high, variable.unknowns.most)
        least, most = (low, high) if value > 0 else (-high, -low)
        return ValueRange(0, 1, 0, 0, (), False, least * unit, most * unit, 0)
    return _around(value, Fraction(1, 10**places), Fraction(0), variable.unknowns.most, (), unit, factor)


def _fix_range(value: Fraction, unit: int) -> ValueRange:
    whole = int(value * unit)
    return ValueRange(whole, 1, 0, 0, (), False, whole, whole, 1)


def _limits(old: Fraction, most: Fraction, unit: int, factor: int) -> tuple[int, int]:
    """Return the smallest and the largest value, sign included, in units."""
    low, high = room(old, factor)
    smallest, largest = int(-(-low * unit // 1)), int(min(high, most) * unit // 1)
    return (smallest, largest) if old > 0 else (-largest, -smallest)


def _around(
    old: Fraction,
    grain: Fraction,
    least: Fraction,
    most: Fraction,
    only: tuple[Fraction, ...],
    unit: int,
    factor: int,
    *,
    fine: bool = False,
) -> ValueRange:
    step = grain * roundness(old / grain) if not fine and (old / grain).denominator == 1 else grain
    size = abs(old)
    highest = min(max(size * DRAWN_FACTOR, size + 6 * step), most)
    lowest = max(size / DRAWN_FACTOR, least, step)
    near = tuple(int(v * unit) for v in only if v == old or lowest / 2 <= abs(v) <= 2 * highest)
    smallest, largest = _limits(old, most, unit, factor)
    # A fraction of the text is one of a few; otherwise a value is a multiple of what can be written.
    whole_grain = 1 if only else int(grain * unit)
    low, high = int(-(-lowest // step)), int(highest // step)
    return ValueRange(int(old * unit), int(step * unit), low, high, near, True, smallest, largest, whole_grain)


def _scale_terms(variable: VariableProblem, unit: int, unknowns: bool) -> tuple[tuple[ScaledTerm, ...], ...]:
    n = variable.system.unknown_count
    found = []
    for terms in variable.system.terms:
        sizes = [len(slots) + (unknowns and column < n) for column, _, slots in terms]
        degree = max(sizes, default=0)
        found.append(
            tuple(
                (column, c * unit ** (degree - size), tuple(variable.field_of[slot] for slot in slots))
                for (column, c, slots), size in zip(terms, sizes, strict=True)
            )
        )
    return tuple(found)


def _plans(variable: VariableProblem) -> tuple[Plan, ...]:
    """Return the ways to draw: each way to turn equations round, the most first, and after each one scaled all."""
    system = variable.system
    can_turn = all(decimals_of(value) <= MOST_DECIMALS for value in variable.solution)
    fields_of = [[[variable.field_of[slot] for slot in slots] for _, _, slots in terms] for terms in system.terms]
    choices: list[list[int | None]] = []
    for equation, terms in enumerate(fields_of):
        here = {f for term in terms for f in term}
        elsewhere = {f for other, ts in enumerate(fields_of) if other != equation for term in ts for f in term}
        simple = [f for f in sorted(here - elsewhere) if all(term.count(f) <= 1 for term in terms)]
        choices.append([*(f for f in simple if can_turn and variable.fields[f].moves), None])
    found = []
    for chosen in product(*choices):
        turned = tuple((equation, f) for equation, f in enumerate(chosen) if f is not None)
        rest = tuple(equation for equation, f in enumerate(chosen) if f is None)
        drawn = tuple(f for f in range(len(variable.fields)) if f not in chosen)
        orders = tuple((i, j) for i, j in variable.orders if i in drawn and j in drawn)
        found.append(Plan(turned, rest, drawn, orders))
    found.sort(key=lambda plan: -len(plan.turned))
    plain = found[-1]
    return tuple(plan for turned in found[:-1] for plan in (turned, plain)) or (plain,)


MAX_TRIES = 1200  # how many draws are made for one problem

_REDRAWN = 10

Values = tuple[Fraction, ...]


@dataclass(frozen=True, slots=True)
class Candidate:
    """Other values for a problem."""

    values: Values  # of the fields
    solution: Values  # of the unknowns
    tier: int  # 0 if its numbers are near the original's, 1 if they are farther away
    moved: int  # how many fields have another value than in the original
    plain: int  # how many numbers and unknowns are as round as the original's


def candidates(variable: VariableProblem, random: Random, tries: int = MAX_TRIES) -> Iterator[Candidate]:
    """Yield candidates as they are found, none twice, those near the original first; the generator decides which."""
    seen: set[tuple[int, ...]] = set()
    for tier, factor in enumerate(FACTORS):
        yield from _draw_candidates(random, scale_problem(variable, factor), tier, tries // len(FACTORS), seen)


def _draw_candidates(
    random: Random, scaled: ScaledProblem, tier: int, tries: int, seen: set[tuple[int, ...]]
) -> Iterator[Candidate]:
    seen.add(scaled.old)
    for attempt in range(tries):
        plan = scaled.plans[attempt % len(scaled.plans)]
        values = _draw(scaled, plan, random)
        if values is None or (plan.turned and not _turn(scaled, plan, values, random)):
            continue
        found = tuple(values)
        if found in seen:
            continue
        seen.add(found)
        # Checks that fail most often and cost least come first; whether numbers can be written comes last.
        solution = scaled.solve(found) if _fields_fit_together(scaled, found) else None
        if (
            solution is not None
            and _unknowns_are_natural(scaled, solution)
            and all(scaled.allows(field, value) for field, value in enumerate(found))
        ):
            exact = tuple([Fraction(value, scaled.unit) for value in found])
            moved = sum(new != old for new, old in zip(found, scaled.old, strict=True))
            yield Candidate(exact, solution, tier, moved, _plainness(scaled.variable, exact, solution))


def _draw(scaled: ScaledProblem, plan: Plan, random: Random) -> list[int] | None:
    """Draw the fields; draw again if they are out of order or equal."""
    for _ in range(_REDRAWN):
        values = [one.draw(random) for one in scaled.fields]
        if all(values[i] < values[j] for i, j in plan.orders) and _are_different(scaled, values, plan.drawn):
            return values
    return None


def _turn(scaled: ScaledProblem, plan: Plan, values: list[int], random: Random) -> bool:
    """Draw the unknowns and solve the turned equations for their fields; say whether that worked."""
    unknowns = [one.draw(random) for one in scaled.unknowns]
    free = list(range(len(unknowns)))
    rows = [scaled.row(equation, values) for equation in plan.rest]
    for row in rows:  # the other equations determine some of the unknowns
        able = [j for j in free if row[j]]
        if not able:
            return False
        j = able[random.randrange(len(able))]
        others = sum([row[i] * unknowns[i] for i in range(len(unknowns)) if i != j])
        unknowns[j], rest = divmod(-(others + row[-1] * scaled.unit), row[j])
        if rest or not scaled.unknowns[j].least <= unknowns[j] <= scaled.unknowns[j].most:
            return False
        free.remove(j)
    if len(rows) > 1 and any(sum(map(mul, row, unknowns)) + row[-1] * scaled.unit for row in rows):
        return False
    for equation, turned in plan.turned:
        value = scaled.solve_for(equation, turned, values, unknowns)
        if value is None or not scaled.allows(turned, value):
            return False
        values[turned] = value
    return True


def _fields_fit_together(scaled: ScaledProblem, values: Sequence[int]) -> bool:
    return (
        all(values[i] < values[j] for i, j in scaled.variable.orders)
        and _are_different(scaled, values, range(len(values)))
        and all(gcd(values[i], values[j]) == scaled.unit for i, j in scaled.variable.ratios)
    )


def _are_different(scaled: ScaledProblem, values: Sequence[int], among: Iterable[int]) -> bool:
    """Return True if none of some fields has the value of another number, unless neither can move."""
    seen = dict.fromkeys(scaled.others, False)
    for position in among:
        value, moves = values[position], scaled.variable.fields[position].moves
        if value in seen and (moves or seen[value]):
            return False
        seen[value] = seen.get(value, False) or moves
    return True


def _unknowns_are_natural(scaled: ScaledProblem, solution: Values) -> bool:
    if not all(one.holds(new, scaled.unit) for new, one in zip(solution, scaled.unknowns, strict=True)):
        return False
    modulus, old = scaled.variable.unknowns.modulus, scaled.variable.solution
    if modulus > 1 and any((new - was) % modulus for new, was in zip(solution, old, strict=True)):
        return False
    # Unknowns that are equal by chance need not stay so.
    return all(
        (solution[i] > solution[j]) == (old[i] > old[j])
        for i, j in permutations(range(len(old)), 2)
        if old[i] != old[j]
    )


def _plainness(variable: VariableProblem, values: Values, solution: Values) -> int:
    """Count the fields and unknowns that are as round as before."""
    kept = 0
    for new, old in zip((*values, *solution), (*variable.values, *variable.solution), strict=True):
        scale = 10 ** min(decimals_of(old), 4)
        kept += not (new * scale) % roundness(old * scale)
    return kept
