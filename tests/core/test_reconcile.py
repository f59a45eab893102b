"""Reconciling: groups, representatives and slot maps."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from strategies import Equation, rewritten, seeds, term_templates, write_template

from draw_dataset import Template, all_slot_maps, reconcile, templates_equivalent
from draw_dataset.errors import ReadError


def test_the_most_frequent_then_the_shortest_represents() -> None:
    frequent, short = "n + m = a + b", "m + n = a + b + 0"
    result = reconcile([short, "m = a", frequent, frequent])
    assert [str(g.representative) for g in result.groups] == [frequent, "m = a"]
    assert result.group_of == (0, 1, 0, 0)
    result = reconcile(["m + n = a + b + 0", "n + m = a + b", "m = a + b - n"])
    assert str(result.groups[0].representative) == "m = a + b - n"


def test_nothing_gives_nothing() -> None:
    assert reconcile([]).groups == ()


def test_the_representative_does_not_depend_on_the_order() -> None:
    texts = ["m = a + b", "m = b + a", "m - a = b", "n = a + b", "m = a*b"]
    chosen = {str(reconcile(random.Random(i).sample(texts, 5)).groups[0].representative) for i in range(20)}
    assert chosen == {"m - a = b", "m = a*b"}


@given(term_templates(), term_templates(), seeds)
@settings(max_examples=50)
def test_groups_are_the_classes_and_maps_lead_to_the_representative(
    first: list[Equation], second: list[Equation], rng: random.Random
) -> None:
    texts = [write_template(first), write_template(second)]
    texts += [write_template(rewritten(t, rng)[0]) for t in (first, second, first)]
    result = reconcile(texts)
    for group in result.groups:
        for member, slot_map in zip(group.members, group.slot_maps, strict=True):
            assert slot_map in list(all_slot_maps(texts[member], group.representative))
    for i, one in enumerate(texts):
        for j, other in enumerate(texts):
            assert (result.group_of[i] == result.group_of[j]) == templates_equivalent(one, other)
    assert sorted(i for g in result.groups for i in g.members) == list(range(len(texts)))


def test_an_unreadable_template_is_refused() -> None:
    with pytest.raises(ReadError):
        reconcile([Template("m = a"), "m = "])
