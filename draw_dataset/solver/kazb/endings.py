"""What complete derivations show: their solutions, and what is scored on top of their parts.

A solution may be positive and whole; the unknowns compare with each other and with the numbers; and two products of an
unknown and a number may be joined by the same verb or preposition in the text. All but the last depend on the template
and its numbers alone, not on nouns: each such *ending* is solved once a text and remembered, as training looks at it
again and again.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from draw_dataset.solver.kazb.columns import MAX_UNKNOWNS, Columns
from draw_dataset.solver.kazb.encoding import EncodedReading
from draw_dataset.solver.kazb.score_tables import Integers, Scores, ScoreTables
from draw_dataset.solver.solutions import Floats, cramer

Flags = npt.NDArray[np.bool_]
Keys = npt.NDArray[np.uint64]

_NEAR = 1e-6
_SINGULAR_BELOW = 1e-12


@dataclass(frozen=True, slots=True)
class Solved:
    """Templates with their numbers, solved.

    Attributes:
        templates: the template of each.
        solvable: whether its system has exactly one solution.
        solutions: the values of the unknowns, padded by zeros.
        compared: how the two slots of each row of `Columns.compared` compare.
        seen: which attributes the solution has.
    """

    templates: Integers
    solvable: Flags
    solutions: Floats
    compared: npt.NDArray[np.int8]
    seen: Flags

    def chosen(self, which: Integers) -> Solved:
        """Return some of them."""
        return Solved(
            self.templates[which],
            self.solvable[which],
            self.solutions[which],
            self.compared[which],
            self.seen[which],
        )

    def joined(self, other: Solved) -> Solved:
        """Return these and others."""
        return Solved(
            np.concatenate([self.templates, other.templates]),
            np.concatenate([self.solvable, other.solvable]),
            np.concatenate([self.solutions, other.solutions]),
            np.concatenate([self.compared, other.compared]),
            np.concatenate([self.seen, other.seen]),
        )

    def scores(self, columns: Columns, tables: ScoreTables) -> Scores:
        """Return the score of each; minus infinity for those that cannot be solved."""
        found = tables.comparisons[self.compared, columns.compared[self.templates, :, 2]].sum(axis=1)
        found += self.seen @ tables.solution
        found[~self.solvable] = -np.inf
        return np.asarray(found)


def solve(columns: Columns, encoded: EncodedReading, templates: Integers, filled: Integers) -> Solved:
    """Solve templates with their numbers.

    Args:
        columns: the templates.
        encoded: the text.
        templates: the template of each.
        filled: the item in each slot of each; those in the slots of nouns make no difference.
    """
    every = np.arange(len(templates))[:, None]
    numbers = np.append(np.zeros(encoded.nouns), encoded.values)
    values = np.ones((len(templates), columns.slots + 1))
    values[:, :-1] = numbers[filled]
    terms = columns.term_coefficients[templates]
    slots = columns.term_slots[templates]
    for depth in range(slots.shape[2]):
        terms = terms * values[every, slots[:, :, depth]]
    size = MAX_UNKNOWNS * (MAX_UNKNOWNS + 1)
    places = every * size + columns.term_places[templates]
    matrix = np.bincount(places.ravel(), terms.ravel(), minlength=len(templates) * size)
    system = matrix.reshape(len(templates), MAX_UNKNOWNS, MAX_UNKNOWNS + 1) + columns.empty_systems[templates]
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        determinant, numerators = cramer(system[:, :, :, None])
        scale = np.abs(system[:, :, :MAX_UNKNOWNS]).max(axis=2).prod(axis=1)
        solvable = np.abs(determinant[:, 0]) > _SINGULAR_BELOW * scale
        solutions = np.where(solvable, numerators[:, :, 0] / determinant[:, 0], 0.0).T
    unknown = columns.unknown_at[templates]
    values[:, :-1] = np.where(unknown >= 0, solutions[every, np.maximum(unknown, 0)], values[:, :-1])
    first, second = (values[every, columns.compared[templates, :, i]] for i in (0, 1))
    close = np.abs(first - second) <= _NEAR * np.maximum(np.abs(first), 1.0)
    there = np.arange(MAX_UNKNOWNS) <= unknown.max(axis=1, keepdims=True, initial=0)
    positive = ((solutions > 0) | ~there).all(axis=1)
    whole = (np.abs(solutions - np.rint(solutions)) <= _NEAR * np.maximum(np.abs(solutions), 1.0)).all(axis=1)
    return Solved(
        templates=templates,
        solvable=solvable,
        solutions=solutions,
        compared=np.where(close, 2, np.where(first > second, 0, 1)).astype(np.int8),
        seen=np.stack([positive, whole, positive & whole], axis=1),
    )


class Endings:
    """The endings of one text that were met so far.

    Args:
        columns: the templates.
        encoded: the text.
    """

    def __init__(self, columns: Columns, encoded: EncodedReading) -> None:
        self._columns, self._encoded = columns, encoded
        drawn = np.random.default_rng(0).integers(1, 2**63, size=columns.slots + 1, dtype=np.uint64)
        self._factors = drawn | np.uint64(1)
        self._keys: Keys = np.zeros(0, dtype=np.uint64)
        self._solved = solve(columns, encoded, np.zeros(0, np.int64), np.zeros((0, columns.slots), np.int64))

    def keys(self, templates: Integers, filled: Integers, nouns: bool = False) -> Keys:
        """Return a number for each template with its numbers, and with its nouns if these are to count.

        Two different ones share a number as rarely as 64 random bits are equal by chance.
        """
        least = 0 if nouns else self._encoded.nouns - 1
        parts = np.maximum(filled - least, 0).astype(np.uint64) * self._factors[:-1]
        return np.asarray(parts.sum(axis=1) + templates.astype(np.uint64) * self._factors[-1])

    def find(self, templates: Integers, filled: Integers) -> tuple[Solved, Integers]:
        """Return all endings, and which of them each complete derivation has."""
        keys = self.keys(templates, filled)
        if not len(self._keys):
            self._add(keys, templates, filled)
        at = np.minimum(np.searchsorted(self._keys, keys), max(len(self._keys) - 1, 0))
        missing = self._keys[at] != keys if len(keys) else np.zeros(0, dtype=bool)
        if missing.any():
            self._add(keys[missing], templates[missing], filled[missing])
            at = np.searchsorted(self._keys, keys)
        return self._solved, at

    def _add(self, keys: Keys, templates: Integers, filled: Integers) -> None:
        new, first = np.unique(keys, return_index=True)
        solved = solve(self._columns, self._encoded, templates[first], filled[first])
        both = np.concatenate([self._keys, new])
        order = np.argsort(both)
        self._keys = both[order]
        self._solved = self._solved.joined(solved).chosen(order)

    def parallel(self, templates: Integers, filled: Integers) -> Flags:
        """Say whether the two terms of each row of `Columns.parallels` are joined alike."""
        width = self._columns.parallels.shape[1]
        slots = self._columns.parallels[templates].reshape(len(templates), 4 * width)
        items = filled[np.arange(len(templates))[:, None], slots].reshape(len(templates), width, 4)
        one = self._encoded.relations[items[:, :, 0], items[:, :, 1]]
        other = self._encoded.relations[items[:, :, 2], items[:, :, 3]]
        return np.asarray((one == other) & (one > 0))
