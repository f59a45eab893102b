"""Question pages of Common Crawl by byte ranges, from its URL index, instead of whole archives.

A line of the index is ``<key> <time> {"url": …, "filename": …, "offset": …, "length": …}``, or the same as one JSON
object, as its server answers. Lines of other sites, other pages and other answers than a page are passed over. The
captures of a question are put together, newest first, so that one range is read of each question: the next one only
where a capture turns out not to be whole, and all those of one second where several are. A range that cannot be had
stops its task, which runs again with the same command: a page is never lost without a word.
"""

from __future__ import annotations

import gzip
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path
from typing import Any

import fsspec
from aiohttp import ClientError
from datatrove.data import Document
from datatrove.pipeline.base import PipelineStep
from datatrove.utils.logging import logger

from draw_dataset.cleaning.pool.record import Key, site_of
from draw_dataset.crawl.addresses import question_id, same_site
from draw_dataset.crawl.entries import State
from draw_dataset.crawl.warc import HEADERS_BOUND, Capture, capture_of
from draw_dataset.crawl.warc_records import record_in
from draw_dataset.errors import ArchiveError, shown
from draw_dataset.files.jsonl import decode_json
from draw_dataset.pipelines.folders import read_lines, write_lines
from draw_dataset.pipelines.pages import BROKEN, NOT_WHOLE, WHOLE, digest_of_page, document_of

BASE = "https://data.commoncrawl.org/"
"""Where the files are that an index of Common Crawl names."""

_TRIES = 4
_LARGEST = 1 << 30


def ranges_of_index(path: Path, site: str, out: str) -> int:
    """Write down the ranges of an index by question, newest first, and return how many questions there are.

    Raises:
        ArchiveError: the index cannot be read, or a line of it is none; names the line.
    """
    found: dict[Key, list[list[Any]]] = {}
    try:
        with gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb") as file:
            for number, line in enumerate(file, 1):
                if line.strip():
                    _take(found, line.strip(), f"{path}, line {number}", site)
    except OSError as error:
        if isinstance(error, ArchiveError):
            raise
        raise ArchiveError(f"cannot read {path}: {error.strerror or error}") from error
    if not found:
        raise ArchiveError(f"{path}: expected captures of question pages of {site}, but got none")
    write_lines(out, "ranges.jsonl", ([list(key), sorted(found[key], reverse=True)] for key in sorted(found)))
    return len(found)


def _take(found: dict[Key, list[list[Any]]], line: bytes, where: str, site: str) -> None:
    start = line.find(b"{")
    entry = decode_json(line[max(start, 0) :], where, ArchiveError)
    try:
        words = line[: max(start, 0)].split()
        when = str(entry.get("timestamp") or (words[1].decode() if len(words) > 1 else ""))
        url, status = str(entry["url"]), str(entry.get("status", "200"))
        number = question_id(url) if ".faq.question." in url and same_site(url, site) else None
        if number is None or status != "200":
            return
        fetched = datetime.strptime(when, "%Y%m%d%H%M%S").replace(tzinfo=UTC).timestamp()
        offset, length = int(entry["offset"]), int(entry["length"])
        if offset < 0 or not 0 < length < _LARGEST:
            raise ValueError("the range")
    except (KeyError, ValueError, AttributeError) as error:
        raise ArchiveError(f"{where}: expected a line of a URL index, but got {shown(entry)} ({error})") from error
    found.setdefault((site_of(url), number), []).append([fetched, str(entry["filename"]), offset, length])


class RangePages(PipelineStep):
    """Reads the newest whole capture of each question by its byte range.

    Args:
        folder: where `ranges_of_index` has written.
        base: what is put before the names of files.
        site: the site whose pages are taken.
        max_size: the bound of a page in bytes.
    """

    type = "📖 - READER"
    name = "📐 byte ranges of archives"

    def __init__(self, folder: str, base: str, site: str, max_size: int) -> None:
        super().__init__()
        self.folder = folder
        self.base = base
        self.site = site
        self.max_size = max_size

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
        """Return the capture in a range if it is a whole page."""
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
    """Return the bytes of a range, trying again where the network fails.

    Raises:
        ArchiveError: they cannot be had, or others came.
    """
    filesystem, path = fsspec.core.url_to_fs(url)
    for left in reversed(range(_TRIES)):
        try:
            data: bytes = filesystem.cat_file(path, start=offset, end=offset + length)
        except FileNotFoundError as error:
            raise ArchiveError(f"cannot find {url}") from error
        except (OSError, ClientError, TimeoutError) as error:
            if not left:
                raise ArchiveError(f"cannot read {url}, bytes {offset} to {offset + length}: {error}") from error
            time.sleep(2.0 ** (_TRIES - left) / 4)
            continue
        if len(data) == length:
            return data
        if not left:
            raise ArchiveError(f"{url}, byte {offset}: expected {length} bytes, but got {len(data)}")
    raise ArchiveError(f"cannot read {url}")
