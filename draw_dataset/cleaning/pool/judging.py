"""The question: what does one page hold, and does it belong into the pool by itself? Nothing is remembered.

A page is parsed and tidied; the filters that look at its words come first, and equations are read only of what they
leave, since that is most of the work and most pages do not get that far. What is decided depends on the one page, so
any number of processes on any number of machines decide the same. Whether a problem repeats another is the question of
`duplicates`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Protocol

from draw_dataset.cleaning.pages.content import ParsedPage, parse_page
from draw_dataset.cleaning.pool.edits import propose_changes
from draw_dataset.cleaning.pool.filters import EQUATION_FILTERS, TEXT_FILTERS, Filter
from draw_dataset.cleaning.pool.funnel import UNPARSED
from draw_dataset.cleaning.pool.record import Record, statement_data
from draw_dataset.prose import extract_equations, plain_formulas


class Page(Protocol):
    """A page as it was stored, such as `draw_dataset.crawl.ledger.StoredPage`."""

    @property
    def id(self) -> int: ...  # noqa: D102
    @property
    def url(self) -> str: ...  # noqa: D102
    @property
    def topic(self) -> str | None: ...  # noqa: D102
    @property
    def body(self) -> bytes: ...  # noqa: D102
    @property
    def charset(self) -> str | None: ...  # noqa: D102


MAX_QUESTION = 20_000
"""Characters of a question beyond which a page is taken for broken."""


def record_of(page: Page) -> Record:
    """Return the record of a page, without equations; one that cannot be parsed comes out dropped, with the reason."""
    parsed = parse_page(page.body, page.charset, page.id)
    empty = Record(page.id, page.url, page.topic or "", "")
    if parsed is None:
        what = "an empty page" if not page.body.strip() else "no 'Question N:' on the page"
        return empty.dropped(UNPARSED, what)
    if parsed.id != page.id:
        return empty.dropped(UNPARSED, f"the page is of question {parsed.id}")
    if len(parsed.question) > MAX_QUESTION:
        return empty.dropped(UNPARSED, f"the question has {len(parsed.question)} characters")
    return describe(parsed, page.url, page.topic or "")


def describe(parsed: ParsedPage, url: str, topic: str) -> Record:
    """Return the record of a parsed page: its question with proposed changes, its explanations, no equations yet."""
    posted = " ".join(plain_formulas(parsed.question).split())
    return Record(
        id=parsed.id,
        url=url,
        topic=topic,
        posted=posted,
        changes=tuple(propose_changes(posted)),
        explanations=tuple((explanation.tutor, explanation.text) for explanation in parsed.explanations),
        textbook=parsed.textbook,
        repair=parsed.repair,
    )


def with_equations(record: Record) -> Record:
    """Return a record with the equations of its explanations, or the reason why there are none."""
    found = extract_equations(record.posted, [text for _, text in record.explanations])
    return replace(
        record,
        equations=found.equations,
        solutions=tuple((name, str(value)) for name, value in sorted(found.solution.items())),
        reason=str(found.reason or ""),
        detail=found.detail,
        missing=tuple(map(str, found.missing)),
        confirmed=found.confirmed,
        others=tuple(map(statement_data, found.others)),
    )


def judge_alone(record: Record, restore: Collection[int] = ()) -> Record:
    r"""Return a record with its equations, or dropped by the first filter that has something against it.

    Args:
        record: as `record_of` makes it, without equations.
        restore: the numbers of questions that no filter may drop.

    >>> problem = Record(7, "", "age", "Ann is 3 years older than Bob. Together they are 21. How old is Bob?")
    >>> judge_alone(problem).dropped_by
    'no-x'
    >>> from dataclasses import replace
    >>> judge_alone(replace(problem, explanations=(("amy", "x + x + 3 = 21\n2x = 18\nx = 9"),))).equations
    ('x + x + 3 = 21',)
    """
    if record.dropped_by:
        return record
    dropped = _first(TEXT_FILTERS, record)
    if dropped is not None and record.id not in restore:
        return dropped
    record = with_equations(record)
    dropped = _first(EQUATION_FILTERS, record) if dropped is None else record.dropped(dropped.dropped_by, dropped.why)
    if dropped is None:
        return record
    return dropped.restored() if record.id in restore else dropped


def _first(filters: Mapping[str, Filter], record: Record) -> Record | None:
    for name, check in filters.items():
        if why := check(record):
            return record.dropped(name, why)
    return None
