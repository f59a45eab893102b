"""Records of problems in files: JSON lines, a JSON list of objects, CSV or TSV with a header, Parquet, and XML.

Each may be compressed with gzip or Zstandard. In XML the element named by the preset is one record: its attributes and
the texts of its children. A file is read piece by piece, so that its length does not matter. A record that cannot be
read is `Broken`, with where and why. After a broken line or row the next one is read; a broken list or document ends
there. XML that declares entities is refused, because a few lines of them can stand for gigabytes.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO
from xml.parsers import expat

from draw_dataset.errors import ChoiceError, RowError
from draw_dataset.io.atomic import STANDARD
from draw_dataset.io.inflate import can_peek, inflate
from draw_dataset.io.jsonl import MAX_LINE, decode_line, display_name, unreadable
from draw_dataset.io.records import Broken, csv_records, format_suffix, parquet_records, seekable

_PIECE = 1 << 16
MAX_RECORD = MAX_LINE  # bytes of one record

_MARK = b"\xef\xbb\xbf"


Record = Mapping[str, Any] | Broken


def is_file_of_records(name: str) -> bool:
    """Return True if a name is that of a file, and not of a dataset."""
    return name == STANDARD or (format_suffix(name) in _READERS and not Path(name).is_dir())


def read_records(path: str | os.PathLike[str], element: str = "Problem") -> Iterator[Record]:
    """Yield the records of a file."""
    name = os.fspath(path)
    if name == STANDARD:
        yield from _json_lines(sys.stdin.buffer, display_name(path))
        return
    kind = format_suffix(name)
    if kind not in _READERS:
        raise ChoiceError(f"{name}: expected a file that ends in {', '.join(_READERS)}, or a folder of a dataset")
    try:
        file = Path(name).open("rb")  # noqa: SIM115 - closed below
    except OSError as cause:
        raise RowError(f"{name}: {unreadable(cause)}") from cause
    read = partial(_xml, element=element) if kind == ".xml" else _READERS[kind]
    with file:
        try:
            yield from read(inflate(file, name, RowError)[0], name)
        except OSError as cause:
            raise RowError(f"{name}: cannot read it: {cause.strerror or cause}") from cause


def _json_lines(file: BinaryIO, name: str) -> Iterator[Record]:
    number = 0
    while line := file.readline(MAX_LINE + 1):
        number += 1
        where = f"{name}, line {number}"
        if len(line) > MAX_LINE:
            yield Broken(f"{where}: more than {MAX_LINE} bytes")
            while line and not line.endswith(b"\n"):
                line = file.readline(MAX_LINE)
        elif line.strip() not in (b"", _MARK):
            try:
                yield decode_line(line, where)
            except RowError as error:
                yield Broken(str(error))


def _json(file: BinaryIO, name: str) -> Iterator[Record]:
    """Read a list of objects piece by piece; a file that does not begin with a list is JSON lines."""
    if not can_peek(file).peek(_PIECE).removeprefix(_MARK).lstrip().startswith(b"["):
        yield from _json_lines(file, name)
        return
    first = file.read(_PIECE).removeprefix(_MARK)
    decoder = json.JSONDecoder()
    pending, text, number, at = first, "", 0, -1
    while True:
        text, pending, done = _more_text(file, text, pending)
        if text is None:
            yield Broken(f"{name}, record {number + 1}: bytes that are not UTF-8")
            return
        if at < 0:
            at = text.index("[") + 1
        while True:
            start = _next_value(text, at)
            if start < len(text) and text[start] == "]":
                return
            try:
                value, at = decoder.raw_decode(text, start)
            except (ValueError, RecursionError) as error:
                break_ = error
                break
            # A number at the end of the piece may go on in the next one; objects never do.
            number += 1
            if isinstance(value, dict):
                yield value
            else:
                yield Broken(f"{name}, record {number}: expected an object, but got {type(value).__name__}")
        text, at = text[start:], 0
        if done or len(text) > MAX_RECORD:
            why = "the file ends within it" if done and len(text) <= MAX_RECORD else "too long, or no JSON"
            if text.strip():
                why = f"{break_.msg}" if isinstance(break_, json.JSONDecodeError) and not done else why
            yield Broken(f"{name}, record {number + 1}: {why}")
            return


def _more_text(file: BinaryIO, text: str, pending: bytes) -> tuple[Any, bytes, bool]:
    """Return a text with the next piece of a file after it; None where that is not UTF-8."""
    piece = pending or file.read(_PIECE)
    if not piece:
        return text, b"", True
    for cut in range(4):
        try:
            end = len(piece) - cut
            return text + piece[:end].decode("utf-8"), b"" if not cut else piece[end:] + file.read(_PIECE), False
        except UnicodeDecodeError:
            continue
    return None, b"", True


def _next_value(text: str, at: int) -> int:
    while at < len(text) and text[at] in " \t\r\n,":
        at += 1
    return at


def _csv(file: BinaryIO, name: str, delimiter: str = ",") -> Iterator[Record]:
    for _, row in csv_records(file, name, delimiter=delimiter):
        yield row


def _parquet(file: BinaryIO, name: str) -> Iterator[Record]:
    try:
        for record in parquet_records(seekable(can_peek(file), name, RowError), name, RowError):
            yield record.value
    except RowError as error:
        yield Broken(str(error))


class _Entities(Exception):
    """A document that declares entities."""


class _Elements:
    """Collects the elements of one name of an XML document, each with its attributes and the texts of its children."""

    def __init__(self, element: str) -> None:
        self.parser = expat.ParserCreate()
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._text
        self.parser.EntityDeclHandler = self._refuse
        self.found: list[dict[str, Any]] = []
        self.size = 0
        self._element = element
        self._record: dict[str, Any] | None = None
        self._child: str | None = None
        self._depth = 0

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        if self._record is None:
            if name == self._element:
                self._record, self._depth, self.size = dict(attributes), 0, 0
            return
        self._depth += 1
        if self._depth == 1:
            self._child = name
            self._record.setdefault(name, "")

    def _end(self, name: str) -> None:
        if self._record is None:
            return
        if self._depth == 0 and name == self._element:
            self.found.append(self._record)
            self._record = None
            return
        self._depth -= 1
        if self._depth == 0:
            self._child = None

    def _text(self, text: str) -> None:
        if self._record is not None and self._child is not None:
            self.size += len(text)
            if self.size <= MAX_RECORD:
                self._record[self._child] += text

    def _refuse(self, *_: object) -> None:
        raise _Entities


def _xml(file: BinaryIO, name: str, element: str) -> Iterator[Record]:
    elements = _Elements(element)
    while True:
        piece = file.read(_PIECE)
        problem = None
        try:
            elements.parser.Parse(piece, not piece)
        except _Entities:
            problem = "a document with entities of its own, which is not read"
        except expat.ExpatError as error:
            problem = expat.ErrorString(error.code)
        yield from elements.found
        elements.found.clear()
        if problem is not None:
            yield Broken(f"{name}, line {elements.parser.CurrentLineNumber}: {problem}")
            return
        if not piece:
            return


_READERS: Mapping[str, Callable[[BinaryIO, str], Iterator[Record]]] = {
    ".jsonl": _json_lines,
    ".json": _json,
    ".csv": _csv,
    ".tsv": partial(_csv, delimiter="\t"),
    ".parquet": _parquet,
    ".xml": partial(_xml, element="Problem"),
}
