"""Who may use the page, and what its answers allow."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlencode

import pytest

from draw_dataset.annotate.decisions import normal_name
from draw_dataset.annotate.page.access import ANNOTATOR, MAX_BODY, AccessControl, Guesses, token_for
from draw_dataset.errors import ChoiceError

TOKEN = "a token of the test"
SENT = {"data": {"do": "open"}, "fn_name": "answer", "component_id": 5, "session_hash": "a"}
MESSAGE = json.dumps(SENT).encode()


async def protected(scope: Any, receive: Any, send: Any) -> None:
    """The protected application: it answers with the name, and allows other sites, as Gradio does on loopback."""
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


async def asked(
    control: AccessControl,
    method: str,
    path: str,
    body: bytes | Iterator[bytes] = b"",
    *,
    address: str = "10.0.0.7",
    **headers: str,
) -> Answer:
    given = {"host": "127.0.0.1:7860", "content-type": "application/json"}
    given |= {name.replace("_", "-"): value for name, value in headers.items()}
    path, _, query = path.partition("?")
    scope = {
        "type": "http",
        "method": method,
        "path": path,
        "query_string": query.encode(),
        "headers": [(name.encode(), value.encode("latin-1")) for name, value in given.items()],
        "client": (address, 40_000),
    }
    sent: list[Any] = []
    parts = iter([body]) if isinstance(body, bytes) else body

    async def receive() -> Any:
        return {"type": "http.request", "body": next(parts), "more_body": not isinstance(body, bytes)}

    async def send(message: Any) -> None:
        sent.append(message)

    await control(scope, receive, send)
    return Answer(sent)


def ask(control: AccessControl, method: str, path: str, body: bytes | Iterator[bytes] = b"", **more: str) -> Answer:
    return asyncio.run(asked(control, method, path, body, **more))


def enter(control: AccessControl, address: str = "10.0.0.7", **fields: str) -> Answer:
    return ask(control, "POST", "/enter", urlencode(fields).encode(), address=address)


@pytest.fixture
def local() -> AccessControl:
    return AccessControl(protected, normal_name, None, only_loopback=True, components={5, 9})


@pytest.fixture
def public() -> AccessControl:
    return AccessControl(protected, normal_name, TOKEN, only_loopback=False)


def test_a_name_is_enough_on_loopback(local: AccessControl) -> None:
    assert "Token" not in ask(local, "GET", "/enter").text
    answer = enter(local, name="  Ann ")
    assert (answer.status, answer.headers["location"]) == (303, "/")
    assert "HttpOnly" in answer.headers["set-cookie"]
    assert "samesite=strict" in answer.headers["set-cookie"].lower()
    assert ask(local, "GET", "/", cookie=answer.cookie).text == "Ann"


def test_nobody_passes_without_a_name(local: AccessControl) -> None:
    answer = ask(local, "GET", "/adjudicate?problem=7&own")
    assert (answer.status, answer.headers["location"]) == (303, "/enter?next=%2Fadjudicate%3Fproblem%3D7%26own")
    for path in ("/gradio_api/component_server/", "/assets/index.js", "/theme.css", "/config"):
        assert ask(local, "POST", path).status == 401
    answer = enter(local, name="\u200b")
    assert answer.status == 422
    assert 'role="alert"' in answer.text


@pytest.mark.parametrize("given", ["", "a token of the tesT", TOKEN + " ", "\u00e4"])
def test_a_wrong_token_keeps_out(public: AccessControl, given: str) -> None:
    answer = enter(public, name="Ann", token=given)
    assert answer.status == 403
    assert "set-cookie" not in answer.headers
    assert given not in answer.text or not given


def test_the_right_token_lets_in_and_survives_a_restart(public: AccessControl) -> None:
    assert 'name="token"' in ask(public, "GET", "/enter").text
    cookie = enter(public, name="Zoë <b>", token=TOKEN).cookie
    assert ask(public, "GET", "/", cookie=cookie).text == "Zoë <b>"
    again = AccessControl(protected, normal_name, TOKEN, only_loopback=False)
    assert ask(again, "GET", "/", cookie=cookie).text == "Zoë <b>"


def test_a_cookie_counts_only_as_it_was_signed(public: AccessControl, local: AccessControl) -> None:
    cookie = enter(public, name="Ann", token=TOKEN).cookie
    other = AccessControl(protected, normal_name, "another token", only_loopback=False)
    key, value = cookie.split("=")
    name, when, signature = value.split(".")
    forged = [
        f"{key}={name}",
        f"{key}=IkJvIg.{when}.{signature}",
        f"{key}={name}.{when}.{signature[:-1]}",
        f"{key}={name}.{signature}",
        f"{key}=.{when}.{signature}",
        f"{key}=\u00ff\u00ff.{when}.{signature}",
        f"{key}={enter(other, name='Ann', token='another token').cookie.split('=')[1]}",
        enter(local, name="Ann").cookie,
        "",
    ]
    assert ask(other, "GET", "/", cookie=cookie).status == 303
    assert ask(public, "GET", "/", cookie=f'odd="; {{}}; a=b=c;{cookie}; last').text == "Ann"
    assert [ask(public, "GET", "/", cookie=text).status for text in forged] == [303] * len(forged)


def test_other_hosts_and_sites_are_refused(local: AccessControl, public: AccessControl) -> None:
    cookie = enter(local, name="Ann").cookie
    for host in ("evil.example", "127.0.0.1.evil.example", "10.0.0.7:7860", "", "[::1"):
        assert ask(local, "GET", "/", cookie=cookie, host=host).status == 403
    for host in ("localhost:9000", "127.0.0.1:7860", "[::1]:7860"):
        assert ask(local, "GET", "/", cookie=cookie, host=host).status == 200
    path = "/gradio_api/component_server/"
    assert ask(local, "POST", path, MESSAGE, cookie=cookie, origin="http://127.0.0.1:7860").status == 200
    for foreign in ({"origin": "http://evil.example"}, {"origin": "null"}, {"sec_fetch_site": "cross-site"}):
        assert ask(local, "POST", path, cookie=cookie, **foreign).status == 403
        assert ask(public, "POST", "/enter", **foreign).status == 403


def test_no_answer_is_open_to_others(local: AccessControl) -> None:
    answer = ask(local, "GET", "/", cookie=enter(local, name="Ann").cookie, origin="http://evil.example")
    assert not [name for name in answer.headers if name.startswith("access-control")]
    assert "connect-src 'self'" in answer.headers["content-security-policy"]
    assert "default-src 'none'" in ask(local, "GET", "/enter").headers["content-security-policy"]


def test_only_what_the_page_needs_can_be_reached(local: AccessControl) -> None:
    cookie = enter(local, name="Ann").cookie
    for path in ("/gradio_api/upload", "/gradio_api/file=/etc/passwd", "/gradio_api/queue/join", "/config", "/login"):
        assert ask(local, "POST", path, cookie=cookie).status == 404


def test_markup_in_a_name_is_shown_and_nothing_else(public: AccessControl) -> None:
    evil = '"><img src=x onerror=alert(1)>'
    text = enter(public, name=evil, token="wrong").text
    assert "<img" not in text
    assert "&quot;&gt;&lt;img src=x onerror=alert(1)&gt;" in text


def test_one_leaves_and_has_to_come_in_again(local: AccessControl) -> None:
    cookie = enter(local, name="Ann").cookie
    answer = ask(local, "POST", "/leave", cookie=cookie)
    assert (answer.status, answer.cookie) == (303, cookie.split("=")[0] + '=""')
    assert "Max-Age=0" in answer.headers["set-cookie"]


@pytest.mark.parametrize(
    ("wanted", "goes"),
    [
        ("/adjudicate", "/adjudicate"),
        ("/?problem=7", "/?problem=7"),
        ("/adjudicate?problem=7&own", "/adjudicate?problem=7&own"),
        ("/?problem=%22a%20b%22", "/?problem=%22a%20b%22"),
        ("https://evil.example/", "/"),
        ("//evil.example", "/"),
        ("/enter", "/"),
        ("/?problem=7\r\nx: y", "/"),
    ],
)
def test_one_comes_in_only_to_our_pages(local: AccessControl, wanted: str, goes: str) -> None:
    assert enter(local, name="Ann", next=wanted).headers["location"] == goes


def test_a_form_has_an_end(local: AccessControl) -> None:
    assert ask(local, "POST", "/enter", b"name=" + b"x" * 20_000).status == 413


class Clock:
    """Time that passes only when it is told to."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def guarded(clock: Clock) -> AccessControl:
    return AccessControl(protected, normal_name, TOKEN, only_loopback=False, guesses=Guesses(clock))


