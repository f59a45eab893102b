"""Equivalence of derivations: the paper's Algorithm 1, decided exactly.

Derivations need no search over bijections of slots. Corresponding slots must hold numbers of the same class. If each
class fills one slot, the bijection is forced, and one comparison of the systems decides. If a class fills several
slots, the class becomes a colour that the canonical form of `templates` respects.

A forced slot map is rejected if the two systems, both regular, differ at one point of a prime field: equal functions
agree everywhere. It is accepted only by an identity: the equations are the same up to order and sign, or every equation
of one system, evaluated at the solution of the other, vanishes as a polynomial.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from draw_dataset.core.algebra import (
    POINT,
    PRIME,
    Polynomial,
    dot_is_zero,
    multiply,
    rename,
    variable,
)
from draw_dataset.core.alignment import NumberClasses, Place
from draw_dataset.core.derivation import Derivation, read_places
from draw_dataset.core.equations import (
    Row,
    SolutionKind,
    System,
    generic_point,
    regular_point,
    reordered_solutions,
    solution_set,
)
from draw_dataset.core.equivalence.templates import SlotMap, canonical_solutions
from draw_dataset.core.limits import comparing
from draw_dataset.core.memory import MEGABYTE, remembered
from draw_dataset.core.template import Template
from draw_dataset.errors import AlignmentError


def derivations_equivalent(
    predicted: Derivation | Mapping[str, Any] | str,
    gold: Derivation | Mapping[str, Any] | str,
    equiv_tnum: NumberClasses | Iterable[Iterable[object]] = (),
) -> bool:
    """Say whether two derivations are the same: Algorithm 1 of the paper, decided exactly.

    Their templates must be equivalent under a slot map that also maps the number in each slot to the same number, or to
    one that means the same.

    >>> gold = Derivation("m + n = a; m - b*n = c", {"a": 2, "b": 3, "c": 1})
    >>> derivations_equivalent("m = q1 + q3*n; m = q2 - n", gold)
    True
    >>> derivations_equivalent("m = q1 + q3*n; m = q4 - n", gold)
    False
    >>> derivations_equivalent("m = q1 + q3*n; m = q4 - n", gold, equiv_tnum=[[2, 4]])
    True

    Args:
        predicted: a derivation, a mapping with ``template`` and ``alignment``, or q-notation.
        gold: the gold derivation, in the same forms.
        equiv_tnum: groups of numbers that mean the same (the paper's EquivTNum).

    Raises:
        ReadError: a derivation cannot be read.
        AlignmentError: an alignment does not fit its template, or one derivation gives ranks and the other places.
        LimitError: they are larger than the bounds in `draw_dataset.core.limits`.
    """
    return find_derivation_slot_map(predicted, gold, equiv_tnum) is not None


def find_derivation_slot_map(
    predicted: Derivation | Mapping[str, Any] | str,
    gold: Derivation | Mapping[str, Any] | str,
    equiv_tnum: NumberClasses | Iterable[Iterable[object]] = (),
) -> SlotMap | None:
    """Return a slot map under which two derivations are equivalent; None if they are not equivalent.

    >>> find_derivation_slot_map("m = q1 + q2", "n = q2 + q1")
    {'a': 'b', 'b': 'a'}

    Takes and raises what `derivations_equivalent` does.

    Returns:
        For each slot of the first template the slot of the second.
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
        if predicted is gold and predicted_classes == gold_classes:
            return forced
        return forced if same_solutions(predicted, gold, forced) else None
    if sorted(predicted_classes) != sorted(gold_classes):
        return None
    number = {c: i for i, c in enumerate(sorted(slot_of))}
    first = canonical_solutions(predicted, tuple([number[c] for c in predicted_classes]))
    second = canonical_solutions(gold, tuple([number[c] for c in gold_classes]))
    if solution_set(predicted).kind is not solution_set(gold).kind or first[0] != second[0]:
        return None
    back = {new: slot for slot, new in enumerate(second[1])}
    return tuple([back[new] for new in first[1]])


@remembered(
    8 * MEGABYTE,
    weigh=lambda _, *arguments: 250 + 8 * len(arguments[2]),
    key=lambda predicted, gold, slot_map: (predicted.number, gold.number, slot_map),
)
def same_solutions(predicted: System, gold: System, slot_map: tuple[int, ...]) -> bool:
    """Say whether two systems have the same solutions when slot i of one is slot ``slot_map[i]`` of the other."""
    if predicted.conditions or gold.conditions:
        # A condition can only take the one solution of a regular system away.
        ours, theirs = solution_set(predicted).kind, solution_set(gold).kind
        if ours is not theirs or ours is SolutionKind.NONE:
            return ours is theirs
    renamed = _renamed_rows(predicted, slot_map) if predicted.size == gold.size else []
    if renamed and not predicted.conditions and not gold.conditions and _same_equations(renamed, gold.rows):
        return True
    gold_point = generic_point(gold)
    point = regular_point(predicted, [POINT[i] for i in slot_map]) if gold_point is not None else None
    if gold_point is None or point is None:
        return _same_solution_sets(predicted, gold, slot_map)
    # Both are fractions with a common denominator: bring them to the same one and compare.
    values = [h * gold_point[-1] % PRIME for h in point[:-1]]
    gold_values = [h * point[-1] % PRIME for h in gold_point[:-1]]
    if sorted(values) != sorted(gold_values):
        return False
    if len(set(gold_values)) < len(gold_values):
        return _same_solution_sets(predicted, gold, slot_map)
    columns = [gold_values.index(value) for value in values] + [len(gold_values)]
    if renamed and _same_equations(renamed, [tuple([row[i] for i in columns]) for row in gold.rows]):
        return True
    vector = solution_set(gold).vector
    matched = [vector[i] for i in columns]
    meter = comparing()
    return all(dot_is_zero(row, matched, meter) for row in renamed or _renamed_rows(predicted, slot_map))


def _renamed_rows(system: System, slot_map: Sequence[int]) -> list[Row]:
    """Return the equations with slot i renamed to slot ``slot_map[i]``."""
    monomials = [variable(i) for i in slot_map]
    rows: list[Row] = []
    for terms in system.terms:
        row: list[Polynomial] = [{} for _ in range(system.unknown_count + 1)]
        for column, c, slots in terms:
            m = 0
            for slot in slots:
                m += monomials[slot]
            row[column][m] = c
        rows.append(tuple(row))
    return rows


def _same_equations(ours: Sequence[Row], theirs: Sequence[Row]) -> bool:
    """Say whether two systems have the same equations up to order and sign: the cheapest identity."""
    if len(ours) != len(theirs):
        return False
    left = list(theirs)
    for row in ours:
        if row not in left:
            row = tuple([{m: -c for m, c in p.items()} for p in row])
            if row not in left:
                return False
        left.remove(row)
    return True


def _same_solution_sets(predicted: System, gold: System, slot_map: tuple[int, ...]) -> bool:
    """Decide by polynomials alone; for the cases that one regular point does not decide."""
    ours, theirs = solution_set(predicted), solution_set(gold)
    if ours.kind is not theirs.kind or ours.kind is SolutionKind.NONE:
        return ours.kind is theirs.kind
    monomials = [variable(i) for i in slot_map]
    if ours.kind is SolutionKind.UNIQUE:
        return _same_functions([rename(p, monomials) for p in ours.vector], theirs.vector)
    renamed = _renamed_rows(predicted, slot_map)
    conditions = [tuple(rename(p, monomials) for p in row) for row in predicted.conditions]
    return any(
        one.rows == theirs.rows and _same_members(one.excluded, theirs.excluded)
        for one in reordered_solutions(predicted.unknown_count, renamed, conditions)
    )


def _same_members(ours: Sequence[Row], theirs: Sequence[Row]) -> bool:
    return len(ours) == len(theirs) and all(row in theirs for row in ours)


def _same_functions(ours: Sequence[Polynomial], theirs: Sequence[Polynomial]) -> bool:
    """Say whether two vectors of fractions are equal up to order; as equality is transitive, greedily."""
    meter = comparing()
    left = list(theirs[:-1])
    for p in ours[:-1]:
        scaled = multiply(p, theirs[-1], meter)
        found = next((q for q in left if multiply(q, ours[-1], meter) == scaled), None)
        if found is None:
            return False
        left.remove(found)
    return True
