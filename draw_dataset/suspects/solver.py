"""The solver as one more voice: what it predicts for each problem when it has learnt from the others.

The problems are divided at random into parts; for each part a solver is trained on all others (cross-validation), so
that no prediction uses the gold with which it is compared. Problems with the same text stay in one part.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from draw_dataset.core.problem import Problem, ProblemId
from draw_dataset.text.likeness import masked_words

PARTS = 5
"""How many parts there are by default."""

TEMPLATES = 10
"""Templates that the solver tries for a text: the paper's number, which is fast."""


def solver_answers(
    problems: Sequence[Problem], *, parts: int = PARTS, k: int | None = TEMPLATES, seed: int = 0, progress: bool = False
) -> list[tuple[ProblemId, dict[str, Any]]]:
    """Return the cross-validated predictions of the solver; problems on which it abstains have none.

    Args:
        problems: the problems.
        parts: how many parts they are divided into.
        k: how many templates are tried for a text; None for all, which is better and takes ten times as long.
        seed: of the division and the training.
        progress: whether to show a progress bar on stderr.

    Raises:
        ExtraMissing: the tagger of the solver is not installed.
        TrainingError: there are too few problems to learn from.
    """
    from tqdm import tqdm

    # Imported here: numpy and the tagger take long to import, and only this needs them.
    from draw_dataset.solver import train

    texts: dict[str, list[Problem]] = {}
    for problem in problems:
        texts.setdefault(" ".join(masked_words(problem.question, problem.numbers)), []).append(problem)
    groups = [texts[text] for text in sorted(texts)]
    random.Random(seed).shuffle(groups)
    said: list[tuple[ProblemId, dict[str, Any]]] = []
    for part in tqdm(range(parts), "solver", unit=" parts", disable=not progress):
        held = [problem for at, group in enumerate(groups) if at % parts == part for problem in group]
        model = train([p for at, group in enumerate(groups) if at % parts != part for p in group], k=k, seed=seed)
        for problem in held:
            prediction = model.predict(problem).to_dict()
            if prediction is not None:
                said.append((problem.id, prediction))
    return said
