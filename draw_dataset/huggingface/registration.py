"""Registration: the bare names work in an environment without ``import draw_dataset``.

At its start the interpreter reads the ``.pth`` files of its site-packages, and runs their lines that begin with
``import``. One such line imports this package, which puts its finder in place (see `draw_dataset.huggingface.hooks`);
no Hugging Face library is imported. If the package is uninstalled or broken, the file remains, so its line must work
without the package, and silently. Files are read in the order of their names; ours comes late, after those that make
editable installs importable.
"""

from __future__ import annotations

import site
import sys
import sysconfig
from contextlib import suppress
from pathlib import Path

from draw_dataset.errors import RegistrationError
from draw_dataset.files import write_atomically

FILE_NAME = "zz_draw_dataset_names.pth"

# Whatever the package raises: the interpreter must start, and site would print a traceback at each start.
LINE = "import sys; exec('try:\\n import draw_dataset\\nexcept Exception:\\n pass')\n"


def site_folders() -> list[Path]:
    """Return the folders of this environment whose ``.pth`` files are read, the preferred one first."""
    folders = [Path(sysconfig.get_path("purelib"))]
    if site.ENABLE_USER_SITE:
        folders.append(Path(site.getusersitepackages()))
    return folders


def registered_in() -> list[Path]:
    """Return our files in this environment."""
    return [path for folder in site_folders() if (path := folder / FILE_NAME).is_file()]


def register() -> tuple[Path, bool]:
    """Write our file into the first folder that lets us.

    Returns:
        The file, and whether it is new or changed.

    Raises:
        RegistrationError: no folder can be written.
    """
    for path in registered_in():
        with suppress(OSError):  # one that cannot be read is written anew
            if path.read_bytes() == LINE.encode():
                return path, False
    refused = []
    for folder in site_folders():
        try:
            # An interpreter that starts meanwhile must not read half a line.
            folder.mkdir(parents=True, exist_ok=True)
            write_atomically(folder / FILE_NAME, LINE)
        except OSError as error:  # FolderError is one
            refused.append(f"{folder}: {error.strerror or error}")
            continue
        return folder / FILE_NAME, True
    raise RegistrationError(f"cannot write {FILE_NAME} into the site-packages of {sys.prefix}: {'; '.join(refused)}")


def unregister() -> list[Path]:
    """Remove our files from this environment, and return them.

    Raises:
        RegistrationError: a file cannot be removed.
    """
    removed = registered_in()
    for path in removed:
        try:
            path.unlink()
        except OSError as error:
            raise RegistrationError(f"cannot remove {path}: {error.strerror or error}") from error
    return removed