def test_of_a_hundred_guesses_at_once_one_is_looked_at(guarded: AccessControl) -> None:
    body = urlencode({"name": "Ann", "token": "a wrong token"}).encode()

    async def guess() -> list[Answer]:
        return list(await asyncio.gather(*(asked(guarded, "POST", "/enter", body) for _ in range(100))))

    statuses = [answer.status for answer in asyncio.run(guess())]
    assert (statuses.count(403), statuses.count(429)) == (1, 99)


def test_wrong_tokens_close_the_way_in_for_their_address_alone_and_each_time_for_longer(
    guarded: AccessControl, clock: Clock
) -> None:
    for wait in (1, 2, 4, 8, 16, 32, 64, 64):
        assert enter(guarded, name="Ann", token="a wrong token").status == 403
        # Even the right token has to wait, so that nothing can be learnt meanwhile; but not from elsewhere.
        clock.now += wait - 0.5
        answer = enter(guarded, name="Ann <b>", token=TOKEN)
        assert (answer.status, answer.headers["retry-after"]) == (429, "1")
        assert "Try again in 1 s." in answer.text
        assert 'value="Ann &lt;b&gt;"' in answer.text
        assert enter(guarded, "10.0.0.8", name="Bo", token=TOKEN).status == 303
        clock.now += 0.5
    assert enter(guarded, name="Ann", token=TOKEN).status == 303
    assert enter(guarded, name="Ann", token="a wrong token").status == 403
    clock.now += 1
    assert enter(guarded, name="Ann", token=TOKEN).status == 303


