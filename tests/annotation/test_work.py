"""The state after decisions: every kind, its refusals, edits that propose again, and undoing."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest
from annotation.simulated import TIES, TWO_QUESTIONS

from draw_dataset.annotate.decisions import (
    KINDS,
    AnnotationState,
    Decision,
    StoredProblem,
    decide,
    fold,
    read_decision,
    take_payload,
)
from draw_dataset.errors import AnnotationError


class Session:
    """One annotator at one problem, without a store."""

    def __init__(self, *revisions: StoredProblem) -> None:
        self.revisions = {i: replace(stored, revision=i) for i, stored in enumerate(revisions, 1)}
        self.decisions: list[Decision] = []

    def decide(self, kind: str, seconds: float = 0.0, **payload: Any) -> AnnotationState:
        new = read_decision(kind, payload, seconds, revision=max(self.revisions))
        work = decide(self.revisions, "Ann", self.decisions, new)
        self.decisions.append(new)
        return work

    def update(self, stored: StoredProblem) -> AnnotationState:
        number = max(self.revisions) + 1
        self.revisions[number] = replace(stored, revision=number)
        return self.work

    @property
    def work(self) -> AnnotationState:
        return fold(self.revisions, "Ann", self.decisions)


def places(work: AnnotationState) -> dict[int, object]:
    return {i: None if o.number is None else o.number.place for i, o in work.chosen.items()}


def groups(work: AnnotationState) -> list[list[object]]:
    return [[number.place for number in group] for group in work.groups]


def test_a_choice_closes_its_question_and_gives_a_derivation() -> None:
    session = Session(TIES)
    assert (session.work.left, session.work.derivation, session.work.is_complete, session.work.status) == (
        (0,), None, False, "untouched",
    )  # fmt: skip
    work = session.decide("choose", literal=0, place=[0, 2])
    assert (work.left, work.is_complete, work.status) == ((), True, "started")
    assert work.derivation is not None
    assert work.derivation.q_notation() == "m = q2 + q4"
    assert work.problem().to_row()["derivation"] == "m = q2 + q4"


def test_a_second_choice_replaces_the_first() -> None:
    session = Session(TIES)
    session.decide("choose", literal=0, place=[0, 2])
    assert places(session.decide("choose", literal=0, place=[0, 0])) == {0: (0, 0)}
    assert places(session.decide("choose", literal=0, place=None)) == {0: None}
    assert session.work.problem().derivation.q_notation() == "m = q4 + 2"


def test_an_annotator_may_overrule_what_was_no_question() -> None:
    session = Session(TIES)
    session.decide("choose", literal=0, place=[0, 2])
    assert session.decide("choose", literal=1, place=None).problem().derivation.q_notation() == "m = q2 + 5"


def test_unchoosing_opens_the_question_again() -> None:
    session = Session(TIES)
    session.decide("choose", literal=0, place=[0, 2])
    assert session.decide("unchoose", literal=0).left == (0,)
    with pytest.raises(AnnotationError, match=r"unchoose: .*\b0\b"):
        session.decide("unchoose", literal=0)


@pytest.mark.parametrize(
    ("kind", "payload", "message"),
    [
        ("choose", {"literal": 0, "place": [0, 4]}, "literal 2: "),
        (
            "choose",
            {"literal": 0, "place": [5, 5]},
            r"\[0, 0\].*\[5, 5\]",
        ),
        ("choose", {"literal": 9, "place": [0, 0]}, r"0.*1.*9"),
        ("choose", {"literal": 0}, r"choose: .*literal, place"),
        ("choose", {"literal": True, "place": None}, r"literal: .*0.*True"),
        ("choose", {"literal": 0, "place": [0, -2]}, r"place: .*0.*-2"),
        ("choose", {"literal": 0, "place": "02"}, r"\[sentence, token\].*'02'"),
        ("equivalent", {"places": [[0, 0], [0, 4]]}, "equivalent: "),
        ("equivalent", {"places": [[0, 0], [0, 0]]}, "equivalent: "),
        ("equivalent", {"places": 7}, r"places: .*7"),
        ("not_equivalent", {"places": [[0, 0]]}, "equivalent: "),
        ("not_equivalent", {"places": []}, "equivalent: "),
        ("edit", {"question": TIES.question}, "edit: "),
        ("edit", {"question": " \n"}, "question: "),
        ("edit", {"question": "a\0b 2"}, r"U[+]0000"),
        ("edit", {"question": "\ud800 2"}, r"U[+]D800"),
        ("edit", {"question": "2" * 10_001}, r"10000.*10001"),
        ("flag", {"why": 3}, r"why: .*3"),
        ("flag", {"why": "x" * 1001}, "1000"),
        ("submit", {}, r"\b2\b"),
        ("submit", {"sure": True}, "submit: "),
        ("reopen", {}, r"submitted.*flagged.*skipped"),
        ("undo", {}, "undo: "),
        ("redo", {}, "redo: "),
        ("dance", {}, r"decision: .*choose, unchoose"),
    ],
)
def test_what_does_not_fit_is_refused_and_changes_nothing(kind: str, payload: dict[str, Any], message: str) -> None:
    session = Session(TIES)
    with pytest.raises(AnnotationError, match=message):
        session.decide(kind, **payload)
    assert session.work.status == "untouched"


@pytest.mark.parametrize("seconds", [-1.0, float("nan"), float("inf"), "4", True, None])
def test_time_is_a_finite_number_from_zero(seconds: Any) -> None:
    with pytest.raises(AnnotationError, match="seconds"):
        read_decision("skip", {}, seconds)


def test_groups_are_joined_and_parted() -> None:
    session = Session(StoredProblem(1, "A 3 , a 3 , three and 3 .", ("x = 3",)))
    session.decide("equivalent", places=[[0, 4], [0, 1]])
    assert groups(session.work) == [[(0, 1), (0, 4)]]
    session.decide("equivalent", places=[[0, 6], [0, 8]])
    assert groups(session.work) == [[(0, 1), (0, 4)], [(0, 6), (0, 8)]]
    assert groups(session.decide("equivalent", places=[[0, 1], [0, 6]])) == [[(0, 1), (0, 4), (0, 6), (0, 8)]]
    assert groups(session.decide("not_equivalent", places=[[0, 4], [0, 8]])) == [[(0, 1), (0, 6)]]
    assert groups(session.decide("not_equivalent", places=[[0, 1]])) == []


def test_groups_reach_the_row() -> None:
    session = Session(TIES)
    session.decide("equivalent", places=[[0, 0], [0, 2]])
    session.decide("choose", literal=0, place=[0, 0])
    assert session.work.problem().to_row()["equiv_tnum"] == [
        [{"sentence": 0, "token": 0, "value": 2.0}, {"sentence": 0, "token": 2, "value": 2.0}]
    ]


def test_what_is_submitted_or_flagged_must_be_reopened_before_it_is_changed() -> None:
    session = Session(TIES)
    session.decide("choose", literal=0, place=[0, 2])
    assert session.decide("submit").status == "submitted"
    for kind, payload in (
        ("choose", {"literal": 0, "place": [0, 0]}),
        ("skip", {}),
        ("submit", {}),
        ("flag", {"why": ""}),
    ):
        with pytest.raises(AnnotationError, match=r"submitted.*reopen"):
            session.decide(kind, **payload)
    assert session.decide("reopen").status == "started"
    assert session.decide("flag", why="no sense").flagged == "no sense"
    with pytest.raises(AnnotationError, match="it is flagged"):
        session.decide("edit", question="2 and 5 .")
    assert session.decide("reopen").flagged is None


def test_a_skip_holds_until_work_goes_on() -> None:
    session = Session(TIES)
    assert session.decide("skip").status == "skipped"
    assert session.decide("choose", literal=0, place=[0, 2]).status == "started"


def test_an_edit_proposes_anew_and_keeps_what_is_still_there() -> None:
    session = Session(
        StoredProblem(1, "Hello . Mix 10ml of 2 acids and two jars of 2 salts .", ("x = 2*2", "y = 10 + x"))
    )
    first = session.work
    assert [len(literal.origins) for literal in (first.proposal.literals if first.proposal else ())] == [3, 3, 1]
    session.decide("choose", literal=0, place=[1, 3])
    session.decide("choose", literal=1, place=[1, 9])
    session.decide("equivalent", places=[[1, 3], [1, 9]])
    work = session.decide("edit", question="Mix 10 ml of 2 acids and two jars of 2 salts .")
    assert places(work) == {0: (0, 4), 1: (0, 10)}
    assert groups(work) == [[(0, 4), (0, 10)]]
    assert work.notices == ()
    assert work.original.startswith("Hello")
    assert work.problem().question.startswith("Mix 10 ml")


def test_an_edit_drops_what_is_gone_and_says_so() -> None:
    session = Session(TWO_QUESTIONS)
    session.decide("choose", literal=0, place=[0, 2])
    session.decide("choose", literal=1, place=[0, 5])
    session.decide("choose", literal=2, place=[1, 2])
    session.decide("equivalent", places=[[0, 5], [1, 2]])
    work = session.decide("edit", question="Ann has 3 bags of 6 pears and 3 boxes .")
    assert places(work) == {0: (0, 2), 1: (0, 5)}
    assert work.left == ()  # one 6 is left, so the third literal is no question now
    assert groups(work) == []
    assert len(work.notices) == 2
    assert all('"6" (q4)' in notice for notice in work.notices)
    assert places(session.decide("undo")) == {0: (0, 2), 1: (0, 5), 2: (1, 2)}


def test_an_edited_value_is_another_number() -> None:
    session = Session(TIES)
    session.decide("choose", literal=0, place=[0, 2])
    work = session.decide("edit", question="Two and 3 make 4 . Add 5 and 2 .")
    assert places(work) == {}
    assert len(work.notices) == 1


def test_an_edit_that_leaves_no_number_is_kept_with_its_refusal() -> None:
    session = Session(TIES)
    session.decide("choose", literal=0, place=[0, 2])
    work = session.decide("edit", question="Nothing here .")
    assert (work.proposal, work.left, work.is_complete) == (None, (), False)
    assert work.refusal is not None
    assert work.refusal.startswith("question: ")
    (notice,) = work.notices
    assert work.refusal in notice
    with pytest.raises(AnnotationError):
        session.decide("submit")
    with pytest.raises(AnnotationError):
        session.decide("choose", literal=0, place=[0, 0])
    assert session.decide("edit", question=TIES.question).left == (0,)


@pytest.mark.parametrize(
    ("question", "equations", "message"),
    [
        ("No numbers .", ("x = 3",), "at least one number"),
        ("A 3 .", ("x = = 3",), "equation 1, column 5"),
        ("A 3 .", (), "expected"),
        ("A 3 .", ("",), "expected"),
        ("A 3 .", ("x*x = 3",), "linear"),
        ("A 3 .", ("x + y = 3",), "x, y"),
        ("A 3 .", ("x = 3", "x = 4"), "but got none"),
        ("A 3 .", ("x = 3", "y = 3", "z = 3", "w = 3"), r"1.*3.*4"),
        ("A 3 .", ("__import__('os') = 3",), "expected"),
    ],
)
def test_a_problem_that_cannot_be_annotated_says_why(question: str, equations: tuple[str, ...], message: str) -> None:
    work = Session(StoredProblem(1, question, equations)).work
    assert work.proposal is None
    assert re.search(message, work.refusal or "")
    with pytest.raises(AnnotationError, match="problem 1: "):
        work.problem()


def decisions_of_every_kind() -> list[tuple[str, dict[str, Any]]]:
    return [
        ("choose", {"literal": 0, "place": [0, 2]}),
        ("choose", {"literal": 1, "place": [0, 5]}),
        ("equivalent", {"places": [[0, 5], [1, 2]]}),
        ("unchoose", {"literal": 0}),
        ("number", {"place": [0, 3], "value": "12"}),
        ("asked", {"asked": ["n", "m + q1"]}),
        ("role", {"unknown": "n", "role": "Bob's bags"}),
        ("derivation", {"derivation": "m = q1*q3", "alternatives": ["m = q3*q4"]}),
        ("derivation", {"derivation": None}),
        ("edit", {"question": "Ann has 3 bags of 6 pears and 3 boxes . Bob has 6 bags more ."}),
        ("not_equivalent", {"places": [[0, 5]]}),
        ("skip", {}),
        ("choose", {"literal": 2, "place": [1, 2]}),
        ("flag", {"why": "a test"}),
        ("reopen", {}),
        ("choose", {"literal": 0, "place": [0, 8]}),
        ("submit", {}),
        ("reopen", {}),
    ]


def test_every_kind_can_be_undone_and_redone() -> None:
    session = Session(TWO_QUESTIONS)
    steps = decisions_of_every_kind()
    assert {kind for kind, _ in steps} == set(KINDS) - {"undo", "redo", "take"}
    states = [session.work]
    states += [session.decide(kind, **payload) for kind, payload in steps]
    assert [state.can_undo for state in states] == [False] + [True] * len(steps)
    for state in reversed(states[:-1]):
        assert replace(session.decide("undo"), seconds=0.0) == state
    with pytest.raises(AnnotationError, match="there is none"):
        session.decide("undo")
    for state in states[1:]:
        assert session.decide("redo") == state
    assert session.work.can_redo is False
    assert session.work.decided == 3 * len(steps)


def test_a_new_decision_forgets_what_could_be_redone() -> None:
    session = Session(TIES)
    session.decide("skip")
    assert session.decide("undo").can_redo
    assert not session.decide("choose", literal=0, place=[0, 0]).can_redo


def test_time_counts_what_was_undone() -> None:
    session = Session(TIES)
    session.decide("skip", 2.0)
    session.decide("undo", 0.5)
    assert session.decide("choose", 4, literal=0, place=[0, 0]).seconds == 6.5


def test_an_update_of_the_text_keeps_choices_and_opens_what_was_submitted() -> None:
    session = Session(TIES)
    session.decide("choose", literal=0, place=[0, 2])
    session.decide("submit")
    work = session.update(replace(TIES, question="Well , two and 2 make 4 . Add 5 ."))
    assert (places(work), work.submitted) == ({0: (0, 4)}, False)
    assert len(work.notices) == 1
    assert session.decide("submit").submitted
    assert session.decide("undo").submitted is False
    assert places(session.decide("redo")) == {0: (0, 4)}


def test_an_update_of_the_equations_drops_all_choices() -> None:
    session = Session(TIES)
    session.decide("choose", literal=0, place=[0, 2])
    work = session.update(replace(TIES, equations=("x = 2 - 5",)))
    assert places(work) == {}
    assert "equations" in work.notices[0]


def test_an_update_of_other_fields_changes_no_work() -> None:
    session = Session(TIES)
    session.decide("edit", question="Two and 2 make 4 ! Add 5 .")
    session.decide("choose", literal=0, place=[0, 2])
    session.decide("submit")
    work = session.update(replace(TIES, extra={"source": "a book"}))
    assert (work.submitted, work.question, work.stored.extra) == (
        True,
        "Two and 2 make 4 ! Add 5 .",
        {"source": "a book"},
    )


def test_recorded_decisions_that_no_longer_fit_are_passed_over_and_named() -> None:
    stale = [Decision("choose", {"literal": 5, "place": [0, 0]}), Decision("submit"), Decision("skip")]
    work = fold({1: TIES}, "Ann", stale)
    assert (work.status, work.left) == ("skipped", (0,))
    assert len(work.notices) == 2


def test_taking_is_the_work_as_it_was() -> None:
    other = Session(TWO_QUESTIONS)
    for kind, payload in decisions_of_every_kind()[:-1]:
        other.decide(kind, **payload)
    other.decide("reopen")
    other.decide("choose", literal=1, place=[0, 5])
    other.decide("equivalent", places=[[0, 2], [0, 8]])
    session = Session(TWO_QUESTIONS)
    work = session.decide("take", **take_payload(other.work))
    assert (work.question, work.chosen, work.groups) == (other.work.question, other.work.chosen, other.work.groups)
    assert work.taken == "Ann"
    assert session.decide("choose", literal=1, place=[1, 2]).taken is None
