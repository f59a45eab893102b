"""Which tokenisation rule was used for the text of a problem."""

from __future__ import annotations

from draw_dataset.core.alignment import TextNumber
from draw_dataset.core.problem import Problem
from draw_dataset.text.tokens import Rule, tokenize


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
