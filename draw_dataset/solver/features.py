"""Feature sets: paper, extended, inferred and zdc.

The score of a derivation is a sum over pairs (attribute, column): an *attribute* is seen in the text (a word, the
neighbour of a number, the order of two numbers, the sign of a solution), a *column* belongs to the template (itself,
the shape of an equation, the role of a slot). There are four kinds of pairs: the text with the template, a number with
its slot, two numbers with their slots, the solution with the template.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Literal, Protocol, get_args

from draw_dataset.errors import ChoiceError, short_repr
from draw_dataset.solver.arrays import PARTS
from draw_dataset.solver.templates import TemplateStructure
from draw_dataset.solver.text import TaggedText, Word
from draw_dataset.text.question import asking_sentences

# Extended features. Beyond the paper's list: words around each number, its unit, place and value; order, distance,
# units and values of two numbers; words of the question; a finer description of the solution. Columns are shared by
# equation shapes and generic roles, so rare templates profit. A template met only once has no columns of its own.


_MONEY = frozenset(["$", "dollar", "cent", "£", "€", "pound", "rs", "peso", "euro"])
_RATES = frozenset(["per", "each", "every", "apiece", "hourly"])
_TIMES = frozenset(["hour", "minute", "second", "day", "week", "month", "year", "mph"])
_COMPARING = frozenset(["more", "less", "than", "few", "great", "large", "small", "old", "young", "long", "high"])
_EDGE = "^"


class ExtendedFeatures:
    """The extended features."""

    name = "extended"
    version = 1

    def text_attributes(self, text: TaggedText) -> list[str]:
        """Return n-grams, those of the question apart, and how many numbers of which kind there are."""
        words = text.words
        count = len(text.numbers)
        lemmas = [_EDGE, *(w.lemma for w in words)]
        tags = [_EDGE, *(w.pos for w in words)]
        seen = {"text", f"numbers {count}", f"sentences {min(words[-1].sentence, 6) if words else 0}"}
        seen |= {f"l {a}" for a in lemmas} | {f"l {a} {b}" for a, b in itertools.pairwise(lemmas)}
        seen |= {f"l {a} {b} {c}" for a, b, c in zip(lemmas, lemmas[1:], lemmas[2:], strict=False)}
        seen |= {f"p {a} {b}" for a, b in itertools.pairwise(tags)}
        asked = question_words(words)
        question = [_EDGE, *(w.lemma for w in asked)]
        seen |= {f"q {a}" for a in question} | {f"q {a} {b}" for a, b in itertools.pairwise(question)}
        kinds = [unit_of(words, spot) for spot in text.spots]
        tally = Counter(kinds)
        seen |= {f"units {kind} {n}" for kind, n in tally.items()}
        seen.add(f"kinds {' '.join(kinds)}")
        seen.add(f"in question {sum(spot >= len(words) - len(asked) for spot in text.spots)}")
        seen |= {f"value {_value_name(value)}" for value in text.values}
        return sorted(seen)

    def number_attributes(self, text: TaggedText) -> list[list[str]]:
        """Return the words around each number, its unit, its place and its value."""
        return [self._at_number(text, i) for i in range(len(text.numbers))]

    def _at_number(self, text: TaggedText, i: int) -> list[str]:
        words, spot, value = text.words, text.spots[i], text.values[i]
        count = len(text.numbers)
        sentence = words[spot].sentence
        around = _around(words, spot)
        lemma = {d: w.lemma if w else _EDGE for d, w in around.items()}
        tag = {d: w.pos if w else _EDGE for d, w in around.items()}
        seen = ["number", f"rank {i}", f"from end {count - 1 - i}", f"numbers {count} rank {i}"]
        seen += [f"{d:+d} {lemma[d]}" for d in (-3, -2, -1, 1, 2, 3)]
        seen += [f"{d:+d} pos {tag[d]}" for d in (-2, -1, 1, 2)]
        seen += [f"-2-1 {lemma[-2]} {lemma[-1]}", f"-1+1 {lemma[-1]} {lemma[1]}", f"+1+2 {lemma[1]} {lemma[2]}"]
        near = words[max(0, spot - 5) : spot + 6]
        seen += sorted({f"near {w.lemma}" for w in near if w.sentence == sentence})
        unit, noun = unit_of(words, spot), noun_after(words, spot)
        seen += [f"unit {unit}", f"noun {noun}", f"verb {verb_before(words, spot)}", f"form {_form(words[spot].text)}"]
        seen += [f"value {_value_name(value)}", f"value {_value_name(value)} unit {unit}"]
        values = text.values
        seen.append(f"order {sum(v > value for v in values)} of {count}")
        seen.append(f"equals {sum(v == value for v in values) - 1}")
        if value == max(values):
            seen.append("largest")
        if value == min(values):
            seen.append("smallest")
        if count > 2 and 2 * value == sum(values):
            seen.append("sum of the others")
        first_of_sentence = all(words[s].sentence != sentence for s in text.spots[:i])
        last_of_sentence = all(words[s].sentence != sentence for s in text.spots[i + 1 :])
        seen.append(f"in sentence {'first' if first_of_sentence else ''} {'last' if last_of_sentence else ''}")
        if sentence == words[-1].sentence:
            seen.append("last sentence")
        if sentence == 0:
            seen.append("first sentence")
        return seen

    def pair_attributes(self, text: TaggedText) -> dict[tuple[int, int], list[str]]:
        """Return how two numbers stand to each other: order, distance, units, values, and the words between them."""
        words = text.words
        units = [unit_of(words, spot) for spot in text.spots]
        nouns = [noun_after(words, spot) for spot in text.spots]
        found = {}
        for i in range(len(text.spots)):
            for j in range(len(text.spots)):
                if i != j:
                    found[i, j] = self._between(text, i, j, units, nouns)
        return found

    def _between(self, text: TaggedText, i: int, j: int, units: Sequence[str], nouns: Sequence[str]) -> list[str]:
        words = text.words
        low, high = min(i, j), max(i, j)
        order = "<" if i < j else ">"
        between = words[text.spots[low] + 1 : text.spots[high]]
        together = words[text.spots[i]].sentence == words[text.spots[j]].sentence
        steps = min(high - low, 4)
        relation = _relation(text.values[i], text.values[j])
        same_noun = "same noun" if nouns[i] == nouns[j] else "other noun"
        same_unit = "same unit" if units[i] == units[j] else "other unit"
        seen = [
            "pair", order, f"{order} steps {steps}", f"steps {steps}", f"together {together}",
            f"{order} together {together} steps {steps}", f"value {relation}", f"value {relation} {same_unit}",
            f"{same_noun}", f"{same_unit}", f"{same_noun} {order}", f"units {units[i]} {units[j]}",
            f"units {units[i]} {units[j]} {order} steps {steps}", f"value {relation} {order}",
            f"apart {min(len(between), 12) // 2} {order}",
        ]  # fmt: skip
        if steps == 1:
            seen.append(f"{order} next {same_noun} {same_unit} {together}")
        if together:
            seen += sorted({f"between {w.lemma}" for w in between if w.is_noun or w.is_verb})
        if len(between) <= 12:
            seen += sorted({f"{order} between {w.lemma}" for w in between})
        if len(between) <= 4:
            seen.append(f"{order} gap {' '.join(w.lemma for w in between)}")
        return seen

    def solution_attributes(self, parts: tuple[int, ...]) -> list[str]:
        """Return each part of the solution's code, and sign, wholeness and size together."""
        names = [PARTS[i][part] for i, part in enumerate(parts)]
        unknowns, sign, whole, size = names[0], names[1], names[2], names[3]
        return [
            "solution", sign, whole, size, names[4], names[5], f"{sign} {whole}", f"{sign} {whole} {size}",
            f"{unknowns} {sign} {whole}", f"{unknowns} {names[4]} {names[5]}",
        ]  # fmt: skip

    def text_columns(self, structure: TemplateStructure) -> list[str]:
        """Return the template, the shapes of its equations, its size and its constants."""
        return sorted(
            {
                "any",
                "rare" if structure.rare else f"template {structure.key}",
                *(f"shape {shape}" for shape in structure.shapes),
                f"slots {structure.slot_count}",
                f"slots {structure.slot_count} unknowns {structure.unknown_count}",
                *(f"constant {constant}" for constant in structure.constants),
            }
        )

    def slot_columns(self, structure: TemplateStructure, slot: int) -> list[str]:
        """Return the slot up to symmetry, its place in the shape of its equations, and its generic roles."""
        own = set() if structure.rare else {f"slot {structure.orbits[slot]} of {structure.key}"}
        return sorted(
            own
            | {
                "any",
                *(f"place {place} of {shape}" for shape, place in structure.shape_slots[slot]),
                *(f"role {role}" for role in structure.roles[slot]),
                f"roles {' '.join(structure.roles[slot])}",
            }
        )

    def pair_columns(self, structure: TemplateStructure, first: int, second: int) -> list[str]:
        """Return the pair up to symmetry, its places in the shape of an equation, and its generic roles."""
        columns: set[str] = set()
        here, there = structure.pair_name(first, second), structure.pair_name(second, first)
        if here <= there and not structure.rare:
            columns.add(f"slots {here} of {structure.key}")
        relation = structure.relation(first, second)
        roles = " ".join(structure.roles[first]), " ".join(structure.roles[second])
        if roles <= roles[::-1]:
            columns.add(f"roles {roles} {relation}")
        if first < second:
            columns.add(f"relation {relation}")
        for shape, place in structure.shape_slots[first]:
            for other, other_place in structure.shape_slots[second]:
                if shape == other and relation[0] == "e" and place <= other_place:
                    columns.add(f"places {place} {other_place} of {shape} {relation}")
        return sorted(columns)

    def solution_columns(self, structure: TemplateStructure) -> list[str]:
        """Return one column for all templates, and one each for sizes and templates."""
        own = [] if structure.rare else [f"template {structure.key}"]
        return ["any", f"slots {structure.slot_count}", *own]


