"""Readers of question pages for the engine: WARC files, byte ranges of Common Crawl, and the newest capture of a page.

The engine's own reader decodes pages by UTF-8 and a guess, and so loses those that are neither. Here the bytes travel
as Latin-1, which gives every byte back. Broken records are counted, reported and skipped; only whole pages go on.
"""

from __future__ import annotations

import gzip
import hashlib
import os
import sys
import time
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path
from typing import IO, Any
from uuid import uuid4

import fsspec
from datatrove.data import Document
from datatrove.io import get_datafolder
from datatrove.pipeline.base import PipelineStep
from datatrove.utils.logging import logger

from draw_dataset.collect.addresses import is_same_site, question_id, topic_of
from draw_dataset.collect.ledger import State, StoredPage
from draw_dataset.collect.record import Key, site_of
from draw_dataset.collect.warc import HEADERS_BOUND, Capture, RawRecord, capture_of, record_in, records_of
from draw_dataset.errors import ArchiveError, RowError, short_repr
from draw_dataset.io.jsonl import decode_json, json_line


@contextmanager
def whole_output(url: str, path: str) -> Iterator[IO[bytes]]:
    """Open a file of a folder for writing; it gets its name only once it is whole, so nobody reads a part."""
    folder = get_datafolder(url)
    part = f"{path}.part-{os.getpid()}-{uuid4().hex[:8]}"
    try:
        with folder.open(part, "wb") as file:
            yield file
        if folder.is_local():
            os.replace(folder.resolve_paths(part), folder.resolve_paths(path))
        else:
            folder.mv(part, path)
    except BaseException:
        with suppress(OSError):
            folder.rm(part)
        raise


def write_lines(url: str, path: str, lines: Iterable[Any]) -> None:
    """Write values as a file of one JSON value a line."""
    with whole_output(url, path) as file:
        for line in lines:
            file.write(json_line(line).encode())


def read_lines(url: str, path: str) -> Iterator[Any]:
    """Yield the values of such a file; nothing if it is missing, since a task without values writes none."""
    folder = get_datafolder(url)
    if not folder.isfile(path):
        return
    with folder.open(path, "rb") as file:
        for number, line in enumerate(file, 1):
            if line.strip():
                yield decode_json(line, f"{folder.resolve_paths(path)}, line {number}", RowError)


def list_files(url: str, under: str) -> list[str]:
    """Return the whole files of a folder in order, by their paths from the top."""
    folder = get_datafolder(url)
    return [path for path in folder.list_files(under) if ".part-" not in path] if folder.isdir(under) else []


def find_files(urls: Iterable[str]) -> list[str]:
    """Return the files of addresses in order: a file, a pattern with ``*``, or all files of a folder."""
    result: list[str] = []
    for url in urls:
        with _errors_about(url):
            filesystem, path = fsspec.core.url_to_fs(url)
            if "*" in path:
                found = sorted(filesystem.glob(path))
            elif filesystem.isdir(path):
                found = sorted(filesystem.find(path))
            else:
                found = [path] if filesystem.exists(path) else []
        if not found:
            raise ArchiveError(f"cannot find {url}: expected a file, a folder or a pattern with *")
        local = "file" in filesystem.protocol
        result += [each if local else filesystem.unstrip_protocol(each) for each in found]
    return result


def check_address(url: str) -> None:
    """Refuse a folder whose file system is not installed or does not answer."""
    with _errors_about(url):
        filesystem, path = fsspec.core.url_to_fs(url)
        filesystem.exists(path)


@contextmanager
def _errors_about(url: str) -> Iterator[None]:
    """Name the address in what a file system raises, such as a missing package, credentials or connection."""
    try:
        yield
    except _address_errors() as error:
        # fsspec says which package it needs, and an object store what it lacks.
        said = (str(error) or type(error).__name__).splitlines()[0][:300]
        raise ArchiveError(f"cannot open {url}: {said}") from error


