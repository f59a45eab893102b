"""A real browser, where there is one."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
)  # fmt: skip

Browse = Callable[..., str]


@pytest.fixture
def browse(tmp_path: Path) -> Browse:
    """Load an address in Chromium and return the document as it is after its script has run."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if chromium is None:
        pytest.skip("needs Chromium: install the package chromium")

    def load(address: str, *flags: str) -> str:
        command = [chromium, *FLAGS, f"--user-data-dir={tmp_path / 'profile'}", *flags, "--dump-dom", address]
        return subprocess.run(command, capture_output=True, text=True, timeout=300, check=True).stdout

    return load
