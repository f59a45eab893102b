"""The content of a figure of a derivation, independent of how it is drawn.

As in the paper's Figure 1: the text with its numbers, the template with its slots, and which number goes to which slot.
With a prediction, both derivations share one text, and the first difference is marked. A picture needs a text, its
numbers and a derivation from any source: gold, a solver's answer, or an annotator's choices so far.

All text from data passes through `printable` here. So the code that draws a picture only has to escape the markup of
its own format.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Literal

from draw_dataset.core.alignment import NumberClasses, Place, TextNumber
from draw_dataset.core.derivation import Derivation
from draw_dataset.core.equations import write
from draw_dataset.core.template import Template
from draw_dataset.errors import LimitError
from draw_dataset.report.marks import derivation_read
from draw_dataset.report.plain import clipped, printable, raw_text
from draw_dataset.scoring.grading import WrongSlot, grade_derivation, wrong_slots
from draw_dataset.scoring.prediction import Prediction, Refused, answer_of, read_prediction
from draw_dataset.scoring.reference import Reference
from draw_dataset.scoring.verdict import Reason, Verdict

COLOURS = 8
"""The number of colours for numbers; if there are more numbers, colours repeat."""

MAX_QUESTION = 4_000
MAX_EQUATIONS = 600
"""How many characters are drawn at most; longer equations end in an ellipsis."""

Kind = Literal["used", "equivalent", "unused"]


@dataclass(frozen=True, slots=True)
class Mark:
    """A number of the text.

    Attributes:
        number: the number.
        label: its name, as in q2.
        kind: whether a slot holds it, or one equivalent to it, or neither.
        colour: the colour of its class; None if it is not used.
        same: the names of the numbers that mean the same.
        repeats: the number that this one repeats: the first of them, or the one in a slot if this is in none.
    """

    number: TextNumber
    label: str
    kind: Kind
    colour: int | None
    same: tuple[str, ...]
    repeats: str = ""


@dataclass(frozen=True, slots=True)
class Piece:
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
    """A slot and its number.

    Attributes:
        slot: the name of the slot.
        number: the number that it holds.
        label: the name of the number, as in q2.
        colour: the colour of the number's class.
        same: the places of numbers that could stand there as well and stand nowhere else.
        wanted: what gold has there, if the slot holds something else.
        wanted_label: the name of that number.
        differs: whether this is where the two derivations differ.
    """

    slot: str
    number: TextNumber
    label: str
    colour: int
    same: tuple[Place, ...]
    wanted: TextNumber | None = None
    wanted_label: str = ""
    differs: bool = False


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two derivations.

    Attributes:
        name: whose it is, as in gold, predicted or answer.
        equations: the equations of its template; none if it could not be read.
        notation: the derivation in q-notation, or what was given if it could not be read.
        slots: its slots.
        note: what differs from gold, in a few words.
        right: whether it is right; None if it was not judged.
    """

    name: str
    equations: tuple[tuple[Term, ...], ...]
    notation: str
    slots: tuple[FilledSlot, ...]
    note: str = ""
    right: bool | None = None


@dataclass(frozen=True, slots=True)
class Picture:
    """All that is shown of a problem.

    Attributes:
        title: what stands above it.
        pieces: the question.
        below: the derivation that is drawn below the text.
        above: a predicted one, drawn above it, if there is any.
        verdict: the verdict on that.
        solutions: the gold solutions, if the derivation below is gold.
    """

    title: str
    pieces: tuple[Piece, ...]
    below: Side
    above: Side | None = None
    verdict: Verdict | None = None
    solutions: tuple[float, ...] = ()


