"""Repeated problems: the same id, the same text, the same text with another gold template, or nearly the same text.

Two texts are the same if their numbers have equal values and their letters and digits agree, apart from case, spacing
and punctuation. `draw_dataset.text.likeness` defines nearly the same. Each function looks for one kind of defect and
returns the messages by position in the list.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction
from typing import NamedTuple

from draw_dataset.core.equivalence import canonical_key
from draw_dataset.core.problem import Problem
from draw_dataset.text.likeness import NearDuplicates

Messages = dict[int, str]
"""Position in the list to message."""


class Place(NamedTuple):
    """A problem with the dataset and the split that it stands in."""

    dataset: str
    split: str
    problem: Problem


def duplicate_id(problems: Sequence[Problem]) -> Messages:
    """Find ids that several problems have."""
    return {
        at: f"expected an id of its own, but {len(group)} problems have it"
        for group in _groups(problems, lambda p: p.id)
        for at in group
    }


def duplicate_text(problems: Sequence[Problem]) -> Messages:
    """Find texts that several problems of different ids have."""
    return {
        at: f"expected a text that no other problem has, but got that of {_others(problems, group, at)}"
        for group in _groups(problems, text_key)
        for at in group
        if _others(problems, group, at)
    }


def other_gold(problems: Sequence[Problem]) -> Messages:
    """Find problems of one text whose gold templates are not equivalent."""
    messages: Messages = {}
    for group in _groups(problems, text_key):
        keys = {at: canonical_key(problems[at].template) for at in group}
        for at in group:
            others = _others(problems, [other for other in group if keys[other] != keys[at]], at)
            if others:
                messages[at] = f"expected an equivalent template, but {others}, with the same text, has another"
    return messages


def near_duplicates(places: Sequence[Place]) -> dict[str, Messages]:
    """Find problems that are nearly the same as one of another dataset, or of another split, by code."""
    partners: dict[str, dict[int, list[str]]] = {"near-duplicate-dataset": {}, "near-duplicate-split": {}}
    seen = NearDuplicates()
    for second, (dataset, split, problem) in enumerate(places):
        for first, likeness in seen.add(problem.question, problem.numbers):
            other = places[first]
            if dataset != other.dataset:
                code = "near-duplicate-dataset"
            elif split != other.split:
                code = "near-duplicate-split"
            else:
                continue
            alike = f"({likeness:.2f})"
            other_name = f"{other.dataset}/{other.split}/{other.problem.id} {alike}"
            partners[code].setdefault(first, []).append(f"{dataset}/{split}/{problem.id} {alike}")
            partners[code].setdefault(second, []).append(other_name)
    return {
        code: {
            at: f"expected a problem unlike all others, but it is nearly {', '.join(names)}"
            for at, names in found.items()
        }
        for code, found in partners.items()
    }


def id_order(id_: int | str) -> tuple[bool, int | str]:
    """Return what ids are sorted by: numbers by their value, before texts."""
    return (isinstance(id_, str), id_)


def text_key(problem: Problem) -> tuple[str, tuple[Fraction | None, ...]]:
    """Return what is equal for two problems exactly if their texts are the same."""
    letters = "".join(character for character in problem.question.casefold() if character.isalnum())
    return letters, tuple(number.value for number in problem.numbers)


def _groups(problems: Sequence[Problem], key: Callable[[Problem], Hashable]) -> list[list[int]]:
    found: dict[Hashable, list[int]] = {}
    for at, problem in enumerate(problems):
        found.setdefault(key(problem), []).append(at)
    return [group for group in found.values() if len(group) > 1]


def _others(problems: Sequence[Problem], group: Sequence[int], at: int) -> str:
    ids = {problems[other].id for other in group} - {problems[at].id}
    return ", ".join(str(id_) for id_ in sorted(ids, key=id_order))
