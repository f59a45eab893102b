"""The state of one annotator's work on one problem: what is answered, what is left, and the resulting derivation.

`draw_dataset.annotation.store.history` computes it from the annotator's decisions.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from draw_dataset.annotation.proposal.candidates import Origin, Proposal, propose
from draw_dataset.annotation.proposal.induction import annotated_problem
from draw_dataset.annotation.store.decision import MAX_QUESTION, TextPlace, read_question, read_text
from draw_dataset.core.alignment import TextNumber
from draw_dataset.core.derivation import Derivation
from draw_dataset.core.memory import MEGABYTE, remembered
from draw_dataset.core.problem import LONGEST_ID, Problem, ProblemId, is_problem_id
from draw_dataset.core.row_fields import LARGEST
from draw_dataset.errors import AnnotationError, DrawError, LimitError, RowError, shown
from draw_dataset.text import NumberWords, locate_numbers

Group = tuple[TextNumber, ...]

Marked = tuple[tuple[TextPlace, str], ...]
"""Tokens that a person called numbers: each place with its value, in the order of the text."""


@dataclass(frozen=True, slots=True)
class StoredProblem:
    """A problem as it was imported.

    Attributes:
        id: what it is called.
        question: the text.
        equations: the equations as written.
        extra: whatever else was imported with it, such as ``source`` or ``changes``.
        revision: how often it was imported with something changed, from 1.
    """

    id: ProblemId
    question: str
    equations: tuple[str, ...]
    extra: Mapping[str, Any] = field(default_factory=dict)
    revision: int = 1

    @property
    def look_at(self) -> tuple[str, ...]:
        """What a person should look at even if the text decides everything, as the import says in ``look_at``."""
        given = self.extra.get("look_at")
        return tuple(map(str, given)) if isinstance(given, (list, tuple)) else ()

    @property
    def number_words(self) -> NumberWords:
        """The setting by which its numbers are found, as the import says in ``number_words``: that of its row."""
        return "ordinary" if self.extra.get("number_words") == "ordinary" else "standard"


@dataclass(frozen=True, slots=True)
class Work:
    """What an annotator has made of a problem so far.

    Attributes:
        stored: the problem as imported.
        annotator: who works on it.
        question: the text as it is now.
        proposal: what text and equations leave open; None if they cannot be annotated as they are.
        refusal: why they cannot; None if they can.
        chosen: where literals come from, by their positions in the proposal, as far as the annotator said so.
        marked: tokens that the annotator called numbers though the rules do not see them, each with its value.
        groups: the numbers that mean the same thing (EquivTNum), each group and all of them in the order of the text.
        flagged: why the problem is not fit to be annotated, possibly an empty text; None if it is not flagged.
        skipped: whether it is left for later.
        submitted: whether it is done.
        taken: whose work an adjudicator took; None unless nothing was changed since.
        seconds: the time spent on all decisions, those undone included.
        notices: what the annotator should know about the last step, such as choices that an edit has dropped.
        decided: how many decisions were recorded, undone ones and undoing included.
        can_undo: whether there is a decision to undo.
        can_redo: whether there is an undone one to redo.
    """

    stored: StoredProblem
    annotator: str
    question: str
    proposal: Proposal | None
    refusal: str | None
    chosen: Mapping[int, Origin] = field(default_factory=dict)
    groups: tuple[Group, ...] = ()
    marked: Marked = ()
    flagged: str | None = None
    skipped: bool = False
    submitted: bool = False
    taken: str | None = None
    seconds: float = 0.0
    notices: tuple[str, ...] = field(default=(), compare=False)
    decided: int = field(default=0, compare=False)
    can_undo: bool = field(default=False, compare=False)
    can_redo: bool = field(default=False, compare=False)

    @property
    def problem_id(self) -> ProblemId:
        """What the problem is called."""
        return self.stored.id

    @property
    def original(self) -> str:
        """The text as it was imported."""
        return self.stored.question

    @property
    def status(self) -> str:
        """One of ``untouched``, ``started``, ``skipped``, ``flagged`` and ``submitted``."""
        if self.submitted:
            return "submitted"
        if self.flagged is not None:
            return "flagged"
        if self.skipped:
            return "skipped"
        return "started" if self.can_undo else "untouched"

    @property
    def left(self) -> tuple[int, ...]:
        """The positions of the literals that are still open questions."""
        return () if self.proposal is None else tuple(q for q in self.proposal.questions if q not in self.chosen)

    @property
    def trouble(self) -> str | None:
        """Why complete answers make no derivation; None if they do, or if some answers are missing."""
        derived = self._derived()
        return derived if isinstance(derived, str) else None

    @property
    def is_complete(self) -> bool:
        """Whether it may be submitted: nothing is open, and the answers make a derivation."""
        return self.derivation is not None

    @property
    def derivation(self) -> Derivation | None:
        """The derivation; None while something is open."""
        derived = self._derived()
        return derived if isinstance(derived, Derivation) else None

    def _derived(self) -> Derivation | str | None:
        if self.proposal is None or self.left:
            return None
        try:
            return self.proposal.derive(self.chosen)
        except (AnnotationError, LimitError) as error:
            return str(error)

    def number_at(self, place: TextPlace) -> TextNumber:
        """Return the number of the text at a place.

        Raises:
            AnnotationError: no number stands there.
        """
        for number in self.numbers:
            if number.place == place:
                return number
        there = ", ".join(f'"{n.text}" at {list(n.place)}' for n in self.numbers) or "none"
        raise AnnotationError(f"expected a number of the text ({there}), but got {list(place)}")

    @property
    def numbers(self) -> tuple[TextNumber, ...]:
        """The numbers of the text as it is now."""
        return () if self.proposal is None else self.proposal.numbers

    def problem(self) -> Problem:
        """Return the annotated problem.

        Raises:
            AnnotationError: something is still open, or the template cannot be written; says what.
        """
        if self.proposal is None or not self.is_complete:
            raise AnnotationError(f"problem {self.problem_id}: {self.lacking()}")
        try:
            return annotated_problem(self.problem_id, self.proposal, self.chosen, self.groups)
        except LimitError as error:
            raise AnnotationError(f"problem {self.problem_id}: {error}") from error

    def lacking(self) -> str:
        """Say what keeps it from being complete."""
        if self.proposal is None:
            return f"it cannot be annotated as it is: {self.refusal}"
        if self.left:
            texts = ", ".join(self.proposal.literals[position].text for position in self.left)
            return f"expected every value to be decided, but it is still open where {texts} comes from"
        return f"the answers make no derivation: {self.trouble}"


def read_id(value: object, where: str, error: type[DrawError] = AnnotationError) -> ProblemId:
    """Return the id in untrusted data.

    Raises:
        DrawError: the given one; it is neither a whole number from 0 nor a text that can be seen.
    """
    if is_problem_id(value):
        return value
    raise error(
        f"{where}: id: expected a whole number from 0 to {LARGEST}, or a string of 1 to {LONGEST_ID} characters that "
        f"can be seen, but got {shown(value)}"
    )


def fresh_work(stored: StoredProblem, annotator: str) -> Work:
    """Return the state without any decision.

    >>> work = fresh_work(StoredProblem(7, "Two and 2 make 4 . Add 5 .", ("x = 2 + 5",)), "Ann")
    >>> work.left, work.status
    ((0,), 'untouched')
    """
    proposal, refusal = proposed(stored.question, stored.equations, (), stored.number_words)
    return Work(stored, annotator, stored.question, proposal, refusal)


def _weigh(
    found: tuple[Proposal | None, str | None],
    question: str,
    equations: tuple[str, ...],
    marked: Marked = (),
    _: NumberWords = "standard",
) -> int:
    texts = 1_000 + 4 * len(question) + 4 * sum(map(len, equations)) + 300 * len(marked)
    proposal = found[0]
    if proposal is None:
        return texts
    origins = sum([len(literal.origins) for literal in proposal.literals])
    tokens = len(proposal.source.tokens)
    return texts + 500 * len(proposal.numbers) + 600 * len(proposal.literals) + 300 * origins + 60 * tokens


@remembered(48 * MEGABYTE, _weigh)
def proposed(
    question: str, equations: tuple[str, ...], marked: Marked = (), number_words: NumberWords = "standard"
) -> tuple[Proposal | None, str | None]:
    """Return the proposal for a text with its marked numbers and equations, or why they cannot be annotated."""
    try:
        read_question(question)
        for equation in equations:
            read_text(equation, MAX_QUESTION, "equations")
        numbers = locate_numbers(question, {place: Fraction(value) for place, value in marked}, number_words)[0]
        return propose(question, equations, numbers), None
    except (AnnotationError, LimitError, RowError) as error:
        return None, str(error)
