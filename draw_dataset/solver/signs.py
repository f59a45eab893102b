"""What makes an answer of the template-first solver doubtful: the signs that its confidence is made from.

Four signs say how likely an answer to a text like those of training is to be right: how far the derivation leads the
runner-up, how many templates come near its own, whether its template was met only once, and whether it has more
unknowns than the question asks for. They were chosen by five-fold cross-validation over Draw's train and validation
(docs/doubt.md); the share of known words, unused numbers, the length of the text and the kind of its solution added
nothing to them.

What they cannot say is whether the text is like those of training at all. The scores of a one-step problem are as far
apart as those of a system of equations. So a fifth figure goes its own way (`familiarity`): how much of all that is
seen in the text has been seen in training.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from draw_dataset.solver.extended_features import question_words
from draw_dataset.solver.layout import EncodedText
from draw_dataset.solver.tagged_text import TaggedText

SIGNS = ("lead", "crowd", "rare template", "more unknowns than asked")
"""What the signs are called, in their order."""

DIRECTIONS = (1, 1, -1, -1)
"""Whether more of a sign speaks for an answer (1) or against it (-1)."""

LARGEST_LEAD = 5.0
"""A lead that leaves no doubt; training asks for a lead of 1. Without a rival it is this."""

CROWDED = 0.2
"""How far behind the best a template may be to count about a third; chosen with the signs."""

_SEVERAL = frozenset(
    ["each", "both", "two", "and", "number", "integer", "angle", "respectively", "either", "pair", "digit", "every"]
)
"""Lemmas of a question that asks for several things, in the problems of Draw's train split."""


@dataclass(frozen=True, slots=True)
class Doubt:
    """What is seen of an answer.

    Attributes:
        signs: the signs of doubt, in the order of `SIGNS`.
        familiarity: the share of what is seen in the text that training has seen, from 0 to 1.
    """

    signs: tuple[float, ...]
    familiarity: float


def crowd(best_of_templates: npt.NDArray[np.float64]) -> float:
    """Return how alone the best template stands: 0 if no other comes near, -ln 2 with one that is as good.

    >>> round(crowd(np.array([3.0, 3.0, -50.0])), 4)
    -0.6931
    """
    behind = np.sort(best_of_templates.max() - best_of_templates)
    return -float(np.log(np.exp(-behind / CROWDED).sum()))


def asks_for_one(text: TaggedText) -> bool:
    """Say whether the question of a text seems to ask for one thing.

    >>> asks_for_one(TaggedText.of("Ann has 5 pens. How many pens are left?"))
    True
    >>> asks_for_one(TaggedText.of("They have 5 pens. How many does each have?"))
    False
    """
    asked = question_words(text.words)
    words = {word.text for word in asked}
    return _SEVERAL.isdisjoint(word.lemma for word in asked) and not {"what", "are"} <= words


def familiarity(seen: Mapping[str, list[list[str]]], encoded: EncodedText) -> float:
    """Return the share of what is seen in a text, at its numbers and between them, that has weights.

    Args:
        seen: what is seen, by kind.
        encoded: the same as rows of the weights: what training has not seen has none.
    """
    count = sum(len(listed) for lists in seen.values() for listed in lists)
    known = len(encoded.text_rows) + int(encoded.number_seen.sum()) + int(encoded.pair_seen.sum())
    return known / count if count else 0.0
