"""Suspicions: reasons to read a problem again because its gold may be wrong.

A defect of `draw_dataset.checks.findings` is certain. Most kinds of suspicion have false alarms, which
docs/known-defects.md counts, so they are no part of a row's findings. A check of one problem returns its message, or
None.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import partial
from itertools import combinations, pairwise
from types import MappingProxyType

from draw_dataset.algebra.linear import Elimination
from draw_dataset.algebra.number import equals_stored, short_number
from draw_dataset.algebra.solution import SolutionKind
from draw_dataset.checks.findings import Finding, list_numbers
from draw_dataset.derivation.consistent import read_equations
from draw_dataset.derivation.derivation import Derivation, Place, TextNumber
from draw_dataset.derivation.equivalence import derivations_equivalent
from draw_dataset.derivation.problem import Problem, read_asked
from draw_dataset.derivation.template import Template
from draw_dataset.errors import DrawError
from draw_dataset.text.lexicon import singular, split_words
from draw_dataset.text.question import (
    asks_for_pair,
    clause_of,
    counts_asked,
    is_about_ages,
    is_about_numbers,
    names_all,
    questions_of,
)
from draw_dataset.text.similarity import THRESHOLD, hash_shingles
from draw_dataset.text.units import MEASURED, UNITS

# Gold solutions that cannot be right.

_PERCENT_ASKED = re.compile(r"\b(?:what|which|find) (?:the )?(?:percent|percentage)\b", re.IGNORECASE)
_CONSECUTIVE = re.compile(r"\bconsec\w*\b", re.IGNORECASE)
_MULTIPLES = re.compile(r"\bmultiples?\b", re.IGNORECASE)
_PARITY = re.compile(r"\b(odd|even)\b", re.IGNORECASE)
_SUM = re.compile(
    r"\b(sum|difference) (?:of|between) (?:the |these |those |both )*(?:two |2 |three |3 )?(?:consecutive )?"
    r"(?:odd |even )?(?:positive |whole |natural )?(?:numbers|integers) (?:is|equals|was) (?=\d)",
    re.IGNORECASE,
)
_LESS_THAN = re.compile(r"\s*(?:less|more|times|greater|fewer|%)\b|\s*%", re.IGNORECASE)
_BELOW_ZERO = re.compile(
    r"\b(?:temperature|below|negative|debt|loss|profit|position|elevation|degrees)\b", re.IGNORECASE
)


def solution_of(problem: Problem) -> list[Fraction] | None:
    """Return gold's exact solution in ascending order; None if it is not unique."""
    if any(number.value is None for number in problem.derivation.alignment.values()):
        return None
    solution = problem.derivation.solve()
    return list(solution.numbers) if solution.kind is SolutionKind.UNIQUE else None


def impossible_solution(problem: Problem) -> str | None:
    """Find impossible solutions: negative measures and counts, fractions of counted things, ages below zero."""
    values = solution_of(problem)
    if values is None:
        return None
    text = problem.question
    if not is_about_numbers(text) and not _BELOW_ZERO.search(text) and values[0] < 0:
        return f"expected no negative solution, but got {short_number(values[0])}"
    if is_about_ages(text) and not is_about_numbers(text) and any(value > 130 for value in values):
        return f"expected ages, but got {short_number(values[-1])}"
    fractions = [value for value in values if value.denominator > 1]
    if counts_asked(text) and fractions and len(fractions) == len(values):
        return f"expected a whole number of what is counted, but got {short_number(fractions[0])}"
    if _PERCENT_ASKED.search(text) and len(values) == 1 and not 0 <= values[0] <= 100:
        return f"expected a percentage, but got {short_number(values[0])}"
    are_digits = all(value.denominator == 1 and 0 <= value <= 9 for value in values)
    if "10" in "".join(problem.template) and "digit" in text.lower() and not are_digits:
        return f"expected digits, but got {list_numbers(values)}"
    return None


def not_consecutive(problem: Problem) -> str | None:
    """Find solutions that are not the consecutive integers of the text."""
    values = solution_of(problem)
    text = problem.question
    if values is None or not _CONSECUTIVE.search(text):
        return None
    if any(value.denominator > 1 for value in values):
        return f"expected integers, but got {list_numbers(values)}"
    if _MULTIPLES.search(text):
        return None
    step = 2 if _PARITY.search(text) else 1
    if len(values) > 1 and any(b - a != step for a, b in pairwise(values)):
        return f"expected integers that are {step} apart, but got {list_numbers(values)}"
    return None


