"""Who may use the page: a gate before the whole application that knows annotators by a signed cookie.

Everything passes the gate, before Gradio sees it. On loopback a name is enough to enter; elsewhere a token is needed as
well. The cookie holds the name and its signature under the token, so that a restart of the server logs nobody out who
knows the same token. The gate refuses

* hosts that are not loopback where anybody on loopback may enter, so that no foreign name can be pointed at us,
* requests that other sites make (by ``Origin`` and ``Sec-Fetch-Site``), and it lets no answer be read by them,
* paths that the page does not need, such as Gradio's uploads.

Its answers forbid the browser to load anything from anywhere else.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import ipaddress
import re
import secrets
from collections.abc import Awaitable, Callable, MutableMapping
from html import escape
from importlib.resources import files
from string import Template
from typing import Any
from urllib.parse import parse_qs, quote, urlsplit

from draw_dataset.errors import ChoiceError, DrawError

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]

ANNOTATOR = "draw.annotator"
"""The key of a request's scope under which the gate leaves the annotator's name."""

PAGES = ("/", "/adjudicate")
SHORTEST_TOKEN = 8

_PAGE = re.compile(r"/(?:adjudicate)?(?:\?problem=\d{1,19}(?:&own)?)?")
_MAX_FORM = 10_000
_NEEDED = ("/assets/", "/static/", "/theme.css", "/favicon.ico", "/gradio_api/component_server")
_SECONDS_AFTER_A_WRONG_TOKEN = 0.5
_MONTH = 30 * 24 * 3600

_ALWAYS = (
    (b"referrer-policy", b"same-origin"),
    (b"x-content-type-options", b"nosniff"),
    (b"cross-origin-resource-policy", b"same-origin"),
)
_PAGE_POLICY = (
    # Gradio's own page has scripts in it and makes functions of texts; nothing of ours comes from elsewhere.
    b"default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; "
    b"img-src 'self' data:; font-src 'self' data:; connect-src 'self'; object-src 'none'; base-uri 'self'; "
    b"form-action 'self'; frame-ancestors 'none'"
)
_LOGIN_POLICY = (
    b"default-src 'none'; img-src data:; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'"
)


def is_loopback(host: str) -> bool:
    """Say whether a host is this machine alone.

    >>> [is_loopback(host) for host in ("127.0.0.1", "localhost", "::1", "0.0.0.0", "10.0.0.7", "example.org")]
    [True, True, True, False, False, False]
    """
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def token_for(host: str, given: str | None) -> str | None:
    """Return the token that a page on a host asks for: the given one, none on loopback, else a new one.

    >>> token_for("127.0.0.1", None) is None, len(token_for("0.0.0.0", None) or "") >= 16
    (True, True)

    Raises:
        ChoiceError: the given token is too short to keep anybody out.
    """
    if given is not None:
        if len(given) < SHORTEST_TOKEN:
            raise ChoiceError(f"token: expected at least {SHORTEST_TOKEN} characters, but got {len(given)}")
        return given
    return None if is_loopback(host) else secrets.token_urlsafe(18)


class Gate:
    """An ASGI application before another one: it lets in whom it knows, and asks the others who they are.

    Args:
        application: what lies behind the gate; it finds the annotator's name in the scope, under `ANNOTATOR`.
        enrol: called with the name that somebody gave; returns the name to use, or raises a `DrawError`.
        token: what they have to know, or None.
        only_loopback: whether only names of this machine are answered to.
    """

    def __init__(
        self, application: Application, enrol: Callable[[str], str], token: str | None, *, only_loopback: bool
    ) -> None:
        self._application = application
        self._enrol = enrol
        self._token = token
        self._only_loopback = only_loopback
        # Without a token the signature proves nothing, and need not: whoever is here may take any name.
        self._key = hashlib.sha256(b"draw annotate\0" + (token or "").encode()).digest()
        # Browsers keep cookies by host, whatever the port: two pages on one machine must not take each other's.
        self._cookie = f"draw-annotator-{hashlib.sha256(self._key).hexdigest()[:8]}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] == "lifespan":
            await self._application(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
            return
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        path, method = str(scope["path"]), str(scope["method"])
        if self._only_loopback and not is_loopback(_host_name(headers.get("host", ""))):
            await _say(send, 403, "This page is for this machine alone: open it as http://127.0.0.1 or localhost.")
        elif method not in ("GET", "HEAD") and _is_foreign(headers):
            await _say(send, 403, "This request comes from another site.")
        elif path == "/enter":
            await self._enter(scope, receive, send)
        elif path == "/leave" and method == "POST":
            await _redirect(send, "/enter", self._set_cookie("", 0))
        else:
            await self._pass(scope, receive, send, self._name_of(headers.get("cookie", "")))

    async def _pass(self, scope: Scope, receive: Receive, send: Send, name: str | None) -> None:
        path = str(scope["path"])
        if name is None:
            if path in PAGES and scope["method"] in ("GET", "HEAD"):
                asked = scope["query_string"].decode("latin-1")
                await _redirect(send, f"/enter?next={quote(f'{path}?{asked}' if asked else path, safe='')}")
            else:
                await _say(send, 401, "Log in first, at /enter.")
        elif path in PAGES or path.startswith(_NEEDED):
            scope[ANNOTATOR] = name
            await self._application(scope, receive, _closed_to_others(send))
        else:
            await _say(send, 404, "There is no such page.")

    async def _enter(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] != "POST":
            asked = parse_qs(scope["query_string"].decode("latin-1"))
            await self._ask(send, 200, _wanted(asked))
            return
        body = await _body(receive)
        if body is None:
            await _say(send, 413, "That is more than a name and a token.")
            return
        form = parse_qs(body.decode("utf-8", "replace"), keep_blank_values=True)
        name, given = (form.get(field, [""])[0] for field in ("name", "token"))
        if self._token is not None and not hmac.compare_digest(given.encode(), self._token.encode()):
            await asyncio.sleep(_SECONDS_AFTER_A_WRONG_TOKEN)
            await self._ask(send, 403, _wanted(form), name, "This is not the token that the server printed.")
            return
        try:
            known = await asyncio.to_thread(self._enrol, name)
        except DrawError as error:
            await self._ask(send, 422, _wanted(form), name, str(error))
            return
        await _redirect(send, _wanted(form), self._set_cookie(self._signed(known), _MONTH))

    async def _ask(self, send: Send, status: int, wanted: str, name: str = "", problem: str = "") -> None:
        folder = files("draw_dataset.annotation.page")
        page = Template(folder.joinpath("login.html").read_text(encoding="utf-8")).substitute(
            name=escape(name),
            next=escape(wanted),
            problem=f'<p class="problem" role="alert">{escape(problem)}</p>' if problem else "",
            token=_TOKEN_FIELD if self._token is not None else "",
        )
        await _answer(send, status, page, "text/html", ((b"content-security-policy", _LOGIN_POLICY),))

    def _signed(self, name: str) -> str:
        written = base64.urlsafe_b64encode(name.encode()).decode().rstrip("=")
        return f"{written}.{self._signature(name)}"

    def _signature(self, name: str) -> str:
        return hmac.new(self._key, name.encode(), hashlib.sha256).hexdigest()

    def _name_of(self, cookies: str) -> str | None:
        """Return the name in a request's cookie, if we signed it."""
        # By hand, as the cookies of other programs on this machine may be of any form.
        held = dict(part.strip().partition("=")[::2] for part in cookies.split(";")).get(self._cookie, "")
        written, _, signature = held.partition(".")
        try:
            name = base64.urlsafe_b64decode(written + "=" * (-len(written) % 4)).decode()
        except ValueError:
            return None
        genuine = hmac.compare_digest(signature.encode(), self._signature(name).encode())
        return name if name and genuine else None

    def _set_cookie(self, value: str, seconds: int) -> bytes:
        return f"{self._cookie}={value}; Path=/; HttpOnly; SameSite=Strict; Max-Age={seconds}".encode()


