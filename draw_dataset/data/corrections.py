"""Corrections of the release by dataset and id: derivations, groups of equal numbers, what is asked, and roles.

Texts are never changed, and a published edition never is, so the name in a signature identifies the data. Editions 1
and 2 are in ``corrections.json``: ``v2`` are all corrections up to edition 2, ``v2-derivations`` those that change the
derivation alone. Edition 3, ``v3``, comes from readings of every row (``edition3.jsonl``, by
``scripts/update_gold.py``); it has a line for every row that differs from the published one, whichever edition changed
it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib.resources import files
from typing import Any

from draw_dataset.algebra.number import from_float64, number_literal
from draw_dataset.data.release import own_json
from draw_dataset.derivation.derivation import Derivation, TextNumber
from draw_dataset.derivation.problem import EXCLUDED, READ_TWICE, AlignedNumber, AppliedCorrection, Problem
from draw_dataset.errors import ChoiceError, short_repr
from draw_dataset.io.jsonl import decode_line
from draw_dataset.text.numbers import locate_numbers

VERSION = 3
"""The latest edition of the corrections."""

KINDS = {
    "derivation": "the template or a number in a slot was wrong; the equations were right",
    "equations": "the equations misread the text",
    "convention": "right, but with other unknowns or slots than the convention of docs/gold.md",
    "groups": "a group of equal numbers was wrong or missing",
    "alternative": "right, but another derivation is as right",
    EXCLUDED: "no derivation is right",
}
"""The kinds of corrections, and what each says of the published row."""

_NAME = re.compile(r"v(\d+)(-derivations)?")


@dataclass(frozen=True, slots=True)
class Selection:
    """A selection of corrections."""

    version: int = VERSION  # up to which edition
    derivations_only: bool = False  # whether only those that leave equations and solutions alone

    @property
    def name(self) -> str:
        """The name of the selection: ``v2``, ``v2-derivations``."""
        return f"v{self.version}{'-derivations' if self.derivations_only else ''}"

    @classmethod
    def of(cls, corrected: bool | str) -> Selection | None:
        """Return the selection that an argument means: True is the latest edition, False none at all."""
        if isinstance(corrected, bool):
            return cls() if corrected else None
        match = _NAME.fullmatch(corrected) if isinstance(corrected, str) and corrected in names() else None
        if match is None:
            raise ChoiceError(
                f"corrected must be True or False, or one of {', '.join(names())}, but got {short_repr(corrected)}"
            )
        return cls(int(match[1]), match[2] is not None)

    def has(self, correction: Correction) -> bool:
        """Decide whether a correction of editions 1 and 2 is applied."""
        return correction.version <= self.version and not (self.derivations_only and correction.kind == "equations")


def names() -> list[str]:
    """Return the names of all selections."""
    return [*(f"v{version}{end}" for version in range(1, READ_TWICE) for end in ("", "-derivations")), f"v{VERSION}"]


@dataclass(frozen=True, slots=True)
class Correction:
    """The new values of a problem's fields in editions 1 and 2; a field that is None stays as published."""

    what: str  # the change in a sentence
    why: str  # what was wrong, and what is debatable about the correction
    mends: tuple[str, ...]  # the codes of the findings that are repaired
    version: int = 1  # the edition in which it came
    kind: str = "derivation"  # ``derivation`` or ``equations``
    template: tuple[str, ...] | None = None
    alignment: tuple[AlignedNumber, ...] | None = None
    equiv_tnum: tuple[tuple[TextNumber, ...], ...] | None = None
    equations: tuple[str, ...] | None = None
    solutions: tuple[float, ...] | None = None
    alternatives: tuple[str, ...] | None = None
    asked: tuple[str, ...] | None = None  # what the question asks for, in the new template's unknowns


@dataclass(frozen=True, slots=True)
class Change:
    """A line of edition 3: the row as it is there. Derivations are in q-notation over the published numbers."""

    dataset: str
    id: int
    edition: int  # the edition that changed the derivation, or 3
    kind: str  # one of `KINDS`
    why: str  # what was wrong
    before: str  # the published derivation
    asked: tuple[str, ...]  # in the unknowns of the new derivation
    roles: Mapping[str, str]
    readers: tuple[int, ...]
    date: str
    after: str = ""  # the derivation; empty if that of edition 2, or the published one, stays
    groups: tuple[tuple[int, ...], ...] | None = None  # indices of numbers; None if they stay
    alternatives: tuple[str, ...] = ()


