"""Replaces typographic characters by the plain ones that stand behind them.

Crawled pages and language models write curly quotes, full-width digits, minus signs and non-breaking
hyphens. The rules of this package are written for plain characters, so a text is read through a table that
puts exactly one plain character in the place of each of these. The length never changes, so an offset into
the folded text is an offset into the text itself. Every text enters here, so here its length is bounded.
"""

from __future__ import annotations

from draw_dataset.errors import LimitError

MAX_CHARACTERS = 100_000
"""A longer text is refused: word problems have a few hundred characters, forum threads a few thousand."""

_PLAIN = {
    "'": "‘’‚‛ʼ′´`",
    '"': "“”„‟″«»",
    "-": "−‐‑‒–﹣",
    "/": "⁄∕",
}

# U+FF01..U+FF5E are the full-width forms of the printable ASCII characters, in the same order.
_FULL_WIDTH = {wide: wide - 0xFF01 + 0x21 for wide in range(0xFF01, 0xFF5F)}

_TABLE: dict[int, int] = _FULL_WIDTH | {
    ord(written): ord(plain) for plain, variants in _PLAIN.items() for written in variants
}


def fold(text: str) -> str:
    r"""Return the text in plain characters, each at the offset of the one it replaces.

    Raises:
        LimitError: the text has more than `MAX_CHARACTERS` characters.

    >>> fold("‘５’ − “½”")
    '\'5\' - "½"'
    """
    if len(text) > MAX_CHARACTERS:
        raise LimitError(f"a text must have at most {MAX_CHARACTERS} characters, but got {len(text)}")
    return text if text.isascii() else text.translate(_TABLE)
