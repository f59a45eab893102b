"""JSON lines: files with one JSON object per line, or one array of objects, with errors that name file and line.

A line must be UTF-8, at most `MAX_LINE` bytes long, and one object, nested at most `MAX_NESTING` deep, without the same
key twice. NaN and Infinity are read as floats, a whole number of thousands of digits as an infinity.
"""

from __future__ import annotations

import json
import math
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, TextIO

from draw_dataset.errors import DrawError, RowError, short_repr
from draw_dataset.io.atomic import STANDARD, atomic_file

MAX_ARRAY = 1 << 28  #: the largest size of a file that is one array, in bytes: all of it has to be in memory
MAX_LINE = 1 << 24  #: the largest length of one line, in bytes
MAX_NESTING = 60  #: the depth of nested objects and lists

DEEPEST_NESTING = 500
"""The same for readers that handle deeper values: Python reads and writes this depth in any call stack."""

IN_ARRAY = -1  #: the `start` of an item in a file that is one JSON array: such an item cannot be read on its own

_SPACE = " \t\r\n"
_MARK = b"\xef\xbb\xbf"


def begins_array(line: bytes) -> bool:
    """Decide whether a file is an array, by its first line that is not blank."""
    return line.removeprefix(_MARK).lstrip().startswith(b"[")


def _array_items(
    first: bytes, rest: BinaryIO, name: str, number: int, error: type[DrawError]
) -> Iterator[tuple[int, str]]:
    """Yield each item of an array as a string, with the number of the line where it begins."""
    content = first.removeprefix(_MARK) + rest.read(MAX_ARRAY + 1)
    if len(content) > MAX_ARRAY:
        raise error(
            f"{name}: expected a JSON array of at most {MAX_ARRAY} bytes, but got more; "
            "write one object per line instead, for example with: jq -c '.[]'"
        )
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as cause:
        raise error(f"{name}: expected UTF-8, but got {_reason(cause)}") from cause
    # The decoder only finds where an item ends. The caller decodes the item again by its own rules.
    decoder = json.JSONDecoder(parse_int=str)
    at, counted = _skip_space(text, text.index("[") + 1), 0
    if text[at : at + 1] == "]":
        _check_end(text, at + 1, name, error)
        return
    while True:
        number += text.count("\n", counted, at)
        counted = at
        try:
            _, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError) as cause:
            reason = cause.msg if isinstance(cause, json.JSONDecodeError) else "something that is nested too deep"
            raise error(f"{name}, line {number}: expected JSON, but got {reason}") from cause
        yield number, text[at:end]
        at = _skip_space(text, end)
        mark = text[at : at + 1]
        if mark == "]":
            _check_end(text, at + 1, name, error)
            return
        if mark != ",":
            raise error(f"{name}, line {number}: expected a comma or the end of the array after an item")
        at = _skip_space(text, at + 1)


def _skip_space(text: str, at: int) -> int:
    while text[at : at + 1] and text[at] in _SPACE:
        at += 1
    return at


def _check_end(text: str, at: int, name: str, error: type[DrawError]) -> None:
    if text[at:].strip():
        raise error(f"{name}: expected nothing after the array, but got more")


def is_array_file(path: str | os.PathLike[str]) -> bool:
    """Decide whether a file is one JSON array, by its first character; False if it cannot be read."""
    try:
        with Path(path).open("rb") as file:
            for line in iter(lambda: file.readline(1 << 16), b""):
                if line.removeprefix(_MARK).strip():
                    return begins_array(line)
    except OSError:
        pass
    return False


class JsonLine(NamedTuple):
    """One line of a file."""

    number: int  # counted from 1
    start: int  # its offset in bytes; `IN_ARRAY` in a file that is one array
    value: dict[str, Any]


class _TwiceError(ValueError):
    """A key that occurs twice in one object."""


def _pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(items)
    if len(found) < len(items):
        double = next(key for key, count in Counter(key for key, _ in items).items() if count > 1)
        raise _TwiceError(f"the key {short_repr(double)} twice in the same object")
    return found


