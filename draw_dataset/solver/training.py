"""Training a solver: from problems to a model.

The right derivations of each problem are found (`supervision`), their templates become the inventory, everything seen
in the texts that occurs in at least two of them gets a row of weights, and the weights are learnt (`learning`).
Training is deterministic: the same problems, settings and seed give the same model.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import get_args

import numpy as np

from draw_dataset.core.derivation import Derivation
from draw_dataset.core.problem import Problem
from draw_dataset.errors import ChoiceError, TrainingError, shown
from draw_dataset.solver.arrangements import least
from draw_dataset.solver.feature_sets import FeatureName, feature_set
from draw_dataset.solver.inventory import Inventory
from draw_dataset.solver.layout import Layout, Scene, attributes_of, scene_of
from draw_dataset.solver.learning import Example, Gold, Learner, Rule
from draw_dataset.solver.model import Model, content_words
from draw_dataset.solver.ranking import Ranking, by_group
from draw_dataset.solver.reading import Reading, read_problem
from draw_dataset.solver.search import Searcher
from draw_dataset.solver.supervision import Choice, Setting, Supervision
from draw_dataset.solver.weights import Names, Weights
from draw_dataset.version import __version__

MIN_TEXTS = 2
"""Texts in which something must be seen to get weights."""

GRAIN = 4096
"""Weights are rounded to multiples of one part in this many, so that sums of them are exact."""

DEFAULT_EPOCHS = 6
"""How often each problem is looked at; chosen by cross-validation over Draw's train and validation (docs/solver.md)."""


def train(
    problems: Sequence[Problem],
    *,
    setting: Setting = "TD",
    choice: Choice = "first",
    features: FeatureName = "extended",
    k: int | None = None,
    epochs: int = DEFAULT_EPOCHS,
    seed: int = 0,
    rule: Rule = "margin",
    watch: Callable[[int, int], None] = lambda *_: None,
) -> Model:
    """Train a solver.

    Args:
        problems: the problems to learn from; of several datasets, simply one after the other.
        setting: TD trains on annotated derivations, TE on equations, TE* on equations with templates reconciled.
        choice: under TE and TE*, whether the first consistent derivation is right, or all (latent).
        features: ``paper`` or ``extended``.
        k: how many templates are tried for a text (the paper's protocol is 10); None for all.
        epochs: how often each problem is looked at.
        seed: of the order in which they are.
        rule: ``perceptron`` (the paper's) or ``margin``, which is better with the extended features; both average.
        watch: is told after each epoch which it was (from 0), and how many problems were answered wrongly in it.

    Raises:
        ExtraMissing: the tagger is not installed.
        ChoiceError: an option is none of those offered.
        RowError: the gold of a problem cannot be read; names the problem.
        TrainingError: there is nothing to learn from.
    """
    supervision = Supervision(setting, choice)
    chosen_features = feature_set(features)
    _check(k, epochs, seed, rule)
    golds = [supervision.derivations(problem) for problem in problems]
    inventory = Inventory.of([t for gold in golds for t in {d.template: None for d in gold}], supervision.reconciled)
    if not len(inventory):
        raise TrainingError(f"expected problems with derivations to learn from, but got {len(problems)} without any")
    readings = [read_problem(problem) for problem in problems]
    layout = Layout(inventory, chosen_features)
    seen = [attributes_of(reading, chosen_features) for reading in readings]
    attributes = {kind: _frequent(one[kind] for one in seen) for kind in ("text", "number", "pair")}
    attributes["solution"] = layout.solution_attributes
    scenes = [scene_of(reading, one, attributes) for reading, one in zip(readings, seen, strict=True)]
    located = [_located(reading, gold, inventory) for reading, gold in zip(readings, golds, strict=True)]
    ranking = None
    if k is not None:
        right = [frozenset(member for member, _ in gold) for gold in located]
        ranking = Ranking.learn(layout, scenes, right, len(attributes["text"]), epochs, seed)
    learner = Learner(layout, {kind: len(names) for kind, names in attributes.items()}, rule)
    examples = _examples(layout, learner, scenes, located, ranking, k)
    learner.learn(examples, epochs, seed, watch)
    return Model(
        inventory=inventory,
        features=chosen_features,
        attributes=attributes,
        weights={kind: _rounded(w) for kind, w in learner.averaged().items()},
        ranking=None if ranking is None else Ranking(_rounded(ranking.weights)),
        lexicon=frozenset(lemma for reading in readings for lemma in content_words(reading.words)),
        k=k,
        signature=_signature(problems, setting, choice, features, k, epochs, seed, rule),
        layout=layout,
    )


