"""What the solution of each candidate looks like: solved for all candidates at once, and put into a small code.

The equations of a template are polynomials in its slots. For all ways to fill the slots their coefficients are one
product of matrices (the values of the monomials times the coefficients), and Cramer's rule solves systems of up to
three unknowns without a loop over candidates. Floating point is good enough to describe a solution; the one that is
given out is solved exactly.

The code of a solution is one number for: how many unknowns, their signs, whether they are whole, how they compare with
the numbers of the text, and whether one is between 0 and 1. A system without a unique solution has code `SINGULAR`.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np
import numpy.typing as npt

from draw_dataset.errors import LimitError
from draw_dataset.solver.arrangements import Indices, Ranks
from draw_dataset.solver.inventory import TemplateClass

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int16]

SINGULAR = -1
"""The code of a system without a unique solution."""

_RADIX = (3, 3, 3, 3, 2, 2, 2)
"""How many values each part of a code has."""

PARTS: tuple[tuple[str, ...], ...] = (
    ("one", "two", "three"),
    ("positive", "zero", "negative"),
    ("whole", "hundredths", "fractional"),
    ("below", "above", "far above"),
    ("new", "repeats a number"),
    ("different", "equal"),
    ("outside 0 to 1", "between 0 and 1"),
)
"""What the parts of a code say."""

CODE_COUNT = prod(_RADIX)

MAX_COEFFICIENTS = 1 << 26
"""Coefficients of the templates with one number of slots; they take eight bytes each."""

# Two roundings, of two things. A solution is described as people would: 2.9999999 is whole, and is the 3 of the text.
# A determinant is compared with what rounding alone can leave of it, some thousand times the precision of a float.
_NEAR = 1e-6
_SINGULAR_BELOW = 1e-12


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


class SystemSolver:
    """Solves templates of one number of slots for many fillings at once.

    Args:
        classes: the templates; all have the same number of slots.

    Attributes:
        unknowns: how many unknowns each has.

    Raises:
        LimitError: they are too many, and too different, to be solved at once.
    """

    def __init__(self, classes: Sequence[TemplateClass]) -> None:
        monomials: dict[tuple[int, ...], int] = {(): 0}
        entries: list[tuple[int, int, int, int, float]] = []
        self.unknowns = np.array([c.template.system.unknown_count for c in classes])
        self._square = np.array([_is_square(c) for c in classes], dtype=bool)
        self._width = int(max([self.unknowns[i] for i in range(len(classes)) if self._square[i]], default=1))
        for t, c in enumerate(classes):
            if not self._square[t]:
                continue
            system = c.template.system
            number = [c.slots.index(slot) for slot in c.template.slots]
            for e, terms in enumerate(system.terms):
                for column, coefficient, members in terms:
                    at = monomials.setdefault(tuple(sorted(number[i] for i in members)), len(monomials))
                    last = column == system.unknown_count
                    entries.append((t, e, self._width if last else column, at, float(coefficient)))
        self._monomials = list(monomials)
        shape = (len(classes), self._width, self._width + 1, len(monomials))
        if prod(shape) > MAX_COEFFICIENTS:
            raise LimitError(f"expected at most {MAX_COEFFICIENTS} coefficients of templates, but got {prod(shape)}")
        self._coefficients: Floats = np.zeros(shape)
        for place in entries:
            self._coefficients[place[:4]] += place[4]
        # Unknowns that a template lacks get an equation of their own, so that all systems have one size.
        for at in np.flatnonzero(self._square).tolist():
            for missing in range(self.unknowns[at], self._width):
                self._coefficients[at, missing, missing, 0] = 1.0

    def solve(self, rows: Ranks, values: Floats, which: Indices | None = None) -> tuple[Floats, npt.NDArray[np.bool_]]:
        """Return the solutions of templates for fillings, and which of them are unique.

        Args:
            rows: the fillings.
            values: the values of the text's numbers.
            which: the templates, by their place; all by default.

        Returns:
            Solutions by unknown, template and filling (padded by zeros), and whether each is unique.
        """
        chosen = np.arange(len(self.unknowns)) if which is None else which
        filled = values[rows] if rows.shape[1] else np.zeros((len(rows), 0))
        powers = np.ones((len(rows), len(self._monomials)))
        for at, members in enumerate(self._monomials):
            for slot in members:
                powers[:, at] *= filled[:, slot]
        n = self._width
        flat = self._coefficients[chosen].reshape(len(chosen) * n * (n + 1), -1)
        matrix = (flat @ powers.T).reshape(len(chosen), n, n + 1, len(rows))
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            determinant, numerators = cramer(matrix)
            # What the determinant is small against: coefficients alone, as a right-hand side may be of any size.
            scale = np.abs(matrix[:, :, :n]).max(axis=2).prod(axis=1)
            unique = (np.abs(determinant) > _SINGULAR_BELOW * scale) & self._square[chosen, None]
            found = np.where(unique, numerators / determinant, 0.0)
        return found, unique

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


def _is_square(c: TemplateClass) -> bool:
    system = c.template.system
    return 1 <= system.unknown_count == len(system.rows) <= 3


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
