"""The question: what do the answers to a problem and its variants say about its derivation.

Gold explains some of the answers: those are right. The best rival explains some. Every answer that is explained by
neither is a slip, or a derivation that nobody thought of.

* **right**: gold explains more than any rival; it explains all answers, or two or more and most of them, and the others
  may be slips.
* **wrong**: a rival explains more than gold, two answers or more; or so many answers are wrong that they cannot all be
  slips: somebody who slips in one answer of five would slip so often in less than one case of twenty.
* **undecided**: anything else.

A rival that differs from gold in numbers that never move gives gold's answers always: the verdict is up to these.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from fractions import Fraction
from math import comb

SLIPS = Fraction(1, 5)
"""The share of slips that is held to be possible."""

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
    may_slip = at_least(missed, answered, SLIPS) >= _LEVEL
    if gold > rival and (not missed or (gold >= 2 and gold > missed and may_slip)):
        return FromAnswers.RIGHT
    if answered and not may_slip:
        return FromAnswers.WRONG
    return FromAnswers.UNDECIDED


def at_least(slips: int, answered: int, rate: Fraction) -> Fraction:
    """Return how probable it is to slip so often or more.

    >>> float(at_least(3, 4, SLIPS)), at_least(0, 4, SLIPS)
    (0.0272, Fraction(1, 1))
    """
    ways = [comb(answered, k) * rate**k * (1 - rate) ** (answered - k) for k in range(slips, answered + 1)]
    return sum(ways, Fraction(0))


def share(values: Sequence[bool]) -> float:
    """Return the share of what is true; 0 of nothing."""
    return sum(values) / len(values) if values else 0.0
