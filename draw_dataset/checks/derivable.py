"""Whether a gold derivation can have been read from the gold equations.

Every slot of the gold template holds a number; every literal of the equations is a value. A *reading* says of each
literal which slot it came from, or that it is a constant. The gold derivation is derivable if under some reading the
equations have the solutions of the gold template, as functions of the slots, and every slot is used.

A reading is more generous than a consistent derivation (`draw_dataset.core.references`), because annotators were: a
literal may stay a constant though a number of its value stands in the text, and may come from a slot whose value is
another form of it (`FORMS`); a quotient of literals such as ``3/4`` may come from one slot that holds 3/4. EquivTNum
needs no search: another number of a class leads to the same slot.

The equations are solved for each reading at one point of a prime field; one that gives the gold solution there is
proved by exact comparison.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from draw_dataset.core.algebra import POINT, PRIME
from draw_dataset.core.choices import Choices
from draw_dataset.core.derivation import Derivation
from draw_dataset.core.equations import Source, System, Token, regular_point, system_of
from draw_dataset.core.equivalence import same_solutions
from draw_dataset.core.references import Piece, find_pieces, is_rounding, read_equations, replace_pieces
from draw_dataset.errors import LimitError

MAX_READINGS = 200_000
"""How many readings of one problem are tried."""

MAX_PROOFS = 2_000
"""How many exact comparisons are tried for one problem; only a system that is not regular needs more than a few."""

FORMS = (Fraction(-1), Fraction(1, 100), Fraction(100))
"""Factors between a number and a literal that comes from it: the opposite, a percentage, an amount in cents."""


@dataclass(frozen=True, slots=True)
class _Meaning:
    """What a piece is under a reading: `factor` times a slot, or the constant `factor` if there is no slot."""

    slot: int | None
    factor: Fraction


def is_derivable(equations: Sequence[str], gold: Derivation) -> bool:
    """Say whether some reading of the equations is the gold derivation.

    Args:
        equations: the gold equations; every name in them is an unknown.
        gold: the gold derivation.

    Raises:
        ReadError: the equations cannot be read.
        NotLinearError: they are not linear when their literals are slots.
        LimitError: there are more readings than `MAX_READINGS`.
    """
    source, _ = read_equations(equations)
    if len(source.unknowns) != len(gold.template.unknowns):
        return False
    values = [gold.alignment[slot].value for slot in gold.template.slots]
    pieces = find_pieces(source)
    joined = find_pieces(source, lambda value: value in values)
    ways = [pieces] if joined == pieces else [pieces, joined]
    return any(_has_reading(source, way, values, gold) for way in ways)


def _has_reading(source: Source, pieces: Sequence[Piece], values: Sequence[Fraction | None], gold: Derivation) -> bool:
    readings = Choices([_meanings(piece.value, values) for piece in pieces])
    if readings.count > MAX_READINGS:
        raise LimitError(f"expected at most {MAX_READINGS} readings of the equations, but got more")
    everything = set(range(len(values)))
    proofs = 0
    for reading in _promising(source, pieces, readings, gold):
        if {meaning.slot for meaning in reading} - {None} != everything:
            continue
        proofs += 1
        if proofs > MAX_PROOFS:
            raise LimitError(f"expected at most {MAX_PROOFS} readings to compare exactly, but got more")
        system = system_of(_written(source, pieces, reading, gold.template.slots))
        if same_solutions(system, gold.template.system, tuple(range(len(values)))):
            return True
    return False


def _meanings(value: Fraction, values: Sequence[Fraction | None]) -> list[_Meaning]:
    found: list[_Meaning] = []
    for slot, known in enumerate(values):
        if known is None:
            continue
        if known == value or is_rounding(value, known):
            found.append(_Meaning(slot, Fraction(1)))
        elif value:
            found += [_Meaning(slot, form) for form in FORMS if known * form == value]
    return [*found, _Meaning(None, value)]


def _promising(
    source: Source, pieces: Sequence[Piece], readings: Choices[_Meaning], gold: Derivation
) -> Iterator[tuple[_Meaning, ...]]:
    """Yield the readings that give the gold solution at one point; all of them if the point decides nothing."""
    wanted = _solution_at(gold.template.system, POINT)
    generic = _generic_system(source, pieces)
    residue_of = {meaning: _residue(meaning) for options in readings.options for meaning in options}
    for reading in readings:
        found = _solution_at(generic, [residue_of[meaning] for meaning in reading])
        if wanted is None or found is None or found == wanted:
            yield reading


def _solution_at(system: System, point: Sequence[int]) -> list[int] | None:
    vector = regular_point(system, point)
    if vector is None:
        return None
    inverse = pow(vector[-1], -1, PRIME)
    return sorted(h * inverse % PRIME for h in vector[:-1])


def _residue(meaning: _Meaning) -> int:
    factor = meaning.factor.numerator * pow(meaning.factor.denominator, -1, PRIME)
    return factor * (1 if meaning.slot is None else POINT[meaning.slot]) % PRIME


def _generic_system(source: Source, pieces: Sequence[Piece]) -> System:
    """Return the equations with a slot of its own for every piece."""
    slots: list[list[Token]] = [[2 * i] for i in range(len(pieces))]
    names = tuple(f"piece{i}" for i in range(len(pieces)))
    return system_of(Source(source.text, replace_pieces(source, pieces, slots), names, source.unknowns))


def _written(source: Source, pieces: Sequence[Piece], reading: Sequence[_Meaning], slots: tuple[str, ...]) -> Source:
    """Return the equations with every piece replaced by what it is under a reading."""
    written: list[list[Token]] = []
    for meaning in reading:
        factor = meaning.factor
        sign: list[Token] = ["-"] if factor < 0 else []
        slot: list[Token] = [] if meaning.slot is None else ["*", 2 * meaning.slot]
        written.append(["(", *sign, str(abs(factor.numerator)), *slot, "/", str(factor.denominator), ")"])
    return Source(source.text, replace_pieces(source, pieces, written), slots, source.unknowns)
