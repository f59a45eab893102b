"""Roles of unknowns: which thing of a problem each unknown is, and answers that exchange them.

Algorithm 1 does not say which unknown is which, so an answer that calls the right answers wrong passes it. The row
tells by its `roles`; else the words of the problem do: the names in the annotated equations, or the words around the
numbers that an unknown is multiplied with or compared to. An answer says what a letter is where it defines it, and what
a result is beside the number.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from draw_dataset.algebra.solution import SolutionKind, solve
from draw_dataset.derivation.derivation import TextNumber
from draw_dataset.derivation.problem import Problem
from draw_dataset.errors import DrawError
from draw_dataset.reading.result import Final
from draw_dataset.text.lexicon import LEXICON, WordClass, split_words, stem, things
from draw_dataset.text.question import is_about_numbers, thing_asked

Words = frozenset[str]


@dataclass(frozen=True, slots=True)
class Roles:
    """The words that tell the two unknowns of a problem apart, in the order of gold's solutions."""

    words: tuple[Words, ...] = ()
    values: tuple[Fraction, ...] = ()  # of the two; if gold has one unknown, the other is what is left of a total
    annotated: bool = False  # whether the annotation names the unknowns, and not only the text beside their numbers
    asked: bool = False  # whether the question asks for just one of them by these words

    def __bool__(self) -> bool:
        return len(self.words) == 2 and all(self.words)

    @property
    def needed(self) -> int:
        """How many exchanged names are no chance: words around numbers may belong to something else."""
        return 1 if self.annotated else 2

    def told_by(self, said: Collection[str]) -> int | None:
        """Return the unknown that some words are about; None if they are about both or none."""
        hit = [not words.isdisjoint(said) for words in self.words]
        return hit.index(True) if sum(hit) == 1 else None


NO_ROLES = Roles()


def roles_of(problem: Problem, solutions: Sequence[Fraction]) -> Roles:
    """Return the roles of the two unknowns of a problem; empty if there are not two, or nothing tells them apart.

    An unknown and what is left of a total are two: m and q3 - m in q1*m + q2*(q3 - m) = q4.
    """
    if len(solutions) == 1:
        return _roles_with_rest(problem, solutions[0])
    if len(solutions) != 2 or len(set(solutions)) != 2:
        return NO_ROLES
    values = tuple(solutions)
    roles = [problem.role_of.get(name, "") for name in problem.derivation.template.unknowns]
    named = _told_apart([_stems(_WITHOUT.split(role)[0]) for role in roles])
    if not all(named):
        named = _names_in_equations(problem, solutions)
    if all(named):
        return Roles(named, values, annotated=True)
    return _roles_around_numbers(problem.question, _words_around_numbers(problem), values)


def _roles_around_numbers(question: str, words: tuple[Words, ...], values: tuple[Fraction, ...]) -> Roles:
    roles = Roles(words, values)
    return replace(roles, asked=roles.told_by(_stems(thing_asked(question))) is not None) if roles else NO_ROLES


def _roles_with_rest(problem: Problem, value: Fraction) -> Roles:
    """Return the roles of the only unknown of a problem and of what it leaves of a total; empty if it has no such."""
    system, places = problem.derivation.template.system, problem.derivation.places
    numbers = {number.place: number for number in problem.numbers if number.start is not None}
    if system.unknown_count != 1 or "respectively" in problem.question.lower():
        return NO_ROLES
    for terms in system.terms:
        own = {slots[0]: by for column, by, slots in terms if column == 0 and len(slots) == 1}
        products = [(by, slots) for column, by, slots in terms if column == 1 and len(slots) == 2]
        # In b*c - b*m, which is b*(c - m), c is a total.
        left = [(b, c) for by, (one, two) in products for b, c in ((one, two), (two, one)) if own.get(b) == -by]
        if len(own) != 2 or len(products) != 1 or len(left) != 1 or sum(own.values()) != 0:
            continue
        rest, total = left[0]
        (unknown,) = own.keys() - {rest}
        there = [numbers.get(places[slot]) for slot in (unknown, rest, total)]
        if None in there or there[2] is None or there[2].value is None or total in own:
            continue
        told = _told_apart([_words_beside(problem, number) for number in there[:2] if number is not None])
        values = (value, there[2].value - value)
        return _roles_around_numbers(problem.question, told, values) if 0 < value != values[1] > 0 else NO_ROLES
    return NO_ROLES


