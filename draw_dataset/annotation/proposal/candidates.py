"""Which derivations a question and its equations leave open, and what a person has to be asked to choose one.

Each value of the equations (a literal, or a quotient such as ``1/3`` if the text has one third) comes from somewhere.
Its *origins* are the numbers of the text that are equal to it, that are equal to it up to a unit, or of which it is a
rounding. A value that fits no number of the text is a constant; a few others may be constants (`values`). A value with
one origin is decided. A value with several is a question. Without any question the problem is annotated already.

A candidate is one origin for each value. They are counted without making them, and made one at a time (`core.choices`).
In the derivation of a candidate, values from the same number are one slot. A slot that cancels when the equations are
expanded, as the 2 of ``x - 2 + x + 2 = 36``, says nothing about the unknowns and stays a constant.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from types import MappingProxyType

from draw_dataset.annotation.proposal.values import PERCENT, Constancy, constancy, scales
from draw_dataset.core.algebra import factors
from draw_dataset.core.alignment import Place, TextNumber
from draw_dataset.core.choices import Choices
from draw_dataset.core.derivation import Derivation, slot_letters
from draw_dataset.core.equations import (
    EVERY_NAME_UNKNOWN,
    SolutionKind,
    Source,
    System,
    Token,
    join_equations,
    read_system,
    solve_grounded,
    system_of,
    token_spans,
    write,
)
from draw_dataset.core.limits import MAX_NAMES
from draw_dataset.core.references import Piece, find_pieces, is_rounding, replace_pieces
from draw_dataset.core.template import UNKNOWNS, Template
from draw_dataset.errors import AnnotationError, LimitError, NotLinearError, ReadError
from draw_dataset.text import locate_numbers

UNKNOWN_NAMES = tuple(sorted(UNKNOWNS))
"""The names of unknowns in the normal form, in their order."""

_OPPOSITE = Fraction(-1)
_ONE = Fraction(1)


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a value of equations comes from.

    Attributes:
        number: the number of the text; None for a constant.
        factor: what the number is multiplied by: 1, a unit such as 1/100, or -1 where a minus sign belongs to it.
    """

    number: TextNumber | None
    factor: Fraction = _ONE


CONSTANT = Origin(None)


@dataclass(frozen=True, slots=True)
class LiteralOrigins:
    """A value of equations and where it may come from.

    Attributes:
        start: its first character in the equations.
        end: the character after its last.
        text: the value as written.
        value: the exact value, without a sign.
        origins: where it may come from, at least one; in the order of the text, a constant last.
    """

    start: int
    end: int
    text: str
    value: Fraction
    origins: tuple[Origin, ...]

    @property
    def is_question(self) -> bool:
        """Whether a person has to say where it comes from."""
        return len(self.origins) > 1


