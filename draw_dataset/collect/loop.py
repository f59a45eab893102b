"""Crawl loop: take the next page from the ledger, fetch it politely, and record its ending, one page at a time.

The delay and the pause of ``Retry-After`` hold across restarts. Failures that may pass are retried, each time after
twice the wait. Several refusals (403, 429) in a row stop the crawl. After several failures in a row robots.txt is
fetched again; if that fails too, the crawl stops.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Protocol
from urllib.parse import urljoin

from draw_dataset.collect.addresses import Links, is_same_site, links_of, question_id
from draw_dataset.collect.ledger import Ending, Ledger, PendingPage, State
from draw_dataset.collect.politeness import (
    MAX_SIZE,
    Answer,
    Download,
    Judgement,
    RobotsRules,
    Rules,
    judge,
    retry_after,
)
from draw_dataset.errors import CrawlStopped

MAX_HOPS = 10
_LONGEST_PAUSE = 30 * 24 * 3600.0
_PAUSE = "pause_until"


@dataclass(frozen=True, slots=True)
class CrawlOptions:
    """Options of a crawl; times in seconds."""

    base_url: str
    delay: float = 3.0  # least time between two requests
    attempts: int = 4  # for a page that fails
    retry_wait: float = 60.0  # until the second try; then twice as long each time
    max_wait: float = 3600.0  # a longer ``Retry-After`` stops the crawl
    max_size: int = MAX_SIZE  # bytes of a page
    max_refusals: int = 5  # in a row; then the crawl stops
    max_failures: int = 10  # in a row; then robots.txt is fetched again to see whether the site is up
    max_pages: int | None = None


class _Interrupted(Exception):
    """The crawl was stopped before the current page was done; the page stays pending."""


class Archive(Protocol):
    """A store of unchanged answers."""

    def write(self, answer: Answer, now: float) -> None:
        """Store an answer."""


@dataclass(slots=True)
class Crawl:
    """A crawl over a ledger; `run` returns when nothing is left to do, or `stopping` is set."""

    ledger: Ledger
    options: CrawlOptions
    archive: Archive | None = None
    on_page: Callable[[], None] = lambda: None  # called after each recorded page
    stopping: asyncio.Event = field(default_factory=asyncio.Event)  # set it to stop after the current page
    _rules: RobotsRules = field(default_factory=RobotsRules)
    _last_answer: float = float("-inf")
    _refused: list[PendingPage] = field(default_factory=list)
    _failed: list[PendingPage] = field(default_factory=list)

    async def run(self, download: Download) -> bool:
        """Crawl; return whether nothing is left to do."""
        done = 0
        if (latest := self.ledger.latest_fetch()) is not None:
            self._last_answer = time.monotonic() - max(0.0, time.time() - latest)
        while not self.stopping.is_set():
            if done == self.options.max_pages:
                return self.ledger.next_time() is None
            if not await self._await_pause():
                break
            work = self.ledger.next_work(time.time())
            if work is None:
                soonest = self.ledger.next_time()
                if soonest is None:
                    return True
                await self._sleep(soonest - time.time())
                continue
            try:
                await self._handle(work, download)
            except _Interrupted:
                break
            done += 1
            self.on_page()
        return False

    async def _handle(self, work: PendingPage, download: Download) -> None:
        judgement, links = await self._fetch(work, download)
        now = time.time()
        ending = judgement.ending
        refused = ending.status in (403, 429)
        if judgement.passing and work.attempts + 1 < self.options.attempts:
            later = now + max(self.options.retry_wait * 2**work.attempts, ending.not_before - now)
            ending = replace(ending, state=State.PENDING, detail=f"{ending.state}: {ending.detail}", not_before=later)
        self.ledger.record(work, ending, now, links.questions, links.listings)
        self._refused = [*self._refused, work] if refused else []
        self._failed = [*self._failed, work] if judgement.passing and not refused else []
        if len(self._refused) >= self.options.max_refusals:
            self.ledger.reset(self._refused)  # a resumed crawl asks for them again, so a ban loses none
            raise CrawlStopped(
                f"{self.options.base_url}: the last {len(self._refused)} answers were refusals ({ending.status}): "
                "the site may not want to be crawled. Read its terms, raise --delay, and resume another day: "
                "the ledger keeps everything, and these pages count as not tried"
            )
        if len(self._failed) >= self.options.max_failures:
            await self._look_for_site(work.url, download)

    async def _look_for_site(self, url: str, download: Download) -> None:
        """Ask for robots.txt again after many failures."""
        self._rules.forget()
        try:
            await self._rules_of(url, download)
        except CrawlStopped:
            self.ledger.reset(self._failed)
            raise
        self._failed = []

    async def _fetch(self, work: PendingPage, download: Download) -> tuple[Judgement, Links]:
        """Request a page and follow its redirects; return the judgement and the links."""
        nothing = Links((), ())
        url, seen = work.url, set[str]()
        while True:
            seen.add(url)
            rules = await self._rules_of(url, download)
            if not rules.allow(url):
                return Judgement(Ending(State.FORBIDDEN_BY_ROBOTS, f"robots.txt forbids {url}", final_url=url)), nothing
            answer = await self._request(url, max(self.options.delay, rules.delay), download)
            if isinstance(answer, Judgement):
                return answer, nothing
            location = answer.headers.get("location")
            if not (300 <= answer.status < 400 and location):
                return self._judge(work, answer)
            ending = self._redirect_ending(work, answer, location, seen)
            if ending is not None:
                return Judgement(ending), nothing
            url = urljoin(url, location)

    def _judge(self, work: PendingPage, answer: Answer) -> tuple[Judgement, Links]:
        judgement = judge(answer, self.options.max_size)
        ending = judgement.ending
        if ending.state is State.STORED:
            if work.kind == "listing":
                return judgement, links_of(ending.body, answer.url, self.options.base_url)
            if question_id(answer.url) != work.key:
                elsewhere = replace(ending, state=State.REDIRECTED_ELSEWHERE, detail=f"leads to {answer.url}", body=b"")
                return Judgement(elsewhere), Links((), ())
        now = time.time()
        asked = retry_after(answer.headers, now) if answer.status in (429, 503) else None
        if asked is None and answer.status == 429:
            asked = self.options.retry_wait  # too many requests, and the site does not say how long to wait
        if asked is not None:
            until = now + min(asked, _LONGEST_PAUSE)
            self.ledger.remember(_PAUSE, repr(until))
            judgement = replace(judgement, ending=replace(ending, not_before=until))
        return judgement, Links((), ())

    def _redirect_ending(self, work: PendingPage, answer: Answer, location: str, seen: set[str]) -> Ending | None:
        """Return the ending of a page that redirects; None to follow the redirect."""
        url = answer.url
        try:
            target = urljoin(url, location)
            other = question_id(target)
        except ValueError:
            return Ending(State.REFUSED, f"redirects to {location[:80]!r}, which is not an address", answer.status, url)
        if target in seen or len(seen) > MAX_HOPS:
            return Ending(State.REDIRECT_LOOP, f"redirects to {target} again", answer.status, url)
        if not is_same_site(target, self.options.base_url):
            return Ending(State.REDIRECTED_ELSEWHERE, f"leads to {target}", answer.status, target)
        if work.kind == "question" and other is not None and other != work.key:
            return Ending(State.REDIRECTED, f"leads to question {other}", answer.status, target, redirects_to=other)
        return None

    async def _rules_of(self, url: str, download: Download) -> Rules:
        return await self._rules.of(url, lambda address: self._request(address, self.options.delay, download))

    async def _request(self, url: str, delay: float, download: Download) -> Answer | Judgement:
        """Wait for the delay, send one request, and archive the answer."""
        await self._sleep(self._last_answer + delay - time.monotonic())
        if self.stopping.is_set():
            raise _Interrupted
        answer = await download(url)
        self._last_answer = time.monotonic()
        if isinstance(answer, Answer) and self.archive is not None:
            # Before the ledger: a kill between the two leaves a second copy in the archive, but none is missing.
            self.archive.write(answer, time.time())
        return answer

    async def _await_pause(self) -> bool:
        """Wait for the pause that the site requested; return whether to continue."""
        asked = self.ledger.fact(_PAUSE)
        left = float(asked) - time.time() if asked else 0.0
        if left > self.options.max_wait:
            until = datetime.fromtimestamp(time.time() + left, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
            raise CrawlStopped(
                f"{self.options.base_url}: the site asks for no requests until {until}, longer than --max-wait "
                f"({self.options.max_wait:g} seconds); run the same command again after that"
            )
        await self._sleep(left)
        return not self.stopping.is_set()

    async def _sleep(self, seconds: float) -> None:
        """Sleep, or wake up when the crawl is stopped."""
        if seconds > 0:
            with suppress(TimeoutError):
                await asyncio.wait_for(self.stopping.wait(), seconds)
