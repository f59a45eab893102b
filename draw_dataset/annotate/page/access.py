"""Access control of the page: login, and the requests that are refused.

Every request passes through here before Gradio sees it. On loopback a name is enough to log in; elsewhere a token is
needed as well. The cookie holds the name, signed with the token, so a restart with the same token logs nobody out.
These are refused:

* hosts that are not loopback, if anybody on loopback may log in, so that no foreign host name can point at this server,
* requests that other sites make (by ``Origin`` and ``Sec-Fetch-Site``); other sites cannot read answers either,
* paths that the page does not need, such as Gradio's uploads, and messages to components that do not exist,
* bodies that are longer than any message of the page; not more than that is read,
* imports and exports without the lead's token, where annotators need a token,
* guesses: after a wrong token the address has to wait, each time twice as long.

The answers forbid the browser to load anything from other sites.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import ipaddress
import re
import secrets
import time
from collections.abc import Awaitable, Callable, Collection, MutableMapping, Sequence
from typing import Any
from urllib.parse import parse_qs, quote, urlsplit

from itsdangerous import BadData, URLSafeTimedSerializer
from starlette.datastructures import FormData, MutableHeaders, UploadFile
from starlette.formparsers import MultiPartException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, RedirectResponse, Response

from draw_dataset.annotate.page.desk import DATA, DESK_PATHS, IMPORT, MAX_UPLOAD, Desk
from draw_dataset.annotate.page.render import guideline_html, login_html
from draw_dataset.errors import ChoiceError, DrawError, RowError
from draw_dataset.io.jsonl import decode_json

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]

ANNOTATOR = "draw.annotator"  # the key of a request's scope under which access control stores the annotator's name

PAGES = ("/", "/adjudicate")
SHORTEST_TOKEN = 8
MAX_BODY = 1 << 20  # bytes of a message; a page sends a tenth of that at most
FIRST_WAIT, LONGEST_WAIT = 1.0, 64.0  # seconds of waiting after a wrong token

_MESSAGES = ("/gradio_api/component_server", "/gradio_api/component_server/")
_FILES = re.compile(r"/(?:assets|static)(?:/[\w@.-]{1,200}){1,8}", re.ASCII)
_MANIFEST = "/manifest.json"  # Gradio links it, and browsers ask for it without the cookie
_NEEDED = ("/theme.css", "/favicon.ico", *_MESSAGES)
_FUNCTION = "answer"
_PAGE = re.compile(r"/data|/(?:adjudicate)?(?:\?problem=[\w.~%-]{1,4000}(?:&own)?)?", re.ASCII)
_MAX_FORM = 10_000
_MAX_FIELDS = 10
_MAX_SESSION = 100
_MAX_ADDRESSES = 10_000
_MONTH = 30 * 24 * 3600

_ALWAYS = {
    "referrer-policy": "same-origin",
    "x-content-type-options": "nosniff",
    "cross-origin-resource-policy": "same-origin",
}
_PAGE_POLICY = (
    # Gradio's own page has inline scripts and makes functions from strings; everything else comes from this server.
    "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data:; font-src 'self' data:; connect-src 'self'; object-src 'none'; base-uri 'self'; "
    "form-action 'self'; frame-ancestors 'none'"
)
_LOGIN_POLICY = (
    "default-src 'none'; img-src data:; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'"
)


def is_loopback(host: str) -> bool:
    """Return True if a host is this machine alone.

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
    """
    if given is not None:
        if len(given) < SHORTEST_TOKEN:
            raise ChoiceError(f"token: expected at least {SHORTEST_TOKEN} characters, but got {len(given)}")
        return given
    return None if is_loopback(host) else secrets.token_urlsafe(18)


def lead_token_for(token: str | None, given: str | None) -> str | None:
    """Return the token that imports and exports ask for: the given one, none if annotators need none, else a new one.

    >>> lead_token_for(None, None) is None, lead_token_for("of annotators", "of the lead")
    (True, 'of the lead')
    """
    if given is None:
        return None if token is None else secrets.token_urlsafe(18)
    if len(given) < SHORTEST_TOKEN:
        raise ChoiceError(f"lead token: expected at least {SHORTEST_TOKEN} characters, but got {len(given)}")
    if given == token:
        raise ChoiceError("lead token: expected another token than that of the annotators, but got the same")
    return given


class Guesses:
    """Waiting times of addresses after wrong tokens, however many requests they make at once.

    >>> now = [0.0]
    >>> guesses = Guesses(lambda: now[0])
    >>> guesses.wrong("10.0.0.7"), guesses.wait("10.0.0.7"), guesses.wait("10.0.0.8")
    (None, 1.0, 0.0)
    >>> now[0] = 1.0
    >>> guesses.wait("10.0.0.7"), guesses.wrong("10.0.0.7"), guesses.wait("10.0.0.7")
    (0.0, None, 2.0)
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._closed: dict[str, tuple[float, float]] = {}

    def wait(self, address: str) -> float:
        """Return the seconds that an address still has to wait."""
        until, _ = self._closed.get(_neighbourhood(address), (0.0, 0.0))
        return max(0.0, until - self._clock())

    def wrong(self, address: str) -> None:
        """Make an address wait, twice as long as the last time."""
        key = _neighbourhood(address)
        _, before = self._closed.pop(key, (0.0, 0.0))
        pause = min(max(FIRST_WAIT, 2 * before), LONGEST_WAIT)
        if len(self._closed) >= _MAX_ADDRESSES:
            del self._closed[next(iter(self._closed))]
        self._closed[key] = self._clock() + pause, pause

    def right(self, address: str) -> None:
        """Forget the wrong tokens of an address."""
        self._closed.pop(_neighbourhood(address), None)


