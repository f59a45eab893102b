"""Candidate derivations of a question and its equations, and the questions that a person must answer to choose one.

The *origins* of a value of the equations are the numbers of the text that equal it, perhaps up to a unit, or of which
it is a rounding. A value without origin is a constant, one with several is a question. A candidate is one origin for
each value. A slot that cancels, as the 2 of ``x - 2 + x + 2 = 36``, stays a constant.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from fractions import Fraction
from types import MappingProxyType

from draw_dataset.algebra.grammar import DIGITS, EVERY_NAME_UNKNOWN, Source, Token, join_equations, token_spans, write
from draw_dataset.algebra.limits import MAX_NAMES
from draw_dataset.algebra.number import read_number
from draw_dataset.algebra.polynomial import factors
from draw_dataset.algebra.solution import SolutionKind, solve_grounded
from draw_dataset.algebra.system import System, read_system, system_of
from draw_dataset.derivation.consistent import Choices, Piece, find_pieces, is_rounding, replace_pieces
from draw_dataset.derivation.derivation import Derivation, Place, TextNumber, slot_letters
from draw_dataset.derivation.template import UNKNOWNS, Template
from draw_dataset.errors import AnnotationError, LimitError, NotLinearError, ReadError
from draw_dataset.text.numbers import locate_numbers
from draw_dataset.text.units import COUNTED, conversion, name_of_constant, spellings

# Constants: some habits of those who write equations show in their form, although a number of the text has the value.
# The 1 of a reciprocal (``1/45 + 1/30``) and the .01 that multiplies a percentage are always constants. The 1 that a
# sum of reciprocals equals (the whole of a job), and the 10 of ``10*x + y`` in a text about digits, may be constants.
#
# A value that no number of the text has is a constant. If it is not a well-known one, a number of the text may have
# been read wrongly (3,40), or worked out in the head (2.5 hours from 9:15 to 11:45), so a person is asked.
#
# Reciprocals: "half of x" may stand as x/2, and "25 % of 80" as 80/4. A value that is divided by may come from a number
# of which it is the reciprocal, unless another value needs that number; a person is asked.
#
# Units: "4 %" may stand as .04, "$2.50" as 250, "30 minutes" as one half; the words around a number say what is
# possible.


PERCENT = Fraction(1, 100)

_DIGITS_OF_A_NUMBER = re.compile(r"digit", re.IGNORECASE)
_ENDS = frozenset("=;")
_PLACES = (10, 100, 1000)


class Constancy(Enum):
    """The certainty that a value is a constant."""

    NEVER = "never"
    """Not if a number of the text fits."""
    PERHAPS = "perhaps"
    ALWAYS = "always"


def constancy(
    question: str, tokens: Sequence[Token], piece: Piece, percentages: Collection[Fraction] = ()
) -> Constancy:
    """Decide whether a piece of equations is a constant although numbers of the text fit it."""
    if piece.value == 1 and piece.end == piece.start + 1:
        if _token(tokens, piece.end) == "/":
            return Constancy.ALWAYS
        is_side = _token(tokens, piece.start - 1) in _ENDS and _token(tokens, piece.end) in _ENDS
        if is_side and _has_reciprocal(tokens, piece):
            return Constancy.PERHAPS
    if piece.value == PERCENT and _multiplies(tokens, piece, lambda token: _value(token) in percentages):
        return Constancy.ALWAYS
    if (
        piece.value in _PLACES
        and _multiplies(tokens, piece, lambda token: isinstance(token, int))
        and _DIGITS_OF_A_NUMBER.search(question)
    ):
        return Constancy.PERHAPS
    return Constancy.NEVER


_PLAIN = frozenset(Fraction(value) for value in (0, 1, 2, 10, 60, 100, 1000))
AVERAGE = re.compile(r"\baverage\b|\bmean\b", re.IGNORECASE)
_NEIGHBOURS = re.compile(r"\b(?:consecutive|successive|odd|even)\b", re.IGNORECASE)


def is_well_known(value: Fraction, question: str, numbers: Sequence[TextNumber]) -> bool:
    """Decide whether a value that no number of the text has needs no explanation.

    Well known are 1, 2, 10, 60, 100 and their like, constants of units and shapes that the text mentions, the number of
    values that are averaged, and distances between consecutive numbers.

    >>> [is_well_known(Fraction(value), "A 90 km ride took her from 9:15 to 11:45 .", ()) for value in ("60", "2.5")]
    [True, False]
    """
    if value in _PLAIN or (value and 1 / value in _PLAIN) or name_of_constant(value, question) is not None:
        return True
    if value.denominator > 1:
        return False
    # One of those that are averaged may be the unknown.
    averaged = value <= len(numbers) + 1 and AVERAGE.search(question) is not None
    return averaged or (value <= COUNTED and _NEIGHBOURS.search(question) is not None)


def _token(tokens: Sequence[Token], at: int) -> Token:
    return tokens[at] if 0 <= at < len(tokens) else ";"


def _has_reciprocal(tokens: Sequence[Token], piece: Piece) -> bool:
    start = end = piece.start
    while _token(tokens, start - 1) != ";":
        start -= 1
    while _token(tokens, end) != ";":
        end += 1
    return any(tokens[i] == "/" and _value(tokens[i - 1]) == 1 for i in range(start + 1, end))


def _multiplies(tokens: Sequence[Token], piece: Piece, what: Callable[[Token], bool]) -> bool:
    after, before = _token(tokens, piece.end), _token(tokens, piece.start - 1)
    if isinstance(after, int):
        return what(after)
    if after == "*" and what(_token(tokens, piece.end + 1)):
        return True
    return before == "*" and what(_token(tokens, piece.start - 2))


def _value(token: Token) -> Fraction | None:
    return Fraction(*read_number(token)) if isinstance(token, str) and token[0] in DIGITS else None


_HUNDRED = Fraction(100)

_AFTER: dict[str, Fraction] = {
    word: factor
    for unit, other in (
        ("cent", "dollar"), ("dollar", "cent"), ("minute", "hour"), ("hour", "minute"), ("inch", "foot"),
        ("foot", "inch"), ("month", "year"), ("year", "month"), ("percent", "fraction"),
    )
    if (factor := conversion(unit, other)) is not None
    for word in spellings([unit])
} | dict.fromkeys(("per cent", "pct", "c"), PERCENT)  # fmt: skip

_COIN = re.compile(r"(?:penn|nickel|dime|quarter)", re.IGNORECASE)
_WORD_AFTER = re.compile(r"[\s-]*(%|¢|per\s+cent\b|[a-z]+)", re.IGNORECASE)
_DOLLAR_BEFORE = re.compile(r"\$\s*$")


def unit_factors(question: str, number: TextNumber) -> tuple[Fraction, ...]:
    """Return the factors, other than 1, by which a number may be multiplied in equations.

    >>> text = "Mix 20 L of a 4 % acid for $ 3 in 30 minutes ."
    >>> numbers = [TextNumber(0, 0, start=s, end=e) for s, e in [(4, 6), (14, 15), (29, 30)]]
    >>> [[str(factor) for factor in unit_factors(text, number)] for number in numbers]
    [[], ['1/100'], ['100']]
    """
    if number.start is None or number.end is None:
        return ()
    if _DOLLAR_BEFORE.search(question, max(0, number.start - 4), number.start) or _COIN.match(number.text):
        return (_HUNDRED,)
    after = _WORD_AFTER.match(question, number.end)
    factor = _AFTER.get(" ".join(after.group(1).lower().split())) if after else None
    return () if factor is None else (factor,)


UNKNOWN_NAMES = tuple(sorted(UNKNOWNS))

_OPPOSITE = Fraction(-1)
_ONE = Fraction(1)


@dataclass(frozen=True, slots=True)
class Origin:
    """The origin of a value of equations."""

    number: TextNumber | None  # None for a constant
    factor: Fraction = _ONE  # 1, a unit such as 1/100, or -1 where a minus sign belongs to the number
    is_reciprocal: bool = False  # whether dividing by the value is multiplying by the number: x/2 is half of x


CONSTANT = Origin(None)


@dataclass(frozen=True, slots=True)
class LiteralOrigins:
    """A value of equations and its possible origins."""

    start: int  # its first character in the equations
    end: int  # the character after its last
    text: str  # the value as written
    value: Fraction  # the exact value, without a sign
    origins: tuple[Origin, ...]  # where it may come from, at least one; in the order of the text, a constant last
    is_unexplained: bool = False  # whether it is a constant that is neither in the text nor well known

    @property
    def is_question(self) -> bool:
        """Whether a person has to choose or confirm the origin."""
        return len(self.origins) > 1 or self.is_unexplained


@dataclass(frozen=True, slots=True)
class Proposal:
    """The origins of all values of some equations, and with them all candidates."""

    question: str
    equations: str  # as one text
    numbers: tuple[TextNumber, ...]
    literals: tuple[LiteralOrigins, ...]  # the values of the equations in their order, with their origins
    source: Source  # the equations as tokens
    pieces: tuple[Piece, ...]  # for each of the literals, its tokens

    @property
    def questions(self) -> tuple[int, ...]:
        """The positions of the literals that a person has to decide."""
        return tuple(position for position, literal in enumerate(self.literals) if literal.is_question)

    @property
    def count(self) -> int:
        """The number of candidates."""
        return self.ways.count

    @property
    def ways(self) -> Choices[Origin]:
        """The ways to choose one origin for each literal, in the order of the candidates."""
        return Choices([literal.origins for literal in self.literals])

    def derive(self, chosen: Mapping[int, Origin] = MappingProxyType({})) -> Derivation:
        """Return the derivation of given origins, the equations kept as written, in the normal form of its names."""
        for position in chosen:
            self._check_position(position)
        return self._ground([chosen.get(i, literal.origins[0]) for i, literal in enumerate(self.literals)])

    def origin(self, position: int, number: TextNumber | None) -> Origin:
        """Return the origin of a literal that a person chose, if the values fit, proposed or not."""
        self._check_position(position)
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

    def _check_position(self, position: int) -> None:
        if not 0 <= position < len(self.literals):
            raise AnnotationError(f"expected a literal from 0 to {len(self.literals) - 1}, but got {position}")

    def nth(self, index: int) -> Derivation:
        """Return a candidate by its rank in their order, from 0, without making the others."""
        return self._ground(self.ways.nth(index))

    def __iter__(self) -> Iterator[Derivation]:
        """Yield the candidates in their order, the last literal changing first."""
        return map(self._ground, self.ways)

    def _ground(self, origins: Sequence[Origin]) -> Derivation:
        while True:
            derivation, slots = self._write(origins)
            used = _find_used_slots(derivation.template.system)
            if len(used) == len(derivation.template.slots):
                return derivation
            origins = [
                CONSTANT if slot is not None and slot not in used else origin
                for origin, slot in zip(origins, slots, strict=True)
            ]

    def _write(self, origins: Sequence[Origin]) -> tuple[Derivation, list[int | None]]:
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
            elif origin.is_reciprocal:
                # The sign before it turns round: x/2 and x*q1.
                places.append(replace(piece, start=piece.start - 1))
                new.append(["*", *_write_product(origin.factor, 2 * slot)])
            else:
                places.append(piece)
                new.append(_write_in_place(origin.factor, 2 * slot, tokens, piece))
        if len(numbers) > MAX_NAMES:
            raise LimitError(f"expected at most {MAX_NAMES} different slots, but got {len(numbers)}")
        names = slot_letters(len(numbers), set(UNKNOWNS))
        unknowns = UNKNOWN_NAMES[: len(self.source.unknowns)]
        unwritten = Source("", replace_pieces(self.source, places, new), names, unknowns)
        written = Source(write(unwritten, unwritten.name), unwritten.tokens, names, unknowns)
        try:
            template = Template.from_system(written, system_of(written))
        except NotLinearError as error:
            raise AnnotationError(f"equations: with these numbers chosen, {error}") from error
        return Derivation(template, dict(zip(names, numbers, strict=True))), slots


def propose(question: str, equations: str | Sequence[str], numbers: Iterable[TextNumber] | None = None) -> Proposal:
    """Return the origins that a question and its equations leave open. Every name in them is an unknown.

    >>> found = propose("Two numbers add up to 9 . One is 2 more than 2 times the other .", "x + y = 9; x = 2*y + 2")
    >>> found.count, [(found.literals[i].text, len(found.literals[i].origins)) for i in found.questions]
    (9, [('2', 3), ('2', 3)])
    >>> two = found.numbers
    >>> print(found.derive({1: Origin(two[3]), 2: Origin(two[2])}).q_notation())
    m + n = q2; m = q4*n + q3
    """
    known = tuple(numbers) if numbers is not None else locate_numbers(question)[0]
    if not known:
        raise AnnotationError("question: expected at least one number, but got none")
    text, source = _read(equations)
    fitting = _Fitting(question, source, known)
    pieces = find_pieces(source, fitting.is_fraction)
    spans = token_spans(text)
    literals = []
    for piece, origins in zip(pieces, fitting.origins(pieces), strict=True):
        start, end = spans[piece.start][0], spans[piece.end - 1][1]
        unexplained = origins == (CONSTANT,) and not is_well_known(piece.value, question, known)
        literals.append(LiteralOrigins(start, end, text[start:end], piece.value, origins, unexplained))
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
        listed = f": {', '.join(source.unknowns[:_NAMED])}" if count else ""
        advice = "replace one of them by what it equals" if count else "write a name for what is asked, as x = 3 + 4"
        raise AnnotationError(
            f"equations: expected 1 to {len(UNKNOWN_NAMES)} unknowns, but got {count}{listed}; {advice}"
            f"{_advise_on_names(source.unknowns)}"
        )
    kind = solve_grounded(system, (), source.unknowns).kind
    if kind is not SolutionKind.UNIQUE:
        got = "none" if kind is SolutionKind.NONE else "infinitely many"
        raise AnnotationError(
            f"equations: expected one solution for {', '.join(source.unknowns)}, but got {got}"
            f"{_advise_on_names(source.unknowns)}"
        )
    return text, source


_NAMED = 8  # unknowns in a message
_TIMES = re.compile(r"[xX]\d+")


def _advise_on_names(unknowns: Sequence[str]) -> str:
    """Return advice if an unknown may be a sign of multiplication: 4x3 is read as 4 times an unknown x3."""
    name = next((name for name in unknowns if _TIMES.fullmatch(name)), None)
    return (
        "" if name is None else f"; {name} is read as the name of an unknown: write a product with *, as 4*{name[1:]}"
    )


class _Fitting:
    """Finds the numbers of one text that fit a value."""

    def __init__(self, question: str, source: Source, numbers: Sequence[TextNumber]) -> None:
        self._question = question
        self._tokens = source.tokens
        self._numbers = numbers
        self._values = {number.value for number in numbers}
        self._percentages = {n.value for n in numbers if n.value is not None and PERCENT in unit_factors(question, n)}

    def is_fraction(self, value: Fraction) -> bool:
        """Return True if the text has a value as one fractional number: 36/.6 is not the 60 of the text."""
        return value.denominator > 1 and value in self._values

    def origins(self, pieces: Sequence[Piece]) -> list[tuple[Origin, ...]]:
        """Return the origins of each piece."""
        found = [self._direct(piece) for piece in pieces]
        needed = {origins[0].number.place for origins in found if len(origins) == 1 and origins[0].number is not None}
        free = [number for number in self._numbers if number.place not in needed]
        return [self._with_reciprocals(*each, free) for each in zip(pieces, found, strict=True)]

    def _with_reciprocals(
        self, piece: Piece, origins: tuple[Origin, ...], free: Sequence[TextNumber]
    ) -> tuple[Origin, ...]:
        """Return the origins of a piece, with those numbers of which it may be the reciprocal, in their order."""
        inverse = [_from_reciprocal(self._question, self._tokens, piece, number) for number in free]
        found = {o.number.place: o for o in (*inverse, *origins) if o is not None and o.number is not None}
        ordered = [found[number.place] for number in self._numbers if number.place in found]
        return (*ordered, *(o for o in origins if o.number is None))

    def _direct(self, piece: Piece) -> tuple[Origin, ...]:
        sure = constancy(self._question, self._tokens, piece, self._percentages)
        if sure is Constancy.ALWAYS:
            return (CONSTANT,)
        fitting = [_from_value(self._question, self._tokens, piece, number) for number in self._numbers]
        # A unit is thought of only where no number has the value itself; a percentage is always thought of.
        found = [o for o in fitting if o is not None and o.factor in (_ONE, _OPPOSITE, PERCENT)]
        found = found or [o for o in fitting if o is not None]
        if not found or sure is Constancy.PERHAPS:
            found.append(CONSTANT)
        return tuple(found)


def _from_number(question: str, tokens: Sequence[Token], piece: Piece, number: TextNumber) -> Origin | None:
    """Return the origin of a value in a number of the text, or None if they do not fit."""
    return _from_value(question, tokens, piece, number) or _from_reciprocal(question, tokens, piece, number)


def _from_reciprocal(question: str, tokens: Sequence[Token], piece: Piece, number: TextNumber) -> Origin | None:
    """Return the origin of a value that is divided by, if a number of the text is its reciprocal."""
    after = tokens[piece.end] if piece.end < len(tokens) else ""
    if number.value is None or piece.value == 1 or not piece.start or tokens[piece.start - 1] != "/" or after == "^":
        return None
    for scale in (_ONE, PERCENT):
        if number.value * scale * piece.value == 1 and (scale == 1 or scale in unit_factors(question, number)):
            return Origin(number, scale, is_reciprocal=True)
    return None


def _from_value(question: str, tokens: Sequence[Token], piece: Piece, number: TextNumber) -> Origin | None:
    value = number.value
    if value is None:
        return None
    if value == piece.value:
        return Origin(number)
    if value == -piece.value and _has_minus(tokens, piece):
        return Origin(number, _OPPOSITE)
    if piece.value and value:
        for scale in unit_factors(question, number):
            if value * scale == piece.value:
                return Origin(number, scale)
    return Origin(number) if is_rounding(piece.value, value) else None


def _has_minus(tokens: Sequence[Token], piece: Piece) -> bool:
    """Return True if a minus before a value can go into it; that of ``-3^2`` is the power's."""
    before = tokens[piece.start - 1] if piece.start else ""
    after = tokens[piece.end] if piece.end < len(tokens) else ""
    return before == "-" and after != "^"


def _write_product(factor: Fraction, slot: int) -> list[Token]:
    if factor == 1:
        return [slot]
    if factor == PERCENT:
        return ["0.01", "*", slot]
    if factor.denominator == 1:
        return [str(factor.numerator), "*", slot]
    return [slot, "/", str(factor.denominator)]


def _write_in_place(factor: Fraction, slot: int, tokens: Sequence[Token], piece: Piece) -> Sequence[Token]:
    written = _write_product(factor, slot)
    before = tokens[piece.start - 1] if piece.start else ""
    after = tokens[piece.end] if piece.end < len(tokens) else ""
    return ["(", *written, ")"] if len(written) > 1 and (before in ("/", "-") or after == "^") else written


def _find_used_slots(system: System) -> set[int]:
    """Return the slots that are left when the equations are expanded."""
    used = {slot for terms in system.terms for _, _, slots in terms for slot in slots}
    for condition in system.conditions:
        used.update(slot for entry in condition for monomial in entry for slot in factors(monomial))
    return used
