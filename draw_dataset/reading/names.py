"""Names in plain text: letters and words that are names, units, articles, times signs or equals signs.

A letter by itself is a name. Exceptions are the article a, the pronoun I, an x between two operands, which is a times
sign, and a letter such as L after a number, which is a unit if it never stands by itself. ``xy`` is a product if both
letters are names. Capital and small letters are one name unless both occur in one clause. All of this depends on the
neighbours of a token and on the rest of the text, so it is decided after `tokens` has cut the text.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import NamedTuple

from draw_dataset.reading.tokens import LEADING, MAX_DIGITS, STOP_WORDS, UNIT_LETTERS, UNITS, Sort, Token, raw_tokens

_EQUAL_WORDS = frozenset({"equals", "equal"})
_SIGN_WORDS = {"times": "*", "multiplied": "*", "plus": "+", "minus": "-", "divided": "/"}
_AMBIGUOUS = frozenset({"a", "A", "i", "I", "x", "X", "s", "S", "by", "to", *_SIGN_WORDS, *_EQUAL_WORDS})


def tokens_of(text: str) -> list[Token]:
    """Return the tokens of a plain text, at most `MAX_TOKENS`.

    >>> [t.text for t in tokens_of("So 3x + $1,200.50 = 20% of y.")]
    ['so', '3', 'x', '+', '$', '1,200.50', '=', '20', '%', 'of', 'y', '.']
    """
    tokens = raw_tokens(text)
    return disambiguate(tokens, Names.of([tokens]))


_SIGNS = (Sort.OPERATOR, Sort.EQUALS)
_NEXT_TO_NAME = frozenset((*_SIGNS, Sort.COMPARISON))


class Names(NamedTuple):
    """Facts about the names of a text."""

    standing: frozenset[str]  # those that stand next to a sign and not only after a number
    apart: frozenset[str]  # those that stand in capital and in small letters in one clause
    capital: dict[str, str]  # spelling of names that never stand in small letters
    x: bool  # whether x is an unknown somewhere, and not only a times sign

    @classmethod
    def of(cls, texts: Iterable[list[Token]]) -> Names:
        """Return the names of some texts, each as tokens from `raw_tokens`."""
        standing: set[str] = set()
        apart: set[str] = set()
        every: set[str] = set()
        x = False
        for tokens in texts:
            places = _name_places(tokens)
            for place in places:
                name = tokens[place][1]
                every.add(name)
                if not place or tokens[place - 1][0] is not Sort.NUMBER:
                    standing.add(name.lower())
            if _both_cases({tokens[place][1] for place in places}):
                apart |= _names_in_both_cases(tokens, places)
            x = x or _has_unknown_x(tokens)
            if places and not standing:
                standing |= _unit_letters_added(tokens)
        capital = {name.lower(): name for name in sorted(every) if name.lower() not in every}
        return cls(frozenset(standing), frozenset(apart), capital, x)


def _name_places(tokens: list[Token]) -> list[int]:
    """Return where names stand after a number or next to a sign; other letters are among words."""
    found: list[int] = []
    last = len(tokens) - 1
    for place, token in enumerate(tokens):
        if token[0] is Sort.NAME:
            before = tokens[place - 1][0] if place else None
            after = tokens[place + 1][0] if place < last else None
            if before is Sort.NUMBER or before in _NEXT_TO_NAME or after in _NEXT_TO_NAME:
                found.append(place)
    return found


def _names_in_both_cases(tokens: list[Token], places: list[int]) -> set[str]:
    """Return the names that stand in capital and in small letters in one clause."""
    found: set[str] = set()
    here: set[str] = set()
    end = 0
    for place in places:
        if any(token[0] is Sort.STOP or token[0] is Sort.COMMA for token in tokens[end:place]):
            found |= _both_cases(here)
            here = set()
        here.add(tokens[place][1])
        end = place
    return found | _both_cases(here)


def _unit_letters_added(tokens: list[Token]) -> set[str]:
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
    return {low for name in names if (low := name.lower()) != name and low in names} if len(names) > 1 else set()


def disambiguate(tokens: list[Token], names: Names) -> list[Token]:
    """Return tokens with articles, pronouns, times signs, unit letters and products of letters told apart."""
    found: list[Token] = []
    standing = names.standing
    for place, token in enumerate(tokens):
        sort, text = token[0], token[1]
        if sort is Sort.WORD and len(text) > 3 and text not in _AMBIGUOUS and not text[0].isdecimal():
            found.append(token)  # nearly all tokens are such words
            continue
        if sort is Sort.NAME:
            low = text.lower()
            if low != text and low not in names.apart:
                token = token._replace(text=low)
            if low in UNIT_LETTERS and low not in standing and found and found[-1].sort is Sort.NUMBER:
                found.append(token._replace(sort=Sort.WORD))
                continue
        elif sort is Sort.WORD and text[0].isdecimal():
            found.append(_as_number(token, found[-1] if found else None, tokens[place + 1 : place + 2]))
            continue
        elif sort is Sort.WORD and len(text) <= 3 and text[0] in standing and _is_product(text, standing):
            for index, letter in enumerate(text):
                start = token.start + index
                glued, line = (True, False) if index else (token.glued, token.line)
                found.append(Token(Sort.NAME, letter, start, start + 1, None, glued, line))
            continue
        if text not in _AMBIGUOUS:
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


def _as_number(token: Token, before: Token | None, after: list[Token]) -> Token:
    """Return an ordinal as a number where it is calculated with: 6th + 2 = 8th."""
    signs = [other for other in (before, *after) if other is not None and other.sort is Sort.OPERATOR]
    digits = token.text.rstrip("stndrh")
    if not any(sign.text in "+-*" for sign in signs) or not digits.isdecimal() or len(digits) > MAX_DIGITS:
        return token
    return token._replace(sort=Sort.NUMBER, text=digits, value=Fraction(int(digits)))


def _is_product(word: str, names: frozenset[str]) -> bool:
    """Decide whether a short word is a product of names, as in d = rt, and neither a word nor a unit."""
    return names.issuperset(word) and word not in STOP_WORDS and word not in LEADING and word not in UNITS


def _means_equals(tokens: list[Token], place: int, before: Token | None) -> bool:
    """Decide whether a word is an equals sign: "equals", "is equal to", but not "set them equal to each other"."""
    rest = [token.text for token in tokens[place + 1 : place + 4]]
    if "each" in rest or "other" in rest or "zero" in rest:
        return False
    if tokens[place].text == "equals":
        return True
    return before is not None and before.text in ("is", "are", "be") and rest[:1] == ["to"]


def _is_word(token: Token, before: Token | None, after: Token | None) -> bool:
    """Decide whether a letter that is a word too, such as an article, is one here."""
    if token.glued and before is not None and before.sort is Sort.NUMBER:
        return False  # 15a cents
    if after is not None and after.sort is Sort.WORD and after.text not in ("is", "and", "be", "represents"):
        return True
    if token.text == "i" and (after is None or after.sort is Sort.WORD):
        return True
    if before is not None and before.sort in (*_SIGNS, Sort.NUMBER):
        return False
    return after is not None and after.sort in (Sort.NUMBER, Sort.CURRENCY)


def _has_unknown_x(tokens: list[Token]) -> bool:
    """Decide whether x is an unknown somewhere: right after a number, or next to an operator on one side only."""
    for place, token in enumerate(tokens):
        if token[1] in ("x", "X") and token.sort is Sort.NAME:
            before = tokens[place - 1] if place else None
            after = tokens[place + 1] if place + 1 < len(tokens) else None
            if token.glued and before is not None and before.sort is Sort.NUMBER and (after is None or not after.glued):
                return True
            if after and (after.sort is Sort.EQUALS or (after.sort is Sort.OPERATOR and after.text in "+-)/")):
                return True
            if before and (before.sort is Sort.EQUALS or before.text in ("let", "+", "-", "(", "call")):
                return True
    return False


def _is_times(before: Token | None, after: Token | None, tokens: list[Token], place: int, named: bool) -> bool:
    """Decide whether an x is a times sign: it stands between two operands."""
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
    return before.sort is Sort.WORD and amount and _follows_number(tokens, place - 1)


def _follows_number(tokens: list[Token], place: int) -> bool:
    while place >= 0 and tokens[place].sort is Sort.WORD:
        place -= 1
    return place >= 0 and (tokens[place].sort in (Sort.NUMBER, Sort.NAME) or tokens[place].text in (")", "]"))


def _starts_operand(token: Token) -> bool:
    return token.sort in (Sort.NUMBER, Sort.CURRENCY, Sort.NAME) or token.text in ("(", "[")
