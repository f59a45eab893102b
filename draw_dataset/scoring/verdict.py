"""The verdict on one prediction: three results, and the reason as a code and as a sentence."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from draw_dataset.algebra.number import short_number
from draw_dataset.errors import ChoiceError
from draw_dataset.io.markup import Table

if TYPE_CHECKING:
    from draw_dataset.reading.answer import Reading

ACCURACIES = ("derivation", "equation", "solution")
"""The three results of a verdict; a score has an accuracy for each."""

COLUMNS = ("derivation", "equation", "solution", "status", "reason", "message", "certain")
"""The keys of ``dict(verdict)``; each value has one type, so that verdicts make a column of a dataset."""


class Reason(StrEnum):
    """Why a derivation is right or wrong; the codes are stable.

    A verdict has the first reason that applies: unreadable before slot count, slot count before template.
    """

    RIGHT = "right"
    ABSTAINED = "abstained"
    UNREADABLE = "unreadable"
    NOT_LINEAR = "not linear"
    TOO_LARGE = "too large"
    BAD_ALIGNMENT = "bad alignment"
    UNSOLVABLE = "unsolvable"
    SLOT_COUNT = "slot count"
    UNKNOWN_COUNT = "unknown count"
    TEMPLATE = "template"
    ALIGNMENT = "alignment"
    # For model answers:
    SLIP = "slip"
    LUCKY = "lucky"
    SHORTCUT = "shortcut"
    PART = "part"
    OTHER = "other"
    NO_DERIVATION = "no-derivation"
    UNREAD = "unread"
    UNDECIDED = "undecided"

    @property
    def kind(self) -> Kind:
        """The kind of derivation: right, wrong, none, or not understood."""
        if self in _RIGHT:
            return Kind.RIGHT
        if self in UNREAD or self is Reason.UNDECIDED:
            return Kind.UNREAD
        return Kind.NONE if self in (Reason.NO_DERIVATION, Reason.ABSTAINED) else Kind.WRONG


class Kind(StrEnum):
    """The kind of derivation of a prediction. Only a derivation that was read can be wrong."""

    RIGHT = "right derivation"
    WRONG = "wrong derivation"
    NONE = "no derivation"
    UNREAD = "derivation not understood"


_RIGHT = frozenset({Reason.RIGHT, Reason.SLIP, Reason.SHORTCUT})
UNREAD = frozenset({Reason.UNREADABLE, Reason.NOT_LINEAR, Reason.TOO_LARGE, Reason.BAD_ALIGNMENT, Reason.UNREAD})
"""Reasons of predictions that could not be read. They were not compared with gold."""


def is_open(reason: Reason) -> bool:
    """Decide whether a reason leaves open if there is a right derivation; an abstention has none."""
    return reason.kind in (Kind.NONE, Kind.UNREAD) and reason is not Reason.ABSTAINED


class Status(StrEnum):
    """What a verdict says of a derivation. Only what was proved is right or wrong."""

    RIGHT = "right"
    WRONG = "wrong"
    UNDECIDED = "undecided"


def status_of(reason: Reason, *, derivation: bool) -> Status:
    """Return the status of a derivation that is right or not, for a reason."""
    if derivation:
        return Status.RIGHT
    return Status.WRONG if reason.kind is Kind.WRONG else Status.UNDECIDED


class StepKind(StrEnum):
    """What a step of an answer is; the codes are stable."""

    RIGHT = "right"  # a quantity of gold
    SLIP = "slip"  # its arithmetic is false as it is written
    FOREIGN = "foreign"  # it has an operand from nowhere
    OTHER = "other"  # in no reading a quantity of gold, and none that is uses it
    LEFT_OUT = "left-out"  # the result is taken although something is missing
    ASIDE = "aside"  # true, and leads nowhere
    UNKNOWN = "unknown"

    @property
    def is_error(self) -> bool:
        """Whether an answer may go wrong in such a step."""
        return self in (StepKind.SLIP, StepKind.FOREIGN, StepKind.OTHER, StepKind.LEFT_OUT)


@dataclass(frozen=True, slots=True)
class StepVerdict:
    """The verdict on one step of an answer.

    Attributes:
        index: its number, from 0.
        span: where it stands in the answer.
        kind: what it is.
        function: the quantity that it calculates, in q-notation; empty if that is not known.
        stated: the value that it states for that.
        expected: what would have been right, if that is known.
        certain: whether the kind is proved, and not only the likeliest.
        because: the reason, as a sentence; empty for a step that is right.
    """

    index: int
    span: tuple[int, int]
    kind: StepKind
    function: str = ""
    stated: Fraction | None = None
    expected: Fraction | None = None
    certain: bool = False
    because: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return the step as plain data; numbers become strings, so that they stay exact."""
        return {
            "index": self.index,
            "span": list(self.span),
            "kind": str(self.kind),
            "function": self.function,
            "stated": None if self.stated is None else str(self.stated),
            "expected": None if self.expected is None else str(self.expected),
            "certain": self.certain,
            "because": self.because,
        }


