"""Things of a text, and other things of the same kind that can stand for them in any sentence.

`objects.json` has sets of things, each with words that speak of only some of them (a text with one of these is left as
it is), words of which a text must have one, and further words that may stand beside a thing. A thing is only exchanged
if each of its mentions stands between words that say nothing about its kind: compounds and derived words are refused.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from random import Random

from draw_dataset.text.lexicon import BELOW_HUNDRED, split_words
from draw_dataset.text.tokens import fold
from draw_dataset.text.units import spellings
from draw_dataset.variants.fields import CannotVary
from draw_dataset.variants.people import DOING, Word, words_of
from draw_dataset.variants.rebuilding import Edit


@dataclass(frozen=True, slots=True)
class Thing:
    """A thing, in lower case."""

    singular: str
    plural: str  # the same for what is not counted


@dataclass(frozen=True, slots=True)
class ThingSet:
    """Things that can stand for each other."""

    name: str
    things: tuple[Thing, ...]
    excluded: frozenset[str]  # words that speak of only some of them
    needed: frozenset[str]  # words of which a text must have one; none if it is empty
    before: frozenset[str]  # further words that may stand before one of them
    after: frozenset[str]  # further words that may stand behind one of them
    has_colours: bool  # whether each of them may have any colour
    is_fast: bool  # whether only some of them are fast
    is_single: bool  # whether a thing that is never counted may be exchanged


def plural_of(word: str) -> str:
    """Return a regular plural.

    >>> plural_of("pear"), plural_of("bus"), plural_of("cherry"), plural_of("donkey")
    ('pears', 'buses', 'cherries', 'donkeys')
    """
    if word.endswith("y") and word[-2:-1] not in "aeiou":
        return f"{word[:-1]}ies"
    return f"{word}es" if word.endswith(("s", "x", "ch", "sh")) else f"{word}s"


def _read_sets() -> tuple[ThingSet, ...]:
    given = json.loads(files("draw_dataset.variants").joinpath("objects.json").read_text(encoding="utf-8"))
    found = []
    for one in given:
        kinds = one.get("kind", "natural").split()
        things = []
        for written in one["things"]:
            singular, _, plural = written.partition("/")
            things.append(Thing(singular, singular if "mass" in kinds else plural or plural_of(singular)))
        words = {name: frozenset(split_words(one.get(name, ""))) for name in ("not", "needs", "before", "after")}
        found.append(
            ThingSet(
                one["set"],
                tuple(things),
                words["not"],
                words["needs"],
                words["before"],
                words["after"],
                "made" in kinds,
                "fast" in kinds,
                "single" in kinds,
            )
        )
    return tuple(found)


SETS = _read_sets()
"""The sets of the lexicon."""

_SET_OF = {form: one for one in SETS for thing in one.things for form in (thing.singular, thing.plural)}
_THING_OF = {form: thing for one in SETS for thing in one.things for form in (thing.singular, thing.plural)}

_COLOURS = frozenset(
    split_words(
        "red green blue yellow purple pink brown black white gray grey golden silver striped color colored "
        "colour coloured colors colours ripe rotten sour sweet"
    )
)
_NUMBERS = frozenset(BELOW_HUNDRED) | frozenset(split_words("hundred thousand dozen dozens million twice couple"))
_FUNCTION = frozenset(
    split_words(
        "a an the some any no many much more fewer less most several few all both each every either neither another "
        "other his her their its my our your these those this that of for with in on at from to into by per and or "
        "but than as if when while because so since until before after is are was were be been being has have had do "
        "does did can could will would should must may might how what which who where why not only also just then "
        "there it they he she we you i them him us themselves himself herself itself total half first last next "
        "again too instead now later today yesterday tomorrow left over altogether together away back out off up "
        "down respectively remaining between among without about through during around under inside "
        "s t nor though although except plus minus times within against toward towards upon every except like"
    )
)
_ADJECTIVES = frozenset(
    split_words(
        "new old small large big extra additional same different identical fresh cheap cheaper expensive certain "
        "single first second third last next total remaining whole bigger smaller larger favorite favourite fewer "
        "broken own various entire medium little tiny huge nice beautiful leftover unsold sold of"
    )
)
_VERBS = DOING | frozenset(
    split_words(
        "buys buy bought sell sells sold eat eats ate eating eaten give gives gave given giving get gets got need "
        "needs needed want wants wanted use uses used make makes made making find finds found keep keeps kept lose "
        "loses lost put puts bring brings brought carry pick picks picked picking pack packs packed packing collect "
        "collects collected count counts counted share shares shared divide divides divided cost costs costing weigh "
        "weighs weighed contain contains contained hold holds fit fits order orders ordered bake bakes baked baking "
        "receive receives received donate donates donated buying selling take takes took taking purchase purchases "
        "purchased see sees saw own owns owned raise raises raised travel travels traveled traveling travelled "
        "travelling drive drives drove leave leaves left leaving start starts started arrive arrives meet go goes went "
        "going come comes came move moves moved moving pass passes passed charge charges charged mix mixes mixed "
        "mixing added add adds adding contain contains containing produce produces produced grow grows grew plant "
        "plants planted hatch read reads type types typed deliver delivers delivered paint paints painted painting "
        "build builds built wear wears wore spend spends spent pay pays paid save saves saved win wins won "
        "throw throws "
        "threw open opens opened wash washes washed distribute distributes distributed remain remained "
        "remains die died "
        "dies run runs ran works worked work wishes wish must averages averaged average goes heads headed began begins "
        "left were play plays played broke break breaks broken store stores stored placed place places arranged "
        "arrange arranges was called named counts sew sews knit knits knitted"
    )
)
_DETERMINERS = frozenset(
    split_words(
        "a an the one each every per another other his her their its my your our this that same either which no"
    )
)
_ALSO_VERBS = frozenset(
    split_words("stores shops boxes bags benches paints ducks crows boards planks ropes wires pipes")
)
_BEFORE_NOUN = frozenset(
    split_words("in at from of to by all both between for with on into these those some few and or")
)
_COUNTING = frozenset(split_words("many more fewer each every per several"))
_ANY_BEFORE = _FUNCTION | _ADJECTIVES | _VERBS | _NUMBERS
_MEASURED_AFTER = spellings()
_ANY_AFTER = (_FUNCTION | _VERBS) - _MEASURED_AFTER | _NUMBERS
_FASTEST = 70  # what a bus can drive, in any unit of speed
_VOWELS = frozenset("aeiou")
_SPEED = re.compile(r"(\d+(?:\.\d+)?) ?-?(?:miles|mi|km|kilometers|kilometres|mph|kph|kmph|m)\b", re.IGNORECASE)


class Inventory:
    """The things of a text that can be exchanged.

    >>> sorted(thing.singular for _, thing in Inventory("Mona has 3 pears and 2 plums .").things)
    ['pear', 'plum']
    """

    def __init__(self, text: str, roles: Sequence[str] = ()) -> None:
        self._text = fold(text)
        self._words = words_of(self._text)
        self._low = {word.low for word in self._words}
        self._all = self._low | {word.low for role in roles for word in words_of(role)}
        self._is_upper = text.isupper()
        found: dict[Thing, ThingSet] = {}
        for at, word in enumerate(self._words):
            of = _SET_OF.get(word.low)
            if of is not None and self._fits(of) and self._is_thing(at, of):
                found[_THING_OF[word.low]] = of
        self.things = [(of, thing) for thing, of in found.items() if self._is_safe(thing, of)]

    def _fits(self, of: ThingSet) -> bool:
        if of.excluded & self._all or (of.needed and not of.needed & self._low):
            return False
        if of.is_fast and any(float(speed) > _FASTEST for speed in _SPEED.findall(self._text)):
            return False
        forms = {form for thing in of.things for form in (thing.singular, thing.plural)}
        return of.has_colours or not (self._low - forms) & _COLOURS

    def _gap(self, left: int) -> str:
        return self._text[self._words[left].end : self._words[left + 1].start]

    def _is_thing(self, at: int, of: ThingSet) -> bool:
        """Decide whether a mention stands between words that say nothing about its kind."""
        word = self._words[at]
        thing = _THING_OF[word.low]
        if word.text[0].isupper() and not self._is_upper and not self._starts_sentence(at):
            return False
        if (word.low == thing.singular != thing.plural and not self._is_one(at)) or self._is_verb(at):
            return False
        beside = self._text[word.start - 1 : word.start] + self._text[word.end : word.end + 1]
        if any(mark in "-/'&_" for mark in beside) or re.match(r" ?'", self._text[word.end :]):
            return False
        if at and self._gap(at - 1).isspace():
            before = self._words[at - 1]
            known = before.low in _ANY_BEFORE | of.before or (of.has_colours and before.low in _COLOURS | {"orange"})
            if not known or (word.low == thing.singular != thing.plural and before.low in _VERBS - _ADJECTIVES):
                return False
        elif at and not self._gap(at - 1).strip(" ") and not self._starts_sentence(at):
            return False
        if at + 1 < len(self._words) and self._gap(at).isspace():
            after = self._words[at + 1].low
            if after not in _ANY_AFTER | of.after and not after.endswith("ly"):
                return False
        return True

    def _is_one(self, at: int) -> bool:
        """Decide whether a singular has a determiner, or a number or letter that tells it apart (car 2)."""
        before = [word.low for word in self._words[max(at - 3, 0) : at]]
        named = re.match(r" (?:\d+|[A-Z])\b", self._text[self._words[at].end :])
        return named is not None or not _DETERMINERS.isdisjoint(before)

    def _is_verb(self, at: int) -> bool:
        """Decide whether a word that is also a verb may be one: she stores them."""
        before = self._words[at - 1].low if at else ""
        return self._words[at].low in _ALSO_VERBS and not (
            self._is_counted(at) or before in _DETERMINERS | _BEFORE_NOUN
        )

    def _is_counted(self, at: int) -> bool:
        """Decide whether a mention is counted or priced."""
        gap = self._gap(at - 1) if at else ""
        before = self._words[at - 1].low if at else ""
        if gap.isspace() and before in _COLOURS | _ADJECTIVES - _NUMBERS:
            return self._is_counted(at - 1)  # 3 red pencils
        return any(letter.isdigit() for letter in gap) or before in _NUMBERS or before in _COUNTING

    def _starts_sentence(self, at: int) -> bool:
        return not at or self._text[: self._words[at].start].rstrip()[-1:] in (".", "?", "!", ":", '"', "")

    def _is_safe(self, thing: Thing, of: ThingSet) -> bool:
        """Decide whether all mentions can move, and no other word is made of the thing."""
        forms = {thing.singular, thing.plural}
        if not of.is_single and not any(
            self._is_counted(at) for at, word in enumerate(self._words) if word.low in forms
        ):
            return False
        if not all(self._is_thing(at, of) for at, word in enumerate(self._words) if word.low in forms):
            return False
        others = self._all - forms - _FUNCTION
        if len(thing.singular) == 3:
            return not any(other.startswith(thing.singular) and other not in _THING_OF for other in others)
        stem = thing.singular.removesuffix("y")
        return not any(stem in other and not _is_other_thing(other) for other in others)

    def draw(self, random: Random) -> dict[str, tuple[str, Thing]]:
        """Return for each form of a thing whether it is a singular, and the thing that stands for it."""
        chosen: dict[str, tuple[str, Thing]] = {}
        used: set[Thing] = set()
        for of, thing in self.things:
            free = [
                other
                for other in of.things
                if other not in used
                and not any(form in low for form in (other.singular, other.plural) for low in self._all)
            ]
            if not free:
                continue
            new = free[random.randrange(len(free))]
            used.add(new)
            chosen[thing.plural] = ("plural", new)
            chosen[thing.singular] = ("singular", new)
        return chosen

    def check(self) -> None:
        """Refuse a text without a thing that can be exchanged."""
        if not self.things:
            raise CannotVary("no thing could be exchanged for another one of its kind in every sentence")


def _is_other_thing(word: str) -> bool:
    return word in _THING_OF


def exchange_things(text: str, things: Mapping[str, tuple[str, Thing]]) -> list[Edit]:
    """Return the edits that put other things in the place of those of a text, with their articles.

    >>> new = {"apple": ("singular", Thing("pear", "pears")), "apples": ("plural", Thing("pear", "pears"))}
    >>> [(edit.before, edit.after) for edit in exchange_things("An apple , or two apples", new)]
    [('An', 'A'), ('apple', 'pear'), ('apples', 'pears')]
    """
    edits: list[Edit] = []
    words = words_of(text)
    for at, word in enumerate(words):
        found = things.get(word.low)
        if found is None:
            continue
        number, thing = found
        new = thing.singular if number == "singular" else thing.plural
        article = words[at - 1] if at and text[words[at - 1].end : word.start].isspace() else None
        if article is not None and article.low in ("a", "an"):
            wanted = "an" if new[0] in _VOWELS else "a"
            if wanted != article.low:
                edits.append(Edit(article.start, article.text, _cased(wanted, article)))
        edits.append(Edit(word.start, word.text, _cased(new, word)))
    return edits


def _cased(new: str, old: Word) -> str:
    if old.text.isupper() and len(old.text) > 1:
        return new.upper()
    return new[0].upper() + new[1:] if old.text[0].isupper() else new
