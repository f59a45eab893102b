"""Who passes the gate before the page, and what its answers allow."""

from __future__ import annotations

import asyncio
from typing import Any
from urllib.parse import urlencode

import pytest

from draw_dataset.annotation.page.gate import ANNOTATOR, Gate, token_for
from draw_dataset.annotation.store import normal_name
from draw_dataset.errors import ChoiceError

TOKEN = "a token of the test"


async def behind(scope: Any, receive: Any, send: Any) -> None:
    """What the gate protects: it says who came, and opens itself to other sites as Gradio does on loopback."""
    headers = [(b"content-type", b"text/plain"), (b"Access-Control-Allow-Origin", b"http://evil.example")]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": scope[ANNOTATOR].encode()})


class Answer:
    def __init__(self, sent: list[Any]) -> None:
        self.status: int = sent[0]["status"]
        self.headers = {name.decode().lower(): value.decode() for name, value in sent[0]["headers"]}
        self.text: str = b"".join(message.get("body", b"") for message in sent[1:]).decode()

    @property
    def cookie(self) -> str:
        return self.headers["set-cookie"].split(";")[0]


def ask(gate: Gate, method: str, path: str, body: bytes = b"", **headers: str) -> Answer:
    given = {"host": "127.0.0.1:7860"} | {name.replace("_", "-"): value for name, value in headers.items()}
    path, _, query = path.partition("?")
    scope = {
        "type": "http",
        "method": method,
        "path": path,
        "query_string": query.encode(),
        "headers": [(name.encode(), value.encode("latin-1")) for name, value in given.items()],
    }
    sent: list[Any] = []

    async def receive() -> Any:
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: Any) -> None:
        sent.append(message)

    asyncio.run(gate(scope, receive, send))
    return Answer(sent)


def enter(gate: Gate, **fields: str) -> Answer:
    return ask(gate, "POST", "/enter", urlencode(fields).encode())


@pytest.fixture
def local() -> Gate:
    return Gate(behind, normal_name, None, only_loopback=True)


@pytest.fixture
def public() -> Gate:
    return Gate(behind, normal_name, TOKEN, only_loopback=False)


def test_a_name_is_enough_on_loopback(local: Gate) -> None:
    assert "Token" not in ask(local, "GET", "/enter").text
    answer = enter(local, name="  Ann ")
    assert (answer.status, answer.headers["location"]) == (303, "/")
    assert "HttpOnly" in answer.headers["set-cookie"]
    assert "SameSite=Strict" in answer.headers["set-cookie"]
    assert ask(local, "GET", "/", cookie=answer.cookie).text == "Ann"


def test_nobody_passes_without_a_name(local: Gate) -> None:
    answer = ask(local, "GET", "/adjudicate?problem=7&own")
    assert (answer.status, answer.headers["location"]) == (303, "/enter?next=%2Fadjudicate%3Fproblem%3D7%26own")
    for path in ("/gradio_api/component_server/", "/assets/index.js", "/theme.css", "/config"):
        assert ask(local, "POST", path).status == 401
    answer = enter(local, name="\u200b")
    assert answer.status == 422
    assert 'role="alert"' in answer.text


@pytest.mark.parametrize("given", ["", "a token of the tesT", TOKEN + " ", "\u00e4"])
def test_a_wrong_token_keeps_out(public: Gate, given: str) -> None:
    answer = enter(public, name="Ann", token=given)
    assert answer.status == 403
    assert "set-cookie" not in answer.headers
    assert given not in answer.text or not given


def test_the_right_token_lets_in_and_survives_a_restart(public: Gate) -> None:
    assert 'name="token"' in ask(public, "GET", "/enter").text
    cookie = enter(public, name="Zoë <b>", token=TOKEN).cookie
    assert ask(public, "GET", "/", cookie=cookie).text == "Zoë <b>"
    again = Gate(behind, normal_name, TOKEN, only_loopback=False)
    assert ask(again, "GET", "/", cookie=cookie).text == "Zoë <b>"


