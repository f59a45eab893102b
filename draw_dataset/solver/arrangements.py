"""The ways to fill the slots of a template with the numbers of a text, as arrays.

A way is a row of number ranks, one for each slot, no number twice. Where an automorphism of the template exchanges
slots, several rows mean the same derivation; the least of them in alphabetical order is kept. The arrays depend on
counts and symmetries only and are remembered.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import perm

import numpy as np
import numpy.typing as npt

from draw_dataset.solver.anatomy import Permutation

Ranks = npt.NDArray[np.int64]

MAX_ARRANGEMENTS = 100_000
"""Ways to fill the slots of one template that are made at once; beyond, the search goes by beam."""


def enumerable(numbers: int, slots: int) -> bool:
    """Say whether all ways to fill so many slots with so many numbers are few enough to be made."""
    return perm(numbers, slots) <= MAX_ARRANGEMENTS


@lru_cache(maxsize=256)
def arrangements(numbers: int, slots: int, automorphisms: tuple[Permutation, ...]) -> Ranks:
    """Return all ways to fill the slots, one a row, each derivation once.

    >>> arrangements(3, 2, ((0, 1), (1, 0))).tolist()
    [[0, 1], [0, 2], [1, 2]]
    """
    rows = np.zeros((1, 0), dtype=np.int64)
    for _ in range(slots):
        count = len(rows)
        extended = np.concatenate(
            [np.repeat(rows, numbers, axis=0), np.tile(np.arange(numbers), count)[:, None]], axis=1
        )
        fresh = (extended[:, :-1] != extended[:, -1:]).all(axis=1)
        rows = extended[fresh]
    return rows[is_least(rows, automorphisms, numbers)]


def is_least(rows: Ranks, automorphisms: Sequence[Permutation], numbers: int) -> npt.NDArray[np.bool_]:
    """Say of each row whether no renumbering of the slots makes a lesser one of it."""
    weights = numbers ** np.arange(rows.shape[1] - 1, -1, -1, dtype=np.float64)
    own = rows @ weights
    keep = np.ones(len(rows), dtype=bool)
    for g in automorphisms:
        keep &= own <= rows[:, list(g)] @ weights
    return keep


def least(row: Sequence[int], automorphisms: Sequence[Permutation]) -> tuple[int, ...]:
    """Return the row that stands for a way to fill the slots.

    >>> least((2, 0), ((0, 1), (1, 0)))
    (0, 2)
    """
    return min(tuple(row[i] for i in g) for g in automorphisms)
