"""The file behind a store: its tables, its version, and what is said when it cannot be used.

SQLite in WAL mode with ``synchronous=FULL``: what is committed survives the death of the process and of the machine.
The header carries our application id and the number of the schema, so that other databases, and stores of a later
version, are told from ours before anything is read. Tables are made in one transaction: a file is a store or it is not.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from draw_dataset.errors import StoreError

APPLICATION_ID = 0x44524157
"""DRAW in ASCII, in the header of the file."""

SCHEMA = 1
"""The number of the schema; a change of the tables raises it."""

BUSY_SECONDS = 30.0
"""How long to wait for another process or thread that is writing."""

_HEADER = b"SQLite format 3\x00"

_TABLES = """
CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE problems (
    id INTEGER PRIMARY KEY,
    position INTEGER NOT NULL UNIQUE,
    revision INTEGER NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('automatic', 'open', 'refused')),
    questions INTEGER NOT NULL,
    message TEXT
);
CREATE TABLE revisions (
    problem INTEGER NOT NULL REFERENCES problems (id),
    revision INTEGER NOT NULL,
    question TEXT NOT NULL,
    equations TEXT NOT NULL,
    extra TEXT NOT NULL,
    at TEXT NOT NULL,
    PRIMARY KEY (problem, revision)
);
CREATE TABLE annotators (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, added TEXT NOT NULL);
CREATE TABLE decisions (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    problem INTEGER NOT NULL REFERENCES problems (id),
    annotator INTEGER NOT NULL REFERENCES annotators (id),
    role TEXT NOT NULL CHECK (role IN ('annotator', 'adjudicator')),
    revision INTEGER NOT NULL,
    kind TEXT NOT NULL,
    payload TEXT NOT NULL,
    seconds REAL NOT NULL,
    at TEXT NOT NULL
);
CREATE INDEX decisions_of_work ON decisions (problem, annotator, role, number);
CREATE TABLE works (
    problem INTEGER NOT NULL REFERENCES problems (id),
    annotator INTEGER NOT NULL REFERENCES annotators (id),
    role TEXT NOT NULL,
    status TEXT NOT NULL,
    seconds REAL NOT NULL,
    last INTEGER NOT NULL,
    PRIMARY KEY (problem, annotator, role)
);
"""
# `works` says what the decisions come to, so that queues need not make every state again; it changes with them.


def connect(path: Path, create: bool) -> sqlite3.Connection:
    """Open a store.

    Args:
        path: the file.
        create: make it if it is not there.

    Raises:
        StoreError: it is not there, is no store, is damaged, is of a later version, or cannot be read or written.
    """
    _check_file(path, create)
    with translated(path):
        connection = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
        try:
            _prepare(connection, path)
        except BaseException:
            connection.close()
            raise
    return connection


def _check_file(path: Path, create: bool) -> None:
    try:
        with path.open("rb") as file:
            start = file.read(len(_HEADER))
    except FileNotFoundError:
        if not create:
            advice = f"make one with: draw annotate import FILE --store {path}"
            raise StoreError(f"{path}: there is no such store; {advice}") from None
        if not path.parent.is_dir():
            raise StoreError(f"{path}: expected a file in a folder that is there, but {path.parent} is not") from None
        return
    except OSError as error:
        raise StoreError(f"{path}: cannot read the store: {error.strerror}") from error
    if start == b"" and create:
        return  # what a process leaves that was killed before it made the tables
    if start != _HEADER:
        raise StoreError(f"{path}: expected a store of annotations (an SQLite database), but got something else")


def _prepare(connection: sqlite3.Connection, path: Path) -> None:
    with transaction(connection, "BEGIN"):  # another process may be making the tables
        application, version = _pragma(connection, "application_id"), _pragma(connection, "user_version")
        has_tables = connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone() is not None
    if application not in (0, APPLICATION_ID) or (application == 0 and has_tables):
        raise StoreError(f"{path}: expected a store of annotations, but got an SQLite database of something else")
    if version > SCHEMA:
        raise StoreError(
            f"{path}: the store is of a later version (schema {version}, this package knows {SCHEMA}); "
            "update draw-dataset to open it. Nothing was changed"
        )
    _use_write_ahead_log(connection)
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA foreign_keys = ON")
    if application == 0:
        _make_tables(connection)
    problems = [row[0] for row in connection.execute("PRAGMA quick_check(3)")]
    if problems != ["ok"]:
        raise StoreError(f"{path}: the store is damaged ({'; '.join(problems)[:300]}); restore it from a copy")


def _use_write_ahead_log(connection: sqlite3.Connection) -> None:
    """Switch to WAL; SQLite does not wait for others by itself here."""
    deadline = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
            time.sleep(0.01)
        else:
            return


def _make_tables(connection: sqlite3.Connection) -> None:
    with transaction(connection):
        if _pragma(connection, "application_id") == APPLICATION_ID:
            return  # another process has just made them
        for statement in _TABLES.split(";"):
            connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {SCHEMA}")


@contextmanager
def transaction(connection: sqlite3.Connection, begin: str = "BEGIN IMMEDIATE") -> Iterator[None]:
    """Do what is in the block whole or not at all; what it writes is on the disk when it ends.

    Args:
        connection: the open store.
        begin: ``BEGIN IMMEDIATE`` to write, so that nobody else writes meanwhile; ``BEGIN`` to read one state.
    """
    connection.execute(begin)
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        # A full disk makes SQLite roll back by itself.
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """Turn what SQLite says into what a person can do.

    Raises:
        StoreError: SQLite refused something in the block.
    """
    try:
        yield
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        advice = _ADVICE.get(code, "nothing was recorded")
        raise StoreError(f"{path}: {error}: {advice}") from error


_NOT_RECORDED = "nothing of this step was recorded, everything before it is kept"
_ADVICE = {
    sqlite3.SQLITE_FULL: f"the disk is full; {_NOT_RECORDED}. Make room and repeat the step",
    sqlite3.SQLITE_IOERR: f"the disk is full or failing; {_NOT_RECORDED}. Make room and repeat the step",
    sqlite3.SQLITE_BUSY: f"another process has been writing for {BUSY_SECONDS:.0f} seconds; {_NOT_RECORDED}",
    sqlite3.SQLITE_READONLY: "the file or its folder may not be written; its folder must be writable, too",
    sqlite3.SQLITE_CANTOPEN: "the file cannot be opened; its folder must be there and writable, and the disk not full",
    sqlite3.SQLITE_NOTADB: "expected a store of annotations, but got something else",
    sqlite3.SQLITE_CORRUPT: "the store is damaged; restore it from a copy",
}


def _pragma(connection: sqlite3.Connection, name: str) -> int:
    return int(connection.execute(f"PRAGMA {name}").fetchone()[0])
