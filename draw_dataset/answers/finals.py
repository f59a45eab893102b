"""The result of an answer: which numbers does it give as its result.

A number in a box, or after ``A:``, ``Answer:`` or ``####``, is the result. Otherwise the result is in the last
sentences: the numbers of the last paragraph, and of the one before if that is part of the conclusion.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from draw_dataset.prose.plain import BOX_OPEN
from draw_dataset.prose.tokens import Sort, Token

_MARK = re.compile(
    r"^[ ]*(?:A|Answer|Final answer|The answer|The final answer|####)[ ]*(?::|is\b|(?<=#))",
    re.MULTILINE | re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Final:
    """A number that an answer gives as its result.

    Attributes:
        value: the number, with its sign.
        start: where it begins in the plain text.
        end: where it ends.
        places: the digits after the decimal point.
        marked: whether the answer marks it as its result.
        percent: whether a percent sign follows.
    """

    value: Fraction
    start: int
    end: int
    places: int
    marked: bool
    percent: bool


def finals_of(text: str, tokens: list[Token], steps: Sequence[tuple[int, int]] = ()) -> list[Final]:
    """Return the numbers that an answer gives as its result, in their order.

    Args:
        text: the plain text.
        tokens: its tokens.
        steps: the places of equations that lead to the result; their numbers do not count.
    """
    boxed = _boxed(tokens) if BOX_OPEN in text else []
    if boxed:
        return boxed
    found = _unboxed(text, tokens)
    spoken = [final for final in found if final.marked or not any(a <= final.start < b for a, b in steps)]
    return spoken or found


_WITHOUT = re.compile(
    r"\b(?:no (?:real |valid |possible |unique )?(?:solutions?|answer)|impossible|not possible|typo|contradict\w*"
    r"|cannot (?:be )?(?:solved?|determined?|find|have)|can't (?:be )?(?:solved?|find)|not enough information"
    r"|does(?:n't| not) make sense|made (?:an error|a mistake))\b",
    re.IGNORECASE,
)


def gives_up(text: str) -> bool:
    """Say whether an answer concludes that there is no solution."""
    return _WITHOUT.search(text, max(tail_start(text), len(text) - 700)) is not None


_TIME = re.compile(
    r"(\d{1,6})\s*(?:hours?|hrs?|minutes?|mins?)(?:\s*,)?(?:\s+and)?\s+(\d{1,6}(?:\.\d{1,6})?)\s*"
    r"(?:minutes?|mins?|seconds?|secs?)\b",
    re.IGNORECASE,
)


def _unboxed(text: str, tokens: list[Token]) -> list[Final]:
    marks = list(_MARK.finditer(text))
    if marks:
        start = marks[-1].end()
        found = _numbers(tokens, start, len(text), marked=True)
        if found and len(text) - start < 400:
            return found
    start = tail_start(text)
    found = _numbers(tokens, start, len(text), marked=False) + _times(text, start) + _mixed(text, start)
    check = next((match for match in reversed(list(_CHECK.finditer(text))) if match.start() > len(text) // 4), None)
    if check is not None and check.start() <= start:
        # The result stands before its check.
        before = text[: check.start()]
        found += _numbers(tokens, tail_start(before), len(before.rstrip()), marked=False)
    return found


_CHECK = re.compile(
    r"^[ ]*(?:(?:to|we can|let's|let us|you can|now,? let's)[ ]+)?(?:double[- ]?)?"
    r"(?:check|verify|verification|confirm)\b",
    re.MULTILINE | re.IGNORECASE,
)
_MIXED = re.compile(r"\b(\d{1,6})[ ]+and[ ]+(\d{1,4})/(\d{1,4})\b")


def _mixed(text: str, start: int) -> list[Final]:
    """Return mixed numbers in words: 2 and 2/7."""
    found: list[Final] = []
    for match in _MIXED.finditer(text, start):
        whole, above, below = (Fraction(group) for group in match.groups())
        if 0 < above < below:
            value = whole + above / below
            found.append(Final(value, match.start(), match.end(), 0, marked=False, percent=False))
    return found


def _times(text: str, start: int) -> list[Final]:
    """Return lengths of time of two units, such as 1 hour and 20 minutes, in the larger and in the smaller one."""
    found: list[Final] = []
    for match in _TIME.finditer(text, start):
        larger, smaller = Fraction(match.group(1)), Fraction(match.group(2))
        # The smaller unit is rounded to a whole one, which is a sixtieth of the larger.
        values = (larger + smaller / 60, larger * 60 + smaller)
        found += [Final(value, match.start(), match.end(), 2, marked=False, percent=False) for value in values]
    return found


def tail_start(text: str) -> int:
    """Return where the conclusion of an answer begins: its last paragraph that has a number."""
    digits = list(_DIGIT.finditer(text))
    if not digits:
        return 0
    end, last = len(text.rstrip()), digits[-1].start()
    starts = [match.end() for match in _PARAGRAPH.finditer(text, 0, end)]
    start = max((place for place in starts if place <= last), default=0)
    lines = [match.end() for match in re.finditer(r"\n", text[start:end])]
    return start + lines[-MAX_LINES] if len(lines) >= MAX_LINES else start


_DIGIT = re.compile(r"\d")
_PARAGRAPH = re.compile(r"\n[ ]*\n")


MAX_LINES = 4
"""How many lines a conclusion may have if an answer has no paragraphs."""


def _boxed(tokens: list[Token]) -> list[Final]:
    spans: list[tuple[int, int]] = []
    opened: int | None = None
    for token in tokens:
        if token.sort is Sort.BOX:
            if token.text == BOX_OPEN:
                opened = token.end
            elif opened is not None:
                spans.append((opened, token.start))
                opened = None
    found: list[Final] = []
    for start, end in spans:
        found += _numbers(tokens, start, end, marked=True)
    return found


def _numbers(tokens: list[Token], start: int, end: int, marked: bool) -> list[Final]:
    found: list[Final] = []
    place = bisect_left(tokens, start, key=lambda token: token.start)
    while place < len(tokens) and tokens[place].start < end:
        token = tokens[place]
        after = tokens[place + 1] if place + 1 < len(tokens) else None
        coefficient = after is not None and after.sort is Sort.NAME and after.glued
        if token.value is not None and token.end <= end and not coefficient:
            value, stop = token.value, token.end
            rest = tokens[place + 1 : place + 4]
            if (
                len(rest) >= 2
                and rest[0].text == "/"
                and rest[1].sort is Sort.NUMBER
                and rest[1].value
                and rest[0].glued
            ):
                value /= rest[1].value
                stop = rest[1].end
            elif (
                len(rest) == 3 and rest[1].text == "/" and rest[0].sort is rest[2].sort is Sort.NUMBER and rest[2].value
            ):
                value += (rest[0].value or 0) / rest[2].value
                stop = rest[2].end
            before = tokens[place - 1] if place else None
            if before is not None and before.sort is Sort.CURRENCY and place > 1:
                before = tokens[place - 2]
            earlier = tokens[place - 2] if place > 1 else None
            if (
                before is not None
                and before.text == "-"
                and not (earlier is not None and (earlier.sort in (Sort.NUMBER, Sort.NAME) or earlier.text == ")"))
            ):
                value = -value
            percent = after is not None and (after.sort is Sort.PERCENT or after.text == "percent")
            found.append(Final(value, token.start, stop, len(token.text.partition(".")[2]), marked, percent))
            while place + 1 < len(tokens) and tokens[place + 1].end <= stop:
                place += 1
        place += 1
    return found
