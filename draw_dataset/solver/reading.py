"""What the solver sees of a text: its tagged words, and its numbers with their places among the words."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from draw_dataset.core.alignment import TextNumber
from draw_dataset.core.problem import Problem
from draw_dataset.solver.tagging import Word, tag
from draw_dataset.text import locate_numbers
from draw_dataset.text.tokens import Rule, tokenize

LARGEST = 10**40
"""Numbers beyond this are not taken for quantities: what is computed of them would not fit a float."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A text as the solver sees it.

    Attributes:
        words: the tagged words.
        numbers: the numbers whose value is known and not absurdly large, in their order.
        spots: for each number, which word it sits on.
    """

    words: tuple[Word, ...]
    numbers: tuple[TextNumber, ...]
    spots: tuple[int, ...]

    @property
    def values(self) -> tuple[Fraction, ...]:
        """The values of the numbers."""
        return tuple(number.value for number in self.numbers if number.value is not None)


def read_text(text: str, rule: Rule = "auto", numbers: tuple[TextNumber, ...] | None = None) -> Reading:
    """Return a text as the solver sees it.

    Args:
        text: the text.
        rule: how it is cut into tokens.
        numbers: its numbers, if they are known; else they are found.

    Raises:
        ExtraMissing: the tagger is not installed.
        LimitError: the text is too long.
    """
    words = tag(text, rule)
    if numbers is None:
        numbers, _ = locate_numbers(text, rule=rule)
    at = {(word.sentence, word.index): spot for spot, word in enumerate(words)}
    kept = tuple(n for n in numbers if n.value is not None and abs(n.value) <= LARGEST and n.place in at)
    return Reading(words, kept, tuple(at[(number.sentence or 0, number.token)] for number in kept))


def read_problem(problem: Problem) -> Reading:
    """Return a problem to learn from as the solver sees it: its numbers are those of the row, annotated ones included.

    Raises:
        ExtraMissing: the tagger is not installed.
    """
    return read_text(problem.question, rule_of(problem), problem.numbers)


def rule_of(problem: Problem) -> Rule:
    """Return the rule by which a problem's text was cut: the one under which its numbers stand at their places."""
    rules: tuple[Rule, ...] = ("release", "raw")
    for rule in rules:
        spans = {(t.sentence, t.index): (t.start, t.end) for t in tokenize(problem.question, rule)}
        if all(n.place in spans and _overlaps(n, *spans[(n.sentence or 0, n.token)]) for n in problem.numbers):
            return rule
    return "auto"


def _overlaps(number: TextNumber, start: int, end: int) -> bool:
    return number.start is None or number.end is None or (number.start < end and start < number.end)
