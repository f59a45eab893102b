"""Registration: the bare names work in an environment without ``import draw_dataset``.

A line of a ``.pth`` file in site-packages imports this package at each start of the interpreter. It must work silently
without the package, too. Our file sorts late, after those that make editable installs importable.
"""

from __future__ import annotations

import site
import sys
import sysconfig
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from draw_dataset.data.catalog import check_spelling
from draw_dataset.errors import RegistrationError
from draw_dataset.io.atomic import write_atomically

FILE_NAME = "draw_dataset_names.pth"

# Whatever the package raises: the interpreter must start, and site would print a traceback at each start.
LINE = "import sys; exec('try:\\n import draw_dataset\\nexcept Exception:\\n pass')\n"


def site_folders() -> list[Path]:
    """Return the folders of this environment whose ``.pth`` files are read, the preferred one first."""
    folders = [Path(sysconfig.get_path("purelib"))]
    if site.ENABLE_USER_SITE:
        folders.append(Path(site.getusersitepackages()))
    return folders


def registration_files() -> list[Path]:
    """Return our files in this environment."""
    return [path for folder in site_folders() if (path := folder / FILE_NAME).is_file()]


def register() -> tuple[Path, bool]:
    """Write our file into the first folder that lets us; return it, and whether it is new or changed."""
    for path in registration_files():
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
    """Remove our files from this environment, and return them."""
    removed = registration_files()
    for path in removed:
        try:
            path.unlink()
        except OSError as error:
            raise RegistrationError(f"cannot remove {path}: {error.strerror or error}") from error
    return removed


# `evaluate` loads a metric from the folder of its script: ``metric/`` of a checkout, ``_metric`` in a wheel. An
# editable install runs this file from the checkout, where no copy can grow stale.

METRICS = ("derivation_accuracy",)
"""The names that `evaluate.load` takes."""


def find_module(
    original: Callable[..., Any],
    path: str,
    module_type: str | None = None,
    revision: Any = None,
    *args: Any,
    **kwargs: Any,
) -> Any:
    """Answer `evaluate.loading.evaluation_module_factory` for a bare name (see `draw_dataset.data.hooks`)."""
    if revision is None and module_type in (None, "metric"):
        check_spelling(path, METRICS)
        if path in METRICS:
            path = str(metric_folder() / path)
    return original(path, module_type, revision, *args, **kwargs)


def metric_folder() -> Path:
    """Return the folder that holds the folders of the metrics."""
    package = Path(__file__).parents[1]
    installed = package / "_metric"
    return installed if installed.is_dir() else package.parent / "metric"
