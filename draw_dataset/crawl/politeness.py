"""How a guest behaves: who we are, how long we wait, and what robots.txt lets us read.

Scrapy would obey ``Disallow`` but not ``Crawl-delay``, and treats an unreachable robots.txt as permission. Here a
robots.txt that cannot be had because the server fails means that nothing may be read (RFC 9309), and one that does not
exist that everything may. ``Retry-After`` is a number of seconds or a date.
"""

from __future__ import annotations

import email.utils
import re
from collections.abc import Mapping
from dataclasses import dataclass

from protego import Protego

from draw_dataset.errors import ContactError
from draw_dataset.version import __version__

ROBOT = "draw-dataset"
"""The name that robots.txt may address us by."""

_CONTACT = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+|https?://[^\s/]+\.\S+")


def user_agent(contact: str | None) -> str:
    """Return how we introduce ourselves.

    >>> user_agent("me@university.example")
    'draw-dataset/0.1.0 (research crawler; +me@university.example)'

    Raises:
        ContactError: there is no mail address or web page to complain to.
    """
    given = (contact or "").strip()
    if not _CONTACT.fullmatch(given) or not given.isascii():
        got = f"got {given!r}" if given else "none was given"
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
    r"""What robots.txt says to us.

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
