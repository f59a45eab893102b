"""Proof by transfer: a derived function must give the answers of sibling problems at their numbers.

Siblings are problems of one source with the same text but for names and numbers, or with an equal value in a field that
names their original, as many numbers and nearly the same question. They are found in a pass of its own, which keeps of
each problem a short line.
"""

from __future__ import annotations

import json
import re
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from hashlib import blake2b
from typing import Any, TypeVar

from draw_dataset.algebra.number import is_rounded, number_text
from draw_dataset.algebra.solution import SolutionKind
from draw_dataset.derivation.derivation import Derivation
from draw_dataset.derivation.problem import ProblemId
from draw_dataset.deriving.records import Reason, Refusal
from draw_dataset.errors import DrawError
from draw_dataset.text.lexicon import singular
from draw_dataset.text.numbers import FoundNumber
from draw_dataset.text.question import questions_of
from draw_dataset.text.similarity import mask_names

SIBLING_FIELDS = ("original_id", "original_question", "seed_question")  # fields that may name the original of a problem

MOST_SIBLINGS = 8  # siblings on which a function is run
ALIKE = Fraction(1, 2)  # the least share of common words in the questions of siblings that a field names

_WORD = re.compile(r"[^\W\d_]+")

Way = TypeVar("Way")


@dataclass(frozen=True, slots=True)
class Sibling:
    """A problem with the same text but for names and numbers."""

    id: ProblemId
    numbers: tuple[Fraction, ...]  # in the order of the text
    answer: Fraction


@dataclass(frozen=True, slots=True)
class Instance:
    """What is kept of a problem to find its siblings."""

    key: int  # siblings have the same
    line: str  # its id, numbers, answer and the words of its question, as JSON

    @classmethod
    def of(
        cls, id_: ProblemId, question: str, numbers: Sequence[FoundNumber], answer: Fraction, original: object = None
    ) -> Instance:
        """Return what is kept of a problem; `original` is the value of the field that names its original, if any."""
        if original is None:
            words = mask_names(question, numbers)
            return cls(_hash([str(len(numbers)), *words]), _line(id_, numbers, answer, []))
        asked = {
            singular(word) for span in questions_of(question) for word in _WORD.findall(span.text) if word.islower()
        }
        return cls(_hash([repr(original), str(len(numbers))]), _line(id_, numbers, answer, sorted(asked)))


def _hash(words: Sequence[str]) -> int:
    digest = blake2b(" ".join(words).encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big") or 1


def _line(id_: ProblemId, numbers: Sequence[FoundNumber], answer: Fraction, asked: Sequence[str]) -> str:
    return json.dumps([id_, " ".join(str(number.value) for number in numbers), str(answer), " ".join(asked)])


class Siblings:
    """The siblings of the problems of a source, by position; of each group as many as are needed."""

    def __init__(self, instances: Iterable[Instance | None]) -> None:
        groups: dict[int, list[str]] = {}
        self._keys = array("Q")
        self._lines: list[str] = []  # of each problem; empty if it has no siblings
        for instance in instances:
            self._keys.append(0 if instance is None else instance.key)
            self._lines.append("" if instance is None else instance.line)
            if instance is None:
                continue
            group = groups.setdefault(instance.key, [])
            # The numbers tell siblings apart: a problem with the same ones proves nothing.
            if len(group) <= MOST_SIBLINGS and all(_numbers(line) != _numbers(instance.line) for line in group):
                group.append(instance.line)
        several = {key for key, group in groups.items() if len(group) > 1}
        self._groups = {key: groups[key] for key in several}
        self._lines = [line if key in several else "" for key, line in zip(self._keys, self._lines, strict=True)]

    def __len__(self) -> int:
        """Return how many problems have siblings."""
        return sum(map(bool, self._lines))

    def of(self, position: int) -> tuple[Sibling, ...]:
        """Return the siblings of the problem at a position that have other numbers."""
        own = self._lines[position] if position < len(self._lines) else ""
        if not own:
            return ()
        group = self._groups[self._keys[position]]
        others = [line for line in group if _numbers(line) != _numbers(own) and _ask_alike(line, own)]
        return tuple(map(_read, others[:MOST_SIBLINGS]))


def _numbers(line: str) -> Any:
    return json.loads(line)[1]


def _ask_alike(one: str, other: str) -> bool:
    """Decide whether two problems ask nearly the same; those that have the same text always do."""
    first, second = (set(json.loads(line)[3].split()) for line in (one, other))
    return len(first & second) >= ALIKE * len(first | second)


def _read(line: str) -> Sibling:
    id_, numbers, answer, _ = json.loads(line)
    return Sibling(id_, tuple(map(Fraction, numbers.split())), Fraction(answer))


def keep_transferring(
    ways: Sequence[Way], value: Callable[[Way, Sequence[Fraction]], Fraction | None], siblings: Sequence[Sibling]
) -> tuple[list[Way], int]:
    """Return the functions that give the answers of most siblings, and of how many.

    A function must give the answers of more than half of them, because an answer may be wrong; where one gives more of
    them than another, only the better one is kept.

    Raises:
        Refusal: no function gives enough of them.
    """
    if not siblings:
        return list(ways), 0
    misses = [[s for s in siblings if not gives(value(way, s.numbers), s.answer)] for way in ways]
    fewest = min(map(len, misses))
    if 2 * fewest >= len(siblings):
        missed = misses[0][0]
        found = value(ways[0], missed.numbers)
        given = "no value" if found is None else number_text(found)
        raise Refusal(
            Reason.TRANSFER, f"gives {given} for problem {missed.id}, whose answer is {number_text(missed.answer)}"
        )
    kept = [way for way, missed in zip(ways, misses, strict=True) if len(missed) == fewest]
    return kept, len(siblings) - fewest


def gives(value: Fraction | None, answer: Fraction) -> bool:
    """Decide whether a value is an answer, perhaps rounded."""
    return value is not None and is_rounded(value, answer)


def value_at(derivation: Derivation, numbers: Sequence[Fraction]) -> Fraction | None:
    """Return the value of the only unknown of a derivation at other numbers; None if it has none."""
    values = {slot: numbers[(number.index or 1) - 1] for slot, number in derivation.alignment.items()}
    try:
        solution = derivation.template.solve(values)
    except DrawError:
        return None
    return solution.numbers[0] if solution.kind is SolutionKind.UNIQUE and len(solution.numbers) == 1 else None


def original_of(record: Mapping[str, Any], field: str | None) -> object:
    """Return the value of the field that names the original of a problem; None if it has none."""
    names = SIBLING_FIELDS if field is None else (field,)
    return next((record[name] for name in names if record.get(name) not in (None, "")), None)
