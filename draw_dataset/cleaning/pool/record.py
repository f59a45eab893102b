"""A problem on its way through the cleaning, as one JSON object a line."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from draw_dataset.errors import RowError, shown
from draw_dataset.prose import Statement
from draw_dataset.text.changes import Change, apply_changes

Key = tuple[str, int]
"""A site and the number of a question on it."""

_HOST = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://(?:[^/?#@]*@)?([^/?#]*)")
_DEFAULT_PORT = re.compile(r":(?:80|443)?$")


def site_of(url: str) -> str:
    """Return the host of an address, in lower case and without ``www.``; empty if it names none.

    >>> site_of("https://www.Algebra.com:443/algebra/homework"), site_of("/algebra/")
    ('algebra.com', '')
    """
    found = _HOST.match(url)
    return _DEFAULT_PORT.sub("", found.group(1).lower()).removeprefix("www.") if found else ""


@dataclass(frozen=True, slots=True)
class Record:
    """A problem with everything that is known about it.

    Attributes:
        id: the number of the question on the site.
        url: where it was.
        topic: the topic it was filed under; may be wrong.
        posted: the question as posted, formulas written plainly.
        changes: the edits proposed for it.
        explanations: (tutor, text) of each.
        equations: those chosen, in the core's plain form; empty if there is a reason.
        solutions: the exact value of each unknown, as in ``5/2``.
        reason: why there are no equations; empty if there are.
        detail: what stood in the way.
        missing: literals of the equations that are not in the question.
        confirmed: how many other statements of the explanation agree with the solution.
        others: the other statements of the explanation, as plain data with their kind.
        textbook: the book named on the page.
        repair: what was wrong with the encoding of the page.
        dropped_by: the filter that dropped it; empty if none did.
        why: what that filter saw.
        restored_from: the filter that would have dropped it, had it not been restored.
    """

    id: int
    url: str
    topic: str
    posted: str
    changes: tuple[Change, ...] = ()
    explanations: tuple[tuple[str, str], ...] = ()
    equations: tuple[str, ...] = ()
    solutions: tuple[tuple[str, str], ...] = ()
    reason: str = ""
    detail: str = ""
    missing: tuple[str, ...] = ()
    confirmed: int = 0
    others: tuple[Mapping[str, Any], ...] = ()
    textbook: str = ""
    repair: str = ""
    dropped_by: str = ""
    why: str = ""
    restored_from: str = ""

    @property
    def site(self) -> str:
        """The host it was on, without ``www.``; empty if its address names none."""
        return site_of(self.url)

    @property
    def key(self) -> Key:
        """What it is known by: a number is unique within its site only."""
        return self.site, self.id

    @property
    def question(self) -> str:
        """The question with its changes applied."""
        return apply_changes(self.posted, self.changes).strip()

    def dropped(self, name: str, why: str) -> Record:
        """Return the record marked as dropped by a filter."""
        return replace(self, dropped_by=name, why=why)

    def restored(self) -> Record:
        """Return the record back in the pool; which filter had dropped it stays known."""
        return replace(self, restored_from=self.dropped_by, dropped_by="")

    def decided(self, dropped_by: str, why: str, restored_from: str) -> Record:
        """Return the record with what another process has decided about it."""
        return replace(self, dropped_by=dropped_by, why=why, restored_from=restored_from)

    def to_json(self) -> dict[str, Any]:
        """Return it as plain data; ``question`` is the cleaned text."""
        data: dict[str, Any] = {name: getattr(self, name) for name in self.__slots__}
        data["question"] = self.question
        data["equations"], data["missing"] = list(self.equations), list(self.missing)
        data["changes"] = [change.to_json() for change in self.changes]
        data["explanations"] = [{"tutor": tutor, "text": text} for tutor, text in self.explanations]
        data["solutions"] = dict(self.solutions)
        data["others"] = [dict(other) for other in self.others]
        return data

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Record:
        """Read it from plain data.

        Raises:
            RowError: it is not of that shape; says which field.
        """
        where = f"record {shown(data.get('id')) if isinstance(data, Mapping) else shown(data)}"
        if not isinstance(data, Mapping) or type(data.get("id")) is not int or not isinstance(data.get("posted"), str):
            raise RowError(f"{where}: expected at least an id (a whole number) and posted (a text)")
        try:
            return cls(
                id=data["id"],
                url=str(data.get("url", "")),
                topic=str(data.get("topic", "")),
                posted=data["posted"],
                changes=tuple(Change.from_json(change) for change in data.get("changes", ())),
                explanations=tuple((str(e["tutor"]), str(e["text"])) for e in data.get("explanations", ())),
                equations=tuple(map(str, data.get("equations", ()))),
                solutions=tuple((str(name), str(Fraction(value))) for name, value in data.get("solutions", {}).items()),
                reason=str(data.get("reason", "")),
                detail=str(data.get("detail", "")),
                missing=tuple(map(str, data.get("missing", ()))),
                confirmed=int(data.get("confirmed", 0)),
                others=tuple(dict(other) for other in data.get("others", ())),
                textbook=str(data.get("textbook", "")),
                repair=str(data.get("repair", "")),
                dropped_by=str(data.get("dropped_by", "")),
                why=str(data.get("why", "")),
                restored_from=str(data.get("restored_from", "")),
            )
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            raise RowError(f"{where}: not a record as draw clean writes it: {error}") from error


def statement_data(statement: Statement) -> dict[str, Any]:
    """Return a statement as plain data: its kind, its words, and what is known of it."""
    data: dict[str, Any] = {"kind": str(statement.kind), "text": statement.text}
    for name in ("equation", "doubt", "note"):
        if value := getattr(statement, name):
            data[name] = value
    return data
