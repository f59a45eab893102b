"""What goes into a ledger and comes out of it: a page to fetch, what became of it, and a page that is stored."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from draw_dataset.crawl.states import State

Kind = Literal["listing", "question"]


@dataclass(frozen=True, slots=True)
class StoredPage:
    """A page of the ledger, as it was received.

    Attributes:
        id: the question's number.
        url: the address that answered.
        topic: the topic in that address, such as ``word/age/Age_Word_Problems``; None if it names none.
        body: the bytes, decompressed but not decoded.
        content_type: the media type that was declared, such as ``text/html``; None if none was.
        charset: the character set that was declared, which may be wrong; None if none was.
        fetched_at: when, in seconds since 1970 (UTC).
    """

    id: int
    url: str
    topic: str | None
    body: bytes
    content_type: str | None
    charset: str | None
    fetched_at: float


@dataclass(frozen=True, slots=True)
class Work:
    """A page to fetch.

    Attributes:
        kind: a listing or a question.
        key: the number of the listing, or of the question.
        url: the address to ask for.
        attempts: how often it was tried in vain.
    """

    kind: Kind
    key: int
    url: str
    attempts: int


@dataclass(frozen=True, slots=True)
class Ending:
    """What became of one request for a page.

    Attributes:
        state: a terminal state, or `State.PENDING` for another try.
        detail: why, for people.
        status: the HTTP status, if there was an answer.
        final_url: the address that answered, after redirects.
        redirects_to: the other question that it leads to.
        content_type: as declared.
        charset: as declared.
        body: the bytes of a stored page.
        not_before: when it may be tried again, in seconds since 1970.
    """

    state: State
    detail: str = ""
    status: int | None = None
    final_url: str | None = None
    redirects_to: int | None = None
    content_type: str | None = None
    charset: str | None = None
    body: bytes = b""
    not_before: float = 0.0
