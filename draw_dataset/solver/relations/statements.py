"""Statements of a text about its unknowns: "the sum of two numbers is 137", "Mary is 3 years older than Tom".

A statement is read where a phrase, a word like "is", and a phrase follow each other, or in one of the other ways in
which such texts state what is equal. What is not understood is left out: a statement must begin after a word that
begins one, and must not go on after its end. What is read may still be about other unknowns than those of the right
equations. So relations are evidence. Whether answers are made of them, the training problems decide (`composed`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from draw_dataset.solver.relations.equalities import Equalities, Read
from draw_dataset.solver.relations.forms import Form, Meanings, combined
from draw_dataset.solver.relations.idioms import consecutive, counted, divided, of_two, ratio, turned
from draw_dataset.solver.relations.referents import Referents, Topic
from draw_dataset.solver.relations.sentences import sentences_of
from draw_dataset.solver.relations.sides import Side
from draw_dataset.solver.relations.words import (
    BEFORE_STATEMENT,
    DIFFERENCES,
    LATER,
    THEIR,
    TOTAL,
    WITHIN_PHRASE,
)
from draw_dataset.solver.tagged_text import TaggedText

MAX_RELATIONS = 12
"""Relations that are read from a text."""


class Relation(NamedTuple):
    """What a text states of its unknowns.

    Attributes:
        forms: one of these is zero.
        words: the words of the text that state it.
        consecutive: whether it is only that numbers are consecutive, which some annotators put into their unknowns.
    """

    forms: Meanings
    words: str
    consecutive: bool = False


def read_relations(text: TaggedText, consecutive: bool = True) -> tuple[Relation, ...]:
    """Return what a text states of its unknowns.

    Args:
        text: the text.
        consecutive: whether it counts that numbers are consecutive.

    >>> text = TaggedText.of("The sum of two numbers is 137. The larger is 2 more than twice the smaller.")
    >>> [str(relation.forms[0]) for relation in read_relations(text)]
    ['larger + smaller + -137', 'larger + -2*smaller + -2']
    """
    sentences = sentences_of(text)
    words = [piece.word for sentence in sentences for piece in sentence.pieces]
    topic = Topic.of(words)
    found: dict[Meanings, Relation] = {}
    for sentence in sentences:
        if topic.ages and any(piece.word in LATER for piece in sentence.pieces):
            continue  # of other values than those that are asked for
        for relation in _Statements(Equalities(Referents(sentence, topic))).read():
            if consecutive or not relation.consecutive:
                found.setdefault(relation.forms, relation)
            if len(found) == MAX_RELATIONS:
                return tuple(found.values())
    return tuple(found.values())


class _Statements:
    """Reads the statements of a sentence."""

    def __init__(self, equalities: Equalities) -> None:
        self.equalities = equalities
        self.sentence = equalities.sentence

    def read(self) -> Iterator[Relation]:
        """Yield the statements in their order; what "consecutive" says, which may stand within others, comes first."""
        for at in range(len(self.sentence)):
            found = consecutive(self.equalities, at)
            if found is not None:
                yield self._relation(found, at)._replace(consecutive=True)
        at = 0
        while at < len(self.sentence):
            found = self._statement(at)
            if found is None:
                at += 1
                continue
            yield self._relation(found, at)
            at = max(found.end, at + 1)

    def _relation(self, found: Read, at: int) -> Relation:
        return Relation(found.forms, " ".join(piece.word for piece in self.sentence.pieces[at : found.end]))

    def _statement(self, at: int) -> Read | None:
        found = of_two(self.equalities, at) or ratio(self.equalities, at) or counted(self.equalities, at)
        if found is not None:
            return found
        if not self._begins(at):
            return None
        for side in self.equalities.sides.sides(at):
            found = self._stated(side)
            if found is not None:
                return found
        return None

    def _begins(self, at: int) -> bool:
        """Say whether a statement may begin here: after some words, or with words that begin nothing else."""
        sentence = self.sentence
        before = sentence.word(at - 1)
        if at == 0 or before in BEFORE_STATEMENT:
            return True
        joined = TOTAL | DIFFERENCES
        opens = sentence.after(at, THEIR, joined) is not None or sentence.after(at, "the", joined) is not None
        return opens and before not in WITHIN_PHRASE

    def _stated(self, side: Side) -> Read | None:
        """Read what is said of a phrase: what it is, by how much it exceeds another, what comes out of changing it."""
        equalities = self.equalities
        found = divided(equalities, side)
        if found is not None:
            return found
        exceeded = self.sentence.after(side.end, ("exceeds", "exceed"))
        for other in equalities.sides.sides(exceeded) if exceeded is not None else ():
            by = self.sentence.after(other.end, "by")
            if by is not None:
                return equalities.equal(combined(side.meanings, other.meanings, Form.minus), by)
        changed = equalities.changed(side) or side
        if equalities.referents.topic.digits:
            found = turned(equalities, side) or turned(equalities, changed)
            if found is not None:
                return found
        is_ = equalities.copula(changed.end)
        if is_ is not None:
            found = equalities.by(changed, is_) or equalities.equal(changed.meanings, is_)
        return found or equalities.result(changed)
