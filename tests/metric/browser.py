"""A real Chromium for tests, spoken to by the DevTools protocol over two pipes; no driver and no library is needed."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")

# Without these, Chromium as root refuses to start, and any Chromium looks for hosts of its maker.
FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--disable-dev-shm-usage", "--window-size=1000,1400",
)  # fmt: skip


class Page:
    """One page."""

    def __init__(self, to_browser: int, from_browser: int) -> None:
        self._to = to_browser
        self._from = from_browser
        self._count = 0
        self._unread = b""
        self._session: str | None = None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        self._count += 1
        message: dict[str, Any] = {"id": self._count, "method": method, "params": parameters}
        if self._session is not None:
            message["sessionId"] = self._session
        os.write(self._to, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == self._count:
                assert "error" not in answer, answer
                result: dict[str, Any] = answer["result"]
                return result

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._unread:
            read = os.read(self._from, 1 << 16)
            assert read, "the browser went away"
            self._unread += read
        line, _, self._unread = self._unread.partition(b"\0")
        message: dict[str, Any] = json.loads(line)
        return message

    def evaluate(self, script: str) -> Any:
        found = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    def wait_for(self, script: str, seconds: float = 90) -> Any:
        """Return the value of an expression as soon as it is truthy."""
        end = time.monotonic() + seconds
        while not (value := self.evaluate(script)):
            assert time.monotonic() < end, f"waited in vain for {script}; the page: {self.text()[:2000]}"
            time.sleep(0.1)
        return value

    def text(self) -> str:
        return str(self.evaluate("document.body.innerText"))


@contextmanager
def open_page(folder: Path) -> Iterator[Page]:
    """Open a page in a browser of its own, whose profile lies in `folder`."""
    assert CHROMIUM is not None
    in_read, in_write = os.pipe()
    out_read, out_write = os.pipe()
    # The browser reads from descriptor 3 and writes to 4; the shell puts ours there.
    command = [CHROMIUM, *FLAGS, f"--user-data-dir={folder / 'profile'}", "--remote-debugging-pipe"]
    redirect = f'exec "$@" 3<&{in_read} 4>&{out_write}'
    browser = subprocess.Popen(
        ["bash", "-c", redirect, "browser", *command],
        pass_fds=(in_read, out_write),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    os.close(in_read)
    os.close(out_write)
    try:
        yield Page(in_write, out_read)
    finally:
        browser.kill()
        browser.wait()
        os.close(in_write)
        os.close(out_read)
