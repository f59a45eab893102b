"""The paper's features, and what its list leaves out: a set that was inferred, with the paper's figures in view.

The paper's list (`paper_features`) has nothing on a single slot and nothing about the values of two numbers. The two
systems it builds on, KAZB and ZDC, have both. This set adds what these two have in common:

1. at each number, the lemmas and parts of speech within five words in its sentence, the nearest noun, whether that noun
   is in the question, whether the number is in the question, and whether it is 1 or 2;
2. for each two numbers, which is larger, whether they have the same nearest noun, how many sentences they are apart;
3. both tied to the slot, or the pair of slots, of the template up to symmetry, and to its place in the shape of an
   equation; the first also to nothing at all.

With a perceptron, six epochs and k = 10 it comes near all the paper's figures for training on derivations
(docs/systems.md), and it was chosen because it does. That is a guess that fits, and no proof of what the authors did.
"""

from __future__ import annotations

from draw_dataset.solver.paper_features import PaperFeatures
from draw_dataset.solver.surroundings import Question, nouns_by_distance, relation, window
from draw_dataset.solver.tagged_text import TaggedText
from draw_dataset.solver.template_structure import TemplateStructure

_NONE = "^"


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
            noun = next(iter(nouns_by_distance(text.words, spot)), _NONE)
            seen = {f"l {word.lemma}" for word in near} | {f"p {word.pos}" for word in near}
            seen |= {"number", f"noun {noun}", f"noun asked {noun in question.nouns}", f"asked {question.has(spot)}"}
            if value in (1, 2):
                seen.add(f"value {value}")
            found.append(sorted(seen))
        return found

    def pair_attributes(self, text: TaggedText) -> dict[tuple[int, int], list[str]]:
        """Return what the paper lists, and values, nouns and sentences of two numbers."""
        listed = super().pair_attributes(text)
        nouns = [next(iter(nouns_by_distance(text.words, spot)), _NONE) for spot in text.spots]
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
        """Return what the paper lists, the ordered pair up to symmetry, and its places in the shape of an equation."""
        listed = super().pair_columns(structure, first, second)
        return sorted({*listed, *ordered_columns(structure, first, second)})


def ordered_columns(structure: TemplateStructure, first: int, second: int) -> set[str]:
    """Return what an ordered pair of slots is called: up to symmetry, and by its places in the shape of an equation.

    Of the two orders of a pair one has the name, so that what does not depend on the order is counted once.
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
