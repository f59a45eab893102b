"""The ledger: one transaction a page, nothing twice, nothing lost, and clear words about files that are no good."""

from __future__ import annotations

import random
import sqlite3
import zlib
from pathlib import Path

import pytest
from crawl.harness import run

from draw_dataset.collect.ledger import Ending, Ledger, PendingPage, State
from draw_dataset.errors import BodyDamaged, DrawError, LedgerError
from draw_dataset.io.sqlite import APPLICATION_ID

URL = "http://a.example/algebra/homework/word/age/Age.faq.question.{}.html"


def filled(path: Path, count: int = 200) -> Path:
    with Ledger.open(path, create=True) as ledger:
        ledger.add_questions([(n, URL.format(n)) for n in range(1, count + 1)], "ids")
        for n in range(1, count + 1):
            body = f"<html>{n} {'pages are long ' * n}</html>".encode()
            ledger.record(
                PendingPage("question", n, URL.format(n), 0), Ending(State.STORED, status=200, body=body), 1.0
            )
    return path


def leads(ledger: Ledger, number: int, other: int) -> None:
    ending = Ending(State.REDIRECTED, status=301, final_url=URL.format(other), redirects_to=other)
    ledger.record(PendingPage("question", number, URL.format(number), 0), ending, 1.0)


def test_bodies_come_in_the_order_of_their_numbers_as_they_went_in(tmp_path: Path) -> None:
    with Ledger.open(tmp_path / "l.sqlite", create=True) as ledger:
        for n in (500, 3, 77):
            ledger.add_questions([(n, URL.format(n))], "ids")
            body = bytes(range(256)) * n
            ending = Ending(
                State.STORED, status=200, final_url=URL.format(n), content_type="text/html", charset="utf-8", body=body
            )
            ledger.record(PendingPage("question", n, URL.format(n), 0), ending, float(n))
        pages = list(ledger.bodies())
        assert [page.id for page in pages] == [3, 77, 500]
        assert [page.body for page in pages] == [bytes(range(256)) * n for n in (3, 77, 500)]
        assert pages[0].topic == "word/age/Age"
        assert (pages[0].content_type, pages[0].charset, pages[0].fetched_at) == ("text/html", "utf-8", 3.0)
        assert [page.id for page in ledger.bodies(after=3)] == [77, 500]


def test_question_0_is_a_question_like_any_other(tmp_path: Path) -> None:
    with Ledger.open(tmp_path / "l.sqlite", create=True) as ledger:
        ledger.add_questions([(n, URL.format(n)) for n in (0, 1)], "ids")
        for n in (0, 1):
            ledger.record(PendingPage("question", n, URL.format(n), 0), Ending(State.STORED, body=b"<html>"), 1.0)
        assert [page.id for page in ledger.bodies()] == [0, 1]
        assert [page.id for page in ledger.bodies(after=0)] == [1]


def test_bodies_can_be_read_while_pages_are_added(tmp_path: Path) -> None:
    path = filled(tmp_path / "l.sqlite")
    with Ledger.open(path) as reader, Ledger.open(path) as writer:
        pages = reader.bodies()
        first = next(pages)
        writer.add_questions([(9000, URL.format(9000))], "ids")
        writer.record(PendingPage("question", 9000, URL.format(9000), 0), Ending(State.STORED, body=b"<html>"), 1.0)
        assert [first.id, *(page.id for page in pages)] == [*range(1, 201), 9000]


def test_a_page_cannot_be_stored_twice(tmp_path: Path) -> None:
    path = filled(tmp_path / "l.sqlite", 3)
    with Ledger.open(path) as ledger:
        with pytest.raises(LedgerError):
            ledger.record(PendingPage("question", 2, URL.format(2), 0), Ending(State.STORED, body=b"other"), 2.0)
        assert b"pages are long" in {page.id: page.body for page in ledger.bodies()}[2]


def test_a_listing_and_all_that_it_links_to_are_one_transaction(tmp_path: Path) -> None:
    path = tmp_path / "l.sqlite"
    with Ledger.open(path, create=True) as ledger:
        ledger.add_listings(["http://a.example/l"], "start")
        work = ledger.next_work(0.0)
        assert work is not None

        def breaking() -> object:
            yield 1, URL.format(1)
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            ledger.record(work, Ending(State.STORED), 1.0, questions=breaking())
        assert ledger.counts("question") == {}
        assert ledger.next_work(0.0) == work


def test_new_pages_come_before_those_to_be_tried_again(tmp_path: Path) -> None:
    with Ledger.open(tmp_path / "l.sqlite", create=True) as ledger:
        ledger.add_questions([(n, URL.format(n)) for n in (1, 2)], "ids")
        first = ledger.next_work(10.0)
        assert first is not None
        ledger.record(first, Ending(State.PENDING, "timeout", not_before=20.0), 10.0)
        second = ledger.next_work(30.0)
        assert second is not None
        assert second.key == 2
        ledger.record(second, Ending(State.NOT_FOUND, status=404), 10.0)
        assert ledger.next_work(19.0) is None
        assert ledger.next_time() == 20.0
        again = ledger.next_work(21.0)
        assert again is not None
        assert (again.key, again.attempts) == (1, 1)


