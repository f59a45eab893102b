"""References: the gold of a row, prepared for grading.

Everything that does not depend on the prediction is computed once. The row, its gold derivation and its classes are
read at once. What only scoring needs (solutions, the derivations that lead to the gold equations, what a score keeps)
is computed when it is first asked for. So drawing or solving a problem does not wait for it, and does not fail because
of equations that it does not need.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Hashable, Mapping
from dataclasses import replace
from fractions import Fraction
from math import lcm
from typing import Any, NamedTuple

from draw_dataset.core.alignment import Place, TextNumber
from draw_dataset.core.equations import System, merge_slots
from draw_dataset.core.equivalence import match_slots
from draw_dataset.core.exact import exact
from draw_dataset.core.problem import REFUSED, Problem, ProblemId, is_problem_id
from draw_dataset.core.references import ConsistentDerivations
from draw_dataset.core.row_shapes import not_a_row, plain_row
from draw_dataset.errors import DrawError, RowError, shown
from draw_dataset.scoring.origin import Origin, origin_of
from draw_dataset.text import locate_numbers
from draw_dataset.text.ambiguity import is_ambiguous_in_context
from draw_dataset.text.rules import number_words_of

_NEEDED = ("question", "equations", "solutions", "template", "alignment", "equiv_tnum")
_READ = ("id", *_NEEDED, "numbers", "findings", "alternatives", "asked", "status", "reason")
"""The fields of a row that a reference is made of."""

AMBIGUOUS = "ambiguous"
"""The status of a row with several possible derivations, of which gold is only the first."""

SLICES = ("slots", "unknowns", "ambiguity", "numbers")
"""The properties of problems by which scores are split."""

Classes = tuple[Place, ...]
"""The class of the number in each slot of a template."""


class Values(NamedTuple):
    """The values of the numbers of a text as whole numbers.

    Attributes:
        whole: the value of each number that has one, multiplied by `denominator`.
        denominator: the common denominator.
    """

    whole: dict[Place, int]
    denominator: int


class RowDigests(NamedTuple):
    """What a signature says about a row; its numbers come from hashes.

    Attributes:
        gold: identifies the gold.
        alternatives: identifies the alternatives; 0 if there are none.
        asked: identifies what the question asks for; 0 if that is not decided.
        ambiguous: whether the alternatives count by default.
        origin: where the row comes from.
    """

    gold: int
    alternatives: int
    asked: int
    ambiguous: bool
    origin: Origin | None


class Reference:
    """A row as gold.

    Attributes:
        problem: the problem of the row.
        derivation: the gold derivation.
        classes: the classes of equivalent numbers.
        gold_classes: the class of the number in each slot of the gold template.
        by_place: the numbers of the text.
        memory: what was prepared for certain options.

    Raises:
        RowError: the gold derivation or the classes cannot be read; names the problem.
    """

    __slots__ = (
        "_digests", "_solutions", "_values",
        "by_place", "classes", "derivation", "gold_classes", "memory", "problem",
    )  # fmt: skip

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.derivation = problem.derivation
        self.classes = problem.number_classes
        self.gold_classes: Classes = self.classes.of_places(self.derivation.places)
        self.by_place: dict[Place, TextNumber] = {(n.sentence, n.token): n for n in problem.numbers}
        self.memory: dict[Hashable, Any] = {}
        self._values: Values | None = None
        self._solutions: tuple[Fraction, ...] | None = None
        self._digests: RowDigests | None = None

    def __reduce__(self) -> tuple[type[Reference], tuple[Problem]]:
        # Prepared results are not pickled: they are larger than the problem, and can be computed again.
        return Reference, (self.problem,)

    @classmethod
    def of(cls, row: Reference | Problem | Mapping[str, Any]) -> Reference:
        """Return the reference of a row or a problem; a reference is returned unchanged.

        In a row ``id``, ``numbers``, ``derivation``, ``findings`` and the fields after it may be absent.

        Raises:
            RowError: the row lacks a field, or its gold cannot be read; names the row.
        """
        if isinstance(row, Reference):
            return row
        if isinstance(row, Problem):
            return cls(row)
        try:
            return cls._of_row(row)
        except RowError:
            # Numbers and arrays of other libraries become plain only where something is wrong: rows are read often.
            return cls._of_row(plain_row(row))

    @classmethod
    def _of_row(cls, row: Mapping[str, Any]) -> Reference:
        if not isinstance(row, Mapping):
            raise RowError(f"reference: {not_a_row(row)}")
        missing = [name for name in _NEEDED if name not in row]
        if missing:
            raise RowError(
                f"reference {shown(row.get('id'))}: expected the fields {', '.join(_NEEDED)}, "
                f"but {', '.join(missing)} is missing"
            )
        try:
            return cls(_problem(row))
        except RowError:
            raise
        except DrawError as error:  # a text that is too long
            raise RowError(f"reference {shown(row.get('id'))}: {error}") from error

    @property
    def solutions(self) -> tuple[Fraction, ...]:
        """The gold solutions as exact numbers.

        Raises:
            RowError: a solution is not a finite number; names the problem.
        """
        if self._solutions is None:
            try:
                self._solutions = tuple([exact(value) for value in self.problem.solutions])
            except DrawError as error:
                raise self._bad("gold solutions", error) from error
        return self._solutions

    @property
    def consistent(self) -> ConsistentDerivations:
        """The derivations that lead to the gold equations; not cached, as scoring keeps what it makes of them.

        Raises:
            RowError: the equations are not strings, or are too long; names the problem.
        """
        try:
            return ConsistentDerivations.of(self.problem.equations, self.problem.numbers)
        except DrawError as error:
            raise self._bad("gold equations", error) from error

    def check(self) -> None:
        """Raise an error if the gold cannot be read, before anything is graded.

        Raises:
            RowError: what is wrong with it; names the problem.
        """
        _, consistent = self.solutions, self.consistent
        try:
            consistent.check()
        except DrawError as error:
            raise self._bad("gold equations", error) from error

    def _bad(self, what: str, error: DrawError) -> RowError:
        return RowError(f"problem {self.problem.id}: {what}: {error}")

    @property
    def values(self) -> Values:
        """The values of the text's numbers as whole numbers."""
        if self._values is None:
            known = {n.place: n.value.as_integer_ratio() for n in self.problem.numbers if n.value is not None}
            common = lcm(*[denominator for _, denominator in known.values()])
            self._values = Values({place: n * (common // d) for place, (n, d) in known.items()}, common)
        return self._values

    @property
    def digests(self) -> RowDigests:
        """The digests of the row, for signatures."""
        if self._digests is None:
            problem = self.problem
            self._digests = RowDigests(
                gold=_digest_of(problem.gold_text()),
                alternatives=_digest_of(repr((problem.id, problem.alternatives))) if problem.alternatives else 0,
                asked=_digest_of(repr((problem.id, problem.asked))) if problem.asked else 0,
                ambiguous=problem.status == AMBIGUOUS,
                origin=origin_of(problem),
            )
        return self._digests

    @property
    def labels(self) -> tuple[str, ...]:
        """The value of the problem for each of `SLICES`; not cached, because slices are rarely asked for."""
        template = self.derivation.template
        ambiguity = "ambiguous" if is_ambiguous_in_context(self.problem) else "unambiguous"
        return str(len(template.slots)), str(len(template.unknowns)), ambiguity, self._kind()

    def _kind(self) -> str:
        """Say how the aligned numbers are written."""
        kinds = {_written(number.text) for number in self._aligned()}
        return "digits and words" if len(kinds) > 1 else kinds.pop() if kinds else "none"

    def _aligned(self) -> list[TextNumber]:
        return [self.by_place[place] for place in self.derivation.places if place in self.by_place]


class ReferenceCache:
    """The references of rows. Equal rows share one reference, because preparing gold costs more than grading.

    A row is known again as an object, or by its content: a dataset makes a new object of a row whenever it is asked for
    it. Objects stay alive here, so that no other row gets the ``id()`` of one. The content of a row is written only if
    its question has occurred before.
    """

    def __init__(self) -> None:
        self._by_object: dict[int, tuple[object, Reference]] = {}
        self._by_content: dict[str, Reference] = {}
        self._first: dict[str, tuple[Mapping[str, Any], Reference] | None] = {}

    def reference(self, row: Reference | Problem | Mapping[str, Any]) -> Reference:
        """Return the reference of a row.

        Raises:
            RowError: see `Reference.of`.
        """
        if isinstance(row, Reference):
            return row
        known = self._by_object.get(id(row))
        if known is not None:
            return known[1]
        question = row.get("question") if isinstance(row, Mapping) else None
        if not isinstance(row, Mapping) or type(question) is not str:
            return self._keep(row, Reference.of(row))
        if question not in self._first:
            reference = self._keep(row, Reference.of(row))
            self._first[question] = row, reference
            return reference
        first = self._first[question]
        if first is not None:
            self._first[question] = None
            self._by_content[_content(first[0])] = first[1]
        content = _content(row)
        same = self._by_content.get(content) if content else None
        if same is not None:
            return same
        self._by_content[content] = reference = self._keep(row, Reference.of(row))
        return reference

    def _keep(self, row: object, reference: Reference) -> Reference:
        self._by_object[id(row)] = row, reference
        return reference


def _content(row: Mapping[str, Any]) -> str:
    """Return the fields of a row that a reference is made of as one string; empty if they are no plain data."""
    for plain in (dict, plain_row):
        try:
            given = plain(row)
            # JSON distinguishes 1 from 1.0, which are not equal as ids.
            return json.dumps([given.get(name) for name in _READ])
        except (TypeError, ValueError, RecursionError):
            continue
    return ""


def refused_id(row: Mapping[str, Any] | Problem | Reference) -> ProblemId | None:
    """Return the id of a row that has no gold because it was refused when it was derived; None for any other row."""
    if isinstance(row, Problem):
        return row.id if row.is_refused else None
    if isinstance(row, Mapping) and row.get("status") == REFUSED and is_problem_id(row.get("id")):
        id_: ProblemId = row["id"]
        return id_
    return None


def _digest_of(text: str) -> int:
    """Return a number that identifies a string. Sums of them identify sets of strings in any order."""
    # A lone surrogate, which a string from JSON may have, cannot be encoded as UTF-8.
    return int.from_bytes(hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest(), "big")


def _written(text: str) -> str:
    if text.isalpha() or text.isdecimal():  # nearly all are
        return "words" if text.isalpha() else "digits"
    return "digits" if any(c.isdigit() for c in text) else "words"


def _problem(row: Mapping[str, Any]) -> Problem:
    if "id" not in row:
        row = {**row, "id": 0}
    if row.get("numbers") is not None:
        return Problem.from_row(row)
    problem = Problem.from_row({**row, "numbers": []})
    annotated = {(a.sentence, a.token): exact(a.value) for a in problem.alignment}
    try:
        numbers, _ = locate_numbers(problem.question, annotated, number_words_of(problem))
    except RowError as error:
        raise RowError(f"problem {problem.id}: {error}") from error
    return replace(problem, numbers=numbers)


def matches(predicted: System, predicted_classes: Classes, gold: System, gold_classes: Classes, merge: bool) -> bool:
    """Say whether two derivations are equivalent.

    Args:
        predicted: the system of one.
        predicted_classes: the classes in its slots.
        gold: the system of the other.
        gold_classes: the classes in its slots.
        merge: whether slots with numbers of the same class count as one slot.
    """
    if predicted is gold and predicted_classes == gold_classes:
        return True
    if merge:
        predicted, predicted_classes = _merged(predicted, predicted_classes)
        gold, gold_classes = _merged(gold, gold_classes)
    return match_slots(predicted, predicted_classes, gold, gold_classes) is not None


def _merged(system: System, classes: Classes) -> tuple[System, Classes]:
    """Return a system in which each class has one slot, and the classes."""
    different = tuple(dict.fromkeys(classes))
    if len(different) == len(classes):
        return system, classes
    number = {c: i for i, c in enumerate(different)}
    return merge_slots(system, tuple([number[c] for c in classes])), different
