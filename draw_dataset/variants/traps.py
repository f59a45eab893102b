"""Traps: a problem with a number in it that does not belong.

A trap is a sentence of the bank before the text, with a number of the problem's size (*in* range) or a much larger one
(*out*). The sharp form is a pair: in the first the number *equals* an aligned number, so a system that takes it has the
right answer by a wrong derivation; in its twin it does not, so taking it shows. A *distractor* stands in the middle of
the text, and its number has the unit of a number of the text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from importlib.resources import files
from itertools import pairwise, product
from random import Random
from typing import Literal

from draw_dataset.derivation.problem import Problem, asked_values
from draw_dataset.text.lexicon import BELOW_HUNDRED, singular, split_words, stem
from draw_dataset.text.numbers import rule_of
from draw_dataset.text.question import questions_of
from draw_dataset.text.tokens import SENTENCE_ENDS, Rule, sentence_spans, tokenize
from draw_dataset.variants.ordering import POINTERS, TIMES, without_dummies
from draw_dataset.variants.people import DOING, NO_PERSON, Cast
from draw_dataset.variants.rebuilding import Edit, rebuild
from draw_dataset.variants.writing import article_before

# The bank `traps.json` has sentences with one number, true in any world, that say nothing about the problem, each with
# its smallest and largest number. A sentence is *near* if it is about the topic of the problem, else *far*; its role is
# *same* if it names a person of the problem, else *other*. ``{n}`` counts things in the plural, so it is at least 2.
# Sentences for the *middle* are sorted by the kind of their number, with ``{unit}`` and ``{things}`` as in the text.
# But for these none shares a word with the problem, so none can say anything about what the problem asks for.

Topic = Literal["near", "far"]
Role = Literal["same", "other"]


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of the bank."""

    text: str  # the sentence, its tokens parted by blanks
    least: int  # the smallest number that sounds right in it
    most: int  # the largest


Middle = dict[str, dict[str, list[Sentence]]]
"""Sentences for the middle by the kind of their number, and by whether they name a person or another thing."""


def _read_bank() -> tuple[dict[str, tuple[frozenset[str], list[Sentence]]], dict[str, list[Sentence]], Middle]:
    """Return the words and sentences of each topic, the sentences for any topic by use, and those for the middle."""
    bank = json.loads(files("draw_dataset.variants").joinpath("traps.json").read_text(encoding="utf-8"))
    topics = {
        name: (frozenset(split_words(one["words"])), [Sentence(*sentence) for sentence in one["sentences"]])
        for name, one in bank.pop("topics").items()
    }
    middle = {
        kind: {about: [Sentence(*one) for one in sentences] for about, sentences in by_role.items()}
        for kind, by_role in bank.pop("middle").items()
    }
    return topics, {use: [Sentence(*sentence) for sentence in sentences] for use, sentences in bank.items()}, middle


_TOPICS, _ANY_TOPIC, MIDDLE = _read_bank()

_NOT_BEFORE = frozenset(split_words("'s the a an of in at from to this that each every his her their"))


def sentences_for(words: Sequence[str], topic: Topic, role: Role, name: str | None) -> list[Sentence]:
    """Return the sentences of the bank that fit a problem; none if a person is asked for and none is known."""
    if role == "same":
        if name is None:
            return []
        return [Sentence(one.text.replace("{name}", name), one.least, one.most) for one in _ANY_TOPIC["person"]]
    if topic == "far":
        return list(_ANY_TOPIC["far"])
    present = set(words)
    best = max(_TOPICS, key=lambda topic_name: len(_TOPICS[topic_name][0] & present))
    known, sentences = _TOPICS[best]
    return list(sentences if known & present else _ANY_TOPIC["near"])


def person_in(words: Sequence[str]) -> str | None:
    """Return the name of somebody in a text, as it is written there: a capital, and a verb of what people do.

    >>> person_in("Last week Mona had 3 coins .".split()), person_in("The Ritz has 3 rooms .".split())
    ('Mona', None)
    """
    for at, (word, following) in enumerate(pairwise(words)):
        if not word.isalpha() or len(word) < 3 or not (word[0].isupper() and word[1:].islower()):
            continue
        before = words[at - 1].lower() if at else "."
        if following.lower() in DOING and word.lower() not in NO_PERSON and before not in _NOT_BEFORE:
            surname = at and words[at - 1][0].isupper() and before not in (".", "?", "!")
            plural = word.lower().endswith("s") and following.lower() in ("have", "are", "were")
            if not surname and not plural:
                return word
    return None


