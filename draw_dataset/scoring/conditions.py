"""The conditions of a score, gathered while predictions are graded: what its `Signature` says.

Digests and name are of the data: every row counts once, however many predictions it has and whatever they are. So they
are the same for one prediction for each problem and for a thousand, in any order, and graded in any number of parts.
The rule of matching and the styles of the prompts are those of the predictions.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from draw_dataset.scoring.origin import Origin, name_data
from draw_dataset.scoring.prediction import answer_of
from draw_dataset.scoring.reference import RowDigests
from draw_dataset.scoring.signature import Missing, Options, Signature, check_data_name, gold_used, match_used
from draw_dataset.scoring.verdict import Reason, Verdict


@dataclass(slots=True)
class PredictionKinds:
    """The kinds of the predictions of a score.

    Attributes:
        answers: whether there were answers of language models.
        others: whether there were templates or q-notation, readable or not.
        prompts: the styles of the prompts of the answers; None for an answer that does not say.
    """

    answers: bool = False
    others: bool = False
    prompts: set[str | None] = field(default_factory=set)

    def add(self, prediction: Any, verdict: Verdict) -> None:
        """Note the kind of a prediction."""
        if answer_of(prediction) is not None:
            self.answers = True
            self.prompts.add(prediction.get("prompt_style"))
        elif verdict.reason is not Reason.ABSTAINED:  # neither rule judges an abstention
            self.others = True

    def merge(self, other: PredictionKinds) -> None:
        """Add the kinds of other predictions."""
        self.answers |= other.answers
        self.others |= other.others
        self.prompts |= other.prompts

    @property
    def prompt(self) -> str:
        """The styles of the prompts as a signature has them; empty if no answer says one."""
        return ",".join(sorted(label or "other" for label in self.prompts)) if self.prompts - {None} else ""


class DataDigest:
    """The digest of the rows of a score, in any order. Each row is to be added once.

    Args:
        options: how predictions are graded.
        data: the name of the rows (see `name_data`).

    Raises:
        ChoiceError: the name cannot stand in a signature.
    """

    __slots__ = ("_alternatives", "_ambiguous", "_asked", "_data", "_gold", "_options", "_origins", "_settled")

    def __init__(self, options: Options, data: str, rows: Iterable[RowDigests] = ()) -> None:
        check_data_name(data)  # check it now, not after an hour of scoring
        self._options = options
        self._data = data
        self._gold = self._alternatives = self._asked = 0
        self._ambiguous = self._settled = False
        self._origins: set[Origin | None] = set()
        for row in rows:
            self.add(row)

    def add(self, row: RowDigests) -> None:
        """Count a row."""
        self._gold += row.gold
        self._asked += row.asked
        self._origins.add(row.origin)
        if row.alternatives:
            self._ambiguous |= row.ambiguous
            self._settled |= not row.ambiguous
            if self._options.gold == "any" or (self._options.gold == "auto" and row.ambiguous):
                self._alternatives += row.alternatives

    def signature(self, kinds: PredictionKinds, count: int, missing: Missing) -> Signature:
        """Return the signature of a score of predictions for these rows.

        Args:
            kinds: the kinds of the predictions.
            count: the number of predictions.
            missing: what was done about rows without a prediction.
        """
        match = match_used(self._options.match, answers=kinds.answers, others=kinds.others)
        return Signature(
            name_data(self._data, self._origins),
            self._gold,
            count,
            self._options.matching(match),
            missing,
            gold=gold_used(self._options.gold, ambiguous=self._ambiguous, settled=self._settled),
            alternatives=self._alternatives,
            asked=self._asked if kinds.answers else 0,
            prompt=kinds.prompt,
        )
