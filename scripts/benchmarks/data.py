"""How fast texts are read, datasets loaded, pages stored and cleaned, derivations proposed and decisions recorded."""

from __future__ import annotations

import json
import random
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks import DATASETS, FILES, Row, memory_now, release_folder, timed
from draw_dataset import find_numbers
from draw_dataset.annotate.decisions import StoredProblem
from draw_dataset.annotate.outcome import measure_agreement
from draw_dataset.annotate.proposal import propose
from draw_dataset.annotate.store import Store
from draw_dataset.collect.ledger import Ending, Ledger, PendingPage, State
from draw_dataset.data.release import load_problems
from draw_dataset.data.sample import load_sample
from draw_dataset.derivation.problem import Problem
from draw_dataset.errors import AnnotationError


def section_n(rows: list[Row], quick: bool) -> dict[str, Any]:
    """Find the numbers of the texts."""
    questions = [row.question for row in rows if row.question] or [
        p.question for problems in load_sample().values() for p in problems
    ]
    repeats = 1 if quick else 5
    spent = min(timed(lambda: [find_numbers(question) for question in questions]) for _ in range(repeats))
    return {
        "texts": len(questions),
        "problems a second": round(len(questions) / spent),
        "aim": "at least 10,000 a second",
    }


def section_l(rows: list[Row], quick: bool) -> dict[str, Any]:
    """Load a dataset, against decoding its file and against Dataset.from_list of the same rows."""
    del quick
    folder = release_folder()
    if folder is None:
        return {"skipped": "needs the release"}
    from datasets import Dataset, disable_progress_bars

    from draw_dataset.data.features import row_features
    from draw_dataset.data.release import load_problems
    from draw_dataset.draw1k import Draw1k

    disable_progress_bars()
    result: dict[str, Any] = {"aim": "seconds for all configs"}
    total = timed(lambda: [json.loads((folder / name).read_text(encoding="utf-8")) for name in FILES])
    problems = [p for d in DATASETS for ps in load_problems(d, folder).values() for p in ps]
    as_rows = [p.to_row() for p in problems]
    from_list = timed(lambda: Dataset.from_list(as_rows, features=row_features()))
    reading = timed(lambda: [[p.to_row() for ps in load_problems(d, folder).values() for p in ps] for d in DATASETS])
    with tempfile.TemporaryDirectory() as cache:
        started = time.perf_counter()
        for name in DATASETS:
            builder = Draw1k(config_name=name, cache_dir=cache, data_dir=str(folder), hash="benchmark")
            builder.download_and_prepare()
        built = time.perf_counter() - started
    result["rows"] = len(rows)
    result["rows a second, json.load alone"] = round(len(rows) / total)
    result["rows a second, problems and rows from the files"] = round(len(rows) / reading)
    result["rows a second, Dataset.from_list of the rows"] = round(len(rows) / from_list)
    result["rows a second, the builder from nothing to Arrow files"] = round(len(rows) / built)
    return result


def section_i(rows: list[Row], quick: bool) -> dict[str, Any]:
    """Import the package, against starting Python."""
    del rows
    times = {}
    for name, code in (("python alone", "pass"), ("import draw_dataset", "import draw_dataset")):
        runs = []
        for _ in range(5 if quick else 15):
            started = time.perf_counter()
            subprocess.run([sys.executable, "-c", code], check=True)
            runs.append(time.perf_counter() - started)
        times[name] = min(runs)
    added = times["import draw_dataset"] - times["python alone"]
    return {"milliseconds added": round(added * 1e3, 1), "aim": "at most 200 milliseconds"}


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
    from draw_dataset.collect.page import parse_page
    from draw_dataset.collect.pool import Cleaning

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

    from draw_dataset.collect.ledger import Ledger
    from draw_dataset.collect.page import parse_page

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


def section_g(rows: list[Row], quick: bool) -> dict[str, Any]:
    """Propose derivations for every problem, and make the first of each."""
    del rows, quick
    folder = release_folder()
    problems: list[Problem] = [
        problem
        for splits in ([load_problems(name, folder) for name in DATASETS] if folder else [load_sample()])
        for split in splits.values()
        for problem in split
    ]
    # Once: a second time the equations would be remembered.
    asking = timed(lambda: _propose(problems, derive=False))
    deriving = timed(lambda: _propose(problems, derive=True))
    listing = "He wrote " + " , ".join(["3"] * 40) + " ."
    wide = timed(lambda: propose(listing, "x = 3*3 + 3*3 + 3*3 + 3").nth(2187))
    return {
        "problems": len(problems),
        "problems a second, what is open": round(len(problems) / asking),
        "problems a second, with the first derivation, equations read before": round(len(problems) / deriving),
        "ms for 40 numbers and 40^7 candidates, the 2187th made": round(1000 * wide, 1),
        "aim": "at least 500 problems a second",
    }


def _propose(problems: list[Problem], derive: bool) -> None:
    for problem in problems:
        try:
            proposal = propose(problem.question, problem.equations)
        except AnnotationError:
            continue
        if derive:
            proposal.derive()


def section_h(rows: list[Row], quick: bool) -> dict[str, Any]:
    """Record decisions of two annotators in a store of many problems; wall time, since it waits for the disk."""
    del rows
    count = 1_000 if quick else 10_000
    problems = [
        StoredProblem(i, f"Two and 2 make {i + 5} . Add {i + 7} .", (f"x = 2 + {i + 7}",)) for i in range(count)
    ]
    with TemporaryDirectory() as folder, Store.open(Path(folder, "work.db"), create=True) as store:
        importing = _waited(lambda: store.add_problems(problems))
        for name in ("Ann", "Bob"):
            store.add_annotator(name)
        queueing = _waited(lambda: store.queue("Ann"))
        worked = store.queue("Ann")[:500]
        deciding = _waited(lambda: _decide(store, worked)) / (4 * len(worked))
        inserting = _waited(lambda: _insert(Path(folder, "plain.db"), 4 * len(worked))) / (4 * len(worked))
        measuring = _waited(lambda: measure_agreement(store.works())) / len(worked)
    return {
        "problems": count,
        "imported a second": round(count / importing),
        "ms for a queue": round(1000 * queueing, 1),
        "ms for a decision, on the disk": round(1000 * deciding, 2),
        "times a bare INSERT of SQLite with the same settings": round(deciding / inserting, 1),
        "ms a problem to measure agreement": round(1000 * measuring, 2),
        "aim": "a decision within 50 ms, which nobody notices",
    }


def _waited(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def _decide(store: Store, problems: list[int]) -> None:
    for problem in problems:
        for name in ("Ann", "Bob"):
            store.decide(problem, name, "choose", {"literal": 0, "place": [0, 2]}, 1.0)
            store.decide(problem, name, "submit", None, 1.0)


def _insert(path: Path, count: int) -> None:
    connection = sqlite3.connect(path, isolation_level=None)
    for setting in ("journal_mode = WAL", "synchronous = FULL"):
        connection.execute(f"PRAGMA {setting}")
    connection.execute("CREATE TABLE decisions (number INTEGER PRIMARY KEY, payload TEXT)")
    for _ in range(count):
        connection.execute("INSERT INTO decisions (payload) VALUES (?)", ('{"literal":0,"place":[0,2]}',))
    connection.close()
