"""Statements of a text about its unknowns: "the sum of two numbers is 137", "Mary is 3 years older than Tom".

A statement is mostly a phrase, a word like "is", and a phrase. Everything not understood is left out: a statement must
begin after a word that begins one, and must not continue after its end. Since a statement may be about other unknowns
than those of the right equations, relations are evidence; the training problems decide whether answers are composed of
them (`use`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from draw_dataset.solver.relations.forms import (
    ADVERBS,
    AFTER_SIDE,
    ALIKE,
    AMOUNTS,
    AUXILIARIES,
    BEFORE_STATEMENT,
    CHANGES,
    COUNTS,
    DIFFERENCE,
    DIFFERENCES,
    EQUALS,
    FIRST,
    KINDS,
    LARGER,
    LATER,
    LESS,
    MORE,
    PASSIVE,
    RANKS,
    RESULT,
    REVERSED,
    SECOND,
    SMALLER,
    THAN,
    THEIR,
    TIMES,
    TOTAL,
    WITHIN_PHRASE,
    Form,
    Meanings,
    combine,
    is_noun,
    noun,
)
from draw_dataset.solver.relations.phrases import (
    MAX_CHANGES,
    TURNED,
    WRITTEN,
    Referents,
    Side,
    Sides,
    Topic,
    apply_change,
    sentences_of,
)
from draw_dataset.solver.text import TaggedText

# Equality of two phrases: "is", "is equal to", ", the result is", "exceeds … by …".


class Read(NamedTuple):
    """A statement that was read."""

    forms: Meanings  # one of these is zero
    end: int  # the place after it


class Equalities:
    """Reader of the equalities in a sentence."""

    def __init__(self, referents: Referents) -> None:
        self.sentence = referents.sentence
        self.referents = referents
        self.sides = Sides(referents)

    def equal(self, meanings: Meanings, at: int) -> Read | None:
        """Read the other side of a statement."""
        at = self.sentence.skip(at, ("when", "if"))
        for side in self.sides.sides(at):
            other = self.changed(side) or side
            if self.sentence.word(other.end) in AFTER_SIDE:
                continue
            found = self.told(combine(meanings, other.meanings, Form.minus), other.end)
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
                return self.equal(combine(one.meanings, less.meanings, Form.minus), by)
        return None

    def changed(self, side: Side) -> Side | None:
        """Read "… is added to 5 and the result is divided by 3"; None if nothing of the kind follows."""
        found = None
        for _ in range(MAX_CHANGES):
            changed = self._follow_change(side, again=found is not None)
            if changed is None:
                break
            found = side = changed
        return found

    def _follow_change(self, side: Side, again: bool) -> Side | None:
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
            return Side(apply_change("times", side.meanings, (by,)), at + 1)
        how = CHANGES.get((word(at), word(at + 1))) if word(at) in PASSIVE else None
        return None if how is None else self._applied(how, side, at + 2)

    def _applied(self, how: str, side: Side, at: int) -> Side | None:
        """Return a phrase changed by the one at a place."""
        for other in self.sides.terms(at)[:1]:
            meanings = apply_change(how, side.meanings, other.meanings)
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
        forms = tuple(resolve_other(form) for form in meanings if is_informative(form))
        return Read(forms, end) if forms else None


def is_informative(form: Form) -> bool:
    """Decide whether a form tells something of unknowns.

    A noun need not be an unknown: so one alone, or two of which one is the other ("Tom is a farmer"), tell nothing.
    """
    if not any(is_noun(name) for name in form.names):
        return bool(form.names)
    return len(form.names) > 1 and (form.constant != 0 or any(abs(by) != 1 for _, by in form.parts))


def resolve_other(form: Form) -> Form:
    """Return a form in which "the other" is the smaller one, next to the larger one, and the other way round."""
    for known, unknown in ((LARGER, SMALLER), (SMALLER, LARGER)):
        if known in form.names and RANKS[1] in form.names and unknown not in form.names:
            return form.rename({RANKS[1]: unknown})
    return form


# Statements with forms of their own: two numbers at once, ratios, consecutive numbers, remainders and digits.


def read_two(equalities: Equalities, at: int) -> Read | None:
    """Read "two numbers differ by 4", "two numbers whose sum is 20", "numbers have a difference of 4"."""
    sentence, several = equalities.sentence, equalities.referents.plural(at)
    total, difference = equalities.referents.total, equalities.referents.difference
    for names, form in ((TOTAL, total), (DIFFERENCES, difference)):
        if form is None:
            continue
        after = sentence.after(at, "a", names - {"total"}, "of")  # "a total of" may be of anything
        whose = sentence.after(at, "whose", names)
        if after is not None and sentence.word(at - 1) in ("and", "with", "have", "has", "having"):
            return equalities.equal((form,), after)
        if whose is not None and (is_ := equalities.copula(whose)) is not None:
            return equalities.equal((form,), is_)
    if several is None:
        return None
    start = sentence.skip(several.end, (",", "that", "which"))
    after = sentence.after(start, ("differ", "differs", "differing"), "by")
    if after is not None:
        return None if difference is None else equalities.equal((difference,), after)
    for added in ((("add", "sum", "total", "adding"), "up", "to"), (("add", "sum", "adding"), "to"), ("total",)):
        after = sentence.after(start, *added)
        if after is not None:
            return None if total is None else equalities.equal((total,), after)
    return None


def read_ratio(equalities: Equalities, at: int) -> Read | None:
    """Read "the ratio of two numbers is 3 to 4", "in the ratio 3 : 4"; which is which is left open."""
    sentence = equalities.sentence
    if sentence.word(at) != "ratio":
        return None
    for place in range(at + 1, at + 8):
        one, other = sentence.number(place), sentence.number(place + 2)
        if one is not None and other is not None and sentence.word(place + 1) in ("to", ":"):
            products = [
                (apply_change("times", (a,), (FIRST,)), apply_change("times", (b,), (SECOND,)))
                for a, b in ((other, one), (one, other))
            ]
            return Read(tuple(form for a, b in products for form in combine(a, b, Form.minus)), place + 3)
    return None


def read_consecutive(equalities: Equalities, at: int) -> Read | None:
    """Read "two consecutive even numbers"."""
    sentence, word = equalities.sentence, equalities.sentence.word
    count = COUNTS.get(word(at))
    end = sentence.skip(at + 1, KINDS - {"consecutive"})
    if count is None or count > 3 or word(end) != "consecutive" or word(end + 1) == "multiples":
        return None
    parity = next((place for place in range(at, end + 4) if word(place) in ("odd", "even")), None)
    step = Form.number(1, "1") if parity is None else sentence.number(parity) or Form.number(2)
    steps = step if count == 2 else step.times(Form.number(count - 1))
    return None if steps is None else Read((DIFFERENCE.minus(steps),), end + 1)


def read_count(equalities: Equalities, at: int) -> Read | None:
    """Read "5 more boys than girls", "three times as many nickels as dimes"."""
    sentence, word = equalities.sentence, equalities.sentence.word
    number = sentence.number(at)
    if number is None or word(at - 1) in THAN:
        return None
    if word(at + 1) in MORE | LESS and word(at + 3) in THAN:
        place, after, how = at + 2, at + 4, ("plus" if word(at + 1) in MORE else "minus")
    else:
        alike = sentence.after(at + 2 if word(at + 1) in TIMES else at + 1, "as", ("many", "much"))
        if alike is None or word(alike + 1) != "as":
            return None
        place, after, how = alike, alike + 2, "times"
    if not (sentence.is_noun(place) and word(place).endswith("s") and word(after).endswith("s")):
        return None  # things that are counted are many; "as many stamps as Tom" counts the same things twice
    thing = noun(sentence.pieces[place].lemma)
    for side in equalities.sides.terms(after):
        meanings = apply_change(how, side.meanings, (number,))
        found = equalities.told(combine((thing,), meanings, Form.minus), side.end)
        if found is not None:
            return found
    return None


def read_division(equalities: Equalities, side: Side) -> Read | None:
    """Read "… is divided by the smaller, the quotient is 5 and the remainder is 10"."""
    sentence = equalities.sentence
    by = sentence.after(sentence.skip(side.end, (",", "is")), "divided", "by")
    for other in equalities.sides.terms(by) if by is not None else ():
        numbers, at = [], other.end
        for what in ("quotient", "remainder"):
            at = sentence.skip(at, (",", "and", "then", "the", "a", "with"))
            after = sentence.after(at, what)
            if after is None:
                break
            at = sentence.skip(after, ("is", "of"))
            number = sentence.number(at)
            if number is None:
                break
            numbers.append(number)
            at += 1
        else:
            times = apply_change("times", other.meanings, (numbers[0],))
            right = apply_change("plus", times, (numbers[1],))
            return equalities.told(combine(side.meanings, right, Form.minus), at)
    return None


def read_digit_reversal(equalities: Equalities, side: Side) -> Read | None:
    """Read ", its digits are reversed", and "the number is increased by 27" where the digits were reversed."""
    sentence = equalities.sentence
    start = sentence.after(sentence.skip(side.end, (",", "then")), ("its", "the"), "digits")
    if start is not None:
        end = sentence.after(sentence.skip(start, AUXILIARIES | {"are", "be"}), REVERSED)
        return None if end is None else Read(combine(side.meanings, (TURNED,), Form.minus), end)
    changed = sentence.after(side.end, "is", ("increased", "decreased"), "by")
    if side.meanings != (TURNED,) or changed is None:
        return None
    more = sentence.word(changed - 2) == "increased"
    return equalities.equal((TURNED.minus(WRITTEN) if more else WRITTEN.minus(TURNED),), changed)


MAX_RELATIONS = 12  # relations that are read from a text


class Relation(NamedTuple):
    """A statement of a text about its unknowns."""

    forms: Meanings  # one of these is zero
    words: str  # the words of the text that state it
    consecutive: bool = False  # only says that numbers are consecutive, which some annotators put into their unknowns


def read_relations(text: TaggedText, consecutive: bool = True) -> tuple[Relation, ...]:
    """Return the relations of a text, with or without those that say that numbers are consecutive.

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
        """Yield the statements in order, after those of "consecutive", which may stand within others."""
        for at in range(len(self.sentence)):
            found = read_consecutive(self.equalities, at)
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
        found = read_two(self.equalities, at) or read_ratio(self.equalities, at) or read_count(self.equalities, at)
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
        """Decide whether a statement may begin here: after some words, or with words that begin nothing else."""
        sentence = self.sentence
        before = sentence.word(at - 1)
        if at == 0 or before in BEFORE_STATEMENT:
            return True
        joined = TOTAL | DIFFERENCES
        opens = sentence.after(at, THEIR, joined) is not None or sentence.after(at, "the", joined) is not None
        return opens and before not in WITHIN_PHRASE

    def _stated(self, side: Side) -> Read | None:
        """Read the statement that begins with a phrase."""
        equalities = self.equalities
        found = read_division(equalities, side)
        if found is not None:
            return found
        exceeded = self.sentence.after(side.end, ("exceeds", "exceed"))
        for other in equalities.sides.sides(exceeded) if exceeded is not None else ():
            by = self.sentence.after(other.end, "by")
            if by is not None:
                return equalities.equal(combine(side.meanings, other.meanings, Form.minus), by)
        changed = equalities.changed(side) or side
        if equalities.referents.topic.digits:
            found = read_digit_reversal(equalities, side) or read_digit_reversal(equalities, changed)
            if found is not None:
                return found
        is_ = equalities.copula(changed.end)
        if is_ is not None:
            found = equalities.by(changed, is_) or equalities.equal(changed.meanings, is_)
        return found or equalities.result(changed)