def _check(k: int | None, epochs: int, seed: int, rule: str) -> None:
    if k is not None and (type(k) is not int or k < 1):
        raise ChoiceError(f"k: expected a number of templates from 1, or None for all, but got {shown(k)}")
    if type(epochs) is not int or epochs < 1:
        raise ChoiceError(f"epochs: expected a whole number from 1, but got {shown(epochs)}")
    if type(seed) is not int or seed < 0:
        raise ChoiceError(f"seed: expected a whole number from 0, but got {shown(seed)}")
    if rule not in get_args(Rule):
        raise ChoiceError(f"rule: expected one of {', '.join(get_args(Rule))}, but got {shown(rule)}")


def _frequent(seen: Iterable[list[list[str]]]) -> Names:
    """Return the names that are seen in several texts."""
    texts: Counter[str] = Counter()
    for lists in seen:
        texts.update(list(dict.fromkeys(name for listed in lists for name in listed)))
    return Names(name for name, count in texts.items() if count >= MIN_TEXTS)


def _located(reading: Reading, golds: Sequence[Derivation], inventory: Inventory) -> tuple[Gold, ...]:
    """Return the right derivations of a text as candidates; those with a number that is not in the text are none."""
    rank = {number.place: i for i, number in enumerate(reading.numbers)}
    found: dict[Gold, None] = {}
    for derivation in golds:
        located = inventory.locate(derivation)
        if located is not None and all(number.place in rank for number in located[1]):
            member, numbers = located
            automorphisms = inventory.classes[member].anatomy.automorphisms
            found[member, least([rank[number.place] for number in numbers], automorphisms)] = None
    return tuple(found)


def _examples(
    layout: Layout,
    learner: Learner,
    scenes: Sequence[Scene],
    golds: Sequence[tuple[Gold, ...]],
    ranking: Ranking | None,
    k: int | None,
) -> list[Example]:
    """Return what is learnt from; with k, the best k templates of each text and the right ones are candidates."""
    searcher = Searcher(layout, learner.weights)
    examples = []
    for scene, gold in zip(scenes, golds, strict=True):
        members = [m for m, (g, _) in layout.place.items() if layout.groups[g].slot_count <= scene.count]
        if ranking is not None and k is not None:
            kept = {int(layout.groups[g].members[t]) for g, ts in ranking.best(layout, scene, k).items() for t in ts}
            members = [m for m in members if m in kept or any(m == right for right, _ in gold)]
        chosen = by_group(layout, sorted(members))
        examples.append(Example(scene, gold, chosen, tuple(searcher.candidates(scene, chosen))))
    return examples


def _rounded(weights: Weights) -> Weights:
    return np.asarray(np.round(weights * GRAIN) / GRAIN, dtype=np.float32)


def _signature(problems: Sequence[Problem], *options: object) -> str:
    setting, choice, features, k, epochs, seed, rule = options
    digest = hashlib.sha256()
    for problem in problems:
        digest.update(repr(problem.to_row()).encode())
    learnt_from = setting if setting == "TD" else f"{setting}-{choice}"
    return (
        f"solver|train:{learnt_from}|features:{features}|k:{'all' if k is None else k}|rule:{rule}|epochs:{epochs}"
        f"|seed:{seed}|n:{len(problems)}@{digest.hexdigest()[:8]}|version:{__version__}"
    )
