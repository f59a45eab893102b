"""Servers that redirect, drip, echo the key, or send nonsense: a request ends with a reason, and the key stays here."""

from __future__ import annotations

import base64
import json
import random
import signal
import ssl
import subprocess
import sys
import threading
import traceback
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from asking.bad_server import BadServer, Connection, Script, reply

import draw_dataset.asking.endpoint as connection_module
from draw_dataset.asking.endpoint import Endpoint, _read_stream, _retry_after, read_completion
from draw_dataset.asking.session import Patience
from draw_dataset.cli import main
from draw_dataset.errors import AskError, ChoiceError

KEY = 'sk-4u/Zq"7%x+LmB2wN\\p9Yt'  # with characters that quoting changes
BODY = {"model": "m", "messages": [], "stream": False}
WHOLE = {"choices": [{"finish_reason": "stop", "message": {"content": "m = q1"}}], "model": "m"}
EVENT = 'data: {"choices": [{"delta": {"content": "m = q1"}, "finish_reason": "stop"}]}\n\n'


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Patience, "wait_before", lambda self, attempt: 0.01)


def failure_of(script: Script, key: str | None = KEY, stream: bool = False, **limits: float) -> AskError:
    with BadServer(script) as server, pytest.raises(AskError) as caught:
        Endpoint(server.url, key, **limits).ask({**BODY, "stream": stream})
    return caught.value


def run(url: str, out: Path, *further: str) -> int:
    return main(["evaluate-model", "--base-url", url, "--model", "m", "--out", str(out), "--references", "sample/test",
                 "--limit", "2", "--retries", "0", *further])  # fmt: skip


def spellings(key: str) -> list[str]:
    """Return a key as a server may echo it."""
    escaped = "".join(f"\\u{ord(character):04x}" for character in key)
    coded = [base64.b64encode(f"{before}{key}".encode()).decode() for before in ("", "u:", "Bearer ")]
    return [key, key[:12], key[5:], json.dumps(key), repr(key), quote(key), quote(key, safe=""), escaped, *coded]


# Redirects


@pytest.mark.parametrize("status", [300, 301, 302, 303, 304, 307, 308])
def test_a_redirect_is_not_followed_and_the_key_stays_here(status: int) -> None:
    with BadServer(reply(json.dumps(WHOLE))) as other:
        error = failure_of(reply("", f"{status} Moved", f"Location: {other.url}/chat/completions"))
        assert not other.requests
        assert other.url in str(error)  # says where to, so that the address can be mended
    assert error.hopeless
    assert not error.transient
    assert f"status {status}" in str(error)


def test_a_redirect_ends_the_run_and_stores_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "responses.jsonl"
    with BadServer(reply(json.dumps(WHOLE))) as other:
        moved = reply("", "302 Found", f"Location: {other.url}/chat/completions")
        with BadServer(moved) as server:
            assert run(server.url, out, "--no-stream") == 2
        assert not other.requests
    assert "redirect" in capsys.readouterr().err
    assert out.read_bytes() == b""


@pytest.mark.parametrize(
    "location", ["http://[::1", "http://h:999999/", "//", "\x1b[31m", "", "http://" + "a" * 70 + ".b/", "\xff" * 50]
)
def test_a_bad_location_is_a_reason(location: str) -> None:
    error = failure_of(reply("", "302 Found", f"Location: {location}"))
    assert "status 302" in str(error)
    assert str(error).isprintable()


# The key


@pytest.mark.parametrize("spelling", spellings(KEY))
@pytest.mark.parametrize("status", ["401 Unauthorized", "500 Oops", "302 Found", "200 OK"])
def test_a_key_that_the_server_echoes_is_not_shown(spelling: str, status: str) -> None:
    error = failure_of(reply(f"your key {spelling} is bad", status, f"Location: /{spelling}"))
    shown = "".join(traceback.format_exception(error))
    for hidden in (spelling, KEY[:8], KEY[8:]):
        assert hidden not in str(error)
        assert hidden not in shown
    assert "your key" in str(error) or "302" in status


