"""An answer of a language model as HTML: its text with marks, a legend of the marks, and its result.

Marks differ by line as well as by colour: solid, double, dotted, dashed, wavy, struck through, or a box. Set-up and
slip also have a label, and a screen reader reads what each is. The style is `answer_css`, once per page.
"""

from __future__ import annotations

import re
from functools import lru_cache
from importlib.resources import files

from draw_dataset.answers.reading import Reading
from draw_dataset.files import escape
from draw_dataset.report.marks import KINDS, MAX_SHOWN, Stretch, came_to, stretches
from draw_dataset.report.plain import printable
from draw_dataset.scoring.verdict import Verdict

_BLANK = re.compile(r"[^\S\n]*\n(?:[^\S\n]*\n)+")

_TAGGED = ("set-up", "slip")
"""Marks with a visible label."""


@lru_cache(maxsize=1)
def answer_css() -> str:
    """Return the style of marked answers."""
    return files("draw_dataset.report").joinpath("answer.css").read_text(encoding="utf-8")


def answer_html(answer: str, reading: Reading | None, limit: int | None = MAX_SHOWN) -> str:
    """Return an answer with its marks, as HTML, and below it what it comes to.

    Args:
        answer: the answer.
        reading: what was read of it; None if nothing was.
        limit: the characters that are shown, at most; None for all.
    """
    if reading is None:
        text = printable(answer[:MAX_SHOWN]).strip()
        return f'<div class="dd-answer dd-text">{escape(text) or "<i>an empty answer</i>"}</div>'
    lines = "".join(f"<dt>{escape(label)}</dt><dd>{escape(text)}</dd>" for label, text in came_to(reading))
    marked = "".join(map(_stretch, stretches(answer, reading, limit)))
    return f'<div class="dd-answer dd-text">{marked}</div><dl class="dd-answer dd-read">{lines}</dl>'


def legend_html() -> str:
    """Return what the marks mean."""
    items = "".join(f"<li>{_example(kind)} <small>{escape(meaning)}</small></li>" for kind, meaning in KINDS.items())
    return f'<ul class="dd-answer dd-legend" aria-label="Marks">{items}</ul>'


def graded(verdict: Verdict) -> str:
    """Return what a verdict on an answer says of derivation and solution, in a few words."""
    sure = "" if not verdict.derivation else " in every reading" if verdict.certain else " in some reading"
    return (
        f"derivation {'right' if verdict.derivation else 'wrong'}{sure}, "
        f"solution {'right' if verdict.solution else 'wrong'}"
    )


def _example(kind: str) -> str:
    if kind == "result":
        return '<b class="dd-out">result</b>'
    return f'<span class="dd-mark dd-{kind}">{kind}</span>'


def _stretch(stretch: Stretch) -> str:
    inside = "".join(
        f'<b class="dd-out">{_spoken("result")}{escape(part.text)}</b>' if part.result else escape(part.text)
        for part in stretch.parts
    )
    if not stretch.kind:
        # Blank lines become gaps: what decides should be seen without scrolling.
        return _BLANK.sub('<span class="dd-gap"></span>', inside)
    if stretch.kind == "cut":
        return f'<span class="dd-cut">{inside}</span>'
    if stretch.kind == "result":
        return inside
    tag = f'<span class="dd-tag">{stretch.kind}</span>' if stretch.kind in _TAGGED else _spoken(stretch.kind)
    return f'<mark class="dd-mark dd-{stretch.kind}">{tag}{inside}</mark>'


def _spoken(kind: str) -> str:
    return f'<span class="dd-spoken">{kind}: </span>'
