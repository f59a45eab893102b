"""People of a text: their first names and surnames, and other names of the same gender that can stand for them.

A name is left as it is if it may be something else: a word, a place, a part of a longer name, a misspelt or short form
of another one. All mentions of a person move together, so no mention may be overlooked.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from random import Random
from typing import Literal

from draw_dataset.text.lexicon import split_words
from draw_dataset.variants.fields import CannotVary
from draw_dataset.variants.rebuilding import Edit

Gender = Literal["female", "male", "either", "surname"]


def _read_names() -> dict[str, list[str]]:
    given = json.loads(files("draw_dataset.variants").joinpath("names.json").read_text(encoding="utf-8"))
    return {name: [word for line in lines for word in split_words(line)] for name, lines in given.items()} | {
        "nicknames": given["nicknames"]
    }


_NAMES = _read_names()
_GENDER_OF: dict[str, Gender] = {
    **dict.fromkeys(_NAMES["female"], "female"),
    **dict.fromkeys(_NAMES["male"], "male"),
    **dict.fromkeys(_NAMES["either"], "either"),
}
_ALSO_WORDS = frozenset(_NAMES["words"])
_ALIKE = [frozenset(split_words(line)) for line in _NAMES["nicknames"]]
_NEW: dict[Gender, list[str]] = {
    "female": _NAMES["new_female"],
    "male": _NAMES["new_male"],
    "either": _NAMES["new_either"],
    "surname": _NAMES["surnames"],
}

DOING = frozenset(
    split_words(
        "has had have is was bought buys sold sells invested invests drove drives rode rides walked walks runs ran "
        "earned earns spent spends saved made makes paid wants needs works worked mixed collected received borrowed "
        "deposited gave got leaves left paddled rowed jogs jogged decides went took picked planted"
    )
)
NO_PERSON = frozenset(
    split_words(
        "the he she it they we i you a an one two there this that each who what which everyone someone somebody nobody "
        "sum number angle store shop school theater theatre car train bus boat plane bank class club company admission "
        "tickets ticket and if when how find his her their its then while but or since after before both all company "
        "solution mixture money water dad mom father mother grandfather grandmother sister brother"
    )
)
"""Verbs of what people do, and words that are no person even with a capital before such a verb."""

_TITLES = frozenset(split_words("mr mrs ms miss dr mister"))
_BEFORE_NAME = frozenset(
    split_words(
        "aunt uncle grandma grandpa grandmother grandfather coach farmer chef captain cousin sister brother farmers "
        "princess prince king queen friend sir officer nurse baker"
    )
)
_PLACED = frozenset(split_words("in at near a an the"))
_NO_NAME_AFTER = frozenset(split_words("a an the st each every some many several few more most less fewer another"))
_GONE_TO = frozenset(split_words("leaves leave departs depart toward towards reaches visits visit via town city"))
_AFTER_NAME_ONLY = frozenset(split_words("day street st avenue park county city university college school lake river"))
_SHE = frozenset(split_words("she her hers herself"))
_HE = frozenset(split_words("he him his himself"))
_WOMEN = frozenset(
    split_words(
        "mother mom mum wife girl girls woman lady sister sisters daughter daughters aunt grandmother grandma niece "
        "girlfriend queen princess waitress actress bride granddaughter mommy hen cow widow women hostess"
    )
)
_MEN = frozenset(
    split_words(
        "father dad husband boy boys man men brother brothers son sons uncle grandfather grandpa nephew boyfriend king "
        "prince waiter actor groom grandson daddy sportsman businessman salesman fisherman policeman mailman postman "
        "gentleman cowboy grandad granddad fireman milkman"
    )
)
_SOMEBODY = frozenset(
    split_words(
        "teacher friend friends farmer worker student students clerk owner person child kid baby dog cat boss driver "
        "someone somebody everyone everybody customer cousin manager neighbor neighbour doctor chef cook baker "
        "parent runner cyclist player chemist carpenter painter plumber seller tailor employee patient pilot hiker "
        "swimmer racer coach horse puppy kitten bear lion sibling siblings classmate twin partner traveler tourist "
        "shopkeeper merchant investor landlord author artist professor jogger biker grocer builder gardener buyer "
        "trainer engineer scientist mechanic captain motorist"
    )
)
_FUNCTION = frozenset(
    split_words(
        "if when how what who which the a an and or but so then that this these those he she it they we you i his her "
        "their its my our your in on at of to from for with by as after before while since because each every both "
        "all one two three four five six seven eight nine ten now find suppose let assume yesterday today tomorrow "
        "monday tuesday wednesday thursday friday saturday sunday january february march april may june july august "
        "september october november december last next later also however together once although though there here "
        "does did do is are was were has have had will can could should would where why whose than not no yes please "
        "during until unless given determine calculate"
    )
)
_NO_ENDING = frozenset(split_words("age ages speed rate father mother brother sister son daughter money income score"))
_WORD = re.compile(r"[^\W\d_]+")
_NEAR = 2  # letters that two spellings of a name may differ in


@dataclass(frozen=True, slots=True)
class Word:
    """A run of letters in a text."""

    start: int
    end: int
    text: str
    low: str


def words_of(text: str) -> list[Word]:
    """Return the runs of letters of a text."""
    return [Word(m.start(), m.end(), m[0], m[0].lower()) for m in _WORD.finditer(text)]


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody in a text."""

    name: str  # in lower case
    gender: Gender


