"""Download of pinned files into a folder, each completely or not at all.

One process at a time works in the folder, under a lock. A temporary fault is tried again a bounded number of times. At
most the pinned size is read into a temporary file, which is renamed if its hash is right. The timeout limits each
silence; a deadline limits a server that sends a byte now and then.
"""

from __future__ import annotations

import hashlib
import socket
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http.client import HTTPException, HTTPResponse, IncompleteRead
from pathlib import Path
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

from filelock import FileLock, Timeout
from tqdm import tqdm

from draw_dataset.data.manifest import ReleaseFile, check
from draw_dataset.errors import ChecksumError, DownloadError, DrawError, FolderError, ReleaseAccessError
from draw_dataset.io.atomic import PART, atomic_file
from draw_dataset.version import __version__

LOCK_NAME = ".lock"

_CHUNK = 1 << 16
_HEADERS = {"User-Agent": f"draw-dataset/{__version__}", "Accept-Encoding": "identity"}
_TRANSIENT_STATUS = {408, 429}  # and every 5xx
_TRANSIENT_ERRORS = (TimeoutError, ConnectionResetError, ConnectionAbortedError, BrokenPipeError, IncompleteRead)


@dataclass(frozen=True, slots=True)
class DownloadPolicy:
    """The timeouts and retries of a download; all times are in seconds."""

    timeout: float = 20.0  # for the connection, and for each silence of the server
    deadline: float = 300.0  # for one attempt at one file
    attempts: int = 4  # how often a file is asked for in all
    pause: float = 0.5  # before the second attempt; doubled before each further one
    lock_timeout: float = 900.0  # for another process that downloads into the same folder


def fill(folder: Path, wanted: Sequence[tuple[ReleaseFile, str]], policy: DownloadPolicy, quiet: bool) -> None:
    """Download the wanted files, given with their addresses, that the folder does not hold intact."""
    with _alone_in(folder, policy):
        for stale in folder.glob(f".*{PART}"):
            # It is never used as a complete file, so failing to delete it does no harm.
            with suppress(OSError):
                stale.unlink()
        # Another process may have downloaded some of them while we waited for the lock.
        lacking = [(file, url) for file, url in wanted if not _is_intact(folder / file.name, file)]
        total = sum(file.size for file, _ in lacking)
        # disable=None: a bar on a terminal only.
        with tqdm(desc="release", total=total, unit="B", unit_scale=True, disable=True if quiet else None) as progress:
            for file, url in lacking:
                download(url, file, folder / file.name, policy, progress.update)


def download(
    url: str, file: ReleaseFile, target: Path, policy: DownloadPolicy, advance: Callable[[int], object]
) -> None:
    """Download `url` to `target` in some attempts; `advance` gets the bytes received, negative if they are lost."""
    attempt = 1
    while True:
        try:
            return _attempt(url, file, target, policy, advance)
        except DownloadError as error:
            if not error.transient:
                raise
            if attempt >= policy.attempts:
                reason = f"{error.reason} (attempt {attempt} of {policy.attempts})"
                raise DownloadError(url, reason, transient=True) from error
        time.sleep(policy.pause * 2 ** (attempt - 1))
        attempt += 1


def _attempt(
    url: str, file: ReleaseFile, target: Path, policy: DownloadPolicy, advance: Callable[[int], object]
) -> None:
    digest = hashlib.sha256()
    received = 0
    try:
        with _ask(url, policy) as response, atomic_file(target, binary=True) as sink:
            for chunk in _body(response, url, file, policy):
                sink.write(chunk)
                digest.update(chunk)
                received += len(chunk)
                advance(len(chunk))
            if digest.hexdigest() != file.sha256:
                raise ChecksumError(url, file.sha256, digest.hexdigest(), "The downloaded file was deleted.")
    except FolderError as error:
        advance(-received)
        raise ReleaseAccessError(str(target), "write", _reason(error)) from error
    except DrawError:
        advance(-received)
        raise


def _reason(error: FolderError) -> str:
    """Return the reason that the operating system gave."""
    return error.__cause__.strerror or str(error) if isinstance(error.__cause__, OSError) else str(error)


def _ask(url: str, policy: DownloadPolicy) -> HTTPResponse:
    try:
        response: HTTPResponse = urlopen(Request(url, headers=_HEADERS), timeout=policy.timeout)
    except HTTPError as error:
        error.close()
        transient = error.code >= 500 or error.code in _TRANSIENT_STATUS
        raise DownloadError(url, f"the server answered {error.code} {error.reason}", transient) from error
    except (OSError, HTTPException) as error:
        raise _network_error(url, error) from error
    return response


def _body(response: HTTPResponse, url: str, file: ReleaseFile, policy: DownloadPolicy) -> Iterator[bytes]:
    """Yield the body as it comes, but never more than the file's size."""
    end = time.monotonic() + policy.deadline
    promised: int | None = response.length  # None without Content-Length; read1 does not count it down everywhere
    received = 0
    while received != promised:
        try:
            chunk = response.read1(_CHUNK if promised is None else min(_CHUNK, promised - received))
        except (OSError, HTTPException) as error:
            raise _network_error(url, error) from error
        if not chunk:
            break
        received += len(chunk)
        if received > file.size:
            raise DownloadError(url, f"expected {file.size} bytes, but the server sent more")
        if time.monotonic() > end:
            reason = f"only {received} of {file.size} bytes came within {policy.deadline:g} s"
            raise DownloadError(url, reason, transient=True)
        yield chunk
    # A complete body of the wrong length is another file, which its hash will show; this one was truncated.
    if received < file.size and received != promised:
        raise DownloadError(url, f"the body ended after {received} of {file.size} bytes", transient=True)


def _network_error(url: str, error: OSError | HTTPException) -> DownloadError:
    cause = error.reason if isinstance(error, URLError) and isinstance(error.reason, OSError) else error
    reason = f"{type(cause).__name__}: {cause}"
    if isinstance(cause, socket.gaierror):
        transient = cause.errno == socket.EAI_AGAIN
        reason = f"there is no network connection, or no such host ({reason})"
    else:
        transient = isinstance(cause, _TRANSIENT_ERRORS)
    return DownloadError(url, reason, transient)


def _is_intact(path: Path, file: ReleaseFile) -> bool:
    if not path.is_file():
        return False
    try:
        check(path, file)
    except ChecksumError:
        return False
    return True


@contextmanager
def _alone_in(folder: Path, policy: DownloadPolicy) -> Iterator[None]:
    lock = FileLock(folder / LOCK_NAME)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock.acquire(timeout=policy.lock_timeout)
    except Timeout as error:
        reason = f"another process has locked it for {policy.lock_timeout:g} s"
        raise ReleaseAccessError(lock.lock_file, "lock", reason) from error
    except (OSError, NotImplementedError) as error:  # NotImplementedError: a file system without locks
        raise ReleaseAccessError(str(folder), "write or lock", str(error)) from error
    try:
        yield
    finally:
        lock.release()
