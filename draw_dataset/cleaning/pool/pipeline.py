"""From stored pages to records, one at a time: parsed, tidied, with equations, and through the filters.

A page costs the memory of a page: what grows is only the index of duplicates, which holds the problems that are left.
What is decided depends on the pages and their order alone. Problems of the released datasets are known by their number
on the site and by their text.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Protocol

from draw_dataset.cleaning.pages.content import ParsedPage, parse_page
from draw_dataset.cleaning.pool.edits import propose_changes, without_pleas
from draw_dataset.cleaning.pool.filters import FILTERS, SeenProblems
from draw_dataset.cleaning.pool.funnel import DUPLICATE, KNOWN, UNPARSED, Funnel
from draw_dataset.cleaning.pool.record import Record, statement_data
from draw_dataset.prose import extract_equations, plain_formulas
from draw_dataset.release import load_problems


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

RELEASED = ("draw1k", "alg514")
"""The datasets whose problems are known."""


def record_of(page: Page) -> Record:
    """Return the record of a page; one that cannot be parsed comes out dropped, with the reason."""
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
    """Return the record of a parsed page: question with proposed changes, equations, and all else that is known."""
    posted = " ".join(plain_formulas(parsed.question).split())
    found = extract_equations(posted, [explanation.text for explanation in parsed.explanations])
    return Record(
        id=parsed.id,
        url=url,
        topic=topic,
        posted=posted,
        changes=tuple(propose_changes(posted)),
        explanations=tuple((explanation.tutor, explanation.text) for explanation in parsed.explanations),
        equations=found.equations,
        solutions=tuple((name, str(value)) for name, value in sorted(found.solution.items())),
        reason=str(found.reason or ""),
        detail=found.detail,
        missing=tuple(map(str, found.missing)),
        confirmed=found.confirmed,
        others=tuple(map(statement_data, found.others)),
        textbook=parsed.textbook,
        repair=parsed.repair,
    )


class KnownProblems:
    """The problems of Draw-1k and Alg-514.

    Args:
        data_dir: the folder with the files of the release.

    Raises:
        DrawError: the files cannot be had, or are not the release.
    """

    def __init__(self, data_dir: str | os.PathLike[str]) -> None:
        self._ids: set[int | str] = set()
        self._seen = SeenProblems()
        for dataset in RELEASED:
            for problems in load_problems(dataset, data_dir).values():
                for problem in problems:
                    # Only the ids of Draw-1k are those of the site.
                    if dataset == "draw1k":
                        self._ids.add(problem.id)
                    self._seen.add(f"{dataset} {problem.id}", problem.question)

    def find(self, id_: int, question: str) -> str | None:
        """Return where a problem is known from, as in ``draw1k 337``; None if it is not."""
        if id_ in self._ids:
            return f"draw1k {id_}"
        found = self._seen.find(question)
        return None if found is None else str(found)


@dataclass(slots=True)
class Cleaning:
    """The filters with what they remember, and what they counted.

    Attributes:
        known: the problems of the released datasets; None if they are not at hand.
        restore: the ids that no filter may drop.
        funnel: the counts.
    """

    known: KnownProblems | None = None
    restore: frozenset[int] = frozenset()
    funnel: Funnel = field(default_factory=Funnel)
    _seen: SeenProblems = field(default_factory=SeenProblems)

    def run(self, pages: Iterable[Page]) -> Iterator[Record]:
        """Return a record for every page, kept or dropped, in the order of the pages."""
        for page in pages:
            yield self.judge(record_of(page))

    def judge(self, record: Record) -> Record:
        """Send a record through the filters."""
        self.funnel.crawled += 1
        record = self._filtered(record)
        if record.dropped_by and record.id in self.restore and record.dropped_by != UNPARSED:
            self.funnel.restore(record.dropped_by)
            record = record.restored()
        if record.dropped_by:
            self.funnel.drop(record.dropped_by)
        else:
            self._seen.add(record.id, without_pleas(record.posted))
        return record

    def _filtered(self, record: Record) -> Record:
        if record.dropped_by:
            return record
        for name, check in FILTERS.items():
            if why := check(record):
                return record.dropped(name, why)
        asked = without_pleas(record.posted)
        if self.known is not None and (source := self.known.find(record.id, asked)):
            return record.dropped(KNOWN, f"it is {source}")
        repeated = self._seen.find(asked)
        if repeated is not None:
            return record.dropped(DUPLICATE, f"it repeats {repeated}")
        return record
