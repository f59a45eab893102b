"""Which derivations lead from the numbers of a text to given equations.

Equations say which values are used, not where they were read. Each literal of the equations may come from every number
of the text that has its value; the derivations that are consistent with the equations are all ways to choose one for
each literal. The policy on constants decides how many there are, so it has a name, `POLICY`: a literal stays a constant
only if no number of the text has its value.

Literals are tokens, not pieces of text: the 1 of 1.5 is none. Values are compared exactly. A minus that is a sign (as
in ``x = -6``) belongs to its literal if the text has the negative number, and stays where the text has the positive
one. An exponent is no literal. Literals that are given the same number are one slot.

The ways are counted without making them, and made one at a time (`choices`), each literal taking its numbers in the
order of the text. The first of them takes the earliest numbers.

Where only the system of a way is wanted, as for scoring, its template is not written, and what is read of a form of
equations (`draw_dataset.core.forms`) is remembered. Nor are the equations themselves read where a way of them can vouch
for that: equations that can be read with slots for some literals can be read with the literals, unless something is
divided, or powers or length could make a coefficient too large.

A piece is a literal, or a quotient of two literals such as ``3/4`` where that is one number of the text. Whoever asks
more freely where the values of equations come from (`draw_dataset.checks`, `draw_dataset.annotation`) finds the pieces,
decides for each, and writes something else in its place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from draw_dataset.core.alignment import Place, TextNumber
from draw_dataset.core.choices import Choices
from draw_dataset.core.derivation import Derivation, slot_letters
from draw_dataset.core.equations import (
    EVERY_NAME_UNKNOWN,
    Source,
    System,
    Token,
    join_equations,
    read_system,
    system_of,
    write,
)
from draw_dataset.core.exact import read_number
from draw_dataset.core.forms import SHORT, Form, find_literals, take_apart
from draw_dataset.core.limits import MAX_NAMES
from draw_dataset.core.template import UNKNOWNS, Template
from draw_dataset.errors import LimitError

POLICY = "constant only if no number fits"
"""How constants are treated; figures that rest on consistent derivations name it."""

ROUNDING = Fraction(1, 10_000)
"""How far, relatively, a literal may be from a number without a finite decimal, as .33333 is from 1/3."""


class Choice(NamedTuple):
    """A number of the text for a literal of the equations.

    Attributes:
        number: the number.
        with_sign: whether it stands for the literal and its minus sign together.
    """

    number: TextNumber
    with_sign: bool = False


def read_equations(equations: str | Sequence[str]) -> tuple[Source, Template]:
    """Return equations as tokens, and as a template without slots; every name is an unknown.

    Raises:
        ReadError: the text is not a system of equations; says where, expected and got.
        NotLinearError: an equation is not linear in the unknowns.
        LimitError: the text is larger than the bounds in `draw_dataset.core.limits`.
    """
    source, system = read_system(join_equations(equations), EVERY_NAME_UNKNOWN)
    return source, Template.read(source, system)


_CONSTANT = (None,)
"""All there is to choose for a literal that no number fits."""


@dataclass(frozen=True, slots=True)
class ConsistentDerivations:
    """All derivations that lead to given equations: counted at once, made one at a time.

    Attributes:
        text: the equations.
        form: what is left of them without their literals.
        literals: the literals as written.
        ways: the ways to choose a number that fits for each literal, or None for one that stays a constant.
    """

    text: str
    form: Form
    literals: tuple[str, ...]
    ways: Choices[Choice | None]

    @classmethod
    def of(cls, equations: str | Sequence[str], numbers: Iterable[TextNumber]) -> ConsistentDerivations:
        """Return those of equations that are only cut into tokens; whether they can be read, `check` says.

        Raises:
            ReadError: they are no text.
            LimitError: they are larger than the bounds in `draw_dataset.core.limits`.
        """
        text = join_equations(equations)
        form, literals = take_apart(text)
        by_value: dict[tuple[int, int], list[TextNumber]] = {}
        for number in sorted(numbers, key=_position):
            if number.value is not None:
                by_value.setdefault(number.value.as_integer_ratio(), []).append(number)
        options: list[tuple[Choice | None, ...]] = []
        for literal, signed in zip(literals, form.signed, strict=True):
            numerator, denominator = read_number(literal)
            found = [Choice(number) for number in by_value.get((numerator, denominator), ())]
            if signed and numerator:
                found += [Choice(number, True) for number in by_value.get((-numerator, denominator), ())]
            options.append(tuple(found) or _CONSTANT)
        return cls(text, form, literals, Choices(options))

    @property
    def source(self) -> Source:
        """The equations as tokens."""
        return Source(self.text, self.form.filled(self.literals), (), self.form.unknowns)

    def check(self) -> None:
        """Read the equations themselves.

        Raises:
            ReadError: they cannot be read.
            NotLinearError: they are not linear.
        """
        system_of(self.source)

    @property
    def count(self) -> int:
        """How many there are, exactly; at least one."""
        return self.ways.count

    @property
    def first(self) -> Derivation:
        """The one that takes the earliest number for every literal."""
        return next(iter(self))

    def nth(self, index: int) -> Derivation:
        """Return one by its rank in their order, from 0, without making the others.

        Raises:
            IndexError: there are not that many.
            NotLinearError: see `__iter__`.
        """
        return self._grounded(self.ways.nth(index))

    def __iter__(self) -> Iterator[Derivation]:
        """Yield the derivations in their order.

        Raises:
            NotLinearError: the equations are linear only because two literals are equal that came from two numbers.
        """
        return map(self._grounded, self.ways)

    def _grounded(self, way: Sequence[Choice | None]) -> Derivation:
        pairs = zip(self.form.at, way, strict=True)
        return ground(self.source, {at: choice for at, choice in pairs if choice is not None})

    def system(self, index: int) -> tuple[System, tuple[Place, ...]]:
        """Return the system of one by its rank, and the place of the number in each slot, without writing its template.

        Raises:
            IndexError: there are not that many.
            ReadError: the equations cannot be read, or not with these slots; `check` tells which.
            LimitError: there are more slots than a template may have.
        """
        slot_of: dict[Place, int] = {}
        filling: list[str | int] = []
        for literal, choice in zip(self.literals, self.ways.nth(index), strict=True):
            if choice is None:
                filling.append(literal)
            else:
                number, with_sign = choice
                slot = slot_of.setdefault((number.sentence, number.token), len(slot_of))
                filling.append(~slot if with_sign else slot)
        if len(slot_of) > MAX_NAMES:
            raise LimitError(f"expected at most {MAX_NAMES} different slots, but got {len(slot_of)}")
        short = len(self.text) <= SHORT
        read = _filled_form if short else _filled_form.__wrapped__
        system, vouches = read(self.form, tuple(filling), len(slot_of))
        if not (vouches and short):
            self.check()
        return system, tuple(slot_of)


_CONSTANT = (None,)
"""All there is to choose for a literal that no number fits."""


@lru_cache(maxsize=1 << 12)
def _filled_form(form: Form, filling: tuple[str | int, ...], slot_count: int) -> tuple[System, bool]:
    """Return the system of a form, and whether the equations can be read since it could.

    Args:
        form: the form.
        filling: what stands in the place of each literal: the literal, the number of a slot, or its complement for a
            slot that takes the literal's sign with it.
        slot_count: how many slots there are.
    """
    tokens: list[Token] = []
    vouches = "^" not in form.tokens
    start = 0
    for at, behind, filled in zip(form.at, form.behind_operand, filling, strict=True):
        tokens += form.tokens[start:at]
        start = at + 1
        if isinstance(filled, str):
            tokens.append(filled)
            continue
        if filled < 0:
            tokens.pop()
            filled = ~filled
        tokens.append(2 * filled)
        # A slot may stand right behind an operand, as in 2a; a number may not.
        vouches = vouches and not behind
    tokens += form.tokens[start:]
    # The names of slots make no difference to a system.
    system = system_of(Source("", tuple(tokens), ("",) * slot_count, form.unknowns))
    return system, vouches and not system.conditions


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


def _position(number: TextNumber) -> Place:
    return number.sentence or 0, number.token


def ground(source: Source, chosen: dict[int, Choice]) -> Derivation:
    """Return the derivation in which given literals are slots that hold given numbers.

    Args:
        source: the equations.
        chosen: the number for each literal, by the literal's token; other literals stay constants.

    Raises:
        LimitError: there are more slots than a template may have.
        NotLinearError: see `ConsistentDerivations.__iter__`.
    """
    slot_of: dict[Place, int] = {}
    numbers: list[TextNumber] = []
    tokens: list[Token] = []
    for at, token in enumerate(source.tokens):
        choice = chosen.get(at)
        if choice is None:
            tokens.append(token)
            continue
        if choice.with_sign:
            tokens.pop()
        slot = slot_of.setdefault(choice.number.place, len(numbers))
        if slot == len(numbers):
            numbers.append(choice.number)
        tokens.append(2 * slot)
    if len(numbers) > MAX_NAMES:
        raise LimitError(f"expected at most {MAX_NAMES} different slots, but got {len(numbers)}")
    names = slot_letters(len(numbers), {*source.unknowns, *UNKNOWNS})
    unwritten = Source("", tuple(tokens), names, source.unknowns)
    written = Source(write(unwritten, unwritten.name), unwritten.tokens, names, source.unknowns)
    return Derivation(Template.read(written, system_of(written)), dict(zip(names, numbers, strict=True)))


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
