"""A crawl that is killed, interrupted or out of disk space resumes, and ends as if nothing had happened."""

from __future__ import annotations

import random
import resource
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from crawl.harness import PATIENCE, body_hashes, command, contents, crawl, quick_folder, rows, run, start, states
from crawl.stand_in_site.plan import Site
from crawl.stand_in_site.server import Server, serving

SITE = Site(220)


@pytest.fixture
def folder() -> Iterator[Path]:
    with quick_folder() as found:
        yield found


def decided(ledger: Path, server: Server) -> list[tuple[object, ...]]:
    """What a crawl has decided, with addresses that do not depend on the server's port."""
    return [tuple(str(v).removeprefix(server.url) for v in row) for row in contents(ledger)]


def wait_for_requests(server: Server, count: int, process: subprocess.Popen[str]) -> None:
    while len(server.log) < count and process.poll() is None:
        time.sleep(0.001)


def test_ten_kills_at_random_moments_change_nothing(folder: Path) -> None:
    rng = random.Random(20)
    with serving(SITE) as server:
        crawl(server, folder / "whole.sqlite")
        whole = decided(folder / "whole.sqlite", server)
    ledger, warc = folder / "killed.sqlite", folder / "killed.warc.gz"
    with serving(SITE) as server:
        kills = 0
        while kills < 10:
            process = start(server, ledger, "--warc", str(warc))
            # Where in the handling of a page the kill falls is left to chance.
            wait_for_requests(server, len(server.log) + rng.randint(2, 26), process)
            time.sleep(rng.random() * 0.01)
            process.kill()
            process.communicate()
            assert process.returncode == -signal.SIGKILL, "the crawl ended before it could be killed"
            kills += 1
        crawl(server, ledger, "--warc", str(warc))
        assert decided(ledger, server) == whole
        assert states(ledger) == SITE.expected
        assert sorted(body_hashes(ledger)) == SITE.stored
        # Whoever is killed in the middle of a page asks for it once more, and for no other.
        good = {q.path for n, q in SITE.questions.items() if SITE.manner(n) == "good"}
        assert sum(server.times_asked[path] - 1 for path in good) <= kills

        asked = len(server.log)
        crawl(server, ledger)
        assert len(server.log) == asked
    # The archive lacks nothing either, though the kills may have left broken records in it.
    taking = [*command(server, folder / "archived.sqlite", "--resume")[:6], "--from-warc", str(warc)]
    assert subprocess.run(taking, capture_output=True, timeout=PATIENCE).returncode in (0, 1)
    assert body_hashes(folder / "archived.sqlite") == body_hashes(ledger)


def test_an_interrupt_ends_after_the_page_and_leaves_a_good_ledger(folder: Path) -> None:
    ledger = folder / "ledger.sqlite"
    site = Site(90, manners=False)
    with serving(site) as server:
        process = start(server, ledger)
        wait_for_requests(server, 40, process)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=PATIENCE)
        assert process.returncode == 130, said
        assert "stopping after this page" in said
        assert rows(ledger, "PRAGMA integrity_check") == [("ok",)]
        left = [state for state in states(ledger).values() if state == "pending"]
        assert left
        crawl(server, ledger)
        assert states(ledger) == site.expected
        assert max(server.times_asked.values()) == 2  # robots.txt, by each of the two
        assert {path for path, count in server.times_asked.items() if count > 1} == {"/robots.txt"}


def test_an_interrupt_while_waiting_asks_for_nothing_more(folder: Path) -> None:
    with serving(Site(60, manners=False)) as server:
        process = start(server, folder / "ledger.sqlite", "--delay", "100")
        wait_for_requests(server, 1, process)
        time.sleep(0.2)
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=PATIENCE)
        assert process.returncode == 130
        assert [asked.path for asked in server.log] == ["/robots.txt"]


def test_a_full_disk_is_said_and_loses_nothing(folder: Path) -> None:
    ledger = folder / "ledger.sqlite"
    site = Site(90, manners=False)
    with serving(site) as server:
        limit = 700_000  # bytes that any file of the process may have, as a disk that is full

        def no_more() -> None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

        done = subprocess.run(
            command(server, ledger), capture_output=True, text=True, timeout=PATIENCE, preexec_fn=no_more
        )
        assert done.returncode == 2, done.stderr
        assert str(ledger) in done.stderr
        assert "Traceback" not in done.stderr
        kept = body_hashes(ledger)
        assert 0 < len(kept) < len(site.stored)
        crawl(server, ledger)
        assert states(ledger) == site.expected
        assert kept.items() <= body_hashes(ledger).items()


def test_a_second_crawl_keeps_off_a_ledger_in_use(folder: Path) -> None:
    ledger = folder / "ledger.sqlite"
    with serving(Site(90, manners=False)) as server:
        process = start(server, ledger, "--delay", "1000")  # at work until it is killed
        wait_for_requests(server, 1, process)
        said = crawl(server, ledger, status=2)
        assert "another crawl is using" in said
        out, _ = run("--ledger", str(ledger), "--status")  # looking is allowed
        assert "questions:" in out
        process.kill()
        process.communicate()
