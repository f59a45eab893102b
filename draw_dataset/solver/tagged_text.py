"""What the solver sees of a text: its words with their lemmas and parts of speech, and its numbers among the words.

The tokens are our own (`draw_dataset.text`), so that the numbers of a text keep their places; the tagger sees them
sentence by sentence. The tagger is HanTa, a morphological one whose English model is inside its package: it works
offline, has no dependencies and adds 15 MB. spaCy (3.8 with en_core_web_sm, 330 MB) was measured next to it: trained on
Draw's train split and asked about validation, solution accuracy with two seeds was 66.0 and 69.0 with spaCy's tags,
66.5 and 67.5 with HanTa's, which is level. Texts are remembered, as a text is tagged once and looked at often.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import groupby
from typing import Any

from draw_dataset.core.alignment import TextNumber
from draw_dataset.core.memory import MEGABYTE, remembered
from draw_dataset.core.problem import Problem
from draw_dataset.errors import ExtraMissing
from draw_dataset.text import locate_numbers
from draw_dataset.text.rules import rule_of
from draw_dataset.text.tokens import Rule, tokenize

TAGGER_MODEL = "morphmodel_en.pgz"
"""HanTa's model of English, which comes with the package."""

LONGEST_WORD = 40
"""Characters of a word that the tagger is asked about; no English word is longer, and its time grows with them."""

LARGEST = 10**40
"""Numbers beyond this are not taken for quantities: what is computed of them would not fit a float."""


@dataclass(frozen=True, slots=True)
class Word:
    """A token of a text with its tags.

    Attributes:
        sentence: the sentence it stands in, from 0.
        index: its place in that sentence, from 0.
        text: the token in lower case.
        lemma: its dictionary form in lower case; a token that has a digit is ``#``.
        pos: its part of speech, in the tags of the British National Corpus.
    """

    sentence: int
    index: int
    text: str
    lemma: str
    pos: str

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
    """A text as the solver sees it.

    Attributes:
        words: the tagged words.
        numbers: the numbers whose value is known and not absurdly large, in their order.
        spots: for each number, which word it sits on.
    """

    words: tuple[Word, ...]
    numbers: tuple[TextNumber, ...]
    spots: tuple[int, ...]

    @classmethod
    def of(cls, text: str, rule: Rule = "auto", numbers: tuple[TextNumber, ...] | None = None) -> TaggedText:
        """Return a text as the solver sees it.

        Args:
            text: the text.
            rule: how it is cut into tokens.
            numbers: its numbers, if they are known; else they are found.

        Raises:
            ExtraMissing: the tagger is not installed.
            LimitError: the text is too long.
        """
        words = tag(text, rule)
        if numbers is None:
            numbers, _ = locate_numbers(text, rule=rule)
        at = {(word.sentence, word.index): spot for spot, word in enumerate(words)}
        kept = tuple(n for n in numbers if n.value is not None and abs(n.value) <= LARGEST and n.place in at)
        return cls(words, kept, tuple(at[(number.sentence or 0, number.token)] for number in kept))

    @classmethod
    def of_problem(cls, problem: Problem) -> TaggedText:
        """Return a problem to learn from: its numbers are those of the row, annotated ones included.

        Raises:
            ExtraMissing: the tagger is not installed.
        """
        return cls.of(problem.question, rule_of(problem), problem.numbers)

    @property
    def values(self) -> tuple[Fraction, ...]:
        """The values of the numbers."""
        return tuple(number.value for number in self.numbers if number.value is not None)

    @property
    def content_lemmas(self) -> list[str]:
        """The lemmas of the words that are neither numbers nor signs."""
        return [word.lemma for word in self.words if word.text.isalpha()]


@remembered(96 * MEGABYTE, lambda words, text, *_: 400 + 2 * len(text) + 400 * len(words))
def tag(text: str, rule: Rule = "auto") -> tuple[Word, ...]:
    """Return the words of a text with their lemmas and parts of speech.

    >>> [(word.lemma, word.pos) for word in tag("Two trains left. How far did they travel?")][:5]
    [('two', 'CRD'), ('train', 'NN2'), ('leave', 'VVD'), ('.', 'PUN'), ('how', 'AVQ')]

    Raises:
        ExtraMissing: HanTa is not installed.
        LimitError: the text is too long.
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
