"""What a text asks for, by its words: which sentences ask, whether they ask for counts, and of what.

Rules on words, not understanding: they serve to say that a solution is unlikely, and which of gold's unknowns is asked
for, where the words leave little doubt.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from draw_dataset.text.lexicon import listed

MEASURES = frozenset(
    listed(
        "hour hours hr hrs minute minutes min second seconds day days week weeks month months year years mile miles km "
        "kilometer kilometers kilometre kilometres meter meters metre metres m foot feet ft inch inches yard yards cm "
        "centimeters centimeter pound pounds lb lbs kilogram kilograms kg gram grams g ounce ounces oz ton tons liter "
        "liters litre litres l ml milliliters millilitres gallon gallons gal quart quarts pint pints cup cups acre "
        "acres dollar dollars cent cents percent % degree degrees units unit mph kph cubic square cc ccs cm3 knots "
        "part parts milligrams centiliters bushels teaspoons kgs calories kilowatt"
    )
)
"""Words after "how many" that are measured, not counted."""

_SENTENCE = re.compile(r"[^.?!]*[.?!]?")
_ASKS = re.compile(
    r"\b(?:how|what|which|when|find|determine|calculate|compute|where|who|give|state|solve|whose)\b", re.IGNORECASE
)
_IMPERATIVE = re.compile(
    r"^\W*(?:then |please )?(?:find|determine|calculate|compute|what|how|give|solve)\b", re.IGNORECASE
)
_COUNTED = re.compile(r"\bhow many (?:of (?:the|each|these|his|her) )?((?:[\w$%'/-]+ ?){1,6})", re.IGNORECASE)
_ABOUT_NUMBERS = re.compile(
    r"\b(?:numbers?|integers?|intergers?|intergers|digits?|unknown|numerator|denominator)\b", re.IGNORECASE
)
_ABOUT_AGES = re.compile(r"\b(?:years? old|how old|ages?|older|younger|years? ago)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Span:
    """A sentence of a text: where it begins and ends, and its words."""

    start: int
    end: int
    text: str


def sentences_of(text: str) -> list[Span]:
    """Return the sentences of a text; a full stop inside a number ends none."""
    masked = re.sub(
        r"(?<=\d)\.(?=\d)|(?<=\s)\.(?=\d)|\b(?:Mr|Mrs|Ms|Dr|oz|lbs?|hrs?|approx)\.",
        lambda m: m[0].replace(".", "_"),
        text,
    )
    return [
        Span(match.start(), match.end(), text[match.start() : match.end()].strip())
        for match in _SENTENCE.finditer(masked)
        if match[0].strip()
    ]


def questions_of(text: str) -> list[Span]:
    """Return the sentences that ask: those with a question mark, or that begin as a request; else the last one.

    >>> [q.text for q in questions_of("Ann has 5 hens . How many legs is that ? Find the sum .")]
    ['How many legs is that ?', 'Find the sum .']
    """
    spans = sentences_of(text)
    asking = [s for s in spans if s.text.endswith("?") or _IMPERATIVE.match(s.text)]
    return asking or [s for s in spans[-1:] if _ASKS.search(s.text)]


def is_about_numbers(text: str) -> bool:
    """Say whether a text speaks of numbers as such, which may be negative or fractions."""
    return _ABOUT_NUMBERS.search(text) is not None


def is_about_ages(text: str) -> bool:
    """Say whether a text speaks of ages."""
    return _ABOUT_AGES.search(text) is not None


def counts_asked(text: str) -> list[str]:
    """Return the words after every "how many" of a text that asks for a count, not for a measure.

    >>> counts_asked("How many hens are there ? How many hours ?")
    ['hens are there ']
    """
    found = []
    for span in questions_of(text):
        for match in _COUNTED.finditer(span.text):
            words = match[1].lower().split()
            if not MEASURES.intersection(words[:3]):
                found.append(match[1].lower())
    return found
