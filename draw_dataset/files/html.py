"""Escaping of text for HTML and SVG, between tags and inside quoted attributes."""

from __future__ import annotations

from html import escape as _escape

# HTML and XML do not allow these even as a reference: control characters, lone surrogates, two non-characters.
_NOT_ADMITTED = {
    **dict.fromkeys([*range(9), 11, 12, *range(14, 32), 127], "\N{REPLACEMENT CHARACTER}"),
    **dict.fromkeys(range(0xD800, 0xE000), "\N{REPLACEMENT CHARACTER}"),
    0xFFFE: "\N{REPLACEMENT CHARACTER}",
    0xFFFF: "\N{REPLACEMENT CHARACTER}",
}


def escape(text: str) -> str:
    """Return a text so that a page shows it as it is, whatever characters it has.

    >>> escape('<a href="x">') == '&lt;a href=&quot;x&quot;&gt;'
    True
    >>> escape("a lone surrogate: " + chr(0xD800)).isprintable()
    True
    """
    return _escape(text.translate(_NOT_ADMITTED))
