"""How fast pages are stored and become problems, and what memory it takes: a ledger, and pages of the stand-in site."""

from __future__ import annotations

import random
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.measures import memory_now, timed
from benchmarks.rows import Row
from draw_dataset.crawl import Ledger, State
from draw_dataset.crawl.entries import Ending, PendingPage

_URL = "https://www.algebra.com/algebra/homework/word/misc/Miscellaneous_Word_Problems.faq.question.{}.html"
_WORDS = ("the", "sum", "of", "two", "numbers", "is", "twice", "as", "old", "a", "train", "leaves", "x", "=", "5", "12")


def section_w(rows: list[Row], quick: bool) -> dict[str, Any]:
    """Store and read the pages of a crawl: memory, which should not grow with their number."""
    del rows
    count = 10_000 if quick else 100_000
    marks = {count // 10, count // 2, count}
    rng = random.Random(6)
    result: dict[str, Any] = {"pages": count, "aim": "flat", "megabytes before": round(memory_now(), 1)}
    size = 0
    with tempfile.TemporaryDirectory() as folder, Ledger.open(Path(folder) / "l.sqlite", create=True) as ledger:
        started = time.perf_counter()
        ledger.add_questions(((number, _URL.format(number)) for number in range(1, count + 1)), "ids")
        for number in range(1, count + 1):
            body = f"<html>{' '.join(rng.choices(_WORDS, k=1500))}</html>".encode()
            size += len(body)
            work = PendingPage("question", number, _URL.format(number), 0)
            ledger.record(work, Ending(State.STORED, status=200, final_url=work.url, body=body), 1.5e9 + number)
            if number in marks:
                result[f"megabytes after storing {number}"] = round(memory_now(), 1)
        stored = time.perf_counter() - started
        started = time.perf_counter()
        for place, page in enumerate(ledger.bodies(), 1):
            size -= len(page.body)
            if place in marks:
                result[f"megabytes after reading {place}"] = round(memory_now(), 1)
        read = time.perf_counter() - started
        result["bytes that did not come back"] = size
        result["megabytes of the ledger"] = round(sum(p.stat().st_size for p in Path(folder).iterdir()) / 2**20, 1)
    result["pages stored a second"] = round(count / stored)
    result["pages read a second"] = round(count / read)
    return result


def section_p(rows: list[Row], quick: bool) -> dict[str, Any]:
    """Parse stored pages, and clean them."""
    del rows
    try:
        from cleaning.stand_in import pages_of, site_of
    except ImportError as error:
        return {"skipped": f"{error} (pip install 'draw-dataset[test]')"}
    from draw_dataset.cleaning.pages.content import parse_page
    from draw_dataset.cleaning.pool.pipeline import Cleaning

    pages = pages_of(site_of(1_000 if quick else 3_000, 7))
    parsing = min(timed(lambda: [parse_page(p.body, p.charset, p.id) for p in pages]) for _ in range(2 if quick else 5))
    sum(1 for _ in Cleaning().run(pages[:200]))  # what is imported and cached on first use is no part of the index
    cleaning = Cleaning()
    before = memory_now()
    spent = timed(lambda: sum(1 for _ in cleaning.run(pages)))
    kept = cleaning.funnel.steps["deduplicated"]
    return {
        "pages": len(pages),
        "bytes a page": round(sum(len(p.body) for p in pages) / len(pages)),
        "pages parsed a second": round(len(pages) / parsing),
        "aim": "at least 1,000 a second",
        "pages cleaned a second (parsed, equations, filters, duplicates)": round(len(pages) / spent),
        "kilobytes of the index for each problem kept": round((memory_now() - before) * 1024 / max(kept, 1), 1),
        **_memory(pages, 10_000 if quick else 100_000),
    }


def _memory(pages: list[Any], count: int) -> dict[str, Any]:
    """Parse many stored pages out of a ledger and watch the memory."""
    from cleaning.stand_in import fill_ledger, renumbered

    from draw_dataset.cleaning.pages.content import parse_page
    from draw_dataset.crawl import Ledger

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "crawl.sqlite"
        fill_ledger(path, (renumbered(pages[i % len(pages)], i + 1) for i in range(count)))
        marks = []
        with Ledger.open(path) as ledger:
            for place, page in enumerate(ledger.bodies(), 1):
                parse_page(page.body, page.charset, page.id)
                if place in (count // 10, count):
                    marks.append(memory_now())
    return {
        "stored pages": count,
        "megabytes after a tenth of them, and at the end": f"{marks[0]:.1f}, {marks[1]:.1f}",
        "aim of memory": "flat",
    }
