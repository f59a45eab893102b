"""``draw crawl``, ``clean`` and ``sample``: from a site to the problems to annotate."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from draw_dataset.commands.options import (
    INTERRUPTED,
    JSON,
    QUIET,
    Arguments,
    argument,
    command,
    number,
    option,
    require_extra,
    say,
    say_written,
    whole_number,
)
from draw_dataset.errors import BodyDamaged, ChoiceError, CrawlStopped, ExtraMissing, FolderError, RowError, short_repr
from draw_dataset.io.atomic import STANDARD, atomic_file
from draw_dataset.io.jsonl import decode_json, json_line, read_json_lines, read_text, write_json_lines

if TYPE_CHECKING:
    from draw_dataset.collect.filters import Funnel
    from draw_dataset.collect.ledger import Ledger, State, StoredPage

STOPPED, UNUSABLE_INPUT = 3, 1  # exit codes of draw crawl: the site asked us to stop; some input was not usable
_SECONDS = number("seconds", lambda value: 0 <= value < 10**7)
_COUNT = whole_number(1, 10**17 - 1)


@command(
    option("--ledger FILE", "the ledger", type=Path, default=Path("algebra_com.sqlite")),
    option("--contact ADDRESS", "mail address or web page of yours, for the User-Agent"),
    option(
        "--topic PATH",
        "topic to list, such as word/age/Age_Word_Problems, or a listing's address; repeatable (default for a new "
        "ledger: all topics of word problems)",
        multiple=True,
    ),
    option("--ids FILE", "questions to fetch, one id per line", type=Path),
    option("--resume", "refuse to start a new crawl (an existing ledger is always resumed)"),
    option("--status", "show the progress of the crawl, and fetch nothing"),
    JSON,
    option("--retry STATE", "retry pages in this state of --status; repeatable", multiple=True),
    option("--refresh-listings", "fetch the listings again, to find new questions"),
    option("--from-warc FILE", "read pages from WARC files, not from the site", several=True, type=Path),
    option("--warc FILE", "also write every response to this WARC file (.warc.gz)", type=Path),
    option("--base-url URL", "the site (default: that of the ledger, or https://www.algebra.com)"),
    option("--delay S", "minimum seconds between requests", type=_SECONDS, default=3.0),
    option("--timeout S", "timeout of a request in seconds", type=_SECONDS, default=60.0),
    option("--attempts N", "attempts for a failing page", type=_COUNT, default=4),
    option("--retry-wait S", "seconds before the second attempt; doubles", type=_SECONDS, default=60.0),
    option("--max-wait S", "longest Retry-After to obey, in seconds", type=_SECONDS, default=3600.0),
    option("--max-size BYTES", "largest page", type=_COUNT, default=2 * 2**20),
    option("--max-refusals N", "stop after N 403 or 429 responses in a row", type=_COUNT, default=5),
    option("--max-failures N", "check the connection after N failures in a row", type=_COUNT, default=10),
    option("--max-pages N", "fetch at most N pages this time", type=_COUNT),
)
def crawl(arguments: Arguments) -> int:
    """Crawl the question pages of algebra.com into a ledger, politely and resumably.

    The same command resumes an interrupted crawl, because the ledger knows what is left. robots.txt, its
    Crawl-delay and Retry-After are obeyed; there is one request at a time. The texts belong to their authors:
    publish ids and code, not the ledger.

    Exit status: 0 nothing is left to do; 1 done, but some input was not usable; 2 refused or failed; 3 the site
    asked us to stop; 130 interrupted

    Examples:
      draw crawl --contact me@university.example                 all topics of word problems
      draw crawl --contact me@… --topic word/age/Age_Word_Problems
      draw crawl --contact me@… --ids ids.txt                    these questions, one id per line
      draw crawl --status                                        progress of the crawl
      draw crawl --from-warc CC-MAIN-*.warc.gz                   from archives, without the site
    """
    from draw_dataset.collect.ledger import Ledger

    if arguments.status:
        with Ledger.open(arguments.ledger) as ledger:
            _show(ledger, arguments.json)
        return 0
    retry = _states(arguments.retry)
    complaints: list[str] = []

    def report(message: str) -> None:
        complaints.append(message)
        say(message)

    try:
        from draw_dataset.collect import addresses, politeness, session
        from draw_dataset.collect.loop import CrawlOptions
    except ImportError as error:
        raise ExtraMissing(f"{error.name} is not installed: pip install 'draw-dataset[crawl]'") from error

    if arguments.from_warc:
        with session.open_ledger(arguments.ledger, arguments.resume) as ledger:
            done = session.take_archives(ledger, arguments.from_warc, arguments.base_url, arguments.max_size, report)
            counts = f"{done.stored} pages stored, {done.known} known before, {done.broken} records broken"
            print(f"{done.records} records: {counts}", file=sys.stderr)
            _show(ledger, arguments.json)
        return UNUSABLE_INPUT if complaints else 0

    agent = politeness.user_agent(arguments.contact)
    ids = addresses.read_ids(arguments.ids, report) if arguments.ids else []
    with session.open_ledger(arguments.ledger, arguments.resume) as ledger:
        request = session.CrawlRequest(arguments.base_url, arguments.topic, ids, retry, arguments.refresh_listings)
        options = CrawlOptions(
            base_url=session.prepare(ledger, request),
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
            say(str(error))
            return STOPPED
        _show(ledger, arguments.json)
    if not finished and arguments.max_pages is None:
        return INTERRUPTED
    return UNUSABLE_INPUT if complaints else 0


def _states(names: list[str]) -> list[State]:
    """Return the terminal states of --retry."""
    from draw_dataset.collect.ledger import State

    known = {str(state): state for state in State if state.terminal and state is not State.STORED}
    if unknown := [name for name in names if name not in known]:
        raise ChoiceError(f"--retry: expected a state among {', '.join(known)}, but got {short_repr(unknown[0])}")
    return [known[name] for name in names]


def _show(ledger: Ledger, as_json: bool) -> None:
    from draw_dataset.collect.session import Status

    status = Status.of(ledger)
    print(json.dumps(status.to_json()) if as_json else status.to_text())


@command(
    argument("ledger", "LEDGER", "ledger that draw crawl wrote", type=Path),
    option("--out DIR", "folder to write to; made if missing", type=Path, required=True),
    option("--release DIR", "release folder, to drop its problems (default: DRAW_RELEASE_DIR)"),
    option("--restore IDS", "keep these ids in spite of the filters: 1,2,3, or @file with one id a line"),
    JSON,
    QUIET,
)
def clean(arguments: Arguments) -> int:
    """Clean the stored pages of a crawl, offline, and write the pool of problems to annotate.

    It writes three files: problems.jsonl (the pool), dropped.jsonl (every dropped problem, with the filter and
    the reason) and funnel.json (the counts). Each is written whole or not at all. The same ledger gives the
    same bytes. Nothing is fetched. If a filter dropped a problem wrongly, bring it back with --restore.

    Examples:
      draw clean crawl.sqlite --out pool
      draw clean crawl.sqlite --out pool --release ../release --json
      draw clean crawl.sqlite --out pool --restore 1234,5678
    """
    from tqdm import tqdm

    from draw_dataset.collect.ledger import Ledger
    from draw_dataset.collect.pool import Cleaning, KnownProblems

    require_extra("crawl", "ftfy")
    folder: Path = arguments.out
    with Ledger.open(arguments.ledger):
        pass  # before a folder is made
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FolderError(f"cannot make {folder}: {error.strerror or error}") from error
    release = arguments.release or os.environ.get("DRAW_RELEASE_DIR")
    cleaning = Cleaning(
        known=KnownProblems(release) if release else None,
        restore=read_ids(arguments.restore) if arguments.restore else frozenset(),
    )
    if not release:
        cleaning.funnel.notes.append(
            "not compared with Draw-1k and Alg-514: that needs the release (--release or DRAW_RELEASE_DIR)"
        )
    damaged: list[str] = []
    with (
        Ledger.open(arguments.ledger) as ledger,
        atomic_file(folder / "problems.jsonl") as kept,
        atomic_file(folder / "dropped.jsonl") as dropped,
        atomic_file(folder / "funnel.json") as counts,
    ):
        quiet = arguments.quiet or not sys.stderr.isatty()
        pages = tqdm(read_pages(ledger, damaged), unit=" pages", file=sys.stderr, disable=quiet)
        for record in cleaning.run(pages):
            (dropped if record.dropped_by else kept).write(json_line(record.to_json()))
        cleaning.funnel.notes += damaged
        counts.write(json.dumps(cleaning.funnel.to_json(), indent=1, ensure_ascii=False) + "\n")
    for message in damaged:
        say(f"ignored: {message}")
    say_written(*(folder / name for name in ("problems.jsonl", "dropped.jsonl", "funnel.json")))
    print(json.dumps(cleaning.funnel.to_json()) if arguments.json else cleaning.funnel.to_text())
    return 0


def read_pages(ledger: Ledger, damaged: list[str]) -> Iterator[StoredPage]:
    """Yield the pages of a ledger; damaged ones are added to `damaged` instead."""
    after = -1
    while True:
        try:
            for page in ledger.bodies(after):
                after = page.id
                yield page
        except BodyDamaged as error:
            damaged.append(str(error))
            after = error.question
            continue
        return


def read_ids(text: str) -> frozenset[int]:
    """Return the ids in ``1,2,3``, or in a file given as ``@file``, one a line."""
    words = (read_text(text[1:], error=ChoiceError) if text.startswith("@") else text).replace(",", " ").split()
    wrong = next((word for word in words if not (word.isascii() and word.isdigit() and len(word) < 10)), None)
    if wrong is not None:
        raise ChoiceError(f"--restore: expected ids of questions, but got {wrong!r}")
    return frozenset(map(int, words))


@command(
    argument("pool", "POOL", "folder that draw clean wrote", type=Path),
    option("--out FILE", "JSONL file to write; - is standard output", type=Path, required=True),
    option("--count N", "number of problems to draw", type=int, default=1000),
    option("--seed N", "seed of the draw", type=int, default=0),
    option("--by-topic", "give each topic its share (default: one draw over all)"),
    option("--plot FILE", "also draw the funnel: .png, .svg or .pdf", type=Path),
    JSON,
)
def sample(arguments: Arguments) -> int:
    """Draw problems to annotate from the pool that draw clean wrote.

    The draw is random and repeatable: the same pool, count and seed give the same file. Each line is a JSON
    object with id, question, equations and solutions, as draw annotate import takes it, and under source the
    text as posted, the changes made to it, and all other statements of the explanation. The funnel from crawl
    to sample is printed next to the paper's.

    Examples:
      draw sample pool --count 1000 --out sample.jsonl
      draw sample pool --count 200 --seed 7 --by-topic --out sample.jsonl --plot funnel.svg
    """
    from draw_dataset.collect.filters import save_funnel
    from draw_dataset.collect.pool import annotation_row, draw_sample
    from draw_dataset.collect.record import Record
    from draw_dataset.io.atomic import check_writable
    from draw_dataset.io.plot import check_plot

    if arguments.count < 1:
        raise ChoiceError(f"--count: expected at least 1, but got {arguments.count}")
    check_writable(arguments.out)  # before the work, not after it
    if arguments.plot is not None:
        check_plot(arguments.plot)
    funnel = read_funnel(arguments.pool / "funnel.json")
    pool = [Record.from_json(line.value) for line in read_json_lines(arguments.pool / "problems.jsonl")]
    if len(pool) != funnel.steps["deduplicated"]:
        raise RowError(
            f"{arguments.pool}: problems.jsonl has {len(pool)} problems, but funnel.json counts "
            f"{funnel.steps['deduplicated']}: they are of different runs; run draw clean again"
        )
    drawn = draw_sample(pool, arguments.count, arguments.seed, arguments.by_topic)
    funnel.sampled = len(drawn)
    if arguments.plot is not None:
        save_funnel(funnel, arguments.plot)
    write_json_lines(arguments.out, map(annotation_row, drawn))
    say_written(arguments.out, arguments.plot)
    if len(drawn) < arguments.count:
        say(f"the pool has only {len(pool)} problems, all of them were taken")
    text = json.dumps(funnel.to_json()) if arguments.json else funnel.to_text()
    print(text, file=sys.stderr if os.fspath(arguments.out) == STANDARD else sys.stdout)
    return 0


def read_funnel(path: Path) -> Funnel:
    """Return the funnel that draw clean wrote."""
    from draw_dataset.collect.filters import Funnel

    if not path.exists():
        raise RowError(f"{path}: expected the counts that draw clean writes, but there is no such file")
    return Funnel.from_json(decode_json(read_text(path), str(path)))
