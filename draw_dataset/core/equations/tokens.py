"""Tokens of equations: cut a system of equations into tokens, and write it again.

`scan` numbers the names of a text by first appearance, slots and unknowns separately. Systems that differ only in their
names give the same tokens, so everything that is computed for one holds for the other.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from draw_dataset.core.limits import MAX_CHARACTERS, MAX_EQUATIONS, MAX_NAMES
from draw_dataset.errors import LimitError, ReadError, shown

Token = str | int
"""A sign or number as a string, or the number of a name: slot i is 2i, unknown j is 2j + 1."""

_TOKEN = re.compile(
    r"(?:[0-9]{1,3}(?:,[0-9]{3})+(?![0-9])|[0-9]+)(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?"  # 5  1,000  2.5  2e3
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
        """Say of a name whether it is an unknown (True), a slot (False) or neither (None)."""

    def expected(self) -> str:
        """Describe the names for an error message."""


@dataclass(frozen=True, slots=True)
class Names:
    """A policy by sets of names.

    If both sets are given, a name in neither is an error. If one is given, all other names are of the other kind.
    """

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
    """Return where the tokens of a text stand, in the order of `scan`.

    >>> token_spans("x = 1.5")
    [(0, 1), (2, 3), (4, 7)]
    """
    return [match.span() for match in _TOKEN.finditer(text)]


def split_equations(tokens: tuple[Token, ...]) -> list[tuple[int, tuple[Token, ...]]]:
    """Return the equations of a system: the start of each, and its tokens; blank ones are ignored.

    Raises:
        TokenError: there is no equation.
        LimitError: there are too many.
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


def join_equations(equations: str | Sequence[str]) -> str:
    """Return a system that is given as one string or as a list of equations as one string.

    Raises:
        ReadError: it is neither, or an item of the list is empty or not a string.
    """
    if isinstance(equations, str):
        return equations
    # The usual types first: asking for an abstract one takes ten times as long.
    if not isinstance(equations, (list, tuple)) and not isinstance(equations, Sequence):
        raise ReadError("equations", "a string or a list of strings", shown(equations))
    for number, equation in enumerate(equations, 1):
        if not isinstance(equation, str):
            raise ReadError(f"equation {number}", "a string", shown(equation))
        if not equation.strip():
            raise ReadError(f"equation {number}", "an equation", "an empty string")
    return ";".join(equations)


def write(source: Source, names: Callable[[int], str]) -> str:
    """Write a system in one plain form: spaces around + - =, and a sign for every product.

    Args:
        source: the scanned system.
        names: returns the string for each numbered name, so that slots can be written as the numbers they hold.
    """
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