def _address_errors() -> tuple[type[Exception], ...]:
    return (ImportError, ValueError, *_network_errors())


def _network_errors() -> tuple[type[Exception], ...]:
    """Return what file systems raise if the network fails."""
    # Imported once something has failed, because aiohttp takes a fifth of the time that workers need to start.
    from aiohttp import ClientError

    stores = sys.modules.get("botocore.exceptions")
    return (OSError, TimeoutError, ClientError, *(() if stores is None else (stores.BotoCoreError,)))


def absolute(url: str) -> str:
    """Return the address of a folder, a local path as absolute, so that it means the same in every process."""
    return url.rstrip("/") if "://" in url else os.path.abspath(url)


def read_whole(url: str, path: str) -> str:
    """Return the text of a file."""
    with get_datafolder(url).open(path, "rb") as file:
        return str(file.read().decode())


# Names in the statistics.
BROKEN, UNREADABLE, NOT_WHOLE, WHOLE = "broken records", "unreadable files", "not whole", "whole pages"


def document_of(capture: Capture, source: int, offset: int) -> Document:
    """Return a whole page as a document, with its file and offset."""
    ending = capture.judgement.ending
    return Document(
        text=ending.body.decode("latin-1"),
        id=f"{site_of(capture.url)} {capture.number}",
        metadata={
            "number": capture.number,
            "url": ending.final_url or capture.url,
            "charset": ending.charset,
            "fetched": capture.fetched,
            "source": source,
            "offset": offset,
        },
    )


def page_of(document: Document) -> StoredPage:
    """Return the page of a document."""
    known = document.metadata
    body = document.text.encode("latin-1")
    return StoredPage(known["number"], known["url"], topic_of(known["url"]), body, None, known["charset"], 0.0)


def digest_of_page(document: Document) -> str:
    """Return the digest that decides between two captures within one second."""
    return hashlib.sha256(document.text.encode("latin-1")).hexdigest()


class WarcPages(PipelineStep):
    """Reads the whole question pages of WARC files, except the captures listed in the folder `superseded`."""

    type = "📖 - READER"
    name = "🗄 WARC question pages"

    def __init__(self, urls: list[str], site: str, max_size: int, superseded: str | None = None) -> None:
        super().__init__()
        self.urls, self.site, self.max_size, self.superseded = urls, site, max_size, superseded

    def run(self, data: Any = None, rank: int = 0, world_size: int = 1) -> Iterator[Document]:
        """Yield the pages of a task's files."""
        if data:
            yield from data
        passed = find_superseded(self.superseded, rank)
        for source in range(rank, len(self.urls), world_size):
            for offset, capture in self._captures(self.urls[source]):
                if capture.judgement.ending.state is not State.STORED:
                    self.stat_update(NOT_WHOLE)
                elif (source, offset) not in passed:
                    self.stat_update(WHOLE)
                    yield document_of(capture, source, offset)

    def _captures(self, url: str) -> Iterator[tuple[int, Capture]]:
        try:
            with fsspec.open(url, "rb") as file:
                for raw in records_of(file, self.max_size + HEADERS_BOUND, url):
                    with self.track_time():
                        capture = self.capture(raw, url)
                    if capture is not None:
                        yield raw.offset, capture
        except ArchiveError as error:
            if error.__cause__ is not None:
                raise  # the network or the disk has failed: nothing is known of the rest, so the task must run again
            self.stat_update(UNREADABLE)
            logger.warning(f"ignored: {error}")

    def capture(self, raw: RawRecord, url: str) -> Capture | None:
        """Return the capture in a record, if there is one."""
        self.stat_update("records")
        found = raw.broken or capture_of(raw, self.site, self.max_size)
        if isinstance(found, str):
            self.stat_update(BROKEN)
            logger.warning(f"{url}: broken record at byte {raw.offset}: {found}")
            return None
        return found


