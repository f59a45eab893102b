"""Running the crawler as people do, as a process of its own, against a stand-in site."""

from __future__ import annotations

import asyncio
import hashlib
import os
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from crawl.stand_in_site.server import Server

import draw_dataset
from draw_dataset.collect import session
from draw_dataset.collect.ledger import Ledger
from draw_dataset.collect.loop import Crawl, CrawlOptions
from draw_dataset.collect.politeness import Answer

SCRIPT = Path(draw_dataset.__file__).parents[1] / "scripts" / "crawl_algebra_com.py"
CONTACT = "tests@draw.example"
QUICK = ("--delay", "0", "--retry-wait", "0.02", "--attempts", "3")
PATIENCE = 300
"""Seconds after which a process counts as stuck: far more than a busy machine needs."""


@contextmanager
def quick_folder() -> Iterator[Path]:
    """A folder in memory, where the system has one: thousands of transactions need not wait for a disk."""
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if os.access(memory, os.W_OK) else None) as folder:
        yield Path(folder)


def command(server: Server, ledger: Path, *more: str, contact: str | None = CONTACT) -> list[str]:
    """The command line of a crawl; of all topics of the site, unless it is told what to crawl or to go on."""
    # Pages that stall cost their time-out. Where none does, no busy machine may look like one that stalls.
    stalls = any("stall" in manner or "drip" in manner for manner in server.site.manner_of.values())
    told = ["--timeout", "1.5" if stalls else "60"]
    told += [] if contact is None else ["--contact", contact]
    if not {"--ids", "--topic", "--resume"} & set(more):
        told += [part for topic in server.site.topics for part in ("--topic", topic)]
    return [sys.executable, str(SCRIPT), "--ledger", str(ledger), "--base-url", server.url, *QUICK, *told, *more]


def start(server: Server, ledger: Path, *more: str, **options: str | None) -> subprocess.Popen[str]:
    return subprocess.Popen(
        command(server, ledger, *more, **options), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def crawl(server: Server, ledger: Path, *more: str, status: int = 0, **options: str | None) -> str:
    """Crawl to the end; return what was said to people."""
    done = subprocess.run(command(server, ledger, *more, **options), capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == status, f"expected {status}, got {done.returncode}: {done.stdout}{done.stderr}"
    return done.stderr


def crawl_here(server: Server, path: Path, ids: Sequence[int] = (), topics: Sequence[str] = (), **options: Any) -> bool:
    """Crawl in this process: the same crawl with a downloader of the standard library, since Scrapy starts once."""
    quick = {"delay": 0.0, "attempts": 3, "retry_wait": 0.02, **options}

    def ask(url: str) -> Answer:
        parts = urlsplit(url)
        connection = HTTPConnection(parts.hostname or "", parts.port, timeout=60)
        try:
            connection.request("GET", url.removeprefix(server.url))
            response = connection.getresponse()
            return Answer(url, response.status, {k.lower(): v for k, v in response.getheaders()}, response.read())
        finally:
            connection.close()

    with session.open_ledger(path) as ledger:
        site = session.prepare(ledger, session.CrawlRequest(server.url, topics, ids))
        return asyncio.run(Crawl(ledger, CrawlOptions(site, **quick)).run(lambda url: asyncio.to_thread(ask, url)))


def run(*arguments: str, status: int = 0) -> tuple[str, str]:
    """Run the script with these arguments alone; return its outputs."""
    done = subprocess.run([sys.executable, str(SCRIPT), *arguments], capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == status, f"expected {status}, got {done.returncode}: {done.stdout}{done.stderr}"
    return done.stdout, done.stderr


def states(ledger: Path) -> dict[int, str]:
    """The state of each question."""
    return dict(rows(ledger, "SELECT id, state FROM questions"))


def contents(ledger: Path) -> list[tuple[Any, ...]]:
    """All that a crawl has decided: ids, states, targets and hashes; not when, nor in how many tries."""
    return rows(ledger, "SELECT id, state, redirects_to, sha256, size, topic FROM questions ORDER BY id") + rows(
        ledger, "SELECT url, state, questions FROM listings ORDER BY url"
    )


def body_hashes(ledger: Path) -> dict[int, str]:
    """The hash of each stored body, computed anew."""
    with Ledger.open(ledger) as opened:
        return {page.id: hashlib.sha256(page.body).hexdigest() for page in opened.bodies()}


def rows(ledger: Path, sql: str) -> list[tuple[Any, ...]]:
    with sqlite3.connect(ledger) as connection:
        return connection.execute(sql).fetchall()
