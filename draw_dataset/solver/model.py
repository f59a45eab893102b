"""Trained template-first solver.

A ranking keeps the k templates that fit the text best (all, if k is None). Every way to fill their slots with the
numbers of the text is scored, and the best candidate with exactly one solution is the answer. Candidates that
contradict a statement of the text about its unknowns lose score; if the statements suffice to solve the problem, they
make the answer (`relations`). A text of an unsuitable kind gets a reason instead of an answer.

Weights are multiples of 1/4096 and are added up as float64, which is exact: a model gives the same answers on every
machine.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from draw_dataset.algebra.solution import SolutionKind
from draw_dataset.derivation.derivation import Derivation
from draw_dataset.derivation.equivalence import derivations_equivalent
from draw_dataset.derivation.problem import Problem
from draw_dataset.errors import ChoiceError, ModelError, TrainingError, short_repr
from draw_dataset.scoring.gold import PreparedProblem
from draw_dataset.scoring.grading import grade
from draw_dataset.solver.arrays import Indices
from draw_dataset.solver.confidence import (
    FOLDS,
    LARGEST_LEAD,
    Abstention,
    Calibration,
    Diagnostics,
    SolverAnswer,
    abstain,
    apply_threshold,
    calibration_as_data,
    check_confidence,
    cross_validation_folds,
    familiarity,
    read_calibration,
    seems_to_ask_for_one,
    tag_or_abstain,
    template_competition,
    with_question,
)
from draw_dataset.solver.features import KINDS, FeatureSet, feature_set
from draw_dataset.solver.files import (
    FIRST,
    PLACES,
    VALUES,
    Arrays,
    check_texts,
    check_type,
    inventory_as_data,
    read_inventory,
    read_weights,
    weights_as_arrays,
    write_saved,
)
from draw_dataset.solver.relations.statements import Relation, read_relations
from draw_dataset.solver.relations.use import WEIGHT, AnnotationConventions, compose_derivation, count_violations
from draw_dataset.solver.search import (
    Candidates,
    ColumnLayout,
    EncodedText,
    Floats,
    Searcher,
    Vocabulary,
    Weights,
    attributes_of,
    encode_text,
    pad,
)
from draw_dataset.solver.templates import Inventory
from draw_dataset.solver.text import TaggedText
from draw_dataset.text.tokens import Rule

# Template ranking by the text alone, the first step of the solver. It learns by the margin rule (see `learning`) over
# text features only. Looking at `RIVALS` wrong templates instead of the best one matters: trained on Draw's train
# split, 148 of the 159 validation problems with a known template have it among the best 10, against 135.


RIVALS = 10  # wrong templates that a right one must lead


@dataclass(frozen=True, slots=True)
class Ranking:
    """Ranks the templates of a layout."""

    weights: Weights  # text attributes by columns; the last column is zero

    def best(self, layout: ColumnLayout, encoded: EncodedText, k: int) -> dict[int, Indices]:
        """Return the best k templates that a text has numbers enough for, by group."""
        columns, slots = _all_columns(layout)
        scores = _scores(self.weights, columns, encoded)
        scores[slots > encoded.count] = -np.inf
        order = np.argsort(-scores, kind="stable")[:k]
        kept = sorted(int(m) for m in order if np.isfinite(scores[m]))
        return by_group(layout, kept)

    @classmethod
    def learn(
        cls,
        layout: ColumnLayout,
        encoded_texts: Sequence[EncodedText],
        golds: Sequence[frozenset[int]],
        rows: int,
        epochs: int,
        seed: int,
    ) -> Ranking:
        """Return a ranking learnt from texts and their right templates."""
        columns, slots = _all_columns(layout)
        weights = np.zeros((rows, len(layout.columns["text"]) + 1), dtype=np.float32)
        sums = np.zeros_like(weights)
        rng = np.random.default_rng(seed)
        step = 1
        for _ in range(epochs):
            for i in rng.permutation(len(encoded_texts)):
                encoded, right = encoded_texts[int(i)], sorted(golds[int(i)])
                if right and len(encoded.text_rows):
                    scores = _scores(weights, columns, encoded)
                    scores[slots > encoded.count] = -np.inf
                    change = _lead(scores, right, columns, weights.shape[1], len(encoded.text_rows))
                    touched = np.flatnonzero(change)
                    where = np.ix_(encoded.text_rows, touched)
                    weights[where] += change[touched]
                    sums[where] += np.float32(step) * change[touched]
                step += 1
        return cls(weights - sums / np.float32(step))


def _lead(scores: npt.NDArray[np.float64], right: list[int], columns: Indices, width: int, rows: int) -> Weights:
    """Return the change of columns, for each row of a text, by which the best right template leads its rivals."""
    best = max(right, key=lambda member: float(scores[member]))
    own = float(scores[best])
    scores[right] = -np.inf
    total = np.zeros(width, dtype=np.float32)
    for rival in np.argsort(-scores, kind="stable")[:RIVALS].tolist():
        missing = 1 - (own - float(scores[rival]))
        if not 0 < missing < np.inf:
            continue
        change = np.zeros(width, dtype=np.float32)
        np.add.at(change, columns[best], 1)
        np.add.at(change, columns[rival], -1)
        change[-1] = 0  # the filler
        norm = float((change * change).sum()) * rows * RIVALS
        if norm:
            total += np.float32(missing / norm) * change
    return total


def by_group(layout: ColumnLayout, members: Sequence[int]) -> dict[int, Indices]:
    """Return templates of the inventory by their groups and places in them."""
    found: dict[int, list[int]] = {}
    for member in members:
        g, t = layout.place[member]
        found.setdefault(g, []).append(t)
    return {g: np.array(found[g], dtype=np.int32) for g in sorted(found)}


def _scores(weights: Weights, columns: Indices, encoded: EncodedText) -> npt.NDArray[np.float64]:
    given = weights[encoded.text_rows].astype(np.float64).sum(axis=0)
    return np.asarray(given[columns].sum(axis=1))


def _all_columns(layout: ColumnLayout) -> tuple[Indices, Indices]:
    """Return the text columns of every template in the order of the inventory, and how many slots each has."""
    filler = len(layout.columns["text"])
    listed: list[list[int]] = [[] for _ in layout.place]
    slots = np.zeros(len(layout.place), dtype=np.int32)
    for group in layout.groups:
        for member, columns in zip(group.members, group.text_columns, strict=True):
            listed[int(member)] = [int(c) for c in columns]
            slots[int(member)] = group.slot_count
    return pad(listed, filler), slots


RANKING = "ranking"  # name of its weights in a file
MAX_TRIES = 50  # candidates that are solved exactly before the solver gives up
MOST_COMPARED = 50_000  # best candidates that are compared with the relations of the text


@dataclass(frozen=True, slots=True)
class Model:
    """A trained solver."""

    inventory: Inventory  # the templates it knows
    features: FeatureSet
    attributes: Mapping[str, Vocabulary]  # the names of the rows of its weights
    weights: Mapping[str, Weights]
    ranking: Ranking | None  # ranks the templates for a text
    lexicon: frozenset[str]  # the lemmas that training has seen
    k: int | None  # how many templates are tried; None for all
    signature: str  # how it was trained
    layout: ColumnLayout  # the templates as columns of the weights
    calibration: Calibration | None = None  # None if training did not calibrate
    conventions: AnnotationConventions | None = None  # None if relations are not read

    def predict(
        self, given: str | Problem, rule: Rule = "auto", *, min_confidence: float | None = None
    ) -> SolverAnswer:
        """Solve a text; see `Answerer.predict`."""
        if min_confidence is not None:
            check_confidence(min_confidence, self)
        return apply_threshold(self.predict_with_diagnostics(given, rule)[0], min_confidence)

    def predict_all(
        self, problems: Iterable[str | Problem], *, min_confidence: float | None = None
    ) -> list[SolverAnswer]:
        """Solve texts, one after the other."""
        return [self.predict(problem, min_confidence=min_confidence) for problem in problems]

    def predict_with_diagnostics(
        self, given: str | Problem, rule: Rule = "auto"
    ) -> tuple[SolverAnswer, Diagnostics | None]:
        """Solve a text; the diagnostics are None if there is no derivation."""
        text = tag_or_abstain(given, rule, self.inventory, self.lexicon)
        if isinstance(text, SolverAnswer):
            return text, None
        answer, diagnostics = self._solve(text)
        return with_question(answer, given), diagnostics

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
            "customs": None if self.conventions is None else self.conventions._asdict(),
            "calibration": None if self.calibration is None else calibration_as_data(self.calibration),
        }
        tables = {**self.weights, **({} if self.ranking is None else {RANKING: self.ranking.weights})}
        arrays = {
            part: array for name, table in tables.items() for part, array in weights_as_arrays(name, table).items()
        }
        write_saved(path, FIRST, about, arrays)

    def _solve(self, text: TaggedText) -> tuple[SolverAnswer, Diagnostics | None]:
        seen = attributes_of(text, self.features)
        encoded = encode_text(text, seen, self.attributes)
        searcher = Searcher(self.layout, self.weights)
        chosen = self.chosen(encoded)
        scored = searcher.score_all(encoded, chosen, searcher.candidates(encoded, chosen))
        relations = () if self.conventions is None else read_relations(text, self.conventions.consecutive)
        made = self._apply_relations(relations, text, encoded, scored) if relations else None
        tops = np.concatenate([scores.max(axis=1, initial=-np.inf) for _, scores in scored])
        ranked = self._solvable_answers(text, scored)
        best = made or next(ranked, None)
        if best is None:
            return abstain(Abstention.NOTHING_SOLVABLE, "no candidate has exactly one solution"), None
        runner_up = next((answer for answer in ranked if not _is_same(answer, best)), None)
        doubt = Diagnostics(
            features=(
                LARGEST_LEAD if runner_up is None else min(best.score - runner_up.score, LARGEST_LEAD),
                template_competition(tops),
                float(self._is_rare(best)),
                float(best.solution is not None and len(best.solution.values) > 1 and seems_to_ask_for_one(text)),
            ),
            familiarity=familiarity(seen, encoded),
        )
        confidence = None if self.calibration is None else self.calibration.probability(doubt)
        stated = tuple(relation.words for relation in relations)
        return replace(best, runner_up=runner_up, confidence=confidence, stated=stated), doubt

    def _is_rare(self, answer: SolverAnswer) -> bool:
        """Decide whether training has seen an answer's template at most once."""
        found = None if answer.derivation is None else self.inventory.locate(answer.derivation)
        return found is None or self.inventory.classes[found[0]].structure.rare

    def _apply_relations(
        self,
        relations: Sequence[Relation],
        text: TaggedText,
        encoded: EncodedText,
        scored: Sequence[tuple[Candidates, Floats]],
    ) -> SolverAnswer | None:
        """Penalise candidates that break relations; return the answer composed of these, with the best score so far."""
        made = compose_derivation(relations, text.numbers)
        determined = None if made is None else [float(value) for value in made[1].numbers]
        highest = max((float(scores.max(initial=-np.inf)) for _, scores in scored), default=-np.inf)
        if np.isfinite(highest):
            least = _worth_comparing(scored, highest - WEIGHT * len(relations))
            for candidates, scores in scored:
                self._penalise_violations(relations, determined, encoded, candidates, scores, least)
        if made is None or self.conventions is None or not self.conventions.composes:
            return None
        return SolverAnswer(*made, highest if np.isfinite(highest) else 0.0)

    def _penalise_violations(
        self,
        relations: Sequence[Relation],
        determined: Sequence[float] | None,
        encoded: EncodedText,
        candidates: Candidates,
        scores: Floats,
        least: float,
    ) -> None:
        """Subtract the cost of broken relations from scores; candidates below `least` count as breaking all."""
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
                lost[rows[alike], ways[alike]] = WEIGHT * count_violations(relations, determined, solved)
        scores -= lost

    def _solvable_answers(
        self, text: TaggedText, scored: Sequence[tuple[Candidates, Floats]]
    ) -> Iterator[SolverAnswer]:
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


