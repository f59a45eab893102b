"""Politeness rules of the crawl: judgement of answers, user agent, ``Retry-After``, and robots.txt.

robots.txt is fetched once a day for each host. Without one (a status from 400), everything may be read; if the request
fails (a status from 500, 429, no answer, endless redirects, a truncated text), nothing may be read (RFC 9309).
"""

from __future__ import annotations

import email.utils
import re
import time
import zlib
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from email.message import Message
from urllib.parse import urljoin, urlsplit

from protego import Protego

from draw_dataset.collect.ledger import Ending, State
from draw_dataset.errors import ContactError, CrawlStopped
from draw_dataset.version import __version__

MAX_SIZE = 2 * 2**20  # default size limit of a page in bytes; pages of algebra.com have some ten thousand

_HTML = frozenset({"text/html", "application/xhtml+xml", "text/plain"})
_TAIL = 2048
_STATUSES = {404: State.NOT_FOUND, 410: State.GONE, 401: State.FORBIDDEN, 403: State.FORBIDDEN}


@dataclass(frozen=True, slots=True)
class Answer:
    """HTTP response."""

    url: str
    status: int
    headers: Mapping[str, str]  # names in lower case
    body: bytes  # as transferred: without chunks, but still compressed
    length_known: bool = True  # whether the transfer itself marked the end of the body


@dataclass(frozen=True, slots=True)
class Judgement:
    """Outcome of a request."""

    ending: Ending  # of the page, if there is no further try
    passing: bool = False  # whether another try may end differently


def judge(answer: Answer, max_size: int = MAX_SIZE) -> Judgement:
    """Judge a fetched or archived answer that is not a redirect. Only a complete page is stored.

    Complete: as long as its header says, compression complete, and ``</html`` near the end if nothing says its length.

    >>> judge(Answer("http://a.example/", 200, {}, b"<html>hello</html>")).ending.state
    <State.STORED: 'stored'>
    >>> judge(Answer("http://a.example/", 200, {}, b"<html>hel", length_known=False)).ending.detail
    'no </html> at its end'
    """
    if not 200 <= answer.status < 300:
        return _judge_failure(answer)
    content_type, charset = parse_content_type(answer.headers)

    def end(state: State, detail: str = "", passing: bool = False, body: bytes = b"") -> Judgement:
        ending = Ending(state, detail, answer.status, answer.url, content_type=content_type, charset=charset, body=body)
        return Judgement(ending, passing)

    if content_type is not None and content_type not in _HTML:
        return end(State.NOT_HTML, content_type)
    promised = _length(answer.headers)
    if promised > max_size:
        return end(State.TOO_LARGE, f"{promised} bytes")
    if promised > len(answer.body):
        return end(State.TRUNCATED, f"{len(answer.body)} of {promised} bytes", passing=True)
    try:
        body = decompress(answer.body, answer.headers.get("content-encoding", ""), max_size)
    except EOFError as error:
        return end(State.TRUNCATED, str(error), passing=True)
    if body is None:
        return end(State.TOO_LARGE, f"more than {max_size} bytes")
    if not body.strip():
        return end(State.EMPTY, f"{len(body)} bytes", passing=True)
    if not answer.length_known and b"</html" not in body[-_TAIL:].lower():
        return end(State.TRUNCATED, "no </html> at its end", passing=True)
    return end(State.STORED, body=body)


def _length(headers: Mapping[str, str]) -> int:
    """Return the declared length; 0 if there is no readable one."""
    given = headers.get("content-length", "").strip()
    return int(given) if given.isascii() and given.isdecimal() and len(given) < 19 else 0


def _judge_failure(answer: Answer) -> Judgement:
    if answer.status >= 500:
        state, passing = State.SERVER_ERROR, True
    elif answer.status == 429:
        state, passing = State.RATE_LIMITED, True
    elif answer.status == 408:
        state, passing = State.TIMEOUT, True
    else:
        state, passing = _STATUSES.get(answer.status, State.REFUSED), False
    return Judgement(Ending(state, f"status {answer.status}", answer.status, answer.url), passing)


def parse_content_type(headers: Mapping[str, str]) -> tuple[str | None, str | None]:
    """Return the declared media type and character set.

    >>> parse_content_type({"content-type": "Text/HTML; charset=UTF-8"}), parse_content_type({})
    (('text/html', 'utf-8'), (None, None))
    """
    given = headers.get("content-type", "").strip()
    if not given:
        return None, None
    message = Message()
    message["content-type"] = given
    return message.get_content_type(), message.get_content_charset() or None