# Kinds of numbers by their units, in the order in which they are tried; the unit is said again as the text has it.
_UNITS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (kind, re.compile(rf" ?({units})(?![\w/-])", re.IGNORECASE))
    for kind, units in (
        ("speed", r"mph|kph|km/hr?|kmph|(?:miles|kilometers|kilometres|km|mi) ?(?:per|an|/) ?(?:hour|hr|h)"),
        ("age", r"years old"),
        ("percent", r"%|percent"),
        ("cents", r"cents"),
        ("distance", r"(?:miles|kilometers|kilometres|km)(?! ?(?:per|an?|/|each|every)\b)"),
        ("length", r"(?:feet|ft|meters|metres|yards)(?! ?(?:per|an?|/|by|square)\b)"),
        ("span", r"(?:inches|centimeters|centimetres|cm)(?! ?(?:per|an?|/|by)\b)"),
        ("hours", r"(?:hours|hrs)(?! ?(?:per|an?|/)\b)"),
        ("minutes", r"(?:minutes|mins)(?! ?(?:per|an?|/)\b)"),
        ("days", r"days(?! ?(?:per|an?|/)\b)"),
        ("volume", r"(?:liters|litres|gallons|quarts)(?! ?(?:per|an?|/)\b)"),
        ("dose", r"(?:ml|milliliters|millilitres|cc|ounces)(?! ?(?:per|an?|/)\b)"),
        ("weight", r"(?:pounds|kilograms|kilos|kg|lbs)(?! ?(?:per|an?|/)\b)"),
        ("points", r"points"),
        ("degrees", r"degrees"),
    )
)
_THINGS_AFTER = re.compile(r" ([a-z]{3,}s)\b")
_ABOUT_NUMBERS = frozenset(split_words("number numbers integer integers digit digits"))
# Words that point back, and would point at the sentence before them.
_BACK = POINTERS | frozenset(
    split_words("return back trip way one ones so there their thier answer result thus now more less fewer longer")
)
_PERSONAL = frozenset(split_words("he she him her his hers"))
_OPEN_END = frozenset(split_words("of from for at by is are was were be been"))
_SMALL = frozenset(
    split_words(
        "a an the of in on at to from for with by as and or than is are was were be been has had have that this it its "
        "if when not no but only all so there last once old another other another 's s day year years who will can "
        "said says some same their they he she his her in up down out off long high wide tall deep away that"
    )
)


COUNTED = frozenset(
    split_words(
        "apples oranges pears bananas peaches lemons grapes cherries mangoes strawberries cookies cupcakes "
        "muffins donuts "
        "brownies pies cakes pizzas burgers sandwiches eggs candies lollipops cats dogs rabbits birds fishes "
        "ducks hens "
        "chickens cows goats pigs horses lions tigers bears monkeys elephants zebras giraffes frogs butterflies bees "
        "ants spiders snakes roses tulips flowers trees plants books magazines pencils pens markers crayons erasers "
        "notebooks stickers stamps postcards marbles balloons kites toys dolls robots balls cars trucks buses bikes "
        "bicycles boats trains planes chairs tables lamps clocks shirts hats jackets sweaters dresses shoes "
        "boots socks "
        "bracelets necklaces rings coins shells seashells rocks stones pebbles boxes baskets bottles plates "
        "bowls spoons forks candles photos pictures paintings letters envelopes cards tickets "
        "animals puppies kittens turtles dolphins sharks whales penguins parrots carrots "
        "tomatoes potatoes onions pumpkins watermelons"
    )
)
"""Things that can be drawn, sung about and dreamt of."""


def _stems(words: Iterable[str]) -> frozenset[str]:
    return frozenset(stem(word) for word in words if word not in _SMALL and word.isalpha())


Range = Literal["in", "out"]

_MOST_SENTENCES = max(len(those) for by_role in MIDDLE.values() for those in by_role.values())
_LEAST, _MOST = 2, 5000
"""The smallest and the largest number that the sharp form uses."""


@dataclass(frozen=True, slots=True)
class Trap:
    """A problem with a trap."""

    problem: Problem
    kind: str  # ``trap``, ``equal``, ``twin`` or ``distractor``
    edit: Edit  # the sentence, in front of the old text or in its middle
    rank: int  # the rank of its number among those of the text, from 0
    value: int
    topic: Topic  # near or far
    role: Role  # whether it speaks of a person of the problem
    range: Range  # whether its number is of the size of the problem's numbers


