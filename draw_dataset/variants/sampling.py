"""The question: which other values can the fields of a problem take.

Values are drawn in two ways, and in mixtures of the two. Either every field that moves is drawn, and the system is
solved: that keeps the numbers of the text simple, but the unknowns are often not. Or some equations are *turned round*:
the unknowns are drawn, and each of these equations is solved for one field that occurs in it alone and with degree one.
What is left of the system says the rest. Everything is exact.

A candidate is kept if the system has one solution; if each unknown has its sign, its place in the order of the
unknowns, no more decimals than before, and at most five times or at least a fifth of its size; and if every field is
natural and can be written.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, product
from math import gcd
from random import Random

from draw_dataset.core.equations import SolutionKind, solve_grounded
from draw_dataset.variants.fields import Field, Puzzle

MAX_TRIES = 600
"""Draws for one problem."""

LARGEST_FACTOR = 5
"""How many times larger or smaller an unknown, or a field that is solved for, may become."""

_DRAWN_FACTOR = Fraction(5, 2)
_MOST_DECIMALS = 4
_NAMES = tuple(f"x{i}" for i in range(64))

Values = tuple[Fraction, ...]


@dataclass(frozen=True, slots=True)
class Candidate:
    """Other values for a problem.

    Attributes:
        values: of the fields.
        solution: of the unknowns.
        moved: how many fields have another value than in the original.
        plain: how round the numbers are compared with the original's: larger is better.
    """

    values: Values
    solution: Values
    moved: int
    plain: int


def candidates(puzzle: Puzzle, random: Random, tries: int = MAX_TRIES) -> Iterator[Candidate]:
    """Yield candidates as they are found, none twice; the same ones for the same state of the generator."""
    plans = _plans(puzzle)
    slots = [_Drawn.of_field(field) for field in puzzle.fields]
    unknowns = [_Drawn.of_unknown(value, puzzle) for value in puzzle.solution]
    seen = {puzzle.values}
    for attempt in range(tries):
        plan = plans[attempt % len(plans)]
        values = [drawn.draw(random) for drawn in slots]
        found = plan.complete(puzzle, values, unknowns, random) if plan.turned else tuple(values)
        if found is None or found in seen:
            continue
        seen.add(found)
        solution = _solution(puzzle, found)
        if solution is not None and is_natural(puzzle, found, solution):
            moved = sum(new != old for new, old in zip(found, puzzle.values, strict=True))
            yield Candidate(found, solution, moved, _plainness(puzzle, found, solution))


def _solution(puzzle: Puzzle, values: Values) -> Values | None:
    names = _NAMES[: puzzle.system.unknown_count]
    solution = solve_grounded(puzzle.system, puzzle.slot_values(values), names)
    return tuple([solution.values[name] for name in names]) if solution.kind is SolutionKind.UNIQUE else None


def is_natural(puzzle: Puzzle, values: Values, solution: Values) -> bool:
    """Say whether values are natural where the original's are."""
    for field, value in zip(puzzle.fields, values, strict=True):
        if value != field.value and not (_same_size(value, field.value) and field.allows(value)):
            return False
    return (
        _are_different(puzzle, values)
        and all(values[i] < values[j] for i, j in puzzle.orders)
        and all(gcd(int(values[i]), int(values[j])) == 1 for i, j in puzzle.ratios)
        and _unknowns_are_natural(puzzle, solution)
    )


def _are_different(puzzle: Puzzle, values: Values) -> bool:
    """Say whether no field has the value of another number, unless neither can move."""
    seen: dict[Fraction, bool] = dict.fromkeys(puzzle.others, False)
    for field, value in zip(puzzle.fields, values, strict=True):
        if value in seen and (field.moves or seen[value]):
            return False
        seen[value] = seen.get(value, False) or field.moves
    return True


def _same_size(new: Fraction, old: Fraction) -> bool:
    if not new or (new < 0) != (old < 0):
        return False
    # Of small numbers five times is little room: 2 may become 12.
    most = max(LARGEST_FACTOR * abs(old), min(Fraction(12), 6 * abs(old)))
    return abs(old) <= LARGEST_FACTOR * abs(new) and abs(new) <= most


