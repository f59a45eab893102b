"""Tagged texts: words with lemmas and parts of speech, and the numbers among them.

The tokens are our own (`draw_dataset.text`), so numbers keep their places. The tagger is HanTa, whose English model is
inside its package: offline, no dependencies, 15 MB. spaCy (330 MB) is level with it: trained on Draw's train split,
solution accuracy on validation with two seeds is 66.0 and 69.0 with spaCy's tags, 66.5 and 67.5 with HanTa's.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import groupby
from typing import Any

from draw_dataset.algebra.limits import MEGABYTE, weighted_cache
from draw_dataset.derivation.derivation import TextNumber
from draw_dataset.derivation.problem import Problem
from draw_dataset.errors import ExtraMissing
from draw_dataset.text.numbers import locate_numbers, rule_of
from draw_dataset.text.tokens import Rule, tokenize

TAGGER_MODEL = "morphmodel_en.pgz"  # HanTa's model of English, which comes with the package

# Characters of a word that the tagger is asked about; no English word is longer, and its time grows with them
LONGEST_WORD = 40

LARGEST = 10**40  # numbers beyond this are no quantities: results of them would not fit a float


@dataclass(frozen=True, slots=True)
class Word:
    """A token of a text with its tags."""

    sentence: int  # the sentence it stands in, from 0
    index: int  # its place in that sentence, from 0
    text: str  # the token in lower case
    lemma: str  # its dictionary form in lower case; a token that has a digit is ``#``
    pos: str  # its part of speech, in the tags of the British National Corpus

    @property
    def is_noun(self) -> bool:
        """Whether it is a noun."""
        return self.pos.startswith("N")

    @property
    def is_verb(self) -> bool:
        """Whether it is a verb."""
        return self.pos.startswith("V")


@dataclass(frozen=True, slots=True)
class TaggedText:
    """A text as the solver sees it."""

    words: tuple[Word, ...]
    numbers: tuple[TextNumber, ...]  # the numbers whose value is known and not absurdly large, in their order
    spots: tuple[int, ...]  # for each number, which word it sits on

    @classmethod
    def of(cls, text: str, rule: Rule = "auto", numbers: tuple[TextNumber, ...] | None = None) -> TaggedText:
        """Return a text as the solver sees it."""
        words = tag(text, rule)
        if numbers is None:
            numbers, _ = locate_numbers(text, rule=rule)
        at = {(word.sentence, word.index): spot for spot, word in enumerate(words)}
        kept = tuple(n for n in numbers if n.value is not None and abs(n.value) <= LARGEST and n.place in at)
        return cls(words, kept, tuple(at[(number.sentence or 0, number.token)] for number in kept))

    @classmethod
    def of_problem(cls, problem: Problem) -> TaggedText:
        """Return a problem to learn from: its numbers are those of the row, annotated ones included."""
        return cls.of(problem.question, rule_of(problem), problem.numbers)

    @property
    def values(self) -> tuple[Fraction, ...]:
        """The values of the numbers."""
        return tuple(number.value for number in self.numbers if number.value is not None)

    @property
    def content_lemmas(self) -> list[str]:
        """The lemmas of the words that are neither numbers nor signs."""
        return [word.lemma for word in self.words if word.text.isalpha()]


@weighted_cache(96 * MEGABYTE, lambda words, text, *_: 400 + 2 * len(text) + 400 * len(words))
def tag(text: str, rule: Rule = "auto") -> tuple[Word, ...]:
    """Return the words of a text with their lemmas and parts of speech.

    >>> [(word.lemma, word.pos) for word in tag("Two trains left. How far did they travel?")][:5]
    [('two', 'CRD'), ('train', 'NN2'), ('leave', 'VVD'), ('.', 'PUN'), ('how', 'AVQ')]
    """
    tagger = _tagger()
    words: list[Word] = []
    for sentence, group in groupby(tokenize(text, rule), key=lambda token: token.sentence):
        tokens = list(group)
        tagged = tagger.tag_sent([token.text[:LONGEST_WORD] for token in tokens])
        for token, (_, lemma, pos) in zip(tokens, tagged, strict=True):
            written = token.text.lower()
            lemma = "#" if any(c.isdigit() for c in written) else lemma.lower()
            words.append(Word(sentence, token.index, written, lemma, pos))
    return tuple(words)


@lru_cache(maxsize=1)
def _tagger() -> Any:
    try:
        from HanTa.HanoverTagger import HanoverTagger
    except ImportError as error:
        raise ExtraMissing("the solver needs HanTa: pip install 'draw-dataset[solver]'") from error
    return HanoverTagger(TAGGER_MODEL)
