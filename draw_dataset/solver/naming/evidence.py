"""Evidence for what an unknown is: words beside the numbers that multiply it, and comparisons that its value fits.

Systems have no denominators: ``m/q1 + n/q2 = q3`` becomes ``q2*m + q1*n = q1*q2*q3``, where q1 still belongs to m.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

from draw_dataset.derivation.derivation import Derivation, TextNumber
from draw_dataset.errors import DrawError
from draw_dataset.solver.naming.words import (
    DETERMINERS,
    MONEY,
    NO_PHRASE,
    UNITS,
    Phrase,
    Stems,
    Text,
    is_plural,
    rank_stems,
    telling_stems,
)
from draw_dataset.solver.relations.forms import LESS, MORE, MULTIPLES, THAN
from draw_dataset.text.lexicon import split_words

# Comparisons of the text: "the length is 3 m more than the width", "twice as many nickels as dimes"

_EXCEEDING = frozenset(split_words("exceeds exceed minus overtakes overtake"))
_HELPING = frozenset(split_words("can could will would must going now also currently"))
_COMPARING = _EXCEEDING | frozenset(
    split_words(
        """is are was were be has have had costs cost weighs weighed sold needs runs run travels earns flies drives
        walks made received receives got equals contains rides drove ran flew traveling hold holds averages hit plays
        sells goes pays spent swims"""
    )
)
_WITHIN = (  # words that may stand between the verb and the second phrase
    UNITS
    | MONEY
    | frozenset(
        split_words(
            "times time as also only exactly just now old much many large big long fast tall wide high heavy far deep "
            "equal to of the - in size age at an per rate speed year years what that amount number was is"
        )
    )
)
_MUCH = frozenset(("many", "much"))
_RATIO = re.compile(
    r"\b(?:ratio (?:of|between|,) (?:the )?|ages of )((?:[\w'-]+ ){0,5}?[\w'-]+) (?:to|and) (?:the )?"
    r"((?:[\w'-]+ ){0,5}?[\w'-]+)(?= (?:is|are|in|of|was|at)\b)"
)
UNNAMED = "?"  # the words of a phrase that only has a rank: "the first", "another"


class Comparison(NamedTuple):
    """Two phrases of which one is larger: as far as it is read, one = factor * other + plus."""

    one: Phrase
    other: Phrase
    more: bool  # whether the one is larger than the other
    adjective: str = "more"  # the word before "than"
    factor: Fraction = Fraction(1)
    plus: Fraction = Fraction(0)

    @property
    def larger(self) -> Phrase:
        """The larger one."""
        return self.one if self.more else self.other

    @property
    def smaller(self) -> Phrase:
        """The smaller one."""
        return self.other if self.more else self.one

    def holds(self, one: Fraction, other: Fraction) -> bool:
        """Decide whether its equation is true of two values."""
        return one == self.factor * other + self.plus


def comparisons_of(text: Text) -> list[Comparison]:
    """Return the comparisons of a text.

    >>> from draw_dataset.text.numbers import locate_numbers
    >>> question = "Nina has 3 more pens than Omar. The length is 2 feet less than 4 times the width."
    >>> found = comparisons_of(Text(question, locate_numbers(question)[0]))
    >>> [(one.larger.words, one.smaller.words, str(one.factor), str(one.plus)) for one in found]
    [('Nina', 'Omar', '1', '3'), ('length', 'width', '4', '-2')]
    """
    found = (_read_verb(text, at) for at in range(1, len(text.words)))
    return [*(one for one in found if one is not None), *_read_ratio(text)]


def _read_verb(text: Text, verb: int) -> Comparison | None:
    """Read "[A] is 3 more than [B]", "[A] is twice [B]" and "[A] exceeds [B]" around a verb."""
    word = text.lower(verb)
    if not (word in _COMPARING or (word.endswith("ed") and len(word) > len("need"))):
        return None
    exceeds, factor, plus, at = word in _EXCEEDING, None, Fraction(0), verb + 1
    if exceeds and any(text.words[place].number is not None for place in range(max(verb - 4, 0), verb)):
        return None  # "twice A minus B"
    adjective, compares, counted = "more" if exceeds else "", exceeds, NO_PHRASE
    while at < len(text.words) and not exceeds:
        number, word = text.words[at].number, text.lower(at)
        if number is not None:
            value = text.numbers[number].value
            if value is None:
                return None
            if text.lower(at + 1) in ("times", "time") or 0 < value < 1 or word in MULTIPLES:
                factor = value * (factor or 1)
            else:
                plus = value
        elif word in MORE | LESS | _MUCH:
            if factor and word in LESS:
                factor = 1 / factor  # "3 times younger"
            adjective = adjective or word.replace("many", "").replace("much", "")
            end = text.forward(at + 1, 3)
            if text.lower(end) in THAN | {"as"}:
                counted, at = text.phrase(at + 1, end), end - 1
        elif word in THAN:
            compares = True
        elif word not in _WITHIN:
            break
        at += 1
    if factor is None and not (adjective and compares):
        return None
    one, other = _subject(text, verb), _object(text, verb, at)
    if is_plural(counted.words) and is_plural(other.words):
        one = counted  # "8 more altos than basses", but "3 more pens than Omar"
    more = adjective in MORE if factor is None else factor > 1
    plus = -plus if adjective in LESS else plus
    return Comparison(one, other, more, adjective, factor or Fraction(1), plus) if one or other else None


def _object(text: Text, verb: int, at: int) -> Phrase:
    """Return the phrase behind a comparison, which may be "the other"."""
    first = text.skip(at, DETERMINERS | MULTIPLES.keys())
    end = text.forward(first)
    found = text.phrase(first, end)
    ranks = rank_stems(text.lower(place) for place in range(max(at - 1, verb + 1), max(end, first + 2)))
    return Phrase(found.words or UNNAMED, found.stems | ranks) if ranks else found


def _subject(text: Text, verb: int) -> Phrase:
    """Return the phrase before a verb, without the place: "[the number of boys] in a class is"."""
    end = verb
    while text.lower(end - 1) in _COMPARING | _HELPING:
        end -= 1
    start = text.backward(end, 5)
    before = start
    while before > 1 and text.lower(before - 1) in DETERMINERS:
        before -= 1
    joined, earlier = text.lower(before - 1), text.backward(before - 1, 3)
    if joined == "of":
        start = earlier
    elif joined in ("in", "on", "at", "for") and earlier < before - 1:
        start, end = earlier, before - 1
    found = text.phrase(start, end)
    return Phrase(found.words, found.stems | rank_stems(text.lower(at) for at in range(max(start - 1, 0), end)))


def _read_ratio(text: Text) -> Iterator[Comparison]:
    """Read "the ratio of [A] to [B] is 3 to 2"."""
    found = _RATIO.search(text.plain) if "ratio" in text.lowers else None
    for at in range(len(text.words) - 2) if found else ():
        ranks = text.words[at].number, text.words[at + 2].number
        if found and None not in ranks and text.lower(at + 1) in ("to", ":", "is"):
            left, right = (text.numbers[rank or 0].value for rank in ranks)
            if left and right and left != right:
                one, other = (Phrase(words, telling_stems(words)) for words in found.groups())
                yield Comparison(one, other, left > right, "more", left / right)
                return


# Which of two phrases is which unknown


class _Term(NamedTuple):
    """A term of an equation with an unknown."""

    by: Fraction  # the constant factor
    slots: set[int]  # slots that it is multiplied with, by their rank
    under: set[int]  # slots that it is divided by
    unknown: int  # by its rank


def _terms_of(row: Sequence[tuple[int, int, Sequence[int]]], unknowns: int) -> list[_Term]:
    """Return the terms with unknowns of a row: a number in its constant, but not in all terms, was a denominator."""
    rest = [(by, set(slots)) for column, by, slots in row if column == unknowns]
    own = [(column, by, set(slots)) for column, by, slots in row if column < unknowns]
    common = set.intersection(*(slots for _, slots in rest)) if rest else set()
    cleared = {slot for slot in common if 0 < sum(slot in slots for _, _, slots in own) < len(own)}
    unit = max((abs(by) for by, slots in rest if slots), default=1)
    return [_Term(Fraction(by, unit), slots - cleared, cleared - slots, column) for column, by, slots in own]


def compares(terms: Sequence[_Term]) -> bool | None:
    """Decide whether an equation compares two unknowns, as m = q1*n does; None if it has another number of them."""
    signs = {term.unknown: term.by > 0 for term in terms}
    return len(set(signs.values())) == 2 if len(signs) == 2 else None


class Evidence:
    """A text and a derivation, as far as the names of unknowns are concerned."""

    def __init__(self, question: str, derivation: Derivation, numbers: Sequence[TextNumber]) -> None:
        self.text = Text(question, numbers)
        self.unknowns = derivation.template.unknowns
        self.is_pair = len(self.unknowns) == 2
        self.comparisons = comparisons_of(self.text)
        self.equations = [_terms_of(row, len(self.unknowns)) for row in derivation.template.system.terms]
        self._numbers = [derivation.alignment[slot] for slot in derivation.template.slots]
        try:
            values = derivation.solve().values
        except DrawError:  # a number without a value, or too large ones
            values = {}
        self.values = [values[unknown] for unknown in self.unknowns if unknown in values]
        self.larger: int | None = None  # the unknown of two with the larger value
        if len(self.values) == len(self.unknowns) == 2 and self.values[0] != self.values[1]:
            self.larger = int(self.values[0] < self.values[1])

    @cached_property
    def multipliers(self) -> list[list[tuple[int, bool]]]:
        """For each unknown, the places of numbers that belong to it alone, and whether they divide it."""
        place_of = {
            key: at
            for at, word in enumerate(self.text.words)
            if word.number is not None
            for key in (self.text.numbers[word.number].start, self.text.numbers[word.number].place)
        }  # by the offset, which no tokenizer changes, or by the token
        users: dict[int, set[int]] = {}
        found: list[dict[tuple[int, bool], int]] = [{} for _ in self.unknowns]
        for terms in self.equations:
            for term in terms:
                for slot in sorted(term.slots | term.under):
                    number = self._numbers[slot]
                    place = place_of.get(number.place if number.start is None else number.start)
                    users.setdefault(slot, set()).add(term.unknown)
                    if place is not None:
                        found[term.unknown][place, slot in term.under] = slot
        return [[one for one, slot in each.items() if len(users[slot]) == 1] for each in found]

    def constants(self, unknown: int) -> set[Fraction]:
        """Return the constants before an unknown, in terms without numbers of the text."""
        terms = (term for terms in self.equations for term in terms if term.unknown == unknown)
        return {abs(term.by) for term in terms if not term.slots}

    def orient(self, one: Stems, other: Stems) -> int:
        """Return how much speaks for the first of two unknowns being the one phrase; below 0 for the other one."""
        only, others = one - other, other - one
        return self.orient_by_multipliers(only, others) + self._orient_by_value(only, others)

    def orient_by_multipliers(self, only: Stems, others: Stems) -> int:
        """Return what the words beside the numbers that multiply the unknowns say."""
        return sum(
            sign * _side(self.text.window(place), only, others)
            for multipliers, sign in zip(self.multipliers[:2], (1, -1), strict=False)
            for place, _ in multipliers
        )

    def _orient_by_value(self, only: Stems, others: Stems) -> int:
        """Return what the comparisons of the text say, given the values of the unknowns."""
        score = 0
        for found in self.comparisons if self.larger is not None else ():
            left, right = (_side(phrase.stems, only, others) for phrase in (found.one, found.other))
            if left == right:
                continue
            direct = left == 1 or right == -1  # the one phrase stands on the left
            first, second = self.values
            straight, turned = found.holds(first, second), found.holds(second, first)
            if left != -right or straight == turned:
                straight = found.more == (self.larger == 0)
            score += 1 if straight == direct else -1
        return score


def _side(stems: Stems, only: Stems, others: Stems) -> int:
    """Return 1 if words belong to the one phrase, -1 if to the other one, 0 if to both or neither."""
    return bool(stems & only) - bool(stems & others)