class Cast:
    """The people of a text whose names can be changed.

    >>> [(one.name, one.gender) for one in Cast("Mona gave Mr. Hall 3 pens in Paris . How many did Mona keep ?").people]
    [('mona', 'female'), ('hall', 'surname')]
    """

    def __init__(self, text: str, roles: Sequence[str] = ()) -> None:
        self._text = text
        self._words = words_of(text)
        self._roles = [word for role in roles for word in words_of(role)]
        self._low = {word.low for word in self._words}
        found = [*self._listed(), *self._titled()] or list(self._unlisted())
        self.people = tuple([one for one in dict.fromkeys(found) if self._is_safe(one.name)])

    def _mentions(self, name: str) -> list[int]:
        return [at for at, word in enumerate(self._words) if word.low == name]

    def _beside(self, at: int, step: int) -> Word | None:
        """Return the next word to the left or right if only blanks are between."""
        other = at + step
        if not 0 <= other < len(self._words):
            return None
        left, right = sorted((self._words[at], self._words[other]), key=lambda word: word.start)
        between = self._text[left.end : right.start]
        return self._words[other] if between.isspace() or (step < 0 and between.strip() == ".") else None

    def _is_after_title(self, at: int) -> bool:
        before = self._beside(at, -1)
        return before is not None and before.low in _TITLES

    def _starts_sentence(self, at: int) -> bool:
        return not at or self._text[: self._words[at].start].rstrip()[-1:] in (".", "?", "!", '"', "”", "")

    def _listed(self) -> Iterator[Person]:
        for name in dict.fromkeys(word.low for word in self._words):
            gender = _GENDER_OF.get(name)
            if gender is None or any(self._is_after_title(at) for at in self._mentions(name)):
                continue
            if name not in _ALSO_WORDS or self._acts(name):
                yield Person(name, self._gender(gender))

    def _gender(self, gender: Gender) -> Gender:
        """Return the gender of somebody whose name may have either: that of the only pronouns of a text."""
        if gender != "either":
            return gender
        she, he = bool(self._low & _SHE), bool(self._low & _HE)
        alone = sum(word in _GENDER_OF for word in self._low) == 1
        return gender if she == he or not alone else "female" if she else "male"

    def _acts(self, name: str) -> bool:
        """Decide whether a name that is also a word is a name here: always with a capital, and somebody does things."""
        ats = self._mentions(name)
        if not all(self._words[at].text[0].isupper() for at in ats):
            return False
        for at in ats:
            before, after = self._beside(at, -1), self._beside(at, 1)
            if before is not None and before.low in _PLACED and not self._is_after_title(at):
                return False
            partner = after is not None and after.low == "and" and self._is_name(at + 2)
            partnered = before is not None and before.low == "and" and self._is_name(at - 2)
            if (after is not None and after.low in DOING) or partner or partnered or self._owns(at):
                return True
        return False

    def _is_name(self, at: int) -> bool:
        if not 0 <= at < len(self._words):
            return False
        word = self._words[at]
        return word.text[0].isupper() and word.low in _GENDER_OF

    def _owns(self, at: int) -> bool:
        return re.match(r" ?['’]s\b", self._text[self._words[at].end :]) is not None

    def _titled(self) -> Iterator[Person]:
        for name in dict.fromkeys(word.low for word in self._words):
            ats = self._mentions(name)
            if len(name) > 2 and name not in _TITLES and name not in _FUNCTION and all(map(self._is_after_title, ats)):
                yield Person(name, "surname")

    def _unlisted(self) -> Iterator[Person]:
        """Yield the only person of a text with an unknown name; the pronouns say the gender."""
        she, he = bool(self._low & _SHE), bool(self._low & _HE)
        capital = {
            word.low
            for at, word in enumerate(self._words)
            if word.text[0].isupper() and len(word.low) > 2 and word.low not in _FUNCTION | NO_PERSON
            if not self._starts_sentence(at) or ((after := self._beside(at, 1)) is not None and after.low in DOING)
        }
        if len(capital) == 1 and she != he and not self._low & (_WOMEN | _MEN | _SOMEBODY):
            name = capital.pop()
            if self._acts(name):
                yield Person(name, "female" if she else "male")

    def _is_safe(self, name: str) -> bool:
        """Decide whether every mention of a name is found, and is nothing else."""
        for at in self._mentions(name):
            before, after = self._beside(at, -1), self._beside(at, 1)
            word = self._words[at]
            if (
                after is not None
                and after.text[0].isupper()
                and after.low not in _FUNCTION
                and not after.text.isupper()
            ):
                return False  # a full name, a street
            if before is not None:
                named = before.text[0].isupper() and before.low not in _FUNCTION | _TITLES | _BEFORE_NAME
                ends = "." in self._text[before.end : word.start]
                place = before.low in _GONE_TO or (before.low in ("in", "at", "near") and not self._owns(at))
                if (named and not ends) or before.low in _NO_NAME_AFTER or place:
                    return False
            if self._text[: word.start].rstrip()[-1:].isdigit():
                return False  # 5 Douglas firs
            following = self._text[word.end : word.end + 2]
            if following[:1] in ("-", "&", "@", "_") or self._text[word.start - 1 : word.start] in ("-", "&", "@", "_"):
                return False
            last = word.low[-1] == "s" and after is not None and after.low in _NO_ENDING
            if last or (self._owns(at) and self._names_place(at)):
                return False
        others = {word.low for word in (*self._words, *self._roles)} - {name}
        if any(other in alike for alike in _ALIKE if name in alike for other in others):
            return False
        capital = {word.low for word in (*self._words, *self._roles) if word.text[0].isupper()} - {name} - _FUNCTION
        if any(other.startswith(name) and len(other) <= len(name) + (3 if len(name) > 3 else 1) for other in others):
            return False
        if any(_are_alike(name, other) for other in capital - _GENDER_OF.keys()) or any(
            (len(name) > 4 and other not in _GENDER_OF and other[0] == name[0] and _distance(name, other) <= 1)
            or (len(other) > 2 and other in _GENDER_OF and name.startswith(other))
            for other in others
        ):
            return False
        # A letter that stands for somebody: let M be the age of Mona.
        letters = {word.text for word in self._words if len(word.text) == 1 and word.text.isupper()} - {"I"}
        starts = {self._words[at].text for at in range(len(self._words)) if self._starts_sentence(at)}
        return name[0].upper() not in letters - (starts & {"A"})

    def _names_place(self, at: int) -> bool:
        """Decide whether something with a capital belongs to a name: a shop, a holiday."""
        after = self._words[at + 2] if at + 2 < len(self._words) else None
        return after is not None and (after.low in _AFTER_NAME_ONLY or after.text[0].isupper())

    def check(self) -> None:
        """Refuse a text whose pronouns fit nobody in it."""
        if not self.people:
            raise CannotVary("no name of a person could be changed safely")
        genders = {_GENDER_OF[low] for low in self._low if low in _GENDER_OF}
        known = self._low & frozenset(_GENDER_OF)
        strange = any(
            word.text[0].isupper() and word.low not in known | _FUNCTION and not self._starts_sentence(at)
            for at, word in enumerate(self._words)
        )
        unsure = strange or "either" in genders or bool(self._low & _SOMEBODY) or not genders
        for pronouns, gender, nouns in ((_SHE, "female", _WOMEN), (_HE, "male", _MEN)):
            if self._low & pronouns and gender not in genders and not self._low & nouns and not unsure:
                raise CannotVary("its pronouns do not fit its names")

    def draw(self, random: Random) -> dict[str, str]:
        """Return a new name for each person, no two with one initial; nothing if the names do not suffice."""
        renamed = {one.name for one in self.people}
        taken = {
            word.low[0]
            for at, word in enumerate(self._words)
            if word.text[0].isupper() and word.low not in renamed | _FUNCTION and not self._starts_sentence(at)
        }
        taken |= {low[0] for low in self._low & frozenset(_GENDER_OF) - renamed}
        chosen: dict[str, str] = {}
        for one in self.people:
            free = [
                new
                for new in _NEW[one.gender]
                if new[0].lower() not in taken and not any(_are_alike(new.lower(), low) for low in self._low)
            ]
            if not free:
                return {}
            new = free[random.randrange(len(free))]
            taken.add(new[0].lower())
            chosen[one.name] = new
        return chosen


