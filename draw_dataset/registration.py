"""The question: how do the bare names work in an environment without ``import draw_dataset``.

At its start the interpreter reads the ``.pth`` files of its site-packages, and runs their lines that begin with
``import``. One such line imports this package, which puts its finder in place (see `draw_dataset.hooks`); no Hugging
Face library is imported. When the package is uninstalled, the file stays behind, so its line must do without it. Files
are read in the order of their names; ours comes late, after those that make editable installs importable.
"""

from __future__ import annotations

import os
import site
import sys
import sysconfig
import tempfile
from contextlib import suppress
from pathlib import Path

from draw_dataset.errors import RegistrationError

FILE_NAME = "zz_draw_dataset_names.pth"
LINE = "import sys; exec('try:\\n import draw_dataset\\nexcept ImportError:\\n pass')\n"


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
        if path.read_text(encoding="utf-8") == LINE:
            return path, False
    refused = []
    for folder in site_folders():
        try:
            _write_whole(folder / FILE_NAME)
        except OSError as error:
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


def _write_whole(path: Path) -> None:
    # An interpreter that starts meanwhile must not read half a line; the suffix keeps it from reading the draft at all.
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, draft = tempfile.mkstemp(dir=path.parent, prefix=f".{FILE_NAME}.", suffix=".draft")
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as sink:
            sink.write(LINE)
        os.chmod(draft, 0o644)  # as pip leaves its files; mkstemp's are readable by their owner only
        os.replace(draft, path)
    except OSError:
        with suppress(OSError):
            os.unlink(draft)
        raise
