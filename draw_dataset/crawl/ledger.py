"""The ledger of a crawl: which pages are known, what became of each, and the bodies of those that are stored.

The ledger, not a queue in memory, decides what is fetched next. What happens to a page is one transaction: its state,
its body, and for a listing everything that it links to. So a crawl may be killed at any moment, and the next one
resumes: a page is either recorded completely or still pending. Questions are keyed by their number, listings by their
address.
"""

from __future__ import annotations

import hashlib
import sqlite3
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any

from draw_dataset.crawl.addresses import topic_of
from draw_dataset.crawl.entries import Ending, PageKind, PendingPage, State, StoredPage
from draw_dataset.crawl.schema import LAYOUT
from draw_dataset.errors import BodyDamaged, LedgerError
from draw_dataset.files.sqlite import check_whole, explained, open_database, transaction

_BATCH = 64
"""How many bodies are in memory at once while they are iterated."""


class Ledger:
    """The pages of a crawl in one SQLite file.

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
        """Open a ledger.

        Args:
            path: its file.
            create: make it if it is not there.

        Raises:
            LedgerError: it is missing, damaged, no ledger, or of a newer version.
        """
        path = Path(path)
        return cls(path, open_database(path, LAYOUT, create))

    def check_whole(self) -> None:
        """Read the whole file for damage.

        Raises:
            LedgerError: it is damaged.
        """
        check_whole(self._connection, self.path, LAYOUT)

    def close(self) -> None:
        """Close the file; what is committed stays."""
        self._connection.close()

    def __enter__(self) -> Ledger:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # What is known

    def add_questions(self, found: Iterable[tuple[int, str]], found_on: str) -> int:
        """Add questions that are not known yet, by number and address; return how many were new."""
        with self._transaction():
            return self._add_questions(found, found_on)

    def add_listings(self, urls: Iterable[str], found_on: str) -> int:
        """Add listings that are not known yet; return how many were new."""
        with self._transaction():
            return self._add_listings(urls, found_on)

    def next_work(self, now: float) -> PendingPage | None:
        """Return what to fetch next: listings before questions, new pages before those to be tried again."""
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
        """Return when the next page may be tried; None if none is left."""
        row = self._one(
            "SELECT min(t) FROM (SELECT min(not_before) AS t FROM questions WHERE state = 'pending' "
            "UNION ALL SELECT min(not_before) FROM listings WHERE state = 'pending')"
        )
        return None if row is None else row[0]

    def state_of(self, number: int) -> State | None:
        """Return the state of a question; None if it is not known."""
        row = self._one("SELECT state FROM questions WHERE id = ?", number)
        return None if row is None else State(row[0])

    # What happened

    def record(
        self,
        work: PendingPage,
        ending: Ending,
        now: float,
        questions: Iterable[tuple[int, str]] = (),
        listings: Iterable[str] = (),
    ) -> None:
        """Record what became of a page, with all that it links to, in one transaction.

        A question that leads to another one makes that one known. Questions that lead to each other in a circle all
        end as redirect loops.
        """
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
        """Record a capture of a question from an archive; return whether it was kept.

        Of several whole captures the newest stays, so that the order of archives does not matter; one that is not
        whole never replaces one that is. Of two from the same second it is the one whose digest is larger.
        """
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
        """Make pages in some terminal states pending again, their attempts forgotten; return how many.

        Raises:
            LedgerError: stored pages were asked for, which would be fetched twice.
        """
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
        """Make the stored listings pending again, since the site may have got new questions; return how many."""
        with self._transaction():
            return self._connection.execute(
                "UPDATE listings SET state = 'pending', attempts = 0, not_before = 0 WHERE state = 'stored'"
            ).rowcount

    def forgive(self, works: Iterable[PendingPage]) -> None:
        """Make pages pending again as if they had not been tried: the site refused everybody, not these pages."""
        with self._transaction():
            for work in works:
                table, key = ("listings", "number") if work.kind == "listing" else ("questions", "id")
                self._connection.execute(
                    f"UPDATE {table} SET state = 'pending', attempts = 0, not_before = 0 WHERE {key} = ?", (work.key,)
                )

    # What there is

    def bodies(self, after: int = -1) -> Iterator[StoredPage]:
        """Yield the stored pages in the order of their numbers, a few in memory at a time.

        Args:
            after: begin after this number; numbers begin with 0.

        Raises:
            BodyDamaged: a body is damaged; names the question, after which one may go on.
        """
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
        """Return how many pages are in each state that occurs."""
        table = "listings" if kind == "listing" else "questions"
        rows = self._all(f"SELECT state, count(*) FROM {table} GROUP BY state ORDER BY state")
        return {State(state): count for state, count in rows}

    def pages_a_second(self) -> float | None:
        """Return how fast the latest thousand pages were fetched; None if there are too few to say."""
        # Pages of archives have the time of their capture.
        row = self._one(
            "SELECT count(*), max(t) - min(t) FROM (SELECT fetched_at AS t FROM questions "
            "WHERE fetched_at IS NOT NULL AND found_on <> 'warc' "
            "UNION ALL SELECT fetched_at FROM listings WHERE fetched_at IS NOT NULL ORDER BY t DESC LIMIT 1000)"
        )
        return (row[0] - 1) / row[1] if row and row[0] > 1 and row[1] > 0 else None

    def latest_fetch(self) -> float | None:
        """Return when the last page was fetched, in seconds since 1970; None if none was."""
        row = self._one(
            "SELECT max(t) FROM (SELECT max(fetched_at) AS t FROM questions WHERE found_on <> 'warc' "
            "UNION ALL SELECT max(fetched_at) FROM listings)"
        )
        return None if row is None else row[0]

    def stored_bytes(self) -> int:
        """Return the size of all stored pages, decompressed."""
        row = self._one("SELECT coalesce(sum(size), 0) FROM questions")
        return int(row[0]) if row else 0

    def fact(self, name: str) -> str | None:
        """Return something that the crawl wants to remember."""
        row = self._one("SELECT value FROM facts WHERE name = ?", name)
        return None if row is None else row[0]

    def remember(self, name: str, value: str) -> None:
        """Remember something over the end of the process."""
        with self._transaction():
            self._connection.execute(
                "INSERT INTO facts VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value", (name, value)
            )

    # SQL

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
        with explained(self.path, LAYOUT), transaction(self._connection):
            yield

    def _one(self, sql: str, *values: object) -> tuple[Any, ...] | None:
        with explained(self.path, LAYOUT):
            row: tuple[Any, ...] | None = self._connection.execute(sql, values).fetchone()
        return row

    def _all(self, sql: str, *values: object) -> list[tuple[Any, ...]]:
        with explained(self.path, LAYOUT):
            return self._connection.execute(sql, values).fetchall()
