"""Equivalence of templates and of derivations: whether two are the same, how, why not, and groups of many."""

from draw_dataset.core.equivalence.derivations import (
    derivations_equivalent,
    find_derivation_slot_map,
    match_slots,
    same_solutions,
)
from draw_dataset.core.equivalence.difference import Difference, Witness, find_difference
from draw_dataset.core.equivalence.expansion import expand, normal_form
from draw_dataset.core.equivalence.templates import (
    Reconciliation,
    SlotMap,
    TemplateGroup,
    TemplateLike,
    all_slot_maps,
    canonical_key,
    canonical_slots,
    find_slot_map,
    reconcile,
    templates_equivalent,
)

__all__ = [
    "Difference",
    "Reconciliation",
    "SlotMap",
    "TemplateGroup",
    "TemplateLike",
    "Witness",
    "all_slot_maps",
    "canonical_key",
    "canonical_slots",
    "derivations_equivalent",
    "expand",
    "find_derivation_slot_map",
    "find_difference",
    "find_slot_map",
    "match_slots",
    "normal_form",
    "reconcile",
    "same_solutions",
    "templates_equivalent",
]
