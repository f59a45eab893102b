"""The whole application, asked without a browser: whatever is sent, nothing breaks."""

from __future__ import annotations

import http.client
import json
import urllib.parse
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from annotation.page_server import Server
from annotation.simulated import TIES

from draw_dataset.annotate.page.controllers import AnnotationController
from draw_dataset.annotate.page.server import _listening
from draw_dataset.annotate.store import Store
from draw_dataset.errors import ServeError

pytest.importorskip("gradio", reason="needs gradio: pip install 'draw-dataset[annotate]'")

MESSAGES = "/gradio_api/component_server/"


class Answer(NamedTuple):
    status: int
    text: str
    cookie: str


class Site:
    """A page that is served, with somebody logged in."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self._cookie = ""
        form = urllib.parse.urlencode({"name": "Ann"}).encode()
        self._cookie = self.ask("POST", "/enter", form).cookie
        page = self.ask("GET", "/").text
        config = json.loads(page.split("window.gradio_config = ", 1)[1].split(";</script>", 1)[0])
        self.component = next(part["id"] for part in config["components"] if part["type"] == "html")

    def ask(self, method: str, path: str, body: bytes | None = None, length: int | None = None) -> Answer:
        """Return the answer to a request; with a length, none but its head is sent."""
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=60)
        more = {} if length is None else {"Content-Length": str(length)}
        try:
            headers = {"Cookie": self._cookie, "Content-Type": "application/json", **more}
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            cookie = (answer.getheader("set-cookie") or "").split(";")[0]
            return Answer(answer.status, answer.read().decode(), cookie)
        finally:
            connection.close()

    def send(self, message: object, **more: Any) -> Answer:
        body = {"data": message, "fn_name": "answer", "component_id": self.component, "session_hash": "s", **more}
        return self.ask("POST", MESSAGES, json.dumps(body).encode())


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("site")
    with Store.open(folder / "work.db", create=True) as store:
        store.add_problems([TIES])
    server = Server(folder, folder / "work.db")
    server.begin()
    server.wait()
    yield Site(server)
    server.end()


def guess(server: Server, times: int, header: str, address: str) -> list[int]:
    """Return the answers to wrong tokens, each with another address in a header."""
    form = urllib.parse.urlencode({"name": "Ann", "token": "a wrong token"})
    statuses = []
    for at in range(times):
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
        try:
            headers = {"Content-Type": "application/x-www-form-urlencoded", header: address.format(at % 250 + 1)}
            connection.request("POST", "/enter", form, headers)
            statuses.append(connection.getresponse().status)
        finally:
            connection.close()
    return statuses


@pytest.mark.parametrize(
    ("header", "address"),
    [("X-Forwarded-For", "10.0.0.{}"), ("X-Real-IP", "10.0.0.{}"), ("Forwarded", "for=10.0.0.{}")],
)
def test_no_header_lets_a_guesser_go_on_at_once(tmp_path: Path, header: str, address: str) -> None:
    with Store.open(tmp_path / "work.db", create=True) as store:
        store.add_problems([TIES])
    server = Server(tmp_path, tmp_path / "work.db", "--token", "a long token")
    server.begin()
    try:
        server.wait()
        statuses = guess(server, 100, header, address)
    finally:
        server.end()
    # A second is over after some of them, and then one more is looked at.
    assert statuses[0] == 403
    assert statuses.count(429) >= 90


def test_a_trusted_proxy_says_who_asks(tmp_path: Path) -> None:
    with Store.open(tmp_path / "work.db", create=True) as store:
        store.add_problems([TIES])
    server = Server(tmp_path, tmp_path / "work.db", "--token", "a long token", "--trusted-proxy", "127.0.0.1")
    server.begin()
    try:
        server.wait()
        # The proxy adds the last address; what stands before it was written by the client.
        forged = guess(server, 20, "X-Forwarded-For", "10.0.0.{}, 192.0.2.7")
        others = guess(server, 20, "X-Forwarded-For", "10.0.1.{}")
    finally:
        server.end()
    assert forged.count(429) >= 17
    assert others == [403] * 20


def test_the_manifest_that_the_page_links_needs_no_login(site: Site) -> None:
    assert 'rel="manifest" href="/manifest.json"' in site.ask("GET", "/").text
    connection = http.client.HTTPConnection("127.0.0.1", site.server.port, timeout=60)
    try:
        connection.request("GET", "/manifest.json")  # as a browser asks for it: without the cookie
        answer = connection.getresponse()
        assert (answer.status, answer.getheader("content-type")) == (200, "application/manifest+json")
        assert json.loads(answer.read()) == {"name": "draw annotate", "start_url": "/"}
    finally:
        connection.close()
    assert 400 <= site.ask("POST", "/manifest.json").status < 500


def test_a_message_is_answered_with_a_page(site: Site) -> None:
    answer = site.send({"do": "open"})
    assert answer.status == 200
    assert 'data-problem="7"' in json.loads(answer.text)["html"]


@pytest.mark.parametrize(
    "more",
    [
        {"component_id": 10_000},
        {"component_id": -1},
        {"component_id": None},
        {"component_id": "x"},
        {"fn_name": "nothing"},
        {"fn_name": "__init__"},
        {"fn_name": "postprocess"},
        {"session_hash": None},
        {"session_hash": {}},
    ],
)
def test_an_unknown_component_function_or_session_is_the_askers_mistake(site: Site, more: dict[str, Any]) -> None:
    assert 400 <= site.send({"do": "open"}, **more).status < 500
    assert site.server.log == ""


@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "DELETE", "OPTIONS", "HEAD"])
@pytest.mark.parametrize(
    "path",
    [
        "/gradio_api/queue/join",
        "/gradio_api/call/answer",
        "/gradio_api/run/predict",
        "/gradio_api/upload",
        "/gradio_api/file=/etc/passwd",
        "/gradio_api/heartbeat/x",
        "/gradio_api/info",
        "/gradio_api/component_server/x",
        "/gradio_api/component_serverx",
        "/config",
        "/assets/none.js",
        "/assets/../../etc/passwd",
        "/assets/%2e%2e/%2e%2e/etc/passwd",
        "/static/none",
        "/static/%00",
        "/assets/" + "x" * 5000,
        "/nothing",
    ],
)
def test_an_unknown_route_is_the_askers_mistake(site: Site, method: str, path: str) -> None:
    assert 400 <= site.ask(method, path).status < 500
    assert site.server.log == ""


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "PATCH"])
@pytest.mark.parametrize("path", ["/", "/adjudicate", "/theme.css"])
def test_pages_are_only_looked_at(site: Site, method: str, path: str) -> None:
    assert site.ask(method, path).status == 405


def test_a_long_body_is_refused_before_it_is_sent(site: Site) -> None:
    assert site.ask("POST", MESSAGES, length=200_000_000).status == 413
    assert site.send({"do": "edit", "text": "x" * 900_000}).status == 200


@pytest.mark.parametrize(
    "sent", [None, 7, [], {"do": ["open"]}, {"do": "open", "seconds": 10**400}, {"do": "open", "problem": 10**400}]
)
def test_a_message_that_is_none_is_told_so_on_the_page(site: Site, sent: object) -> None:
    answer = site.send(sent)
    assert answer.status == 200
    assert "Not saved: message: " in json.loads(answer.text)["html"]


def test_a_store_that_cannot_be_read_any_more_is_told_on_the_page(tmp_path: Path) -> None:
    with Store.open(tmp_path / "work.db", create=True) as store:
        store.add_problems([TIES])
        store.add_annotator("Ann")
        store._connection.execute("UPDATE revisions SET equations = '['")
        html = AnnotationController(store, lambda: 0).answer("Ann", {"do": "open"})["html"]
    assert "work.db: problem 7: equations: " in html


def test_a_port_in_use_is_told_with_the_remedy() -> None:
    with _listening("127.0.0.1", 0) as first:
        port = first.getsockname()[1]
        with pytest.raises(ServeError, match=rf"port {port} of 127\.0\.0\.1 is in use.*--port 0"):
            _listening("127.0.0.1", port)
