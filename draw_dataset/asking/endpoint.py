"""Client of a server with OpenAI's chat completions, by the standard library: one POST within limits.

A response counts only if it is whole. Everything else is an `AskError`, which says whether and when asking again may
help. The server is not trusted: it may send the key back, so the key is hidden in messages and answers.
"""

from __future__ import annotations

import base64
import http.client
import io
import json
import math
import re
import socket
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from email.utils import parsedate_to_datetime
from functools import partial
from itertools import groupby
from typing import Any
from urllib.parse import quote, urlsplit

from draw_dataset.errors import AskError, ChoiceError, short_repr
from draw_dataset.report.picture import clip, printable
from draw_dataset.version import __version__

# A timeout of a socket limits one silence, and `http.client` limits one line and the number of headers. A server can
# keep within both for ever, by a drip of bytes. So everything that `http.client` reads, of a proxy as well, comes
# through one reader that checks the limits. The timeouts of httpx are for each read as well, so it would not help.

MAX_BYTES = 1 << 24
"""The most bytes of one response, with its headers."""

UNREADABLE = (OSError, http.client.HTTPException, ValueError, OverflowError)
"""Errors of `post`, and of reading its response, for a bad connection or answer.

ValueError and OverflowError come of sizes of chunks that are none, and of names of proxies that cannot be looked up.
"""

_STEP = 0.2
"""Seconds that a read waits before it checks whether the run is stopped."""


@dataclass(slots=True)
class Limits:
    """The limits of one response."""

    timeout: float  # how many seconds the server may be silent
    time_limit: float  # how many seconds the response may take
    stopped: threading.Event = field(default_factory=threading.Event)  # set if the response is not wanted any more
    until: float = field(init=False)  # when the response must be there; a monotonic time
    left: int = field(init=False)  # how many more bytes may come

    def __post_init__(self) -> None:
        self.until = time.monotonic() + self.time_limit
        self.left = MAX_BYTES

    def check_time(self, silent: float) -> AskError | None:
        """Return the error of an exceeded time limit after some seconds of silence, if there is one."""
        if time.monotonic() >= self.until:
            told = f"the response takes longer than the time limit of {self.time_limit:g} s"
        elif silent >= self.timeout:
            told = f"no answer within {self.timeout:g} s"
        else:
            return None
        return AskError(told, transient=True)


def post(address: str, content: bytes, headers: Mapping[str, str], limits: Limits) -> http.client.HTTPResponse:
    """Send a request and return the response of any status; reading it raises `AskError` or one of `UNREADABLE`."""
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
        return self.do_open(self._bind_limits(http.client.HTTPConnection), request)

    def https_open(self, request: urllib.request.Request) -> http.client.HTTPResponse:
        return self.do_open(self._bind_limits(http.client.HTTPSConnection), request)

    http_request = https_request = urllib.request.AbstractHTTPHandler.do_request_

    def _bind_limits(self, kind: Callable[..., Any]) -> Any:
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
    """The bytes from a socket, within limits."""

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
            if exceeded := limits.check_time(silent):
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


_TRANSIENT = frozenset({408, 409, 423, 425, 429, 500, 502, 503, 504, 520, 522, 524, 529})
_HOPELESS = frozenset({*range(300, 400), 401, 403, 404, 405})
"""Statuses that every request of ours would get, so that asking more is useless."""

_LONGEST_WAIT = 300.0
_LONGEST_MESSAGE = 400
_LONGEST_NAME = 100
_LONGEST_EXCERPT = 2000
"""Bytes that are read of an error or of nonsense."""

TOKENS = ("prompt_tokens", "completion_tokens", "reasoning_tokens", "total_tokens")
"""The kinds of tokens that servers count."""

_MOST_TOKENS = 10**12


