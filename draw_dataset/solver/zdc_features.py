"""The features of ZDC (Zhou, Dai and Chen 2015), without a parser.

ZDC has nothing on the text as a whole. At a **single** number: how near the nearest noun is that the question has, too
(its rank among the nouns of the sentence, by distance); whether the number is in the question; comparative words on
either side; lemmas and parts of speech within five words; a special tag (money, percent, time, rate) with the nearest
noun; whether it is 1 or 2, lies between 0 and 1, or multiplies (twice, triple). For a **pair** of numbers: how near a
noun is that both have; how much their windows share; whether the later sentence refers back; whether both multiply;
same or next sentence; the words on the path between them; which is larger. For the **solution**, by template: whole,
positive, between 0 and 1. All but the last are tied to the slots of the template and to their places in each equation;
those of a single number also to nothing, as ZDC has it for some.

What departs from ZDC: distances are in words and not along a dependency parse, the side on which a word stands takes
the place of its dependency type, a pronoun stands in for coreference, ranks and shares of windows are indicators by
their size and not real values, and the lists of comparative and multiplying words, which the paper does not give, are
our own. What the paper leaves open was decided on 400 problems of Draw's train split, asked about the rest of it and
validation: the path as a whole 50.8 % solved, word by word 51.8, tied to nothing as well 54.0, and with the sides of
words 55.0.
"""

from __future__ import annotations

from draw_dataset.solver.extended_features import unit_of
from draw_dataset.solver.inferred_features import ordered_columns
from draw_dataset.solver.solutions import PARTS
from draw_dataset.solver.surroundings import Question, nouns_by_distance, relation, window
from draw_dataset.solver.tagged_text import TaggedText, Word
from draw_dataset.solver.template_structure import TemplateStructure

_COMPARATIVES = frozenset(["more", "less", "few", "fewer", "than", "exceed", "increase", "decrease", "as"])
_MULTIPLIERS = frozenset(["twice", "double", "triple", "thrice", "quadruple", "half"])
_PRONOUNS = frozenset(["he", "she", "it", "they", "them", "his", "her", "its", "their", "this", "these", "both"])
_NONE = "^"


class ZdcFeatures:
    """The features of ZDC."""

    name = "zdc"
    version = 1

    def text_attributes(self, text: TaggedText) -> list[str]:  # noqa: ARG002 - as the protocol has it
        """Return nothing: ZDC has no features of the text as a whole."""
        return []

    def number_attributes(self, text: TaggedText) -> list[list[str]]:
        """Return what is seen at each number."""
        question = Question(text)
        return [self._at_number(text, i, question) for i in range(len(text.numbers))]

    def _at_number(self, text: TaggedText, i: int, question: Question) -> list[str]:
        words, spot, value = text.words, text.spots[i], text.values[i]
        nouns = nouns_by_distance(words, spot)
        noun = nouns[0] if nouns else _NONE
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
        """Return what is seen between each two numbers."""
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
    """Say whether a number multiplies another: it is written as a multiplier, or "times" comes after it."""
    following = words[spot + 1].text if spot + 1 < len(words) else ""
    return words[spot].text in _MULTIPLIERS or following == "times"
