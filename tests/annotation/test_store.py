"""The store: what it remembers, who waits for what, how problems are settled, and what it refuses."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from annotation.simulated import TIES, TWO_QUESTIONS, annotate

from draw_dataset.annotate.decisions import StoredProblem
from draw_dataset.annotate.store import Store
from draw_dataset.errors import AnnotationError, ChoiceError, StaleWorkError, StoreError

NESTED: Any = []
for _ in range(200):
    NESTED = [NESTED]

FIRST: dict[str, Any] = {"literal": 0, "place": [0, 0]}
SECOND: dict[str, Any] = {"literal": 0, "place": [0, 2]}


def many(count: int) -> list[StoredProblem]:
    return [replace(TIES, id=i) for i in range(1, count + 1)]


def test_a_decision_is_there_when_the_store_is_opened_again(store: Store) -> None:
    said = store.decide(7, "Ann", "choose", SECOND, seconds=3.5)
    with Store.open(store.path) as again:
        assert again.work(7, "Ann") == said
        (decision,) = again.history(7, "Ann")
    assert (decision.kind, decision.payload, decision.seconds, decision.number) == ("choose", SECOND, 3.5, 1)
    assert decision.at.endswith("Z")


def test_a_refused_decision_leaves_no_trace(store: Store) -> None:
    with pytest.raises(AnnotationError, match="every value to be decided"):
        store.decide(7, "Ann", "submit")
    assert store.history(7, "Ann") == []
    assert store.progress("Ann").left == 2


def test_history_keeps_what_was_undone(store: Store) -> None:
    store.decide(7, "Ann", "choose", FIRST, 2.0)
    store.decide(7, "Ann", "undo", seconds=1.0)
    store.decide(7, "Ann", "choose", SECOND, 4.0)
    assert [d.kind for d in store.history(7, "Ann")] == ["choose", "undo", "choose"]
    assert store.work(7, "Ann").seconds == 7.0


def test_a_decision_on_work_that_has_changed_meanwhile_is_refused(store: Store) -> None:
    seen = store.work(7, "Ann")
    store.decide(7, "Ann", "choose", FIRST, after=seen.decided)
    with pytest.raises(StaleWorkError, match=r"\b0\b.*\b1\b"):
        store.decide(7, "Ann", "choose", SECOND, after=seen.decided)
    assert len(store.history(7, "Ann")) == 1


def test_there_are_two_roles(store: Store) -> None:
    with pytest.raises(ChoiceError, match=r"annotator.*adjudicator.*'chief'"):
        store.decide(7, "Ann", "skip", role="chief")  # type: ignore[arg-type]


def test_annotators_do_not_see_each_others_work(store: Store) -> None:
    annotate(store, 7, "Ann", {0: [0, 0]})
    assert store.work(7, "Bob").status == "untouched"


@pytest.mark.parametrize("who", ["Carol", "An"])
def test_an_unknown_annotator_is_named_with_the_known_ones(store: Store, who: str) -> None:
    with pytest.raises(AnnotationError, match=rf"'{who}'.*Ann, Bob"):
        store.decide(7, who, "skip")


@pytest.mark.parametrize("id_", [99, -1, True, "7", 2**70, None])
def test_an_unknown_problem_is_refused(store: Store, id_: Any) -> None:
    calls: list[Callable[[], object]] = [
        lambda: store.work(id_, "Ann"),
        lambda: store.history(id_, "Ann"),
        lambda: store.decide(id_, "Ann", "skip"),
        lambda: store.problem(id_),
        lambda: store.adjudicate(id_, "Ann"),
    ]
    for call in calls:
        with pytest.raises(AnnotationError):
            call()


# Queues


def test_done_and_flagged_problems_leave_the_queue_and_skipped_ones_come_last(tmp_path: Path) -> None:
    with Store.open(tmp_path / "work.db", create=True) as store:
        store.add_problems(many(6))
        store.add_annotator("Ann")
        first, second, third, fourth, *rest = store.queue("Ann")
        store.decide(second, "Ann", "skip", seconds=1)
        store.decide(first, "Ann", "skip", seconds=1)
        annotate(store, third, "Ann", {0: [0, 0]}, seconds=5)
        store.decide(fourth, "Ann", "flag", {"why": "unclear"}, seconds=2)
        assert store.queue("Ann") == [*rest, second, first]
        progress = store.progress("Ann")
        assert (progress.submitted, progress.flagged, progress.skipped, progress.left) == (1, 1, 2, 4)
        assert (progress.seconds, progress.median_seconds) == (9.0, 5.0)
        store.decide(fourth, "Ann", "reopen")
        assert fourth in store.queue("Ann")


def test_queues_have_orders_of_their_own_made_of_the_seed(tmp_path: Path) -> None:
    with Store.open(tmp_path / "work.db", create=True) as store:
        store.add_problems(many(40))
        for name in ("Ann", "Bob"):
            store.add_annotator(name)
        ann, bob = store.queue("Ann"), store.queue("Bob")
        assert ann != bob
        assert sorted(ann) == sorted(bob) == list(range(1, 41))
        store.configure(seed=1)
        assert store.queue("Ann") != ann
        store.configure(seed=0)
        store.add_problems([replace(TIES, id=100 + i) for i in range(10)])
        assert [i for i in store.queue("Ann") if i <= 40] == ann


def test_a_problem_waits_until_enough_annotators_have_it(tmp_path: Path) -> None:
    with Store.open(tmp_path / "work.db", create=True) as store:
        store.add_problems(many(1))
        for name in ("Ann", "Bob", "Carol"):
            store.add_annotator(name)
        annotate(store, 1, "Ann", {0: [0, 0]})
        store.decide(1, "Bob", "skip")
        assert store.queue("Carol") == [1]  # one who skips takes no place
        store.decide(1, "Bob", "choose", FIRST)
        assert store.queue("Carol") == []
        assert store.queue("Bob") == [1]
        store.configure(annotators_per_problem=3)
        assert store.queue("Carol") == [1]


def test_what_needs_no_person_waits_for_nobody_but_can_be_overruled(store: Store) -> None:
    plain = StoredProblem(1, "Add 3 and 4 .", ("x = 3 + 4",))
    refused = StoredProblem(2, "Nothing .", ("x = 3",))
    intake = store.add_problems([plain, refused])
    assert intake.counts == {"automatic": 1, "open": 0, "refused": 1}
    assert set(store.queue("Ann")) == {7, 8}
    store.decide(1, "Ann", "choose", {"literal": 1, "place": None})
    store.decide(2, "Ann", "edit", {"question": "Nothing but 3 ."})
    assert set(store.queue("Ann")) == {1, 2, 7, 8}
    assert set(store.queue("Bob")) == {7, 8}
    assert store.decide(1, "Ann", "submit").problem().derivation.q_notation() == "m = q1 + 4"


@pytest.mark.parametrize("settings", [{"annotators_per_problem": 0}, {"seed": -1}, {"seed": 1.5}, {"seed": 2**64}])
def test_settings_are_whole_numbers(store: Store, settings: dict[str, Any]) -> None:
    with pytest.raises(AnnotationError, match=next(iter(settings))):
        store.configure(**settings)
    assert (store.annotators_per_problem, store.seed) == (2, 0)


# Imports


def test_importing_the_same_again_changes_nothing(store: Store) -> None:
    annotate(store, 7, "Ann", {0: [0, 0]})
    intake = store.add_problems([TIES, TWO_QUESTIONS])
    assert (intake.added, intake.updated, intake.unchanged) == ((), (), (7, 8))
    assert store.work(7, "Ann").submitted


def test_other_fields_are_the_same_in_any_order_but_not_of_another_type(store: Store) -> None:
    store.add_problems([replace(TIES, id=1, extra={"a": 1, "b": (2, 3)})])
    assert store.add_problems([replace(TIES, id=1, extra={"b": [2, 3], "a": 1})]).unchanged == (1,)
    with pytest.raises(AnnotationError, match="1 differ from it: 1"):
        store.add_problems([replace(TIES, id=1, extra={"a": True, "b": [2, 3]})])


def test_other_problems_of_the_same_ids_are_refused_by_name_and_nothing_is_imported(store: Store) -> None:
    others = [replace(TIES, question="2 and two and 5 ."), replace(TIES, id=9), replace(TWO_QUESTIONS, extra={"a": 1})]
    with pytest.raises(AnnotationError, match=r"\b2\b.*\b7, 8\b.*--update"):
        store.add_problems(others)
    assert [entry.stored for entry in store.problems()] == [TIES, TWO_QUESTIONS]


def test_an_update_makes_a_revision_keeps_history_and_moves_the_work(store: Store) -> None:
    annotate(store, 7, "Ann", {0: [0, 2]})
    annotate(store, 7, "Bob", {0: [0, 0]})
    longer = replace(TIES, question="Hear : two and 2 make 4 . Add 5 .", extra={"source": "a book"})
    intake = store.add_problems([longer], update=True)
    assert (intake.updated, intake.added) == ((7,), ())
    assert store.problem(7).stored == replace(longer, revision=2)
    work = store.work(7, "Ann")
    assert (work.submitted, {i: o.number.place for i, o in work.chosen.items() if o.number}) == (False, {0: (0, 4)})
    assert 7 in store.queue("Ann")
    assert [d.kind for d in store.history(7, "Ann")] == ["choose", "submit"]
    store.decide(7, "Ann", "submit")
    store.decide(7, "Ann", "undo")
    assert store.work(7, "Ann").question == longer.question


def test_one_import_may_name_a_problem_twice_only_if_it_is_the_same(store: Store) -> None:
    new = replace(TIES, id=1)
    assert store.add_problems([new, new]).added == (1,)
    with pytest.raises(AnnotationError, match="problem 2: "):
        store.add_problems([replace(TIES, id=2), replace(TWO_QUESTIONS, id=2)])


@pytest.mark.parametrize(
    ("problem", "message"),
    [
        (replace(TIES, id=-1), r"id: .*0"),
        (replace(TIES, id=2**63), r"id: .*0"),
        (replace(TIES, id=10**400), r"id: .*0.*1329"),
        (replace(TIES, id=float("nan")), r"id: .*0.*nan"),
        (replace(TIES, id=True), r"id: .*0.*True"),
        (replace(TIES, id=""), r"id: .*0.*1.*200"),
        (replace(TIES, id="a\nb"), "id: "),
        (replace(TIES, id="\ud800"), "id: "),
        (replace(TIES, extra={"a": NESTED}), "problem 7: "),
        (
            replace(TIES, extra={"a": {1: 2, "1": 3}}),
            "problem 7: ",
        ),
        (replace(TIES, extra={"source": object()}), "problem 7: "),
        (replace(TIES, extra={"source": float("nan")}), "problem 7: "),
        (replace(TIES, question="2\ud800"), "problem 7: question: "),
        (
            replace(TIES, question=None),
            r"problem 7: question: .*UTF-8.*None",
        ),
        (
            replace(TIES, equations=("x = 2", 3)),
            r"problem 7: equations: .*UTF-8.*3",
        ),
    ],
)
def test_problems_that_are_none_are_refused(store: Store, problem: StoredProblem, message: str) -> None:
    with pytest.raises(AnnotationError, match=message):
        store.add_problems([replace(TIES, id=100), problem])
    assert len(store.problems()) == 2


@pytest.mark.parametrize(
    ("problem", "message"),
    [
        (replace(TIES, id=1, question=""), "question: "),
        (replace(TIES, id=1, question="Two\x96 and 2\0 ."), r"question: .*U\+0096"),
        (replace(TIES, id=1, question="2 " * 5_001), r"question: .*10000.*10002"),
        (replace(TIES, id=1, equations=("x = 2\0",)), r"equations: .*U\+0000"),
    ],
)
def test_odd_texts_are_kept_with_the_reason_and_can_be_edited(
    store: Store, problem: StoredProblem, message: str
) -> None:
    intake = store.add_problems([problem])
    assert list(intake.refused) == [1]
    assert re.match(message, intake.refused[1])
    assert store.problem(1).stored == problem
    assert store.work(1, "Ann").refusal == intake.refused[1]
    work = store.decide(1, "Ann", "edit", {"question": "Just two , 2 and 5 ."})
    assert (work.refusal is None) is (problem.equations == TIES.equations)


def test_an_update_asks_again_those_who_flagged_a_problem(store: Store) -> None:
    store.decide(7, "Ann", "flag", {"why": "a typo"})
    store.add_problems([replace(TIES, question="Two and 2 make 4 . Add 5 !")], update=True)
    assert store.work(7, "Ann").flagged is None
    assert 7 in store.queue("Ann")


# Adjudication


def test_an_adjudicator_takes_work_as_it_is_then(store: Store) -> None:
    annotate(store, 7, "Ann", {0: [0, 0]})
    annotate(store, 7, "Bob", {0: [0, 2]})
    store.add_annotator("Carol")
    settled = store.adjudicate(7, "Carol", take="Bob", seconds=8)
    assert (settled.submitted, settled.taken, settled.seconds) == (True, "Bob", 8.0)
    store.decide(7, "Bob", "reopen")
    store.decide(7, "Bob", "choose", FIRST)
    assert store.adjudications()[7].problem().derivation.q_notation() == "m = q2 + q4"
    assert [d.kind for d in store.history(7, "Carol", "adjudicator")] == ["take", "submit"]
    assert store.works(7) == [store.work(7, "Ann"), store.work(7, "Bob")]


def test_the_last_adjudication_counts_and_can_be_withdrawn(store: Store) -> None:
    annotate(store, 7, "Ann", {0: [0, 0]})
    annotate(store, 7, "Bob", {0: [0, 2]})
    store.add_annotator("Carol")
    store.add_annotator("Dan")
    store.adjudicate(7, "Carol", take="Ann")
    store.adjudicate(7, "Dan", take="Bob")
    assert store.adjudications()[7].annotator == "Dan"
    store.adjudicate(7, "Carol", decisions=[("choose", {"literal": 0, "place": None})])
    assert store.adjudications()[7].problem().derivation.q_notation() == "m = q4 + 2"
    store.decide(7, "Carol", "undo", role="adjudicator")
    assert store.adjudications()[7].annotator == "Dan"
    store.decide(7, "Dan", "undo", role="adjudicator")
    assert store.adjudications() == {}


def test_an_adjudicator_may_begin_with_work_and_change_it_in_one_step_or_not_at_all(store: Store) -> None:
    annotate(store, 7, "Ann", {0: [0, 0]})
    store.add_annotator("Carol")
    with pytest.raises(AnnotationError, match=r"\b9\b"):
        store.adjudicate(7, "Carol", "Ann", [("choose", SECOND), ("choose", {"literal": 9, "place": None})])
    assert store.history(7, "Carol", "adjudicator") == []
    work = store.adjudicate(7, "Carol", "Ann", [("equivalent", {"places": [[0, 0], [0, 2]]})])
    assert (work.taken, len(work.groups)) == (None, 1)
    assert store.adjudicate(7, "Carol", "Ann", submit=False).status == "started"


def test_an_adjudicator_may_flag(store: Store) -> None:
    annotate(store, 7, "Ann", {0: [0, 0]})
    store.add_annotator("Carol")
    assert store.adjudicate(7, "Carol", decisions=[("flag", {"why": "not linear"})]).flagged == "not linear"
    assert store.adjudications()[7].flagged == "not linear"


def test_only_submitted_work_can_be_taken_and_only_by_adjudicating(store: Store) -> None:
    store.add_annotator("Carol")
    with pytest.raises(AnnotationError, match=r"Ann.*untouched"):
        store.adjudicate(7, "Carol", take="Ann")
    with pytest.raises(AnnotationError, match="adjudicator"):
        store.decide(7, "Ann", "take", {"annotator": "Bob", "question": "2 .", "chosen": [], "groups": []})
    with pytest.raises(AnnotationError):
        store.adjudicate(7, "Carol", submit=False)


def test_one_person_may_annotate_and_adjudicate_apart(store: Store) -> None:
    annotate(store, 7, "Bob", {0: [0, 2]})
    store.decide(7, "Ann", "choose", FIRST)
    store.adjudicate(7, "Ann", take="Bob")
    assert store.work(7, "Ann").status == "started"
    assert store.progress("Ann").submitted == 0


# Threads, forks and names


def test_many_threads_share_one_store(tmp_path: Path) -> None:
    names = [f"annotator {i}" for i in range(6)]
    with Store.open(tmp_path / "work.db", create=True) as store:
        store.add_problems(many(8))
        store.configure(annotators_per_problem=len(names))
        for name in names:
            store.add_annotator(name)

        def work_through(name: str) -> int:
            done = 0
            while waiting := store.queue(name):
                annotate(store, waiting[0], name, {0: [0, 0]})
                done += 1
            return done

        with ThreadPoolExecutor(len(names)) as pool:
            assert list(pool.map(work_through, names)) == [8] * len(names)
        assert all(work.submitted for work in store.works())


def test_a_store_is_not_carried_into_a_forked_process(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "getpid", lambda: -1)
    with pytest.raises(StoreError, match="process"):
        store.problems()


def test_a_name_is_any_text_in_its_normal_form(store: Store) -> None:
    markup = "<script>alert('x')</script>"
    assert store.add_annotator(markup) == markup
    assert store.add_annotator("  Zoe\u0308 ") == store.add_annotator("Zo\u00eb") == "Zo\u00eb"
    assert store.add_annotator("नमस्\u200dते") == "नमस्\u200dते"
    assert store.annotators() == ["Ann", "Bob", markup, "Zo\u00eb", "नमस्\u200dते"]
    assert store.decide(7, " Zoe\u0308", "choose", FIRST).annotator == "Zo\u00eb"


@pytest.mark.parametrize(
    "name", ["", "  ", "a\nb", "a\0", "\u202egnp.exe", "a\ud800", "x" * 101, "\u200b", "a\u2028b", None, 7, "x" * 10**6]
)
def test_names_that_cannot_be_seen_or_are_too_long_are_refused(store: Store, name: Any) -> None:
    with pytest.raises(AnnotationError, match="name: expected"):
        store.add_annotator(name)
    assert store.annotators() == ["Ann", "Bob"]


def test_names_that_differ_only_in_case_are_one_person(store: Store) -> None:
    assert store.add_annotator("ANN") == "Ann"
    assert store.annotators() == ["Ann", "Bob"]
    store.decide(7, "aNN", "choose", {"literal": 0, "place": [0, 0]})
    assert store.work(7, "Ann").annotator == store.work(7, "ann").annotator == "Ann"
    assert store.queue("ann") == store.queue("Ann")
    assert store.add_annotator("Élodie") == "Élodie"
    assert store.add_annotator("éLODIE") == "Élodie"
    store.decide(7, "Ann", "submit")
    assert store.adjudicate(7, "BOB", take="ann").taken == "Ann"
    assert list(store.adjudications()) == [7]
    assert store.adjudications()[7].annotator == "Bob"
