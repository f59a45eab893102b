"""A server on loopback that misbehaves: it reads a request, and then a script writes whatever bytes it likes."""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Callable
from contextlib import nullcontext, suppress

Script = Callable[["Connection"], None]


class Connection:
    """The server's end of one request.

    Attributes:
        request: the bytes of the request.
    """

    def __init__(self, sock: socket.socket, ending: threading.Event, request: bytes) -> None:
        self._sock = sock
        self._ending = ending
        self.request = request

    def send(self, content: bytes) -> None:
        self._sock.sendall(content)

    def drip(self, piece: bytes, first: bytes = b"", pause: float = 0.01) -> None:
        """Send a piece again and again, until the client leaves or the server ends."""
        self.send(first)
        while not self._ending.wait(pause):
            self.send(piece)

    def be_silent(self) -> None:
        """Send nothing until the server ends."""
        self._ending.wait()


class BadServer:
    """The server; use it in a ``with`` statement.

    Args:
        script: what it does after each request.
        tls: its certificate, if it speaks TLS.

    Attributes:
        requests: the bytes of every request.
    """

    def __init__(self, script: Script, tls: ssl.SSLContext | None = None) -> None:
        self.script = script
        self._tls = tls
        self.requests: list[bytes] = []
        self._ending = threading.Event()
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self._threads = [threading.Thread(target=self._serve, daemon=True)]

    @property
    def port(self) -> int:
        return int(self._listener.getsockname()[1])

    @property
    def url(self) -> str:
        return f"http{'s' if self._tls else ''}://127.0.0.1:{self.port}/v1"

    def __enter__(self) -> BadServer:
        self._threads[0].start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ending.set()
        with suppress(OSError):  # wakes the thread that accepts connections
            socket.create_connection(self._listener.getsockname(), timeout=1).close()
        for thread in self._threads:
            thread.join(10)
        self._listener.close()

    def _serve(self) -> None:
        while True:
            sock, _ = self._listener.accept()
            if self._ending.is_set():
                sock.close()
                return
            thread = threading.Thread(target=self._answer, args=(sock,), daemon=True)
            self._threads.append(thread)
            thread.start()

    def _answer(self, sock: socket.socket) -> None:
        with sock, suppress(OSError):
            sock.settimeout(10)
            with self._tls.wrap_socket(sock, server_side=True) if self._tls else nullcontext(sock) as talk:
                request = _whole_request(talk)
                self.requests.append(request)
                self.script(Connection(talk, self._ending, request))
                talk.shutdown(socket.SHUT_WR)


def _whole_request(sock: socket.socket) -> bytes:
    content = b""
    while b"\r\n\r\n" not in content:
        content += _more(sock)
    head, _, body = content.partition(b"\r\n\r\n")
    fields = [line.partition(b":") for line in head.split(b"\r\n")]
    length = sum(int(value) for name, _, value in fields if name.lower() == b"content-length")
    while len(body) < length:
        body += _more(sock)
    return head + b"\r\n\r\n" + body


def _more(sock: socket.socket) -> bytes:
    content = sock.recv(1 << 16)
    if not content:
        raise ConnectionError("the client has left")
    return content


def reply(body: bytes | str, status: str = "200 OK", *headers: str) -> Script:
    """Return a script that sends a whole response."""
    content = body.encode() if isinstance(body, str) else body
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(content)}", *headers, "", ""]
    return lambda connection: connection.send("\r\n".join(lines).encode("latin-1") + content)
