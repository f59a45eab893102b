"""Laws of deciding and undoing, over random decisions."""

from __future__ import annotations

import json
from dataclasses import fields
from typing import Any

from annotation.simulated import TWO_QUESTIONS
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from draw_dataset.annotate.decisions import AnnotationState, Decision, decide, fold, fresh_work, read_decision
from draw_dataset.annotate.normal import read_expressions
from draw_dataset.derivation.problem import read_asked
from draw_dataset.errors import AnnotationError

TEXTS = (
    TWO_QUESTIONS.question,
    "Ann has 3 bags of 6 pears .",
    "Bob has 6 more bags than Ann . Ann has 3 bags of 6 pears and 3 boxes .",
    "Ann has three bags of 6 pears and 3 boxes of 6 . Bob has 6 more bags than Ann .",
    "Nobody has anything .",
)
REVISIONS = {1: TWO_QUESTIONS}

place = st.tuples(st.integers(0, 1), st.integers(0, 9)).map(list)
literal = st.integers(0, 3)


def what_counts(work: AnnotationState) -> tuple[object, ...]:
    return (
        work.question, work.refusal, dict(work.chosen), work.groups, work.flagged, work.skipped, work.submitted,
        work.stated, work.alternatives, work.asked, work.roles,
    )  # fmt: skip


class Annotating(RuleBasedStateMachine):
    """An annotator who tries anything; the model is the list of states that undoing must lead back to."""

    def __init__(self) -> None:
        super().__init__()
        self.decisions: list[Decision] = []
        self.past = [fresh_work(TWO_QUESTIONS, "Ann")]
        self.future: list[AnnotationState] = []

    def attempt(self, kind: str, **payload: Any) -> None:
        new = read_decision(kind, payload)
        before = list(self.decisions)
        try:
            work = decide(REVISIONS, "Ann", self.decisions, new)
        except AnnotationError:
            assert self.decisions == before
            return
        folded = fold(REVISIONS, "Ann", [*self.decisions, new])
        assert {f.name: getattr(work, f.name) for f in fields(AnnotationState)} == {
            f.name: getattr(folded, f.name) for f in fields(AnnotationState)
        }
        self.decisions.append(new)
        self.past.append(work)
        self.future.clear()

    @rule(literal=literal, place=st.none() | place)
    def choose(self, literal: int, place: list[int] | None) -> None:
        self.attempt("choose", literal=literal, place=place)

    @rule(literal=literal)
    def unchoose(self, literal: int) -> None:
        self.attempt("unchoose", literal=literal)

    @rule(kind=st.sampled_from(["equivalent", "not_equivalent"]), places=st.lists(place, max_size=3))
    def group(self, kind: str, places: list[list[int]]) -> None:
        self.attempt(kind, places=places)

    @rule(which=st.sampled_from([("equivalent", [[0, 2], [0, 8]]), ("equivalent", [[0, 5], [1, 2]])]))
    def join(self, which: tuple[str, list[list[int]]]) -> None:
        self.attempt(which[0], places=which[1])

    @rule(asked=st.none() | st.lists(st.sampled_from(["m", "n", "o", "m + n", "q2*n", "q9*m", "m*n"]), max_size=2))
    def ask(self, asked: list[str] | None) -> None:
        self.attempt("asked", asked=asked)

    @rule(unknown=st.sampled_from("mno"), role=st.sampled_from(["Ann's pears", "bags", None]))
    def say_role(self, unknown: str, role: str | None) -> None:
        self.attempt("role", unknown=unknown, role=role)

    @rule(
        derivation=st.sampled_from(["m = q1*q2", "n = q2; m = n + q4", "m + n = q1", "m = q9", None]),
        alternatives=st.sampled_from([[], ["o = q1 + q3"]]),
    )
    def state(self, derivation: str | None, alternatives: list[str]) -> None:
        self.attempt("derivation", derivation=derivation, alternatives=alternatives)

    @rule(question=st.sampled_from(TEXTS))
    def edit(self, question: str) -> None:
        self.attempt("edit", question=question)

    @rule(kind=st.sampled_from(["skip", "submit", "reopen"]))
    def plain(self, kind: str) -> None:
        self.attempt(kind)

    @rule()
    def flag(self) -> None:
        self.attempt("flag", why="")

    @precondition(lambda self: len(self.past) > 1)
    @rule()
    def undo(self) -> None:
        self.decisions.append(Decision("undo"))
        self.future.append(self.past.pop())

    @precondition(lambda self: self.future)
    @rule()
    def redo(self) -> None:
        self.decisions.append(Decision("redo"))
        self.past.append(self.future.pop())

    @invariant()
    def the_fold_is_the_state_that_undoing_leads_to(self) -> None:
        work = fold(REVISIONS, "Ann", self.decisions)
        assert what_counts(work) == what_counts(self.past[-1])
        assert (work.can_undo, work.can_redo) == (len(self.past) > 1, bool(self.future))

    @invariant()
    def what_is_submitted_has_a_derivation_and_numbers_of_its_text(self) -> None:
        work = fold(REVISIONS, "Ann", self.decisions)
        if work.submitted:
            assert work.problem().to_row()["question"] == work.question
            read_asked(work.problem())
        chosen = {origin.number for origin in work.chosen.values() if origin.number is not None}
        assert chosen <= set(work.numbers)
        assert {unknown for unknown, _ in work.roles} <= set(work.unknowns)
        read_expressions(work.asked or (), work.unknowns, work.numbers)
        members = [number for group in work.groups for number in group]
        assert len(members) == len(set(members))
        assert set(members) <= set(work.numbers)

    @invariant()
    def decisions_survive_json(self) -> None:
        again = [Decision(d.kind, json.loads(json.dumps(d.payload))) for d in self.decisions]
        assert fold(REVISIONS, "Ann", again) == fold(REVISIONS, "Ann", self.decisions)


Annotating.TestCase.settings = settings(max_examples=60, stateful_step_count=25, deadline=None)
TestAnnotating = Annotating.TestCase
