"""Records of files in the formats that people have: JSON lines, JSON, CSV, TSV, Parquet, plain text, zip archives.

The first bytes of a file decide its format, and its name only for texts: ``.csv``, ``.tsv`` and ``.txt``. Each may be
compressed with gzip or Zstandard. Lines are read one at a time. A JSON document, a list of texts and an archive that
comes by a pipe are kept in memory, up to `MAX_ARRAY` bytes.
"""

from __future__ import annotations

import csv
import io
import json
import os
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from itertools import chain
from pathlib import PurePath
from typing import Any, BinaryIO, Literal, NamedTuple, cast

from draw_dataset.errors import DrawError, ExtraMissing, short_repr
from draw_dataset.io.atomic import STANDARD
from draw_dataset.io.inflate import archive_members, inflate
from draw_dataset.io.jsonl import (
    MAX_ARRAY,
    MAX_LINE,
    MAX_NESTING,
    begins_array,
    decode_json,
    decode_line,
    display_name,
    json_values,
    numbered_lines,
    open_input,
    progress_bar,
)

COMPRESSIONS = (".gz", ".zst")
_MARK = b"\xef\xbb\xbf"
_SPACE = re.compile(r"\s+")
_PARQUET, _ZIP = b"PAR1", b"PK"
_BATCH = 64  # rows of a Parquet file that are in memory
MAX_ROW_GROUP = 1 << 30  #: the largest size of a column of a row group of a Parquet file, in bytes

Kind = Literal["lines", "objects", "table", "texts", "document", "archive"]
"""Objects on lines, other objects, rows of a table, texts without ids, one object that is the file, an archive."""


class Record(NamedTuple):
    """A value of a file, and its place as messages give it."""

    where: str
    value: Any


@dataclass(frozen=True, slots=True)
class Broken:
    """A record that cannot be read; the message says where, and why."""

    message: str


class Records(NamedTuple):
    """The records of a file."""

    kind: Kind
    items: Iterator[Record]


def format_suffix(name: str) -> str:
    """Return the ending of a file name that tells its format.

    >>> format_suffix("answers.CSV.gz"), format_suffix("answers")
    ('.csv', '')
    """
    path = PurePath(name)
    suffix = path.suffix.lower()
    return PurePath(path.stem).suffix.lower() if suffix in COMPRESSIONS else suffix


def file_stem(path: str | os.PathLike[str]) -> str:
    """Return the name of a file without its ending, and without that of its compression.

    >>> file_stem("runs/mine.jsonl.gz"), file_stem("-")
    ('mine', 'stdin')
    """
    if os.fspath(path) == STANDARD:
        return "stdin"
    name = PurePath(path)
    return PurePath(name.stem).stem if name.suffix.lower() in COMPRESSIONS else name.stem


@contextmanager
def open_records(
    path: str | os.PathLike[str], *, error: type[DrawError], nesting: int = MAX_NESTING, progress: bool = False
) -> Iterator[Records]:
    """Open a file of records, or standard input (``-``)."""
    with open_input(path, error) as file:
        source, is_packed = inflate(file, display_name(path), error)
        with progress_bar(path, file, shown=progress, sized=not is_packed) as advance:
            yield _records_of(source, display_name(path), error, nesting, advance)


def read_opened(file: BinaryIO, name: str, *, error: type[DrawError], nesting: int = MAX_NESTING) -> Records:
    """Return the records of an open file with a name."""
    return _records_of(inflate(file, name, error)[0], name, error, nesting, None)


def _records_of(
    file: io.BufferedReader,
    name: str,
    error: type[DrawError],
    nesting: int,
    advance: Callable[[int], object] | None,
) -> Records:
    first = file.peek(4)[:4]
    if first == _PARQUET:
        return Records("table", parquet_records(seekable(file, name, error), name, error))
    if first[:2] == _ZIP and first[2:4] in (b"\x03\x04", b"\x05\x06"):
        return Records("archive", _archive(seekable(file, name, error), name, error, nesting))
    suffix = format_suffix(name)
    if suffix in (".csv", ".tsv"):
        rows = csv_records(file, name, delimiter="\t" if suffix == ".tsv" else None, different=True)
        return Records("table", _unbroken(rows, error))
    return _json(file, name, error, nesting, advance, is_text=suffix == ".txt")


def seekable(file: io.BufferedReader, name: str, error: type[DrawError]) -> BinaryIO:
    """Return an open file that can be sought; one that cannot is read into memory."""
    if file.seekable():
        return file
    content = file.read(MAX_ARRAY + 1)
    if len(content) > MAX_ARRAY:
        raise error(f"{name}: expected at most {MAX_ARRAY} bytes of this format from a pipe, but got more")
    return io.BytesIO(content)


def _unbroken(rows: Iterator[tuple[str, dict[str, Any] | Broken]], error: type[DrawError]) -> Iterator[Record]:
    for where, row in rows:
        if isinstance(row, Broken):
            raise error(row.message)
        # A table of texts does not tell an empty text from nothing.
        yield Record(where, {column: value or None for column, value in row.items()})