def words_contradict(problem: Problem) -> str | None:
    """Find solutions whose sum or difference contradicts an explicit statement of the text."""
    values = solution_of(problem)
    if values is None or len(values) != 2:
        return None
    starts = {number.start: number for number in problem.numbers}
    for match in _SUM.finditer(problem.question):
        number = starts.get(match.end())
        if number is None or number.value is None or _LESS_THAN.match(problem.question, number.end or 0):
            continue
        got = values[0] + values[1] if match[1].lower() == "sum" else values[1] - values[0]
        if abs(got) != abs(number.value) and not _of_something_else(problem, match.start()):
            wanted = f"the {match[1].lower()} {short_number(number.value)}, as q{number.index} says"
            return f"expected {wanted}, but got {short_number(got)}"
    return None


_UNIT_AFTER = re.compile(
    r"[\s-]*(?:%|percent|hours?|hrs?|minutes?|min\b|days?|weeks?|months?|years?|miles?|km|feet|ft|inch|mph|km/h|m/s|"
    r"pounds?|lbs?|kg|grams?|ounces?|oz|liters?|litres?|ml|gallons?|quarts?|pints?|dollars?|cents?|cups?|times|more|less|"
    r"fewer|points?|meters?|cm)\b",
    re.IGNORECASE,
)
_MONEY_BEFORE = re.compile(r"\$ ?$")


def _find_used_places(problem: Problem) -> set[Place]:
    return {problem.number_classes.of_place(n.place) for n in problem.derivation.alignment.values()}


def _find_unused(problem: Problem, *, in_question: bool) -> str | None:
    """Find numbers of the asking sentence, or numbers with a unit outside it, that the derivation does not use."""
    used = _find_used_places(problem)
    values = {n.value for n in problem.derivation.alignment.values()}
    constants = {abs(Fraction(c)) for t in problem.template for c in re.findall(r"\d*\.?\d+", t)}
    asking = questions_of(problem.question)
    text = problem.question
    for number in problem.numbers:
        if number.value is None or number.start is None or number.end is None:
            continue
        inside = any(span.start <= number.start < span.end for span in asking)
        if inside is not in_question or problem.number_classes.of_place(number.place) in used:
            continue
        if number.value in values or number.value in constants or number.value / 100 in constants:
            continue
        written = number.text or ""
        tells = bool(_UNIT_AFTER.match(text[number.end :]) or _MONEY_BEFORE.search(text[: number.start]))
        if (tells or (in_question and any(c.isdigit() for c in written))) and not _counts_things(text, number.end):
            return f"expected every number to be used, but q{number.index} ({written[:20]}) is not"
    return None


def _counts_things(text: str, end: int) -> bool:
    """Return True if a number counts digits or numbers: a two digit number, three consecutive integers."""
    return bool(re.match(r"[\s-]*(?:digits?|numbers?|consecutive|integers?)\b", text[end:], re.IGNORECASE))


def _of_something_else(problem: Problem, start: int) -> bool:
    """Return True if a sum is not that of the numbers themselves: twice the sum, k% of the sum."""
    before = problem.question[max(0, start - 30) : start].lower()
    return bool(re.search(r"(?:times|twice|half|third|fourth|of|%|if|when|product|and|by) (?:the )?$", before))


# Aligned numbers with the value of another number of the text. If gold should have taken the other one, its solutions
# stay the same, so only a reader can tell. A number that counts things ("two numbers", "3 pieces") is seldom needed.

_COUNTS_KINDS = re.compile(
    r"[\s-]*(?:different |separate |equal |unequal |other |successive |consecutive |odd |even |positive |whole )*"
    r"(?:numbers?|integers?|digits?|pieces?|parts?|kinds?|types?|varieties|brands?|people|persons?|cars?|trains?|planes?|"
    r"accounts?|investments?|solutions?|angles?|sides?|boys|girls|men|women|plans?|companies|friends|brothers|sisters|"
    r"sections?|sizes|ways?|sums|amounts|groups|boats|buses|pipes|candles|jobs|denominations|funds)\b",
    re.IGNORECASE,
)


