"""What a question asks for: one gold unknown or all of them, by rules on its words.

Gold determines unknowns; a question may ask for all of them or for some. The rules, in their order:

1. A gold with one unknown: it is what is asked for if the question asks for one thing, and that is no function of the
   unknown (the age in 5 years, the number of these digits, three consecutive integers).
2. Words for all: the numbers, each, both, their ages, two questions, "how many x and y".
3. The larger or the smaller: the unknown whose value is that.
4. Numbers: the question names a number that multiplies one unknown, as a rate or a price ("how much at 8 %").
5. Names: equations whose unknowns have names of words (as those of Alg-514), or numbers that multiply an unknown, with
   words of the text next to them; the unknown whose words the question repeats and the other's words it does not.

If no rule applies, nothing is decided.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from fractions import Fraction

from draw_dataset.checks.plausibility import solution_of
from draw_dataset.checks.question import questions_of
from draw_dataset.core.asked import read_asked
from draw_dataset.core.equations import SolutionKind
from draw_dataset.core.problem import Problem
from draw_dataset.core.references import read_equations
from draw_dataset.core.template import Template
from draw_dataset.errors import DrawError
from draw_dataset.text.lexicon import listed

_FUNCTION = re.compile(
    r"\b(?:consec\w*|digits?|in \w+ years|\w+ years (?:ago|from now)|will (?:he|she|it|they|\w+) be|"
    r"when\b.*\b(?:twice|times)|distance|how far|perimeter|area|original|total|tax|portion|altogether|product|interest|"
    r"profit|left|remain\w*|percent\w*|dimensions|integers|sides?|angles?|fraction|ratio|sequence|sum of|in all)\b",
    re.IGNORECASE,
)
"""Words of a question that may ask for a function of gold's unknown."""

_ALL = re.compile(
    r"\b(?:each|both|(?:the|these|those|two|2|three|3) (?:two |2 |three |3 |original |positive )?"
    r"(?:numbers|integers|ages|speeds|rates|prices|costs|amounts|values|lengths)|"
    r"their (?:present |current |own )?(?:ages|speeds|rates)|what are|respectively|"
    r"how old are (?:they|\w+ and \w+|each))\b",
    re.IGNORECASE,
)
_PAIR = re.compile(
    r"\bhow (?:many|much|old|fast|long) (?:[\w'$%.-]+ ){1,5}?and (?:how (?:many|much) )?"
    r"(?!replaced?\b|still\b|mix|to\b|get\b)"
    r"|\b(?:find|what is|what was|determine|what are) the (?:[\w'%.-]+ ){1,8}?and (?:the|a|an|of|how|what|that|for)\b",
    re.IGNORECASE,
)
_CLAUSE = re.compile(
    r"\b(?:how|what|which|find|determine|calculate|give|compute|who|when|where)\b.*", re.IGNORECASE | re.DOTALL
)
_CONDITION = re.compile(r"\s(?:if|so that|in order to|such that|given that|when|assuming)\s", re.IGNORECASE)
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
    listed(
        "how many much what is the was were are of a an did does do will in at for to and each find there cost costs "
        "price number amount per it that this if she he they sold did you your be must should used would than more "
        "less one two on with from by have has had been which when so get make sell solution mixture total his her "
        "their"
    )
)


def asked_by_rule(problem: Problem) -> tuple[str, ...]:
    """Return what the question asks for, as unknowns of the template; nothing where no rule decides.

    Args:
        problem: a problem whose gold can be read.
    """
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
        return (
            ()
            if not clauses or _FUNCTION.search(whole) or _ALL.search(question) or _PAIR.search(question)
            else unknowns
        )
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
        return (order[-1 if larger else 0],) if differ and not _of_each(question) and len(clauses) == 1 else ()
    if _of_each(question) or len(clauses) > 1 or _PAIR.search(question):
        return unknowns
    return _of_a_rate(problem) or _by_words(problem, question)


def asked_unlike(problem: Problem) -> str | None:
    """Find questions that ask for something else than gold's unknowns: a function of them."""
    others = [expression.text for expression in read_asked(problem) if not expression.is_unknown]
    return f"expected an unknown of gold to be asked for, but got {', '.join(others)}" if others else None


def clause_of(sentence: str) -> str:
    """Return the words of a sentence that ask, without its conditions; nothing if none asks.

    >>> clause_of("If a pen costs 3 and she pays 9 , how many pens does she get if there is no tax ?")
    'how many pens does she get'
    """
    match = _CLAUSE.search(_CONDITION.split(sentence)[0]) or _CLAUSE.search(sentence)
    return _CONDITION.split(match[0])[0].rstrip(" .?!") if match else ""


