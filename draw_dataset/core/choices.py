"""Ways to choose one option at each of several places: counted at once, and made one at a time.

The number of ways is a product, so it is known without making any of them. The ways have an order in which the last
place changes first, as in counting. So a way is found by its rank with one division for each place. The first way takes
the first option everywhere.
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
        options: the options at each place; if a place has none, there is no way at all.
    """

    options: Sequence[Sequence[Option]]

    @property
    def count(self) -> int:
        """How many ways there are, exactly."""
        return prod(map(len, self.options))

    def nth(self, rank: int) -> tuple[Option, ...]:
        """Return a way by its rank, counted from 0, without making the others.

        Raises:
            IndexError: the rank is too large.
        """
        if not 0 <= rank < self.count:
            raise IndexError(f"expected a rank from 0 and below {self.count}, but got {rank}")
        chosen: list[Option] = []
        for listed in reversed(self.options):
            rank, which = divmod(rank, len(listed))
            chosen.append(listed[which])
        return tuple(reversed(chosen))

    def rank(self, which: Sequence[int]) -> int:
        """Return the rank of a way, given the option it takes at each place, counted from 0."""
        found = 0
        for at, listed in zip(which, self.options, strict=True):
            found = found * len(listed) + at
        return found

    def __iter__(self) -> Iterator[tuple[Option, ...]]:
        """Yield the ways in their order."""
        return product(*self.options)