def equal_unaligned(problem: Problem) -> str | None:
    """Find an aligned number that counts things although an unused number of the same value does not."""
    used = _find_used_places(problem)
    for slot, number in problem.derivation.alignment.items():
        if not _counts_kinds(problem, number):
            continue
        for other in problem.numbers:
            unused = problem.number_classes.of_place(other.place) not in used
            if unused and other.value == number.value and not _counts_kinds(problem, other):
                return f"slot {slot} takes q{number.index}, which counts things, not q{other.index} of the same value"
    return None


def equal_exchanged(problem: Problem) -> str | None:
    """Find two aligned numbers of one value whose exchange makes another derivation."""
    gold, groups = problem.derivation, problem.equiv_tnum
    entries = dict(gold.alignment.items())
    for a, b in combinations(gold.template.slots, 2):
        if entries[a].value is None or entries[a].value != entries[b].value:
            continue
        other = Derivation(gold.template, entries | {a: entries[b], b: entries[a]})
        if not derivations_equivalent(other, gold, groups):
            return f"slots {a} and {b} hold numbers of the same value; exchanging them makes another derivation"
    return None


def _counts_kinds(problem: Problem, number: TextNumber) -> bool:
    return number.end is not None and _COUNTS_KINDS.match(problem.question, number.end) is not None


# Numbers and the words next to them: "5 more than", "5 years ago" and "in 5 years" add; "5 times" and "twice" multiply.

_ADDED = re.compile(
    r"(?:[\s-]+[\w$'-]+){0,2}?\s+(?:more|less|fewer|greater|larger|smaller|older|younger|longer|shorter|wider|faster|slower|"
    r"taller|heavier|cheaper)\s+(?:than|then)\b",
    re.IGNORECASE,
)
_NOT_ADDED = re.compile(r"[\s-]*(?:%|percent|per cent|times|and|,|;|of\b|is\b|are\b|as\b)", re.IGNORECASE)
_TIMES = re.compile(r"[\s-]*times?\s+(?!per\b|a\b (?:day|week|month|year)|for\b|and\b)", re.IGNORECASE)
_YEARS_AFTER = re.compile(r"[\s-]+(?:years?|yrs?)\s+(?:ago|hence|later|earlier|from now|before|after)\b", re.IGNORECASE)
_YEARS = re.compile(r"[\s-]+(?:years?|yrs?)\b(?!\s*-?\s*old)", re.IGNORECASE)
_IN = re.compile(r"\b(?:in|after|within)\s+(?:about\s+)?$", re.IGNORECASE)
_MULTIPLIERS = re.compile(r"(?:twice|thrice|doubled?|tripled?|quadrupled?)$", re.IGNORECASE)


def relation_misread(problem: Problem) -> str | None:
    """Find numbers that multiply although the text adds them, or the other way round."""
    derivation = problem.derivation
    system = derivation.template.system
    with_unknown: set[int] = set()
    without: set[int] = set()
    for terms in system.terms:
        for column, _, slots in terms:
            (with_unknown if column < system.unknown_count else without).update(slots)
    for at, slot in enumerate(derivation.template.slots):
        number = derivation.alignment[slot]
        if is_multiplier(problem, number):
            if at not in with_unknown:
                return f"q{number.index} multiplies in the text, but slot {slot} multiplies no unknown"
        elif _is_added(problem, number) and at not in without:
            return f"q{number.index} is added in the text, but slot {slot} only multiplies unknowns"
    return None


def multiplier_unused(problem: Problem) -> str | None:
    """Find "twice", "3 times" and the like that the derivation does not use."""
    used = _find_used_places(problem)
    for number in problem.numbers:
        if is_multiplier(problem, number) and problem.number_classes.of_place(number.place) not in used:
            return f"expected every multiplier to be used, but q{number.index} ({(number.text or '')[:20]}) is not"
    return None


def is_multiplier(problem: Problem, number: TextNumber) -> bool:
    """Return True if a number multiplies by the word that it is, or by the word after it."""
    if number.end is None:
        return False
    return bool(_MULTIPLIERS.match(number.text or "") or _TIMES.match(problem.question, number.end))


def _is_added(problem: Problem, number: TextNumber) -> bool:
    if number.start is None or number.end is None:
        return False
    text = problem.question
    if _YEARS_AFTER.match(text, number.end) or (_YEARS.match(text, number.end) and _IN.search(text[: number.start])):
        return True
    return _NOT_ADDED.match(text, number.end) is None and _ADDED.match(text, number.end) is not None


