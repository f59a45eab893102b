"""Which problems are nearly the same: the same numbers in the same order, in nearly the same words.

A text is reduced to its words, lower-cased, with every number replaced by one mark, and then to its shingles, the
triples of words that follow each other. Two texts are near duplicates if their numbers have equal values in the same
order and the Jaccard index of their shingles (common ones over all) is at least `THRESHOLD`. Only texts with equal
numbers are compared, through an inverted index of shingles, so the index is exact and no sampling is needed.

Both conditions matter: many problems differ in nothing but their numbers and are different problems, and many use the
same few numbers for different questions. Of the pairs of the release between 0.5 and 0.56 all are one problem in other
words (synonyms, names, the final question) but two, which exchange the larger and the smaller number.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from draw_dataset.core.problem import Problem

THRESHOLD = 0.5
"""The least Jaccard index of near duplicates."""

SHINGLE = 3
"""Words of a shingle."""

_WORD = re.compile(r"[^\W_]+|#")

Shingle = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Pair:
    """Two near duplicates, by their positions in the list, the earlier first, and how alike their words are."""

    first: int
    second: int
    likeness: float


def masked_words(problem: Problem) -> list[str]:
    """Return the words of a problem's text, its numbers masked."""
    text = problem.question
    parts: list[str] = []
    at = 0
    for number in problem.numbers:
        if number.start is not None and number.end is not None and number.start >= at:
            parts += [text[at : number.start], " # "]
            at = number.end
    return _WORD.findall("".join([*parts, text[at:]]).lower())


def shingles(words: Sequence[str]) -> frozenset[Shingle]:
    """Return the triples of neighbouring words; the whole text if it is shorter.

    >>> sorted(shingles(["a", "b", "c", "d"]))
    [('a', 'b', 'c'), ('b', 'c', 'd')]
    """
    return frozenset(tuple(words[i : i + SHINGLE]) for i in range(max(1, len(words) - SHINGLE + 1)))


def near_duplicates(problems: Sequence[Problem], threshold: float = THRESHOLD) -> Iterator[Pair]:
    """Yield the pairs of problems that are nearly the same, or the same, in the order of the second of them."""
    sets = [shingles(masked_words(problem)) for problem in problems]
    holding: dict[tuple[tuple[Fraction | None, ...], Shingle], list[int]] = {}
    for second, (problem, own) in enumerate(zip(problems, sets, strict=True)):
        values = tuple(number.value for number in problem.numbers)
        common: dict[int, int] = {}
        for shingle in own:
            earlier = holding.setdefault((values, shingle), [])
            for first in earlier:
                common[first] = common.get(first, 0) + 1
            earlier.append(second)
        for first in sorted(common):
            likeness = common[first] / (len(own) + len(sets[first]) - common[first])
            if likeness >= threshold:
                yield Pair(first, second, likeness)
