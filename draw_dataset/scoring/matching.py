"""Whether a derivation is a reference, by Algorithm 1 or with equivalent numbers merged."""

from __future__ import annotations

from functools import lru_cache

from draw_dataset.core.alignment import Place
from draw_dataset.core.equations import System, merge_slots
from draw_dataset.core.equivalence import match_slots

Classes = tuple[Place, ...]
"""The class of the number in each slot of a template."""


def matches(predicted: System, predicted_classes: Classes, gold: System, gold_classes: Classes, merge: bool) -> bool:
    """Say whether two derivations are equivalent.

    Args:
        predicted: the system of one.
        predicted_classes: the classes in its slots.
        gold: the system of the other.
        gold_classes: the classes in its slots.
        merge: whether slots that hold numbers of one class are taken for one slot.
    """
    if merge:
        predicted, predicted_classes = merged(predicted, predicted_classes)
        gold, gold_classes = merged(gold, gold_classes)
    return match_slots(predicted, predicted_classes, gold, gold_classes) is not None


def merged(system: System, classes: Classes) -> tuple[System, Classes]:
    """Return a system in which each class has one slot, and the classes."""
    different = tuple(dict.fromkeys(classes))
    if len(different) == len(classes):
        return system, classes
    number = {c: i for i, c in enumerate(different)}
    return _merged(system, tuple([number[c] for c in classes])), different


_merged = lru_cache(maxsize=1 << 12)(merge_slots)
