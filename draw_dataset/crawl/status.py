"""How far a crawl is: pages by state, the rate of the latest ones, and the time that is left at that rate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from draw_dataset.crawl.entries import MEANINGS, State
from draw_dataset.crawl.ledger import Ledger


@dataclass(frozen=True, slots=True)
class Status:
    """The state of a crawl.

    Attributes:
        questions: how many questions are in each state.
        listings: how many listings are in each state.
        per_minute: pages a minute, over the latest ones; None if too few are done.
        seconds_left: how long what is known takes at that rate; None if the rate is not known.
        stored_bytes: the size of all stored pages, decompressed.
    """

    questions: dict[State, int]
    listings: dict[State, int]
    per_minute: float | None
    seconds_left: float | None
    stored_bytes: int

    @classmethod
    def of(cls, ledger: Ledger) -> Status:
        """Look at a ledger."""
        questions, listings = ledger.counts("question"), ledger.counts("listing")
        rate = ledger.pages_a_second()
        left = questions.get(State.PENDING, 0) + listings.get(State.PENDING, 0)
        return cls(
            questions,
            listings,
            None if rate is None else round(60 * rate, 1),
            None if rate is None else round(left / rate, 1),
            ledger.stored_bytes(),
        )

    def to_json(self) -> dict[str, Any]:
        """Return the status as plain data."""
        return {
            "questions": {str(state): count for state, count in self.questions.items()},
            "listings": {str(state): count for state, count in self.listings.items()},
            "per_minute": self.per_minute,
            "seconds_left": self.seconds_left,
            "stored_bytes": self.stored_bytes,
        }

    def to_text(self) -> str:
        """Return the status for people."""
        lines = []
        for title, counts in (("questions", self.questions), ("listings", self.listings)):
            lines.append(f"{title}: {sum(counts.values())}")
            lines += [f"  {count:>8}  {state:<22} {MEANINGS[state]}" for state, count in sorted(counts.items())]
        lines.append(f"stored: {self.stored_bytes / 2**20:.1f} MB of pages")
        if self.per_minute is not None:
            lines.append(f"rate: {self.per_minute:g} pages a minute; left: {clock(self.seconds_left or 0.0)}")
        return "\n".join(lines)


def clock(seconds: float) -> str:
    """Return a span of time for people.

    >>> clock(59.6), clock(3 * 86400 + 7200)
    ('1 min', '3 d 2 h')
    """
    minutes = round(seconds / 60)
    if minutes < 120:
        return f"{minutes} min"
    hours = round(minutes / 60)
    return f"{hours} h" if hours < 48 else f"{hours // 24} d {hours % 24} h"
