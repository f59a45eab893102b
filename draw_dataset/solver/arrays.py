"""Slot fillings of templates as arrays, and their solutions in floating point.

A way to fill the slots is a row of number ranks, no number twice. If automorphisms of a template exchange slots,
several ways mean the same derivation; the lexicographically least stands for all. The arrays depend on counts and
symmetries only and are cached.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import perm, prod
from typing import Any

import numpy as np
import numpy.typing as npt

from draw_dataset.algebra.limits import MEGABYTE, weighted_cache
from draw_dataset.algebra.system import System
from draw_dataset.errors import LimitError
from draw_dataset.solver.templates import Permutation, TemplateClass

Ranks = npt.NDArray[np.int64]  # numbers of a text, by their rank in it
Indices = npt.NDArray[np.int32]  # places in a list of templates, columns or rows
MAX_WAYS = 100_000  # ways to fill the slots of one template that are made at once; beyond, the search goes by beam


@dataclass(frozen=True, slots=True)
class Ways:
    """Ways to fill slots."""

    rows: Ranks  # the number in each slot, one way a row
    slots: tuple[Ranks, ...]  # the same by slot
    pairs: tuple[Ranks, ...]  # for each pair of slots the ordered pair of numbers in them, as first * count + second
    keys: Ranks  # a number for each way; ascending where all ways are there

    @classmethod
    def of(cls, rows: Ranks, numbers: int) -> Ways:
        """Return ways given as rows."""
        slots = tuple(np.ascontiguousarray(rows[:, slot]) for slot in range(rows.shape[1]))
        pairs = tuple(slots[i] * numbers + slots[j] for i, j in combinations(range(len(slots)), 2))
        return cls(rows, slots, pairs, keys_of(rows, numbers))

    def find(self, row: Sequence[int], numbers: int) -> int | None:
        """Return where a way stands; None if it is not there."""
        key = keys_of(np.array([row], dtype=np.int64).reshape(1, -1), numbers)[0]
        found = np.flatnonzero(self.keys == key)
        return int(found[0]) if len(found) else None


def keys_of(rows: Ranks, numbers: int) -> Ranks:
    """Return a number for each row, in the alphabetical order of the rows."""
    return np.asarray(rows @ (numbers ** np.arange(rows.shape[1] - 1, -1, -1, dtype=np.int64)))


def is_enumerable(numbers: int, slots: int) -> bool:
    """Decide whether all ways to fill slots with numbers are few enough to be made."""
    return perm(numbers, slots) <= MAX_WAYS


def _weigh_ways(ways: Ways, *_: int) -> int:
    return 500 + sum([array.nbytes for array in (ways.rows, *ways.slots, *ways.pairs, ways.keys)])


@weighted_cache(192 * MEGABYTE, _weigh_ways)  # the largest weighs an eighth of it
def all_ways(numbers: int, slots: int) -> Ways:
    """Return all ways to fill the slots, in alphabetical order.

    >>> all_ways(3, 2).rows.tolist()
    [[0, 1], [0, 2], [1, 0], [1, 2], [2, 0], [2, 1]]
    """
    rows = np.zeros((1, 0), dtype=np.int64)
    for _ in range(slots):
        chosen = np.tile(np.arange(numbers), len(rows))[:, None]
        longer = np.concatenate([np.repeat(rows, numbers, axis=0), chosen], axis=1)
        rows = longer[(longer[:, :-1] != chosen).all(axis=1)]
    return Ways.of(rows, numbers)


@weighted_cache(16 * MEGABYTE, lambda found, *arguments: 500 + found.nbytes + 100 * len(arguments[2]))
def is_repeated(numbers: int, slots: int, automorphisms: tuple[Permutation, ...]) -> npt.NDArray[np.bool_]:
    """Decide for each of all ways whether a symmetry of the template makes a lesser one of it.

    >>> is_repeated(3, 2, ((0, 1), (1, 0))).tolist()
    [False, False, True, False, True, True]
    """
    ways = all_ways(numbers, slots)
    found = np.zeros(len(ways.rows), dtype=bool)
    for g in automorphisms:
        found |= keys_of(ways.rows[:, list(g)], numbers) < ways.keys
    return found


def least_row(row: Sequence[int], automorphisms: Sequence[Permutation]) -> tuple[int, ...]:
    """Return the row that stands for a way to fill the slots.

    >>> least_row((2, 0), ((0, 1), (1, 0)))
    (0, 2)
    """
    return min(tuple(row[i] for i in g) for g in automorphisms)


# Linear systems of templates, solved for many slot values at once by Cramer's rule. Equations are polynomials in the
# slots, so the coefficients for all fillings are one matrix product: monomial values times coefficients. Floats
# suffice to describe or reject a solution; an answer is solved exactly.


Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]

MAX_UNKNOWNS = 3  # systems with more unknowns are not solved
MAX_COEFFICIENTS = 1 << 26  # coefficients of systems that are solved together; they take eight bytes each

SINGULAR_BELOW = 1e-12  # a determinant below this share of its scale is zero: some thousand times the rounding error


class FloatSystems:
    """Systems with the same number of slots; those that are not square, or too large, have no solution.

    `slot_numbers` gives for each slot of each system the column of the values that fills it; by default its own number.
    """

    def __init__(self, systems: Sequence[System], slot_numbers: Sequence[Sequence[int]] | None = None) -> None:
        monomials: dict[tuple[int, ...], int] = {(): 0}
        entries: list[tuple[int, int, int, int, float]] = []
        self.unknowns = np.array([system.unknown_count for system in systems])
        self._square = np.array([is_square(system) for system in systems], dtype=bool)
        self._width = int(max([self.unknowns[i] for i in range(len(systems)) if self._square[i]], default=1))
        for t, system in enumerate(systems):
            if not self._square[t]:
                continue
            number = range(system.slot_count) if slot_numbers is None else slot_numbers[t]
            for e, terms in enumerate(system.terms):
                for column, coefficient, members in terms:
                    at = monomials.setdefault(tuple(sorted(number[i] for i in members)), len(monomials))
                    last = column == system.unknown_count
                    entries.append((t, e, self._width if last else column, at, float(coefficient)))
        self._monomials = list(monomials)
        shape = (len(systems), self._width, self._width + 1, len(monomials))
        if prod(shape) > MAX_COEFFICIENTS:
            raise LimitError(f"expected at most {MAX_COEFFICIENTS} coefficients of templates, but got {prod(shape)}")
        self._coefficients: Floats = np.zeros(shape)
        for place in entries:
            self._coefficients[place[:4]] += place[4]
        # Unknowns that a system lacks get an equation of their own, so that all systems have one size.
        for at in np.flatnonzero(self._square).tolist():
            for missing in range(self.unknowns[at], self._width):
                self._coefficients[at, missing, missing, 0] = 1.0

    def solve_filled(self, filled: Floats, which: npt.NDArray[np.integer[Any]] | None = None) -> tuple[Floats, Flags]:
        """Return solutions by unknown, system and filling, 0 where there is none, and whether each is unique.

        A row of `filled` has the value of each slot; `which` selects systems by position.
        """
        coefficients, square = self._coefficients, self._square
        if which is not None:
            coefficients, square = coefficients[which], square[which]
        powers = np.ones((len(filled), len(self._monomials)))
        for at, members in enumerate(self._monomials):
            for slot in members:
                powers[:, at] *= filled[:, slot]
        n = self._width
        flat = coefficients.reshape(-1, len(self._monomials))
        matrix = (flat @ powers.T).reshape(len(square), n, n + 1, len(filled))
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            determinant, numerators = cramer(matrix)
            unique = (np.abs(determinant) > SINGULAR_BELOW * _scale(matrix)) & square[:, None]
            found = np.where(unique, numerators / determinant, 0.0)
        return found, unique


def is_square(system: System) -> bool:
    """Decide whether a system has as many equations as unknowns, and at most `MAX_UNKNOWNS`."""
    return 1 <= system.unknown_count == len(system.rows) <= MAX_UNKNOWNS


def _scale(matrix: Floats) -> Floats:
    """Return the size that determinants are compared with: the product of the largest coefficient in each equation.

    Right-hand sides are left out, because they may be of any size.
    """
    n = matrix.shape[1]
    scale: Floats = np.ones((matrix.shape[0], matrix.shape[3]))
    # Loops over the few unknowns: reducing a short axis takes numpy far longer.
    for equation in range(n):
        largest = np.abs(matrix[:, equation, 0])
        for column in range(1, n):
            np.maximum(largest, np.abs(matrix[:, equation, column]), out=largest)
        scale *= largest
    return scale


def cramer(matrix: Floats) -> tuple[Floats, Floats]:
    """Return determinants and numerators of systems given as templates x equations x columns x fillings.

    A row says ``row[0]*u0 + … + row[-1] = 0``.
    """
    n = matrix.shape[1]
    a, b = matrix[:, :, :n], -matrix[:, :, n]
    if n == 1:
        return a[:, 0, 0], b[:, 0][None]
    if n == 2:
        determinant = a[:, 0, 0] * a[:, 1, 1] - a[:, 0, 1] * a[:, 1, 0]
        first = b[:, 0] * a[:, 1, 1] - a[:, 0, 1] * b[:, 1]
        second = a[:, 0, 0] * b[:, 1] - b[:, 0] * a[:, 1, 0]
        return determinant, np.stack([first, second])
    columns = [a[:, :, 0], a[:, :, 1], a[:, :, 2]]
    determinant = _triple(*columns)
    numerators = [_triple(*[b if i == j else columns[j] for j in range(3)]) for i in range(3)]
    return determinant, np.stack(numerators)


def _triple(x: Floats, y: Floats, z: Floats) -> Floats:
    """Return the determinant of three columns."""
    return np.asarray(
        x[:, 0] * (y[:, 1] * z[:, 2] - y[:, 2] * z[:, 1])
        - x[:, 1] * (y[:, 0] * z[:, 2] - y[:, 2] * z[:, 0])
        + x[:, 2] * (y[:, 0] * z[:, 1] - y[:, 1] * z[:, 0])
    )


# Solution codes: one small number for the count of unknowns, their signs, whether they are whole, how they compare
# with the numbers of the text, and whether one is between 0 and 1.


Codes = npt.NDArray[np.int16]

SINGULAR = -1  # the code of a system without a unique solution
_RADIX = (3, 3, 3, 3, 2, 2, 2)  # how many values each part of a code has

# What the parts of a code say
PARTS: tuple[tuple[str, ...], ...] = (
    ("one", "two", "three"),
    ("positive", "zero", "negative"),
    ("whole", "hundredths", "fractional"),
    ("below", "above", "far above"),
    ("new", "repeats a number"),
    ("different", "equal"),
    ("outside 0 to 1", "between 0 and 1"),
)

CODE_COUNT = prod(_RADIX)

_NEAR = 1e-6  # a solution is described as people would: 2.9999999 is whole, and is the 3 of the text


def unpack(code: int) -> tuple[int, ...]:
    """Return the parts of a code.

    >>> [PARTS[i][part] for i, part in enumerate(unpack(0))]
    ['one', 'positive', 'whole', 'below', 'new', 'different', 'outside 0 to 1']
    """
    parts = []
    for radix in reversed(_RADIX):
        code, part = divmod(code, radix)
        parts.append(part)
    return tuple(reversed(parts))


class SystemSolver(FloatSystems):
    """Solves classes of templates with one number of slots for many fillings at once."""

    def __init__(self, classes: Sequence[TemplateClass]) -> None:
        numbers = [[c.slots.index(slot) for slot in c.template.slots] for c in classes]
        super().__init__([c.template.system for c in classes], numbers)

    def solve(self, rows: Ranks, values: Floats, which: Indices | None = None) -> tuple[Floats, Flags]:
        """Return the solutions for fillings, given by the ranks of the text's values; see `solve_filled`."""
        return self.solve_filled(values[rows] if rows.shape[1] else np.zeros((len(rows), 0)), which)

    def codes(self, rows: Ranks, values: Floats, which: Indices | None = None) -> Codes:
        """Return the code of the solution of each template for each filling."""
        chosen = np.arange(len(self.unknowns)) if which is None else which
        solutions, unique = self.solve(rows, values, which)
        unknowns = self.unknowns[chosen][:, None]
        negative, zero, repeats, equal, between = (np.zeros(unique.shape, dtype=bool) for _ in range(5))
        whole, hundredths = (np.ones(unique.shape, dtype=bool) for _ in range(2))
        biggest = np.zeros(unique.shape)
        known = np.unique(values)
        # A loop over the few unknowns: reducing a short axis takes numpy far longer.
        for u, found in enumerate(solutions):
            there = unknowns > u
            size = np.abs(found)
            close = _NEAR * np.maximum(size, 1.0)
            negative |= (found < -_NEAR) & there
            zero |= (size <= _NEAR) & there
            between |= (found > _NEAR) & (found < 1 - _NEAR) & there
            whole &= np.abs(found - np.rint(found)) <= close
            hundredths &= np.abs(found - np.rint(found * 100) / 100) <= close
            nearest = known[np.clip(np.searchsorted(known, found - close), 0, len(known) - 1)] if len(known) else np.inf
            repeats |= (np.abs(found - nearest) <= close) & there
            np.maximum(biggest, size, out=biggest)
            for other in solutions[:u]:
                equal |= (np.abs(found - other) <= close) & there
        largest = np.abs(values).max() if len(values) else 0.0
        parts = (
            np.clip(unknowns - 1, 0, 2),
            np.where(negative, 2, np.where(zero, 1, 0)),
            np.where(whole, 0, np.where(hundredths, 1, 2)),
            np.where(biggest > 10 * largest, 2, np.where(biggest > largest * (1 + _NEAR), 1, 0)),
            repeats,
            equal,
            between,
        )
        code = np.zeros(unique.shape, dtype=np.int16)
        for radix, part in zip(_RADIX, parts, strict=True):
            code *= np.int16(radix)
            code += part.astype(np.int16)
        code[~unique] = SINGULAR
        return code