@dataclass(frozen=True, slots=True)
class Response:
    """The response of a model."""

    text: str
    reasoning: str  # the thoughts, if the server sends them apart from the answer
    finish_reason: str  # why the response ends, such as ``stop`` or ``length``
    usage: Mapping[str, int]  # tokens by kind, as the server counts them; empty if it does not count
    model: str  # the name that the server gives the model
    no_answer: str = ""  # why the text is empty, such as ``refusal`` or ``only reasoning``; empty if it is not
    from_tool: bool = False  # whether the text is the arguments of a tool call


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A server. Raises `ChoiceError` if its address is none, or its key cannot be sent."""

    base_url: str  # the address up to ``/v1``
    key: str | None = field(default=None, repr=False)  # the API key; never shown
    timeout: float = 120.0  # how many seconds it may be silent
    time_limit: float = 1800.0  # how many seconds one response may take
    # Called with each failure of the connection, when it happens: the caller may ask again for a long time.
    note: Callable[[str], object] | None = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not _is_address(self.base_url):
            got = "one with a name or password" if "@" in self.base_url else short_repr(self.base_url)
            raise ChoiceError(f"expected an address as in http://127.0.0.1:8000/v1 as --base-url, but got {got}")
        strange = [at for at, character in enumerate(self.key or "", 1) if not "!" <= character <= "~"]
        if strange:
            raise ChoiceError(
                "expected an API key of visible ASCII characters in the variable of --api-key-env, "
                f"but got another as character {strange[0]}"
            )

    def ask(self, body: Mapping[str, Any], stopped: threading.Event | None = None) -> tuple[Response, ...]:
        """Send a request for a chat completion and return its whole responses, one unless the body has ``n``.

        Setting `stopped` ends the request. Only the first response has the token counts, which are of the request.
        """
        content = json.dumps(body).encode()
        limits = Limits(self.timeout, self.time_limit, stopped or threading.Event())
        try:
            found = self._answer(content, bool(body.get("stream")), limits)
            return tuple(hide_in_response(response, self.key) for response in found)
        except AskError as error:
            failure = error
        except UNREADABLE as error:
            failure = _failure(error, limits)
            if self.note is not None:
                self.note(printable(hide_key(str(failure), self.key)))
        # Raised here, so that no traceback shows what it was made of.
        message = clip(printable(" ".join(hide_key(str(failure), self.key).split())), _LONGEST_MESSAGE)
        raise failure.with_message(message)

    def _answer(self, content: bytes, stream: bool, limits: Limits) -> tuple[Response, ...]:
        headers = {"Content-Type": "application/json", "User-Agent": f"draw-dataset/{__version__}"}
        if self.key:
            headers["Authorization"] = f"Bearer {self.key}"
        with post(f"{self.base_url.rstrip('/')}/chat/completions", content, headers, limits) as answer:
            if not 200 <= answer.status < 300:
                raise self._refusal(answer, limits)
            lines = iter(answer.readline, b"")
            return _read_stream(lines) if stream else read_completion(b"".join(lines))

    def _refusal(self, answer: http.client.HTTPResponse, limits: Limits) -> AskError:
        status = answer.status
        told = f"status {status}"
        if 300 <= status < 400:
            told += ": redirects are not followed, since the key would go there: if the other server is the right one, "
            told += f"give its address as --base-url; this one names {answer.headers.get('Location') or 'none'}"
        elif status == 404 and "/v1" not in self.base_url:
            told += f" at {self.base_url}: most servers expect a --base-url that ends in /v1"
        message = _beginning(answer, limits).decode("utf-8", "replace").strip()
        transient = status in _TRANSIENT or status >= 500
        wait = _retry_after(answer.headers.get("Retry-After")) if transient else None
        told += f": {message}" if message else ""
        return AskError(told, transient=transient, wait=wait, hopeless=status in _HOPELESS, status=status)


def _failure(error: Exception, limits: Limits) -> AskError:
    reason = error.reason if isinstance(error, urllib.error.URLError) else error
    if isinstance(reason, TimeoutError) and (exceeded := limits.check_time(limits.timeout)):
        return exceeded
    transient = not isinstance(error, (UnicodeError, http.client.InvalidURL))
    return AskError(f"{type(reason).__name__}: {reason}", transient=transient)


def _is_address(text: str) -> bool:
    try:
        parts = urlsplit(text)
        host = parts.hostname or ""
        host.encode("idna")  # refuses labels that are empty or too long
        named = parts.scheme in ("http", "https") and bool(host) and parts.port != 0 and "@" not in parts.netloc
    except ValueError:
        return False
    return named and text.isprintable() and " " not in text and f"{parts.path}{parts.query}{parts.fragment}".isascii()


def hide_in_response(response: Response, key: str | None) -> Response:
    """Return a response without an API key, and with names that can be shown."""
    names = (text[:_LONGEST_EXCERPT] for text in (response.finish_reason, response.model))
    finish, model = (clip(printable(hide_key(name, key)), _LONGEST_NAME) for name in names)
    text, reasoning = (_remove_key(text, key) for text in (response.text, response.reasoning))
    return replace(response, text=text, reasoning=reasoning, finish_reason=finish, model=model)


_HIDDEN = "[API key]"
_SHORTEST_SECRET = 6
"""A shorter key is a placeholder, such as EMPTY or x: to hide it would change answers."""

_FRAGMENT = 8
"""The least run of characters of a key that is hidden in messages."""

_CHARACTER = re.compile(r".", re.DOTALL)
_UNIT = re.compile(r"\\u([0-9a-fA-F]{4})|(?:%|\\x)([0-9a-fA-F]{2})|\\([^ux])|.", re.DOTALL)
"""A character, as it is or escaped as in JSON, Python or an address."""


def hide_key(text: str, key: str | None) -> str:
    r"""Return a text for a message, without a key and without large parts of it, encoded or not.

    >>> hide_key(r'{"error": "no sk-4uZq\u0037xLm here"}', "sk-4uZq7xLmB2wN")
    '{"error": "no [API key] here"}'
    """
    if not key or len(key) < _SHORTEST_SECRET:
        return text
    forms = _forms(key)
    return _hide_forms(_hide_forms(text, forms, _CHARACTER), forms, _UNIT)


def _hide_forms(text: str, forms: Sequence[str], pattern: re.Pattern[str]) -> str:
    """Return a text without parts of these forms, where what the pattern finds stands for one character each."""
    units = list(pattern.finditer(text))
    plain = "".join(map(_decode_unit, units)) if pattern is _UNIT else text
    hidden = bytearray(len(plain))
    for form in forms:
        size = min(_FRAGMENT, len(form))
        fragments = {form[at : at + size] for at in range(len(form) - size + 1)}
        for at in range(len(plain) - size + 1):
            if plain[at : at + size] in fragments:
                hidden[at : at + size] = b"\1" * size
    parts = groupby(zip(hidden, units, strict=True), key=lambda pair: pair[0])
    return "".join(_HIDDEN if mark else "".join(unit[0] for _, unit in group) for mark, group in parts)


def _decode_unit(unit: re.Match[str]) -> str:
    code = unit[1] or unit[2]
    return chr(int(code, 16)) if code else unit[3] or unit[0]


def _forms(key: str) -> list[str]:
    """Return a key as it is, and in base64 wherever it begins in what is encoded."""
    forms = [key]
    for before in range(3):
        coded = base64.b64encode(bytes(before) + key.encode()).decode()
        inner = coded[-(-8 * before // 6) : 8 * (before + len(key)) // 6]  # what depends on the key alone
        forms += [inner, inner.translate({ord("+"): "-", ord("/"): "_"})]
    return forms


def _remove_key(text: str, key: str | None) -> str:
    """Return an answer without the key. Parts of it are left: nothing else may change what is graded."""
    if key and len(key) >= _SHORTEST_SECRET:
        for form in (*_forms(key), quote(key), quote(key, safe=""), json.dumps(key)[1:-1], repr(key)[1:-1]):
            text = text.replace(form, _HIDDEN)
    return text


def _characters(text: str) -> str:
    """Return a text in which two halves of a character are one, and a lone half is U+FFFD; UTF-8 has no halves."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _beginning(answer: http.client.HTTPResponse, limits: Limits) -> bytes:
    """Return how the body of an error begins; it may take as long as a silence, since the status says enough."""
    limits.until = min(limits.until, time.monotonic() + limits.timeout)
    content = b""
    try:
        while line := answer.readline(_LONGEST_EXCERPT - len(content)):
            content += line
    except (AskError, *UNREADABLE):
        pass
    return content