def _neighbourhood(address: str) -> str:
    """Return the key of an address: for IPv6 its network, since one person has all addresses of it."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return address
    return str(ipaddress.ip_network((parsed, 64), strict=False)) if parsed.version == 6 else address


class AccessControl:
    """An ASGI application around another one: it lets known people in, and asks the others to log in."""

    def __init__(
        self,
        application: Application,
        enrol: Callable[[str], str],
        token: str | None,
        *,
        only_loopback: bool,
        components: Collection[int] = (),
        guesses: Guesses | None = None,
        desk: Desk | None = None,
    ) -> None:
        self._application = application
        self._enrol = enrol
        self._token = token
        self._only_loopback = only_loopback
        self._components = frozenset(components)
        self._guesses = Guesses() if guesses is None else guesses
        self._desk = desk
        # Apart from those at the login, which a right token of an annotator forgets.
        self._lead_guesses = Guesses()
        # Without a token the signature proves nothing, and need not: everybody here may take any name.
        self._signer = URLSafeTimedSerializer(
            token or "none", "draw annotate", signer_kwargs={"digest_method": hashlib.sha256, "key_derivation": "hmac"}
        )
        # Browsers keep cookies by host and ignore the port: two pages on one machine must not use each other's cookie.
        mark = hashlib.sha256(b"draw annotate\0" + (token or "").encode()).digest()
        self._cookie = f"draw-annotator-{hashlib.sha256(mark).hexdigest()[:8]}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] == "lifespan":
            await self._application(scope, receive, send)
        elif scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
        else:
            request = Request(scope, receive)
            answer = await self._answer(request)
            if answer is not None:
                answer.headers.update({"cache-control": "no-store", **_ALWAYS})
                await answer(scope, receive, send)
            else:
                await self._application(scope, _replay(request.state.body, receive), _close_to_others(send))

    async def _answer(self, request: Request) -> Response | None:
        """Return our own answer, or None if the request may pass."""
        path, method = request.url.path, request.method
        if self._only_loopback and not is_loopback(_host_name(request.headers.get("host", ""))):
            return _respond(403, "This page works only on this machine: open it as http://127.0.0.1 or localhost.")
        if method not in ("GET", "HEAD") and _is_foreign(request):
            return _respond(403, "This request comes from another site.")
        if path == "/enter":
            return (
                await self._enter(request) if method == "POST" else self._ask(200, _find_next_page(request.url.query))
            )
        if path == "/guideline" and method in ("GET", "HEAD"):
            return HTMLResponse(guideline_html())
        if path == _MANIFEST and method in ("GET", "HEAD"):
            return JSONResponse({"name": "draw annotate", "start_url": "/"}, media_type="application/manifest+json")
        if path == "/leave" and method == "POST":
            return self._redirect("/enter", "")
        name = self._name_of(request)
        if name is None:
            if path in (*PAGES, DATA) and method in ("GET", "HEAD"):
                wanted = f"{path}?{request.url.query}" if request.url.query else path
                return self._redirect(f"/enter?next={quote(wanted, safe='')}")
            return _respond(401, "Log in first, at /enter.")
        if path in DESK_PATHS and self._desk is not None:
            return await self._answer_lead(request, self._desk)
        if path not in (*PAGES, *_NEEDED) and not _FILES.fullmatch(path):
            return _respond(404, "There is no such page.")
        request.scope[ANNOTATOR] = name
        request.state.body = b"" if method in ("GET", "HEAD") else await _body(request, MAX_BODY)
        if request.state.body is None:
            return _too_long(f"expected at most {MAX_BODY} bytes")
        return self._refusal(request) if path in _MESSAGES else None

    def _refusal(self, request: Request) -> Response | None:
        """Refuse a message that Gradio could not deliver."""
        if request.method != "POST":
            return _respond(405, "Messages are sent with POST.")
        try:
            sent = decode_json(request.state.body, "message")
        except RowError as error:
            return _respond(400, str(error))
        session = sent.get("session_hash") if isinstance(sent, dict) else None
        if not isinstance(session, str) or len(session) > _MAX_SESSION or "data" not in sent:
            return _respond(400, "message: expected an object with data, component_id, fn_name and session_hash.")
        component = sent.get("component_id")
        if type(component) is not int or component not in self._components or sent.get("fn_name") != _FUNCTION:
            return _respond(404, "message: there is no such component or function; reload the page.")
        if not request.headers.get("content-type", "").lower().startswith("application/json"):
            return _respond(415, "message: expected application/json.")
        return None

    async def _answer_lead(self, request: Request, desk: Desk) -> Response:
        """Answer a request for import or export."""
        path, method = request.url.path, request.method
        if path == DATA:
            return _show_data(200, desk) if method in ("GET", "HEAD") else _respond(405, "This page is read with GET.")
        if method != "POST":
            return _respond(405, "Forms are sent with POST.")
        body = await _body(request, MAX_UPLOAD)
        if body is None:
            return _too_long(f"The file is too large: expected at most {MAX_UPLOAD} bytes; use draw annotate import.")
        form = await _read_form(request, body)
        if form is None:
            return _respond(400, "The form cannot be read: expected multipart/form-data, with at most one file.")
        try:
            return self._refuse_lead(request, desk, _text(form, "token")) or await _serve_lead(path, form, desk)
        except DrawError as error:
            return _show_data(422, desk, problem=str(error))
        finally:
            await form.close()

    def _refuse_lead(self, request: Request, desk: Desk, given: str) -> Response | None:
        """Refuse a form without the lead's token; None if it may pass."""
        if desk.token is None:
            return None
        address = request.client.host if request.client is not None else ""
        wait = self._lead_guesses.wait(address)
        if wait:
            problem, again = _wait_text(wait)
            return _show_data(429, desk, problem=problem, more=again)
        if not hmac.compare_digest(given.encode(), desk.token.encode()):
            self._lead_guesses.wrong(address)
            return _show_data(403, desk, problem="This is not the lead's token that the server printed.")
        self._lead_guesses.right(address)
        return None

    async def _enter(self, request: Request) -> Response:
        body = await _body(request, _MAX_FORM)
        if body is None:
            return _too_long("The form is too large: expected a name and a token.")
        text = body.decode("utf-8", "replace")
        form = parse_qs(text, keep_blank_values=True)
        name, given = (form.get(field, [""])[0] for field in ("name", "token"))
        address = request.client.host if request.client is not None else ""
        if self._token is not None:
            wait = self._guesses.wait(address)
            if wait:
                notice, again = _wait_text(wait)
                return self._ask(429, _find_next_page(text), name, notice, again)
            if not hmac.compare_digest(given.encode(), self._token.encode()):
                self._guesses.wrong(address)
                return self._ask(403, _find_next_page(text), name, "This is not the token that the server printed.")
            self._guesses.right(address)
        try:
            known = await asyncio.to_thread(self._enrol, name)
        except DrawError as error:
            return self._ask(422, _find_next_page(text), name, str(error))
        return self._redirect(_find_next_page(text), str(self._signer.dumps(known)))

    def _ask(
        self, status: int, wanted: str, name: str = "", problem: str = "", more: dict[str, str] | None = None
    ) -> Response:
        page = login_html(name, wanted, problem, asks_token=self._token is not None)
        return HTMLResponse(page, status, {"content-security-policy": _LOGIN_POLICY, **(more or {})})

    def _name_of(self, request: Request) -> str | None:
        """Return the name in a request's cookie, if we signed it and it is not older than a month."""
        try:
            name = self._signer.loads(request.cookies.get(self._cookie, ""), max_age=_MONTH)
        except BadData:
            return None
        return name if isinstance(name, str) and name else None

    def _redirect(self, where: str, cookie: str | None = None) -> Response:
        answer = RedirectResponse(where, 303)
        if cookie is not None:
            age = _MONTH if cookie else 0
            answer.set_cookie(self._cookie, cookie, max_age=age, httponly=True, samesite="strict")
        return answer


