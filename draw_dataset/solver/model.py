"""A trained template-first solver, and how it comes to its answer.

The templates are ranked by what the text alone gives them, the best k are kept (all, if k is None), every way to fill
their slots with the numbers of the text is scored, and the best candidate whose system has exactly one solution is
given out with its solution. A text that the solver was not made for gets no answer, but the reason why.

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
from draw_dataset.solver.answerer import Abstention, SolverAnswer, abstain, tagged_or_refused
from draw_dataset.solver.arrangements import Indices
from draw_dataset.solver.features import FeatureSet
from draw_dataset.solver.inventory import Inventory
from draw_dataset.solver.layout import ColumnLayout, EncodedText, Vocabulary, Weights, attributes_of, encode_text
from draw_dataset.solver.ranking import Ranking
from draw_dataset.solver.saved_parts import FIRST, inventory_as_data, weights_as_arrays, write_saved
from draw_dataset.solver.search import Candidates, Floats, Searcher
from draw_dataset.solver.tagged_text import TaggedText
from draw_dataset.text.tokens import Rule

RANKING = "ranking"
"""What the weights of the ranking are called in a file."""

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
    attributes: Mapping[str, Vocabulary]
    weights: Mapping[str, Weights]
    ranking: Ranking | None
    lexicon: frozenset[str]
    k: int | None
    signature: str
    layout: ColumnLayout

    def predict(self, given: str | Problem, rule: Rule = "auto") -> SolverAnswer:
        """Solve a text; see `Answerer.predict`."""
        text = tagged_or_refused(given, rule, self.inventory, self.lexicon)
        return text if isinstance(text, SolverAnswer) else self._solve(text)

    def predict_all(self, problems: Iterable[str | Problem]) -> list[SolverAnswer]:
        """Solve texts, one after the other."""
        return [self.predict(problem) for problem in problems]

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a file; see `Answerer.save`."""
        about = {
            "features": [self.features.name, self.features.version],
            "signature": self.signature,
            "k": self.k,
            **inventory_as_data(self.inventory),
            "attributes": {kind: names.names for kind, names in self.attributes.items()},
            "lexicon": sorted(self.lexicon),
            "ranking": self.ranking is not None,
        }
        tables = {**self.weights, **({} if self.ranking is None else {RANKING: self.ranking.weights})}
        arrays = {
            part: array for name, table in tables.items() for part, array in weights_as_arrays(name, table).items()
        }
        write_saved(path, FIRST, about, arrays)

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
        return abstain(Abstention.NOTHING_SOLVABLE, "no candidate has exactly one solution")

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