_WITHOUT = re.compile(r"\b(?:without|except|excluding|not)\b")


def _names_in_equations(problem: Problem, solutions: Sequence[Fraction]) -> tuple[Words, ...]:
    """Return the names that the annotated equations give the unknowns, where the question has these words."""
    equations = [equation for equation in problem.equations if equation.strip()]
    names = list(dict.fromkeys(re.findall(r"[A-Za-z]{3,}(?:_[A-Za-z]+)*", " ".join(equations))))
    if len(names) != 2:
        return Words(), Words()
    try:
        solution = solve(equations)
    except DrawError:
        return Words(), Words()
    question = {stem(word) for word in re.findall(r"[A-Za-z']+", problem.question)}
    found: list[Words] = []
    for value in solutions:
        fitting = [name for name, own in solution.values.items() if abs(own - value) * 1000 <= abs(value)]
        if solution.kind is not SolutionKind.UNIQUE or len(fitting) != 1:
            return Words(), Words()
        found.append(Words(stem(word) for word in fitting[0].split("_")) & question)
    return _told_apart(found)


def _told_apart(words: Sequence[Collection[str]]) -> tuple[Words, ...]:
    """Return the words of each of two unknowns that are not the other's."""
    if len(words) != 2:
        return Words(), Words()
    one, other = map(frozenset, words)
    return one - other, other - one


def asked_unknown(question: str, roles: Roles, values: Mapping[str, Fraction], text: str = "") -> int | None:
    """Return which of several unknowns a question asks for; None if that is not clear.

    Args:
        question: the text of the problem.
        roles: what is known of the unknowns.
        values: the values of the unknowns by their names in a solution, in their order.
        text: the solution, which may say what its letters are.
    """
    asked = thing_asked(question)
    if not asked:
        return None
    extreme = next((choose for word, choose in _EXTREMES.items() if asked.lower().startswith(word)), None)
    if extreme is not None and is_about_numbers(asked):
        return list(values.values()).index(extreme(values.values()))
    said = _stems(asked) | {stem(word) for word in asked.lower().split()}
    told = definitions(text, [name for name in values if len(name) == 1]) if text else {}
    words = [told.get(name, set()) | {stem(part) for part in name.lower().split("_")} for name in values]
    hits = [at for at, own in enumerate(words) if own & said]
    if not hits and roles and len(values) == len(roles.words):
        unknown = roles.told_by(said)
        hits = [] if unknown is None else [unknown]
    if not hits:
        head = [word[0].lower() for word in asked.split()[-1:]]
        hits = [at for at, name in enumerate(values) if len(name) == 1 and name.lower() in head]
    return hits[0] if len(hits) == 1 else None


_EXTREMES: dict[str, Callable[[Collection[Fraction]], Fraction]] = {
    **dict.fromkeys(("larg", "great", "bigg"), max),
    **dict.fromkeys(("small", "less", "least"), min),
}

_BOUNDARY = re.compile(r"[.,;:?!]|\b(?:and|while|but|or|whereas)\b", re.IGNORECASE)
_SENTENCE = re.compile(r"[.?!](?=\s|$)")
_MORE = re.compile(r"\b(?:more|older|longer|greater|larger|bigger|taller|heavier|faster|higher|farther|exceeds?)\b")
_LESS = re.compile(r"\b(?:less|fewer|younger|shorter|smaller|lighter|slower|lower)\b")
_TIMES_AS = re.compile(r"\b(?:times )?as (?:many|much) (.{1,60}?) as (.{1,60}?)(?:[.,;?!]|$)")
_THAN = re.compile(r"\bthan (.{1,60}?)(?:[.,;?!]|\band\b|$)")


