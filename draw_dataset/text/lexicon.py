"""Lists the words that are numbers, with their class and value; `numerals` and `context` hold the rules.

`LEXICON` maps a lower-case word to its class and value, so that one look-up decides whether a token
deserves a second look at all.
"""

from __future__ import annotations

from enum import IntEnum
from fractions import Fraction
from typing import Literal


def listed(words: str) -> tuple[str, ...]:
    """Return the words of a line, in order.

    >>> listed("penny nickel dime")
    ('penny', 'nickel', 'dime')
    """
    return tuple(words.split())


Kind = Literal[
    "digits", "word", "fraction", "multiplier", "coin", "parity", "scale", "article", "neighbour", "place", "rank",
    "clock",
]  # fmt: skip
"""How a number is written.

``digits`` 5, 1,200.50, 70lb; ``word`` twenty-five, three-legged; ``fraction`` 2/3, half, two thirds, 2 1/2;
``multiplier`` twice, doubled, couple; ``coin`` nickel, dime; ``parity`` odd and even integers, 2 apart;
``scale`` 2.5 million, one thousand, a dozen; ``article`` a year ago; for the broad setting alone
``neighbour`` next, last and ``place`` tens; for the ordinary one ``rank`` 10th, third in line and ``clock`` 5:30.
"""


class WordClass(IntEnum):
    """What a word of the lexicon does in a number."""

    CARDINAL = 1
    SCALE = 2
    MULTIPLIER = 3
    PART = 4
    COIN = 5
    PARITY = 6
    ARTICLE = 7
    BROAD = 8


_BELOW_TWENTY = listed(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen"
)
_TENS = listed("twenty thirty forty fifty sixty seventy eighty ninety")
_CARDINALS: dict[str, int] = (
    {word: value for value, word in enumerate(_BELOW_TWENTY)}
    | {word: 10 * value for value, word in enumerate(_TENS, start=2)}
    | {"fourty": 40}  # the commonest misspelling
)
BELOW_HUNDRED: dict[str, int] = _CARDINALS | {
    f"{ten}-{unit}": _CARDINALS[ten] + _CARDINALS[unit] for ten in (*_TENS, "fourty") for unit in _BELOW_TWENTY[1:10]
}

# What multiplies the number before it.
SCALES: dict[str, int] = {
    "dozen": 12,
    "hundred": 100,
    "thousand": 1000,
    "million": 10**6,
    "billion": 10**9,
    "trillion": 10**12,
}

_MULTIPLIERS: dict[str, Fraction] = {
    word: Fraction(value)
    for words, value in (
        ("twice couple double doubles doubled doubling", 2),
        ("thrice triple triples tripled tripling treble trebled", 3),
        ("quadruple quadruples quadrupled quadrupling", 4),
        ("halve halved halving", Fraction(1, 2)),
    )
    for word in listed(words)
}
# Adjectives as well as multipliers: "double the price", but "a double room".
ADJECTIVAL_MULTIPLIERS = frozenset(listed("double triple treble quadruple"))

# Names of a part and of a rank at once: a third of it, the third day. "Second" is never a part.
ORDINAL_DENOMINATORS: dict[str, int] = {
    word: value
    for value, word in enumerate(
        listed("third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth"), start=3
    )
} | {"fifteenth": 15, "sixteenth": 16, "twentieth": 20, "hundredth": 100, "thousandth": 1000}
SINGULAR_DENOMINATORS: dict[str, int] = ORDINAL_DENOMINATORS | {"half": 2, "quarter": 4}
PLURAL_DENOMINATORS: dict[str, int] = {f"{word}s": value for word, value in ORDINAL_DENOMINATORS.items()} | {
    "halves": 2,
    "quarters": 4,
}

_COINS: dict[str, Fraction] = {
    word: Fraction(cents, 100)
    for words, cents in (
        ("penny pennies pennys", 1),
        ("nickel nickels nickle nickles", 5),
        ("dime dimes", 10),
        ("half-dollar half-dollars", 50),
    )
    for word in listed(words)
}
SINGULAR_COINS = frozenset(listed("penny nickel nickle dime half-dollar"))
# Words that show that a text is about coins.
COIN_WORDS = frozenset(_COINS) | frozenset(listed("coin coins quarters cent cents change"))

TIME_UNITS = frozenset(listed("second minute hour day week month year decade century"))
MEASURES = TIME_UNITS | frozenset(
    listed(
        "dollar cent point mile foot inch yard meter metre kilometer centimeter pound ounce ton gram "
        "kilogram gallon quart pint cup liter litre percent degree"
    )
)

# Numbers in the broad setting only: of 1,600 articles of the release 26 stand for the number 1.
BROAD_WORDS: dict[str, Literal["neighbour", "place"]] = {
    "next": "neighbour",
    "last": "neighbour",
    "tens": "place",
}

LEXICON: dict[str, tuple[WordClass, Fraction]] = {
    **{word: (WordClass.CARDINAL, Fraction(value)) for word, value in BELOW_HUNDRED.items()},
    **{word: (WordClass.SCALE, Fraction(value)) for word, value in SCALES.items()},
    **{word: (WordClass.MULTIPLIER, value) for word, value in _MULTIPLIERS.items()},
    **{word: (WordClass.PART, Fraction(1, value)) for word, value in SINGULAR_DENOMINATORS.items()},
    "quarters": (WordClass.PART, Fraction(1, 4)),
    **{word: (WordClass.COIN, value) for word, value in _COINS.items()},
    **{word: (WordClass.PARITY, Fraction(2)) for word in ("odd", "even")},
    **{word: (WordClass.ARTICLE, Fraction(1)) for word in ("a", "an")},
    **{word: (WordClass.BROAD, Fraction(1)) for word in ("next", "last")},
    "tens": (WordClass.BROAD, Fraction(10)),
}
