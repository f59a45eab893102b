"""What the solver says of a text: a derivation with its solution, or why it says nothing."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from draw_dataset.core.derivation import Derivation
from draw_dataset.core.equations import Solution, write


class Reason(StrEnum):
    """Why the solver abstains; the codes are stable."""

    NO_NUMBERS = "no numbers"
    TOO_FEW_NUMBERS = "too few numbers"
    TOO_MANY_NUMBERS = "too many numbers"
    TOO_LONG = "too long"
    UNKNOWN_WORDS = "unknown words"
    NOTHING_SOLVABLE = "nothing solvable"


@dataclass(frozen=True, slots=True)
class Prediction:
    """The answer of the solver.

    Attributes:
        derivation: the best derivation; None if it abstains.
        solution: what its equations say of the unknowns, exactly.
        score: the score of the derivation; only differences to other derivations of the same text mean anything.
        reason: why it abstains; None if it does not.
        message: the same for a person, in a sentence.
    """

    derivation: Derivation | None
    solution: Solution | None = None
    score: float = 0.0
    reason: Reason | None = None
    message: str = ""

    @property
    def q_notation(self) -> str:
        """The derivation in q-notation; empty if it abstains."""
        return self.derivation.q_notation() if self.derivation is not None else ""

    @property
    def equations(self) -> tuple[str, ...]:
        """The equations with the numbers in their slots."""
        if self.derivation is None:
            return ()
        source = self.derivation.template.source
        values = {slot: str(number.value) for slot, number in self.derivation.alignment.items()}
        held = {slot: f"({value})" if "/" in value or "-" in value else value for slot, value in values.items()}
        return tuple(write(source, lambda token: held.get(source.name(token), source.name(token))).split("; "))

    def to_dict(self) -> dict[str, Any] | None:
        """Return the prediction as the metric takes it; None if it abstains."""
        if self.derivation is None or self.solution is None:
            return None
        return {
            "template": list(self.derivation.template.equations),
            "alignment": [
                {"slot": slot, "sentence": number.sentence, "token": number.token}
                for slot, number in self.derivation.alignment.items()
            ],
            "solutions": [float(value) for value in self.solution.numbers],
        }
