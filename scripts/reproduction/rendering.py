"""The question: how does a table look in a terminal and in Markdown."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, field

WIDTH = 110


@dataclass(frozen=True, slots=True)
class Table:
    """A table of texts.

    Attributes:
        title: what stands above it.
        head: the names of the columns.
        rows: the cells, as many in each row as there are columns; a row with one cell is a heading.
        notes: what stands below it, a sentence each.
    """

    title: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    notes: Sequence[str] = field(default=())

    def to_text(self) -> str:
        """Return the table for a terminal."""
        full = [self.head, *(row for row in self.rows if len(row) > 1)]
        widths = [max(len(row[i]) for row in full) for i in range(len(self.head))]
        rule = "-" * (sum(widths) + 2 * (len(widths) - 1))
        lines = [self.title, "", _aligned(self.head, widths), rule]
        lines += [_aligned(row, widths) if len(row) > 1 else f"[{row[0]}]" for row in self.rows]
        for note in self.notes:
            lines += textwrap.wrap(note, WIDTH, initial_indent="  ", subsequent_indent="  ")
        return "\n".join(lines)

    def to_markdown(self, level: int = 3) -> str:
        """Return the table in Markdown, under a heading of a level; no heading with level 0."""
        lines = [f"{'#' * level} {self.title}", ""] if level else []
        lines += [_pipes(self.head), _pipes(["---", *["---:"] * (len(self.head) - 1)])]
        for row in self.rows:
            heading = [f"**{row[0]}**", *[""] * (len(self.head) - 1)]
            lines.append(_pipes(row if len(row) > 1 else heading))
        for note in self.notes:
            lines += ["", *textwrap.wrap(note, WIDTH, break_long_words=False, break_on_hyphens=False)]
        return "\n".join(lines)


def _aligned(cells: Sequence[str], widths: Sequence[int]) -> str:
    return "  ".join([cells[0].ljust(widths[0]), *map(str.rjust, cells[1:], widths[1:])]).rstrip()


def _pipes(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"