def _by_numbers(problem: Problem) -> tuple[str, ...]:
    """Return the unknowns whose factors the question names: several if it says "and", the first if it says "with"."""
    factors = _factors(problem)
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


def _factors(problem: Problem) -> dict[str, set[Fraction | None]]:
    """Return the values of the numbers that multiply each unknown."""
    derivation = problem.derivation
    system, unknowns = derivation.template.system, derivation.template.unknowns
    found: dict[str, set[Fraction | None]] = {name: set() for name in unknowns}
    for terms in system.terms:
        for column, _, slots in terms:
            if column < len(unknowns):
                found[unknowns[column]] |= {derivation.alignment[derivation.template.slots[s]].value for s in slots}
    return found


def _is_distance(problem: Problem) -> bool:
    """Say whether gold divides its unknown by numbers and sums it up to a number: a distance by speeds, to a time."""
    return any("/" in equation and not re.search(r"=\s*[01]\s*$", equation) for equation in problem.template)


def _of_a_rate(problem: Problem) -> tuple[str, ...]:
    """Return the second unknown where the first is a rate: what one costs, and then what several cost."""
    system, unknowns = problem.derivation.template.system, problem.derivation.template.unknowns
    columns = [{column for column, _, _ in terms if column < len(unknowns)} for terms in system.terms]
    alone = [next(iter(one)) for one in columns if len(one) == 1]
    both = [terms for terms, one in zip(system.terms, columns, strict=True) if len(one) == 2]
    if len(alone) != 1 or len(both) != 1 or any(column >= len(unknowns) for column, _, _ in both[0]):
        return ()
    return (unknowns[1 - alone[0]],)


def _of_each(question: str) -> bool:
    return _ALL.search(question) is not None


def _values(problem: Problem) -> dict[str, Fraction] | None:
    if solution_of(problem) is None:
        return None
    return dict(problem.derivation.solve().values)


def _by_words(problem: Problem, question: str) -> tuple[str, ...]:
    """Return the unknown whose words the question repeats, if it repeats none of the other's."""
    words = {_stem(word) for word in _WORD.findall(question.lower())} - {_stem(word) for word in _DULL}
    told = _named_in_equations(problem) or _named_by_factors(problem)
    if not told:
        return ()
    common = set.intersection(*told.values())
    hits = [name for name, own in told.items() if (own - common) & words]
    return (hits[0],) if len(hits) == 1 else ()


def _named_in_equations(problem: Problem) -> dict[str, set[str]]:
    """Return the words in the names of the equations' unknowns, by the template's unknown of the same value."""
    try:
        source, _ = read_equations(problem.equations)
        solution = Template.of(list(problem.equations), source.unknowns).solve({})
    except DrawError:
        return {}
    values = _values(problem)
    if values is None or solution.kind is not SolutionKind.UNIQUE or not all(len(name) > 2 for name in source.unknowns):
        return {}
    if len(set(values.values())) < len(values):
        return {}
    found: dict[str, set[str]] = {}
    for name, value in solution.values.items():
        near = [unknown for unknown, known in values.items() if abs(known - value) <= abs(known) / 1000]
        if len(near) == 1:
            found[near[0]] = _words(re.split(r"[_\d]+", name.lower()))
    return found if len(found) == len(values) else {}


def _named_by_factors(problem: Problem) -> dict[str, set[str]]:
    """Return the words next to the numbers that multiply each unknown."""
    derivation = problem.derivation
    system, unknowns = derivation.template.system, derivation.template.unknowns
    found: dict[str, set[str]] = {name: set() for name in unknowns}
    for terms in system.terms:
        for column, _, slots in terms:
            if column < len(unknowns):
                for slot in slots:
                    number = derivation.alignment[derivation.template.slots[slot]]
                    found[unknowns[column]] |= _next_to(problem.question, number.start, number.end)
    return found if all(found.values()) else {}


def _next_to(text: str, start: int | None, end: int | None) -> set[str]:
    if start is None or end is None:
        return set()
    before = re.split(r"[.,;?!]| and ", text[:start].lower())[-1].split()[-4:]
    after = re.split(r"[.,;?!]| and ", text[end:].lower())[0].split()[:4]
    return _words([*before, *after])


def _words(words: Iterable[str]) -> set[str]:
    return {_stem(word) for word in words if word.isalpha() and len(word) > 2} - {_stem(word) for word in _DULL}


def _stem(word: str) -> str:
    for end in ("ies", "es", "s", "ren"):
        if word.endswith(end) and len(word) > len(end) + 2:
            return word[: -len(end)]
    return word
