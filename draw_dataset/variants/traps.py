"""Traps: a problem with a number in it that does not belong.

A trap is a sentence of the bank before the text. Its number has the size of the problem's numbers (*in* range) or is
much larger (*out*); it never equals one of them. The sharp form of a trap is a pair. In the first, the number *equals*
an aligned number, so a system that takes it has the right answer by a wrong derivation. In its twin the same sentence
has another number, so taking it shows. Nothing else changes: gold is moved to its new places and graded.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from random import Random
from typing import Literal

from draw_dataset.core.problem import Problem
from draw_dataset.text.rules import rule_of
from draw_dataset.text.tokens import Rule, tokenize
from draw_dataset.variants.bank import Role, Sentence, Topic, person_in, sentences_for
from draw_dataset.variants.rebuilding import Edit, rebuilt

Range = Literal["in", "out"]

_LEAST, _MOST = 2, 5000
"""The smallest and the largest number that the sharp form uses."""


@dataclass(frozen=True, slots=True)
class Trap:
    """A problem with a trap.

    Attributes:
        problem: the problem.
        kind: ``trap``, ``equal`` or ``twin``.
        edit: the sentence, in front of the old text.
        value: its number.
        topic: near or far.
        role: whether it speaks of a person of the problem.
        range: whether its number is of the size of the problem's numbers.
    """

    problem: Problem
    kind: str
    edit: Edit
    value: int
    topic: Topic
    role: Role
    range: Range


class TrapMaker:
    """Makes traps for one problem.

    Args:
        problem: the problem.
        random: what sentences and numbers are drawn with.
    """

    def __init__(self, problem: Problem, random: Random) -> None:
        self._problem = problem
        self._random = random
        self._rule: Rule = rule_of(problem)
        self._tokens = [token.text for token in tokenize(problem.question, self._rule)]
        self._words = [token.lower() for token in self._tokens]
        self._name = person_in(self._tokens)
        self._values = [n.value for n in problem.numbers if n.value is not None]
        self._used: set[str] = set()

    def traps(self) -> Iterator[Trap]:
        """Yield traps: near and far, of a person and not, in range and out of range, in an order that is drawn."""
        styles: list[tuple[Range, Topic, Role]] = list(product(("in", "out"), ("near", "far"), ("other", "same")))
        self._random.shuffle(styles)
        for _ in range(4):
            for range_, topic, role in styles:
                for sentence in self._shuffled(topic, role):
                    value = self._drawn(sentence, range_)
                    made = None if value is None else self._made("trap", sentence, value, topic, role, range_)
                    if made is not None:
                        self._used.add(sentence.text)
                        yield made
                        break

    def twins(self) -> Iterator[tuple[Trap, Trap]]:
        """Yield pairs: a trap whose number equals an aligned one, and its twin."""
        numbers = {(n.sentence, n.token): n for n in self._problem.numbers}
        aligned = [numbers[a.sentence, a.token].value for a in self._problem.alignment]
        wanted = [
            int(v) for v in dict.fromkeys(aligned) if v is not None and v.denominator == 1 and _LEAST <= v <= _MOST
        ]
        self._random.shuffle(wanted)
        for turn in range(4):
            for value in wanted:
                topic: Topic = "near" if turn % 2 == 0 else "far"
                role: Role = "same" if turn == 2 and self._name else "other"
                for sentence in self._shuffled(topic, role):
                    if not sentence.least <= value <= sentence.most:
                        continue
                    other = self._drawn(sentence, "in", near=value)
                    if other is None:
                        continue
                    equal = self._made("equal", sentence, value, topic, role, "in")
                    twin = self._made("twin", sentence, other, topic, role, "in")
                    if equal is not None and twin is not None:
                        self._used.add(sentence.text)
                        yield equal, twin
                        break

    def _shuffled(self, topic: Topic, role: Role) -> list[Sentence]:
        found = [s for s in sentences_for(self._words, topic, role, self._name) if s.text not in self._used]
        self._random.shuffle(found)
        return found

    def _drawn(self, sentence: Sentence, range_: Range, near: int | None = None) -> int | None:
        """Return a number that is none of the problem's, of their size or much larger."""
        sizes = [abs(value) for value in self._values if value] or [Fraction(10)]
        low, high = (
            (max(2, int(min(sizes))), max(6, int(max(sizes)))) if near is None else (near // 2 + 1, 2 * near + 6)
        )
        if range_ == "out":
            low, high = 5 * high, 50 * high
        low, high = max(low, sentence.least), min(high, sentence.most)
        if low > high:
            return None
        for _ in range(20):
            value = self._random.randint(low, high)
            if value not in self._values:
                return value
        return None

    def _made(self, kind: str, sentence: Sentence, value: int, topic: Topic, role: Role, range_: Range) -> Trap | None:
        question = self._problem.question
        lead = len(question) - len(question.lstrip())
        has_commas = any("," in number.text for number in self._problem.numbers)
        digits = f"{value:,}" if has_commas and value >= 1000 else str(value)
        text = sentence.text if self._rule == "release" else sentence.text.replace(" .", ".")
        at = text.index("{n}")
        edit = Edit(lead, "", text.replace("{n}", digits) + " ")
        values = [number.value or Fraction(0) for number in self._problem.numbers]
        extra = lead + at, Fraction(value)
        made = rebuilt(self._problem, self._rule, [edit], values, self._problem.id, extra)
        return None if made is None else Trap(made, kind, edit, value, topic, role, range_)
