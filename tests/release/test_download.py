"""What a server may do to a download, and that only whole, right files ever get a name in the cache."""

from __future__ import annotations

import errno
import hashlib
import io
import os
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock
from release import loopback
from release.loopback import CONTENTS, Loopback, Reply

from draw_dataset.data import download
from draw_dataset.data.download import DownloadPolicy
from draw_dataset.data.fetch import locate
from draw_dataset.data.manifest import RELEASE, Manifest
from draw_dataset.errors import ChecksumError, DownloadError, DrawError, ReleaseAccessError

FAST = DownloadPolicy(timeout=60, pause=0.01, attempts=2)
HASTY = DownloadPolicy(timeout=0.5, pause=0.01, attempts=2)  # for servers that stall until the end


def files_in(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()} - {download.LOCK_NAME} if folder.exists() else set()


@pytest.fixture(autouse=True)
def only_right_files(cache: Path) -> Iterator[None]:
    """After every test, whatever it did, the cache holds nothing but right files."""
    yield
    for name in files_in(cache):
        assert (cache / name).read_bytes() == CONTENTS[name]


def test_everything_is_fetched_once(server: Loopback, manifest: Manifest, cache: Path) -> None:
    for _ in range(2):
        assert locate("tiny", policy=FAST, manifest=manifest) == {name: cache / name for name in CONTENTS}
    assert sorted(server.requests) == sorted(CONTENTS)
    assert files_in(cache) == set(CONTENTS)


def test_only_what_is_lacking_is_fetched(server: Loopback, manifest: Manifest) -> None:
    locate("ids.txt", policy=FAST, manifest=manifest)
    locate("tiny", policy=FAST, manifest=manifest)
    assert server.requests == ["ids.txt", "big.json"]


def test_the_cache_is_enough_when_the_server_is_down(manifest: Manifest, server: Loopback, cache: Path) -> None:
    locate("tiny", policy=FAST, manifest=manifest)
    server.shutdown()
    server.server_close()
    assert locate("tiny", policy=FAST, manifest=manifest)["ids.txt"] == cache / "ids.txt"


@pytest.mark.parametrize(
    "reply",
    [loopback.without_length, loopback.chunked, loopback.connection_left_open],
    ids=lambda r: r.__name__,
)
def test_every_way_to_send_a_whole_body_is_understood(reply: Reply, server: Loopback, manifest: Manifest) -> None:
    server.script["big.json"] = [reply]
    locate("tiny", policy=DownloadPolicy(timeout=60, attempts=1), manifest=manifest)
    assert server.requests.count("big.json") == 1


def test_a_redirect_is_followed(server: Loopback, manifest: Manifest) -> None:
    server.script["big.json"] = [loopback.redirect("moved/big.json")]
    locate("tiny", policy=FAST, manifest=manifest)
    assert server.requests.count("big.json") == 2


