"""The question: how does a folder come into being whole or not at all.

Everything is written into a hidden sibling of the folder, which takes the folder's name when it is complete. A folder
that is to be replaced is first renamed away, and renamed back should the last step fail; it is deleted only when the
new one stands in its place. A process that is killed leaves at most a hidden sibling.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

from draw_dataset.errors import FolderError

CHECKSUMS = "SHA256SUMS"
"""The file with the checksums of the others, written last: a folder that has it is whole."""


@contextmanager
def new_folder(out: Path, force: bool = False) -> Iterator[Path]:
    """Give an empty folder to write in, which becomes `out` when the block ends well and vanishes when it does not.

    Args:
        out: the folder to make; its parents are made, too.
        force: replace it if it holds anything.

    Raises:
        FolderError: it is a file, holds something, may not be replaced, or cannot be written.
    """
    target = out.expanduser().resolve()
    check_target(target, force)
    work = _sibling(target, "building")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        work.mkdir()
        try:
            yield work
            check_target(target, force)  # it may have been filled meanwhile
            _put(work, target)
        finally:
            shutil.rmtree(work, ignore_errors=True)
    except OSError as error:
        if isinstance(error, FolderError):
            raise
        raise FolderError(f"cannot write {out}: {error}") from error


def check_target(target: Path, force: bool) -> None:
    """Say at once if a folder may not be made or replaced.

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
            raise FolderError(f"{target} is or holds {name}, which is not replaced: name another folder")


def folder_files(folder: Path) -> dict[str, int]:
    """Return the files of a folder and their sizes, by path in the folder."""
    found = sorted(path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.stat().st_size for path in found}


def _put(work: Path, target: Path) -> None:
    if not target.exists():
        work.rename(target)
        return
    old = _sibling(target, "replaced")
    target.rename(old)
    try:
        work.rename(target)
    except OSError:
        old.rename(target)
        raise
    shutil.rmtree(old, ignore_errors=True)


def _sibling(target: Path, purpose: str) -> Path:
    return target.parent / f".{target.name}.{uuid4().hex[:12]}.{purpose}"
