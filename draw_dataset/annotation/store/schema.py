"""The file of a store: its tables and its version. `draw_dataset.files.sqlite` opens and checks it.

Version 2 lets ids of problems be texts as well as whole numbers. Their columns have no type, so that SQLite keeps each
id as it is: 7 and "7" are two. Files of version 1 are used as they are, with whole numbers only.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path

from draw_dataset.errors import StoreError
from draw_dataset.files.sqlite import Layout, check_whole, explained, open_database

SCHEMA = 2
"""The number of the schema; a change of the tables raises it."""

TEXT_IDS_SINCE = 2
"""The schema from which on ids may be texts."""

MAX_FIELD = 1 << 26
"""The largest size of a field in bytes: several times the size of an imported line. Longer fields are not read."""

_TABLES = """
CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE problems (
    id NOT NULL PRIMARY KEY,
    position INTEGER NOT NULL UNIQUE,
    revision INTEGER NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('automatic', 'open', 'refused')),
    questions INTEGER NOT NULL,
    message TEXT
);
CREATE TABLE revisions (
    problem NOT NULL REFERENCES problems (id),
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
    problem NOT NULL REFERENCES problems (id),
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
    problem NOT NULL REFERENCES problems (id),
    annotator INTEGER NOT NULL REFERENCES annotators (id),
    role TEXT NOT NULL,
    status TEXT NOT NULL,
    seconds REAL NOT NULL,
    last INTEGER NOT NULL,
    PRIMARY KEY (problem, annotator, role)
);
"""
# `works` has the state after all decisions, so that queues need not compute every state again.

LAYOUT = Layout(
    what="store of annotations",
    version=SCHEMA,
    tables=_TABLES,
    mark="annotators",
    error=StoreError,
    advice="make one with: draw annotate import FILE --store {path}",
    damaged="restore it from a copy",
    kept="Nothing of this step was recorded, everything before it is kept",
)


def open_store(path: Path, create: bool) -> tuple[sqlite3.Connection, int]:
    """Open a store and look through it for damage; return the connection, for threads that take turns, and its version.

    Raises:
        StoreError: it is not there, is no store, is damaged, is of a later version, or cannot be read or written.
    """
    connection = open_database(path, LAYOUT, create, threads=True)
    try:
        check_whole(connection, path, LAYOUT)
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_FIELD)
        with explained(path, LAYOUT):
            (version,) = connection.execute("PRAGMA user_version").fetchone()
    except BaseException:
        connection.close()
        raise
    return connection, int(version)
