"""How much memory the ledger of a crawl takes, and how fast it is."""

from __future__ import annotations

import random
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.measuring import memory_now
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
