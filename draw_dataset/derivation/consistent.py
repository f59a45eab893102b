"""Consistent derivations: all derivations that lead from the numbers of a text to given equations.

Each literal of the equations is one number of the text with exactly its value, or a constant if no number has it
(`POLICY`). Derivations are counted without making them; the first takes the earliest numbers. A minus that is a sign
(as in ``x = -6``) belongs to its literal if the text has the negative number, and stays in the equation if the text has
the positive one. An exponent is not a literal. Literals with the same number become one slot.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import prod
from operator import attrgetter
from typing import Generic, TypeVar

from draw_dataset.algebra.grammar import DIGITS, EVERY_NAME_UNKNOWN, Source, Token, join_equations, scan, write
from draw_dataset.algebra.limits import MAX_NAMES
from draw_dataset.algebra.number import decimal_places, read_number
from draw_dataset.algebra.system import System, read_system, system_of
from draw_dataset.derivation.derivation import Derivation, Place, TextNumber, slot_letters
from draw_dataset.derivation.template import UNKNOWNS, Template
from draw_dataset.errors import LimitError

Option = TypeVar("Option")


@dataclass(frozen=True, slots=True)
class Choices(Generic[Option]):
    """All ways to choose one option at each place, numbered like digits: the last place changes first.

    >>> ways = Choices([("a", "b"), ("x", "y", "z")])
    >>> ways.count, ways.nth(4), ways.rank((1, 1)), next(iter(ways))
    (6, ('b', 'y'), 4, ('a', 'x'))
    """

    options: Sequence[Sequence[Option]]  # if a place has no option, there is no way

    @property
    def count(self) -> int:
        """How many ways there are, exactly."""
        return prod(map(len, self.options))

    def nth(self, rank: int) -> tuple[Option, ...]:
        """Return a way by its rank, counted from 0, without making the others."""
        if not 0 <= rank < self.count:
            raise IndexError(f"expected a rank from 0 and below {self.count}, but got {rank}")
        chosen: list[Option] = []
        for listed in reversed(self.options):
            rank, which = divmod(rank, len(listed))
            chosen.append(listed[which])
        return tuple(reversed(chosen))

    def rank(self, which: Sequence[int]) -> int:
        """Return the rank of a way, given the option it takes at each place, counted from 0."""
        found = 0
        for at, listed in zip(which, self.options, strict=True):
            found = found * len(listed) + at
        return found

    def __iter__(self) -> Iterator[tuple[Option, ...]]:
        """Yield the ways in their order."""
        return product(*self.options)


POLICY = "constant only if no number fits"
"""How constants are treated. Figures that depend on consistent derivations name it."""

ROUNDING = Fraction(1, 10_000)
"""The largest relative difference between a literal and a number without a finite decimal, such as .33333 and 1/3."""

_BEFORE_SIGN = frozenset("=;([+-*/")
"""The tokens after which a minus is a sign and not a subtraction. A minus at the start is a sign as well."""

_SHORT = 200  # equations without powers and with fewer characters than this have no large coefficients


@dataclass(frozen=True, slots=True)
class Literal:
    """A number written in equations."""

    at: int  # its token in the equations, counted from 0
    value: Fraction  # its exact value, without a sign
    signed: bool  # whether the token before it is its minus sign


Choice = tuple[TextNumber, bool]
"""A number of the text for a literal, and whether it stands for the literal together with its minus sign."""


def find_literals(source: Source) -> tuple[Literal, ...]:
    """Return the literals of scanned equations in their order; exponents are none.

    >>> [(l.at, str(l.value), l.signed) for l in find_literals(read_equations("x - 1.5 = -2*3^2")[0])]
    [(2, '3/2', False), (5, '2', True), (7, '3', False)]
    """
    return tuple([Literal(at, Fraction(*read_number(text)), signed) for at, text, signed in _literals(source.tokens)])


def _literals(tokens: Sequence[Token]) -> list[tuple[int, str, bool]]:
    """Return the tokens that are literals: position, text, and whether it has a sign."""
    powers = "^" in tokens
    found: list[tuple[int, str, bool]] = []
    for at, token in enumerate(tokens):
        if isinstance(token, int) or token[0] not in DIGITS or token == "." or (powers and _is_exponent(tokens, at)):
            continue
        signed = at > 0 and tokens[at - 1] == "-" and (at == 1 or tokens[at - 2] in _BEFORE_SIGN)
        # The sign of -3^2 is that of the power.
        signed = signed and not (at + 1 < len(tokens) and tokens[at + 1] == "^")
        found.append((at, token, signed))
    return found


def _is_exponent(tokens: Sequence[Token], at: int) -> bool:
    before = at - 1
    while before >= 0 and tokens[before] in ("+", "-", "("):
        before -= 1
    return before >= 0 and tokens[before] == "^"


def read_equations(equations: str | Sequence[str]) -> tuple[Source, Template]:
    """Return equations as tokens, and as a template without slots; every name is an unknown."""
    source, system = read_system(join_equations(equations), EVERY_NAME_UNKNOWN)
    return source, Template.from_system(source, system)


_PLACE = attrgetter("sentence", "token")

_NONE: list[Choice | None] = []

_CONSTANT: list[Choice | None] = [None]  # the only choice for a literal that no number fits


@dataclass(frozen=True, slots=True)
class ConsistentDerivations:
    """All derivations that lead to given equations: counted at once, made one at a time."""

    source: Source  # the equations
    literals: tuple[int, ...]  # the tokens of the equations that are literals
    # The ways to choose for each literal a number that fits, or None if it stays a constant
    ways: Choices[Choice | None]

    @classmethod
    def of(cls, equations: str | Sequence[str], numbers: Iterable[TextNumber]) -> ConsistentDerivations:
        """Return the derivations of equations that are only cut into tokens; `check` says whether they can be read."""
        source = scan(join_equations(equations), EVERY_NAME_UNKNOWN)
        by_value: dict[tuple[int, int], list[Choice | None]] = {}
        by_negative: dict[tuple[int, int], list[Choice | None]] = {}
        for number in sorted(numbers, key=_PLACE):
            if number.value is not None:
                numerator, denominator = number.value.as_integer_ratio()
                by_value.setdefault((numerator, denominator), []).append((number, False))
                if numerator < 0:
                    by_negative.setdefault((-numerator, denominator), []).append((number, True))
        literals = _literals(source.tokens)
        options: list[Sequence[Choice | None]] = []
        for _, text, signed in literals:
            value = read_number(text)
            fitting = by_value.get(value, _NONE)
            if signed:
                fitting = fitting + by_negative.get(value, _NONE)
            options.append(fitting or _CONSTANT)
        return cls(source, tuple([at for at, _, _ in literals]), Choices(options))

    def check(self) -> None:
        """Read the equations themselves; raise `ReadError` or `NotLinearError` if that fails."""
        system_of(self.source)

    @property
    def count(self) -> int:
        """How many derivations there are, exactly; at least one."""
        return self.ways.count

    @property
    def first(self) -> Derivation:
        """The derivation that takes the earliest number for every literal."""
        return next(iter(self))

    def nth(self, index: int) -> Derivation:
        """Return a derivation by its rank, counted from 0, without making the others."""
        return self._derivation(self.ways.nth(index))

    def system(self, index: int) -> tuple[System, tuple[Place, ...]]:
        """Return the system of a derivation by its rank, and the place of the number in each slot.

        Scoring needs no more, so the template is not written.
        """
        chosen = self._numbers_by_token(self.ways.nth(index))
        tokens, numbers = _put_slots(self.source, chosen)
        # The names of slots make no difference to a system.
        system = system_of(Source("", tokens, ("",) * len(numbers), self.source.unknowns))
        if not self._proves_readable(system, chosen):
            self.check()
        return system, tuple([(number.sentence, number.token) for number in numbers])

    def _proves_readable(self, system: System, chosen: dict[int, Choice]) -> bool:
        """Decide whether this system, which has slots for some literals, proves that the equations can be read."""
        # It does unless they divide, or brackets, powers or long literals could make a coefficient too large.
        tokens = self.source.tokens
        if system.conditions or len(self.source.text) > _SHORT or "^" in tokens:
            return False
        # a slot may stand right after an operand, as in 2a; a number may not.
        return not any(_ends_operand(tokens[at - 1]) for at in chosen if at)

    def __iter__(self) -> Iterator[Derivation]:
        """Yield the derivations in their order.

        This raises `NotLinearError` if the equations are linear only because two literals from two numbers are equal.
        """
        return map(self._derivation, self.ways)

    def _derivation(self, way: Sequence[Choice | None]) -> Derivation:
        return ground(self.source, self._numbers_by_token(way))

    def _numbers_by_token(self, way: Sequence[Choice | None]) -> dict[int, Choice]:
        """Return the number for each literal that has one, by the literal's token."""
        return {at: choice for at, choice in zip(self.literals, way, strict=True) if choice is not None}


