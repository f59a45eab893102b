"""Weights of features: a table of attributes by columns for each kind, and names turned into numbers once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

Weights = npt.NDArray[np.float32]
Indices = npt.NDArray[np.int32]


class Names:
    """Numbers names from 0; a name that was not there when it was closed has no number."""

    def __init__(self, names: Iterable[str] = ()) -> None:
        self.number = {name: i for i, name in enumerate(names)}

    def add(self, name: str) -> int:
        """Return the number of a name, a new one if need be."""
        return self.number.setdefault(name, len(self.number))

    def known(self, names: Iterable[str]) -> list[int]:
        """Return the numbers of those names that have one."""
        number = self.number
        return [number[name] for name in names if name in number]

    @property
    def names(self) -> list[str]:
        """The names in the order of their numbers."""
        return list(self.number)

    def __len__(self) -> int:
        return len(self.number)


def padded(lists: Sequence[Sequence[int]], filler: int) -> Indices:
    """Return lists of numbers as one array, short ones filled up.

    >>> padded([[1, 2], [3]], 9).tolist()
    [[1, 2], [3, 9]]
    """
    width = max([len(listed) for listed in lists], default=0)
    return np.array([[*listed, *[filler] * (width - len(listed))] for listed in lists], dtype=np.int32).reshape(
        len(lists), width
    )
