"""Politeness: who we are, how long we wait, and what robots.txt lets us read.

Scrapy would obey ``Disallow`` but not ``Crawl-delay``, and treats an unreachable robots.txt as permission. Here
robots.txt is asked for once a day for each host. If a host says that it has none (a status from 400), everything may be
read. If the request fails (a status from 500, or 429, no answer, redirects without end, a truncated text), nothing may
be read (RFC 9309). ``Retry-After`` is a number of seconds or a date.
"""

from __future__ import annotations

import email.utils
import re
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from urllib.parse import urljoin, urlsplit

from protego import Protego

from draw_dataset.crawl.judgement import MAX_SIZE, Answer, Judgement, decompressed
from draw_dataset.errors import ContactError, CrawlStopped
from draw_dataset.version import __version__

ROBOT = "draw-dataset"
"""Our name in robots.txt."""

Download = Callable[[str], Awaitable[Answer | Judgement]]
"""Asks for an address once: an answer, or why there was none."""

_LIFE = 24 * 3600.0
_MAX_HOPS = 5

_CONTACT = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+|https?://[^\s/]+\.\S+")


def user_agent(contact: str | None) -> str:
    """Return our user agent.

    >>> user_agent("me@university.example")
    'draw-dataset/0.1.0 (research crawler; +me@university.example)'

    Raises:
        ContactError: there is no mail address or web page where the site can complain.
    """
    given = (contact or "").strip()
    if not _CONTACT.fullmatch(given) or not given.isascii():
        got = f"got {given!r}" if given else "got none"
        raise ContactError(f"--contact: expected a mail address or a web page where the site can reach you, but {got}")
    return f"{ROBOT}/{__version__} (research crawler; +{given})"


def retry_after(headers: Mapping[str, str], now: float) -> float | None:
    """Return how many seconds the site asks us to wait; None if it does not say, or not so that we understand.

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
    r"""What robots.txt allows us.

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
        """Say whether we may ask for an address."""
        return bool(self.parsed.can_fetch(url, ROBOT))


class RobotsRules:
    """The rules of the hosts that we ask."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[Rules, float]] = {}

    def forget(self) -> None:
        """Forget all rules, so that they are asked for again."""
        self._known.clear()

    async def of(self, url: str, download: Download) -> Rules:
        """Return the rules of the host of an address.

        Raises:
            CrawlStopped: nobody knows what they are, so nothing may be read.
        """
        parts = urlsplit(url)
        origin = f"{parts.scheme}://{parts.netloc}"
        rules, until = self._known.get(origin, (None, 0.0))
        if rules is None or time.monotonic() > until:
            rules = await _ask(f"{origin}/robots.txt", download)
            self._known[origin] = rules, time.monotonic() + _LIFE
        return rules


async def _ask(address: str, download: Download) -> Rules:
    for _ in range(_MAX_HOPS):
        answer = await download(address)
        if isinstance(answer, Judgement):
            raise _unknown(address, answer.ending.detail)
        if 400 <= answer.status < 500 and answer.status != 429:
            return Rules.read(b"")
        if 200 <= answer.status < 300:
            return Rules.read(_text(address, answer))
        location = answer.headers.get("location")
        if not (300 <= answer.status < 400 and location):
            raise _unknown(address, f"status {answer.status}")
        try:
            address = urljoin(address, location)
        except ValueError as error:
            raise _unknown(address, f"it leads to {location[:80]!r}") from error
    raise _unknown(address, "redirects without end")


def _text(address: str, answer: Answer) -> bytes:
    try:
        text = decompressed(answer.body, answer.headers.get("content-encoding", ""), MAX_SIZE)
    except EOFError as error:
        raise _unknown(address, str(error)) from error
    if text is None:
        raise _unknown(address, f"more than {MAX_SIZE} bytes")
    return text


def _unknown(address: str, reason: str) -> CrawlStopped:
    return CrawlStopped(
        f"{address}: cannot be read ({reason}), and without it nothing may be fetched. Run the same command again "
        "later: the ledger keeps everything"
    )
