"""Files with one JSON object per line: one set of rules for all of them, and errors that name file and line.

A file that is one JSON array of objects is read as well (`draw_dataset.files.json_array`).

A byte order mark at the start of the file, blank lines and both kinds of line ends are accepted. A line must be UTF-8,
at most `MAX_LINE` bytes long, and one JSON object, nested at most `MAX_NESTING` deep. A reader that handles deeper
values itself may ask for `DEEPEST_NESTING`. No object may have the same key twice. NaN and Infinity, which Python's own
writer produces, are read as floats; whoever reads the line decides whether they are allowed there. A whole number of
thousands of digits, which Python refuses to read, becomes an infinity, so that the reader of the field refuses it.
"""

from __future__ import annotations

import json
import math
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, TextIO

from draw_dataset.errors import DrawError, RowError, shown
from draw_dataset.files.atomic import STANDARD, atomic_file
from draw_dataset.files.json_array import array_items, begins_array

MAX_LINE = 1 << 24
"""The largest length of one line, in bytes."""

MAX_NESTING = 60
"""How deep objects and lists may be nested."""

DEEPEST_NESTING = 500
"""The same for readers that ask for more: Python reads and writes this depth in any call stack."""

IN_ARRAY = -1
"""The `start` of an item in a file that is one JSON array: such an item cannot be read on its own."""

_MARK = b"\xef\xbb\xbf"


class JsonLine(NamedTuple):
    """One line of a file.

    Attributes:
        number: its number, counted from 1.
        start: the offset where it begins, in bytes; `IN_ARRAY` in a file that is one array.
        value: the object on it.
    """

    number: int
    start: int
    value: dict[str, Any]


class _TwiceError(ValueError):
    """A key that occurs twice in one object."""


def _pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(items)
    if len(found) < len(items):
        keys = [key for key, _ in items]
        raise _TwiceError(f"the key {shown(next(k for k in keys if keys.count(k) > 1))} twice in the same object")
    return found


def _whole(digits: str) -> int | float:
    return int(digits) if len(digits) <= 4_000 else math.copysign(math.inf, -1 if digits[0] == "-" else 1)


_DECODER = json.JSONDecoder(object_pairs_hook=_pairs)
_DECODER_OF_LONG_NUMBERS = json.JSONDecoder(object_pairs_hook=_pairs, parse_int=_whole)


def decode_json(text: str | bytes, where: str, error: type[DrawError] = RowError, *, nesting: int = MAX_NESTING) -> Any:
    r"""Return the value of a JSON text that somebody else wrote.

    >>> decode_json('{"id": 7}\r\n', "here")
    {'id': 7}
    >>> decode_json('{"id": 7, "id": 8}', "rows.jsonl, line 3")
    Traceback (most recent call last):
    draw_dataset.errors.RowError: rows.jsonl, line 3: expected JSON, but got the key 'id' twice in the same object

    Args:
        text: the text; bytes must be UTF-8.
        where: the place, for the error.
        error: what is raised.
        nesting: how deep lists and objects may be nested.
    """
    try:
        if isinstance(text, bytes):
            text = text.removeprefix(_MARK).decode("utf-8")
        try:
            value = _DECODER.decode(text)
        except (json.JSONDecodeError, _TwiceError):
            raise
        except ValueError:  # a whole number with more digits than Python reads
            value = _DECODER_OF_LONG_NUMBERS.decode(text)
    except (ValueError, RecursionError) as cause:
        raise error(f"{where}: expected JSON, but got {_reason(cause)}") from cause
    if _deeper_than(value, nesting):
        raise error(f"{where}: expected lists and objects nested at most {nesting} deep, but got more")
    return value


def _reason(cause: Exception) -> str:
    if isinstance(cause, json.JSONDecodeError):
        return f"{cause.msg} at column {cause.colno}"
    if isinstance(cause, UnicodeDecodeError):
        return f"bytes that are not UTF-8 at byte {cause.start + 1}"
    if isinstance(cause, RecursionError):
        return "lists and objects nested too deep"
    return str(cause)


def _deeper_than(value: Any, depth: int) -> bool:
    """Say whether lists and dicts are nested deeper than that; without recursion, so any depth is safe."""
    level = [value]
    for _ in range(depth + 1):
        level = [
            item
            for box in level
            if type(box) in (dict, list)
            for item in (box.values() if type(box) is dict else box)
            if type(item) in (dict, list)
        ]
        if not level:
            return False
    return True


def read_json_lines(
    path: str | os.PathLike[str],
    *,
    error: type[DrawError] = RowError,
    nesting: int = MAX_NESTING,
    progress: bool = False,
) -> Iterator[JsonLine]:
    """Yield the JSON objects of a file, or of standard input: one a line, or all in one array.

    Args:
        path: the file; ``-`` is standard input.
        error: what is raised for a file or a line that cannot be read.
        nesting: how deep lists and objects may be nested.
        progress: whether to show a bar over the bytes on stderr.
    """
    with _opened(path, error) as file:
        name = named(path)
        size = 0 if os.fspath(path) == STANDARD else os.fstat(file.fileno()).st_size
        with _bar(name, size) if progress else nullcontext(lambda _: None) as advance:
            start = 0
            begun = False
            for number, line in enumerate(_lines(file, name, error), 1):
                advance(len(line))
                if line.strip() not in (b"", _MARK):
                    if not begun and begins_array(line):
                        for at, item in array_items(line, file, name, number, error):
                            yield JsonLine(
                                at, IN_ARRAY, decode_line(item, f"{name}, line {at}", error, nesting=nesting)
                            )
                        return
                    begun = True
                    value = _decode_whole_line(line, f"{name}, line {number}", error, nesting)
                    yield JsonLine(number, start, value)
                start += len(line)


