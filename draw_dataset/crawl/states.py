"""What can become of a page: every discovered page ends in exactly one terminal state, with a name that says why.

A page is `PENDING` until it has an end. Failures that may pass (a reset, a stall, a 503) leave it pending with one
attempt more; when the attempts are used up, the last failure names the end. Others (a 404, a redirect loop, a rule of
robots.txt) are the end at once.
"""

from __future__ import annotations

from enum import StrEnum


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
    State.STORED: "the whole page is in the ledger",
    State.EMPTY: "status 200 without a page, every time",
    State.TRUNCATED: "the page ended before its end, every time",
    State.TOO_LARGE: "larger than --max-size; not read to the end",
    State.NOT_HTML: "something else than a page of text",
    State.NOT_FOUND: "404",
    State.GONE: "410",
    State.FORBIDDEN: "401 or 403",
    State.FORBIDDEN_BY_ROBOTS: "robots.txt disallows it; never asked for",
    State.REFUSED: "another status that is neither success nor a passing failure",
    State.RATE_LIMITED: "429, every time",
    State.REDIRECTED: "leads to another question, which has its own entry",
    State.REDIRECTED_ELSEWHERE: "leads to a page that is no question, or off the site",
    State.REDIRECT_LOOP: "leads back to itself, or nowhere in ten steps",
    State.SERVER_ERROR: "a status from 500, every time",
    State.TIMEOUT: "no whole answer in time, every time",
    State.CONNECTION_FAILED: "the connection was refused or broke, every time",
}
"""What each state means, for people."""
