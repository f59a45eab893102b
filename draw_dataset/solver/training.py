"""Training of the template-first solver and of ZDC: from problems to a model.

The right derivations of the problems give the inventory of templates. Every attribute seen in at least two texts gets a
row of weights, and the weights are learnt (`learning`). Training is deterministic: the same problems, settings and seed
give the same model.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Literal

import numpy as np

from draw_dataset.derivation.problem import Problem
from draw_dataset.errors import ChoiceError, short_repr
from draw_dataset.solver.features import FeatureName, feature_set
from draw_dataset.solver.learning import (
    Choice,
    Example,
    Gold,
    Learner,
    LearningRule,
    MarginProgram,
    Setting,
    build_inventory,
    check_choices,
    locate_golds,
    right_derivations,
    signature,
)
from draw_dataset.solver.model import Model, Ranking, add_calibration, by_group
from draw_dataset.solver.relations.use import learn_conventions
from draw_dataset.solver.search import (
    ColumnLayout,
    EncodedText,
    Searcher,
    Vocabulary,
    Weights,
    attributes_of,
    encode_text,
)
from draw_dataset.solver.text import TaggedText

MIN_TEXTS = 2  # texts in which something must be seen to get weights
GRAIN = 4096  # weights are rounded to multiples of 1/GRAIN, so that sums of them are exact

DEFAULT_EPOCHS = 6  # chosen by cross-validation over Draw's train and validation (docs/solver.md)


def train_template_first(
    problems: Sequence[Problem],
    *,
    setting: Setting = "TD",  # annotated derivations, TE: equations, TE*: equations with templates reconciled
    choice: Choice = "first",  # under TE and TE*: the first consistent derivation is right, or all are (latent)
    features: FeatureName = "extended",
    k: int | None = None,  # templates tried for a text (10 in the paper); None for all
    epochs: int = DEFAULT_EPOCHS,
    seed: int = 0,  # of the order of the problems
    rule: LearningRule = "margin",  # or perceptron, the paper's; or qp, the quadratic program, which has no epochs
    relations: bool | None = None,  # whether answers must agree with the text's relations; by default, if extended
    calibrate: bool = False,  # whether answers get a confidence; trains five more models
    progress: Callable[[int, int], None] = lambda *_: None,  # gets each epoch, from 0, and its number of wrong answers
) -> Model:
    """Train a template-first solver.

    Raises ChoiceError for a bad option, RowError for unreadable gold, TrainingError if there is nothing to learn from.
    """
    check_choices(setting=(setting, Setting), choice=(choice, Choice), rule=(rule, LearningRule))
    _check_counts(k, epochs, seed)
    chosen_features = feature_set(features)
    reads = features == "extended" if relations is None else relations
    golds = [right_derivations(problem, setting, choice) for problem in problems]
    inventory = build_inventory(golds, setting)
    texts = [TaggedText.of_problem(problem) for problem in problems]
    layout = ColumnLayout(inventory, chosen_features)
    seen = [attributes_of(text, chosen_features) for text in texts]
    attributes = {kind: _frequent_names(one[kind] for one in seen) for kind in ("text", "number", "pair")}
    attributes["solution"] = layout.solution_attributes
    encoded_texts = [encode_text(text, one, attributes) for text, one in zip(texts, seen, strict=True)]
    right = [locate_golds(text, gold, inventory) for text, gold in zip(texts, golds, strict=True)]
    ranking = None
    if k is not None:
        templates = [frozenset(member for member, _ in gold) for gold in right]
        ranking = Ranking.learn(layout, encoded_texts, templates, len(attributes["text"]), epochs, seed)
    examples = _examples(layout, encoded_texts, right, ranking, k)
    counts = {kind: len(names) for kind, names in attributes.items()}
    conventions = None
    if reads:  # under TE all derivations that fit count: the first of them says nothing about annotators
        conventions = learn_conventions(texts, [right_derivations(p, setting, "latent") for p in problems])
    model = Model(
        inventory=inventory,
        features=chosen_features,
        attributes=attributes,
        weights=_learn_weights(layout, counts, examples, rule, epochs, seed, progress),
        ranking=None if ranking is None else Ranking(_round(ranking.weights)),
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
        conventions=conventions,
    )
    if not calibrate:
        return model

    learn = partial(
        train_template_first,
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
    return add_calibration(model, problems, learn)


def _check_counts(k: int | None, epochs: int, seed: int) -> None:
    if k is not None and (type(k) is not int or k < 1):
        raise ChoiceError(f"k: expected a number of templates from 1, or None for all, but got {short_repr(k)}")
    if type(epochs) is not int or epochs < 1:
        raise ChoiceError(f"epochs: expected a whole number from 1, but got {short_repr(epochs)}")
    if type(seed) is not int or seed < 0:
        raise ChoiceError(f"seed: expected a whole number from 0, but got {short_repr(seed)}")


def _frequent_names(seen: Iterable[list[list[str]]]) -> Vocabulary:
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
    """Return training examples; with k, only the best k templates of a text and the right ones are candidates."""
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


def _learn_weights(
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
        found = program.scaled_weights()
    else:
        learner = Learner(layout, counts, rule)
        learner.learn(examples, epochs, seed, progress)
        found = learner.averaged_weights()
    return {kind: _round(table) for kind, table in found.items()}


def _round(weights: Weights) -> Weights:
    return np.asarray(np.round(weights * GRAIN) / GRAIN, dtype=np.float32)


# ZDC (Zhou, Dai and Chen 2015): the template-first machinery with ZDC's features and all templates, taught by the
# margin rule (faster, the default) or ZDC's quadratic program (``rule="qp"``). ZDC merges equivalent templates, so TE
# is TE* for it.


ZdcRule = Literal["margin", "qp"]


def train_zdc(
    problems: Sequence[Problem],
    *,
    setting: Setting = "TD",
    choice: Choice = "first",
    rule: ZdcRule = "margin",  # or qp, the quadratic program of the paper
    epochs: int = DEFAULT_EPOCHS,  # of the margin rule
    seed: int = 0,
    progress: Callable[[int, int], None] = lambda *_: None,
) -> Model:
    """Train ZDC."""
    check_choices(rule=(rule, ZdcRule))
    return train_template_first(
        problems,
        setting="TE*" if setting == "TE" else setting,
        choice=choice,
        features="zdc",
        k=None,
        epochs=epochs,
        seed=seed,
        rule=rule,
        progress=progress,
    )
