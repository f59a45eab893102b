"""Decides by the neighbouring words whether a word is a number in this place.

Some words of the lexicon are numbers in one place and not in another: ``one box is one larger than the
other``, ``odd integers`` and ``odd jobs``, ``double the price`` and ``double rooms``, ``a third of it`` and
``the third day``, ``nickels and dimes`` and ``copper and nickel``. Each function below states one such
distinction. Words come in lower case in a list that ends in empty words, so that the word before the first
and the words after the last are empty.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from draw_dataset.text.lexicon import COIN_WORDS, MEASURES, SINGULAR_COINS, TIME_UNITS, listed

# How far away a word may be that settles what this one means; the bound keeps the time linear.
_HORIZON = 60

# Before these, "one" is the pronoun (one of them, one is, one another) or picks one of several (one number).
_AFTER_PRONOUN = frozenset(
    listed(
        "of another is are was were has had have will would can could does did that which who whose with "
        "number numbers integer integers digit part piece side kind type sort brand"
    )
)
# After these it is the pronoun, too: the larger one, each one.
_BEFORE_PRONOUN = frozenset(
    listed(
        "the this that each every any which other another first second third last oldest youngest largest "
        "smallest smaller larger bigger greater lesser older younger longer shorter higher lower faster "
        "slower cheaper"
    )
)
# "One train ... the other": with a partner, "one" tells things apart and counts nothing ...
_PARTNERS = frozenset(listed("other another second others"))
# ... unless it is added, compared or measured.
_COUNTING_BEFORE = frozenset(
    listed("by plus minus is are was and than exactly only least most in equals add adding subtract subtracting")
)
_COMPARISONS = frozenset(listed("more less fewer greater smaller larger older younger additional extra"))

_TIME_RELATIONS = frozenset(listed("ago later earlier sooner older younger hence prior"))

# What begins the quantity that a part or a multiple is taken of.
_DETERMINERS = frozenset(
    listed("a an the of that this these those both its his her their my your our another what whose it them as each")
)
# What may follow a part or a multiple that stands for itself (its double is ...); the end of the text, too.
_PREDICATES = frozenset([*listed("is was are equals by than and or more less greater , . ? ! ;"), ""])

# Beginnings of integer(s), number(s) and consecutive: people misspell their ends.
_INTEGER_STARTS = ("integ", "inter", "numb", "consec")
_INTEGER_ADJECTIVES = frozenset(listed("natural whole positive negative counting and or"))

_COIN_DETERMINERS = frozenset(listed("a the one each every per this that"))
_RANKS = frozenset(listed("first second third fourth last next final other this that each either"))


def one_counts(words: Sequence[str], place: int) -> bool:
    """Say whether ``one`` is the number 1, and neither a pronoun nor one thing told from another.

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
    """Say whether ``double`` or ``triple`` multiplies (double the price) and is no adjective (a double room).

    >>> multiplier_counts("double the price ".split(" "), 0), multiplier_counts("double rooms ".split(" "), 0)
    (True, False)
    """
    after = words[place + 1]
    return is_taken_of(words, place) or after in _PREDICATES or not after.isalpha()


def half_counts(words: Sequence[str], place: int) -> bool:
    """Say whether ``half`` is 1/2 and no period or place (the second half, half way).

    >>> half_counts("half the price ".split(" "), 0), half_counts("the second half ".split(" "), 2)
    (True, False)
    """
    return words[place - 1] not in _RANKS and words[place + 1] != "way"


def ordinal_is_part(words: Sequence[str], place: int) -> bool:
    """Say whether ``third``, ``fifth`` ... names a part (one third, a third of it, its third) and no rank.

    >>> ordinal_is_part("a third of it ".split(" "), 1), ordinal_is_part("a third number ".split(" "), 1)
    (True, False)
    """
    before = words[place - 1]
    if before in ("one", "1"):
        return True
    return before in ("a", "an", "its") and (is_taken_of(words, place) or words[place + 1] in _PREDICATES)


def quarter_kind(words: Sequence[str], place: int) -> Literal["fraction", "coin"] | None:
    """Say whether ``quarter`` is a fourth part, a coin, or (None) a quarter of a year or a game.

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
    """Say whether what follows a word begins the quantity that the word is a part or a multiple of.

    >>> is_taken_of("three quarters of it ".split(" "), 1), is_taken_of("three quarters ".split(" "), 1)
    (True, False)
    """
    return words[place + 1] in _DETERMINERS


def parity_counts(words: Sequence[str], place: int) -> bool:
    """Say whether ``odd`` or ``even`` speaks of integers, not of breaking even or odd jobs.

    >>> parity_counts("two odd integers ".split(" "), 1), parity_counts("odd jobs ".split(" "), 0)
    (True, False)
    """
    before, after = words[place - 1], words[place + 1]
    return after.startswith(_INTEGER_STARTS) or after in _INTEGER_ADJECTIVES or before.startswith("consec")


def coin_counts(words: Sequence[str], place: int) -> bool:
    """Say whether a coin's name is the coin: in the singular it takes a determiner, unlike metal and name.

    >>> coin_counts("a nickel ".split(" "), 1), coin_counts("pounds of nickel ".split(" "), 2)
    (True, False)
    """
    return words[place] not in SINGULAR_COINS or words[place - 1] in _COIN_DETERMINERS


def article_counts(words: Sequence[str], place: int) -> bool:
    """Say whether ``a`` measures a span of time: a year ago, an hour later, in a year.

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