def _unknowns_are_natural(puzzle: Puzzle, solution: Values) -> bool:
    old = puzzle.solution
    for new, was in zip(solution, old, strict=True):
        if not was:
            if new:
                return False
            continue
        if not _same_size(new, was) or decimals_of(new) > decimals_of(was) or abs(new) > puzzle.unknowns.most:
            return False
        if puzzle.unknowns.modulus > 1 and (new - was) % puzzle.unknowns.modulus:
            return False
    return all(
        (solution[i] < solution[j]) == (old[i] < old[j]) and (solution[i] == solution[j]) == (old[i] == old[j])
        for i, j in combinations(range(len(old)), 2)
    )


def decimals_of(value: Fraction) -> int:
    """Return how many decimals a number needs; a number that never ends has one more than we ever write.

    >>> decimals_of(Fraction(5, 4)), decimals_of(Fraction(1, 3))
    (2, 5)
    """
    return next((d for d in range(_MOST_DECIMALS + 1) if value.denominator == 1 or not 10**d % value.denominator), 5)


def roundness(value: Fraction) -> int:
    """Return the largest round step below a quarter of a whole number that divides it.

    >>> [roundness(Fraction(n)) for n in (12, 20, 60, 500, 1000, 45)]
    [1, 5, 10, 100, 100, 5]
    """
    number, best, step = abs(int(value)), 1, 1
    while step * 4 <= number:
        for round_step in (step, 5 * step):
            if not number % round_step and round_step * 4 <= number:
                best = max(best, round_step)
        step *= 10
    return best


def _plainness(puzzle: Puzzle, values: Values, solution: Values) -> int:
    """Count the fields and unknowns that are as round as before."""
    kept = 0
    for new, old in zip((*values, *solution), (*puzzle.values, *puzzle.solution), strict=True):
        scale = 10 ** min(decimals_of(old), _MOST_DECIMALS)
        kept += not (new * scale) % roundness(old * scale)
    return kept


