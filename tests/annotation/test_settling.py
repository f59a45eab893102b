"""Which annotation counts: policies, adjudicators, flags, and what is left out and why."""

from __future__ import annotations

from typing import Any

import pytest
from annotation.simulated import annotate

from draw_dataset.annotate.decisions import StoredProblem
from draw_dataset.annotate.outcome import Settled, open_disagreements, settle, survey
from draw_dataset.annotate.store import Store
from draw_dataset.errors import AnnotationError, ChoiceError


def seven(store: Store, policy: Any = "adjudicated", annotator: str | None = None, least: int = 1) -> Settled:
    return next(s for s in settle(store, policy, annotator, least) if s.entry.stored.id == 7)


def said(settled: Settled) -> tuple[str, tuple[str, ...], str | None]:
    derivation = None if settled.work is None else settled.work.problem().derivation.q_notation()
    return settled.how, settled.annotators, derivation


@pytest.fixture
def split_vote(store: Store) -> Store:
    """Two of three say "Two", one says "2"."""
    store.add_annotator("Carol")
    store.configure(annotators_per_problem=3)
    for name, place in (("Ann", [0, 2]), ("Bob", [0, 0]), ("Carol", [0, 0])):
        annotate(store, 7, name, {0: place})
    return store


def test_what_nobody_has_submitted_is_left_out(store: Store) -> None:
    assert said(seven(store)) == ("not submitted", (), None)
    store.decide(7, "Ann", "choose", {"literal": 0, "place": [0, 0]})
    assert said(seven(store)) == ("not submitted", (), None)


def test_one_annotator_is_enough_unless_more_are_asked_for(store: Store) -> None:
    annotate(store, 7, "Ann", {0: [0, 0]})
    assert said(seven(store)) == ("annotator", ("Ann",), "m = q1 + q4")
    assert said(seven(store, least=2)) == ("too few annotators", (), None)


def test_what_all_agree_on_counts(store: Store) -> None:
    for name in ("Ann", "Bob"):
        annotate(store, 7, name, {0: [0, 0]})
    assert said(seven(store, least=2)) == ("agreed", ("Ann", "Bob"), "m = q1 + q4")


def test_a_majority_counts_only_if_asked_for(split_vote: Store) -> None:
    assert said(seven(split_vote)) == ("disagreement", (), None)
    assert said(seven(split_vote, "majority")) == ("majority", ("Bob", "Carol"), "m = q1 + q4")
    split_vote.decide(7, "Carol", "reopen")
    assert said(seven(split_vote, "majority")) == ("disagreement", (), None)


def test_one_annotator_may_be_asked_for(split_vote: Store) -> None:
    assert said(seven(split_vote, "annotator", "Ann")) == ("annotator", ("Ann",), "m = q2 + q4")
    split_vote.add_annotator("Dan")
    split_vote.adjudicate(7, "Dan", take="Bob")
    assert said(seven(split_vote, "annotator", "Ann")) == ("annotator", ("Ann",), "m = q2 + q4")


def test_an_adjudicator_stands_above_all(split_vote: Store) -> None:
    split_vote.add_annotator("Dan")
    split_vote.adjudicate(7, "Dan", take="Ann")
    for policy in ("adjudicated", "majority"):
        assert said(seven(split_vote, policy)) == ("adjudicated", ("Dan",), "m = q2 + q4")
    split_vote.adjudicate(7, "Dan", decisions=[("flag", {"why": "unclear"})])
    assert said(seven(split_vote)) == ("flagged", ("Dan",), None)


def test_a_flag_is_a_vote_against(store: Store) -> None:
    annotate(store, 7, "Ann", {0: [0, 0]})
    store.decide(7, "Bob", "flag", {"why": "unclear"})
    assert said(seven(store)) == ("disagreement", (), None)
    assert said(seven(store, least=2)) == ("disagreement", (), None)
    assert [[w.annotator for w in works] for works in open_disagreements(store)] == [["Ann", "Bob"]]
    store.decide(7, "Ann", "reopen")
    assert said(seven(store)) == ("flagged", ("Bob",), None)
    assert open_disagreements(store) == []


def test_groups_and_texts_count_as_much_as_derivations(store: Store) -> None:
    annotate(store, 7, "Ann", {0: [0, 0]})
    store.decide(7, "Bob", "equivalent", {"places": [[0, 0], [0, 2]]})
    annotate(store, 7, "Bob", {0: [0, 0]})
    assert said(seven(store))[0] == "disagreement"
    store.decide(7, "Bob", "reopen")
    store.decide(7, "Bob", "not_equivalent", {"places": [[0, 0]]})
    store.decide(7, "Bob", "edit", {"question": "Two and 2 make 4 . Add 5 !"})
    store.decide(7, "Bob", "submit")
    assert said(seven(store))[0] == "disagreement"


def test_automatic_problems_count_until_someone_touches_them(store: Store) -> None:
    store.add_problems([StoredProblem(1, "Add 3 and 4 .", ("x = 3 + 4",)), StoredProblem(2, "No .", ("x = 3",))])
    by_id = {s.entry.stored.id: s for s in settle(store)}
    assert said(by_id[1]) == ("automatic", (), "m = q1 + q2")
    assert said(by_id[2]) == ("refused", (), None)
    store.decide(1, "Ann", "choose", {"literal": 0, "place": None})
    by_id = {s.entry.stored.id: s for s in settle(store)}
    assert said(by_id[1]) == ("not submitted", (), None)
    store.decide(1, "Ann", "undo")
    assert said({s.entry.stored.id: s for s in settle(store)}[1])[0] == "automatic"


