"""The question: what do the answers to a problem and its variants say about its derivation.

Gold explains some of the answers: those are right. The best rival explains some. Every answer that is explained by
neither is a slip, or a derivation that nobody thought of.

* **right**: gold explains more than any rival, and what it does not explain may be slips: as many would happen by
  chance, in more than one case of twenty, to somebody who slips in one answer of twenty.
* **wrong**: a rival explains more than gold, two answers or more; or so many answers are wrong that they would be slips
  in less than one case of twenty even for somebody who slips in one answer of five.
* **undecided**: anything else.

A rival that differs from gold in numbers that never move gives gold's answers always: the verdict is up to these.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from fractions import Fraction
from math import comb

FEW_SLIPS = Fraction(1, 20)
"""The share of slips that a right derivation is allowed."""

MANY_SLIPS = Fraction(1, 5)
"""The share of slips that is held to be possible at all."""

_LEVEL = Fraction(1, 20)


class FromAnswers(StrEnum):
    """What is said about a derivation by the answers alone; the codes are stable."""

    RIGHT = "right"
    WRONG = "wrong"
    UNDECIDED = "undecided"


def decide(gold: int, rival: int, answered: int) -> FromAnswers:
    """Return what the answers say.

    >>> [str(decide(*counts)) for counts in ((4, 1, 4), (3, 1, 4), (1, 4, 4), (0, 0, 4), (2, 1, 4), (1, 1, 1))]
    ['right', 'right', 'wrong', 'wrong', 'undecided', 'undecided']

    Args:
        gold: how many answers gold explains.
        rival: how many the best rival explains.
        answered: how many answers there are.
    """
    missed = answered - gold
    if rival > gold and rival >= 2:
        return FromAnswers.WRONG
    if gold > rival and at_least(missed, answered, FEW_SLIPS) >= _LEVEL:
        return FromAnswers.RIGHT
    if answered and at_least(missed, answered, MANY_SLIPS) < _LEVEL:
        return FromAnswers.WRONG
    return FromAnswers.UNDECIDED


def at_least(slips: int, answered: int, rate: Fraction) -> Fraction:
    """Return how probable it is to slip so often or more.

    >>> float(at_least(1, 4, FEW_SLIPS)), at_least(0, 4, FEW_SLIPS)
    (0.18549375, Fraction(1, 1))
    """
    ways = [comb(answered, k) * rate**k * (1 - rate) ** (answered - k) for k in range(slips, answered + 1)]
    return sum(ways, Fraction(0))


def share(values: Sequence[bool]) -> float:
    """Return the share of what is true; 0 of nothing."""
    return sum(values) / len(values) if values else 0.0
