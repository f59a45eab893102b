"""The features as the paper lists them (section 4.2), in one reading of the list.

*Template features*: "unigrams and bigrams of lemmas and POS tags from the word problem, conjoined with |Q(x)| and
|C(T)|". *Alignment tuple features*: for two slots "whether [they] belong to the same equation in the template or share
the same variable", and "if they belong to the same sentence, the lemmas of the nouns and verbs between" their numbers.
*Solution features*: "if the solution is integer, negative, non-negative or fractional".

The list leaves open what ties a feature to a template. With nothing but |C(T)| all templates of one size would be
scored alike by the text; so n-grams are conjoined with the template as well. Whether two slots share an equation does
not depend on the numbers that fill them; so these indicators are conjoined with the sentence condition and its lemmas,
and with the pair of slots itself. This reading is the best of those tried on Draw's validation split (docs/solver.md).
"""

from __future__ import annotations

import itertools

from draw_dataset.solver.tagged_text import TaggedText
from draw_dataset.solver.template_structure import TemplateStructure


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
