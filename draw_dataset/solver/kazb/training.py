"""Training this system: from problems to a model.

The templates are those of the problems' derivations: under TD the annotated ones, under TE and TE* the first that leads
to the gold equations. What counts as right is larger: under TE and TE* all derivations of known templates that lead to
the gold equations (``supervision="equations"``), or to the gold answer (``"answer"``). Nouns are never annotated.
Training is deterministic; the seed only breaks ties between derivations that are scored alike.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

import numpy as np

from draw_dataset.core.problem import Problem
from draw_dataset.errors import ChoiceError, TrainingError, shown
from draw_dataset.solver.kazb.columns import Columns
from draw_dataset.solver.kazb.encoding import ATTRIBUTE_KINDS, encode, names_of, seen_in
from draw_dataset.solver.kazb.endings import Endings
from draw_dataset.solver.kazb.lbfgs import minimise
from draw_dataset.solver.kazb.likelihood import Example, Likelihood, WeightSpace
from draw_dataset.solver.kazb.model import KazbModel
from draw_dataset.solver.kazb.options import KazbOptions
from draw_dataset.solver.kazb.reading_texts import check_reader, read_nouns
from draw_dataset.solver.kazb.readings import Nouns
from draw_dataset.solver.kazb.right import with_answer, with_equations
from draw_dataset.solver.kazb.score_tables import chances
from draw_dataset.solver.supervision import (
    Setting,
    check_choices,
    inventory_of,
    located,
    right_derivations,
    signature,
)
from draw_dataset.solver.tagged_text import TaggedText
from draw_dataset.solver.training import GRAIN

Supervision = Literal["equations", "answer"]

MIN_TEXTS = 2
"""Texts in which something must be seen to get weights."""


def train_kazb(
    problems: Sequence[Problem],
    *,
    setting: Setting = "TE",
    seed: int = 0,
    nouns: Nouns = "near",
    supervision: Supervision = "equations",
    progress: Callable[[int, int], None] | None = None,
    options: KazbOptions = KazbOptions(),  # noqa: B008 - frozen
) -> KazbModel:
    """Train the system of Kushman and others (2014).

    Args:
        problems: the problems to learn from.
        setting: TD trains on annotated derivations, TE on equations, TE* on equations with templates reconciled.
        seed: of what breaks ties.
        nouns: ``near`` reads nouns by counting words, ``parsed`` from dependency parses (needs the extra ``kazb``).
        supervision: under TE and TE*, whether all derivations with the gold equations are right, or all with the gold
            answer.
        progress: is told after each step which it was (from 0), and how many problems were answered wrongly in it.
        options: further choices; by default the paper's.

    Raises:
        ExtraMissing: the tagger, or the parser, is not installed.
        ChoiceError: an option is none of those offered.
        RowError: the gold of a problem cannot be read; names the problem.
        TrainingError: there is nothing to learn from.
    """
    check_choices(setting=(setting, Setting), nouns=(nouns, Nouns), supervision=(supervision, Supervision))
    if type(seed) is not int or seed < 0:
        raise ChoiceError(f"seed: expected a whole number from 0, but got {shown(seed)}")
    check_reader(nouns)
    inventory = inventory_of([right_derivations(problem, setting, "first") for problem in problems], setting)
    columns = Columns(inventory)
    texts = [TaggedText.of_problem(problem) for problem in problems]
    readings = [read_nouns(text, given, "auto", nouns) for text, given in zip(texts, problems, strict=True)]
    seen = [seen_in(reading) for reading in readings]
    attributes = {kind: names_of(seen, kind, MIN_TEXTS) for kind in ATTRIBUTE_KINDS}
    examples = []
    for problem, text, reading, one in zip(problems, texts, readings, seen, strict=True):
        encoded = encode(reading, one, attributes)
        if setting != "TD" and supervision == "answer":
            right = with_answer(problem, encoded, columns)
        else:
            golds = located(text, right_derivations(problem, setting, "latent"), inventory)
            right = with_equations(golds, inventory, columns)
        if right:
            examples.append(Example(encoded, Endings(columns, encoded), right))
    if not examples:
        raise TrainingError(f"expected problems that can be solved, but none of the {len(problems)} can")
    space = WeightSpace(columns.shapes(*(len(attributes[kind]) for kind in ATTRIBUTE_KINDS)))
    likelihood = Likelihood(columns, space, examples, options, chances(columns, seed))
    found = minimise(
        likelihood,
        np.zeros(space.size, dtype=np.float32),
        options.iterations,
        lambda step, _: progress(step - 1, likelihood.wrong) if progress is not None else None,
    )
    return KazbModel(
        inventory=inventory,
        columns=columns,
        attributes=attributes,
        weights=space.tables(np.asarray(np.round(found * GRAIN) / GRAIN, dtype=np.float32)),
        lexicon=frozenset(lemma for text in texts for lemma in text.content_lemmas),
        nouns=nouns,
        seed=seed,
        options=options,
        signature=signature(problems, setting, supervision, system="kazb", nouns=nouns, seed=seed),
    )
