"""Expressions in prose: parser and writer of one side of an equation.

An operand is a number with or without percent sign, a name, a bracket, or a run of words that names a quantity ("time
walking", "age 8 years ago"). Words after a number are its unit if an operator or the end of the side follows. Words
before an expression lead in and are left out; words after it end it. A bracket with words and no arithmetic is a
remark.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import NamedTuple

from draw_dataset.reading.quantities import Literal, Node
from draw_dataset.reading.tokens import (
    AGO,
    COUNTED,
    DETERMINERS,
    LEADS_IN,
    PART_OF_NAME,
    STOP_WORDS,
    UNIT_LETTERS,
    UNITS,
    Sort,
    Token,
)
from draw_dataset.text.lexicon import singular


class Wording:
    """Classifies the words of a text around expressions: units, remarks, and names of quantities."""

    def __init__(self, tokens: list[Token]) -> None:
        self.tokens = tokens
        self._closing, self.heights = _brackets(tokens)  # by the place where a bracket opens
        self._remarks: dict[int, bool] = {}
        self._names: set[str] = set()

    def add_name(self, key: str) -> None:
        """Record a name in words."""
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

    def skip_unit(self, at: int, end: int) -> int:
        """Return the place after the words of a unit, if an operator or the end of the clause follows them."""
        stop = self._unit_stop(at, end)
        return at if stop == at else self._after_unit(at, stop, end)

    def unit(self, at: int, end: int) -> tuple[str, int]:
        """Return the words of a unit, and the place after them as `skip_unit` does."""
        stop = self._unit_stop(at, end)
        if stop == at:
            return "", at
        words = " ".join(token.text for token in self.tokens[at:stop] if token.sort is Sort.WORD)
        return words[:40], self._after_unit(at, stop, end)

    def _unit_stop(self, start: int, end: int) -> int:
        if start >= end or self.tokens[start].sort is not Sort.WORD:
            return start  # a unit begins with a word
        at = start
        while at < end and self._in_unit(at, end, start):
            at += 1
        return at

    def _after_unit(self, start: int, at: int, end: int) -> int:
        if at >= end:
            return at
        token = self.tokens[at]
        if token.text in ("(", "["):
            close = self.closing(at, end)
            return at if close is not None and self.is_remark(at, close) else start
        return at if token.sort in (Sort.EQUALS, Sort.COMPARISON, Sort.OPERATOR) else start

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
        if token.text != "." or token.sort is not Sort.STOP:
            return False
        return start < at < end - 1 and self.tokens[at + 1].sort is Sort.OPERATOR

    def is_unit(self, at: int, end: int) -> bool:
        """Decide whether words after a stroke are a unit, as in $0.60/lb."""
        if at >= end or self.tokens[at].sort is not Sort.WORD:
            return False
        before = self.tokens[at - 2] if at >= 2 else None
        if before is None or before.sort not in (Sort.NUMBER, Sort.WORD):
            return False
        if before.value == 1 or self.tokens[at].text[-1:].isdigit():
            word = self.tokens[at].text
            return word in UNITS or singular(word) in COUNTED  # 1/rate divides
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
        """Decide whether a bracket is a remark, no factor: words without arithmetic, or the number of an equation."""
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
    """Return the closing place and the inner depth of each bracket by its opening place; none spans sentences."""
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
    """Return a key for a name in words, equal for small differences of wording; empty if the words name nothing.

    >>> phrase_key("so the cost of the adult tickets is".split()) == phrase_key("cost of adult ticket".split())
    True
    """
    return " ".join([singular(word) for word in words if word not in STOP_WORDS])


MAX_DEPTH = 20  # bracket depth
MAX_OPERANDS = 60  # operands per expression
MAX_PHRASE = 14  # tokens in the name of a quantity
# What may follow an operand as a factor without a sign, other than a bracket.
_GOING_ON = frozenset((Sort.NUMBER, Sort.NAME))
_RANKED = re.compile(r"q[1-9]\d{0,2}")


class Unreadable(Exception):
    """No expression begins here."""


class LeadsIn(Unreadable):
    """Words lead in to an expression here, and so do they without the first of them."""


class Parsed(NamedTuple):
    """An expression that was read."""

    node: Node
    after: int  # the place after it
    literals: list[Literal]  # its numbers; they belong to the text only once the caller keeps them


class Parser:
    """Parses expressions in the tokens of a text, where q1, q2, … up to `ranks` stand for numbers of the problem."""

    def __init__(self, tokens: list[Token], ranks: int = 0) -> None:
        self.tokens = tokens
        self.ranks = ranks
        self._first = 0
        self._literals: list[Literal] = []
        self._operands = MAX_OPERANDS
        self.words = Wording(tokens)

    def expression(self, at: int, end: int, first: int) -> Parsed:
        """Return the longest expression from `at` on, or raise `Unreadable`; its literals count from `first`."""
        self._first, self._literals = first, []
        self._operands = MAX_OPERANDS
        node, after = self._sum(at, end, MAX_DEPTH)
        return Parsed(node, after, self._literals)

    def _add(self, literal: Literal) -> Node:
        self._literals.append(literal)
        return ("number", self._first + len(self._literals) - 1)

    def _sum(self, at: int, end: int, depth: int) -> tuple[Node, int]:
        if not depth:
            raise Unreadable
        node, at = self._term(at, end, depth)
        while at < end:
            token = self.tokens[at]
            if token.sort is not Sort.OPERATOR or token.text not in "+-±":
                break
            try:
                right, after = self._term(at + 1, end, depth)
            except Unreadable:
                break
            node = ("-" if token.text == "-" else "+", node, right)
            at = after
        return node, at

    def _term(self, at: int, end: int, depth: int) -> tuple[Node, int]:
        minus = 0
        while (token := self._token(at, end)).sort is Sort.OPERATOR and token.text in "+-":
            after = self.tokens[at + 1] if at + 1 < end else None
            if token.text == "-" and after is not None and after.sort is Sort.NUMBER and after.glued:
                break  # the sign belongs to the number
            self._spend()
            minus += token.text == "-"
            at += 1
        node, at = self._factor(at, end, depth, signed=True)
        node, at = self._products(node, at, end, depth)
        for _ in range(minus):
            node = ("neg", node)
        return node, at

    def _products(self, node: Node, at: int, end: int, depth: int) -> tuple[Node, int]:
        while at < end:
            token = self.tokens[at]
            if token[0] not in _GOING_ON and token[1] not in ("*", "/", "(", "[", "of"):
                break
            if token.sort is Sort.OPERATOR and token.text in "*/":
                if token.text == "/" and self._may_have_unit(node) and self.words.is_unit(at + 1, end):
                    at = self.words.skip_words(at + 1, end)
                    continue
                try:
                    right, after = self._factor(at + 1, end, depth, signed=True)
                except Unreadable:
                    break
                # 1/2x is half of x; 12/(2x) is written with a bracket; 3/4x is three quarters of x.
                node = (token.text, node, right)
                at = after
            elif (
                token.sort is Sort.WORD
                and token.text == "of"
                and self._is_share(node)
                and self._is_operand(at + 1, end)
            ):
                try:
                    right, after = self._factor(at + 1, end, depth)
                except Unreadable:
                    break
                node = ("*", node, right)
                at = after
            elif (after_remark := self._after_remark(at, end)) is not None:
                at = after_remark
            elif self._multiplies(at, end):
                try:
                    right, after = self._factor(at, end, depth)
                except Unreadable:
                    break
                node = ("*", node, right)
                at = after
            else:
                break
        return node, at

    def _after_remark(self, at: int, end: int) -> int | None:
        """Return the place after a remark in brackets with which a calculation does not end: 1 (the job) / r."""
        if self.tokens[at].text not in ("(", "["):
            return None
        close = self.words.closing(at, end)
        if close is None or close + 1 >= end or not self.words.is_remark(at, close):
            return None
        after = self.tokens[close + 1]
        return close + 1 if after.sort is Sort.OPERATOR and after.text in "+-*/" else None

    def _is_operand(self, at: int, end: int) -> bool:
        """Decide whether a number, a name or a bracket stands at a place."""
        if at >= end:
            return False
        token = self.tokens[at]
        return token.sort in (Sort.NUMBER, Sort.NAME, Sort.CURRENCY) or token.text in ("(", "[")

    def _is_share(self, node: Node) -> bool:
        """Decide whether what stands before "of" is a share: a percentage or a fraction."""
        if node[0] == "number":
            literal: Literal = self._literals[node[1] - self._first]
            return literal.percent or literal.value < 1
        return bool(node[0] == "/" and node[2][0] == "number" and node[1][0] in ("number", "name"))

    def _multiplies(self, at: int, end: int) -> bool:
        """Decide whether what follows an operand is a factor without a sign."""
        token, before = self.tokens[at], self.tokens[at - 1]
        if token.text in ("(", "["):
            close = self.words.closing(at, end)
            if before.sort is Sort.WORD:
                return False  # the words lead in, or the bracket is a remark
            return close is not None and not self.words.is_remark(at, close)
        if token.sort is Sort.NAME:
            if before.sort in (Sort.NUMBER, Sort.PERCENT) or self._is_ranked(before):
                return token.glued or not token.line
            if before.text in (")", "]") and not token.line and self.tokens[at - 3].text not in ("(", "["):
                return True  # (1/3) x, but not (2) x, which may be the second equation
            return (before.text in (")", "]") or before.sort is Sort.NAME) and token.glued
        if token.sort is Sort.NUMBER and before.text in (")", "]"):
            # (1/2) 278 is a product; (2) 278 may be the second equation.
            return token.glued or (not token.line and self.tokens[at - 3].text == "/")
        return False

    def _is_ranked(self, token: Token) -> bool:
        """Decide whether a name is a number of the text, written as q3."""
        text = token.text
        return text[:1] == "q" and _RANKED.fullmatch(text) is not None and int(text[1:]) <= self.ranks

    def _factor(self, at: int, end: int, depth: int, signed: bool = False) -> tuple[Node, int]:
        token = self._token(at, end)
        if signed and token.text == "-":
            glued = at + 1 < end and self.tokens[at + 1].glued
            node, at = self._factor(at + 1, end, depth)
            if node[0] == "number" and glued:
                place = node[1] - self._first
                self._literals[place] = _negative(self._literals[place])
                return node, at
            return ("neg", node), at
        node, at = self._atom(at, end, depth)
        if at + 1 < end and self.tokens[at].text == "^":
            power = self.tokens[at + 1].value
            if power is None or power.denominator != 1 or power > 4:
                raise Unreadable
            return ("^", node, int(power)), at + 2
        return node, at

    def _atom(self, at: int, end: int, depth: int) -> tuple[Node, int]:
        token = self._token(at, end)
        self._spend()
        if token.sort is Sort.CURRENCY:
            at += 1
            token = self._token(at, end)
            if token.sort not in (Sort.NUMBER, Sort.NAME) and token.text not in ("(", "["):
                raise Unreadable
        if token.sort is Sort.NUMBER:
            return self._number(at, end)
        if token.sort is Sort.NAME:
            if self._is_ranked(token):
                rank = int(token.text[1:])
                ranked = self._add(Literal(Fraction(0), token.start, token.end, token.text, rank=rank))
                return ranked, self.words.skip_unit(at + 1, end)
            if at + 1 < end and self.tokens[at + 1].sort is Sort.PERCENT:
                hundred = self._add(Literal(Fraction(100), token.end, token.end, "100"))
                return ("/", ("name", token.text), hundred), at + 2
            return ("name", token.text), self.words.skip_unit(at + 1, end)
        if token.text in ("(", "["):
            close = self.words.closing(at, end)
            if close is None or self.words.heights[at] >= depth - 1:
                raise Unreadable
            node, inner = self._sum(at + 1, close, depth - 1)
            if inner != close and any(
                self.tokens[place].sort not in (Sort.WORD, Sort.COMMA, Sort.CURRENCY) for place in range(inner, close)
            ):
                raise Unreadable
            return node, self.words.skip_unit(close + 1, end)
        if token.sort is Sort.WORD:
            return self._phrase(at, end)
        raise Unreadable

    def _number(self, at: int, end: int) -> tuple[Node, int]:
        token = self.tokens[at]
        value = token.value or Fraction(0)
        mixed = self._mixed(at, end, value)
        if mixed is not None:
            return mixed
        below = self.tokens[at + 2] if at + 2 < end and self.tokens[at + 1].text == "/" else None
        after: Token | None
        if (
            below is not None and below.sort is Sort.NUMBER and below.value and value < below.value
            and value.denominator == below.value.denominator == 1
            and not (at and self.tokens[at - 1].text in ("/", "^"))
            and not (at + 3 < end and self.tokens[at + 3].text in ("^", "%"))
        ):  # fmt: skip
            parts, text = (value, below.value), f"{token.text}/{below.text}"
            at += 3
            after = self.tokens[at] if at < end else None
            if after and after.sort is Sort.WORD and after.glued and after.text in ("th", "ths", "rd", "nd", "st"):
                at += 1
            unit, at = self.words.unit(at, end)
            return self._add(Literal(value / below.value, token.start, below.end, text, unit=unit, parts=parts)), at
        at += 1
        after = self.tokens[at] if at < end else None
        if after and (after.sort is Sort.PERCENT or after.text in ("percent", "percentage")):
            return self._add(Literal(value, token.start, token.end, token.text, percent=True)), at + 1
        if after and after.sort is Sort.CURRENCY and after.glued and not self._is_operand(at + 1, end):
            at += 1  # 5$
        unit, at = self.words.unit(at, end)
        return self._add(Literal(value, token.start, token.end, token.text, unit=unit)), at

    def _mixed(self, at: int, end: int, whole: Fraction) -> tuple[Node, int] | None:
        """Return a mixed number, as 2 1/3 or x = 2 and 1/3, and the place after it; None if there is none."""
        first = at + 1
        if first < end and self.tokens[first].text == "and" and at and self.tokens[at - 1].sort is Sort.EQUALS:
            first += 1
        if first >= end or self.tokens[first].sort is not Sort.NUMBER:
            return None
        token = self.tokens[at]
        rest = self.tokens[first : min(first + 3, end)]
        if (
            len(rest) < 3 or whole.denominator != 1 or "." in token.text
            or rest[0].glued or rest[1].text != "/" or rest[2].sort is not Sort.NUMBER
            or not rest[0].value or not rest[2].value or rest[0].value >= rest[2].value
        ):  # fmt: skip
            return None
        value, text = whole + rest[0].value / rest[2].value, f"{token.text} {rest[0].text}/{rest[2].text}"
        unit, after = self.words.unit(first + 3, end)
        return self._add(Literal(value, token.start, rest[2].end, text, unit=unit)), after

    def _phrase(self, at: int, end: int) -> tuple[Node, int]:
        """Return a run of words as the name of a quantity, if an operator or the end of the side follows."""
        start = at
        words: list[str] = []
        while at < end and at - start <= MAX_PHRASE:
            token = self.tokens[at]
            if token.sort is Sort.WORD:
                words.append(token.text)
                at += 1
            elif token.sort in (Sort.NUMBER, Sort.NAME, Sort.CURRENCY) and (
                stop := self.words.amount_in_name(at, end, start)
            ):
                words += [part.text for part in self.tokens[at:stop] if part.sort is not Sort.CURRENCY]
                at = stop
            elif token.text == "(" and (close := self.words.closing(at, end)) and self.words.is_remark(at, close):
                at = close + 1
            else:
                break
        key = phrase_key(words)
        if not key or at - start > MAX_PHRASE:
            raise Unreadable
        if self._is_operand(at, end):
            raise LeadsIn
        self.words.add_name(key)
        return ("name", key), at

    def _may_have_unit(self, node: Node) -> bool:
        """Decide whether an expression is a number, or ends in one, to which a unit may belong: 40 * $0.05."""
        return bool(node[0] == "number" or (node[0] == "*" and node[2][0] == "number"))

    def _spend(self) -> None:
        """Count an operand, or a sign before one."""
        self._operands -= 1
        if self._operands < 0:
            raise Unreadable

    def _token(self, at: int, end: int) -> Token:
        if at >= end:
            raise Unreadable
        return self.tokens[at]


def _negative(literal: Literal) -> Literal:
    """Return a number with the minus sign that stands before it."""
    parts = None if literal.parts is None else (-literal.parts[0], literal.parts[1])
    return replace(literal, value=-literal.value, text=f"-{literal.text}", parts=parts)


# Sides of equations in the notation of `algebra`, with a sign for every product: 8% is (0.01*8), and 4 2/3 is (4+2/3).


# A number written in an equation; of a quotient of two numbers its value, the number above and the number below.
WrittenNumber = tuple[Fraction, ...]
Written = tuple[str, int]  # a string, and how tightly it binds

SUM, PRODUCT, POWER, ATOM = range(4)


def write_side(node: Node, literals: Sequence[Literal], name: Callable[[str], str] = str) -> str:
    """Return one side in the notation of `algebra`."""
    return write_node(node, lambda index: _number(literals[index]), name)[0]


def write_node(node: Node, number: Callable[[int], Written], name: Callable[[str], str]) -> Written:
    """Return an expression with the brackets that it needs."""
    kind = node[0]
    if kind == "number":
        return number(node[1])
    if kind == "name":
        return name(node[1]), ATOM
    if kind == "neg":
        return f"-{parenthesize(write_node(node[1], number, name), PRODUCT)}", SUM
    if kind == "^":
        return f"{parenthesize(write_node(node[1], number, name), ATOM)}^{node[2]}", POWER
    return binary(write_node(node[1], number, name), kind, write_node(node[2], number, name))


def binary(left: Written, sign: str, right: Written) -> Written:
    """Return two expressions with a sign between them."""
    if sign in "+-":
        text = parenthesize(right, PRODUCT)
        return f"{parenthesize(left, SUM)} {sign} {f'({text})' if text.startswith('-') else text}", SUM
    return f"{parenthesize(left, PRODUCT)}{sign}{parenthesize(right, POWER)}", PRODUCT


def parenthesize(written: Written, tightness: int) -> str:
    """Return an expression in brackets, unless it binds at least this tightly."""
    text, own = written
    return text if own >= tightness else f"({text})"


def _number(literal: Literal) -> Written:
    text = literal.text.removeprefix("-")
    sign = "-" if text != literal.text else ""
    tightness = ATOM
    if literal.percent:
        text = f"(0.01*{text})"
    elif " " in text:
        text = f"({text.replace(' ', '+')})"
    elif literal.parts is not None:
        tightness = PRODUCT
    elif not _is_written(abs(literal.value), text):
        text = str(abs(literal.value))  # 2 million
    return (f"-{text}", min(tightness, PRODUCT)) if sign else (text, tightness)


def _is_written(value: Fraction, text: str) -> bool:
    """Decide whether digits have a value, in integers because reading a fraction costs far more."""
    whole, _, decimals = text.replace(",", "").partition(".")
    scale: int = 10 ** len(decimals)
    return int(whole + decimals) * value.denominator == value.numerator * scale


def numbers_of(node: Node, literals: Sequence[Literal]) -> tuple[WrittenNumber, ...]:
    """Return the numbers of a side in their order, without their signs.

    >>> half = Literal(Fraction(1, 2), 0, 3, "1/2", parts=(Fraction(1), Fraction(2)))
    >>> numbers_of(("*", ("number", 0), ("name", "x")), [half])
    ((Fraction(1, 2), Fraction(1, 1), Fraction(2, 1)),)
    """
    if node[0] == "name":
        return ()
    if node[0] == "number":
        literal = literals[node[1]]
        return (tuple([-n if n.numerator < 0 else n for n in (literal.value, *(literal.parts or ()))]),)
    parts = [numbers_of(part, literals) for part in node[1:] if isinstance(part, tuple)]
    if node[0] == "/" and node[2][0] == "number" and _ends_in_number(node[1]):
        above, below = parts[0][-1][-1], parts[1][0][0]
        if below:
            return (*parts[0][:-1], (above / below, above, below))
    return tuple(number for part in parts for number in part)


def _ends_in_number(node: Node) -> bool:
    while node[0] in ("*", "/", "neg"):
        node = node[-1]
    return bool(node[0] == "number")
