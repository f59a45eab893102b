"""Consistent derivations: all derivations that lead from the numbers of a text to given equations.

Equations say which values are used, not where they were read. Each literal of the equations may come from every number
of the text that has its value. A consistent derivation chooses one such number for each literal. How many there are
depends on the policy for constants, so the policy has a name, `POLICY`: a literal stays a constant only if no number of
the text has its value.

Literals are tokens, not pieces of text: the 1 of 1.5 is not a literal. Values are compared exactly. A minus that is a
sign (as in ``x = -6``) belongs to its literal if the text has the negative number, and stays in the equation if the
text has the positive one. An exponent is not a literal. Literals with the same number become one slot.

The derivations are counted without making them, and made one at a time (`choices`). Each literal takes its numbers in
the order of the text, so the first derivation takes the earliest numbers.

Scoring only needs the system of a derivation, so its template is not written there. The equations themselves are not
read either if the system of a derivation proves that they can be read. Equations that can be read with slots for some
literals can also be read with the literals, unless they have a division, or brackets, powers or long literals could
make a coefficient too large. Few equations occur twice, but many share their form, and the results for a form are
cached.

A piece is a literal, or a quotient of two literals such as ``3/4`` that is one number of the text.
`draw_dataset.checks` and `draw_dataset.annotation` use other rules for the origin of a value: they find the pieces,
decide for each, and write something else in its place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from operator import attrgetter

from draw_dataset.core.alignment import Place, TextNumber
from draw_dataset.core.choices import Choices
from draw_dataset.core.derivation import Derivation, slot_letters
from draw_dataset.core.equations import (
    DIGITS,
    EVERY_NAME_UNKNOWN,
    Source,
    System,
    Token,
    join_equations,
    read_system,
    scan,
    system_of,
    write,
)
from draw_dataset.core.exact import read_number
from draw_dataset.core.limits import MAX_NAMES
from draw_dataset.core.template import UNKNOWNS, Template
from draw_dataset.errors import LimitError

POLICY = "constant only if no number fits"
"""How constants are treated. Figures that depend on consistent derivations name it."""

ROUNDING = Fraction(1, 10_000)
"""The largest relative difference between a literal and a number without a finite decimal, such as .33333 and 1/3."""

_BEFORE_SIGN = frozenset("=;([+-*/")
"""The tokens after which a minus is a sign and not a subtraction. A minus at the start is a sign as well."""

_SHORT = 200
"""Equations without powers and with fewer characters than this have no large coefficients."""


@dataclass(frozen=True, slots=True)
class Literal:
    """A number written in equations.

    Attributes:
        at: its token in the equations, counted from 0.
        value: its exact value, without a sign.
        signed: whether the token before it is its minus sign.
    """

    at: int
    value: Fraction
    signed: bool


Choice = tuple[TextNumber, bool]
"""A number of the text for a literal, and whether it stands for the literal together with its minus sign."""


def find_literals(source: Source) -> tuple[Literal, ...]:
    """Return the literals of scanned equations in their order; exponents are none.

    >>> [(l.at, str(l.value), l.signed) for l in find_literals(read_equations("x - 1.5 = -2*3^2")[0])]
    [(2, '3/2', False), (5, '2', True), (7, '3', False)]
    """
    return tuple([Literal(at, Fraction(*read_number(text)), signed) for at, text, signed in _literals(source.tokens)])


def _literals(tokens: Sequence[Token]) -> list[tuple[int, str, bool]]:
    """Return which tokens are literals, as they are written, and whether each has a sign."""
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
    """Return equations as tokens, and as a template without slots; every name is an unknown.

    Raises:
        ReadError: the text is not a system of equations; says where, expected and got.
        NotLinearError: an equation is not linear in the unknowns.
        LimitError: the text is larger than the bounds in `draw_dataset.core.limits`.
    """
    source, system = read_system(join_equations(equations), EVERY_NAME_UNKNOWN)
    return source, Template.read(source, system)


_PLACE = attrgetter("sentence", "token")

_NONE: list[Choice | None] = []

_CONSTANT: list[Choice | None] = [None]
"""The only choice for a literal that no number fits."""


@dataclass(frozen=True, slots=True)
class ConsistentDerivations:
    """All derivations that lead to given equations: counted at once, made one at a time.

    Attributes:
        source: the equations.
        literals: the tokens of the equations that are literals.
        ways: the ways to choose for each literal a number that fits, or None if it stays a constant.
    """

    source: Source
    literals: tuple[int, ...]
    ways: Choices[Choice | None]

    @classmethod
    def of(cls, equations: str | Sequence[str], numbers: Iterable[TextNumber]) -> ConsistentDerivations:
        """Return the derivations of equations that are only cut into tokens; `check` says whether they can be read.

        Raises:
            ReadError: the equations are not strings.
            LimitError: they are larger than the bounds in `draw_dataset.core.limits`.
        """
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
        """Read the equations themselves.

        Raises:
            ReadError: they cannot be read.
            NotLinearError: they are not linear.
        """
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
        """Return a derivation by its rank, counted from 0, without making the others.

        Raises:
            IndexError: the rank is too large.
            NotLinearError: see `__iter__`.
        """
        return self._grounded(self.ways.nth(index))

    def system(self, index: int) -> tuple[System, tuple[Place, ...]]:
        """Return the system of a derivation by its rank, and the place of the number in each slot.

        The template is not written.

        Raises:
            IndexError: the rank is too large.
            ReadError: the equations cannot be read, or not with these slots; `check` says which.
            LimitError: there are more slots than a template may have.
        """
        chosen = self._chosen(self.ways.nth(index))
        tokens, numbers = _slotted(self.source, chosen)
        # The names of slots make no difference to a system.
        system = system_of(Source("", tokens, ("",) * len(numbers), self.source.unknowns))
        if not self._vouches(system, chosen):
            self.check()
        return system, tuple([(number.sentence, number.token) for number in numbers])

    def _vouches(self, system: System, chosen: dict[int, Choice]) -> bool:
        """Say whether this system, which has slots for some literals, proves that the equations can be read."""
        tokens = self.source.tokens
        if system.conditions or len(self.source.text) > _SHORT or "^" in tokens:
            return False
        # A slot may stand right after an operand, as in 2a; a number may not.
        return not any(_ends_operand(tokens[at - 1]) for at in chosen if at)

    def __iter__(self) -> Iterator[Derivation]:
        """Yield the derivations in their order.

        Raises:
            NotLinearError: the equations are linear only because two literals are equal, and these come from two
                numbers.
        """
        return map(self._grounded, self.ways)

    def _grounded(self, way: Sequence[Choice | None]) -> Derivation:
        return ground(self.source, self._chosen(way))

    def _chosen(self, way: Sequence[Choice | None]) -> dict[int, Choice]:
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

    Args:
        equations: the equations; every name in them is an unknown.
        numbers: the numbers of the text; those of unknown value fit nothing.

    Raises:
        ReadError: the equations cannot be read.
        NotLinearError: they are not linear.
    """
    found = ConsistentDerivations.of(equations, numbers)
    found.check()
    return found