@dataclass(frozen=True, slots=True)
class _Drawn:
    """From where a value is drawn.

    Attributes:
        old: the value in the original.
        step: what values are multiples of.
        least: the smallest multiple.
        most: the largest.
        only: the only values, if there are few.
        moves: whether it may take another value.
    """

    old: Fraction
    step: Fraction
    least: int
    most: int
    only: tuple[Fraction, ...]
    moves: bool

    @classmethod
    def of_field(cls, field: Field) -> _Drawn:
        if not field.moves:
            return cls(field.value, Fraction(1), 0, 0, (), False)
        only: tuple[Fraction, ...] = field.bounds.only
        for mention in field.mentions:
            if mention.style.choices:
                only = mention.style.choices if not only else tuple(v for v in only if v in mention.style.choices)
        step = max(mention.style.step for mention in field.mentions)
        return cls.around(field.value, step, field.bounds.least, field.bounds.most, only)

    @classmethod
    def of_unknown(cls, value: Fraction, puzzle: Puzzle) -> _Drawn:
        places = decimals_of(value)
        if places > _MOST_DECIMALS or not value:
            return cls(value, Fraction(1), 0, 0, (), False)
        return cls.around(value, Fraction(1, 10**places), Fraction(0), puzzle.unknowns.most, ())

    @classmethod
    def around(cls, old: Fraction, unit: Fraction, least: Fraction, most: Fraction, only: tuple[Fraction, ...]) -> _Drawn:
        step = unit * roundness(old / unit) if (old / unit).denominator == 1 else unit
        size = abs(old)
        highest = min(max(size * _DRAWN_FACTOR, size + 6 * step), most)
        lowest = max(size / _DRAWN_FACTOR, least, step)
        near = tuple(v for v in only if v == old or lowest / 2 <= abs(v) <= 2 * highest)
        return cls(old, step, int(-(-lowest // step)), int(highest // step), near, True)

    def draw(self, random: Random) -> Fraction:
        if not self.moves:
            return self.old
        if self.only:
            return self.only[random.randrange(len(self.only))]
        if self.most < self.least:
            return self.old
        size = random.randint(self.least, self.most) * self.step
        return size if self.old > 0 else -size


@dataclass(frozen=True, slots=True)
class _Plan:
    """Which equations are turned round, and for which field each.

    Attributes:
        turned: pairs of an equation and a field.
        rest: the other equations.
    """

    turned: tuple[tuple[int, int], ...]
    rest: tuple[int, ...]

    def complete(
        self, puzzle: Puzzle, values: list[Fraction], unknowns: Sequence[_Drawn], random: Random
    ) -> Values | None:
        """Return drawn values with the fields of the turned equations solved for; None if that fails."""
        drawn = _consistent(puzzle, values, [unknown.draw(random) for unknown in unknowns], self.rest, random)
        if drawn is None:
            return None
        for equation, field in self.turned:
            value = _solved_for(puzzle, equation, field, values, drawn)
            if value is None:
                return None
            values[field] = value
        return tuple(values)


def _plans(puzzle: Puzzle) -> list[_Plan]:
    """Return the ways to draw: all equations turned round first, then fewer, then none."""
    system = puzzle.system
    open_ = all(decimals_of(value) <= _MOST_DECIMALS for value in puzzle.solution)
    choices: list[list[int | None]] = []
    for row, terms in enumerate(system.terms):
        degrees: dict[int, set[int]] = {}
        for _, _, slots in terms:
            fields = [puzzle.field_of[slot] for slot in slots]
            for field in set(fields):
                degrees.setdefault(field, set()).add(fields.count(field))
        elsewhere = {
            puzzle.field_of[s] for other, t in enumerate(system.terms) if other != row for _, _, ss in t for s in ss
        }
        able = [f for f, d in degrees.items() if max(d) == 1 and puzzle.fields[f].moves and f not in elsewhere]
        choices.append([*(able if open_ else []), None])
    found = []
    for chosen in product(*choices):
        turned = tuple((row, field) for row, field in enumerate(chosen) if field is not None)
        found.append(_Plan(turned, tuple(row for row, field in enumerate(chosen) if field is None)))
    found.sort(key=lambda plan: -len(plan.turned))
    # Drawing everything is worth as many tries as all the other ways together.
    plain = [plan for plan in found if not plan.turned]
    others = [plan for plan in found if plan.turned]
    mixed = [plan for pair in zip(others, plain * len(others), strict=True) for plan in pair]
    return mixed or plain


def _coefficients(puzzle: Puzzle, equation: int, values: Sequence[Fraction]) -> list[Fraction]:
    """Return an equation as a linear form in the unknowns, for values of the fields."""
    row = [Fraction(0)] * (puzzle.system.unknown_count + 1)
    for column, c, slots in puzzle.system.terms[equation]:
        term = Fraction(c)
        for slot in slots:
            term *= values[puzzle.field_of[slot]]
        row[column] += term
    return row


def _consistent(
    puzzle: Puzzle, values: Sequence[Fraction], unknowns: list[Fraction], rest: tuple[int, ...], random: Random
) -> list[Fraction] | None:
    """Return drawn unknowns made to satisfy the equations that are not turned round."""
    count = len(unknowns)
    free = set(range(count))
    for equation in rest:
        row = _coefficients(puzzle, equation, values)
        candidates_ = [j for j in free if row[j]]
        if not candidates_:
            return None
        j = candidates_[random.randrange(len(candidates_))]
        unknowns[j] = -(sum([row[i] * unknowns[i] for i in range(count) if i != j], row[count])) / row[j]
        free.discard(j)
    for equation in rest[:-1]:  # a later equation may have moved an unknown of an earlier one
        row = _coefficients(puzzle, equation, values)
        if sum([row[i] * unknowns[i] for i in range(count)], row[count]):
            return None
    return unknowns


def _solved_for(
    puzzle: Puzzle, equation: int, field: int, values: Sequence[Fraction], unknowns: Sequence[Fraction]
) -> Fraction | None:
    constant = factor = Fraction(0)
    for column, c, slots in puzzle.system.terms[equation]:
        term = Fraction(c) if column == puzzle.system.unknown_count else c * unknowns[column]
        holds = False
        for slot in slots:
            if puzzle.field_of[slot] == field:
                holds = True
            else:
                term *= values[puzzle.field_of[slot]]
        if holds:
            factor += term
        else:
            constant += term
    return -constant / factor if factor else None
