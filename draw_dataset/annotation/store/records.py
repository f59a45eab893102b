"""The records of a store as objects, and how they are read from rows that may be damaged.

The content of a file is not trusted: a field that does not have the type and form that we write means that the store is
damaged, and the error names the problem. So later code can rely on the values.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NoReturn

from draw_dataset.annotation.store.agenda import Standing
from draw_dataset.annotation.store.decision import Decision, read_decision, read_seconds, standing
from draw_dataset.annotation.store.history import fold
from draw_dataset.annotation.store.work import StoredProblem, Work
from draw_dataset.core.problem import ProblemId
from draw_dataset.errors import AnnotationError, StoreError, shown
from draw_dataset.files import decode_json

Role = Literal["annotator", "adjudicator"]
"""The role of a person: annotators have their own queue, adjudicators settle disagreements."""
ROLES: tuple[Role, ...] = ("annotator", "adjudicator")

STATUSES = ("automatic", "open", "refused")
"""What a problem is when nobody has worked on it."""


@dataclass(frozen=True, slots=True)
class ProblemEntry:
    """A problem of the store.

    Attributes:
        stored: the problem as imported last.
        status: ``automatic`` (needs no person), ``open`` (has questions, or is to be looked at) or ``refused``
            (cannot be annotated as it is).
        questions: how many questions it has.
        message: why it is refused; None if it is not.
    """

    stored: StoredProblem
    status: str
    questions: int
    message: str | None


@dataclass(frozen=True, slots=True)
class Overlap:
    """A problem that several annotators are done with, at least one of whom submitted it.

    Attributes:
        problem: its id.
        state: a string that changes whenever one of their works, or the problem, changes.
        settled: whether an adjudicator has submitted or flagged it.
    """

    problem: ProblemId
    state: str
    settled: bool


@dataclass(frozen=True, slots=True)
class Recorded:
    """All that is recorded of someone's work on a problem; `fold` makes the work of it.

    Attributes:
        annotator: who worked.
        revisions: the problem in all its revisions.
        decisions: all decisions, in their order.
    """

    annotator: str
    revisions: Mapping[int, StoredProblem]
    decisions: Sequence[Decision]

    @property
    def last(self) -> int:
        """The number of the last decision, which says who was later."""
        return self.decisions[-1].number

    def folded(self) -> Work:
        """Return what the decisions come to."""
        return fold(self.revisions, self.annotator, self.decisions)


@dataclass(frozen=True, slots=True)
class RowReader:
    """Reads rows of a store; whatever is not as we write it is a `StoreError` that names the problem.

    Attributes:
        path: the store.
    """

    path: Path

    def entry(self, row: Sequence[Any]) -> ProblemEntry:
        """Read a problem: its id, revision, question, equations, extra, status, number of questions, and message."""
        status, questions, message = row[5:]
        where = f"problem {shown(row[0])}"
        if status not in STATUSES:
            self._damaged(f"{where}: status", f"one of {', '.join(STATUSES)}", status)
        if message is not None:
            self.text(message, f"{where}: message")
        return ProblemEntry(self.stored(row[:5]), status, self.whole(questions, f"{where}: questions"), message)

    def stored(self, row: Sequence[Any]) -> StoredProblem:
        """Read one revision of a problem: its id, revision, question, equations and extra."""
        id_, revision, question, equations, extra = row
        where = f"problem {shown(id_)}"
        if type(id_) not in (int, str):
            self._damaged("a problem", "a whole number or a string as id", id_)
        lines = self._decoded(equations, f"{where}: equations")
        if type(lines) is not list or not all(type(line) is str for line in lines):
            self._damaged(f"{where}: equations", "a list of strings", lines)
        others = self._decoded(extra, f"{where}: extra")
        if type(others) is not dict:
            self._damaged(f"{where}: extra", "an object", others)
        text, number = self.text(question, f"{where}: question"), self.whole(revision, f"{where}: revision")
        return StoredProblem(id_, text, tuple(lines), others, number)

    def decisions(self, rows: Iterable[Sequence[Any]], revisions: Mapping[int, StoredProblem]) -> list[Decision]:
        """Read the decisions of one work: kind, payload, seconds, revision, time and number of each.

        Args:
            rows: the decisions in their order.
            revisions: the problem in all its revisions.
        """
        problem = next(iter(revisions.values())).id
        found: list[Decision] = []
        try:
            for kind, payload, seconds, revision, at, number in rows:
                where = f"problem {shown(problem)}: decision {number}"
                if revision not in revisions:
                    self._damaged(f"{where}: revision", f"one of {', '.join(map(str, revisions))}", revision)
                read = read_decision(kind, self._decoded(payload, where), seconds)
                time = self.text(at, f"{where}: time")
                found.append(Decision(read.kind, read.payload, read.seconds, revision, time, number))
            where = f"problem {shown(problem)}"
            standing(found)
        except AnnotationError as error:
            self._say_damaged(f"{where}: {error}", error)
        return found

    def standing(self, problem: ProblemId, status: Any, seconds: Any, last: Any) -> Standing:
        """Read how a work stands."""
        where = f"problem {shown(problem)}: a work"
        try:
            return Standing(self.text(status, where), read_seconds(seconds, where), self.whole(last, where))
        except AnnotationError as error:
            self._say_damaged(str(error), error)

    def setting(self, name: str, value: Any) -> int:
        """Read a setting, which is a whole number written as a text."""
        if not (isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 20):
            self._damaged(f"the setting {name}", "a whole number", value)
        return int(value)

    def text(self, value: Any, where: str) -> str:
        """Read a text."""
        if type(value) is not str:
            self._damaged(where, "a string", value)
        return str(value)

    def whole(self, value: Any, where: str) -> int:
        """Read a whole number."""
        if type(value) is not int:
            self._damaged(where, "a whole number", value)
        return int(value)

    def _decoded(self, value: Any, where: str) -> Any:
        try:
            return decode_json(self.text(value, where), where, AnnotationError)
        except AnnotationError as error:
            self._say_damaged(str(error), error)

    def _damaged(self, where: str, expected: str, got: object) -> NoReturn:
        self._say_damaged(f"{where}: expected {expected}, but got {shown(got)}")

    def _say_damaged(self, what: str, cause: Exception | None = None) -> NoReturn:
        told = f"{self.path}: {what}. The store is damaged and was not changed: restore it from a copy"
        raise StoreError(told) from cause
