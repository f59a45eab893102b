"""Findings: the defects of one problem, of a list of problems, and of whole datasets with their splits.

A defect is a `Finding`: a code that does not change between versions, the problem, and a message. Each kind is a small
function in another module here. For a problem that cannot be read, only its annotations are checked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from draw_dataset.checks.annotation import equiv_joins_slots, equiv_token, number_missed, value_mismatch
from draw_dataset.checks.reasoning import not_derivable, slot_cancels, solution_mismatch, unreadable
from draw_dataset.checks.repetition import Place, duplicate_id, duplicate_text, id_order, near_duplicates, other_gold
from draw_dataset.core.problem import Problem

CODES: Mapping[str, str] = MappingProxyType(
    {
        "unreadable": "the equations, the template, the alignment, the Equiv groups or what is asked cannot be read",
        "number-missed": "an aligned token that the rules for numbers do not find",
        "value-mismatch": "an annotated value that is not at its token",
        "solution-mismatch": "the grounded template does not give the solutions",
        "not-derivable": "no reading of the equations gives the derivation",
        "reviewed-wrong": "a derivation that a reader found wrong (release only)",
        "reviewed-wrong-equations": "a derivation that a reader found wrong with its equations (release only)",
        "reviewed-arguable": "a text that allows another derivation too, which is in alternatives (release only)",
        "equiv-token": "a member of an Equiv group that is not a number, or has another value than the group",
        "equiv-joins-slots": "an Equiv group that holds the numbers of two slots",
        "slot-cancels": "a slot that does not influence the solution",
        "duplicate-id": "an id that another problem has",
        "duplicate-text": "the text of another problem of the dataset",
        "other-gold": "the text of another problem, with a gold template that is not equivalent",
        "near-duplicate-dataset": "nearly the text of a problem of another dataset, with the same numbers",
        "near-duplicate-split": "nearly the text of a problem of another split, with the same numbers",
    }
)
"""Every code with its meaning, in the order of reports."""

UNTRUSTED = frozenset(
    {
        "unreadable", "value-mismatch", "solution-mismatch", "not-derivable", "reviewed-wrong",
        "reviewed-wrong-equations", "equiv-token",
    }
)  # fmt: skip
"""The codes of a gold that is not to be trusted: nothing may be made of it as if it were right."""

LASTING = frozenset({"number-missed", "equiv-joins-slots", "slot-cancels"})
"""The codes that stay true of a trusted gold with other numbers; the others are about its text."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A defect of a problem.

    Attributes:
        code: the kind of defect, one of `CODES`.
        problem_id: the problem.
        message: what was expected and what was got, without quoting the text.
    """

    code: str
    problem_id: int | str
    message: str


Splits = Mapping[str, Sequence[Problem]]

_OF_ANNOTATION: dict[str, Callable[[Problem], str | None]] = {
    "number-missed": number_missed,
    "value-mismatch": value_mismatch,
    "equiv-token": equiv_token,
    "equiv-joins-slots": equiv_joins_slots,
}
_OF_REASONING: dict[str, Callable[[Problem], str | None]] = {
    "solution-mismatch": solution_mismatch,
    "not-derivable": not_derivable,
    "slot-cancels": slot_cancels,
}
_ORDER = {code: position for position, code in enumerate(CODES)}


def check_problem(problem: Problem) -> list[Finding]:
    """Return the defects that one problem has by itself."""
    message = unreadable(problem)
    findings = [Finding("unreadable", problem.id, message)] if message else []
    checks = _OF_ANNOTATION if message else _OF_ANNOTATION | _OF_REASONING
    for code, check in checks.items():
        message = check(problem)
        if message:
            findings.append(Finding(code, problem.id, message))
    return in_order(findings)


def check_problems(problems: Sequence[Problem], *, progress: bool = False) -> list[Finding]:
    """Return the defects of a list of problems: of each by itself, and problems that are there twice.

    Args:
        problems: the problems, as of one dataset.
        progress: whether to show a progress bar on stderr.
    """
    return check_datasets({"problems": {"all": problems}}, progress=progress)["problems"]


def check_datasets(datasets: Mapping[str, Splits], *, progress: bool = False) -> dict[str, list[Finding]]:
    """Return the defects of datasets, each divided into splits, near duplicates between them included.

    A problem has at most one finding of each code, but for one id that several problems have.

    Args:
        datasets: dataset -> split -> problems.
        progress: whether to show a progress bar on stderr.
    """
    from tqdm import tqdm  # imported here, so that the command line starts fast

    places = [
        Place(dataset, split, problem)
        for dataset, splits in datasets.items()
        for split in splits
        for problem in splits[split]
    ]
    problems = [problem for _, _, problem in places]
    findings: dict[str, list[Finding]] = {dataset: [] for dataset in datasets}
    readable: list[int] = []
    for at, (dataset, _, problem) in enumerate(tqdm(places, "checking", unit=" problems", disable=not progress)):
        found = check_problem(problem)
        findings[dataset] += found
        if not any(finding.code == "unreadable" for finding in found):
            readable.append(at)
    for dataset in datasets:
        own = [problem for name, _, problem in places if name == dataset]
        for code, messages in (("duplicate-id", duplicate_id(own)), ("duplicate-text", duplicate_text(own))):
            findings[dataset] += [Finding(code, own[at].id, message) for at, message in messages.items()]
    for at, message in other_gold([problems[at] for at in readable]).items():
        dataset, _, problem = places[readable[at]]
        findings[dataset].append(Finding("other-gold", problem.id, message))
    for code, messages in near_duplicates(places).items():
        for at, message in messages.items():
            findings[places[at][0]].append(Finding(code, problems[at].id, message))
    return {dataset: in_order(found) for dataset, found in findings.items()}


def codes_by_id(findings: Iterable[Finding]) -> dict[int | str, tuple[str, ...]]:
    """Return the codes of each problem that has any, sorted."""
    found: dict[int | str, set[str]] = {}
    for finding in sorted(findings, key=lambda finding: id_order(finding.problem_id)):
        found.setdefault(finding.problem_id, set()).add(finding.code)
    return {id_: tuple(sorted(codes)) for id_, codes in found.items()}


def in_order(findings: Iterable[Finding]) -> list[Finding]:
    """Return findings in the order of reports: by code, then by problem."""
    return sorted(findings, key=lambda finding: (_ORDER[finding.code], id_order(finding.problem_id)))
