"""The laws of equivalence, on random templates, and two independent oracles."""

from __future__ import annotations

import random
from itertools import permutations

import oracle
import pytest
import sympy
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from strategies import Equation, names, rewritten, seeds, templates, term_templates, write_template

from draw_dataset import (
    Derivation,
    Template,
    all_slot_maps,
    canonical_key,
    derivations_equivalent,
    find_derivation_slot_map,
    find_difference,
    find_slot_map,
    templates_equivalent,
)

pytestmark = pytest.mark.slow


@given(templates())
def test_every_template_is_equivalent_to_itself(template: list[str]) -> None:
    assert templates_equivalent(template, template)
    identity = {slot: slot for slot in Template(template).slots}
    assert identity in list(all_slot_maps(template, template))


@given(term_templates(), seeds)
@settings(max_examples=300)
def test_rewriting_changes_nothing(template: list[Equation], rng: random.Random) -> None:
    """Renaming slots and unknowns, scaling, adding one equation to another, reordering equations and terms."""
    other, slot_map = rewritten(template, rng)
    first, second = write_template(template), write_template(other)
    assert templates_equivalent(first, second)
    assert slot_map in list(all_slot_maps(first, second))
    assert canonical_key(first) == canonical_key(second)
    assert find_slot_map(first, second) in list(all_slot_maps(first, second))
    assert find_difference(first, second) is None


@given(templates(most_slots=3), templates(most_slots=3))
@settings(max_examples=300)
def test_equivalence_is_symmetric_and_is_equality_of_keys(first: list[str], second: list[str]) -> None:
    verdict = templates_equivalent(first, second)
    assert templates_equivalent(second, first) == verdict
    assert (canonical_key(first) == canonical_key(second)) == verdict
    assert (find_slot_map(first, second) is not None) == verdict
    assert (find_difference(first, second) is None) == verdict
    there = {tuple(sorted(m.items())) for m in all_slot_maps(first, second)}
    back = {tuple(sorted((b, a) for a, b in m.items())) for m in all_slot_maps(second, first)}
    assert there == back


@given(term_templates(), seeds, seeds)
def test_equivalence_is_transitive_and_slot_maps_compose(
    template: list[Equation], rng: random.Random, other_rng: random.Random
) -> None:
    second, _ = rewritten(template, rng)
    third, _ = rewritten(second, other_rng)
    one, two, three = write_template(template), write_template(second), write_template(third)
    forward, onward = find_slot_map(one, two), find_slot_map(two, three)
    assert forward is not None
    assert onward is not None
    assert {slot: onward[image] for slot, image in forward.items()} in list(all_slot_maps(one, three))


@given(templates(most_slots=3), templates(most_slots=3))
@settings(max_examples=300, deadline=None)
def test_unrelated_templates_get_the_literal_algorithm_s_verdict_and_maps(first: list[str], second: list[str]) -> None:
    assert_like_the_literal_algorithm(first, second)


@given(term_templates(most_slots=4), seeds)
@settings(max_examples=200, deadline=None)
def test_nearly_equal_templates_get_the_literal_algorithm_s_verdict_and_maps(
    template: list[Equation], rng: random.Random
) -> None:
    """One slot or unknown of one term changed: the hard rejections, and some acceptances."""
    other, _ = rewritten(template, rng)
    slots, unknowns = names(other)
    i = rng.randrange(len(other))
    j = rng.randrange(len(other[i]))
    term = other[i][j]
    changed = type(term)(
        term.number * rng.choice([1, 1, -1]),
        tuple(rng.choice(slots) for _ in term.slots),
        rng.choice(unknowns) if term.unknown else "",
    )
    other[i] = (*other[i][:j], changed, *other[i][j + 1 :])
    assert_like_the_literal_algorithm(write_template(template), write_template(other))


def assert_like_the_literal_algorithm(first: list[str], second: list[str]) -> None:
    one, two = oracle.read_template(first), oracle.read_template(second)
    # The literal algorithm reads slots off the terms, so a term of zeros would hide one.
    assume(set(one.slots) == set(Template(first).slots) and set(two.slots) == set(Template(second).slots))
    expected = {tuple(sorted(m.items())) for m in oracle.template_equiv(one, two)}
    got = [tuple(sorted(m.items())) for m in all_slot_maps(first, second)]
    assert len(got) == len(set(got))
    assert set(got) == expected
    assert templates_equivalent(first, second) == bool(expected)


