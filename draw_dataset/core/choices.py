"""Ways to choose one of several things at each of several places: counted at once, and made one at a time.

How many ways there are is a product, found without making any of them. They have an order, the last place changing
first, as in counting. So a way is found by its rank with one division a place; the first takes the first everywhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Generic, TypeVar

Option = TypeVar("Option")


@dataclass(frozen=True, slots=True)
class Choices(Generic[Option]):
    """All ways to choose.

    >>> ways = Choices([("a", "b"), ("x", "y", "z")])
    >>> ways.count, ways.nth(4), ways.rank((1, 1)), next(iter(ways))
    (6, ('b', 'y'), 4, ('a', 'x'))

    Attributes:
        options: what there is to choose from at each place; at least one thing, or there is no way at all.
    """

    options: Sequence[Sequence[Option]]

    @property
    def count(self) -> int:
        """How many ways there are, exactly."""
        return prod(map(len, self.options))

    def nth(self, rank: int) -> tuple[Option, ...]:
        """Return a way by its rank, from 0, without making the others.

        Raises:
            IndexError: there are not that many.
        """
        if not 0 <= rank < self.count:
            raise IndexError(f"expected a rank from 0 and below {self.count}, but got {rank}")
        chosen: list[Option] = []
        for listed in reversed(self.options):
            rank, which = divmod(rank, len(listed))
            chosen.append(listed[which])
        return tuple(reversed(chosen))

    def rank(self, which: Sequence[int]) -> int:
        """Return the rank of the way that takes given ones at the places, each counted from 0."""
        found = 0
        for at, listed in zip(which, self.options, strict=True):
            found = found * len(listed) + at
        return found

    def __iter__(self) -> Iterator[tuple[Option, ...]]:
        """Yield the ways in their order."""
        return product(*self.options)
