"""Where the numbers of a text are after the text was edited.

An edit leaves most words as they are. What stands before the first change and behind the last one has not been touched;
between them the longest runs of equal tokens are matched. A number is still there if the token it sits on is matched
and carries a number of the same value; otherwise it is gone.
"""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher

from draw_dataset.core.alignment import Place, TextNumber
from draw_dataset.text.tokens import tokenize


def carried_numbers(
    before: str, numbers: Sequence[TextNumber], after: str, numbers_after: Sequence[TextNumber]
) -> dict[Place, TextNumber]:
    """Return, by their places before an edit, the numbers that are still there.

    >>> from draw_dataset.text import locate_numbers
    >>> before, after = "Add 10ml of 5 acids .", "Add 10 ml of 5 acids ."
    >>> found = carried_numbers(before, locate_numbers(before)[0], after, locate_numbers(after)[0])
    >>> {place: number.place for place, number in found.items()}
    {(0, 3): (0, 4)}

    Args:
        before: the text before the edit.
        numbers: its numbers.
        after: the text after it.
        numbers_after: its numbers.
    """
    if before == after:
        there = {number.place: number for number in numbers_after}
        return {n.place: there[n.place] for n in numbers if n.place in there}
    old, new = tokenize(before), tokenize(after)
    matched: dict[Place, Place] = {}
    for start, other, length in _matches([t.text for t in old], [t.text for t in new]):
        for i in range(length):
            one, two = old[start + i], new[other + i]
            matched[one.sentence, one.index] = two.sentence, two.index
    there = {number.place: number for number in numbers_after}
    found: dict[Place, TextNumber] = {}
    for number in numbers:
        place = matched.get(number.place)
        if place in there and there[place].value == number.value:
            found[number.place] = there[place]
    return found


def _matches(old: list[str], new: list[str]) -> list[tuple[int, int, int]]:
    """Return runs of equal tokens as (start in the old, start in the new, length)."""
    shorter = min(len(old), len(new))
    head = 0
    while head < shorter and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < shorter - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    middle = SequenceMatcher(None, old[head : len(old) - tail], new[head : len(new) - tail], autojunk=False)
    runs = [(head + m.a, head + m.b, m.size) for m in middle.get_matching_blocks()]
    return [(0, 0, head), *runs, (len(old) - tail, len(new) - tail, tail)]
