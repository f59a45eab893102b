"""Content of a figure of a derivation, independent of how it is drawn, and marks in a model answer.

With a prediction, both derivations share one text, and the first difference is marked. All text from data passes
through `printable` here, so the code that draws only has to escape the markup of its own format.
"""

from __future__ import annotations

import json
import re
import unicodedata
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Literal

from draw_dataset.algebra.grammar import write
from draw_dataset.algebra.number import short_number
from draw_dataset.derivation.derivation import Derivation, NumberClasses, Place, TextNumber
from draw_dataset.derivation.problem import Role
from draw_dataset.derivation.template import Template
from draw_dataset.errors import LimitError, short_repr
from draw_dataset.io.markup import escape
from draw_dataset.reading.answer import ReadFinal, Reading
from draw_dataset.scoring.derivations import WrongSlot, wrong_slots
from draw_dataset.scoring.gold import PreparedProblem
from draw_dataset.scoring.grading import grade_derivation
from draw_dataset.scoring.prediction import Prediction, Refused, answer_of, read_prediction
from draw_dataset.scoring.verdict import Reason, StepVerdict, Verdict

MAX_RAW = 300  # how many characters of a raw prediction are shown


def raw_text(given: Any, limit: int = MAX_RAW) -> str:
    """Return a prediction as it was given, on one line; the beginning of one that cannot be written."""
    if given is None:
        return ""
    try:
        text = given if isinstance(given, str) else json.dumps(given, ensure_ascii=False, default=short_repr)
    except (ValueError, TypeError, RecursionError):  # too deep, a circle, an integer too long, keys that are no texts
        text = short_repr(given)
    return printable(clip(" ".join(clip(text, 4 * limit).split()), limit))


def clip(text: str, limit: int) -> str:
    """Return the text, or its beginning with an ellipsis."""
    return text if len(text) <= limit else text[: max(limit - 1, 0)] + "…"


