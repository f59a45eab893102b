"""A small release of random bytes, a server that has it, and an empty cache."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from release.loopback import CONTENTS, Loopback, manifest_of

from draw_dataset.data.manifest import Manifest


@pytest.fixture(autouse=True)
def cache_root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keep the machine's settings out, and its cache untouched."""
    for name in ("DRAW_RELEASE_DIR", "DRAW_RELEASE_URL", "HF_HUB_OFFLINE", "HF_DATASETS_OFFLINE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    root = tmp_path / "cache"
    monkeypatch.setenv("DRAW_CACHE_DIR", str(root))
    return root


@pytest.fixture
def cache(cache_root: Path) -> Path:
    return cache_root / "release" / "v1"


@pytest.fixture
def server() -> Iterator[Loopback]:
    server = Loopback(dict(CONTENTS))
    server.start()
    yield server
    server.stop()


@pytest.fixture
def manifest(server: Loopback) -> Manifest:
    return manifest_of(CONTENTS, server.url)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder that a user might name, with every file in it."""
    folder = tmp_path / "mine"
    folder.mkdir()
    for name, body in CONTENTS.items():
        (folder / name).write_bytes(body)
    return folder
