"""The question: has this problem been seen before. What counts as the same is said in `draw_dataset.text.likeness`."""

from __future__ import annotations

from draw_dataset.text import find_numbers
from draw_dataset.text.likeness import NearDuplicates

_MAX_CHARACTERS = 20_000


class SeenProblems:
    """An index of problems, in which those that are the same are found.

    >>> seen = SeenProblems()
    >>> seen.add(1, "Ann has 20 coins in nickels and dimes worth $1.45. How many of each does she have?")
    >>> seen.find("ann has 20 coins, in nickels and dimes, worth $1.45! How many of each does she have")
    1
    >>> seen.find("Ann has 30 coins in nickels and dimes worth $1.45. How many of each does she have?") is None
    True
    """

    def __init__(self) -> None:
        self._index = NearDuplicates()
        self._ids: list[int | str] = []
        self._known: set[int | str] = set()

    def add(self, id_: int | str, text: str) -> None:
        """Put a problem into the index; one that is there already is replaced by nothing."""
        if id_ not in self._known:
            self._known.add(id_)
            self._ids.append(id_)
            self._index.add(text[:_MAX_CHARACTERS], find_numbers(text[:_MAX_CHARACTERS]))

    def find(self, text: str) -> int | str | None:
        """Return the problem that a text repeats, the one first added if there are several; None if there is none."""
        near = self._index.find(text[:_MAX_CHARACTERS], find_numbers(text[:_MAX_CHARACTERS]))
        return self._ids[near[0].position] if near else None
