"""A real HTTP server on the loopback interface whose answers a test writes down in advance."""

from __future__ import annotations

import hashlib
import random
import socket
import struct
import threading
import time
from collections import defaultdict
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from draw_dataset.data.manifest import Manifest, ReleaseFile

Reply = Callable[["Handler", bytes], None]

# Large enough for several reads, and no text of anyone's.
CONTENTS = {"big.json": random.Random(1).randbytes(300_000), "ids.txt": b"11\r\n12\r\n"}


class Loopback(ThreadingHTTPServer):
    """Serves `contents`; `script[name]` holds the replies to the first requests for a name, in order."""

    def __init__(self, contents: dict[str, bytes]) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.contents = contents
        self.script: dict[str, list[Reply]] = defaultdict(list)
        self.requests: list[str] = []
        self.wake = threading.Event()  # ends the replies that wait
        self.stalled = threading.Event()  # a reply has sent its half and waits

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def start(self) -> None:
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()

    def stop(self) -> None:
        self.wake.set()
        self.shutdown()
        self.server_close()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing: clients that go away are what the tests are about."""


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Loopback

    def do_GET(self) -> None:
        name = self.path.rpartition("/")[2]
        self.server.requests.append(name)
        replies = self.server.script[name]
        reply = replies.pop(0) if replies else whole
        reply(self, self.server.contents[name])

    def log_message(self, *args: Any) -> None:
        """Keep stderr for the progress bar."""

    def head(self, status: int = 200, **headers: object) -> None:
        self.send_response(status)
        for key, value in headers.items():
            self.send_header(key.replace("_", "-"), str(value))
        self.end_headers()

    def send(self, body: bytes) -> None:
        self.wfile.write(body)
        self.wfile.flush()


def whole(handler: Handler, body: bytes) -> None:
    handler.head(Content_Length=len(body))
    handler.send(body)


def without_length(handler: Handler, body: bytes) -> None:
    handler.head(Connection="close")
    handler.send(body)


def chunked(handler: Handler, body: bytes) -> None:
    handler.head(Transfer_Encoding="chunked")
    handler.send(b"%x\r\n%b\r\n0\r\n\r\n" % (len(body), body))


def connection_left_open(handler: Handler, body: bytes) -> None:
    whole(handler, body)
    handler.server.wake.wait(300)


def status(code: int) -> Reply:
    return lambda handler, body: handler.head(code, Content_Length=0)


def redirect(path: str) -> Reply:
    return lambda handler, body: handler.head(302, Location=f"{handler.server.url}/{path}", Content_Length=0)


def other(change: Callable[[bytes], bytes], reply: Reply = whole) -> Reply:
    """Reply with another body."""
    return lambda handler, body: reply(handler, change(body))


def cut(handler: Handler, body: bytes) -> None:
    handler.head(Content_Length=len(body))
    handler.send(body[: len(body) // 2])
    handler.close_connection = True


def cut_without_length(handler: Handler, body: bytes) -> None:
    without_length(handler, body[: len(body) // 2])
    handler.close_connection = True


def cut_chunked(handler: Handler, body: bytes) -> None:
    handler.head(Transfer_Encoding="chunked")
    handler.send(b"%x\r\n%b\r\n" % (len(body) // 2, body[: len(body) // 2]))
    handler.close_connection = True


def stall(handler: Handler, body: bytes) -> None:
    handler.head(Content_Length=len(body))
    handler.send(body[: len(body) // 2])
    handler.server.stalled.set()
    handler.server.wake.wait(300)
    handler.close_connection = True


def drip(handler: Handler, body: bytes) -> None:
    handler.head(Content_Length=len(body))
    for byte in body:
        handler.send(bytes([byte]))
        time.sleep(0.02)


def reset(handler: Handler, body: bytes) -> None:
    handler.head(Content_Length=len(body))
    handler.send(body[: len(body) // 2])
    # A close without lingering sends RST instead of FIN; the two file objects would keep the socket open.
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    handler.rfile.close()
    handler.wfile.close()
    handler.connection.close()
    handler.close_connection = True


def manifest_of(contents: dict[str, bytes], base_url: str) -> Manifest:
    files = tuple(ReleaseFile(name, hashlib.sha256(body).hexdigest(), len(body)) for name, body in contents.items())
    return Manifest("v1", base_url, {"tiny": files})
