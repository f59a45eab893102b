"""Runs the checks: over a list of problems, and over whole datasets with their splits."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from draw_dataset.checks.annotation import equiv_joins_slots, equiv_token, number_missed, value_mismatch
from draw_dataset.checks.finding import CODES, Finding
from draw_dataset.checks.near import near_duplicates
from draw_dataset.checks.reasoning import not_derivable, slot_cancels, solution_mismatch, unreadable
from draw_dataset.checks.repetition import Messages, duplicate_id, duplicate_text, other_gold
from draw_dataset.core.problem import Problem

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
    return _sorted(findings)


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
    from tqdm import tqdm  # here, so that the command line starts fast

    places = [
        (dataset, split, problem)
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
    for code, messages in _near_duplicates(places).items():
        for at, message in messages.items():
            findings[places[at][0]].append(Finding(code, problems[at].id, message))
    return {dataset: _sorted(found) for dataset, found in findings.items()}


def _near_duplicates(places: Sequence[tuple[str, str, Problem]]) -> dict[str, Messages]:
    """Return messages for the problems that are nearly the same as one of another dataset, or of another split."""
    problems = [problem for _, _, problem in places]
    partners: dict[str, dict[int, list[str]]] = {"near-duplicate-dataset": {}, "near-duplicate-split": {}}
    for pair in near_duplicates(problems):
        (dataset, split, one), (other_dataset, other_split, other) = places[pair.first], places[pair.second]
        if dataset != other_dataset:
            code = "near-duplicate-dataset"
        elif split != other_split:
            code = "near-duplicate-split"
        else:
            continue
        alike = f"({pair.likeness:.2f})"
        partners[code].setdefault(pair.first, []).append(f"{other_dataset}/{other_split}/{other.id} {alike}")
        partners[code].setdefault(pair.second, []).append(f"{dataset}/{split}/{one.id} {alike}")
    return {
        code: {at: f"expected a problem of its own, but got nearly {', '.join(names)}" for at, names in found.items()}
        for code, found in partners.items()
    }


def _sorted(findings: Iterable[Finding]) -> list[Finding]:
    return sorted(findings, key=lambda finding: (_ORDER[finding.code], finding.problem_id))
