"""Training a solver: from problems to a model.

What a problem teaches depends on the setting of the paper. **TD** trains on annotated derivations: gold, and every
variant in which a number is replaced by one that means the same (EquivTNum). **TE** trains on equations: the
derivations that lead from the numbers of the text to the gold equations, either the first of them or all (the solver
then chooses the one it likes best, which is latent). **TE*** is TE with the templates of all data reconciled first;
without that, each normal form of equations is a template of its own, as in the paper. All settings give a set of
derivations for each problem, so the rest is the same for all: their templates become the inventory, everything seen in
the texts that occurs in at least two of them gets a row of weights, and the weights are learnt (`learner`). Training is
deterministic: the same problems, settings and seed give the same model.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from itertools import islice, product
from typing import Literal, get_args

import numpy as np

from draw_dataset.core.alignment import TextNumber
from draw_dataset.core.derivation import Derivation
from draw_dataset.core.problem import Problem
from draw_dataset.core.references import consistent_derivations
from draw_dataset.errors import ChoiceError, DrawError, NotLinearError, RowError, TrainingError, shown
from draw_dataset.solver.arrangements import least
from draw_dataset.solver.calibrating import calibrated
from draw_dataset.solver.features import FeatureName, feature_set
from draw_dataset.solver.inventory import Inventory
from draw_dataset.solver.layout import ColumnLayout, EncodedText, Vocabulary, Weights, attributes_of, encode_text
from draw_dataset.solver.learner import Example, Gold, Learner, LearningRule
from draw_dataset.solver.model import Model
from draw_dataset.solver.ranking import Ranking, by_group
from draw_dataset.solver.search import Searcher
from draw_dataset.solver.tagged_text import TaggedText
from draw_dataset.version import __version__

Setting = Literal["TD", "TE", "TE*"]
Choice = Literal["first", "latent"]

MAX_DERIVATIONS = 64
"""Derivations of one problem that count as right; the release has up to 2187 that lead to the same equations."""

MIN_TEXTS = 2
"""Texts in which something must be seen to get weights."""

GRAIN = 4096
"""Weights are rounded to multiples of one part in this many, so that sums of them are exact."""

DEFAULT_EPOCHS = 6
"""How often each problem is looked at; chosen by cross-validation over Draw's train and validation (docs/solver.md)."""


def train_template_first(
    problems: Sequence[Problem],
    *,
    setting: Setting = "TD",
    choice: Choice = "first",
    features: FeatureName = "extended",
    k: int | None = None,
    epochs: int = DEFAULT_EPOCHS,
    seed: int = 0,
    rule: LearningRule = "margin",
    calibrate: bool = False,
    progress: Callable[[int, int], None] = lambda *_: None,
) -> Model:
    """Train a template-first solver.

    Args:
        problems: the problems to learn from; of several datasets, simply one after the other.
        setting: TD trains on annotated derivations, TE on equations, TE* on equations with templates reconciled.
        choice: under TE and TE*, whether the first consistent derivation is right, or all (latent).
        features: ``paper`` or ``extended``.
        k: how many templates are tried for a text (the paper's protocol is 10); None for all.
        epochs: how often each problem is looked at.
        seed: of the order in which they are.
        rule: ``perceptron`` (the paper's) or ``margin``, which is better with the extended features; both average.
        calibrate: whether the solver shall tell how sure it is: trains five more models on parts of the problems and
            asks them about the others, which takes five times as long (`calibrating`).
        progress: is told after each epoch which it was (from 0), and how many problems were answered wrongly in it.

    Raises:
        ExtraMissing: the tagger is not installed.
        ChoiceError: an option is none of those offered.
        RowError: the gold of a problem cannot be read; names the problem.
        TrainingError: there is nothing to learn from.
    """
    _check_choices(setting=(setting, Setting), choice=(choice, Choice), rule=(rule, LearningRule))
    _check_counts(k, epochs, seed)
    chosen_features = feature_set(features)
    golds = [right_derivations(problem, setting, choice) for problem in problems]
    reconciled = setting != "TE"
    inventory = Inventory.of([t for gold in golds for t in {d.template: None for d in gold}], reconciled)
    if not len(inventory):
        raise TrainingError(f"expected problems with derivations to learn from, but got {len(problems)} without any")
    texts = [TaggedText.of_problem(problem) for problem in problems]
    layout = ColumnLayout(inventory, chosen_features)
    seen = [attributes_of(text, chosen_features) for text in texts]
    attributes = {kind: _frequent(one[kind] for one in seen) for kind in ("text", "number", "pair")}
    attributes["solution"] = layout.solution_attributes
    encoded_texts = [encode_text(text, one, attributes) for text, one in zip(texts, seen, strict=True)]
    located = [_located(text, gold, inventory) for text, gold in zip(texts, golds, strict=True)]
    ranking = None
    if k is not None:
        right = [frozenset(member for member, _ in gold) for gold in located]
        ranking = Ranking.learn(layout, encoded_texts, right, len(attributes["text"]), epochs, seed)
    learner = Learner(layout, {kind: len(names) for kind, names in attributes.items()}, rule)
    examples = _examples(layout, learner, encoded_texts, located, ranking, k)
    learner.learn(examples, epochs, seed, progress)
    model = Model(
        inventory=inventory,
        features=chosen_features,
        attributes=attributes,
        weights={kind: _rounded(w) for kind, w in learner.averaged().items()},
        ranking=None if ranking is None else Ranking(_rounded(ranking.weights)),
        lexicon=frozenset(lemma for text in texts for lemma in text.content_lemmas),
        k=k,
        signature=_signature(problems, setting, choice, features, k, epochs, seed, rule),
        layout=layout,
    )
    if not calibrate:
        return model

    def learn(part: Sequence[Problem]) -> Model:
        return train_template_first(
            part,
            setting=setting,
            choice=choice,
            features=features,
            k=k,
            epochs=epochs,
            seed=seed,
            rule=rule,
            progress=progress,
        )

    return calibrated(model, problems, learn)