_TOKEN_FIELD = """<label for="token">Token</label>
<input id="token" name="token" type="password" required autocomplete="current-password">
<p class="hint">The server printed it when it was started.</p>"""


def _host_name(host: str) -> str:
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""


def _is_foreign(headers: dict[str, str]) -> bool:
    origin = headers.get("origin")
    # A browser sends a scheme and a host, or null.
    if origin is not None and origin.partition("://")[2] != headers.get("host"):
        return True
    return headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none")


def _wanted(fields: dict[str, list[str]]) -> str:
    wanted = fields.get("next", ["/"])[0]
    return wanted if _PAGE.fullmatch(wanted) else "/"


async def _body(receive: Receive) -> bytes | None:
    """Return what was sent, or None if it is too long for a form."""
    body = b""
    while True:
        message = await receive()
        body += bytes(message.get("body", b""))
        if len(body) > _MAX_FORM:
            return None
        if not message.get("more_body", False):
            return body


def _closed_to_others(send: Send) -> Send:
    """Return a sender that adds our headers to answers and takes away those that open them to other sites."""

    async def sender(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            kept = [(n, v) for n, v in message.get("headers", ()) if not n.lower().startswith(b"access-control-")]
            message = {**message, "headers": [*kept, *_ALWAYS, (b"content-security-policy", _PAGE_POLICY)]}
        await send(message)

    return sender


async def _say(send: Send, status: int, text: str) -> None:
    await _answer(send, status, text + "\n", "text/plain")


async def _redirect(send: Send, where: str, cookie: bytes | None = None) -> None:
    more = ((b"location", where.encode()), *(((b"set-cookie", cookie),) if cookie is not None else ()))
    await _answer(send, 303, "", "text/plain", more)


async def _answer(send: Send, status: int, text: str, kind: str, more: tuple[tuple[bytes, bytes], ...] = ()) -> None:
    body = text.encode()
    headers = [
        (b"content-type", f"{kind}; charset=utf-8".encode()),
        (b"content-length", str(len(body)).encode()),
        (b"cache-control", b"no-store"),
        *_ALWAYS,
        *more,
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
