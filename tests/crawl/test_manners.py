"""Politeness, seen from the site: what robots.txt says, how long we wait, and when we go."""

from __future__ import annotations

import email.utils
import subprocess
import sys
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from crawl.harness import PATIENCE, command, crawl, crawl_here, quick_folder, rows, states
from crawl.stand_in_site.plan import Site
from crawl.stand_in_site.server import Server, serving

from draw_dataset.collect import session
from draw_dataset.collect.ledger import Ledger, State
from draw_dataset.errors import ChoiceError, CrawlStopped, LedgerError

SITE = Site(60, manners=False)
TOPIC = max(SITE.topics, key=lambda topic: len(SITE.topics[topic]))
IDS = sorted(SITE.questions)


@pytest.fixture
def server() -> Iterator[Server]:
    with serving(SITE) as running:
        yield running


@pytest.fixture
def ledger() -> Iterator[Path]:
    with quick_folder() as folder:
        yield folder / "ledger.sqlite"


def ids_file(ledger: Path, *ids: object) -> str:
    path = ledger.with_name("ids.txt")
    path.write_text("".join(f"{number}\n" for number in ids), encoding="utf-8")
    return str(path)


@pytest.mark.parametrize("status", [500, 503, 429])
def test_nothing_is_fetched_while_robots_cannot_be_had(server: Server, ledger: Path, status: int) -> None:
    server.robots_status = status
    with pytest.raises(CrawlStopped, match=rf"robots\.txt.*\b{status}\b"):
        crawl_here(server, ledger, topics=list(SITE.topics))
    assert server.pages_asked() == []
    server.robots_status = 200
    assert crawl_here(server, ledger)
    assert set(states(ledger).values()) == {"stored"}


def test_a_site_without_robots_may_be_read(server: Server, ledger: Path) -> None:
    server.robots_status = 404
    server.robots = "User-agent: *\nDisallow: /"
    crawl_here(server, ledger, IDS[:3])
    assert states(ledger) == dict.fromkeys(IDS[:3], "stored")


def test_a_rule_for_us_alone_is_obeyed(server: Server, ledger: Path) -> None:
    server.robots = "User-agent: *\nAllow: /\n\nUser-agent: draw-dataset\nDisallow: /"
    crawl_here(server, ledger, IDS[:3])
    assert states(ledger) == dict.fromkeys(IDS[:3], "forbidden-by-robots")
    assert server.pages_asked() == []


def test_rules_that_come_packed_and_by_a_detour_are_obeyed(server: Server, ledger: Path) -> None:
    server.robots = "User-agent: *\nDisallow: /"
    server.robots_status, server.robots_headers = 301, {"Location": "/packed/robots.txt"}
    crawl_here(server, ledger, IDS[:3])
    assert states(ledger) == dict.fromkeys(IDS[:3], "forbidden-by-robots")
    assert server.pages_asked() == []


@pytest.mark.parametrize("location", ["/robots.txt", "http://[", ""])
def test_rules_that_lead_nowhere_mean_that_nothing_is_fetched(server: Server, ledger: Path, location: str) -> None:
    server.robots_status, server.robots_headers = 302, {"Location": location}
    with pytest.raises(CrawlStopped, match="cannot be read"):
        crawl_here(server, ledger, IDS[:3])
    assert server.pages_asked() == []


@pytest.mark.parametrize(("theirs", "ours"), [(0.3, 0.0), (0.01, 0.3)])
def test_the_longer_of_both_delays_lies_between_requests(
    server: Server, ledger: Path, theirs: float, ours: float
) -> None:
    server.robots = f"User-agent: *\nCrawl-delay: {theirs}"
    crawl_here(server, ledger, IDS[:2], delay=ours)
    times = [asked.time for asked in server.log]
    assert len(times) == 5  # robots.txt; by number and where that leads, twice
    assert all(after - before >= 0.29 for before, after in pairwise(times))


@pytest.mark.parametrize("manner", ["reset", "closed without an answer"])
def test_a_page_whose_connection_breaks_is_asked_for_once_an_attempt_and_after_the_delay(
    ledger: Path, manner: str
) -> None:
    site = Site(150)
    good = next(number for number in site.stored if site.manner(number) == "good")
    broken = next(number for number, known in site.manner_of.items() if known == manner)
    with serving(site) as server:
        crawl(server, ledger, "--ids", ids_file(ledger, good, broken), "--delay", "0.3", "--attempts", "2")
    assert states(ledger) == {good: "stored", broken: "connection-failed"}
    assert server.times_asked[site.questions[broken].path] == 2
    times = [asked.time for asked in server.log]
    assert all(after - before >= 0.29 for before, after in pairwise(times))


