"""The tables of a ledger, and opening its file: ours, of a version that we know, and whole.

A ledger is a SQLite file in WAL mode with full synchronisation: what a transaction has committed is there after a
kill or a power cut, and what it has not is as if it had never begun. ``application_id`` tells our files from others,
``user_version`` their layout.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from draw_dataset.errors import LedgerError

VERSION = 1
_APPLICATION = 0x44524157  # "DRAW"

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
CREATE TABLE bodies (id INTEGER PRIMARY KEY REFERENCES questions (id), body BLOB NOT NULL);  -- zlib
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


def connect(path: Path, create: bool) -> sqlite3.Connection:
    """Open the file of a ledger, and make it if asked to.

    Raises:
        LedgerError: it is missing, broken, not ours, or of a version that we do not know.
    """
    if not path.exists() and not create:
        raise LedgerError(f"{path}: expected a ledger, but there is no such file; crawl first, or give its path")
    with explained(path):
        connection = sqlite3.connect(path, timeout=30, isolation_level=None)
    try:
        with explained(path):
            _prepare(connection, path)
    except BaseException:
        connection.close()
        raise
    return connection


def _prepare(connection: sqlite3.Connection, path: Path) -> None:
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    if not application and not version and not tables:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.executescript(
            f"BEGIN IMMEDIATE; {_TABLES} PRAGMA application_id = {_APPLICATION}; "
            f"PRAGMA user_version = {VERSION}; COMMIT;"
        )
    elif application != _APPLICATION:
        raise LedgerError(f"{path}: expected a ledger of crawled pages, but got another SQLite database")
    elif version > VERSION:
        raise LedgerError(
            f"{path}: expected a ledger of version {VERSION}, but got version {version}; "
            "it was made by a newer draw-dataset: update this one. The file was not changed"
        )
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA foreign_keys = ON")


@contextmanager
def sole_writer(path: Path) -> Iterator[None]:
    """Keep a second crawl off a ledger; the system gives the lock back when the process ends, however it ends.

    Raises:
        LedgerError: another crawl holds it, or its folder cannot be written.
    """
    lock = FileLock(f"{path}.lock")
    try:
        lock.acquire(timeout=0)
    except Timeout as error:
        raise LedgerError(f"{path}: another crawl is at work on this ledger; let it end, or stop it, first") from error
    except OSError as error:
        raise LedgerError(f"{path}: cannot be written: {error.strerror or error}") from error
    try:
        yield
    finally:
        lock.release()


def check_whole(connection: sqlite3.Connection, path: Path) -> None:
    """Look through the whole file for damage, which SQLite would otherwise meet only on the page that has it.

    Raises:
        LedgerError: it is damaged.
    """
    with explained(path):
        said = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
        if said != "ok":
            raise LedgerError(_damaged(path, str(said)))


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Turn what SQLite says about a file into an error that says what to do."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        said = str(error)
        if "full" in said or "disk I/O" in said or "too large" in said:
            raise LedgerError(
                f"{path}: cannot be written: {said}; make room and start again. "
                "Every page before this one is stored, this one will be fetched again"
            ) from error
        if "malformed" in said or "not a database" in said or "encrypted" in said:
            raise LedgerError(_damaged(path, said)) from error
        if "locked" in said:
            raise LedgerError(f"{path}: another process holds the ledger: {said}; let it end first") from error
        raise LedgerError(f"{path}: {said}") from error


def _damaged(path: Path, said: str) -> str:
    first = said.splitlines()[-1] if said else "damaged"
    return (
        f"{path}: expected a whole ledger, but got a damaged file ({first}). It was not changed: copy it, try "
        f"`sqlite3 {path.name} .recover | sqlite3 recovered.sqlite`, or begin a new ledger with --ledger"
    )
