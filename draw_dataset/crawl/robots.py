"""Asking for robots.txt: once a day for each host, and what it means when it cannot be had.

A host that says that there is none (a status from 400) lets us read everything. One that fails (from 500, or 429, no
answer, redirects without end, a text that is cut) tells us nothing, and then nothing may be read.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from urllib.parse import urljoin, urlsplit

from draw_dataset.crawl.judging import MAX_SIZE, Answer, Judgement, decompressed
from draw_dataset.crawl.politeness import Rules
from draw_dataset.errors import CrawlStopped

Download = Callable[[str], Awaitable[Answer | Judgement]]
"""Asks for an address once: an answer, or why there was none."""

_LIFE = 24 * 3600.0
_MAX_HOPS = 5


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
        f"{address}: cannot be had ({reason}), and without it nothing may be fetched; resume later, "
        "the ledger keeps everything"
    )
