"""Reads cardinals spelled in words.

English cardinals are groups below a thousand, each with a scale (thousand, million, ...), in falling order
of scale: ``two million three hundred and five thousand one``. A group is a number below a hundred, or one
followed by ``hundred`` and perhaps by ``and`` and another. The reader takes the longest such beginning and
leaves the rest, so ``five twenty dollar bills`` is 5 and 20, and ``two hundred and three hundred`` is 200
and 300.

Words come in lower case, in a list that ends in an empty word: reading on from any word needs no check of
bounds.
"""

from __future__ import annotations

from collections.abc import Sequence

from draw_dataset.text.lexicon import BELOW_HUNDRED, SCALES

_LARGE_SCALES = {word: value for word, value in SCALES.items() if value >= 1000}
_NO_SCALE_YET = 10**15


def read_cardinal(words: Sequence[str], first: int) -> tuple[int, int]:
    """Return the cardinal that begins at a word, and the place after its last word.

    Args:
        words: lower-case words, the last of which is empty.
        first: the place of the first word; where no cardinal begins, it is returned as the place after.

    >>> read_cardinal("one hundred and five thousand twenty two apples ".split(" "), 0)
    (105022, 7)
    >>> read_cardinal("two hundred and three hundred ".split(" "), 0)
    (200, 2)
    >>> read_cardinal(["apples", ""], 0)
    (0, 0)
    """
    total, after, limit = 0, first, _NO_SCALE_YET
    while True:
        group_start = after + 1 if total and words[after] == "and" else after
        group, group_end = _read_group(words, group_start)
        scale = _LARGE_SCALES.get(words[group_end])
        if group_end == group_start:
            if scale is None or after > first:
                return total, after
            group = 1  # the bare "thousand" of "a thousand"
        if scale is None:
            return total + group, group_end
        if scale >= limit:
            return total, after
        total, after, limit = total + group * scale, group_end + 1, scale


def _read_group(words: Sequence[str], first: int) -> tuple[int, int]:
    """Read a number below a thousand, or some hundreds (fifteen hundred)."""
    group, after = _read_below_hundred(words, first)
    if words[after] != "hundred":
        return group, after
    group, after = (group if after > first else 1) * 100, after + 1
    rest_start = after + 1 if words[after] == "and" else after
    rest, rest_end = _read_below_hundred(words, rest_start)
    if rest_end > rest_start and words[rest_end] != "hundred":
        return group + rest, rest_end
    return group, after


def _read_below_hundred(words: Sequence[str], first: int) -> tuple[int, int]:
    value = BELOW_HUNDRED.get(words[first])
    if value is None:
        return 0, first
    unit = BELOW_HUNDRED.get(words[first + 1], 0) if value >= 20 and value % 10 == 0 else 0
    return (value + unit, first + 2) if 1 <= unit <= 9 else (value, first + 1)
