"""From stored pages to records, one at a time: judged each by itself, then compared with the others, then counted.

A page costs the memory of a page: what grows is only the index of duplicates, which holds the problems that are left.
Given in the order of their keys, as a ledger gives them, pages lead to the same pool here and in `pipelines`, where the
two halves of the work run in many processes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from draw_dataset.cleaning.pool.duplicates import Duplicates, KnownProblems
from draw_dataset.cleaning.pool.funnel import Funnel
from draw_dataset.cleaning.pool.judging import Page, judge_alone, record_of
from draw_dataset.cleaning.pool.record import Record


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
    _duplicates: Duplicates = field(init=False)

    def __post_init__(self) -> None:
        self._duplicates = Duplicates(self.known, self.restore)

    def run(self, pages: Iterable[Page]) -> Iterator[Record]:
        """Return a record for every page, kept or dropped, in the order of the pages."""
        for page in pages:
            yield self.judge(record_of(page))

    def judge(self, record: Record) -> Record:
        """Send a record, without equations yet, through the filters."""
        record = self._duplicates.judge(judge_alone(record, self.restore))
        self.funnel.count(record.dropped_by, record.restored_from)
        return record