# Similar texts, numbers masked, with different gold. Texts with other numbers must be practically equal, because many
# problems differ in one small word (more for less) and so have another derivation. Derivations are compared by the
# ranks of their numbers.


SAME_WORDS = 0.95  # the least likeness of two texts with other numbers
SHORTEST = 12  # shingles of a text that is compared with one of other numbers; short texts are alike by chance


def alike_gold(problems: Sequence[Problem]) -> dict[int, str]:
    """Find problems in nearly the words of another whose gold is another derivation; messages by position."""
    by_count: dict[int, list[int]] = {}
    for at, problem in enumerate(problems):
        by_count.setdefault(len(problem.numbers), []).append(at)
    shingles = [frozenset(hash_shingles(p.question, p.numbers)) for p in problems]
    found: dict[int, list[str]] = {}
    for group in by_count.values():
        holders: dict[int, list[int]] = {}
        for at in group:
            common: dict[int, int] = {}
            for shingle in shingles[at]:
                for other in holders.setdefault(shingle, []):
                    common[other] = common.get(other, 0) + 1
                holders[shingle].append(at)
            for other, count in common.items():
                if _alike(problems, shingles, at, other, count) and not _same(problems[at], problems[other]):
                    found.setdefault(at, []).append(str(problems[other].id))
                    found.setdefault(other, []).append(str(problems[at].id))
    return {
        at: f"expected the derivation of {', '.join(ids[:5])}, whose text is nearly the same, but got another"
        for at, ids in sorted(found.items())
    }


def _alike(problems: Sequence[Problem], shingles: Sequence[frozenset[int]], a: int, b: int, common: int) -> bool:
    likeness = common / (len(shingles[a]) + len(shingles[b]) - common)
    if [n.value for n in problems[a].numbers] == [n.value for n in problems[b].numbers]:
        return likeness >= THRESHOLD
    return likeness >= SAME_WORDS and min(len(shingles[a]), len(shingles[b])) >= SHORTEST


def _same(a: Problem, b: Problem) -> bool:
    try:
        one, other = (Derivation.read(p.derivation.q_notation()) for p in (a, b))
        groups = [
            tuple(rank[n.place] for n in group if n.place in rank)
            for p in (a, b)
            for rank in ({n.place: n.index for n in p.numbers},)
            for group in p.equiv_tnum
        ]
        return derivations_equivalent(one, other) or derivations_equivalent(one, other, _merge_groups(groups))
    except DrawError:
        return True  # nothing can be said


def _merge_groups(groups: Sequence[Sequence[int | None]]) -> list[list[int]]:
    """Return groups without common members: the Equiv groups of both texts together."""
    joined: list[set[int]] = []
    for group in groups:
        members = {rank for rank in group if rank is not None}
        touching = [one for one in joined if one & members]
        joined = [one for one in joined if not one & members]
        joined.append(members.union(*touching))
    return [sorted(one) for one in joined if len(one) > 1]


# The unknowns that a question asks for. With one unknown, it is asked for unless the question asks for a function of
# it. Otherwise: words for all ("each", "both"); "the larger"; a number that multiplies one unknown ("how much at 8 %");
# words of one unknown that the question repeats. If no rule applies, nothing is decided.

_FUNCTION = re.compile(
    r"\b(?:consec\w*|digits?|in \w+ years|\w+ years (?:ago|from now)|will (?:he|she|it|they|\w+) be|"
    r"when\b.*\b(?:twice|times)|distance|how far|perimeter|area|original|total|tax|portion|altogether|product|interest|"
    r"profit|left|remain\w*|percent\w*|dimensions|integers|sides?|angles?|fraction|ratio|sequence|sum of|in all)\b",
    re.IGNORECASE,
)
"""Words of a question that may ask for a function of gold's unknown."""

_OTHER = re.compile(
    r"\b(?:difference|sum|product|in \w+ years|years ago|total|altogether|left|change|more than|fewer|far|distance|"
    r"replaced?|drained|removed?)\b",
    re.IGNORECASE,
)
_THING = r"(?:numbers?|integers?|one|of|two|parts?|pieces?|angles?|sides?|value|$)"
_LARGER = re.compile(rf"\b(?:larger|largest|greater|greatest|bigger|longer|longest) {_THING}", re.IGNORECASE)
_SMALLER = re.compile(rf"\b(?:smaller|smallest|lesser|least|shorter|shortest) {_THING}", re.IGNORECASE)
_RATE = re.compile(r"[\s-]*(?:%|percent|cents?|dollars?|points?|legged|-|[a-z]+s?\b)", re.IGNORECASE)
_TIME = re.compile(r"\b(?:how long|how many hours|how many minutes|how much time|what time|when)\b", re.IGNORECASE)
_WORD = re.compile(r"[a-z]+")
_DULL = frozenset(
    split_words(
        "how many much what is the was were are of a an did does do will in at for to and each find there cost costs "
        "price number amount per it that this if she he they sold did you your be must should used would than more "
        "less one two on with from by have has had been which when so get make sell solution mixture total his her "
        "their"
    )
)


