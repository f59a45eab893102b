"""Words and noun phrases of a text, found by lists of words, so naming needs no tagger.

A phrase ends at a function word, a verb, a number or a mark. Every other word may be part of a name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from draw_dataset.derivation.derivation import TextNumber
from draw_dataset.text.lexicon import singular, split_words, stem
from draw_dataset.text.question import clause_of, questions_of
from draw_dataset.text.units import UNITS as ALL_UNITS
from draw_dataset.text.units import spellings

DETERMINERS = frozenset(
    split_words("the a an this that these those each every his her their its my our your some any both all such")
)
FUNCTION_WORDS = DETERMINERS | frozenset(
    split_words(
        """he she it they i you we him them me who which what himself herself itself about above after ago also and as
        at back be because been before being between but by can could did do does down during either enough equally
        except for from had has have hence how if in into is just later least less like long many more most much must
        neither no nor not now of off on once only or out over per plus same shall should since so still than then
        there though through till to together too toward towards under until up upon very was were when where whereas
        while will with within without would yet are am altogether respectively exactly twice thrice times time apiece
        apart away fewer another"""
    )
)
_REGULAR_VERBS = split_words(
    """sell cost buy pay charge earn make need use mix add invest put take get give go travel drive run walk fly leave
    start come find determine calculate contain consist hold total equal exceed want wish decide spend receive collect
    provide produce obtain yield return weigh attend work say know think let suppose assume purchase become result
    divide multiply subtract increase decrease reduce combine order carry count ride raise average measure save score
    sing play cover"""
)
VERBS = frozenset(
    f"{root}{ending}"
    for verb in _REGULAR_VERBS
    for root, endings in ((verb, ("", "s", "es", "ed", "ing")), (verb.removesuffix("e"), ("ed", "ing")))
    for ending in endings
) | frozenset(
    split_words(
        """sold bought paid made taken took mixes putting getting got gave given went gone travelled travelling drove
        driven ran running flies flew flown came found held worth sum spent said knew thought lets became rode sang
        multiplied carries carried having called named priced"""
    )
)
NO_NOUNS = FUNCTION_WORDS | VERBS  # words that end a phrase

# Units after a number; "second" is more often a rank, and "m" too short
UNITS = (spellings() | frozenset(split_words("mph kph % percent cent cents dollar dollars degrees"))) - {"second", "m"}
UNIT_STEMS = frozenset(map(stem, UNITS))
MONEY = frozenset(split_words("$ rs p ¢ € £ php usd"))
STOPS = frozenset(split_words(". ? ! , ; : ( and or but while whereas if then when"))  # words between two clauses
_JOINS = frozenset(split_words("of for from on in with by at"))
_RATES = frozenset(split_words("- / per each apiece"))
_SPEED = re.compile(r"(?:mph|kph|(?:mi|km|m|ft|feet|miles?|(?:kilo)?met(?:er|re)s?) ?(?:per|an?|/))(?!\w)")

# Words that tell no unknown from another
_VAGUE = frozenset(
    map(
        stem,
        split_words(
            "number amount quantity value kind type sort unknown cost price total sum rate speed age one two other "
            "part rest balance remainder mixture money average each"
        ),
    )
)
COINS = {  # values in cents by any form; the first form is the name
    unit.size: tuple(sorted(unit.spellings, key=lambda word: not word.endswith("s")))
    for unit in ALL_UNITS.values()
    if unit.family == "coin"
}
COIN_NAMES = {word: names[0] for names in COINS.values() for word in names}

# Words for one of two things, which count although they are vague; those that mean the same have one stem
_RANKS = {
    "first": "first", "1st": "first", "second": "second", "2nd": "second", "third": "third", "one": "@one",
    "other": "@other", "another": "@other", "larger": "@larger", "greater": "@larger", "bigger": "@larger",
    "largest": "@larger", "greatest": "@larger", "smaller": "@smaller", "lesser": "@smaller", "smallest": "@smaller",
}  # fmt: skip

Stems = frozenset[str]


def rank_stems(words: Iterable[str]) -> Stems:
    """Return the stems of words for one of two things.

    >>> sorted(rank_stems("3 times the other".split())), rank_stems(["greater"])
    (['@other'], frozenset({'@larger'}))
    """
    return frozenset(_RANKS[word] for word in words if word in _RANKS)


def stem_of(word: str) -> str:
    """Return the stem of a word; a single capital letter, as in "solution B", is its own."""
    return word if len(word) == 1 and word.isupper() else stem(word)


def telling_stems(words: str) -> Stems:
    """Return the stems of words that may tell one unknown from another.

    >>> sorted(telling_stems("the number of child tickets"))
    ['child', 'ticket']
    """
    listed = re.findall(r"[A-Za-z]+", words)
    kept = {stem_of(word) for word in listed if word.lower() not in NO_NOUNS or (len(word) == 1 and word.isupper())}
    return frozenset(kept - _VAGUE - UNIT_STEMS)


def is_plural(word: str) -> bool:
    """Decide whether a word is a plural."""
    return singular(word) != word.lower()


class Word(NamedTuple):
    """A word, a mark, or a number in one piece."""

    text: str  # as written
    lower: str  # in lower case, but for a single letter that is a name
    number: int | None  # its rank among the numbers of the text, from 0, if it is one
    starts: bool  # whether a sentence starts with it

    @property
    def is_word(self) -> bool:
        """Whether it consists of letters; a number may be a word, too."""
        return self.lower[:1].isalpha()

    @property
    def may_name(self) -> bool:
        """Whether it may be part of a name."""
        return self.is_word and self.lower not in NO_NOUNS and (self.number is None or self.lower in COIN_NAMES)


_PIECE = re.compile(r"'s?(?![A-Za-z])|(?:Mr|Mrs|Ms|Dr)\.|[A-Za-z]+(?:-[A-Za-z]+)*|\d[\d,]*(?:\.\d+)?|\S")


def _split(text: str, numbers: Sequence[TextNumber]) -> list[Word]:
    """Return the words of a text, each of its numbers in one piece."""
    text = text.replace("’", "'")
    found: list[Word] = []
    at, starts = 0, True
    spans = [(one.start, one.end, rank) for rank, one in enumerate(numbers) if one.start is not None]
    for start, end, rank in [*spans, (len(text), len(text), None)]:
        for piece in _PIECE.finditer(text, at, max(start, at)):
            written = piece[0]
            letter = len(written) == 1 and written.isupper() and written != "I" and not (starts and written == "A")
            found.append(Word(written, written if letter else written.lower(), None, starts))
            starts = written in ".?!"
        if rank is not None and start >= at and end is not None:
            found.append(Word(text[start:end], text[start:end].lower(), rank, starts))
            starts = False
        at = max(at, end or 0)
    return found


@dataclass(frozen=True, slots=True)
class Phrase:
    """Words of the text that may be a name, with the stems that tell them from others."""

    words: str
    stems: Stems

    def __bool__(self) -> bool:
        return bool(self.words)

    @property
    def own(self) -> Stems:
        """The stems without units."""
        return self.stems - UNIT_STEMS


NO_PHRASE = Phrase("", frozenset())


class Text:
    """A text as words, with the noun phrases around a place."""

    def __init__(self, text: str, numbers: Sequence[TextNumber]) -> None:
        self.numbers = numbers
        self.words = _split(text, numbers)
        self.lowers = frozenset(word.lower for word in self.words)
        self.plain = " ".join(word.text for word in self.words)  # words and marks with blanks between them
        self.clauses = [clause_of(span.text) or span.text for span in questions_of(self.plain)]
        self.clause = " ".join(self.clauses)  # what the text asks

    def lower(self, at: int) -> str:
        """Return the word at a place in lower case; empty beyond the ends."""
        return self.words[at].lower if 0 <= at < len(self.words) else ""

    def skip(self, at: int, words: Iterable[str]) -> int:
        """Return the first place from here on with another word than these."""
        while self.lower(at) in words:
            at += 1
        return at

    def phrase(self, first: int, last: int) -> Phrase:
        """Return the words from one place to another as a phrase, without an article."""
        words = self.words[self.skip(first, DETERMINERS) : last]
        is_name = (len(words) == 1 and not is_plural(words[0].lower)) or any(word.lower == "'s" for word in words[1:2])
        written = [word.lower if word.starts and not is_name else word.text for word in words]
        kept = [word for word in words if word.number is not None or word.is_word]
        stems = frozenset(stem_of(word.lower) for word in kept if word.lower not in FUNCTION_WORDS)
        return Phrase(" ".join(written).replace(" '", "'"), stems - _VAGUE)

    def forward(self, at: int, most: int = 4) -> int:
        """Return the end of the noun phrase that begins at a place; the place itself if none does."""
        end = at
        while end < min(len(self.words), at + most):
            word = self.words[end]
            if not (word.may_name or (word.lower.startswith("'") and end > at)):
                break
            end += 1
        return end

    def backward(self, at: int, most: int = 4) -> int:
        """Return the start of the noun phrase that ends before a place; the place itself if none does."""
        start = at
        while start > max(at - most, 0):
            word = self.words[start - 1]
            if not (word.may_name or (word.lower.startswith("'") and start < at)):
                break
            start -= 1
        return self.skip(start, ("'", "'s")) if start < at else start

    def is_percent(self, at: int) -> bool:
        """Decide whether a number is a percentage."""
        return self.lower(at + 1) in ("%", "percent") or (self.lower(at + 1), self.lower(at + 2)) == ("per", "cent")

    def is_speed(self, at: int) -> bool:
        """Decide whether a number is a speed."""
        return _SPEED.match(" ".join(self.lower(place) for place in range(at + 1, at + 4))) is not None

    def behind(self, number: int) -> tuple[Phrase, str]:
        """Return the phrase behind a number, and the preposition before it: "$ 3 for [adults]", "3 red [apples]"."""
        at = self.skip(number + 1, UNITS | _RATES)
        joined = self.lower(at) if self.lower(at) in _JOINS else ""
        at = self.skip(at + bool(joined), DETERMINERS)
        return self.phrase(at, self.forward(at)), joined

    def before(self, number: int) -> Phrase:
        """Return the phrase before a number: "[red apples] cost $ 3"."""
        at = number
        while at > max(number - 8, 1) and self.lower(at - 1) in (MONEY | UNITS | NO_NOUNS | {"-", "("}) - STOPS:
            at -= 1
        return self.phrase(self.backward(at), at)

    def window(self, number: int) -> Stems:
        """Return the stems around a number, up to other numbers and the ends of its clause."""
        ends = [at for at, word in enumerate(self.words) if word.number is not None or word.lower in STOPS]
        first = max((at + 1 for at in ends if at < number), default=0)
        last = min((at for at in ends if at > number), default=len(self.words))
        return self.phrase(first, last).stems | rank_stems(self.lower(at) for at in range(number, last))
