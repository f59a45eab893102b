"""The grammar of equations: which texts are systems of equations, and how they are taken apart.

A system is one or more equations separated by ``;`` or line ends; an equation is ``sum = sum``::

    sum      a product, then any number of + product, - product
    product  a factor, then any number of * factor, / factor, or a name or bracket standing right behind
    factor   signs, then a primary, then optionally ^ or ** and a whole number
    primary  a number, a name, ( sum ) or [ sum ]

Products and quotients have one precedence and associate to the left, written or implicit: ``1/2x`` is half of
x. Numbers may be written ``5``, ``.01``, ``1,000`` or ``2e3``; ``2e`` is the product of 2 and a name.

Reading is in two steps, so that the second can be remembered. `scan` cuts the text into tokens and numbers the
names, slots and unknowns apart, by first appearance: systems that differ only in their names give the same tokens.
`Reader` walks the tokens of an equation by recursive descent and calls an *algebra* for each operation; what comes
out depends on the algebra (exact linear forms in `expression`, LaTeX and sympy objects in `rendering`). Nothing of
the text is ever evaluated by Python.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, NamedTuple, Protocol, TypeVar

from draw_dataset.core.limits import MAX_CHARACTERS, MAX_DEPTH, MAX_DIGITS, MAX_EXPONENT, MAX_NAMES
from draw_dataset.errors import LimitError, ReadError

Token = str | int
"""A sign or number as text, or a name by its number: slot i is 2i, unknown j is 2j + 1."""

Value = TypeVar("Value")

_TOKEN = re.compile(
    r"(?:[0-9]{1,3}(?:,[0-9]{3})+(?![0-9])|[0-9]+)(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?"  # 5  1,000  2.5  2e3
    r"|\.[0-9]+(?:[eE][+-]?[0-9]+)?"  # .01
    r"|[^\W0-9]\w*"  # a name
    r"|\*\*|\n|\S"
)

_SIGNS: Mapping[str, Token] = {sign: sign for sign in "+-*/^()[]=;"} | {
    "−": "-", "–": "-", "×": "*", "·": "*", "⋅": "*", "∙": "*", "÷": "/", "∕": "/", "**": "^", "\n": ";",
}  # fmt: skip
_CLOSING = {"(": ")", "[": "]"}
_DIGITS = frozenset("0123456789.")
_END = ""


class NamePolicy(Protocol):
    """Says which names are unknowns and which are slots."""

    def is_unknown(self, name: str) -> bool | None:
        """Say of a name whether it is an unknown (True), a slot (False) or neither (None)."""

    def expected(self) -> str:
        """Describe the names for an error message."""


@dataclass(frozen=True, slots=True)
class Names:
    """A policy by sets: with both, a name in neither is an error; with one, every other name is of the other kind."""

    unknowns: frozenset[str] | None = None
    slots: frozenset[str] | None = None

    def is_unknown(self, name: str) -> bool | None:
        """Say of a name whether it is an unknown (True), a slot (False) or neither (None)."""
        if self.unknowns is not None and name in self.unknowns:
            return True
        if self.slots is not None:
            if name in self.slots:
                return False
            return None if self.unknowns is not None else True
        return False

    def expected(self) -> str:
        """Describe the names for an error message."""
        unknowns = ", ".join(sorted(self.unknowns or ())) or "none"
        slots = ", ".join(sorted(self.slots or ())) or "none"
        return f"one of the unknowns ({unknowns}) or slots ({slots})"


EVERY_NAME_UNKNOWN = Names(slots=frozenset())


class Source(NamedTuple):
    """A scanned system: its text, its tokens, and the names behind the numbers in them."""

    text: str
    tokens: tuple[Token, ...]
    slots: tuple[str, ...]
    unknowns: tuple[str, ...]

    def name(self, token: int) -> str:
        """Return the name that a numbered token stands for."""
        return (self.unknowns if token & 1 else self.slots)[token >> 1]


class TokenError(Exception):
    """An error at a token, raised while reading; `at_token` turns it into a `ReadError` with its place."""

    def __init__(self, index: int, expected: str, kind: type[ReadError] = ReadError, got: str = "") -> None:
        super().__init__(index, expected)
        self.index = index
        self.expected = expected
        self.kind = kind
        self.got = got


def scan(text: str, names: NamePolicy) -> Source:
    """Cut a text into tokens and number its names by first appearance."""
    if len(text) > MAX_CHARACTERS:
        raise LimitError(f"expected at most {MAX_CHARACTERS} characters of equations, but got {len(text)}")
    words = _TOKEN.findall(text)
    table = dict(_SIGNS)
    slots: list[str] = []
    unknowns: list[str] = []
    long_names = False
    for word in dict.fromkeys(words):  # each word once, by first appearance
        if word in table:
            continue
        if not word.isidentifier():
            table[word] = word
            continue
        unknown = names.is_unknown(word)
        if unknown is None:
            raise at_token(text, TokenError(words.index(word), names.expected()))
        group = unknowns if unknown else slots
        if len(group) == MAX_NAMES:
            kind = "unknowns" if unknown else "slots"
            raise LimitError(f"expected at most {MAX_NAMES} different {kind}, but got more")
        table[word] = 2 * len(group) + unknown
        group.append(word)
        long_names |= len(word) > 1
    if long_names:
        _check_long_names(text, words)
    return Source(text, tuple([table[word] for word in words]), tuple(slots), tuple(unknowns))


def split_equations(tokens: tuple[Token, ...]) -> list[tuple[int, tuple[Token, ...]]]:
    """Return the equations of a system: where each begins, and its tokens; blank ones are passed over.

    Raises:
        TokenError: there is none.
    """
    found = []
    start = 0
    while start <= len(tokens):
        try:
            end = tokens.index(";", start)
        except ValueError:
            end = len(tokens)
        if end > start:
            found.append((start, tokens[start:end]))
        start = end + 1
    if not found:
        raise TokenError(len(tokens), "an equation")
    return found


def _check_long_names(text: str, words: list[str]) -> None:
    """Refuse to multiply a word by what stands behind it: that is prose or a function, not a product."""
    for index in range(1, len(words)):
        left, right = words[index - 1], words[index]
        if left.isidentifier() and (right in _CLOSING or right.isidentifier()):
            word = next((w for w in (left, right) if w.isidentifier() and not _is_short(w)), None)
            if word is not None:
                raise at_token(text, TokenError(index, f"an operator between {left[:40]!r} and what follows"))


def _is_short(name: str) -> bool:
    """Say whether a name is one letter with an optional number, as in x, x1, q12."""
    return len(name) == 1 or name[1:].lstrip("_").isdigit()


def at_token(text: str, error: TokenError) -> ReadError:
    """Return the error with the equation and column of its token."""
    equation, line_start, end = 1, 0, len(text)
    got = "the end"
    column_at = end
    blank = True
    for index, match in enumerate(_TOKEN.finditer(text)):
        word = match.group()
        if index == error.index:
            column_at = match.start()
            got = "the end of the equation" if word in ";\n" else repr(word[:40])
            break
        if word in ";\n":
            equation += not blank
            blank = True
            line_start = match.end()
        else:
            blank = False
    where = f"equation {equation}, column {column_at - line_start + 1}"
    return error.kind(where, error.expected, error.got or got)


class Algebra(Protocol[Value]):
    """What can be made of the operations of an expression."""

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
    """Walks the tokens of one equation and hands every operation to an algebra."""

    __slots__ = ("_algebra", "_depth", "_position", "_tokens")

    def __init__(self, tokens: Sequence[Token], algebra: Algebra[Value]) -> None:
        self._tokens = [*tokens, _END]
        self._algebra = algebra
        self._position = 0
        self._depth = 0

    @property
    def position(self) -> int:
        """Where the reader stands, for errors of the algebra."""
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
            expected = "one '=' an equation" if tokens[self._position] == "=" else "an operator or the end"
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
        if token in _CLOSING:
            return self._bracket(_CLOSING[token])
        if token[:1] in _DIGITS and token != ".":
            return self._algebra.number(token)
        self._position = at
        raise TokenError(at, "a number, a name or '('")

    def _bracket(self, closing: str) -> Value:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise LimitError(f"expected at most {MAX_DEPTH} brackets inside each other, but got more")
        value = self._sum()
        if self._tokens[self._position] != closing:
            raise TokenError(self._position, f"an operator or the {closing!r} of a bracket opened before")
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
                raise TokenError(self._position, "the ')' behind a whole number as exponent")
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


def join_equations(equations: str | Sequence[str]) -> str:
    """Return a system given as one text or as a list of equations as one text.

    Raises:
        ReadError: something in the list is not a text, or is empty; or there is nothing at all.
    """
    if isinstance(equations, str):
        return equations
    if not isinstance(equations, (list, tuple)) and not isinstance(equations, Sequence):
        raise ReadError("equations", "a text or a list of texts", f"{equations!r:.60}")
    for number, equation in enumerate(equations, 1):
        if not isinstance(equation, str):
            raise ReadError(f"equation {number}", "a text", f"{equation!r:.60}")
        if not equation.strip():
            raise ReadError(f"equation {number}", "an equation", "an empty text")
    return ";".join(equations)


def write(source: Source, names: Callable[[int], str]) -> str:
    """Write a system in one plain form: spaces around + - =, every product with its sign.

    Args:
        source: the scanned system.
        names: gives the text for each numbered name, so that slots can be written as the numbers they hold.
    """
    written: list[str] = []
    operand = False  # whether an operand has just ended
    for token in source.tokens:
        if isinstance(token, int) or token in _CLOSING or token[:1] in _DIGITS:
            if operand:
                written.append("*")
            written.append(names(token) if isinstance(token, int) else str(token))
            operand = token not in _CLOSING
        elif token == ";":
            written.append("; ")
            operand = False
        elif operand and token in ("+", "-", "="):
            written.append(f" {token} ")
            operand = False
        else:
            written.append(str(token))
            operand = token in (")", "]")
    return "".join(written).removesuffix("; ")