def test_questions_that_lead_to_each_other_are_a_loop_whoever_is_fetched_first(tmp_path: Path) -> None:
    for name, order in (("a", (1, 2, 3, 4)), ("b", (4, 3, 2, 1)), ("c", (2, 4, 1, 3))):
        with Ledger.open(tmp_path / name, create=True) as ledger:
            ledger.add_questions([(n, URL.format(n)) for n in range(1, 5)], "ids")
            target = {1: 2, 2: 3, 3: 1, 4: 1}  # 4 leads into the circle and is no part of it
            for number in order:
                leads(ledger, number, target[number])
            found = {n: ledger.state_of(n) for n in target}
        assert found == {1: State.REDIRECT_LOOP, 2: State.REDIRECT_LOOP, 3: State.REDIRECT_LOOP, 4: State.REDIRECTED}


def test_stored_pages_are_not_tried_again(tmp_path: Path) -> None:
    with Ledger.open(filled(tmp_path / "l.sqlite", 2)) as ledger, pytest.raises(LedgerError, match="not stored"):
        ledger.retry([State.STORED])


def test_a_ledger_of_a_newer_version_is_left_alone(tmp_path: Path) -> None:
    path = filled(tmp_path / "l.sqlite", 2)
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA user_version = 99")
    before = path.read_bytes()
    with pytest.raises(LedgerError, match=r"\b99\b.*\b1\b"):
        Ledger.open(path)
    assert path.read_bytes() == before


def test_another_database_is_no_ledger(tmp_path: Path) -> None:
    path = tmp_path / "other.sqlite"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE questions (id INTEGER)")
    with pytest.raises(LedgerError, match=path.name):
        Ledger.open(path, create=True)


def test_another_file_of_ours_is_no_ledger(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE annotators (id INTEGER)")
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute("PRAGMA user_version = 1")
    with pytest.raises(LedgerError, match=path.name):
        Ledger.open(path, create=True)


def test_half_a_ledger_is_recognised_and_not_touched(tmp_path: Path) -> None:
    path = filled(tmp_path / "l.sqlite")
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    said = run("--ledger", str(path), "--contact", "a@b.example", "--base-url", "http://127.0.0.1:9", status=2)[1]
    assert str(path) in said
    assert ".recover" in said
    assert "Traceback" not in said
    assert path.read_bytes() == whole[: len(whole) // 2]


def test_reading_a_damaged_ledger_gives_what_is_there_and_then_an_error(tmp_path: Path) -> None:
    path = filled(tmp_path / "l.sqlite", 300)
    whole = path.read_bytes()
    middle = len(whole) // 2
    path.write_bytes(whole[:middle] + b"\xff" * 8_000 + whole[middle + 8_000 :])
    read: list[int] = []
    with Ledger.open(path) as ledger, pytest.raises(LedgerError, match="damaged"):
        read.extend(page.id for page in ledger.bodies())
    assert read == list(range(1, len(read) + 1))
    assert read
    path.write_bytes(whole[:middle])
    with pytest.raises(LedgerError, match="damaged"), Ledger.open(path) as ledger:
        list(ledger.bodies())


def test_a_text_file_is_no_ledger(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("not a database at all, but long enough to be taken for one " * 20, encoding="utf-8")
    with pytest.raises(LedgerError, match=r"notes\.txt"):
        Ledger.open(path)


def test_a_damaged_body_names_its_question(tmp_path: Path) -> None:
    path = filled(tmp_path / "l.sqlite", 3)
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE bodies SET body = ? WHERE id = 2", (zlib.compress(b"x")[:-3],))
    with Ledger.open(path) as ledger, pytest.raises(BodyDamaged) as damaged:
        list(ledger.bodies())
    assert damaged.value.question == 2


def test_a_ledger_that_is_missing_is_not_made_by_looking(tmp_path: Path) -> None:
    with pytest.raises(LedgerError, match="no such file"):
        Ledger.open(tmp_path / "absent.sqlite")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_missing_is_said(tmp_path: Path) -> None:
    with pytest.raises(DrawError, match="absent"):
        Ledger.open(tmp_path / "absent" / "l.sqlite", create=True)


def test_where_there_is_no_room_the_page_stays_pending(tmp_path: Path) -> None:
    with Ledger.open(filled(tmp_path / "l.sqlite", 20)) as ledger:
        ledger.add_questions([(9000, URL.format(9000))], "ids")
        pages = ledger._connection.execute("PRAGMA page_count").fetchone()[0]
        ledger._connection.execute(f"PRAGMA max_page_count = {pages}")
        work = PendingPage("question", 9000, URL.format(9000), 0)
        ending = Ending(State.STORED, body=random.Random(1).randbytes(400_000))
        with pytest.raises(LedgerError, match="sqlite"):
            ledger.record(work, ending, 1.0)
        assert ledger.state_of(9000) is State.PENDING
        ledger._connection.execute("PRAGMA max_page_count = 1000000")
        ledger.record(work, ending, 1.0)
        assert ledger.state_of(9000) is State.STORED
