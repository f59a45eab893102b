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

    def to_html(self, *, title: str = "", notes: Sequence[str] = ()) -> str:
        """Return a self-contained table for a notebook, with escaped text; it has the colours of its surroundings."""
        head = "".join(f"<th>{escape(name)}</th>" for name in self.columns)
        lines = [f"<tr><th></th>{head}</tr>"] if head else []
        for label, cells in self.rows:
            name = "\N{NO-BREAK SPACE}" * (len(label) - len(label.lstrip())) + escape(label.strip())
            more = "".join(f"<td>{escape(cell)}</td>" for cell in cells)
            lines.append(f'<tr><th scope="row">{name}</th>{more}</tr>')
        caption = f"<caption>{escape(title)}</caption>" if title else ""
        below = "".join(f"<p>{escape(note)}</p>" for note in notes)
        figures = " draw-figures" if head else ""
        table = f"<table>{caption}{''.join(lines)}</table>"
        return f'<div class="draw-table{figures}"><style>{_TABLE_STYLE}</style>{table}{below}</div>'


# Twice the class, because notebooks have styles of their own for tables.
_TABLE_STYLE = (
    ".draw-table.draw-table :is(table,th,td,caption){color:inherit;background:none;text-align:left;font-weight:normal}"
    ".draw-table.draw-table table{border-collapse:collapse;margin:0}"
    ".draw-table.draw-table :is(th,td){padding:2px 12px 2px 0;border:0;border-bottom:1px solid rgba(128,128,128,.35)}"
    ".draw-table.draw-table th[scope]{opacity:.75}"
    ".draw-table.draw-table caption{font-weight:bold;padding:2px 0;white-space:nowrap}"
    ".draw-table.draw-figures :is(td,th:not([scope])){text-align:right;font-variant-numeric:tabular-nums}"
    ".draw-table.draw-table p{margin:4px 0;font-size:smaller;opacity:.75}"
)


def one_line(text: str, most: int = 110) -> str:
    """Return a text on one line, shortened to `most` characters; for the `repr` of something large.

    >>> one_line("abcdef", 4)
    'abc…'
    """
    joined = " ".join(text.split("\n"))
    return joined if len(joined) <= most else joined[: most - 1] + "…"