def question_words(words: Sequence[Word]) -> Sequence[Word]:
    """Return the words of the sentence that asks: the last with a question mark or an imperative, else the last."""
    if not words:
        return words
    chosen = max(asking_sentences(words, ("find", "determine")), default=words[-1].sentence)
    return [w for w in words if w.sentence >= chosen]


def unit_of(words: Sequence[Word], spot: int) -> str:
    """Return the kind of unit of a number: money, percent, a rate, time, or anything else."""
    before = words[spot - 1].lemma if spot else _EDGE
    after = [w.lemma for w in words[spot + 1 : spot + 4]]
    following = after[0] if after else _EDGE
    if following in ("%", "percent") or "percent" in words[spot].text or "%" in words[spot].text:
        return "percent"
    kind = "thing"
    if before in _MONEY or following in _MONEY or "$" in words[spot].text or "cent" in words[spot].text:
        kind = "money"
    elif following in _TIMES:
        kind = "time"
    elif following in ("time", "of") or following in _COMPARING:
        kind = following
    if not _RATES.isdisjoint(after) or (len(after) > 1 and after[0] in ("a", "an") and after[1] in _TIMES):
        kind += " rate"
    return kind


def noun_after(words: Sequence[Word], spot: int) -> str:
    """Return the first noun after a number in its sentence, within reach."""
    for word in words[spot + 1 : spot + 6]:
        if word.sentence != words[spot].sentence:
            break
        if word.is_noun and word.lemma not in ("$", "%"):
            return word.lemma
    return _EDGE


