"""What every system that answers texts has in common: what it is asked, what it says, and when it says nothing.

A system (`systems` lists them) is anything that fits the protocol `Answerer`. Its answer is a `SolverAnswer`: a
derivation with its exact solution, or the reason why there is none. Texts that no system was made for are refused here,
by the same rules for all of them: too long, no numbers, too few or too many of them, or words that training has not
seen. The numbers are those found in the text, never those of a gold annotation.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol

from draw_dataset.core.derivation import Derivation
from draw_dataset.core.equations import Solution, write
from draw_dataset.core.problem import Problem
from draw_dataset.errors import LimitError
from draw_dataset.scoring.reference import Reference
from draw_dataset.scoring.score import Score, score
from draw_dataset.scoring.signature import Options
from draw_dataset.solver.inventory import Inventory
from draw_dataset.solver.tagged_text import TaggedText
from draw_dataset.text.rules import rule_of
from draw_dataset.text.tokens import Rule, tokenize

MAX_WORDS = 1_000
"""Words of a text; the longest problem of the release has 140."""

MAX_NUMBERS = 40
"""Numbers of a text; the release has at most 11."""

KNOWN_WORDS = 0.5
"""Share of the words of a text that training must have seen: below, it is another language, or no word problem.

Trained on Draw's train split, the least share is 0.63 on validation; texts in four other languages have 0.13 to 0.38.
"""


class Abstention(StrEnum):
    """Why the solver abstains; the codes are stable."""

    NO_NUMBERS = "no numbers"
    TOO_FEW_NUMBERS = "too few numbers"
    TOO_MANY_NUMBERS = "too many numbers"
    TOO_LONG = "too long"
    UNKNOWN_WORDS = "unknown words"
    NOTHING_SOLVABLE = "nothing solvable"
    LOW_CONFIDENCE = "low confidence"


@dataclass(frozen=True, slots=True)
class SolverAnswer:
    """The answer of the solver.

    Attributes:
        derivation: the best derivation; None if it abstains.
        solution: what its equations say of the unknowns, exactly.
        score: the score of the derivation; only differences to other derivations of the same text mean anything.
        reason: why it abstains; None if it does not.
        message: the same for a person, in a sentence.
        confidence: the probability that the derivation is right, as `grade` decides it, for texts like those of
            training. None if the system is not calibrated, or found no derivation. If the answer is held back because
            it is too low, this is that of the derivation that is held back.
        runner_up: the best derivation that is not equivalent to this one, as an answer; None if there is none, or if
            the system does not look for one.
        stated: what the text states of its unknowns, in its words, as far as the system reads that.
    """

    derivation: Derivation | None
    solution: Solution | None = None
    score: float = 0.0
    reason: Abstention | None = None
    message: str = ""
    confidence: float | None = None
    runner_up: SolverAnswer | None = None
    stated: tuple[str, ...] = ()

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


class Answerer(Protocol):
    """A trained system that answers texts."""

    @property
    def signature(self) -> str:
        """How it was trained."""

    @property
    def inventory(self) -> Inventory:
        """The templates it knows."""

    def predict(self, given: str | Problem, rule: Rule = "auto") -> SolverAnswer:
        """Solve a text.

        Args:
            given: a text, or a problem, of which nothing but the text is looked at.
            rule: how a text is cut into tokens; a problem's own rule is used for a problem.

        Raises:
            ExtraMissing: the tagger is not installed.
        """

    def predict_all(self, problems: Iterable[str | Problem]) -> list[SolverAnswer]:
        """Solve texts, one after the other."""

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write it to a file that `load_model` reads.

        Raises:
            FolderError: the file cannot be written.
            ModelError: it is larger than a file of a model may be.
        """


def tagged_or_refused(
    given: str | Problem, rule: Rule, inventory: Inventory, lexicon: frozenset[str]
) -> TaggedText | SolverAnswer:
    """Return a text with its tags, or why it gets no answer.

    Args:
        given: a text, or a problem, of which nothing but the text is looked at.
        rule: how a text is cut into tokens; a problem's own rule is used for a problem.
        inventory: the templates that are known; a text must have numbers enough for one of them.
        lexicon: the lemmas that training has seen.

    Raises:
        ExtraMissing: the tagger is not installed.
    """
    text = given.question if isinstance(given, Problem) else given
    try:
        words = len(tokenize(text, rule))  # before they are tagged, which takes far longer
        if words > MAX_WORDS:
            return abstain(Abstention.TOO_LONG, f"expected at most {MAX_WORDS} words, but got {words}")
        tagged = TaggedText.of(text, rule_of(given) if isinstance(given, Problem) else rule)
    except LimitError as error:
        return abstain(Abstention.TOO_LONG, str(error))
    return _refused(tagged, inventory, lexicon) or tagged


def _refused(text: TaggedText, inventory: Inventory, lexicon: frozenset[str]) -> SolverAnswer | None:
    count = len(text.numbers)
    fewest = min((c.structure.slot_count for c in inventory.classes), default=0)
    if count == 0:
        return abstain(Abstention.NO_NUMBERS, "the text has no number")
    if count < fewest:
        return abstain(
            Abstention.TOO_FEW_NUMBERS, f"the text has {count}, and every known template needs at least {fewest}"
        )
    if count > MAX_NUMBERS:
        return abstain(Abstention.TOO_MANY_NUMBERS, f"expected at most {MAX_NUMBERS} numbers, but got {count}")
    words = text.content_lemmas
    known = sum(lemma in lexicon for lemma in words)
    if known < KNOWN_WORDS * len(words):
        return abstain(
            Abstention.UNKNOWN_WORDS, f"training has seen {known} of the {len(words)} words; is it an English problem?"
        )
    return None


def abstain(reason: Abstention, message: str) -> SolverAnswer:
    """Return the answer of a system that gives none."""
    return SolverAnswer(None, reason=reason, message=message)


def evaluate(
    answerer: Answerer,
    problems: Sequence[Problem],
    options: Options = Options(),  # noqa: B008 - frozen
    *,
    data: str = "rows",
) -> Score:
    """Score the answers of a system to problems.

    Args:
        answerer: the system.
        problems: the problems; the system sees nothing but their texts.
        options: how to grade.
        data: what the problems are called in the score's signature.

    Raises:
        ScoreError: there are no problems.
        RowError: the gold of a problem cannot be read.
    """
    predictions = [answer.to_dict() for answer in answerer.predict_all(problems)]
    return score(predictions, [Reference(problem) for problem in problems], options, data=data)
