"""WARC files, the format of web archives: write answers unchanged, and import answers of an archive into a ledger.

Reading takes every capture of a question page, such as those of Common Crawl, and judges it as if it had just been
fetched. Of several complete captures of a page the newest stays; a failed capture does not replace a good one. Broken
records are reported and skipped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO

from warcio.archiveiterator import ArchiveIterator
from warcio.bufferedreaders import ChunkedDataReader
from warcio.exceptions import ArchiveLoadFailed
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from draw_dataset.crawl.addresses import question_id, same_site
from draw_dataset.crawl.entries import State
from draw_dataset.crawl.judgement import Answer, Judgement, judge
from draw_dataset.crawl.ledger import Ledger
from draw_dataset.crawl.warc_records import RawRecord, raw_records
from draw_dataset.errors import ArchiveError

HEADERS_BOUND = 2**17
"""How many bytes the headers of a record may have in addition to its page."""


class WarcArchive:
    """Writes answers to a WARC file, after what it holds already.

    The body is written as transferred. Chunks were undone on the way, so the header that names them is left out and the
    length is set, as Common Crawl does.
    """

    def __init__(self, path: Path, agent: str) -> None:
        self.path = path
        try:
            self._file: BinaryIO = path.open("ab")
        except OSError as error:
            raise ArchiveError(f"cannot write {path}: {error.strerror or error}") from error
        self._writer = WARCWriter(self._file, gzip=True)
        # A pipe has no place to be at, and what is after it is new.
        if not self._file.seekable() or self._file.tell() == 0:
            self._write(
                self._writer.create_warcinfo_record(path.name, {"software": agent, "format": "WARC File Format 1.0"})
            )

    def write(self, answer: Answer, now: float) -> None:
        """Append an answer.

        Raises:
            ArchiveError: the file cannot be written.
        """
        kept = [(name, value) for name, value in answer.headers.items() if name not in _TRANSFER]
        headers = [*kept, ("Content-Length", str(len(answer.body)))]
        if not answer.length_known:
            headers.append((_UNKNOWN_LENGTH, "1"))
        status = StatusAndHeaders(str(answer.status), headers, protocol="HTTP/1.1")
        date = datetime.fromtimestamp(now, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        self._write(
            self._writer.create_warc_record(
                answer.url, "response", BytesIO(answer.body), http_headers=status, warc_headers_dict={"WARC-Date": date}
            )
        )

    def _write(self, record: Any) -> None:
        try:
            self._writer.write_record(record)
            self._file.flush()
        except OSError as error:
            raise ArchiveError(f"cannot write {self.path}: {error.strerror or error}; make room and resume") from error

    def __enter__(self) -> WarcArchive:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()


_TRANSFER = frozenset({"transfer-encoding", "content-length", "connection", "keep-alive"})
_UNKNOWN_LENGTH = "x-draw-length-unknown"


@dataclass(slots=True)
class Import:
    """What came of reading archives.

    Attributes:
        records: how many records there were.
        stored: pages that were stored.
        known: captures of pages that are stored from a capture as new or newer.
        ended: captures that were recorded as another end, by state.
        passing: captures of failures that may have passed, which say nothing.
        others: records that are no answer for a question page.
        broken: records that could not be read.
        unreadable: files that could not be read, or not to their end.
    """

    records: int = 0
    stored: int = 0
    known: int = 0
    ended: dict[State, int] = field(default_factory=dict)
    passing: int = 0
    others: int = 0
    broken: int = 0
    unreadable: int = 0


def import_archives(
    ledger: Ledger,
    paths: Iterable[Path],
    site: str,
    max_size: int,
    report: Callable[[str], None],
    on_record: Callable[[], None] = lambda: None,
) -> Import:
    """Take the question pages of WARC files into a ledger.

    Args:
        ledger: where to.
        paths: the files, which may hold captures of any site.
        site: the site whose pages are taken.
        max_size: the bound of a page in bytes.
        report: told about each broken record, and each file that cannot be read.
        on_record: called after each record.

    Raises:
        LedgerError: the ledger cannot be written.
    """
    done = Import()
    for path in paths:
        try:
            for raw in raw_records(path, max_size + HEADERS_BOUND):
                done.records += 1
                trouble = raw.broken or _take(ledger, raw, site, max_size, done)
                if trouble:
                    done.broken += 1
                    report(f"{path}: broken record at byte {raw.offset}: {trouble}")
                on_record()
        except ArchiveError as error:
            done.unreadable += 1
            report(str(error))
    return done


@dataclass(frozen=True, slots=True)
class Capture:
    """What an archive has kept of a question page.

    Attributes:
        number: the number of the question.
        url: the address of the page.
        fetched: when it was captured, in seconds since 1970.
        judgement: what it is worth.
    """

    number: int
    url: str
    fetched: float
    judgement: Judgement


def capture_of(raw: RawRecord, site: str, max_size: int) -> Capture | str | None:
    """Return the capture of a question page that a record holds.

    The address is looked at first: of the other records of an archive nothing else is read.

    Args:
        raw: the record, not broken.
        site: the site whose pages are taken.
        max_size: the bound of a page in bytes.

    Returns:
        The capture; what is wrong with the record, as a sentence; or None where it is no answer for a question page.
    """
    try:
        record = next(iter(ArchiveIterator(BytesIO(raw.data), check_digests=True)))
        url = record.rec_headers.get_header("WARC-Target-URI") or ""
        number = question_id(url) if ".faq.question." in url and same_site(url, site) else None
        if number is None or record.rec_type != "response" or record.http_headers is None:
            return None
        headers = {name.lower(): value for name, value in record.http_headers.headers}
        stream = record.raw_stream
        chunked = "chunked" in headers.get("transfer-encoding", "").lower()
        if chunked:
            stream = ChunkedDataReader(stream, decomp_type=None)
        body = stream.read()
        status = int(record.http_headers.get_statuscode())
        fetched = datetime.fromisoformat(record.rec_headers.get_header("WARC-Date")).timestamp()
    except (ArchiveLoadFailed, StopIteration, EOFError, ValueError, TypeError, UnicodeError) as error:
        return str(error) or type(error).__name__
    if not raw.cut and record.digest_checker.passed is False:
        return "its digest does not match its content"
    if record.rec_headers.get_header("WARC-Truncated") or raw.cut:
        # Judged by its length: the archive has kept a part only.
        headers["content-length"] = str(max(len(body) + 1, max_size + 1 if raw.cut else 0))
    if 300 <= status < 400:
        return None
    # Chunks that end too early are read without complaint.
    known_length = headers.get(_UNKNOWN_LENGTH) is None and not chunked
    return Capture(number, url, fetched, judge(Answer(url, status, headers, body, known_length), max_size))


def _take(ledger: Ledger, raw: RawRecord, site: str, max_size: int, done: Import) -> str:
    """Take one record into the ledger; return what is wrong with it."""
    capture = capture_of(raw, site, max_size)
    if isinstance(capture, str):
        return capture
    if capture is None:
        done.others += 1
        return ""
    judgement = capture.judgement
    if judgement.passing and judgement.ending.state is not State.TRUNCATED:
        done.passing += 1
    elif not ledger.keep(capture.number, capture.url, judgement.ending, capture.fetched):
        done.known += 1
    elif judgement.ending.state is State.STORED:
        done.stored += 1
    else:
        done.ended[judgement.ending.state] = done.ended.get(judgement.ending.state, 0) + 1
    return ""