def verb_before(words: Sequence[Word], spot: int) -> str:
    """Return the last verb before a number in its sentence."""
    for word in reversed(words[max(0, spot - 8) : spot]):
        if word.sentence != words[spot].sentence:
            break
        if word.is_verb:
            return word.lemma
    return _EDGE


def _around(words: Sequence[Word], spot: int) -> dict[int, Word | None]:
    found: dict[int, Word | None] = {}
    for d in (-3, -2, -1, 1, 2, 3):
        at = spot + d
        word = words[at] if 0 <= at < len(words) else None
        found[d] = word if word is not None and word.sentence == words[spot].sentence else None
    return found


def _form(text: str) -> str:
    """Return a number word as it is, digits by their pattern."""
    if not any(c.isdigit() for c in text):
        return text
    return "decimal" if "." in text else "fraction" if "/" in text else "digits"


def _value_name(value: Fraction) -> str:
    """Return small and round values by themselves, others by their size."""
    if value in (0, 1, 2, 3, 4, 10, 100) or value.denominator in (2, 3, 4):
        return str(value)
    if value.denominator > 1:
        return "fraction below 1" if value < 1 else "decimal"
    return "below 10" if value < 10 else "below 100" if value < 100 else "below 1000" if value < 1000 else "large"


def _relation(first: Fraction, second: Fraction) -> str:
    if first == second:
        return "="
    return "<" if first < second else ">"


