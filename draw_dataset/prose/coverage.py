"""Coverage: do the numbers of an equation come from the question's text.

A literal is *covered* if the text has its value, or has it as a percentage or in cents: .08 for 8%, 575 for $5.75. It
is *free* if equations need it although the text does not have it: 0, 1, 2, 100, the value of a coin that is named, the
months of a year, the angles of a triangle. Anything else is *missing*: it is the result of a calculation, or belongs to
another problem.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from draw_dataset.prose.sides import WrittenNumber
from draw_dataset.text import find_numbers
from draw_dataset.text.spotting import Spotter

_ALWAYS = frozenset(map(Fraction, (0, 1, 2, 100))) | {Fraction(1, 100)}
_SMALL = frozenset(map(Fraction, (0, 1, 2, 3)))
_BY_WORD: tuple[tuple[Spotter, tuple[Fraction, ...]], ...] = tuple(
    (Spotter.of(pattern, words), tuple(map(Fraction, values)))
    for pattern, words, values in (
        (r"penn(?:y|ies)|cents?\b|\bcoins?\b", "penn cent coin", ("1", "0.01")),
        (r"nickel", "nickel", ("5", "0.05")),
        (r"dime", "dime", ("10", "0.1")),
        (r"quarter", "quarter", ("25", "0.25", "4")),
        (r"half.dollar", "half", ("50", "0.5")),
        (r"coins|change\b", "coins change", ("5", "10", "25", "0.05", "0.1", "0.25")),
        (r"dozen", "dozen", ("12",)),
        (r"consecutive", "consecutive", ("3", "4", "5", "6", "8")),
        (
            r"hour|minute|\bseconds\b|per second|\bhrs?\b|\bmin\b|[ap]\.?m\b",
            "hour min second hr am a.m pm p.m",
            ("60", "3600"),
        ),
        (r"year|month|annual", "year month annual", ("12",)),
        (r"week|day", "week day", ("7", "24")),
        (r"inch|feet|foot|yard", "inch feet foot yard", ("12", "3", "36")),
        (r"triangle|supplement|angle", "angle supplement", ("180", "90", "360", "3")),
        (r"complement", "complement", ("90",)),
        (r"square|rectang", "square rectang", ("4",)),
        (r"digit", "digit", ("10", "11", "9", "99")),
        (r"average|mean", "average mean", ("3", "4", "5")),
        (r"pound|ounce", "pound ounce", ("16",)),
        (r"triple|thrice", "triple thrice", ("3",)),
        (r"twice|double|half", "twice double half", ("0.5",)),
        (r"quadruple", "quadruple", ("4",)),
        (
            r"chicken|duck|bird|cow|horse|sheep|pig|goat|legs|wheel",
            "chicken duck bird cow horse sheep pig goat legs wheel",
            ("4", "3"),
        ),
    )
)


@dataclass(frozen=True, slots=True)
class Coverage:
    """The literals of some equations, by where they come from.

    Attributes:
        covered: the numbers of the question that they use.
        missing: the literals that neither the question nor custom explains.
        derived: the literals that are 1 plus or minus a percentage of the question, as .85 for 15% off.
    """

    covered: frozenset[Fraction] = frozenset()
    missing: tuple[Fraction, ...] = ()
    derived: tuple[Fraction, ...] = ()


class QuestionNumbers:
    """The numbers of a question, and those that its words bring along.

    >>> numbers = QuestionNumbers("20 coins, nickels and dimes, are worth $1.45.")
    >>> numbers.cover([(Fraction(5, 100),), (Fraction(145),), (Fraction(7),)]).missing
    (Fraction(7, 1),)
    """

    __slots__ = ("_counted", "_free", "_sources", "_values")

    def __init__(self, question: str) -> None:
        self._values = frozenset(number.value for number in find_numbers(question[:20_000]))
        self._counted = self._values - _SMALL
        low = question.lower()
        self._free = _ALWAYS | {value for word, values in _BY_WORD if word.search(question, low) for value in values}
        self._sources: dict[Fraction, Fraction | None] = {}

    def share(self, covered: frozenset[Fraction]) -> Fraction:
        """Return which share of the question's numbers some equations use; small counts as in "two numbers" aside."""
        counted = self._counted
        return Fraction(len(covered & counted), len(counted)) if counted else Fraction(1)

    def cover(self, literals: Iterable[WrittenNumber]) -> Coverage:
        """Say where the literals of an equation come from."""
        covered: set[Fraction] = set()
        missing: list[Fraction] = []
        derived: list[Fraction] = []
        for whole, *parts in literals:
            if parts and whole in self._values:
                covered.add(whole)
                continue
            for literal in parts or [whole]:
                source = self._source(literal)
                if source is not None:
                    covered.add(source)
                elif literal in self._free:
                    continue
                elif literal < 2 and abs(literal - 1) * 100 in self._values:
                    derived.append(literal)
                else:
                    missing.append(literal)
        return Coverage(frozenset(covered), tuple(missing), tuple(derived))

    def _source(self, literal: Fraction) -> Fraction | None:
        """Return the number of the text that a literal is, as it stands, as a percentage, in cents, or as a divisor."""
        # The equations of one explanation have the same few literals.
        if literal not in self._sources:
            self._sources[literal] = self._found(literal)
        return self._sources[literal]

    def _found(self, literal: Fraction) -> Fraction | None:
        if literal in self._values:
            return literal
        options = [literal * 100, literal / 100]
        if literal.denominator == 1 and literal > 2:
            options.append(1 / literal)
        return next((value for value in options if value in self._values), None)
