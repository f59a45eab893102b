"""The question: what does a server of language models answer to one request.

The interface is that of OpenAI's chat completions, which vLLM, llama.cpp, Ollama and hosted models offer. The standard
library is enough for it: one POST, and a stream of events. A vendor's client would bring its own retries, which know
nothing about our file of responses. A response counts only if it is whole: a stream must say why it ends. Everything
else is an `AskError`. It says whether asking again may help, and how long the server wants us to wait.
"""

from __future__ import annotations

import http.client
import json
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import urlsplit

from draw_dataset.errors import AskError, ChoiceError, shown
from draw_dataset.version import __version__

MAX_BYTES = 1 << 24
"""The most bytes of one response."""

_TRANSIENT = frozenset({408, 409, 423, 425, 429, 500, 502, 503, 504, 520, 522, 524, 529})
_HOPELESS = frozenset({401, 403, 404, 405})
"""Statuses that every request of ours would get, so that asking more is useless."""

_LONGEST_WAIT = 300.0


@dataclass(frozen=True, slots=True)
class Response:
    """The response of a model.

    Attributes:
        text: the answer.
        reasoning: the thoughts, if the server sends them apart from the answer.
        finish_reason: why the response ends, such as ``stop`` or ``length``.
        usage: tokens by kind, as the server counts them; empty if it does not count.
        model: the name that the server gives the model.
    """

    text: str
    reasoning: str
    finish_reason: str
    usage: Mapping[str, int]
    model: str


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A server.

    Attributes:
        base_url: the address up to ``/v1``.
        key: the API key; never shown.
        timeout: how many seconds it may be silent.
        time_limit: how many seconds one response may take.
    """

    base_url: str
    key: str | None = field(default=None, repr=False)
    timeout: float = 120.0
    time_limit: float = 1800.0

    def __post_init__(self) -> None:
        parts = urlsplit(self.base_url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ChoiceError(
                f"expected an address as in http://127.0.0.1:8000/v1 as --base-url, but got {shown(self.base_url)}"
            )

    def ask(self, body: Mapping[str, Any]) -> Response:
        """Send a request for a chat completion and return the whole response.

        Raises:
            AskError: there is no whole response; says why, and whether asking again may help.
        """
        headers = {"Content-Type": "application/json", "User-Agent": f"draw-dataset/{__version__}"}
        if self.key:
            headers["Authorization"] = f"Bearer {self.key}"
        address = f"{self.base_url.rstrip('/')}/chat/completions"
        request = urllib.request.Request(address, json.dumps(body).encode(), headers)
        until = time.monotonic() + self.time_limit
        try:
            with self._opener().open(request, timeout=self.timeout) as answer:
                lines = _limited(answer, until)
                return _streamed(lines) if body.get("stream") else _whole(b"".join(lines))
        except urllib.error.HTTPError as error:
            raise _refused(error) from error
        except TimeoutError as error:
            raise AskError(f"no answer within {self.timeout:g} s", transient=True) from error
        except (OSError, http.client.HTTPException) as error:
            reason = getattr(error, "reason", error)
            silent = isinstance(reason, TimeoutError)
            text = f"no answer within {self.timeout:g} s" if silent else f"{type(reason).__name__}: {reason}"
            raise AskError(text, transient=True) from error

    def _opener(self) -> urllib.request.OpenerDirector:
        # A proxy of the environment is for other machines, never for this one.
        local = urlsplit(self.base_url).hostname in ("127.0.0.1", "localhost", "::1")
        return urllib.request.build_opener(*([urllib.request.ProxyHandler({})] if local else []))


def _limited(answer: Any, until: float) -> Iterator[bytes]:
    size = 0
    while line := answer.readline(MAX_BYTES):
        size += len(line)
        if size > MAX_BYTES:
            raise AskError(f"more than {MAX_BYTES} bytes in one response", transient=False)
        if time.monotonic() > until:
            raise AskError("the response takes longer than the time limit", transient=True)
        yield line


def _refused(error: urllib.error.HTTPError) -> AskError:
    try:
        said = error.read(2000).decode("utf-8", "replace")
    except (OSError, http.client.HTTPException):
        said = ""
    message = " ".join(said.split())[:300]
    transient = error.code in _TRANSIENT or error.code >= 500
    wait = _retry_after(error.headers.get("Retry-After")) if transient else None
    told = f"status {error.code}{f': {message}' if message else ''}"
    if error.code == 404 and "/v1" not in error.url:
        told += f" at {error.url}: most servers expect a --base-url that ends in /v1"
    return AskError(told, transient=transient, wait=wait, hopeless=error.code in _HOPELESS)


def _retry_after(value: str | None) -> float | None:
    """Return how many seconds a server wants us to wait; the header holds seconds or a date."""
    if not value:
        return None
    try:
        seconds = float(value)
    except ValueError:
        try:
            seconds = parsedate_to_datetime(value).timestamp() - time.time()
        except ValueError:
            return None
    return min(max(seconds, 0.0), _LONGEST_WAIT) if seconds == seconds else None


def _whole(content: bytes) -> Response:
    data = _decoded(content)
    choice = _choice(data)
    message = choice.get("message") if choice else None
    if not isinstance(message, Mapping) or not isinstance(choice.get("finish_reason"), str):
        raise AskError(f"no whole completion in {shown(data)}", transient=True)
    text, reasoning = _said(message)
    return Response(text, reasoning, choice["finish_reason"], _usage(data), str(data.get("model", "")))


def _streamed(lines: Iterator[bytes]) -> Response:
    """Put the events of a stream together. A stream that does not say why it ends was cut off."""
    texts: list[str] = []
    thoughts: list[str] = []
    finish, model = "", ""
    usage: Mapping[str, int] = {}
    for line in lines:
        if not line.startswith(b"data:"):
            continue
        content = line[5:].strip()
        if content == b"[DONE]":
            break
        data = _decoded(content)
        if data.get("error"):
            raise AskError(f"the stream says {shown(data['error'])}", transient=True)
        model = str(data.get("model") or model)
        usage = _usage(data) or usage
        choice = _choice(data)
        delta = choice.get("delta")
        if isinstance(delta, Mapping):
            text, reasoning = _said(delta)
            texts.append(text)
            thoughts.append(reasoning)
        if isinstance(choice.get("finish_reason"), str):
            finish = choice["finish_reason"]
    if not finish:
        raise AskError("the stream was cut off", transient=True)
    return Response("".join(texts), "".join(thoughts), finish, usage, model)


def _decoded(content: bytes) -> dict[str, Any]:
    try:
        data = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise AskError(f"expected JSON, but got {shown(content[:60])}", transient=True) from error
    if not isinstance(data, dict):
        raise AskError(f"expected a JSON object, but got {shown(data)}", transient=True)
    return data


def _choice(data: Mapping[str, Any]) -> Mapping[str, Any]:
    choices = data.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    return first if isinstance(first, Mapping) else {}


def _said(message: Mapping[str, Any]) -> tuple[str, str]:
    """Return the text and the thoughts of a message; servers have two names for the thoughts."""
    return _text(message.get("content")), _text(message.get("reasoning_content") or message.get("reasoning"))


def _text(content: object) -> str:
    """Return a text that comes whole, or in parts of which those of type text count."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    texts = [part.get("text") for part in parts if isinstance(part, Mapping) and part.get("type", "text") == "text"]
    return "".join(text for text in texts if isinstance(text, str))


def _usage(data: Mapping[str, Any]) -> dict[str, int]:
    usage = data.get("usage")
    if not isinstance(usage, Mapping):
        return {}
    kinds = ("prompt_tokens", "completion_tokens", "total_tokens")
    found = {kind: usage[kind] for kind in kinds if type(usage.get(kind)) is int}
    details = usage.get("completion_tokens_details")
    if isinstance(details, Mapping) and type(details.get("reasoning_tokens")) is int:
        found["reasoning_tokens"] = details["reasoning_tokens"]
    return found