# The paper's features (section 4.2): "unigrams and bigrams of lemmas and POS tags from the word problem, conjoined
# with |Q(x)| and |C(T)|"; for two slots "whether [they] belong to the same equation in the template or share the same
# variable", and "if they belong to the same sentence, the lemmas of the nouns and verbs between" their numbers; "if
# the solution is integer, negative, non-negative or fractional". With nothing but |C(T)| all templates of one size
# would get the same text score, so n-grams are conjoined with the template as well, and the pair indicators with the
# sentence condition, its lemmas and the pair of slots: the best reading of those tried on Draw's validation split
# (docs/solver.md).


class PaperFeatures:
    """The features of the paper."""

    name = "paper"
    version = 1

    def text_attributes(self, text: TaggedText) -> list[str]:
        """Return n-grams of lemmas and parts of speech, with the number of numbers."""
        numbers = len(text.numbers)
        lemmas = [word.lemma for word in text.words]
        tags = [word.pos for word in text.words]
        grams = {f"l {a}" for a in lemmas} | {f"l {a} {b}" for a, b in itertools.pairwise(lemmas)}
        grams |= {f"p {a}" for a in tags} | {f"p {a} {b}" for a, b in itertools.pairwise(tags)}
        return [f"{gram} | {numbers}" for gram in sorted(grams)]

    def number_attributes(self, text: TaggedText) -> list[list[str]]:
        """Return nothing: the paper has no features of a single alignment."""
        return [[] for _ in text.numbers]

    def pair_attributes(self, text: TaggedText) -> dict[tuple[int, int], list[str]]:
        """Return whether two numbers stand in one sentence, and the nouns and verbs between them."""
        found = {}
        for i, first in enumerate(text.spots):
            for j in range(i + 1, len(text.spots)):
                second = text.spots[j]
                seen = ["pair"]
                if text.words[first].sentence == text.words[second].sentence:
                    between = text.words[first + 1 : second]
                    seen.append("one sentence")
                    seen += sorted({f"between {w.lemma}" for w in between if w.is_noun or w.is_verb})
                found[i, j] = found[j, i] = seen
        return found

    def solution_attributes(self, parts: tuple[int, ...]) -> list[str]:
        """Return whether the solution is integer or fractional, negative or not."""
        return ["integer" if parts[2] == 0 else "fractional", "negative" if parts[1] == 2 else "non-negative"]

    def text_columns(self, structure: TemplateStructure) -> list[str]:
        """Return the number of slots and the template."""
        return [f"slots {structure.slot_count}", f"template {structure.key}"]

    def slot_columns(self, structure: TemplateStructure, slot: int) -> list[str]:  # noqa: ARG002 - as the protocol has it
        """Return nothing: the paper has no features of a single alignment."""
        return []

    def pair_columns(self, structure: TemplateStructure, first: int, second: int) -> list[str]:
        """Return whether two slots share an equation or an unknown, and the pair of slots."""
        if second < first:
            return []
        relation = structure.relation(first, second)
        name = min(structure.pair_name(first, second), structure.pair_name(second, first))
        columns = [f"slots {name} {structure.key}"]
        if relation[0] == "e":
            columns.append("one equation")
        if relation[1] == "u":
            columns.append("one unknown")
        return columns

    def solution_columns(self, structure: TemplateStructure) -> list[str]:  # noqa: ARG002 - as the protocol has it
        """Return one column for all templates."""
        return ["any"]


# Context of a number for KAZB and ZDC, with distances in words instead of along dependency parses.


REACH = 5  # words before and after a number that are its window

_SIGNS = frozenset("$%£€#")


