"""Whether two templates, or two derivations, are the same.

Two templates are equivalent (the paper's TemplEquiv) if some bijection of their slots gives both systems the same
solutions, unordered over the unknowns, for all slot values. Systems without a unique solution are compared by their
solution sets, up to renaming unknowns. Slots that cancel still count: the bijection is one of all slots.

Algorithm 1 of the paper tries every bijection with random numbers. Here nothing is random and no verdict rests on
probability:

* **Solutions are functions of the slots.** A candidate bijection is rejected if the two systems, both regular,
  differ at one point of a prime field: equal functions agree everywhere. It is accepted only by an identity of
  polynomials: every equation of one system, multiplied out at the solution of the other, vanishes.
* **Templates** are equivalent exactly if their solutions have the same canonical form (`canonical`), which also
  gives a slot map without a search. Before that, a point with all slots equal rejects most pairs: its coordinates
  are the same under every bijection.
* **Derivations** need no search over bijections. Corresponding slots must hold numbers of one class, so where each
  class fills one slot the bijection is forced, and one comparison decides. Where a class fills several slots, the
  class is a colour that the canonical form respects.

The triad `templates_equivalent`, `find_slot_map`, `all_slot_maps` answers whether, how, and in how many ways. A slot
map always goes from the first argument (predicted) to the second (gold).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from draw_dataset.core.alignment import NumberClasses, Place
from draw_dataset.core.canonical import Form, Structure, canonical_form, isomorphisms
from draw_dataset.core.derivation import Derivation, read_places
from draw_dataset.core.expression import System
from draw_dataset.core.limits import comparing
from draw_dataset.core.linear import primitive_vector
from draw_dataset.core.polynomial import POINT, PRIME, Polynomial, variable
from draw_dataset.core.sameness import reordered_solutions, same_solutions
from draw_dataset.core.solution_set import (
    SolutionKind,
    regular_point,
    solution_set,
)
from draw_dataset.core.template import Template
from draw_dataset.errors import AlignmentError

SlotMap = dict[str, str]
"""Slots of the first (predicted) template to slots of the second (gold) one."""

TemplateLike = Template | str | Sequence[str]


def templates_equivalent(predicted: TemplateLike, gold: TemplateLike) -> bool:
    """Say whether two templates are equivalent.

    >>> templates_equivalent("m = a + b*n; m = c - n", "m + n = a; m - c*n = b")
    True
    >>> templates_equivalent("m = a + b", "m = a - b")
    False
    """
    return _equivalent(Template.of(predicted).system, Template.of(gold).system)


def find_slot_map(predicted: TemplateLike, gold: TemplateLike) -> SlotMap | None:
    """Return one slot map under which two templates are equivalent; None if there is none.

    >>> find_slot_map("m = a + b*n; m = c - n", "m + n = a; m - c*n = b")
    {'a': 'b', 'b': 'c', 'c': 'a'}
    """
    first, second = Template.of(predicted), Template.of(gold)
    if not _equivalent(first.system, second.system):
        return None
    back = {number: slot for slot, number in canonical_slots(second).items()}
    return {slot: back[number] for slot, number in canonical_slots(first).items()}


def all_slot_maps(predicted: TemplateLike, gold: TemplateLike) -> Iterator[SlotMap]:
    """Yield every slot map under which two templates are equivalent: the paper's Γ, each map once, lazily.

    >>> sorted(m["a"] for m in all_slot_maps("m = a + b", "n = a + b"))
    ['a', 'b']
    """
    first, second = Template.of(predicted), Template.of(gold)
    if not _equivalent(first.system, second.system):
        return
    count = first.system.slot_count
    start = _structures(first.system, (0,) * count)[0]
    for target in _structures(second.system, (0,) * count):
        for renaming in isomorphisms(start, target):
            yield {slot: second.slots[renaming[i]] for i, slot in enumerate(first.slots)}


def canonical_key(template: TemplateLike) -> str:
    """Return a text that is equal for two templates exactly if they are equivalent.

    It is the same in every process and version of this package; a change would change its leading number.

    >>> canonical_key("2*m = a*b")
    '1|unique|1 unknowns|2 slots|0:2;1:1.0.1'
    """
    return _key(Template.of(template).system)


@lru_cache(maxsize=1 << 13)
def _key(system: System) -> str:
    parts = ";".join(
        f"{label}:" + "+".join(".".join(map(str, (c, *variables))) for variables, c in terms)
        for label, terms in _canonical(system)[0]
    )
    kind = solution_set(system).kind
    return f"1|{kind}|{system.unknown_count} unknowns|{system.slot_count} slots|{parts}"


def canonical_slots(template: Template) -> dict[str, int]:
    """Return the canonical number of each slot: in equivalent templates, slots of one number correspond."""
    return dict(zip(template.slots, _canonical(template.system)[1], strict=True))


def derivations_equivalent(
    predicted: Derivation | Mapping[str, Any] | str,
    gold: Derivation | Mapping[str, Any] | str,
    equiv_tnum: NumberClasses | Iterable[Iterable[object]] = (),
) -> bool:
    """Say whether two derivations are the same: Algorithm 1 of the paper, decided exactly.

    >>> gold = Derivation("m + n = a; m - b*n = c", {"a": 2, "b": 3, "c": 1})
    >>> derivations_equivalent("m = q1 + q3*n; m = q2 - n", gold)
    True
    >>> derivations_equivalent("m = q1 + q3*n; m = q4 - n", gold)
    False
    >>> derivations_equivalent("m = q1 + q3*n; m = q4 - n", gold, equiv_tnum=[[2, 4]])
    True

    Args:
        predicted: a derivation, a mapping with ``template`` and ``alignment``, or q-notation.
        gold: the same.
        equiv_tnum: groups of numbers that mean the same (the paper's EquivTNum).
    """
    return find_derivation_slot_map(predicted, gold, equiv_tnum) is not None


def find_derivation_slot_map(
    predicted: Derivation | Mapping[str, Any] | str,
    gold: Derivation | Mapping[str, Any] | str,
    equiv_tnum: NumberClasses | Iterable[Iterable[object]] = (),
) -> SlotMap | None:
    """Return a slot map that shows two derivations to be equivalent; None if they are not.

    >>> find_derivation_slot_map("m = q1 + q2", "n = q2 + q1")
    {'a': 'b', 'b': 'a'}
    """
    template, places, by_rank = _template_and_places(predicted)
    gold_template, gold_places, gold_by_rank = _template_and_places(gold)
    if by_rank is not gold_by_rank and places and gold_places:
        raise AlignmentError(
            "derivations: expected both to know their numbers by place, or both by rank; "
            "give Derivation.read the numbers of the text"
        )
    classes = NumberClasses.of(equiv_tnum)
    if classes.by_rank is not None and gold_places and classes.by_rank is not gold_by_rank:
        raise AlignmentError("equiv_tnum: expected numbers by place where the derivations give places, else by rank")
    renaming = match_slots(
        template.system, classes.of_places(places), gold_template.system, classes.of_places(gold_places)
    )
    if renaming is None:
        return None
    gold_slots = gold_template.slots
    return {slot: gold_slots[i] for slot, i in zip(template.slots, renaming, strict=True)}


def _template_and_places(
    value: Derivation | Mapping[str, Any] | str,
) -> tuple[Template, tuple[Place, ...], bool | None]:
    if isinstance(value, Derivation):
        return value.template, value.places, value.by_rank
    if type(value) is dict and type(value.get("alignment")) is list and "template" in value:
        template = Template.of(value["template"])
        return template, read_places(template, value["alignment"]), False
    read = Derivation.of(value)
    return read.template, read.places, read.by_rank


def match_slots(
    predicted: System, predicted_classes: Sequence[Place], gold: System, gold_classes: Sequence[Place]
) -> tuple[int, ...] | None:
    """Return which gold slot each predicted slot corresponds to, if the derivations are equivalent.

    Args:
        predicted: the predicted template's system.
        predicted_classes: the class of the number in each of its slots.
        gold: the gold template's system.
        gold_classes: the class of the number in each of its slots.
    """
    if len(predicted_classes) != len(gold_classes) or predicted.unknown_count != gold.unknown_count:
        return None
    slot_of = {c: slot for slot, c in enumerate(gold_classes)}
    if len(slot_of) == len(gold_classes):
        try:
            forced = tuple([slot_of[c] for c in predicted_classes])
        except KeyError:
            return None
        # A number class in two predicted slots leaves a gold slot without a partner.
        if len(set(forced)) < len(forced):
            return None
        return forced if same_solutions(predicted, gold, forced) else None
    if sorted(predicted_classes) != sorted(gold_classes):
        return None
    number = {c: i for i, c in enumerate(sorted(slot_of))}
    first = _canonical(predicted, tuple([number[c] for c in predicted_classes]))
    second = _canonical(gold, tuple([number[c] for c in gold_classes]))
    if solution_set(predicted).kind is not solution_set(gold).kind or first[0] != second[0]:
        return None
    back = {new: slot for slot, new in enumerate(second[1])}
    return tuple([back[new] for new in first[1]])


def _equivalent(first: System, second: System) -> bool:
    if first.slot_count != second.slot_count or first.unknown_count != second.unknown_count:
        return False
    if first is second:
        return True
    one, other = _symmetric_point(first), _symmetric_point(second)
    if one is not None and other is not None and one != other:
        return False
    if solution_set(first).kind is not solution_set(second).kind:
        return False
    return _canonical(first)[0] == _canonical(second)[0]


@lru_cache(maxsize=1 << 13)
def _symmetric_point(system: System) -> tuple[int, ...] | None:
    """Return the solutions, in order, where all slots have one value; None unless they are regular there."""
    if system.conditions:
        return None
    vector = regular_point(system, [POINT[0]] * system.slot_count)
    if vector is None:
        return None
    inverse = pow(vector[-1], -1, PRIME)
    return tuple(sorted([h * inverse % PRIME for h in vector[:-1]]))


@lru_cache(maxsize=1 << 13)
def _canonical(system: System, colours: tuple[int, ...] | None = None) -> tuple[Form, tuple[int, ...]]:
    """Return the canonical form of the solutions, and the number of each slot in it."""
    forms = [canonical_form(s) for s in _structures(system, colours or (0,) * system.slot_count)]
    form, renaming = min(forms)
    return form, renaming[: system.slot_count]


def _structures(system: System, colours: tuple[int, ...]) -> list[Structure]:
    """Return the solutions as polynomials in the slots, in every way that is not distinguished by its form.

    A unique solution is the vector of its homogeneous coordinates without common factor, determined up to sign:
    a polynomial for the denominator (label 0) and one an unknown (label 1). An infinite set is its reduced rows,
    one structure for every order of the unknowns; there a row is one polynomial, with a variable of its own colour
    marking each column, and stands beside its negative.
    """
    solutions = solution_set(system)
    if solutions.kind is SolutionKind.NONE:
        return [Structure(colours, ())]
    if solutions.kind is SolutionKind.UNIQUE:
        vector = primitive_vector(solutions.vector, comparing())
        negative = [{m: -c for m, c in p.items()} for p in vector]
        weight, other = _coefficients(vector), _coefficients(negative)
        chosen = [vector, negative] if weight == other else [vector if weight > other else negative]
        return [Structure(colours, ((0, v[-1]), *((1, p) for p in v[:-1]))) for v in chosen]
    marks = [variable(system.slot_count + column) for column in range(system.unknown_count + 1)]
    mark_colours = tuple(max(colours, default=0) + 1 + column for column in range(len(marks)))
    found: list[Structure] = []
    for one in reordered_solutions(system.unknown_count, system.rows, system.conditions):
        labelled = [(2 + i, row) for i, row in enumerate(one.rows)] + [(1, row) for row in one.excluded]
        parts = [
            (label, {m + mark: sign * c for mark, p in zip(marks, row, strict=True) for m, c in p.items()})
            for label, row in labelled
            for sign in (1, -1)
        ]
        parts.sort(key=lambda part: (part[0], sorted(part[1].items())))
        structure = Structure((*colours, *mark_colours), tuple(parts))
        # Orders of the unknowns that give the same set would give every slot map again.
        if structure not in found:
            found.append(structure)
    return found


def _coefficients(vector: Sequence[Polynomial]) -> tuple[list[int], list[list[int]]]:
    """Return what of a vector does not change when slots and unknowns are renamed, to tell it from its negative."""
    return sorted(vector[-1].values()), sorted(sorted(p.values()) for p in vector[:-1])
