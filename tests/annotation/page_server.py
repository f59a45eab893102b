"""A page that is really served, by a process of its own that can be killed and started again."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

from interpreter import environment
from ports import free_port

# Whatever the server itself asks of another machine is refused and noted.
_GUARD = """
import signal, socket, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
genuine = socket.socket.connect
def connect(self, address):
    # To connect a datagram socket sends nothing: it tells which address of this machine would be used.
    streams = self.family != socket.AF_UNIX and self.type != socket.SOCK_DGRAM
    if streams and address[0] not in ("127.0.0.1", "::1", "localhost"):
        print("OUTGOING", address, file=sys.stderr, flush=True)
        raise ConnectionRefusedError(address)
    return genuine(self, address)
socket.socket.connect = connect
from draw_dataset.cli import main
sys.exit(main(sys.argv[1:]))
"""


class Server:
    """``draw annotate serve`` on a store."""

    def __init__(self, folder: Path, store: Path, *more: str, port: int | None = None) -> None:
        self.folder = folder
        self.port = free_port() if port is None else port
        self._arguments = ["annotate", "serve", "--store", str(store), "--port", str(self.port), "--json", *more]
        self._process: subprocess.Popen[str] | None = None
        self.said: dict[str, str | None] = {}

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def log(self) -> str:
        return (self.folder / "server.log").read_text()

    def begin(self) -> None:
        """Start the process; `wait` says when it serves."""
        variables = {name: value for name, value in environment(self.folder).items() if "proxy" not in name.lower()}
        with (self.folder / "server.log").open("a") as sink:
            self._process = subprocess.Popen(
                [sys.executable, "-c", _GUARD, *self._arguments],
                cwd=self.folder,
                env=variables,
                stdout=subprocess.PIPE,
                stderr=sink,
                text=True,
            )

    def wait(self) -> None:
        assert self._process is not None
        assert self._process.stdout is not None
        timer = threading.Timer(300, self._process.kill)
        timer.start()
        line = self._process.stdout.readline()
        timer.cancel()
        assert line, self.log
        self.said = json.loads(line)

    def kill(self) -> None:
        """End it as a failing machine would: nothing is closed, nothing is written any more."""
        assert self._process is not None
        os.kill(self._process.pid, signal.SIGKILL)
        self._process.wait(timeout=300)
        assert self._process.stdout is not None
        self._process.stdout.close()

    def interrupt(self) -> int:
        """End it as Ctrl-C does; returns its exit status."""
        assert self._process is not None
        self._process.send_signal(signal.SIGINT)
        self._process.communicate(timeout=300)
        return self._process.returncode

    def end(self) -> None:
        """End it if it is still there."""
        if self._process is not None and self._process.poll() is None:
            self.kill()