def _is_same(one: SolverAnswer, other: SolverAnswer) -> bool:
    """Decide whether two answers have equivalent derivations."""
    if one.derivation is None or other.derivation is None:
        return False
    return derivations_equivalent(one.derivation, other.derivation)


# Reading a model file, with every field checked. A file is valid for one version of its feature set only.


MAX_WEIGHTS = 1 << 27  # in memory, zeros included; a model of the whole release has 23 million

# The arrays of a model, and their types
ARRAYS = {
    f"{name} {part}": kind for name in (*KINDS, RANKING) for part, kind in (("places", PLACES), ("values", VALUES))
}


def read_model(about: Mapping[str, Any], arrays: Arrays) -> Model:
    """Return the model that a file holds."""
    features = _read_features(about)
    k, ranked = about["k"], check_type(about["ranking"], bool, "ranking")
    if (k is not None and (type(k) is not int or k < 1)) or ranked is (k is None):
        raise ValueError(f"k is {short_repr(k)}, with{'' if ranked else 'out'} a ranking")
    inventory = read_inventory(about)
    layout = ColumnLayout(inventory, features)
    named = check_type(about["attributes"], dict, "attributes")
    attributes = {kind: Vocabulary(check_texts(named[kind], f"attributes of {kind}")) for kind in KINDS}
    if attributes["solution"].names != layout.solution_attributes.names:
        raise ValueError("the attributes of solutions are others")
    shapes = {kind: (len(attributes[kind]), len(layout.columns[kind]) + 1) for kind in KINDS}
    if sum(rows * columns for rows, columns in shapes.values()) > MAX_WEIGHTS:
        raise ValueError(f"more than {MAX_WEIGHTS} weights")
    return Model(
        inventory=inventory,
        features=features,
        attributes=attributes,
        weights={kind: read_weights(arrays, kind, shape) for kind, shape in shapes.items()},
        ranking=Ranking(read_weights(arrays, RANKING, shapes["text"])) if ranked else None,
        lexicon=frozenset(check_texts(about["lexicon"], "lexicon")),
        k=k,
        signature=check_type(about["signature"], str, "signature"),
        layout=layout,
        calibration=read_calibration(about.get("calibration")),
        conventions=_read_conventions(about.get("customs")),
    )