def test_a_key_that_looks_escaped_is_not_shown() -> None:
    key = r"sk-%41bc%42de\u0041x\yz\x44"
    for spelling in spellings(key):
        error = failure_of(reply(f"your key {spelling} is bad", "401 Unauthorized"), key)
        assert not any(key[at : at + 8] in str(error) for at in range(len(key) - 7))
        assert spelling not in str(error)


@pytest.mark.parametrize(
    "script",
    [
        lambda connection: connection.send(f"{KEY}\r\n\r\n".encode()),  # no status line
        lambda connection: connection.send(f"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{KEY}\r\n".encode()),
        reply(f'{{"choices": "{"x" * 40}{KEY[:12]}"}}'),
        reply(json.dumps({"error": {"message": f"{'x' * 27}{KEY}"}})),
        reply(" " * 1990 + KEY, "500 Oops"),
    ],
)
@pytest.mark.parametrize("stream", [False, True])
def test_a_key_in_nonsense_is_not_shown(script: Script, stream: bool) -> None:
    error = failure_of(script, stream=stream)
    assert not any(KEY[at : at + 8] in "".join(traceback.format_exception(error)) for at in range(len(KEY) - 7))


def test_an_error_in_a_stream_does_not_show_the_key() -> None:
    event = f"data: {json.dumps({'error': {'message': f'the key {KEY}'}})}\n\n"
    error = failure_of(reply(event), stream=True)
    assert "the key" in str(error)
    assert KEY[:8] not in str(error)


def test_a_key_in_an_answer_is_not_stored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    message = {"content": f"m = q1 {KEY}", "reasoning": f"so {quote(KEY, safe='')}"}
    data = {"choices": [{"finish_reason": KEY, "message": message}], "model": f"served {KEY}"}
    out = tmp_path / "responses.jsonl"
    with BadServer(reply(json.dumps(data))) as server:
        run(server.url, out, "--no-stream")
        assert KEY.encode() in server.requests[0]
    lines = [json.loads(line) for line in out.read_text("utf-8").splitlines()]
    assert len(lines) == 2
    assert lines[0]["answer"].startswith("m = q1 ")
    said = capsys.readouterr()
    for text in (out.read_text("utf-8"), json.dumps(lines), str(lines), said.out, said.err):
        assert not any(spelling in text for spelling in spellings(KEY))


def test_a_short_placeholder_of_a_key_changes_no_answer() -> None:
    with BadServer(reply(json.dumps(WHOLE))) as server:
        assert Endpoint(server.url, "m").ask(BODY)[0].text == "m = q1"


@pytest.mark.parametrize("key", ["sk-secret\nX-Evil: 1", "sk-secret\r", "sk-secret\n", "ключ-sk-secret",
                                 "sk-secret\x00", "sk-secret é", "sk-secret\ud800"])  # fmt: skip
