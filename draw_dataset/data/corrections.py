"""Corrections of the release: templates, alignments, Equiv groups and equations, by dataset and id.

``corrections.json`` has the changes, the reason, and the codes of the findings that they repair; texts are never
changed. ``v2`` are all corrections up to version 2, ``v2-derivations`` those that change the derivation alone. A
published version is never changed, so the name in a signature identifies the data.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from draw_dataset.algebra.number import from_float64
from draw_dataset.data.release import own_json
from draw_dataset.derivation.derivation import TextNumber
from draw_dataset.derivation.problem import AlignedNumber, Problem
from draw_dataset.errors import ChoiceError, short_repr
from draw_dataset.text.numbers import locate_numbers

VERSION = 2
"""The latest version of the corrections."""

KINDS = ("derivation", "equations")
"""The kinds of corrections."""

_NAME = re.compile(r"v([1-9]\d{0,3})(-derivations)?")


@dataclass(frozen=True, slots=True)
class Selection:
    """A selection of corrections."""

    version: int = VERSION  # up to which version
    derivations_only: bool = False  # whether only those that leave equations and solutions alone

    @property
    def name(self) -> str:
        """The name of the selection: ``v2``, ``v2-derivations``."""
        return f"v{self.version}{'-derivations' if self.derivations_only else ''}"

    @classmethod
    def of(cls, corrected: bool | str) -> Selection | None:
        """Return the selection that an argument means: True is the latest version, False none at all."""
        if isinstance(corrected, bool):
            return cls() if corrected else None
        match = _NAME.fullmatch(corrected) if isinstance(corrected, str) else None
        if match is None or int(match[1]) > VERSION:
            raise ChoiceError(
                f"corrected must be True or False, or one of {', '.join(names())}, but got {short_repr(corrected)}"
            )
        return cls(int(match[1]), match[2] is not None)

    def has(self, correction: Correction) -> bool:
        """Decide whether a correction is applied."""
        return correction.version <= self.version and not (self.derivations_only and correction.kind == "equations")


def names() -> list[str]:
    """Return the names of all selections."""
    return [f"v{version}{end}" for version in range(1, VERSION + 1) for end in ("", "-derivations")]


@dataclass(frozen=True, slots=True)
class Correction:
    """The new values of a problem's fields; a field that is None stays as published."""

    what: str  # the change in a sentence
    why: str  # what was wrong, and what is debatable about the correction
    mends: tuple[str, ...]  # the codes of the findings that are repaired
    version: int = 1  # the version of the corrections in which it came
    kind: str = "derivation"  # ``derivation`` or ``equations``
    template: tuple[str, ...] | None = None
    alignment: tuple[AlignedNumber, ...] | None = None
    equiv_tnum: tuple[tuple[TextNumber, ...], ...] | None = None
    equations: tuple[str, ...] | None = None
    solutions: tuple[float, ...] | None = None
    alternatives: tuple[str, ...] | None = None
    asked: tuple[str, ...] | None = None  # what the question asks for, in the new template's unknowns


@lru_cache(maxsize=1)
def corrections() -> dict[str, dict[int | str, Correction]]:
    """Return all corrections: dataset -> id -> correction."""
    return {
        dataset: {int(id_): _correction(entry) for id_, entry in by_id.items()}
        for dataset, by_id in own_json("corrections.json").items()
    }


def correct(dataset: str, problem: Problem, selection: Selection = Selection()) -> Problem:
    """Return a problem of the release with its known errors repaired; the same problem if none is known."""
    correction = corrections().get(dataset, {}).get(problem.id)
    if correction is None or not selection.has(correction):
        return problem
    alignment = problem.alignment if correction.alignment is None else correction.alignment
    annotated = {(a.sentence, a.token): from_float64(a.value) for a in alignment}
    numbers, _ = locate_numbers(problem.question, annotated, rule="release")
    changed: dict[str, Any] = {
        name: value
        for name in ("template", "equiv_tnum", "equations", "solutions", "alternatives", "asked")
        if (value := getattr(correction, name)) is not None
    }
    return replace(
        problem,
        numbers=numbers,
        alignment=alignment,
        findings=tuple(code for code in problem.findings if code not in correction.mends),
        **changed,
    )


def _correction(entry: dict[str, Any]) -> Correction:
    texts = ("mends", "template", "equations", "solutions", "alternatives", "asked")
    given: dict[str, Any] = {name: tuple(entry[name]) for name in texts if name in entry}
    if "alignment" in entry:
        given["alignment"] = tuple(
            AlignedNumber(a["slot"], a["sentence"], a["token"], a["value"]) for a in entry["alignment"]
        )
    if "equiv_tnum" in entry:
        given["equiv_tnum"] = tuple(
            tuple(TextNumber(n["sentence"], n["token"], from_float64(n["value"])) for n in group)
            for group in entry["equiv_tnum"]
        )
    plain = {name: entry[name] for name in ("what", "why", "version", "kind") if name in entry}
    return Correction(**plain, **given)