def find_asked(problem: Problem) -> tuple[str, ...]:
    """Return the template's unknowns that the question asks for; nothing if no rule decides."""
    unknowns = problem.derivation.template.unknowns
    asking = questions_of(problem.question)
    values = _values(problem)
    if not asking or values is None:
        return ()
    clauses = [clause for span in asking if (clause := clause_of(span.text))]
    question = " ".join(clauses)
    if len(unknowns) == 1:
        whole = f"{question} {problem.question if 'consec' in problem.question.lower() else ''}"
        if _TIME.search(question) and _is_distance(problem):
            return ()
        several = names_all(question) or asks_for_pair(question)
        return () if not clauses or several or _FUNCTION.search(whole) else unknowns
    if len(unknowns) > 2 or "digit" in problem.question.lower() or not clauses or _OTHER.search(question):
        return ()
    by_number = () if _of_a_rate(problem) else _by_numbers(problem)
    if by_number:
        return by_number
    larger, smaller = _LARGER.search(question), _SMALLER.search(question)
    if larger and smaller:
        return unknowns
    if larger or smaller:
        order = sorted(unknowns, key=lambda name: values[name])
        differ = values[order[0]] != values[order[1]]
        return (order[-1 if larger else 0],) if differ and not names_all(question) and len(clauses) == 1 else ()
    if names_all(question) or len(clauses) > 1 or asks_for_pair(question):
        return unknowns
    return _of_a_rate(problem) or _by_words(problem, question)


def find_other_asked(problem: Problem) -> str | None:
    """Find questions that ask for a function of gold's unknowns, other than the next consecutive number."""
    others = [expression.text for expression in read_asked(problem) if not expression.is_next]
    return f"expected an unknown of gold to be asked for, but got {', '.join(others)}" if others else None


def _by_numbers(problem: Problem) -> tuple[str, ...]:
    """Return the unknowns whose factors the question names: several if it says "and", the first if it says "with"."""
    factors = {name: {n.value for n in numbers} for name, numbers in _factors(problem).items()}
    spans = [(span.start, span.end) for span in questions_of(problem.question)]
    text = problem.question
    named: list[tuple[str, int, int]] = []
    for number in problem.numbers:
        if number.start is None or number.end is None or not any(a <= number.start < b for a, b in spans):
            continue
        owners = {name for name, values in factors.items() if number.value in values}
        if len(owners) == 1:
            named.append((owners.pop(), number.start, number.end))
    if not named or len(named) > 2 or not _RATE.match(text, named[0][2]):
        return ()
    if not re.search(r"\bhow (?:many|much)\b|\bamount\b", text[spans[0][0] : named[0][1]], re.IGNORECASE):
        return ()
    if len(named) == 1 or named[0][0] == named[1][0]:
        return (named[0][0],)
    between = text[named[0][2] : named[1][1]].lower()
    if re.search(r"\b(?:with|to|from)\b", between):
        return (named[0][0],)
    return problem.derivation.template.unknowns if re.search(r"\band\b|\?", between) else ()


def _factors(problem: Problem) -> dict[str, list[TextNumber]]:
    """Return the numbers that multiply each unknown."""
    derivation = problem.derivation
    system, unknowns = derivation.template.system, derivation.template.unknowns
    found: dict[str, list[TextNumber]] = {name: [] for name in unknowns}
    for terms in system.terms:
        for column, _, slots in terms:
            if column < len(unknowns):
                found[unknowns[column]] += derivation.alignment.in_slots(derivation.template.slots[s] for s in slots)
    return found


def _is_distance(problem: Problem) -> bool:
    """Return True if gold divides its unknown by numbers, as a distance by speeds, and sums up to a number."""
    return any("/" in equation and not re.search(r"=\s*[01]\s*$", equation) for equation in problem.template)


