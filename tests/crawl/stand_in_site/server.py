"""Serves a `Site` on the loopback interface with the manners of its plan, and logs who asked for what when."""

from __future__ import annotations

import contextlib
import email.utils
import gzip
import socket
import struct
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from crawl.stand_in_site.plan import PRIVATE, Site

ROBOTS = f"""# who may read what
User-agent: *
Disallow: /cgi-bin/show-question-source.mpl
Disallow: /algebra/homework/{PRIVATE}/
"""
HTML = "text/html; charset=utf-8"
MEGABYTES = 20


@dataclass(frozen=True)
class Asked:
    """One line of the log."""

    time: float
    path: str
    agent: str


class Server(ThreadingHTTPServer):
    """The site on a free port; tests may change `robots`, `robots_status` and `everything` while it runs."""

    daemon_threads = True
    request_queue_size = 50

    def __init__(self, site: Site) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.site = site
        self.robots = ROBOTS
        self.robots_status = 200
        self.robots_headers: dict[str, object] = {"Content_Type": "text/plain"}
        self.everything: tuple[int, dict[str, str]] | None = None  # a status and headers for every page
        self.log: list[Asked] = []
        self.times_asked: Counter[str] = Counter()
        self.wake = threading.Event()
        self.most_at_once = 0
        self._answering = 0
        self._ended = threading.Condition()
        self.by_path = {question.path: number for number, question in site.questions.items()}

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    @contextlib.contextmanager
    def answering(self) -> Iterator[None]:
        """Count the answers that are under way; one whose last byte was just sent may take a moment to end."""
        with self._ended:
            self._ended.wait_for(lambda: self._answering == 0, timeout=60)
            self._answering += 1
            self.most_at_once = max(self.most_at_once, self._answering)
        try:
            yield
        finally:
            with self._ended:
                self._answering -= 1
                self._ended.notify_all()

    def pages_asked(self) -> list[str]:
        """The paths asked for, without robots.txt."""
        return [asked.path for asked in self.log if not asked.path.endswith("/robots.txt")]

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing: clients that go away are what the tests are about."""


@contextlib.contextmanager
def serving(site: Site) -> Iterator[Server]:
    """Serve a site while the block runs."""
    server = Server(site)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    try:
        yield server
    finally:
        server.wake.set()
        server.shutdown()
        server.server_close()


class Handler(BaseHTTPRequestHandler):
    """Answers one client."""

    protocol_version = "HTTP/1.1"
    wbufsize = -1  # headers and body of a small page leave in one piece
    disable_nagle_algorithm = True
    server: Server

    def log_message(self, *args: Any) -> None:
        """Keep stderr clean."""

    def do_GET(self) -> None:
        server = self.server
        server.log.append(Asked(time.time(), self.path, self.headers.get("User-Agent", "")))
        server.times_asked[self.path] += 1
        # A client that has given up on an answer that stalls is not asking for two things at once.
        patient = "stall" in self.manner() or "drip" in self.manner() or "20 MB" in self.manner()
        with contextlib.nullcontext() if patient else server.answering():
            self.reply()

    def manner(self) -> str:
        number = self.server.by_path.get(self.path)
        return "" if number is None else self.server.site.manner(number)

    def reply(self) -> None:
        server = self.server
        parts = urlsplit(self.path)
        if parts.path == "/robots.txt":
            self.answer(server.robots.encode(), server.robots_status, **server.robots_headers)
        elif parts.path == "/packed/robots.txt":
            packed = gzip.compress(server.robots.encode(), mtime=0)
            self.answer(packed, Content_Type="text/plain", Content_Encoding="gzip")
        elif server.everything is not None:
            status, headers = server.everything
            self.answer(b"no", status, **headers)
        elif parts.path in server.site.listings:
            manner = server.site.listing_manner.get(parts.path, "good")
            MANNERS.get(manner, good)(self, 0, server.site.listings[parts.path])
        elif parts.path == "/cgi-bin/jump-to-question.mpl":
            self.jump(parse_qs(parts.query).get("question", [""])[0])
        elif parts.path.startswith("/endless/"):
            self.redirect(f"/endless/{int(parts.path.rpartition('/')[2]) + 1}")
        elif parts.path.startswith("/algebra/moved/") and parts.path.removeprefix("/algebra/moved") in server.by_path:
            path = parts.path.removeprefix("/algebra/moved")
            good(self, server.by_path[path], server.site.body(server.by_path[path]))
        elif parts.path in server.by_path:
            number = server.by_path[parts.path]
            MANNERS.get(server.site.manner(number), good)(self, number, server.site.body(number))
        elif parts.path == "/":
            self.answer(b"<html>home</html>", Content_Type=HTML)
        else:
            self.answer(b"<html>no such page</html>", 404, Content_Type=HTML)

    def jump(self, number: str) -> None:
        question = self.server.site.questions.get(int(number)) if number.isdecimal() else None
        if question is None:
            self.answer(b"<html>no such question</html>", 404, Content_Type=HTML)
        else:
            self.redirect(question.path)

    def head(self, status: int = 200, **headers: object) -> None:
        self.send_response(status)
        for key, value in headers.items():
            self.send_header(key.replace("_", "-"), str(value))
        self.end_headers()

    def answer(self, body: bytes, status: int = 200, **headers: object) -> None:
        self.head(status, Content_Length=len(body), **headers)
        self.wfile.write(body)

    def redirect(self, location: str, status: int = 302) -> None:
        self.answer(b"", status, Location=location)

    def first_time(self) -> bool:
        return self.server.times_asked[self.path] == 1

    def hang_up(self) -> None:
        self.close_connection = True
        with contextlib.suppress(OSError):
            self.wfile.flush()


Manner = Callable[[Handler, int, bytes], None]


def good(handler: Handler, number: int, body: bytes) -> None:
    handler.answer(body, Content_Type=HTML)


def typed(content_type: str | None) -> Manner:
    def answer(handler: Handler, number: int, body: bytes) -> None:
        handler.answer(body, **({} if content_type is None else {"Content_Type": content_type}))

    return answer


def status(code: int, **headers: object) -> Manner:
    return lambda handler, number, body: handler.answer(b"<html>sorry</html>", code, Content_Type=HTML, **headers)


def once(bad: Manner, then: Manner = good) -> Manner:
    return lambda handler, number, body: (bad if handler.first_time() else then)(handler, number, body)


def date_soon(handler: Handler, number: int, body: bytes) -> None:
    # A date has whole seconds, so up to one of them is cut off.
    handler.answer(b"", 503, Retry_After=email.utils.formatdate(time.time() + 2, usegmt=True))


def zipped(handler: Handler, number: int, body: bytes) -> None:
    handler.answer(gzip.compress(body, mtime=0), Content_Type=HTML, Content_Encoding="gzip")


def cut_zipped(handler: Handler, number: int, body: bytes) -> None:
    handler.answer(gzip.compress(body, mtime=0)[:-40], Content_Type=HTML, Content_Encoding="gzip")


BOMB = gzip.compress(b"x" * (MEGABYTES * 2**20), mtime=0)


def bomb(handler: Handler, number: int, body: bytes) -> None:
    handler.answer(BOMB, Content_Type=HTML, Content_Encoding="gzip")


def chunked(handler: Handler, number: int, body: bytes, whole: bool = True) -> None:
    handler.head(Content_Type=HTML, Transfer_Encoding="chunked")
    body = body if whole else body[: len(body) // 2]
    for start in range(0, len(body), 700):
        piece = body[start : start + 700]
        handler.wfile.write(b"%x\r\n%b\r\n" % (len(piece), piece))
    if whole:
        handler.wfile.write(b"0\r\n\r\n")
    else:
        handler.hang_up()


def without_length(handler: Handler, number: int, body: bytes) -> None:
    handler.head(Content_Type=HTML, Connection="close")
    handler.wfile.write(body)
    handler.hang_up()


def cut(handler: Handler, number: int, body: bytes) -> None:
    handler.head(Content_Type=HTML, Content_Length=len(body))
    handler.wfile.write(body[: len(body) // 2])
    handler.hang_up()


def stall(handler: Handler, number: int, body: bytes) -> None:
    handler.head(Content_Type=HTML, Content_Length=len(body))
    handler.wfile.write(body[: len(body) // 2])
    handler.wfile.flush()
    handler.server.wake.wait(300)
    handler.close_connection = True


def drip(handler: Handler, number: int, body: bytes) -> None:
    handler.head(Content_Type=HTML, Content_Length=len(body))
    for byte in body:
        handler.wfile.write(bytes([byte]))
        handler.wfile.flush()
        if handler.server.wake.wait(0.05):
            break
    handler.close_connection = True


def reset(handler: Handler, number: int, body: bytes) -> None:
    # A close without lingering sends RST instead of FIN; the two file objects would keep the socket open.
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    handler.rfile.close()
    handler.wfile.close()
    handler.connection.close()
    handler.close_connection = True


def hang_up(handler: Handler, number: int, body: bytes) -> None:
    handler.hang_up()


def garbage(handler: Handler, number: int, body: bytes) -> None:
    handler.wfile.write(b"\x00\x01 not HTTP at all\r\n\r\n")
    handler.hang_up()


def to_itself(handler: Handler, number: int, body: bytes) -> None:
    handler.redirect(handler.path, 301)


def to_target(handler: Handler, number: int, body: bytes) -> None:
    site = handler.server.site
    handler.redirect(site.questions[site.target_of[number]].path, 301)


def within(handler: Handler, number: int, body: bytes) -> None:
    handler.redirect(f"/algebra/moved{handler.path}", 307)


def to(location: str) -> Manner:
    return lambda handler, number, body: handler.redirect(location)


def huge(handler: Handler, number: int, body: bytes) -> None:
    handler.head(Content_Type=HTML, Content_Length=MEGABYTES * 2**20)
    _flood(handler)


def huge_without_length(handler: Handler, number: int, body: bytes) -> None:
    handler.head(Content_Type=HTML, Connection="close")
    _flood(handler)


def _flood(handler: Handler) -> None:
    for _ in range(MEGABYTES):
        handler.wfile.write(b"<p>more</p>\n" * (2**20 // 12))
    handler.hang_up()


MANNERS: dict[str, Manner] = {
    "cp1252 declared as utf-8": good,
    "cp1252 not declared": typed("text/html"),
    "no charset": typed("text/html"),
    "gzip": zipped,
    "chunked": chunked,
    "no length": without_length,
    "503 then good": once(status(503)),
    "503 with a date to retry after": once(date_soon),
    "429 with Retry-After": once(status(429, Retry_After=1)),
    "truncated once": once(cut),
    "truncated without length once": once(lambda h, n, body: without_length(h, n, body[: len(body) // 2])),
    "reset once": once(reset),
    "stall once": once(stall),
    "empty once": once(lambda h, n, body: h.answer(b"", Content_Type=HTML)),
    "redirect within": within,
    "404": status(404),
    "410": status(410),
    "403": status(403),
    "400": status(400),
    "500": status(500),
    "stall": stall,
    "slow drip": drip,
    "reset": reset,
    "closed without an answer": hang_up,
    "garbage instead of an answer": garbage,
    "truncated": cut,
    "truncated without length": lambda h, n, body: without_length(h, n, body[: len(body) // 2]),
    "truncated chunks": lambda h, n, body: chunked(h, n, body, whole=False),
    "truncated gzip": cut_zipped,
    "loop of one": to_itself,
    "loop of two": to_target,
    "endless redirects": to("/endless/1"),
    "redirect to a known question": to_target,
    "redirect to an unlisted question": to_target,
    "redirect home": to("/"),
    "redirect off the site": to("http://elsewhere.example/faq.question.77.html"),
    "redirect to a forbidden page": to(f"/algebra/homework/{PRIVATE}/word/x.html"),
    "empty": lambda h, n, body: h.answer(b"", Content_Type=HTML),
    "blank": lambda h, n, body: h.answer(b" \n\t\n", Content_Type=HTML),
    "20 MB": huge,
    "20 MB without length": huge_without_length,
    "gzip bomb": bomb,
    "pdf": typed("application/pdf"),
}
"""What each manner of the plan does."""
