"""The crawl: take the next page from the ledger, fetch it politely, record how it ended, until none is left.

There is one page at a time. Before each request, also before a second try, the crawl waits until the delay since the
last answer has passed, even across restarts. The delay is ours or that of robots.txt, whichever is longer. Redirects
are followed here, each step as a polite request: a redirect to another question ends the page at once, since that
question has its own entry; a redirect in a circle is a loop.

Failures that may pass are tried again later, each time after twice the wait. A site that says 429 or 503 with
``Retry-After`` is left alone for that time, even across restarts. Several refusals (403, 429) in a row mean that the
site does not want us: then the crawl stops, and none of them counts as an attempt for its page. Several failures in a
row may mean that the site, or our own network, is down: then robots.txt is asked for again, and if that fails as well,
the crawl stops in the same way.
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

from draw_dataset.crawl.addresses import Links, links_of, question_id, same_site
from draw_dataset.crawl.entries import Ending, PendingPage, State
from draw_dataset.crawl.judgement import MAX_SIZE, Answer, Judgement, judge
from draw_dataset.crawl.ledger import Ledger
from draw_dataset.crawl.politeness import Download, RobotsRules, Rules, retry_after
from draw_dataset.errors import CrawlStopped

MAX_HOPS = 10
_LONGEST_PAUSE = 30 * 24 * 3600.0
_PAUSE = "pause_until"


@dataclass(frozen=True, slots=True)
class CrawlOptions:
    """How to crawl.

    Attributes:
        base_url: the site.
        delay: seconds between two requests, at least.
        attempts: how often a page that fails is tried.
        retry_wait: seconds until the second try; then twice as long each time.
        max_wait: the longest ``Retry-After`` that we wait for; a longer one stops the crawl.
        max_size: the bound of a page in bytes.
        max_refusals: after how many refusals in a row we stop.
        max_failures: after how many failures in a row we look whether the site is there at all.
        max_pages: stop after so many pages; None for no bound.
    """

    base_url: str
    delay: float = 3.0
    attempts: int = 4
    retry_wait: float = 60.0
    max_wait: float = 3600.0
    max_size: int = MAX_SIZE
    max_refusals: int = 5
    max_failures: int = 10
    max_pages: int | None = None


class _Interrupted(Exception):
    """The crawl is to stop before the page at hand is done; the page stays pending."""


class Archive(Protocol):
    """Something that keeps answers as they came."""

    def write(self, answer: Answer, now: float) -> None:
        """Keep an answer."""


@dataclass(slots=True)
class Crawl:
    """A crawl over a ledger; `run` returns when nothing is left to do, or `stopping` is set.

    Attributes:
        ledger: what is known.
        options: how to crawl.
        archive: keeps the answers as they came; None for nothing.
        on_page: called after each recorded page.
        stopping: set it to stop after the current page.
    """

    ledger: Ledger
    options: CrawlOptions
    archive: Archive | None = None
    on_page: Callable[[], None] = lambda: None
    stopping: asyncio.Event = field(default_factory=asyncio.Event)
    _rules: RobotsRules = field(default_factory=RobotsRules)
    _last_answer: float = float("-inf")
    _refused: list[PendingPage] = field(default_factory=list)
    _failed: list[PendingPage] = field(default_factory=list)

    async def run(self, download: Download) -> bool:
        """Crawl; return whether nothing is left to do.

        Raises:
            CrawlStopped: the site does not want us, or not now.
            LedgerError: the ledger cannot be written.
        """
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
            # Resuming asks for these pages again, so none of them is lost to a ban.
            self.ledger.forgive(self._refused)
            raise CrawlStopped(
                f"{self.options.base_url}: the last {len(self._refused)} answers were refusals ({ending.status}): "
                "the site may not want to be crawled. Read its terms, raise --delay, and resume another day: "
                "the ledger keeps everything, and these pages count as not tried"
            )
        if len(self._failed) >= self.options.max_failures:
            await self._look_for_site(work.url, download)

    async def _look_for_site(self, url: str, download: Download) -> None:
        """Ask for robots.txt again after many failures.

        Raises:
            CrawlStopped: it cannot be read either; then none of the failures counts against its page.
        """
        self._rules.forget()
        try:
            await self._rules_of(url, download)
        except CrawlStopped:
            self.ledger.forgive(self._failed)
            raise
        self._failed = []

    async def _fetch(self, work: PendingPage, download: Download) -> tuple[Judgement, Links]:
        """Ask for a page and follow its redirects; return what became of it and what it links to."""
        nothing = Links((), ())
        url, seen = work.url, set[str]()
        while True:
            seen.add(url)
            rules = await self._rules_of(url, download)
            if not rules.allow(url):
                return Judgement(Ending(State.FORBIDDEN_BY_ROBOTS, f"robots.txt forbids {url}", final_url=url)), nothing
            answer = await self._polite(url, max(self.options.delay, rules.delay), download)
            if isinstance(answer, Judgement):
                return answer, nothing
            location = answer.headers.get("location")
            if not (300 <= answer.status < 400 and location):
                return self._judged(work, answer)
            ending = self._redirected(work, answer, location, seen)
            if ending is not None:
                return Judgement(ending), nothing
            url = urljoin(url, location)

    def _judged(self, work: PendingPage, answer: Answer) -> tuple[Judgement, Links]:
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

    def _redirected(self, work: PendingPage, answer: Answer, location: str, seen: set[str]) -> Ending | None:
        """Return the end of a page that redirects; None if the redirect is to be followed."""
        url = answer.url
        try:
            target = urljoin(url, location)
            other = question_id(target)
        except ValueError:
            return Ending(State.REFUSED, f"redirects to {location[:80]!r}, which is not an address", answer.status, url)
        if target in seen or len(seen) > MAX_HOPS:
            return Ending(State.REDIRECT_LOOP, f"redirects to {target} again", answer.status, url)
        if not same_site(target, self.options.base_url):
            return Ending(State.REDIRECTED_ELSEWHERE, f"leads to {target}", answer.status, target)
        if work.kind == "question" and other is not None and other != work.key:
            return Ending(State.REDIRECTED, f"leads to question {other}", answer.status, target, redirects_to=other)
        return None

    async def _rules_of(self, url: str, download: Download) -> Rules:
        return await self._rules.of(url, lambda address: self._polite(address, self.options.delay, download))

    async def _polite(self, url: str, delay: float, download: Download) -> Answer | Judgement:
        """Wait for our turn, ask once, and keep the answer.

        Raises:
            _Interrupted: we were to stop while waiting; to ask now would be too early.
        """
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
        """Wait as long as the site has asked for; return whether to continue.

        Raises:
            CrawlStopped: that would be longer than we are willing to wait.
        """
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
        """Sleep, but wake up when we are to stop."""
        if seconds > 0:
            with suppress(TimeoutError):
                await asyncio.wait_for(self.stopping.wait(), seconds)
