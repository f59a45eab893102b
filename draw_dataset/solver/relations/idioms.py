"""Statements of a shape of their own: of two numbers at once, of ratios, consecutive numbers, remainders and digits."""

from __future__ import annotations

from draw_dataset.solver.relations.equalities import Equalities, Read
from draw_dataset.solver.relations.forms import DIFFERENCE, FIRST, SECOND, Form, combined, noun
from draw_dataset.solver.relations.referents import TURNED, WRITTEN
from draw_dataset.solver.relations.sides import Side, applied
from draw_dataset.solver.relations.words import (
    AUXILIARIES,
    COUNTS,
    DIFFERENCES,
    KINDS,
    LESS,
    MORE,
    REVERSED,
    THAN,
    TIMES,
    TOTAL,
)


def of_two(equalities: Equalities, at: int) -> Read | None:
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


def ratio(equalities: Equalities, at: int) -> Read | None:
    """Read "the ratio of two numbers is 3 to 4", "in the ratio 3 : 4"; which is which is left open."""
    sentence = equalities.sentence
    if sentence.word(at) != "ratio":
        return None
    for place in range(at + 1, at + 8):
        one, other = sentence.number(place), sentence.number(place + 2)
        if one is not None and other is not None and sentence.word(place + 1) in ("to", ":"):
            products = [
                (applied("times", (a,), (FIRST,)), applied("times", (b,), (SECOND,)))
                for a, b in ((other, one), (one, other))
            ]
            return Read(tuple(form for a, b in products for form in combined(a, b, Form.minus)), place + 3)
    return None


def consecutive(equalities: Equalities, at: int) -> Read | None:
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


def counted(equalities: Equalities, at: int) -> Read | None:
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
        meanings = applied(how, side.meanings, (number,))
        found = equalities.told(combined((thing,), meanings, Form.minus), side.end)
        if found is not None:
            return found
    return None


def divided(equalities: Equalities, side: Side) -> Read | None:
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
            times = applied("times", other.meanings, (numbers[0],))
            right = applied("plus", times, (numbers[1],))
            return equalities.told(combined(side.meanings, right, Form.minus), at)
    return None


def turned(equalities: Equalities, side: Side) -> Read | None:
    """Read ", its digits are reversed", and "the number is increased by 27" where the digits were reversed."""
    sentence = equalities.sentence
    start = sentence.after(sentence.skip(side.end, (",", "then")), ("its", "the"), "digits")
    if start is not None:
        end = sentence.after(sentence.skip(start, AUXILIARIES | {"are", "be"}), REVERSED)
        return None if end is None else Read(combined(side.meanings, (TURNED,), Form.minus), end)
    changed = sentence.after(side.end, "is", ("increased", "decreased"), "by")
    if side.meanings != (TURNED,) or changed is None:
        return None
    more = sentence.word(changed - 2) == "increased"
    return equalities.equal((TURNED.minus(WRITTEN) if more else WRITTEN.minus(TURNED),), changed)
