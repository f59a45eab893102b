"""The question: is a problem part of a released dataset already? By its number on the site, and by its text."""

from __future__ import annotations

import os

from draw_dataset.cleaning.duplicates import SeenProblems
from draw_dataset.release import load_problems

DATASETS = ("draw1k", "alg514")


class KnownProblems:
    """The problems of Draw-1k and Alg-514.

    Args:
        data_dir: the folder with the files of the release.

    Raises:
        DrawError: the files cannot be had, or are not the release.
    """

    def __init__(self, data_dir: str | os.PathLike[str]) -> None:
        self._ids: set[int] = set()
        self._seen = SeenProblems()
        for dataset in DATASETS:
            for problems in load_problems(dataset, data_dir).values():
                for problem in problems:
                    # Only the ids of Draw-1k are those of the site.
                    if dataset == "draw1k":
                        self._ids.add(problem.id)
                    self._seen.add(f"{dataset} {problem.id}", problem.question)

    def find(self, id_: int, question: str) -> str | None:
        """Return where a problem is known from, as in ``draw1k 337``; None if it is not."""
        if id_ in self._ids:
            return f"draw1k {id_}"
        found = self._seen.find(question)
        return None if found is None else str(found)
