"""Ledger of a crawl in one SQLite file: the known pages, the state of each, and the stored bodies.

The end of a page is one transaction (state, body, links of a listing), so a crawl may be killed at any moment: a page
is either recorded completely or still pending.
"""

from __future__ import annotations

import hashlib
import sqlite3
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, Literal

from draw_dataset.collect.addresses import topic_of
from draw_dataset.errors import BodyDamaged, LedgerError
from draw_dataset.io.sqlite import Layout, check_whole, explain_errors, open_database, transaction

_TABLES = """
CREATE TABLE questions (
    id INTEGER PRIMARY KEY,
    url TEXT NOT NULL,              -- where it is asked for
    topic TEXT,                     -- of the address it was found or answered under
    found_on TEXT NOT NULL,         -- the listing's address, 'ids', 'redirect' or 'warc'
    state TEXT NOT NULL DEFAULT 'pending',
    attempts INTEGER NOT NULL DEFAULT 0,
    not_before REAL NOT NULL DEFAULT 0,
    detail TEXT NOT NULL DEFAULT '',
    status INTEGER,
    final_url TEXT,
    redirects_to INTEGER,           -- the question it leads to
    content_type TEXT,
    charset TEXT,                   -- as declared, which may be wrong
    fetched_at REAL,                -- seconds since 1970, UTC
    sha256 TEXT,                    -- of the body as received
    size INTEGER
);
CREATE INDEX questions_to_do ON questions (not_before, id) WHERE state = 'pending';
CREATE INDEX questions_by_state ON questions (state);
CREATE TABLE bodies (
    id INTEGER PRIMARY KEY REFERENCES questions (id),
    body BLOB NOT NULL              -- zlib
);
CREATE TABLE listings (
    number INTEGER PRIMARY KEY,
    url TEXT NOT NULL UNIQUE,
    found_on TEXT NOT NULL,
    state TEXT NOT NULL DEFAULT 'pending',
    attempts INTEGER NOT NULL DEFAULT 0,
    not_before REAL NOT NULL DEFAULT 0,
    detail TEXT NOT NULL DEFAULT '',
    status INTEGER,
    final_url TEXT,
    fetched_at REAL,
    questions INTEGER               -- how many it links to
);
CREATE INDEX listings_to_do ON listings (not_before, number) WHERE state = 'pending';
CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL);
"""

LAYOUT = Layout(
    what="ledger of crawled pages",
    version=1,
    tables=_TABLES,
    mark="listings",
    error=LedgerError,
    advice="crawl first, or give its path",
    damaged="copy it, try `sqlite3 {path} .recover | sqlite3 recovered.sqlite`, or begin a new ledger with --ledger",
    kept="Every page before this one is stored, this one will be fetched again",
)


# A page is pending until it ends in exactly one terminal state. Failures that may pass (a reset, a stall, a 503) leave
# it pending with one more attempt; after the last attempt they name the state. Other failures end it at once.

PageKind = Literal["listing", "question"]


class State(StrEnum):
    """The states of a page in the ledger."""

    PENDING = "pending"
    STORED = "stored"
    EMPTY = "empty"
    TRUNCATED = "truncated"
    TOO_LARGE = "too-large"
    NOT_HTML = "not-html"
    NOT_FOUND = "not-found"
    GONE = "gone"
    FORBIDDEN = "forbidden"
    FORBIDDEN_BY_ROBOTS = "forbidden-by-robots"
    REFUSED = "refused"
    RATE_LIMITED = "rate-limited"
    REDIRECTED = "redirected"
    REDIRECTED_ELSEWHERE = "redirected-elsewhere"
    REDIRECT_LOOP = "redirect-loop"
    SERVER_ERROR = "server-error"
    TIMEOUT = "timeout"
    CONNECTION_FAILED = "connection-failed"

    @property
    def terminal(self) -> bool:
        """Whether a page in this state is left alone unless a retry is requested."""
        return self is not State.PENDING