def _retry_after(value: str | None) -> float | None:
    """Return how many seconds a server wants us to wait; the header holds seconds or a date."""
    if not value:
        return None
    try:
        seconds = float(value)
    except ValueError:
        try:
            seconds = parsedate_to_datetime(value).timestamp() - time.time()
        except (ValueError, TypeError, OverflowError):
            return None
    return min(max(seconds, 0.0), _LONGEST_WAIT) if seconds == seconds else None


def read_completion(content: bytes) -> tuple[Response, ...]:
    """Return the responses of a whole completion, in the order of their ``index``; raises `AskError` if it is none."""
    data = _decode(content)
    found: dict[int, Response] = {}
    usage = token_counts(data.get("usage"))
    for choice in _choices(data):
        message = choice.get("message")
        if not isinstance(message, Mapping) or not isinstance(choice.get("finish_reason"), str):
            raise _no_completion(content)
        found[_index(choice, len(found))] = _response([message], choice["finish_reason"], {}, _name(data))
    if not found:
        raise _no_completion(content)
    return _in_order(found, usage)


def _no_completion(content: bytes) -> AskError:
    return AskError(f"expected a whole completion, but got {_excerpt(content)}", transient=True)


def _read_stream(lines: Iterator[bytes]) -> tuple[Response, ...]:
    """Put the events of a stream together. A stream that does not say why each response ends was cut off."""
    deltas: dict[int, list[Mapping[str, Any]]] = {}
    finish: dict[int, str] = {}
    model = ""
    usage: Mapping[str, int] = {}
    for line in lines:
        if not line.startswith(b"data:"):
            continue
        content = line[5:].strip()
        if content == b"[DONE]":
            break
        data = _decode(content)
        if data.get("error"):
            raise AskError(f"the stream says {_excerpt(content)}", transient=True)
        model = _name(data) or model
        usage = token_counts(data.get("usage")) or usage
        for choice in _choices(data):
            parts = deltas.setdefault(_index(choice), [])
            if isinstance(choice.get("delta"), Mapping):
                parts.append(choice["delta"])
            if isinstance(choice.get("finish_reason"), str):
                finish[_index(choice)] = choice["finish_reason"]
    if not finish or set(finish) != set(deltas):
        raise AskError("the stream was cut off", transient=True)
    return _in_order({at: _response(parts, finish[at], {}, model) for at, parts in deltas.items()}, usage)