def is_first_name(word: str) -> bool:
    """Decide whether a word in lower case is a first name, whatever else it is."""
    return word in _GENDER_OF


def _are_alike(one: str, other: str) -> bool:
    """Decide whether two words may be forms of one name."""
    if one == other:
        return True
    short, long = sorted((one, other), key=len)
    if len(short) >= 3 and long.startswith(short):
        return True
    return short[0] == long[0] and len(short) >= 4 and _distance(one, other) <= (_NEAR if len(short) > 4 else 1)


def _distance(one: str, other: str) -> int:
    """Return how many letters must be changed, added or left out."""
    if abs(len(one) - len(other)) > _NEAR:
        return _NEAR + 1
    row = list(range(len(other) + 1))
    for i, letter in enumerate(one, 1):
        last, row[0] = row[0], i
        for j, (other_letter, above) in enumerate(zip(other, row[1:], strict=True), 1):
            last, row[j] = above, min(above + 1, row[j - 1] + 1, last + (letter != other_letter))
    return row[-1]


def rename_people(text: str, names: Mapping[str, str]) -> list[Edit]:
    """Return the edits that give people other names, with the case and the possessive of the old ones.

    >>> [(edit.before, edit.after) for edit in rename_people("James' son and JAMES", {"james": "Peter"})]
    [("James'", "Peter's"), ('JAMES', 'PETER')]
    """
    edits = []
    for word in words_of(text):
        new = names.get(word.low)
        if new is None:
            continue
        cased = new.upper() if word.text.isupper() and len(word.text) > 1 else new
        cased = new.lower() if word.text.islower() else cased
        end = word.end
        bare = re.match(r"( ?)(['’])(?=\s|$)", text[end:]) if word.low[-1] == "s" else None
        if bare:
            cased, end = f"{cased}{bare[0]}s", end + len(bare[0])
        edits.append(Edit(word.start, text[word.start : end], cased))
    return edits


def apply_edits(text: str, edits: Iterable[Edit]) -> str:
    """Return an edited text."""
    for edit in sorted(edits, reverse=True):
        text = text[: edit.start] + edit.after + text[edit.start + len(edit.before) :]
    return text