def _check_choices(**given: tuple[str, object]) -> None:
    for name, (value, offered) in given.items():
        if value not in get_args(offered):
            raise ChoiceError(f"{name}: expected one of {', '.join(get_args(offered))}, but got {shown(value)}")


def _check_counts(k: int | None, epochs: int, seed: int) -> None:
    if k is not None and (type(k) is not int or k < 1):
        raise ChoiceError(f"k: expected a number of templates from 1, or None for all, but got {shown(k)}")
    if type(epochs) is not int or epochs < 1:
        raise ChoiceError(f"epochs: expected a whole number from 1, but got {shown(epochs)}")
    if type(seed) is not int or seed < 0:
        raise ChoiceError(f"seed: expected a whole number from 0, but got {shown(seed)}")


def right_derivations(problem: Problem, setting: Setting, choice: Choice) -> list[Derivation]:
    """Return the derivations that count as right for a problem; none if its equations allow none.

    Raises:
        RowError: the gold of the problem cannot be read; names the problem.
    """
    if setting == "TD":
        return _annotated(problem)
    try:
        consistent = consistent_derivations(list(problem.equations), problem.numbers)
    except DrawError as error:
        raise RowError(f"problem {problem.id}: gold equations: {error}") from error
    found: list[Derivation] = []
    for rank in range(min(consistent.count, MAX_DERIVATIONS)):
        # Equations may be linear only because two literals are equal that came from two numbers.
        with suppress(NotLinearError):
            found.append(consistent.nth(rank))
        if found and choice == "first":
            break
    return found


def _annotated(problem: Problem) -> list[Derivation]:
    """Return the gold derivation, and what it becomes when numbers are replaced by ones that mean the same."""
    gold = problem.derivation
    places = {number.place for number in problem.numbers}
    groups = {member.place: group for group in problem.equiv_tnum for member in group}
    choices: list[list[TextNumber]] = []
    for slot in gold.template.slots:
        number = gold.alignment[slot]
        same = [n for n in groups.get(number.place, ()) if n.place in places and n.place != number.place]
        choices.append([number, *same])
    return [
        Derivation(gold.template, dict(zip(gold.template.slots, numbers, strict=True)))
        for numbers in islice(product(*choices), MAX_DERIVATIONS)
        if len({number.place for number in numbers}) == len(numbers)
    ]


def _frequent(seen: Iterable[list[list[str]]]) -> Vocabulary:
    """Return the names that are seen in several texts."""
    texts: Counter[str] = Counter()
    for lists in seen:
        texts.update(list(dict.fromkeys(name for listed in lists for name in listed)))
    return Vocabulary(name for name, count in texts.items() if count >= MIN_TEXTS)


def _located(text: TaggedText, golds: Sequence[Derivation], inventory: Inventory) -> tuple[Gold, ...]:
    """Return the right derivations of a text as candidates; those with a number that is not in the text are none."""
    rank = {number.place: i for i, number in enumerate(text.numbers)}
    found: dict[Gold, None] = {}
    for derivation in golds:
        located = inventory.locate(derivation)
        if located is not None and all(number.place in rank for number in located[1]):
            member, numbers = located
            automorphisms = inventory.classes[member].structure.automorphisms
            found[member, least([rank[number.place] for number in numbers], automorphisms)] = None
    return tuple(found)


def _examples(
    layout: ColumnLayout,
    learner: Learner,
    encoded_texts: Sequence[EncodedText],
    golds: Sequence[tuple[Gold, ...]],
    ranking: Ranking | None,
    k: int | None,
) -> list[Example]:
    """Return what is learnt from; with k, the best k templates of each text and the right ones are candidates."""
    searcher = Searcher(layout, learner.weights)
    examples = []
    for encoded, gold in zip(encoded_texts, golds, strict=True):
        members = [m for m, (g, _) in layout.place.items() if layout.groups[g].slot_count <= encoded.count]
        if ranking is not None and k is not None:
            kept = {int(layout.groups[g].members[t]) for g, ts in ranking.best(layout, encoded, k).items() for t in ts}
            members = [m for m in members if m in kept or any(m == right for right, _ in gold)]
        chosen = by_group(layout, sorted(members))
        examples.append(Example(encoded, gold, chosen, tuple(searcher.candidates(encoded, chosen))))
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
