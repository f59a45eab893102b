"""The references of equation accuracy: derivations that lead from the text to the gold equations.

Equation accuracy takes one of them for gold. Earlier work took the first; the paper draws one at random; the
expectation over all of them is what random draws scatter around. How constants are treated dominates the figure, so
the policy has a name (`core.references.POLICY`) and stands in the signature.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from math import fsum

from draw_dataset.core.equations import System
from draw_dataset.core.references import ConsistentDerivations
from draw_dataset.errors import LimitError, NotLinearError
from draw_dataset.scoring.matching import Classes, matches
from draw_dataset.scoring.options import Options
from draw_dataset.scoring.reference import Reference

MAX_REFERENCES = 20_000
"""Derivations that the expectation is taken over, at most; the release has up to 2,187 of one problem."""


@dataclass(frozen=True, slots=True)
class WeightedReference:
    """A reference and the share of the draws that give it, or one equivalent to it.

    Attributes:
        system: the system of its template.
        classes: the class of the number in each of its slots.
        weight: the share.
        is_gold: whether it is equivalent to gold.
    """

    system: System
    classes: Classes
    weight: float
    is_gold: bool


@dataclass(frozen=True, slots=True)
class EquationReferences:
    """What equation accuracy compares with for one problem.

    Attributes:
        count: how many derivations lead to the equations.
        chosen: those that are used; their weights sum to one, but for equations none of whose derivations is linear.
        share_not_gold: the share of them that is not equivalent to gold.
    """

    count: int
    chosen: tuple[WeightedReference, ...]
    share_not_gold: float

    @classmethod
    def of(cls, count: int, chosen: tuple[WeightedReference, ...]) -> EquationReferences:
        """Return the references with their share."""
        not_gold = fsum(reference.weight for reference in chosen if not reference.is_gold)
        return cls(count, chosen, not_gold if chosen else 1.0)

    @property
    def gold_share(self) -> float:
        """The share that is equivalent to gold."""
        return 1 - self.share_not_gold


def equation_references(reference: Reference, options: Options) -> EquationReferences:
    """Return the references of equation accuracy for one problem.

    Raises:
        LimitError: the expectation is asked for over more than `MAX_REFERENCES` derivations.
    """
    consistent = reference.consistent
    if options.equation == "expected":
        return EquationReferences.of(consistent.count, _all(consistent, reference, options))
    count = consistent.count
    start = 0 if options.equation == "first" else _draw(reference, options.seed, count)
    # Equations may be linear only because of the values of their literals; then the next derivation is tried, and
    # where none is linear there is no reference.
    for step in range(min(count, MAX_REFERENCES)):
        found = _system_and_classes(consistent, (start + step) % count, reference)
        if found is not None:
            return EquationReferences.of(count, (_weighted(*found, 1.0, reference, options),))
    return EquationReferences.of(count, ())


def _draw(reference: Reference, seed: int, count: int) -> int:
    """Draw by the problem itself, so that its draw is the same in any order and process."""
    key = f"{seed}|{reference.problem.id}|{reference.problem.question}".encode()
    return int.from_bytes(hashlib.sha256(key).digest()[:16], "big") % count


def _system_and_classes(
    consistent: ConsistentDerivations, index: int, reference: Reference
) -> tuple[System, Classes] | None:
    try:
        derivation = consistent.nth(index)
    except NotLinearError:
        return None
    return derivation.template.system, reference.classes.of_places(derivation.places)


def _weighted(
    system: System, classes: Classes, weight: float, reference: Reference, options: Options
) -> WeightedReference:
    gold = reference.derivation.template.system
    is_gold = matches(system, classes, gold, reference.gold_classes, options.merge_equiv)
    return WeightedReference(system, classes, weight, is_gold)


def _all(consistent: ConsistentDerivations, reference: Reference, options: Options) -> tuple[WeightedReference, ...]:
    """Return all references, those that are equivalent to each other as one."""
    if consistent.count > MAX_REFERENCES:
        raise LimitError(
            f"problem {reference.problem.id}: expected at most {MAX_REFERENCES} derivations of its equations for the "
            f"expected equation accuracy, but got {consistent.count}; use random or first"
        )
    groups: list[tuple[System, Classes, list[int]]] = []
    total = 0
    for index in range(consistent.count):
        found = _system_and_classes(consistent, index, reference)
        if found is None:
            continue
        total += 1
        for system, classes, size in groups:
            if matches(*found, system, classes, options.merge_equiv):
                size[0] += 1
                break
        else:
            groups.append((*found, [1]))
    return tuple(_weighted(system, classes, size[0] / total, reference, options) for system, classes, size in groups)
