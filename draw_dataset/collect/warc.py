"""WARC files (web archives): read records, write answers unchanged, and import captures of question pages.

A capture is judged as if it had just been fetched. Broken records are reported, and reading continues at the next start
of a record. A record is in memory only up to a bound.
"""

from __future__ import annotations

import gzip
import re
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO

from warcio.archiveiterator import ArchiveIterator
from warcio.bufferedreaders import ChunkedDataReader
from warcio.exceptions import ArchiveLoadFailed
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from draw_dataset.collect.addresses import is_same_site, question_id
from draw_dataset.collect.ledger import Ledger, State
from draw_dataset.collect.politeness import Answer, Judgement, judge
from draw_dataset.errors import ArchiveError

_BLOCK = 2**16
_GZIP = b"\x1f\x8b\x08"
_START = b"WARC/"
_HEADER_BOUND = 2**16
_Reader = Callable[[BinaryIO, int, int], tuple["RawRecord", int]]
_Finder = Callable[[BinaryIO, int], int | None]
_LENGTH = re.compile(rb"^content-length:[ \t]*(\d{1,15})[ \t]*\r?$", re.IGNORECASE | re.MULTILINE)


@dataclass(frozen=True, slots=True)
class RawRecord:
    """A record of a file."""

    offset: int  # in a file compressed as a whole, before compression
    data: bytes  # decompressed, cut at the bound
    broken: str = ""  # the reason if it cannot be read
    cut: bool = False  # whether it is longer than the bound


def raw_records(path: Path, bound: int) -> Iterator[RawRecord]:
    """Yield the records of a file, broken ones included."""
    try:
        file = path.open("rb")
    except OSError as error:
        raise ArchiveError(f"cannot read {path}: {error.strerror or error}") from error
    with file:
        yield from records_of(file, bound, str(path))


def records_of(file: BinaryIO, bound: int, path: str) -> Iterator[RawRecord]:
    """Yield the records of a seekable file, broken ones included; errors name it `path`."""
    try:
        start = file.read(len(_START))
        if start.startswith(_GZIP[:2]) and _is_compressed_as_a_whole(file, bound):
            file.seek(0)
            with gzip.GzipFile(fileobj=file) as whole:
                yield from _sequential_records(whole, bound)
        elif start.startswith(_GZIP[:2]):
            yield from _walk(file, bound, _gzip_record, _next_gzip)
        elif start == _START:
            yield from _walk(file, bound, _plain_record, _next_plain)
        elif start:
            raise ArchiveError(f"{path}: expected a WARC file, plain or gzip, but it begins with {start!r}")
    except OSError as error:
        if isinstance(error, ArchiveError):
            raise
        raise ArchiveError(f"cannot read {path}: {error.strerror or error}") from error


def record_in(data: bytes, bound: int) -> RawRecord:
    """Return the record at the start of some bytes, such as a byte range of an archive.

    >>> record_in(b"WARC/1.0", 1000).broken
    "it begins with b'WARC/1.0' and has no length"
    """
    read = _gzip_record if data.startswith(_GZIP[:2]) else _plain_record
    return read(BytesIO(data), 0, bound)[0]


def _walk(file: BinaryIO, bound: int, read: _Reader, find: _Finder) -> Iterator[RawRecord]:
    size = file.seek(0, 2)
    offset: int | None = 0
    while offset is not None and offset < size:
        file.seek(offset)
        record, after = read(file, offset, bound)
        yield record
        offset = find(file, offset + 1) if record.broken else after


def _is_compressed_as_a_whole(file: BinaryIO, bound: int) -> bool:
    """Decide whether the first gzip member holds more than one record."""
    file.seek(0)
    first = _gzip_record(file, 0, bound)[0]
    end = first.data.find(b"\r\n\r\n")
    length = _LENGTH.search(first.data[: max(end, 0)])
    return first.data.startswith(_START) and length is not None and end + 8 + int(length[1]) < len(first.data)


def _sequential_records(file: gzip.GzipFile, bound: int) -> Iterator[RawRecord]:
    """Yield the records of a file without seeking."""
    offset = 0
    line = b""
    try:
        while line := line or file.readline(_HEADER_BOUND):
            if not line.startswith(_START):
                offset += len(line)
                line = b""
                continue
            head = bytearray(line)
            while line.strip() and len(head) < _HEADER_BOUND:
                line = file.readline(_HEADER_BOUND)
                head += line
            length = _LENGTH.search(head)
            if length is None:
                yield RawRecord(offset, bytes(head[:80]), f"it begins with {bytes(head[:12])!r} and has no length")
                offset, line = offset + len(head), b""
                continue
            whole = int(length[1])
            kept = file.read(min(whole, max(bound - len(head), 0)))
            left = whole - len(kept)
            while left and (skipped := file.read(min(left, _BLOCK))):
                left -= len(skipped)
            ending = file.readline(4) + file.readline(4)
            data = bytes(head) + kept
            if left or ending != b"\r\n\r\n":
                yield RawRecord(offset, data, "its length is not the one that it states")
            else:
                yield RawRecord(offset, data + ending, "", len(head) + whole > bound)
            offset += len(head) + whole - left + len(ending)
            line = b""
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        yield RawRecord(offset, b"", f"its compression is damaged ({error})")


