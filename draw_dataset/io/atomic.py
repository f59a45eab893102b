"""Atomic files and folders: they appear complete, or not at all.

They are written next to their place under a hidden random name, flushed, and renamed. Links are followed; devices,
pipes, open descriptors and ``-`` are written to directly. Every error is a `FolderError`, except those inside a block,
the `BrokenPipeError` of a reader that has gone, and those of standard output, which `cli` reports.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import shutil
import stat
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from draw_dataset.errors import DrawError, FolderError

STANDARD = "-"  #: the name that stands for standard input or output
PART = ".part"  #: the suffix of an unfinished file

_LONGEST_NAME = 200  # bytes of a name that leave room for what is added to it
_MOST_LINKS = 40


@contextmanager
def atomic_file(path: str | os.PathLike[str], *, binary: bool = False) -> Iterator[IO[Any]]:
    """Open a file for writing as UTF-8 or bytes; it replaces `path` at the end, and leaves no trace after an error.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     with atomic_file(Path(folder, "new.txt")) as file:
    ...         _ = file.write("all of it")
    ...     Path(folder, "new.txt").read_text()
    'all of it'
    """
    if os.fspath(path) == STANDARD:
        stream = sys.stdout.buffer if binary else sys.stdout
        yield stream
        stream.flush()
    elif _is_stream(path):
        with _explain_errors(path), open(path, **_mode(binary)) as file:
            yield file
    else:
        yield from _replace_file(path, binary)


def write_atomically(path: str | os.PathLike[str], content: str | bytes) -> None:
    """Write a text, or bytes, to a file, whole or not at all."""
    with atomic_file(path, binary=isinstance(content, bytes)) as file:
        file.write(content)


def check_writable(path: str | os.PathLike[str]) -> None:
    """Raise an error if a file cannot be written, before the work starts; nothing is created."""
    if os.fspath(path) == STANDARD or _is_stream(path):
        return
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise FolderError(f"cannot write {path}: it is a folder")
    if not target.parent.is_dir():
        raise FolderError(f"cannot write {path}: there is no folder {target.parent}")
    if not os.access(target.parent, os.W_OK | os.X_OK):
        raise FolderError(f"cannot write {path}: the folder {target.parent} is not writable")


def check_apart(
    outputs: Iterable[str | os.PathLike[str] | None], inputs: Iterable[str | os.PathLike[str] | None]
) -> None:
    """Raise an error if a file would be written over another one of the same run, before the work starts."""
    taken = {os.path.realpath(path): "input" for path in inputs if path is not None and os.fspath(path) != STANDARD}
    for path in outputs:
        if path is None or os.fspath(path) == STANDARD or _is_stream(path):
            continue
        target = os.path.realpath(path)
        if target in taken:
            raise FolderError(f"cannot write {path}: it is an {taken[target]} of the same run; name another file")
        taken[target] = "output"


def _replace_file(path: str | os.PathLike[str], binary: bool) -> Iterator[IO[Any]]:
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise FolderError(f"cannot write {path}: it is a folder")
    draft = target.with_name(f"{_make_hidden_name(target)}{PART}")
    with _explain_errors(path):
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
def _explain_errors(path: str | os.PathLike[str]) -> Iterator[None]:
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
    """Decide whether a path is written to directly instead of being replaced."""
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


def _make_hidden_name(target: Path) -> str:
    """Return a hidden random name next to a file or folder."""
    name = os.fsdecode(os.fsencode(target.name)[:_LONGEST_NAME])
    return f".{name}.{secrets.token_hex(8)}"


def _sync(path: str | os.PathLike[str]) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _sync_folder(folder: str | os.PathLike[str]) -> None:
    """Flush a rename to the disk, if the system can."""
    with suppress(OSError):
        _sync(folder)


@contextmanager
def new_folder(out: Path, force: bool = False) -> Iterator[Path]:
    """Yield an empty folder that becomes `out` after the block, or is deleted after an error; `force` replaces one."""
    target = out.expanduser().resolve()
    check_target(target, force)
    work = target.with_name(f"{_make_hidden_name(target)}.building")
    with _explain_errors(out):
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
    """Raise an error if a folder may not be made or replaced."""
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
            _sync(os.path.join(place, name))
        _sync_folder(place)


def _put(work: Path, target: Path) -> None:
    if not target.exists():
        work.rename(target)
        return
    old = target.with_name(f"{_make_hidden_name(target)}.replaced")
    target.rename(old)
    try:
        work.rename(target)
    except OSError:
        old.rename(target)
        raise
    shutil.rmtree(old, ignore_errors=True)


CHECKSUMS = "SHA256SUMS"
"""The checksums of a folder, as for ``sha256sum --check``; written last. Files that are added later are not checked."""


def write_checksums(folder: Path) -> None:
    """Write the checksums of all files of a folder into the folder."""
    names = [name for name in folder_files(folder) if name != CHECKSUMS]
    write_atomically(folder / CHECKSUMS, "".join(f"{_sha256(folder / name)}  {name}\n" for name in names))


def find_damage(folder: Path) -> str | None:
    """Return the damage of a folder with checksums; None if every listed file has its bytes.

    >>> find_damage(Path("/nowhere"))
    'SHA256SUMS cannot be read'
    """
    try:
        lines = (folder / CHECKSUMS).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return f"{CHECKSUMS} cannot be read"
    if not lines:
        return f"{CHECKSUMS} is empty"
    for line in lines:
        digest, _, name = line.partition("  ")
        try:
            if not name or _sha256(folder / name) != digest:
                return f"{name or CHECKSUMS} has changed since it was written"
        except (OSError, ValueError):  # ValueError: no file can have such a name
            return f"{name[:100]!r} cannot be read"
    return None


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
