"""Number styles: another value written the way a number of the text is written.

A `NumberStyle` covers digits with their decimals and commas, words, fractions, multipliers such as ``twice``, and
numbers before a scale such as ``million``. Coins, odd and even, and articles have no style, so they never change.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

from draw_dataset.algebra.number import decimals_of, number_text
from draw_dataset.text.lexicon import BELOW_HUNDRED, SCALES, SINGULAR_DENOMINATORS, Kind

WORDS: dict[int, str] = {
    value: word for word, value in reversed(BELOW_HUNDRED.items()) if not word.startswith("fourty")
}
"""Whole numbers below a hundred in words."""

_MOST_WORD = 20  # the largest number that is written in one word where the original is at most that

_DIGITS = re.compile(r"(-?)(\d{1,3}(?:(?:,| ,|, | )\d{3})+|\d*)(?:\.(\d+))?")
_GROUPING = re.compile(r"\d(,| ,|, | )\d{3}")
_RATIO = re.compile(r"(?:(\d+)([ -]))?(\d+)/(\d+)")

# Verbs and adverbs that multiply, by what they multiply with; those of one row stand for each other.
_MULTIPLIERS: tuple[dict[int, str], ...] = (
    {2: "double", 3: "triple", 4: "quadruple"},
    {2: "doubles", 3: "triples", 4: "quadruples"},
    {2: "doubled", 3: "tripled", 4: "quadrupled"},
    {2: "doubling", 3: "tripling", 4: "quadrupling"},
)
_TIMES = {"twice": 2, "thrice": 3}

_NAMED = {value: word for word, value in SINGULAR_DENOMINATORS.items() if value <= 10 and word != "quarter"}
_PART_VALUES = tuple(
    sorted({Fraction(n, d) for d in (2, 3, 4, 5, 6, 8, 10) for n in range(1, d)}, key=lambda v: (v.denominator, v))
)


@dataclass(frozen=True, slots=True)
class NumberStyle:
    """The way a number is written."""

    kind: Kind  # as `find_numbers` has it
    text: str  # the number as it stands
    value: Fraction
    step: Fraction  # the smallest difference of two values that can be written
    choices: tuple[Fraction, ...] = ()  # the only values that can be written; nothing if all multiples of the step can
    places: int | None = None  # None if written as long as the text is; else any digits, and so many decimals of a part

    def write(self, value: Fraction) -> str | None:
        """Return a value written in this way; None if that cannot be done."""
        if self.choices and value not in self.choices:
            return None
        if (value < 0) != (self.value < 0):
            return None
        if self.kind == "digits" and self.places is not None:
            return None if (value / self.step).denominator > 1 else _write_freely(self.text, value, self.places)
        if self.kind == "digits":
            return _write_digits(self.text, value)
        if self.kind == "word":
            written = _write_word(self.text, self.value, value)
        elif self.kind == "multiplier":
            written = _write_multiplier(self.text, value)
        elif self.kind == "fraction":
            written = _write_fraction(self.text, value)
        else:
            written = _write_scale(self.text, value)
        return None if written is None else _copy_case(written, self.text)


def style_of(kind: Kind, text: str, value: Fraction) -> NumberStyle | None:
    """Return how a number is written; None if no other value could be written in its place.

    >>> style_of("digits", "2.50", Fraction(5, 2)).write(Fraction(4))
    '4.00'
    >>> style_of("multiplier", "Twice", Fraction(2)).write(Fraction(3))
    'Three times'
    >>> style_of("coin", "dimes", Fraction(1, 10)) is None
    True
    """
    one = Fraction(1)
    if kind == "digits":
        decimals = _decimals(text)
        # What many decimals stand for is a fraction that was rounded: 0.6666667.
        return None if decimals > 3 or not value else NumberStyle(kind, text, value, Fraction(1, 10**decimals))
    if kind == "word":
        if value < 2 or value.denominator > 1:
            return NumberStyle(kind, text, value, one) if value == 1 else None
        return NumberStyle(kind, text, value, one if value < 100 or value % 100 else Fraction(100))
    if kind == "multiplier":
        low = text.lower()
        if low in _TIMES:
            return NumberStyle(kind, text, value, one, tuple(map(Fraction, range(2, 7))))
        row = next((row for row in _MULTIPLIERS if low in row.values()), None)
        return None if row is None else NumberStyle(kind, text, value, one, tuple(map(Fraction, row)))
    if kind == "fraction":
        return _fraction_style(text, value)
    if kind == "scale":
        parts = _scale_parts(text)
        if parts is None:
            return None
        head, scale, _ = parts
        return NumberStyle(kind, text, value, Fraction(scale, 10 ** _decimals(head) if head[0].isdigit() else 1))
    return None


def _decimals(text: str) -> int:
    return len(text.partition(".")[2])


def _write_digits(text: str, value: Fraction) -> str | None:
    match = _DIGITS.fullmatch(text)
    if match is None:
        return None
    places = len(match[3] or "")
    shifted = abs(value) * 10**places
    if shifted.denominator > 1:
        return None
    digits = str(shifted.numerator).rjust(places + 1, "0")
    whole, decimals = (digits[:-places], digits[-places:]) if places else (digits, "")
    grouping = _GROUPING.search(text)
    if len(whole) > 3:
        if grouping is not None:
            whole = f"{int(whole):,}".replace(",", grouping[1])
        elif len(whole) > 4 or len(match[2]) < 4:
            return None  # how a longer number would be written here is not known
    elif grouping is not None:
        return None
    if whole == "0" and not match[2]:
        whole = ""
    return f"{match[1]}{whole}{'.' if places else ''}{decimals}"


def _write_freely(text: str, value: Fraction, places: int) -> str:
    """Return a value with as many digits as it needs; a part has some decimals at least.

    >>> [_write_freely("75", Fraction(value), 2) for value in ("1200", "45000", "7.5", "7.125")]
    ['1200', '45,000', '7.50', '7.125']
    """
    needed = max(places, decimals_of(value)) if value.denominator > 1 else 0
    whole, _, part = number_text(abs(value) * 10**needed).rjust(needed + 1, "0").partition(".")
    whole, part = (whole[:-needed], whole[-needed:]) if needed else (whole, "")
    grouping = _GROUPING.search(text)
    if len(whole) > 4 or (grouping is not None and len(whole) > 3):
        whole = f"{int(whole):,}".replace(",", grouping[1] if grouping is not None else ",")
    return f"{'-' if value < 0 else ''}{whole}{'.' if part else ''}{part}"


def _write_word(text: str, old: Fraction, value: Fraction) -> str | None:
    if value.denominator > 1 or value < 2:
        return None
    number, hyphen = int(value), "-" if "-" in text or " " not in text.strip() else " "
    if number < 100:
        return WORDS[number].replace("-", hyphen) if number <= _MOST_WORD or old > _MOST_WORD else None
    if number >= 1000 or old < 100:
        return None
    hundreds, rest = divmod(number, 100)
    joint = " and " if " and " in text.lower() else " "
    return f"{WORDS[hundreds]} hundred" + (f"{joint}{WORDS[rest]}" if rest else "")


def _write_multiplier(text: str, value: Fraction) -> str | None:
    low = text.lower()
    if low in _TIMES:
        return low if value == _TIMES[low] else "twice" if value == 2 else f"{WORDS[int(value)]} times"
    row = next(row for row in _MULTIPLIERS if low in row.values())
    return row[int(value)]


def _fraction_style(text: str, value: Fraction) -> NumberStyle | None:
    low = text.lower()
    match = _RATIO.fullmatch(text)
    if match is not None and match[1]:
        part = value - int(match[1])
        return NumberStyle(
            "fraction", text, value, Fraction(1), tuple(n + part for n in range(1, 3 * int(match[1]) + 3))
        )
    if not 0 < value < 1:
        return None
    if match is not None:
        return NumberStyle("fraction", text, value, Fraction(1), _PART_VALUES)
    if low == "half" or low in SINGULAR_DENOMINATORS:
        # The name of a part alone: what stands before it ("a third") is not ours to change.
        return None
    words = re.split(r"[- ]", low)
    if len(words) != 2:
        return None
    units = words[0] in ("one", "1")
    return NumberStyle(
        "fraction", text, value, Fraction(1), tuple(v for v in _PART_VALUES if (v.numerator == 1) == units)
    )


def _write_fraction(text: str, value: Fraction) -> str | None:
    match = _RATIO.fullmatch(text)
    if match is not None:
        whole = f"{int(value)}{match[2]}" if match[1] else ""
        part = value - int(value)
        return f"{whole}{part.numerator}/{part.denominator}"
    joint = "-" if "-" in text else " "
    name = _NAMED.get(value.denominator)
    if name is None:
        return None
    head = text[0] if text[0].isdigit() else WORDS[value.numerator]
    return f"{head}{joint}{name}{'s' if value.numerator > 1 else ''}"


def _scale_parts(text: str) -> tuple[str, int, str] | None:
    """Return the number before a scale, the scale, and what is written of it with the blank before."""
    head, blank, word = text.rpartition(" ")
    scale = SCALES.get(word.lower())
    if not blank or scale is None:
        return None
    plain = _DIGITS.fullmatch(head) is not None and head[-1:].isdigit()
    return (head, scale, f" {word.lower()}") if plain or head.lower() in BELOW_HUNDRED else None


def _write_scale(text: str, value: Fraction) -> str | None:
    parts = _scale_parts(text)
    if parts is None:
        return None
    head, scale, name = parts
    part = value / scale
    written = (
        _write_digits(head, part) if head[0].isdigit() else WORDS.get(int(part)) if part.denominator == 1 else None
    )
    return None if written is None or (part < 1 and head[0] != "0") else written + name


def _copy_case(written: str, original: str) -> str:
    """Return a text with the capitals of the one that it replaces."""
    letters = [c for c in original if c.isalpha()]
    if len(letters) > 1 and all(c.isupper() for c in letters):
        return written.upper()
    return written[:1].upper() + written[1:] if original[:1].isupper() else written


_VOWEL = re.compile(r"(?:8|1[18](?:$|\D|\d{3}(?:\D|$)|,\d)|eight|eleven|one-eighth|[aeiou])", re.IGNORECASE)
_SOUNDS_LIKE_W = re.compile(r"(?:one|once)(?![a-z])", re.IGNORECASE)


def article_before(written: str) -> str:
    """Return the article that stands before a number.

    >>> [article_before(number) for number in ("8", "80", "11", "118", "18", "1,800", "eleven", "one-way", "7")]
    ['an', 'an', 'an', 'a', 'an', 'a', 'an', 'a', 'a']
    """
    vowel = _VOWEL.match(written) and not _SOUNDS_LIKE_W.match(written)
    return "an" if vowel else "a"
