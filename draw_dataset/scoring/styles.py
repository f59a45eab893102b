"""Styles of prompts: how was a problem shown to a model, as far as grading has to know.

A prompt has a *style* with a name and a version. ``marked`` and ``json`` show the numbers of the text as ``[q3: 7]``
and ask for equations in q-notation; ``plain`` shows the question as it is. The words of the prompts are in
`draw_dataset.prompting`. This module says what ``q3`` means in an answer.

The shown numbers are those that `find_numbers` finds. A row may have more: if the annotation aligned a word that the
rules do not see as a number (an article, "last"), ``row["numbers"]`` has it. Showing it would reveal a part of gold, so
such rows number their numbers in another way than the prompt. `shown_reference` gives gold in the numbering of the
prompt: first the numbers that are shown, then those that only gold has. The model does not know a ``q`` for these. It
can write their value, and a literal may come from any number of the text, as in an answer in prose. If gold has only a
part of a shown number (the 5 of "5 sixths"), the shown number is one that gold does not have.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from draw_dataset.core.alignment import TextNumber
from draw_dataset.core.problem import Problem
from draw_dataset.errors import ChoiceError, shown
from draw_dataset.scoring.reference import Reference
from draw_dataset.text import find_numbers
from draw_dataset.text.rules import number_words_of


@dataclass(frozen=True, slots=True)
class Style:
    """A style of prompts.

    Attributes:
        name: its name.
        version: raised whenever its words change; every signature has it.
        marked: whether the numbers of the text are shown as ``[q3: 7]``.
    """

    name: str
    version: int
    marked: bool

    def label(self, shots: int = 0) -> str:
        """Return the style with its version, and how many worked examples came before the question.

        >>> STYLES["marked"].label(), STYLES["plain"].label(2)
        ('marked/1', 'plain/1+2shots')
        """
        return f"{self.name}/{self.version}" + (f"+{shots}shots" if shots else "")


STYLES: Mapping[str, Style] = {
    style.name: style for style in (Style("marked", 1, True), Style("plain", 1, False), Style("json", 1, True))
}
"""The styles by name."""

_LABEL = re.compile(r"([a-z]+)(?:/([0-9]{1,4}))?(?:\+[0-9]{1,4}shots)?")


def find_style(text: object) -> Style:
    """Return the style of a name or a label.

    >>> find_style("marked/1+2shots") is find_style("marked")
    True

    Raises:
        ChoiceError: there is no such style, or not in that version; names those there are.
    """
    match = _LABEL.fullmatch(text) if isinstance(text, str) else None
    style = STYLES.get(match[1]) if match else None
    if style is None or match is None or (match[2] is not None and int(match[2]) != style.version):
        there_are = ", ".join(style.label() for style in STYLES.values())
        raise ChoiceError(f"Unknown prompt style {shown(text)}: there are {there_are}")
    return style


def shown_problem(problem: Problem) -> Problem:
    """Return a problem with its numbers in the order in which a marked prompt shows them, the others at the end.

    Most problems are returned unchanged: their numbers are those that `find_numbers` finds.
    """
    found = find_numbers(problem.question, number_words_of(problem))
    known = problem.numbers
    if len(found) == len(known) and all(_same(n, m) for n, m in zip(found, known, strict=True)):
        return problem
    left = list(known)
    ordered: list[TextNumber] = []
    for index, number in enumerate(found, 1):
        own = next((other for other in left if _same(number, other)), None)
        if own is None:
            # The row does not have this number, so it gets a place that no number has: beyond the end of the sentence.
            place = (number.sentence, len(problem.question) + index)
            own = TextNumber(*place, number.value, index, number.text, number.start, number.end)
        else:
            left.remove(own)
        ordered.append(replace(own, index=index))
    ordered += [replace(number, index=len(found) + at) for at, number in enumerate(left, 1)]
    return replace(problem, numbers=tuple(ordered))


def _same(found: object, known: TextNumber) -> bool:
    """Say whether a number that was found is one of the row: by its characters where the row has them."""
    here = (found.start, found.end) if known.start is not None else (found.sentence, found.token)  # type: ignore[attr-defined]
    return here == ((known.start, known.end) if known.start is not None else known.place)


def shown_reference(reference: Reference) -> Reference:
    """Return gold in the numbering of a marked prompt; made when it is first asked for."""
    made: Reference | None = reference.memory.get(shown_reference)
    if made is None:
        problem = shown_problem(reference.problem)
        made = reference if problem is reference.problem else Reference(problem)
        reference.memory[shown_reference] = made
    return made
