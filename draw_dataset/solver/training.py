"""Training a template-first solver: from problems to a model.

The right derivations of the problems (`supervision`) give the templates of the inventory. Everything seen in the texts
that occurs in at least two of them gets a row of weights, and the weights are learnt (`learner`). Training is
deterministic: the same problems, settings and seed give the same model.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np

from draw_dataset.core.problem import Problem
from draw_dataset.errors import ChoiceError, shown
from draw_dataset.solver.calibrating import calibrated
from draw_dataset.solver.features import FeatureName, feature_set
from draw_dataset.solver.layout import ColumnLayout, EncodedText, Vocabulary, Weights, attributes_of, encode_text
from draw_dataset.solver.learner import Example, Learner, LearningRule
from draw_dataset.solver.margin_program import MarginProgram
from draw_dataset.solver.model import Model
from draw_dataset.solver.ranking import Ranking, by_group
from draw_dataset.solver.relations.composed import Customs, customs_of
from draw_dataset.solver.search import Searcher
from draw_dataset.solver.supervision import (
    Choice,
    Gold,
    Setting,
    check_choices,
    inventory_of,
    located,
    right_derivations,
    signature,
)
from draw_dataset.solver.tagged_text import TaggedText

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
    relations: bool | None = None,
    calibrate: bool = False,
    progress: Callable[[int, int], None] = lambda *_: None,
) -> Model:
    """Train a template-first solver.

    Args:
        problems: the problems to learn from; of several datasets, simply one after the other.
        setting: TD trains on annotated derivations, TE on equations, TE* on equations with templates reconciled.
        choice: under TE and TE*, whether the first consistent derivation is right, or all (latent).
        features: ``extended``, ``paper``, ``inferred`` (see `inferred_features`) or ``zdc``.
        k: how many templates are tried for a text (the paper's protocol is 10); None for all.
        epochs: how often each problem is looked at.
        seed: of the order in which they are.
        rule: ``perceptron`` (the paper's) or ``margin``, which is better with the extended features; both average. Or
            ``qp``, the quadratic program of `margin_program`, which has no epochs.
        relations: whether answers shall agree with what the text states of its unknowns ("the sum is 20"); None for
            yes with the extended features, no with others. It changes nothing in what is learnt.
        calibrate: whether the solver shall tell how sure it is: trains five more models on parts of the problems and
            asks them about the others, which takes five times as long (`calibrating`).
        progress: is told after each epoch which it was (from 0), and how many problems were answered wrongly in it.

    Raises:
        ExtraMissing: the tagger is not installed.
        ChoiceError: an option is none of those offered.
        RowError: the gold of a problem cannot be read; names the problem.
        TrainingError: there is nothing to learn from.
    """
    check_choices(setting=(setting, Setting), choice=(choice, Choice), rule=(rule, LearningRule))
    _check_counts(k, epochs, seed)
    chosen_features = feature_set(features)
    reads = features == "extended" if relations is None else relations
    golds = [right_derivations(problem, setting, choice) for problem in problems]
    inventory = inventory_of(golds, setting)
    texts = [TaggedText.of_problem(problem) for problem in problems]
    layout = ColumnLayout(inventory, chosen_features)
    seen = [attributes_of(text, chosen_features) for text in texts]
    attributes = {kind: _frequent(one[kind] for one in seen) for kind in ("text", "number", "pair")}
    attributes["solution"] = layout.solution_attributes
    encoded_texts = [encode_text(text, one, attributes) for text, one in zip(texts, seen, strict=True)]
    right = [located(text, gold, inventory) for text, gold in zip(texts, golds, strict=True)]
    ranking = None
    if k is not None:
        templates = [frozenset(member for member, _ in gold) for gold in right]
        ranking = Ranking.learn(layout, encoded_texts, templates, len(attributes["text"]), epochs, seed)
    examples = _examples(layout, encoded_texts, right, ranking, k)
    counts = {kind: len(names) for kind, names in attributes.items()}
    model = Model(
        inventory=inventory,
        features=chosen_features,
        attributes=attributes,
        weights=_learnt(layout, counts, examples, rule, epochs, seed, progress),
        ranking=None if ranking is None else Ranking(_rounded(ranking.weights)),
        lexicon=frozenset(lemma for text in texts for lemma in text.content_lemmas),
        k=k,
        signature=signature(
            problems,
            setting,
            choice,
            features=features,
            k=k or "all",
            rule=rule,
            epochs=epochs,
            seed=seed,
            **({"relations": "read"} if reads else {}),
        ),
        layout=layout,
        customs=_customs(problems, texts, setting) if reads else None,
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
            relations=relations,
            progress=progress,
        )

    return calibrated(model, problems, learn)


def _check_counts(k: int | None, epochs: int, seed: int) -> None:
    if k is not None and (type(k) is not int or k < 1):
        raise ChoiceError(f"k: expected a number of templates from 1, or None for all, but got {shown(k)}")
    if type(epochs) is not int or epochs < 1:
        raise ChoiceError(f"epochs: expected a whole number from 1, but got {shown(epochs)}")
    if type(seed) is not int or seed < 0:
        raise ChoiceError(f"seed: expected a whole number from 0, but got {shown(seed)}")


def _customs(problems: Sequence[Problem], texts: Sequence[TaggedText], setting: Setting) -> Customs:
    # All derivations that fit count under TE: which of them is the first says nothing of what annotators do.
    return customs_of(texts, [right_derivations(problem, setting, "latent") for problem in problems])


def _frequent(seen: Iterable[list[list[str]]]) -> Vocabulary:
    """Return the names that are seen in several texts."""
    texts: Counter[str] = Counter()
    for lists in seen:
        texts.update(list(dict.fromkeys(name for listed in lists for name in listed)))
    return Vocabulary(name for name, count in texts.items() if count >= MIN_TEXTS)


def _examples(
    layout: ColumnLayout,
    encoded_texts: Sequence[EncodedText],
    golds: Sequence[tuple[Gold, ...]],
    ranking: Ranking | None,
    k: int | None,
) -> list[Example]:
    """Return what is learnt from; with k, the best k templates of each text and the right ones are candidates."""
    searcher = Searcher(layout, {})  # candidates need no weights
    examples = []
    for encoded, gold in zip(encoded_texts, golds, strict=True):
        members = [m for m, (g, _) in layout.place.items() if layout.groups[g].slot_count <= encoded.count]
        if ranking is not None and k is not None:
            kept = {int(layout.groups[g].members[t]) for g, ts in ranking.best(layout, encoded, k).items() for t in ts}
            members = [m for m in members if m in kept or any(m == right for right, _ in gold)]
        chosen = by_group(layout, sorted(members))
        examples.append(Example(encoded, gold, chosen, tuple(searcher.candidates(encoded, chosen))))
    return examples


def _learnt(
    layout: ColumnLayout,
    counts: Mapping[str, int],
    examples: Sequence[Example],
    rule: LearningRule,
    epochs: int,
    seed: int,
    progress: Callable[[int, int], None],
) -> dict[str, Weights]:
    """Return the weights that a rule learns from examples."""
    if rule == "qp":
        program = MarginProgram(layout, counts)
        program.learn(examples, seed, progress)
        found = program.scaled()
    else:
        learner = Learner(layout, counts, rule)
        learner.learn(examples, epochs, seed, progress)
        found = learner.averaged()
    return {kind: _rounded(table) for kind, table in found.items()}


def _rounded(weights: Weights) -> Weights:
    return np.asarray(np.round(weights * GRAIN) / GRAIN, dtype=np.float32)
