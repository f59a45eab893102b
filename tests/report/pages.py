"""What tests of pages look at: elements, and the data inside."""

from __future__ import annotations

import base64
import gzip
import json
import re
from dataclasses import dataclass
from html.parser import HTMLParser
from typing import Any

VOID = {"meta", "br", "input"}


class Elements(HTMLParser):
    """Collects elements and checks that each is closed where it should be."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@dataclass(frozen=True)
class Listed:
    """A prediction in the data of a page."""

    id: str
    system: str
    verdict: str
    reason: str
    solution: bool
    length: int
    first_error: str
    problem: dict[str, Any]
    details: dict[str, Any]
    is_mended: bool = False  # right only on corrected gold

    @property
    def answer(self) -> str:
        """The text of the answer as it is shown."""
        return "".join(p if isinstance(p, str) else "".join("".join(q) for q in p[1:]) for p in self.details["answer"])


def _unpack(text: str) -> Any:
    return json.loads(gzip.decompress(base64.b64decode(text)))


def index_of(page: str) -> dict[str, Any]:
    """The data that the list is made of."""
    found = re.search(r'<script type="application/gzip" id="index">([A-Za-z0-9+/=]*)</script>', page)
    assert found is not None
    index: dict[str, Any] = _unpack(found[1])
    return index


def listed(page: str) -> list[Listed]:
    """All predictions in the data of a page, problem by problem."""
    index = index_of(page)
    chunks = [_unpack(t) for t in re.findall(r'<script type="application/gzip" class="chunk">([^<]*)</script>', page)]
    assert all(len(chunk) == index["chunk"] for chunk in chunks[:-1])
    details = [one for chunk in chunks for one in chunk]
    found = []
    for (id_, _, *entries), (problem, *parts) in zip(index["rows"], details, strict=True):
        for system, entry, part in zip(index["systems"], entries, parts, strict=True):
            assert (entry is None) == (part is None)
            if entry is not None:
                status, reason, solution, length, error, _, *mended = entry
                first = index["steps"][error] if error >= 0 else ""
                verdict, code = index["statuses"][status][0], index["reasons"][reason][0]
                one = Listed(id_, system, verdict, code, bool(solution), length, first, problem, part, mended == [1])
                found.append(one)
    return found