def decompress(body: bytes, encoding: str, max_size: int) -> bytes | None:
    """Return a body decompressed; None above `max_size`. Memory stays within it. Damage raises EOFError."""
    named = encoding.strip().lower()
    # Servers name a compression that they did not apply, and archives keep its name after undoing it.
    if named in ("gzip", "x-gzip") and body.startswith(b"\x1f\x8b"):
        window = zlib.MAX_WBITS | 16
    elif named == "deflate" and body:
        window = zlib.MAX_WBITS if body[0] & 0x0F == 8 and int.from_bytes(body[:2]) % 31 == 0 else -zlib.MAX_WBITS
    else:
        return body if len(body) <= max_size else None
    unpacker = zlib.decompressobj(window)
    try:
        unpacked = unpacker.decompress(body, max_size + 1)
    except zlib.error as error:
        raise EOFError(f"damaged {named} data: {error}") from error
    if len(unpacked) > max_size:
        return None
    if not unpacker.eof:
        raise EOFError(f"the {named} data end too early")
    return unpacked


ROBOT = "draw-dataset"  # our name in robots.txt
Download = Callable[[str], Awaitable[Answer | Judgement]]  # one request; a judgement if there was no answer
_LIFE = 24 * 3600.0
_MAX_HOPS = 5

_CONTACT = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+|https?://[^\s/]+\.\S+")


def user_agent(contact: str | None) -> str:
    """Return our user agent with a contact.

    >>> user_agent("me@university.example")
    'draw-dataset/0.2.0 (research crawler; +me@university.example)'
    """
    given = (contact or "").strip()
    if not _CONTACT.fullmatch(given) or not given.isascii():
        got = f"got {given!r}" if given else "got none"
        raise ContactError(f"--contact: expected a mail address or a web page where the site can reach you, but {got}")
    return f"{ROBOT}/{__version__} (research crawler; +{given})"


def retry_after(headers: Mapping[str, str], now: float) -> float | None:
    """Return the seconds that the site asks us to wait, from a number or a date; None if there is neither.

    >>> retry_after({"retry-after": "120"}, 0.0), retry_after({"retry-after": "soon"}, 0.0)
    (120.0, None)
    >>> retry_after({"retry-after": "Thu, 01 Jan 1970 00:01:00 GMT"}, 15.0)
    45.0
    """
    given = headers.get("retry-after", "").strip()
    if given.isascii() and given.isdecimal() and len(given) < 10:
        return float(given)
    try:
        return max(0.0, email.utils.parsedate_to_datetime(given).timestamp() - now)
    except (ValueError, OverflowError):
        return None


@dataclass(frozen=True, slots=True)
class Rules:
    r"""Rules of a robots.txt for us.

    >>> rules = Rules.read(b"User-agent: *\nDisallow: /private/\nCrawl-delay: 2.5")
    >>> rules.allow("http://a.example/private/x"), rules.allow("http://a.example/x"), rules.delay
    (False, True, 2.5)
    """

    parsed: Protego
    delay: float

    @classmethod
    def read(cls, text: bytes) -> Rules:
        """Read the text of a robots.txt."""
        parsed = Protego.parse(text.decode("utf-8", errors="replace"))
        return cls(parsed, max(0.0, float(parsed.crawl_delay(ROBOT) or 0.0)))

    def allow(self, url: str) -> bool:
        """Decide whether we may request an address."""
        return bool(self.parsed.can_fetch(url, ROBOT))


class RobotsRules:
    """Rules by host, fetched once a day."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[Rules, float]] = {}

    def forget(self) -> None:
        """Forget all rules, so that they are fetched again."""
        self._known.clear()

    async def of(self, url: str, download: Download) -> Rules:
        """Return the rules of the host of an address."""
        parts = urlsplit(url)
        origin = f"{parts.scheme}://{parts.netloc}"
        rules, until = self._known.get(origin, (None, 0.0))
        if rules is None or time.monotonic() > until:
            rules = await _fetch_rules(f"{origin}/robots.txt", download)
            self._known[origin] = rules, time.monotonic() + _LIFE
        return rules


async def _fetch_rules(address: str, download: Download) -> Rules:
    for _ in range(_MAX_HOPS):
        answer = await download(address)
        if isinstance(answer, Judgement):
            raise _unreadable(address, answer.ending.detail)
        if 400 <= answer.status < 500 and answer.status != 429:
            return Rules.read(b"")
        if 200 <= answer.status < 300:
            return Rules.read(_robots_text(address, answer))
        location = answer.headers.get("location")
        if not (300 <= answer.status < 400 and location):
            raise _unreadable(address, f"status {answer.status}")
        try:
            address = urljoin(address, location)
        except ValueError as error:
            raise _unreadable(address, f"it leads to {location[:80]!r}") from error
    raise _unreadable(address, "redirects without end")


def _robots_text(address: str, answer: Answer) -> bytes:
    try:
        text = decompress(answer.body, answer.headers.get("content-encoding", ""), MAX_SIZE)
    except EOFError as error:
        raise _unreadable(address, str(error)) from error
    if text is None:
        raise _unreadable(address, f"more than {MAX_SIZE} bytes")
    return text


def _unreadable(address: str, reason: str) -> CrawlStopped:
    return CrawlStopped(
        f"{address}: cannot be read ({reason}), and without it nothing may be fetched. Run the same command again "
        "later: the ledger keeps everything"
    )
