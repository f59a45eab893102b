"""Session with a ledger: crawl, import archives, or show the progress.

The first session creates the ledger and stores the site. A later one resumes, and adds the given topics and ids.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Any

from filelock import FileLock, Timeout
from tqdm import tqdm

from draw_dataset.collect.addresses import SITE, TOPICS, is_same_site, jump_url, topic_url
from draw_dataset.collect.downloader import run_crawl
from draw_dataset.collect.ledger import MEANINGS, Ledger, State
from draw_dataset.collect.loop import Crawl, CrawlOptions
from draw_dataset.collect.warc import Import, WarcArchive, import_archives
from draw_dataset.errors import ChoiceError, LedgerError, short_repr


@dataclass(frozen=True, slots=True)
class Status:
    """Progress of a crawl."""

    questions: dict[State, int]
    listings: dict[State, int]
    per_minute: float | None  # rate of the latest pages; None if too few are done
    seconds_left: float | None  # for the known pages at that rate
    stored_bytes: int  # decompressed

    @classmethod
    def of(cls, ledger: Ledger) -> Status:
        """Return the progress of a ledger."""
        questions, listings = ledger.counts("question"), ledger.counts("listing")
        rate = ledger.pages_a_second()
        left = questions.get(State.PENDING, 0) + listings.get(State.PENDING, 0)
        return cls(
            questions,
            listings,
            None if rate is None else round(60 * rate, 1),
            None if rate is None else round(left / rate, 1),
            ledger.measure_stored(),
        )

    def to_json(self) -> dict[str, Any]:
        """Return the status as plain data."""
        return {
            "questions": {str(state): count for state, count in self.questions.items()},
            "listings": {str(state): count for state, count in self.listings.items()},
            "per_minute": self.per_minute,
            "seconds_left": self.seconds_left,
            "stored_bytes": self.stored_bytes,
        }

    def to_text(self) -> str:
        """Return the status for people."""
        lines = []
        for title, counts in (("questions", self.questions), ("listings", self.listings)):
            lines.append(f"{title}: {sum(counts.values())}")
            lines += [f"  {count:>8}  {state:<22} {MEANINGS[state]}" for state, count in sorted(counts.items())]
        lines.append(f"stored: {self.stored_bytes / 2**20:.1f} MB of pages")
        if self.per_minute is not None:
            lines.append(f"rate: {self.per_minute:g} pages a minute; left: {clock(self.seconds_left or 0.0)}")
        return "\n".join(lines)


def clock(seconds: float) -> str:
    """Format a time span.

    >>> clock(59.6), clock(3 * 86400 + 7200)
    ('1 min', '3 d 2 h')
    """
    minutes = round(seconds / 60)
    if minutes < 120:
        return f"{minutes} min"
    hours = round(minutes / 60)
    return f"{hours} h" if hours < 48 else f"{hours // 24} d {hours % 24} h"


_SITE = "site"
_BAR_INTERVAL = 1.0


@dataclass(frozen=True, slots=True)
class CrawlRequest:
    """Pages to add to a ledger or to fetch again."""

    base_url: str | None = None  # None for the site of the ledger, or algebra.com
    topics: Sequence[str] = ()  # an empty ledger without topics and ids gets all known topics
    ids: Iterable[int] = ()
    retry: Sequence[State] = ()  # terminal states whose pages are tried again
    refresh_listings: bool = False  # fetch stored listings again, for new questions


@contextmanager
def open_ledger(path: Path, must_exist: bool = False) -> Iterator[Ledger]:
    """Open a ledger as its only writer, and check the whole file."""
    if must_exist and not path.exists():
        raise LedgerError(
            f"{path}: expected a ledger to resume, but there is none; leave out --resume to start a new one"
        )
    with _sole_writer(path), Ledger.open(path, create=True) as ledger:
        ledger.check_whole()
        yield ledger


@contextmanager
def _sole_writer(path: Path) -> Iterator[None]:
    """Lock a ledger; the system releases the lock however the process ends."""
    lock = FileLock(f"{path}.lock")
    try:
        lock.acquire(timeout=0)
    except Timeout as error:
        raise LedgerError(f"{path}: another crawl is using this ledger; wait until it ends, or stop it") from error
    except OSError as error:
        raise LedgerError(f"{path}: cannot be written: {error.strerror or error}") from error
    try:
        yield
    finally:
        lock.release()


def _site(ledger: Ledger, base_url: str | None) -> str:
    """Return the site of a ledger, stored in its first session."""
    remembered = ledger.fact(_SITE)
    site = (base_url or remembered or SITE).rstrip("/")
    if not is_same_site(site, site):
        raise ChoiceError(f"--base-url: expected an address like {SITE}, but got {short_repr(site)}")
    if remembered is None:
        ledger.remember(_SITE, site)
    elif remembered != site:
        raise LedgerError(
            f"{ledger.path}: expected the site of this ledger, {remembered}, but got {site}; use another --ledger"
        )
    return site


def prepare(ledger: Ledger, request: CrawlRequest) -> str:
    """Add a request to a ledger; return the site."""
    site = _site(ledger, request.base_url)
    listings = [topic_url(site, topic) for topic in request.topics]
    if foreign := [url for url in listings if not is_same_site(url, site)]:
        raise ChoiceError(f"--topic: expected topics of {site}, but got {short_repr(foreign[0])}")
    ledger.add_questions(((number, jump_url(site, number)) for number in request.ids), "ids")
    if not listings and not ledger.counts("question") and not ledger.counts("listing"):
        listings = [topic_url(site, topic) for topic in TOPICS]
    ledger.add_listings(listings, "start")
    ledger.retry(request.retry)
    if request.refresh_listings:
        ledger.refresh_listings()
    return site


def crawl_site(ledger: Ledger, options: CrawlOptions, agent: str, timeout: float, warc: Path | None = None) -> bool:
    """Crawl until nothing is left; return False if it was interrupted."""
    with WarcArchive(warc, agent) if warc else nullcontext() as archive, _bar(ledger) as on_page:
        return run_crawl(Crawl(ledger, options, archive, on_page), agent, timeout)


def take_archives(
    ledger: Ledger, paths: Sequence[Path], base_url: str | None, max_size: int, report: Callable[[str], None]
) -> Import:
    """Import the question pages of a site from WARC files into a ledger, with a progress bar."""
    with tqdm(unit=" records", disable=None) as bar:
        return import_archives(ledger, paths, _site(ledger, base_url), max_size, report, bar.update)


@contextmanager
def _bar(ledger: Ledger) -> Iterator[Callable[[], None]]:
    """Show a progress bar; yield the function to call after each page."""
    with tqdm(unit=" pages", disable=None, dynamic_ncols=True) as bar:
        shown = 0.0

        def on_page() -> None:
            nonlocal shown
            if bar.disable or monotonic() < shown + _BAR_INTERVAL:
                return
            shown = monotonic()
            counts = [ledger.counts("question"), ledger.counts("listing")]
            left = sum(count.get(State.PENDING, 0) for count in counts)
            bar.total = sum(sum(count.values()) for count in counts)
            bar.n = bar.total - left
            rate = ledger.pages_a_second()
            ends = ", ".join(f"{count} {state}" for state, count in counts[0].items() if state is not State.PENDING)
            bar.set_postfix_str(ends + (f"; {clock(left / rate)} left" if rate else ""))

        yield on_page
        shown = 0.0  # the last pages count as well
        on_page()
