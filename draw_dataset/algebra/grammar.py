"""Grammar of equations.

A system is one or more equations separated by ``;`` or line ends; an equation is ``sum = sum``::

    sum      a product, then any number of + product, - product
    product  a factor, then any number of * factor, / factor, or a name or bracket standing right after
    factor   signs, then a primary, then optionally ^ or ** and a whole number
    primary  a number, a name, ( sum ) or [ sum ]

Products and quotients have one precedence and associate to the left, written or implicit: ``1/2x`` is half of x.
`Reader` calls an *algebra* for each operation: rational functions, LaTeX or sympy objects. The text is never evaluated
by Python.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from draw_dataset.algebra.limits import MAX_CHARACTERS, MAX_DEPTH, MAX_DIGITS, MAX_EQUATIONS, MAX_EXPONENT, MAX_NAMES
from draw_dataset.algebra.number import read_number
from draw_dataset.errors import LimitError, ReadError, short_repr

# `scan` numbers names by first appearance, slots and unknowns separately. Systems that differ only in their names have
# the same tokens, so everything that is computed for one holds for the other.

Token = str | int  #: a sign or number as a string, or the number of a name: slot i is 2i, unknown j is 2j + 1

_TOKEN = re.compile(
    r"(?:[0-9]{1,3}(?:,[0-9]{3})+(?![0-9])|[0-9]+)(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?"  # 5  1,000  2.5  2e3; 2e is 2*e
    r"|\.[0-9]+(?:[eE][+-]?[0-9]+)?"  # .01
    r"|[^\W0-9]\w*"  # a name
    r"|\*\*|\n|\S"
)

# A product without a sign needs a match of this: a name next to a bracket or to another name.
_NEIGHBOURS = re.compile(r"\w\s*[(\[]|\w\s+[^\W0-9]")

_ALIASES: Mapping[str, Token] = {
    "−": "-", "–": "-", "×": "*", "·": "*", "⋅": "*", "∙": "*", "÷": "/", "∕": "/", "**": "^", "\n": ";",
}  # fmt: skip
"""Other spellings of a sign. Every other sign, and every number, is its own token."""

CLOSING = {"(": ")", "[": "]"}
DIGITS = frozenset("0123456789.")


class NamePolicy(Protocol):
    """Decides which names are unknowns and which are slots."""

    def is_unknown(self, name: str) -> bool | None:
        """Return True for an unknown, False for a slot, None for neither."""

    def expected(self) -> str:
        """Describe the names for an error message."""


@dataclass(frozen=True, slots=True)
class Names:
    """A policy by sets of names; if only one set is given, all other names are of the other kind."""

    unknowns: frozenset[str] | None = None
    slots: frozenset[str] | None = None

    def is_unknown(self, name: str) -> bool | None:
        """Return True for an unknown, False for a slot, None for neither."""
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
    """A scanned system: its text, its tokens, and the names for the numbers in them."""

    text: str
    tokens: tuple[Token, ...]
    slots: tuple[str, ...]
    unknowns: tuple[str, ...]

    def name(self, token: int) -> str:
        """Return the name that a numbered token stands for."""
        return (self.unknowns if token & 1 else self.slots)[token >> 1]


class TokenError(Exception):
    """An error at a token; `at_token` turns it into a `ReadError` that names the place."""

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
    table = dict(_ALIASES)
    slots: list[str] = []
    unknowns: list[str] = []
    long_names = False
    for word in dict.fromkeys(words):
        if word in table or not word.isidentifier():
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
    if long_names and _NEIGHBOURS.search(text):
        _check_long_names(text, words)
    return Source(text, tuple(map(table.get, words, words)), tuple(slots), tuple(unknowns))


def token_spans(text: str) -> list[tuple[int, int]]:
    """Return the offsets of the tokens of a text, in the order of `scan`.

    >>> token_spans("x = 1.5")
    [(0, 1), (2, 3), (4, 7)]
    """
    return [match.span() for match in _TOKEN.finditer(text)]


def split_equations(tokens: tuple[Token, ...]) -> list[tuple[int, tuple[Token, ...]]]:
    """Return the equations of a system: the start of each, and its tokens; blank ones are ignored."""
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
    if len(found) > MAX_EQUATIONS:
        raise LimitError(f"expected at most {MAX_EQUATIONS} equations, but got {len(found)}")
    return found


def _check_long_names(text: str, words: list[str]) -> None:
    """Refuse a word right before an operand: it is prose or a function, not a product."""
    for index in range(1, len(words)):
        left, right = words[index - 1], words[index]
        if left.isidentifier() and (right in CLOSING or right.isidentifier()):
            word = next((w for w in (left, right) if w.isidentifier() and not _is_short(w)), None)
            if word is not None:
                raise at_token(text, TokenError(index, f"an operator between {left[:40]!r} and what follows"))


def _is_short(name: str) -> bool:
    """Decide whether a name is one letter with an optional number, as in x, x1, q12."""
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


def join_equations(equations: str | Sequence[str]) -> str:
    """Return a system as one string, from one string or a list of equations."""
    if isinstance(equations, str):
        return equations
    # The usual types first: asking for an abstract one takes ten times as long.
    if not isinstance(equations, (list, tuple)) and not isinstance(equations, Sequence):
        raise ReadError("equations", "a string or a list of strings", short_repr(equations))
    for number, equation in enumerate(equations, 1):
        if not isinstance(equation, str):
            raise ReadError(f"equation {number}", "a string", short_repr(equation))
        if not equation.strip():
            raise ReadError(f"equation {number}", "an equation", "an empty string")
    return ";".join(equations)


def write(source: Source, names: Callable[[int], str]) -> str:
    """Write a system in one plain form, with a string for each numbered name."""
    written: list[str] = []
    operand = False  # whether an operand has just ended
    for token in source.tokens:
        if isinstance(token, int) or token in CLOSING or token[:1] in DIGITS:
            if operand:
                written.append("*")
            written.append(names(token) if isinstance(token, int) else token)
            operand = token not in CLOSING
        elif token == ";":
            if written and written[-1] != "; ":  # a blank equation is left out
                written.append("; ")
            operand = False
        elif operand and token in _SPACED:
            written.append(_SPACED[token])
            operand = False
        else:
            written.append(token)
            operand = token in (")", "]")
    return "".join(written).removesuffix("; ")


_SPACED = {"+": " + ", "-": " - ", "=": " = "}
_END = ""

Value = TypeVar("Value")


class Algebra(Protocol[Value]):
    """The operations of expressions."""

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


_SUM, _NEGATION, _PRODUCT, _POWER, _ATOM = range(5)

_Tex = tuple[str, int]  # LaTeX, and how tightly it binds


class _LatexAlgebra:
    """Builds LaTeX; brackets of the text are dropped where a fraction bar replaces them."""

    def __init__(self, source: Source) -> None:
        self._source = source

    def number(self, literal: str) -> _Tex:
        return literal.replace(",", "{,}"), _ATOM

    def name(self, token: int) -> _Tex:
        name = self._source.name(token)
        stem = name.rstrip("0123456789")
        if stem != name and len(stem) == 1:
            return f"{stem}_{{{name[len(stem) :]}}}", _ATOM
        if len(name) == 1:
            return name, _ATOM
        escaped = name.replace("_", r"\_")
        return rf"\mathit{{{escaped}}}", _ATOM

    def group(self, value: _Tex) -> _Tex:
        return value

    def add(self, left: _Tex, right: _Tex) -> _Tex:
        return f"{left[0]} + {_parenthesize(right, _PRODUCT)}", _SUM

    def subtract(self, left: _Tex, right: _Tex) -> _Tex:
        return f"{left[0]} - {_parenthesize(right, _PRODUCT)}", _SUM

    def multiply(self, left: _Tex, right: _Tex) -> _Tex:
        right_text = _parenthesize(right, _POWER)
        sign = r" \cdot " if right_text[0].isdigit() or right_text[0] == "." else r" \, "
        return f"{_parenthesize(left, _NEGATION)}{sign}{right_text}", min(left[1], _PRODUCT) or _PRODUCT

    def divide(self, left: _Tex, right: _Tex) -> _Tex:
        return rf"\frac{{{left[0]}}}{{{right[0]}}}", _POWER

    def negate(self, value: _Tex) -> _Tex:
        return f"-{_parenthesize(value, _PRODUCT)}", _NEGATION

    def power(self, base: _Tex, exponent: int) -> _Tex:
        return f"{_parenthesize(base, _ATOM)}^{{{exponent}}}", _POWER


def _parenthesize(value: _Tex, tightness: int) -> str:
    text, own = value
    return text if own >= tightness else rf"\left({text}\right)"


def latex(source: Source) -> str:
    """Return the system as LaTeX, several equations in a ``cases`` environment."""
    algebra = _LatexAlgebra(source)
    sides = [Reader(tokens, algebra).equation() for _, tokens in split_equations(source.tokens)]
    equations = [f"{left[0]} = {right[0]}" for left, right in sides]
    if len(equations) == 1:
        return equations[0]
    return r"\begin{cases} " + r" \\ ".join(equations) + r" \end{cases}"


class _SympyAlgebra:
    """Builds sympy expressions by their constructors, so that no text reaches sympy's own reader."""

    def __init__(self, source: Source) -> None:
        # Imported here: importing sympy takes longer than importing all of the core, and few need it.
        import sympy

        self._sympy = sympy
        self._source = source

    def number(self, literal: str) -> Any:
        return self._sympy.Rational(*read_number(literal))

    def name(self, token: int) -> Any:
        return self._sympy.Symbol(self._source.name(token))

    def group(self, value: Any) -> Any:
        return value

    add = staticmethod(operator.add)
    subtract = staticmethod(operator.sub)
    multiply = staticmethod(operator.mul)
    divide = staticmethod(operator.truediv)
    negate = staticmethod(operator.neg)
    power = staticmethod(operator.pow)

    def equal(self, left: Any, right: Any) -> Any:
        return self._sympy.Eq(left, right, evaluate=False)


def sympy_system(source: Source) -> list[Any]:
    """Return the system as sympy equations."""
    algebra = _SympyAlgebra(source)
    return [algebra.equal(*Reader(tokens, algebra).equation()) for _, tokens in split_equations(source.tokens)]