class TrapMaker:
    """Makes traps for one problem."""

    def __init__(self, problem: Problem, random: Random) -> None:
        self._problem = problem
        self._random = random
        self._rule: Rule = rule_of(problem)
        self._tokens = [token.text for token in tokenize(problem.question, self._rule)]
        self._words = [token.lower() for token in self._tokens]
        self._name = person_in(self._tokens)
        self._values = [n.value for n in problem.numbers if n.value is not None]
        # An irrelevant number that is the answer would not show who takes it.
        self._taken = {*self._values, *problem.derivation.solve().values.values(), *asked_values(problem)}
        self._used: set[str] = set()

    def traps(self) -> Iterator[Trap]:
        """Yield traps: near and far, of a person and not, in range and out of range, in an order that is drawn."""
        styles: list[tuple[Range, Topic, Role]] = list(product(("in", "out"), ("near", "far"), ("other", "same")))
        self._random.shuffle(styles)
        for _ in range(4):
            for range_, topic, role in styles:
                for sentence in self._shuffle_sentences(topic, role):
                    value = self._draw_number(sentence, range_)
                    made = None if value is None else self._make("trap", sentence, value, topic, role, range_)
                    if made is not None:
                        self._used.add(sentence.text)
                        yield made
                        break

    def twins(self) -> Iterator[tuple[Trap, Trap]]:
        """Yield pairs: a trap whose number equals an aligned one, and its twin."""
        numbers = {(n.sentence, n.token): n for n in self._problem.numbers}
        aligned = [numbers[a.sentence, a.token].value for a in self._problem.alignment]
        wanted = [
            int(v) for v in dict.fromkeys(aligned) if v is not None and v.denominator == 1 and _LEAST <= v <= _MOST
        ]
        self._random.shuffle(wanted)
        for turn in range(4):
            for value in wanted:
                topic: Topic = "near" if turn % 2 == 0 else "far"
                role: Role = "same" if turn == 2 and self._name else "other"
                for sentence in self._shuffle_sentences(topic, role):
                    if not sentence.least <= value <= sentence.most:
                        continue
                    other = self._draw_number(sentence, "in", near=value)
                    if other is None:
                        continue
                    equal = self._make("equal", sentence, value, topic, role, "in")
                    twin = self._make("twin", sentence, other, topic, role, "in")
                    if equal is not None and twin is not None:
                        self._used.add(sentence.text)
                        yield equal, twin
                        break

    def distractors(self) -> Iterator[Trap]:
        """Yield traps in the middle of the text, about a person of the problem first; none uses a sentence twice."""
        places, kinds = self._places(), self._kinds()
        roles: tuple[tuple[Role, str, list[tuple[str, int]]], ...] = (
            ("same", "person", self._subjects()),
            ("other", "other", [("", 0)]),
        )
        for role, about, subjects in roles:
            found = list(product(kinds if places else (), subjects, range(_MOST_SENTENCES)))
            self._random.shuffle(found)
            for (kind, unit, near), (subject, known), rank in found:
                if rank < len(MIDDLE[kind][about]):
                    bare = MIDDLE[kind][about][rank]
                    made = self._distract(role, bare, subject, unit, near, [one for one in places if one[0] > known])
                    if made is not None:
                        self._used.add(bare.text)
                        yield made

    def _distract(
        self, role: Role, bare: Sentence, subject: str, unit: str, near: Fraction, places: Sequence[tuple[int, bool]]
    ) -> Trap | None:
        """Return a trap with a sentence at one of some places; None if it says what the problem speaks of."""
        own = frozenset(split_words(f"{unit} {subject} owner manager director".lower()))
        text = bare.text.replace("{name}", subject).replace("{unit}", unit).replace("{things}", unit)
        text = text[0].upper() + text[1:]
        said = _stems(word for word in split_words(text.lower()) if word not in own)
        if bare.text in self._used or said & (_stems(self._words) | _stems(own)):
            return None
        others = role == "other" or not _OTHERS.isdisjoint(text.lower().split())
        places = [(at, personal) for at, personal in places if not (personal and others)]
        value = self._draw_number(Sentence(text, bare.least, bare.most), "in", near=int(near) or None)
        if not places or value is None:
            return None
        at, _ = places[self._random.randrange(len(places))]
        return self._make("distractor", Sentence(text, bare.least, bare.most), value, "near", role, "in", at)

    def _subjects(self) -> list[tuple[str, int]]:
        """Return the people of a text, by their names, else by what they do, and where they are first mentioned."""
        text = self._problem.question
        if "named" in self._words or "called" in self._words:
            return []  # perhaps an animal
        found = []
        for one in Cast(text).people:
            match = re.search(rf"(?:(?:Mrs?|Ms|Miss|Dr)\b\.? )?\b{one.name}\b", text, re.IGNORECASE)
            if match and (one.gender != "surname" or " " in match[0]):
                found.append((match[0], match.start()))
        if found or not _TELLING_APART.isdisjoint(self._words):
            return found
        for word, subject in _SUBJECT_OF.items():
            if (
                word in self._words
                and f"{word}s" not in self._words
                and (word == subject or subject not in self._words)
            ):
                at = self._words.index(word)
                match = re.search(rf"\b{word}\b", text, re.IGNORECASE)
                if match and not {"a", "an", "the"}.isdisjoint(self._words[max(at - 2, 0) : at]):
                    found.append((f"the {subject}", match.start()))
        return found

    def _places(self) -> list[tuple[int, bool]]:
        """Return the offsets between sentences after which nothing points back; and whether a pronoun follows."""
        text = self._problem.question
        spans = sentence_spans(text, self._rule)
        asking = questions_of(text)
        if any(not _ALL_OF.isdisjoint(one.text.lower().split()) for one in asking):
            return []
        alone = self._is_alone()
        found = []
        for (_, end), (start, after) in pairwise(spans):
            if not asking or asking[0].start < start - 1 or text[end - 1] != "." or not text[end:start].isspace():
                continue  # something was asked before, or nothing is
            following = text[start:after]
            if following[0].islower() and not text.lstrip()[0].islower():
                continue  # the dot of an abbreviation
            low = [token.text.lower() for token in tokenize(following, self._rule)]
            before = {singular(word.text.lower()) for word in tokenize(text[:end], self._rule)}
            if not _points_back(low, before, _PERSONAL if alone else frozenset()):
                found.append((start, not _PERSONAL.isdisjoint(low)))
        return found

    def _is_alone(self) -> bool:
        """Decide whether the text speaks of one person only, so that a pronoun means that one."""
        capitals = {
            token
            for before, token in pairwise(self._tokens)
            if token[0].isupper() and token[1:].islower() and before not in ".?!" and token.lower() not in TIMES
        }
        subjects = self._subjects()
        return len(subjects) == 1 and not capitals - {*split_words(subjects[0][0])} and _OTHERS.isdisjoint(self._words)

    def _kinds(self) -> list[tuple[str, str, Fraction]]:
        """Return the kinds of the text's numbers with their units as written, and a number of each kind."""
        text = self._problem.question
        found: dict[str, tuple[str, Fraction]] = {}
        for number in self._problem.numbers:
            if number.value is None or number.end is None or number.start is None or not number.text[:1].isdigit():
                continue
            if text[: number.start].rstrip()[-1:] == "$":
                found.setdefault("money", ("$", number.value))
                continue
            for kind, units in _UNITS:
                match = units.match(text, number.end)
                if match:
                    found.setdefault(kind, (match[1], number.value))
                    break
            else:
                thing = _THINGS_AFTER.match(text, number.end)
                if thing and thing[1] in COUNTED:
                    found.setdefault("count", (thing[1], number.value))
        numbered = not _ABOUT_NUMBERS.isdisjoint(self._words) and "number of" not in text.lower()
        if not found and numbered and self._name is None:
            found["number"] = ("", next((value for value in self._values if value > 1), Fraction(20)))
        return [(kind, unit, value) for kind, (unit, value) in found.items()]

    def _shuffle_sentences(self, topic: Topic, role: Role) -> list[Sentence]:
        found = [s for s in sentences_for(self._words, topic, role, self._name) if s.text not in self._used]
        self._random.shuffle(found)
        return found

    def _draw_number(self, sentence: Sentence, range_: Range, near: int | None = None) -> int | None:
        """Return a number that is none of the problem's, of their size or much larger."""
        sizes = [abs(value) for value in self._values if value] or [Fraction(10)]
        low, high = (
            (max(2, int(min(sizes))), max(6, int(max(sizes)))) if near is None else (near // 2 + 1, 2 * near + 6)
        )
        if range_ == "out":
            low, high = 5 * high, 50 * high
        low, high = max(low, sentence.least), min(high, sentence.most)
        if low > high:
            return None
        for _ in range(20):
            value = self._random.randint(low, high)
            if value not in self._taken:
                return value
        return None

    def _make(
        self,
        kind: str,
        sentence: Sentence,
        value: int,
        topic: Topic,
        role: Role,
        range_: Range,
        place: int | None = None,
    ) -> Trap | None:
        """Return the problem with a sentence at a place, by default in front; None if it cannot be proved right."""
        question = self._problem.question
        lead = len(question) - len(question.lstrip()) if place is None else place
        has_commas = any("," in number.text for number in self._problem.numbers)
        digits = f"{value:,}" if has_commas and value >= 1000 else str(value)
        text = sentence.text
        if self._rule != "release":
            for spaced, written in ((" .", "."), (" ,", ","), (" 's", "'s"), ("$ {n}", "${n}"), ("{n} %", "{n}%")):
                text = text.replace(spaced, written)
        text = text.replace(" a {n}", f" {article_before(digits)} {{n}}")
        at = text.index("{n}")
        edit = Edit(lead, "", text.replace("{n}", digits) + " ")
        values = [number.value or Fraction(0) for number in self._problem.numbers]
        extra = lead + at, Fraction(value)
        made = rebuild(self._problem, self._rule, [edit], values, self._problem.id, extra)
        if made is None:
            return None
        rank = next(rank for rank, number in enumerate(made.numbers) if (number.end or 0) > lead + at)
        return Trap(made, kind, edit, rank, value, topic, role, range_)


# Who is meant by a sentence about a person if nobody has a name: somebody of the text, or whoever belongs to a place.
_SUBJECT_OF = {
    word: subject or word
    for subject, words in (
        (
            "",
            "chemist farmer grocer merchant pharmacist pilot teacher boy girl man woman painter carpenter "
            "plumber cyclist "
            "jogger salesman investor butcher baker scientist jeweler runner student worker carpenter gardener hiker "
            "motorist swimmer researcher technician electrician bricklayer waitress waiter nurse tailor",
        ),
        ("owner", "store shop bakery restaurant hotel cafe bookstore supermarket"),
        ("manager", "theater theatre cinema bank company factory stadium"),
        ("principal", "school"),
        ("director", "museum zoo library university college concert play"),
    )
    for word in split_words(words)
}
_TELLING_APART = frozenset(split_words("another other second two both each three others"))

# Words for people besides the one who is named.
_OTHERS = frozenset(
    split_words(
        "uncle aunt cousin neighbour neighbor nephew niece grandmother grandfather grandparents brother sister mother "
        "father mom dad wife husband son daughter friend friends boy girl man woman teacher brothers sisters parents "
        "singer driver landlord mayor dentist pal toddler boss clerk farmer kids children child friend's baby people "
        "neighbours boyfriend girlfriend roommate owner customer coach doctor him her giant knight sailor dog cat"
    )
)


def _points_back(words: Sequence[str], before: Container[str], personal: frozenset[str]) -> bool:
    """Decide whether a sentence points at the one before it; `personal` are pronouns that are clear anyway."""
    present = frozenset(without_dummies(words))
    if present & (_BACK - personal) - {"each", "both", "total", "than", "together", "combined", "sum", "difference"}:
        return True
    if words[0] in ("and", "but", "or", "also", "because", "of", "in", "for", "to", "on", "what"):
        what = words[0] == "what" and len(words) > 2
        if not what and words[0] not in ("in", "for", "on"):
            return True
    asks = words[-1] == "?"
    if not asks and present & _DOES:
        return True  # as Mona did
    if any(one == "many" and other in _DOES | _ENDING for one, other in pairwise(words)):
        return True  # how many of what was named last
    if words[0] in _SOME | BELOW_HUNDRED.keys() and words[1:2] and words[1] in _ENDING | _DOES | {"of"}:
        return True  # some were red
    if words[1:2] in (["%"], ["percent"]):
        return True  # 8 % of what was named last
    for at, word in enumerate(words[:-1]):
        if word == "each" and words[at + 1] in _ENDING:
            return True
        if word == "both" and words[at + 1] in _ENDING:
            return True
        if word == "the" and at + 1 < len(words):
            phrase = [singular(other) for other in words[at + 1 : at + 4] if other.isalpha()]
            if phrase and not any(other in before or other in _KNOWN for other in phrase):
                return True  # known only from what stands before
    return words[-1] not in SENTENCE_ENDS and words[-1] in _OPEN_END


_ALL_OF = frozenset(split_words("this these everything those"))  # a question may mean the added sentence, too
_SOME = frozenset(split_words("some most several all none half many few part any plenty each both neither others"))
_DOES = frozenset(split_words("do does did"))
_ENDING = frozenset(split_words("? . , is are was were did does do have has had will can"))
_KNOWN = frozenset(
    split_words(
        "total sum number numbers cost price amount distance speed rate value time average difference probability "
        "end ratio percentage percent smaller larger smallest largest age area perimeter length width"
    )
)
