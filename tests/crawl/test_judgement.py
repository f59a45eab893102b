"""What an answer is worth, by status, length, compression and content."""

from __future__ import annotations

import gzip
import zlib

import pytest

from draw_dataset.collect.ledger import State
from draw_dataset.collect.politeness import Answer, judge

PAGE = b"<html><body>What is x?</body></html>"
RAW = zlib.compressobj(wbits=-15)
CASES = {
    "a page": (200, {}, PAGE, True, State.STORED, False),
    "a page with another success": (203, {}, PAGE, True, State.STORED, False),
    "nothing": (200, {}, b"", True, State.EMPTY, True),
    "blanks": (200, {}, b" \r\n\t", True, State.EMPTY, True),
    "no content": (204, {}, b"", True, State.EMPTY, True),
    "shorter than it says": (200, {"content-length": "900"}, PAGE, True, State.TRUNCATED, True),
    "a length that is no number": (200, {"content-length": "many"}, PAGE, True, State.STORED, False),
    "no length and an end": (200, {}, PAGE + b"\n<!-- served by 7 -->", False, State.STORED, False),
    "no length and an end in capitals": (200, {}, PAGE.upper(), False, State.STORED, False),
    "no length and no end": (200, {}, PAGE[:-8], False, State.TRUNCATED, True),
    "a length and no end tag": (200, {}, PAGE[:-7], True, State.STORED, False),
    "gzip": (200, {"content-encoding": "gzip"}, gzip.compress(PAGE), True, State.STORED, False),
    "gzip with capitals": (200, {"content-encoding": "GZip"}, gzip.compress(PAGE), True, State.STORED, False),
    "gzip in name only": (200, {"content-encoding": "gzip"}, PAGE, True, State.STORED, False),
    "half of gzip": (200, {"content-encoding": "gzip"}, gzip.compress(PAGE)[:-9], True, State.TRUNCATED, True),
    "damaged gzip": (200, {"content-encoding": "gzip"}, gzip.compress(PAGE)[:10] + b"no", True, State.TRUNCATED, True),
    "a bomb": (200, {"content-encoding": "gzip"}, gzip.compress(b"x" * 10**7), True, State.TOO_LARGE, False),
    "deflate": (200, {"content-encoding": "deflate"}, zlib.compress(PAGE), True, State.STORED, False),
    "raw deflate": (200, {"content-encoding": "deflate"}, RAW.compress(PAGE) + RAW.flush(), True, State.STORED, False),
    "too large": (200, {}, b"x" * 5000, True, State.TOO_LARGE, False),
    "a picture": (200, {"content-type": "image/png"}, PAGE, True, State.NOT_HTML, False),
    "not found": (404, {}, PAGE, True, State.NOT_FOUND, False),
    "gone": (410, {}, PAGE, True, State.GONE, False),
    "forbidden": (403, {}, PAGE, True, State.FORBIDDEN, False),
    "unauthorised": (401, {}, PAGE, True, State.FORBIDDEN, False),
    "a teapot": (418, {}, PAGE, True, State.REFUSED, False),
    "a redirect to nowhere": (302, {}, PAGE, True, State.REFUSED, False),
    "timed out": (408, {}, b"", True, State.TIMEOUT, True),
    "too many requests": (429, {}, b"", True, State.RATE_LIMITED, True),
    "a server error": (500, {}, b"", True, State.SERVER_ERROR, True),
    "a gateway error": (599, {}, b"", True, State.SERVER_ERROR, True),
}


@pytest.mark.parametrize("name", CASES)
def test_an_answer_is_judged(name: str) -> None:
    status, headers, body, known, state, passing = CASES[name]
    judgement = judge(Answer("http://a.example/", status, headers, body, known), max_size=4000)
    assert judgement.ending.state is state
    assert judgement.passing is passing
    assert judgement.ending.status == status
    if state is State.STORED:
        assert judgement.ending.body.lower().startswith(PAGE[:20].lower())
    else:
        assert judgement.ending.body == b""
        assert judgement.ending.detail


@pytest.mark.parametrize(
    ("declared", "expected"),
    [
        ("text/html", ("text/html", None)),
        ("text/html; charset=Windows-1252", ("text/html", "windows-1252")),
        ('text/html; charset="utf-8"', ("text/html", "utf-8")),
        ("text/html;charset=", ("text/html", None)),
        ("TEXT/HTML", ("text/html", None)),
    ],
)
def test_what_is_declared_is_kept(declared: str, expected: tuple[str, str | None]) -> None:
    ending = judge(Answer("http://a.example/", 200, {"content-type": declared}, b"\x93x\x94")).ending
    assert (ending.content_type, ending.charset) == expected
    assert ending.body == b"\x93x\x94"