def test_a_cookie_counts_only_as_it_was_signed(public: Gate, local: Gate) -> None:
    cookie = enter(public, name="Ann", token=TOKEN).cookie
    other = Gate(behind, normal_name, "another token", only_loopback=False)
    key, value = cookie.split("=")
    name, signature = value.split(".")
    forged = [
        f"{key}={name}",
        f"{key}=Qm8.{signature}",
        f"{key}={name}.{signature[:-1]}",
        f"{key}=.{signature}",
        f"{key}=\u00ff\u00ff.{signature}",
        f"{key}={enter(other, name='Ann', token='another token').cookie.split('=')[1]}",
        enter(local, name="Ann").cookie,
        "",
    ]
    assert ask(other, "GET", "/", cookie=cookie).status == 303
    assert ask(public, "GET", "/", cookie=f'odd="; {{}}; a=b=c;{cookie}; last').text == "Ann"
    assert [ask(public, "GET", "/", cookie=text).status for text in forged] == [303] * len(forged)


def test_other_hosts_and_sites_are_refused(local: Gate, public: Gate) -> None:
    cookie = enter(local, name="Ann").cookie
    for host in ("evil.example", "127.0.0.1.evil.example", "10.0.0.7:7860", "", "[::1"):
        assert ask(local, "GET", "/", cookie=cookie, host=host).status == 403
    for host in ("localhost:9000", "127.0.0.1:7860", "[::1]:7860"):
        assert ask(local, "GET", "/", cookie=cookie, host=host).status == 200
    path = "/gradio_api/component_server/"
    assert ask(local, "POST", path, cookie=cookie, origin="http://127.0.0.1:7860").status == 200
    for foreign in ({"origin": "http://evil.example"}, {"origin": "null"}, {"sec_fetch_site": "cross-site"}):
        assert ask(local, "POST", path, cookie=cookie, **foreign).status == 403
        assert ask(public, "POST", "/enter", **foreign).status == 403


def test_no_answer_is_open_to_others(local: Gate) -> None:
    answer = ask(local, "GET", "/", cookie=enter(local, name="Ann").cookie, origin="http://evil.example")
    assert not [name for name in answer.headers if name.startswith("access-control")]
    assert "connect-src 'self'" in answer.headers["content-security-policy"]
    assert "default-src 'none'" in ask(local, "GET", "/enter").headers["content-security-policy"]


def test_only_what_the_page_needs_can_be_reached(local: Gate) -> None:
    cookie = enter(local, name="Ann").cookie
    for path in ("/gradio_api/upload", "/gradio_api/file=/etc/passwd", "/gradio_api/queue/join", "/config", "/login"):
        assert ask(local, "POST", path, cookie=cookie).status == 404


def test_markup_in_a_name_is_shown_and_nothing_else(public: Gate) -> None:
    evil = '"><img src=x onerror=alert(1)>'
    text = enter(public, name=evil, token="wrong").text
    assert "<img" not in text
    assert "&quot;&gt;&lt;img src=x onerror=alert(1)&gt;" in text


def test_one_leaves_and_has_to_come_in_again(local: Gate) -> None:
    cookie = enter(local, name="Ann").cookie
    answer = ask(local, "POST", "/leave", cookie=cookie)
    assert (answer.status, answer.cookie) == (303, cookie.split("=")[0] + "=")
    assert "Max-Age=0" in answer.headers["set-cookie"]


@pytest.mark.parametrize(
    ("wanted", "goes"),
    [
        ("/adjudicate", "/adjudicate"),
        ("/?problem=7", "/?problem=7"),
        ("/adjudicate?problem=7&own", "/adjudicate?problem=7&own"),
        ("https://evil.example/", "/"),
        ("//evil.example", "/"),
        ("/enter", "/"),
        ("/?problem=7\r\nx: y", "/"),
    ],
)
def test_one_comes_in_only_to_our_pages(local: Gate, wanted: str, goes: str) -> None:
    assert enter(local, name="Ann", next=wanted).headers["location"] == goes


def test_a_form_has_an_end(local: Gate) -> None:
    assert ask(local, "POST", "/enter", b"name=" + b"x" * 20_000).status == 413


def test_a_token_is_made_where_one_is_needed() -> None:
    assert token_for("localhost", None) is None
    assert token_for("localhost", "given one") == "given one"
    assert token_for("0.0.0.0", None) != token_for("0.0.0.0", None)
    with pytest.raises(ChoiceError, match="at least 8 characters"):
        token_for("0.0.0.0", "short")