def _words_around_numbers(problem: Problem) -> tuple[Words, ...]:
    """Return the words around the numbers that only one unknown is multiplied with, and of comparisons."""
    system, places = problem.derivation.template.system, problem.derivation.places
    numbers = {number.place: number for number in problem.numbers if number.start is not None}
    if system.unknown_count != 2 or "respectively" in problem.question.lower():
        return Words(), Words()
    around: tuple[set[str], set[str]] = (set(), set())
    for terms in system.terms:
        unknowns = [(column, coefficient, slots) for column, coefficient, slots in terms if column < 2]
        rest = [(coefficient, slots) for column, coefficient, slots in terms if column == 2]
        columns = {column for column, _, _ in unknowns}
        if len(columns) < 2:
            continue
        if len(unknowns) == 2 and (compared := _compared(unknowns, rest)) is not None:
            larger, slot = compared
            number = numbers.get(places[slot])
            if number is not None:
                _add_compared(problem.question, number, around[larger], around[1 - larger])
            continue
        for column, _, slots in unknowns:
            for slot in slots:
                number = numbers.get(places[slot])
                shared = any(slot in others for other, _, others in unknowns if other != column)
                if number is not None and not shared:
                    around[column].update(_words_beside(problem, number))
    one, other = around
    return Words(one - other), Words(other - one)


def _compared(
    unknowns: Sequence[tuple[int, int, Sequence[int]]], rest: Sequence[tuple[int, Sequence[int]]]
) -> tuple[int, int] | None:
    """Return which unknown is the larger one and the number that says by how much, if an equation compares two."""
    (one, a, left), (other, b, right) = unknowns
    if (a > 0) == (b > 0):
        return None
    if not rest and len(left) + len(right) == 1:  # m = q*n
        return (other, left[0]) if left else (one, right[0])
    if not left and not right and abs(a) == abs(b) and len(rest) == 1 and len(rest[0][1]) == 1:
        c, slots = rest[0]  # m - n - q = 0
        positive = one if a > 0 else other
        return (positive if c < 0 else 1 - positive), slots[0]
    return None


def _add_compared(question: str, number: TextNumber, larger: set[str], smaller: set[str]) -> None:
    """Add the words of a comparison: A is 3 more than B, 3 times as many A as B."""
    start, end = _sentence(question, number)
    before, after = question[start : number.start].lower(), question[number.end : end].lower()
    times = _TIMES_AS.search(after)
    if times is not None:
        larger.update(_stems(times[1]))
        smaller.update(_stems(times[2]))
        return
    than = _THAN.search(after)
    first = re.split(r"\b(?:is|are|was|were|has|have|had|costs?|weighs?|sold|needs?)\b", before)[0]
    if than is None or first == before or _BOUNDARY.search(first):
        return
    more, less = _MORE.search(after[: than.start()]), _LESS.search(after[: than.start()])
    if (more is None) != (less is None):
        (larger if more else smaller).update(_stems(first))
        (smaller if more else larger).update(_stems(than[1]))


def _words_beside(problem: Problem, number: TextNumber) -> set[str]:
    """Return the words of the clause that a number stands in, up to the next number."""
    question = problem.question
    start, end = _sentence(question, number)
    others = [(n.start, n.end) for n in problem.numbers if n.start is not None and n.end is not None]
    start = max([start, *(last for _, last in others if last <= (number.start or 0))])
    end = min([end, *(first for first, _ in others if first >= (number.end or 0))])
    before = _BOUNDARY.split(question[start : number.start])[-1]
    after = _BOUNDARY.split(question[number.end : end])[0]
    coin = question[number.start : number.end].lower()  # a quarter is a number, too
    return _stems(before) | _stems(after) | ({stem(coin)} if coin in _COINS else set())


def _sentence(question: str, number: TextNumber) -> tuple[int, int]:
    at = number.start or 0
    start = max((found.end() for found in _SENTENCE.finditer(question, 0, at)), default=0)
    stop = _SENTENCE.search(question, number.end or at)
    return start, stop.start() if stop else len(question)