def _gzip_record(file: BinaryIO, offset: int, bound: int) -> tuple[RawRecord, int]:
    unpacker = zlib.decompressobj(zlib.MAX_WBITS | 16)
    kept, cut, consumed = bytearray(), False, 0
    try:
        while not unpacker.eof:
            block = unpacker.unconsumed_tail
            if not block:
                block = file.read(_BLOCK)
                consumed += len(block)
                if not block:
                    return RawRecord(offset, bytes(kept), "the file ends in the middle of the record"), consumed
            piece = unpacker.decompress(block, _BLOCK * 16)
            cut = cut or len(kept) + len(piece) > bound
            kept += piece[: max(0, bound - len(kept))]
    except zlib.error as error:
        return RawRecord(offset, bytes(kept), f"its compression is damaged ({error})"), offset
    if not kept.startswith(_START):
        return RawRecord(offset, bytes(kept), f"it begins with {bytes(kept[:12])!r}"), offset
    return RawRecord(offset, bytes(kept), "", cut), offset + consumed - len(unpacker.unused_data)


def _plain_record(file: BinaryIO, offset: int, bound: int) -> tuple[RawRecord, int]:
    head = file.read(_HEADER_BOUND)
    end = head.find(b"\r\n\r\n")
    length = _LENGTH.search(head[:end]) if end >= 0 else None
    if not head.startswith(_START) or length is None:
        return RawRecord(offset, head[:80], f"it begins with {head[:12]!r} and has no length"), offset
    whole = end + 4 + int(length[1])
    file.seek(offset)
    data = file.read(min(whole, bound))
    file.seek(offset + whole)
    ending = file.read(4)
    if len(data) < min(whole, bound) or ending != b"\r\n\r\n":
        return RawRecord(offset, data, "its length is not the one that it states"), offset
    return RawRecord(offset, data + ending, "", whole > bound), offset + whole + 4


def _next_gzip(file: BinaryIO, offset: int) -> int | None:
    for place in _occurrences(file, offset, _GZIP):
        file.seek(place)
        try:
            if zlib.decompressobj(zlib.MAX_WBITS | 16).decompress(file.read(512), len(_START)) == _START:
                return place
        except zlib.error:
            continue
    return None


def _next_plain(file: BinaryIO, offset: int) -> int | None:
    return next((place + 4 for place in _occurrences(file, offset, b"\r\n\r\n" + _START)), None)


def _occurrences(file: BinaryIO, offset: int, pattern: bytes) -> Iterator[int]:
    """Yield the places of a pattern from an offset on; the caller may seek in the file."""
    while True:
        file.seek(offset)
        block = file.read(_BLOCK)
        if len(block) < len(pattern):
            return
        found = block.find(pattern)
        while found >= 0:
            yield offset + found
            found = block.find(pattern, found + 1)
        # The pattern may stand across two blocks.
        offset += max(1, len(block) - len(pattern) + 1)


HEADERS_BOUND = 2**17  # bytes of a record's headers in addition to its page
_TRANSFER = frozenset({"transfer-encoding", "content-length", "connection", "keep-alive"})
_UNKNOWN_LENGTH = "x-draw-length-unknown"


class WarcArchive:
    """Writer that appends answers to a WARC file, the body without chunks, as Common Crawl does."""

    def __init__(self, path: Path, agent: str) -> None:
        self.path = path
        try:
            self._file: BinaryIO = path.open("ab")
        except OSError as error:
            raise ArchiveError(f"cannot write {path}: {error.strerror or error}") from error
        self._writer = WARCWriter(self._file, gzip=True)
        if not self._file.seekable() or self._file.tell() == 0:  # a pipe is always new
            self._write(
                self._writer.create_warcinfo_record(path.name, {"software": agent, "format": "WARC File Format 1.0"})
            )

    def write(self, answer: Answer, now: float) -> None:
        """Append an answer."""
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

    def __exit__(self, *error: object) -> None:
        self._file.close()


@dataclass(slots=True)
class Import:
    """Counts of an import."""

    records: int = 0
    stored: int = 0
    known: int = 0  # captures no newer than the stored one
    ended: dict[State, int] = field(default_factory=dict)  # captures recorded in another terminal state
    passing: int = 0  # captures of failures that may have passed, which are ignored
    others: int = 0  # records other than an answer for a question page
    broken: int = 0
    unreadable: int = 0  # files that could not be read to their end


def import_archives(
    ledger: Ledger,
    paths: Iterable[Path],
    site: str,
    max_size: int,
    report: Callable[[str], None],
    on_record: Callable[[], None] = lambda: None,
) -> Import:
    """Import the question pages of `site` from WARC files into a ledger; report broken records and unreadable files."""
    done = Import()
    for path in paths:
        try:
            for raw in raw_records(path, max_size + HEADERS_BOUND):
                done.records += 1
                trouble = raw.broken or _import_record(ledger, raw, site, max_size, done)
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
    """Archived answer for a question page."""

    number: int  # of the question
    url: str
    fetched: float  # in seconds since 1970
    judgement: Judgement


def capture_of(raw: RawRecord, site: str, max_size: int) -> Capture | str | None:
    """Return the capture in a record, the fault of a broken record, or None if it is no answer for a question page."""
    try:
        record = next(iter(ArchiveIterator(BytesIO(raw.data), check_digests=True)))
        url = record.rec_headers.get_header("WARC-Target-URI") or ""
        number = question_id(url) if ".faq.question." in url and is_same_site(url, site) else None
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
        # The archive has kept only a part, so its length makes it truncated or too large.
        headers["content-length"] = str(max(len(body) + 1, max_size + 1 if raw.cut else 0))
    if 300 <= status < 400:
        return None
    # Chunks that end too early are read without complaint.
    known_length = headers.get(_UNKNOWN_LENGTH) is None and not chunked
    return Capture(number, url, fetched, judge(Answer(url, status, headers, body, known_length), max_size))


def _import_record(ledger: Ledger, raw: RawRecord, site: str, max_size: int, done: Import) -> str:
    """Import one record; return the fault of a broken one."""
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
