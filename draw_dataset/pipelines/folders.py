"""Files of a run, wherever fsspec can reach: JSON lines that are there whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import IO, Any
from uuid import uuid4

import fsspec
from datatrove.io import get_datafolder

from draw_dataset.errors import ArchiveError, RowError
from draw_dataset.files import json_line
from draw_dataset.files.jsonl import decode_json


@contextmanager
def whole_output(url: str, path: str) -> Iterator[IO[bytes]]:
    """Open a file of a folder for writing; it has its name only once it is whole.

    A task that is killed leaves a part under another name, which nobody reads. Two processes that write the same file
    do not meet.
    """
    folder = get_datafolder(url)
    part = f"{path}.part-{os.getpid()}-{uuid4().hex[:8]}"
    try:
        with folder.open(part, "wb") as file:
            yield file
        if folder.is_local():
            os.replace(folder.resolve_paths(part), folder.resolve_paths(path))
        else:
            folder.mv(part, path)
    except BaseException:
        with suppress(OSError):
            folder.rm(part)
        raise


def write_lines(url: str, path: str, lines: Iterable[Any]) -> None:
    """Write values as a file of one JSON value a line."""
    with whole_output(url, path) as file:
        for line in lines:
            file.write(json_line(line).encode())


def read_lines(url: str, path: str) -> Iterator[Any]:
    """Yield the values of such a file, nothing if it is missing: a task with nothing to say writes none.

    Raises:
        RowError: a line is no JSON; names file and line.
    """
    folder = get_datafolder(url)
    if not folder.isfile(path):
        return
    with folder.open(path, "rb") as file:
        for number, line in enumerate(file, 1):
            if line.strip():
                yield decode_json(line, f"{folder.resolve_paths(path)}, line {number}", RowError)


def list_files(url: str, under: str) -> list[str]:
    """Return the whole files of a folder in order, by their paths from the top."""
    folder = get_datafolder(url)
    return [path for path in folder.list_files(under) if ".part-" not in path] if folder.isdir(under) else []


def found_files(urls: Iterable[str]) -> list[str]:
    """Return the files that addresses name, in order: a file, a pattern with ``*``, or all files of a folder.

    Raises:
        ArchiveError: one names nothing.
    """
    result: list[str] = []
    for url in urls:
        filesystem, path = fsspec.core.url_to_fs(url)
        if "*" in path:
            found = sorted(filesystem.glob(path))
        elif filesystem.isdir(path):
            found = sorted(filesystem.find(path))
        else:
            found = [path] if filesystem.exists(path) else []
        if not found:
            raise ArchiveError(f"cannot find {url}: expected a file, a folder or a pattern with *")
        local = "file" in filesystem.protocol
        result += [each if local else filesystem.unstrip_protocol(each) for each in found]
    return result


def absolute(url: str) -> str:
    """Return the address of a folder that means the same in every process; a local path becomes absolute.

    >>> absolute("s3://bucket/pool/")
    's3://bucket/pool'
    """
    return url.rstrip("/") if "://" in url else os.path.abspath(url)


def read_whole(url: str, path: str) -> str:
    """Return the text of a file."""
    with get_datafolder(url).open(path, "rb") as file:
        return str(file.read().decode())
