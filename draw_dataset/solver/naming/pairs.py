"""Names of two or three unknowns, by the kind of the problem: digits, ages, numbers, coins, things with prices.

Each reading names all unknowns of one kind of problem, or returns None. The first one that knows names wins.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import product
from typing import NamedTuple

from draw_dataset.solver.naming.evidence import UNNAMED, Evidence, compares
from draw_dataset.solver.naming.words import (
    COIN_NAMES,
    COINS,
    FUNCTION_WORDS,
    MONEY,
    NO_NOUNS,
    UNITS,
    VERBS,
    Phrase,
    Stems,
    Text,
    stem_of,
    telling_stems,
)
from draw_dataset.text.lexicon import singular, split_words, stem
from draw_dataset.text.question import is_about_ages
from draw_dataset.text.units import spellings


class Name(NamedTuple):
    """The name of an unknown."""

    words: str  # in words of the text: "Nina", "price of CDs"
    is_age: bool = False  # whether the unknown is the age of who is named

    def sentence(self, value: str) -> str:
        """Say what the value is.

        >>> Name("Nina", is_age=True).sentence("17"), Name("price of CDs").sentence("5")
        ('Nina is 17', 'price of CDs: 5')
        """
        return f"{self.words} is {value}" if self.is_age else f"{self.words}: {value}"


Names = list[Name]  # of the unknowns, in their order


def _pair(one: str, other: str, *, first: bool) -> Names:
    """Return two names; `first` says that the first unknown has the first one."""
    return [Name(words) for words in ((one, other) if first else (other, one))]


# Digits

TENS_DIGIT = "tens digit"
_REVERSED = re.compile(r"\b(?:revers|interchang|switch|swap)\w*", re.IGNORECASE)
_GROWS = re.compile(r"\b(?:increase[sd]?|more|larger|greater|bigger|exceeds|added)\b", re.IGNORECASE)
_SHRINKS = re.compile(r"\b(?:decrease[sd]?|less|smaller|reduced|diminished|subtracted)\b", re.IGNORECASE)


def _name_digits(evidence: Evidence) -> Names | None:
    """Name the digits of a number: the tens digit has the factor 10, or is known by what reversing the digits does."""
    text = evidence.text
    if not evidence.is_pair or text.lowers.isdisjoint(("digit", "digits")):
        return None
    ten = [10 in evidence.constants(unknown) for unknown in (0, 1)]
    reverse = _REVERSED.search(text.plain)
    if ten[0] != ten[1]:
        first = ten[0] == (reverse is None)
    elif reverse is not None and evidence.larger is not None:
        grows = _GROWS.search(text.plain, max(reverse.start() - 60, 0)) is not None
        if grows == (_SHRINKS.search(text.plain, max(reverse.start() - 60, 0)) is not None):
            return None
        first = grows == (evidence.larger == 1)
    else:
        return None
    return _pair(TENS_DIGIT, "ones digit" if "ones" in text.lowers else "units digit", first=first)


# Something that moves, and what carries it

_FLOWS = split_words("wind current stream tide river sidewalk walkway escalator water tailwind headwind")
_CRAFT = frozenset(
    split_words(
        "plane airplane jet airliner helicopter bird boat motorboat speedboat steamboat canoe kayak ship ferry "
        "swimmer rower steamer yacht barge raft cyclist rowboat sailboat"
    )
)
_SPEED = re.compile(r"\b(speed|rate|velocity|how fast)\b", re.IGNORECASE)


def _speed_word(clause: str) -> str:
    """Return what a clause calls a speed; empty if it has no word for it."""
    found = _SPEED.search(clause)
    return found[1].lower().replace("how fast", "speed") if found else ""


def _name_current(evidence: Evidence) -> Names | None:
    """Name the speeds of a boat and its current: m + n in one equation, m - n in another."""
    text = evidence.text
    flow = next((word for word in _FLOWS if word in text.lowers), None)
    if evidence.larger is None or flow is None or not {True, False} <= {compares(one) for one in evidence.equations}:
        return None
    speed = _speed_word(text.clause) or _speed_word(text.plain) or "speed"
    craft = next((f" of the {word.lower}" for word in text.words if word.lower in _CRAFT), "")
    return _pair(f"{speed}{craft}", f"{speed} of the {flow}", first=evidence.larger == 0)


# Ages of people: names, relatives, and whoever asks

MY_AGE = "my age"
_PARENTS = frozenset(
    split_words("father mother dad mom mum daddy mommy grandfather grandmother grandpa grandma uncle aunt")
)
_CHILDREN = frozenset(split_words("son daughter child nephew niece grandson granddaughter baby boy girl"))
_RELATIVES = (
    _PARENTS
    | _CHILDREN
    | frozenset(split_words("brother sister cousin wife husband friend teacher man woman professor twin"))
)
_TITLES = split_words("mr. mrs. ms. dr. mr mrs ms dr")
_NO_NAMES = (FUNCTION_WORDS - {"will"} | VERBS).union(
    _TITLES,
    split_words(
        "january february march april june july august september october november december monday tuesday wednesday "
        "thursday friday saturday sunday years year thanks please help two three four five six seven eight nine ten "
        "solve write today tell half one given age ages old sum number other how what when"
    ),
)
_AFTER_NAME = frozenset(split_words("is was will has 's and can had , '"))


class Person(NamedTuple):
    """Somebody whose age may be asked for."""

    stems: Stems
    words: str  # "Nina", "the father", "my age"
    generation: int = 0  # 1 for a parent, -1 for a child, 0 if that is not known

    @property
    def name(self) -> Name:
        """The name of the age."""
        return Name(self.words, is_age=self.words != MY_AGE)


def people_of(text: Text) -> list[Person]:
    """Return the people of a text in order.

    >>> [person.words for person in people_of(Text("Ada has a daughter called Bo. Her son is older.", ()))]
    ['Ada', 'Bo', 'the son']
    """
    found: dict[str, Person] = {}
    for at, word in enumerate(text.words):
        kin, before = singular(word.lower), text.words[at - 1]
        if kin in _RELATIVES and not (word.lower != kin and before.number is not None):  # "3 brothers"
            generation = (kin in _PARENTS) - (kin in _CHILDREN)
            name = text.skip(at + 1, ("called", "named", ","))
            if _is_name(text, name):  # "her sister [Ann]"
                key = stem(text.lower(name))
                found[key] = Person(frozenset([key, stem(kin)]), text.words[name].text, generation)
            elif not any(stem(kin) in person.stems for person in found.values()):
                article = "my" if before.lower == "my" else "the"
                found[stem(kin)] = Person(frozenset([stem(kin)]), f"{article} {kin}", generation)
        elif (word.lower, text.lower(at + 1)) in _SELF:
            found.setdefault(MY_AGE, Person(frozenset(["@i"]), MY_AGE))
        elif _is_name(text, at):
            words = f"{before.text} {word.text}" if before.lower in _TITLES else word.text
            found.setdefault(stem(word.lower), Person(frozenset([stem(word.lower)]), words))
    return list(found.values())


_SELF = (("i", "am"), ("i", "was"), ("i", "will"), ("my", "age"))  # says that the asker's own age counts


def _is_name(text: Text, at: int) -> bool:
    word = text.words[min(at, len(text.words) - 1)]
    if not word.text[:1].isupper() or not word.is_word or word.lower in _NO_NAMES | _RELATIVES:
        return False
    if not word.starts:
        return word.number is None
    return text.lower(at + 1) in _AFTER_NAME or any(w.text == word.text and not w.starts for w in text.words)


def _name_ages(evidence: Evidence) -> Names | None:
    """Name ages by people."""
    if not evidence.is_pair or not is_about_ages(evidence.text.plain):
        return None
    people = people_of(evidence.text)
    if len(people) > 2:
        people = [person for person in people if person.stems & telling_stems(evidence.text.clause)]
    if len(people) == 2:
        one, other = people
        score = evidence.orient(one.stems, other.stems)
        if not score and evidence.larger is not None:
            score = (one.generation - other.generation) * (1 if evidence.larger == 0 else -1)
        if score:
            return [one.name, other.name] if score > 0 else [other.name, one.name]
    return None


# Numbers as such

_NUMBERS = re.compile(r"\b(?:numbers?|(int)(?:er)?gers?|integers?|no)\b(?! of (?!these|those|them|two))", re.IGNORECASE)
_LARGER = re.compile(r"\b(larger|greater|bigger|largest|greatest|biggest|higher)\b(?! than)", re.IGNORECASE)
_SMALLER = re.compile(r"\b(smaller|lesser|smallest|least|lower)\b(?! than)", re.IGNORECASE)


def number_word(text: str) -> str:
    """Return what a text calls numbers as such, "number" or "integer"; empty if it is not about them."""
    found = _NUMBERS.search(text)
    return "" if found is None else "integer" if found[0].lower().startswith("int") else "number"


def _name_numbers(evidence: Evidence) -> Names | None:
    """Name numbers as such: the larger and the smaller, the first and the second, one and the other."""
    text = evidence.text
    thing = number_word(text.plain)
    if thing and len(set(evidence.values)) == len(evidence.unknowns) == 3:
        order, words = sorted(evidence.values), ("smallest", "middle", "largest")
        return [Name(f"the {words[order.index(value)]} {thing}") for value in evidence.values]
    if not thing or not evidence.is_pair:
        return None
    large, small = _LARGER.search(text.plain), _SMALLER.search(text.plain)
    score = 0
    if (large or small) and evidence.larger is not None:
        score = evidence.orient_by_multipliers(frozenset(["@larger"]), frozenset(["@smaller"]))
    elif "second" in text.lowers:
        score = evidence.orient(frozenset(["first", "@one"]), frozenset(["second"]))
        if score:
            return _pair(f"the first {thing}", f"the second {thing}", first=score > 0)
    elif not text.lowers.isdisjoint(("other", "another")):
        score = evidence.orient(frozenset(["@one"]), frozenset(["@other"]))
        if score:
            return _pair(f"one {thing}", f"the other {thing}", first=score > 0)
    if evidence.larger is None:
        return None
    one, other = (found[1].lower() if found else "" for found in (large, small))
    first = score > 0 if score else evidence.larger == 0
    return _pair(f"the {one or 'larger'} {thing}", f"the {other or 'smaller'} {thing}", first=first)


# Coins, and animals by their legs

_LEGS = {
    2: "chickens chicken ducks geese hens turkeys birds ostriches people bicycles bikes motorbikes motorcycles",
    3: "tricycles stools",
    4: "cows goats sheep pigs horses rabbits dogs cats cars wagons trucks tables chairs lambs",
    6: "beetles ants insects bees flies",
    8: "spiders octopuses",
}
_BY_CONSTANT: list[tuple[Fraction | int, tuple[str, ...]]] = [
    *((size / unit, names) for unit in (1, 100) for size, names in COINS.items() if size > 1 or unit > 1),
    *((legs, (name,)) for legs, names in _LEGS.items() for name in split_words(names)),
]


def _name_coins(evidence: Evidence) -> Names | None:
    """Name coins by their values, and animals by their legs."""
    text = evidence.text
    named: list[str] = []
    for unknown, multipliers in enumerate(evidence.multipliers):
        coins = [COIN_NAMES[text.lower(place)] for place, _ in multipliers if text.lower(place) in COIN_NAMES]
        constants = evidence.constants(unknown)
        known = (names[0] for by, names in _BY_CONSTANT if by in constants and not text.lowers.isdisjoint(names))
        named.append(next(iter([*coins, *known]), ""))
    return [Name(name) for name in named] if all(named) else None


# Things told apart by ranks: "the first car"

_RANKED = re.compile(r"\bfirst ([a-z]+)(?=.*\bsecond\b)|\bsecond ([a-z]+)(?=.*\bfirst\b)", re.IGNORECASE)


def _name_ranked(evidence: Evidence) -> Names | None:
    """Name two things told apart by ranks."""
    ranked = _RANKED.search(evidence.text.plain)
    thing = (ranked[1] or ranked[2]).lower() if ranked else "one"
    if not evidence.is_pair or thing in NO_NOUNS | UNITS | {"one"}:
        return None
    score = evidence.orient(frozenset(["first"]), frozenset(["second"]))
    first, second = (_of_asked(evidence.text, f"the {rank} {thing}") for rank in ("first", "second"))
    return _pair(first, second, first=score > 0) if score else None


# What of a thing an unknown is

_QUANTITY = re.compile(
    r"(?:the )?(?:speed|rate|velocity|price|cost|length|number|ages?|amount|value|measure)\b", re.IGNORECASE
)
_HOW_MANY = re.compile(r"\bhow (?:many|much) ([a-z]+)", re.IGNORECASE)
_COST = re.compile(r"\b(?:costs?|prices?|charge|paid|pay)\b", re.IGNORECASE)


def _of_asked(text: Text, thing: str, *, is_rate: bool = False) -> str:
    """Return what of a thing the question asks for: "pounds of nuts", "price of CDs"; the thing if nothing."""
    quantity = "" if is_rate else _speed_word(text.clause) or ("price" if _COST.search(text.clause) else "")
    quantity = quantity or _measure(text)
    is_known = not quantity or quantity in thing.split() or _QUANTITY.match(thing)
    return thing if is_known else f"{quantity} of {thing}"


def _measure(text: Text) -> str:
    """Return the unit that the question asks in: "pounds"; empty if none."""
    found = _HOW_MANY.search(text.clause)
    return found[1].lower() if found and found[1].lower() in spellings() else ""


# Things that are multiplied with different numbers: 3 red apples and 5 pears, tickets at $ 4 and at $ 9

_INVEST = re.compile(r"\b(?:invest\w*|interest|loan\w*|savings?|accounts?|bonds?|stocks?|deposit\w*)\b", re.IGNORECASE)
LENGTHS = {"mph": "miles", "kph": "km", "mi": "miles", "m": "meters"}  # what a unit of speed or length is a unit of


Beside = tuple[str, Phrase]  # where a phrase stands beside a number, and the phrase


def _name_kinds(evidence: Evidence) -> Names | None:
    """Name unknowns by the phrases beside the numbers that multiply them, or by the numbers."""
    places = [[place for place, _ in each] for each in evidence.multipliers]
    if not all(places):
        return None
    text = evidence.text
    choices = [_phrases_beside(text, each) for each in places]
    figures = [_figure(text, each[0]) for each in places]
    best = _best_contrast(choices, telling_stems(text.clause), percent=any("%" in figure for figure in figures))
    if best is not None and "respectively" not in text.lowers and not text.is_speed(places[0][0]):
        is_rate = any(figure and not figure.endswith("hour") for figure in figures) or "interest" in text.lowers
        return [Name(_of_asked(text, phrase.words, is_rate=is_rate)) for phrase in best]
    return _name_figures(evidence, [each[0] for each in places], choices)


def _phrases_beside(text: Text, places: Sequence[int]) -> list[Beside]:
    """Return the phrases behind and before some numbers, with where they stand; the likelier ones first."""
    behind = [(f"behind {joined}", phrase) for phrase, joined in map(text.behind, places)]
    return [one for one in [*behind, *(("before", text.before(place)) for place in places)] if one[1].own]


def _best_contrast(choices: Sequence[Sequence[Beside]], asked: Stems, *, percent: bool) -> list[Phrase] | None:
    """Return the phrases, one for each unknown, that differ and fit together best; None if no choice is good."""
    found: list[tuple[bool, list[Phrase]]] = []
    for chosen in product(*choices):
        phrases = [phrase for _, phrase in chosen]
        if not all(one.own.difference(*(p.stems for p in phrases if p is not one)) for one in phrases):
            continue
        known = all(phrase.stems & asked for phrase in phrases)
        alike = len({how for how, _ in chosen}) == 1
        same_head = len({stem_of(phrase.words.split()[-1].lower()) for phrase in phrases}) == 1
        if (known and alike) if percent else (alike or same_head or known):  # the figures tell percents apart
            found.append((same_head, phrases))
    return max(found, key=lambda one: one[0])[1] if found else None


def time_or_way(evidence: Evidence) -> str:
    """Return "hours" if the first unknown is multiplied with a speed, "miles" if it is divided by one; else empty."""
    text = evidence.text
    for place, divides in evidence.multipliers[0]:
        if text.is_speed(place):
            way, per = text.lower(place + 1), [text.lower(at) for at in range(place + 2, place + 5)]
            time = next((f"{unit}s" for unit in ("minute", "second") if unit in per), "hours")
            return LENGTHS.get(way, way) if divides else time
    return ""


def _name_figures(evidence: Evidence, places: Sequence[int], choices: Sequence[Sequence[Beside]]) -> Names | None:
    """Name unknowns by the numbers themselves: "10 % solution", "coffee at $ 9"."""
    text = evidence.text
    figures = [_figure(text, place) for place in places]
    percent = any("%" in figure for figure in figures)
    heads = [{singular(phrase.words.split()[-1]) for how, phrase in each if how != "before"} for each in choices]
    shared = set.intersection(*heads)
    if percent or any(figures) or shared:  # "9 and 11 %"
        written = (text.words[place].text for place in places)
        figures = [figure or (f"{bare} %" if percent else bare) for figure, bare in zip(figures, written, strict=True)]
    if not all(figures) or len(set(figures)) < len(figures):
        return None
    measure, thing = _measure(text), min(shared, default="")
    if percent and not _INVEST.search(text.plain):
        return [Name(f"{measure} of {figure} {thing}".removeprefix(" of ").strip()) for figure in figures]
    counted = "" if percent else " of ".join(part for part in (measure, thing) if part)
    what = time_or_way(evidence) or counted or "amount"
    return [Name(f"{what} at {figure}") for figure in figures]


def _figure(text: Text, place: int) -> str:
    """Return a number as the text has it, with its sign or unit; empty if it has none that tells it from others."""
    written, before, after = text.words[place].text, text.lower(place - 1), text.lower(place + 1)
    if text.is_percent(place):
        return f"{written} %"
    if before in MONEY:
        return f"{text.words[place - 1].text} {written}"
    if text.is_speed(place):
        return f"{written} {after}" if after in ("mph", "kph") else f"{written} {after} per hour"
    return f"{written} {after}" if after in ("cent", "cents", "dollars") else ""


# Two things that the text compares, or does not tell apart

_OPPOSITE = {
    "older": "younger", "longer": "shorter", "higher": "lower", "taller": "shorter", "heavier": "lighter",
    "faster": "slower", "wider": "narrower", "larger": "smaller",
}  # fmt: skip
_SIZES = (
    (_SPEED, "faster"),
    (re.compile(r"\b(?:how old|ages?)\b", re.IGNORECASE), "older"),
    (re.compile(r"\b(?:how long|lengths?|long)\b", re.IGNORECASE), "longer"),
    (re.compile(r"\b(?:angle|number|tank|part|grade|investment|account|amount|score|piece)s?\b", re.I), "larger"),
)
_EACH = re.compile(r"\b(?:each|two|2|both|one) (?:of (?:the )?)?(?:\w+ )??([a-z]{3,})\b", re.IGNORECASE)
_NOT_COUNTED = (
    NO_NOUNS
    | UNITS
    | frozenset(split_words("age type kind sort speed rate way number one price length sum old different mrs mr ms"))
)


def _name_compared(evidence: Evidence) -> Names | None:
    """Name two unknowns by what the text compares."""
    text, first = evidence.text, evidence.larger == 0
    for found in evidence.comparisons if evidence.larger is not None else ():
        one, other = found.larger, found.smaller
        if "@other" in one.stems | other.stems:
            break
        if UNNAMED not in (one.words, other.words) and one.own - other.stems and other.own - one.stems:
            return _pair(_of_asked(text, one.words), _of_asked(text, other.words), first=first)
    for pair in (("length", "width"), ("height", "width")) if evidence.larger is not None else ():
        if text.lowers.issuperset(pair):
            return _pair(*pair, first=first)
    return None


def _name_by_size(evidence: Evidence) -> Names | None:
    """Name two things that the text does not tell apart by their size: "speed of the faster train"."""
    text = evidence.text
    more = [more for one in evidence.comparisons for more, less in _OPPOSITE.items() if one.adjective in (more, less)]
    more += [more for pattern, more in _SIZES if pattern.search(text.clause)]
    things = [singular(found[1]) for found in [*_EACH.finditer(text.clause), *_EACH.finditer(text.plain)]]
    thing = next((thing for thing in things if thing not in _NOT_COUNTED), None)
    if evidence.larger is None or not more or thing is None:
        return None
    names = [_of_asked(text, f"the {word} {thing}") for word in (more[0], _OPPOSITE[more[0]])]
    return _pair(names[0], names[1], first=evidence.larger == 0)


_BY_KIND = (_name_digits, _name_current, _name_ages, _name_numbers, _name_coins, _name_ranked)
READINGS: tuple[Callable[[Evidence], Names | None], ...] = (*_BY_KIND, _name_kinds, _name_compared, _name_by_size)