@lru_cache(maxsize=1)
def corrections() -> dict[str, dict[int | str, Correction]]:
    """Return the corrections of editions 1 and 2: dataset -> id -> correction."""
    return {
        dataset: {int(id_): _correction(entry) for id_, entry in by_id.items()}
        for dataset, by_id in own_json("corrections.json").items()
    }


@lru_cache(maxsize=1)
def changes() -> dict[str, dict[int | str, Change]]:
    """Return the rows that edition 3 changes: dataset -> id -> change."""
    name = "edition3.jsonl"
    found: dict[str, dict[int | str, Change]] = {}
    content = files("draw_dataset.data").joinpath("annotations", name).read_bytes()
    for number, line in enumerate(content.splitlines(), 1):
        entry = decode_line(line, f"{name}, line {number}")
        for field in ("asked", "readers", "alternatives"):
            entry[field] = tuple(entry.get(field, ()))
        if "groups" in entry:
            entry["groups"] = tuple(map(tuple, entry["groups"]))
        found.setdefault(entry["dataset"], {})[entry["id"]] = Change(**entry)
    return found


def correct(dataset: str, problem: Problem, selection: Selection = Selection()) -> Problem:
    """Return a problem of the release with its known errors repaired; the same problem if none is known."""
    if selection.version < READ_TWICE:
        return _correct_by_entry(dataset, problem, selection)
    change = changes().get(dataset, {}).get(problem.id)
    return problem if change is None else _apply(dataset, problem, change)


# The codes of findings that are repaired where the derivation is read anew, and where the groups are.
_OF_DERIVATIONS = frozenset(
    (
        "not-derivable",
        "reviewed-wrong",
        "reviewed-wrong-equations",
        "value-mismatch",
        "solution-mismatch",
        "slot-cancels",
        "number-missed",
        "other-gold",
        "equiv-joins-slots",
    )
)
_OF_GROUPS = frozenset(("equiv-token", "equiv-joins-slots"))


def _apply(dataset: str, problem: Problem, change: Change) -> Problem:
    """Return a problem as edition 3 has it. It keeps the published numbers, so q-notation fits both."""
    correction = AppliedCorrection(change.edition, change.kind)
    if change.kind == EXCLUDED:
        return replace(problem, correction=correction, alternatives=(), asked=(), roles=())
    mended: frozenset[str] = frozenset()
    if change.after:
        derivation = Derivation.read(change.after, problem.numbers)
        values = derivation.solve().values
        changed = problem.with_gold(derivation, [values[name] for name in derivation.template.unknowns])
        changed = replace(changed, equations=_equations(change.after, problem.numbers))
        mended = _OF_DERIVATIONS
    else:
        changed = replace(_correct_by_entry(dataset, problem, Selection(READ_TWICE - 1)), numbers=problem.numbers)
    if change.groups is not None:
        known = {number.index: number for number in problem.numbers}
        members = [[known[index] for index in group] for group in change.groups]
        groups = tuple(tuple(TextNumber(n.sentence, n.token, n.value) for n in group) for group in members)
        changed = replace(changed, equiv_tnum=groups)
        mended |= _OF_GROUPS
    return replace(
        changed,
        findings=tuple(code for code in changed.findings if code not in mended),
        alternatives=change.alternatives,
        asked=change.asked,
        roles=tuple(change.roles.items()),
        correction=correction,
    )


def _equations(derivation: str, numbers: Sequence[TextNumber]) -> tuple[str, ...]:
    """Return the equations of a derivation in q-notation, with the values of the numbers."""
    values = {f"q{number.index}": number.value for number in numbers}

    def value_of(found: re.Match[str]) -> str:
        value = values[found[0]]
        return found[0] if value is None else number_literal(value)

    return tuple(re.sub(r"q\d+", value_of, equation.strip()) for equation in derivation.split(";"))


def _correct_by_entry(dataset: str, problem: Problem, selection: Selection) -> Problem:
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
        roles=() if "template" in changed else problem.roles,  # they are those of the published unknowns
        correction=AppliedCorrection(correction.version, correction.kind),
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
