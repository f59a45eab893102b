"""The work on a problem as data for the templates: its text and its equations in pieces, and its figure.

Every number of the text and every value of the equations is a button. Numbers are named by their rank in the text,
``q1``, ``q2`` …; a constant has the number 0. A value's button carries its choices: the proposed numbers, and all
numbers that its value allows. For values that are still open the figure has guesses, drawn faintly.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from draw_dataset.annotation.page.content import shortcut
from draw_dataset.annotation.proposal.candidates import Origin, Proposal
from draw_dataset.annotation.proposal.induction import annotated_problem
from draw_dataset.annotation.store.work import Work
from draw_dataset.core.alignment import Place, TextNumber
from draw_dataset.errors import AnnotationError, DrawError
from draw_dataset.report.figure import draw_svg
from draw_dataset.report.picture import COLOURS, derivation_picture
from draw_dataset.report.shapes import signs
from draw_dataset.text import tokenize

CONSTANT = 0
"""The rank of a constant, which is no number of the text."""


def rank(origin: Origin) -> int:
    """Return the rank of the number of an origin; 0 for a constant."""
    return CONSTANT if origin.number is None else origin.number.index or CONSTANT


def said(origin: Origin) -> str:
    """Return the name of an origin, such as ``q3`` or ``a constant``."""
    return "a constant" if origin.number is None else f"q{rank(origin)}"


@dataclass(frozen=True, slots=True)
class TextPiece:
    """Words of the text, or one of its numbers.

    Attributes:
        text: the words.
        number: the number; None for words.
        same: the names of the numbers that mean the same.
        colour: the class that colours the number; empty if it is not used.
    """

    text: str
    number: TextNumber | None = None
    same: tuple[str, ...] = ()
    colour: str = ""

    @property
    def lines(self) -> list[str]:
        """The words in lines."""
        return [*self.text.splitlines(), *([""] if self.text.endswith("\n") else [])]

    @property
    def key(self) -> str:
        """The key that chooses the number."""
        return "" if self.number is None else shortcut(self.number.index or 0)

    @property
    def lettered(self) -> bool:
        """Whether the key has to be shown, because it is not the number's rank."""
        return self.key.isalpha()


@dataclass(frozen=True, slots=True)
class Value:
    """A value of the equations.

    Attributes:
        position: the position of its literal in the proposal.
        span: its characters in the equations; they identify it, whatever the text is.
        text: the value as written.
        held: where it comes from at present; None if that is an open question.
        chosen: whether the annotator said so.
        proposed: the origins to choose from.
        fits: the ranks of all numbers that a person may choose.
        in_place: the part of its equation before it, the value itself, and the part after it.
    """

    position: int
    span: tuple[int, int]
    text: str
    held: Origin | None
    chosen: bool
    proposed: tuple[Origin, ...]
    fits: tuple[int, ...]
    in_place: tuple[str, str, str]

    @property
    def state(self) -> str:
        """The CSS class of its state."""
        return "is-open" if self.held is None else "is-chosen" if self.chosen else "is-sure"

    @property
    def origins(self) -> tuple[int, ...]:
        """The ranks of the proposed numbers."""
        return tuple(map(rank, self.proposed))

    @property
    def rank(self) -> str:
        """The rank of its origin; empty if that is open."""
        return "" if self.held is None else str(rank(self.held))

    @property
    def said(self) -> str:
        """The name of its origin; empty if that is open."""
        return "" if self.held is None else said(self.held)

    @property
    def tag(self) -> str:
        """The name of its origin in a few characters."""
        return "?" if self.held is None else "constant" if self.held.number is None else said(self.held)

    @property
    def choices(self) -> str:
        """Its possible origins, in words."""
        *most, last = map(said, self.proposed)
        return f"{', '.join(most)} or {last}" if most else last


def text_pieces(work: Work, colours: Mapping[Place, str]) -> list[TextPiece]:
    """Return the text of a problem in pieces.

    Args:
        work: the problem and what was made of it.
        colours: the class that colours a number, by its place.
    """
    group_of = {number.place: group for group in work.groups for number in group}
    pieces: list[TextPiece] = []
    at = 0
    for number in sorted(work.numbers, key=lambda n: (n.start or 0, n.end or 0)):
        # A number may stand inside another one; then only its name is shown.
        start = max(number.start or 0, at)
        end = max(number.end or 0, start)
        same = tuple(f"q{other.index}" for other in group_of.get(number.place, ()) if other.place != number.place)
        pieces.append(TextPiece(work.question[at:start]))
        pieces.append(TextPiece(work.question[start:end], number, same, colours.get(number.place, "")))
        at = end
    return [*pieces, TextPiece(work.question[at:])]


def values_of(work: Work) -> list[Value]:
    """Return the values of the equations in their order; empty if there is no proposal for them."""
    proposal = work.proposal
    if proposal is None:
        return []
    spans = list(_spans(proposal.equations))
    found: list[Value] = []
    for position, literal in enumerate(proposal.literals):
        start, end = next(span for span in spans if span[0] <= literal.start and literal.end <= span[1])
        before, after = proposal.equations[start : literal.start], proposal.equations[literal.end : end]
        chosen = work.chosen.get(position)
        held = chosen or (None if literal.is_question else literal.origins[0])
        in_place = signs(before), literal.text, signs(after)
        span, fits = (literal.start, literal.end), _fitting(proposal, position)
        found.append(Value(position, span, literal.text, held, chosen is not None, literal.origins, fits, in_place))
    return found