# JSON


class _Rest:
    """A file of which a part was read and is put back."""

    def __init__(self, first: bytes, file: io.BufferedReader) -> None:
        self._first, self._file = first, file

    def readline(self, most: int = -1) -> bytes:
        first, self._first = self._first, b""
        return first or self._file.readline(most)

    def read(self, most: int = -1) -> bytes:
        first, self._first = self._first, b""
        return first + self._file.read(most if most < 0 else max(most - len(first), 0))


def _json(
    file: io.BufferedReader,
    name: str,
    error: type[DrawError],
    nesting: int,
    advance: Callable[[int], object] | None,
    *,
    is_text: bool,
) -> Records:
    number, line = 1, b""
    for number, line in enumerate(numbered_lines(file, name, error), 1):  # noqa: B007 - both are used below
        if line.strip() not in (b"", _MARK):
            break
    else:
        return Records("texts" if is_text else "lines", iter(()))
    text = line.removeprefix(_MARK).lstrip()
    whole = _decodes(text)
    if is_text and not (whole and text[:1] in b"{[") and text.strip() != b"[":
        return Records("texts", _text_lines(cast("BinaryIO", _Rest(line, file)), name, error, number))
    if text.startswith(b"{") and not whole:
        content = line + file.read(MAX_ARRAY + 1 - len(line))
        documents = _documents(content, name, number, error, nesting)
        if documents is not None:
            return documents
        # As lines, for the message says which of them is wrong; what was read is put back.
        values = json_values(
            cast("BinaryIO", io.BytesIO(content)), name, error=error, nesting=nesting, objects=False, number=number
        )
        return Records("objects", (Record(f"{name}, line {v.number}", v.value) for v in values))
    values = json_values(
        cast("BinaryIO", _Rest(line, file)), name, error=error, nesting=nesting, advance=advance, objects=False,
        number=number,
    )  # fmt: skip
    items = (Record(f"{name}, line {value.number}", value.value) for value in values)
    is_array = begins_array(line)
    first = list(_take(items, 1 if is_array else 2))
    kind: Kind = "objects" if is_array else "lines"
    if len(first) == 1:
        is_listed = first[0].value is None or isinstance(first[0].value, (str, list))
        kind = "document" if not is_array else "texts" if is_listed else "objects"
    return Records(kind, _of_kind(chain(first, items), kind, error))


def _take(items: Iterator[Record], count: int) -> Iterator[Record]:
    for _ in range(count):
        item = next(items, None)
        if item is None:
            return
        yield item


def _of_kind(items: Iterator[Record], kind: Kind, error: type[DrawError]) -> Iterator[Record]:
    for item in items:
        value = item.value
        if kind == "texts" and not (value is None or isinstance(value, (str, list))):
            raise error(f"{item.where}: expected a string as before, but got {short_repr(value)}")
        if kind != "texts" and not isinstance(value, dict):
            raise error(f"{item.where}: expected a JSON object, but got {short_repr(value)}")
        yield item


def _decodes(text: bytes) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _documents(content: bytes, name: str, number: int, error: type[DrawError], nesting: int) -> Records | None:
    """Return the objects of a text in which an object may take several lines; None if it is no such text."""
    if len(content) > MAX_ARRAY:
        return None
    try:
        text = content.removeprefix(_MARK).decode("utf-8")
    except UnicodeDecodeError:
        return None
    decoder = json.JSONDecoder(parse_int=str)
    found: list[tuple[int, int, int]] = []
    at, counted = _after_space(text, 0), 0
    while at < len(text):
        number += text.count("\n", counted, at)
        counted = at
        try:
            _, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            return None
        found.append((number, at, end))
        at = _after_space(text, end)
    records = (
        Record(where, decode_line(text[start:end], where, error, nesting=nesting))
        for where, start, end in ((f"{name}, line {number}", start, end) for number, start, end in found)
    )
    return Records("document" if len(found) == 1 else "objects", records)


def _after_space(text: str, at: int) -> int:
    space = _SPACE.match(text, at)
    return at if space is None else space.end()


def _text_lines(file: BinaryIO, name: str, error: type[DrawError], number: int) -> Iterator[Record]:
    for _ in range(1, number):
        yield Record(name, "")  # blank lines before the first that is not
    total = 0
    for at, line in enumerate(numbered_lines(file, name, error, number), number):
        where = f"{name}, line {at}"
        total += len(line)
        if total > MAX_ARRAY:
            raise error(f"{name}: expected texts of at most {MAX_ARRAY} bytes, but got more; write JSON lines instead")
        try:
            yield Record(where, line.removeprefix(_MARK).decode("utf-8").rstrip("\r\n"))
        except UnicodeDecodeError as cause:
            raise error(f"{where}: expected UTF-8, but got byte {cause.start + 1} that is none") from cause


# Tables


