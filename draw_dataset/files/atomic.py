"""Atomic writing: a file or a folder appears complete, or not at all.

A file is written next to its place under a random name, created exclusively, flushed to the disk, and renamed. A link
is followed: its target is replaced, and the link stays. Some things cannot be replaced and are written to directly: a
device, a pipe, a socket, an open descriptor such as ``/dev/stdout``, and ``-``, which is standard output.

A folder is made in the same way: a hidden folder next to it gets its name when it is complete. A folder that is to be
replaced is first renamed, and renamed back if the last step fails.
"""

from __future__ import annotations

import os
import secrets
import shutil
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from draw_dataset.errors import DrawError, FolderError

STANDARD = "-"
"""The name that stands for standard input or output."""

PART = ".part"
"""How the name of an unfinished file ends."""

_LONGEST_NAME = 200  # bytes of a name that leave room for what is added to it
_MOST_LINKS = 40


@contextmanager
def atomic_file(path: str | os.PathLike[str], *, binary: bool = False) -> Iterator[IO[Any]]:
    """Open a file for writing; it replaces `path` when everything is written, and leaves no trace after an error.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     with atomic_file(Path(folder, "new.txt")) as file:
    ...         _ = file.write("all of it")
    ...     Path(folder, "new.txt").read_text()
    'all of it'

    Args:
        path: the file; ``-`` is standard output. Devices and pipes are written to directly.
        binary: whether bytes are written; otherwise UTF-8 text with unchanged line ends.

    Raises:
        FolderError: the file cannot be written. Errors inside the block pass through unchanged. So do the
            `BrokenPipeError` of a reader that has gone and errors of standard output, which `cli` reports.
    """
    if os.fspath(path) == STANDARD:
        stream = sys.stdout.buffer if binary else sys.stdout
        yield stream
        stream.flush()
    elif _is_stream(path):
        with _explained(path), open(path, **_mode(binary)) as file:
            yield file
    else:
        yield from _replaced(path, binary)


def write_atomically(path: str | os.PathLike[str], content: str | bytes) -> None:
    """Write a text, or bytes, to a file, whole or not at all.

    Raises:
        FolderError: it cannot be written.
    """
    with atomic_file(path, binary=isinstance(content, bytes)) as file:
        file.write(content)


def check_writable(path: str | os.PathLike[str]) -> None:
    """Raise an error if a file cannot be written, before the work starts; nothing is created.

    Raises:
        FolderError: the folder does not exist or may not be written, or `path` is a folder.
    """
    if os.fspath(path) == STANDARD or _is_stream(path):
        return
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise FolderError(f"cannot write {path}: it is a folder")
    if not target.parent.is_dir():
        raise FolderError(f"cannot write {path}: there is no folder {target.parent}")
    if not os.access(target.parent, os.W_OK | os.X_OK):
        raise FolderError(f"cannot write {path}: the folder {target.parent} is not writable")


def _replaced(path: str | os.PathLike[str], binary: bool) -> Iterator[IO[Any]]:
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise FolderError(f"cannot write {path}: it is a folder")
    draft = target.with_name(f"{_hidden(target)}{PART}")
    with _explained(path):
        # The mode is what the umask leaves of 0666, as for any other file of the user's.
        handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0), 0o666)
        try:
            with os.fdopen(handle, **_mode(binary)) as file:
                yield file
                file.flush()
                os.fsync(file.fileno())
            os.replace(draft, target)
            _sync_folder(target.parent)
        finally:
            draft.unlink(missing_ok=True)


def _mode(binary: bool) -> dict[str, Any]:
    return {"mode": "wb"} if binary else {"mode": "w", "encoding": "utf-8", "newline": "\n"}


@contextmanager
def _explained(path: str | os.PathLike[str]) -> Iterator[None]:
    try:
        yield
    except (DrawError, BrokenPipeError):
        raise  # though both may be OSErrors
    except OSError as error:
        raise FolderError(f"cannot write {path}: {error.strerror or error}") from error
    except UnicodeEncodeError as error:
        got = f"{error.object[error.start : error.start + 1]!r}"
        raise FolderError(f"cannot write {path}: expected text that UTF-8 can hold, but got {got}") from error


def _is_stream(path: str | os.PathLike[str]) -> bool:
    """Say whether a path is written to directly instead of being replaced."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            return not os.path.isdir(path)
    except OSError:
        return False
    # A regular file that a process has open: replacing it would cut that process off from it.
    hop = os.path.abspath(path)
    for _ in range(_MOST_LINKS):
        folder = os.path.dirname(hop)
        if folder == "/dev/fd" or (folder.startswith("/proc/") and folder.endswith("/fd")):
            return True
        try:
            hop = os.path.normpath(os.path.join(folder, os.readlink(hop)))
        except OSError:
            return False
    return False


def _hidden(target: Path) -> str:
    """Return a hidden random name next to a file or folder."""
    name = os.fsdecode(os.fsencode(target.name)[:_LONGEST_NAME])
    return f".{name}.{secrets.token_hex(8)}"


def _sync_folder(folder: Path) -> None:
    """Flush a rename to the disk, if the system can."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


@contextmanager
def new_folder(out: Path, force: bool = False) -> Iterator[Path]:
    """Yield an empty folder to write in; it becomes `out` when the block ends without an error, else it is deleted.

    Args:
        out: the folder to make; its parents are made as well.
        force: replace it if it is not empty.

    Raises:
        FolderError: it is a file, is not empty, may not be replaced, or cannot be written.
    """
    target = out.expanduser().resolve()
    check_target(target, force)
    work = target.with_name(f"{_hidden(target)}.building")
    with _explained(out):
        target.parent.mkdir(parents=True, exist_ok=True)
        work.mkdir()
        try:
            yield work
            check_target(target, force)  # it may have been filled meanwhile
            _sync_tree(work)
            _put(work, target)
            _sync_folder(target.parent)
        finally:
            shutil.rmtree(work, ignore_errors=True)


def check_target(target: Path, force: bool) -> None:
    """Raise an error if a folder may not be made or replaced.

    Raises:
        FolderError: why not.
    """
    if target.exists() and not target.is_dir():
        raise FolderError(f"expected a folder to write, but {target} is a file")
    if not target.is_dir() or not any(target.iterdir()):
        return
    if not force:
        raise FolderError(f"{target} is not empty: name another folder, or replace it with --force")
    for place, name in ((Path.cwd(), "the working directory"), (Path.home(), "your home folder")):
        if place.resolve().is_relative_to(target):
            raise FolderError(f"{target} is or contains {name}, which is never replaced: name another folder")


def folder_files(folder: Path) -> dict[str, int]:
    """Return the files of a folder and their sizes, by path in the folder."""
    found = sorted(path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.stat().st_size for path in found}


def _sync_tree(folder: Path) -> None:
    for place, _, names in os.walk(folder):
        for name in names:
            handle = os.open(os.path.join(place, name), os.O_RDONLY)
            try:
                os.fsync(handle)
            finally:
                os.close(handle)
        _sync_folder(Path(place))


def _put(work: Path, target: Path) -> None:
    if not target.exists():
        work.rename(target)
        return
    old = target.with_name(f"{_hidden(target)}.replaced")
    target.rename(old)
    try:
        work.rename(target)
    except OSError:
        old.rename(target)
        raise
    shutil.rmtree(old, ignore_errors=True)