def equation_parts(proposal: Proposal, values: Sequence[Value]) -> list[list[str | Value]]:
    """Return each equation in pieces: its values, and the text between them."""
    lines: list[list[str | Value]] = []
    for start, end in _spans(proposal.equations):
        parts: list[str | Value] = []
        at = start
        for value, literal in zip(values, proposal.literals, strict=True):
            if start <= literal.start and literal.end <= end:
                parts += [signs(proposal.equations[at : literal.start]), value]
                at = literal.end
        lines.append([*parts, signs(proposal.equations[at:end])])
    return lines


def _spans(equations: str) -> Iterator[tuple[int, int]]:
    """Yield where each equation begins and ends."""
    start = 0
    for equation in equations.replace("\n", ";").split(";"):
        end = start + len(equation)
        if equation.strip():
            yield end - len(equation.lstrip()), start + len(equation.rstrip())
        start = end + 1


def _fitting(proposal: Proposal, position: int) -> tuple[int, ...]:
    """Return the ranks of all that a person may choose for a value."""
    ranks = [CONSTANT]
    for number in proposal.numbers:
        try:
            proposal.origin(position, number)
        except AnnotationError:
            continue
        ranks.append(number.index or CONSTANT)
    return tuple(ranks)


@dataclass(frozen=True, slots=True)
class Drawing:
    """A figure.

    Attributes:
        svg: the drawing; empty if there is nothing to draw.
        trouble: why there is none.
        colours: the class that colours each number of the text that is used, by its place.
    """

    svg: str = ""
    trouble: str = ""
    colours: tuple[tuple[Place, str], ...] = ()


def words_of(work: Work) -> list[tuple[int, str]]:
    """Return the words of a text that are not numbers, each with its rank among all words and a few words around it."""
    tokens = tokenize(work.question)
    numbers = {number.place for number in work.numbers}
    found = []
    for at, token in enumerate(tokens):
        if (token.sentence, token.index) not in numbers and any(map(str.isalnum, token.text)):
            before = " ".join(t.text for t in tokens[max(0, at - 2) : at])
            after = " ".join(t.text for t in tokens[at + 1 : at + 3])
            found.append((at, f"{token.text}   ({f'{before} {token.text} {after}'.strip()})"))
    return found


def colours_of(works: Sequence[Sequence[Value]]) -> dict[tuple[int, int], int]:
    """Return a colour for each value that is a number in some work; the same in all figures."""
    used = {value.span for values in works for value in values if value.held is not None and value.held.number}
    return {span: at % COLOURS for at, span in enumerate(sorted(used))}


def draw_work(work: Work, width: float, colours_by_value: Mapping[tuple[int, int], int] | None = None) -> Drawing:
    """Return the figure of a work; for values that are still open it has a guess, drawn faintly.

    Args:
        work: the work.
        width: the width of the figure, in pixels.
        colours_by_value: the colour of each value of the equations, by its characters; by default numbers are coloured
            in the order of the text.
    """
    proposal = work.proposal
    if proposal is None:
        return Drawing(trouble=work.refusal or "")
    decided = {i: literal.origins[0] for i, literal in enumerate(proposal.literals) if not literal.is_question}
    decided |= work.chosen
    settled = {origin.number.place for origin in decided.values() if origin.number is not None}
    try:
        guessed = _guessed(proposal, decided, work.left)
        problem = annotated_problem(work.problem_id, proposal, guessed, work.groups, form="written")
        picture = derivation_picture(
            problem.question,
            problem.numbers,
            problem.derivation,
            problem.number_classes,
            title=f"problem {problem.id}",
            name="in q-notation",
            colours=_by_place(proposal, guessed, colours_by_value or {}),
        )
    except DrawError as error:
        return Drawing(trouble=str(error))
    svg = draw_svg(picture, width=width, style=False)
    for filled in picture.below.slots:
        if filled.number.place not in settled:
            # Quotes in strings are escaped, so this can only be the attribute.
            svg = svg.replace(f'data-slot="{filled.slot}"', f'data-slot="{filled.slot}" data-guess="true"')
    colours = tuple(
        (piece.mark.number.place, f"dd-{piece.mark.colour}")
        for piece in picture.pieces
        if piece.mark is not None and piece.mark.colour is not None
    )
    return Drawing(svg, "", colours)


def _by_place(
    proposal: Proposal, origins: Mapping[int, Origin], colours: Mapping[tuple[int, int], int]
) -> dict[Place, int]:
    """Return the colour of each number: that of the first value that it is."""
    found: dict[Place, int] = {}
    for position, literal in enumerate(proposal.literals):
        number = origins[position].number
        if number is not None and (literal.start, literal.end) in colours:
            found.setdefault(number.place, colours[literal.start, literal.end])
    return found


def _guessed(proposal: Proposal, decided: Mapping[int, Origin], left: Sequence[int]) -> dict[int, Origin]:
    """Return origins for all values: for an open one the first that no other value has, else its first."""
    found = dict(decided)
    for position in left:
        taken = {origin.number for origin in found.values()}
        origins = proposal.literals[position].origins
        found[position] = next((origin for origin in origins if origin.number not in taken), origins[0])
    return found
