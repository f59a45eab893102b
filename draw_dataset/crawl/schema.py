"""The tables of a ledger, as a layout of `draw_dataset.files.sqlite`."""

from __future__ import annotations

from draw_dataset.errors import LedgerError
from draw_dataset.files.sqlite import Layout

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