def nouns_by_distance(words: Sequence[Word], spot: int) -> list[str]:
    """Return the nouns of the sentence of a word, the nearest first, of equally near ones the later one first."""
    here = words[spot].sentence
    found = [
        (abs(at - spot), at < spot, word.lemma)
        for at, word in enumerate(words)
        if at != spot and word.sentence == here and word.is_noun and word.lemma not in _SIGNS
    ]
    return list(dict.fromkeys(lemma for _, _, lemma in sorted(found)))


def window(words: Sequence[Word], spot: int) -> list[Word]:
    """Return the words around a word that stand in its sentence, without itself."""
    near = [*range(max(0, spot - REACH), spot), *range(spot + 1, min(len(words), spot + REACH + 1))]
    return [words[at] for at in near if words[at].sentence == words[spot].sentence]


class Question:
    """The asking sentence of a text, and its nouns."""

    def __init__(self, text: TaggedText) -> None:
        asked = question_words(text.words)
        self.start = len(text.words) - len(asked)
        self.nouns = frozenset(word.lemma for word in asked if word.is_noun)

    def has(self, spot: int) -> bool:
        """Decide whether a word stands in the question."""
        return spot >= self.start


def relation(first: object, second: object, larger: bool) -> str:
    """Return how a value compares with another: equal, larger or smaller."""
    return "equal" if first == second else "larger" if larger else "smaller"


# Inferred features: the paper's, and those common to KAZB and ZDC on single numbers and on the values of two numbers.
# The set was chosen because it comes near the paper's figures (docs/systems.md), which is no proof of what the
# authors did.


class InferredFeatures(PaperFeatures):
    """The paper's features, and those of its predecessors on single slots and on values."""

    name = "inferred"
    version = 1

    def number_attributes(self, text: TaggedText) -> list[list[str]]:
        """Return the words around each number, its nearest noun, and how it stands to the question."""
        question = Question(text)
        found = []
        for spot, value in zip(text.spots, text.values, strict=True):
            near = window(text.words, spot)
            noun = next(iter(nouns_by_distance(text.words, spot)), _EDGE)
            seen = {f"l {word.lemma}" for word in near} | {f"p {word.pos}" for word in near}
            seen |= {"number", f"noun {noun}", f"noun asked {noun in question.nouns}", f"asked {question.has(spot)}"}
            if value in (1, 2):
                seen.add(f"value {value}")
            found.append(sorted(seen))
        return found

    def pair_attributes(self, text: TaggedText) -> dict[tuple[int, int], list[str]]:
        """Return the paper's attributes, and values, nouns and sentences of two numbers."""
        listed = super().pair_attributes(text)
        nouns = [next(iter(nouns_by_distance(text.words, spot)), _EDGE) for spot in text.spots]
        sentences = [text.words[spot].sentence for spot in text.spots]
        values = text.values
        return {
            (i, j): [
                *seen,
                relation(values[i], values[j], values[i] > values[j]),
                f"same noun {nouns[i] == nouns[j]}",
                f"sentences apart {min(abs(sentences[i] - sentences[j]), 2)}",
            ]
            for (i, j), seen in listed.items()
        }

    def slot_columns(self, structure: TemplateStructure, slot: int) -> list[str]:
        """Return the slot up to symmetry, its place in the shapes of equations, and one column for all."""
        own = f"slot {structure.orbits[slot]} of {structure.key}"
        return sorted({"any", own, *(f"place {place} of {shape}" for shape, place in structure.shape_slots[slot])})

    def pair_columns(self, structure: TemplateStructure, first: int, second: int) -> list[str]:
        """Return the paper's columns, the ordered pair up to symmetry, and its places in the shape of an equation."""
        listed = super().pair_columns(structure, first, second)
        return sorted({*listed, *ordered_columns(structure, first, second)})


def ordered_columns(structure: TemplateStructure, first: int, second: int) -> set[str]:
    """Return the names of an ordered pair of slots: up to symmetry, and by its places in the shape of an equation.

    Only one of the two orders of a pair has a name, so that nothing is counted twice.
    """
    columns = set()
    here, there = structure.pair_name(first, second), structure.pair_name(second, first)
    if here < there or (here == there and first < second):
        columns.add(f"ordered {here} of {structure.key}")
    for shape, place in structure.shape_slots[first]:
        for other, other_place in structure.shape_slots[second]:
            if shape == other and (place < other_place or (place == other_place and first < second)):
                columns.add(f"places {place} {other_place} of {shape}")
    return columns


