"""The question: does this file on the disk hold exactly the bytes of the release.

The file is hashed, and its SHA-256 compared with the pinned one. A process that asks again about a file that
was right gets the answer from its file stamp (device, inode, size, times) without another hash. A stamp is
trusted only if the file had rested for a while when it was hashed: file times are coarse, so that a write
right after the hash could leave them as they were.
"""

from __future__ import annotations

import hashlib
import os
import time
from pathlib import Path

from draw_dataset.errors import ChecksumError, ReleaseAccessError
from draw_dataset.release.manifest import ReleaseFile

_REST_NS = 2_000_000_000  # the coarsest file times in use (FAT) step by two seconds

_Stamp = tuple[int, int, int, int, int]
_known_right: dict[tuple[str, str], _Stamp] = {}


def check(path: Path, file: ReleaseFile, advice: str = "") -> None:
    """Make sure that the file at `path` is `file` of the release.

    Args:
        path: where the file lies.
        file: what it must be.
        advice: ends the message of a mismatch.

    Raises:
        ChecksumError: it holds other bytes.
        ReleaseAccessError: it cannot be read.
    """
    key = (os.path.abspath(path), file.sha256)
    try:
        with open(path, "rb") as source:
            stamp = _stamp(source.fileno())
            if _known_right.get(key) == stamp:
                return
            got = hashlib.file_digest(source, "sha256").hexdigest()
            unchanged = _stamp(source.fileno()) == stamp
    except OSError as error:
        raise ReleaseAccessError(str(path), "read", error.strerror or str(error)) from error
    if got != file.sha256:
        size = stamp[2]
        sizes = f" ({size} bytes instead of {file.size})" if size != file.size else ""
        raise ChecksumError(f"{path}{sizes}", file.sha256, got, advice)
    modified = stamp[3]
    if unchanged and time.time_ns() - modified > _REST_NS:
        _known_right[key] = stamp


def _stamp(descriptor: int) -> _Stamp:
    status = os.fstat(descriptor)
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns
