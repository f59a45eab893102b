"""Files of the release on this machine: where they are, and how they are downloaded if they are missing.

A file comes from the folder that the caller names, and only from there; else from DRAW_RELEASE_DIR, our cache or the
network. Every file is checked against its SHA-256. A wrong one is an error, but in our cache it is downloaded again.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from draw_dataset.data.manifest import RELEASE, Manifest, ReleaseFile, check
from draw_dataset.errors import ChecksumError, DownloadError, ReleaseFileMissing

if TYPE_CHECKING:
    from draw_dataset.data.download import DownloadPolicy

FOLDER_VARIABLE = "DRAW_RELEASE_DIR"
CACHE_VARIABLE = "DRAW_CACHE_DIR"
OFFLINE_VARIABLES = ("HF_HUB_OFFLINE", "HF_DATASETS_OFFLINE")

_TRUE = {"1", "ON", "YES", "TRUE"}  # as huggingface_hub and datasets read them
_SAMPLE = 'The sample works at once, without any file: load_dataset("draw1k", "sample").'

logger = logging.getLogger(__name__)


def locate(
    what: str | Iterable[str],
    data_dir: str | os.PathLike[str] | None = None,
    *,
    base_url: str | None = None,
    policy: DownloadPolicy | None = None,
    quiet: bool = False,
    manifest: Manifest = RELEASE,
) -> dict[str, Path]:
    """Return the checked files of datasets or file names by name; download them if need be and `data_dir` is None."""
    files = manifest.select(what)
    if data_dir is not None:
        folder = Path(data_dir).expanduser()
        found, missing = _take(folder, files, "data_dir")
        if missing:
            raise ReleaseFileMissing(_names(missing), f"data_dir={_describe(folder)}")
        return found

    found, missing = {}, list(files)
    named = os.environ.get(FOLDER_VARIABLE)
    if named:
        folder = Path(named).expanduser()
        found, missing = _take(folder, files, FOLDER_VARIABLE)
        if missing:
            logger.warning("%s=%s lacks %s", FOLDER_VARIABLE, _describe(folder), ", ".join(_names(missing)))
    if missing:
        found |= _from_cache(missing, base_url, policy, quiet, manifest)
    return {file.name: found[file.name] for file in files}


def cache_root() -> Path:
    """Return the folder of everything we keep: DRAW_CACHE_DIR, else ``draw_dataset`` in XDG_CACHE_HOME or ~/.cache."""
    own = os.environ.get(CACHE_VARIABLE)
    if own:
        return Path(own).expanduser()
    shared = Path(os.environ.get("XDG_CACHE_HOME", ""))
    # The XDG specification says that relative paths are ignored.
    return (shared if shared.is_absolute() else Path.home() / ".cache") / "draw_dataset"


def cache_folder(manifest: Manifest = RELEASE) -> Path:
    """Return the folder that downloads go to, which need not exist: ``release/<commit>`` in `cache_root`."""
    return cache_root() / "release" / manifest.version


def _from_cache(
    files: Sequence[ReleaseFile], base_url: str | None, policy: DownloadPolicy | None, quiet: bool, manifest: Manifest
) -> dict[str, Path]:
    """Return the files' paths in the cache, after filling it with those it lacks."""
    cache = cache_folder(manifest)
    offline = next((name for name in OFFLINE_VARIABLES if os.environ.get(name, "").upper() in _TRUE), None)
    missing = []
    for file in files:
        path = cache / file.name
        if not path.is_file():
            missing.append(file)
            continue
        try:
            check(path, file)
        except ChecksumError as error:
            if offline:
                raise
            logger.warning("%s\nThis cached file is fetched again.", error)
            missing.append(file)
    if missing and offline:
        where = f"the cache ({cache}), with downloads forbidden by {offline},"
        raise ReleaseFileMissing(_names(missing), where, _ways(cache))
    if missing:
        # Imported here: importing urllib, filelock and tqdm takes longer than checking the files.
        from draw_dataset.data.download import DownloadPolicy, fill

        wanted = [(file, manifest.url(file, base_url)) for file in missing]
        try:
            fill(cache, wanted, policy or DownloadPolicy(), quiet)
        except DownloadError as error:
            raise DownloadError(error.url, error.reason, error.transient, _ways(cache)) from error
    return {file.name: cache / file.name for file in files}


def _take(folder: Path, files: Sequence[ReleaseFile], named_by: str) -> tuple[dict[str, Path], list[ReleaseFile]]:
    """Split files into those a folder named by the user has, checked, and those it lacks."""
    found, missing = {}, []
    for file in files:
        path = folder / file.name
        if path.is_file():
            check(path, file, f"It was taken from the folder named by {named_by}; the released file is needed.")
            found[file.name] = path
        else:
            missing.append(file)
    return found, missing


def _ways(cache: Path) -> str:
    named = os.environ.get(FOLDER_VARIABLE)
    now = f"it is {_describe(Path(named).expanduser())} and lacks them" if named else "it is not set"
    return (
        "The files can be provided in three ways:\n"
        '  1. the argument data_dir=FOLDER, as in load_dataset("draw1k", data_dir=FOLDER);\n'
        f"  2. the environment variable {FOLDER_VARIABLE}=FOLDER ({now});\n"
        f"  3. a network connection, once: the files then stay in the cache, {cache}\n"
        "     (DRAW_CACHE_DIR moves it; DRAW_RELEASE_URL names a mirror).\n"
        f"{_SAMPLE}"
    )


def _describe(folder: Path) -> str:
    return str(folder) if folder.is_dir() else f"{folder} (no such folder)"


def _names(files: Iterable[ReleaseFile]) -> tuple[str, ...]:
    return tuple(file.name for file in files)
