"""Marks in an answer of a language model: its set-up, its steps, its slips and its results.

A reading (`draw_dataset.answers`) has the places of everything that was found. Here these become consecutive stretches
without overlap: statements by their kind, the results inside and between them, and the text around. Many numbers of an
answer may be its result; inside a statement only the last one is marked, since it is the outcome.

A long answer is shortened around its marks. The important marks come first (slips, set-up, results, then the rest),
each with some text around it, until the space is used up. A note says how much is left out.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from draw_dataset.answers.reading import ReadFinal, Reading
from draw_dataset.report.plain import clipped, number_text, printable

KINDS = {
    "set-up": "an equation that the answer rests on",
    "definition": "what a name stands for",
    "step": "follows from the set-up, or is arithmetic that is right",
    "value": "the value of an unknown, as the set-up gives it",
    "slip": "does not follow from the set-up",
    "dropped": "of an attempt that was given up",
    "result": "a number that it gives as its result",
}
"""The kinds of marks, and what each means."""

MAX_SHOWN = 4_000
"""How many characters of an answer are shown on a page, without the notes about the rest."""

_AROUND = 60
_BEGINNING = 200
_LONGEST = 400
_MOST_SLIPS = 5
_MOST_RESULTS = 12
_MOST_ENDS = 4
_ORDER = ("slip", "set-up", "result", "definition", "value", "step", "dropped")

_OPENED = re.compile(r"\\[A-Za-z]{1,12}\s*\{[^{}\n]{0,80}$")
_CLOSED = re.compile(r"[^{}\n]{0,80}\}")


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a stretch, and whether it is a result."""

    text: str
    result: bool = False


@dataclass(frozen=True, slots=True)
class Stretch:
    """A stretch of an answer.

    Attributes:
        parts: its text; line ends are kept, everything else is fit to be shown.
        kind: one of `KINDS`; empty for the text around, and ``cut`` for a note on what is left out.
    """

    parts: tuple[Part, ...]
    kind: str = ""

    @property
    def text(self) -> str:
        """The text of all parts."""
        return "".join(part.text for part in self.parts)


@dataclass(frozen=True, slots=True)
class _Span:
    start: int
    end: int
    kind: str
    results: tuple[tuple[int, int], ...] = ()


def stretches(answer: str, reading: Reading, limit: int | None = None) -> list[Stretch]:
    """Return an answer as stretches, from its beginning to its end.

    Args:
        answer: the answer.
        reading: what was read of it.
        limit: the characters that are shown, at most, but for notes on what is left out; None for all.
    """
    spans = _spans(answer, reading)
    windows = [(0, len(answer))]
    if limit is not None and len(answer) > limit:
        spans, windows = _chosen(spans, len(answer), limit)
    found: list[Stretch] = []
    at, left = 0, iter(spans)
    span = next(left, None)
    for start, end in windows:
        if start > at:
            found.append(_cut(start - at))
        at = start
        while span is not None and span.end <= end:
            found += [_around(answer[at : span.start]), _marked(answer, span, limit is not None)]
            at = span.end
            span = next(left, None)
        found.append(_around(answer[at:end]))
        at = end
    if at < len(answer):
        found.append(_cut(len(answer) - at))
    return [stretch for stretch in found if stretch.text]