@dataclass(frozen=True, slots=True)
class Proposal:
    """What a question and its equations leave open.

    Attributes:
        question: the text.
        equations: the equations as one text.
        numbers: the numbers of the text.
        literals: the values of the equations in their order, with their origins.
        source: the equations as tokens.
        pieces: for each of the literals, its tokens.
    """

    question: str
    equations: str
    numbers: tuple[TextNumber, ...]
    literals: tuple[LiteralOrigins, ...]
    source: Source
    pieces: tuple[Piece, ...]

    @property
    def questions(self) -> tuple[int, ...]:
        """The positions of the literals that a person has to decide."""
        return tuple(position for position, literal in enumerate(self.literals) if literal.is_question)

    @property
    def count(self) -> int:
        """How many candidates there are, exactly."""
        return self.ways.count

    @property
    def ways(self) -> Choices[Origin]:
        """The ways to choose one origin for each literal, in the order of the candidates."""
        return Choices([literal.origins for literal in self.literals])

    def derive(self, chosen: Mapping[int, Origin] = MappingProxyType({})) -> Derivation:
        """Return the derivation of given origins, the equations kept as written, in the normal form of its names.

        Args:
            chosen: origins by the positions of their literals; any other literal has its first one.

        Raises:
            AnnotationError: there is no such literal, or the equations are not linear with these origins.
        """
        for position in chosen:
            if not 0 <= position < len(self.literals):
                raise AnnotationError(f"expected a literal from 0 to {len(self.literals) - 1}, but got {position}")
        return self._ground([chosen.get(i, literal.origins[0]) for i, literal in enumerate(self.literals)])

    def origin(self, position: int, number: TextNumber | None) -> Origin:
        """Return the origin that a literal has if a person says that it comes from a number, or is a constant.

        A person may choose what was not proposed, if the values fit.

        Raises:
            AnnotationError: there is no such literal, or its value cannot come from that number.
        """
        if not 0 <= position < len(self.literals):
            raise AnnotationError(f"expected a literal from 0 to {len(self.literals) - 1}, but got {position}")
        if number is None:
            return CONSTANT
        fitting = _from_number(self.question, self.source.tokens, self.pieces[position], number)
        if fitting is None:
            literal = self.literals[position]
            raise AnnotationError(
                f"literal {literal.text}: expected a number of that value, in this or another unit, but got {number}, "
                f"which is {number.value}"
            )
        return fitting

    def nth(self, index: int) -> Derivation:
        """Return a candidate by its rank in their order, from 0, without making the others.

        Raises:
            IndexError: there are not that many.
        """
        return self._ground(self.ways.nth(index))

    def __iter__(self) -> Iterator[Derivation]:
        """Yield the candidates in their order, the last literal changing first."""
        return map(self._ground, self.ways)

    def _ground(self, origins: Sequence[Origin]) -> Derivation:
        while True:
            derivation, slots = self._written(origins)
            used = _used_slots(derivation.template.system)
            if len(used) == len(derivation.template.slots):
                return derivation
            origins = [
                CONSTANT if slot is not None and slot not in used else origin
                for origin, slot in zip(origins, slots, strict=True)
            ]

    def _written(self, origins: Sequence[Origin]) -> tuple[Derivation, list[int | None]]:
        """Return the derivation of given origins, cancelled slots included, and the slot of each literal."""
        tokens = self.source.tokens
        slot_of: dict[Place, int] = {}
        numbers: list[TextNumber] = []
        slots: list[int | None] = []
        places: list[Piece] = []
        new: list[Sequence[Token]] = []
        for piece, origin in zip(self.pieces, origins, strict=True):
            if origin.number is None:
                slots.append(None)
                continue
            slot = slot_of.setdefault(origin.number.place, len(numbers))
            if slot == len(numbers):
                numbers.append(origin.number)
            slots.append(slot)
            if origin.factor == _OPPOSITE:
                # The minus before it goes into the number: -21 and + (-21).
                places.append(replace(piece, start=piece.start - 1))
                new.append([2 * slot] if piece.signed else ["+", 2 * slot])
            else:
                places.append(piece)
                new.append(_multiplied(origin.factor, 2 * slot, tokens, piece))
        if len(numbers) > MAX_NAMES:
            raise LimitError(f"expected at most {MAX_NAMES} different slots, but got {len(numbers)}")
        names = slot_letters(len(numbers), set(UNKNOWNS))
        unknowns = UNKNOWN_NAMES[: len(self.source.unknowns)]
        unwritten = Source("", replace_pieces(self.source, places, new), names, unknowns)
        written = Source(write(unwritten, unwritten.name), unwritten.tokens, names, unknowns)
        try:
            template = Template.read(written, system_of(written))
        except NotLinearError as error:
            raise AnnotationError(f"equations: with these numbers chosen, {error}") from error
        return Derivation(template, dict(zip(names, numbers, strict=True))), slots


def propose(question: str, equations: str | Sequence[str], numbers: Iterable[TextNumber] | None = None) -> Proposal:
    """Return what a question and its equations leave open.

    >>> found = propose("Two numbers add up to 9 . One is 2 more than 2 times the other .", "x + y = 9; x = 2*y + 2")
    >>> found.count, [(found.literals[i].text, len(found.literals[i].origins)) for i in found.questions]
    (9, [('2', 3), ('2', 3)])
    >>> two = found.numbers
    >>> print(found.derive({1: Origin(two[3]), 2: Origin(two[2])}).q_notation())
    m + n = q2; m = q4*n + q3

    Args:
        question: the text.
        equations: the equations; every name in them is an unknown.
        numbers: the numbers of the text, if others are known than `find_numbers` finds.

    Raises:
        AnnotationError: the text has no number, or the equations cannot be read, are not linear, do not determine
            their unknowns or have more than three of them.
        LimitError: the text or the equations are larger than the bounds.
    """
    known = tuple(numbers) if numbers is not None else locate_numbers(question)[0]
    if not known:
        raise AnnotationError("question: expected at least one number, but got none")
    text, source = _read(equations)
    fitting = _Fitting(question, source, known)
    pieces = find_pieces(source, fitting.is_fraction)
    spans = token_spans(text)
    literals = []
    for piece in pieces:
        start, end = spans[piece.start][0], spans[piece.end - 1][1]
        literals.append(LiteralOrigins(start, end, text[start:end], piece.value, fitting.origins(piece)))
    return Proposal(question, text, known, tuple(literals), source, pieces)


