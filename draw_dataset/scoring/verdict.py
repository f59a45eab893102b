"""The verdict on one prediction: three results, and the reason as a code and as a sentence."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from draw_dataset.reading.answer import Reading

ACCURACIES = ("derivation", "equation", "solution")
"""The three results of a verdict; a score has an accuracy for each."""


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

    @property
    def kind(self) -> Kind:
        """The kind of derivation: right, wrong, none, or not understood."""
        if self in _RIGHT:
            return Kind.RIGHT
        if self in UNREAD:
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


class Verdict:
    """The grade of one prediction.

    Attributes:
        derivation: whether the derivation is equivalent to gold.
        equation: whether it is equivalent to the reference of equation accuracy; in the expected mode, the share of the
            possible references that it is equivalent to. For an answer judged by quantities, the same as `derivation`.
        solution: whether its solution is the gold solution.
        reason: why the derivation is right or wrong.
        slot_map: if the derivation is right, the gold slot of each of its slots.
        certain: for a model answer, whether the derivation is right in every reading of its numbers; for anything else,
            the same as `derivation`.
    """

    __slots__ = ("_message", "_reading", "certain", "derivation", "equation", "reason", "slot_map", "solution")

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
        reading: Callable[[], Reading] | Reading | None = None,
    ) -> None:
        self.derivation = derivation
        self.equation = equation
        self.solution = solution
        self.reason = reason
        self.slot_map = slot_map
        self.certain = derivation if certain is None else certain
        self._message = message
        self._reading = reading

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

    def to_dict(self) -> dict[str, Any]:
        """Return the verdict as plain data, without the reading."""
        return {
            "derivation": self.derivation,
            "equation": self.equation,
            "solution": self.solution,
            "reason": str(self.reason),
            "message": self.message,
            "slot_map": self.slot_map,
            "certain": self.certain,
        }

    def __eq__(self, other: object) -> bool:
        return self.to_dict() == other.to_dict() if isinstance(other, Verdict) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return (
            f"Verdict(derivation={self.derivation}, equation={self.equation}, solution={self.solution}, "
            f"reason={str(self.reason)!r})"
        )

    def __getstate__(self) -> tuple[None, dict[str, Any]]:
        # Message and reading are made before the verdict leaves its process, because their data stays in it.
        made = {"_message": self.message, "_reading": self.reading}
        return None, {name: getattr(self, name) for name in self.__slots__} | made