def decode_line(
    line: str | bytes, where: str, error: type[DrawError] = RowError, *, nesting: int = MAX_NESTING
) -> dict[str, Any]:
    """Return the object on one line of a file."""
    value = decode_json(line, where, error, nesting=nesting)
    if type(value) is not dict:
        raise error(f"{where}: expected a JSON object, but got {shown(value)}")
    return value


def _decode_whole_line(line: bytes, where: str, error: type[DrawError], nesting: int) -> dict[str, Any]:
    try:
        return decode_line(line, where, error, nesting=nesting)
    except DrawError as cause:
        if line.endswith(b"\n"):
            raise
        raise error(f"{cause}; the file ends in the middle of this line: it may be cut off") from cause


def named(path: str | os.PathLike[str]) -> str:
    """Return the name that messages give to an input file."""
    return "standard input" if os.fspath(path) == STANDARD else os.fspath(path)


def read_text(path: str | os.PathLike[str], *, error: type[DrawError] = RowError, most: int | None = None) -> str:
    """Return the whole text of a UTF-8 file, or of standard input, without a byte order mark.

    Args:
        path: the file; ``-`` is standard input.
        error: what is raised for a file that cannot be read.
        most: how many bytes it may have, if there is a limit.
    """
    with _opened(path, error) as file:
        try:
            content = file.read() if most is None else file.read(most + 1)
            if most is not None and len(content) > most:
                raise error(f"{named(path)}: expected at most {most} bytes, but got more")
            return content.removeprefix(_MARK).decode("utf-8")
        except DrawError:
            raise  # though it may be an OSError
        except OSError as cause:
            raise error(f"{named(path)}: cannot read it: {cause.strerror or cause}") from cause
        except UnicodeDecodeError as cause:
            raise error(f"{named(path)}: expected UTF-8, but got {_reason(cause)}") from cause


@contextmanager
def _opened(path: str | os.PathLike[str], error: type[DrawError]) -> Iterator[BinaryIO]:
    if not isinstance(path, (str, os.PathLike)):
        raise error(f"expected the path of a file, but got {shown(path)}")
    if os.fspath(path) == STANDARD:
        yield sys.stdin.buffer
        return
    try:
        file = Path(path).open("rb")  # noqa: SIM115 - closed below
    except OSError as cause:
        raise error(f"{named(path)}: {unreadable(cause)}") from cause
    with file:
        yield file


def unreadable(cause: OSError) -> str:
    """Return why a file cannot be read, in plain words.

    >>> unreadable(FileNotFoundError(2, "No such file or directory"))
    'file not found'
    """
    if isinstance(cause, FileNotFoundError):
        return "file not found"
    if isinstance(cause, IsADirectoryError):
        return "expected a file, but this is a folder"
    return f"cannot read it: {cause.strerror or cause}"


def check_readable(path: str | os.PathLike[str], error: type[DrawError] = RowError) -> None:
    """Raise an error if a file cannot be read, before any work is done; ``-`` is standard input.

    Args:
        path: the file.
        error: the error to raise.

    Raises:
        RowError: the file does not exist or cannot be read; or the given error.
    """
    if os.fspath(path) != STANDARD:
        with _opened(path, error):
            pass


def _lines(file: BinaryIO, name: str, error: type[DrawError]) -> Iterator[bytes]:
    number = 0
    try:
        while line := file.readline(MAX_LINE + 1):
            number += 1
            if len(line) > MAX_LINE:
                raise error(f"{name}, line {number}: expected at most {MAX_LINE} bytes a line, but got more")
            yield line
    except DrawError:
        raise
    except OSError as cause:
        raise error(f"{name}: cannot read it: {cause.strerror or cause}") from cause


@contextmanager
def _bar(name: str, size: int) -> Iterator[Callable[[int], object]]:
    """Show a progress bar over the bytes of a file; call what this yields to advance it.

    On a terminal the bar moves. In a log file it would become one line of thousands of bars, so there it is a short
    line every ten seconds.
    """
    from tqdm import tqdm

    shown_as: dict[str, Any] = {"total": size or None, "unit": "B", "unit_scale": True, "desc": Path(name).name}
    if not sys.stderr.isatty():
        shown_as |= {"file": _Lines(sys.stderr), "mininterval": 10, "maxinterval": 10, "ncols": 0}
    with tqdm(leave=False, **shown_as) as bar:
        yield bar.update


class _Lines:
    """A stream that puts each new state of a progress bar on its own line, instead of overwriting the last one."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self.encoding = getattr(stream, "encoding", "utf-8")

    def write(self, text: str) -> int:
        line = text.strip("\r\n ")
        return self._stream.write(f"{line}\n") if line else 0

    def flush(self) -> None:
        self._stream.flush()


def json_line(value: Mapping[str, Any]) -> str:
    r"""Return an object as one line, in the form that all our files have.

    >>> json_line({"id": 7, "text": "½"})
    '{"id": 7, "text": "½"}\n'
    """
    text = json.dumps(value, ensure_ascii=False)
    # A lone surrogate, which JSON can contain as an escape, cannot be written as UTF-8.
    return (text if text.isascii() or not _surrogate(text) else json.dumps(value)) + "\n"


def _surrogate(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False


def write_json_lines(path: str | os.PathLike[str], values: Iterable[Mapping[str, Any]]) -> None:
    """Write objects to a file, one a line, whole or not at all.

    Raises:
        FolderError: it cannot be written.
    """
    with atomic_file(path) as file:
        for value in values:
            file.write(json_line(value))
