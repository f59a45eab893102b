"""The records of a WARC file, one at a time, with recovery from broken ones.

A WARC file is a sequence of records, usually each compressed by itself; a file that was compressed as a whole is read
from its beginning to its end, and its offsets are those before it was compressed. If a record cannot be read (its
compression is damaged, the file is truncated, its length is wrong), reading continues at the next start of a record. A
record is in memory only up to a bound; the rest of a larger one is skipped.
"""

from __future__ import annotations

import gzip
import re
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import BinaryIO

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
    """A record as it stands in the file.

    Attributes:
        offset: where it begins.
        data: its bytes, decompressed; cut at the bound.
        broken: why it cannot be read; empty if it can.
        cut: whether it is longer than the bound.
    """

    offset: int
    data: bytes
    broken: str = ""
    cut: bool = False


def raw_records(path: Path, bound: int) -> Iterator[RawRecord]:
    """Yield the records of a file, broken ones included.

    Raises:
        ArchiveError: the file cannot be opened or read, or is no WARC file.
    """
    try:
        with path.open("rb") as file:
            yield from records_of(file, bound, str(path))
    except OSError as error:
        if isinstance(error, ArchiveError):
            raise
        raise ArchiveError(f"cannot read {path}: {error.strerror or error}") from error


def records_of(file: BinaryIO, bound: int, path: str) -> Iterator[RawRecord]:
    """Yield the records of an open file that can be moved in, broken ones included; an empty file has none.

    Args:
        file: the file, wherever it is.
        bound: bytes of a record that are kept.
        path: what the file is called in errors.

    Raises:
        ArchiveError: it cannot be read, or is no WARC file.
    """
    try:
        start = file.read(len(_START))
        if start.startswith(_GZIP[:2]) and _is_compressed_as_a_whole(file, bound):
            file.seek(0)
            with gzip.GzipFile(fileobj=file) as whole:
                yield from _in_turn(whole, bound)
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
    """Return the record that some bytes begin with, as a range of an archive has it.

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
    """Say whether the first piece that is compressed by itself holds more than a record."""
    file.seek(0)
    first = _gzip_record(file, 0, bound)[0]
    end = first.data.find(b"\r\n\r\n")
    length = _LENGTH.search(first.data[: max(end, 0)])
    return first.data.startswith(_START) and length is not None and end + 8 + int(length[1]) < len(first.data)


def _in_turn(file: gzip.GzipFile, bound: int) -> Iterator[RawRecord]:
    """Yield the records of a file in which nobody can go back."""
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
    """Yield where a pattern stands from an offset on; the caller may move the file."""
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
