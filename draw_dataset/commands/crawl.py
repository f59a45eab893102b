"""``draw crawl``: the question pages of algebra.com into a ledger, politely, and without losing one."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from draw_dataset.errors import ChoiceError, CrawlStopped, ExtraMissing, shown

if TYPE_CHECKING:
    from draw_dataset.crawl import Ledger, State

HELP = "fetch the question pages of algebra.com into a ledger, politely, and without losing one"

INTERRUPTED, STOPPED, UNUSABLE_INPUT = 130, 3, 1


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.epilog = (
        "If it was interrupted, run the same command again: it resumes, because the ledger knows what is left.\n"
        "robots.txt, its Crawl-delay and Retry-After are obeyed; there is one request at a time. The texts belong to\n"
        "their authors: publish ids and code, not the ledger.\n\n"
        "exit status: 0 nothing is left to do; 1 done, but some input was not usable; 2 refused or failed; 3 the site\n"
        "asked us to stop; 130 interrupted\n\n"
        "examples:\n"
        "  draw crawl --contact me@university.example                 all topics of word problems\n"
        "  draw crawl --contact me@… --topic word/age/Age_Word_Problems\n"
        "  draw crawl --contact me@… --ids ids.txt                    these questions, one id per line\n"
        "  draw crawl --status                                        how far it is\n"
        "  draw crawl --from-warc CC-MAIN-*.warc.gz                   from archives, without the site"
    )
    add = parser.add_argument
    add("--ledger", type=Path, default=Path("algebra_com.sqlite"), help="the ledger (default %(default)s)")
    add("--contact", help="a mail address or web page where the site can reach you; part of the User-Agent")
    topics = (
        "a topic to list, for example word/age/Age_Word_Problems, or a listing's address; may be repeated (default "
        "for a new ledger: all topics of word problems)"
    )
    add("--topic", action="append", default=[], metavar="PATH", help=topics)
    add("--ids", type=Path, metavar="FILE", help="questions to fetch, one id per line")
    resume = "refuse to start a new crawl: the ledger must exist (a ledger that exists is always resumed)"
    add("--resume", action="store_true", help=resume)
    add("--status", action="store_true", help="show how far the crawl is, and fetch nothing")
    add("--json", action="store_true", help="with --status, or at the end: print one JSON object")
    again = "try the pages that ended in this state, as --status names it, again; may be repeated"
    add("--retry", action="append", default=[], metavar="STATE", help=again)
    add("--refresh-listings", action="store_true", help="fetch the listings again, to find new questions")
    add("--from-warc", type=Path, nargs="+", metavar="FILE", help="take the pages from WARC files instead of the site")
    add("--warc", type=Path, metavar="FILE", help="also write every answer to this WARC file (.warc.gz)")
    add("--base-url", metavar="URL", help="the site (default: that of the ledger, or https://www.algebra.com)")
    add("--delay", type=_seconds, default=3.0, help="seconds between requests, at least (default %(default)s)")
    add("--timeout", type=_seconds, default=60.0, help="seconds that an answer may take (default %(default)s)")
    add("--attempts", type=_count, default=4, help="how often a page that fails is tried (default %(default)s)")
    add("--retry-wait", type=_seconds, default=60.0, help="seconds until the second try; doubles (default %(default)s)")
    add("--max-wait", type=_seconds, default=3600.0, help="the longest Retry-After to wait for (default %(default)s)")
    add("--max-size", type=_count, default=2 * 2**20, help="the largest page in bytes (default %(default)s)")
    refusals = "stop after this many 403 or 429 in a row (default %(default)s)"
    add("--max-refusals", type=_count, default=5, help=refusals)
    failures = "after this many failures in a row, check whether the site can be reached at all (default %(default)s)"
    add("--max-failures", type=_count, default=10, help=failures)
    add("--max-pages", type=_count, help="fetch at most this many pages this time")


def _seconds(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 <= number < 10**7:
        raise argparse.ArgumentTypeError(f"expected seconds, but got {shown(text)}")
    return number


def _count(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text[:18]) > 0 and len(text) < 18):
        raise argparse.ArgumentTypeError(f"expected a whole number from 1, but got {shown(text)}")
    return int(text)


def run(arguments: argparse.Namespace) -> int:
    """Crawl, take archives in, or show how far the crawl is."""
    # Here, as the other subcommands do not need them.
    from draw_dataset.crawl import Ledger

    if arguments.status:
        with Ledger.open(arguments.ledger) as ledger:
            _show(ledger, arguments.json)
        return 0
    retry = _states(arguments.retry)
    complaints: list[str] = []

    def report(message: str) -> None:
        complaints.append(message)
        print(f"draw crawl: {message}", file=sys.stderr)

    try:
        from draw_dataset.crawl import addresses, politeness, session
        from draw_dataset.crawl.loop import CrawlOptions
    except ImportError as error:
        raise ExtraMissing(f"{error.name} is not installed: pip install 'draw-dataset[crawl]'") from error

    if arguments.from_warc:
        with session.opened(arguments.ledger, arguments.resume) as ledger:
            site, bound = arguments.base_url, arguments.max_size
            done = session.take_archives(ledger, arguments.from_warc, site, bound, report)
            told = f"{done.stored} pages stored, {done.known} known before, {done.broken} records broken"
            print(f"{done.records} records: {told}", file=sys.stderr)
            _show(ledger, arguments.json)
        return UNUSABLE_INPUT if complaints else 0

    agent = politeness.user_agent(arguments.contact)
    ids = addresses.read_ids(arguments.ids, report) if arguments.ids else []
    with session.opened(arguments.ledger, arguments.resume) as ledger:
        wanted = session.Wanted(arguments.base_url, arguments.topic, ids, retry, arguments.refresh_listings)
        options = CrawlOptions(
            base_url=session.prepare(ledger, wanted),
            delay=arguments.delay,
            attempts=arguments.attempts,
            retry_wait=arguments.retry_wait,
            max_wait=arguments.max_wait,
            max_size=arguments.max_size,
            max_refusals=arguments.max_refusals,
            max_failures=arguments.max_failures,
            max_pages=arguments.max_pages,
        )
        try:
            finished = session.crawl_site(ledger, options, agent, arguments.timeout, arguments.warc)
        except CrawlStopped as error:
            print(f"draw crawl: {error}", file=sys.stderr)
            return STOPPED
        _show(ledger, arguments.json)
    if not finished and arguments.max_pages is None:
        return INTERRUPTED
    return UNUSABLE_INPUT if complaints else 0


def _states(names: list[str]) -> list[State]:
    """Return the states whose pages are to be tried again.

    Raises:
        ChoiceError: there is no such state, or its pages are stored or still to be fetched.
    """
    from draw_dataset.crawl import State

    known = {str(state): state for state in State if state.terminal and state is not State.STORED}
    if unknown := [name for name in names if name not in known]:
        raise ChoiceError(f"--retry: expected a state among {', '.join(known)}, but got {shown(unknown[0])}")
    return [known[name] for name in names]


def _show(ledger: Ledger, as_json: bool) -> None:
    from draw_dataset.crawl.status import Status

    status = Status.of(ledger)
    print(json.dumps(status.to_json()) if as_json else status.to_text())
