"""Gold, prepared for grading: everything of a row that does not depend on the prediction, computed once."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Hashable, Mapping
from dataclasses import replace
from functools import cached_property
from math import lcm
from typing import Any, NamedTuple

from draw_dataset.core.alignment import Place, TextNumber
from draw_dataset.core.exact import exact
from draw_dataset.core.problem import Problem
from draw_dataset.core.references import ConsistentDerivations, consistent_derivations
from draw_dataset.errors import DrawError, RowError, shown
from draw_dataset.text import locate_numbers

_NEEDED = ("question", "equations", "solutions", "template", "alignment", "equiv_tnum")


SLICES = ("slots", "unknowns", "ambiguity", "numbers")
"""The properties of problems by which scores are divided."""


class Facts(NamedTuple):
    """What a score keeps of a reference.

    Attributes:
        labels: what the problem is in each of `SLICES`.
        digest: a number that stands for its gold, from a hash.
    """

    labels: tuple[str, ...]
    digest: int


class Reference:
    """A row as gold.

    Attributes:
        problem: the problem of the row.
        derivation: the gold derivation.
        classes: the classes of equivalent numbers.
        gold_classes: the class of the number in each slot of the gold template.
        by_place: the numbers of the text.
        whole_values: the value of each number that has one, multiplied by `denominator` so that it is whole.
        denominator: what the values of the text have in common.
        solutions: the gold solutions as exact numbers.
        consistent: the derivations that lead to the gold equations.
        memory: what was prepared for certain options.

    Raises:
        RowError: the gold cannot be read, whatever will be graded against it; names the problem.
    """

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.derivation = problem.derivation
        self.classes = problem.number_classes
        self.gold_classes = self.classes.of_places(self.derivation.places)
        self.by_place: dict[Place, TextNumber] = {number.place: number for number in problem.numbers}
        values = {number.place: number.value for number in problem.numbers if number.value is not None}
        self.denominator = lcm(*[value.denominator for value in values.values()])
        self.whole_values = {place: int(value * self.denominator) for place, value in values.items()}
        try:
            self.solutions = tuple(exact(value) for value in problem.solutions)
        except DrawError as error:
            raise RowError(f"problem {problem.id}: gold solutions: {error}") from error
        try:
            self.consistent: ConsistentDerivations = consistent_derivations(list(problem.equations), problem.numbers)
        except DrawError as error:
            raise RowError(f"problem {problem.id}: gold equations: {error}") from error
        self.memory: dict[Hashable, Any] = {}

    def __reduce__(self) -> tuple[type[Reference], tuple[Problem]]:
        # What was prepared is found again where it is needed: it would outweigh the problem.
        return Reference, (self.problem,)

    @cached_property
    def facts(self) -> Facts:
        """What a score keeps of this, found when it is first asked for."""
        row = self.problem.to_row()
        row.pop("findings")
        digest = int.from_bytes(hashlib.sha256(repr(row).encode()).digest(), "big")
        template = self.derivation.template
        return Facts((str(len(template.slots)), str(len(template.unknowns)), self._ambiguity(), self._kind()), digest)

    def _ambiguity(self) -> str:
        """Say whether an aligned value stands on two or more numbers of the text."""
        values = Counter(number.value for number in self.problem.numbers)
        ambiguous = any(values[number.value] > 1 for number in self._aligned())
        return "ambiguous" if ambiguous else "unambiguous"

    def _kind(self) -> str:
        """Say how the aligned numbers are written."""
        kinds = {"digits" if any(c.isdigit() for c in number.text) else "words" for number in self._aligned()}
        return "digits and words" if len(kinds) > 1 else kinds.pop() if kinds else "none"

    def _aligned(self) -> list[TextNumber]:
        return [self.by_place[place] for place in self.derivation.places if place in self.by_place]

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> Reference:
        """Return the reference of a row; ``id``, ``numbers``, ``derivation`` and ``findings`` may be absent.

        Raises:
            RowError: the row lacks a field, or its gold cannot be read; names the row.
        """
        if not isinstance(row, Mapping):
            raise RowError(f"reference: expected a row, but got {shown(row)}")
        missing = [name for name in _NEEDED if name not in row]
        if missing:
            raise RowError(
                f"reference {shown(row.get('id'))}: expected the fields {', '.join(_NEEDED)}, "
                f"but {', '.join(missing)} is missing"
            )
        try:
            return cls(_problem(dict(row)))
        except RowError:
            raise
        except DrawError as error:  # a value that is no number, a text that is too long
            raise RowError(f"reference {shown(row.get('id'))}: {error}") from error


def _problem(row: dict[str, Any]) -> Problem:
    row.setdefault("id", 0)
    if row.get("numbers") is not None:
        return Problem.from_row(row)
    problem = Problem.from_row(row | {"numbers": []})
    annotated = {(a.sentence, a.token): exact(a.value) for a in problem.alignment}
    try:
        numbers, _ = locate_numbers(problem.question, annotated)
    except RowError as error:
        raise RowError(f"problem {problem.id}: {error}") from error
    return replace(problem, numbers=numbers)
