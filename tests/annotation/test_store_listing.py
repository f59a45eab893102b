"""What a page asks of a store: an annotator's problems, and the problems that several are done with."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from draw_dataset.annotate.decisions import StoredProblem
from draw_dataset.annotate.store import Store
from draw_dataset.annotate.tables import StoreTables


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "work.db", create=True) as opened:
        texts = {id_: f"{id_} boys and {id_} girls buy 3 pens ." for id_ in (5, 6, 7)}
        opened.add_problems([StoredProblem(id_, text, (f"x = {id_}*3",)) for id_, text in texts.items()])
        for name in ("Ann", "Bo", "Cy"):
            opened.add_annotator(name)
        yield opened


def submit(store: Store, problem: int, name: str, token: int = 0) -> None:
    store.decide(problem, name, "choose", {"literal": 0, "place": [0, token]}, seconds=2)
    store.decide(problem, name, "submit", seconds=1)


def test_an_agenda_has_every_problem_with_the_annotators_own_state(store: Store) -> None:
    submit(store, 6, "Ann")
    store.decide(7, "Ann", "skip")
    submit(store, 5, "Bo")
    agenda = store.agenda("Ann")
    assert agenda.problems == (5, 6, 7)
    assert (agenda.queue, agenda.done) == ((5, 7), [6])
    assert {id_: work.status for id_, work in agenda.own.items()} == {6: "submitted", 7: "skipped"}
    assert agenda.own[6].seconds == 3.0
    assert agenda.own[7].last > agenda.own[6].last > 0


def test_an_agenda_knows_what_other_processes_have_done(store: Store) -> None:
    assert set(store.queue("Cy")) == {5, 6, 7}
    with Store.open(store.path) as other:
        submit(other, 6, "Ann")
        submit(other, 6, "Bo")
        other.add_problems([StoredProblem(8, "8 boys and 8 girls buy 3 pens .", ("x = 8*3",))])
        assert set(store.queue("Cy")) == {5, 7, 8}
        # And the other way round.
        submit(store, 5, "Ann")
        store.decide(5, "Bo", "flag", {"why": ""})
        assert set(other.queue("Cy")) == {7, 8}
        other.add_problems([StoredProblem(5, "5 boys or 5 girls buy 3 pens .", ("x = 5*3",))], update=True)
        assert (other.queue("Cy"), other.agenda("Ann").own[5].status) == (store.queue("Cy"), "started")


def test_an_agenda_reads_the_works_once_however_many_decisions_there_are(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[StoreTables] = []
    board = StoreTables.board
    monkeypatch.setattr(StoreTables, "board", lambda self: [read.append(self), board(self)][1])
    for problem in (5, 6, 7):
        for name in ("Ann", "Bo"):
            assert problem in store.queue(name)
            submit(store, problem, name)
            assert problem not in store.queue(name)
    assert store.queue("Cy") == []
    assert len(read) == 1


def test_problems_that_several_are_done_with_overlap(store: Store) -> None:
    submit(store, 5, "Ann")
    submit(store, 6, "Ann")
    submit(store, 6, "Bo", token=3)
    store.decide(7, "Ann", "flag", {"why": ""})
    store.decide(7, "Bo", "flag", {"why": ""})
    [overlap] = store.overlaps()
    assert (overlap.problem, overlap.settled) == (6, False)
    submit(store, 7, "Cy")
    assert [overlap.problem for overlap in store.overlaps()] == [6, 7]


def test_the_state_of_an_overlap_changes_with_its_works_and_no_others(store: Store) -> None:
    submit(store, 6, "Ann")
    submit(store, 6, "Bo", token=3)
    [before] = store.overlaps()
    submit(store, 5, "Cy")
    store.adjudicate(6, "Cy", "Bo", seconds=4)
    [settled] = store.overlaps()
    assert (settled.state, settled.settled) == (before.state, True)
    assert (store.seconds("Ann"), store.seconds("Cy", "adjudicator")) == (3.0, 4.0)
    store.decide(6, "Bo", "reopen")
    store.decide(6, "Bo", "submit")
    [after] = store.overlaps()
    assert after.state != before.state


def test_a_problem_that_is_to_be_looked_at_waits_though_its_text_decides(store: Store) -> None:
    decided = StoredProblem(30, "Ann has 3 and 4 . I need this in 2 hours .", ("x = 3 + 4",))
    doubtful = replace(decided, id=31, extra={"look_at": ["'I need this in 2 hours .' may not belong there"]})
    intake = store.add_problems([decided, doubtful, replace(decided, id=32, extra={"look_at": "no list"})])
    assert intake.counts == {"automatic": 2, "open": 1, "refused": 0}
    assert 31 in store.queue("Ann")
    assert store.work(31, "Ann").stored.look_at == ("'I need this in 2 hours .' may not belong there",)
    store.decide(31, "Ann", "submit")
    assert 31 not in store.queue("Ann")