@given(term_templates(most_slots=3, most_unknowns=2), seeds, st.booleans())
@settings(max_examples=60, deadline=None)
def test_sympy_agrees(template: list[Equation], rng: random.Random, related: bool) -> None:
    other = rewritten(template, rng)[0] if related else list(template)
    if not related:
        slots, _ = names(template)
        swapped = dict(zip(slots, rng.sample(slots, len(slots)), strict=True))
        other[0] = tuple(type(t)(t.number, tuple(swapped[s] for s in t.slots), t.unknown) for t in other[0])
    first, second = Template(write_template(template)), Template(write_template(other))
    if len(first.slots) != len(second.slots) or len(first.unknowns) != len(second.unknowns):
        assert not templates_equivalent(first, second)
        return
    one, two = sympy_solution(first), sympy_solution(second)
    assume(one is not None and two is not None)
    found = any(
        same_functions(one, [f.subs(dict(zip(symbols(second), order, strict=True)), simultaneous=True) for f in two])
        for order in permutations(symbols(first))
    )
    assert templates_equivalent(first, second) == found


def symbols(template: Template) -> list[sympy.Symbol]:
    return [sympy.Symbol(slot) for slot in template.slots]


def sympy_solution(template: Template) -> list[sympy.Expr] | None:
    """Return the solutions as functions of the slots; None unless they are unique."""
    unknowns = [sympy.Symbol(u) for u in template.unknowns]
    found = sympy.linsolve(template.to_sympy(), unknowns)
    if not found:
        return None
    (solution,) = found
    return None if any(f.has(*unknowns) for f in solution) else list(solution)


def same_functions(ours: list[sympy.Expr], theirs: list[sympy.Expr]) -> bool:
    return any(
        all(sympy.cancel(f - g) == 0 for f, g in zip(ours, order, strict=True)) for order in permutations(theirs)
    )


@given(term_templates(), seeds)
@settings(max_examples=200)
def test_derivations_survive_rewriting_and_class_swaps(template: list[Equation], rng: random.Random) -> None:
    other, slot_map = rewritten(template, rng)
    slots, _ = names(template)
    places = {slot: (0, i) for i, slot in enumerate(slots)}
    doubles = {slot: (1, i) for i, slot in enumerate(slots)}
    chosen = {slot: rng.choice([places, doubles])[slot] for slot in slots}
    gold = Derivation(write_template(template), places)
    predicted = Derivation(write_template(other), {slot_map[slot]: chosen[slot] for slot in slots})
    classes = [[places[slot], doubles[slot]] for slot in slots]
    assert derivations_equivalent(predicted, gold, classes)
    assert derivations_equivalent(gold, predicted, classes)
    assert derivations_equivalent(predicted, gold) == (chosen == places)


@given(term_templates(most_slots=4), seeds, st.booleans())
@settings(max_examples=300, deadline=None)
def test_derivations_get_the_literal_algorithm_s_verdict(
    template: list[Equation], rng: random.Random, shared_classes: bool
) -> None:
    """Random alignments over few numbers, and classes that may join two slots of one template."""
    other, _ = rewritten(template, rng)
    first, second = write_template(other), write_template(template)
    one, two = oracle.read_template(first), oracle.read_template(second)
    places = [(0, i) for i in range(len(one.slots) + 1)]
    a1 = dict(zip(one.slots, rng.sample(places, len(one.slots)), strict=True))
    a2 = dict(zip(two.slots, rng.sample(places, len(two.slots)), strict=True))
    assume(set(one.slots) == set(Template(first).slots) and set(two.slots) == set(Template(second).slots))
    groups = [places[:2], places[2:4]] if shared_classes else []
    expected = oracle.derivation_equiv(one, a1, two, a2, groups)
    slot_map = find_derivation_slot_map(Derivation(first, a1), Derivation(second, a2), groups)
    assert (slot_map is not None) == expected
    if slot_map is not None:
        assert slot_map in list(all_slot_maps(first, second))


@pytest.mark.parametrize("count", [1, 2, 3])
def test_a_class_may_fill_several_slots_in_any_order(count: int) -> None:
    slots = "abc"[:count]
    template = "m = " + " + ".join(f"{i + 1}*{slot}" for i, slot in enumerate(slots))
    numbers = [(0, i) for i in range(count)]
    gold = Derivation(template, dict(zip(slots, numbers, strict=True)))
    for order in permutations(numbers):
        assert derivations_equivalent(Derivation(template, dict(zip(slots, order, strict=True))), gold, [numbers])
