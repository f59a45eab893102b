"""The question: which words stand around a number, in a question or in a solution.

Two numbers of equal value are told apart by what they count: the 4 of "$4 each time she mows the lawn" is meant where a
solution mentions mowing. Words are compared by their stems, as far as a few endings make them alike; words that are
everywhere do not count.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from draw_dataset.text import FoundNumber
from draw_dataset.text.lexicon import listed

_WORD = re.compile(r"[^\W\d_]+(?:'[a-z]+)?")
_STOP = re.compile(r"[.?!](?=\s|$)|\n")
_COMMON = frozenset(
    listed(
        "a an the of and or to in on at by for from with is are was were be been has have had do does did will would "
        "can could it its he she they we you i his her their our my your this that these those there then than so if "
        "when while as but not no all some any more much many how what which who each every per total left get got "
        "give also after before first another other one two three up out off into them him us me about because since "
        "thus therefore now only just very own make made take took times"
    )
)

NEAR = 8
"""Words on either side of a number that speak of it."""

OWN = 4
"""Words before a number that speak of it alone, if no other number stands between."""


@lru_cache(maxsize=1 << 10)
def stem(word: str) -> str:
    """Return a word without its commonest endings.

    >>> [stem(word) for word in ("mows", "mowing", "Boxes", "babysitting", "minute", "minutes")]
    ['mow', 'mow', 'box', 'babysi', 'minut', 'minut']
    """
    word = word.lower().partition("'")[0]
    for ending in ("ing", "ed", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word[: -len(ending)]
            break
    return (word.rstrip("e") if len(word) > 4 else word)[:6]


def first_stems(text: str) -> frozenset[str]:
    """Return the stems of the first words of a text, as far as they say something.

    >>> sorted(first_stems(" of the red pens that she has"))
    ['pen', 'red']
    """
    return frozenset(stem(word) for word in _WORD.findall(text)[:4] if word.lower() not in _COMMON)


def stems_of(text: str) -> frozenset[str]:
    """Return the stems of the words of a text that say something."""
    return frozenset(stem(word) for word in _WORD.findall(text) if word.lower() not in _COMMON)


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What stands around a number of a question.

    Attributes:
        unit: the stem of the first word after it that says something; empty if there is none.
        units: the stems of the words right after it.
        own: the stems of the words around it that no other number stands nearer to.
        near: those of the words near it in its sentence.
        sentence: those of its sentence.
        after: what follows it, a few words.
        dollars: whether it is an amount of money.
        percent: whether it is a percentage.
    """

    unit: str
    units: frozenset[str]
    own: frozenset[str]
    near: frozenset[str]
    sentence: frozenset[str]
    after: str
    dollars: bool
    percent: bool


def surroundings_of(question: str, numbers: Sequence[FoundNumber]) -> list[Surroundings]:
    """Return what stands around each number of a question."""
    words = [(match.start(), match.group()) for match in _WORD.finditer(question)]
    starts = [start for start, _ in words]
    stems = ["" if word.lower() in _COMMON else stem(word) for _, word in words]
    stops = [match.end() for match in _STOP.finditer(question)]
    borders = [0, *(bisect_left(starts, number.end) for number in numbers), len(words)]
    found = []
    for place, number in enumerate(numbers):
        first = bisect_right(stops, number.start)
        begin = stops[first - 1] if first else 0
        end = stops[first] if first < len(stops) else len(question)
        low, high = bisect_left(starts, begin), bisect_left(starts, end)
        before, after = bisect_left(starts, number.start), bisect_left(starts, number.end)
        behind = stems[after : min(after + 3, high, borders[place + 2])]
        found.append(
            Surroundings(
                unit=next(filter(None, behind), ""),
                units=_said(behind),
                own=_said(stems[max(low, borders[place], before - OWN) : min(after + NEAR, high, borders[place + 2])]),
                near=_said(stems[max(low, before - NEAR) : min(after + NEAR, high)]),
                sentence=_said(stems[low:high]),
                after=question[number.end : min(number.end + 24, end)],
                dollars=question[: number.start].rstrip().endswith("$")
                or question[number.end :].lstrip()[:6].lower() == "dollar",
                percent=is_percentage(question, number.end),
            )
        )
    return found


def _said(stems: Sequence[str]) -> frozenset[str]:
    return frozenset(filter(None, stems))


def is_percentage(question: str, end: int) -> bool:
    """Say whether what follows a number makes it a percentage."""
    return question[end : end + 10].lstrip(" -").lower().startswith(("%", "percent", "per cent"))
