"""Lexicon of number words, their meaning in context, and word stems.

`LEXICON` maps a lower-case word to its class and value, so one look-up decides whether a token may be a number.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import IntEnum
from fractions import Fraction
from functools import lru_cache
from typing import Literal

from draw_dataset.text.units import MEASURED, UNITS


def split_words(words: str) -> tuple[str, ...]:
    """Return the words of a line, in order.

    >>> split_words("penny nickel dime")
    ('penny', 'nickel', 'dime')
    """
    return tuple(words.split())


Kind = Literal[
    "digits", "word", "fraction", "multiplier", "coin", "parity", "scale", "article", "neighbour", "place", "rank",
    "clock",
]  # fmt: skip
"""The way a number is written.

``digits`` 5, 1,200.50, 70lb; ``word`` twenty-five, three-legged; ``fraction`` 2/3, half, two thirds, 2 1/2;
``multiplier`` twice, doubled, couple; ``coin`` nickel, dime; ``parity`` odd and even integers, 2 apart;
``scale`` 2.5 million, one thousand, a dozen; ``article`` a year ago; for the broad setting alone
``neighbour`` next, last and ``place`` tens; for the ordinary one ``rank`` 10th, third in line and ``clock`` 5:30.
"""


class WordClass(IntEnum):
    """The role of a word in a number."""

    CARDINAL = 1
    SCALE = 2
    MULTIPLIER = 3
    PART = 4
    COIN = 5
    PARITY = 6
    ARTICLE = 7
    BROAD = 8


_BELOW_TWENTY = split_words(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen"
)
_TENS = split_words("twenty thirty forty fifty sixty seventy eighty ninety")
_CARDINALS: dict[str, int] = (
    {word: value for value, word in enumerate(_BELOW_TWENTY)}
    | {word: 10 * value for value, word in enumerate(_TENS, start=2)}
    | {"fourty": 40}  # the commonest misspelling
)
BELOW_HUNDRED: dict[str, int] = _CARDINALS | {
    f"{ten}-{unit}": _CARDINALS[ten] + _CARDINALS[unit] for ten in (*_TENS, "fourty") for unit in _BELOW_TWENTY[1:10]
}

# Words that multiply the number before them.
SCALES: dict[str, int] = {
    unit.name: int(unit.size) for unit in UNITS.values() if unit.family == "count" and unit.size > 1
}

_MULTIPLIERS: dict[str, Fraction] = {
    word: Fraction(value)
    for words, value in (
        ("twice couple double doubles doubled doubling", 2),
        ("thrice triple triples tripled tripling treble trebled", 3),
        ("quadruple quadruples quadrupled quadrupling", 4),
        ("halve halved halving", Fraction(1, 2)),
    )
    for word in split_words(words)
}
# Adjectives as well as multipliers: "double the price", but "a double room".
ADJECTIVAL_MULTIPLIERS = frozenset(split_words("double triple treble quadruple"))

# Names of a part and of a rank at once: a third of it, the third day. "Second" is never a part.
ORDINAL_DENOMINATORS: dict[str, int] = {
    word: value
    for value, word in enumerate(
        split_words("third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth"), start=3
    )
} | {"fifteenth": 15, "sixteenth": 16, "twentieth": 20, "hundredth": 100, "thousandth": 1000}
SINGULAR_DENOMINATORS: dict[str, int] = ORDINAL_DENOMINATORS | {"half": 2, "quarter": 4}
PLURAL_DENOMINATORS: dict[str, int] = {f"{word}s": value for word, value in ORDINAL_DENOMINATORS.items()} | {
    "halves": 2,
    "quarters": 4,
}

# A quarter is a part as well, and is read as one.
_COINS: dict[str, Fraction] = {
    word: unit.size / 100
    for unit in UNITS.values()
    if unit.family == "coin" and unit.name != "quarter"
    for word in unit.spellings
}
SINGULAR_COINS = frozenset(word for word in _COINS if not word.endswith("s"))
# Words that show that a text is about coins.
COIN_WORDS = frozenset(_COINS) | frozenset(split_words("coin coins quarters cent cents change"))

TIME_UNITS = frozenset(unit.name for unit in UNITS.values() if unit.family == "time")
MEASURES = frozenset(unit.name for unit in UNITS.values() if unit.family in MEASURED) | frozenset(
    split_words("metre litre point percent degree")
)

# Numbers in the broad setting only: of 1,600 articles of the release 26 stand for the number 1.
BROAD_WORDS: dict[str, Literal["neighbour", "place"]] = {"next": "neighbour", "last": "neighbour", "tens": "place"}

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


# Words that are numbers in one context and not in another, decided by the words around them.
# Words come in lower case, in a list that ends in empty words: the neighbours of the first and the last are empty.

# The distance up to which other words decide the meaning of a word; the bound keeps the time linear.
_HORIZON = 60

# Before these, "one" is the pronoun (one of them, one is, one another) or picks one of several (one number).
_AFTER_PRONOUN = frozenset(
    split_words(
        "of another is are was were has had have will would can could does did that which who whose with "
        "number numbers integer integers digit part piece side kind type sort brand"
    )
)
# After these it is the pronoun, too: the larger one, each one.
_BEFORE_PRONOUN = frozenset(
    split_words(
        "the this that each every any which other another first second third last oldest youngest largest "
        "smallest smaller larger bigger greater lesser older younger longer shorter higher lower faster "
        "slower cheaper"
    )
)
# "One train ... the other": with a partner, "one" tells things apart and counts nothing ...
_PARTNERS = frozenset(split_words("other another second others"))
# ... unless it is added, compared or measured.
_COUNTING_BEFORE = frozenset(
    split_words("by plus minus is are was and than exactly only least most in equals add adding subtract subtracting")
)
_COMPARISONS = frozenset(split_words("more less fewer greater smaller larger older younger additional extra"))

_TIME_RELATIONS = frozenset(split_words("ago later earlier sooner older younger hence prior"))

# Beginnings of the quantity that a part or a multiple is taken of.
_DETERMINERS = frozenset(
    split_words(
        "a an the of that this these those both its his her their my your our another what whose it them as each"
    )
)
# Words after a part or a multiple that stands for itself (its double is ...); the end of the text, too.
_PREDICATES = frozenset([*split_words("is was are equals by than and or more less greater , . ? ! ;"), ""])

# Beginnings of integer(s), number(s) and consecutive: people misspell their ends.
_INTEGER_STARTS = ("integ", "inter", "numb", "consec")
_INTEGER_ADJECTIVES = frozenset(split_words("natural whole positive negative counting and or"))

_COIN_DETERMINERS = frozenset(split_words("a the one each every per this that"))
_RANKS = frozenset(split_words("first second third fourth last next final other this that each either"))


def one_counts(words: Sequence[str], place: int) -> bool:
    """Decide whether ``one`` is the number 1, and neither a pronoun nor one thing told from another.

    >>> words = "if one box is one larger than the other one ".split(" ")
    >>> [place for place, word in enumerate(words) if word == "one" and one_counts(words, place)]
    [4]
    """
    before, after = words[place - 1], words[place + 1]
    if before in _BEFORE_PRONOUN or after in _AFTER_PRONOUN or after.endswith("ing"):
        return False
    if after in MEASURES or after in _COMPARISONS or before in _COUNTING_BEFORE:
        return True
    return not after.isalpha() or _PARTNERS.isdisjoint(words[place : place + _HORIZON])


def multiplier_counts(words: Sequence[str], place: int) -> bool:
    """Decide whether ``double`` or ``triple`` multiplies (double the price) and is no adjective (a double room).

    >>> multiplier_counts("double the price ".split(" "), 0), multiplier_counts("double rooms ".split(" "), 0)
    (True, False)
    """
    after = words[place + 1]
    return is_taken_of(words, place) or after in _PREDICATES or not after.isalpha()


def half_counts(words: Sequence[str], place: int) -> bool:
    """Decide whether ``half`` is 1/2 and no period or place (the second half, half way).

    >>> half_counts("half the price ".split(" "), 0), half_counts("the second half ".split(" "), 2)
    (True, False)
    """
    return words[place - 1] not in _RANKS and words[place + 1] != "way"


def ordinal_is_part(words: Sequence[str], place: int) -> bool:
    """Decide whether ``third``, ``fifth`` ... names a part (one third, a third of it, its third) and no rank.

    >>> ordinal_is_part("a third of it ".split(" "), 1), ordinal_is_part("a third number ".split(" "), 1)
    (True, False)
    """
    before = words[place - 1]
    if before in ("one", "1"):
        return True
    return before in ("a", "an", "its") and (is_taken_of(words, place) or words[place + 1] in _PREDICATES)


def quarter_kind(words: Sequence[str], place: int) -> Literal["fraction", "coin"] | None:
    """Return whether ``quarter`` is a fourth part, a coin, or (None) a quarter of a year or a game.

    >>> quarter_kind("a quarter of it ".split(" "), 1), quarter_kind("all quarters ".split(" "), 1)
    ('fraction', 'coin')
    """
    if words[place] == "quarters":
        return "coin"
    if is_taken_of(words, place):
        return "fraction"
    if not COIN_WORDS.isdisjoint(words[max(0, place - _HORIZON) : place + _HORIZON]):
        return "coin"
    return None if words[place - 1] in _RANKS else "fraction"


def is_taken_of(words: Sequence[str], place: int) -> bool:
    """Decide whether the quantity that a word is a part or a multiple of begins right after it.

    >>> is_taken_of("three quarters of it ".split(" "), 1), is_taken_of("three quarters ".split(" "), 1)
    (True, False)
    """
    return words[place + 1] in _DETERMINERS


def parity_counts(words: Sequence[str], place: int) -> bool:
    """Decide whether ``odd`` or ``even`` speaks of integers, not of breaking even or odd jobs.

    >>> parity_counts("two odd integers ".split(" "), 1), parity_counts("odd jobs ".split(" "), 0)
    (True, False)
    """
    before, after = words[place - 1], words[place + 1]
    return after.startswith(_INTEGER_STARTS) or after in _INTEGER_ADJECTIVES or before.startswith("consec")


def coin_counts(words: Sequence[str], place: int) -> bool:
    """Decide whether a coin name means the coin: in the singular that takes a determiner, unlike metal and name.

    >>> coin_counts("a nickel ".split(" "), 1), coin_counts("pounds of nickel ".split(" "), 2)
    (True, False)
    """
    return words[place] not in SINGULAR_COINS or words[place - 1] in _COIN_DETERMINERS


def article_counts(words: Sequence[str], place: int) -> bool:
    """Decide whether ``a`` measures a span of time: a year ago, an hour later, in a year.

    >>> article_counts("a year ago ".split(" "), 0), article_counts("miles an hour ".split(" "), 1)
    (True, False)
    """
    if words[place + 1] not in TIME_UNITS:
        return False
    relation = words[place + 2]
    if relation in _TIME_RELATIONS or (relation == "from" and words[place + 3] == "now"):
        return True
    # "In a week, the shop closes", but not the rate of "3 times in a year".
    return words[place - 1] == "in" and not words[place - 2].isalnum()


_IRREGULAR = {
    "children": "child", "men": "man", "women": "woman", "people": "person", "feet": "foot", "teeth": "tooth",
    "geese": "goose", "mice": "mouse", "halves": "half", "knives": "knife", "wives": "wife", "leaves": "leaf",
    "loaves": "loaf", "shelves": "shelf", "wolves": "wolf", "calves": "calf", "buses": "bus", "gases": "gas",
    "quizzes": "quiz", "canoes": "canoe", "horseshoes": "horseshoe", "series": "series", "species": "species",
    "mrs": "mrs",
}  # fmt: skip
_VOWELS = frozenset("aeiou")
_IN_IE = frozenset(split_words("auntie brownie calorie cookie genie hoodie movie rookie selfie smoothie veggie zombie"))


@lru_cache(maxsize=1 << 10)
def singular(word: str) -> str:
    """Return a word in lower case, without the ending of a plural or a possessive.

    >>> [singular(word) for word in ("boxes", "pennies", "children", "Minutes", "class", "bus", "Ann's")]
    ['box', 'penny', 'child', 'minute', 'class', 'bus', 'ann']
    """
    word = word.lower().removesuffix("'").removesuffix("'s")
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    short = len(word) < 3 or (len(word) == 3 and not _VOWELS.isdisjoint(word))  # gas, but hrs
    if short or not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies") and len(word) > 4 and word[:-1] not in _IN_IE:
        return f"{word[:-3]}y"
    if word.endswith(("xes", "ches", "shes", "sses")) or (word.endswith("oes") and len(word) > 5):
        return word[:-2]
    return word[:-1]


_FUNCTION_WORDS = frozenset(
    split_words(
        """a about above after ago all also am an and any are as at away back be because been before below between but
        by can could did do does down during each either equal equally every extra far for from gave get gets gave had
        has have he her hers him his how if in into is it its just later least less like longer made make makes many
        more most much must my next no not of off older on once only or other our out over per plus same shall she
        should since so some sold still such than that the their them then there these they this those times to too
        total under until up very was way were what when where which while who will with would yet you younger your"""
    )
)


def things(words: Iterable[str]) -> list[str]:
    """Return the words for what is counted in the words behind a number: those before a verb or a conjunction.

    >>> things("of the red apples and a pear".split()), things(["is", "left"])
    (['red', 'apple'], ['left'])
    """
    found: list[str] = []
    for word in words:
        if word.lower() not in _FUNCTION_WORDS:
            found.append(singular(word))
        elif found:
            break
    return found


@lru_cache(maxsize=1 << 10)
def stem(word: str) -> str:
    """Return the first letters of a word without its commonest endings, the same for a verb and its noun.

    >>> [stem(word) for word in ("mows", "mowing", "Boxes", "babysitting", "minute", "minutes")]
    ['mow', 'mow', 'box', 'babysi', 'minut', 'minut']
    """
    word = singular(word.partition("'")[0])
    for ending in ("ing", "ed"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word.removesuffix(ending)
            break
    return (word.rstrip("e") if len(word) > 4 else word)[:6]
