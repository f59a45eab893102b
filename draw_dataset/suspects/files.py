"""Suspects from files of answers or predictions, with several samples for a problem.

A line is what `draw score` takes, ``{"id": 7, "answer": …}`` or a prediction in any other form, and may have a
``sample``. An id may occur any number of times, in one file and in several. Problems without a line are not judged.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from draw_dataset.checks.suspicions import find_suspicions
from draw_dataset.core.problem import Problem, ProblemId
from draw_dataset.errors import ScoreError, shown
from draw_dataset.files import STANDARD
from draw_dataset.scoring.files import read_predictions
from draw_dataset.scoring.reference import Reference
from draw_dataset.suspects.ranking import CUT, Suspect, ranked, suspect_of
from draw_dataset.suspects.voices import Voice, voice_of

Answers = Mapping[str, Iterable[tuple[ProblemId, Any]]]
"""What each source of voices says: pairs of an id and a prediction, by the name of the source."""


def find_suspects(
    problems: Sequence[Problem], answers: Answers, *, cut: float = CUT, progress: bool = False
) -> list[Suspect]:
    """Return the problems whose gold the answers contradict, the surest first.

    >>> from draw_dataset.sample import load_sample
    >>> problems = load_sample()["test"][:3]
    >>> says = [(problem.id, "m = q1 + q1") for problem in problems for _ in range(3)]
    >>> [suspect.agreeing for suspect in find_suspects(problems, {"mine": says})]
    [3, 3, 3]

    Args:
        problems: the problems with their golds.
        answers: what each source says; an id may come several times.
        cut: the least score of a suspect.
        progress: whether to show a progress bar on stderr.

    Raises:
        ScoreError: an id is not one of the problems'.
        RowError: the gold of a problem cannot be read.
    """
    from tqdm import tqdm  # imported here, so that the command line starts fast

    references = {problem.id: Reference(problem) for problem in problems}
    voices: dict[ProblemId, list[Voice]] = {}
    for name, said in answers.items():
        for id_, prediction in tqdm(said, name, unit=" answers", disable=not progress):
            if id_ not in references:
                raise ScoreError(f"{name}: Unknown id {shown(id_)}: expected one of the {len(references)} problems")
            heard = voices.setdefault(id_, [])
            count = sum(voice.model == name for voice in heard)
            heard.append(voice_of(prediction, references[id_], f"{name}#{count + 1}", name))
    told: dict[ProblemId, dict[str, str]] = {}
    for finding in find_suspicions(problems):
        told.setdefault(finding.problem_id, {}).setdefault(finding.code, finding.message)
    return ranked((suspect_of(references[id_], heard, told.get(id_, {})) for id_, heard in voices.items()), cut)


def read_answers(
    paths: Sequence[str | os.PathLike[str]], *, field: str | None = None
) -> dict[str, list[tuple[ProblemId, Any]]]:
    """Return what files say, by their names without ending, or by their paths where the names are the same.

    Raises:
        ScoreError: a file cannot be read, or a line is no prediction with an id; names file and line.
    """
    stems = ["stdin" if str(path) == STANDARD else Path(path).stem for path in paths]
    names = stems if len(set(stems)) == len(stems) else [str(path) for path in paths]
    return {
        name: [(id_, prediction) for _, id_, prediction in read_predictions(path, field=field)]
        for name, path in zip(names, paths, strict=True)
    }
