"""A crawl of the whole stand-in site: every page that can be found ends in the state it deserves."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from crawl.harness import CONTACT, body_hashes, contents, crawl, quick_folder, rows, run, states
from crawl.stand_in_site.plan import MANNERS, Site
from crawl.stand_in_site.server import Server, serving


@dataclass(frozen=True)
class Crawled:
    server: Server
    ledger: Path

    @property
    def site(self) -> Site:
        return self.server.site


@pytest.fixture(scope="module")
def crawled() -> Iterator[Crawled]:
    """One crawl of more than 3,000 pages; the tests below look at what it left."""
    with quick_folder() as folder, serving(Site(3100)) as server:
        crawl(server, folder / "ledger.sqlite")
        yield Crawled(server, folder / "ledger.sqlite")


def test_every_discoverable_question_ends_in_its_state(crawled: Crawled) -> None:
    found = states(crawled.ledger)
    assert len(found) > 3000
    wrong = {
        number: (crawled.site.manner(number), state, found.get(number))
        for number, state in crawled.site.expected.items()
        if found.get(number) != state
    }
    assert not wrong
    assert found.keys() == crawled.site.expected.keys()


def test_every_named_end_of_the_plan_occurs(crawled: Crawled) -> None:
    assert {state for state, _ in MANNERS.values()} <= set(states(crawled.ledger).values())


def test_the_bodies_are_the_bytes_that_were_sent(crawled: Crawled) -> None:
    expected = {number: hashlib.sha256(crawled.site.body(number)).hexdigest() for number in crawled.site.stored}
    assert body_hashes(crawled.ledger) == expected


def test_what_is_wrongly_declared_is_kept_with_its_declaration(crawled: Crawled) -> None:
    kept = {row[0]: row[1:] for row in rows(crawled.ledger, "SELECT id, content_type, charset FROM questions")}
    for number, manner in crawled.site.manner_of.items():
        if manner == "cp1252 declared as utf-8":
            assert kept[number] == ("text/html", "utf-8")
            with pytest.raises(UnicodeDecodeError):
                crawled.site.body(number).decode("utf-8")
        elif manner in ("no charset", "cp1252 not declared"):
            assert kept[number] == ("text/html", None)


def test_a_redirect_to_a_seen_page_points_to_it(crawled: Crawled) -> None:
    targets = dict(rows(crawled.ledger, "SELECT id, redirects_to FROM questions WHERE state = 'redirected'"))
    assert targets == {n: t for n, t in crawled.site.target_of.items() if crawled.site.expected[n] == "redirected"}


def test_every_listing_was_read(crawled: Crawled) -> None:
    read = dict(rows(crawled.ledger, "SELECT url, state FROM listings"))
    assert {f"{crawled.server.url}{path}" for path in crawled.site.listings} == {
        url for url, state in read.items() if state == "stored"
    }
    assert {state for url, state in read.items() if "99999" in url} == {"not-found"}


def test_what_robots_forbids_was_never_asked_for(crawled: Crawled) -> None:
    asked = crawled.server.pages_asked()
    assert not [path for path in asked if "/private/" in path or "show-question-source" in path]


def test_no_page_that_is_good_was_asked_for_twice(crawled: Crawled) -> None:
    repeated = {path for path, count in crawled.server.times_asked.items() if count > 1}
    good = {q.path for n, q in crawled.site.questions.items() if crawled.site.manner(n) in ("good", "gzip", "chunked")}
    assert not repeated & good


def test_the_site_sees_who_we_are(crawled: Crawled) -> None:
    agents = {asked.agent for asked in crawled.server.log}
    assert len(agents) == 1
    agent = agents.pop()
    assert agent.startswith("draw-dataset/")
    assert CONTACT in agent


def test_there_was_one_request_at_a_time(crawled: Crawled) -> None:
    assert crawled.server.most_at_once == 1


def test_a_second_run_asks_for_nothing(crawled: Crawled) -> None:
    before, asked = contents(crawled.ledger), len(crawled.server.log)
    crawl(crawled.server, crawled.ledger, "--resume")
    assert contents(crawled.ledger) == before
    assert len(crawled.server.log) == asked


def test_the_status_counts_the_states(crawled: Crawled) -> None:
    out, _ = run("--ledger", str(crawled.ledger), "--status", "--json")
    told = json.loads(out)
    assert sum(told["questions"].values()) == len(crawled.site.expected)
    assert told["questions"]["stored"] == len(crawled.site.stored)
    assert told["per_minute"] > 0
    assert told["seconds_left"] == 0
    text, _ = run("--ledger", str(crawled.ledger), "--status")
    assert "redirect-loop" in text
