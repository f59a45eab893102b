"""How extracted equations are judged: by the core, as derivations over the values of their literals."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from crawl.stand_in_site.questions import Question

from draw_dataset import Derivation, Template, derivations_equivalent, solve
from draw_dataset.reading.extraction import Extraction, extract_equations

CASES = Path(__file__).resolve().parents[1] / "cases"
_LITERAL = re.compile(r"(?<![\w.])(?:(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?:\.\d*)?|\.\d+)")


def load_cases(name: str) -> list[dict[str, Any]]:
    return tomllib.loads((CASES / name).read_text(encoding="utf-8"))["case"]


def form(equations: Sequence[str]) -> Derivation:
    """Return a system as a derivation: each literal a slot, equal literals the same one, placed by their values."""
    plain = str(Template(list(equations), slots=()))
    text = _LITERAL.sub(lambda match: f"slot{round(float(match.group().replace(',', '')) * 10**6)}", plain)
    made = Template(text, slots=set(re.findall(r"slot\d+", text)))
    return Derivation(made, {name: (0, int(name[4:])) for name in made.slots})


def same_form(first: Sequence[str], second: Sequence[str]) -> bool:
    """Say whether two systems are the same derivation from the same numbers, not only of the same solution."""
    if solve(list(first)).numbers != solve(list(second)).numbers:
        return False
    return derivations_equivalent(form(first), form(second))


@dataclass(frozen=True)
class Outcome:
    """`verdict` is right, refused (none where there should be some), flagged (simplified, and it says so) or silent."""

    name: str
    verdict: str
    got: Extraction


def judge(case: dict[str, Any]) -> Outcome:
    got = extract_equations(case["question"], [case["explanation"]])
    accepted = [case["equations"], *case.get("also", [])] if "equations" in case else []
    if not got.equations:
        verdict = "right" if not accepted and case["reason"] in f"{got.reason}" else "refused"
    elif any(same_form(got.equations, gold) for gold in accepted):
        verdict = "right"
    elif got.missing and any(solve(list(got.equations)).numbers == solve(gold).numbers for gold in accepted):
        verdict = "flagged"
    else:
        verdict = "silent"
    return Outcome(case["name"], verdict, got)


def known_systems(question: Question) -> list[list[str]]:
    """Return every form in which the stand-in site knows the equations of a question."""
    told = [list(e.equations) for e in question.explanations if e.of_this_problem and e.equations]
    return [*told, list(question.known.equations), *([equation] for equation in question.known.one_unknown)]
