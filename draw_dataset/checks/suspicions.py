"""Looks for golds that may be wrong: each kind of suspicion is a small function of another module here.

A defect of `draw_dataset.checks.findings` is there or not. A suspicion is a reason to read a problem: most kinds have
false alarms, which docs/known-defects.md counts. So they are no part of a row's findings; what a reader found is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from draw_dataset.checks.alike import alike_gold
from draw_dataset.checks.asked import asked_unlike
from draw_dataset.checks.dimensions import dimension_mismatch
from draw_dataset.checks.equal_values import equal_exchanged, equal_unaligned
from draw_dataset.checks.findings import Finding
from draw_dataset.checks.plausibility import (
    impossible_solution,
    not_consecutive,
    number_unused,
    question_number_unused,
    words_contradict,
)
from draw_dataset.checks.relations import multiplier_unused, relation_misread
from draw_dataset.core.asked import read_asked
from draw_dataset.core.problem import Problem
from draw_dataset.errors import DrawError

SUSPICIONS: Mapping[str, str] = MappingProxyType(
    {
        "impossible-solution": "an impossible solution: a negative measure, a fractional count, a digit outside 0 to 9",
        "not-consecutive": "solutions that are not the consecutive integers that the text speaks of",
        "words-contradict": "solutions whose sum or difference is not the one that the text states",
        "relation-misread": "a number that only multiplies where the text adds it, or the other way round",
        "multiplier-unused": "twice, 3 times and so on, which the derivation does not use",
        "question-number-unused": "a number of the sentence that asks, which the derivation does not use",
        "number-unused": "a number with a unit, which the derivation does not use",
        "dimension-mismatch": "equations whose terms cannot all have one unit",
        "equal-unaligned": "an aligned number that counts things, though an unused number of the same value does not",
        "equal-exchanged": "two numbers of the same value; exchanging them makes another derivation",
        "asked-unlike": "a question that asks not for gold's unknowns but for a function of them",
        "alike-gold": "nearly the words of another problem, with another derivation",
    }
)
"""Every kind of suspicion with what it means."""

WEAK = frozenset({"equal-exchanged", "number-unused", "question-number-unused", "asked-unlike", "alike-gold"})
"""The kinds that are false alarms more often than not."""

OF_TOKENS = frozenset({"relation-misread", "multiplier-unused", "dimension-mismatch", "equal-unaligned"})
"""The kinds that show a wrong number of the right value, about which answers say nothing: they write values."""

_OF_ONE: dict[str, Callable[[Problem], str | None]] = {
    "impossible-solution": impossible_solution,
    "not-consecutive": not_consecutive,
    "words-contradict": words_contradict,
    "relation-misread": relation_misread,
    "multiplier-unused": multiplier_unused,
    "question-number-unused": question_number_unused,
    "number-unused": number_unused,
    "dimension-mismatch": dimension_mismatch,
    "equal-unaligned": equal_unaligned,
    "equal-exchanged": equal_exchanged,
    "asked-unlike": asked_unlike,
}


def suspicions_of(problem: Problem) -> list[Finding]:
    """Return the suspicions that one problem raises by itself; none if its gold cannot be read."""
    if not _readable(problem):
        return []
    told = ((code, check(problem)) for code, check in _OF_ONE.items())
    return [Finding(code, problem.id, message) for code, message in told if message]


def find_suspicions(problems: Sequence[Problem], *, progress: bool = False) -> list[Finding]:
    """Return the suspicions of all problems, in the order of `SUSPICIONS` and then of the problems.

    Args:
        problems: the problems; of several datasets, simply one after the other.
        progress: whether to show a progress bar on stderr.
    """
    from tqdm import tqdm  # imported here, so that the command line starts fast

    readable = [problem for problem in problems if _readable(problem)]
    found = [
        finding
        for problem in tqdm(readable, "suspecting", unit=" problems", disable=not progress)
        for finding in suspicions_of(problem)
    ]
    found += [Finding("alike-gold", readable[at].id, message) for at, message in alike_gold(readable).items()]
    order = {code: position for position, code in enumerate(SUSPICIONS)}
    return sorted(found, key=lambda finding: order[finding.code])


def _readable(problem: Problem) -> bool:
    try:
        _ = problem.derivation, problem.number_classes, read_asked(problem)
    except DrawError:
        return False
    return True
