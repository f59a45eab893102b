"""A worked solution without what the reader of answers would misread: repeated calculations, "per" as a slash."""

from __future__ import annotations

import re
from collections.abc import Iterable

_PER = re.compile(r"(?<=[A-Za-z\d])\s?/\s?(?!and\b|or\b)[a-z]{3,20}\b(?!\s*[(\d])")

_RANK = re.compile(r"(?<==)(\s?\d{1,3})(?:st|nd|rd|th)\b|(?<=>>)(\d{1,3})(?:st|nd|rd|th)\b")
_TIMES = re.compile(r"(?<=\d\s)x(?=\d)")
_GROUPED = re.compile(r"(?<![\d.,])(\d{1,3})((?: \d{3}){1,4})(?![\d.,]\d|\d)")
_HYPHEN = re.compile(r"(?<=\d)-(?=[A-Za-z]{3,})")


def tidied(solution: str) -> str:
    """Return a solution without what the reader of answers would misread: repeated calculations, and "per" as a slash.

    >>> tidied("So 3 cups/day * 2 days = <<3*2=6>>6 cups")
    'So 3 cups * 2 days = <<3*2=6>>6 cups'
    >>> tidied("2 + 3 = 5-minute walk")
    '2 + 3 = 5 minute walk'
    """
    return _RANK.sub(
        lambda match: match.group()[:-2], _HYPHEN.sub(" ", _TIMES.sub("x ", _PER.sub("", without_copies(solution))))
    )


def without_blanks(solution: str, numbers: Iterable[str]) -> str:
    """Return a solution without the blanks inside of its numbers, where the question writes 400 000 as well.

    >>> without_blanks("She pays $400 000 x 3/100 = $12 000.", ["400 000", "3"])
    'She pays $400000 x 3/100 = $12000.'
    >>> without_blanks("In 3 400 seat halls", ["3", "400"])
    'In 3 400 seat halls'
    """
    if not any(map(_GROUPED.fullmatch, numbers)):
        return solution
    return _GROUPED.sub(lambda match: match.group().replace(" ", ""), solution)


_MARK = re.compile(r"<<([^<>\n]{1,200}?)=([^<>=\n]{1,60})>>")
_RESULT = re.compile(r"\.?\d")
_SPACED = re.compile(r"[\s,]|(?<!\d)\$")


def without_copies(solution: str) -> str:
    """Return a solution without the marks of a calculator that repeat what stands before them.

    >>> without_copies("5 * 2 = $<<5*2=10>>10 in all")
    '5 * 2 = $10 in all'
    >>> without_copies("5 bags of 2 = <<5*2=10>>10 in all")
    '5 bags of 2 = <<5*2=10>>10 in all'
    """
    if "<<" not in solution:
        return solution

    def shortened(match: re.Match[str]) -> str:
        calculation = _SPACED.sub("", match.group(1))
        before = solution[max(0, match.start() - 3 * len(match.group(1)) - 20) : match.start()]
        copied = _SPACED.sub("", before).replace("x", "*").replace("×", "*").endswith(f"{calculation}=")
        return "" if copied and _RESULT.match(solution, match.end()) else match.group()

    return _MARK.sub(shortened, solution)
