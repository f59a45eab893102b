"""The words that relations are written with."""

from __future__ import annotations

from fractions import Fraction


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


LARGE = _words("larger greater bigger largest greatest biggest higher highest older oldest elder longer longest taller")
SMALL = _words("smaller lesser smallest least lower lowest younger youngest shorter shortest")
"""Words for one of two unknowns, unless "than" follows."""

MORE = _words("more greater larger bigger higher older longer taller faster heavier wider")
LESS = _words("less fewer smaller lower younger shorter slower lighter cheaper lesser narrower")
"""Words between a number and "than"."""

AFTER_ONE = MORE | LESS | {"", ".", ",", "yields", "gives"}
"""Words after which "one" is a number and no unknown."""

THAN = _words("than then")
"""What follows them, with a common slip."""

RANKED = {"first": 0, "1st": 0, "second": 1, "2nd": 1, "third": 2, "3rd": 2}

NUMBER = _words("number integer no. number's integer's")
NUMBERS = _words("numbers integers ages nos")
"""What unknowns are called in problems about numbers."""

KINDS = _words(
    "certain positive unknown original whole given natural real negative same single different particular consecutive "
    "odd even present current"
)
"""What may stand between an article and such a word."""

DETERMINERS = _words("the its that this a an each some their")
THEIR = _words("their thier there")
"""Words for what belongs to several, with common slips."""

COUNTS = {"two": 2, "three": 3, "four": 4, "five": 5, "2": 2, "3": 3, "4": 4, "5": 5}

MULTIPLES = {
    "twice": Fraction(2),
    "thrice": Fraction(3),
    "double": Fraction(2),
    "triple": Fraction(3),
    "quadruple": Fraction(4),
    "half": Fraction(1, 2),
}

TIMES = _words("times time")

EQUALS = _words("is are was were equals equal becomes gives yields makes totals be = produces leaves")
ADVERBS = _words("also exactly just only always then now")
AUXILIARIES = _words("will must should would can")
ALIKE = _words("much many large old great big long")
"""What stands between "as" and "as"."""

DIFFERENCES = _words("difference differences")
AMOUNTS = (("amounts", "to"), ("results", "in"), ("has", "a", "value", "of"), ("has", "a", "value", "that", "is"))
"""Words like "is"."""

RESULT = _words("result answer sum total difference product quotient value outcome")
TOTAL = _words("sum total")

CHANGES = {
    ("plus",): "plus",
    ("minus",): "minus",
    ("+",): "plus",
    ("increased", "by"): "plus",
    ("increase", "by"): "plus",
    ("decreased", "by"): "minus",
    ("decrease", "by"): "minus",
    ("diminished", "by"): "minus",
    ("reduced", "by"): "minus",
    ("less", "than"): "from",
    ("less",): "minus",
    ("more", "than"): "plus",
    ("added", "to"): "plus",
    ("subtracted", "from"): "from",
    ("substracted", "from"): "from",
    ("taken", "from"): "from",
    ("subtracted", "by"): "minus",
    ("multiplied", "by"): "times",
    ("times",): "times",
    ("divided", "by"): "over",
}
"""What follows a phrase and changes it, and how; ``from`` takes the phrase from what comes next."""

ACTIONS = {
    "add": ("to", "plus"),
    "adding": ("to", "plus"),
    "subtract": ("from", "from"),
    "subtracting": ("from", "from"),
    "multiply": ("by", "times"),
    "multiplying": ("by", "times"),
    "divide": ("by", "over"),
    "dividing": ("by", "over"),
}
"""Verbs before their object: the word between the two objects, and what becomes of the first one."""

PASSIVE = _words("added subtracted substracted taken increased decreased diminished reduced multiplied divided")

TENS = _words("tens ten tens'")
ONES = _words("units unit ones one's units'")
WRITTEN_AS = _words("original new resulting given certain two 2 digit two-digit 2-digit counting positive natural")
REVERSED = _words("reversed reverse reversing interchanged interchange interchanging switched")
"""Words of problems about the digits of a number."""

BEFORE_STATEMENT = (
    _words(
        ", if that and when where but ; : then suppose given so because while is find knowing assume - whose ( ) or "
        "since such i you we"
    )
    | REVERSED
)
"""Words after which a statement may begin; others show that its beginning was not understood."""

WITHIN_PHRASE = _words("of times than then twice by half thrice plus minus from to is as equals")
"""Words after which a phrase goes on, even where a statement could begin."""

AFTER_SIDE = _words(
    "more less times % percent of fewer plus minus greater than as squared increased decreased consecutive to : digit "
    "- a an per each with long"
)
"""Words after which the side of a statement cannot have ended."""

UNITS = _words(
    "years year yrs cm m meters metres feet ft foot inches inch dollars dollar cents miles mile units points kg pounds "
    "lbs hours hour minutes km mph degrees old ft. in."
)

AGES = _words("age ages old older younger years")
LATER = _words("ago hence later will would")
"""Words of a sentence about ages at another time."""

OWNERS = _words("the his her my a an your our their")
"""What may stand before a noun that is an unknown."""

NO_UNKNOWN = RESULT | NUMBER | NUMBERS | TIMES | UNITS | _words("digit digits ratio age ages way")
"""Nouns that name no unknown of their own."""
