"""Natural values of the unknowns, by the words of a text: digits, ages, percentages, odd and even numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from draw_dataset.text.lexicon import listed
from draw_dataset.variants.bounds import AGES, OLDEST


@dataclass(frozen=True, slots=True)
class UnknownBounds:
    """Which values of the unknowns are natural.

    Attributes:
        most: the largest value of any of them.
        modulus: their remainders by this stay, as those of odd numbers by 2.
    """

    most: Fraction
    modulus: int


def unknown_bounds(
    words: Sequence[str],
    solution: Sequence[Fraction],
    unaligned: Sequence[Fraction],
    halved: bool = False,
    percentage: bool = False,
) -> UnknownBounds:
    """Return which values of the unknowns are natural, by the words of the text.

    Args:
        words: all words of the text, in lower case.
        solution: the values of the unknowns.
        unaligned: the numbers of the text that fill no slot: what is larger than every unknown may be a limit.
        halved: whether an odd number is 2k + 1 and the unknown is k, which may be even or odd.
        percentage: whether the unknown is a percentage; it is one as well if the last sentence asks for one.
    """
    text = set(words)
    largest = max(map(abs, solution), default=Fraction(0))
    most = min([value for value in unaligned if value > largest and value >= 10], default=Fraction(10**12))
    if text & {"digit", "digits"} or any("-digit" in word for word in words):
        most = min(most, Fraction(9)) if largest <= 9 else most
    if text & AGES and largest <= OLDEST + 20:
        most = min(most, max(Fraction(OLDEST), largest))
    if largest <= 100 and len(solution) == 1 and (percentage or not _PER_CENT.isdisjoint(_last_sentence(words))):
        most = min(most, Fraction(100))
    whole = all(value.denominator == 1 for value in solution)
    modulus = 2 if whole and not halved and text & {"odd", "even"} else 1
    return UnknownBounds(most, modulus)


_PER_CENT = frozenset(listed("percent percentage %"))


def _last_sentence(words: Sequence[str]) -> Sequence[str]:
    ends = [place for place, word in enumerate(words[:-1]) if word in (".", "?", "!")]
    return words[ends[-1] + 1 :] if ends else words