def test_the_delay_is_kept_over_a_restart(server: Server, ledger: Path) -> None:
    crawl_here(server, ledger, IDS[:1], delay=0.6)
    crawl_here(server, ledger, IDS[1:2], delay=0.6)
    times = [asked.time for asked in server.log]
    assert len(times) == 6
    assert all(after - before >= 0.59 for before, after in pairwise(times))


@pytest.mark.parametrize("form", ["seconds", "date"])
def test_retry_after_is_waited_for_even_by_the_next_process(server: Server, ledger: Path, form: str) -> None:
    soon = "1" if form == "seconds" else email.utils.formatdate(time.time() + 2, usegmt=True)
    server.everything = 503, {"Retry_After": soon}
    assert not crawl_here(server, ledger, IDS[:3], max_pages=1)
    told = server.log[-1].time
    server.everything = None
    assert crawl_here(server, ledger)
    later = [asked.time for asked in server.log if asked.time > told]
    # A date has whole seconds, and was written before the request.
    assert later[0] - told >= (0.95 if form == "seconds" else 0.5)
    assert states(ledger) == dict.fromkeys(IDS[:3], "stored")


def test_too_many_requests_without_a_time_mean_a_pause_for_all_pages(server: Server, ledger: Path) -> None:
    server.everything = 429, {}
    assert not crawl_here(server, ledger, IDS[:2], max_pages=1, retry_wait=0.5)
    told = server.log[-1].time
    server.everything = None
    assert crawl_here(server, ledger, retry_wait=0.5)
    assert next(asked.time for asked in server.log if asked.time > told) - told >= 0.45


def test_a_site_that_asks_for_a_day_is_left_alone(server: Server, ledger: Path) -> None:
    server.everything = 429, {"Retry_After": "86400"}
    with pytest.raises(CrawlStopped):
        crawl_here(server, ledger, IDS[:3])
    server.everything = None
    with pytest.raises(CrawlStopped):
        crawl_here(server, ledger)
    assert len(server.pages_asked()) == 1


@pytest.mark.parametrize("status", [403, 429])
def test_refusals_in_a_row_end_the_crawl_which_can_be_resumed(server: Server, ledger: Path, status: int) -> None:
    server.everything = status, {}
    with pytest.raises(CrawlStopped, match=rf"\b5\b.*\b{status}\b"):
        crawl_here(server, ledger, IDS[:20])
    assert len(server.pages_asked()) == 5
    assert set(states(ledger).values()) == {"pending"}
    server.everything = None
    assert crawl_here(server, ledger)
    assert states(ledger) == dict.fromkeys(IDS[:20], "stored")


def test_the_command_says_that_the_site_refused_and_ends_with_a_status_of_its_own(server: Server, ledger: Path) -> None:
    server.everything = 403, {}
    said = crawl(server, ledger, "--ids", ids_file(ledger, *IDS[:20]), status=3)
    assert "resume another day" in said
    assert "Traceback" not in said


def test_bans_over_many_days_cost_no_page(server: Server, ledger: Path) -> None:
    server.everything = 403, {}
    for _ in range(5):
        with pytest.raises(CrawlStopped):
            crawl_here(server, ledger, IDS[:20])
    server.everything = None
    crawl_here(server, ledger)
    assert states(ledger) == dict.fromkeys(IDS[:20], "stored")


def test_a_site_that_is_down_costs_no_page(server: Server, ledger: Path) -> None:
    crawl_here(server, ledger, IDS, max_pages=5)
    server.everything, server.robots_status = (502, {}), 502
    for _ in range(4):
        with pytest.raises(CrawlStopped, match="cannot be read"):
            crawl_here(server, ledger, max_failures=6, attempts=1)
    assert set(states(ledger).values()) == {"stored", "pending"}
    server.everything, server.robots_status = None, 200
    crawl_here(server, ledger)
    assert states(ledger) == dict.fromkeys(IDS, "stored")


def test_many_broken_pages_of_a_site_that_is_there_do_not_end_the_crawl(server: Server, ledger: Path) -> None:
    server.everything = 500, {}
    assert crawl_here(server, ledger, IDS[:12], max_failures=3)
    assert states(ledger) == dict.fromkeys(IDS[:12], "server-error")