_COINS = frozenset(word for word, known in LEXICON.items() if known[0] is WordClass.COIN)
_VAGUE = frozenset(
    map(
        stem,
        split_words(
            "one two number numbers amount quantity value total sum first second other each kind type unknown cost "
            "costs price dollar dollars cent cents sold sell year years hour hours mile miles find what how"
        ),
    )
)


def _stems(text: str) -> set[str]:
    words = [word for word in re.findall(r"[A-Za-z']+", text) if len(word) > 2]
    return {stem(thing) for word in words for thing in things([word])} - _VAGUE


# What an answer says


_MARKUP = re.compile(r"\\(?:text|mathrm|textbf|mathbf)\b|\\[()\[\]]|[$*`{}#\"“”‘’]|(?<![A-Za-z])'|'(?![A-Za-z])")
_SAID = r"(?: (?:be|is|are|represents?|stands? for|denotes?|equals?|for|as) | ?[=:] ?)"
_WORDS = r"[A-Za-z][A-Za-z '-]{2,70}"
_READ = 4_000  # characters of an answer in which it defines its letters
_NEXT = re.compile(r"\b(?:and|let|so|then|where|which|while)\b|,")


def definitions(answer: str, letters: Collection[str]) -> dict[str, set[str]]:
    """Return the words by which an answer says what letters, or names, stand for.

    >>> told = definitions("Let x be the number of adults and y the number of children.", ["x", "y"])
    >>> sorted(told["x"]), sorted(told["y"])
    (['adult'], ['child'])
    >>> definitions("Call the tulips 't'.", ["t"])
    {'t': {'tulip'}}
    """
    text = _MARKUP.sub("", answer[:_READ])
    found: dict[str, set[str]] = {}
    for letter in letters:
        words = _definition(text, letter) if re.fullmatch("[A-Za-z]", letter) else _stems(letter.replace("_", " "))
        if words:
            found[letter] = words
    return found


class _Definitions(NamedTuple):
    """The patterns of a definition of one letter, each for one place of the letter."""

    letter: re.Pattern[str]
    ordered: re.Pattern[str]  # which word is for which letter follows from their order
    after: re.Pattern[str]  # the letter, then words
    joined: re.Pattern[str]  # "and", the letter, then words
    called: re.Pattern[str]  # a verb, words, then the letter
    before: re.Pattern[str]  # words, then the letter


_LINKS = ("=", "= ", ":", ": ", " be ", " is ", " as ", " by ")  # what stands between words and their letter
_LISTED = (",", ", ", " ")  # and after a verb such as "call"
_BEFORE = 90  # characters before a letter that a pattern of words before it may take: a verb, 71 of words, a copula
_AFTER = 3  # characters after a letter that decide whether it is a factor of something


@lru_cache(maxsize=1 << 8)
def _definitions_of(letter: str) -> _Definitions:
    """Return the patterns for a letter."""
    x = rf"(?<![A-Za-z']){letter}(?![A-Za-z'])"
    patterns = [
        x,
        rf"{x}{_SAID}({_WORDS})",
        rf"\band {x} (?:the |number |of |amount )+({_WORDS})",
        rf"\b(?:call|let|denote|with) ({_WORDS}?)(?: (?:be|is|as|by) | ?[=:,] ?| ){x}(?! ?[-+*/^(\d])",
        rf"({_WORDS}?)(?: (?:be|is|as|by) | ?[=:] ?){x}(?! ?[-+*/^(\d])",
    ]
    found, *others = (re.compile(pattern, re.IGNORECASE) for pattern in patterns)
    return _Definitions(found, re.compile(rf"{x}[^.\n]{{0,80}}\brespectively\b"), *others)