def came_to(reading: Reading) -> list[tuple[str, str]]:
    """Return the result of an answer, as pairs of a label and a text."""
    lines = []
    if reading.setup or not reading.chain:
        lines.append(("set-up", "; ".join(reading.setup) or "none"))
    else:
        lines.append(("calculates", "; ".join(reading.chain[-_MOST_ENDS:])))
    letters = {name: value for name, value in sorted(reading.quantities.items()) if " " not in name}
    if letters:
        lines.append(("comes to", ", ".join(f"{name} = {_value(value)}" for name, value in letters.items())))
    for slip in reading.slips[:_MOST_SLIPS]:
        expected = f"; expected {_value(slip.expected)}" if slip.expected is not None else ""
        lines.append(("slip", clipped(" ".join(slip.text.split()), _LONGEST // 2) + expected))
    if len(reading.slips) > _MOST_SLIPS:
        lines.append(("slip", f"and {len(reading.slips) - _MOST_SLIPS} more"))
    results = list(dict.fromkeys(final.text for final in _results(reading)))
    more = ", …" if len(results) > _MOST_RESULTS else ""
    lines.append(("results", (", ".join(results[-_MOST_RESULTS:]) + more) or "none"))
    if reading.gave_up:
        lines.append(("result", "says that there is no solution"))
    lines += [("doubt", doubt) for doubt in reading.doubts]
    return [(label, printable(clipped(text, _LONGEST))) for label, text in lines]


def derivation_read(reading: Reading) -> str:
    """Return what was read as a derivation in q-notation: the set-up, or the last results of the calculations.

    >>> from draw_dataset.answers.reading import read_answer
    >>> derivation_read(read_answer("20 - 5 = 15, 15 * 3 = 45", "20 hens , 5 sold , 3 eggs each ."))
    'result = (q1 - q2)*q3'
    """
    if reading.setup:
        return "; ".join(reading.setup)
    ends = reading.chain[-_MOST_ENDS:]
    names = ["result"] if len(ends) == 1 else [f"result{i}" for i in range(1, len(ends) + 1)]
    return "; ".join(f"{name} = {end}" for name, end in zip(names, ends, strict=True))


def _value(value: Fraction) -> str:
    return str(value) if value.denominator < 10_000 and abs(value) < 10**12 else number_text(value)


def _spans(answer: str, reading: Reading) -> list[_Span]:
    """Return what is marked, in order and without overlap."""
    statements = sorted((s.start, s.end, s.kind) for s in reading.statements if s.kind in KINDS and s.end > s.start)
    finals = sorted((final.start, final.end) for final in _results(reading) if final.end > final.start)
    found: list[_Span] = []
    at = 0
    for start, end, kind in statements:
        start, end = _whole(answer, start, end, at)
        if start < at:
            continue
        # A blank at the edge belongs to the text around.
        text = answer[start:end]
        start, end = start + len(text) - len(text.lstrip()), end - len(text) + len(text.rstrip())
        last = bisect_left(finals, (end, 0)) - 1
        inside = kind != "set-up" and last >= 0 and start <= finals[last][0] and finals[last][1] <= end
        found.append(_Span(start, end, kind, (finals[last],) if inside else ()))
        at = max(at, end)
    starts = [span.start for span in found]
    between, at = [], 0
    for start, end in finals:
        # Only the last statement that begins before the end of a number can contain it.
        before = bisect_left(starts, end) - 1
        if start >= at and (before < 0 or found[before].end <= start):
            between.append(_Span(start, end, "result", ((start, end),)))
            at = end
    return sorted([*found, *between], key=lambda span: span.start)


def _results(reading: Reading) -> list[ReadFinal]:
    """Return the numbers that are shown as results: marked ones, where the answer marks any."""
    marked = [final for final in reading.finals if final.marked]
    if marked:
        return marked
    steps = sorted((s.start, s.end) for s in reading.statements if s.kind in ("step", "slip", "value", "set-up"))
    shown: list[ReadFinal] = []
    place = 0
    for final in sorted(reading.finals, key=lambda f: f.start):
        while place < len(steps) and steps[place][1] <= final.start:
            place += 1
        # Of several numbers in one statement the last one is the outcome.
        in_step = place < len(steps) and steps[place][0] <= final.start
        if in_step and shown and shown[-1].start >= steps[place][0]:
            shown.pop()
        shown.append(final)
    return shown


def _whole(answer: str, start: int, end: int, least: int) -> tuple[int, int]:
    r"""Widen a stretch that begins or ends inside a command such as ``\frac{3}{4}``."""
    text = answer[start:end]
    if text.count("}") > text.count("{"):
        opened = _OPENED.search(answer, max(least, start - 100), start)
        start = opened.start() if opened else start
    elif text.count("{") > text.count("}"):
        closed = _CLOSED.match(answer, end)
        end = closed.end() if closed else end
    return start, end


def _chosen(spans: Sequence[_Span], length: int, limit: int) -> tuple[list[_Span], list[tuple[int, int]]]:
    """Return the marks that there is room for, and the windows of the answer that show them."""
    room = limit - _BEGINNING
    kept = []
    for span in sorted(spans, key=lambda s: _ORDER.index(s.kind)):
        room -= min(span.end - span.start, _LONGEST) + 2 * _AROUND
        if room < 0:
            break
        kept.append(span)
    kept.sort(key=lambda s: s.start)
    windows = [(0, min(_BEGINNING, length))]
    for span in kept:
        start, end = max(0, span.start - _AROUND), min(length, span.end + _AROUND)
        if start <= windows[-1][1] + _AROUND:
            windows[-1] = (windows[-1][0], max(end, windows[-1][1]))
        else:
            windows.append((start, end))
    return kept, windows


def _marked(answer: str, span: _Span, short: bool) -> Stretch:
    parts, at = [], span.start
    for start, end in span.results:
        parts += [Part(_lines(answer[at:start])), Part(_lines(answer[start:end]), True)]
        at = end
    parts.append(Part(_lines(answer[at : span.end])))
    if short and span.end - span.start > _LONGEST:
        text = _lines(answer[span.start : span.end])
        parts = [Part(f"{text[: _LONGEST - 100]} … {text[-80:]}")]
    return Stretch(tuple(part for part in parts if part.text), span.kind)


def _around(text: str) -> Stretch:
    return Stretch((Part(re.sub(r"\n\s*\n\s*\n", "\n\n", _lines(text))),) if text else ())


def _cut(length: int) -> Stretch:
    return Stretch((Part(f"… {length:,} characters left out …"),), "cut")


def _lines(text: str) -> str:
    """Return a text that is fit to be shown, with its line ends."""
    return "\n".join(map(printable, text.split("\n")))
