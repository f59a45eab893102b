"""Pieces of equations: which tokens are one value, and equations with other tokens in their place.

A piece is a literal, or a quotient of two literals such as ``3/4`` where that is one number of the text. Whoever asks
where the values of equations come from (`draw_dataset.checks`, `draw_dataset.annotation`) finds the pieces, decides for
each, and writes something else in its place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from draw_dataset.core.references import find_literals
from draw_dataset.core.tokens import Source, Token

ROUNDING = Fraction(1, 10_000)
"""How far, relatively, a literal may be from a number without a finite decimal, as .33333 is from 1/3."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Tokens of equations that are one value.

    Attributes:
        start: the first token, from 0.
        end: the token behind the last.
        value: the exact value, without a sign.
        signed: whether the token before is its minus sign, as in ``x = -6``.
    """

    start: int
    end: int
    value: Fraction
    signed: bool


def find_pieces(source: Source, is_one_number: Callable[[Fraction], bool] = lambda _: False) -> tuple[Piece, ...]:
    """Return the pieces of scanned equations in their order.

    >>> from draw_dataset.core.references import read_equations
    >>> source, _ = read_equations("x/3/4 + 3/4*x = 5")
    >>> [str(piece.value) for piece in find_pieces(source, lambda value: value == Fraction(3, 4))]
    ['3', '4', '3/4', '5']

    Args:
        source: the equations.
        is_one_number: whether the value of a quotient of literals is one number; such a quotient is one piece.
    """
    tokens = source.tokens
    pieces: list[Piece] = []
    for literal in find_literals(source):
        above = pieces[-1] if pieces else None
        if (
            above is not None
            and above.end == literal.at - 1
            and above.end == above.start + 1
            and tokens[literal.at - 1] == "/"
            and literal.value
            and is_one_number(above.value / literal.value)
        ):
            # a/3/4 is not a/(3/4), and 3/4^2 is not (3/4)^2.
            before = tokens[above.start - 1] if above.start else "="
            behind = tokens[literal.at + 1] if literal.at + 1 < len(tokens) else "="
            if before not in ("/", "^") and behind != "^":
                pieces[-1] = Piece(above.start, literal.at + 1, above.value / literal.value, above.signed)
                continue
        pieces.append(Piece(literal.at, literal.at + 1, literal.value, literal.signed))
    return tuple(pieces)


def is_rounding(literal: Fraction, number: Fraction) -> bool:
    """Say whether a literal is what became of a number that has no finite decimal, as .33333 of 1/3.

    A number that only its annotation knows may be such a remainder itself: it has more than six decimals.

    >>> is_rounding(Fraction("0.33333"), Fraction(1, 3)), is_rounding(Fraction("0.49999"), Fraction(1, 2))
    (True, False)
    """
    rest = number.denominator
    for prime in (2, 5):
        while rest % prime == 0:
            rest //= prime
    return (rest > 1 or number.denominator > 10**6) and abs(literal - number) <= ROUNDING * abs(number)


def replace_pieces(source: Source, pieces: Iterable[Piece], new: Iterable[Sequence[Token]]) -> tuple[Token, ...]:
    """Return the tokens of equations with other tokens in the place of each piece."""
    tokens: list[Token] = []
    at = 0
    for piece, replacement in zip(pieces, new, strict=True):
        tokens += [*source.tokens[at : piece.start], *replacement]
        at = piece.end
    return (*tokens, *source.tokens[at:])
