"""A trained template-first solver, and how it comes to its answer.

The templates are ranked by what the text alone gives them, the best k are kept (all, if k is None), every way to fill
their slots with the numbers of the text is scored, and the best candidate whose system has exactly one solution is
given out with its solution. Candidates may gain or lose by what the text states of its unknowns, and where that is
enough to solve it, it is the answer (`relations`). A text that the solver was not made for gets no answer, but the
reason why.

The weights are multiples of 1/4096 and are added up as float64, which is exact: the same model gives the same answers
on every machine.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from draw_dataset.core.derivation import Derivation
from draw_dataset.core.equations import SolutionKind
from draw_dataset.core.equivalence import derivations_equivalent
from draw_dataset.core.problem import Problem
from draw_dataset.solver.answerer import Abstention, SolverAnswer, abstain, tagged_or_refused
from draw_dataset.solver.arrangements import Indices
from draw_dataset.solver.confidence import Calibration, calibration_as_data, check_confidence, held_back
from draw_dataset.solver.features import FeatureSet
from draw_dataset.solver.inventory import Inventory
from draw_dataset.solver.layout import ColumnLayout, EncodedText, Vocabulary, Weights, attributes_of, encode_text
from draw_dataset.solver.ranking import Ranking
from draw_dataset.solver.relations.agreement import WEIGHT, broken
from draw_dataset.solver.relations.composed import Customs, composed
from draw_dataset.solver.relations.statements import Relation, read_relations
from draw_dataset.solver.saved_parts import FIRST, inventory_as_data, weights_as_arrays, write_saved
from draw_dataset.solver.search import Candidates, Floats, Searcher
from draw_dataset.solver.signs import LARGEST_LEAD, Doubt, asks_for_one, crowd, familiarity
from draw_dataset.solver.tagged_text import TaggedText
from draw_dataset.text.tokens import Rule

RANKING = "ranking"
"""What the weights of the ranking are called in a file."""

MAX_TRIES = 50
"""Candidates that are solved exactly before the solver gives up."""

MOST_COMPARED = 50_000
"""Candidates that are compared with what the text states, the best ones."""


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
        calibration: what its answers are worth; None if training was not asked to find out.
        customs: what the annotators of the training problems do with what a text states of its unknowns; None if
            that is not read.
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
    calibration: Calibration | None = None
    customs: Customs | None = None

    def predict(
        self, given: str | Problem, rule: Rule = "auto", *, min_confidence: float | None = None
    ) -> SolverAnswer:
        """Solve a text; see `Answerer.predict`.

        Args:
            given: a text, or a problem, of which nothing but the text is looked at.
            rule: how a text is cut into tokens; a problem's own rule is used for a problem.
            min_confidence: the solver abstains if its confidence is lower; needs a solver that is calibrated.

        Raises:
            ExtraMissing: the tagger is not installed.
            ChoiceError: min_confidence is no probability, or the solver is not calibrated.
        """
        if min_confidence is not None:
            check_confidence(min_confidence, self)
        return held_back(self.doubted(given, rule)[0], min_confidence)

    def predict_all(
        self, problems: Iterable[str | Problem], *, min_confidence: float | None = None
    ) -> list[SolverAnswer]:
        """Solve texts, one after the other."""
        return [self.predict(problem, min_confidence=min_confidence) for problem in problems]

    def doubted(self, given: str | Problem, rule: Rule = "auto") -> tuple[SolverAnswer, Doubt | None]:
        """Solve a text, and say what there is to doubt; nothing, if there is no derivation."""
        text = tagged_or_refused(given, rule, self.inventory, self.lexicon)
        return (text, None) if isinstance(text, SolverAnswer) else self._solve(text)

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
            "customs": None if self.customs is None else self.customs._asdict(),
            "calibration": None if self.calibration is None else calibration_as_data(self.calibration),
        }
        tables = {**self.weights, **({} if self.ranking is None else {RANKING: self.ranking.weights})}
        arrays = {
            part: array for name, table in tables.items() for part, array in weights_as_arrays(name, table).items()
        }
        write_saved(path, FIRST, about, arrays)

    def _solve(self, text: TaggedText) -> tuple[SolverAnswer, Doubt | None]:
        seen = attributes_of(text, self.features)
        encoded = encode_text(text, seen, self.attributes)
        searcher = Searcher(self.layout, self.weights)
        chosen = self.chosen(encoded)
        scored = searcher.scored(encoded, chosen, searcher.candidates(encoded, chosen))
        relations = () if self.customs is None else read_relations(text, self.customs.consecutive)
        made = self._compared(relations, text, encoded, scored) if relations else None
        tops = np.concatenate([scores.max(axis=1, initial=-np.inf) for _, scores in scored])
        ranked = self._ranked(text, scored)
        best = made or next(ranked, None)
        if best is None:
            return abstain(Abstention.NOTHING_SOLVABLE, "no candidate has exactly one solution"), None
        runner_up = next((answer for answer in ranked if not _same(answer, best)), None)
        doubt = Doubt(
            signs=(
                LARGEST_LEAD if runner_up is None else min(best.score - runner_up.score, LARGEST_LEAD),
                crowd(tops),
                float(self._is_rare(best)),
                float(best.solution is not None and len(best.solution.values) > 1 and asks_for_one(text)),
            ),
            familiarity=familiarity(seen, encoded),
        )
        confidence = None if self.calibration is None else self.calibration.probability(doubt)
        stated = tuple(relation.words for relation in relations)
        return replace(best, runner_up=runner_up, confidence=confidence, stated=stated), doubt

    def _is_rare(self, answer: SolverAnswer) -> bool:
        """Say whether training has seen the template of an answer rarely, or never."""
        found = None if answer.derivation is None else self.inventory.locate(answer.derivation)
        return found is None or self.inventory.classes[found[0]].structure.rare

    def _compared(
        self,
        relations: Sequence[Relation],
        text: TaggedText,
        encoded: EncodedText,
        scored: Sequence[tuple[Candidates, Floats]],
    ) -> SolverAnswer | None:
        """Take from the scores what breaking the text's relations costs, and return the answer that these make.

        That answer, if there is one, counts as if it had the best score before.
        """
        made = composed(relations, text.numbers)
        determined = None if made is None else [float(value) for value in made[1].numbers]
        highest = max((float(scores.max(initial=-np.inf)) for _, scores in scored), default=-np.inf)
        if np.isfinite(highest):
            least = _worth_comparing(scored, highest - WEIGHT * len(relations))
            for candidates, scores in scored:
                self._take_broken(relations, determined, encoded, candidates, scores, least)
        if made is None or self.customs is None or not self.customs.composes:
            return None
        return SolverAnswer(*made, highest if np.isfinite(highest) else 0.0)

    def _take_broken(
        self,
        relations: Sequence[Relation],
        determined: Sequence[float] | None,
        encoded: EncodedText,
        candidates: Candidates,
        scores: Floats,
        least: float,
    ) -> None:
        """Take from scores what breaking relations costs; candidates below a least score count as breaking all."""
        rows, ways = np.nonzero(scores >= least)
        lost = np.full(scores.shape, WEIGHT * len(relations))
        if len(rows):
            some_rows, row_at = np.unique(rows, return_inverse=True)
            some_ways, way_at = np.unique(ways, return_inverse=True)
            solver = self.layout.groups[candidates.group].solver
            which = candidates.which[some_rows]
            solutions, _ = solver.solve(candidates.ways.rows[some_ways], encoded.values, which)
            unknowns = solver.unknowns[which][row_at]
            for count in np.unique(unknowns).tolist():
                alike = unknowns == count
                solved = solutions[:count, row_at[alike], way_at[alike]]
                lost[rows[alike], ways[alike]] = WEIGHT * broken(relations, determined, solved)
        scores -= lost

    def _ranked(self, text: TaggedText, scored: Sequence[tuple[Candidates, Floats]]) -> Iterator[SolverAnswer]:
        """Yield the candidates with exactly one solution, the best first; strikes them out."""
        for _ in range(MAX_TRIES):
            best = self._best(scored)
            if best is None:
                return
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
                yield SolverAnswer(derivation, solution, value)

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


def _worth_comparing(scored: Sequence[tuple[Candidates, Floats]], least: float) -> float:
    """Return the score from which on candidates are compared: a given one, or a higher one if they are many."""
    high = np.concatenate([scores[scores >= least] for _, scores in scored])
    return least if len(high) <= MOST_COMPARED else float(np.partition(high, -MOST_COMPARED)[-MOST_COMPARED])


def _same(one: SolverAnswer, other: SolverAnswer) -> bool:
    """Say whether two answers are one: equivalent derivations."""
    if one.derivation is None or other.derivation is None:
        return False
    return derivations_equivalent(one.derivation, other.derivation)