def consistent_derivations(equations: str | Sequence[str], numbers: Iterable[TextNumber]) -> ConsistentDerivations:
    """Return all derivations that lead from the numbers of a text to equations, under `POLICY`.

    >>> numbers = [TextNumber(0, 3, Fraction(2), 1), TextNumber(0, 8, Fraction(7), 2), TextNumber(1, 4, Fraction(2), 3)]
    >>> found = consistent_derivations("x + y = 7; x = 2*y + 1", numbers)
    >>> found.count
    2
    >>> [d.q_notation() for d in found]
    ['x + y = q2; x = q1*y + 1', 'x + y = q2; x = q3*y + 1']
    """
    found = ConsistentDerivations.of(equations, numbers)
    found.check()
    return found


def _ends_operand(token: Token) -> bool:
    return isinstance(token, int) or token in (")", "]") or token[0] in DIGITS


def _put_slots(source: Source, chosen: dict[int, Choice]) -> tuple[tuple[Token, ...], list[TextNumber]]:
    """Return the tokens of equations in which given literals are slots, and the number in each slot."""
    slot_of: dict[Place, int] = {}
    numbers: list[TextNumber] = []
    tokens = list(source.tokens)
    signs: list[int] = []
    for at, (number, with_sign) in sorted(chosen.items()):
        slot = slot_of.setdefault((number.sentence, number.token), len(numbers))
        if slot == len(numbers):
            numbers.append(number)
        tokens[at] = 2 * slot
        if with_sign:
            signs.append(at - 1)
    if len(numbers) > MAX_NAMES:
        raise LimitError(f"expected at most {MAX_NAMES} different slots, but got {len(numbers)}")
    for at in reversed(signs):
        del tokens[at]
    return tuple(tokens), numbers


