"""Question pages of WARC files, as documents of the engine: the bytes and the declared charset are kept.

The engine's own reader decodes pages by UTF-8 and a guess, and so loses those that are neither. Here the bytes travel
as Latin-1, which gives every byte back, and `cleaning` decodes them as it does everywhere. A record is looked at by its
address before its body is read; a broken one is counted, reported and passed by; only whole pages go on.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

import fsspec
from datatrove.data import Document
from datatrove.pipeline.base import PipelineStep
from datatrove.utils.logging import logger

from draw_dataset.cleaning.pool.record import site_of
from draw_dataset.crawl.addresses import topic_of
from draw_dataset.crawl.entries import State
from draw_dataset.crawl.warc import HEADERS_BOUND, Capture, capture_of
from draw_dataset.crawl.warc_records import RawRecord, records_of
from draw_dataset.errors import ArchiveError
from draw_dataset.pipelines.folders import list_files, read_lines

BROKEN, UNREADABLE, NOT_WHOLE, WHOLE = "broken records", "unreadable files", "not whole", "whole pages"
"""What the statistics call records and files."""


@dataclass(frozen=True, slots=True)
class ReadPage:
    """A page as `draw_dataset.cleaning.pool.judging.Page` has it."""

    id: int
    url: str
    topic: str | None
    body: bytes
    charset: str | None


def document_of(capture: Capture, source: int, offset: int) -> Document:
    """Return a whole page as a document, with where it stands."""
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


def page_of(document: Document) -> ReadPage:
    """Return the page of a document."""
    url = document.metadata["url"]
    body = document.text.encode("latin-1")
    return ReadPage(document.metadata["number"], url, topic_of(url), body, document.metadata["charset"])


def digest_of_page(document: Document) -> str:
    """Return the digest that decides between two captures of one second."""
    return hashlib.sha256(document.text.encode("latin-1")).hexdigest()


class WarcPages(PipelineStep):
    """Reads the whole question pages of WARC files.

    Args:
        urls: the files; task n of m takes every m-th from the n-th on.
        site: the site whose pages are taken.
        max_size: the bound of a page in bytes.
        superseded: the folder that `captures` has listed older captures in, which are passed over; None reads all.
    """

    type = "📖 - READER"
    name = "🗄 WARC question pages"

    def __init__(self, urls: list[str], site: str, max_size: int, superseded: str | None = None) -> None:
        super().__init__()
        self.urls = urls
        self.site = site
        self.max_size = max_size
        self.superseded = superseded

    def run(self, data: Any = None, rank: int = 0, world_size: int = 1) -> Iterator[Document]:
        """Yield the pages of a task's files."""
        if data:
            yield from data
        passed = superseded_of(self.superseded, rank)
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
        """Return the capture of a record; None if it is broken or something else."""
        self.stat_update("records")
        found = raw.broken or capture_of(raw, self.site, self.max_size)
        if isinstance(found, str):
            self.stat_update(BROKEN)
            logger.warning(f"{url}: broken record at byte {raw.offset}: {found}")
            return None
        return found


def superseded_of(folder: str | None, rank: int) -> Collection[tuple[int, int]]:
    """Return where the captures of a task's files stand that are older than another."""
    if folder is None:
        return ()
    return {
        (source, offset) for path in list_files(folder, f"{rank:05d}") for source, offset in read_lines(folder, path)
    }
