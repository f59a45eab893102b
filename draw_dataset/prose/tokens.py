"""The question: what are the words, numbers, names and signs of a plain text, and where does a clause end.

A clause ends at the end of a sentence, at a colon, a semicolon, a comma that is not inside a number, and at the end of
a line, unless the next line goes on with an operator or an equals sign. A letter by itself is a name, except the
article a, the pronoun I, an x that stands between two operands, which is a times sign, and a letter such as L after a
number, which is a unit if it never stands by itself. ``xy`` is a product if both letters are names. Capital and small
letters are one name unless both stand in one clause. A zero typed as an o is read as zero.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import Enum, auto
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from draw_dataset.prose.vocabulary import ABBREVIATIONS, LEADING, STOP_WORDS, UNIT_LETTERS, UNITS

MAX_TOKENS = 12_000
"""Tokens that are looked at in one text."""

MAX_DIGITS = 24
"""Digits of a number; a longer one is taken for a word."""


class Sort(Enum):
    """The sort of a token."""

    __hash__ = object.__hash__  # there is one object of each sort, and its own hash is the fast one

    NUMBER = auto()
    NAME = auto()
    WORD = auto()
    OPERATOR = auto()
    EQUALS = auto()
    COMPARISON = auto()
    PERCENT = auto()
    CURRENCY = auto()
    COMMA = auto()
    STOP = auto()
    BOX = auto()


class Token(NamedTuple):
    """A token of the plain text.

    Attributes:
        sort: its sort.
        text: as it stands, names and words in small letters.
        start: where it begins.
        end: where it ends.
        value: of a number.
        glued: whether it stands right after the token before.
        line: whether it is the first of its line.
    """

    sort: Sort
    text: str
    start: int
    end: int
    value: Fraction | None = None
    glued: bool = False
    line: bool = False


_TOKEN = re.compile(
    r"""
    (?P<common>[A-Za-z][a-z]+(?=[ ,\n]))
  | (?P<q>(?<![^\W\d_])[qQ]_?(?P<rank>[1-9]\d{0,2})(?![\d_]))
  | (?P<ordinal>(?<![/\d.])\d+(?:st|nd|rd|th)\b)
  | (?P<number>(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?:\.\d+)?|\.\d+)(?P<thousand>[ ]?(?:million|billion)\b)?
  | (?P<identifier>[A-Za-z](?:[A-Za-z0-9]*_[A-Za-z0-9_]+|\d{1,2})(?!\w))
  | (?P<letter>[A-Za-zα-ωΑ-Ω](?![A-Za-z'’&_α-ω]))
  | (?P<word>[^\W\d_]+(?:['’.&-][^\W\d_]{2,}|'[^\W\d_])*\d?\b\.?(?=[^\W\d_]?))
  | (?P<equals>[=≈])
  | (?P<comparison>[<>≤≥≠])
  | (?P<operator>[-+*/^()\[\]±])
  | (?P<currency>[$£€])
  | (?P<percent>%)
  | (?P<comma>,)
  | (?P<box>[\x02\x03])
  | (?P<stop>[.;:?!|]|\n)
    """,
    re.VERBOSE,
)
_SORTS = {
    "equals": Sort.EQUALS, "comparison": Sort.COMPARISON, "operator": Sort.OPERATOR, "currency": Sort.CURRENCY,
    "percent": Sort.PERCENT, "comma": Sort.COMMA, "box": Sort.BOX, "stop": Sort.STOP,
}  # fmt: skip
_THOUSANDS = {"million": 10**6, "billion": 10**9}
_EQUAL_WORDS = frozenset({"equals", "equal"})
_SIGN_WORDS = {"times": "*", "multiplied": "*", "plus": "+", "minus": "-", "divided": "/"}
_UNSETTLED = frozenset({"a", "A", "i", "I", "x", "X", "s", "S", "by", "to", *_SIGN_WORDS, *_EQUAL_WORDS})
_CROSS = re.compile(r"[xX]\d{1,2}")
_TYPO = re.compile(r"(?<![\w.])(?:\d*\.\d*[oO]+\d[\doO]*|\d+[oO]+\d+|\.\d+[oO]+(?![A-Za-z]))")
_GOES_ON = re.compile(r"\s*(?:[=+*/≈]|-\s)")


def tokens_of(text: str) -> list[Token]:
    """Return the tokens of a plain text, at most `MAX_TOKENS`.

    >>> [t.text for t in tokens_of("So 3x + $1,200.50 = 20% of y.")]
    ['so', '3', 'x', '+', '$', '1,200.50', '=', '20', '%', 'of', 'y', '.']
    """
    tokens = raw_tokens(text)
    return settled(tokens, Names.of([tokens]))


def raw_tokens(text: str) -> list[Token]:
    """Return the tokens of a plain text before anything is decided by their neighbours; names keep their case."""
    text = _TYPO.sub(lambda match: match.group().lower().replace("o", "0"), text)
    found: list[Token] = []
    end = -1
    fresh = True
    for match in _TOKEN.finditer(text):
        start, sort, word = match.start(), match.lastgroup, match.group()
        glued = start == end
        end = match.end()
        if sort == "common":
            token = Token(Sort.WORD, word.lower(), start, end, None, glued, fresh)
        elif sort == "word":
            plain = word.lower()
            if plain.endswith("."):
                # A full stop after a word ends the sentence, unless the word is short for a unit.
                if plain[:-1] not in ABBREVIATIONS or _ends_sentence(text, end):
                    end -= 1
                plain = plain[:-1]
            token = Token(Sort.WORD, plain, start, end, None, glued, fresh)
        elif sort == "letter":
            token = Token(Sort.NAME, word, start, end, None, glued, fresh)
        elif sort == "identifier":
            if glued and _CROSS.fullmatch(word) and found[-1].sort is Sort.NUMBER:
                # 700x2 is a product, though x2 alone is a name.
                found.append(Token(Sort.OPERATOR, "*", start, start + 1, None, glued))
                token = Token(Sort.NUMBER, word[1:], start + 1, end, Fraction(word[1:]), glued=True)
            else:
                token = Token(Sort.NAME, word, start, end, None, glued, fresh)
        elif sort in ("number", "thousand"):
            number, thousand = match.group("number", "thousand")
            digits = number.replace(",", "")
            if len(digits) > MAX_DIGITS:
                token = Token(Sort.WORD, "number", start, end, None, glued, fresh)
            else:
                value = _value(digits)
                if thousand:
                    value *= _THOUSANDS[thousand.strip().lower()]
                token = Token(Sort.NUMBER, number, start, end, value, glued, fresh)
        elif sort in ("q", "rank"):
            token = Token(Sort.NAME, f"q{match.group('rank')}", start, end, None, glued, fresh)
        elif sort == "ordinal":
            token = Token(Sort.WORD, word.lower(), start, end, None, glued, fresh)
        elif word == "\n":
            if _GOES_ON.match(text, end) and found and _ends_operand(found[-1]):
                end = -1
                continue
            if found and found[-1].sort is Sort.EQUALS and re.match(r"[ ]*\S", text[end : end + 40]):
                end = -1
                continue
            token = Token(Sort.STOP, "\n", start, end, None, glued, False)
        else:
            token = Token(_SORTS[sort or ""], word, start, end, None, glued, fresh)
        fresh = word == "\n"
        found.append(token)
        if len(found) == MAX_TOKENS:
            break
    return found


@lru_cache(maxsize=4096)
def _value(digits: str) -> Fraction:
    # The same few numbers are written again and again.
    whole, _, decimals = digits.partition(".")
    return Fraction(int(whole + decimals), 10 ** len(decimals))


def _ends_sentence(text: str, end: int) -> bool:
    rest = text[end : end + 3]
    return not rest.strip(" ") or rest[:1] == "\n" or (rest[:1] == " " and rest[1:2].isupper())


def _ends_operand(token: Token) -> bool:
    return token.sort in (Sort.NUMBER, Sort.NAME, Sort.PERCENT) or token.text in (")", "]") or token.sort is Sort.WORD


_SIGNS = (Sort.OPERATOR, Sort.EQUALS)
_BESIDE = frozenset((*_SIGNS, Sort.COMPARISON))


class Names(NamedTuple):
    """What is known of the names of a text.

    Attributes:
        standing: those that stand next to a sign and not only after a number.
        apart: those that stand in capital and in small letters in one clause.
        capital: how those are written that do not stand in small letters.
        x: whether x is an unknown somewhere, and not only a times sign.
    """

    standing: frozenset[str]
    apart: frozenset[str]
    capital: dict[str, str]
    x: bool

    @classmethod
    def of(cls, texts: Iterable[list[Token]]) -> Names:
        """Return what some tokens, as `raw_tokens` gives them, say about their names."""
        standing: set[str] = set()
        apart: set[str] = set()
        every: set[str] = set()
        x = False
        for tokens in texts:
            here: set[str] = set()
            last = len(tokens) - 1
            for place, token in enumerate(tokens):
                sort = token[0]
                if sort is Sort.NAME:
                    before = tokens[place - 1][0] if place else None
                    if before is not Sort.NUMBER:
                        if before not in _BESIDE and (place == last or tokens[place + 1][0] not in _BESIDE):
                            continue  # a letter among words
                        standing.add(token[1].lower())
                    every.add(token[1])
                    here.add(token[1])
                elif here and (sort is Sort.STOP or sort is Sort.COMMA):
                    if len(here) > 1:
                        apart |= _both_cases(here)
                    here = set()
            apart |= _both_cases(here)
            x = x or _is_named(tokens)
            if not standing:
                standing |= _added(tokens)
        capital = {name.lower(): name for name in sorted(every) if name.lower() not in every}
        return cls(frozenset(standing), frozenset(apart), capital, x)


def _added(tokens: list[Token]) -> set[str]:
    """Return the letters of units that are unknowns: 60 + 25m = 90 adds a number that has no unit."""
    letters: set[str] = set()
    bare = equals = False
    found: set[str] = set()
    last = len(tokens) - 1
    for place, token in enumerate(tokens):
        sort = token.sort
        after = tokens[place + 1] if place < last else None
        if sort is Sort.NUMBER:
            before = tokens[place - 1] if place else None
            if after is not None and after.sort is Sort.NAME and after.text.lower() in UNIT_LETTERS:
                if after.glued:
                    letters.add(after.text.lower())
            elif (after is None or after.sort in _ENDING or after.text in ("+", "-")) and (
                before is None or before.sort in _ENDING or before.text in ("+", "-")
            ):
                bare = True
        equals = equals or sort is Sort.EQUALS
        if sort is Sort.STOP or place == last:
            if bare and equals:
                found |= letters
            letters, bare, equals = set(), False, False
    return found


_ENDING = frozenset({Sort.EQUALS, Sort.STOP, Sort.COMMA})


def _both_cases(names: set[str]) -> set[str]:
    return (
        {name.lower() for name in names if name.lower() != name and name.lower() in names} if len(names) > 1 else set()
    )


def settled(tokens: list[Token], names: Names) -> list[Token]:
    """Decide what depends on neighbours: articles, pronouns, times signs, unit letters, products of letters."""
    found: list[Token] = []
    standing = names.standing
    for place, token in enumerate(tokens):
        sort, text = token[0], token[1]
        if sort is Sort.NAME:
            low = text.lower()
            if low != text and low not in names.apart:
                token = token._replace(text=low)
            if low in UNIT_LETTERS and low not in standing and found and found[-1].sort is Sort.NUMBER:
                found.append(token._replace(sort=Sort.WORD))
                continue
        elif sort is Sort.WORD and text[0].isdecimal():
            found.append(_counted(token, found[-1] if found else None, tokens[place + 1 : place + 2]))
            continue
        elif sort is Sort.WORD and len(text) <= 3 and text[0] in standing and _is_product(text, standing):
            for index, letter in enumerate(text):
                start = token.start + index
                glued, line = (True, False) if index else (token.glued, token.line)
                found.append(Token(Sort.NAME, letter, start, start + 1, None, glued, line))
            continue
        if text not in _UNSETTLED:
            found.append(token)
            continue
        after = tokens[place + 1] if place + 1 < len(tokens) else None
        before = found[-1] if found else None
        if token.sort is Sort.NAME and token.text in ("a", "i") and _is_word(token, before, after):
            token = token._replace(sort=Sort.WORD)
        elif token.sort is Sort.NAME and token.text == "x" and _is_times(before, after, tokens, place, names.x):
            token = token._replace(sort=Sort.OPERATOR, text="*")
        elif token.sort is Sort.NAME and token.text == "s" and before is not None and before.text.endswith("'"):
            token = token._replace(sort=Sort.WORD)
        elif token.sort is Sort.WORD and token.text in _SIGN_WORDS and after:
            sign = _SIGN_WORDS[token.text]
            operand = tokens[place + 2] if after.text == "by" and place + 2 < len(tokens) else after
            if before is not None and before.sort in (Sort.NUMBER, Sort.NAME) and _starts_operand(operand):
                token = token._replace(sort=Sort.OPERATOR, text=sign)
        elif token.sort is Sort.WORD and token.text == "by" and before is not None and before.sort is Sort.OPERATOR:
            continue
        elif token.sort is Sort.WORD and token.text in _EQUAL_WORDS and _means_equals(tokens, place, before):
            if before is not None and before.text in ("is", "are", "be"):
                found.pop()
            token = token._replace(sort=Sort.EQUALS, text="=")
        elif token.sort is Sort.WORD and token.text == "to" and before is not None and before.sort is Sort.EQUALS:
            continue
        found.append(token)
    return found


def _counted(token: Token, before: Token | None, after: list[Token]) -> Token:
    """Return an ordinal as a number where it is calculated with: 6th + 2 = 8th."""
    signs = [other for other in (before, *after) if other is not None and other.sort is Sort.OPERATOR]
    digits = token.text.rstrip("stndrh")
    if not any(sign.text in "+-*" for sign in signs) or not digits.isdecimal() or len(digits) > MAX_DIGITS:
        return token
    return token._replace(sort=Sort.NUMBER, text=digits, value=Fraction(int(digits)))


def _is_product(word: str, names: frozenset[str]) -> bool:
    """Say whether a short word is a product of names, as in d = rt, and neither a word nor a unit."""
    return names.issuperset(word) and word not in STOP_WORDS and word not in LEADING and word not in UNITS


def _means_equals(tokens: list[Token], place: int, before: Token | None) -> bool:
    """Say whether a word is an equals sign: "equals", "is equal to", but not "set them equal to each other"."""
    rest = [token.text for token in tokens[place + 1 : place + 4]]
    if "each" in rest or "other" in rest or "zero" in rest:
        return False
    return tokens[place].text == "equals" or (
        before is not None and before.text in ("is", "are", "be") and rest[:1] == ["to"]
    )


def _is_word(token: Token, before: Token | None, after: Token | None) -> bool:
    """Say whether a letter that is a word too, such as an article, is one here."""
    if token.glued and before is not None and before.sort is Sort.NUMBER:
        return False  # 15a cents
    if after is not None and after.sort is Sort.WORD and after.text not in ("is", "and", "be", "represents"):
        return True
    if token.text == "i" and (after is None or after.sort is Sort.WORD):
        return True
    beside = (after is not None and after.sort in _SIGNS) or (
        before is not None and before.sort in (*_SIGNS, Sort.NUMBER)
    )
    if beside:
        return False
    return after is not None and after.sort in (Sort.NUMBER, Sort.CURRENCY)


def _is_named(tokens: list[Token]) -> bool:
    """Say whether x is an unknown somewhere: right after a number, or next to an operator on one side only."""
    for place, token in enumerate(tokens):
        if token.sort is Sort.NAME and token.text in "xX":
            before = tokens[place - 1] if place else None
            after = tokens[place + 1] if place + 1 < len(tokens) else None
            if token.glued and before is not None and before.sort is Sort.NUMBER and (after is None or not after.glued):
                return True
            if after is not None and (
                after.sort is Sort.EQUALS or (after.sort is Sort.OPERATOR and after.text in "+-)/")
            ):
                return True
            if before is not None and (before.sort is Sort.EQUALS or before.text in ("let", "+", "-", "(", "call")):
                return True
    return False


def _is_times(before: Token | None, after: Token | None, tokens: list[Token], place: int, named: bool) -> bool:
    """Say whether an x is a times sign: it stands between two operands."""
    token = tokens[place]
    if before is None or after is None:
        return False
    if before.sort is Sort.NUMBER and after.sort in (Sort.NUMBER, Sort.CURRENCY) and not after.line:
        return True
    if token.glued and before.sort is Sort.NUMBER and not after.glued:
        return False
    if token.line or before.sort in (Sort.STOP, Sort.EQUALS, Sort.COMMA):
        return False
    operand = before.sort in (Sort.NUMBER, Sort.PERCENT, Sort.NAME) or before.text in (")", "]")
    if after.sort is Sort.WORD:
        return operand and not named
    if not _starts_operand(after):
        return False
    if operand:
        if after.sort is Sort.NAME:
            return before.sort is Sort.NAME or not named
        # 5 x (y + 2) may be a product of two or of three.
        return after.sort is not Sort.OPERATOR or not named or before.sort is Sort.NAME
    # A unit stands before it, as in 100 lb. x $0.60.
    amount = after.sort in (Sort.NUMBER, Sort.CURRENCY) or not named
    return before.sort is Sort.WORD and amount and _behind_number(tokens, place - 1)


def _behind_number(tokens: list[Token], place: int) -> bool:
    while place >= 0 and tokens[place].sort is Sort.WORD:
        place -= 1
    return place >= 0 and (tokens[place].sort in (Sort.NUMBER, Sort.NAME) or tokens[place].text in (")", "]"))


def _starts_operand(token: Token) -> bool:
    return token.sort in (Sort.NUMBER, Sort.CURRENCY, Sort.NAME) or token.text in ("(", "[")
