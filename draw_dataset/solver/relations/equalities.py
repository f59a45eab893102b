"""How a text says that two phrases are equal: "is", "is equal to", ", the result is", "exceeds … by …".

What is not understood is left out: the second phrase must not go on after its end.
"""

from __future__ import annotations

from typing import NamedTuple

from draw_dataset.solver.relations.forms import LARGER, RANKS, SMALLER, Form, Meanings, combined, is_noun
from draw_dataset.solver.relations.referents import Referents
from draw_dataset.solver.relations.sides import MAX_CHANGES, Side, Sides, applied
from draw_dataset.solver.relations.words import (
    ADVERBS,
    AFTER_SIDE,
    ALIKE,
    AMOUNTS,
    AUXILIARIES,
    CHANGES,
    EQUALS,
    LESS,
    MORE,
    PASSIVE,
    RESULT,
    THAN,
)


class Read(NamedTuple):
    """A statement.

    Attributes:
        forms: one of these is zero.
        end: the place after it.
    """

    forms: Meanings
    end: int


class Equalities:
    """Reads what a sentence says to be equal.

    Args:
        referents: finds the unknowns that the sentence names.
    """

    def __init__(self, referents: Referents) -> None:
        self.sentence = referents.sentence
        self.referents = referents
        self.sides = Sides(referents)

    def equal(self, meanings: Meanings, at: int) -> Read | None:
        """Read the other side of a statement.

        Args:
            meanings: what the one side may mean.
            at: where the other begins.
        """
        at = self.sentence.skip(at, ("when", "if"))
        for side in self.sides.sides(at):
            other = self.changed(side) or side
            if self.sentence.word(other.end) in AFTER_SIDE:
                continue
            found = self.told(combined(meanings, other.meanings, Form.minus), other.end)
            if found is not None:
                return found
        return None

    def copula(self, at: int) -> int | None:
        """Return the place after "is", "is equal to", "will be the same as"."""
        sentence, word = self.sentence, self.sentence.word
        if word(at) in AUXILIARIES:
            at += 1
        for words in AMOUNTS:
            after = sentence.after(at, *words)
            if after is not None:
                return after
        if word(at) not in EQUALS or word(at + 1) in PASSIVE or word(at + 1) in ("not", "to"):
            return None
        at = sentence.skip(at + 1, ADVERBS)
        endings = (("equal", "to"), ("the", "same", "as"), ("as", ALIKE, "as"), ("to",))
        return next((end for ending in endings if (end := sentence.after(at, *ending)) is not None), at)

    def by(self, side: Side, at: int) -> Read | None:
        """Read "greater than twice the other by 3", after "is"."""
        sentence = self.sentence
        than = sentence.after(at, MORE | LESS, THAN)
        for other in self.sides.sides(than) if than is not None else ():
            by = sentence.after(other.end, "by")
            if by is not None:
                one, less = (side, other) if sentence.word(at) in MORE else (other, side)
                return self.equal(combined(one.meanings, less.meanings, Form.minus), by)
        return None

    def changed(self, side: Side) -> Side | None:
        """Read "… is added to 5 and the result is divided by 3"; None if nothing of the kind follows."""
        found = None
        for _ in range(MAX_CHANGES):
            changed = self._once_changed(side, again=found is not None)
            if changed is None:
                break
            found = side = changed
        return found

    def _once_changed(self, side: Side, again: bool) -> Side | None:
        sentence, word = self.sentence, self.sentence.word
        joined = sentence.skip(side.end, (",", "and", "then"))
        if word(joined) in ("add", "subtract") and sentence.number(joined + 1) is not None:
            return self._applied("plus" if word(joined) == "add" else "minus", side, joined + 1)
        at = sentence.skip(side.end, ("when", "if"))
        if again:
            at = joined
            if word(at) in ("the", "this") and word(at + 1) in RESULT:
                at += 2
        at = sentence.skip(at, ("is", "are", "then"))
        if word(at) in ("doubled", "tripled"):
            by = sentence.number(at) or Form.number(2 if word(at) == "doubled" else 3)
            return Side(applied("times", side.meanings, (by,)), at + 1)
        how = CHANGES.get((word(at), word(at + 1))) if word(at) in PASSIVE else None
        return None if how is None else self._applied(how, side, at + 2)

    def _applied(self, how: str, side: Side, at: int) -> Side | None:
        """Return a phrase changed by the one at a place."""
        for other in self.sides.terms(at)[:1]:
            meanings = applied(how, side.meanings, other.meanings)
            return Side(meanings, other.end) if meanings else None
        return None

    def result(self, side: Side) -> Read | None:
        """Read ", the result is 20", "gives 20", "you get 20"."""
        sentence, word = self.sentence, self.sentence.word
        at = sentence.skip(side.end, (",", "and", "then"))
        if word(at) in ("you", "we", "i"):
            after = sentence.after(sentence.skip(at + 1, AUXILIARIES), ("get", "obtain", "have"))
            if after is None:
                return None
            described = sentence.after(after, "a", "number", ("which", "that"), "is")
            return self.equal(side.meanings, after if described is None else described)
        if word(at) in ("the", "this", "it"):
            after = at + 1
            if word(at) != "it":
                named = sentence.after(at, ("the", "this"), RESULT | {"resulting"})
                if named is None:
                    return None
                after = named + 1 if word(named) in ("number", "value") else named
        elif at > side.end or word(at) in ("gives", "equals", "yields", "results", "becomes"):
            after = at
        else:
            return None
        is_ = self.copula(after)
        return None if is_ is None else self.equal(side.meanings, is_)

    def told(self, meanings: Meanings, end: int) -> Read | None:
        """Return the statement that one of these forms is zero; None if that tells nothing."""
        forms = tuple(told_apart(form) for form in meanings if tells(form))
        return Read(forms, end) if forms else None


def tells(form: Form) -> bool:
    """Say whether a form tells something of unknowns.

    A noun need not be an unknown: so one alone, or two of which one is the other ("Tom is a farmer"), tell nothing.
    """
    if not any(is_noun(name) for name in form.names):
        return bool(form.names)
    return len(form.names) > 1 and (form.constant != 0 or any(abs(by) != 1 for _, by in form.parts))


def told_apart(form: Form) -> Form:
    """Return a form in which "the other" is the smaller one, next to the larger one, and the other way round."""
    for known, unknown in ((LARGER, SMALLER), (SMALLER, LARGER)):
        if known in form.names and RANKS[1] in form.names and unknown not in form.names:
            return form.renamed({RANKS[1]: unknown})
    return form