def _definition(text: str, letter: str) -> set[str]:
    """Return the words of the first definition of a letter that has some."""
    known = _definitions_of(letter)
    if "respectively" in text and known.ordered.search(text):
        return set()
    # A pattern is tried beside each place of the letter, because it would be tried at every word of the answer else.
    places = [match.start() for match in known.letter.finditer(text)]
    hits = [(_first(known.after.match(text, place) for place in places), False)]
    if letter not in ("a", "i"):
        linked, listed = [], []
        for place in places:
            before = text[max(place - 4, 0) : place].lower()
            if before.endswith(_LINKS):
                linked.append(place)
            if before.endswith((*_LINKS, *_LISTED)):
                listed.append(place)
        hits += [
            (_first(known.joined.match(text, place - 4) for place in places if place >= 4), False),
            (_first(_find_before(known.called, text, place) for place in listed), True),
            (_first(_find_before(known.before, text, place) for place in linked), True),
        ]
    there = [(hit, ahead) for hit, ahead in hits if hit is not None]
    for hit, ahead in sorted(there, key=lambda item: item[0].start()):
        parts = _NEXT.split(hit[1])
        words = _stems(parts[-1] if ahead else parts[0])
        if words:
            return words
    return set()


def _first(matches: Iterable[re.Match[str] | None]) -> re.Match[str] | None:
    return next(filter(None, matches), None)


def _find_before(pattern: re.Pattern[str], text: str, place: int) -> re.Match[str] | None:
    """Return the match of a pattern that ends in the letter at a place; its words begin as early as they can."""
    return pattern.search(text, max(place - _BEFORE, 0), min(place + 1 + _AFTER, len(text)))


_BESIDE = 60  # characters before or after a result in which its name stands
_JOINING = frozenset(("and", "or", "so", "while", "but", "then", "plus", "minus", "times"))
_OPERAND = re.compile(r"\s*(?:[-+*/×÷·^]|times\b)")


def words_of_result(plain: str, final: Final) -> list[set[str]]:
    """Return the words for what a result counts: those behind it in its clause, and those before it."""
    after = re.match(r"[ ]*((?:[A-Za-z'-]+[ ]?){0,12})", plain[final.end : final.end + 2 * _BESIDE])
    behind = after[1].split() if after else []
    joined = next((i for i, word in enumerate(behind) if word.lower() in _JOINING), None)
    before = re.split(r"[\d\n.;,]|\band\b", plain[max(final.start - _BESIDE, 0) : final.start])[-1]
    return [_stems(" ".join(behind[:joined])), _stems(" ".join(before.split()[-8:]))]


def exchanged_letters(roles: Roles, answer: str, unknown_of: Mapping[str, int]) -> list[str]:
    """Return the letters that an answer defines as one unknown and uses as the other; none if that may be chance.

    An answer with one letter says with it what the rest is, too; it counts if the question asks for one of the two by
    the words that tell them apart.
    """
    told = {letter: roles.told_by(words) for letter, words in definitions(answer, unknown_of).items()}
    wrong = [letter for letter, unknown in told.items() if unknown is not None and unknown != unknown_of[letter]]
    needed = 1 if roles.asked and len(unknown_of) == 1 else roles.needed
    return wrong if len(wrong) >= needed and not any(told[x] == unknown_of[x] for x in told) else []


def exchanged_results(roles: Roles, plain: str, finals: Sequence[Final]) -> list[Final]:
    """Return the results that an answer calls by the name of the other unknown; none if that may be chance.

    If it gives both, both must be called wrong: "the shop charges 15 a day" is not about the charge for a mile.
    """
    if not roles:
        return []
    solutions = roles.values
    wrong: dict[Fraction, Final] = {}
    # In "the other is 9 + 2 = 11" the 9 is no result, and 20% is none where 20 liters are asked for.
    results = [
        final
        for final in finals
        if final.value in solutions and not final.percent and not _OPERAND.match(plain, final.end)
    ]
    for final in results:
        told = (roles.told_by(words) for words in words_of_result(plain, final))
        unknown = next((one for one in told if one is not None), None)
        if unknown is not None and solutions[unknown] == final.value:
            return []
        if unknown is not None:
            wrong[final.value] = final
    needed = max(roles.needed, len({final.value for final in results}))
    return list(wrong.values()) if len(wrong) >= needed else []
