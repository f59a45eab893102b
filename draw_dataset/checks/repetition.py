"""Which problems of a list are there twice: by id, by text, by text with another gold template.

Two texts are the same if their numbers have equal values and their letters and digits agree, whatever their case,
spacing and punctuation. Each function looks for one kind of defect and returns the messages by position in the list.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction

from draw_dataset.core.equivalence import canonical_key
from draw_dataset.core.problem import Problem

Messages = dict[int, str]
"""Position in the list to message."""


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
        at: f"expected a text of its own, but got that of {_others(problems, group, at)}"
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
                messages[at] = f"expected the template class of its text, but {others} with this text has another"
    return messages


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
    return ", ".join(str(i) for i in sorted({problems[other].id for other in group} - {problems[at].id}))
