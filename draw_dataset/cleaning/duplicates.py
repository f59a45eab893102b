"""The question: has this problem been seen before.

Texts are compared as sets of word triples in which numbers are masked. MinHash (datasketch) with banding finds those
that may be alike; their triples are then compared exactly, so that nothing rests on an estimate. Texts that are alike
with the same numbers are one problem. Texts that are alike with different numbers are different problems: of 30 such
pairs in Draw-1k 16 differ in their numbers.
"""

from __future__ import annotations

import hashlib
import re
from array import array
from collections import Counter
from fractions import Fraction
from typing import Any

from draw_dataset.errors import ExtraMissing
from draw_dataset.text import find_numbers

LIKENESS = 0.7
"""The share of triples in common (Jaccard) from which on two texts are alike."""

_PERMUTATIONS = 64
_SEED = 514
_WORD = re.compile(r"[^\W\d_]+")
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
        try:
            from datasketch import MinHash, MinHashLSH
        except ImportError as error:
            raise ExtraMissing("finding duplicates needs datasketch: pip install 'draw-dataset[crawl]'") from error
        # A low threshold: candidates are compared exactly anyway.
        self._index = MinHashLSH(threshold=0.5, num_perm=_PERMUTATIONS)
        self._triples: dict[str, array[int]] = {}
        self._numbers: dict[str, Counter[Fraction]] = {}
        self._place: dict[str, int] = {}
        # The permutations are drawn once; every sketch is a copy of this one.
        self._empty = MinHash(num_perm=_PERMUTATIONS, seed=_SEED, hashfunc=_as_it_is)

    def add(self, id_: int | str, text: str) -> None:
        """Put a problem into the index; one that is there already is replaced by nothing."""
        key = str(id_)
        if key in self._triples:
            return
        triples = _triples(text)
        self._index.insert(key, self._sketch(triples))
        self._triples[key] = triples
        self._numbers[key] = _numbers(text)
        self._place[key] = len(self._place)

    def find(self, text: str) -> int | str | None:
        """Return the problem that a text repeats, the one first added if there are several; None if there is none."""
        triples = _triples(text)
        candidates = set(self._index.query(self._sketch(triples)))
        if not candidates:
            return None
        numbers = _numbers(text)
        own = set(triples)
        for key in sorted(candidates, key=self._place.__getitem__):
            if self._numbers[key] == numbers and _likeness(own, self._triples[key]) >= LIKENESS:
                return int(key) if key.isdigit() else key
        return None

    def _sketch(self, triples: array[int]) -> Any:
        sketch = self._empty.copy()
        if triples:
            sketch.update_batch(triples)
        return sketch


def _as_it_is(value: int) -> int:
    return value & 0xFFFFFFFF


def _triples(text: str) -> array[int]:
    """Return the hashes of the word triples of a text, numbers masked; of a short text, of all its words."""
    text = text[:_MAX_CHARACTERS]
    spans = sorted((number.start, number.end) for number in find_numbers(text))
    masked, position = [], 0
    for start, end in spans:
        if start >= position:
            masked += [text[position:start], " numeral "]
            position = end
    masked.append(text[position:])
    words = _WORD.findall("".join(masked).lower())
    grams = {" ".join(words[i : i + 3]) for i in range(max(1, len(words) - 2))} if words else set()
    hashes = {int.from_bytes(hashlib.blake2b(gram.encode(), digest_size=8).digest(), "big") for gram in grams}
    return array("Q", sorted(hashes))


def _numbers(text: str) -> Counter[Fraction]:
    return Counter(number.value for number in find_numbers(text[:_MAX_CHARACTERS]))


def _likeness(one: set[int], other: array[int]) -> float:
    if not one and not other:
        return 1.0
    common = sum(value in one for value in other)
    return common / (len(one) + len(other) - common)