def test_who_has_one_address_of_a_network_of_ipv6_has_all_of_them(guarded: AccessControl) -> None:
    assert enter(guarded, "2001:db8::1", name="Ann", token="a wrong token").status == 403
    assert enter(guarded, "2001:db8::2", name="Ann", token=TOKEN).status == 429
    assert enter(guarded, "2001:db8:1::2", name="Ann", token=TOKEN).status == 303


def test_guesses_of_ever_new_addresses_do_not_fill_the_memory(clock: Clock) -> None:
    guesses = Guesses(clock)
    for number in range(20_000):
        guesses.wrong(f"10.0.{number // 256}.{number % 256}")
    assert len(guesses._closed) == 10_000
    assert guesses.wait("10.0.78.31") == 1.0


def test_a_cookie_lasts_a_month(public: AccessControl, monkeypatch: pytest.MonkeyPatch) -> None:
    cookie = enter(public, name="Ann", token=TOKEN).cookie
    now = time.time()
    monkeypatch.setattr("itsdangerous.timed.time.time", lambda: now + 29 * 24 * 3600)
    assert ask(public, "GET", "/", cookie=cookie).status == 200
    monkeypatch.setattr("itsdangerous.timed.time.time", lambda: now + 31 * 24 * 3600)
    assert ask(public, "GET", "/", cookie=cookie).status == 303


@pytest.mark.parametrize("path", ["/gradio_api/component_server/", "/gradio_api/component_server", "/theme.css", "/"])
def test_a_body_that_is_too_long_is_refused_and_not_read(local: AccessControl, path: str) -> None:
    cookie = enter(local, name="Ann").cookie
    answer = ask(local, "POST", path, MESSAGE, cookie=cookie, content_length=str(200 * 10**6))
    assert (answer.status, answer.headers["connection"]) == (413, "close")
    assert ask(local, "POST", path, MESSAGE, cookie=cookie, content_length="9" * 400).status == 413
    read = 0

    def endless() -> Iterator[bytes]:
        nonlocal read
        while True:
            read += 1 << 16
            yield b" " * (1 << 16)

    assert ask(local, "POST", path, endless(), cookie=cookie).status == 413
    assert read <= MAX_BODY + (1 << 16)


def test_a_message_as_long_as_any_text_passes(local: AccessControl) -> None:
    cookie = enter(local, name="Ann").cookie
    long = {**SENT, "data": {"do": "edit", "text": "\u00bd" * 20_000}}
    answer = ask(local, "POST", "/gradio_api/component_server/", json.dumps(long).encode(), cookie=cookie)
    assert (answer.status, answer.text) == (200, "Ann")


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({**SENT, "component_id": 6}, 404),
        ({**SENT, "component_id": "5"}, 404),
        ({**SENT, "component_id": 5.0}, 404),
        ({**SENT, "component_id": True}, 404),
        ({**SENT, "component_id": 10**400}, 404),
        ({**SENT, "fn_name": "__class__"}, 404),
        ({**SENT, "fn_name": ["answer"]}, 404),
        ({**SENT, "session_hash": 7}, 400),
        ({**SENT, "session_hash": "x" * 1000}, 400),
        ({"component_id": 5}, 400),
        ([SENT], 400),
        (None, 400),
        (b"", 400),
        (b"\xff", 400),
        (b"[" * 100_000, 400),
        (b'{"component_id": 5, "component_id": 5}', 400),
    ],
)
def test_a_message_to_what_is_not_there_is_refused(local: AccessControl, body: Any, status: int) -> None:
    cookie = enter(local, name="Ann").cookie
    sent = body if isinstance(body, bytes) else json.dumps(body).encode()
    assert ask(local, "POST", "/gradio_api/component_server/", sent, cookie=cookie).status == status


def test_a_message_is_json_and_posted(local: AccessControl) -> None:
    cookie = enter(local, name="Ann").cookie
    path = "/gradio_api/component_server/"
    assert ask(local, "GET", path, cookie=cookie).status == 405
    assert ask(local, "POST", path, MESSAGE, cookie=cookie, content_type="multipart/form-data").status == 415


def test_a_token_is_made_where_one_is_needed() -> None:
    assert token_for("localhost", None) is None
    assert token_for("localhost", "given one") == "given one"
    assert token_for("0.0.0.0", None) != token_for("0.0.0.0", None)
    with pytest.raises(ChoiceError, match="at least 8 characters"):
        token_for("0.0.0.0", "short")