def test_nobody_crawls_without_a_contact(server: Server, ledger: Path) -> None:
    said = crawl(server, ledger, status=2, contact=None)
    assert "--contact" in said
    assert server.log == []
    assert not ledger.exists()


def test_nonsense_among_ids_is_reported_and_the_rest_is_fetched(server: Server, ledger: Path) -> None:
    listed = ids_file(ledger, IDS[0], "abc", "-5", "1e9", IDS[1], "999999999999", "٣", "# a comment", "", 10**8)
    said = crawl(server, ledger, "--ids", listed, status=1)
    for line in (2, 3, 4, 6, 7):
        assert f"ids.txt, line {line}: " in said
    assert states(ledger) == {IDS[0]: "stored", IDS[1]: "stored", 10**8: "not-found"}


def test_a_question_found_by_its_number_has_the_topic_it_leads_to(server: Server, ledger: Path) -> None:
    crawl_here(server, ledger, IDS[:1])
    assert rows(ledger, "SELECT topic FROM questions") == [(SITE.questions[IDS[0]].topic,)]


def test_pages_that_failed_are_tried_again_when_asked(server: Server, ledger: Path) -> None:
    server.everything = 500, {}
    crawl_here(server, ledger, IDS[:3])
    assert states(ledger) == dict.fromkeys(IDS[:3], "server-error")
    assert all(server.times_asked[path] == 3 for path in server.pages_asked())
    server.everything = None
    with Ledger.open(ledger) as opened:
        assert opened.retry([State.SERVER_ERROR]) == 3
    crawl_here(server, ledger)
    assert states(ledger) == dict.fromkeys(IDS[:3], "stored")


def test_listings_are_read_again_when_asked_and_no_question_is(server: Server, ledger: Path) -> None:
    crawl_here(server, ledger, topics=[TOPIC])
    asked = server.times_asked.copy()
    with Ledger.open(ledger) as opened:
        assert opened.refresh_listings() > 1
    crawl_here(server, ledger)
    again = {path for path, count in server.times_asked.items() if count > asked[path]} - {"/robots.txt"}
    assert again == {path for path in SITE.listings if TOPIC in path}


def test_a_ledger_belongs_to_one_site(server: Server, ledger: Path) -> None:
    crawl_here(server, ledger, IDS[:1])
    with session.open_ledger(ledger) as opened, pytest.raises(LedgerError, match=r"other\.example"):
        session.prepare(opened, session.CrawlRequest("http://other.example"))


def test_addresses_that_are_not_of_the_site_are_refused(server: Server, ledger: Path) -> None:
    with session.open_ledger(ledger) as opened:
        for wanted in (
            session.CrawlRequest("algebra.com"),
            session.CrawlRequest(server.url, ["http://other.example/a.faq"]),
        ):
            with pytest.raises(ChoiceError, match="expected"):
                session.prepare(opened, wanted)
        assert opened.counts("listing") == {}


def test_resume_insists_on_a_ledger(ledger: Path) -> None:
    with pytest.raises(LedgerError, match=ledger.name), session.open_ledger(ledger, must_exist=True):
        pass
    assert not ledger.exists()


def test_pages_of_twenty_megabytes_do_not_fill_the_memory(ledger: Path) -> None:
    site = Site(150)
    large = [n for n, manner in site.manner_of.items() if "20 MB" in manner or "bomb" in manner]
    small = [n for n in site.stored if site.manner(n) == "good"][: len(large)]
    peaks = []
    with serving(site) as server:
        for name, ids in (("small", small), ("large", large)):
            path = ledger.with_name(name)
            arguments = command(server, path, "--ids", ids_file(ledger, *ids))[1:]
            peaks.append(peak_memory(arguments))
            assert set(states(path).values()) == {site.expected[ids[0]]}
    assert peaks[1] - peaks[0] < 12 * 2**10  # kilobytes


def peak_memory(arguments: list[str]) -> int:
    """Run the script; return the most memory that it held, in kilobytes."""
    code = (
        "import resource, runpy, sys; sys.argv = sys.argv[1:]\n"
        "try: runpy.run_path(sys.argv[0], run_name='__main__')\n"
        "except SystemExit as ended: assert not ended.code, ended.code\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, timeout=PATIENCE, check=True
    )
    return int(done.stdout.split()[-1])
