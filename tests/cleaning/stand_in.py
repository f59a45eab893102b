"""Pages of the stand-in site in a ledger, without a network: what a crawl of them would leave behind."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from crawl.stand_in_site.plan import Site
from crawl.stand_in_site.questions import Question

from draw_dataset.collect.ledger import Ending, Ledger, PendingPage, State, StoredPage

HOST = "http://site.example"


@lru_cache(maxsize=2)
def site_of(size: int, seed: int) -> Site:
    return Site(size, seed)


def pages_of(site: Site) -> list[StoredPage]:
    """Return the pages that a crawl stores, in the order of their ids."""
    return [page_of(site, site.questions[number]) for number in site.stored]


def page_of(site: Site, question: Question) -> StoredPage:
    return StoredPage(
        question.id, HOST + question.path, question.topic, site.body(question.id), "text/html", "utf-8", 1.0
    )


def renumbered(page: StoredPage, number: int) -> StoredPage:
    """Return a page as that of another question."""
    body = page.body.replace(f"Question {page.id}".encode(), f"Question {number}".encode())
    url = page.url.replace(f".question.{page.id}.", f".question.{number}.")
    return replace(page, id=number, url=url, body=body)


def fill_ledger(path: Path, pages: Iterable[StoredPage]) -> None:
    """Store pages in a new ledger, one in memory at a time."""
    with Ledger.open(path, create=True) as ledger:
        for page in pages:
            ledger.add_questions([(page.id, page.url)], "ids")
            work = PendingPage("question", page.id, page.url, 0)
            ending = Ending(
                State.STORED,
                status=200,
                final_url=page.url,
                content_type="text/html",
                charset=page.charset,
                body=page.body,
            )
            ledger.record(work, ending, 1.0)