def printable(text: str) -> str:
    r"""Return the text without what a terminal would obey, XML forbids or UTF-8 lacks.

    >>> printable("a\x1b[31mb\tc")
    'a�[31mb c'
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(_printable_character(character) for character in text)


def safe_html(text: str) -> str:
    """Return text from data, escaped for HTML."""
    return escape(printable(text))


def _printable_character(character: str) -> str:
    if character.isspace():
        return " "
    # Controls, format characters such as those that turn the direction of writing, surrogates, unassigned ones.
    return "\ufffd" if unicodedata.category(character)[0] == "C" else character


# The places in a reading become consecutive stretches without overlap: statements by their kind, the results inside and
# between them, and the text around. A long answer is shortened around its marks, the important ones first.

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

MAX_SHOWN = 4_000  # how many characters of an answer are shown on a page, without the notes about the rest

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
    """A stretch of an answer."""

    parts: tuple[Part, ...]  # its text; line ends are kept, everything else is fit to be shown
    kind: str = ""  # one of `KINDS`; empty for the text around, and ``cut`` for a note on what is left out

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
    """Return an answer as stretches, from its beginning to its end."""
    spans = _spans(answer, reading)
    windows = [(0, len(answer))]
    if limit is not None and len(answer) > limit:
        spans, windows = _select_spans(spans, len(answer), limit)
    found: list[Stretch] = []
    at, left = 0, iter(spans)
    span = next(left, None)
    for start, end in windows:
        if start > at:
            found.append(_cut_note(start - at))
        at = start
        while span is not None and span.end <= end:
            found += [_around(answer[at : span.start]), _mark_results(answer, span, limit is not None)]
            at = span.end
            span = next(left, None)
        found.append(_around(answer[at:end]))
        at = end
    if at < len(answer):
        found.append(_cut_note(len(answer) - at))
    return [stretch for stretch in found if stretch.text]


def summarize_reading(reading: Reading) -> list[tuple[str, str]]:
    """Return the result of an answer, as pairs of a label and a text."""
    lines = []
    if reading.setup or not reading.chain:
        lines.append(("set-up", "; ".join(reading.setup) or "none"))
    else:
        lines.append(("calculates", "; ".join(reading.chain[-_MOST_ENDS:])))
    letters = {name: value for name, value in sorted(reading.quantities.items()) if " " not in name}
    if letters:
        lines.append(("comes to", ", ".join(f"{name} = {short_number(value)}" for name, value in letters.items())))
    for slip in reading.slips[:_MOST_SLIPS]:
        expected = f"; expected {short_number(slip.expected)}" if slip.expected is not None else ""
        lines.append(("slip", clip(" ".join(slip.text.split()), _LONGEST // 2) + expected))
    if len(reading.slips) > _MOST_SLIPS:
        lines.append(("slip", f"and {len(reading.slips) - _MOST_SLIPS} more"))
    results = list(dict.fromkeys(final.text for final in _results(reading)))
    more = ", …" if len(results) > _MOST_RESULTS else ""
    lines.append(("results", (", ".join(results[-_MOST_RESULTS:]) + more) or "none"))
    if reading.gave_up:
        lines.append(("result", "says that there is no solution"))
    lines += [("doubt", doubt) for doubt in reading.doubts]
    return [(label, printable(clip(text, _LONGEST))) for label, text in lines]


def summarize_step(answer: str, step: StepVerdict) -> str:
    """Return a wrong step as it stands in the answer, and why it is wrong."""
    text = clip(" ".join(answer[slice(*step.span)].split()), _LONGEST // 2)
    return printable(f"{text}: {step.because}" if text else step.because)


def setup_notation(reading: Reading) -> str:
    """Return the derivation that was read, in q-notation: the set-up, or the last results of the calculations.

    >>> from draw_dataset.reading.answer import read_answer
    >>> setup_notation(read_answer("20 - 5 = 15, 15 * 3 = 45", "20 hens , 5 sold , 3 eggs each ."))
    'result = (q1 - q2)*q3'
    """
    if reading.setup:
        return "; ".join(reading.setup)
    ends = reading.chain[-_MOST_ENDS:]
    names = ["result"] if len(ends) == 1 else [f"result{i}" for i in range(1, len(ends) + 1)]
    return "; ".join(f"{name} = {end}" for name, end in zip(names, ends, strict=True))


def _spans(answer: str, reading: Reading) -> list[_Span]:
    """Return the marks, in order and without overlap."""
    statements = sorted((s.start, s.end, s.kind) for s in reading.statements if s.kind in KINDS and s.end > s.start)
    finals = sorted((final.start, final.end) for final in _results(reading) if final.end > final.start)
    found: list[_Span] = []
    at = 0
    for start, end, kind in statements:
        start, end = _widen(answer, start, end, at)
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


def _widen(answer: str, start: int, end: int, least: int) -> tuple[int, int]:
    r"""Widen a stretch that begins or ends inside a command such as ``\frac{3}{4}``."""
    text = answer[start:end]
    if text.count("}") > text.count("{"):
        opened = _OPENED.search(answer, max(least, start - 100), start)
        start = opened.start() if opened else start
    elif text.count("{") > text.count("}"):
        closed = _CLOSED.match(answer, end)
        end = closed.end() if closed else end
    return start, end


def _select_spans(spans: Sequence[_Span], length: int, limit: int) -> tuple[list[_Span], list[tuple[int, int]]]:
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


def _mark_results(answer: str, span: _Span, short: bool) -> Stretch:
    parts, at = [], span.start
    for start, end in span.results:
        parts += [Part(printable_lines(answer[at:start])), Part(printable_lines(answer[start:end]), True)]
        at = end
    parts.append(Part(printable_lines(answer[at : span.end])))
    if short and span.end - span.start > _LONGEST:
        text = printable_lines(answer[span.start : span.end])
        parts = [Part(f"{text[: _LONGEST - 100]} … {text[-80:]}")]
    return Stretch(tuple(part for part in parts if part.text), span.kind)


def _around(text: str) -> Stretch:
    return Stretch((Part(re.sub(r"\n\s*\n\s*\n", "\n\n", printable_lines(text))),) if text else ())


def _cut_note(length: int) -> Stretch:
    return Stretch((Part(f"… {length:,} characters left out …"),), "cut")


def printable_lines(text: str) -> str:
    """Return a text that is fit to be shown, with its line ends."""
    return "\n".join(map(printable, text.split("\n")))


COLOURS = 8  # the number of colours for numbers; if there are more numbers, colours repeat

MAX_QUESTION = 4_000
MAX_EQUATIONS = 600  # how many characters are drawn at most; longer equations end in an ellipsis

_LONGEST_ROLE, _LONGEST_NAME, _LONGEST_ASKED = 56, 20, 60  # characters
_MOST_ASKED = 12

Kind = Literal["used", "equivalent", "unused"]


@dataclass(frozen=True, slots=True)
class Mark:
    """A number of the text."""

    number: TextNumber
    label: str  # its name, as in q2
    kind: Kind  # whether a slot holds it, or one equivalent to it, or neither
    colour: int | None  # the colour of its class; None if it is not used
    same: tuple[str, ...]  # the names of the numbers that mean the same
    repeats: str = ""  # the number that this one repeats: the first of them, or the one in a slot if this is in none


@dataclass(frozen=True, slots=True)
class TextPiece:
    """A stretch of the question, with its mark if it is a number."""

    text: str
    mark: Mark | None = None


@dataclass(frozen=True, slots=True)
class Term:
    """A stretch of an equation, with the name of the slot if it is one."""

    text: str
    slot: str | None = None


@dataclass(frozen=True, slots=True)
class FilledSlot:
    """A slot and its number."""

    slot: str
    number: TextNumber
    label: str  # the name of the number, as in q2
    colour: int  # the colour of the number's class
    same: tuple[Place, ...]  # the places of numbers that could stand there as well and stand nowhere else
    wanted: TextNumber | None = None  # the number that gold has there, if it is another one
    wanted_label: str = ""  # the name of that number
    differs: bool = False  # whether this is where the two derivations differ


@dataclass(frozen=True, slots=True)
class NamedUnknown:
    """An unknown of gold's template, and what it is in words of the text."""

    name: str
    role: str


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two derivations."""

    name: str  # whose it is, as in gold, predicted or answer
    equations: tuple[tuple[Term, ...], ...]  # the equations of its template; none if it could not be read
    notation: str  # the derivation in q-notation, or what was given if it could not be read
    slots: tuple[FilledSlot, ...]
    note: str = ""  # the difference to gold, in a few words
    right: bool | None = None  # whether it is right; None if it was not judged
    unknowns: tuple[NamedUnknown, ...] = ()  # its unknowns, if the row says what they are
    asked: tuple[str, ...] = ()  # the expressions that the question asks for, if the row says it


@dataclass(frozen=True, slots=True)
class Picture:
    """The content of one figure."""

    title: str
    pieces: tuple[TextPiece, ...]
    below: Side  # the derivation that is drawn below the text
    above: Side | None = None  # a predicted one, drawn above it, if there is any
    verdict: Verdict | None = None  # the verdict on that
    solutions: tuple[float, ...] = ()  # the gold solutions, if the derivation below is gold


def picture_of(reference: PreparedProblem, predictions: Sequence[Any] = (), verdict: Verdict | None = None) -> Picture:
    """Return the picture of gold, with a prediction next to it."""
    problem, gold = reference.problem, reference.derivation
    read: Prediction | Refused | None = None
    given = predictions[0] if predictions else None
    of_answer = answer_of(given) is not None
    if predictions:
        verdict = grade_derivation(given, reference) if verdict is None else verdict
        if of_answer:
            given = setup_notation(verdict.reading) if verdict.reading is not None else ""
        read = read_prediction(given, reference)
    used = [*gold.places, *(read.places if isinstance(read, Prediction) else ())]
    palette = _Palette(problem.numbers, reference.classes, used)
    wrong = _wrong(read, reference, verdict)
    return Picture(
        f"problem {problem.id}",
        _pieces(problem.question, palette),
        replace(
            _side("gold", gold, palette, [w.gold_slot for w in wrong]),
            unknowns=_named_unknowns(problem.roles, gold.template),
            asked=tuple([printable(clip(text, _LONGEST_ASKED)) for text in problem.asked[:_MOST_ASKED]]),
        ),
        _draw_prediction("read" if of_answer else "predicted", given, read, verdict, palette, wrong)
        if read is not None and verdict is not None
        else None,
        verdict,
        problem.solutions,
    )


def derivation_picture(
    question: str,
    numbers: Sequence[TextNumber],
    derivation: Derivation,
    classes: NumberClasses | None = None,
    *,
    title: str,
    name: str,
    colours: Mapping[Place, int] | None = None,
) -> Picture:
    """Return the picture of a derivation that is not gold."""
    palette = _Palette(numbers, classes or NumberClasses(), derivation.places, colours or {})
    return Picture(title, _pieces(question, palette), _side(name, derivation, palette))


def answer_picture(question: str, numbers: Sequence[TextNumber], derivation: Derivation) -> Picture:
    """Return the picture of a solver's answer to a problem without gold."""
    return derivation_picture(question, numbers, derivation, title="answer of the solver", name="answer")


