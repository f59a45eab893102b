"""Tokens of plain text: words, numbers, names and signs, and the ends of clauses.

A clause ends at the end of a sentence, at a colon, a semicolon, a comma that is not inside a number, and at the end of
a line, unless the next line continues with an operator or an equals sign. A zero typed as an o is read as zero. Which
letters are names is decided in `names`.
"""

from __future__ import annotations

import re
from fractions import Fraction
from functools import lru_cache
from typing import ClassVar, NamedTuple

from draw_dataset.prose.vocabulary import ABBREVIATIONS

MAX_TOKENS = 12_000
"""How many tokens of one text are read."""

MAX_DIGITS = 24
"""How many digits a number may have; a longer one counts as a word."""


class Sort:
    """The sort of a token. There is one object of each, so sorts are compared with ``is``.

    It is no Enum, because Python 3.11 finds the members of an Enum by calling a function. That took more than a tenth
    of the time of reading an answer.
    """

    __slots__ = ("name",)

    NUMBER: ClassVar[Sort]
    NAME: ClassVar[Sort]
    WORD: ClassVar[Sort]
    OPERATOR: ClassVar[Sort]
    EQUALS: ClassVar[Sort]
    COMPARISON: ClassVar[Sort]
    PERCENT: ClassVar[Sort]
    CURRENCY: ClassVar[Sort]
    COMMA: ClassVar[Sort]
    STOP: ClassVar[Sort]
    BOX: ClassVar[Sort]

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"Sort.{self.name}"

    def __reduce__(self) -> tuple[object, ...]:
        # A copy, or what comes from another process, is the same object.
        return getattr, (Sort, self.name)


for _name in Sort.__annotations__:
    setattr(Sort, _name, Sort(_name))


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


# A blank after a token is taken along: no token begins with one, so no alternative need be tried there. Where no
# alternative fits, the next place is tried, so what is read before that shows must be short: hence the bounds.
_TOKEN = re.compile(
    r"""
    (?:
    (?P<common>[A-Za-z][a-z]+(?=[ ,\n]))
  | (?P<q>(?<![^\W\d_])[qQ]_?(?P<rank>[1-9]\d{0,2})(?![\d_]))
  | (?P<ordinal>(?<![/\d.])\d+(?:st|nd|rd|th)\b)
  | (?P<number>(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?:\.\d+)?|\.\d+)(?P<thousand>[ ]?(?:million|billion)\b)?
  | (?P<identifier>[A-Za-z](?:[A-Za-z0-9]{0,60}_[A-Za-z0-9_]{1,60}|\d{1,2})(?!\w))
  | (?P<letter>[A-Za-zα-ωΑ-Ω](?![A-Za-z'’&_α-ω]))
  | (?P<long>[^\W\d_]{60,}+)
  | (?P<word>[^\W\d_]+(?:['’.&-][^\W\d_]{2,}|'[^\W\d_])*\d?\b\.?(?=[^\W\d_]?))
  | (?P<equals>[=≈])
  | (?P<comparison>[<>≤≥≠])
  | (?P<operator>[-+*/^()\[\]±])
  | (?P<currency>[$£€])
  | (?P<percent>%)
  | (?P<comma>,)
  | (?P<box>[\x02\x03])
  | (?P<stop>[.;:?!|]|\n)
    )[ ]?
    """,
    re.VERBOSE,
)
_SORTS = {
    "equals": Sort.EQUALS, "comparison": Sort.COMPARISON, "operator": Sort.OPERATOR, "currency": Sort.CURRENCY,
    "percent": Sort.PERCENT, "comma": Sort.COMMA, "box": Sort.BOX, "stop": Sort.STOP, "letter": Sort.NAME,
    "identifier": Sort.NAME, "q": Sort.NAME, "number": Sort.NUMBER, "thousand": Sort.NUMBER,
}  # fmt: skip
_WORD, _NUMBER = Sort.WORD, Sort.NUMBER
_THOUSANDS = {"million": 10**6, "billion": 10**9}
_CROSS = re.compile(r"[xX]\d{1,2}")
_TYPO = re.compile(r"(?<![\w.])(?:\d*\.\d*[oO]+\d[\doO]*|\d+[oO]+\d+|\.\d+[oO]+(?![A-Za-z]))")
_GOES_ON = re.compile(r"[=+*/≈]|-\s")
_SOLID = re.compile(r"\S")


def raw_tokens(text: str) -> list[Token]:
    """Return the tokens of a plain text before anything is decided by their neighbours; names keep their case."""
    text = _TYPO.sub(lambda match: match.group().lower().replace("o", "0"), text)
    found: list[Token] = []
    end = solid = -1
    fresh = True
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup or ""
        start, word = match.start(), match[kind]
        glued = start == end
        end = start + len(word)
        sort, shown, value = _SORTS.get(kind, _WORD), word, None
        if kind == "common":
            shown = word.lower()
        elif kind == "word":
            shown = word.lower()
            if shown.endswith("."):
                # A full stop after a word ends the sentence, unless the word is short for a unit.
                if shown[:-1] not in ABBREVIATIONS or _ends_sentence(text, end):
                    end -= 1
                shown = shown[:-1]
        elif kind == "identifier":
            if glued and _CROSS.fullmatch(word) and found[-1].sort is _NUMBER:
                # 700x2 is a product, though x2 alone is a name.
                found.append(Token(Sort.OPERATOR, "*", start, start + 1, None, glued))
                start += 1
                sort, shown, value = _NUMBER, word[1:], Fraction(word[1:])
                fresh = False
        elif kind in ("number", "thousand"):
            shown, thousand = match.group("number", "thousand")
            digits = shown.replace(",", "")
            end = start + len(shown) + len(thousand or "")
            if len(digits) > MAX_DIGITS:
                sort, shown = _WORD, "number"
            else:
                value = _value(digits)
                if thousand:
                    value *= _THOUSANDS[thousand.strip().lower()]
        elif kind == "q":
            shown = f"q{match['rank']}"
        elif kind in ("ordinal", "long"):
            shown = word.lower()
        elif word == "\n":
            if solid < end:  # looked for once in a blank stretch, not once a line
                after = _SOLID.search(text, end)
                solid = after.start() if after else len(text)
            if found and _ends_operand(found[-1]) and _GOES_ON.match(text, solid):
                end = -1
                continue
            if found and found[-1].sort is Sort.EQUALS and re.match(r"[ ]*\S", text[end : end + 40]):
                end = -1
                continue
            fresh = False
        # A Token by the tuple's own constructor: that takes less than half the time, and texts have hundreds of them.
        found.append(_new(Token, (sort, shown, start, end, value, glued, fresh)))
        fresh = word == "\n"
        if len(found) == MAX_TOKENS:
            break
    return found


_new = tuple.__new__


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