def test_a_key_that_no_header_can_hold_is_refused_unseen(
    key: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(ChoiceError) as caught:
        Endpoint("http://127.0.0.1:9/v1", key)
    assert "secret" not in "".join(traceback.format_exception(caught.value))
    if "\x00" not in key and "\ud800" not in key:  # no environment holds these
        monkeypatch.setenv("THE_KEY", key)
        assert run("http://127.0.0.1:9/v1", tmp_path / "o.jsonl", "--api-key-env", "THE_KEY") == 2
        said = capsys.readouterr().err
        assert "secret" not in said
        assert "--api-key-env" in said


@pytest.mark.parametrize("address", ["http://[::1/v1", "http://127.0.0.1:99999/v1", "http://127.0.0.1:x/v1",
                                     "http://" + "a" * 64 + ".example/v1", "http://a..b/v1", "http://h/v 1",
                                     "http://me:hunter2@127.0.0.1/v1", "http://h/v1\x1b[31m",
                                     "http://h/ü"])  # fmt: skip
def test_an_address_that_cannot_be_asked_is_refused(
    address: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(ChoiceError, match="expected an address"):
        Endpoint(address)
    assert run(address, tmp_path / "o.jsonl") == 2
    said = capsys.readouterr().err
    assert "hunter2" not in said
    assert "\x1b" not in said


# Limits

OK = b"HTTP/1.1 200 OK\r\n"
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"
DRIPS: dict[str, Script] = {
    "status line": lambda connection: connection.drip(b"9", b"HTTP/1.1 "),
    "header": lambda connection: connection.drip(b"x", OK + b"X-Long: "),
    "headers": lambda connection: connection.drip(b"X: 1\r\n", OK, pause=0.05),
    "100 Continue": lambda connection: connection.drip(b"HTTP/1.1 100 Continue\r\n\r\n"),
    "body": lambda connection: connection.drip(b" ", OK + b"\r\n"),
    "body with a length": lambda connection: connection.drip(b" ", OK + b"Content-Length: 99999999999999\r\n\r\n"),
    "lines": lambda connection: connection.drip(b"\n", OK + b"\r\n"),
    "comments": lambda connection: connection.drip(b": still here\n\n", OK + b"\r\n"),
    "chunk": lambda connection: connection.drip(b" ", CHUNKED + b"7fffffffffffffff\r\n"),
    "chunks": lambda connection: connection.drip(b"1\r\n \r\n", CHUNKED),
    "chunk size": lambda connection: connection.drip(b"0", CHUNKED),
    "trailer": lambda connection: connection.drip(b"X: 1\r\n", CHUNKED + b"1\r\n \r\n0\r\n"),
}


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("script", DRIPS.values(), ids=DRIPS)
def test_a_drip_ends_by_the_time_limit(script: Script, stream: bool) -> None:
    error = failure_of(script, stream=stream, timeout=60, time_limit=0.4)
    assert "time limit" in str(error)
    assert error.transient


@pytest.mark.parametrize(("status", "body"), [("401 Unauthorized", b"x"), ("500 Oops", b"x"), ("500 Oops", b"x\n")])
def test_a_drip_of_an_error_ends_by_the_time_limit_and_its_status_is_said(status: str, body: bytes) -> None:
    first = f"HTTP/1.1 {status}\r\n\r\nno!\n".encode()
    error = failure_of(lambda connection: connection.drip(body, first), timeout=60, time_limit=1.5)
    assert f"status {status[:3]}: no!" in str(error)
    assert error.hopeless is (status[:3] == "401")


def test_a_drip_of_an_error_may_take_no_longer_than_a_silence() -> None:
    first = b"HTTP/1.1 500 Oops\r\n\r\nno!\n"
    error = failure_of(lambda connection: connection.drip(b"x", first), timeout=1.5, time_limit=600)
    assert "status 500: no!" in str(error)


FLOODS: dict[str, Callable[[bytes], bytes]] = {
    "body": lambda many: OK + b"\r\n" + many,
    "lines": lambda many: OK + b"\r\n" + many.replace(b"xx", b"x\n"),
    "100 Continue": lambda many: b"HTTP/1.1 100 Continue\r\n\r\n" * (len(many) // 25 + 1),
    "chunk": lambda many: CHUNKED + b"7fffffffffffffff\r\n" + many,
    "trailer": lambda many: CHUNKED + b"1\r\n \r\n0\r\n" + b"x: 123456\r\n" * (len(many) // 11 + 1),
}


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("flood", FLOODS.values(), ids=FLOODS)
def test_a_flood_ends_by_the_limit_on_bytes_and_is_not_asked_again(
    flood: Callable[[bytes], bytes], stream: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection_module, "MAX_BYTES", 1 << 18)
    error = failure_of(lambda connection: connection.send(flood(b"x" * (1 << 19))), stream=stream)
    assert "more than 262144 bytes" in str(error)
    assert not error.transient  # a whole response of that size would come again


def test_a_failed_request_is_not_its_own_cause(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not issubclass(AskError, OSError)
    monkeypatch.setattr(connection_module, "MAX_BYTES", 1 << 16)
    with BadServer(lambda connection: connection.send(OK + b"\r\n" + b"x" * (1 << 17))) as server:
        assert run(server.url, tmp_path / "o.jsonl", "--retries", "3") == 4
        assert len(server.requests) == 2  # once for each of two problems


def test_silence_ends_by_the_timeout_in_every_place() -> None:
    for first in (b"", b"HTTP/1.1 2", OK, OK + b"\r\n{", CHUNKED + b"5\r\n{"):

        def script(connection: Connection, first: bytes = first) -> None:
            connection.send(first)
            connection.be_silent()

        error = failure_of(script, timeout=0.3)
        assert "no answer within 0.3 s" in str(error)
        assert error.transient


# Proxies and TLS


def test_a_proxy_of_the_environment_is_asked_about_other_machines_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("no_proxy", raising=False)
    with BadServer(reply(json.dumps(WHOLE))) as proxy, BadServer(reply(json.dumps(WHOLE))) as server:
        monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{proxy.port}")
        assert Endpoint("http://models.example/v1").ask(BODY)[0].text == "m = q1"
        assert proxy.requests[0].startswith(b"POST http://models.example/v1/chat/completions ")
        assert Endpoint(server.url).ask(BODY)[0].text == "m = q1"
        assert len(proxy.requests) == len(server.requests) == 1


def test_a_proxy_gets_no_key_for_tls_and_may_not_drip(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("no_proxy", raising=False)
    for first in (b"HTTP/1.1 200", b"HTTP/1.1 200 OK\r\nX: "):
        with BadServer(lambda connection, first=first: connection.drip(b"x", first)) as proxy:
            monkeypatch.setenv("https_proxy", f"http://127.0.0.1:{proxy.port}")
            with pytest.raises(AskError, match="time limit"):
                Endpoint("https://models.example/v1", KEY, timeout=60, time_limit=0.4).ask(BODY)
        assert proxy.requests[0].startswith(b"CONNECT models.example:443 ")
        assert KEY.encode() not in proxy.requests[0]


def test_a_server_with_tls_is_known_by_its_certificate_and_bounded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate(tmp_path / "both.pem"))
    with BadServer(reply(json.dumps(WHOLE)), context) as server:
        with pytest.raises(AskError, match="CERTIFICATE_VERIFY_FAILED"):
            Endpoint(server.url, KEY).ask(BODY)
        assert not server.requests
        monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "both.pem"))
        assert Endpoint(server.url, KEY).ask(BODY)[0].text == "m = q1"
        server.script = lambda connection: connection.drip(b"x", OK + b"X: ", pause=0.3)  # longer than a step of ours
        with pytest.raises(AskError, match="time limit"):
            Endpoint(server.url, KEY, timeout=60, time_limit=1).ask(BODY)


def certificate(path: Path) -> Path:
    """Write a certificate of this machine, valid for a day, and its private key."""
    x509 = pytest.importorskip("cryptography.x509")
    hashes = pytest.importorskip("cryptography.hazmat.primitives.hashes")
    ec = pytest.importorskip("cryptography.hazmat.primitives.asymmetric.ec")
    serialization = pytest.importorskip("cryptography.hazmat.primitives.serialization")
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "loopback")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False)
        .sign(key, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    private = key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    path.write_bytes(made.public_bytes(pem) + private)
    return path


# Nonsense


@pytest.mark.parametrize(
    "value",
    ["Wed, 99 Foo 2015 07:28:00 GMT", "Wed, 21 Oct 99999 07:28:00 GMT", "Mon, 01 Jan 0001 00:00:00 -2359", "1e999",
     "-1e999", "nan", "9" * 5000, "Wed", ",", "0" * 300 + " x", "Wed, 21 Oct 2015 07:28:00 +999999999999",
     "Thu, 01 Jan 1970 00:00:00 -9999", "21 Oct 2015 99:99:99", "\xb2"],
)  # fmt: skip
def test_a_bad_retry_after_is_no_reason_to_stop(value: str) -> None:
    error = failure_of(reply("slow down", "429 Too Many", f"Retry-After: {value}"))
    assert "status 429" in str(error)
    assert error.wait is None or 0 <= error.wait <= 300
    assert _retry_after("-7") == 0.0


@pytest.mark.parametrize("size", ["-1", "-5", "zz", "", "1" * 5000, "1_0", "0x5", "7fffffffffffffffff", "5;x", "\x1b"])
@pytest.mark.parametrize("stream", [False, True])
def test_a_bad_chunk_size_is_a_reason(size: str, stream: bool) -> None:
    error = failure_of(lambda connection: connection.send(CHUNKED + f"{size}\r\nabc\r\n".encode()), stream=stream)
    assert error.transient
    assert str(error).isprintable()


@pytest.mark.parametrize("count", ["9" * 4301, "9" * 4000, "-3", "1e400", '"7"', "null", "true", "[]", "1.5"])
@pytest.mark.parametrize("stream", [False, True])
def test_a_bad_token_count_costs_no_answer_and_is_said(
    count: str, stream: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    usage = f'{{"prompt_tokens": {count}, "completion_tokens_details": {{"reasoning_tokens": {count}}}}}'
    whole = f'{{"usage": {usage}, "choices": [{{"finish_reason": "stop", "message": {{"content": "m = q1"}}}}]}}'
    body = f'{EVENT}data: {{"choices": [], "usage": {usage}}}\n\ndata: [DONE]\n\n' if stream else whole
    with BadServer(reply(body)) as server:
        further = () if stream else ("--no-stream",)
        for _ in range(2):  # asked, and read from the file
            assert run(server.url, tmp_path / "o.jsonl", *further) == 0
            assert "the server did not count 2 responses" in capsys.readouterr().out


def test_terminal_escapes_are_not_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    evil = "\x1b]0;owned\x07\x9b31m\u202e\r\x00"
    with BadServer(reply(f"bad {evil}", "400 Bad")) as server:
        assert run(server.url, tmp_path / "failed.jsonl") == 4
    data = {**WHOLE, "model": evil, "choices": [{"finish_reason": evil, "message": {"content": evil}}]}
    with BadServer(reply(json.dumps(data))) as server:
        for further in ((), ("--json",)):
            assert run(server.url, tmp_path / "answered.jsonl", "--no-stream", *further) == 0
    said = capsys.readouterr()
    assert all(line.isprintable() for line in (said.out + said.err).splitlines())


@pytest.mark.parametrize(
    ("message", "finish", "reason"),
    [
        ({"content": None, "tool_calls": [{"id": "1"}]}, "tool_calls", "tool call"),
        ({"content": None, "function_call": {"name": "f"}}, "function_call", "tool call"),
        ({"content": None, "refusal": "I cannot."}, "stop", "refusal"),
        ({"content": None, "reasoning_content": "hm"}, "length", "only reasoning"),
        ({"content": "", "reasoning": "hm"}, "stop", "only reasoning"),
        ({"content": None}, "content_filter", "content filter"),
        ({"content": None}, "stop", "empty"),
        ({"content": " \n"}, "stop", "empty"),
        ({}, "stop", "empty"),
        ({"content": [{"type": "image"}]}, "stop", "empty"),
    ],
)
@pytest.mark.parametrize("stream", [False, True])
def test_a_response_without_an_answer_says_why(
    message: dict[str, Any], finish: str, reason: str, stream: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    choice = {"finish_reason": finish, "delta" if stream else "message": message}
    body = json.dumps({"choices": [choice]})
    further = () if stream else ("--no-stream",)
    with BadServer(reply(f"data: {body}\n\n" if stream else body)) as server:
        assert run(server.url, tmp_path / "o.jsonl", *further) == 0
        assert f"2 of 2 responses have no answer: {reason}: 2" in capsys.readouterr().out
        assert run(server.url, tmp_path / "o.jsonl", "--json", *further) == 0
    assert json.loads(capsys.readouterr().out)["no_answer"] == {reason: 2}


def test_names_that_the_server_gives_are_cut() -> None:
    long = "x" * (1 << 22)
    data = {**WHOLE, "model": long, "choices": [{"finish_reason": long, "message": {"content": "m = q1"}}]}
    with BadServer(reply(json.dumps(data))) as server:
        (response,) = Endpoint(server.url, KEY).ask(BODY)
    assert len(response.finish_reason) == len(response.model) == 100


def test_an_answer_beside_a_tool_call_or_thoughts_is_an_answer() -> None:
    message = {"content": "m = q1", "tool_calls": [{"id": "1"}], "reasoning": "hm", "refusal": None}
    assert not read_completion(json.dumps({"choices": [{"finish_reason": "stop", "message": message}]}).encode())[
        0
    ].no_answer
    assert not _read_stream(iter([EVENT.encode()]))[0].no_answer


def test_halves_of_a_character_become_one_and_lone_ones_a_replacement() -> None:
    halves = ['data: {"choices": [{"delta": {"content": "\\ud83d"}}]}\n', EVENT.replace("m = q1", "\\ude00 \\ud800")]
    assert _read_stream(line.encode() for line in halves)[0].text == "\U0001f600 \ufffd"


def random_bytes(chance: random.Random) -> bytes:
    """Return bytes that look a little like a response."""
    parts = [
        b"HTTP/1.1 ", b"200", b"100", b"302", b"401", b"503", b" OK", b"\r\n", b"\r\n\r\n", b"\n", b"Content-Length: ",
        b"Transfer-Encoding: chunked", b"Location: ", b"Retry-After: ", b"Content-Type: text/event-stream", b"data: ",
        b'{"choices": [{"delta": {"content": "x"}, "finish_reason": "stop"}]}', b"[DONE]", json.dumps(WHOLE).encode(),
        b'{"error": 1}', b'"usage": {"total_tokens": -1}', b"[" * 3000, b"5", b"ffffffff", b"-1", b"\xff\xfe", b"\x00",
        b"\x1b[2J", b"\\ud800", b":", b";", b"{", b"}", KEY.encode(), "ü".encode(),
    ]  # fmt: skip
    begins = chance.choice([b"", b"HTTP/1.1 200 OK\r\n", OK + b"\r\n", CHUNKED, b"HTTP/1.1 503 X\r\n"])
    chosen = [
        chance.choice(parts) if chance.random() < 0.9 else chance.randbytes(9) for _ in range(chance.randint(0, 12))
    ]
    return begins + b"".join(chosen)


def test_no_bytes_end_otherwise_than_with_a_response_or_a_reason() -> None:
    chance = random.Random(20)

    def script(connection: Connection) -> None:
        connection.send(random_bytes(chance))

    with BadServer(script) as server:
        endpoint = Endpoint(server.url, KEY, timeout=10, time_limit=20)
        for number in range(400):
            said = outcome(endpoint, number % 2 == 0)
            assert said.isprintable()
            assert KEY[:8] not in said


def outcome(endpoint: Endpoint, stream: bool) -> str:
    try:
        return endpoint.ask({**BODY, "stream": stream})[0].finish_reason
    except AskError as error:
        return str(error)


def test_no_thread_is_left_and_a_run_of_many_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(7)
    scripts = [
        reply(EVENT), reply("no", "500 Oops"), reply("no", "400 Bad"), lambda c: c.drip(b"x", OK + b"\r\n"),
        lambda c: c.send(random_bytes(chance)), lambda c: None,
    ]  # fmt: skip
    with BadServer(lambda connection: chance.choice(scripts)(connection)) as server:
        command = ["evaluate-model", "--base-url", server.url, "--model", "m", "--references", "sample/test", "--out",
                   str(tmp_path / "o.jsonl"), "--concurrency", "16", "--timeout", "0.5", "--retries", "2"]  # fmt: skip
        monkeypatch.setattr(Endpoint.__init__, "__defaults__", (None, 0.5, 1.0))  # a time limit of a second
        assert main(command) in (0, 2, 4)
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("ask")]


# A shell makes what it runs in the background ignore the signal, and children inherit that.
_INTERRUPTIBLE = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
from draw_dataset.cli import main
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.parametrize("script", [Connection.be_silent, lambda c: c.drip(b": x\n", OK + b"\r\n")])
def test_ctrl_c_ends_a_run_that_waits(script: Script, tmp_path: Path) -> None:
    asked = threading.Event()

    def answer(connection: Connection) -> None:
        asked.set()
        script(connection)

    with BadServer(answer) as server:
        command = [sys.executable, "-c", _INTERRUPTIBLE, "evaluate-model", "--base-url", server.url, "--model", "m",
                   "--references", "sample/test", "--out", str(tmp_path / "o.jsonl"), "--timeout", "3000"]  # fmt: skip
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            try:
                assert asked.wait(60)
                process.send_signal(signal.SIGINT)
                _, said = process.communicate(timeout=60)
            finally:
                process.kill()
    assert process.returncode == 130
    assert "Traceback" not in said
