"""The ways to fill the slots of a template with the numbers of a text, as arrays.

A way is a row of number ranks, one for each slot, no number twice. Where an automorphism of a template exchanges slots,
several ways mean the same derivation; the least of them in alphabetical order stands for all. The arrays depend on
counts and symmetries only and are remembered.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import perm

import numpy as np
import numpy.typing as npt

from draw_dataset.core.memory import MEGABYTE, remembered
from draw_dataset.solver.template_structure import Permutation

Ranks = npt.NDArray[np.int64]
"""Numbers of a text, by their rank in it."""

Indices = npt.NDArray[np.int32]
"""Places in a list of templates, columns or rows."""

MAX_WAYS = 100_000
"""Ways to fill the slots of one template that are made at once; beyond, the search goes by beam."""


@dataclass(frozen=True, slots=True)
class Ways:
    """Ways to fill slots.

    Attributes:
        rows: the number in each slot, one way a row.
        slots: the same by slot.
        pairs: for each pair of slots the ordered pair of numbers in them, as first * count + second.
        keys: a number for each way; ascending where all ways are there.
    """

    rows: Ranks
    slots: tuple[Ranks, ...]
    pairs: tuple[Ranks, ...]
    keys: Ranks

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


def enumerable(numbers: int, slots: int) -> bool:
    """Say whether all ways to fill so many slots with so many numbers are few enough to be made."""
    return perm(numbers, slots) <= MAX_WAYS


def _weigh_ways(ways: Ways, *_: int) -> int:
    return 500 + sum([array.nbytes for array in (ways.rows, *ways.slots, *ways.pairs, ways.keys)])


@remembered(192 * MEGABYTE, _weigh_ways)  # the largest weighs an eighth of it
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


@remembered(16 * MEGABYTE, lambda found, *arguments: 500 + found.nbytes + 100 * len(arguments[2]))
def repeated(numbers: int, slots: int, automorphisms: tuple[Permutation, ...]) -> npt.NDArray[np.bool_]:
    """Say of each of all ways whether a symmetry of the template makes a lesser one of it, which stands for it.

    >>> repeated(3, 2, ((0, 1), (1, 0))).tolist()
    [False, False, True, False, True, True]
    """
    ways = all_ways(numbers, slots)
    found = np.zeros(len(ways.rows), dtype=bool)
    for g in automorphisms:
        found |= keys_of(ways.rows[:, list(g)], numbers) < ways.keys
    return found


def least(row: Sequence[int], automorphisms: Sequence[Permutation]) -> tuple[int, ...]:
    """Return the row that stands for a way to fill the slots.

    >>> least((2, 0), ((0, 1), (1, 0)))
    (0, 2)
    """
    return min(tuple(row[i] for i in g) for g in automorphisms)
