"""Which dictionary form and part of speech each word of a text has: the words that features are made of.

The tokens are our own (`draw_dataset.text`), so that the numbers of a text keep their places; the tagger sees them
sentence by sentence. The tagger is HanTa, a morphological one whose English model is inside its package: it works
offline, has no dependencies and adds 15 MB. spaCy (3.8 with en_core_web_sm, 330 MB) was measured beside it: trained on
Draw's train split and asked about validation, solution accuracy with two seeds was 66.0 and 69.0 with spaCy's tags,
66.5 and 67.5 with HanTa's, which is level. Texts are remembered, as a text is tagged once and looked at often.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from typing import Any

from draw_dataset.errors import ExtraMissing
from draw_dataset.text.tokens import Rule, tokenize

MODEL = "morphmodel_en.pgz"
"""HanTa's model of English, which comes with the package."""

LONGEST_WORD = 40
"""Characters of a word that the tagger is asked about; no English word is longer, and its time grows with them."""


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


@lru_cache(maxsize=1 << 14)
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
    return HanoverTagger(MODEL)
