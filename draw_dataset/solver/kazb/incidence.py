"""Which rows of weights belong to which set: sums of rows for many sets at once, and back.

There are few rows in a set, and some hundred sets in a text; a product with a matrix of zeros and ones would mostly add
zeros. So the sets are ordered by their size, and the first row of all sets is gathered at once, then the second of all
that have two, and so on. That takes a dozen steps, each over long rows. The way back, from sets to rows, is the same
with the roles exchanged.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from draw_dataset.solver.arrangements import Indices
from draw_dataset.solver.layout import Vocabulary

Table = npt.NDArray[np.floating[Any]]


@dataclass(frozen=True, slots=True)
class Incidence:
    """Sets of rows.

    Attributes:
        count: how many sets there are; the largest come first.
        layers: the first row of each set, the second of each that has one, and so on.
        rows: all rows, those that are in the most sets first.
        back: the first set of each row, the second, and so on.
    """

    count: int
    layers: tuple[Indices, ...]
    rows: Indices
    back: tuple[Indices, ...]

    @classmethod
    def of(cls, lists: Sequence[Sequence[str]], names: Vocabulary) -> tuple[Incidence, npt.NDArray[np.int64]]:
        """Return the different sets of known names, and which set each list is."""
        known = [frozenset(names.known(listed)) for listed in lists]
        sets = sorted({*known}, key=lambda one: (-len(one), sorted(one)))
        number = {one: i for i, one in enumerate(sets)}
        standing: dict[int, list[int]] = {}
        for i, one in enumerate(sets):
            for row in sorted(one):
                standing.setdefault(row, []).append(i)
        rows = sorted(standing, key=lambda row: (-len(standing[row]), row))
        made = cls(
            count=len(sets),
            layers=_layers(sorted(one) for one in sets),
            rows=np.array(rows, dtype=np.int32),
            back=_layers(standing[row] for row in rows),
        )
        return made, np.array([number[one] for one in known], dtype=np.int64)

    def gathered(self, weights: npt.NDArray[np.float32], precision: type[np.floating[Any]]) -> Table:
        """Return the sum of the rows of each set, with one more column of zeros."""
        found = np.zeros((self.count, weights.shape[1] + 1), dtype=precision)
        for layer in self.layers:
            found[: len(layer), :-1] += weights[layer]
        return found

    def scatter(
        self, table: npt.NDArray[np.float32], columns: npt.NDArray[np.int64], into: npt.NDArray[np.float32]
    ) -> None:
        """Add what each set has in a table to all its rows, in some columns."""
        if not self.back:
            return
        found = table[self.back[0]]
        for layer in self.back[1:]:
            found[: len(layer)] += table[layer]
        into[np.ix_(self.rows, columns)] += found


def _layers(lists: Iterable[Sequence[int]]) -> tuple[Indices, ...]:
    """Return the first of each list, the second of each that has one, and so on; the longest lists come first."""
    held = [list(one) for one in lists]
    depth = len(held[0]) if held else 0
    return tuple(np.array([one[k] for one in held if len(one) > k], dtype=np.int32) for k in range(depth))
