"""Judging an answer of the site: store it, end the page in another state, or try again.

Answers that were just fetched and answers from an archive are judged in the same way. A page is stored only if it is
complete: as long as its length says, its compression complete, and, if nothing says its length, with the end tag of
HTML near its end. Bytes are not decoded to characters, because the declared encoding may be wrong.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from email.message import Message

from draw_dataset.crawl.entries import Ending, State

MAX_SIZE = 2 * 2**20
"""The default size limit of a page, in bytes; pages of algebra.com have some ten thousand."""

_HTML = frozenset({"text/html", "application/xhtml+xml", "text/plain"})
_TAIL = 2048
_STATUSES = {404: State.NOT_FOUND, 410: State.GONE, 401: State.FORBIDDEN, 403: State.FORBIDDEN}


@dataclass(frozen=True, slots=True)
class Answer:
    """What the site said.

    Attributes:
        url: the address that was asked for.
        status: the HTTP status.
        headers: the headers, their names in lower case.
        body: the bytes as transferred: without chunks, but still compressed.
        length_known: whether the transfer itself told where the body ends.
    """

    url: str
    status: int
    headers: Mapping[str, str]
    body: bytes
    length_known: bool = True


@dataclass(frozen=True, slots=True)
class Judgement:
    """What became of a request.

    Attributes:
        ending: the end of the page, if there is to be no other try.
        passing: whether another try may end differently.
    """

    ending: Ending
    passing: bool = False


def judge(answer: Answer, max_size: int = MAX_SIZE) -> Judgement:
    """Judge an answer that is no redirect.

    >>> judge(Answer("http://a.example/", 200, {}, b"<html>hello</html>")).ending.state
    <State.STORED: 'stored'>
    >>> judge(Answer("http://a.example/", 200, {}, b"<html>hel", length_known=False))
    Judgement(ending=Ending(state=<State.TRUNCATED: 'truncated'>, detail='no </html> at its end', status=200, \
final_url='http://a.example/', redirects_to=None, content_type=None, charset=None, body=b'', not_before=0.0), \
passing=True)
    """
    if not 200 <= answer.status < 300:
        return _failed(answer)
    content_type, charset = declared(answer.headers)

    def ended(state: State, detail: str = "", passing: bool = False, body: bytes = b"") -> Judgement:
        ending = Ending(state, detail, answer.status, answer.url, content_type=content_type, charset=charset, body=body)
        return Judgement(ending, passing)

    if content_type is not None and content_type not in _HTML:
        return ended(State.NOT_HTML, content_type)
    promised = _length(answer.headers)
    if promised > max_size:
        return ended(State.TOO_LARGE, f"{promised} bytes")
    if promised > len(answer.body):
        return ended(State.TRUNCATED, f"{len(answer.body)} of {promised} bytes", passing=True)
    try:
        body = decompressed(answer.body, answer.headers.get("content-encoding", ""), max_size)
    except EOFError as error:
        return ended(State.TRUNCATED, str(error), passing=True)
    if body is None:
        return ended(State.TOO_LARGE, f"more than {max_size} bytes")
    if not body.strip():
        return ended(State.EMPTY, f"{len(body)} bytes", passing=True)
    if not answer.length_known and b"</html" not in body[-_TAIL:].lower():
        return ended(State.TRUNCATED, "no </html> at its end", passing=True)
    return ended(State.STORED, body=body)


def _length(headers: Mapping[str, str]) -> int:
    """Return the length that was promised; 0 if none was, or none that can be read."""
    given = headers.get("content-length", "").strip()
    return int(given) if given.isascii() and given.isdecimal() and len(given) < 19 else 0


def _failed(answer: Answer) -> Judgement:
    if answer.status >= 500:
        state, passing = State.SERVER_ERROR, True
    elif answer.status == 429:
        state, passing = State.RATE_LIMITED, True
    elif answer.status == 408:
        state, passing = State.TIMEOUT, True
    else:
        state, passing = _STATUSES.get(answer.status, State.REFUSED), False
    return Judgement(Ending(state, f"status {answer.status}", answer.status, answer.url), passing)


def declared(headers: Mapping[str, str]) -> tuple[str | None, str | None]:
    """Return the media type and the character set that the headers declare.

    >>> declared({"content-type": "Text/HTML; charset=UTF-8"}), declared({})
    (('text/html', 'utf-8'), (None, None))
    """
    given = headers.get("content-type", "").strip()
    if not given:
        return None, None
    message = Message()
    message["content-type"] = given
    return message.get_content_type(), message.get_content_charset() or None


def decompressed(body: bytes, encoding: str, max_size: int) -> bytes | None:
    """Return a body without its compression; None if it is larger than the bound, which is not exceeded on the way.

    Raises:
        EOFError: the compressed data end before their end, or are damaged.
    """
    named = encoding.strip().lower()
    # Servers name a compression that they did not apply, and archives keep its name after undoing it.
    if named in ("gzip", "x-gzip") and body.startswith(b"\x1f\x8b"):
        window = zlib.MAX_WBITS | 16
    elif named == "deflate" and body:
        window = zlib.MAX_WBITS if body[0] & 0x0F == 8 and int.from_bytes(body[:2]) % 31 == 0 else -zlib.MAX_WBITS
    else:
        return body if len(body) <= max_size else None
    unpacker = zlib.decompressobj(window)
    try:
        unpacked = unpacker.decompress(body, max_size + 1)
    except zlib.error as error:
        raise EOFError(f"damaged {named} data: {error}") from error
    if len(unpacked) > max_size:
        return None
    if not unpacker.eof:
        raise EOFError(f"the {named} data end too early")
    return unpacked