def _named_unknowns(roles: Sequence[Role], template: Template) -> tuple[NamedUnknown, ...]:
    """Return the unknowns of gold that have a role; a long role ends in an ellipsis."""
    return tuple(
        [
            NamedUnknown(printable(clip(name, _LONGEST_NAME)), printable(clip(" ".join(role.split()), _LONGEST_ROLE)))
            for name, role in roles
            if name in template.unknowns and role.strip()
        ]
    )


def _side(name: str, derivation: Derivation, palette: _Palette, differing: Sequence[str] = ()) -> Side:
    numbers = [palette.complete(number) for number in derivation.alignment.in_slots(derivation.template.slots)]
    return _fill_side(name, derivation.template, numbers, derivation.places, palette, dict.fromkeys(differing))


def _fill_side(
    name: str,
    template: Template,
    numbers: Sequence[TextNumber],
    places: Sequence[Place],
    palette: _Palette,
    differing: Mapping[str, TextNumber | None],
) -> Side:
    """Return a side; `differing` has the slots that differ, with the numbers that gold has there."""
    slots = tuple(
        palette.fill(slot, number, places, differing.get(slot), differs=slot in differing)
        for slot, number in zip(template.slots, numbers, strict=True)
    )
    return Side(name, _equations(template), _notation(template, list(map(palette.label, numbers))), slots)


