"""A worked solution without what the reader of answers would misread: repeated calculations, "per" as a slash."""

from __future__ import annotations

import re

_PER = re.compile(r"(?<=[A-Za-z\d])\s?/\s?(?!and\b|or\b)[a-z]{3,20}\b(?!\s*[(\d])")

_RANK = re.compile(r"(?<==)(\s?\d{1,3})(?:st|nd|rd|th)\b|(?<=>>)(\d{1,3})(?:st|nd|rd|th)\b")
_TIMES = re.compile(r"(?<=\d\s)x(?=\d)")
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
