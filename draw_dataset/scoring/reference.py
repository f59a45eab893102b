"""Gold, prepared for grading: everything of a row that does not depend on the prediction, computed once."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import replace
from typing import Any

from draw_dataset.core.alignment import Place, TextNumber
from draw_dataset.core.exact import exact
from draw_dataset.core.problem import Problem
from draw_dataset.errors import RowError
from draw_dataset.text.locating import locate_numbers

_NEEDED = ("question", "equations", "solutions", "template", "alignment", "equiv_tnum")


class Reference:
    """A row as gold.

    Attributes:
        problem: the problem of the row.
        derivation: the gold derivation.
        classes: the classes of equivalent numbers.
        gold_classes: the class of the number in each slot of the gold template.
        by_place: the numbers of the text.
        solutions: the gold solutions as exact numbers.
        memory: what was prepared for certain options.
    """

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.derivation = problem.derivation
        self.classes = problem.number_classes
        self.gold_classes = self.classes.of_places(self.derivation.places)
        self.by_place: dict[Place, TextNumber] = {number.place: number for number in problem.numbers}
        self.solutions = tuple(exact(value) for value in problem.solutions)
        self.memory: dict[Hashable, Any] = {}

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> Reference:
        """Return the reference of a row; ``id``, ``numbers``, ``derivation`` and ``findings`` may be absent.

        Raises:
            RowError: the row lacks a field, or its gold cannot be read; names the row.
        """
        if not isinstance(row, Mapping):
            raise RowError(f"reference: expected a row, but got {row!r:.60}")
        missing = [name for name in _NEEDED if name not in row]
        if missing:
            raise RowError(
                f"reference {row.get('id')!r:.40}: expected the fields {', '.join(_NEEDED)}, "
                f"but {', '.join(missing)} is missing"
            )
        whole = dict(row)
        whole.setdefault("id", 0)
        if whole.get("numbers") is None:
            whole["numbers"] = []
            problem = Problem.from_row(whole)
            annotated = {(a.sentence, a.token): exact(a.value) for a in problem.alignment}
            numbers, _ = locate_numbers(problem.question, annotated)
            return cls(replace(problem, numbers=numbers))
        return cls(Problem.from_row(whole))
