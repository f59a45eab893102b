"""Drawing words and numbers apart, and writing some of them."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any


class Draws:
    """Two sources of chance, one for words and one for numbers: the same words can be told with other numbers."""

    def __init__(self, words: int, numbers: int) -> None:
        self._words = random.Random(f"words {words}")
        self._numbers = random.Random(f"numbers {numbers}")

    def _source(self, options: Sequence[Any]) -> random.Random:
        first = options[0]
        while isinstance(first, tuple):
            first = first[0]
        return self._words if isinstance(first, str) else self._numbers

    def choice(self, options: Sequence[Any]) -> Any:
        return self._source(options).choice(options)

    def sample(self, options: Sequence[Any], count: int) -> list[Any]:
        return self._source(options).sample(options, count)

    def randint(self, low: int, high: int) -> int:
        return self._numbers.randint(low, high)


PEOPLE = (
    "Alma", "Bruno", "Carla", "Dieter", "Elif", "Farid", "Greta", "Hamid", "Ines", "Jonas", "Kira", "Luca", "Mona",
    "Nils", "Olga", "Pavel", "Rosa", "Samir", "Tara", "Uwe", "Vera", "Walid", "Yara", "Zeno",
)  # fmt: skip
TIMES = {
    2: ("twice", "two times"),
    3: ("three times", "3 times"),
    4: ("four times", "4 times"),
    5: ("five times", "5 times"),
}


def two_people(rng: Draws) -> tuple[str, str]:
    first, second = rng.sample(PEOPLE, 2)
    return first, second


def times(rng: Draws, slot: str, value: int) -> str:
    """Write a factor, marked: ``{b:three} times``."""
    written = rng.choice(TIMES[value])
    number, _, rest = written.partition(" ")
    return f"{{{slot}:{number}}}{' ' + rest if rest else ''}"


def money(cents: int) -> str:
    return f"{cents // 100}.{cents % 100:02}" if cents % 100 else str(cents // 100)
