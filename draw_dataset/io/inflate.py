"""Compressed files: gzip, Zstandard and zip archives, recognized by their first bytes, with bounds on what comes out.

Nothing is written to the disk. A stream that inflates to more than `FREE` bytes and to more than `MOST_RATIO` times its
own size is refused, because a file of a few kilobytes can stand for terabytes.
"""

from __future__ import annotations

import gzip
import io
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any, BinaryIO, cast

from draw_dataset.errors import DrawError, ExtraMissing, short_repr

FREE = 1 << 28  #: bytes that any compressed file may inflate to
MOST_RATIO = 200  #: the largest ratio beyond that; text shrinks to a tenth, and a repeated line to a hundredth
MAX_MEMBER = 1 << 26  #: the largest size of a member of an archive, in bytes
MAX_DIRECTORY = 1 << 26  #: the largest size of the directory of an archive, in bytes

_GZIP, _ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
_PIECE = 1 << 18
_WINDOW = 27  # log2 of the memory that a Zstandard stream may ask for

_ZSTD_MEMBER = 93
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, _ZSTD_MEMBER)


class _Source(io.RawIOBase):
    """A file that counts the bytes that were read; it can be sought if the file can."""

    def __init__(self, file: Any) -> None:
        self._file = file
        self._read = getattr(file, "read1", None) or file.read
        self.count = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return bool(self._file.seekable()) if hasattr(self._file, "seekable") else False

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        return int(self._file.seek(offset, whence))

    def tell(self) -> int:
        return int(self._file.tell())

    def readinto(self, buffer: Any) -> int:
        piece = self._read(len(buffer))
        buffer[: len(piece)] = piece
        self.count += len(piece)
        return len(piece)


class _Inflated(io.RawIOBase):
    """A stream that is decompressed as it is read."""

    def __init__(self, stream: Any, source: _Source, name: str, error: type[DrawError]) -> None:
        self._stream, self._source, self._name, self._error = stream, source, name, error
        self._count = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        try:
            piece = self._stream.read(len(buffer))
        except DrawError:
            raise
        except _damage() as cause:
            raise self._error(f"{self._name}: cannot decompress it: {cause}") from cause
        self._count += len(piece)
        check_ratio(self._count, self._source.count, self._name, self._error)
        buffer[: len(piece)] = piece
        return len(piece)


def check_ratio(inflated: int, packed: int, name: str, error: type[DrawError]) -> None:
    """Raise an error if compressed data inflates to far more than its size."""
    if inflated > FREE and inflated > MOST_RATIO * packed:
        raise error(
            f"{name}: expected compressed data of at most {FREE} bytes, or {MOST_RATIO} times its size, but got more; "
            "decompress it first if you trust it"
        )


def can_peek(file: BinaryIO) -> io.BufferedReader:
    """Return a file whose next bytes can be looked at without reading them."""
    return cast("io.BufferedReader", file if hasattr(file, "peek") else io.BufferedReader(_Source(file), _PIECE))


def inflate(file: BinaryIO, name: str, error: type[DrawError]) -> tuple[io.BufferedReader, bool]:
    """Return an open file, decompressed if it is compressed, and whether it is."""
    whole = can_peek(file)
    first = whole.peek(4)[:4]
    if first.startswith(_GZIP):
        source = _Source(whole)
        stream: Any = gzip.GzipFile(fileobj=io.BufferedReader(source, _PIECE))
    elif first == _ZSTD:
        source = _Source(whole)
        stream = _zstd_stream(io.BufferedReader(source, _PIECE), name)
    else:
        return whole, False
    return io.BufferedReader(_Inflated(stream, source, name, error), _PIECE), True


def _zstd_module() -> Any:
    for name in ("compression.zstd", "backports.zstd"):
        try:
            return import_module(name)
        except ImportError:
            continue
    return None


def _damage() -> tuple[type[Exception], ...]:
    """Return the errors that damaged data raises."""
    module = _zstd_module()
    return (EOFError, OSError, zlib.error, *(() if module is None else (module.ZstdError,)))


def _zstd_stream(file: BinaryIO, name: str) -> Any:
    module = _zstd_module()
    if module is None:
        raise ExtraMissing(
            f"{name}: Zstandard needs Python 3.14 or backports.zstd: pip install 'draw-dataset[zstd]', or decompress "
            "it first: zstd -d"
        )
    return module.ZstdFile(file, options={module.DecompressionParameter.window_log_max: _WINDOW})


def archive_members(
    file: BinaryIO, size: int, name: str, error: type[DrawError], wanted: Callable[[str], object]
) -> Iterator[tuple[str, bytes]]:
    """Yield the members with a wanted name of a zip archive of so many bytes, which can be sought, in their order."""
    _check_directory(file, size, name, error)
    total = 0
    try:
        with zipfile.ZipFile(file) as archive:
            for info in archive.infolist():
                if not wanted(info.filename):
                    continue
                content = _member(archive, file, info, f"{name}, {short_repr(info.filename)[1:-1]}", error)
                total += len(content)
                check_ratio(total, size, name, error)
                yield info.filename, content
    except (zipfile.BadZipFile, EOFError, OSError, struct.error, ValueError, NotImplementedError) as cause:
        if isinstance(cause, DrawError):
            raise
        raise error(f"{name}: cannot read this zip archive: {cause}") from cause


def _member(
    archive: zipfile.ZipFile, file: BinaryIO, info: zipfile.ZipInfo, where: str, error: type[DrawError]
) -> bytes:
    if info.flag_bits & 1 or info.compress_type not in _METHODS:
        raise error(f"{where}: expected a member that is stored, deflated or Zstandard, and not encrypted")
    try:
        if info.compress_type == _ZSTD_MEMBER:  # which zipfile reads only since Python 3.14
            file.seek(info.header_offset)
            header = file.read(30)
            file.seek(sum(struct.unpack("<HH", header[26:30])), io.SEEK_CUR)
            packed = io.BytesIO(file.read(min(info.compress_size, MAX_MEMBER)))
            content: bytes = _zstd_stream(packed, where).read(MAX_MEMBER + 1)
        else:
            with archive.open(info) as stream:
                content = stream.read(MAX_MEMBER + 1)
    except _damage() as cause:
        raise error(f"{where}: cannot decompress it: {cause}") from cause
    if len(content) > MAX_MEMBER:
        raise error(f"{where}: expected at most {MAX_MEMBER} bytes, but got more")
    return content


def _check_directory(file: BinaryIO, size: int, name: str, error: type[DrawError]) -> None:
    """Refuse an archive whose directory is too large to be kept in memory, as `zipfile` keeps it."""
    file.seek(max(size - (1 << 16) - 128, 0))
    tail = file.read((1 << 16) + 128)
    at = tail.rfind(b"PK\x05\x06")
    sizes = [int.from_bytes(tail[at + 12 : at + 16], "little")] if at >= 0 else []
    if at >= 20 and tail[at - 20 : at - 16] == b"PK\x06\x07" and tail[at - 76 : at - 72] == b"PK\x06\x06":
        sizes = [int.from_bytes(tail[at - 36 : at - 28], "little")]
    if any(each > MAX_DIRECTORY for each in sizes):
        raise error(f"{name}: expected a zip archive with a directory of at most {MAX_DIRECTORY} bytes, but got more")
    file.seek(0)
