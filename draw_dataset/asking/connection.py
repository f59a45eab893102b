"""One POST within limits: the whole response is bounded in time and bytes, and no redirect is followed.

A timeout of a socket limits one silence, and `http.client` limits one line and the number of headers. A server can keep
within both for ever: by a drip of headers, of a body or of an error, or by ``100 Continue`` again and again. So
everything that `http.client` reads, of a proxy as well, comes through one reader, which checks the limits before and
after each read.

Why not httpx: it follows no redirect by itself either, but its timeouts are for each read, so a drip passes them, and a
reader below it would be needed all the same. Nor is it always there: of huggingface-hub the oldest version that we
allow brings requests, and the newest brings httpx2.
"""

from __future__ import annotations

import http.client
import io
import socket
import threading
import time
import urllib.request
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any
from urllib.parse import urlsplit

from draw_dataset.errors import AskError

MAX_BYTES = 1 << 24
"""The most bytes of one response, with its headers."""

UNREADABLE = (OSError, http.client.HTTPException, ValueError, OverflowError)
"""What `post`, and reading its response, raise for a connection or an answer that is bad.

ValueError and OverflowError come of sizes of chunks that are none, and of names of proxies that cannot be looked up.
"""

_STEP = 0.2
"""How many seconds a read waits before it looks whether the run is stopped."""


@dataclass(slots=True)
class Limits:
    """What one response may take.

    Attributes:
        timeout: how many seconds the server may be silent.
        time_limit: how many seconds the response may take.
        stopped: set if the response is not wanted any more.
        until: when the response must be there; a monotonic time.
        left: how many more bytes may come.
    """

    timeout: float
    time_limit: float
    stopped: threading.Event = field(default_factory=threading.Event)
    until: float = field(init=False)
    left: int = field(init=False)

    def __post_init__(self) -> None:
        self.until = time.monotonic() + self.time_limit
        self.left = MAX_BYTES

    def exceeded(self, silent: float) -> AskError | None:
        """Return which limit of time is exceeded after so many seconds of silence, if one is."""
        if time.monotonic() >= self.until:
            told = f"the response takes longer than the time limit of {self.time_limit:g} s"
        elif silent >= self.timeout:
            told = f"no answer within {self.timeout:g} s"
        else:
            return None
        return AskError(told, transient=True)


def post(address: str, content: bytes, headers: Mapping[str, str], limits: Limits) -> http.client.HTTPResponse:
    """Send a request and return the response, whatever its status is; a redirect is a response, too.

    Proxies and certificates are those of the environment (``https_proxy``, ``no_proxy``, ``SSL_CERT_FILE`` …).

    Raises:
        AskError: the response does not keep within the limits; reading it raises this as well.
        UNREADABLE: there is no connection, or the server speaks no HTTP; reading the response raises these as well.
    """
    # Without the usual handlers of errors and redirects: they would send the key wherever a server says.
    opener = urllib.request.OpenerDirector()
    # A proxy of the environment is for other machines, never for this one.
    if urlsplit(address).hostname not in ("127.0.0.1", "localhost", "::1"):
        opener.add_handler(urllib.request.ProxyHandler())
    opener.add_handler(_BoundedHandler(limits))
    opener.add_handler(urllib.request.UnknownHandler())
    request = urllib.request.Request(address, content, dict(headers))
    response: http.client.HTTPResponse = opener.open(request, timeout=min(limits.timeout, limits.time_limit))
    return response


class _BoundedHandler(urllib.request.AbstractHTTPHandler):
    """Opens connections whose responses keep within limits."""

    def __init__(self, limits: Limits) -> None:
        super().__init__()
        self._limits = limits

    def http_open(self, request: urllib.request.Request) -> http.client.HTTPResponse:
        return self.do_open(self._bounded(http.client.HTTPConnection), request)

    def https_open(self, request: urllib.request.Request) -> http.client.HTTPResponse:
        return self.do_open(self._bounded(http.client.HTTPSConnection), request)

    http_request = https_request = urllib.request.AbstractHTTPHandler.do_request_

    def _bounded(self, kind: Callable[..., Any]) -> Any:
        def make(*args: Any, **options: Any) -> Any:
            connection = kind(*args, **options)
            connection.response_class = partial(_BoundedResponse, self._limits)
            return connection

        return make


class _BoundedResponse(http.client.HTTPResponse):
    def __init__(self, limits: Limits, sock: socket.socket, *args: Any, **options: Any) -> None:
        super().__init__(sock, *args, **options)
        self.fp.close()
        self.fp = io.BufferedReader(_BoundedReader(sock, limits))


class _BoundedReader(io.RawIOBase):
    """What comes from a socket, within limits."""

    def __init__(self, sock: socket.socket, limits: Limits) -> None:
        self._sock = sock
        self._limits = limits
        self._kept = sock.makefile("rb", buffering=0)  # http.client closes its socket before the response is read

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        limits = self._limits
        since = time.monotonic()
        while True:
            silent = time.monotonic() - since
            if limits.stopped.is_set():
                raise AskError("stopped", transient=True)
            if exceeded := limits.exceeded(silent):
                raise exceeded
            self._sock.settimeout(min(_STEP, limits.timeout - silent))
            try:
                count = self._sock.recv_into(buffer)
            except TimeoutError:
                continue
            finally:
                self._sock.settimeout(limits.timeout)  # what follows the answer of a proxy is not ours to limit
            limits.left -= count
            if limits.left < 0:
                raise AskError(f"more than {MAX_BYTES} bytes in one response", transient=False)
            return count

    def close(self) -> None:
        self._kept.close()
        super().close()
