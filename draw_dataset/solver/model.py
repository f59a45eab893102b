"""A trained solver: templates, weights, and how they answer a text.

The templates are ranked by what the text alone gives them, the best k are kept (all, if k is None), every way to fill
their slots with the numbers of the text is scored, and the best candidate whose system has exactly one solution is
given out. The numbers are those found in the text, never those of a gold annotation.

The weights are multiples of 1/4096 and are added up as float64, which is exact: the same model gives the same answers
on every machine.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from draw_dataset.core.derivation import Derivation
from draw_dataset.core.equations import SolutionKind
from draw_dataset.core.problem import Problem
from draw_dataset.errors import LimitError
from draw_dataset.scoring.reference import Reference
from draw_dataset.scoring.score import Score, score
from draw_dataset.scoring.signature import Options
from draw_dataset.solver.feature_set import FeatureSet
from draw_dataset.solver.inventory import Inventory
from draw_dataset.solver.layout import Layout, Scene, attributes_of, scene_of
from draw_dataset.solver.prediction import Prediction, Reason
from draw_dataset.solver.ranking import Ranking
from draw_dataset.solver.reading import Reading, read_text, rule_of
from draw_dataset.solver.search import Candidates, Floats, Searcher
from draw_dataset.solver.tagging import Word
from draw_dataset.solver.weights import Indices, Names, Weights
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
    attributes: Mapping[str, Names]
    weights: Mapping[str, Weights]
    ranking: Ranking | None
    lexicon: frozenset[str]
    k: int | None
    signature: str
    layout: Layout

    def predict(self, given: str | Problem, rule: Rule = "auto") -> Prediction:
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
                return _abstain(Reason.TOO_LONG, f"expected at most {MAX_WORDS} words, but got {words}")
            reading = read_text(text, rule_of(given) if isinstance(given, Problem) else rule)
        except LimitError as error:
            return _abstain(Reason.TOO_LONG, str(error))
        return self._refused(reading) or self._solve(reading)

    def predict_all(self, problems: Iterable[str | Problem]) -> list[Prediction]:
        """Solve texts, one after the other."""
        return [self.predict(problem) for problem in problems]

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a file; see `draw_dataset.solver.saving`.

        Raises:
            FolderError: the file cannot be written.
        """
        # Imported here: saving makes models, and so imports this module.
        from draw_dataset.solver.saving import save_model

        save_model(self, path)

    @staticmethod
    def load(path: str | os.PathLike[str]) -> Model:
        """Read a model from a file.

        Raises:
            ModelError: the file cannot be read, is no model, or is one of another version.
        """
        from draw_dataset.solver.saving import load_model

        return load_model(path)

    def _refused(self, reading: Reading) -> Prediction | None:
        """Return the reason not to answer a text, if there is one."""
        count = len(reading.numbers)
        fewest = min((c.anatomy.slot_count for c in self.inventory.classes), default=0)
        if count == 0:
            return _abstain(Reason.NO_NUMBERS, "the text has no number")
        if count < fewest:
            return _abstain(
                Reason.TOO_FEW_NUMBERS, f"the text has {count}, and every known template needs at least {fewest}"
            )
        if count > MAX_NUMBERS:
            return _abstain(Reason.TOO_MANY_NUMBERS, f"expected at most {MAX_NUMBERS} numbers, but got {count}")
        words = content_words(reading.words)
        known = sum(lemma in self.lexicon for lemma in words)
        if known < KNOWN_WORDS * len(words):
            return _abstain(
                Reason.UNKNOWN_WORDS, f"training has seen {known} of the {len(words)} words; is it an English problem?"
            )
        return None

    def _solve(self, reading: Reading) -> Prediction:
        scene = scene_of(reading, attributes_of(reading, self.features), self.attributes)
        searcher = Searcher(self.layout, self.weights)
        chosen = self.chosen(scene)
        scored = searcher.scored(scene, chosen, searcher.candidates(scene, chosen))
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
            numbers = [reading.numbers[i] for i in candidates.ways.rows[c]]
            derivation = Derivation(found.template, dict(zip(found.slots, numbers, strict=True)))
            solution = derivation.solve()
            if solution.kind is SolutionKind.UNIQUE:
                return Prediction(derivation, solution, value)
        return _abstain(Reason.NOTHING_SOLVABLE, "no candidate has exactly one solution")

    def chosen(self, scene: Scene) -> dict[int, Indices]:
        """Return the templates that are tried for a text, by group."""
        groups = self.layout.groups
        fitting = {g: group for g, group in enumerate(groups) if group.slot_count <= scene.count}
        if self.k is None or self.ranking is None:
            return {g: np.arange(len(group.members), dtype=np.int32) for g, group in fitting.items()}
        return self.ranking.best(self.layout, scene, self.k)

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


def content_words(words: Sequence[Word]) -> list[str]:
    """Return the lemmas of the words that are neither numbers nor signs."""
    return [word.lemma for word in words if word.text.isalpha()]


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
    predictions = [prediction.to_dict() for prediction in model.predict_all(problems)]
    return score(predictions, [Reference(problem) for problem in problems], options, data=data)


def _abstain(reason: Reason, message: str) -> Prediction:
    return Prediction(None, reason=reason, message=message)