def ground(source: Source, chosen: dict[int, Choice]) -> Derivation:
    """Return the derivation with numbers for some literals, by the literal's token; other literals stay constants."""
    tokens, numbers = _put_slots(source, chosen)
    names = slot_letters(len(numbers), {*source.unknowns, *UNKNOWNS})
    unwritten = Source("", tokens, names, source.unknowns)
    written = Source(write(unwritten, unwritten.name), tokens, names, source.unknowns)
    return Derivation(Template.from_system(written, system_of(written)), dict(zip(names, numbers, strict=True)))


@dataclass(frozen=True, slots=True)
class Piece:
    """A literal of equations, or a quotient of two such as ``3/4`` that is one number of the text."""

    start: int  # the first token, counted from 0
    end: int  # the token after the last
    value: Fraction  # the exact value, without a sign
    signed: bool  # whether the token before is its minus sign, as in ``x = -6``


def find_pieces(source: Source, is_one_number: Callable[[Fraction], bool] = lambda _: False) -> tuple[Piece, ...]:
    """Return the pieces of scanned equations in their order; a quotient of literals may be one number.

    >>> source, _ = read_equations("x/3/4 + 3/4*x = 5")
    >>> [str(piece.value) for piece in find_pieces(source, lambda value: value == Fraction(3, 4))]
    ['3', '4', '3/4', '5']
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
            after = tokens[literal.at + 1] if literal.at + 1 < len(tokens) else "="
            if before not in ("/", "^") and after != "^":
                pieces[-1] = Piece(above.start, literal.at + 1, above.value / literal.value, above.signed)
                continue
        pieces.append(Piece(literal.at, literal.at + 1, literal.value, literal.signed))
    return tuple(pieces)


def is_rounding(literal: Fraction, number: Fraction) -> bool:
    """Decide whether a literal is a rounding of a number that has no finite decimal, as .33333 is of 1/3.

    A number that only the annotation has may itself be such a rounding: it has more than six decimals. This is not
    `is_rounded`: annotators cut off as often as they round (.66666), and .33 in an equation is seldom one third.

    >>> is_rounding(Fraction("0.33333"), Fraction(1, 3)), is_rounding(Fraction("0.49999"), Fraction(1, 2))
    (True, False)
    """
    endless = decimal_places(number) is None
    return (endless or number.denominator > 10**6) and abs(literal - number) <= ROUNDING * abs(number)


def replace_pieces(source: Source, pieces: Iterable[Piece], new: Iterable[Sequence[Token]]) -> tuple[Token, ...]:
    """Return the tokens of equations with each piece replaced by other tokens."""
    tokens: list[Token] = []
    at = 0
    for piece, replacement in zip(pieces, new, strict=True):
        tokens += [*source.tokens[at : piece.start], *replacement]
        at = piece.end
    return (*tokens, *source.tokens[at:])
