"""The literals of equations, and the form that is left without them.

Few equations of a dataset are written twice, but many have one form: ``m + n = 12`` and ``m + n = 40`` are both
``m + n = #``. Cutting a text into tokens and finding what may be said of its literals (which minus is a sign, which of
them stands right behind an operand) depends on the form alone, so forms of short texts are remembered.

The form of a text is found by taking its numbers out, without cutting it into tokens. A number stands where no name and
no other number has just ended; where that rule and the tokens could disagree, the tokens decide.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from draw_dataset.core.equations import DIGITS, EVERY_NAME_UNKNOWN, Source, Token, scan
from draw_dataset.core.exact import read_number
from draw_dataset.errors import DrawError

SHORT = 200
"""Characters of equations whose forms are remembered; without powers no coefficient of theirs comes near its bound."""

_MARK = "#"
"""What stands in the place of a literal; no equation can be read that has it."""

_NUMBER = re.compile(
    r"(?<![\w.])((?:[0-9]{1,3}(?:,[0-9]{3})+(?![0-9])|[0-9]+)(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?"
    r"|\.[0-9]+(?:[eE][+-]?[0-9]+)?)"
)

_BEFORE_SIGN = frozenset("=;([+-*/")
"""What a minus stands behind when it is a sign and not a subtraction; so does one that stands first."""


class Literal(NamedTuple):
    """A number written in equations.

    Attributes:
        at: which token of the equations it is, from 0.
        value: its exact value, without a sign.
        signed: whether the token before it is its minus sign.
    """

    at: int
    value: Fraction
    signed: bool


def find_literals(source: Source) -> tuple[Literal, ...]:
    """Return the literals of scanned equations in their order; exponents are none.

    >>> [(l.at, str(l.value), l.signed) for l in find_literals(scan("x - 1.5 = -2*3^2", EVERY_NAME_UNKNOWN))]
    [(2, '3/2', False), (5, '2', True), (7, '3', False)]
    """
    form, literals = _form_of(source)
    return tuple(
        Literal(at, Fraction(*read_number(literal)), signed)
        for at, literal, signed in zip(form.at, literals, form.signed, strict=True)
    )


class Form:
    """Equations without their literals.

    Attributes:
        tokens: the tokens of the equations, with a mark for each literal.
        at: which tokens are the literals.
        signed: for each literal, whether the token before it is its minus sign.
        behind_operand: for each literal, whether it stands right behind an operand, where only a name may stand.
        unknowns: the names in the equations.
    """

    # Compared by identity, so that what is read of a form can be remembered cheaply.
    __slots__ = ("at", "behind_operand", "signed", "tokens", "unknowns")

    def __init__(self, tokens: Sequence[Token], at: Sequence[int], unknowns: tuple[str, ...]) -> None:
        self.tokens = tuple(tokens)
        self.at = tuple(at)
        self.unknowns = unknowns
        self.signed = tuple([_is_signed(tokens, position) for position in at])
        self.behind_operand = tuple([position > 0 and _ends_operand(tokens[position - 1]) for position in at])

    def filled(self, literals: Sequence[str]) -> tuple[Token, ...]:
        """Return the tokens with literals in the places of the marks."""
        tokens = list(self.tokens)
        for position, literal in zip(self.at, literals, strict=True):
            tokens[position] = literal
        return tuple(tokens)


def take_apart(text: str) -> tuple[Form, tuple[str, ...]]:
    """Return the form of equations, and their literals as written; every name is an unknown.

    >>> form, literals = take_apart("x + 2.5*y = -3")
    >>> form.tokens, literals, form.signed
    ((1, '+', '#', '*', 3, '=', '-', '#'), ('2.5', '3'), (False, True))

    Raises:
        ReadError: a name stands where none may.
        LimitError: the text is larger than the bounds in `draw_dataset.core.limits`.
    """
    if len(text) <= SHORT and _MARK not in text:
        pieces = _NUMBER.split(text)
        form = _form_of_rest(_MARK.join(pieces[::2]))
        if form is not None:
            return form, tuple(pieces[1::2])
    return _form_of(scan(text, EVERY_NAME_UNKNOWN))


@lru_cache(maxsize=1 << 12)
def _form_of_rest(rest: str) -> Form | None:
    """Return the form of a text whose numbers are marks already; None if the tokens must decide."""
    try:
        source = scan(rest, EVERY_NAME_UNKNOWN)
    except DrawError:  # to be told of the text as it is
        return None
    tokens = source.tokens
    # A number that is left stands right behind another one; an exponent is no literal.
    if "^" in tokens or any(isinstance(token, str) and token[0] in DIGITS for token in tokens):
        return None
    return Form(tokens, [at for at, token in enumerate(tokens) if token == _MARK], source.unknowns)


def _form_of(source: Source) -> tuple[Form, tuple[str, ...]]:
    tokens = list(source.tokens)
    numbers = [(at, t) for at, t in enumerate(tokens) if isinstance(t, str) and t[0] in DIGITS and t != "."]
    literals = [(at, token) for at, token in numbers if not _is_exponent(source.tokens, at)]
    for at, _ in literals:
        tokens[at] = _MARK
    return Form(tokens, [at for at, _ in literals], source.unknowns), tuple([token for _, token in literals])


def _is_exponent(tokens: Sequence[Token], at: int) -> bool:
    before = at - 1
    while before >= 0 and tokens[before] in ("+", "-", "("):
        before -= 1
    return before >= 0 and tokens[before] == "^"


def _is_signed(tokens: Sequence[Token], at: int) -> bool:
    if not (at > 0 and tokens[at - 1] == "-" and (at == 1 or tokens[at - 2] in _BEFORE_SIGN)):
        return False
    # The sign of -3^2 is that of the power.
    return not (at + 1 < len(tokens) and tokens[at + 1] == "^")


def _ends_operand(token: Token) -> bool:
    return isinstance(token, int) or token in (")", "]", _MARK) or token[0] in DIGITS