class _Palette:
    """Names and colours of the numbers of one text."""

    def __init__(
        self,
        numbers: Sequence[TextNumber],
        classes: NumberClasses,
        used: Sequence[Place],
        colours: Mapping[Place, int] = MappingProxyType({}),
    ) -> None:
        self.numbers = numbers
        self._by_place = {number.place: number for number in numbers}
        self._classes = classes
        self._used = set(used)
        shown = {classes.of_place(place) for place in used}
        # By their order in the text, so that neighbours get different colours.
        order = [classes.of_place(number.place) for number in numbers]
        ordered = [c for c in dict.fromkeys([*order, *shown]) if c in shown]
        self._colours = {c: i % COLOURS for i, c in enumerate(ordered)}
        self._colours |= {classes.of_place(place): colour for place, colour in colours.items()}

    def at(self, place: Place) -> TextNumber:
        return self._by_place[place]

    def complete(self, number: TextNumber) -> TextNumber:
        """Return a number with its text and place; its value stays that of the derivation."""
        known = self._by_place.get(number.place)
        return number if known is None or number.text else replace(known, value=number.value)

    def label(self, number: TextNumber) -> str:
        known = self._by_place.get(number.place, number)
        return f"q{known.index}" if known.index is not None else f"sentence {number.sentence}, token {number.token}"

    def mark(self, number: TextNumber) -> Mark:
        colour = self._colours.get(self._classes.of_place(number.place))
        kind: Kind = "used" if number.place in self._used else "unused" if colour is None else "equivalent"
        like = self._like(number)
        if kind == "used":
            meant = [other for other in like if (other.index or 0) < (number.index or 0)]
        else:
            meant = [other for other in like if other.place in self._used]
        repeats = self.label(meant[0]) if meant else ""
        return Mark(number, self.label(number), kind, colour, tuple(map(self.label, like)), repeats)

    def fill(
        self,
        slot: str,
        number: TextNumber,
        places: Sequence[Place],
        wanted: TextNumber | None = None,
        *,
        differs: bool = False,
    ) -> FilledSlot:
        colour = self._colours[self._classes.of_place(number.place)]
        same = tuple(other.place for other in self._like(number) if other.place not in places)
        wanted_label = self.label(wanted) if wanted is not None else ""
        return FilledSlot(printable(slot), number, self.label(number), colour, same, wanted, wanted_label, differs)

    def _like(self, number: TextNumber) -> list[TextNumber]:
        own = self._classes.of_place(number.place)
        return [n for n in self.numbers if n.place != number.place and self._classes.of_place(n.place) == own]


