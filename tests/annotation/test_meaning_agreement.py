"""Agreement about what is asked, about roles and between stated derivations."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from draw_dataset.annotate.decisions import AnnotationState, Decision, StoredProblem, fold, read_decision
from draw_dataset.annotate.outcome import (
    Comparison,
    compare,
    group_equal,
    match_unknowns,
    measure_agreement,
    open_disagreements,
    settle,
)
from draw_dataset.annotate.store import Store
from draw_dataset.derivation.derivation import Derivation, NumberClasses

FARM = StoredProblem(
    1, "A farm has 30 hens and goats , 8 more hens than goats . How many goats are there ?", ("x + y = 30", "x = y + 8")
)
FIRST, SECOND = "m + n = q1; m = n + q2", "m + n = q1; n = m + q2"


def work(annotator: str, derivation: str | None = None, asked: Any = None, **roles: str) -> AnnotationState:
    steps: list[tuple[str, dict[str, Any]]] = []
    if derivation is not None:
        steps.append(("derivation", {"derivation": derivation}))
    if asked is not None:
        steps.append(("asked", {"asked": asked}))
    steps += [("role", {"unknown": unknown, "role": role}) for unknown, role in roles.items()]
    return fold({1: FARM}, annotator, [read_decision(kind, payload) for kind, payload in [*steps, ("submit", {})]])


def both(one: dict[str, Any], other: dict[str, Any]) -> Comparison:
    return compare(work("Ann", **one), work("Bob", **other))


def test_the_same_expressions_in_any_order_are_the_same() -> None:
    assert both({"asked": ["m", "2*n"]}, {"asked": ["n + n", "m"]}).differing == ()
    found = both({"asked": ["m"]}, {"asked": ["n"]})
    assert (found.differing, found.is_disputed) == (("asked",), True)
    assert found.details == ("the question asks for m for Ann, but for n for Bob",)
    assert both({"asked": ["m"]}, {"asked": ["m", "n"]}).differing == ("asked",)
    assert both({"asked": ["m"]}, {"asked": []}).differing == ("asked",)


def test_unknowns_are_matched_by_what_the_derivations_make_of_them() -> None:
    found = both({"derivation": FIRST, "asked": ["n"]}, {"derivation": SECOND, "asked": ["m"]})
    assert found.differing == ()
    found = both({"derivation": FIRST, "asked": ["n"]}, {"derivation": SECOND, "asked": ["n"]})
    assert found.differing == ("asked",)
    found = both({"asked": ["n"]}, {"derivation": SECOND, "asked": ["m"]})
    assert found.differing == ()


def test_unknowns_that_are_one_function_may_be_exchanged() -> None:
    halves = {"derivation": "m + n = q1; m = n"}
    assert both({**halves, "asked": ["m"]}, {**halves, "asked": ["n"]}).differing == ()
    first, second = Derivation.read("m + n = q1; m = n"), Derivation.read("m = 0.5*q1; n = m")
    assert len(match_unknowns(first, second, NumberClasses())) == 2


def test_unknowns_of_overdetermined_equations_are_matched_at_the_values_of_the_text() -> None:
    first = "m + n = q1; m - n = q2; m = 19"
    second = "m + n = q1; n - m = q2; n = 19"
    found = both({"derivation": first, "asked": ["m"]}, {"derivation": second, "asked": ["n"]})
    assert "asked" not in found.differing


def test_where_derivations_differ_equal_values_are_enough() -> None:
    found = both({"derivation": FIRST, "asked": ["n"]}, {"derivation": "m + (m + q2) = q1", "asked": ["m"]})
    assert found.differing == ("template", "derivation", "annotation")
    found = both({"derivation": FIRST, "asked": ["m", "n"]}, {"derivation": "m + (m + q2) = q1", "asked": ["m"]})
    assert "asked" in found.differing
    # Of equivalent ones the form counts: only by its value is this the number of goats.
    assert both({"asked": ["n"]}, {"asked": ["q1 - m"]}).differing == ("asked",)


def test_what_one_leaves_unsaid_is_no_disagreement() -> None:
    found = both({"asked": ["m"], "m": "hens"}, {})
    assert (found.differing, found.counts["asked"], found.counts["roles"]) == ((), (0, 0), (0, 0))


@pytest.mark.parametrize(
    ("ours", "theirs", "agreeing"),
    [
        ({"m": "number of hens", "n": "goats"}, {"m": "the hens", "n": "the number of goats"}, 2),
        ({"m": "Hens on the farm"}, {"m": "hen", "n": "goat"}, 1),
        ({"m": "hens", "n": "goats"}, {"m": "goats", "n": "hens"}, 0),
        ({"m": "larger number", "n": "smaller number"}, {"m": "smaller number", "n": "larger number"}, 0),
        ({"m": "one number", "n": "another number"}, {"m": "larger number", "n": "smaller number"}, 2),
        ({"m": "poultry", "n": "goats"}, {"m": "hens", "n": "goats"}, 1),
        ({"m": "of the", "n": "goats"}, {"m": "the", "n": "goats"}, 2),
    ],
)
def test_roles_agree_if_they_share_a_word_and_share_no_more_with_another(
    ours: dict[str, str], theirs: dict[str, str], agreeing: int
) -> None:
    found = both(ours, theirs)
    assert found.counts["roles"] == (agreeing, len(ours))
    assert found.is_disputed is False
    assert len(found.details) == len(ours) - agreeing


def test_roles_belong_to_the_matched_unknowns() -> None:
    found = both({"derivation": FIRST, "m": "hens", "n": "goats"}, {"derivation": SECOND, "m": "goats", "n": "hens"})
    assert found.counts["roles"] == (2, 2)
    found = both({"derivation": FIRST, "m": "hens"}, {"derivation": SECOND, "n": "chickens"})
    assert found.details == ("m is “hens” for Ann, but n is “chickens” for Bob",)


def test_stated_derivations_align_if_they_use_the_same_numbers() -> None:
    found = both({"derivation": FIRST}, {"derivation": "m + n = q1; m = q2*n"})
    assert found.differing == ("template", "derivation", "annotation")
    assert found.details == (f"the derivation is {FIRST} for Ann, but m + n = q1; m = q2*n for Bob",)
    found = both({"derivation": FIRST}, {"derivation": "m = q1"})
    assert found.differing == ("alignment", "template", "derivation", "annotation")
    assert both({"derivation": FIRST}, {}).differing == ()


def test_an_alternative_of_the_other_is_named() -> None:
    ann = work("Ann", "m = q1")
    steps = [Decision("derivation", {"derivation": "m = q2", "alternatives": ["n = q1"]}), Decision("submit")]
    bob = fold({1: FARM}, "Bob", steps)
    assert compare(ann, bob).details[-1] == compare(bob, ann).details[-1] == "Bob allows the derivation of Ann as well"


def test_agreement_counts_what_both_have_said() -> None:
    works = [work("Ann", asked=["n"], m="hens", n="goats"), work("Bob", asked=["n"], m="goats", n="goats")]
    found = measure_agreement(works)
    assert [(name, field.agreeing, field.compared, field.units) for name, field in found.fields.items()][-2:] == [
        ("asked", 1, 1, 2), ("roles", 1, 2, 2),
    ]  # fmt: skip
    assert found.fields["asked"].alpha == 1
    # By hand: m fits n, n fits n; the values are m n n n, of which one of two units is unequal.
    assert found.fields["roles"].alpha == 0
    assert found.disagreements == ()
    assert [pair.comparison.differing for pair in found.wordings] == [("roles",)]
    assert found.as_data()["wordings"][0]["details"] == ["m is “hens” for Ann, but “goats” for Bob"]


def test_alpha_of_what_is_asked_is_over_unknowns_and_other_expressions() -> None:
    found = measure_agreement([work("Ann", asked=["n"]), work("Bob", asked=["n", "m + n"])])
    assert (found.fields["asked"].agreeing, found.fields["asked"].units) == (0, 3)
    # Units: m not not, n asked asked, m + n not asked: 3 of each value, and one of three units is unequal.
    assert found.fields["asked"].alpha == 1 - Fraction(5 * 2, 18)


def test_alpha_of_the_alignment_of_stated_derivations_is_over_numbers() -> None:
    found = measure_agreement([work("Ann", FIRST), work("Bob", "m = q1")])
    assert (found.fields["alignment"].agreeing, found.fields["alignment"].units) == (0, 2)


def test_two_who_say_different_things_are_not_joined_by_one_who_says_nothing() -> None:
    groups = group_equal([work("Ann"), work("Bob", asked=["m"]), work("Carol", asked=["n"])])
    assert [[w.annotator for w in group] for group in groups] == [["Ann", "Bob"], ["Carol"]]


@pytest.fixture
def farm(store: Store) -> Store:
    """A store in which Ann and Bob have submitted the farm, in other words for one unknown."""
    store.add_problems([FARM])
    for name, role in (("Ann", "poultry"), ("Bob", "hens")):
        store.decide(1, name, "role", {"unknown": "m", "role": role})
    return store


def test_other_words_for_roles_are_settled_and_need_no_adjudicator(farm: Store) -> None:
    farm.decide(1, "Ann", "submit")
    farm.decide(1, "Bob", "asked", {"asked": ["n"]})
    farm.decide(1, "Bob", "submit")
    assert open_disagreements(farm) == []
    settled = next(s for s in settle(farm) if s.entry.stored.id == 1)
    assert (settled.how, settled.annotators) == ("agreed", ("Ann", "Bob"))
    # The work that says more is exported.
    assert settled.work is not None
    assert (settled.work.problem().asked, settled.work.problem().roles) == (("n",), (("m", "hens"),))


def test_different_questions_need_an_adjudicator(farm: Store) -> None:
    for name, asked in (("Ann", ["m"]), ("Bob", ["n"])):
        farm.decide(1, name, "asked", {"asked": asked})
        farm.decide(1, name, "submit")
    assert [works[0].problem_id for works in open_disagreements(farm)] == [1]
    farm.adjudicate(1, "Carol", "Bob")
    assert open_disagreements(farm) == []
    assert farm.adjudications()[1].problem().asked == ("n",)