def csv_records(
    file: BinaryIO, name: str, *, delimiter: str | None = ",", different: bool = False
) -> Iterator[tuple[str, dict[str, Any] | Broken]]:
    """Yield the rows of CSV with a header, each with its place.

    Without a delimiter the header says which it is. With `different`, two columns of one name are refused.
    """
    lines = _CsvLines(file)
    if delimiter is None:
        header_line = lines.first()
        counts = {mark: header_line.count(mark) for mark in ",;\t"}
        delimiter = "," if counts[","] else max(counts, key=lambda mark: counts[mark])
    csv.field_size_limit(max(csv.field_size_limit(), MAX_LINE))
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    header: list[str] | None = None
    while True:
        where = f"{name}, line {reader.line_num + 1}"  # where the row begins: a cell may have several lines
        lines.size = 0
        try:
            row = next(reader, None)
        except _TooLongError:
            yield where, Broken(f"{where}: expected a row of at most {MAX_LINE} bytes, but got more; is a quote open?")
            return
        except csv.Error as cause:
            where = f"{name}, line {reader.line_num}"
            yield where, Broken(f"{where}: {cause}")
            continue
        if row is None:
            return
        if header is None:
            header = row
            double = next((column for column, count in Counter(header).items() if column and count > 1), None)
            if different and double is not None:
                yield where, Broken(f"{where}: expected different columns, but got {short_repr(double)} twice")
                return
        elif row:
            yield where, _csv_row(header, row, where)


class _TooLongError(Exception):
    """A row of a table that is too long."""


class _CsvLines:
    """The lines of a table as text; bytes that are not UTF-8 become surrogates. `size` grows with each line."""

    def __init__(self, file: BinaryIO) -> None:
        self._file, self._first, self.size = file, b"", 0

    def first(self) -> str:
        self._first = self._file.readline(MAX_LINE)
        return self._first.decode("utf-8", "surrogateescape")

    def __iter__(self) -> _CsvLines:
        return self

    def __next__(self) -> str:
        line, self._first = self._first or self._file.readline(MAX_LINE), b""
        if not line:
            raise StopIteration
        self.size += len(line)
        if self.size > MAX_LINE:
            raise _TooLongError
        return line.removeprefix(_MARK).decode("utf-8", "surrogateescape")


def _csv_row(header: Sequence[str], row: list[str], where: str) -> dict[str, Any] | Broken:
    if len(row) != len(header):
        return Broken(f"{where}: expected {len(header)} fields, but got {len(row)}")
    if any("\udc80" <= character <= "\udcff" for field in row for character in field if not field.isascii()):
        return Broken(f"{where}: bytes that are not UTF-8")
    return dict(zip(header, row, strict=True))


def parquet_records(file: BinaryIO, name: str, error: type[DrawError]) -> Iterator[Record]:
    """Yield the rows of a Parquet file that can be sought."""
    try:
        parquet = import_module("pyarrow.parquet")
        wrong = import_module("pyarrow").ArrowException
    except ImportError as cause:
        raise ExtraMissing(f"{name}: Parquet needs pyarrow: pip install pyarrow, or write it as JSON lines") from cause
    number = 0
    try:
        with parquet.ParquetFile(file) as table:
            _check_row_groups(table.metadata, name, error)
            for batch in table.iter_batches(_BATCH):
                for row in batch.to_pylist():
                    number += 1
                    yield Record(f"{name}, row {number}", row)
    except DrawError:
        raise
    except (wrong, OSError, ValueError) as cause:
        raise error(f"{name}: cannot read this Parquet file: {str(cause).splitlines()[0][:200]}") from cause


def _check_row_groups(about: Any, name: str, error: type[DrawError]) -> None:
    for group in range(about.num_row_groups):
        columns = about.row_group(group)
        for column in range(columns.num_columns):
            if not 0 <= columns.column(column).total_uncompressed_size <= MAX_ROW_GROUP:
                raise error(
                    f"{name}: expected columns of at most {MAX_ROW_GROUP} bytes in a row group, but got more; "
                    "write it with smaller row groups"
                )


# Archives

_SAMPLE = re.compile(r"samples/(?:.*_epoch_[0-9]+(?:\.json|/sample\.json)|[^/]+\.json)")
"""The name of a sample in a log. A large one has a folder with further files, which are no samples."""


def _archive(file: BinaryIO, name: str, error: type[DrawError], nesting: int) -> Iterator[Record]:
    """Yield the samples of an archive that is a log of inspect-ai."""
    size = file.seek(0, io.SEEK_END)
    seen: set[str] = set()

    def is_sample(member: str) -> bool:
        seen.add(member.partition("/")[0])
        return _SAMPLE.fullmatch(member) is not None

    for member, content in archive_members(file, size, name, error, is_sample):
        where = f"{name}, {short_repr(member)[1:-1]}"
        value = decode_json(content, where, error, nesting=nesting)
        if not isinstance(value, dict):
            raise error(f"{where}: expected a sample as a JSON object, but got {short_repr(value)}")
        yield Record(where, value)
    if not seen & {"samples", "header.json", "start.json", "_journal"}:
        raise error(
            f"{name}: expected a file of predictions, but got a zip archive that is no log of inspect-ai; unpack it "
            "first, and save a spreadsheet as CSV"
        )
