"""Sentences for people: what a wrong derivation does differently from gold."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice

from draw_dataset.core.alignment import TextNumber
from draw_dataset.core.equivalence import all_slot_maps, find_difference
from draw_dataset.scoring.prediction import Prediction
from draw_dataset.scoring.reference import Reference

_MOST_MAPS = 200
"""Slot maps among which the one that agrees best is looked for."""


@dataclass(frozen=True, slots=True)
class WrongSlot:
    """A slot of a prediction that holds another number than gold's.

    Attributes:
        slot: the slot of the predicted template.
        held: the number in it.
        gold_slot: the slot of the gold template that it corresponds to.
        wanted: the number in that.
    """

    slot: str
    held: TextNumber
    gold_slot: str
    wanted: TextNumber


def explain_template(prediction: Prediction, reference: Reference) -> str:
    """Say how the predicted template differs from gold's."""
    difference = find_difference(prediction.template, reference.derivation.template, ("it", "gold"))
    return f"another template than gold: {difference.message}" if difference else "another template than gold"


def wrong_slots(prediction: Prediction, reference: Reference) -> list[WrongSlot]:
    """Return the slots that hold a wrong number, under the slot map that agrees with gold in most slots.

    There is none if the templates are not equivalent, or if the derivation is right.
    """
    template, gold = prediction.template, reference.derivation
    held = dict(zip(template.slots, prediction.places, strict=True))
    wanted = dict(zip(gold.template.slots, gold.places, strict=True))
    fewest: list[WrongSlot] | None = None
    for slot_map in islice(all_slot_maps(template, gold.template), _MOST_MAPS):
        wrong = [
            WrongSlot(slot, reference.by_place[held[slot]], slot_map[slot], gold.alignment[slot_map[slot]])
            for slot in template.slots
            if reference.classes.of_place(held[slot]) != reference.classes.of_place(wanted[slot_map[slot]])
        ]
        if fewest is None or len(wrong) < len(fewest):
            fewest = wrong
    return fewest or []


def explain_alignment(prediction: Prediction, reference: Reference) -> str:
    """Say which slot holds a wrong number, under the slot map that agrees with gold in most slots."""
    wrong = wrong_slots(prediction, reference)
    if not wrong:
        return "wrong number: the numbers of one class are used differently"
    first = wrong[0]
    more = f" (and {len(wrong) - 1} more)" if len(wrong) > 1 else ""
    return f"wrong number: slot {first.slot} takes {first.held} where gold takes {first.wanted}{more}"
