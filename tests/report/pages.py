"""What tests of pages look at: elements, the index of the filters, and which articles are shown."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser

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


def index_of(page: str) -> list[dict[str, str]]:
    found = re.search(r'<script type="application/json" id="index">(.*?)</script>', page, re.DOTALL)
    assert found is not None
    items: list[dict[str, str]] = json.loads(found[1])
    return items


def shown(document: str) -> list[str]:
    """The articles of a document that are not hidden."""
    return [a for a in re.findall(r"<article[^>]*>", document) if "hidden" not in a]