def _wrong(read: object, reference: PreparedProblem, verdict: Verdict | None) -> list[WrongSlot]:
    if not isinstance(read, Prediction) or verdict is None or verdict.reason not in _MAY_HAVE_WRONG_SLOTS:
        return []
    try:
        return wrong_slots(read, reference)
    except LimitError:  # too large to look for it: the figure is drawn without
        return []


_MAY_HAVE_WRONG_SLOTS = (Reason.ALIGNMENT, Reason.LUCKY, Reason.PART, Reason.OTHER)


def _draw_prediction(
    name: str, given: Any, read: Prediction | Refused, verdict: Verdict, palette: _Palette, wrong: Sequence[WrongSlot]
) -> Side:
    note = _note(verdict, palette, wrong)
    if isinstance(read, Refused):
        return Side(name, (), raw_text(given), (), note, verdict.derivation)
    wanted = {w.slot: w.wanted for w in wrong}
    side = _fill_side(name, read.template, list(map(palette.at, read.places)), read.places, palette, wanted)
    return replace(side, note=note, right=verdict.derivation)


def _note(verdict: Verdict, palette: _Palette, wrong: Sequence[WrongSlot]) -> str:
    """Return the difference in a few words; the verdict has it in a sentence."""
    if verdict.derivation:
        return _OF_RIGHT.get(verdict.reason, "the same derivation")
    if wrong:
        more = f", and {len(wrong) - 1} more" if len(wrong) > 1 else ""
        return f"slot {wrong[0].slot} takes {palette.label(wrong[0].held)}, not {palette.label(wrong[0].wanted)}{more}"
    if verdict.reason in (Reason.SLOT_COUNT, Reason.UNKNOWN_COUNT, Reason.TEMPLATE):
        return "another template"
    return _OF_WRONG.get(verdict.reason, str(verdict.reason))


_OF_RIGHT = {Reason.SLIP: "the same derivation, then a slip", Reason.SHORTCUT: "the same derivation but for a shortcut"}
_OF_WRONG = {
    Reason.ALIGNMENT: "numbers used differently",
    Reason.UNSOLVABLE: "no unique solution",
    Reason.LUCKY: "another derivation, the same numbers by luck",
    Reason.PART: "a part of the derivation",
    Reason.OTHER: "another derivation",
    Reason.NO_DERIVATION: "no derivation",
    Reason.UNREAD: "could not be read",
    Reason.UNDECIDED: "not decided",
}


def _pieces(question: str, palette: _Palette) -> tuple[TextPiece, ...]:
    question = clip(question, MAX_QUESTION)
    pieces: list[TextPiece] = []
    at = 0
    for number in sorted(palette.numbers, key=lambda n: (n.start or 0, n.end or 0)):
        # A number may stand inside another one; then only its name is shown.
        start = min(max(number.start or 0, at), len(question))
        end = min(max(number.end or 0, start), len(question))
        if start > at:
            pieces.append(TextPiece(printable(question[at:start])))
        pieces.append(TextPiece(printable(question[start:end]), palette.mark(number)))
        at = end
    pieces.append(TextPiece(printable(question[at:])))
    return tuple(pieces)


def _equations(template: Template) -> tuple[tuple[Term, ...], ...]:
    """Return the equations in their plain form, cut at their slots."""
    source = template.source
    # No name has a line end, so line ends can mark the slots while the equations are written.
    text = write(source, lambda token: f"\n{source.name(token)}\n" if not token & 1 else source.name(token))
    equations = []
    left = MAX_EQUATIONS
    for equation in text.split("; "):
        terms = []
        for i, part in enumerate(equation.split("\n")):
            if part and left > 0:
                terms.append(Term(printable(clip(part, left)), printable(part) if i % 2 else None))
                left -= len(part)
        equations.append(tuple(terms))
        if left <= 0:
            break
    return tuple(equations)


def _notation(template: Template, labels: Sequence[str]) -> str:
    source = template.source
    names = dict(zip(template.slots, (label.replace(" ", "") for label in labels), strict=True))
    return printable(clip(write(source, lambda t: source.name(t) if t & 1 else names[source.name(t)]), MAX_EQUATIONS))
