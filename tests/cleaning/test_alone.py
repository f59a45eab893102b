"""Judging without memory: one page at a time, in any process, gives what one loop gives."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest
from cleaning.stand_in import pages_of, site_of

from draw_dataset.collect import filters as judging_module
from draw_dataset.collect.filters import TEXT_FILTERS, Funnel, judge_alone, record_of
from draw_dataset.collect.ledger import Ending, Ledger, State
from draw_dataset.collect.pool import Cleaning, Duplicates
from draw_dataset.collect.record import Record

PAGES = pages_of(site_of(150, 5))
OTHER_SITE = [replace(page, url=page.url.replace("site.example", "other.example")) for page in PAGES[:20]]


def test_judging_alone_in_any_order_and_then_duplicates_is_the_loop() -> None:
    pages = sorted([*OTHER_SITE, *PAGES], key=lambda page: record_of(page).key)
    cleaning = Cleaning()
    expected = list(cleaning.run(pages))
    shuffled = list(pages)
    random.Random(3).shuffle(shuffled)
    alone = [judge_alone(record_of(page)) for page in shuffled]
    duplicates, funnel = Duplicates(), Funnel()
    parts = [Funnel(), Funnel()]
    found = [duplicates.judge(record) for record in sorted(alone, key=lambda record: record.key)]
    for place, record in enumerate(found):
        parts[place % 2].count(record.dropped_by, record.restored_from)
    for part in parts:
        funnel.merge(part)
    assert found == expected
    assert funnel == cleaning.funnel
    assert funnel.dropped["duplicate"] >= 10
    assert any("of other.example" in record.why for record in found)


def test_equations_are_read_only_of_what_the_text_filters_leave(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    real = judging_module.with_equations
    monkeypatch.setattr(judging_module, "with_equations", lambda record: asked.append(record.id) or real(record))
    judged = [judge_alone(record_of(page)) for page in PAGES]
    dropped = {record.id for record in judged if record.dropped_by in TEXT_FILTERS}
    assert dropped
    assert set(asked) == {record.id for record in judged} - dropped
    # Who comes back in spite of a text filter comes back with equations read.
    back = judge_alone(record_of(next(page for page in PAGES if page.id in dropped)), restore=dropped)
    assert back.restored_from in TEXT_FILTERS
    assert back.reason or back.equations


def test_a_number_is_unique_within_its_site_only() -> None:
    one = Record(7, "https://www.algebra.com/algebra/x.faq.question.7.html", "", "")
    assert one.key == ("algebra.com", 7)
    assert replace(one, url=one.url.replace("https://www.", "http://")).key == one.key
    assert replace(one, url="http://Other.example:8080/7").key == ("other.example:8080", 7)


def test_the_newest_whole_capture_stays_in_whatever_order_they_come(tmp_path: Path) -> None:
    def ending(body: bytes, state: State = State.STORED) -> Ending:
        return Ending(state, status=200, final_url="http://a.example/T.faq.question.5.html", body=body)

    captures = [(ending(b"old"), 1.0), (ending(b"new"), 3.0), (ending(b"also new"), 3.0), (ending(b"mid"), 2.0)]
    captures.append((ending(b"", State.TRUNCATED), 9.0))
    kept = set()
    for seed in range(6):
        random.Random(seed).shuffle(captures)
        with Ledger.open(tmp_path / f"{seed}.sqlite", create=True) as ledger:
            for capture, now in captures:
                ledger.keep(5, "http://a.example/T.faq.question.5.html", capture, now)
            kept |= {(page.body, page.fetched_at) for page in ledger.bodies()}
    assert len(kept) == 1
    assert kept < {(b"new", 3.0), (b"also new", 3.0)}
