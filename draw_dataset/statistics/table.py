"""The statistics as a table for a terminal, as Markdown for the dataset card, and as plain data."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

from draw_dataset.statistics.figures import DISTRIBUTIONS, FIGURES, TITLES, Figure
from draw_dataset.statistics.measures import Statistics

Columns = Mapping[str, Statistics]
"""The figures of several sets of problems, by name."""

_WIDTH = 100


def as_text(columns: Columns) -> str:
    """Return a table for a terminal: figures with the paper's next to them, definitions, distributions, findings."""
    rows = _rows(columns)
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = ["  ".join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])]).rstrip() for row in rows]
    lines[1:1] = ["-" * len(lines[0])]
    lines += ["", "What is counted:"]
    for figure in FIGURES:
        lines += _wrapped(f"{figure.title}: {figure.definition}")
    for _, title, values in DISTRIBUTIONS:
        lines += ["", f"Problems by {title}:"]
        lines += _named({name: _spread(values(s)) for name, s in columns.items()})
    lines += ["", "Problems of the most frequent template classes, and classes that occur once:"]
    lines += _named({name: _frequency(s.template_frequency) for name, s in columns.items()})
    lines += ["", "Problems by code of a known defect:"]
    lines += _named({name: _spread(s.findings) for name, s in columns.items()})
    return "\n".join(lines)


def as_markdown(columns: Columns) -> str:
    """Return the figures as a Markdown table with their definitions."""
    rows = _rows(columns)
    lines = [_pipes(rows[0]), _pipes(["---", *["---:"] * (len(rows[0]) - 1)]), *map(_pipes, rows[1:]), ""]
    lines += [f"- **{figure.title}**: {figure.definition}." for figure in FIGURES]
    return "\n".join(lines)


def as_data(columns: Columns) -> dict[str, Any]:
    """Return everything as plain data, for JSON."""
    return {
        "datasets": {
            name: {
                **{figure.name: figure.value(s) for figure in FIGURES},
                **{key: {str(k): n for k, n in values(s).items()} for key, _, values in DISTRIBUTIONS},
                "template_frequency": list(s.template_frequency),
                "findings": dict(s.findings),
                "paper": {figure.name: figure.paper[name] for figure in FIGURES if name in figure.paper},
            }
            for name, s in columns.items()
        },
        "definitions": {figure.name: figure.definition for figure in FIGURES},
    }


def _rows(columns: Columns) -> list[list[str]]:
    """Return the cells of the table; a dataset of the paper has two columns, the paper's and ours."""
    head = [""]
    for name in columns:
        head += [f"{_title(name)}: paper", "here"] if name in FIGURES[0].paper else [_title(name)]
    return [head, *([figure.title, *_cells(figure, columns)] for figure in FIGURES)]


def _cells(figure: Figure, columns: Columns) -> list[str]:
    cells = []
    for name, statistics in columns.items():
        if name in FIGURES[0].paper:
            cells.append(figure.paper.get(name, "–"))
        cells.append(figure.show(statistics))
    return cells


def _title(name: str) -> str:
    return TITLES.get(name, name)


def _spread(values: Mapping[Any, int]) -> str:
    return "  ".join(f"{key}: {count}" for key, count in values.items()) or "none"


def _frequency(frequency: Sequence[int]) -> str:
    first = " ".join(map(str, frequency[:8]))
    return f"{first}{' …' if len(frequency) > 8 else ''}  (once: {sum(n == 1 for n in frequency)})" if first else "none"


def _named(texts: Mapping[str, str]) -> list[str]:
    width = max((len(_title(name)) for name in texts), default=0)
    return [f"  {_title(name).ljust(width)}  {text}" for name, text in texts.items()]


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(text, _WIDTH, initial_indent="  ", subsequent_indent="    ")


def _pipes(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
