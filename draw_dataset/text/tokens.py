"""Tokens and sentences of a text.

The **release rule** cuts at blanks; the **raw rule** first cuts off punctuation, currency and percent signs. Under both
a sentence ends after a token that is exactly ``.``, ``?`` or ``!``, and all are numbered from 0. Text is folded first:
one plain character replaces each curly quote, full-width digit or minus sign, so offsets stay.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from operator import attrgetter
from typing import Literal

from draw_dataset.errors import ChoiceError, LimitError, ReadError, short_repr
from draw_dataset.text.lexicon import split_words

# The raw rule. One regular expression cuts the text into pieces; then a dot is given back to its abbreviation, and
# ``don't`` is cut before ``n't``. The dot of a title (``Mr.``) is its own unless a word follows that begins sentences
# (``on Main St. How far``). A connective (``e.g.``) ends no sentence, a number sign (``No. 5``) needs a number, and any
# other abbreviation (``12 ft. long``) ends a sentence if a capital letter follows. The last dot of a text ends it.
# Every repetition is possessive or bounded, and a match is consumed: the time is linear in the text.

_TITLES = frozenset(split_words("mr mrs ms dr prof st mt rev gen col capt sgt lt"))
_CONNECTIVES = frozenset(split_words("vs eg ie e.g i.e cf viz approx fig"))
_NUMBER_SIGNS = frozenset(split_words("no nos"))
# Symbols such as km, kg or mph take no dot: after them it ends the sentence.
_OTHERS = frozenset(
    split_words(
        "ft lb lbs oz hr hrs min mins sec secs yd yds gal gals qt qts pt pts mi yr yrs mo mos wk wks doz pkg "
        "sq cu max avg est etc co inc ltd corp ave blvd rd dept jr sr jan feb mar apr jun jul aug sep sept "
        "oct nov dec"
    )
)
ABBREVIATIONS = _TITLES | _CONNECTIVES | _NUMBER_SIGNS | _OTHERS

# Words that begin a sentence far more often than they are a name.
_STARTERS = frozenset(
    split_words(
        "a an the this that these those he she it they we you i his her their its my our in on at if when "
        "then how what which who where why find determine calculate suppose each one two three there after "
        "before both for as is are do does did will can some all assume write solve given let to from by with"
    )
)

_PIECE = re.compile(
    r"""
    [^\W\d_]++(?!\S)                                          # most tokens: a plain word before a blank
  | (?:https?://|www\.)\S++
  | \d{1,2}:[0-5]\d(?=\s?[aApP]\.?[mM])                       # 5:30 pm; any other colon is a ratio and is cut
  | \d{4}-\d{4}(?!\w)                                         # 1998-1999
  | (?<!\w)(?:[rR]s\.?|P[hH][pP]|P)(?=\d\d)                   # P25,000 and Rs.500 are cut after the currency
  | (?:(?<![^\s(\[=<>"'])-(?=\.?\d))?                         # a sign, but not the hyphen of 5-10 or x-5
    (?: (?: \d{1,3}(?:,\d{3}){1,12}+(?!\d|,\d) | \d++ ) (?:\.\d++)?+ | (?<![\w.])\.\d++ )
    (?:/\d++){0,2}+ (?:-\d++/\d++)?+                          # 2/3, 12/25/2001, 2-1/2
    (?:[^\W\d_]++(?:/[^\W\d_]++)*+)?+ (?:-[^\W\d_]++)*+       # 10ml, 60km/h, 12-year-old
  | (?<!\w)[^\W\d_](?:\.[^\W\d_]){1,5}+(?!\w)\.?              # e.g., p.m., U.S.A.
  | [^\W_]++
    (?: [-/&](?=[^\W\d_])[^\W_]++                             # three-legged, km/h, Q&A
      | (?<=[^\W\d_]{2})-\d++                                 # Route-66, but x-5 is cut
      | '(?!(?:[sSdDmMtT]|re|RE|ve|VE|ll|LL)(?!\w))[^\W\d_]++ # o'clock, O'Brien
    )*+
    (?:\.(?:com|org|net|edu|gov)(?!\w))?
  | '(?:[sSdDmMtT]|re|RE|ve|VE|ll|LL)(?!\w)
  | \.{2,}+ | -{2,}+ | _{2,}+
  | \S
    """,
    re.VERBOSE,
)
_NEXT_WORD = re.compile(r"""\s*+["'(\[]?([^\W_]{0,20})""")


def raw_spans(folded: str) -> list[tuple[int, int]]:
    """Return the (start, end) offsets of the tokens of a folded text that is not tokenised.

    >>> text = "Mr. Hall doesn't owe $2.50."
    >>> [text[start:end] for start, end in raw_spans(text)]
    ['Mr.', 'Hall', 'does', "n't", 'owe', '$', '2.50', '.']
    """
    spans: list[tuple[int, int]] = []
    word, last_end = "", -1
    for piece in _PIECE.finditer(folded):
        text, (start, end) = piece.group(), piece.span()
        if text[-1] != "." and text[0] != "'":
            spans.append((start, end))  # nearly all of them
        elif text == "." and start == last_end and _may_carry_dot(word) and _keeps(word, folded, end):
            spans[-1] = (spans[-1][0], end)
        elif len(text) > 1 and text[-1] == "." and "." in text[:-1] and text[0] != ".":
            # a dotted abbreviation comes with its last dot, which it must give up at the end of a sentence.
            if _keeps(text[:-1], folded, end):
                spans.append((start, end))
            else:
                spans += (start, end - 1), (end - 1, end)
        elif text in ("'t", "'T") and start == last_end and len(word) > 1 and word[-1] in "nN":
            spans[-1:] = [(spans[-1][0], start - 1), (start - 1, end)]
        else:
            spans.append((start, end))
        word, last_end = text, end
    return spans


def _may_carry_dot(word: str) -> bool:
    return len(word) == 1 or word.lower() in ABBREVIATIONS


def _keeps(word: str, folded: str, end: int) -> bool:
    following = _NEXT_WORD.match(folded, end)
    return following is not None and keeps_dot(word, following.group(1))


def keeps_dot(word: str, following: str) -> bool:
    """Decide whether the dot right after a word is part of it; `following` is the next word, or empty at the end.

    >>> keeps_dot("Mr", "Hall"), keeps_dot("ft", "long"), keeps_dot("ft", "How"), keeps_dot("dogs", "and")
    (True, True, False, False)
    """
    if not following:
        return False
    low = word.lower()
    if low in _CONNECTIVES:
        return True
    if low in _NUMBER_SIGNS:
        return following[0].isdigit()
    if low in _TITLES:
        return following.lower() not in _STARTERS
    if low in _OTHERS or "." in word:
        return not following[0].isupper()
    # An initial, as in J. Hall; but "the point B. How far" ends a sentence.
    return len(word) == 1 and word.isupper() and following[0].isupper() and following.lower() not in _STARTERS


MAX_CHARACTERS = 100_000
"""A longer text is refused: word problems have a few hundred characters, forum threads a few thousand."""

_PLAIN = {"'": "‘’‚‛ʼ′´`", '"': "“”„‟″«»", "-": "−‐‑‒–﹣", "/": "⁄∕"}

# U+FF01..U+FF5E are the full-width forms of the printable ASCII characters, in the same order.
_FULL_WIDTH = {wide: wide - 0xFF01 + 0x21 for wide in range(0xFF01, 0xFF5F)}

_TABLE: dict[int, int] = _FULL_WIDTH | {
    ord(written): ord(plain) for plain, variants in _PLAIN.items() for written in variants
}


def fold(text: str) -> str:
    r"""Return the text in plain characters, each at the offset of the one it replaces.

    >>> fold("‘５’ − “½”")
    '\'5\' - "½"'
    """
    if not isinstance(text, str):
        raise ReadError("text", "a string", short_repr(text))
    if len(text) > MAX_CHARACTERS:
        raise LimitError(f"a text must have at most {MAX_CHARACTERS} characters, but got {len(text)}")
    return text if text.isascii() else text.translate(_TABLE)


Rule = Literal["auto", "release", "raw"]

SENTENCE_ENDS = frozenset(".?!")

_BETWEEN_BLANKS = re.compile(r"\S+")
MARKS = ".,?!;:"
_CLITICS = ("'s", "n't", "'re")
_CUT_OFF = frozenset([*MARKS, "$", "%", *_CLITICS])


@dataclass(frozen=True, slots=True)
class Token:
    """A token of a text."""

    sentence: int  # from 0
    index: int  # its place in the sentence, from 0
    start: int
    end: int
    text: str  # as written: text[start:end] of the whole text, not folded


def tokenize(text: str, rule: Rule = "auto") -> list[Token]:
    """Return the tokens of a text in order; `detect_rule` chooses the rule ``auto``.

    >>> [token.text for token in tokenize("Ann has $5. Bob has 20% more.")]
    ['Ann', 'has', '$', '5', '.', 'Bob', 'has', '20', '%', 'more', '.']
    >>> tokenize("Ann has $5. Bob has 20% more.")[6]
    Token(sentence=1, index=1, start=16, end=19, text='has')
    """
    folded = fold(text)
    tokens = []
    sentence = index = 0
    for start, end in token_spans(folded, rule):
        tokens.append(Token(sentence, index, start, end, text[start:end]))
        index += 1
        if folded[start:end] in SENTENCE_ENDS:
            sentence, index = sentence + 1, 0
    return tokens


def sentences(text: str, rule: Rule = "auto") -> list[tuple[Token, ...]]:
    """Return the sentences of a text, each as its tokens; the place in the list is the sentence's number.

    >>> for sentence in sentences("Dr. Lee drove 2.5 miles. How far is that?"):
    ...     print([token.text for token in sentence])
    ['Dr.', 'Lee', 'drove', '2.5', 'miles', '.']
    ['How', 'far', 'is', 'that', '?']
    """
    return [tuple(group) for _, group in groupby(tokenize(text, rule), key=attrgetter("sentence"))]


def sentence_spans(text: str, rule: Rule = "auto") -> list[tuple[int, int]]:
    """Return the offsets of the sentences of a text: `sentences` without the objects.

    >>> sentence_spans("Ann has $5. Bob has 20% more.")
    [(0, 11), (12, 29)]
    """
    folded = fold(text)
    found: list[tuple[int, int]] = []
    begin = -1
    end = 0
    for start, end in token_spans(folded, rule):
        if begin < 0:
            begin = start
        if end - start == 1 and folded[start] in SENTENCE_ENDS:
            found.append((begin, end))
            begin = -1
    if begin >= 0:
        found.append((begin, end))
    return found


def token_spans(folded: str, rule: Rule) -> list[tuple[int, int]]:
    """Return the offsets of the tokens of a folded text: `tokenize` without the objects.

    >>> token_spans("2 cats.", "release"), token_spans("2 cats.", "auto")
    ([(0, 1), (2, 7)], [(0, 1), (2, 6), (6, 7)])
    """
    if rule == "auto":
        rule = _detect(folded)
    if rule == "raw":
        return list(_cache_raw_spans(folded))
    if rule != "release":
        raise ChoiceError(f"rule must be 'auto', 'release' or 'raw', but got {rule!r}")
    return [match.span() for match in _BETWEEN_BLANKS.finditer(folded)]


@lru_cache(maxsize=8)
def _cache_raw_spans(folded: str) -> tuple[tuple[int, int], ...]:
    # Cached because one text is cut several times in a row: for its sentences, its numbers, its words.
    return tuple(raw_spans(folded))


def detect_rule(text: str) -> Literal["release", "raw"]:
    """Return the rule that fits a text: ``raw`` if more marks are glued to a word or number than stand alone.

    The dot of an abbreviation or an initial is glued in tokenised text as well and does not count.

    >>> detect_rule("Mr. Hall has $ 5 ."), detect_rule("Mr. Hall has $5.")
    ('release', 'raw')
    """
    return _detect(fold(text))


@lru_cache(maxsize=8)
def _detect(folded: str) -> Literal["release", "raw"]:
    chunks = folded.split()
    alone = sum(map(_CUT_OFF.__contains__, chunks))
    glued = sum(not chunk.isalnum() and _has_glued_mark(chunk) for chunk in chunks)
    return "raw" if glued > alone else "release"


def _has_glued_mark(chunk: str) -> bool:
    stem = chunk.rstrip(MARKS)
    if stem and stem != chunk:
        is_initial = len(stem) == 1 and stem.isalpha()
        return not is_initial and stem.lower() not in ABBREVIATIONS
    if chunk in _CUT_OFF:
        return False
    return chunk.endswith(_CLITICS) or chunk[-1] == "%" or (chunk[0] in "$£€" and chunk[1:2].isdigit())


@dataclass(frozen=True, slots=True)
class Spotter:
    """A pattern that is searched only in texts with one of its words: looking for words is many times faster."""

    pattern: re.Pattern[str]
    words: tuple[str, ...]  # in lower case; every match of the pattern contains one of them

    @classmethod
    def of(cls, pattern: str, words: str | Sequence[str]) -> Spotter:
        """Return a spotter that ignores case."""
        return cls(re.compile(pattern, re.IGNORECASE), tuple(words.split() if isinstance(words, str) else words))

    def search(self, text: str, low: str | None = None) -> re.Match[str] | None:
        r"""Return the first match; `low` is the text in lower case, if the caller has it.

        >>> Spotter.of(r"\bsquared?\b", "square").search("Nine SQUARED is 81.").group()
        'SQUARED'
        """
        return self.pattern.search(text) if self.may_find(text, low) else None

    def may_find(self, text: str, low: str | None = None) -> bool:
        r"""Decide whether the pattern may match; False is certain.

        >>> Spotter.of(r"\bsquared?\b", "square").may_find("squares"), Spotter.of(r"\bx\b", "x").may_find("y")
        (True, False)
        """
        if not text.isascii():  # the sign of kelvin is a k to a pattern, but not to `str.lower`
            return True
        low = text.lower() if low is None else low
        # a loop, as any() with a generator takes twice the time.
        for word in self.words:  # noqa: SIM110
            if word in low:
                return True
        return False
