"""The original of a variant: the problem from which it was made.

A variant says what was changed, so its original is found by undoing the changes. Nobody needs to supply it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from draw_dataset.core.exact import recovered
from draw_dataset.core.problem import Problem, ProblemId, is_problem_id
from draw_dataset.errors import RowError, shown
from draw_dataset.text.rules import rule_of
from draw_dataset.variants.rebuilding import Edit, rebuilt


@dataclass(frozen=True, slots=True)
class Variant:
    """A row that is a variant.

    Attributes:
        problem: its problem.
        source_id: the id of its original.
        kind: ``numbers``, ``trap``, ``equal`` or ``twin``.
        changes: what was changed.
    """

    problem: Problem
    source_id: ProblemId
    kind: str
    changes: tuple[Mapping[str, Any], ...]

    @property
    def trap(self) -> Fraction | None:
        """The number of its trap, if it has one."""
        return None if self.kind == "numbers" else recovered(self.changes[0]["value"])

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> Variant:
        """Read a row.

        Raises:
            RowError: it is no row, or no variant.
        """
        if isinstance(row, Mapping) and not isinstance(row.get("variant"), Mapping):
            raise RowError(f"row {shown(row.get('id'))}: expected a variant, but it has no field variant")
        problem = Problem.from_row(row)
        about, source_id = row["variant"], row.get("source_id")
        changes = about.get("changes")
        if not is_problem_id(source_id) or not isinstance(about.get("kind"), str) or not isinstance(changes, list):
            raise RowError(f"row {shown(row.get('id'))}: expected source_id, and a variant with kind and changes")
        for change in changes:
            if not _is_change(change):
                raise RowError(
                    f"row {shown(row.get('id'))}: expected a change with index, start, before, after and value, "
                    f"but got {shown(change)}"
                )
        if not changes:
            raise RowError(f"row {shown(row.get('id'))}: expected changes, but got none")
        return cls(problem, source_id, about["kind"], tuple(changes))

    def original(self) -> Problem:
        """Return its original, with gold computed again.

        Raises:
            RowError: the changes do not lead back to a problem.
        """
        problem = self.problem
        values = {number.index: number.value or Fraction(0) for number in problem.numbers}
        edits, shift = [], 0
        for change in sorted(self.changes, key=lambda change: change["start"]):
            edits.append(Edit(change["start"] + shift, change["after"], change["before"]))
            shift += len(change["after"]) - len(change["before"])
            values[change["index"]] = recovered(change["value"])
        rule = rule_of(problem)
        if self.kind != "numbers":
            problem = replace(problem, numbers=problem.numbers[1:])
        wanted = [values[number.index] for number in problem.numbers]
        there = all(problem.question.startswith(edit.before, edit.start) for edit in edits)
        made = rebuilt(problem, rule, edits, wanted, self.source_id) if there else None
        if made is None:
            raise RowError(
                f"variant {shown(problem.id)}: undoing its changes does not give problem {shown(self.source_id)}"
            )
        return made


def _is_change(change: object) -> bool:
    return (
        isinstance(change, Mapping)
        and all(type(change.get(name)) is int and change[name] >= 0 for name in ("index", "start"))
        and all(isinstance(change.get(name), str) for name in ("before", "after"))
        and type(change.get("value")) in (int, float)
    )
