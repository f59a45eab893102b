"""A session with a ledger: crawling, importing archives, or showing the progress.

The first session creates the ledger and stores the site. A later session resumes where the last one ended, however it
ended, and adds the given topics and ids.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

from filelock import FileLock, Timeout
from tqdm import tqdm

from draw_dataset.crawl.addresses import SITE, TOPICS, jump_url, same_site, topic_url
from draw_dataset.crawl.downloader import run_crawl
from draw_dataset.crawl.entries import State
from draw_dataset.crawl.ledger import Ledger
from draw_dataset.crawl.loop import Crawl, CrawlOptions
from draw_dataset.crawl.status import clock
from draw_dataset.crawl.warc import Import, WarcArchive, import_archives
from draw_dataset.errors import ChoiceError, LedgerError, shown

_SITE = "site"
_BAR_INTERVAL = 1.0


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a session is asked for.

    Attributes:
        base_url: the site; None for the one the ledger remembers, or algebra.com.
        topics: topics to list; an empty ledger without topics and ids gets all that we know.
        ids: questions to fetch by number.
        retry: end states whose pages are tried again.
        refresh_listings: whether listings that are stored are fetched again, for new questions.
    """

    base_url: str | None = None
    topics: Sequence[str] = ()
    ids: Iterable[int] = ()
    retry: Sequence[State] = ()
    refresh_listings: bool = False


@contextmanager
def opened(path: Path, must_exist: bool = False) -> Iterator[Ledger]:
    """Open a ledger to write to it, alone and after a look through all of it.

    Raises:
        LedgerError: it is missing though it must exist, damaged, not ours, newer, or another crawl holds it.
    """
    if must_exist and not path.exists():
        raise LedgerError(
            f"{path}: expected a ledger to resume, but there is none; leave out --resume to start a new one"
        )
    with sole_writer(path), Ledger.open(path, create=True) as ledger:
        ledger.check_whole()
        yield ledger


@contextmanager
def sole_writer(path: Path) -> Iterator[None]:
    """Keep a second crawl off a ledger; the system gives the lock back when the process ends, however it ends.

    Raises:
        LedgerError: another crawl holds it, or its folder cannot be written.
    """
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


def site_of(ledger: Ledger, base_url: str | None) -> str:
    """Return the site of a ledger, which remembers it from its first session on.

    Raises:
        ChoiceError: the site is no address of the web.
        LedgerError: the ledger is of another site.
    """
    remembered = ledger.fact(_SITE)
    site = (base_url or remembered or SITE).rstrip("/")
    if not same_site(site, site):
        raise ChoiceError(f"--base-url: expected an address like {SITE}, but got {shown(site)}")
    if remembered is None:
        ledger.remember(_SITE, site)
    elif remembered != site:
        raise LedgerError(
            f"{ledger.path}: expected the site of this ledger, {remembered}, but got {site}; use another --ledger"
        )
    return site


def prepare(ledger: Ledger, wanted: Wanted) -> str:
    """Add what is wanted to a ledger; return the site.

    Raises:
        ChoiceError: the site is no address of the web, or a topic's address is not on it.
        LedgerError: the ledger is of another site.
    """
    site = site_of(ledger, wanted.base_url)
    listings = [topic_url(site, topic) for topic in wanted.topics]
    if foreign := [url for url in listings if not same_site(url, site)]:
        raise ChoiceError(f"--topic: expected topics of {site}, but got {shown(foreign[0])}")
    ledger.add_questions(((number, jump_url(site, number)) for number in wanted.ids), "ids")
    if not listings and not ledger.counts("question") and not ledger.counts("listing"):
        listings = [topic_url(site, topic) for topic in TOPICS]
    ledger.add_listings(listings, "start")
    ledger.retry(wanted.retry)
    if wanted.refresh_listings:
        ledger.refresh_listings()
    return site


def crawl_site(ledger: Ledger, options: CrawlOptions, agent: str, timeout: float, warc: Path | None = None) -> bool:
    """Crawl until nothing is left; return whether that is so, or False if it was interrupted.

    Raises:
        CrawlStopped: the site does not want us, or not now.
        LedgerError: the ledger cannot be written.
        ArchiveError: the WARC file cannot be written.
    """
    with WarcArchive(warc, agent) if warc else nullcontext() as archive, _bar(ledger) as on_page:
        return run_crawl(Crawl(ledger, options, archive, on_page), agent, timeout)


def take_archives(
    ledger: Ledger, paths: Sequence[Path], base_url: str | None, max_size: int, report: Callable[[str], None]
) -> Import:
    """Take the question pages of a site from WARC files into a ledger.

    Raises:
        ChoiceError: the site is no address of the web.
        LedgerError: the ledger cannot be written.
    """
    site = site_of(ledger, base_url)
    with tqdm(unit=" records", disable=None) as bar:
        return import_archives(ledger, paths, site, max_size, report, bar.update)


@contextmanager
def _bar(ledger: Ledger) -> Iterator[Callable[[], None]]:
    """Show how far the crawl is; yields what to call after each page."""
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