MEANINGS: dict[State, str] = {
    State.PENDING: "not fetched yet, or to be tried again",
    State.STORED: "the complete page is in the ledger",
    State.EMPTY: "status 200 with an empty page, at every try",
    State.TRUNCATED: "the page was cut off, at every try",
    State.TOO_LARGE: "larger than --max-size; not read to the end",
    State.NOT_HTML: "not an HTML page",
    State.NOT_FOUND: "404",
    State.GONE: "410",
    State.FORBIDDEN: "401 or 403",
    State.FORBIDDEN_BY_ROBOTS: "robots.txt disallows it; never asked for",
    State.REFUSED: "a status that is neither a success nor a temporary failure",
    State.RATE_LIMITED: "429, at every try",
    State.REDIRECTED: "leads to another question, which has its own entry",
    State.REDIRECTED_ELSEWHERE: "leads to a page that is not a question, or to another site",
    State.REDIRECT_LOOP: "leads back to itself, or to no page within ten steps",
    State.SERVER_ERROR: "a status of 500 or above, at every try",
    State.TIMEOUT: "no complete answer in time, at every try",
    State.CONNECTION_FAILED: "the connection was refused or broke, at every try",
}


@dataclass(frozen=True, slots=True)
class StoredPage:
    """A page of the ledger, as it was received."""

    id: int  # the question's number
    url: str  # the address that answered
    topic: str | None  # the topic in that address, such as ``word/age/Age_Word_Problems``; None if it names none
    body: bytes  # the bytes, decompressed but not decoded
    content_type: str | None  # the media type that was declared, such as ``text/html``; None if none was
    charset: str | None  # the character set that was declared, which may be wrong; None if none was
    fetched_at: float  # when, in seconds since 1970 (UTC)


@dataclass(frozen=True, slots=True)
class PendingPage:
    """A page to fetch."""

    kind: PageKind  # a listing or a question
    key: int  # the number of the listing, or of the question
    url: str  # the address to ask for
    attempts: int  # how often it was tried in vain


@dataclass(frozen=True, slots=True)
class Ending:
    """The outcome of one request for a page."""

    state: State  # a terminal state, or `State.PENDING` for another try
    detail: str = ""  # why, for people
    status: int | None = None  # the HTTP status, if there was an answer
    final_url: str | None = None  # the address that answered, after redirects
    redirects_to: int | None = None  # the other question that it leads to
    content_type: str | None = None  # as declared
    charset: str | None = None  # as declared
    body: bytes = b""  # the bytes of a stored page
    not_before: float = 0.0  # when it may be tried again, in seconds since 1970


_BATCH = 64  # bodies in memory at once while they are iterated


