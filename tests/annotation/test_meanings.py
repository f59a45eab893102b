"""What a question asks for, what unknowns are, and derivations that are stated: decisions, edits, moves and export."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from annotation.simulated import TIES, TWO_QUESTIONS, annotate
from annotation.test_work import Session

from draw_dataset.annotate.decisions import StoredProblem, take_payload
from draw_dataset.annotate.outcome import export_rows, settle
from draw_dataset.annotate.store import SCHEMA, Store
from draw_dataset.derivation.problem import Problem, asked_values, read_asked
from draw_dataset.errors import AnnotationError

AGES = StoredProblem(
    1, "Mia is 3 times as old as Leo . In 5 years she will be 2 times as old . How old is Mia ?",
    ("y + 5 = 2*(x + 5)", "y = 3*x"),
)  # fmt: skip
"""All its values are certain. Its first unknown is y, which is m in the derivation."""


def decided(*steps: tuple[str, dict[str, Any]]) -> Session:
    session = Session(AGES)
    for kind, payload in steps:
        session.decide(kind, **payload)
    return session


def test_what_is_asked_and_the_roles_stand_in_the_row() -> None:
    session = Session(AGES)
    session.decide("asked", asked=["m"])
    session.decide("role", unknown="n", role="  Leo's\n age ")
    work = session.decide("role", unknown="m", role="Mia's age")
    row = work.problem().to_row()
    assert row["asked"] == ["m"]
    assert row["roles"] == [{"unknown": "m", "role": "Mia's age"}, {"unknown": "n", "role": "Leo's age"}]
    assert asked_values(Problem.from_row(row)) == (15,)
    assert work.unsaid == ()


@pytest.mark.parametrize("nothing", [None, "", " \n"])
def test_an_empty_role_takes_it_back(nothing: str | None) -> None:
    session = decided(("role", {"unknown": "m", "role": "Mia"}), ("role", {"unknown": "n", "role": "Leo"}))
    assert session.decide("role", unknown="m", role=nothing).roles == (("n", "Leo"),)


def test_a_question_that_asks_for_nothing_is_not_one_that_nobody_has_answered() -> None:
    session = Session(AGES)
    assert session.work.asked is None
    assert session.decide("asked", asked=[]).asked == ()
    assert session.work.unsaid == ("what y is", "what x is")
    assert session.decide("asked", asked=None).asked is None
    assert session.work.unsaid == ("what y is", "what x is", "what the question asks for")
    assert session.work.problem().asked == ()


def test_expressions_have_numbers_of_the_text() -> None:
    work = decided(("asked", {"asked": ["10*m + n", "q2*n", "1/q1*m"]})).work
    assert len(read_asked(work.problem())) == 3


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (["x"], r"asked: .*\bm, n\b.*'x'"),
        (["m", "o"], r"asked: .*\bm, n\b.*'o'"),
        (["m*n"], r"asked: .*'m\*n'.*linear"),
        (["q9*m"], r"asked: .*q1 to q3.*q9"),
        (["m = 3"], r"asked: .*'m = 3'"),
        (["m; n = 2"], r"asked: .*'m; n = 2'"),
        (["m +"], r"asked: .*'m \+'"),
        ([" "], "empty"),
        (["m"] * 21, "20.*21"),
        (["m" * 201], "200.*201"),
        ("m", "list"),
        ([1], "string"),
    ],
)
def test_what_is_no_expression_in_the_unknowns_is_refused(asked: Any, message: str) -> None:
    session = Session(AGES)
    with pytest.raises(AnnotationError, match=message):
        session.decide("asked", asked=asked)
    assert session.work.status == "untouched"


@pytest.mark.parametrize(
    ("unknown", "role", "message"),
    [
        ("o", "Leo", r"role: .*\bm or n\b.*\bo\b"),
        ("x", "Leo", r"unknown: .*m, n, o.*'x'"),
        (None, "Leo", "unknown: "),
        ("m", 7, "role: "),
        ("m", "x" * 201, "200.*201"),
        ("m", "a\0b", "U.0000"),
    ],
)
def test_a_role_is_a_few_words_for_an_unknown_of_the_equations(unknown: Any, role: Any, message: str) -> None:
    with pytest.raises(AnnotationError, match=message):
        Session(AGES).decide("role", unknown=unknown, role=role)


def test_both_can_be_said_while_values_are_open() -> None:
    session = Session(TWO_QUESTIONS)
    session.decide("asked", asked=["n"])
    work = session.decide("role", unknown="n", role="Bob's bags")
    assert (work.left, work.asked, work.roles) == ((0, 1, 2), ("n",), (("n", "Bob's bags"),))


def test_an_edit_carries_the_numbers_of_expressions() -> None:
    session = decided(("asked", {"asked": ["q2*m", "n"]}), ("role", {"unknown": "m", "role": "Mia"}))
    work = session.decide("edit", question=f"Here are 7 lines . {AGES.question}")
    assert (work.asked, work.roles, work.notices) == (("q3*m", "n"), (("m", "Mia"),), ())
    work = session.decide("edit", question=AGES.question.replace("In 5 years", "Soon"))
    assert (work.asked, len(work.notices)) == (("n",), 1)
    assert session.decide("undo").asked == ("q3*m", "n")


def test_a_marked_number_moves_the_numbers_of_expressions() -> None:
    session = decided(("asked", {"asked": ["q2*m"]}), ("derivation", {"derivation": "m = q1*n; m + q2 = q3*(n + q2)"}))
    work = session.decide("number", place=[0, 0], value="12")
    assert (work.asked, work.stated) == (("q3*m",), "m = q2*n; m + q3 = q4*(n + q3)")


def test_other_equations_drop_what_is_said_of_unknowns_that_are_gone() -> None:
    session = decided(
        ("asked", {"asked": ["m", "n"]}),
        ("role", {"unknown": "m", "role": "Mia"}),
        ("role", {"unknown": "n", "role": "Leo"}),
        ("submit", {}),
    )
    work = session.update(replace(AGES, equations=("3*x + 5 = 2*(x + 5)",)))
    assert (work.asked, work.roles, work.submitted) == (("m",), (("m", "Mia"),), False)
    assert [notice for notice in work.notices if "Leo" in notice]
    # What was dropped before a decision does not come back with the equations.
    session.decide("skip")
    work = session.update(replace(AGES, equations=("a + 5 = 2*(b + 5)", "a = 3*b")))
    assert (work.asked, work.roles) == (("m",), (("m", "Mia"),))


def test_the_last_expression_that_is_dropped_leaves_the_question_unanswered() -> None:
    session = decided(("asked", {"asked": ["n"]}))
    assert session.update(replace(AGES, equations=("3*x + 5 = 2*(x + 5)",))).asked is None


def test_an_export_renames_unknowns_as_its_template_does() -> None:
    # Expanded, the first equation has only y, which is the second unknown of the equations as they are.
    session = Session(StoredProblem(1, "Ann has 3 pears and 4 plums .", ("x - x + y = 3", "x = 4")))
    session.decide("asked", asked=["n", "2*m"])
    session.decide("role", unknown="n", role="pears")
    problem = session.work.problem()
    assert (problem.derivation.q_notation(), problem.asked, problem.roles) == (
        "m = q1; n = q2", ("m", "2*n"), (("m", "pears"),),
    )  # fmt: skip
    assert asked_values(problem) == (3, 8)


# Stated derivations


def test_a_stated_derivation_takes_the_place_of_the_equations() -> None:
    session = Session(TWO_QUESTIONS)
    work = session.decide("derivation", derivation="n = q4 + m; m = q1*q2", alternatives=["m = q1*q2; n = m + q2"])
    assert (work.left, work.is_complete, work.unknowns) == ((), True, ("m", "n"))
    problem = session.decide("submit").problem()
    row = problem.to_row()
    assert (row["derivation"], row["equations"]) == ("n = q4 + m; m = q1*q2", ["n = 6 + m", "m = 3*6"])
    assert (row["alternatives"], sorted(row["solutions"])) == (["m = q1*q2; n = m + q2"], [18.0, 24.0])
    assert Problem.from_row(row) == problem


def test_a_stated_derivation_can_be_withdrawn() -> None:
    session = Session(TWO_QUESTIONS)
    session.decide("choose", literal=0, place=[0, 2])
    session.decide("derivation", derivation="m = q1*q2")
    session.decide("role", unknown="m", role="pears")
    with pytest.raises(AnnotationError, match="stated"):
        session.decide("choose", literal=1, place=[0, 5])
    work = session.decide("derivation", derivation=None)
    assert (work.stated, work.left, work.roles) == (None, (1, 2), (("m", "pears"),))
    with pytest.raises(AnnotationError, match="there is none"):
        session.decide("derivation", derivation=None)


def test_unknowns_that_a_stated_derivation_lacks_lose_their_roles() -> None:
    session = decided(("asked", {"asked": ["n"]}), ("role", {"unknown": "n", "role": "Leo"}))
    work = session.decide("derivation", derivation="m = q1*q2")
    assert (work.asked, work.roles, len(work.notices)) == (None, (), 2)


@pytest.mark.parametrize(
    ("derivation", "message"),
    [
        ("m + n = q1", "one solution.*infinite"),
        ("m = q1; m = q2", "one solution.*none"),
        ("m = q9", "q1 to q3.*q9"),
        ("x = q1", "m, n, o.*x"),
        ("m*m = q1", "linear"),
        ("m = = q1", "equation 1"),
        ("q1 = q2", "unknown"),
        (" ", "q-notation"),
        ("m = q1 + " * 400 + "q1", "2000"),
        (7, "string"),
    ],
)
def test_what_is_no_derivation_is_refused(derivation: Any, message: str) -> None:
    session = Session(AGES)
    with pytest.raises(AnnotationError, match=message):
        session.decide("derivation", derivation=derivation)
    with pytest.raises(AnnotationError):
        session.decide("derivation", derivation="m = q1", alternatives=[derivation])
    assert session.work.status == "untouched"


def test_an_edit_carries_a_stated_derivation_or_drops_it() -> None:
    session = decided(("derivation", {"derivation": "m = q1*q2", "alternatives": ["m = q2*q3"]}))
    work = session.decide("edit", question=f"Take 9 . {AGES.question}")
    assert (work.stated, work.alternatives) == ("m = q2*q3", ("m = q3*q4",))
    work = session.decide("edit", question="Mia is 3 times as old as Leo in 2 years .")
    assert (work.stated, work.alternatives, len(work.notices)) == (None, (), 1)


def test_a_problem_whose_equations_cannot_be_read_can_have_a_stated_derivation() -> None:
    session = Session(StoredProblem(1, "Ann has 3 bags of 4 pears and 4 plums .", ("x * x = 3",)))
    assert session.work.refusal is not None
    with pytest.raises(AnnotationError, match="cannot be annotated"):
        session.decide("asked", asked=["m"])
    session.decide("derivation", derivation="m = q1*q2")
    session.decide("equivalent", places=[[0, 5], [0, 8]])
    session.decide("asked", asked=["m + q3"])
    row = session.decide("submit").problem().to_row()
    assert (row["solutions"], row["asked"], len(row["equiv_tnum"])) == ([12.0], ["m + q3"], 1)
    taken = Session(StoredProblem(1, "Ann has 3 bags of 4 pears and 4 plums .", ("x * x = 3",)))
    assert taken.decide("take", **take_payload(session.work)).problem().to_row() == row


def test_a_text_that_cannot_be_read_has_no_derivation() -> None:
    with pytest.raises(AnnotationError, match="question: "):
        Session(StoredProblem(1, "Ann has 3\0 pears .", ("x = 3",))).decide("derivation", derivation="m = 3")


# In a store


def test_an_adjudicator_takes_all_that_is_said(store: Store) -> None:
    store.decide(7, "Ann", "asked", {"asked": ["m"]})
    store.decide(7, "Ann", "role", {"unknown": "m", "role": "the sum"})
    annotate(store, 7, "Ann", {0: [0, 0]})
    store.decide(8, "Bob", "derivation", {"derivation": "m = q1*q2", "alternatives": ["m = q3*q4"]})
    store.decide(8, "Bob", "submit")
    for id_, name in ((7, "Ann"), (8, "Bob")):
        work = store.work(id_, name)
        settled = store.adjudicate(id_, "Carol", name)
        assert settled.problem() == work.problem()
        assert (settled.stated, settled.asked, settled.roles) == (work.stated, work.asked, work.roles)
    settled = store.adjudicate(7, "Carol", decisions=[("role", {"unknown": "m", "role": "the result"})])
    assert (settled.asked, settled.roles) == (("m",), (("m", "the result"),))
    rows = export_rows(settle(store)).rows
    assert [(row["asked"], row["roles"], row["alternatives"]) for row in rows] == [
        (["m"], [{"unknown": "m", "role": "the result"}], []), ([], [], ["m = q3*q4"]),
    ]  # fmt: skip


def test_a_store_that_asks_for_roles_wants_them_before_a_submission(store: Store) -> None:
    assert not store.ask_roles
    store.configure(ask_roles=True)
    store.decide(7, "Ann", "choose", {"literal": 0, "place": [0, 0]})
    for kind, payload in (
        ("asked", {"asked": ["m"]}),
        ("role", {"unknown": "m", "role": "the sum"}),
    ):
        with pytest.raises(AnnotationError, match=r"problem 7: .*what x is"):
            store.decide(7, "Ann", "submit")
        store.decide(7, "Ann", kind, payload)
    assert store.decide(7, "Ann", "submit").submitted
    with pytest.raises(AnnotationError, match="what the question asks for"):
        store.adjudicate(7, "Carol", decisions=[("choose", {"literal": 0, "place": None})])
    store.configure(ask_roles=False)
    annotate(store, 7, "Bob", {0: [0, 0]})
    with pytest.raises(AnnotationError, match="ask_roles"):
        store.configure(ask_roles=1)  # type: ignore[arg-type]


def test_problems_that_need_no_choice_wait_for_their_roles(store: Store) -> None:
    store.add_problems([AGES, StoredProblem(2, "No number .", ("x = 3",))])
    assert set(store.queue("Ann")) == {7, 8}
    store.configure(ask_roles=True)
    assert set(store.queue("Ann")) == {7, 8, 1}
    store.configure(annotators_per_problem=2)
    assert store.ask_roles


def test_a_store_of_version_2_becomes_one_of_version_3_with_the_first_new_decision(store: Store) -> None:
    def version() -> int:
        return int(sqlite3.connect(path).execute("PRAGMA user_version").fetchone()[0])

    path = store.path
    store.close()
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version = 2")
    connection.close()
    with Store.open(path) as old:
        annotate(old, 7, "Ann", {0: [0, 0]})
        assert version() == 2
        with pytest.raises(AnnotationError):
            old.decide(8, "Ann", "role", {"unknown": "o", "role": "nothing"})
        assert version() == 2
        old.decide(8, "Ann", "role", {"unknown": "m", "role": "pears"})
    assert version() == SCHEMA == 3


def test_a_take_without_the_newer_fields_is_read(tmp_path: Path) -> None:
    session = Session(TIES)
    work = session.decide("take", annotator="Bob", question=TIES.question, chosen=[[0, [0, 2]]], groups=[])
    assert (work.taken, work.stated, work.asked, work.roles) == ("Bob", None, None, ())
