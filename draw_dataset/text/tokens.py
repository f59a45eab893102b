"""Finds the tokens of a text, and its sentences.

Two rules exist. The **release rule** is that of the published data, whose text is tokenised already: tokens
are what stands between blanks. The **raw rule** is for text as people write it: punctuation, currency and
percent signs are cut off first (see `raw`). Under both, a sentence ends after a token that is exactly
``.``, ``?`` or ``!``, and sentences and tokens are numbered from 0. So the raw rule gives each token the
position it would have under the release rule if blanks had been put between the tokens.

Which rule applies is decided by `detect_rule`, unless the caller says so: a text in which more marks are
glued to a word or number (``apples.``, ``$5``, ``20%``) than stand alone is raw.

Crawled pages and language models write curly quotes, full-width digits, minus signs and non-breaking
hyphens. The rules of this package are written for plain characters, so a text is first folded: read through
a table that puts exactly one plain character in the place of each of these. The length never changes, so an
offset into the folded text is an offset into the text itself. Every text enters here, so here its length is
bounded.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from operator import attrgetter
from typing import Literal

from draw_dataset.errors import ChoiceError, LimitError, ReadError, shown
from draw_dataset.text.raw import ABBREVIATIONS, raw_spans

MAX_CHARACTERS = 100_000
"""A longer text is refused: word problems have a few hundred characters, forum threads a few thousand."""

_PLAIN = {
    "'": "‘’‚‛ʼ′´`",
    '"': "“”„‟″«»",
    "-": "−‐‑‒–﹣",
    "/": "⁄∕",
}

# U+FF01..U+FF5E are the full-width forms of the printable ASCII characters, in the same order.
_FULL_WIDTH = {wide: wide - 0xFF01 + 0x21 for wide in range(0xFF01, 0xFF5F)}

_TABLE: dict[int, int] = _FULL_WIDTH | {
    ord(written): ord(plain) for plain, variants in _PLAIN.items() for written in variants
}


def fold(text: str) -> str:
    r"""Return the text in plain characters, each at the offset of the one it replaces.

    Raises:
        LimitError: the text has more than `MAX_CHARACTERS` characters.
        ReadError: it is no string.

    >>> fold("‘５’ − “½”")
    '\'5\' - "½"'
    """
    if not isinstance(text, str):
        raise ReadError("text", "a string", shown(text))
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
    """A token of a text.

    Attributes:
        sentence: the sentence it stands in, from 0.
        index: its place in that sentence, from 0.
        start: the offset of its first character in the text.
        end: the offset after its last character.
        text: the token as written, ``text[start:end]`` of the whole text.
    """

    sentence: int
    index: int
    start: int
    end: int
    text: str


def tokenize(text: str, rule: Rule = "auto") -> list[Token]:
    """Return the tokens of a text in order.

    Args:
        text: any text of up to `MAX_CHARACTERS` characters.
        rule: ``release`` for text that is tokenised already, ``raw`` for text as people write it, ``auto`` to
            let `detect_rule` decide.

    Raises:
        LimitError: the text is too long.
        ChoiceError: there is no such rule.

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
        return list(_remembered_raw_spans(folded))
    if rule != "release":
        raise ChoiceError(f"rule must be 'auto', 'release' or 'raw', but got {rule!r}")
    return [match.span() for match in _BETWEEN_BLANKS.finditer(folded)]


@lru_cache(maxsize=8)
def _remembered_raw_spans(folded: str) -> tuple[tuple[int, int], ...]:
    # One text is cut again and again while it is looked at: for its sentences, its numbers, its words.
    return tuple(raw_spans(folded))


def detect_rule(text: str) -> Literal["release", "raw"]:
    """Say which rule fits a text: ``raw`` if more marks are glued to a word or number than stand alone.

    The dot of an abbreviation or an initial is glued in tokenised text as well and does not count. A text
    without any mark is cut at blanks.

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
