"""Which problems ``draw solve train`` learns from: those that are named, more besides, and none that shall be asked."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from draw_dataset.catalog import load
from draw_dataset.core.problem import Problem


def training_problems(
    sources: Sequence[str],
    also: Sequence[str],
    without: Sequence[str],
    data_dir: str | None,
    corrected: bool | str,
) -> list[Problem]:
    """Return the problems to learn from, and say on stderr what was left out.

    Args:
        sources: what is learnt from.
        also: rows that are learnt from besides; of derived rows only those that are decided, since where a dataset
            leaves several derivations open, one of them taken at random would teach a wrong one.
        without: what the model will be asked; problems that are nearly the same as one of these are left out.
        data_dir: the folder of the release.
        corrected: which corrections are applied to the release.
    """
    problems = [p for source in dict.fromkeys(sources) for p in load(source, data_dir, corrected)]
    for source in dict.fromkeys(also):
        rows = load(source, data_dir, corrected)
        decided = [row for row in rows if row.status in ("", "decided")]
        if len(decided) < len(rows):
            _say(f"--also {source}: {len(rows) - len(decided)} of {len(rows)} rows are not decided and are left out")
        problems += decided
    if without:
        kept = without_near(problems, [p for source in dict.fromkeys(without) for p in load(source, data_dir)])
        _say(f"--without: {len(problems) - len(kept)} of {len(problems)} problems are nearly the same and left out")
        problems = kept
    return problems


def without_near(problems: Sequence[Problem], asked: Sequence[Problem]) -> list[Problem]:
    """Return the problems that are not nearly the same as one of those that are asked (`text.likeness`)."""
    from draw_dataset.text.likeness import NearDuplicates

    index = NearDuplicates()
    for problem in asked:
        index.add(problem.question, problem.numbers)
    return [problem for problem in problems if not index.find(problem.question, problem.numbers)]


def _say(message: str) -> None:
    print(f"draw solve train: {message}", file=sys.stderr)