def _read_conventions(given: Any) -> AnnotationConventions | None:
    if given is None:
        return None
    told = check_type(given, dict, "customs")
    return AnnotationConventions(*(check_type(told[name], bool, name) for name in AnnotationConventions._fields))


def _read_features(about: Mapping[str, Any]) -> FeatureSet:
    given = about.get("features")
    name: Any = given[0] if isinstance(given, list) and given else given
    try:
        known = feature_set(name)
    except ChoiceError as error:
        raise ModelError(f"{error}; train the model again with this version") from error
    if given != [known.name, known.version]:
        raise ModelError(
            f"expected the feature set {known.name} of version {known.version}, but got {short_repr(given)}; "
            "train the model again with this version"
        )
    return known


# Calibration by five-fold cross-validation on the training problems. The fold models know a little less than the
# solver, so its confidence is rather too low than too high.


FEWEST = 50  # problems with different texts that a calibration needs


def can_calibrate(problems: Sequence[Problem]) -> bool:
    """Decide whether there are problems enough to calibrate a solver on."""
    return len({problem.question for problem in problems}) >= FEWEST


def add_calibration(model: Model, problems: Sequence[Problem], learn: Callable[[Sequence[Problem]], Model]) -> Model:
    """Return the model with a calibration; `learn` trains a model of part of the problems in the same way."""
    if not can_calibrate(problems):
        raise TrainingError(
            f"calibrate: expected at least {FEWEST} problems with different texts, but got {len(problems)}; "
            "train without calibration"
        )
    doubts: list[Diagnostics] = []
    right: list[bool] = []
    for learnt, asked in cross_validation_folds(problems, FOLDS, lambda problem: problem.question):
        asking = learn(learnt)
        for problem in asked:
            answer, doubt = asking.predict_with_diagnostics(problem)
            if doubt is not None:
                doubts.append(doubt)
                right.append(bool(grade(answer.to_dict(), PreparedProblem(problem)).derivation))
    return replace(model, calibration=Calibration.fit(doubts, right))