def find_superseded(folder: str | None, rank: int) -> Collection[tuple[int, int]]:
    """Return the places (file, offset) of a task's captures that are older than another."""
    if folder is None:
        return ()
    return {
        (source, offset) for path in list_files(folder, f"{rank:05d}") for source, offset in read_lines(folder, path)
    }


# Byte ranges of Common Crawl from its URL index, instead of whole archives. A line of the index is ``<key> <time>
# {"url": …, "filename": …, "offset": …, "length": …}``, or one JSON object. One range is read of each question, the
# newest; an older one only if that is not whole. A range that cannot be read stops its task, so that no page is lost.

BASE = "https://data.commoncrawl.org/"
_TRIES = 4
_LARGEST = 1 << 30


def ranges_of_index(path: Path, site: str, out: str) -> int:
    """Write the ranges of an index by question, newest first; return the number of questions."""
    found: dict[Key, list[list[Any]]] = {}
    try:
        with gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb") as file:
            for number, line in enumerate(file, 1):
                if line.strip():
                    _add_range(found, line.strip(), f"{path}, line {number}", site)
    except OSError as error:
        if isinstance(error, ArchiveError):
            raise
        raise ArchiveError(f"cannot read {path}: {error.strerror or error}") from error
    if not found:
        raise ArchiveError(f"{path}: expected captures of question pages of {site}, but got none")
    write_lines(out, "ranges.jsonl", ([list(key), sorted(found[key], reverse=True)] for key in sorted(found)))
    return len(found)


def _add_range(found: dict[Key, list[list[Any]]], line: bytes, where: str, site: str) -> None:
    start = line.find(b"{")
    entry = decode_json(line[max(start, 0) :], where, ArchiveError)
    try:
        words = line[: max(start, 0)].split()
        when = str(entry.get("timestamp") or (words[1].decode() if len(words) > 1 else ""))
        url, status = str(entry["url"]), str(entry.get("status", "200"))
        number = question_id(url) if ".faq.question." in url and is_same_site(url, site) else None
        if number is None or status != "200":
            return
        fetched = datetime.strptime(when, "%Y%m%d%H%M%S").replace(tzinfo=UTC).timestamp()
        offset, length = int(entry["offset"]), int(entry["length"])
        if offset < 0 or not 0 < length < _LARGEST:
            raise ValueError("the range")
    except (KeyError, ValueError, AttributeError) as error:
        raise ArchiveError(f"{where}: expected a line of a URL index, but got {short_repr(entry)} ({error})") from error
    found.setdefault((site_of(url), number), []).append([fetched, str(entry["filename"]), offset, length])


class RangePages(PipelineStep):
    """Reads the newest whole capture of each question by its byte range."""

    type = "📖 - READER"
    name = "📐 byte ranges of archives"

    def __init__(self, folder: str, base: str, site: str, max_size: int) -> None:
        super().__init__()
        self.folder, self.base, self.site, self.max_size = folder, base, site, max_size

    def run(self, data: Any = None, rank: int = 0, world_size: int = 1) -> Iterator[Document]:
        """Yield the pages of a task: every m-th question from the n-th on."""
        for place, (_, ranges) in enumerate(read_lines(self.folder, "ranges.jsonl")):
            if place % world_size != rank:
                continue
            with self.track_time():
                document = self._newest(ranges)
            if document is not None:
                self.stat_update(WHOLE)
                yield document

    def _newest(self, ranges: list[list[Any]]) -> Document | None:
        for _, together in groupby(ranges, key=lambda entry: entry[0]):
            whole: list[tuple[str, Document]] = []
            for _, name, offset, length in together:
                capture = self._capture(name, offset, length)
                if capture is not None:
                    document = document_of(capture, 0, offset)
                    whole.append((digest_of_page(document), document))
            if whole:
                return max(whole, key=lambda pair: pair[0])[1]
        return None

    def _capture(self, name: str, offset: int, length: int) -> Capture | None:
        """Return the capture in a range, if it is a whole page."""
        url = self.base + name
        self.stat_update("ranges")
        raw = record_in(_bytes_of(url, offset, length), self.max_size + HEADERS_BOUND)
        found = raw.broken or capture_of(raw, self.site, self.max_size)
        if isinstance(found, str) or found is None:
            self.stat_update(BROKEN)
            logger.warning(f"{url}: broken record at byte {offset}: {found or 'it is no question page'}")
            return None
        if found.judgement.ending.state is not State.STORED:
            self.stat_update(NOT_WHOLE)
            return None
        return found


