"""SQLite files of this package: opening, checking, creating, and errors with advice.

WAL mode with ``synchronous=FULL`` keeps committed data in a crash of the machine. The header has our application id and
the version of the layout, so other databases and later versions are recognised before anything is read.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from draw_dataset.errors import DrawError

APPLICATION_ID = 0x44524157  #: DRAW in ASCII, in the header of each of our files
BUSY_SECONDS = 30.0  #: the timeout for another process or thread that is writing

_HEADER = b"SQLite format 3\x00"


@dataclass(frozen=True, slots=True)
class Layout:
    """A kind of file; ``{path}`` is replaced in its advice."""

    what: str  # its name in messages, such as store of annotations
    version: int  # raised by every change of the tables
    tables: str  # the statements that create the tables
    mark: str  # a table that only this kind of file has
    error: type[DrawError]
    advice: str  # for a file that does not exist
    damaged: str  # advice for a damaged file
    kept: str  # the data that a failed step leaves, for messages


def open_database(path: Path, layout: Layout, create: bool = False, threads: bool = False) -> sqlite3.Connection:
    """Open one of our files; with `threads` several threads may use the connection, in turns."""
    _check_file(path, layout, create)
    with explain_errors(path, layout):
        connection = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=not threads)
        try:
            _prepare(connection, path, layout)
        except BaseException:
            connection.close()
            raise
    return connection


def check_whole(connection: sqlite3.Connection, path: Path, layout: Layout) -> None:
    """Check the whole file for damage; SQLite alone only notices it when it reads the damaged page."""
    with explain_errors(path, layout):
        said = [str(row[0]) for row in connection.execute("PRAGMA quick_check(3)")]
    if said != ["ok"]:
        raise layout.error(_damage_text(path, layout, "; ".join(said)))


@contextmanager
def transaction(connection: sqlite3.Connection, begin: str = "BEGIN IMMEDIATE") -> Iterator[None]:
    """Run the block as one transaction, on the disk when it ends; `begin` is ``BEGIN`` to only read one state."""
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
def explain_errors(path: Path, layout: Layout) -> Iterator[None]:
    """Turn an error of SQLite into the error of the layout, with advice."""
    try:
        yield
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
            raise layout.error(_damage_text(path, layout, str(error))) from error
        advice = _ADVICE.get(code)
        raise layout.error(f"{path}: {error}" + (f": {advice}. {layout.kept}" if advice else "")) from error


_ADVICE = {
    sqlite3.SQLITE_FULL: "the disk is full; make room and repeat the step",
    sqlite3.SQLITE_IOERR: "the disk is full or failing; make room and repeat the step",
    sqlite3.SQLITE_TOOBIG: "the value is too large for this file",
    sqlite3.SQLITE_BUSY: f"another process has been writing for {BUSY_SECONDS:.0f} seconds; wait until it ends",
    sqlite3.SQLITE_READONLY: "the file or its folder is not writable; both must be",
    sqlite3.SQLITE_CANTOPEN: "the file cannot be opened; its folder must be there and writable, and the disk not full",
}


def _damage_text(path: Path, layout: Layout, said: str) -> str:
    advice = layout.damaged.format(path=path)
    return (
        f"{path}: expected a {layout.what} that is whole, but the file is damaged ({said[:300]}). "
        f"It was not changed: {advice}"
    )


def _check_file(path: Path, layout: Layout, create: bool) -> None:
    if str(path) == ":memory:":
        return
    try:
        with path.open("rb") as file:
            start = file.read(len(_HEADER))
    except FileNotFoundError:
        if not create:
            advice = layout.advice.format(path=path)
            raise layout.error(f"{path}: expected a {layout.what}, but there is no such file; {advice}") from None
        if not path.parent.is_dir():
            raise layout.error(
                f"{path}: expected a file in a folder that exists, but there is no folder {path.parent}"
            ) from None
        return
    except OSError as error:
        raise layout.error(f"{path}: cannot read it: {error.strerror}") from error
    if start == b"" and create:
        return  # left by a process that was killed before it created the tables
    if start != _HEADER:
        raise layout.error(f"{path}: expected a {layout.what} (an SQLite database), but got something else")


def _prepare(connection: sqlite3.Connection, path: Path, layout: Layout) -> None:
    with transaction(connection, "BEGIN"):  # another process may be creating the tables
        application, version = _pragma(connection, "application_id"), _pragma(connection, "user_version")
        tables = {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    if application == 0 and not tables:
        _use_write_ahead_log(connection)
        _make_tables(connection, layout)
    elif application != APPLICATION_ID or layout.mark not in tables:
        raise layout.error(f"{path}: expected a {layout.what}, but got an SQLite database of something else")
    elif version > layout.version:
        raise layout.error(
            f"{path}: the {layout.what} is of a later version ({version}, this package knows {layout.version}); "
            "update draw-dataset to open it. Nothing was changed"
        )
    else:
        _use_write_ahead_log(connection)
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA foreign_keys = ON")


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


def _make_tables(connection: sqlite3.Connection, layout: Layout) -> None:
    with transaction(connection):
        if _pragma(connection, "application_id") == APPLICATION_ID:
            return  # another process has just created them
        for statement in layout.tables.split(";\n"):
            connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {layout.version}")


def _pragma(connection: sqlite3.Connection, name: str) -> int:
    return int(connection.execute(f"PRAGMA {name}").fetchone()[0])
