"""The numbers in the field with the answer.

Datasets write an answer as a number (51.0), with its unit ("9 (apples)", "$18"), as several ("6 (years); 9 (years)"),
as a ratio ("3:4"), as a percentage, or in words ("Yes"). GSM8K puts it after ``####``. An answer in another form
("x = 7", "7 km/h", "seven") names the numbers that its text has.
"""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction
from math import isnan

from draw_dataset.core.exact import exact
from draw_dataset.errors import ReadError
from draw_dataset.text import find_numbers

_NUMBER = r"-?\$?\s?(?:\d{1,3}(?:,\d{3})+|\d{1,30})?(?:\.\d{1,30})?"
_VALUE = re.compile(
    rf"\s*\(?\s*({_NUMBER})\s*(?:/\s*(\d{{1,30}}))?\s*\)?\s*%?\s*(?:\([^()]*\)|[a-z. ]*)?\s*", re.IGNORECASE
)
_MIXED = re.compile(r"\s*(\d{1,12})\s+(\d{1,6})\s*/\s*(\d{1,6})\s*(?:\([^()]*\)|[a-z. ]*)?\s*", re.IGNORECASE)
_NEGATIVE = re.compile(r"^\s*-\s*\((.*)\)\s*$")
_RATIO = re.compile(r"\s*(\d{1,12}(?:\.\d{1,12})?)\s*:\s*(\d{1,12}(?:\.\d{1,12})?)\s*")
_CLOCK = re.compile(r"\d{1,2}:[0-5]\d\b")
_MARK = "####"


def read_answers(answer: object) -> tuple[Fraction, ...]:
    r"""Return the numbers that an answer names; none if it names none, or is written in words.

    >>> [list(map(str, read_answers(answer))) for answer in (51.0, "9 (apples)", "6 (years); 9 (years)", "3:4", "Yes")]
    [['51'], ['9'], ['6', '9'], ['3/4'], []]
    >>> list(map(str, read_answers("2 1/2 (cups)")))
    ['5/2']
    >>> list(map(str, read_answers("So she has $1,250.50.\n#### 1,250.50")))
    ['2501/2']
    """
    if hasattr(answer, "tolist"):  # numbers and arrays of numpy
        answer = answer.tolist()
    if isinstance(answer, (list, tuple)):
        return tuple(value for item in answer[:20] for value in read_answers(item))
    if isinstance(answer, (int, float, Decimal, Fraction)):
        try:
            return (exact(answer),)
        except ReadError:  # a truth value, or not finite
            return ()
    if not isinstance(answer, str):
        return ()
    text = marked(answer)[:400]
    found = [value for part in text.split(";") if (value := _read(part)) is not None]
    return tuple(found or [number.value for number in find_numbers(text, "ordinary")])


def marked(text: str) -> str:
    """Return what stands after the last ``####`` of a text; all of it if there is none."""
    return text.rpartition(_MARK)[2]


def is_given(answer: object) -> bool:
    """Say whether there is an answer at all: an empty cell of a table is none.

    >>> [is_given(answer) for answer in (None, float("nan"), " ", [], "B", 0, False)]
    [False, False, False, False, True, True, True]
    """
    if isinstance(answer, (list, tuple, str)):
        return bool(answer.strip() if isinstance(answer, str) else answer)
    return answer is not None and not (isinstance(answer, float) and isnan(answer))


def is_clock_time(answer: object) -> bool:
    """Say whether an answer is a time of day: 11:30, 5:45 p.m.

    >>> is_clock_time("12:50"), is_clock_time("3:4")
    (True, False)
    """
    return isinstance(answer, str) and _CLOCK.match(answer.strip()) is not None


def _read(part: str) -> Fraction | None:
    negative = _NEGATIVE.match(part)
    if negative:
        value = _read(negative.group(1))
        return None if value is None else -value
    ratio = _RATIO.fullmatch(part)
    if ratio:
        below = Fraction(ratio.group(2))
        return Fraction(ratio.group(1)) / below if below else None
    mixed = _MIXED.fullmatch(part)
    if mixed:
        whole, above, bottom = map(int, mixed.groups())
        return whole + Fraction(above, bottom) if bottom else None
    match = _VALUE.fullmatch(part)
    if match is None:
        return None
    digits = match.group(1).replace(",", "").replace("$", "").replace(" ", "")
    if not digits.lstrip("-").replace(".", "", 1).isdigit():
        return None
    below = Fraction(match.group(2) or 1)
    return Fraction(digits) / below if below else None