def _ends_operand(token: Token) -> bool:
    return isinstance(token, int) or token in (")", "]") or token[0] in DIGITS


def _slotted(source: Source, chosen: dict[int, Choice]) -> tuple[tuple[Token, ...], list[TextNumber]]:
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
    """Return the derivation in which given literals are slots that hold given numbers.

    Args:
        source: the equations.
        chosen: the number for each literal, by the literal's token; other literals stay constants.

    Raises:
        LimitError: there are more slots than a template may have.
        NotLinearError: see `ConsistentDerivations.__iter__`.
    """
    tokens, numbers = _slotted(source, chosen)
    names = slot_letters(len(numbers), {*source.unknowns, *UNKNOWNS})
    unwritten = Source("", tokens, names, source.unknowns)
    written = Source(write(unwritten, unwritten.name), tokens, names, source.unknowns)
    return Derivation(Template.read(written, system_of(written)), dict(zip(names, numbers, strict=True)))


@dataclass(frozen=True, slots=True)
class Piece:
    """Tokens of equations that are one value.

    Attributes:
        start: the first token, counted from 0.
        end: the token after the last.
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
            after = tokens[literal.at + 1] if literal.at + 1 < len(tokens) else "="
            if before not in ("/", "^") and after != "^":
                pieces[-1] = Piece(above.start, literal.at + 1, above.value / literal.value, above.signed)
                continue
        pieces.append(Piece(literal.at, literal.at + 1, literal.value, literal.signed))
    return tuple(pieces)


def is_rounding(literal: Fraction, number: Fraction) -> bool:
    """Say whether a literal is a rounding of a number that has no finite decimal, as .33333 is of 1/3.

    A number that only the annotation has may itself be such a rounding: it has more than six decimals.

    >>> is_rounding(Fraction("0.33333"), Fraction(1, 3)), is_rounding(Fraction("0.49999"), Fraction(1, 2))
    (True, False)
    """
    rest = number.denominator
    for prime in (2, 5):
        while rest % prime == 0:
            rest //= prime
    return (rest > 1 or number.denominator > 10**6) and abs(literal - number) <= ROUNDING * abs(number)


def replace_pieces(source: Source, pieces: Iterable[Piece], new: Iterable[Sequence[Token]]) -> tuple[Token, ...]:
    """Return the tokens of equations with each piece replaced by other tokens."""
    tokens: list[Token] = []
    at = 0
    for piece, replacement in zip(pieces, new, strict=True):
        tokens += [*source.tokens[at : piece.start], *replacement]
        at = piece.end
    return (*tokens, *source.tokens[at:])
