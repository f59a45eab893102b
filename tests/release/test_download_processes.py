"""Several processes and one cache: they download once, and one that is killed spoils nothing."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest
from release import loopback
from release.loopback import CONTENTS, Handler, Loopback

import draw_dataset
from draw_dataset.data.download import LOCK_NAME, DownloadPolicy
from draw_dataset.data.fetch import locate
from draw_dataset.data.manifest import Manifest
from draw_dataset.io.atomic import PART

CHILD = """
import sys
import time
sys.path.insert(0, sys.argv[1])
from release.loopback import CONTENTS, manifest_of
from draw_dataset.data import download  # so that "ready" is really near the request
from draw_dataset.data.fetch import locate
print("ready", flush=True)
print(*sorted(locate("tiny", manifest=manifest_of(CONTENTS, sys.argv[2]))), flush=True)
"""


def start_child(server: Loopback) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", CHILD, str(Path(__file__).parents[1]), server.url],
        cwd=Path(draw_dataset.__file__).parents[1],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_processes_at_once_download_once(server: Loopback, cache: Path) -> None:
    def when_all_are_ready(handler: Handler, body: bytes) -> None:
        server.wake.wait(300)
        # Long enough for the others, ready by now, to ask as well, were it not for the lock.
        server.stalled.wait(0.3)
        loopback.whole(handler, body)

    server.script["big.json"] = [when_all_are_ready] * 3
    children = [start_child(server) for _ in range(3)]
    for child in children:
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
    server.wake.set()
    for child in children:
        out, err = child.communicate(timeout=300)
        assert (child.returncode, out, err) == (0, "big.json ids.txt\n", "")
    assert sorted(server.requests) == sorted(CONTENTS)
    assert {path.name for path in cache.iterdir()} == {*CONTENTS, LOCK_NAME}


def test_a_process_killed_in_the_middle_spoils_nothing(server: Loopback, manifest: Manifest, cache: Path) -> None:
    server.script["big.json"] = [loopback.stall]
    child = start_child(server)
    try:
        assert server.stalled.wait(300)
        while not list(cache.glob(f".*{PART}")):
            assert child.poll() is None
            time.sleep(0.01)
    finally:
        child.kill()
        child.communicate()
    assert len(list(cache.glob(f".*{PART}"))) == 1
    assert not (cache / "big.json").exists()

    found = locate("tiny", policy=DownloadPolicy(lock_timeout=300), manifest=manifest)
    assert {name: path.read_bytes() for name, path in found.items()} == CONTENTS
    assert {path.name for path in cache.iterdir()} == {*CONTENTS, LOCK_NAME}
    assert server.requests.count("big.json") == 2


@pytest.mark.parametrize("name", [".big.json.1.part", ".big.json.99999999.part"])
def test_a_stale_part_is_never_taken_for_the_file(name: str, server: Loopback, manifest: Manifest, cache: Path) -> None:
    cache.mkdir(parents=True)
    (cache / name).write_bytes(CONTENTS["big.json"])
    locate("tiny", manifest=manifest)
    assert server.requests.count("big.json") == 1
    assert {path.name for path in cache.iterdir()} == {*CONTENTS, LOCK_NAME}
