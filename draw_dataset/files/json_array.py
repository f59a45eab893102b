"""A file that is one JSON array, read as if each item stood on its own line.

Many programs write a list of objects as one array. The whole file has to be in memory for that, so its size is limited;
a file of lines has no such limit. Each item comes with the number of the line where it begins, for error messages.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from draw_dataset.errors import DrawError

MAX_ARRAY = 1 << 28
"""The largest size of a file that is one array, in bytes."""

_SPACE = " \t\r\n"


def begins_array(line: bytes) -> bool:
    """Say whether a file is an array, by its first line that is not blank.

    >>> begins_array(b' [{"id": 1},'), begins_array(b'{"id": 1}')
    (True, False)
    """
    return line.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"[")


def array_items(
    first: bytes, rest: BinaryIO, name: str, number: int, error: type[DrawError]
) -> Iterator[tuple[int, str]]:
    """Yield each item of an array as a string, with the number of the line where it begins.

    Args:
        first: the first line of the array.
        rest: the rest of the file.
        name: the name of the file in messages.
        number: the number of the first line.
        error: the error to raise if the file is not a JSON array.
    """
    content = first.removeprefix(b"\xef\xbb\xbf") + rest.read(MAX_ARRAY + 1)
    if len(content) > MAX_ARRAY:
        raise error(
            f"{name}: expected a JSON array of at most {MAX_ARRAY} bytes, but got more; "
            "write one object per line instead, for example with: jq -c '.[]'"
        )
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as cause:
        raise error(f"{name}: expected UTF-8, but got bytes that are not UTF-8 at byte {cause.start + 1}") from cause
    yield from _items(text, name, number, error)


def _items(text: str, name: str, number: int, error: type[DrawError]) -> Iterator[tuple[int, str]]:
    # The decoder only finds where an item ends. The caller decodes the item again by its own rules.
    decoder = json.JSONDecoder(parse_int=str)
    at, counted = _beyond(text, text.index("[") + 1), 0
    if text[at : at + 1] == "]":
        _check_end(text, at + 1, name, error)
        return
    while True:
        number += text.count("\n", counted, at)
        counted = at
        try:
            _, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError) as cause:
            raise error(f"{name}, line {number}: expected JSON, but got {_reason(cause)}") from cause
        yield number, text[at:end]
        at = _beyond(text, end)
        mark = text[at : at + 1]
        if mark == "]":
            _check_end(text, at + 1, name, error)
            return
        if mark != ",":
            raise error(f"{name}, line {number}: expected a comma or the end of the array after an item")
        at = _beyond(text, at + 1)


def _beyond(text: str, at: int) -> int:
    while text[at : at + 1] and text[at] in _SPACE:
        at += 1
    return at


def _check_end(text: str, at: int, name: str, error: type[DrawError]) -> None:
    if text[at:].strip():
        raise error(f"{name}: expected nothing after the array, but got more")


def _reason(cause: Any) -> str:
    return cause.msg if isinstance(cause, json.JSONDecodeError) else "something that is nested too deep"


def is_array_file(path: str | os.PathLike[str]) -> bool:
    """Say whether a file is one JSON array, by its first character; False if it cannot be read."""
    try:
        with Path(path).open("rb") as file:
            for line in iter(lambda: file.readline(1 << 16), b""):
                if line.removeprefix(b"\xef\xbb\xbf").strip():
                    return begins_array(line)
    except OSError:
        pass
    return False