def _whole(digits: str) -> int | float:
    return int(digits) if len(digits) <= 4_000 else math.copysign(math.inf, -1 if digits[0] == "-" else 1)


_DECODER = json.JSONDecoder(object_pairs_hook=_pairs)
_DECODER_OF_LONG_NUMBERS = json.JSONDecoder(object_pairs_hook=_pairs, parse_int=_whole)


def decode_json(text: str | bytes, where: str, error: type[DrawError] = RowError, *, nesting: int = MAX_NESTING) -> Any:
    r"""Return the value of a JSON text that somebody else wrote; `where` is the place that an error names.

    >>> decode_json('{"id": 7}\r\n', "here")
    {'id': 7}
    >>> decode_json('{"id": 7, "id": 8}', "rows.jsonl, line 3")
    Traceback (most recent call last):
    draw_dataset.errors.RowError: rows.jsonl, line 3: expected JSON, but got the key 'id' twice in the same object
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
        # Not the line after the end, where a text that is cut off goes on.
        end = len(cause.doc.rstrip())
        line = cause.doc.rfind("\n", 0, min(cause.pos, end)) + 1
        return f"{cause.msg} at column {min(cause.pos, end) - line + 1}"
    if isinstance(cause, UnicodeDecodeError):
        return f"bytes that are not UTF-8 at byte {cause.start + 1}"
    if isinstance(cause, RecursionError):
        return "lists and objects nested too deep"
    return str(cause)


def _deeper_than(value: Any, depth: int) -> bool:
    """Decide whether lists and dicts are nested deeper; without recursion, so any depth is safe."""
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
    """Yield the JSON objects of a file, or of standard input (``-``); `progress` shows a bar on stderr."""
    with open_input(path, error) as file, progress_bar(path, file, shown=progress) as advance:
        for value in json_values(file, display_name(path), error=error, nesting=nesting, advance=advance):
            yield JsonLine(value.number, value.start, value.value)


class JsonValue(NamedTuple):
    """One line of a file, or one item of an array."""

    number: int  # its line, counted from 1
    start: int  # its offset in bytes; `IN_ARRAY` in a file that is one array
    value: Any  # an object, unless an array has something else


def json_values(
    file: BinaryIO,
    name: str,
    *,
    error: type[DrawError] = RowError,
    nesting: int = MAX_NESTING,
    advance: Callable[[int], object] | None = None,
    objects: bool = True,
    number: int = 1,
) -> Iterator[JsonValue]:
    """Yield the values of an open file, whose first line has a number; `objects` refuses other items of an array."""
    start = 0
    begun = False
    for at, line in enumerate(numbered_lines(file, name, error, number), number):
        if advance is not None:
            advance(len(line))
        if line.strip() not in (b"", _MARK):
            if not begun and begins_array(line):
                for place, item in _array_items(line, file, name, at, error):
                    where = f"{name}, line {place}"
                    decode = decode_line if objects else decode_json
                    yield JsonValue(place, IN_ARRAY, decode(item, where, error, nesting=nesting))
                return
            begun = True
            yield JsonValue(at, start, decode_whole_line(line, f"{name}, line {at}", error, nesting))
        start += len(line)


def decode_line(
    line: str | bytes, where: str, error: type[DrawError] = RowError, *, nesting: int = MAX_NESTING
) -> dict[str, Any]:
    """Return the object on one line of a file."""
    value = decode_json(line, where, error, nesting=nesting)
    if type(value) is not dict:
        raise error(f"{where}: expected a JSON object, but got {short_repr(value)}")
    return value


def decode_whole_line(line: bytes, where: str, error: type[DrawError], nesting: int) -> dict[str, Any]:
    """Return the object on a line that may be the last of a file that was cut off."""
    try:
        return decode_line(line, where, error, nesting=nesting)
    except DrawError as cause:
        if line.endswith(b"\n"):
            raise
        raise error(f"{cause}; the file ends in the middle of this line: it may be cut off") from cause


def display_name(path: str | os.PathLike[str]) -> str:
    """Return the name that messages give to an input file."""
    return "standard input" if os.fspath(path) == STANDARD else os.fspath(path)


def read_text(path: str | os.PathLike[str], *, error: type[DrawError] = RowError, most: int | None = None) -> str:
    """Return the text of a UTF-8 file, or of standard input, without a byte order mark; `most` is a limit in bytes."""
    with open_input(path, error) as file:
        try:
            content = file.read() if most is None else file.read(most + 1)
            if most is not None and len(content) > most:
                raise error(f"{display_name(path)}: expected at most {most} bytes, but got more")
            return content.removeprefix(_MARK).decode("utf-8")
        except DrawError:
            raise  # though it may be an OSError
        except OSError as cause:
            raise error(f"{display_name(path)}: cannot read it: {cause.strerror or cause}") from cause
        except UnicodeDecodeError as cause:
            raise error(f"{display_name(path)}: expected UTF-8, but got {_reason(cause)}") from cause


@contextmanager
def open_input(path: str | os.PathLike[str], error: type[DrawError]) -> Iterator[BinaryIO]:
    """Open a file, or standard input (``-``), for reading."""
    if not isinstance(path, (str, os.PathLike)):
        raise error(f"expected the path of a file, but got {short_repr(path)}")
    if os.fspath(path) == STANDARD:
        yield sys.stdin.buffer
        return
    try:
        file = Path(path).open("rb")  # noqa: SIM115 - closed below
    except OSError as cause:
        raise error(f"{display_name(path)}: {unreadable(cause)}") from cause
    with file:
        yield file


def unreadable(cause: OSError) -> str:
    """Return the reason why a file cannot be read, in plain words.

    >>> unreadable(FileNotFoundError(2, "No such file or directory"))
    'file not found'
    """
    if isinstance(cause, FileNotFoundError):
        return "file not found"
    if isinstance(cause, IsADirectoryError):
        return "expected a file, but this is a folder"
    return f"cannot read it: {cause.strerror or cause}"


def check_readable(path: str | os.PathLike[str], error: type[DrawError] = RowError) -> None:
    """Raise an error if a file cannot be read, before any work is done; ``-`` is standard input."""
    if os.fspath(path) != STANDARD:
        with open_input(path, error):
            pass


def numbered_lines(file: BinaryIO, name: str, error: type[DrawError], number: int = 1) -> Iterator[bytes]:
    """Yield the lines of an open file, each at most `MAX_LINE` long; errors count from the number of the first."""
    try:
        while line := file.readline(MAX_LINE + 1):
            if len(line) > MAX_LINE:
                raise error(f"{name}, line {number}: expected at most {MAX_LINE} bytes a line, but got more")
            yield line
            number += 1
    except DrawError:
        raise
    except OSError as cause:
        raise error(f"{name}: cannot read it: {cause.strerror or cause}") from cause


@contextmanager
def progress_bar(
    path: str | os.PathLike[str], file: BinaryIO, *, shown: bool = True, sized: bool = True
) -> Iterator[Callable[[int], object]]:
    """Show a progress bar over the bytes of a file; yield the function that advances it."""
    if not shown:
        yield lambda _: None
        return
    from tqdm import tqdm

    name = display_name(path)
    size = os.fstat(file.fileno()).st_size if sized and os.fspath(path) != STANDARD else 0

    shown_as: dict[str, Any] = {"total": size or None, "unit": "B", "unit_scale": True, "desc": Path(name).name}
    with tqdm(leave=False, **shown_as, **bar_settings()) as bar:
        yield bar.update


def bar_settings() -> dict[str, Any]:
    """Return settings of a progress bar; in a log file it is a short line every ten seconds, not thousands of bars."""
    if sys.stderr.isatty():
        return {}
    return {"file": _Lines(sys.stderr), "mininterval": 10, "maxinterval": 10, "ncols": 0}


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
    return (text if text.isascii() or not _has_surrogate(text) else json.dumps(value)) + "\n"


def _has_surrogate(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False


def write_json_lines(path: str | os.PathLike[str], values: Iterable[Mapping[str, Any]]) -> None:
    """Write objects to a file, one a line, whole or not at all."""
    with atomic_file(path) as file:
        for value in values:
            file.write(json_line(value))
