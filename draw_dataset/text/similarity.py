"""Near duplicates: problems with equal numbers in the same order and nearly the same words.

The likeness of two texts is the Jaccard index of their shingles (triples of words, each number replaced by one mark),
compared exactly by 64-bit hashes. Of the pairs of the release between 0.5 and 0.56, all but two are one problem.
"""

from __future__ import annotations

import hashlib
import re
from array import array
from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple, Protocol

from draw_dataset.text.lexicon import singular, things

THRESHOLD = 0.5  #: the smallest Jaccard index of near duplicates
SHINGLE = 3  #: words of a shingle

_WORD = re.compile(r"[^\W_]+|#")


class Placed(Protocol):
    """A number with its characters in a text, if these are known."""

    @property
    def start(self) -> int | None: ...  # noqa: D102
    @property
    def end(self) -> int | None: ...  # noqa: D102
    @property
    def value(self) -> Fraction | None: ...  # noqa: D102


class Near(NamedTuple):
    """A near duplicate: its position in the order of adding, and its likeness."""

    position: int
    likeness: float


class Shape(NamedTuple):
    """The compared part of a text: the values of its numbers in order, and the hashes of its shingles."""

    values: tuple[Fraction | None, ...]
    shingles: array[int]


class NearDuplicates:
    """An index of texts that finds near duplicates.

    >>> from draw_dataset.text.numbers import find_numbers
    >>> seen = NearDuplicates()
    >>> texts = ["Ann has 20 coins in dimes.", "ann has 20 coins, in dimes!", "Ann has 30 coins in dimes."]
    >>> [[near.position for near in seen.add(text, find_numbers(text))] for text in texts]
    [[], [0], []]
    """

    def __init__(self) -> None:
        self._by_values: dict[tuple[Fraction | None, ...], list[tuple[int, array[int]]]] = {}
        self._count = 0

    def add(self, text: str, numbers: Sequence[Placed]) -> list[Near]:
        """Add a text with its numbers; return its near duplicates among earlier texts, in their order."""
        shape = shape_of(text, numbers)
        near = self.find_shape(shape)
        self.add_shape(shape)
        return near

    def add_shape(self, shape: Shape) -> None:
        """Add a text by its shape."""
        self._by_values.setdefault(shape.values, []).append((self._count, shape.shingles))
        self._count += 1

    def find(self, text: str, numbers: Sequence[Placed]) -> list[Near]:
        """Return the near duplicates of a text, in their order, without adding it."""
        return self.find_shape(shape_of(text, numbers))

    def find_shape(self, shape: Shape) -> list[Near]:
        """Return the near duplicates of a text by its shape, in their order."""
        own = set(shape.shingles)
        found = []
        for position, others in self._by_values.get(shape.values, ()):
            common = len(own.intersection(others))
            likeness = common / (len(own) + len(others) - common)
            if likeness >= THRESHOLD:
                found.append(Near(position, likeness))
        return found


def shape_of(text: str, numbers: Sequence[Placed]) -> Shape:
    """Return the compared part of a text."""
    return Shape(tuple(number.value for number in numbers), hash_shingles(text, numbers))


def hash_shingles(text: str, numbers: Sequence[Placed]) -> array[int]:
    """Return the hashes of a text's shingles, each once; the whole text is one if it is shorter."""
    words = mask_words(text, numbers)
    shingles = {" ".join(words[i : i + SHINGLE]) for i in range(max(1, len(words) - SHINGLE + 1))}
    return array("Q", (int.from_bytes(hashlib.blake2b(s.encode(), digest_size=8).digest(), "big") for s in shingles))


def mask_words(text: str, numbers: Sequence[Placed]) -> list[str]:
    """Return the words of a text, its numbers masked.

    >>> from draw_dataset.text.numbers import find_numbers
    >>> text = "Ann's 20 coins are worth $1.45."
    >>> " ".join(mask_words(text, find_numbers(text)))
    'ann s # coins are worth #'
    """
    return _WORD.findall(_mask_numbers(text, numbers).lower())


def _mask_numbers(text: str, numbers: Sequence[Placed]) -> str:
    parts: list[str] = []
    at = 0
    for number in numbers:
        if number.start is not None and number.end is not None and number.start >= at:
            parts += [text[at : number.start], " # "]
            at = number.end
    return "".join([*parts, text[at:]])


_PRONOUNS = {"he": "she", "him": "her", "his": "her", "hers": "her", "himself": "herself"}


def mask_names(text: str, numbers: Sequence[Placed]) -> list[str]:
    """Return the words of a text with numbers masked, names numbered in their order, and one gender and number.

    >>> from draw_dataset.text.numbers import find_numbers
    >>> texts = ["Ann has 20 coins. Bo has 5 more than Ann.", "Ed has 9 coins. Kim has 1 more than Ed."]
    >>> {" ".join(mask_names(text, find_numbers(text))) for text in texts}
    {'@1 has # coin @2 has # more than @1'}
    """
    names: dict[str, str] = {}
    found = []
    for word in _WORD.findall(_mask_numbers(text, numbers)):
        low = word.lower()
        if word != low and things([low]):
            found.append(names.setdefault(low, f"@{len(names) + 1}"))
        else:
            found.append(_PRONOUNS.get(low) or singular(low))
    return found
