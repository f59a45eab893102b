"""Expressions: one side of an equation in prose, with its numbers and names and how they are combined.

An operand is a number with or without percent sign, a name, a bracket, or a run of words that names a quantity ("time
walking"). Words after a number are its unit and are kept with it. Words before an expression lead in and are left out;
words after it end it. A bracket with words and no arithmetic is a remark.
"""

from __future__ import annotations

import re
from fractions import Fraction

from draw_dataset.core.quantities import Literal, Node
from draw_dataset.prose.tokens import Sort, Token
from draw_dataset.prose.wording import Wording, phrase_key

MAX_DEPTH = 20
"""How deep brackets may be nested."""

MAX_OPERANDS = 60
"""How many operands one expression may have."""

MAX_PHRASE = 14
"""How many tokens a run of words may have that names a quantity."""

_GOING_ON = frozenset((Sort.NUMBER, Sort.NAME))
"""What may follow an operand as a factor without a sign, other than a bracket."""

_RANKED = re.compile(r"q[1-9]\d{0,2}")


class Unreadable(Exception):
    """No expression begins here."""


class LeadsIn(Unreadable):
    """Words stand here that lead in to an expression. The same words without the first of them do so too."""


class Parser:
    """Reads expressions from tokens; the literals it meets are collected.

    Args:
        tokens: the tokens of the whole text.
        literals: where literals are put.
        ranks: how many numbers the text has that may be written as q1, q2, …
    """

    def __init__(self, tokens: list[Token], literals: list[Literal], ranks: int = 0) -> None:
        self.tokens = tokens
        self.literals = literals
        self.ranks = ranks
        self._operands = MAX_OPERANDS
        self.words = Wording(tokens)

    def expression(self, at: int, end: int) -> tuple[Node, int]:
        """Return the longest expression from a place on, and the place after it.

        Raises:
            Unreadable: no expression begins there.
        """
        self._operands = MAX_OPERANDS
        return self._sum(at, end, MAX_DEPTH)

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
            elif token.sort is Sort.WORD and token.text == "of" and self._is_share(node) and self._operand(at + 1, end):
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

    def _operand(self, at: int, end: int) -> bool:
        """Say whether a number, a name or a bracket stands at a place."""
        if at >= end:
            return False
        token = self.tokens[at]
        return token.sort in (Sort.NUMBER, Sort.NAME, Sort.CURRENCY) or token.text in ("(", "[")

    def _is_share(self, node: Node) -> bool:
        """Say whether what stands before "of" is a share: a percentage or a fraction."""
        if node[0] == "number":
            literal = self.literals[node[1]]
            return literal.percent or literal.value < 1
        return bool(node[0] == "/" and node[2][0] == "number" and node[1][0] in ("number", "name"))

    def _multiplies(self, at: int, end: int) -> bool:
        """Say whether what follows an operand is a factor without a sign."""
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
        """Say whether a name is a number of the text, written as q3."""
        text = token.text
        return text[:1] == "q" and _RANKED.fullmatch(text) is not None and int(text[1:]) <= self.ranks

    def _factor(self, at: int, end: int, depth: int, signed: bool = False) -> tuple[Node, int]:
        token = self._token(at, end)
        if signed and token.text == "-":
            glued = at + 1 < end and self.tokens[at + 1].glued
            node, at = self._factor(at + 1, end, depth)
            if node[0] == "number" and glued:
                literal = self.literals[node[1]]
                literal.value, literal.text = -literal.value, f"-{literal.text}"
                if literal.parts is not None:
                    literal.parts = -literal.parts[0], literal.parts[1]
                return node, at
            return ("neg", node), at
        node, at = self._atom(at, end, depth)
        if at + 1 < end and self.tokens[at].text == "^":
            power = self.tokens[at + 1]
            if (
                power.sort is Sort.NUMBER
                and power.value is not None
                and power.value.denominator == 1
                and power.value <= 4
            ):
                return ("^", node, int(power.value)), at + 2
            raise Unreadable
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
                self.literals.append(Literal(Fraction(0), token.start, token.end, token.text, rank=rank))
                return ("number", len(self.literals) - 1), self.words.skip_unit(at + 1, end)
            if at + 1 < end and self.tokens[at + 1].sort is Sort.PERCENT:
                self.literals.append(Literal(Fraction(100), token.end, token.end, "100"))
                return ("/", ("name", token.text), ("number", len(self.literals) - 1)), at + 2
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
        index = len(self.literals)
        literal = Literal(value, token.start, token.end, token.text)
        self.literals.append(literal)
        after = self._mixed(at, end, literal)
        if after:
            return ("number", index), self.words.skip_unit(after, end, literal)
        below = self.tokens[at + 2] if at + 2 < end and self.tokens[at + 1].text == "/" else None
        if (
            below is not None and below.sort is Sort.NUMBER and below.value and value < below.value
            and value.denominator == below.value.denominator == 1
            and not (at and self.tokens[at - 1].text in ("/", "^"))
            and not (at + 3 < end and self.tokens[at + 3].text in ("^", "%"))
        ):  # fmt: skip
            literal.parts = value, below.value
            literal.value = value / below.value
            literal.end, literal.text = below.end, f"{token.text}/{below.text}"
            at += 3
            if (
                at < end
                and self.tokens[at].sort is Sort.WORD
                and self.tokens[at].glued
                and self.tokens[at].text in ("th", "ths", "rd", "nd", "st")
            ):
                at += 1
            return ("number", index), self.words.skip_unit(at, end, literal)
        at += 1
        if at < end and (self.tokens[at].sort is Sort.PERCENT or self.tokens[at].text in ("percent", "percentage")):
            literal.percent = True
            return ("number", index), at + 1
        if (
            at < end
            and self.tokens[at].sort is Sort.CURRENCY
            and self.tokens[at].glued
            and not self._operand(at + 1, end)
        ):
            at += 1  # 5$
        return ("number", index), self.words.skip_unit(at, end, literal)

    def _mixed(self, at: int, end: int, literal: Literal) -> int:
        """Read a mixed number, as 2 1/3 or x = 2 and 1/3, into its literal; return the place after it, else 0."""
        first = at + 1
        if first < end and self.tokens[first].text == "and" and at and self.tokens[at - 1].sort is Sort.EQUALS:
            first += 1
        if first >= end or self.tokens[first].sort is not Sort.NUMBER:
            return 0
        rest = self.tokens[first : min(first + 3, end)]
        if (
            len(rest) < 3 or literal.value.denominator != 1 or "." in literal.text
            or rest[0].glued or rest[1].text != "/" or rest[2].sort is not Sort.NUMBER
            or not rest[0].value or not rest[2].value or rest[0].value >= rest[2].value
        ):  # fmt: skip
            return 0
        literal.value += rest[0].value / rest[2].value
        literal.end = rest[2].end
        literal.text = f"{literal.text} {rest[0].text}/{rest[2].text}"
        return first + 3

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
            elif (
                token.text == "("
                and (close := self.words.closing(at, end)) is not None
                and self.words.is_remark(at, close)
            ):
                at = close + 1
            else:
                break
        key = phrase_key(words)
        if not key or at - start > MAX_PHRASE:
            raise Unreadable
        if at < end and (
            self.tokens[at].sort in (Sort.NUMBER, Sort.NAME, Sort.CURRENCY) or self.tokens[at].text in "(["
        ):
            raise LeadsIn
        self.words.names(key)
        return ("name", key), at

    def _may_have_unit(self, node: Node) -> bool:
        """Say whether an expression is a number, or ends in one, to which a unit may belong: 40 * $0.05."""
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
