"""Interpreters of their own, for what depends on the order of imports, the working directory or the environment."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import draw_dataset

ROOT = Path(draw_dataset.__file__).parents[1]

# Put before a program: whatever reaches for the network fails at once. Sockets of the machine itself stay, as the
# workers of num_proc talk through them.
NO_NETWORK = """
import socket
def refused(*args, **kwargs):
    raise AssertionError(f"the network was used: {args} {kwargs}")
genuine_connect = socket.socket.connect
def connect(self, address):
    return genuine_connect(self, address) if self.family == socket.AF_UNIX else refused(address)
socket.socket.connect = socket.socket.connect_ex = connect
socket.getaddrinfo = socket.create_connection = refused
"""

OFFLINE = {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1"}


def environment(home: Path, **variables: str) -> dict[str, str]:
    """Return an environment whose caches lie in `home`, with this package importable and no release at hand."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("HF_", "DRAW_", "PYTHON"))}
    return {
        **kept,
        "HOME": str(home),
        "HF_HOME": str(home / "hf"),
        "HF_DATASETS_CACHE": str(home / "hf" / "datasets"),
        "HF_DATASETS_DISABLE_PROGRESS_BARS": "1",
        "DRAW_CACHE_DIR": str(home / "draw"),
        "PYTHONPATH": str(ROOT),
        **variables,
    }


def start(code: str, home: Path, cwd: Path | None = None, **variables: str) -> subprocess.Popen[str]:
    """Start a program, by default in an empty folder."""
    if cwd is None:
        cwd = home / "empty"
        cwd.mkdir(exist_ok=True)
    return subprocess.Popen(
        [sys.executable, "-c", code],
        cwd=cwd,
        env=environment(home, **variables),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def finish(process: subprocess.Popen[str]) -> str:
    """Return what a program printed, once it has ended well."""
    out, err = process.communicate(timeout=240)
    assert process.returncode == 0, err
    return out.strip()


def run(code: str, home: Path, cwd: Path | None = None, **variables: str) -> str:
    """Run a program and return what it printed."""
    return finish(start(code, home, cwd, **variables))