class Ledger:
    """Pages of a crawl.

    >>> with Ledger.open(":memory:", create=True) as ledger:
    ...     ledger.add_questions([(7, "http://a.example/algebra/homework/w/T.faq.question.7.html")], "ids")
    ...     work = ledger.next_work(now=0.0)
    ...     ledger.record(work, Ending(State.STORED, status=200, final_url=work.url, body=b"<html></html>"), 1.5)
    ...     [(page.id, page.topic, page.body) for page in ledger.bodies()], ledger.next_work(now=0.0)
    1
    ([(7, 'w/T', b'<html></html>')], None)
    """

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path = path
        self._connection = connection

    @classmethod
    def open(cls, path: str | Path, create: bool = False) -> Ledger:
        """Open a ledger."""
        path = Path(path)
        return cls(path, open_database(path, LAYOUT, create))

    def check_whole(self) -> None:
        """Check the whole file for damage."""
        check_whole(self._connection, self.path, LAYOUT)

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def __enter__(self) -> Ledger:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def add_questions(self, found: Iterable[tuple[int, str]], found_on: str) -> int:
        """Add unknown questions, by number and address; return how many were new."""
        with self._transaction():
            return self._add_questions(found, found_on)

    def add_listings(self, urls: Iterable[str], found_on: str) -> int:
        """Add unknown listings; return how many were new."""
        with self._transaction():
            return self._add_listings(urls, found_on)

    def next_work(self, now: float) -> PendingPage | None:
        """Return the next page to fetch: listings before questions, new pages before retries."""
        for kind, table, key in (("listing", "listings", "number"), ("question", "questions", "id")):
            row = self._one(
                f"SELECT {key}, url, attempts FROM {table} WHERE state = 'pending' AND not_before <= ? "
                f"ORDER BY not_before, {key} LIMIT 1",
                now,
            )
            if row is not None:
                return PendingPage(kind, *row)  # type: ignore[arg-type]  # the two kinds of the tuple above
        return None

    def next_time(self) -> float | None:
        """Return the time at which the next page may be tried; None if none is left."""
        row = self._one(
            "SELECT min(t) FROM (SELECT min(not_before) AS t FROM questions WHERE state = 'pending' "
            "UNION ALL SELECT min(not_before) FROM listings WHERE state = 'pending')"
        )
        return None if row is None else row[0]

    def state_of(self, number: int) -> State | None:
        """Return the state of a question, if it is known."""
        row = self._one("SELECT state FROM questions WHERE id = ?", number)
        return None if row is None else State(row[0])

    def record(
        self,
        work: PendingPage,
        ending: Ending,
        now: float,
        questions: Iterable[tuple[int, str]] = (),
        listings: Iterable[str] = (),
    ) -> None:
        """Record the ending of a page and its links in one transaction; close circles of redirects."""
        with self._transaction():
            if work.kind == "listing":
                linked = list(questions)
                self._add_questions(linked, work.url)
                self._add_listings(listings, work.url)
                self._connection.execute(
                    "UPDATE listings SET state = ?, attempts = attempts + 1, not_before = ?, detail = ?, status = ?, "
                    "final_url = ?, fetched_at = ?, questions = ? WHERE number = ?",
                    (ending.state, ending.not_before, ending.detail, ending.status, ending.final_url, now,
                     len({number for number, _ in linked}), work.key),
                )  # fmt: skip
                return
            self._record_question(work.key, ending, now)
            if ending.redirects_to is not None:
                self._add_questions([(ending.redirects_to, ending.final_url or work.url)], "redirect")
                self._close_circle(work.key)

    def keep(self, number: int, url: str, ending: Ending, now: float) -> bool:
        """Record a capture of a question from an archive; return whether it was kept."""
        # The newest whole capture stays (the larger digest within one second), whatever the order of archives.
        with self._transaction():
            self._add_questions([(number, url)], "warc")
            if self.state_of(number) is State.STORED:
                if ending.state is not State.STORED:
                    return False
                stored = self._one("SELECT fetched_at, sha256 FROM questions WHERE id = ?", number)
                if stored is not None and tuple(stored) >= (now, hashlib.sha256(ending.body).hexdigest()):
                    return False
                self._connection.execute("DELETE FROM bodies WHERE id = ?", (number,))
            self._record_question(number, ending, now)
            return True

    def _record_question(self, number: int, ending: Ending, now: float) -> None:
        stored = ending.state is State.STORED
        self._connection.execute(
            "UPDATE questions SET state = ?, attempts = attempts + 1, not_before = ?, detail = ?, status = ?, "
            "final_url = ?, redirects_to = ?, content_type = ?, charset = ?, fetched_at = ?, sha256 = ?, size = ?, "
            "topic = coalesce(?, topic) WHERE id = ?",
            (ending.state, ending.not_before, ending.detail, ending.status, ending.final_url, ending.redirects_to,
             ending.content_type, ending.charset, now, hashlib.sha256(ending.body).hexdigest() if stored else None,
             len(ending.body) if stored else None, topic_of(ending.final_url or ""), number),
        )  # fmt: skip
        if stored:
            body = zlib.compress(ending.body)
            self._connection.execute("INSERT INTO bodies (id, body) VALUES (?, ?)", (number, body))

    def _close_circle(self, number: int) -> None:
        circle = [number]
        while True:
            row = self._one("SELECT redirects_to FROM questions WHERE id = ? AND state = 'redirected'", circle[-1])
            if row is None or row[0] is None:
                return
            if row[0] == number:
                break
            if row[0] in circle:
                return  # it leads into a circle but is not part of it
            circle.append(row[0])
        self._connection.executemany(
            "UPDATE questions SET state = ?, detail = 'leads back to itself by ' || redirects_to WHERE id = ?",
            [(State.REDIRECT_LOOP, member) for member in circle],
        )

    def retry(self, states: Iterable[State]) -> int:
        """Make pages in some terminal states pending again, with no attempts; return how many."""
        chosen = list(states)
        if State.STORED in chosen:
            raise LedgerError("expected states of pages that are not stored, but got stored")
        changed = 0
        with self._transaction():
            for table in ("questions", "listings"):
                for state in chosen:
                    changed += self._connection.execute(
                        f"UPDATE {table} SET state = 'pending', attempts = 0, not_before = 0 WHERE state = ?", (state,)
                    ).rowcount
        return changed

    def refresh_listings(self) -> int:
        """Make the stored listings pending again, to find new questions; return how many."""
        with self._transaction():
            return self._connection.execute(
                "UPDATE listings SET state = 'pending', attempts = 0, not_before = 0 WHERE state = 'stored'"
            ).rowcount

    def reset(self, works: Iterable[PendingPage]) -> None:
        """Make pages pending again as if they had not been tried."""
        with self._transaction():
            for work in works:
                table, key = ("listings", "number") if work.kind == "listing" else ("questions", "id")
                self._connection.execute(
                    f"UPDATE {table} SET state = 'pending', attempts = 0, not_before = 0 WHERE {key} = ?", (work.key,)
                )

    def bodies(self, after: int = -1) -> Iterator[StoredPage]:
        """Yield the stored pages by number; a damaged body raises `BodyDamaged`, and iteration may go on after it."""
        while True:
            rows = self._all(
                "SELECT q.id, coalesce(q.final_url, q.url), q.topic, b.body, q.content_type, q.charset, q.fetched_at "
                "FROM bodies b JOIN questions q USING (id) WHERE b.id > ? ORDER BY b.id LIMIT ?",
                after,
                _BATCH,
            )
            for number, url, topic, body, content_type, charset, fetched_at in rows:
                try:
                    whole = zlib.decompress(body)
                except zlib.error as error:
                    raise BodyDamaged(str(self.path), number, str(error)) from error
                yield StoredPage(number, url, topic, whole, content_type, charset, fetched_at)
            if len(rows) < _BATCH:
                return
            after = rows[-1][0]

    def counts(self, kind: PageKind = "question") -> dict[State, int]:
        """Return the number of pages in each state that occurs."""
        table = "listings" if kind == "listing" else "questions"
        rows = self._all(f"SELECT state, count(*) FROM {table} GROUP BY state ORDER BY state")
        return {State(state): count for state, count in rows}

    def pages_a_second(self) -> float | None:
        """Return the rate of the latest thousand pages; None if there are too few."""
        # Pages of archives do not count: they have the time of their capture.
        row = self._one(
            "SELECT count(*), max(t) - min(t) FROM (SELECT fetched_at AS t FROM questions "
            "WHERE fetched_at IS NOT NULL AND found_on <> 'warc' "
            "UNION ALL SELECT fetched_at FROM listings WHERE fetched_at IS NOT NULL ORDER BY t DESC LIMIT 1000)"
        )
        return (row[0] - 1) / row[1] if row and row[0] > 1 and row[1] > 0 else None

    def latest_fetch(self) -> float | None:
        """Return the time of the last fetch in seconds since 1970, if any."""
        row = self._one(
            "SELECT max(t) FROM (SELECT max(fetched_at) AS t FROM questions WHERE found_on <> 'warc' "
            "UNION ALL SELECT max(fetched_at) FROM listings)"
        )
        return None if row is None else row[0]

    def measure_stored(self) -> int:
        """Return the size of all stored pages, decompressed."""
        row = self._one("SELECT coalesce(sum(size), 0) FROM questions")
        return int(row[0]) if row else 0

    def fact(self, name: str) -> str | None:
        """Return a stored fact about the crawl."""
        row = self._one("SELECT value FROM facts WHERE name = ?", name)
        return None if row is None else row[0]

    def remember(self, name: str, value: str) -> None:
        """Store a fact about the crawl."""
        with self._transaction():
            self._connection.execute(
                "INSERT INTO facts VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value", (name, value)
            )

    def _add_questions(self, found: Iterable[tuple[int, str]], found_on: str) -> int:
        before = self._connection.total_changes
        self._connection.executemany(
            "INSERT INTO questions (id, url, topic, found_on) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
            ((number, url, topic_of(url), found_on) for number, url in found),
        )
        return self._connection.total_changes - before

    def _add_listings(self, urls: Iterable[str], found_on: str) -> int:
        before = self._connection.total_changes
        self._connection.executemany(
            "INSERT INTO listings (url, found_on) VALUES (?, ?) ON CONFLICT DO NOTHING",
            ((url, found_on) for url in urls),
        )
        return self._connection.total_changes - before

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        with explain_errors(self.path, LAYOUT), transaction(self._connection):
            yield

    def _one(self, sql: str, *values: object) -> tuple[Any, ...] | None:
        with explain_errors(self.path, LAYOUT):
            row: tuple[Any, ...] | None = self._connection.execute(sql, values).fetchone()
        return row

    def _all(self, sql: str, *values: object) -> list[tuple[Any, ...]]:
        with explain_errors(self.path, LAYOUT):
            return self._connection.execute(sql, values).fetchall()
