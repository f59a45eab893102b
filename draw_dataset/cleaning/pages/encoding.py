"""The question: which text do these bytes hold, whatever the page says about them.

Bytes that are valid UTF-8 and not pure ASCII are UTF-8, since other encodings are hardly ever valid by accident. Others
are read as declared if that is a known encoding other than UTF-8 and Latin-1, and as Windows-1252 otherwise, which is
what pages declared as either really hold. A page in UTF-8 with a few stray bytes (a tutor's paste) keeps its UTF-8 and
has those bytes read as Windows-1252. Text that was decoded wrongly before it was stored (``â€™`` for an apostrophe) is
repaired by ftfy, which is only called where such a trace is seen.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

from draw_dataset.errors import ExtraMissing

_META = re.compile(rb"""<meta[^>]{0,200}?charset\s*=\s*["']?\s*([\w.:-]{2,40})""", re.IGNORECASE)
_TRACE = re.compile("[ÂÃâ][\u0080-\u00bf€‚ƒ„…†‡ˆ‰Š‹Œ‘’“”•–—˜™š›œžŸ¡-¿]")
_AS_WINDOWS = frozenset(("iso8859-1", "cp1252", "ascii"))


@dataclass(frozen=True, slots=True)
class Decoded:
    """A decoded page.

    Attributes:
        text: the text.
        repair: what was not as declared; empty if all was.
    """

    text: str
    repair: str = ""


def decode_body(body: bytes, declared: str | None = None) -> Decoded:
    """Return the text of a page.

    Args:
        body: its bytes.
        declared: the character set of its header, if any; a ``meta`` element is looked for otherwise.

    >>> decode_body("it’s 5 £".encode("cp1252"), "utf-8")
    Decoded(text='it’s 5 £', repair='windows-1252 declared as utf-8')
    >>> decode_body("½ kg".encode(), None).text
    '½ kg'
    """
    if body.isascii():
        return _mended(body.decode("ascii"), "")
    if body.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return _mended(body.decode("utf-16", errors="replace"), "utf-16")
    name = declared or _meta(body)
    try:
        codec = codecs.lookup(name).name if name else ""
    except LookupError:
        codec = ""
    try:
        text = body.decode("utf-8-sig")
    except UnicodeDecodeError:
        return _not_utf8(body, name or "nothing", codec)
    return _mended(text, "" if codec in ("", "utf-8", "utf-8-sig") else f"utf-8 declared as {name}")


def _meta(body: bytes) -> str | None:
    found = _META.search(body[:4096])
    return found.group(1).decode("ascii", errors="replace") if found else None


def _not_utf8(body: bytes, name: str, codec: str) -> Decoded:
    if codec and codec not in _AS_WINDOWS and not codec.startswith("utf"):
        return _mended(body.decode(codec, errors="replace"), "")
    text = body.decode("utf-8", errors=_HANDLER)
    stray = sum(byte >= 0x80 for byte in body)
    kept = len(re.findall("[^\x00-\x7f]", text))
    # Each stray byte becomes one character; sequences of UTF-8 become fewer.
    if kept < stray:
        return _mended(text, f"windows-1252 and utf-8 mixed, declared as {name}")
    return _mended(text, "" if codec in _AS_WINDOWS else f"windows-1252 declared as {name}")


def _stray_bytes(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeDecodeError):
        raise error
    # Bytes that Windows-1252 leaves undefined become the controls of Latin-1.
    byte = error.object[error.start : error.start + 1]
    try:
        return byte.decode("cp1252"), error.start + 1
    except UnicodeDecodeError:
        return byte.decode("latin-1"), error.start + 1


_HANDLER = "draw_dataset.cleaning.stray_bytes"
codecs.register_error(_HANDLER, _stray_bytes)


def _mended(text: str, repair: str) -> Decoded:
    if text.isascii() or not _TRACE.search(text):
        return Decoded(text, repair)
    try:
        import ftfy
    except ImportError as error:
        raise ExtraMissing("repairing wrongly decoded text needs ftfy: pip install 'draw-dataset[crawl]'") from error
    mended = ftfy.fix_encoding(text)
    if mended == text:
        return Decoded(text, repair)
    return Decoded(mended, f"{repair}; decoded twice" if repair else "decoded twice")