def _bytes_of(url: str, offset: int, length: int) -> bytes:
    """Return the bytes of a range, with retries if the network fails."""
    filesystem, path = fsspec.core.url_to_fs(url)
    for left in reversed(range(_TRIES)):
        try:
            data: bytes = filesystem.cat_file(path, start=offset, end=offset + length)
        except FileNotFoundError as error:
            raise ArchiveError(f"cannot find {url}") from error
        except _network_errors() as error:
            if not left:
                raise ArchiveError(f"cannot read {url}, bytes {offset} to {offset + length}: {error}") from error
            time.sleep(2.0 ** (_TRIES - left) / 4)
            continue
        if len(data) == length:
            return data
        if not left:
            raise ArchiveError(f"{url}, byte {offset}: expected {length} bytes, but got {len(data)}")
    raise ArchiveError(f"cannot read {url}")


# The newest capture of each page, as a reduce by key: each task lists the whole pages of its files by part (a hash of
# site and number); then each part writes the few captures that are older than another, for the task that skips them.
# Within one second the larger digest wins, as in a ledger.


def part_of(key: Key, parts: int) -> int:
    """Return the part of a key, the same on every machine."""
    return int.from_bytes(hashlib.blake2b(repr(key).encode(), digest_size=8).digest(), "big") % parts


class ListCaptures(PipelineStep):
    """Lists the whole pages of a task's files, by part."""

    type = "🧹 - CLEANING"
    name = "📋 list captures"

    def __init__(self, folder: str, parts: int) -> None:
        super().__init__()
        self.folder, self.parts = folder, parts

    def run(self, data: Any, rank: int = 0, world_size: int = 1) -> Iterator[Any]:
        """List all pages; yield none."""
        lists: list[list[list[Any]]] = [[] for _ in range(self.parts)]
        for document in data:
            known = document.metadata
            key = site_of(known["url"]), known["number"]
            when = [known["fetched"], digest_of_page(document)]
            lists[part_of(key, self.parts)].append([*key, when, rank, known["source"], known["offset"]])
            self.stat_update("captures")
        for part, lines in enumerate(lists):
            write_lines(self.folder, f"{part:05d}/{rank:05d}.jsonl", lines)
        yield from ()


class FindSuperseded(PipelineStep):
    """Finds the captures of one part that are older than another of the same page."""

    type = "🧹 - CLEANING"
    name = "🕰 find older captures"

    def __init__(self, folder: str, out: str) -> None:
        super().__init__()
        self.folder, self.out = folder, out

    def run(self, data: Any = None, rank: int = 0, world_size: int = 1) -> Iterator[Any]:
        """Write the older captures of a part, by the task that reads them."""
        newest: dict[Key, tuple[Any, ...]] = {}
        older: dict[int, list[tuple[int, int]]] = {}
        for path in list_files(self.folder, f"{rank:05d}"):
            for site, number, when, task, source, offset in read_lines(self.folder, path):
                capture = (when, (task, source, offset))
                other = newest.get((site, number))
                if other is None or other < capture:
                    newest[site, number] = capture
                    loser = other
                else:
                    loser = capture
                if loser is not None:
                    at, *where = loser[1]
                    older.setdefault(at, []).append(tuple(where))
                    self.stat_update("superseded")
        for task, places in older.items():
            write_lines(self.out, f"{task:05d}/{rank:05d}.jsonl", sorted(places))
        yield from ()