def _of_a_rate(problem: Problem) -> tuple[str, ...]:
    """Return the second unknown if the first is a rate, such as the price of one and the price of several."""
    system, unknowns = problem.derivation.template.system, problem.derivation.template.unknowns
    columns = [{column for column, _, _ in terms if column < len(unknowns)} for terms in system.terms]
    alone = [next(iter(one)) for one in columns if len(one) == 1]
    both = [terms for terms, one in zip(system.terms, columns, strict=True) if len(one) == 2]
    if len(alone) != 1 or len(both) != 1 or any(column >= len(unknowns) for column, _, _ in both[0]):
        return ()
    return (unknowns[1 - alone[0]],)


def _values(problem: Problem) -> dict[str, Fraction] | None:
    if solution_of(problem) is None:
        return None
    return dict(problem.derivation.solve().values)


def _by_words(problem: Problem, question: str) -> tuple[str, ...]:
    """Return the unknown whose words the question repeats, if it repeats none of the other's."""
    words = {singular(word) for word in _WORD.findall(question.lower())} - {singular(word) for word in _DULL}
    told = _names_in_equations(problem) or _names_of_factors(problem)
    if not told:
        return ()
    common = set.intersection(*told.values())
    hits = [name for name, own in told.items() if (own - common) & words]
    return (hits[0],) if len(hits) == 1 else ()


def _names_in_equations(problem: Problem) -> dict[str, set[str]]:
    """Return the words in the names of the equations' unknowns, by the template's unknown of the same value."""
    try:
        source, _ = read_equations(problem.equations)
        solution = Template.coerce(list(problem.equations), source.unknowns).solve({})
    except DrawError:
        return {}
    values = _values(problem)
    if values is None or solution.kind is not SolutionKind.UNIQUE or not all(len(name) > 2 for name in source.unknowns):
        return {}
    if len(set(values.values())) < len(values):
        return {}
    found: dict[str, set[str]] = {}
    for name, value in solution.values.items():
        near = [unknown for unknown, known in values.items() if equals_stored(known, value)]
        if len(near) == 1:
            found[near[0]] = _words(re.split(r"[_\d]+", name.lower()))
    return found if len(found) == len(values) else {}


def _names_of_factors(problem: Problem) -> dict[str, set[str]]:
    """Return the words next to the numbers that multiply each unknown."""
    found: dict[str, set[str]] = {
        name: set().union(*(_next_to(problem.question, number.start, number.end) for number in numbers))
        for name, numbers in _factors(problem).items()
    }
    return found if all(found.values()) else {}


def _next_to(text: str, start: int | None, end: int | None) -> set[str]:
    if start is None or end is None:
        return set()
    before = re.split(r"[.,;?!]| and ", text[:start].lower())[-1].split()[-4:]
    after = re.split(r"[.,;?!]| and ", text[end:].lower())[0].split()[:4]
    return _words([*before, *after])


def _words(words: Iterable[str]) -> set[str]:
    return {singular(word) for word in words if word.isalpha() and len(word) > 2} - {singular(word) for word in _DULL}


# Dimension check: all terms of an equation must have the same unit. The unit of a number comes from its neighbouring
# words; those of unknowns and of other numbers are free. For each base unit they solve a linear system in exponents.
# Hours and minutes, dollars and cents are different units, unless the equations have a constant such as 60 or 0.01.


Unit = dict[str, int]  # base units with their exponents

_WORDS: dict[str, tuple[str, str]] = {
    word: (unit.family, unit.name) for unit in UNITS.values() if unit.family in MEASURED for word in unit.spellings
} | {"s": ("time", "second"), "in.": ("length", "inch"), "lb.": ("weight", "pound"), "lbs.": ("weight", "pound")}

_SPEEDS = {
    "mph": ("mile", "hour"), "mi/h": ("mile", "hour"), "miles/hour": ("mile", "hour"), "mi/hr": ("mile", "hour"),
    "km/h": ("kilometer", "hour"), "km/hr": ("kilometer", "hour"), "kph": ("kilometer", "hour"),
    "kmph": ("kilometer", "hour"), "m/s": ("meter", "second"), "ft/s": ("foot", "second"),
    "m.p.h": ("mile", "hour"), "mph.": ("mile", "hour"), "m/min": ("meter", "minute"), "k/m": ("kilometer", "?"),
}  # fmt: skip
_KIND_OF = {unit: kind for kind, unit in _WORDS.values()}
_PER = frozenset(("per", "a", "an", "each", "every", "/"))
_UNIT_WORD = re.compile(r"[A-Za-z/.%$]+")
_PLAIN = frozenset(("times", "of"))
_PERCENT = frozenset(("%", "percent"))
_KNOWN = -1  # the key of the exponents that the text says, among those of unknowns and free slots
_FASTER = re.compile(r"[^.,;?]{0,25}\b(?:faster|slower|more per|less per|more|less|quicker)\b", re.IGNORECASE)


