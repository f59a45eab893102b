"""The sentences of a text as relations are read from them: words, and numbers of several words in one piece."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from itertools import groupby

from draw_dataset.solver.relations.forms import Form
from draw_dataset.solver.tagged_text import TaggedText

_LEFT_OUT = frozenset(("$", "'", '"', "``", "''", "“", "”"))


@dataclass(frozen=True, slots=True)
class Piece:
    """A word, or a number.

    Attributes:
        word: the word in lower case.
        lemma: its dictionary form.
        is_noun: whether it is a noun.
        number: the number that it is, if it is one.
    """

    word: str
    lemma: str
    is_noun: bool
    number: Form | None


class Sentence:
    """The pieces of a sentence, by their place; beyond its end stand empty words.

    Args:
        pieces: the pieces.
    """

    def __init__(self, pieces: list[Piece]) -> None:
        self.pieces = pieces

    def __len__(self) -> int:
        """Return how many pieces it has."""
        return len(self.pieces)

    def word(self, at: int) -> str:
        """Return the word at a place."""
        return self.pieces[at].word if 0 <= at < len(self.pieces) else ""

    def number(self, at: int) -> Form | None:
        """Return the number at a place; None if none is there."""
        return self.pieces[at].number if 0 <= at < len(self.pieces) else None

    def is_noun(self, at: int) -> bool:
        """Say whether a noun stands at a place."""
        return 0 <= at < len(self.pieces) and self.pieces[at].is_noun

    def after(self, at: int, *expected: str | Collection[str]) -> int | None:
        """Return the place after words; None if others stand there.

        Args:
            at: where the first must stand.
            expected: the words; for each either one, or those that may stand there.
        """
        for one in expected:
            word = self.word(at)
            if word != one if isinstance(one, str) else word not in one:
                return None
            at += 1
        return at

    def skip(self, at: int, words: Collection[str]) -> int:
        """Return the first place from here on at which none of these words stands."""
        while self.word(at) in words:
            at += 1
        return at


def _length(words: list[str], at: str) -> int:
    """Return how many words a number takes up from the one that it sits on: of "one half" that is the second."""
    return len(words) - words.index(at) if at in words else max(1, len(words))


def sentences_of(text: TaggedText) -> list[Sentence]:
    """Return the sentences of a text."""
    numbers = {spot: (rank + 1, text.numbers[rank]) for rank, spot in enumerate(text.spots)}
    pieces: list[tuple[int, Piece]] = []
    at = 0
    while at < len(text.words):
        word, number = text.words[at], numbers.get(at)
        if number is not None or word.text not in _LEFT_OUT:
            form = None
            if number is not None:
                rank, found = number
                form = Form.number(found.value or 0, f"q{rank}")
            pieces.append((word.sentence, Piece(word.text, word.lemma, word.is_noun, form)))
        at += 1 if number is None else _length(number[1].text.lower().split(), word.text)
    return [Sentence([piece for _, piece in group]) for _, group in groupby(pieces, key=lambda pair: pair[0])]
