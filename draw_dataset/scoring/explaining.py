"""Sentences for people: what a wrong derivation does differently from gold."""

from __future__ import annotations

from itertools import islice

from draw_dataset.core.difference import find_difference
from draw_dataset.core.equivalence import all_slot_maps
from draw_dataset.scoring.prediction import Prediction
from draw_dataset.scoring.reference import Reference

_MOST_MAPS = 200
"""Slot maps among which the one that agrees best is looked for."""


def explain_template(prediction: Prediction, reference: Reference) -> str:
    """Say how the predicted template differs from gold's."""
    difference = find_difference(prediction.template, reference.derivation.template, ("it", "gold"))
    return f"another template than gold: {difference.message}" if difference else "another template than gold"


def explain_alignment(prediction: Prediction, reference: Reference) -> str:
    """Say which slot holds a wrong number, under the slot map that agrees with gold in most slots."""
    template, gold = prediction.template, reference.derivation
    held = dict(zip(template.slots, prediction.places, strict=True))
    wanted = dict(zip(gold.template.slots, gold.places, strict=True))
    fewest: list[str] | None = None
    for slot_map in islice(all_slot_maps(template, gold.template), _MOST_MAPS):
        wrong = [
            f"slot {slot} takes {reference.by_place[held[slot]]} where gold takes {gold.alignment[slot_map[slot]]}"
            for slot in template.slots
            if reference.classes.of_place(held[slot]) != reference.classes.of_place(wanted[slot_map[slot]])
        ]
        if fewest is None or len(wrong) < len(fewest):
            fewest = wrong
    if not fewest:
        return "wrong number: the numbers of one class are used differently"
    more = f" (and {len(fewest) - 1} more)" if len(fewest) > 1 else ""
    return f"wrong number: {fewest[0]}{more}"
