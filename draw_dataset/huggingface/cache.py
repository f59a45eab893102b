"""The cached rows of `load_dataset`: are they complete.

The library uses a cached folder as it is: a truncated file ends in a traceback of pyarrow, a changed byte in other
rows, a damaged description in a traceback of json. So a folder gets the checksums of its files when it is built. A
folder whose files do not match is removed before the library uses it, and the library builds the rows again. The lock
is the one under which the library builds: if two processes find the damage, one removes the folder, and the other finds
it complete again or gone. Other cached files there, for example of `Dataset.map`, have no checksums.
"""

from __future__ import annotations

import logging
import shutil
from pathlib import Path

from filelock import FileLock

from draw_dataset.errors import FolderError
from draw_dataset.files.checksums import find_damage, write_checksums

logger = logging.getLogger(__name__)


def seal(folder: str) -> None:
    """Give a folder of cached rows, all written, the checksums of its files.

    Raises:
        FolderError: they cannot be written.
    """
    write_checksums(Path(folder))


def remove_damaged(folder: str) -> None:
    """Remove a folder of cached rows if it is there and damaged.

    Raises:
        FolderError: it is damaged and cannot be removed; says which folder, and why.
    """
    path = Path(folder)
    if not path.is_dir() or find_damage(path) is None:
        return
    try:
        with FileLock(f"{folder}_builder.lock"):
            damage = find_damage(path) if path.is_dir() else None  # another process may have been faster
            if damage is not None:
                logger.warning("The cached rows in %s are damaged (%s); they are built again.", folder, damage)
                shutil.rmtree(path)
    except OSError as error:
        raise FolderError(f"the cached rows in {folder} are damaged and cannot be removed: {error}") from error