def picture_of(reference: Reference, predictions: Sequence[Any] = (), verdict: Verdict | None = None) -> Picture:
    """Return the picture of gold, with a prediction next to it.

    Args:
        reference: the problem.
        predictions: one prediction, which may be None for one that abstains, or nothing; of an answer of a language
            model, what was read of it is shown.
        verdict: the verdict on the prediction, if it is known already.
    """
    problem, gold = reference.problem, reference.derivation
    read: Prediction | Refused | None = None
    given = predictions[0] if predictions else None
    of_answer = answer_of(given) is not None
    if predictions:
        verdict = verdict or grade_derivation(given, reference)
        if of_answer:
            given = derivation_read(verdict.reading) if verdict.reading is not None else ""
        read = read_prediction(given, reference)
    used = [*gold.places, *(read.places if isinstance(read, Prediction) else ())]
    palette = _Palette(problem.numbers, reference.classes, used)
    wrong = _wrong(read, reference, verdict)
    return Picture(
        f"problem {problem.id}",
        _pieces(problem.question, palette),
        _side("gold", gold, palette, [w.gold_slot for w in wrong]),
        _predicted("read" if of_answer else "predicted", given, read, verdict, palette, wrong)
        if read is not None and verdict
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
    """Return the picture of a derivation that is not gold.

    Args:
        question: the text.
        numbers: its numbers.
        derivation: the derivation.
        classes: which numbers mean the same.
        title: what stands above it.
        name: whose derivation it is.
        colours: the colours of numbers, by place, where they must be those of another figure.
    """
    palette = _Palette(numbers, classes or NumberClasses(), derivation.places, colours or {})
    return Picture(title, _pieces(question, palette), _side(name, derivation, palette))


def answer_picture(question: str, numbers: Sequence[TextNumber], derivation: Derivation) -> Picture:
    """Return the picture of a solver's answer to a problem without gold."""
    return derivation_picture(question, numbers, derivation, title="answer of the solver", name="answer")


def _side(name: str, derivation: Derivation, palette: _Palette, differing: Sequence[str] = ()) -> Side:
    slots = derivation.template.slots
    numbers = [palette.known(number) for number in derivation.alignment.in_slots(slots)]
    return Side(
        name,
        _equations(derivation.template),
        _notation(derivation.template, [palette.label(number) for number in numbers]),
        tuple(
            palette.filled(slot, number, derivation.places, differs=slot in differing)
            for slot, number in zip(slots, numbers, strict=True)
        ),
    )


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

    def known(self, number: TextNumber) -> TextNumber:
        """Return a number with what the text knows of it; its value stays that of the derivation."""
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

    def filled(
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


def _wrong(read: object, reference: Reference, verdict: Verdict | None) -> list[WrongSlot]:
    if not isinstance(read, Prediction) or verdict is None or verdict.reason not in _MAY_HAVE_WRONG_SLOTS:
        return []
    try:
        return wrong_slots(read, reference)
    except LimitError:  # too large to look for it: the figure is drawn without
        return []


_MAY_HAVE_WRONG_SLOTS = (Reason.ALIGNMENT, Reason.LUCKY, Reason.PART, Reason.OTHER)


def _predicted(
    name: str, given: Any, read: Prediction | Refused, verdict: Verdict, palette: _Palette, wrong: Sequence[WrongSlot]
) -> Side:
    note = _note(verdict, palette, wrong)
    if isinstance(read, Refused):
        return Side(name, (), raw_text(given), (), note, verdict.derivation)
    wanted = {w.slot: w.wanted for w in wrong}
    numbers = [palette.at(place) for place in read.places]
    return Side(
        name,
        _equations(read.template),
        _notation(read.template, [palette.label(n) for n in numbers]),
        tuple(
            palette.filled(slot, number, read.places, wanted.get(slot), differs=slot in wanted)
            for slot, number in zip(read.template.slots, numbers, strict=True)
        ),
        note,
        verdict.derivation,
    )


def _note(verdict: Verdict, palette: _Palette, wrong: Sequence[WrongSlot]) -> str:
    """Say in a few words what differs; the verdict says it in a sentence."""
    if verdict.derivation:
        return _OF_RIGHT.get(verdict.reason, "the same derivation")
    if wrong:
        more = f", and {len(wrong) - 1} more" if len(wrong) > 1 else ""
        return f"slot {wrong[0].slot} takes {palette.label(wrong[0].held)}, not {palette.label(wrong[0].wanted)}{more}"
    if verdict.reason in (Reason.SLOT_COUNT, Reason.UNKNOWN_COUNT, Reason.TEMPLATE):
        return "another template"
    return _OF_WRONG.get(verdict.reason, str(verdict.reason))


_OF_RIGHT = {
    Reason.SLIP: "the same derivation, then a slip",
    Reason.SHORTCUT: "the same derivation but for a shortcut",
}
_OF_WRONG = {
    Reason.ALIGNMENT: "numbers used differently",
    Reason.UNSOLVABLE: "no unique solution",
    Reason.LUCKY: "another derivation, the same numbers by luck",
    Reason.PART: "a part of the derivation",
    Reason.OTHER: "another derivation",
    Reason.NO_DERIVATION: "no derivation",
    Reason.UNREAD: "could not be read",
}


def _pieces(question: str, palette: _Palette) -> tuple[Piece, ...]:
    question = clipped(question, MAX_QUESTION)
    pieces: list[Piece] = []
    at = 0
    for number in sorted(palette.numbers, key=lambda n: (n.start or 0, n.end or 0)):
        # A number may stand inside another one; then only its name is shown.
        start = min(max(number.start or 0, at), len(question))
        end = min(max(number.end or 0, start), len(question))
        if start > at:
            pieces.append(Piece(printable(question[at:start])))
        pieces.append(Piece(printable(question[start:end]), palette.mark(number)))
        at = end
    pieces.append(Piece(printable(question[at:])))
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
                terms.append(Term(printable(clipped(part, left)), printable(part) if i % 2 else None))
                left -= len(part)
        equations.append(tuple(terms))
        if left <= 0:
            break
    return tuple(equations)


def _notation(template: Template, labels: Sequence[str]) -> str:
    source = template.source
    names = dict(zip(template.slots, (label.replace(" ", "") for label in labels), strict=True))
    return printable(
        clipped(write(source, lambda t: source.name(t) if t & 1 else names[source.name(t)]), MAX_EQUATIONS)
    )
