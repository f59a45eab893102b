"""The question: are two texts nearly the same problem. One rule, for checking datasets and for cleaning a crawl.

Two texts are near duplicates if their numbers have equal values in the same order and they say nearly the same about
them. A text is reduced to its words, lower-cased, with every number replaced by one mark, and then to its shingles, the
triples of words that follow each other. How alike two texts are is the Jaccard index of their shingles (common ones
over all); from `THRESHOLD` on they are near duplicates.

Both conditions matter: many problems differ in nothing but their numbers and are different problems, and many use the
same few numbers for different questions. Of the pairs of the release between 0.5 and 0.56 all are one problem in other
words (synonyms, names, the final question) but two, which exchange the larger and the smaller number.

Only texts with the same numbers are compared. They are few, so that each pair is compared exactly and nothing rests on
an estimate. Of a text the 64-bit hashes of its shingles are kept.
"""

from __future__ import annotations

import hashlib
import re
from array import array
from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple, Protocol

THRESHOLD = 0.5
"""The least Jaccard index of near duplicates."""

SHINGLE = 3
"""Words of a shingle."""

_WORD = re.compile(r"[^\W_]+|#")


class Placed(Protocol):
    """A number with its characters in a text, which may not be known."""

    @property
    def start(self) -> int | None: ...  # noqa: D102
    @property
    def end(self) -> int | None: ...  # noqa: D102
    @property
    def value(self) -> Fraction | None: ...  # noqa: D102


class Near(NamedTuple):
    """A near duplicate: how many texts were added before it, and how alike it is."""

    position: int
    likeness: float


class Shape(NamedTuple):
    """What of a text is compared: the values of its numbers in their order, and the hashes of its shingles."""

    values: tuple[Fraction | None, ...]
    shingles: array[int]


class _Kept(NamedTuple):
    position: int
    shingles: array[int]


class NearDuplicates:
    """An index of texts in which near duplicates are found.

    >>> from draw_dataset.text import find_numbers
    >>> seen = NearDuplicates()
    >>> texts = ["Ann has 20 coins in dimes.", "ann has 20 coins, in dimes!", "Ann has 30 coins in dimes."]
    >>> [[near.position for near in seen.add(text, find_numbers(text))] for text in texts]
    [[], [0], []]
    """

    def __init__(self) -> None:
        self._by_values: dict[tuple[Fraction | None, ...], list[_Kept]] = {}
        self._count = 0

    def add(self, text: str, numbers: Sequence[Placed]) -> list[Near]:
        """Add a text with its numbers, and return its near duplicates among those added before, in their order."""
        shape = shape_of(text, numbers)
        near = self.find_shape(shape)
        self.add_shape(shape)
        return near

    def add_shape(self, shape: Shape) -> None:
        """Add a text by what is compared of it."""
        self._by_values.setdefault(shape.values, []).append(_Kept(self._count, shape.shingles))
        self._count += 1

    def find(self, text: str, numbers: Sequence[Placed]) -> list[Near]:
        """Return the near duplicates of a text among those added, in their order; the text is not added."""
        return self.find_shape(shape_of(text, numbers))

    def find_shape(self, shape: Shape) -> list[Near]:
        """Return the near duplicates of a text, given what is compared of it, among those added, in their order."""
        own = set(shape.shingles)
        found = []
        for position, others in self._by_values.get(shape.values, ()):
            common = len(own.intersection(others))
            likeness = common / (len(own) + len(others) - common)
            if likeness >= THRESHOLD:
                found.append(Near(position, likeness))
        return found


def shape_of(text: str, numbers: Sequence[Placed]) -> Shape:
    """Return what of a text is compared with others."""
    return Shape(tuple(number.value for number in numbers), hashed_shingles(text, numbers))


def hashed_shingles(text: str, numbers: Sequence[Placed]) -> array[int]:
    """Return the hashes of a text's shingles, each once; the whole text is one if it is shorter."""
    words = masked_words(text, numbers)
    shingles = {" ".join(words[i : i + SHINGLE]) for i in range(max(1, len(words) - SHINGLE + 1))}
    return array("Q", (int.from_bytes(hashlib.blake2b(s.encode(), digest_size=8).digest(), "big") for s in shingles))


def masked_words(text: str, numbers: Sequence[Placed]) -> list[str]:
    """Return the words of a text, its numbers masked.

    >>> from draw_dataset.text import find_numbers
    >>> text = "Ann's 20 coins are worth $1.45."
    >>> " ".join(masked_words(text, find_numbers(text)))
    'ann s # coins are worth #'
    """
    parts: list[str] = []
    at = 0
    for number in numbers:
        if number.start is not None and number.end is not None and number.start >= at:
            parts += [text[at : number.start], " # "]
            at = number.end
    return _WORD.findall("".join([*parts, text[at:]]).lower())
