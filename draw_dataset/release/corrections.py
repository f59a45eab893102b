"""Mends what is known to be wrong in the release: templates, alignments and Equiv groups, by dataset and id.

``corrections.json`` gives for each problem what is changed and why, the new value of every field that changes, and the
codes of the findings that this mends. Texts, equations and solutions are never touched. The principle is the least
change: the published template is kept where some alignment makes it right, and where a number of the text could fill a
place that the text does not speak of (the offsets of consecutive numbers), it is used as the dataset does elsewhere.

``reviewed.json`` gives the derivations that a person found wrong and that no check can see.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from draw_dataset.core.alignment import TextNumber
from draw_dataset.core.exact import recovered
from draw_dataset.core.problem import AlignedNumber, Problem
from draw_dataset.release.problems import own_json
from draw_dataset.text import locate_numbers

REVIEWED = "reviewed-wrong"
"""The code of a derivation that a person found wrong."""


@dataclass(frozen=True, slots=True)
class Correction:
    """What is changed in a problem; a field that is None stays as published.

    Attributes:
        what: what is changed, in a sentence.
        why: what was wrong, and what is debatable about the correction.
        mends: the codes of the findings that are mended.
        template: the new template.
        alignment: the new alignment.
        equiv_tnum: the new Equiv groups.
    """

    what: str
    why: str
    mends: tuple[str, ...]
    template: tuple[str, ...] | None = None
    alignment: tuple[AlignedNumber, ...] | None = None
    equiv_tnum: tuple[tuple[TextNumber, ...], ...] | None = None


@lru_cache(maxsize=1)
def corrections() -> dict[str, dict[int | str, Correction]]:
    """Return all corrections: dataset -> id -> correction."""
    return {
        dataset: {int(id_): _correction(entry) for id_, entry in by_id.items()}
        for dataset, by_id in own_json("corrections.json").items()
    }


@lru_cache(maxsize=1)
def reviewed() -> dict[str, dict[int, str]]:
    """Return the derivations that a person found wrong: dataset -> id -> reason."""
    return {dataset: {int(id_): why for id_, why in ids.items()} for dataset, ids in own_json("reviewed.json").items()}


def correct(dataset: str, problem: Problem) -> Problem:
    """Return a problem of the release with what is wrong in it mended; the same problem if nothing is known.

    The numbers are found anew, since a token that is no longer aligned may be no number, and the codes of what is
    mended leave its findings.

    Args:
        dataset: ``draw1k``, ``alg514`` or ``dolphin_l``; problems of others stay as they are.
        problem: the problem as published.
    """
    correction = corrections().get(dataset, {}).get(problem.id)
    if correction is None:
        return problem
    alignment = problem.alignment if correction.alignment is None else correction.alignment
    annotated = {(a.sentence, a.token): recovered(a.value) for a in alignment}
    numbers, _ = locate_numbers(problem.question, annotated, rule="release")
    return replace(
        problem,
        numbers=numbers,
        template=problem.template if correction.template is None else correction.template,
        alignment=alignment,
        equiv_tnum=problem.equiv_tnum if correction.equiv_tnum is None else correction.equiv_tnum,
        findings=tuple(code for code in problem.findings if code not in correction.mends),
    )


def _correction(entry: dict[str, Any]) -> Correction:
    alignment, groups = entry.get("alignment"), entry.get("equiv_tnum")
    return Correction(
        what=entry["what"],
        why=entry["why"],
        mends=tuple(entry["mends"]),
        template=tuple(entry["template"]) if "template" in entry else None,
        alignment=None
        if alignment is None
        else tuple(AlignedNumber(a["slot"], a["sentence"], a["token"], a["value"]) for a in alignment),
        equiv_tnum=None
        if groups is None
        else tuple(
            tuple(TextNumber(n["sentence"], n["token"], recovered(n["value"])) for n in group) for group in groups
        ),
    )