def _in_order(found: Mapping[int, Response], usage: Mapping[str, int]) -> tuple[Response, ...]:
    """Return responses by their index; the first has the token counts of all."""
    first, *others = (found[at] for at in sorted(found))
    return (replace(first, usage=usage), *others)


def _response(parts: Sequence[Mapping[str, Any]], finish: str, usage: Mapping[str, int], model: str) -> Response:
    """Return the response that comes in these parts, with the reason why it has no answer if it has none."""
    text = _characters("".join(_text(part.get("content")) for part in parts))
    # Servers have two names for the thoughts.
    thoughts = [_text(part.get("reasoning_content") or part.get("reasoning")) for part in parts]
    reasoning = _characters("".join(thoughts))
    arguments = "" if text.strip() else _characters(_tool_arguments(parts))
    from_tool = bool(arguments.strip())
    reasons = {
        "refusal": any(part.get("refusal") for part in parts),
        "tool call": any(part.get("tool_calls") or part.get("function_call") for part in parts),
        "content filter": finish == "content_filter",
        "only reasoning": bool(reasoning),
        "empty": True,
    }
    why = "" if text.strip() or from_tool else next(reason for reason, holds in reasons.items() if holds)
    return Response(arguments if from_tool else text, reasoning, finish, usage, model, why, from_tool)