FIVE_NAMES = StoredProblem(
    5, "Add 3 and 4 to get a sum .", ("a = 3", "b = 4", "c = a + b", "d = c")
)  # more unknowns than a derivation has


def state(store: Store, problem: int, name: str, derivation: str) -> None:
    store.decide(problem, name, "derivation", {"derivation": derivation})
    store.decide(problem, name, "submit")


def test_a_derivation_that_one_person_wrote_for_a_refused_problem_waits_for_the_others(store: Store) -> None:
    store.add_problems([FIVE_NAMES])
    assert 5 not in store.queue("Bob")
    state(store, 5, "Ann", "m = q1 + q2")
    assert said({s.entry.stored.id: s for s in settle(store, least=None)}[5]) == ("too few annotators", (), None)
    assert 5 in store.queue("Bob")
    assert 5 not in store.queue("Ann")
    with Store.open(store.path) as other:  # computed from the file as well
        assert 5 in other.queue("Bob")
    assert store.work(5, "Bob").stated is None
    state(store, 5, "Bob", "n = q2 + q1")
    assert said({s.entry.stored.id: s for s in settle(store, least=None)}[5])[:2] == ("agreed", ("Ann", "Bob"))
    store.add_annotator("Carol")
    assert 5 not in store.queue("Carol")


def test_a_refused_problem_waits_for_nobody_while_nothing_is_submitted(store: Store) -> None:
    store.add_problems([FIVE_NAMES])
    store.decide(5, "Ann", "derivation", {"derivation": "m = q1 + q2"})
    assert 5 not in store.queue("Bob")
    store.decide(5, "Ann", "submit")
    store.decide(5, "Ann", "reopen")
    assert 5 not in store.queue("Bob")


def test_people_who_differ_about_a_refused_problem_need_an_adjudicator(store: Store) -> None:
    store.add_problems([FIVE_NAMES])
    state(store, 5, "Ann", "m = q1 + q2")
    state(store, 5, "Bob", "m = q1*q2")
    assert said({s.entry.stored.id: s for s in settle(store, least=None)}[5])[0] == "disagreement"
    assert [works[0].problem_id for works in open_disagreements(store)] == [5]


def test_an_automatic_problem_waits_for_others_only_if_somebody_derived_it_otherwise(store: Store) -> None:
    store.add_problems([StoredProblem(1, "Add 3 and 4 .", ("x = 3 + 4",))])
    state(store, 1, "Ann", "m = q2 + q1")
    assert said({s.entry.stored.id: s for s in settle(store, least=None)}[1])[:2] == ("annotator", ("Ann",))
    assert 1 not in store.queue("Bob")
    store.decide(1, "Ann", "reopen")
    state(store, 1, "Ann", "m = q1 + 4")
    assert said({s.entry.stored.id: s for s in settle(store, least=None)}[1])[0] == "too few annotators"
    assert 1 in store.queue("Bob")


def test_an_automatic_problem_waits_for_others_if_somebody_edited_its_text(store: Store) -> None:
    store.add_problems([StoredProblem(1, "Add 3 and 4 .", ("x = 3 + 4",))])
    store.decide(1, "Ann", "edit", {"question": "Add 3 and 4 , please ."})
    store.decide(1, "Ann", "submit")
    assert 1 in store.queue("Bob")
    assert said({s.entry.stored.id: s for s in settle(store, least=None)}[1])[0] == "too few annotators"


def test_bad_policies_are_refused(store: Store) -> None:
    with pytest.raises(ChoiceError, match="'best'"):
        settle(store, "best")  # type: ignore[arg-type]
    with pytest.raises(AnnotationError):
        settle(store, "annotator")
    with pytest.raises(AnnotationError):
        settle(store, "majority", "Ann")
    with pytest.raises(AnnotationError, match=r"'Zoe'.*Ann, Bob"):
        settle(store, "annotator", "Zoe")


def test_the_overview_counts_everything_once(split_vote: Store) -> None:
    split_vote.add_problems([StoredProblem(1, "Add 3 and 4 .", ("x = 3 + 4",)), StoredProblem(2, "No .", ("x = 3",))])
    split_vote.decide(8, "Ann", "flag", {"why": "<b>why</b>"}, seconds=9)
    split_vote.add_annotator("Dan")
    found = survey(split_vote)
    assert found.problems == {"automatic": 1, "open": 2, "refused": 1}
    assert found.settled == {"automatic": 1}
    assert found.unsettled == {"disagreement": 1, "flagged": 1, "refused": 1}
    assert found.flagged == {8: {"Ann": "<b>why</b>"}}
    assert list(found.refused) == [2]
    assert found.disagreements == (7,)
    assert list(found.annotators) == ["Ann", "Bob", "Carol", "Dan"]
    split_vote.adjudicate(7, "Dan", take="Ann")
    again = survey(split_vote)
    assert (again.disagreements, list(again.annotators)) == ((), ["Ann", "Bob", "Carol"])
