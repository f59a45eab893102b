"""The question: what are the tokens of a segment of prose, and which letters in it are unknowns.

Tokens are numbers, one-letter names, operators, units and words. What a token is may depend on its neighbours: the
letter x between numbers is a times sign; ``xy`` is a product if both letters are unknowns; a letter such as L behind a
number is a unit only if it never stands by itself; ``a`` before a word is an article; ``of`` behind a percentage is a
product. A zero typed as an o is read as zero, with doubt.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto

from draw_dataset.prose.vocabulary import UNIT_LETTERS, UNITS


class Sort(Enum):
    """The sort of a token."""

    NUMBER = auto()
    NAME = auto()
    OPERATOR = auto()
    EQUALS = auto()
    UNIT = auto()
    CURRENCY = auto()
    PERCENT = auto()
    WORD = auto()
    COMPARISON = auto()


@dataclass(frozen=True, slots=True)
class Lexeme:
    """A token of a segment, as a person would point at it.

    Attributes:
        sort: its sort.
        text: as it is to be written in an equation.
        glued: whether it stands right behind the token before, without a blank.
        doubt: why its reading is not certain.
    """

    sort: Sort
    text: str
    glued: bool = False
    doubt: str = ""


_TOKEN = re.compile(
    r"""
    (?P<ordinal>\d+(?:st|nd|rd|th)\b)
  | (?P<typo>\d*\.\d*[oO]+\d[\doO]*|\d+[oO]+\d+|\.\d+[oO]+(?![A-Za-z]))
  | (?P<number>(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?:\.\d+)?|\.\d+)
  | (?P<word>[^\W\d_]+(?:'[^\W\d_]+)+|[^\W\d_](?:_\w+|\d+)(?!\w)|[^\W\d_]+)
  | (?P<equals>[=≈])
  | (?P<comparison>[<>≤≥≠]=?)
  | (?P<operator>[-+*/^()\[\]{}])
  | (?P<currency>[$£€])
  | (?P<percent>%)
  | (?P<other>\S)
    """,
    re.VERBOSE,
)
OPENING, CLOSING = "([", ")]"
_BRACES = {"{": "(", "}": ")"}


def lexemes_of(text: str) -> list[Lexeme]:
    """Return the tokens of a segment, before anything is decided by their neighbours."""
    found: list[Lexeme] = []
    end = -1
    for match in _TOKEN.finditer(text):
        word, glued = match.group(), match.start() == end
        end = match.end()
        sort = match.lastgroup
        if sort == "number":
            found.append(Lexeme(Sort.NUMBER, word, glued))
        elif sort == "typo":
            found.append(
                Lexeme(Sort.NUMBER, word.replace("o", "0").replace("O", "0"), glued, f"{word} was read as a number")
            )
        elif sort == "word":
            behind_number = glued and bool(found) and found[-1].sort is Sort.NUMBER
            # 3x4 is a product or a name with an index, nobody knows.
            unclear = behind_number and len(word) > 1 and word[0] in "xX" and word[1:].isdigit()
            found.append(Lexeme(Sort.WORD, word, glued) if unclear else _word(word, glued))
        elif sort == "equals":
            found.append(Lexeme(Sort.EQUALS, word, glued))
        elif sort == "operator":
            found.append(Lexeme(Sort.OPERATOR, _BRACES.get(word, word), glued))
        elif sort == "currency":
            found.append(Lexeme(Sort.CURRENCY, word, glued))
        elif sort == "percent":
            found.append(Lexeme(Sort.PERCENT, word, glued))
        elif sort == "comparison":
            found.append(Lexeme(Sort.COMPARISON, word, glued))
        elif word == "¢":
            found.append(Lexeme(Sort.UNIT, "cents", glued))
        else:
            found.append(Lexeme(Sort.WORD, word, glued))
    return found


def _word(word: str, glued: bool) -> Lexeme:
    if len(word) == 1 or (word[1:].lstrip("_").isalnum() and (word[1] == "_" or word[1:].isdigit())):
        return Lexeme(Sort.NAME, word, glued)
    if word.lower() in UNITS:
        return Lexeme(Sort.UNIT, word.lower(), glued)
    return Lexeme(Sort.WORD, word, glued)


def standing_names(segments: Sequence[Sequence[Lexeme]]) -> frozenset[str]:
    """Return the letters that stand by themselves as unknowns somewhere, not only behind a number."""
    names = set()
    for tokens in segments:
        for place, token in enumerate(tokens):
            if token.sort is Sort.NAME:
                before = tokens[place - 1] if place else None
                after = tokens[place + 1] if place + 1 < len(tokens) else None
                beside = [t for t in (before, after) if t is not None and t.sort in (Sort.OPERATOR, Sort.EQUALS)]
                if beside and (before is None or before.sort is not Sort.NUMBER):
                    names.add(token.text)
    return frozenset(names)


def settle(tokens: Sequence[Lexeme], names: frozenset[str]) -> list[Lexeme]:
    """Settle what the neighbours decide: products of letters, unit letters, articles, times signs, ``of``."""
    result: list[Lexeme] = []
    for place, token in enumerate(tokens):
        before = result[-1] if result else None
        after = tokens[place + 1] if place + 1 < len(tokens) else None
        if token.sort is Sort.WORD and len(token.text) <= 3 and all(letter in names for letter in token.text):
            letters = [Lexeme(Sort.NAME, letter, True) for letter in token.text]
            result += [replace(letters[0], glued=token.glued), *letters[1:]]
        elif token.sort is Sort.NAME:
            result.append(_name(token, before, after, names))
        elif token.sort is Sort.WORD and token.text.lower() == "of" and _multiplies(before, after):
            doubt = "" if before is not None and before.sort is Sort.PERCENT else "'of' was read as a product"
            result.append(Lexeme(Sort.OPERATOR, "*", doubt=doubt))
        else:
            result.append(token)
    return result


def _name(token: Lexeme, before: Lexeme | None, after: Lexeme | None, names: frozenset[str]) -> Lexeme:
    letter = token.text
    behind_number = before is not None and before.sort is Sort.NUMBER
    if letter in "xX" and before is not None and after is not None:
        factor = behind_number or before.sort in (Sort.UNIT, Sort.PERCENT) or before.text in (")", "]")
        if factor and after.sort in (Sort.NUMBER, Sort.CURRENCY):
            return Lexeme(Sort.OPERATOR, "*")
        if factor and not token.glued and not after.glued and after.text in OPENING:
            return Lexeme(Sort.WORD, letter)  # 3 x (4 + 2): a times sign or an unknown, nobody knows
        if before.sort is Sort.NAME and not token.glued and after.sort is Sort.NUMBER:
            return Lexeme(Sort.WORD, letter)
        if factor and not token.glued and not after.glued and after.sort is Sort.NAME:
            return Lexeme(Sort.WORD, letter)  # 2 x B
    if behind_number and letter in UNIT_LETTERS and letter not in names:
        return Lexeme(Sort.UNIT, letter, token.glued, f"{letter} was read as a unit")
    before_word = after is not None and after.sort in (Sort.WORD, Sort.UNIT)
    operand = before is not None and before.sort in (Sort.OPERATOR, Sort.EQUALS, Sort.NUMBER)
    if letter in "aAI" and not token.glued and before_word and not operand:
        return Lexeme(Sort.WORD, letter)
    if before is not None and after is not None and before.sort is Sort.WORD and after.sort is Sort.WORD:
        return Lexeme(Sort.WORD, letter)
    return token


def _multiplies(before: Lexeme | None, after: Lexeme | None) -> bool:
    if before is None or after is None:
        return False
    left = before.sort in (Sort.PERCENT, Sort.NUMBER) or before.text == ")"
    return left and (after.sort in (Sort.NAME, Sort.NUMBER, Sort.CURRENCY) or after.text in OPENING)