@pytest.mark.parametrize("how", ["argument", "environment"])
def test_a_mirror_can_be_named(how: str, server: Loopback, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    manifest = loopback.manifest_of(CONTENTS, "http://127.0.0.1:1/public")
    mirror = f"{server.url}/mirror/"
    if how == "environment":
        monkeypatch.setenv("DRAW_RELEASE_URL", mirror)
    locate("tiny", base_url=mirror if how == "argument" else None, policy=FAST, manifest=manifest)
    assert files_in(cache) == set(CONTENTS)


PASSING = {
    "500": loopback.status(500),
    "503": loopback.status(503),
    "429": loopback.status(429),
    "cut": loopback.cut,
    "cut_without_length": loopback.cut_without_length,
    "cut_chunked": loopback.cut_chunked,
    "reset": loopback.reset,
    "stall": loopback.stall,
}


@pytest.mark.parametrize("fault", PASSING)
def test_a_passing_fault_is_tried_again(fault: str, server: Loopback, manifest: Manifest) -> None:
    server.script["big.json"] = [PASSING[fault]]
    if fault == "stall":
        # On a busy machine a good answer may take half a second as well: then there are more attempts.
        locate("tiny", policy=DownloadPolicy(timeout=0.5, pause=0.01, attempts=50), manifest=manifest)
        assert server.requests.count("big.json") >= 2
    else:
        locate("tiny", policy=FAST, manifest=manifest)
        assert server.requests.count("big.json") == 2


@pytest.mark.parametrize(
    ("fault", "told"),
    [
        ("500", "the server answered 500"),
        ("cut", "ended after 150000 of 300000 bytes"),
        ("cut_without_length", "ended after 150000 of 300000 bytes"),
        ("cut_chunked", "IncompleteRead"),
        ("reset", "ConnectionResetError"),
        ("stall", "TimeoutError"),
    ],
)
def test_a_fault_that_stays_is_told_after_the_last_attempt(
    fault: str, told: str, server: Loopback, manifest: Manifest, cache: Path
) -> None:
    server.script["big.json"] = [PASSING[fault]] * 9
    with pytest.raises(DownloadError) as caught:
        locate("big.json", policy=HASTY if fault == "stall" else FAST, manifest=manifest)
    error = caught.value
    assert error.url == f"{server.url}/big.json"
    assert told in error.reason
    assert "attempt 2 of 2" in error.reason
    assert error.transient
    assert server.requests == ["big.json"] * 2
    assert files_in(cache) == set()


def test_a_server_that_drips_meets_the_deadline(server: Loopback, manifest: Manifest, cache: Path) -> None:
    server.script["big.json"] = [loopback.drip]
    policy = DownloadPolicy(timeout=60, deadline=0.1, attempts=1)
    with pytest.raises(DownloadError, match=r"\b300000\b.*\b0\.1\b"):
        locate("big.json", policy=policy, manifest=manifest)
    assert files_in(cache) == set()


@pytest.mark.parametrize("kind", [DownloadError, DrawError, ConnectionError, OSError])
def test_a_404_is_told_at_once_with_the_other_ways(
    kind: type[Exception], server: Loopback, manifest: Manifest, cache: Path
) -> None:
    server.script["big.json"] = [loopback.status(404)]
    with pytest.raises(kind) as caught:
        locate("tiny", policy=FAST, manifest=manifest)
    message = str(caught.value)
    assert message.startswith(f"{server.url}/big.json: ")
    assert "404" in message.splitlines()[0]
    for way in ("data_dir=", "DRAW_RELEASE_DIR=", "DRAW_RELEASE_URL", '"sample"'):
        assert way in message
    assert server.requests == ["big.json"]
    assert files_in(cache) == set()


def test_a_server_that_is_down_is_told_at_once(server: Loopback, manifest: Manifest) -> None:
    server.shutdown()
    server.server_close()
    with pytest.raises(DownloadError, match="ConnectionRefusedError") as caught:
        locate("tiny", policy=FAST, manifest=manifest)
    assert "attempt" not in caught.value.reason


@pytest.mark.parametrize(
    ("change", "reply"),
    [
        (lambda body: body[:1000] + bytes([body[1000] ^ 1]) + body[1001:], loopback.whole),
        (lambda body: body[:1000] + bytes([body[1000] ^ 1]) + body[1001:], loopback.without_length),
        (lambda body: b"<html>please log in</html>", loopback.whole),
        (lambda body: b"", loopback.whole),
    ],
    ids=["a wrong byte", "a wrong byte, no length", "another page", "an empty body"],
)
def test_other_bytes_are_deleted_and_told(
    change: Any, reply: Reply, server: Loopback, manifest: Manifest, cache: Path
) -> None:
    server.script["big.json"] = [loopback.other(change, reply)]
    with pytest.raises(ChecksumError) as caught:
        locate("big.json", policy=FAST, manifest=manifest)
    assert caught.value.expected == hashlib.sha256(CONTENTS["big.json"]).hexdigest()
    assert caught.value.got == hashlib.sha256(change(CONTENTS["big.json"])).hexdigest()
    assert server.requests == ["big.json"]
    assert files_in(cache) == set()
    locate("tiny", policy=FAST, manifest=manifest)


@pytest.mark.parametrize("reply", [loopback.whole, loopback.without_length, loopback.chunked])
def test_no_more_than_the_size_is_read(reply: Reply, server: Loopback, manifest: Manifest, cache: Path) -> None:
    server.script["big.json"] = [loopback.other(lambda body: body * 20, reply)]
    with pytest.raises(DownloadError, match=r"\b300000\b"):
        locate("big.json", policy=FAST, manifest=manifest)
    assert files_in(cache) == set()


def test_a_damaged_file_of_the_cache_is_fetched_again(
    server: Loopback, manifest: Manifest, cache: Path, caplog: pytest.LogCaptureFixture
) -> None:
    locate("tiny", policy=FAST, manifest=manifest)
    (cache / "big.json").write_bytes(b"damaged")
    locate("tiny", policy=FAST, manifest=manifest)
    assert server.requests == ["big.json", "ids.txt", "big.json"]
    assert "big.json" in caplog.text


class Full(io.BytesIO):
    """A file on a full disk."""

    def write(self, data: Any) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize("step", ["write", "fsync", "replace"])
def test_a_disk_that_fails_leaves_nothing(
    step: str, server: Loopback, manifest: Manifest, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*args: Any) -> Any:
        raise OSError(errno.ENOSPC, "No space left on device")

    def open_full(handle: int, **mode: Any) -> Full:
        os.close(handle)
        return Full()

    with monkeypatch.context() as patch:
        patch.setattr(os, *(("fdopen", open_full) if step == "write" else (step, fail)))
        with pytest.raises(ReleaseAccessError) as refused:
            locate("tiny", policy=FAST, manifest=manifest)
        assert refused.value.path.endswith("big.json")
        assert refused.value.reason == os.strerror(28)
    assert server.requests == ["big.json"]
    assert files_in(cache) == set()
    locate("tiny", policy=FAST, manifest=manifest)


def test_an_interrupt_leaves_nothing(manifest: Manifest, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*args: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", interrupt)
        with pytest.raises(KeyboardInterrupt):
            locate("tiny", policy=FAST, manifest=manifest)
    assert files_in(cache) == set()
    locate("tiny", policy=FAST, manifest=manifest)


def test_a_cache_that_cannot_be_made_is_named(cache_root: Path, manifest: Manifest) -> None:
    cache_root.write_text("a file where the folder should be")
    with pytest.raises(ReleaseAccessError, match="release"):
        locate("tiny", policy=FAST, manifest=manifest)


def test_a_lock_that_is_never_freed_is_named(manifest: Manifest, server: Loopback, cache: Path) -> None:
    cache.mkdir(parents=True)
    held, done = threading.Event(), threading.Event()

    def hold() -> None:
        with FileLock(cache / download.LOCK_NAME):
            held.set()
            done.wait(300)

    holder = threading.Thread(target=hold)
    holder.start()
    assert held.wait(300)
    try:
        with pytest.raises(ReleaseAccessError, match=r"\.lock\b"):
            locate("tiny", policy=DownloadPolicy(lock_timeout=0.1), manifest=manifest)
    finally:
        done.set()
        holder.join()
    assert server.requests == []


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("stream", "quiet", "shown"),
    [(Terminal(), False, True), (Terminal(), True, False), (io.StringIO(), False, False)],
    ids=["terminal", "terminal, quiet", "no terminal"],
)
def test_progress_is_for_terminals(
    stream: io.StringIO, quiet: bool, shown: bool, manifest: Manifest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stderr", stream)
    locate("tiny", policy=FAST, quiet=quiet, manifest=manifest)
    assert ("100%" in stream.getvalue()) == shown
    assert bool(stream.getvalue()) == shown


def test_progress_counts_a_lost_attempt_back(
    server: Loopback, manifest: Manifest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    server.script["big.json"] = [loopback.cut]
    gained: list[int] = []
    file = manifest.files["big.json"]
    download.download(manifest.url(file), file, tmp_path / "big.json", FAST, gained.append)
    assert sum(gained) == file.size
    assert -150_000 in gained


@pytest.mark.release
def test_the_release_itself_comes_whole(release_dir: Path, tmp_path: Path) -> None:
    contents = {name: (release_dir / name).read_bytes() for name in RELEASE.files}
    server = Loopback(contents)
    server.start()
    try:
        found = locate(["draw1k", "alg514", "dolphin_l"], base_url=server.url, policy=FAST)
    finally:
        server.stop()
    assert {name: path.read_bytes() for name, path in found.items()} == contents
    assert sorted(server.requests) == sorted(contents)
    assert {path.parent for path in found.values()} == {tmp_path / "cache" / "release" / RELEASE.version}
    assert locate("draw1k", release_dir)["draw.json"] == release_dir / "draw.json"
