"""Markup: text escaped for HTML and SVG, and tables for a terminal or as Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape as _escape

# HTML and XML do not allow these even as a reference: control characters, lone surrogates, two non-characters.
_NOT_ADMITTED = dict.fromkeys(
    [*range(9), 11, 12, *range(14, 32), 127, *range(0xD800, 0xE000), 0xFFFE, 0xFFFF], "\N{REPLACEMENT CHARACTER}"
)


def escape(text: str) -> str:
    """Return a text escaped for use between tags and inside quoted attributes, whatever characters it has.

    >>> escape('<a href="x">') == '&lt;a href=&quot;x&quot;&gt;'
    True
    >>> escape("a lone surrogate: " + chr(0xD800)).isprintable()
    True
    """
    return _escape(text.translate(_NOT_ADMITTED))


Row = tuple[str, Sequence[str]]
"""The label of a row and its cells. A row without cells is a title; an indented label belongs to the row above."""


@dataclass(frozen=True, slots=True)
class Table:
    """Columns of cells with a label before each row.

    >>> table = Table(["ours", "theirs"], [("accuracy", ["80.0", "7.5"]), ("by size", []), ("  small", ["", "1"])])
    >>> print(*table.to_text(), sep=chr(10))
                ours  theirs
    accuracy    80.0     7.5
    by size
      small                1
    """

    columns: Sequence[str]
    rows: Sequence[Row]

    def to_text(self, *, most: int | None = None, own_widths: bool = False) -> list[str]:
        """Return the lines for a terminal; columns beyond a width of `most` follow below, after an empty line."""
        indent = max((len(label) for label, cells in self.rows if cells), default=0)
        widths = [
            2 + max(map(len, [name, *(cells[at] for _, cells in self.rows if cells)]))
            for at, name in enumerate(self.columns)
        ]
        if not own_widths:
            widths = [max(widths)] * len(widths)
        step = len(widths) if most is None else max(1, (most - indent) // max(widths))
        lines: list[str] = []
        for start in range(0, len(widths), step):
            shown = range(start, min(start + step, len(widths)))
            lines += [""] * bool(start)
            lines.append(" " * indent + "".join(self.columns[at].rjust(widths[at]) for at in shown))
            for label, cells in self.rows:
                if not cells:
                    lines.append(label)
                elif any(cells[at] for at in shown):
                    lines.append(label.ljust(indent) + "".join(cells[at].rjust(widths[at]) for at in shown))
        return [line.rstrip() for line in lines]

    def to_markdown(self, *, spaced: bool = False) -> list[str]:
        """Return the lines of a Markdown table; the rule below its head may have spaces."""
        head = " | ".join(name.replace("|", "\\|") for name in self.columns)
        rows = [(label.strip(), *map(str.strip, cells or [""] * len(self.columns))) for label, cells in self.rows]
        rule = " ---: |" if spaced else "---:|"
        first = [f"|  | {head} |", "| --- |"] if spaced else [f"| | {head} |", "|---|"]
        return [first[0], first[1] + rule * len(self.columns), *(f"| {' | '.join(row)} |" for row in rows)]