def _tool_arguments(parts: Iterable[Mapping[str, Any]]) -> str:
    """Return the arguments of the last tool call that has some; a stream sends them in pieces."""
    calls: dict[int, str] = {}
    for part in parts:
        listed = part.get("tool_calls")
        given = [call for call in listed if isinstance(call, Mapping)] if isinstance(listed, list) else []
        for at, call in enumerate(given):
            number = call.get("index")
            number = number if type(number) is int else at
            calls[number] = calls.get(number, "") + _arguments(call.get("function"))
        calls[-1] = calls.get(-1, "") + _arguments(part.get("function_call"))  # the older name, of one call
    return next((calls[number] for number in sorted(calls, reverse=True) if calls[number].strip()), "")


def _arguments(function: object) -> str:
    """Return the arguments of a call as text; some servers send them as an object."""
    arguments = function.get("arguments") if isinstance(function, Mapping) else None
    if isinstance(arguments, Mapping):
        return json.dumps(arguments, ensure_ascii=False)
    return arguments if isinstance(arguments, str) else ""


def _decode(content: bytes) -> dict[str, Any]:
    try:
        data = json.loads(content, parse_int=_integer)
    except (ValueError, RecursionError):
        data = None
    if not isinstance(data, dict):
        raise AskError(f"expected JSON, an object, but got {_excerpt(content)}", transient=True)
    return data


def _integer(digits: str) -> int | float:
    """Return an integer, or infinity for one of so many digits that Python refuses it."""
    return int(digits) if len(digits) <= 100 else math.inf


def _excerpt(content: bytes) -> str:
    return content[:_LONGEST_EXCERPT].decode("utf-8", "replace").strip() or "nothing"


def _choices(data: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    choices = data.get("choices")
    return [choice for choice in choices if isinstance(choice, Mapping)] if isinstance(choices, list) else []


def _index(choice: Mapping[str, Any], otherwise: int = 0) -> int:
    """Return the number of a response among those of a request; servers that send only one may leave it out."""
    index = choice.get("index")
    return index if type(index) is int else otherwise


def _name(data: Mapping[str, Any]) -> str:
    name = data.get("model")
    return name if isinstance(name, str) else ""


def _text(content: object) -> str:
    """Return a text that comes whole, or in parts of which those of type text count."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    texts = [part.get("text") for part in parts if isinstance(part, Mapping) and part.get("type", "text") == "text"]
    return "".join(text for text in texts if isinstance(text, str))


def token_counts(usage: object) -> dict[str, int]:
    """Return the counts of tokens that a server gives by kind. A number that counts nothing is left out.

    >>> token_counts({"prompt_tokens": 7, "completion_tokens": -1, "total_tokens": 10**4000})
    {'prompt_tokens': 7}
    """
    if not isinstance(usage, Mapping):
        return {}
    details = usage.get("completion_tokens_details")
    thought = details.get("reasoning_tokens") if isinstance(details, Mapping) else usage.get("reasoning_tokens")
    found = {"reasoning_tokens": thought} | {kind: usage.get(kind) for kind in TOKENS if kind != "reasoning_tokens"}
    return {kind: count for kind in TOKENS if type(count := found[kind]) is int and 0 <= count <= _MOST_TOKENS}