def _show_data(
    status: int, desk: Desk, lines: Sequence[str] = (), problem: str = "", more: dict[str, str] | None = None
) -> Response:
    policy = {"content-security-policy": _LOGIN_POLICY, **(more or {})}
    return HTMLResponse(desk.page(lines, problem), status, policy)


def _wait_text(wait: float) -> tuple[str, dict[str, str]]:
    """Return the notice about a wait, and its header."""
    seconds = int(wait) + 1
    return f"A wrong token was given from your address. Try again in {seconds} s.", {"retry-after": str(seconds)}


async def _serve_lead(path: str, form: FormData, desk: Desk) -> Response:
    """Import the file of a form, or answer with the rows that it asks for."""
    if path == IMPORT:
        file = form.get("file")
        content, name = (await file.read(), file.filename or "") if isinstance(file, UploadFile) else (b"", "")
        lines = await asyncio.to_thread(desk.import_file, content, name, update=_text(form, "update") == "yes")
        return _show_data(200, desk, lines=lines)
    found = await asyncio.to_thread(desk.export, _text(form, "policy"))
    headers = {
        "content-disposition": f'attachment; filename="{found.name}"',
        "content-security-policy": "default-src 'none'; sandbox",
    }
    return Response(found.content, 200, headers, "application/jsonl")