def dimension_mismatch(problem: Problem) -> str | None:
    """Find equations whose terms cannot all have one unit."""
    derivation = problem.derivation
    system = derivation.template.system
    numbers = derivation.alignment.in_slots(derivation.template.slots)
    units = [unit_of(problem.question, number.start, number.end) for number in numbers]
    if sum(bool(unit) for unit in units) < 2:
        return None
    converts = any(len({abs(Fraction(coefficient)) for _, coefficient, _ in terms}) > 1 for terms in system.terms)
    if converts:
        units = [None if unit is None else _by_kind(unit) for unit in units]
    if any(unit and _is_price(unit) for unit in units):
        # "3 and 4 dollars a pound": a sum of money next to a price may be a price, too.
        units = [None if unit in ({"dollar": 1}, {"cent": 1}, {"money": 1}) else unit for unit in units]
    found: list[dict[str, Fraction]] = [{} for _ in range(system.unknown_count)]
    for base in sorted({name for unit in units if unit for name in unit}):
        exponents = _exponents(system.terms, units, base, system.unknown_count)
        if exponents is None:
            return f"expected terms of the same unit, but the units differ in {base}"
        for unknown, exponent in zip(found, exponents, strict=True):
            if exponent:
                unknown[base] = exponent
    for unknown, name in zip(found, derivation.template.unknowns, strict=True):
        kinds = [_KIND_OF.get(base, base) for base in unknown]
        mixed = sorted(base for base in unknown if kinds.count(_KIND_OF.get(base, base)) > 1)
        if mixed:
            return f"expected an unknown in one unit, but {name} has {' and '.join(mixed)}"
    return None


def unit_of(text: str, start: int | None, end: int | None) -> Unit | None:
    """Return the unit of a number by its neighbouring words; None if they do not say.

    >>> unit_of("at 40 miles per hour for $ 3 a pound", 3, 5)
    {'mile': 1, 'hour': -1}
    >>> unit_of("at 40 miles per hour for $ 3 a pound", 27, 28)
    {'dollar': 1, 'pound': -1}
    """
    if start is None or end is None:
        return None
    words = [w.lower() for w in _UNIT_WORD.findall(text[end : end + 60].split(" , ")[0])][:5]
    unit: Unit = {}
    if _FASTER.match(text, end) and not (words and words[0] in _PERCENT):
        return None  # 5 miles faster: of what it is a difference is not said
    if text[:start].rstrip().endswith("$"):
        unit["dollar"] = 1
    elif words and words[0] in _SPEEDS:
        above, below = _SPEEDS[words[0]]
        return {above: 1} if below == "?" else {above: 1, below: -1}
    elif words and words[0] in _WORDS:
        unit[_WORDS[words[0]][1]] = 1
        words = words[1:]
    elif words and words[0] in _PERCENT:
        return {"percent": 1}
    elif words and words[0] in _PLAIN:
        return {}
    else:
        return None
    if len(words) > 1 and words[0] in _PER and words[1] in _WORDS:
        below = _WORDS[words[1]][1]
        unit[below] = unit.get(below, 0) - 1
    elif words and words[0] in ("per", "each", "apiece", "every", "for", "a", "an"):
        return None  # per something that is no unit of ours
    return unit


def _is_price(unit: Mapping[str, int]) -> bool:
    return any(unit.get(name) == 1 for name in ("dollar", "cent", "money")) and len(unit) > 1


def _by_kind(unit: Mapping[str, int]) -> Unit:
    found: Unit = {}
    for name, exponent in unit.items():
        if name == "percent":
            continue  # 0.01 is what converts it
        kind = _KIND_OF[name]
        found[kind] = found.get(kind, 0) + exponent
    return found


