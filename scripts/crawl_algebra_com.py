"""Fetches the question pages of algebra.com into a ledger, politely, and without losing one.

    python scripts/crawl_algebra_com.py --contact me@university.example              all topics of word problems
    python scripts/crawl_algebra_com.py --contact me@… --topic word/age/Age_Word_Problems
    python scripts/crawl_algebra_com.py --contact me@… --ids ids.txt                 these questions, one id a line
    python scripts/crawl_algebra_com.py --status                                     how far it is
    python scripts/crawl_algebra_com.py --from-warc CC-MAIN-*.warc.gz                from archives, without the site

Start it again in the same way to go on where it ended, whatever ended it: the ledger knows what is left. robots.txt,
its Crawl-delay and Retry-After are obeyed; there is one request at a time. The texts belong to their authors: publish
ids and code, not the ledger.

Exit status: 0 nothing is left to do; 1 done, but some input was not usable; 2 refused or failed; 3 the site asked us to
stop; 130 interrupted.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from draw_dataset.crawl.entries import State
from draw_dataset.crawl.ledger import Ledger
from draw_dataset.crawl.status import Status
from draw_dataset.errors import CrawlStopped, DrawError, ExtraMissing

INTERRUPTED, STOPPED, FAILED, UNUSABLE_INPUT = 130, 3, 2, 1


def seconds(text: str) -> float:
    """Read a number of seconds for argparse."""
    number = float(text)
    if not 0 <= number < 10**7:
        raise ValueError
    return number


def whole_number(text: str) -> int:
    """Read a number from 1 for argparse."""
    number = int(text)
    if number < 1:
        raise ValueError
    return number


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of the arguments."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--ledger", type=Path, default=Path("algebra_com.sqlite"), help="the ledger (default %(default)s)")
    add("--contact", help="a mail address or web page where the site can reach you; part of the User-Agent")
    topics = (
        "a topic to list, as word/age/Age_Word_Problems, or a listing's address; may be repeated (default, for a new "
    )
    add("--topic", action="append", default=[], metavar="PATH", help=topics + "ledger: all topics of word problems)")
    add("--ids", type=Path, metavar="FILE", help="questions to fetch, one id a line")
    resume = (
        "insist that the ledger is there; one that is there is gone on with in any case, so this only keeps a mistyped "
    )
    add("--resume", action="store_true", help=resume + "--ledger from beginning a new crawl")
    add("--status", action="store_true", help="show how far the crawl is, and fetch nothing")
    add("--json", action="store_true", help="with --status, or at the end: print one JSON object")
    ends = [str(state) for state in State if state.terminal and state is not State.STORED]
    again = f"try the pages that ended so again; may be repeated: {', '.join(ends)}"
    add("--retry", action="append", default=[], choices=ends, metavar="STATE", help=again)
    add("--refresh-listings", action="store_true", help="fetch the listings again, to find new questions")
    add("--from-warc", type=Path, nargs="+", metavar="FILE", help="take the pages from WARC files instead of the site")
    add("--warc", type=Path, metavar="FILE", help="also write every answer to this WARC file (.warc.gz)")
    add("--base-url", metavar="URL", help="the site (default: that of the ledger, or https://www.algebra.com)")
    add("--delay", type=seconds, default=3.0, help="seconds between requests, at least (default %(default)s)")
    add("--timeout", type=seconds, default=60.0, help="seconds that an answer may take (default %(default)s)")
    add("--attempts", type=whole_number, default=4, help="how often a page that fails is tried (default %(default)s)")
    add("--retry-wait", type=seconds, default=60.0, help="seconds until the second try; doubles (default %(default)s)")
    add("--max-wait", type=seconds, default=3600.0, help="the longest Retry-After to wait for (default %(default)s)")
    add("--max-size", type=whole_number, default=2 * 2**20, help="the largest page in bytes (default %(default)s)")
    add(
        "--max-refusals",
        type=whole_number,
        default=5,
        help="stop after so many 403 or 429 in a row (default %(default)s)",
    )
    failures = "after so many failures in a row, see whether the site is there at all (default %(default)s)"
    add("--max-failures", type=whole_number, default=10, help=failures)
    add("--max-pages", type=whole_number, help="fetch at most so many pages this time")
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Crawl, or do what else is asked for; return the exit status."""
    arguments = build_parser().parse_args(argv)
    try:
        return run(arguments)
    except CrawlStopped as error:
        print(f"crawl_algebra_com: {error}", file=sys.stderr)
        return STOPPED
    except DrawError as error:
        print(f"crawl_algebra_com: {error}", file=sys.stderr)
        return FAILED


def run(arguments: argparse.Namespace) -> int:
    """Do what the arguments ask for."""
    if arguments.status:
        with Ledger.open(arguments.ledger) as ledger:
            show(ledger, arguments.json)
        return 0
    try:
        from draw_dataset.crawl import session
        from draw_dataset.crawl.addresses import read_ids
        from draw_dataset.crawl.loop import CrawlOptions
        from draw_dataset.crawl.politeness import user_agent
    except ImportError as error:
        raise ExtraMissing(f"{error.name} is not installed: pip install 'draw-dataset[crawl]'") from error

    complaints: list[str] = []

    def report(message: str) -> None:
        complaints.append(message)
        print(f"crawl_algebra_com: {message}", file=sys.stderr)

    if arguments.from_warc:
        with session.opened(arguments.ledger, arguments.resume) as ledger:
            site, bound = arguments.base_url, arguments.max_size
            done = session.take_archives(ledger, arguments.from_warc, site, bound, report)
            told = f"{done.stored} pages stored, {done.known} known before, {done.broken} records broken"
            print(f"{done.records} records: {told}", file=sys.stderr)
            show(ledger, arguments.json)
        return UNUSABLE_INPUT if complaints else 0

    agent = user_agent(arguments.contact)
    ids = read_ids(arguments.ids, report) if arguments.ids else []
    with session.opened(arguments.ledger, arguments.resume) as ledger:
        wanted = session.Wanted(
            arguments.base_url, arguments.topic, ids, [State(s) for s in arguments.retry], arguments.refresh_listings
        )
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
        finished = session.crawl_site(ledger, options, agent, arguments.timeout, arguments.warc)
        show(ledger, arguments.json)
    if not finished and arguments.max_pages is None:
        return INTERRUPTED
    return UNUSABLE_INPUT if complaints else 0


def show(ledger: Ledger, as_json: bool) -> None:
    """Print how far the crawl is."""
    status = Status.of(ledger)
    print(json.dumps(status.to_json()) if as_json else status.to_text())


if __name__ == "__main__":
    sys.exit(main())