# ZDC's features (Zhou, Dai and Chen 2015), without a parser: distances are in words, the side of a word takes the
# place of its dependency type, a pronoun stands in for coreference, ranks and window shares are binned, and the lists
# of comparative and multiplying words are our own. Open choices were decided on 400 problems of Draw's train split,
# asked about the rest of it and validation: the path as a whole 50.8 % solved, word by word 51.8, tied to nothing as
# well 54.0, and with the sides of words 55.0.


_COMPARATIVES = frozenset(["more", "less", "few", "fewer", "than", "exceed", "increase", "decrease", "as"])
_MULTIPLIERS = frozenset(["twice", "double", "triple", "thrice", "quadruple", "half"])
_PRONOUNS = frozenset(["he", "she", "it", "they", "them", "his", "her", "its", "their", "this", "these", "both"])


class ZdcFeatures:
    """The features of ZDC."""

    name = "zdc"
    version = 1

    def text_attributes(self, text: TaggedText) -> list[str]:  # noqa: ARG002 - as the protocol has it
        """Return nothing: ZDC has no features of the text as a whole."""
        return []

    def number_attributes(self, text: TaggedText) -> list[list[str]]:
        """Return the attributes of each number."""
        question = Question(text)
        return [self._at_number(text, i, question) for i in range(len(text.numbers))]

    def _at_number(self, text: TaggedText, i: int, question: Question) -> list[str]:
        words, spot, value = text.words, text.spots[i], text.values[i]
        nouns = nouns_by_distance(words, spot)
        noun = nouns[0] if nouns else _EDGE
        rank = next((r for r, lemma in enumerate(nouns, 1) if lemma in question.nouns), 0)
        near = window(words, spot)
        seen = {"number", f"asked noun {min(rank, 4)}", f"asked {question.has(spot)}"}
        seen |= {f"l {word.lemma}" for word in near} | {f"p {word.pos}" for word in near}
        for word in near:
            before = (word.sentence, word.index) < (words[spot].sentence, words[spot].index)
            side = "before" if before else "after"
            seen.add(f"l {word.lemma} {side}")
            if word.lemma in _COMPARATIVES or word.pos == "AJC":
                seen |= {f"comparing {side}", f"comparing {word.lemma} {side}"}
        special = unit_of(words, spot)
        if special != "thing":
            seen |= {f"special {special}", f"special {special} {noun}"}
        if value in (1, 2):
            seen.add(f"value {value}")
        if 0 < value < 1:
            seen.add("below 1")
        if multiplies(words, spot):
            seen.add("multiplies")
        return sorted(seen)

    def pair_attributes(self, text: TaggedText) -> dict[tuple[int, int], list[str]]:
        """Return the attributes of each two numbers."""
        nouns = [nouns_by_distance(text.words, spot) for spot in text.spots]
        windows = [{f"l {w.lemma}" for w in near} | {f"p {w.pos}" for w in near}
                   for near in (window(text.words, spot) for spot in text.spots)]  # fmt: skip
        count = len(text.spots)
        return {(i, j): self._between(text, i, j, nouns, windows) for i in range(count) for j in range(count) if i != j}

    def _between(self, text: TaggedText, i: int, j: int, nouns: list[list[str]], windows: list[set[str]]) -> list[str]:
        words, values = text.words, text.values
        first, second = sorted((text.spots[i], text.spots[j]))
        order = "<" if i < j else ">"
        shared = [nouns[i].index(noun) + nouns[j].index(noun) + 2 for noun in nouns[i] if noun in nouns[j]]
        nearness = "none" if not shared else "nearest" if min(shared) == 2 else "near" if min(shared) <= 4 else "far"
        union = len(windows[i] | windows[j])
        share = len(windows[i] & windows[j]) / union if union else 0.0
        apart = words[second].sentence - words[first].sentence
        seen = [
            "pair", order, f"shared noun {nearness}", f"shared window {int(4 * share)}",
            f"sentences apart {min(apart, 2)}", f"sentences apart {min(apart, 2)} {order}",
            relation(values[i], values[j], values[i] > values[j]),
        ]  # fmt: skip
        if not apart:
            between = words[first + 1 : second]
            seen += sorted(
                {f"l {word.lemma} {order}" for word in between} | {f"p {word.pos} {order}" for word in between}
            )
        later = [word for word in words if word.sentence == words[second].sentence]
        if apart and any(word.text in _PRONOUNS for word in later):
            seen.append("refers back")
        if multiplies(words, text.spots[i]) and multiplies(words, text.spots[j]):
            seen.append("both multiply")
        return seen

    def solution_attributes(self, parts: tuple[int, ...]) -> list[str]:
        """Return whether the solution is whole, positive, and between 0 and 1."""
        names = [PARTS[i][part] for i, part in enumerate(parts)]
        return [
            "whole" if names[2] == "whole" else "not whole",
            "positive" if names[1] == "positive" else "not positive",
            names[6],
        ]

    def text_columns(self, structure: TemplateStructure) -> list[str]:  # noqa: ARG002 - as the protocol has it
        """Return nothing: ZDC has no features of the text as a whole."""
        return []

    def slot_columns(self, structure: TemplateStructure, slot: int) -> list[str]:
        """Return the slot up to symmetry, its place in each equation, and one column for all."""
        own = f"slot {structure.orbits[slot]} of {structure.key}"
        return sorted({"any", own, *(f"place {place} of {shape}" for shape, place in structure.shape_slots[slot])})

    def pair_columns(self, structure: TemplateStructure, first: int, second: int) -> list[str]:
        """Return the ordered pair up to symmetry, and its places in an equation."""
        return sorted(ordered_columns(structure, first, second))

    def solution_columns(self, structure: TemplateStructure) -> list[str]:
        """Return the template."""
        return [f"template {structure.key}"]


