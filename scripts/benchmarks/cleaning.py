"""How fast stored pages become problems, and what memory it takes: pages of the stand-in site, in a real ledger."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from benchmarks.measuring import memory_now, timed
from benchmarks.rows import Row


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
