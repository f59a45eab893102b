"""What a check reports: a defect of one problem, by a code that does not change between versions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

CODES: Mapping[str, str] = MappingProxyType(
    {
        "unreadable": "the equations, the template, the alignment or the Equiv groups cannot be read",
        "number-missed": "an aligned token that the rules for numbers do not see",
        "value-mismatch": "an annotated value that does not stand on its token",
        "solution-mismatch": "the grounded template does not give the solutions",
        "not-derivable": "no reading of the equations gives the derivation",
        "reviewed-wrong": "a derivation that a person found wrong and no check can see (release only)",
        "equiv-token": "a member of an Equiv group that is no number, or has another value than the group",
        "equiv-joins-slots": "an Equiv group that holds the numbers of two slots",
        "slot-cancels": "a slot that does not influence the solution",
        "duplicate-id": "an id that another problem has",
        "duplicate-text": "the text of another problem of the dataset",
        "other-gold": "the text of another problem, with a gold template that is not equivalent",
        "near-duplicate-dataset": "nearly the text of a problem of another dataset, with the same numbers",
        "near-duplicate-split": "nearly the text of a problem of another split, with the same numbers",
    }
)
"""Every code with what it means, in the order of reports."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A defect of a problem.

    Attributes:
        code: the kind of defect, one of `CODES`.
        problem_id: the problem.
        message: what was expected and what was got, without quoting the text.
    """

    code: str
    problem_id: int
    message: str
