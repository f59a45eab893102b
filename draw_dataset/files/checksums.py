"""Checksums of a folder, which show whether it still holds the bytes with which it was made.

``SHA256SUMS`` lists the other files of the folder in the format of ``sha256sum --check``. It is written last, so a
folder that has it is complete. Files that were added later are not checked.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from draw_dataset.files.atomic import folder_files, write_atomically

CHECKSUMS = "SHA256SUMS"
"""The file with the checksums of the others."""


def write_checksums(folder: Path) -> None:
    """Write the checksums of all files of a folder into the folder.

    Raises:
        FolderError: the file cannot be written.
    """
    names = [name for name in folder_files(folder) if name != CHECKSUMS]
    write_atomically(folder / CHECKSUMS, "".join(f"{_sha256(folder / name)}  {name}\n" for name in names))


def find_damage(folder: Path) -> str | None:
    """Return what is wrong with a folder that has checksums; None if every listed file has its bytes.

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
