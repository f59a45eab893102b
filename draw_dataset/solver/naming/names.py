"""Names of the unknowns of an answer in words of the text, and which of them the question asks for.

>>> from draw_dataset.derivation.derivation import Derivation
>>> text = "Nina is six years older than Omar. Their ages sum to 40. How old is Omar?"
>>> derivation = Derivation.read("m + n = q2; m = n + q1", locate_numbers(text)[0])
>>> naming = name_unknowns(text, derivation)
>>> {unknown: name.words for unknown, name in naming.names.items()}, [one.expression for one in naming.asked]
({'m': 'Nina', 'n': 'Omar'}, ['n'])
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from draw_dataset.derivation.derivation import Derivation, TextNumber
from draw_dataset.solver.naming.evidence import Evidence
from draw_dataset.solver.naming.pairs import (
    LENGTHS,
    MY_AGE,
    READINGS,
    TENS_DIGIT,
    Name,
    Names,
    number_word,
    people_of,
    time_or_way,
)
from draw_dataset.solver.naming.words import FUNCTION_WORDS, STOPS, VERBS, Text, rank_stems, telling_stems
from draw_dataset.text.lexicon import split_words, stem
from draw_dataset.text.numbers import locate_numbers
from draw_dataset.text.question import asks_for_pair, names_all
from draw_dataset.text.units import UNITS, unit_named


class Quantity(NamedTuple):
    """A named quantity: an unknown, or a number made of unknowns."""

    name: Name
    parts: tuple[tuple[int, str], ...]  # the unknowns that it is the sum of, each with its factor

    @property
    def expression(self) -> str:
        """The quantity in the unknowns: ``m``, ``10*m + n``."""
        return " + ".join(unknown if by == 1 else f"{by}*{unknown}" for by, unknown in self.parts)

    def value(self, values: Mapping[str, Fraction]) -> Fraction:
        """Return its value, given those of the unknowns."""
        return sum((by * values[unknown] for by, unknown in self.parts), Fraction(0))


@dataclass(frozen=True, slots=True)
class Naming:
    """The names of the unknowns of a derivation, and what the question asks for."""

    names: Mapping[str, Name]  # of all unknowns; empty if nothing tells them apart
    asked: tuple[Quantity, ...] = ()  # in the order of the question; empty if that is not clear

    @property
    def quantities(self) -> tuple[Quantity, ...]:
        """All named quantities, those that the question asks for first."""
        others = (Quantity(name, ((1, unknown),)) for unknown, name in self.names.items())
        return tuple(dict.fromkeys([*self.asked, *others]))


NOTHING = Naming({})


def name_unknowns(question: str, derivation: Derivation, numbers: Sequence[TextNumber] | None = None) -> Naming:
    """Return the names of the unknowns of a derivation: different ones, or none.

    Args:
        question: the text.
        derivation: a derivation of it, gold or predicted.
        numbers: the numbers of the text with their offsets; by default those that are found in it.
    """
    evidence = Evidence(question, derivation, locate_numbers(question)[0] if numbers is None else numbers)
    if len(evidence.unknowns) == 1:
        name, is_asked = _name_single(evidence)
        named = name and [name]
    else:
        named, is_asked = next((found for read in READINGS if (found := read(evidence)) is not None), None), True
    if not named or len({name.words for name in named}) < len(named):
        return NOTHING
    return Naming(dict(zip(evidence.unknowns, named, strict=True)), _find_asked(evidence, named) if is_asked else ())


# What is asked

_AT_ANOTHER_TIME = re.compile(
    r"\b(?:in|after|from) \S+ years?\b|\byears? (?:ago|hence|from now|later)\b", re.IGNORECASE
)
_OF_DIGITS = re.compile(r"\b(?:digits|tens|units|ones)\b", re.IGNORECASE)
_TO_MIX_WITH = re.compile(
    r"(?<=\w) (?:be |he |she |they )?(?:mixed|mix|added|add|combined|blended|replaced) (?:with|to|by)\b.*",
    re.IGNORECASE,
)  # names what is not asked for
_WORD = re.compile(r"[A-Za-z]+|\d[\d,.]*\d|\d")
_ARTICLES = frozenset(("the", "a", "of", "at", "in"))


def _find_asked(evidence: Evidence, named: Names) -> tuple[Quantity, ...]:
    """Return what the question asks for, in its order; empty if that is not clear."""
    clause, unknowns = evidence.text.clause, evidence.unknowns
    if not clause or (_AT_ANOTHER_TIME.search(clause) and any(name.is_age for name in named)):
        return ()
    own = [Quantity(name, ((1, unknown),)) for unknown, name in zip(unknowns, named, strict=True)]
    if len(own) == 1:
        return tuple(own)
    tens = [name.words == TENS_DIGIT for name in named]
    if any(tens) and not _OF_DIGITS.search(clause):
        parts = sorted(zip((10 if is_tens else 1 for is_tens in tens), unknowns, strict=True), reverse=True)
        return (Quantity(Name("the number"), tuple(parts)),)
    clause = _TO_MIX_WITH.sub("", clause)
    asked = [_stems(word) for word in _WORD.findall(clause)]
    stems = [_stems(name.words) for name in named]
    telling = [one.difference(*(other for other in stems if other is not one)) for one in stems]
    first = [next((at for at, word in enumerate(asked) if word & one), len(asked)) for one in telling]
    hits = [rank for rank, at in enumerate(first) if at < len(asked)]
    if names_all(clause) or asks_for_pair(clause):
        hits = list(range(len(named)))
    return tuple(own[rank] for rank in sorted(hits, key=lambda rank: first[rank]))


def _stems(words: str) -> frozenset[str]:
    """Return the stems of words, numbers and single letters among them."""
    return frozenset(
        next(iter(rank_stems([word.lower()])), word if word[0].isdigit() or len(word) == 1 else stem(word))
        for word in _WORD.findall(words)
        if word.lower() not in _ARTICLES
    )


# The only unknown, in the words of the question

LATER = "years from now"
_NO_THINGS = frozenset(
    split_words(
        "are is was were will would must should can could did do does have has had may it they he she you be to"
    )
)
_CONDITIONS = STOPS | {"that", "so"}
_ASKS = re.compile(r"(?:how|what|find|which)", re.IGNORECASE)
_SIZE_OF = {
    "long": "length", "fast": "speed", "tall": "height", "high": "height", "heavy": "weight", "wide": "width",
    "deep": "depth", "large": "size", "big": "size",
}  # fmt: skip
_HOW = re.compile(rf"\bhow (?!long d)({'|'.join(_SIZE_OF)}) (?:is|was|are|were|does|did) (?!it |they )", re.IGNORECASE)
_TIMES = ("hours", "minutes", "seconds")
_SEVERAL = re.compile(r"\b(?:numbers|integers|they)\b", re.IGNORECASE)


def _name_single(evidence: Evidence) -> tuple[Name | None, bool]:
    """Return the name of the only unknown, and whether the question asks for it, not for what follows from it."""
    text = evidence.text
    clause = next((one for one in text.clauses if _ASKS.match(one)), next(reversed(text.clauses), ""))
    clause = _HOW.sub(lambda found: f"what is the {_SIZE_OF[found[1].lower()]} of ", clause)
    thing = number_word(text.plain)
    if thing and "consecutive" in text.lowers and _SEVERAL.search(clause):
        several = not text.lowers.isdisjoint(("three", "four", "3", "4"))
        return Name(f"the {'smallest' if several else 'smaller'} {thing}"), False
    for pattern, make_name in _FORMS:
        found = pattern.search(clause)
        if found is not None:
            words = make_name(text, found)
            kind = time_or_way(evidence) if make_name is _name_span else ""
            if kind and (kind in _TIMES) == (found[1].lower() == "far"):
                return Name(kind), False  # a way where the question asks for a time, or the other way round
            is_age = make_name is _name_age and words not in (LATER, MY_AGE, "age")
            return (Name(words, is_age) if words else None), words != LATER
    return None, False


def _unit_of(text: Text, family: str) -> str:
    """Return the unit of the times or lengths of a text: "hours", "miles"; empty if it has none."""
    for word in (word.lower for word in text.words):
        if word in ("mph", "kph"):
            return LENGTHS[word] if family == "length" else "hours"
        unit = unit_named(word)
        if unit is not None and UNITS[unit].family == family:
            return "feet" if unit == "foot" else f"{unit}s"
    return "distance" if family == "length" else "time"


def _beginning(words: str, most: int, stops: Iterable[str] = ()) -> str:
    """Return the first words, up to a boundary, without function words at their end."""
    kept: list[str] = []
    for word in words.split()[:most]:
        if word.lower() in _CONDITIONS or word.lower() in stops:
            break
        kept.append(word)
    while kept and kept[-1].lower() in FUNCTION_WORDS - {"ago", "apart", "now", "together"}:
        kept.pop()
    return " ".join(kept).replace(" 's", "'s")


Match = re.Match[str]


def _name_age(text: Text, found: Match) -> str:
    """Name "How old is Nina?"; where her age is given, the unknown is a number of years."""
    subject = found[1]
    if re.search(rf"\b{re.escape(subject)} (?:is|was) (?:now )?\d+", text.plain, re.IGNORECASE):
        return LATER
    people = people_of(text)
    named = [person for person in people if person.stems & telling_stems(subject)]
    chosen = next((one for one in (named, people) if len(one) == 1), None)
    return chosen[0].words if chosen else MY_AGE if subject.lower() == "i" else "age"


def _name_count(_: Text, found: Match) -> str:
    """Name "How many pounds of nuts must be added?"."""
    first, rest = [*found[1].split(" ", 1), ""][:2]
    return _beginning(f"{first} {_beginning(rest, 8, _NO_THINGS | VERBS)}", 9, _NO_THINGS) or "amount"


_TAIL = re.compile(
    r"\b(?:until .+|before .+|each way|one way|apart|(?:to (?!take|be\b)|from |into )(?:the |her |his )?\w+)",
    re.IGNORECASE,
)


def _name_span(text: Text, found: Match) -> str:
    """Name "How long will it take them to meet?" and "How far is it to the lake?"."""
    tail = _TAIL.search(found.string)
    words = "together" if "together" in text.lowers else _beginning(tail[0], 7) if tail else ""
    return f"{_unit_of(text, 'length' if found[1].lower() == 'far' else 'time')} {words}".strip()


def _name_phrase(_: Text, found: Match) -> str:
    """Name "What is the speed of the current?"."""
    return re.sub(r"^(?:(?:the|a|an|this|that|your) )+", "the ", _beginning(found[1], 9, _NO_THINGS))


_FORMS: tuple[tuple[re.Pattern[str], Callable[[Text, Match], str]], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), name)
    for pattern, name in (
        (r"\bhow old (?:is|was|are|will|am) ([A-Za-z][\w'. -]*?)(?: now| today| be| then|$)", _name_age),
        (r"\bhow (?:many|much) (?:of )?(?:the )?((?!time\b).*)", _name_count),
        (r"\bhow (long|far|much time)\b", _name_span),
        (r"\b(?:what|which|at what) (?:(?:is|was|are|were|'s|(?:will|would|should|must) be) )?(.+)", _name_phrase),
        (r"\b(?:find|determine|calculate|compute|give|state) (?:out )?(.+)", _name_phrase),
    )
)
