"""Which rules were used for the text of a problem: how it was cut into tokens, and which words are numbers."""

from __future__ import annotations

from draw_dataset.core.alignment import TextNumber
from draw_dataset.core.problem import Problem
from draw_dataset.text.numbers import NumberWords
from draw_dataset.text.tokens import Rule, detect_rule, tokenize


def rule_of(problem: Problem) -> Rule:
    """Return the rule by which a problem's text was cut: the one under which its numbers stand at their places.

    Where they do under both, as in a text whose first mark comes after its last number, it is the one that fits a text.
    """
    rules: tuple[Rule, ...] = ("release", "raw")
    for rule in sorted(rules, key=lambda rule: rule != detect_rule(problem.question)):
        spans = {(t.sentence, t.index): (t.start, t.end) for t in tokenize(problem.question, rule)}
        if all(n.place in spans and _overlaps(n, *spans[(n.sentence or 0, n.token)]) for n in problem.numbers):
            return rule
    return "auto"


def number_words_of(problem: Problem) -> NumberWords:
    """Return which words of a text are numbers: derived rows, which have a status, are in ordinary English."""
    return "ordinary" if problem.status else "standard"


def _overlaps(number: TextNumber, start: int, end: int) -> bool:
    return number.start is None or number.end is None or (number.start < end and start < number.end)
