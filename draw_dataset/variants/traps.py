"""Traps: a problem with a number in it that does not belong.

A trap is a sentence of the bank before the text, with a number of the problem's size (*in* range) or a much larger one
(*out*). The sharp form is a pair: in the first the number *equals* an aligned number, so a system that takes it has the
right answer by a wrong derivation; in its twin it does not, so taking it shows.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from importlib.resources import files
from itertools import pairwise, product
from random import Random
from typing import Literal

from draw_dataset.derivation.problem import Problem
from draw_dataset.text.lexicon import split_words
from draw_dataset.text.numbers import rule_of
from draw_dataset.text.tokens import Rule, tokenize
from draw_dataset.variants.rebuilding import Edit, rebuild

# The bank `traps.json` has sentences with one number, true in any world, that say nothing about the problem, each with
# its smallest and largest number. A sentence is *near* if it is about the topic of the problem, else *far*; its role is
# *same* if it names a person of the problem, else *other*. ``{n}`` counts things in the plural, so it is at least 2.

Topic = Literal["near", "far"]
Role = Literal["same", "other"]


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of the bank."""

    text: str  # the sentence, its tokens parted by blanks
    least: int  # the smallest number that sounds right in it
    most: int  # the largest


def _read_bank() -> tuple[dict[str, tuple[frozenset[str], list[Sentence]]], dict[str, list[Sentence]]]:
    """Return the words and sentences of each topic, and the sentences for any topic, by use."""
    bank = json.loads(files("draw_dataset.variants").joinpath("traps.json").read_text(encoding="utf-8"))
    topics = {
        name: (frozenset(split_words(one["words"])), [Sentence(*sentence) for sentence in one["sentences"]])
        for name, one in bank.pop("topics").items()
    }
    return topics, {use: [Sentence(*sentence) for sentence in sentences] for use, sentences in bank.items()}


_TOPICS, _ANY_TOPIC = _read_bank()

_DOING = frozenset(
    split_words(
        "has had have is was bought buys sold sells invested invests drove drives rode rides walked walks runs ran "
        "earned earns spent spends saved made makes paid wants needs works worked mixed collected received borrowed "
        "deposited gave got leaves left paddled rowed jogs jogged decides went took picked planted"
    )
)
_NO_PERSON = frozenset(
    split_words(
        "the he she it they we i you a an one two there this that each who what which everyone someone somebody nobody "
        "sum number angle store shop school theater theatre car train bus boat plane bank class club company admission "
        "tickets ticket and if when how find his her their its then while but or since after before both all company "
        "solution mixture money water dad mom father mother grandfather grandmother sister brother"
    )
)
_NOT_BEFORE = frozenset(split_words("the a an of in at from to this that each every his her their"))


def sentences_for(words: Sequence[str], topic: Topic, role: Role, name: str | None) -> list[Sentence]:
    """Return the sentences of the bank that fit a problem; none if a person is asked for and none is known."""
    if role == "same":
        if name is None:
            return []
        return [Sentence(one.text.replace("{name}", name), one.least, one.most) for one in _ANY_TOPIC["person"]]
    if topic == "far":
        return list(_ANY_TOPIC["far"])
    present = set(words)
    best = max(_TOPICS, key=lambda topic_name: len(_TOPICS[topic_name][0] & present))
    known, sentences = _TOPICS[best]
    return list(sentences if known & present else _ANY_TOPIC["near"])


def person_in(words: Sequence[str]) -> str | None:
    """Return the name of somebody in a text, as it is written there: a capital, and a verb of what people do.

    >>> person_in("Last week Mona had 3 coins .".split()), person_in("The Ritz has 3 rooms .".split())
    ('Mona', None)
    """
    for at, (word, following) in enumerate(pairwise(words)):
        if not word.isalpha() or len(word) < 3 or not (word[0].isupper() and word[1:].islower()):
            continue
        before = words[at - 1].lower() if at else "."
        if following.lower() in _DOING and word.lower() not in _NO_PERSON and before not in _NOT_BEFORE:
            surname = at and words[at - 1][0].isupper() and before not in (".", "?", "!")
            plural = word.lower().endswith("s") and following.lower() in ("have", "are", "were")
            if not surname and not plural:
                return word
    return None


Range = Literal["in", "out"]

_LEAST, _MOST = 2, 5000
"""The smallest and the largest number that the sharp form uses."""


@dataclass(frozen=True, slots=True)
class Trap:
    """A problem with a trap."""

    problem: Problem
    kind: str  # ``trap``, ``equal`` or ``twin``
    edit: Edit  # the sentence, in front of the old text
    value: int
    topic: Topic  # near or far
    role: Role  # whether it speaks of a person of the problem
    range: Range  # whether its number is of the size of the problem's numbers


class TrapMaker:
    """Makes traps for one problem."""

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
                for sentence in self._shuffle_sentences(topic, role):
                    value = self._draw_number(sentence, range_)
                    made = None if value is None else self._make("trap", sentence, value, topic, role, range_)
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
                for sentence in self._shuffle_sentences(topic, role):
                    if not sentence.least <= value <= sentence.most:
                        continue
                    other = self._draw_number(sentence, "in", near=value)
                    if other is None:
                        continue
                    equal = self._make("equal", sentence, value, topic, role, "in")
                    twin = self._make("twin", sentence, other, topic, role, "in")
                    if equal is not None and twin is not None:
                        self._used.add(sentence.text)
                        yield equal, twin
                        break

    def _shuffle_sentences(self, topic: Topic, role: Role) -> list[Sentence]:
        found = [s for s in sentences_for(self._words, topic, role, self._name) if s.text not in self._used]
        self._random.shuffle(found)
        return found

    def _draw_number(self, sentence: Sentence, range_: Range, near: int | None = None) -> int | None:
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

    def _make(self, kind: str, sentence: Sentence, value: int, topic: Topic, role: Role, range_: Range) -> Trap | None:
        question = self._problem.question
        lead = len(question) - len(question.lstrip())
        has_commas = any("," in number.text for number in self._problem.numbers)
        digits = f"{value:,}" if has_commas and value >= 1000 else str(value)
        text = sentence.text if self._rule == "release" else sentence.text.replace(" .", ".")
        at = text.index("{n}")
        edit = Edit(lead, "", text.replace("{n}", digits) + " ")
        values = [number.value or Fraction(0) for number in self._problem.numbers]
        extra = lead + at, Fraction(value)
        made = rebuild(self._problem, self._rule, [edit], values, self._problem.id, extra)
        return None if made is None else Trap(made, kind, edit, value, topic, role, range_)
