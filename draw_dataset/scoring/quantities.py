"""Grading by quantities (``match="quantities"``): does a template or q-notation determine the gold quantities.

Algorithm 1 is asked first: equivalent derivations determine the same quantities. A derivation that it refuses may still
determine the gold quantities: with auxiliary unknowns, with one unknown for two, in another unit, or without a number
that is 1. `core.quantities` decides that exactly, as for answers in prose. Members of one EquivTNum class are one
number here, so ``merge_equiv`` changes nothing. If gold determines no quantities, only Algorithm 1 decides.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from draw_dataset.core.equations import System
from draw_dataset.core.quantities import Agreement, GoldQuantities, SystemQuantities, agree_systems
from draw_dataset.scoring.reference import Classes, Reference


def gold_quantities(reference: Reference) -> GoldQuantities:
    """Return the gold quantities; made when they are first asked for."""
    known: GoldQuantities | None = reference.memory.get(GoldQuantities)
    if known is None:
        reference.memory[GoldQuantities] = known = GoldQuantities(reference.problem)
    return known


def agreement_with_gold(system: System, classes: Classes, reference: Reference) -> Agreement:
    """Return how much of the gold derivation a predicted system has.

    Args:
        system: the system.
        classes: the class of the number in each of its slots.
        reference: gold.
    """
    last: tuple[System, Classes, Agreement] | None = reference.memory.get(agreement_with_gold)
    if last is not None and last[0] is system and last[1] == classes:
        return last[2]  # an answer whose own result differs from that of its equations is judged twice
    gold = gold_quantities(reference)
    found = agree_systems(system, [gold.class_of[place] for place in classes], gold)
    reference.memory[agreement_with_gold] = system, classes, found
    return found


def agrees_with(system: System, classes: Classes, other: System, other_classes: Classes, reference: Reference) -> bool:
    """Say whether a predicted system determines the quantities of another one on the same numbers.

    Args:
        system: the predicted system.
        classes: the class of the number in each of its slots.
        other: the system that it is compared with.
        other_classes: the class of the number in each slot of that.
        reference: the problem whose numbers these are.
    """
    gold = gold_quantities(reference)
    wanted = SystemQuantities(other, [gold.class_of[place] for place in other_classes], gold.numbers, gold.ones)
    return agree_systems(system, [gold.class_of[place] for place in classes], wanted).complete


def breaking_sentence(agreement: Agreement, reference: Reference) -> str:
    """Say on which numbers a right result depends, as in "only because q3 is 2"; empty if there are none."""
    breaking = min((b for b in agreement.breaking.values() if b), key=len, default=())
    if not breaking:
        return ""
    gold = gold_quantities(reference)
    labels = [f"q{gold.classes.index(class_) + 1}" if class_ in gold.classes else "q?" for class_ in breaking]
    return because(labels, [gold.numbers[class_] for class_ in breaking])


def because(labels: Sequence[str], values: Sequence[Fraction]) -> str:
    """Return the numbers on which a right result depends, at most four of them.

    >>> because(["q3", "q4"], [Fraction(2), Fraction(1, 2)])
    'only because q3 is 2 and q4 is 1/2'
    """
    parts = [f"{label} is {short_number(value)}" for label, value in zip(labels[:4], values, strict=False)]
    return f"only because {' and '.join(parts)}{' …' if len(labels) > 4 else ''}"


def short_number(value: Fraction) -> str:
    """Return a number for a sentence: a fraction if it is a short one, else a decimal."""
    return str(value) if value.denominator < 1000 else f"{float(value):.6g}"
