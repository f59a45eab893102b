"""The set-up of an answer: its equations and calculations, the values that it states, and what does not follow."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

from draw_dataset.core.exact import is_rounded
from draw_dataset.core.quantities import Coefficient, Literal, Node, SetUp
from draw_dataset.core.quantities.expressions import is_worded


@dataclass(frozen=True, slots=True)
class Slip:
    """A statement that does not follow from the set-up.

    Attributes:
        at: the statement.
        side: which side of it, from 0.
        expected: what comes out, where that is a number.
        got: what is stated.
    """

    at: int
    side: int
    expected: Fraction | None
    got: Fraction | None


@dataclass(slots=True)
class Worked(SetUp):
    """What an answer sets up, and what it does with it.

    Attributes:
        slips: the statements that do not follow.
        kinds: for each statement what it is.
        weak: pairs of sides that hold only if nothing else determines the unknowns.
        stated: the values that are stated of each name, and whether as a fraction.
        fits: whether the values stated last are those that the set-up gives.
        values: the values of quantities and results at the numbers of the text, if they are determined; the latest
            first.
        known: the values of the names, if they are determined.
        labels: how each class of numbers of the text is written.
    """

    slips: list[Slip] = field(default_factory=list)
    kinds: list[str] = field(default_factory=list)
    weak: list[tuple[Node, Node, int]] = field(default_factory=list)
    stated: dict[str, list[tuple[Fraction, bool]]] = field(default_factory=dict)
    fits: bool = False
    values: dict[Node, Fraction] = field(default_factory=dict)
    known: dict[str, Fraction] = field(default_factory=dict)
    labels: tuple[str, ...] = ()

    @property
    def is_solved(self) -> bool:
        """Whether the equations determine every letter of which a value is stated, and there is one."""
        letters = [name for name in self.stated if not is_worded(name)]
        return bool(self.equations and letters) and all(name in self.known for name in letters)


def nearly(value: Coefficient, stated: Fraction, literal: Literal) -> bool:
    """Decide whether a stated number equals a value, exactly or rounded to the digits that are written."""
    return is_rounded(Fraction(value), stated, literal.step / 100 if literal.percent else literal.step)


def exact(value: Coefficient | None) -> Fraction | None:
    """Return a value as a fraction, if there is one."""
    return None if value is None else Fraction(value)
