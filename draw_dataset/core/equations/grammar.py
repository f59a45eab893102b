"""The grammar of equations: which texts are systems of equations, and how they are taken apart.

A system is one or more equations separated by ``;`` or line ends; an equation is ``sum = sum``::

    sum      a product, then any number of + product, - product
    product  a factor, then any number of * factor, / factor, or a name or bracket standing right after
    factor   signs, then a primary, then optionally ^ or ** and a whole number
    primary  a number, a name, ( sum ) or [ sum ]

Products and quotients have one precedence and associate to the left, written or implicit: ``1/2x`` is half of
x. Numbers may be written ``5``, ``.01``, ``1,000`` or ``2e3``; ``2e`` is the product of 2 and a name.

Reading is in two steps, so that the second can be remembered. `scan` cuts the text into tokens and numbers the
names, slots and unknowns apart, by first appearance: systems that differ only in their names give the same tokens.
`Reader` walks the tokens of an equation by recursive descent and calls an *algebra* for each operation; what comes
out depends on the algebra (exact linear forms in `system`, LaTeX and sympy objects in `notation`). Nothing of
the text is ever evaluated by Python.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic, Protocol, TypeVar

from draw_dataset.core.equations.tokens import CLOSING, DIGITS, Token, TokenError
from draw_dataset.core.limits import MAX_DEPTH, MAX_DIGITS, MAX_EXPONENT
from draw_dataset.errors import LimitError

Value = TypeVar("Value")

_END = ""


class Algebra(Protocol[Value]):
    """What the operations of an expression are computed with."""

    def number(self, literal: str) -> Value: ...  # noqa: D102
    def name(self, token: int) -> Value: ...  # noqa: D102
    def add(self, left: Value, right: Value) -> Value: ...  # noqa: D102
    def subtract(self, left: Value, right: Value) -> Value: ...  # noqa: D102
    def multiply(self, left: Value, right: Value) -> Value: ...  # noqa: D102
    def divide(self, left: Value, right: Value) -> Value: ...  # noqa: D102
    def negate(self, value: Value) -> Value: ...  # noqa: D102
    def power(self, base: Value, exponent: int) -> Value: ...  # noqa: D102
    def group(self, value: Value) -> Value: ...  # noqa: D102


class Reader(Generic[Value]):
    """Reads the tokens of one equation and calls an algebra for every operation."""

    __slots__ = ("_algebra", "_depth", "_position", "_tokens")

    def __init__(self, tokens: Sequence[Token], algebra: Algebra[Value]) -> None:
        self._tokens = [*tokens, _END]
        self._algebra = algebra
        self._position = 0
        self._depth = 0

    @property
    def position(self) -> int:
        """The current token, for errors of the algebra."""
        return self._position

    def equation(self) -> tuple[Value, Value]:
        """Return both sides."""
        tokens = self._tokens
        left = self._sum()
        if tokens[self._position] != "=":
            raise TokenError(self._position, "an operator or '='")
        self._position += 1
        right = self._sum()
        if tokens[self._position] != _END:
            expected = "one '=' in an equation" if tokens[self._position] == "=" else "an operator or the end"
            raise TokenError(self._position, expected)
        return left, right

    def _sum(self) -> Value:
        tokens, algebra = self._tokens, self._algebra
        value = self._product()
        while True:
            sign = tokens[self._position]
            if sign == "+":
                self._position += 1
                value = algebra.add(value, self._product())
            elif sign == "-":
                self._position += 1
                value = algebra.subtract(value, self._product())
            else:
                return value

    def _product(self) -> Value:
        tokens, algebra = self._tokens, self._algebra
        value = self._factor()
        while True:
            sign = tokens[self._position]
            if sign == "*":
                self._position += 1
                value = algebra.multiply(value, self._factor())
            elif sign == "/":
                self._position += 1
                value = algebra.divide(value, self._factor())
            elif isinstance(sign, int) or sign == "(" or sign == "[":
                value = algebra.multiply(value, self._factor())
            else:
                return value

    def _factor(self) -> Value:
        tokens = self._tokens
        token = tokens[self._position]
        negative = False
        while token == "-" or token == "+":
            negative ^= token == "-"
            self._position += 1
            token = tokens[self._position]
        value = self._primary()
        if tokens[self._position] == "^":
            self._position += 1
            value = self._algebra.power(value, self._exponent())
        return self._algebra.negate(value) if negative else value

    def _primary(self) -> Value:
        tokens = self._tokens
        at = self._position
        token = tokens[at]
        self._position = at + 1
        if isinstance(token, int):
            return self._algebra.name(token)
        if token in CLOSING:
            return self._bracket(CLOSING[token])
        if token[:1] in DIGITS and token != ".":
            return self._algebra.number(token)
        self._position = at
        raise TokenError(at, "a number, a name or '('")

    def _bracket(self, closing: str) -> Value:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise LimitError(f"expected at most {MAX_DEPTH} brackets inside each other, but got more")
        value = self._sum()
        if self._tokens[self._position] != closing:
            raise TokenError(self._position, f"an operator or the {closing!r} that closes a bracket")
        self._position += 1
        self._depth -= 1
        return self._algebra.group(value)

    def _exponent(self) -> int:
        """Return a whole-number exponent; a tower ``2^3^2`` associates to the right."""
        tokens = self._tokens
        at = self._position
        token = tokens[at]
        negative = token == "-"
        if negative or token == "+":
            self._position += 1
            token = tokens[self._position]
        bracketed = token == "("
        if bracketed:
            self._position += 1
            token = tokens[self._position]
            if token == "-" and not negative:
                negative = True
                self._position += 1
                token = tokens[self._position]
        if not (isinstance(token, str) and token.isdecimal() and token.isascii()):
            raise TokenError(self._position, "a whole number as exponent")
        if len(token) > MAX_DIGITS:
            raise LimitError(f"expected an exponent of at most {MAX_EXPONENT}, but got {len(token)} digits")
        exponent = int(token)
        self._position += 1
        if bracketed:
            if tokens[self._position] != ")":
                raise TokenError(self._position, "the ')' after a whole number as exponent")
            self._position += 1
        if tokens[self._position] == "^":
            self._position += 1
            self._depth += 1
            if self._depth > MAX_DEPTH:
                raise LimitError(f"expected at most {MAX_DEPTH} powers inside each other, but got more")
            above = self._exponent()
            self._depth -= 1
            if above < 0:
                raise TokenError(at, "a whole number as exponent")
            exponent = exponent**above if exponent < 2 or above <= MAX_EXPONENT else MAX_EXPONENT + 1
        if exponent > MAX_EXPONENT:
            raise LimitError(f"expected an exponent of at most {MAX_EXPONENT}, but got a larger one")
        return -exponent if negative else exponent
