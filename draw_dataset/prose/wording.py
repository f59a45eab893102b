"""Wording: which words around the numbers and names of an expression are units, remarks, or part of a name.

Words after a number are its unit if an operator or the end of the side follows. A bracket with words and no arithmetic
is a remark. A run of words may name a quantity ("time walking"), and a number may be part of that name ("age 8 years
ago").
"""

from __future__ import annotations

from draw_dataset.core.quantities import Literal
from draw_dataset.prose.tokens import Sort, Token
from draw_dataset.prose.vocabulary import (
    AGO,
    COUNTED,
    DETERMINERS,
    LEADS_IN,
    PART_OF_NAME,
    STOP_WORDS,
    UNIT_LETTERS,
    UNITS,
)


class Wording:
    """What the words between the tokens of expressions are.

    Args:
        tokens: the tokens of the whole text.

    Attributes:
        tokens: the tokens.
        heights: how deep brackets stand in each bracket, by where it opens.
    """

    def __init__(self, tokens: list[Token]) -> None:
        self.tokens = tokens
        self._closing, self.heights = _brackets(tokens)
        self._remarks: dict[int, bool] = {}
        self._names: set[str] = set()

    def names(self, key: str) -> None:
        """Record that some words name a quantity."""
        self._names.add(key)

    def amount_in_name(self, at: int, end: int, start: int) -> int:
        """Return where an amount ends that is part of a name in words: cost of 3 apples, age 8 years ago; else 0."""
        if at <= start + 1:
            return 0
        stop = at + (self.tokens[at].sort is Sort.CURRENCY)
        last = min(end, stop + 3)
        while stop < last and (
            self.tokens[stop].sort in (Sort.NUMBER, Sort.NAME, Sort.PERCENT) or self.tokens[stop].text in ("+", "-")
        ):
            stop += 1
        if stop >= end or self.tokens[stop].sort is not Sort.WORD:
            return 0
        if self.tokens[stop].text in UNITS and stop + 1 < end and self.tokens[stop + 1].text in AGO:
            return stop
        before = at - 1
        while before > start and self.tokens[before].text in DETERMINERS:
            before -= 1
        if self.tokens[before].text not in PART_OF_NAME or self.tokens[before - 1].text in LEADS_IN:
            return 0
        return stop

    def skip_unit(self, at: int, end: int, literal: Literal | None = None) -> int:
        """Return the place after the words of a unit, if an operator or the end of the clause follows them."""
        start = at
        if at >= end or self.tokens[at].sort is not Sort.WORD:
            return at  # a unit begins with a word
        while at < end and self._in_unit(at, end, start):
            at += 1
        if at == start:
            return start
        token = self.tokens[at] if at < end else None
        whole = (
            token is None
            or token.sort in (Sort.EQUALS, Sort.COMPARISON)
            or (token.sort is Sort.OPERATOR and token.text not in ("(", "["))
        )
        if literal is not None:
            literal.unit = " ".join(t.text for t in self.tokens[start:at] if t.sort is Sort.WORD)[:40]
        if not whole and token is not None and token.text in ("(", "["):
            close = self.closing(at, end)
            whole = close is not None and self.is_remark(at, close)
        return at if whole else start

    def _in_unit(self, at: int, end: int, start: int) -> bool:
        token = self.tokens[at]
        if at - start > 7:
            return False
        if token.sort is Sort.WORD:
            return not (at == start and token.text in ("of", "is", "and"))
        if at > start and at + 1 < end and token.text in ("/", "^"):
            after = self.tokens[at + 1]
            if token.text == "^":
                return after.sort is Sort.NUMBER  # cm^2
            return after.sort is Sort.WORD or (after.glued and after.text in UNIT_LETTERS)
        if at > start + 1 and token.glued:  # the part after such a sign
            return self.tokens[at - 1].text == "^" or (self.tokens[at - 1].text == "/" and token.text in UNIT_LETTERS)
        return (
            token.text == "."
            and token.sort is Sort.STOP
            and at > start
            and at + 1 < end
            and self.tokens[at + 1].sort is Sort.OPERATOR
        )

    def is_unit(self, at: int, end: int) -> bool:
        """Say whether words after a stroke are a unit, as in $0.60/lb."""
        if at >= end or self.tokens[at].sort is not Sort.WORD:
            return False
        before = self.tokens[at - 2] if at >= 2 else None
        if before is None or before.sort not in (Sort.NUMBER, Sort.WORD):
            return False
        if before.value == 1 or self.tokens[at].text[-1:].isdigit():
            word = self.tokens[at].text
            return word in UNITS or _stem(word) in COUNTED  # 1/rate divides
        return True

    def skip_words(self, at: int, end: int) -> int:
        """Return the place after a run of words."""
        while at < end and self.tokens[at].sort is Sort.WORD:
            at += 1
        return at

    def closing(self, at: int, end: int) -> int | None:
        """Return where the bracket closes that opens at a place."""
        place = self._closing.get(at)
        return place if place is not None and place < end else None

    def is_remark(self, at: int, close: int) -> bool:
        """Say whether a bracket is a remark and no factor: words without arithmetic, or the number of an equation."""
        known = self._remarks.get(at)  # brackets within brackets are asked for again and again
        if known is None:
            known = self._remarks[at] = self._looks_like_remark(at, close)
        return known

    def _looks_like_remark(self, at: int, close: int) -> bool:
        inside = self.tokens[at + 1 : close]
        words = sum(token.sort is Sort.WORD for token in inside)
        if not inside or any(token.sort in (Sort.EQUALS, Sort.COMPARISON) for token in inside):
            return True
        if words == len(inside) and phrase_key([token.text for token in inside]) in self._names:
            return False  # 0.25 (larger number), where that has been named
        if words and not any(token.sort is Sort.OPERATOR and token.text in "+-*/" for token in inside):
            # 60(5 hours) is a product.
            factor = self.tokens[at].glued and inside[0].sort is Sort.NUMBER
            return not (factor and all(token.text in UNITS for token in inside[1:]))
        if words >= 3:
            return True
        single = len(inside) == 1 and inside[0].sort is Sort.NUMBER and inside[0].value is not None
        if single and not self.tokens[at].glued and inside[0].value in range(1, 10):
            after = self.tokens[close + 1] if close + 1 < len(self.tokens) else None
            return after is None or after.sort is Sort.STOP or after.text in ("(", "[")
        return False


