"""Linear forms: the meaning of a phrase as a sum of multiples of unknowns and a number; and the vocabulary.

An unknown goes by the name the text gives it: "larger" and "smaller" for the extremes of all unknowns, a rank for "one
number" or "the second number", else a lemma, such as that of a person.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction

LARGER, SMALLER = "larger", "smaller"  # the largest and the smallest of all unknowns
ALL = "all"  # the sum of three unknowns, where there are no more
RANKS = ("first", "second", "third")  # unknowns by their rank in the text
MAX_MEANINGS = 8  # forms that one phrase may mean


@dataclass(frozen=True, slots=True)
class Form:
    """A sum of multiples of unknowns, and a number."""

    # unknowns with their coefficients, never 0, in order of the names
    parts: tuple[tuple[str, Fraction], ...]
    constant: Fraction  # the number
    # how the text has it, in q-notation with the names of unknowns in angle brackets
    written: str = field(compare=False)

    @classmethod
    def unknown(cls, name: str) -> Form:
        """Return the form of an unknown alone."""
        return cls(((name, Fraction(1)),), Fraction(0), f"<{name}>")

    @classmethod
    def number(cls, value: Fraction | int, written: str | None = None) -> Form:
        """Return the form of a number alone; it is written as it is, unless told otherwise."""
        return cls((), Fraction(value), f"({value})" if written is None else written)

    @property
    def names(self) -> frozenset[str]:
        """The unknowns."""
        return frozenset(name for name, _ in self.parts)

    @property
    def is_number(self) -> bool:
        """Whether it has no unknown."""
        return not self.parts

    def plus(self, other: Form) -> Form:
        """Return the sum of this form and another."""
        return self._combined(other, 1, f"{self.written} + {other.written}")

    def minus(self, other: Form) -> Form:
        """Return this form less another.

        >>> form = Form.unknown("first").plus(Form.number(2)).minus(Form.unknown("first").plus(Form.unknown("second")))
        >>> form.parts, form.constant, form.written
        ((('second', Fraction(-1, 1)),), Fraction(2, 1), '<first> + (2) - (<first> + <second>)')
        """
        return self._combined(other, -1, f"{self.written} - ({other.written})")

    def times(self, other: Form) -> Form | None:
        """Return the product of this form and another; None if neither is a number."""
        if not self.is_number:
            return other.times(self) if other.is_number else None
        return other._scaled(self.constant, f"{_parenthesize(self.written)}*({other.written})")

    def over(self, other: Form) -> Form | None:
        """Return this form divided by another; None if that is no number, or 0."""
        if not other.is_number or not other.constant:
            return None
        return self._scaled(1 / other.constant, f"({self.written})/({other.written})")

    def negative(self) -> Form:
        """Return the form with the other sign."""
        return self._scaled(Fraction(-1), f"-({self.written})")

    def rename(self, names: Mapping[str, str]) -> Form:
        """Return the form with other names of unknowns, by the old ones; two may become one."""
        parts = _add_up((names.get(name, name), by) for name, by in self.parts)
        written = re.sub("<([^>]*)>", lambda found: f"<{names.get(found[1], found[1])}>", self.written)
        return Form(parts, self.constant, written)

    def _scaled(self, by: Fraction, written: str) -> Form:
        parts = tuple((name, by * part) for name, part in self.parts) if by else ()
        return Form(parts, by * self.constant, written)

    def _combined(self, other: Form, times: int, written: str) -> Form:
        parts = _add_up((*self.parts, *((name, times * by) for name, by in other.parts)))
        return Form(parts, self.constant + times * other.constant, written)

    def __str__(self) -> str:
        """Write it for people, multiplied out."""
        terms = [name if by == 1 else f"{by}*{name}" for name, by in self.parts]
        return " + ".join([*terms, *([str(self.constant)] if self.constant or not terms else [])])


def _add_up(parts: Iterable[tuple[str, Fraction]]) -> tuple[tuple[str, Fraction], ...]:
    """Return multiples of unknowns, those of the same one added up, without those that are 0."""
    found: dict[str, Fraction] = {}
    for name, by in parts:
        found[name] = found.get(name, Fraction(0)) + by
    return tuple(sorted((name, by) for name, by in found.items() if by))


def _parenthesize(written: str) -> str:
    return written if written.isalnum() or written.startswith("(") else f"({written})"


Meanings = tuple[Form, ...]  # the possible meanings of a phrase; mostly one form

FIRST, SECOND = Form.unknown(RANKS[0]), Form.unknown(RANKS[1])
SUM = Form.unknown(LARGER).plus(Form.unknown(SMALLER))
DIFFERENCE = Form.unknown(LARGER).minus(Form.unknown(SMALLER))


def noun(lemma: str) -> Form:
    """Return the form of an unknown that goes by a noun; its name is told from the others by an article."""
    return Form.unknown(f"the {lemma}")


def is_noun(name: str) -> bool:
    """Decide whether a name is that of a noun."""
    return name.startswith("the ")


def combine(one: Iterable[Form], other: Iterable[Form], how: Callable[[Form, Form], Form | None]) -> Meanings:
    """Return the possible meanings of two joined phrases: all pairs of theirs that can be joined."""
    right = tuple(other)
    joined = (how(a, b) for a in one for b in right)
    return tuple(form for form in joined if form is not None)[:MAX_MEANINGS]


# Vocabulary of relations.


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Words for one of two unknowns, unless "than" follows
LARGE = _words("larger greater bigger largest greatest biggest higher highest older oldest elder longer longest taller")
SMALL = _words("smaller lesser smallest least lower lowest younger youngest shorter shortest")

# Words between a number and "than"
MORE = _words("more greater larger bigger higher older longer taller faster heavier wider")
LESS = _words("less fewer smaller lower younger shorter slower lighter cheaper lesser narrower")

AFTER_ONE = MORE | LESS | {"", ".", ",", "yields", "gives"}  # words after which "one" is a number and no unknown
THAN = _words("than then")  # what follows them, with a common slip

RANKED = {"first": 0, "1st": 0, "second": 1, "2nd": 1, "third": 2, "3rd": 2}

# What unknowns are called in problems about numbers
NUMBER = _words("number integer no. number's integer's")
NUMBERS = _words("numbers integers ages nos")

# What may stand between an article and such a word
KINDS = _words(
    "certain positive unknown original whole given natural real negative same single different particular consecutive "
    "odd even present current"
)

# Possessives of several, with common slips
DETERMINERS = _words("the its that this a an each some their")
THEIR = _words("their thier there")

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

# What stands between "as" and "as"
EQUALS = _words("is are was were equals equal becomes gives yields makes totals be = produces leaves")
ADVERBS = _words("also exactly just only always then now")
AUXILIARIES = _words("will must should would can")
ALIKE = _words("much many large old great big long")

# Words like "is"
DIFFERENCES = _words("difference differences")
AMOUNTS = (("amounts", "to"), ("results", "in"), ("has", "a", "value", "of"), ("has", "a", "value", "that", "is"))

RESULT = _words("result answer sum total difference product quotient value outcome")
TOTAL = _words("sum total")

# Words that follow a phrase and change it, and how; ``from`` takes the phrase from the next one
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

# Verbs before their object: the word between the two objects, and the change of the first one
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

PASSIVE = _words("added subtracted substracted taken increased decreased diminished reduced multiplied divided")

# Words of problems about the digits of a number
TENS = _words("tens ten tens'")
ONES = _words("units unit ones one's units'")
WRITTEN_AS = _words("original new resulting given certain two 2 digit two-digit 2-digit counting positive natural")
REVERSED = _words("reversed reverse reversing interchanged interchange interchanging switched")

# Words after which a statement may begin; others show that its beginning was not understood
BEFORE_STATEMENT = (
    _words(
        ", if that and when where but ; : then suppose given so because while is find knowing assume - whose ( ) or "
        "since such i you we"
    )
    | REVERSED
)

# Words after which a phrase goes on, even where a statement could begin
WITHIN_PHRASE = _words("of times than then twice by half thrice plus minus from to is as equals")

# Words after which the side of a statement cannot have ended
AFTER_SIDE = _words(
    "more less times % percent of fewer plus minus greater than as squared increased decreased consecutive to : digit "
    "- a an per each with long"
)

# Unit words after a number that are skipped; no view of `draw_dataset.text.units`, because trained models have weights
# for what exactly these words yield
UNITS = _words(
    "years year yrs cm m meters metres feet ft foot inches inch dollars dollar cents miles mile units points kg pounds "
    "lbs hours hour minutes km mph degrees old ft. in."
)

# Words of a sentence about ages at another time
AGES = _words("age ages old older younger years")
LATER = _words("ago hence later will would")

OWNERS = _words("the his her my a an your our their")  # words before a noun that is an unknown

# Nouns that name no unknown of their own
NO_UNKNOWN = RESULT | NUMBER | NUMBERS | TIMES | UNITS | _words("digit digits ratio age ages way")
