"""Entries of a ledger: the pages to fetch, how each ended, and the stored pages.

Every page that was found ends in exactly one terminal state, whose name says why. A page is `State.PENDING` until it
has ended. Failures that may pass (a reset, a stall, a 503) leave it pending with one more attempt. When the attempts
are used up, the last failure names the state. Other failures (a 404, a redirect loop, a rule of robots.txt) end it at
once.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

PageKind = Literal["listing", "question"]


class State(StrEnum):
    """The states of a page in the ledger."""

    PENDING = "pending"
    STORED = "stored"
    EMPTY = "empty"
    TRUNCATED = "truncated"
    TOO_LARGE = "too-large"
    NOT_HTML = "not-html"
    NOT_FOUND = "not-found"
    GONE = "gone"
    FORBIDDEN = "forbidden"
    FORBIDDEN_BY_ROBOTS = "forbidden-by-robots"
    REFUSED = "refused"
    RATE_LIMITED = "rate-limited"
    REDIRECTED = "redirected"
    REDIRECTED_ELSEWHERE = "redirected-elsewhere"
    REDIRECT_LOOP = "redirect-loop"
    SERVER_ERROR = "server-error"
    TIMEOUT = "timeout"
    CONNECTION_FAILED = "connection-failed"

    @property
    def terminal(self) -> bool:
        """Whether nothing more is done about a page in this state, unless somebody asks."""
        return self is not State.PENDING


MEANINGS: dict[State, str] = {
    State.PENDING: "not fetched yet, or to be tried again",
    State.STORED: "the complete page is in the ledger",
    State.EMPTY: "status 200 with an empty page, at every try",
    State.TRUNCATED: "the page was cut off, at every try",
    State.TOO_LARGE: "larger than --max-size; not read to the end",
    State.NOT_HTML: "not an HTML page",
    State.NOT_FOUND: "404",
    State.GONE: "410",
    State.FORBIDDEN: "401 or 403",
    State.FORBIDDEN_BY_ROBOTS: "robots.txt disallows it; never asked for",
    State.REFUSED: "a status that is neither a success nor a temporary failure",
    State.RATE_LIMITED: "429, at every try",
    State.REDIRECTED: "leads to another question, which has its own entry",
    State.REDIRECTED_ELSEWHERE: "leads to a page that is not a question, or to another site",
    State.REDIRECT_LOOP: "leads back to itself, or to no page within ten steps",
    State.SERVER_ERROR: "a status of 500 or above, at every try",
    State.TIMEOUT: "no complete answer in time, at every try",
    State.CONNECTION_FAILED: "the connection was refused or broke, at every try",
}
"""What each state means, for people."""


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
class PendingPage:
    """A page to fetch.

    Attributes:
        kind: a listing or a question.
        key: the number of the listing, or of the question.
        url: the address to ask for.
        attempts: how often it was tried in vain.
    """

    kind: PageKind
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
