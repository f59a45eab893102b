"""A trained solver, what it says of a text, and how it comes to say that.

The templates are ranked by what the text alone gives them, the best k are kept (all, if k is None), every way to fill
their slots with the numbers of the text is scored, and the best candidate whose system has exactly one solution is
given out with its solution. A text that the solver was not made for gets no answer, but the reason why. The numbers are
those found in the text, never those of a gold annotation.

The weights are multiples of 1/4096 and are added up as float64, which is exact: the same model gives the same answers
on every machine.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np

from draw_dataset.core.derivation import Derivation
from draw_dataset.core.equations import Solution, SolutionKind, write
from draw_dataset.core.problem import Problem
from draw_dataset.errors import LimitError
from draw_dataset.scoring.reference import Reference
from draw_dataset.scoring.score import Score, score
from draw_dataset.scoring.signature import Options
from draw_dataset.solver.arrangements import Indices
from draw_dataset.solver.features import FeatureSet
from draw_dataset.solver.inventory import Inventory
from draw_dataset.solver.layout import ColumnLayout, EncodedText, Vocabulary, Weights, attributes_of, encode_text
from draw_dataset.solver.ranking import Ranking
from draw_dataset.solver.search import Candidates, Floats, Searcher
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

MAX_TRIES = 50
"""Candidates that are solved exactly before the solver gives up."""


class Abstention(StrEnum):
    """Why the solver abstains; the codes are stable."""

    NO_NUMBERS = "no numbers"
    TOO_FEW_NUMBERS = "too few numbers"
    TOO_MANY_NUMBERS = "too many numbers"
    TOO_LONG = "too long"
    UNKNOWN_WORDS = "unknown words"
    NOTHING_SOLVABLE = "nothing solvable"


@dataclass(frozen=True, slots=True)
class SolverAnswer:
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
    reason: Abstention | None = None
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


@dataclass(frozen=True, slots=True)
class Model:
    """A trained solver.

    Attributes:
        inventory: the templates it knows.
        features: its feature set.
        attributes: the names of the rows of its weights.
        weights: its weights.
        ranking: ranks the templates for a text.
        lexicon: the lemmas that training has seen.
        k: how many templates are tried; None for all.
        signature: how it was trained.
        layout: the templates as columns of the weights.
    """

    inventory: Inventory
    features: FeatureSet
    attributes: Mapping[str, Vocabulary]
    weights: Mapping[str, Weights]
    ranking: Ranking | None
    lexicon: frozenset[str]
    k: int | None
    signature: str
    layout: ColumnLayout

    def predict(self, given: str | Problem, rule: Rule = "auto") -> SolverAnswer:
        """Solve a text.

        Args:
            given: a text, or a problem, of which nothing but the text is looked at.
            rule: how a text is cut into tokens; a problem's own rule is used for a problem.

        Raises:
            ExtraMissing: the tagger is not installed.
        """
        text = given.question if isinstance(given, Problem) else given
        try:
            words = len(tokenize(text, rule))  # before they are tagged, which takes far longer
            if words > MAX_WORDS:
                return _abstain(Abstention.TOO_LONG, f"expected at most {MAX_WORDS} words, but got {words}")
            tagged = TaggedText.of(text, rule_of(given) if isinstance(given, Problem) else rule)
        except LimitError as error:
            return _abstain(Abstention.TOO_LONG, str(error))
        return self._refused(tagged) or self._solve(tagged)

    def predict_all(self, problems: Iterable[str | Problem]) -> list[SolverAnswer]:
        """Solve texts, one after the other."""
        return [self.predict(problem) for problem in problems]

    def _refused(self, text: TaggedText) -> SolverAnswer | None:
        """Return the reason not to answer a text, if there is one."""
        count = len(text.numbers)
        fewest = min((c.structure.slot_count for c in self.inventory.classes), default=0)
        if count == 0:
            return _abstain(Abstention.NO_NUMBERS, "the text has no number")
        if count < fewest:
            return _abstain(
                Abstention.TOO_FEW_NUMBERS, f"the text has {count}, and every known template needs at least {fewest}"
            )
        if count > MAX_NUMBERS:
            return _abstain(Abstention.TOO_MANY_NUMBERS, f"expected at most {MAX_NUMBERS} numbers, but got {count}")
        words = text.content_lemmas
        known = sum(lemma in self.lexicon for lemma in words)
        if known < KNOWN_WORDS * len(words):
            return _abstain(
                Abstention.UNKNOWN_WORDS,
                f"training has seen {known} of the {len(words)} words; is it an English problem?",
            )
        return None

    def _solve(self, text: TaggedText) -> SolverAnswer:
        encoded = encode_text(text, attributes_of(text, self.features), self.attributes)
        searcher = Searcher(self.layout, self.weights)
        chosen = self.chosen(encoded)
        scored = searcher.scored(encoded, chosen, searcher.candidates(encoded, chosen))
        for _ in range(MAX_TRIES):
            best = self._best(scored)
            if best is None:
                break
            block, t, c = best
            candidates, scores = scored[block]
            value = float(scores[t, c])
            scores[t, c] = -np.inf
            member = int(self.layout.groups[candidates.group].members[candidates.which[t]])
            found = self.inventory.classes[member]
            numbers = [text.numbers[i] for i in candidates.ways.rows[c]]
            derivation = Derivation(found.template, dict(zip(found.slots, numbers, strict=True)))
            solution = derivation.solve()
            if solution.kind is SolutionKind.UNIQUE:
                return SolverAnswer(derivation, solution, value)
        return _abstain(Abstention.NOTHING_SOLVABLE, "no candidate has exactly one solution")

    def chosen(self, encoded: EncodedText) -> dict[int, Indices]:
        """Return the templates that are tried for a text, by group."""
        groups = self.layout.groups
        fitting = {g: group for g, group in enumerate(groups) if group.slot_count <= encoded.count}
        if self.k is None or self.ranking is None:
            return {g: np.arange(len(group.members), dtype=np.int32) for g, group in fitting.items()}
        return self.ranking.best(self.layout, encoded, self.k)

    def _best(self, scored: Sequence[tuple[Candidates, Floats]]) -> tuple[int, int, int] | None:
        """Return where the best candidate stands; of equally good ones that of the more frequent template."""
        best: tuple[float, int] | None = None
        found = None
        for b, (candidates, scores) in enumerate(scored):
            if not scores.size:
                continue
            t, c = divmod(int(scores.argmax()), scores.shape[1])
            if not np.isfinite(scores[t, c]):
                continue
            member = int(self.layout.groups[candidates.group].members[candidates.which[t]])
            if best is None or (float(scores[t, c]), -member) > best:
                best, found = (float(scores[t, c]), -member), (b, t, c)
        return found


def evaluate(
    model: Model,
    problems: Sequence[Problem],
    options: Options = Options(),  # noqa: B008 - frozen
    *,
    data: str = "rows",
) -> Score:
    """Score a model's answers to problems.

    Args:
        model: the model.
        problems: the problems; the model sees nothing but their texts.
        options: how to grade.
        data: what the problems are called in the score's signature.

    Raises:
        ScoreError: there are no problems.
        RowError: the gold of a problem cannot be read.
    """
    predictions = [answer.to_dict() for answer in model.predict_all(problems)]
    return score(predictions, [Reference(problem) for problem in problems], options, data=data)


def _abstain(reason: Abstention, message: str) -> SolverAnswer:
    return SolverAnswer(None, reason=reason, message=message)
