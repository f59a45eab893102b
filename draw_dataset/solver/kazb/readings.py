"""What this system sees of a text: its nouns and numbers, and how they stand to each other.

Slots are filled by *items*: the nouns of the text, then its numbers. A number stands for its head noun wherever a noun
is looked at. A reading says which word each item is, and what lies between two of them; `near` and `parsed` make
readings, the one by counting words, the other by dependency parses. What is made of a reading is the same for both.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Literal

from draw_dataset.core.alignment import TextNumber

Nouns = Literal["near", "parsed"]
"""How nouns are read: by counting words, or from dependency parses."""

CLOSE = 5
"""Words that two numbers may be apart to be close to each other."""

LARGER, SMALLER, EQUAL = "larger", "smaller", "equal"
COMPARISONS = (LARGER, SMALLER, EQUAL)
"""How two values compare; the last rows of the pair attributes."""

SMALL_NUMBERS = (Fraction(1), Fraction(2))

_UNSEEN = frozenset(["the", "a", "an"])


@dataclass(frozen=True, slots=True)
class Reading:
    """A text as this system sees it.

    Attributes:
        lemmas: the lemma of each word; ``#`` for a number.
        sentences: the sentence of each word.
        nouns: the words that are nouns.
        numbers: the numbers.
        spots: which word each number sits on.
        heads: the head noun of each number; None where it has none.
        questions: the sentences that ask.
        asked: the nouns that "how many" or "how much" asks for.
        objects: for each noun, the nouns that a preposition ties to it.
        paths: what lies between two words, for each ordered pair of words that items sit on, if anything does.
        relations: the verb or preposition between two such words, if there is one.
    """

    lemmas: tuple[str, ...]
    sentences: tuple[int, ...]
    nouns: tuple[int, ...]
    numbers: tuple[TextNumber, ...]
    spots: tuple[int, ...]
    heads: tuple[int | None, ...]
    questions: frozenset[int]
    asked: frozenset[int]
    objects: Mapping[int, frozenset[int]]
    paths: Mapping[tuple[int, int], tuple[str, ...]]
    relations: Mapping[tuple[int, int], str]

    @property
    def places(self) -> tuple[int, ...]:
        """The word that each item sits on."""
        return (*self.nouns, *self.spots)

    @property
    def item_nouns(self) -> tuple[int | None, ...]:
        """The noun that each item stands for."""
        return (*self.nouns, *self.heads)

    @property
    def values(self) -> tuple[Fraction, ...]:
        """The values of the numbers."""
        return tuple(number.value for number in self.numbers if number.value is not None)


def document_attributes(reading: Reading) -> list[str]:
    """Return single lemmas and two in a row, sentence by sentence, without numbers and articles."""
    seen: dict[str, None] = {"": None}
    for sentence in sorted(set(reading.sentences)):
        lemmas = [
            lemma
            for lemma, at in zip(reading.lemmas, reading.sentences, strict=True)
            if at == sentence and lemma != "#" and lemma not in _UNSEEN
        ]
        seen |= dict.fromkeys(lemmas) | dict.fromkeys(f"{a} {b}" for a, b in pairwise(lemmas))
    return list(seen)


def single_attributes(reading: Reading) -> list[list[str]]:
    """Return what is seen at each item."""
    asked = {reading.lemmas[at] for at in reading.asked}
    found = []
    for item, noun in enumerate(reading.item_nouns):
        seen = ["item"]
        if noun is not None:
            if noun in reading.asked:
                seen.append("asked")
            if reading.lemmas[noun] in asked:
                seen.append("asked lemma")
            if reading.sentences[noun] in reading.questions:
                seen.append("in question")
            seen.append(f"lemma {reading.lemmas[noun]}")
        number = item - len(reading.nouns)
        if number >= 0 and reading.values[number] in SMALL_NUMBERS:
            seen.append(f"is {reading.values[number]}")
        found.append(seen)
    return found


def item_lemmas(reading: Reading) -> list[str]:
    """Return the lemma of the noun of each item; empty where it has none."""
    return ["" if noun is None else reading.lemmas[noun] for noun in reading.item_nouns]


def pair_attributes(reading: Reading) -> list[list[str]]:
    """Return what is seen between each two items, in the order first * count + second."""
    nouns, places = reading.item_nouns, reading.places
    lemmas = item_lemmas(reading)
    tied = [
        frozenset({reading.lemmas[at] for at in reading.objects.get(noun, ())}) if noun is not None else frozenset()
        for noun in nouns
    ]
    found = []
    for i, here in enumerate(places):
        for j, there in enumerate(places):
            seen = ["same token" if nouns[i] is not None and nouns[i] == nouns[j] else "other token"]
            if lemmas[i] and lemmas[i] == lemmas[j]:
                seen.append("same lemma")
            for name, one, other in (("first", i, j), ("second", j, i)):
                noun, near = nouns[one], nouns[other]
                if noun is not None and near is not None:
                    if noun in reading.objects.get(near, ()):
                        seen.append(f"{name} is object")
                    if lemmas[one] in tied[other]:
                        seen.append(f"{name} has lemma of object")
            seen += reading.paths.get((here, there), ())
            seen += _of_numbers(reading, i - len(reading.nouns), j - len(reading.nouns))
            found.append(seen)
    return found


def _of_numbers(reading: Reading, i: int, j: int) -> list[str]:
    """Return how two numbers stand to each other; nothing if one is no number."""
    if i < 0 or j < 0 or i == j:
        return []
    near = abs(reading.spots[i] - reading.spots[j]) <= CLOSE
    same = reading.sentences[reading.spots[i]] == reading.sentences[reading.spots[j]]
    one, other = reading.values[i], reading.values[j]
    compared = LARGER if one > other else SMALLER if one < other else EQUAL
    return [compared, "close"] if near and same else [compared]