def multiplies(words: tuple[Word, ...], spot: int) -> bool:
    """Decide whether a number multiplies another: it is written as a multiplier, or "times" comes after it."""
    following = words[spot + 1].text if spot + 1 < len(words) else ""
    return words[spot].text in _MULTIPLIERS or following == "times"


FeatureName = Literal["paper", "extended", "inferred", "zdc"]

KINDS = ("text", "number", "pair", "solution")  # the kinds of features


class FeatureSet(Protocol):
    """Names attributes of texts and columns of templates."""

    @property
    def name(self) -> str:
        """The name of the set, which saved models hold."""

    @property
    def version(self) -> int:
        """The version of its names: raised whenever they mean something else."""

    def text_attributes(self, text: TaggedText) -> list[str]:
        """Return the attributes of the text as a whole."""

    def number_attributes(self, text: TaggedText) -> list[list[str]]:
        """Return the attributes of each number."""

    def pair_attributes(self, text: TaggedText) -> dict[tuple[int, int], list[str]]:
        """Return the attributes of ordered pairs of numbers, where there are any."""

    def solution_attributes(self, parts: tuple[int, ...]) -> list[str]:
        """Return the attributes of a solution, given the parts of its code."""

    def text_columns(self, structure: TemplateStructure) -> list[str]:
        """Return the columns of a template for texts."""

    def slot_columns(self, structure: TemplateStructure, slot: int) -> list[str]:
        """Return the columns of a slot for its number."""

    def pair_columns(self, structure: TemplateStructure, first: int, second: int) -> list[str]:
        """Return the columns of two slots, in this order, for their numbers."""

    def solution_columns(self, structure: TemplateStructure) -> list[str]:
        """Return the columns of a template for its solution."""


_SETS: Mapping[str, Callable[[], FeatureSet]] = {
    "paper": PaperFeatures,
    "extended": ExtendedFeatures,
    "inferred": InferredFeatures,
    "zdc": ZdcFeatures,
}


def feature_set(name: str) -> FeatureSet:
    """Return the feature set of a name."""
    found = _SETS.get(name) if isinstance(name, str) else None
    if found is None:
        raise ChoiceError(f"features: expected one of {', '.join(get_args(FeatureName))}, but got {short_repr(name)}")
    return found()