@dataclass(frozen=True, slots=True)
class Witness:
    """Numbers at which a wrong derivation and gold differ, so that anyone can check the verdict.

    Attributes:
        numbers: the changed numbers of the text, by name; empty if they differ at the numbers of the text.
        answer: what the derivation of the prediction gives there.
        gold: what gold gives there.
    """

    numbers: Mapping[str, Fraction]
    answer: Fraction
    gold: Fraction

    def __str__(self) -> str:
        there = ", ".join(f"{name} = {short_number(value)}" for name, value in self.numbers.items())
        results = f"this way gives {short_number(self.answer)}, and gold {short_number(self.gold)}"
        return f"with {there} {results}" if there else results

    def to_dict(self) -> dict[str, Any]:
        """Return the witness as plain data; numbers become strings, so that they stay exact."""
        numbers = {name: str(value) for name, value in self.numbers.items()}
        return {"numbers": numbers, "answer": str(self.answer), "gold": str(self.gold)}


class Verdict:
    """The grade of one prediction.

    ``dict(verdict)`` has `COLUMNS`; `to_dict` also has the slot map and the witness, whose keys differ.

    Attributes:
        derivation: whether the derivation is equivalent to gold.
        equation: whether it is equivalent to the reference of equation accuracy; in the expected mode, the share of the
            possible references that it is equivalent to. For an answer judged by quantities, the same as `derivation`.
        solution: whether its solution is the gold solution.
        reason: why the derivation is right or wrong.
        slot_map: if the derivation is right, the gold slot of each of its slots.
        witness: where the prediction is proved wrong, numbers at which it and gold differ; else None.
        certain: for a model answer, whether the derivation is right in every reading of its numbers; for anything else,
            the same as `derivation`.
        open_result: whether the solution is not counted as right because nothing says which of several results is
            meant, or asked for; the message tells.
    """

    __slots__ = (
        "_message",
        "_reading",
        "_steps",
        "_witness",
        "certain",
        "derivation",
        "equation",
        "open_result",
        "reason",
        "slot_map",
        "solution",
    )

    def __init__(
        self,
        *,
        derivation: bool,
        equation: float,
        solution: bool,
        reason: Reason,
        message: str | Callable[[], str],
        slot_map: dict[str, str] | None = None,
        certain: bool | None = None,
        reading: Callable[[], Reading | None] | Reading | None = None,
        witness: Callable[[], Witness | None] | Witness | None = None,
        open_result: bool = False,
    ) -> None:
        self.derivation = derivation
        self.open_result = open_result
        self.equation = equation
        self.solution = solution
        self.reason = reason
        self.slot_map = slot_map
        self.certain = derivation if certain is None else certain
        self._message = message
        self._reading = reading
        self._witness = witness
        self._steps: Callable[[], tuple[StepVerdict, ...]] | tuple[StepVerdict, ...] = ()

    @classmethod
    def right(
        cls,
        message: str,
        *,
        equation: float,
        solution: bool,
        reason: Reason = Reason.RIGHT,
        slot_map: dict[str, str] | None = None,
        certain: bool = True,
    ) -> Verdict:
        """Return the verdict on a prediction with the gold derivation."""
        return cls(
            derivation=True,
            equation=equation,
            solution=solution,
            reason=reason,
            message=message,
            slot_map=slot_map,
            certain=certain,
        )

    @classmethod
    def wrong(
        cls, reason: Reason, message: str | Callable[[], str], *, equation: float = False, solution: bool = False
    ) -> Verdict:
        """Return the verdict on a prediction without the gold derivation."""
        return cls(derivation=False, equation=equation, solution=solution, reason=reason, message=message)

    @property
    def status(self) -> Status:
        """Whether the derivation is proved right or wrong, or undecided."""
        return status_of(self.reason, derivation=self.derivation)

    @property
    def witness(self) -> Witness | None:
        """Numbers at which a wrong derivation and gold differ, sought on first access; None if there are none."""
        if callable(self._witness):
            self._witness = self._witness()
        return self._witness

    @property
    def message(self) -> str:
        """The reason as a sentence, written on first access."""
        if not isinstance(self._message, str):
            self._message = self._message()
        return self._message

    @property
    def reading(self) -> Reading | None:
        """The reading of a model answer, made on first access; None for anything else."""
        if callable(self._reading):
            self._reading = self._reading()
        return self._reading

    def with_steps(self, steps: Callable[[], tuple[StepVerdict, ...]]) -> Verdict:
        """Return the same verdict with steps, which are judged on first access."""
        made = Verdict(
            derivation=self.derivation,
            equation=self.equation,
            solution=self.solution,
            reason=self.reason,
            message=self._message,
            slot_map=self.slot_map,
            certain=self.certain,
            reading=self._reading,
            witness=self._witness,
            open_result=self.open_result,
        )
        made._steps = steps
        return made

    @property
    def result(self) -> str:
        """Whether the solution is right, wrong or undecided, in a word."""
        return "undecided" if self.open_result else "right" if self.solution else "wrong"

    @property
    def steps(self) -> tuple[StepVerdict, ...]:
        """The verdicts on the steps of a model answer, judged on first access; empty for anything else."""
        if callable(self._steps):
            self._steps = self._steps()
        return self._steps

    @property
    def first_error(self) -> StepVerdict | None:
        """The step at which a wrong answer first goes wrong; None if it is right, or if no step can be named.

        That there is an error is proved by the result or the derivation, and the step only if it is `certain`.
        """
        if self.solution and self.status is not Status.WRONG:
            return None
        return next((step for step in self.steps if step.kind.is_error), None)

    def to_dict(self) -> dict[str, Any]:
        """Return the verdict as plain data, without the reading and the steps."""
        return {
            "derivation": self.derivation,
            "equation": self.equation,
            "solution": self.solution,
            "reason": str(self.reason),
            "status": str(self.status),
            "message": self.message,
            "slot_map": self.slot_map,
            "certain": self.certain,
            "witness": None if self.witness is None else self.witness.to_dict(),
        }

    def keys(self) -> tuple[str, ...]:
        """Return the keys of ``dict(verdict)``: `COLUMNS`."""
        return COLUMNS

    def __getitem__(self, name: str) -> bool | float | str:
        """Return one of `COLUMNS` as plain data."""
        if name not in COLUMNS:
            raise KeyError(name)
        if name == "equation":
            return float(self.equation)
        value: bool | str = getattr(self, name)
        return str(value) if isinstance(value, str) else value

    __iter__ = None
    """A verdict is no sequence."""

    def __eq__(self, other: object) -> bool:
        return self.to_dict() == other.to_dict() if isinstance(other, Verdict) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return (
            f"Verdict(status={str(self.status)!r}, derivation={self.derivation}, equation={self.equation}, "
            f"solution={self.solution}, reason={str(self.reason)!r})"
        )

    def __bool__(self) -> bool:
        raise ChoiceError("a verdict has three results: expected its derivation, equation or solution, or its status")

    def _repr_html_(self) -> str:
        rows = [
            ("derivation", [f"{self.status}{'' if self.certain or not self.derivation else ', in some reading'}"]),
            ("solution", [self.result]),
            ("reason", [f"{self.reason}: {self.message}"]),
        ]
        if self.first_error is not None and self.first_error.because:
            rows.append(("first error", [self.first_error.because]))
        return Table([], rows).to_html(title="Verdict")

    def __getstate__(self) -> tuple[None, dict[str, Any]]:
        # Message and reading are made before the verdict leaves its process, because their data stays in it.
        made = {"_message": self.message, "_reading": self.reading, "_witness": self.witness}
        return None, {name: getattr(self, name) for name in self.__slots__} | made