def _brackets(tokens: list[Token]) -> tuple[dict[int, int], dict[int, int]]:
    """Return where each bracket closes and how deep others stand in it, by where it opens.

    Sentences keep their brackets to themselves.
    """
    closing: dict[int, int] = {}
    heights: dict[int, int] = {}
    opened: list[int] = []
    deepest = [0]
    for place, token in enumerate(tokens):
        sort = token[0]
        if sort is Sort.STOP:
            if opened or deepest[0]:
                opened.clear()
                deepest = [0]
        elif sort is Sort.OPERATOR:
            if token.text in ("(", "["):
                opened.append(place)
                deepest.append(0)
            elif token.text in (")", "]") and opened:
                closing[opened[-1]] = place
                heights[opened.pop()] = height = deepest.pop()
                deepest[-1] = max(deepest[-1], height + 1)
    return closing, heights


def phrase_key(words: list[str]) -> str:
    """Return what a run of words names, the same for small differences of wording; empty if it names nothing.

    >>> phrase_key("so the cost of the adult tickets is".split()) == phrase_key("cost of adult ticket".split())
    True
    """
    kept = [_stem(word) for word in words if word not in STOP_WORDS]
    return " ".join(kept)


def _stem(word: str) -> str:
    word = word.removesuffix("'s").removesuffix("'")
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word
