"""Stores that SQLite can read but whose content is damaged: the error names the problem, and there is no traceback."""

from __future__ import annotations

import json
import sqlite3
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from annotation.simulated import TIES, TWO_QUESTIONS, annotate

from draw_dataset.annotate.decisions import StoredProblem
from draw_dataset.annotate.outcome import export_rows, measure_agreement, open_disagreements, settle, survey
from draw_dataset.annotate.page.controllers import AdjudicationController, AnnotationController
from draw_dataset.annotate.store import Store
from draw_dataset.cli import main
from draw_dataset.errors import AnnotationError, DrawError, StoreError

DEEP = "[" * 5_000 + "]" * 5_000
LONG = "9" * 400


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A store in which two people have worked and an adjudicator has settled."""
    with Store.open(tmp_path / "work.db", create=True) as store:
        store.add_problems([TIES, TWO_QUESTIONS, StoredProblem(9, "Add 3 and 4 .", ("x = 3 + 4",), {"source": "here"})])
        for name in ("Ann", "Bob"):
            store.add_annotator(name)
        annotate(store, 7, "Ann", {0: [0, 0]})
        annotate(store, 7, "Bob", {0: [0, 2]})
        store.adjudicate(7, "Carol", "Bob")
        store.decide(8, "Ann", "skip")
    return tmp_path / "work.db"


def damaged(path: Path, statement: str, *values: object) -> None:
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA ignore_check_constraints = ON")
    connection.execute(statement, values)
    connection.commit()
    connection.close()


def everything(store: Store) -> list[Callable[[], object]]:
    """All that people do with a store."""
    adjudication = AdjudicationController(store)
    return [
        store.problems,
        lambda: store.problem(7),
        store.annotators,
        lambda: store.annotators_per_problem,
        lambda: store.work(7, "Ann"),
        lambda: store.history(7, "Ann"),
        lambda: store.decide(7, "Ann", "reopen"),
        lambda: store.queue("Ann"),
        lambda: store.progress("Ann"),
        lambda: store.seconds("Ann"),
        store.overlaps,
        store.works,
        store.adjudications,
        lambda: store.adjudicate(7, "Carol", "Ann"),
        lambda: store.add_problems([TIES]),
        lambda: measure_agreement(store.works()),
        lambda: export_rows(settle(store)),
        lambda: open_disagreements(store),
        lambda: survey(store),
        lambda: AnnotationController(store, adjudication.count_unsettled).answer("Ann", {"do": "open", "problem": 7}),
        lambda: adjudication.answer("Carol", {"do": "open"}),
    ]


DAMAGES: list[tuple[str, tuple[object, ...], str]] = [
    ("UPDATE revisions SET equations = ?", ("[",), r"problem 7: equations: .*JSON"),
    ("UPDATE revisions SET equations = ?", ("7",), r"problem 7: equations: .*7"),
    (
        "UPDATE revisions SET equations = ?",
        ("[7]",),
        r"problem 7: equations: .*\[7\]",
    ),
    ("UPDATE revisions SET equations = ?", (b"\xff",), r"problem 7: equations: .*b'\\xff'"),
    ("UPDATE revisions SET question = ?", (b"\xff",), "problem 7: question: "),
    ("UPDATE revisions SET question = CAST(? AS TEXT)", (b"\xff",), "Could not decode to UTF-8"),
    ("UPDATE revisions SET extra = ?", (f'{{"a": {DEEP}}}',), "problem 7: extra: "),
    ("UPDATE revisions SET extra = ?", ("[]",), r"problem 7: extra: .*\[\]"),
    ("UPDATE revisions SET extra = ?", ('{"a": 1, "a": 2}',), r"problem 7: extra: .*JSON"),
    ("UPDATE revisions SET revision = revision + 5", (), "problem 7: "),
    ("UPDATE problems SET questions = ?", ("many",), "problem 7: questions: "),
    ("UPDATE problems SET message = ?", (b"x",), "problem 7: message: "),
    ("UPDATE decisions SET kind = ?", ("drop",), r"problem 7: decision 1: decision: .*choose"),
    ("UPDATE decisions SET kind = ?", (b"choose",), r"problem 7: decision 1: decision: .*choose"),
    ("UPDATE decisions SET kind = ?, payload = ?", ("undo", "{}"), "problem 7: undo: "),
    ("UPDATE decisions SET payload = ?", ("{",), r"problem 7: decision 1: .*JSON"),
    ("UPDATE decisions SET payload = ?", (DEEP,), "problem 7: decision 1: "),
    ("UPDATE decisions SET payload = ?", ('{"literal": []}',), "problem 7: decision 1: choose: "),
    (
        "UPDATE decisions SET payload = ? WHERE kind = 'choose'",
        (f'{{"literal": {LONG}, "place": null}}',),
        r"problem 7: decision 1: choose: literal: .*0",
    ),
    ("UPDATE decisions SET seconds = ?", (LONG + "x",), "problem 7: decision 1: choose: "),
    ("UPDATE decisions SET seconds = ?", (float("inf"),), "problem 7: decision 1: choose: "),
    ("UPDATE decisions SET seconds = ?", (-1.0,), "problem 7: decision 1: choose: "),
    ("UPDATE decisions SET revision = ?", (99,), r"problem 7: decision 1: revision: .*1.*99"),
    ("UPDATE decisions SET at = ?", (b"now",), "problem 7: decision 1: time: "),
    ("UPDATE works SET seconds = ?", (float("inf"),), "problem 7: a work: "),
    ("UPDATE works SET status = ?", (b"x",), "problem 7: a work: "),
    ("UPDATE works SET last = ?", ("x",), "problem 7: a work: "),
    ("INSERT OR REPLACE INTO settings VALUES ('annotators_per_problem', ?)", (LONG,), "the setting annotators_per_pr"),
    ("INSERT OR REPLACE INTO settings VALUES ('seed', ?)", ("x",), "the setting seed: "),
    ("UPDATE annotators SET name = ? WHERE id = 2", (b"x",), "an annotator: "),
    ("DROP TABLE settings", (), "no such table: settings"),
    ("DROP TABLE works", (), "no such table: works"),
    ("DELETE FROM revisions WHERE problem = 7", (), "problem 7: "),
]


@pytest.mark.parametrize(("statement", "values", "message"), DAMAGES)
def test_what_we_did_not_write_is_refused_with_the_store_and_the_problem(
    path: Path, statement: str, values: tuple[object, ...], message: str
) -> None:
    damaged(path, statement, *values)
    before = list(sqlite3.connect(path).execute("SELECT * FROM decisions"))
    refused = []
    with Store.open(path) as store:
        for call in everything(store):
            try:
                call()
            except StoreError as error:
                refused.append(str(error))
            except AnnotationError:
                pass  # such as that there is no such problem any more
    assert refused
    assert all(text.startswith(f"{path}: ") for text in refused)
    with pytest.raises(StoreError, match=message):
        raise StoreError("\n".join(refused))
    assert list(sqlite3.connect(path).execute("SELECT * FROM decisions"))[: len(before)] == before


def test_a_status_that_the_tables_do_not_admit_is_found_when_the_store_is_opened(path: Path) -> None:
    damaged(path, "UPDATE problems SET status = 'odd'")
    with pytest.raises(StoreError, match=r"CHECK constraint failed in problems"):
        Store.open(path)


@pytest.mark.parametrize("action", ["status", "agreement", "adjudicate", "export"])
@pytest.mark.parametrize("statement", ["UPDATE revisions SET equations = '['", "UPDATE decisions SET payload = '['"])
def test_commands_say_so_in_a_sentence(
    path: Path, statement: str, action: str, capsys: pytest.CaptureFixture[str]
) -> None:
    damaged(path, statement)
    more = ["--out", str(path.parent / "rows.jsonl")] if action == "export" else []
    assert main(["annotate", action, "--store", str(path), *more]) == 2
    told = capsys.readouterr().err
    assert "work.db: problem 7: " in told
    assert "restore it from a copy" in told
    assert "Traceback" not in told


def test_equations_that_cannot_be_read_are_a_refusal_of_the_problem_and_no_more(path: Path) -> None:
    damaged(path, "UPDATE revisions SET equations = ? WHERE problem = 7", json.dumps(["x = = 2", "\x00" * 50]))
    with Store.open(path) as store:
        work = store.work(7, "Ann")
        assert work.refusal is not None
        assert work.notices
        assert store.work(8, "Ann").skipped


def test_what_was_automatic_and_is_not_any_more_is_named(path: Path) -> None:
    damaged(path, "UPDATE revisions SET equations = '[\"x = \"]' WHERE problem = 9")
    with (
        Store.open(path) as store,
        pytest.raises(StoreError, match=r"work\.db: problem 9: "),
    ):
        settle(store)


def test_what_was_automatic_by_earlier_rules_is_open_after_another_import(path: Path) -> None:
    damaged(path, "UPDATE problems SET status = 'automatic', questions = 0 WHERE id = 8")
    with Store.open(path) as store:
        entry = store.problem(8)
        intake = store.add_problems([entry.stored])
        assert (intake.updated, intake.unchanged, intake.counts["open"]) == ((8,), (), 1)
        again = store.problem(8)
        assert (again.status, again.stored.revision) == ("open", entry.stored.revision)
        assert store.add_problems([entry.stored]).unchanged == (8,)
        settle(store)


def test_a_field_of_many_megabytes_is_not_even_read(path: Path) -> None:
    damaged(path, "UPDATE revisions SET extra = '{\"a\": \"' || hex(zeroblob(60000000)) || '\"}' WHERE problem = 7")
    with Store.open(path) as store:
        tracemalloc.start()
        with pytest.raises(StoreError, match="too big"):
            store.work(7, "Ann")
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert most < 20_000_000


@pytest.mark.parametrize("seconds", [10**400, float("inf"), float("nan"), -1, "4", None, True, [4]])
def test_absurd_times_are_refused_and_leave_no_trace(path: Path, seconds: Any) -> None:
    with Store.open(path) as store:
        with pytest.raises(DrawError, match="seconds"):
            store.decide(8, "Bob", "skip", seconds=seconds)
        assert store.history(8, "Bob") == []