async def _read_form(request: Request, body: bytes) -> FormData | None:
    try:
        return await Request(request.scope, _replay(body, request.receive)).form(max_files=1, max_fields=_MAX_FIELDS)
    except (MultiPartException, ValueError):
        return None


def _text(form: FormData, name: str) -> str:
    value = form.get(name)
    return value if isinstance(value, str) else ""


def _respond(status: int, text: str, more: dict[str, str] | None = None) -> Response:
    return PlainTextResponse(f"{text}\n", status, more)


def _too_long(text: str) -> Response:
    # The connection is closed, or the server would read the rest of the body.
    return _respond(413, text, {"connection": "close"})


def _host_name(host: str) -> str:
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""


def _is_foreign(request: Request) -> bool:
    origin = request.headers.get("origin")
    # A browser sends a scheme and a host, or null.
    if origin is not None and origin.partition("://")[2] != request.headers.get("host"):
        return True
    return request.headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none")


def _find_next_page(form: str) -> str:
    wanted = parse_qs(form).get("next", ["/"])[0]
    return wanted if _PAGE.fullmatch(wanted) else "/"


async def _body(request: Request, most: int) -> bytes | None:
    """Return the body of a request; None if it is too long, and then the rest is not read."""
    length = request.headers.get("content-length", "")
    if length.isdigit() and (len(length) > 18 or int(length) > most):
        return None
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > most:
            return None
    return body


def _replay(body: bytes, receive: Receive) -> Receive:
    """Return a receiver that repeats a body that was read already, and then continues."""
    given = False

    async def receiver() -> MutableMapping[str, Any]:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return receiver


def _close_to_others(send: Send) -> Send:
    """Return a sender that adds our headers to answers and removes headers that allow other sites to read them."""

    async def sender(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            kept = [(n, v) for n, v in message.get("headers", ()) if not n.lower().startswith(b"access-control-")]
            message = {**message, "headers": kept}
            MutableHeaders(scope=message).update({"content-security-policy": _PAGE_POLICY, **_ALWAYS})
        await send(message)

    return sender