def _read(equations: str | Sequence[str]) -> tuple[str, Source]:
    try:
        text = join_equations(equations)
        text = text if isinstance(equations, str) else "; ".join(equations)
        source, system = read_system(text, EVERY_NAME_UNKNOWN)
    except (ReadError, NotLinearError) as error:
        raise AnnotationError(f"equations: {error}") from error
    count = len(source.unknowns)
    if not 1 <= count <= len(UNKNOWN_NAMES):
        raise AnnotationError(f"equations: expected 1 to {len(UNKNOWN_NAMES)} unknowns, but got {count}")
    kind = solve_grounded(system, (), source.unknowns).kind
    if kind is not SolutionKind.UNIQUE:
        got = "none" if kind is SolutionKind.NONE else "infinitely many"
        raise AnnotationError(f"equations: expected one solution for {', '.join(source.unknowns)}, but got {got}")
    return text, source


class _Fitting:
    """Finds the numbers of one text that fit a value."""

    def __init__(self, question: str, source: Source, numbers: Sequence[TextNumber]) -> None:
        self._question = question
        self._tokens = source.tokens
        self._numbers = numbers
        self._values = {number.value for number in numbers}
        self._percentages = {n.value for n in numbers if n.value is not None and PERCENT in scales(question, n)}

    def is_fraction(self, value: Fraction) -> bool:
        """Say whether the text has a value as one number that is no whole one: 36/.6 is not the 60 of the text."""
        return value.denominator > 1 and value in self._values

    def origins(self, piece: Piece) -> tuple[Origin, ...]:
        sure = constancy(self._question, self._tokens, piece, self._percentages)
        if sure is Constancy.ALWAYS:
            return (CONSTANT,)
        fitting = [_from_number(self._question, self._tokens, piece, number) for number in self._numbers]
        # A unit is thought of only where no number has the value itself; a percentage is always thought of.
        found = [o for o in fitting if o is not None and o.factor in (_ONE, _OPPOSITE, PERCENT)]
        found = found or [o for o in fitting if o is not None]
        if not found or sure is Constancy.PERHAPS:
            found.append(CONSTANT)
        return tuple(found)


def _from_number(question: str, tokens: Sequence[Token], piece: Piece, number: TextNumber) -> Origin | None:
    """Return the origin of a value in a number of the text, or None if they do not fit."""
    value = number.value
    if value is None:
        return None
    if value == piece.value:
        return Origin(number)
    if value == -piece.value and _has_minus(tokens, piece):
        return Origin(number, _OPPOSITE)
    if piece.value and value:
        for scale in scales(question, number):
            if value * scale == piece.value:
                return Origin(number, scale)
    return Origin(number) if is_rounding(piece.value, value) else None


def _has_minus(tokens: Sequence[Token], piece: Piece) -> bool:
    """Say whether a minus stands before a value that can go into it; that of ``-3^2`` is the power's."""
    before = tokens[piece.start - 1] if piece.start else ""
    after = tokens[piece.end] if piece.end < len(tokens) else ""
    return before == "-" and after != "^"


def _multiplied(factor: Fraction, slot: int, tokens: Sequence[Token], piece: Piece) -> Sequence[Token]:
    if factor == 1:
        return [slot]
    written: list[Token]
    if factor == PERCENT:
        written = ["0.01", "*", slot]
    elif factor.denominator == 1:
        written = [str(factor.numerator), "*", slot]
    else:
        written = [slot, "/", str(factor.denominator)]
    before = tokens[piece.start - 1] if piece.start else ""
    after = tokens[piece.end] if piece.end < len(tokens) else ""
    return ["(", *written, ")"] if before in ("/", "-") or after == "^" else written


def _used_slots(system: System) -> set[int]:
    """Return the slots that are left when the equations are expanded."""
    used = {slot for terms in system.terms for _, _, slots in terms for slot in slots}
    for condition in system.conditions:
        used.update(slot for entry in condition for monomial in entry for slot in factors(monomial))
    return used