def _exponents(
    equations: Sequence[Sequence[tuple[int, int, Sequence[int]]]],
    units: Sequence[Unit | None],
    base: str,
    unknown_count: int,
) -> list[Fraction | None] | None:
    """Return the exponent of one base unit in each unknown (None if it is free); None if there is no solution."""
    free = {slot: unknown_count + n for n, slot in enumerate(s for s, unit in enumerate(units) if unit is None)}
    elimination: Elimination[int] = Elimination()
    for terms in equations:
        first: Counter[int] | None = None
        for column, _, slots in terms:
            if column >= unknown_count and not slots:
                continue  # a constant has whatever unit it needs
            exponents = Counter([column] if column < unknown_count else [])
            for slot in slots:
                unit = units[slot]
                if unit is None:
                    exponents[free[slot]] += 1
                else:
                    exponents[_KNOWN] += unit.get(base, 0)
            if first is None:
                first = exponents
                continue
            exponents.subtract(first)
            constant = Fraction(exponents.pop(_KNOWN, 0))
            row = {unknown: Fraction(exponent) for unknown, exponent in exponents.items()}
            if not elimination.add(row, constant) and elimination.reduce(row, constant)[1]:
                return None
    known = elimination.values()
    return [known.get(column) for column in range(unknown_count)]


SUSPICIONS: Mapping[str, str] = MappingProxyType(
    {
        "impossible-solution": "an impossible solution: a negative measure, a fractional count, a digit outside 0 to 9",
        "not-consecutive": "solutions that are not the consecutive integers that the text speaks of",
        "words-contradict": "solutions whose sum or difference is not the one that the text states",
        "relation-misread": "a number that only multiplies where the text adds it, or the other way round",
        "multiplier-unused": "twice, 3 times and so on, which the derivation does not use",
        "question-number-unused": "a number of the sentence that asks, which the derivation does not use",
        "number-unused": "a number with a unit, which the derivation does not use",
        "dimension-mismatch": "equations whose terms cannot all have one unit",
        "equal-unaligned": "an aligned number that counts things, though an unused number of the same value does not",
        "equal-exchanged": "two numbers of the same value; exchanging them makes another derivation",
        "asked-unlike": "a question that asks not for gold's unknowns but for a function of them",
        "alike-gold": "nearly the words of another problem, with another derivation",
    }
)
"""Every kind of suspicion with its meaning."""

WEAK = frozenset({"equal-exchanged", "number-unused", "question-number-unused", "asked-unlike", "alike-gold"})
"""The kinds that are false alarms more often than not."""

OF_TOKENS = frozenset({"relation-misread", "multiplier-unused", "dimension-mismatch", "equal-unaligned"})
"""The kinds that show a wrong number of the right value; answers write values, so they cannot contradict it."""

_OF_ONE: dict[str, Callable[[Problem], str | None]] = {
    "impossible-solution": impossible_solution,
    "not-consecutive": not_consecutive,
    "words-contradict": words_contradict,
    "relation-misread": relation_misread,
    "multiplier-unused": multiplier_unused,
    "question-number-unused": partial(_find_unused, in_question=True),
    "number-unused": partial(_find_unused, in_question=False),
    "dimension-mismatch": dimension_mismatch,
    "equal-unaligned": equal_unaligned,
    "equal-exchanged": equal_exchanged,
    "asked-unlike": find_other_asked,
}


def suspicions_of(problem: Problem) -> list[Finding]:
    """Return the suspicions that one problem raises by itself; none if its gold cannot be read."""
    if not _is_readable(problem):
        return []
    told = ((code, check(problem)) for code, check in _OF_ONE.items())
    return [Finding(code, problem.id, message) for code, message in told if message]


def find_suspicions(problems: Sequence[Problem], *, progress: bool = False) -> list[Finding]:
    """Return the suspicions of all problems, in the order of `SUSPICIONS` and then of the problems."""
    from tqdm import tqdm  # imported here, so that the command line starts fast

    readable = [problem for problem in problems if _is_readable(problem)]
    found = [
        finding
        for problem in tqdm(readable, "suspecting", unit=" problems", disable=not progress)
        for finding in suspicions_of(problem)
    ]
    found += [Finding("alike-gold", readable[at].id, message) for at, message in alike_gold(readable).items()]
    order = {code: position for position, code in enumerate(SUSPICIONS)}
    return sorted(found, key=lambda finding: order[finding.code])


def _is_readable(problem: Problem) -> bool:
    try:
        _ = problem.derivation, problem.number_classes, read_asked(problem)
    except DrawError:
        return False
    return True
