"""Arithmetic of an answer: its calculations, and every function of the text's numbers that each may stand for.

Calculations are read wherever they stand: after words, behind an equals sign, in brackets, over two lines. A number in
one may be a number of the text in some form, a constant, or the value of an earlier calculation; all of these are kept.
So a calculation stands for a set of functions, which is computed once, whatever it is compared with: values in a prime
field tell functions apart, and the way to each is kept as an expression.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from itertools import combinations, takewhile
from math import lcm
from typing import Any, NamedTuple, TypeVar

from draw_dataset.algebra.limits import is_long
from draw_dataset.algebra.nonlinear import Algebra
from draw_dataset.algebra.number import is_rounded
from draw_dataset.algebra.polynomial import PRIME
from draw_dataset.errors import LimitError
from draw_dataset.reading.expressions import phrase_key
from draw_dataset.reading.functions import (
    LEAVES,
    OPERATIONS,
    Expression,
    as_ratio,
    combine_residues,
    leaf_residue,
    leaves,
    point_of,
    same_function_key,
    value_of,
)
from draw_dataset.reading.points import ALL, Gold, field_residue, in_lowest_terms, points_of
from draw_dataset.reading.provenance import MAX_NUMBERS, NumberOrigins
from draw_dataset.reading.result import Final
from draw_dataset.reading.setup import BETWEEN_UNITS
from draw_dataset.reading.tokens import UNIT_LETTERS, Sort, Token
from draw_dataset.text.lexicon import singular, things
from draw_dataset.text.units import COUNTED, is_known, name_of_constant

Tree = tuple[Any, ...]  # ("n", i) a number, ("step", i) a calculation, (sign, a, b) an operation
_SINGLE = ("n", "step")

MAX_STEPS = 500  # calculations read per answer
MAX_OPERANDS = 40  # numbers in one calculation
MAX_DEPTH = 12
MAX_SIZE = 120  # numbers in one function
MAX_FUNCTIONS = 24  # functions kept per calculation, the most natural first
MAX_OPEN = 1200  # functions kept per calculation where each number may be anything that has its value
MAX_PAIRS = 100_000  # functions that are combined to decide that
MAX_DEVIATIONS = 2  # numbers that may be something else than they seem, in one calculation
MAX_UNIT = 8  # words of a unit
MAX_ENDS = 6  # calculations with the value of the result, the last ones, that are compared
MAX_ALIKE = 16  # calculations with one value that are looked at
MAX_PARTIAL = 6  # operands of which all partial results are looked for
MAX_TERMS = 24  # terms of gold
MAX_SUPPORT = 80  # calculations that are looked at for the parts of gold
MAX_AHEAD = 3  # calculations that may be explained by later ones
MAX_INEXACT = 10**15  # largest value that is no whole number and may be rounded
MAX_DENOMINATOR = 10**9  # common denominator of numbers that are tried in pairs
MAX_SEARCHES = 100  # numbers for which pairs are tried
MAX_SILENT = 12  # pairs that a number may have been computed from silently
RECENT = 8  # results tried for a number that has no other origin

# How natural an origin is. Up to `FORM` nothing is invented.
NATURAL, FORM, COUNT, SILENT, FOREIGN = range(5)


def numbers_with_words(
    values: Sequence[Fraction], nouns: Sequence[frozenset[str]], value: Fraction, words: Collection[str]
) -> frozenset[int]:
    """Return the numbers of the text with a value that have one of some words beside them; none if all may be meant.

    A number of the text without words may be meant, whatever words the answer has.
    """
    if not words or not nouns:
        return frozenset()
    alike = [index for index, given in enumerate(values) if given == value]
    named = frozenset(index for index in alike if not nouns[index].isdisjoint(words))
    return named | {index for index in alike if not nouns[index]} if named else named


def words_of_name(name: str) -> tuple[str, ...]:
    """Return the word for what a quantity with a name counts; nothing if the name does not say.

    >>> words_of_name("hours_per_day"), words_of_name("number_of_red_apples"), words_of_name("x1")
    (('hour',), ('apple',), ())
    """
    words = re.findall(r"[a-z]+", name.lower())
    for place, word in enumerate(words):
        if word in ("per", "each", "every", "for", "in", "at", "a"):
            words = words[:place]
            break
    return (singular(words[-1]),) if words and len(words[-1]) > 2 else ()


class Number(NamedTuple):
    """A number of a calculation."""

    value: Fraction  # as written, a hundredth of that for a percentage
    written: Fraction
    percent: bool
    step: Fraction  # unit of the last written digit
    start: int
    end: int
    unit: tuple[str, ...]


@dataclass(slots=True)
class Step:
    """A calculation of an answer, or a number that it states in another unit."""

    tree: Tree
    value: Fraction  # by its numbers as written
    start: int
    end: int
    stated: list[Number] = field(default_factory=list)  # what the answer says it is
    slip: bool = False  # whether that is wrong
    factor: Fraction = Fraction(1)  # what it is multiplied by where it is stated in another unit
    until: int = 0  # where it ends as it is written, with names instead of numbers

    @property
    def total(self) -> Fraction:
        """The value in the unit in which it is stated."""
        return self.value if self.factor == 1 else self.value * self.factor


class Way(NamedTuple):
    """A function, and how natural the reading is that gives it."""

    rank: int
    expression: Expression
    slip: bool = False  # whether a result on the way is wrong
    size: int = 1  # how many numbers its expression has


Functions = dict[int, Way]  # by their value in the field


_Pair = tuple[int, Way, Way]  # a rank, and the two ways that are combined
_Ranked = TypeVar("_Ranked", Way, _Pair)


def _rank_of(item: tuple[int, tuple[Any, ...]]) -> Any:
    return item[1][0]


_new = tuple.__new__  # makes a `Way` in half the time of its own constructor, and answers have thousands


class _Unreadable(Exception):
    """No calculation stands here."""


class Arithmetic:
    """The calculations of one answer to one problem."""

    def __init__(
        self,
        tokens: Sequence[Token],
        text: NumberOrigins,
        question: str,
        plain: str,
        nouns: Sequence[frozenset[str]] = (),
    ) -> None:
        self._text = text
        self._nouns = nouns  # the words beside each number of the text
        self._expected: frozenset[int] = frozenset()
        self._parts: dict[Fraction, Functions] = {}  # the parts of gold by their values
        self._constants: frozenset[Fraction] | None = frozenset()  # those of gold; None if any may be meant
        self._said = f"{question}\n{plain}"
        self._percent = _PERCENT.search(self._said) is not None
        self.numbers: list[Number] = []
        self.steps: list[Step] = []
        self.read: list[tuple[int, int]] = []  # the spans of what was read as a calculation
        self.crowded = False  # whether some natural functions were left out
        self.told = False  # whether words told a number from another one with the same value
        self._by_name: dict[str, Tree] = {}
        self._known: dict[int, Functions] = {}
        self._origins: dict[object, Functions] = {}
        self._pairs_of: dict[Fraction, Functions] = {}
        self._busy: set[int] = set()
        self._searches = MAX_SEARCHES
        self._limit = MAX_FUNCTIONS
        self._pairs_left = MAX_PAIRS
        self._by_value: dict[tuple[int, int], list[int]] = {}
        self._inexact: list[tuple[float, int]] = []
        self._calculated: set[int | None] = set()
        self._tokens = tokens
        self._mentioned = {token.value for token in tokens if token.value is not None}
        _Scanner([token for token in tokens if token.sort is not Sort.BOX], self).scan()

    # Reading adds calculations in their order.

    def add_number(self, number: Number) -> Tree:
        """Add a number, and return it as a tree."""
        self.numbers.append(number)
        return ("n", len(self.numbers) - 1)

    def value(self, tree: Tree) -> Fraction | None:
        """Return the value of a tree by its numbers as written; None if it has none."""
        kind = tree[0]
        if kind == "n":
            return self.numbers[tree[1]].value
        if kind == "step":
            return self.steps[tree[1]].total
        left, right = self.value(tree[1]), self.value(tree[2])
        if left is None or right is None or (kind == "/" and not right):
            return None
        result: Fraction = OPERATIONS[kind](left, right)
        return None if is_long(result) else result

    def add_step(self, step: Step) -> int:
        """Add a calculation, and return its number."""
        self.steps.append(step)
        at = len(self.steps) - 1
        value = step.total
        for key in {
            value.as_integer_ratio(),
            *(v.as_integer_ratio() for n in step.stated for v in (n.value, n.written)),
        }:
            self._by_value.setdefault(key, []).append(at)
        if value.denominator != 1 and abs(value) < MAX_INEXACT:
            self._inexact.append((float(value), at))
        return at

    def name(self, key: str, tree: Tree) -> None:
        """Let a name stand for a number or a calculation from here on."""
        if tree[0] in _SINGLE:
            self._by_name[key] = tree

    def find_name(self, key: str) -> Tree | None:
        """Return what a name stands for; None if nothing was said about it."""
        return self._by_name.get(key)

    # Functions

    def expect(self, gold: GoldFunction, key: int) -> None:
        """Keep gold's functions first where there are too many; a number that nothing explains may be one of them."""
        keys = gold.parts | {key, gold.key or 0}
        if keys <= self._expected:
            return
        self._expected |= keys
        known = self._constants
        self._constants = None if known is None or gold.constants is None else known | gold.constants
        for part, function in gold.by_value:
            self._parts.setdefault(part, {}).update(function)
        self._known.clear()
        self._origins.clear()
        self.crowded = False
        self._searches = MAX_SEARCHES

    def may_be(self, ends: Iterable[int], keys: Collection[int]) -> bool:
        """Decide whether a calculation is a function if each number may be anything that has its value.

        That is a number of the text in any form, a result, a constant, or a part of gold that was never written.
        """
        kept = self._known, self._origins, self.crowded
        self._known, self._origins, self.crowded, self._limit = {}, {}, False, MAX_OPEN
        self._pairs_left = MAX_PAIRS
        try:
            return any(not self.functions(at).keys().isdisjoint(keys) for at in ends) or self.crowded
        finally:
            self._known, self._origins, self.crowded = kept
            self._limit = MAX_FUNCTIONS

    def functions(self, number: int) -> Functions:
        """Return the functions that a calculation may stand for."""
        # In the order of the answer, so that nothing recurses along a chain of calculations.
        for at in self._dependencies(number, self._known):
            if at not in self._known and at not in self._busy:
                step = self.steps[at]
                self._busy.add(at)
                found = self._tree(step.tree, at)
                if step.slip:
                    found = {key: way._replace(slip=True) for key, way in found.items()}
                self._known[at] = found if step.factor == 1 else self._scale(found, step.factor)
                self._busy.discard(at)
        return self._known.get(number, {})

    def _dependencies(self, number: int, known: Collection[int]) -> list[int]:
        """Return the calculations that one depends on, and itself, in their order; without those behind known ones."""
        found = {number}
        todo = [number]
        while todo:
            at = todo.pop()
            if at in known:
                continue
            before: list[int] = []
            for tree in self._leaves(self.steps[at].tree):
                before += [tree[1]] if tree[0] == "step" else self._stating(self.numbers[tree[1]], at)
            for whole in self._fractions(self.steps[at].tree):
                before += self._stating(whole, at)
            for other in before:
                if other not in found and other < at:
                    found.add(other)
                    todo.append(other)
        return sorted(found)

    def _fractions(self, tree: Tree) -> Iterator[Number]:
        """Yield the fractions in a tree, each as one number."""
        todo = [tree]
        while todo:
            part = todo.pop()
            if part[0] not in _SINGLE:
                todo += part[1:]
                whole = self.fraction(part) if part[0] == "/" else None
                if whole is not None:
                    yield whole

    def _leaves(self, tree: Tree) -> Iterator[Tree]:
        todo = [tree]
        while todo:
            part = todo.pop()
            if part[0] in _SINGLE:
                yield part
            else:
                todo += part[1:]

    def _tree(self, tree: Tree, before: int) -> Functions:
        kind = tree[0]
        if kind == "n":
            return self._number(tree[1], before)
        if kind == "step":
            return self.functions(tree[1])
        found = self._combine(kind, self._tree(tree[1], before), self._tree(tree[2], before))
        whole = self.fraction(tree) if kind == "/" else None
        if whole is not None:
            direct = self._direct(whole)
            if any(_is_given(way) for way in direct.values()):
                # 1/3 with a third in the text is no constant.
                found = {key: _demoted(way) for key, way in found.items()}
            found = self._join([found, direct, self._results(whole, before)])
        if kind == "+":
            found = self._multiply_repeated(tree, before, found)
        return found

    def _combine(self, sign: str, left: Functions, right: Functions) -> Functions:
        if sign == "/":  # inverses are taken once: they cost as much as ten products
            right_keys = [(pow(b, -1, PRIME), other) for b, other in right.items() if b]
        else:
            right_keys = [(PRIME - b if sign == "-" else b, other) for b, other in right.items()]
        product, opened = sign in "*/", self._limit > MAX_FUNCTIONS
        if opened:
            self._pairs_left -= len(left) * len(right_keys)
            if self._pairs_left < 0:
                self.crowded = True
                return {}
        largest = sum(max((way.size for way in ways.values()), default=0) for ways in (left, right))
        # A way is made of a pair only if it is kept: there are up to 576 pairs for 24 ways.
        found: dict[int, _Pair] = {}
        for a, one in left.items():
            rank_a = one.rank
            for b, other in right_keys:
                rank_b = other[0]
                rank = rank_a + rank_b if opened else rank_a if rank_a > rank_b else rank_b
                if opened and rank > MAX_DEVIATIONS:
                    continue
                if largest > MAX_SIZE and one.size + other.size > MAX_SIZE:
                    self.crowded = True
                    continue
                key = a * b % PRIME if product else (a + b) % PRIME
                known = found.get(key)
                if known is None or rank < known[0]:
                    found[key] = (rank, one, other)
        return {
            key: _new(
                Way, (rank, (sign, one.expression, other.expression), one.slip or other.slip, one.size + other.size)
            )
            for key, (rank, one, other) in self._likeliest(found)
        }

    def _scale(self, functions: Functions, factor: Fraction) -> Functions:
        """Return functions in another unit, or times a count: two meals at $5 = $10."""
        found = self._combine("*", functions, self._direct(_plain_number(factor)))
        if not found and factor.numerator == 1:
            found = self._combine("/", functions, self._direct(_plain_number(1 / factor)))
        constant: Expression = ("c", factor)
        scaled = self._combine("*", functions, {leaf_residue(constant): Way(FORM, constant)})
        return self._join([found, scaled])

    def _join(self, several: Iterable[Functions]) -> Functions:
        found: Functions = {}
        for functions in several:
            for key, way in functions.items():
                known = found.get(key)
                if known is None or way.rank < known.rank:
                    found[key] = way
        return self._keep_likeliest(found)

    def _keep_likeliest(self, found: Functions) -> Functions:
        return found if len(found) <= self._limit else dict(self._likeliest(found))

    def _likeliest(self, found: Mapping[int, _Ranked]) -> Collection[tuple[int, _Ranked]]:
        """Return as many functions as are kept, gold's first, then by rank."""
        limit = self._limit
        if len(found) <= limit:
            return found.items()
        # There are few ranks, and a sort by two keys takes three times as long.
        expected, order = self._expected, sorted(found.items(), key=_rank_of)
        if not expected.isdisjoint(found):
            order = [item for item in order if item[0] in expected] + [i for i in order if i[0] not in expected]
        self.crowded = self.crowded or limit > MAX_FUNCTIONS or any(way[0] == NATURAL for _, way in order[limit:])
        return order[:limit]

    def _multiply_repeated(self, tree: Tree, before: int, found: Functions) -> Functions:
        """Add that a number which is added several times may be multiplied: 7 + 7 + 7 for 3 * 7."""
        groups: dict[Fraction, list[Tree]] = {}
        for addend in _addends(tree):
            groups.setdefault(self.value(addend) or Fraction(0), []).append(addend)
        if all(len(group) == 1 for group in groups.values()):
            return found
        total: Functions = {}
        for group in groups.values():
            part = self._tree(group[0], before)
            if len(group) > 1:
                part = self._combine("*", self._direct(_plain_number(Fraction(len(group)))), part)
            total = self._combine("+", total, part) if total else part
        return self._join([found, {key: way._replace(rank=max(way.rank, FORM)) for key, way in total.items()}])

    def fraction(self, tree: Tree) -> Number | None:
        """Return a quotient of two written numbers as one number."""
        if tree[1][0] != "n" or tree[2][0] != "n":
            return None
        above, below = self.numbers[tree[1][1]], self.numbers[tree[2][1]]
        if not below.value or above.percent or below.percent:
            return None
        value = above.value / below.value
        if value.denominator == 1:
            return None
        return Number(value, value, False, Fraction(1, 10**9), above.start, below.end, below.unit)

    def _number(self, index: int, before: int) -> Functions:
        """Return what a number of a calculation may stand for: earlier results, numbers of the text, constants."""
        number = self.numbers[index]
        results, direct = self._results(number, before), self._direct(number)
        if self._limit > MAX_FUNCTIONS:
            constant: Expression = ("c", number.value)
            others: Functions = {}
            if not results and not self._named(number):
                silent = [self._pairs(number.value), self._inverse(number, before)]
                others = self._join([*silent, self._later(number, before), self._parts.get(number.value, {})])
            elif results:
                others = self._other_half(number, before)
            most = (COUNT, FORM)
            likely = {key: way for key, way in direct.items() if way.rank <= most[way.expression[0] == "c"]}
            found = self._join(
                [results, {key: way._replace(rank=int(_is_unusual(way))) for key, way in likely.items()}]
            )
            if not found or self._constants is None or number.value in self._constants:
                found[leaf_residue(constant)] = Way(0, constant)
            return self._join([found, {key: way._replace(rank=1) for key, way in others.items()}])
        if any(not way.slip for way in results.values()):
            # A number that was just calculated is no constant, and only by its words a number of the text.
            named = self._named(number)
            direct = {key: way if named else _demoted(way) for key, way in direct.items() if way.expression[0] != "c"}
        joined = self._join([results, direct])
        if not any(way.rank <= FORM and way.expression[0] != "c" for way in joined.values()):
            joined = self._join([joined, self._later(number, before), self._silent(number, before)])
            joined = self._join([joined, self._parts.get(number.value, {})])
        if not joined:
            constant = ("c", number.value)
            joined = {leaf_residue(constant): Way(FOREIGN, constant)}
        return joined

    def _results(self, number: Number, before: int) -> Functions:
        return self._join([self._result(at, number) for at in self._stating(number, before)])

    def _result(self, at: int, number: Number) -> Functions:
        """Return the functions of a calculation, times 100 for a percentage that is written without its sign."""
        found, total = self._known.get(at, {}), self.steps[at].total
        if number.percent or total * 100 != number.value or not total:
            return found
        return self._combine("*", found, {leaf_residue(_HUNDRED): Way(NATURAL, _HUNDRED)})

    def _other_half(self, number: Number, before: int) -> Functions:
        """Return what is left where a number is half of something; people take one half for the other."""
        found = []
        for at in self._stating(number, before):
            tree = self.steps[at].tree
            whole = tree[1] if tree[0] == "/" else tree[2] if tree[0] == "*" else None
            if whole is not None and self.value(whole) == 2 * self.steps[at].value:
                found.append(self._combine("-", self._tree(whole, at), self._known.get(at, {})))
        return self._join(found)

    def _inverse(self, number: Number, before: int) -> Functions:
        """Return what a number is if it is one divided by an earlier result: 4 times, as a quarter is 20."""
        if number.value <= 1:
            return {}
        results = self._results(_plain_number(1 / number.value), before)
        return self._combine("/", {leaf_residue(_ONE): Way(NATURAL, _ONE)}, results)

    def _later(self, number: Number, before: int) -> Functions:
        if len(self._busy) > MAX_AHEAD:
            return {}
        later = [at for at in self._stating(number, len(self.steps)) if at > before and at not in self._busy]
        return self._join([self.functions(at) for at in later[:1]])

    def _stating(self, number: Number, before: int) -> list[int]:
        """Return the calculations before a place whose value a number is, or what the answer says it is."""
        found: dict[int, None] = {}
        for key in {number.value.as_integer_ratio(), *([number.written.as_integer_ratio()] if number.percent else [])}:
            found.update(dict.fromkeys(self._by_value.get(key, ())))
        if self._inexact and abs(number.value) < MAX_INEXACT:
            # Floats only narrow the search.
            size, width = float(number.value), float(number.step)
            for other, at in self._inexact:
                near = abs(other - size) <= width and (width < 1 or abs(other) >= 10)
                if near and is_rounded(self.steps[at].total, number.value, number.step):
                    found[at] = None
        places = [
            at for at in sorted(found) if at < before and not self.steps[at].start < number.start < self.steps[at].end
        ]
        return places[-MAX_ALIKE:]

    def ends(self, final: Final) -> list[int]:
        """Return the calculations whose value a final number is, in their order."""
        value = final.value / 100 if final.percent else final.value
        number = Number(value, final.value, final.percent, final.step, -1, -1, ())
        # A fraction that is the result is no calculation of it.
        return [
            at
            for at in self._stating(number, len(self.steps))
            if not final.start <= self.steps[at].start < self.steps[at].end <= final.end
        ]

    def leaves_unread(self, ends: Iterable[int]) -> bool:
        """Decide whether an answer calculates something behind some calculations that was not read."""
        start = max((self.steps[at].until for at in ends), default=0)
        for before, token, after in zip(self._tokens, self._tokens[1:], self._tokens[2:], strict=False):
            if token.start >= start and token.sort is Sort.OPERATOR and token.text in "+-*/":
                sorts = before.sort, after.sort
                operands = all(sort in _OPERANDS or sort is Sort.WORD for sort in sorts) and sorts != (
                    Sort.WORD,
                    Sort.WORD,
                )
                if operands and not any(first <= token.start < last for first, last in self.read):
                    return True
        return False

    def find_unexplained(self, finals: Sequence[Final]) -> int | None:
        """Return the place of the first number on the way to a result that has no natural origin; None if all have."""
        for final in finals:
            for end in self.ends(final)[-MAX_ENDS:]:
                for at in self._dependencies(end, ()):
                    foreign = self.foreign_operand(at)
                    if foreign is not None:
                        return foreign.start
        return None

    def leaves(self, at: int) -> Iterator[Tree]:
        """Yield the numbers and earlier calculations that a calculation is made of."""
        return self._leaves(self.steps[at].tree)

    def operands(self, at: int) -> list[Number]:
        """Return the written numbers of a calculation."""
        return [self.numbers[leaf[1]] for leaf in self.leaves(at) if leaf[0] == "n"]

    def uses(self, at: int) -> set[int]:
        """Return the earlier calculations whose results a calculation may use."""
        found = {leaf[1] for leaf in self.leaves(at) if leaf[0] == "step"}
        return found.union(*[self._stating(number, at) for number in self.operands(at)])

    def foreign_operand(self, at: int) -> Number | None:
        """Return the first number of a calculation that has no natural origin; None if all have."""
        for leaf in self.leaves(at):
            if leaf[0] == "n" and all(way.rank > COUNT for way in self._number(leaf[1], at).values()):
                return self.numbers[leaf[1]]
        return None

    def guesses(self, value: Fraction) -> Functions:
        """Return the functions of which a final number may be the value although no calculation says so."""
        return self._silent(_plain_number(value), len(self.steps))

    def supports(self, expression: Expression, numbers: Sequence[Fraction]) -> int:
        """Return how many parts of a function the answer calculates or states; 0 if one of them is missing.

        A part is there if a calculation stands for it, or if its value is stated after its own parts. A part whose
        value is not stated is taken to be calculated in the head if everything it is made of is there.
        """
        last = range(max(len(self.steps) - MAX_SUPPORT, 0), len(self.steps))
        calculated = [{key for key, way in self.functions(at).items() if way.rank < SILENT} for at in last]
        there = [bool(keys & self._expected) for keys in calculated if keys]
        if 2 * sum(there) < len(there):
            return 0  # most calculations are no part of it
        self._calculated = set().union(*calculated)
        parts = _operands(expression)
        known = [found for _, part in parts if (found := self._support(part, numbers, 1)) is not None]
        if len(known) < len(parts):
            return 0
        count = sum(known) + self._partial(parts, numbers)
        return count if self._calculated or count > 1 else 0

    def _partial(self, parts: Sequence[tuple[str, Expression]], numbers: Sequence[Fraction]) -> int:
        """Return how many of the values of two of several operands are stated."""
        if len(parts) < 3:
            return 0
        found = 0
        for i, (sign, one) in enumerate(parts):
            for other_sign, other in parts[i + 1 :]:
                value = value_of(_pair(sign, one, other_sign, other), numbers)
                found += value is not None and value in self._mentioned
        return found

    def _support(self, expression: Expression, numbers: Sequence[Fraction], depth: int) -> int | None:
        if expression[0] in LEAVES or (all(part[0] in LEAVES for part in expression[1:]) and "c" in _kinds(expression)):
            return 0
        if same_function_key(expression) in self._calculated:
            return 1
        value = value_of(expression, numbers)
        stated = value is not None and abs(value) in self._mentioned
        if not stated and depth == 0:
            return None
        operands = _operands(expression)
        parts = [self._support(part, numbers, 1 if stated else depth - 1) for _, part in operands]
        there = [part for part in parts if part is not None]
        return sum(there) + stated if len(there) == len(parts) else None

    def _direct(self, number: Number) -> Functions:
        """Return the numbers of the text and the constants that a number may be."""
        key = number.written, number.percent, number.step.denominator, number.unit
        known = self._origins.get(key)
        if known is None:
            self._origins[key] = known = self._keep_likeliest(self._find_direct(number))
        return known

    def _find_direct(self, number: Number) -> Functions:
        found: Functions = {}
        value = number.value
        forms = _Forms(number, in_percent=self._percent)
        named = self._named(number)
        for index, given in enumerate(self._text.values):
            if named and index not in named and given == number.written:
                self.told = True  # the words are those of another number with the same value
                continue
            for rank, expression in forms.of(("q", index + 1), given):
                if rank == COUNT and expression[0] == "*" and not self._is_named(expression[2][1]):
                    continue
                key = same_function_key(expression)
                if key is not None and (key not in found or rank < found[key].rank):
                    found[key] = Way(rank, expression)
        known = None if named and value not in (0, 1) else self._rank_of_constant(value)
        if known is not None:
            if any(way.rank <= FORM for way in found.values()):
                known = max(known, FORM)  # 2 with a half in the text is that half
            constant: Expression = ("c", value)
            found.setdefault(leaf_residue(constant), Way(known, constant))
        return found

    def same_leaves(self) -> list[int]:
        """Return for each number of the text a value in the field, one for numbers that nothing tells apart."""
        found: list[int] = []
        for index, value in enumerate(self._text.values):
            alike = (i for i in range(index) if self._text.values[i] == value and not self._are_told(i, index))
            found.append(point_of(next(alike, index) + 1))
        return found

    def _are_told(self, one: int, other: int) -> bool:
        words = (self._nouns[one], self._nouns[other]) if self.told and self._nouns else (frozenset(), frozenset())
        return all(words) and words[0].isdisjoint(words[1])

    def _named(self, number: Number) -> frozenset[int]:
        """Return the numbers of the text that a number is by the words behind it."""
        return numbers_with_words(self._text.values, self._nouns, number.written, things(number.unit)[:2])

    def _pairs(self, value: Fraction) -> Functions:
        """Return what a number may be in the head: a sum or difference of two numbers of the text, or of one and 1."""
        found = self._pairs_of.get(value)
        if found is None:
            q = [(given, ("q", index)) for index, given in enumerate(self._text.values[:MAX_NUMBERS], 1)]
            ways = [
                way
                for (one, a), (other, b) in combinations([(Fraction(1), _ONE), *q], 2)
                for total, way in ((one + other, ("+", a, b)), (one - other, ("-", a, b)), (other - one, ("-", b, a)))
                if total == value
            ]
            ways += [("*", expression, _HUNDRED) for given, expression in q if given * 100 == value]
            ways += [("/", expression, _HUNDRED) for given, expression in q if given == value * 100]
            ways += [("/", _HUNDRED, expression) for given, expression in q if given * value == 100]
            keys = [(same_function_key(way), way) for way in ways]
            self._pairs_of[value] = found = {key: Way(SILENT, way) for key, way in keys if key is not None}
        return found

    def _rank_of_constant(self, value: Fraction) -> int | None:
        """Return how natural a constant is; None if nobody would take a number for it."""
        if value in (0, 1) or self._is_named(value):
            return NATURAL if value not in self._text.values else FORM
        if value.denominator == 1 and 0 <= value <= COUNTED:
            return COUNT
        return FORM if value in _PARTS else SILENT if is_known(value) else None

    def _is_named(self, value: Fraction) -> bool:
        """Decide whether the question or the answer mentions what a constant is: a week, a dozen."""
        return name_of_constant(value, self._said) is not None

    def _silent(self, number: Number, before: int) -> Functions:
        """Return what a number may have been computed from without a word."""
        if not self._searches:
            return {}
        self._searches -= 1
        operands: list[tuple[Fraction, Functions]] = []
        for index, given in enumerate(self._text.values[:MAX_NUMBERS]):
            q: Expression = ("q", index + 1)
            operands.append((given, {leaf_residue(q): Way(SILENT, q)}))
        for at in range(max(before - RECENT, 0), min(before, len(self.steps))):
            ways = sorted(self.functions(at).items(), key=lambda way: (way[0] not in self._expected, way[1].rank))
            operands.append((self.steps[at].total, dict(ways[:4])))
        # Integers over one denominator: comparing fractions takes ten times as long.
        below = lcm(number.value.denominator, *[value.denominator for value, _ in operands])
        if not number.value or below > MAX_DENOMINATOR:
            return {}
        wanted = number.value.numerator * (below // number.value.denominator)
        values = [value.numerator * (below // value.denominator) for value, _ in operands]
        product = wanted * below
        found: list[Functions] = []
        for i, a in enumerate(values):
            for j, b in enumerate(values):
                for sign, fits in (
                    ("+", a + b == wanted and i <= j),
                    ("*", a * b == product and i < j),
                    ("-", a - b == wanted and i != j),
                    ("/", a * below == b * wanted and b != 0 and i != j),
                ):
                    if fits and len(found) < MAX_SILENT:
                        found.append(self._combine(sign, operands[i][1], operands[j][1]))
        return {key: way._replace(rank=max(way.rank, SILENT)) for key, way in self._join(found).items()}


_OPERANDS = (Sort.NUMBER, Sort.NAME)
_PERCENT = re.compile(r"%|percent|per cent|cents?\b|¢", re.IGNORECASE)
_ZERO: Expression = ("c", Fraction(0))
_ONE: Expression = ("c", Fraction(1))
_HUNDRED: Expression = ("c", Fraction(100))
_SCALES = (12, 100, 1000, 10**6)  # a dozen, hundred, thousand and million may be written apart: 4 dozen
_PERCENT_FACTORS = (leaf_residue(_HUNDRED), leaf_residue(("c", Fraction(1, 100))))
_PARTS = frozenset(Fraction(*pair) for pair in ((1, 2), (1, 4), (3, 4), (1, 3), (2, 3), (1, 100)))
_FACTORS = {factor.as_integer_ratio(): factor for factor in BETWEEN_UNITS}


class _Forms:
    """The forms of numbers of a text that one written number may be."""

    def __init__(self, number: Number, *, in_percent: bool) -> None:
        self._number = number
        self._value = number.value.as_integer_ratio()
        self._in_percent = in_percent  # whether question or answer have percentages or cents

    def of(self, q: Expression, given: Fraction) -> Iterator[tuple[int, Expression]]:
        """Yield the forms of one number of the text, each with how natural it is."""
        number = self._number
        (above, below), (own, under) = self._value, given.as_integer_ratio()
        # Both numbers as integers over one denominator.
        v, g, unit = above * under, own * below, below * under
        as_percent = number.percent and number.written == given
        if v == g:
            yield NATURAL, q
        elif as_percent:
            yield NATURAL, ("/", q, _HUNDRED)
        elif number.step < 1 and v and is_rounded(given, number.value, number.step):
            yield FORM, q
        if v == -g and v:
            yield FORM, ("-", _ZERO, q)
        if not g:
            return
        if 100 * v == g and not as_percent and number.step < 1:
            yield FORM, ("/", q, _HUNDRED)
        if v == 100 * g and number.unit[:1] in (("cent",), ("percent",)):
            yield FORM, ("*", q, _HUNDRED)
        if g != unit:
            if v == unit - g and g < unit:
                yield FORM, ("-", _ONE, q)
            if v == unit + g:
                yield (FORM if g < unit else SILENT), ("+", _ONE, q)
        if self._in_percent:
            part: Expression = ("/", q, _HUNDRED)
            if 100 * v == 100 * unit - g:
                yield FORM, ("-", _ONE, part)
            if 100 * v == 100 * unit + g:
                yield FORM, ("+", _ONE, part)
            if v == 100 * unit - g and g < 100 * unit:
                yield FORM, ("-", _HUNDRED, q)
            if v == 100 * unit + g:
                yield FORM, ("+", _HUNDRED, q)
        if v * g == unit * unit and g != unit:
            yield FORM, ("/", _ONE, q)
        if 1 < under <= 1000:
            yield from self._of_parts(q, own, under)
        if not v:
            return
        if below == 1:
            yield from ((FORM, ("/", q, ("c", Fraction(scale)))) for scale in _SCALES if g == v * scale)
        if g != unit:
            factor = _FACTORS.get(in_lowest_terms(v, g) if g > 0 else in_lowest_terms(-v, -g))
            if factor is not None:
                yield (SILENT if factor in (2, Fraction(1, 2)) else COUNT), ("*", q, ("c", factor))
        if under == 1 and v > unit and v in (g - unit, g + unit):
            yield SILENT, ("-" if v < g else "+", q, _ONE)

    def _of_parts(self, q: Expression, above: int, below: int) -> Iterator[tuple[int, Expression]]:
        """Yield the parts of a fraction of the text: of 3/4 the 3, the 4, and the 1 that is left."""
        value = self._number.value
        under: Expression = ("/", _ONE, q) if above == 1 else ("d", q[1])
        over: Expression = _ONE if above == 1 else ("*", q, under)
        if value == below:
            yield FORM, under
        if value == above and above != 1:
            yield FORM, over
        if value == below - above and above < below:
            yield COUNT, ("-", under, over)
        if value == below + above:
            yield COUNT, ("+", under, over)


def parts_of(expression: Expression) -> frozenset[int]:
    """Return the values in the field of all parts of an expression, and of its terms when it is multiplied out."""
    found: set[int] = set()
    todo = [expression]
    while todo:
        part = todo.pop()
        key = same_function_key(part)
        if key is not None:
            found.add(key)
        if part[0] not in LEAVES:
            todo += part[1:]
            for partial in _partial_results(part):
                key = same_function_key(partial)
                found |= set() if key is None else {key, -key % PRIME}
    return frozenset(found.union(_terms(expression)))


def _partial_results(expression: Expression) -> Iterator[Expression]:
    """Yield some operands of a sum or product, without the others; of few operands all choices."""
    operands = _operands(expression)
    if not 3 <= len(operands) <= MAX_PARTIAL:
        return
    first = "+" if expression[0] in "+-" else "*"
    for count in range(2, len(operands)):
        for some in combinations(operands, count):
            ordered = sorted(some, key=lambda operand: operand[0] != first)
            if ordered[0][0] != first:
                ordered = [
                    (first if first == "*" else "+", part) for _, part in ordered
                ]  # the same with the other sign
            total = ordered[0][1]
            for sign, part in ordered[1:]:
                total = (sign, total, part)
            yield total


def _parts_by_value(expression: Expression, numbers: Sequence[Fraction]) -> list[tuple[Fraction, Functions]]:
    """Return the calculations in an expression, but for itself, with their values."""
    found: list[tuple[Fraction, Functions]] = []
    todo = [] if expression[0] in LEAVES else [*expression[1:], *_partial_results(expression)]
    seen: set[int] = set()
    while todo:
        part = todo.pop()
        if part[0] in LEAVES:
            continue
        key, value = same_function_key(part), value_of(part, numbers)
        if key in seen:
            continue
        todo += [*part[1:], *_partial_results(part)]
        if key is not None and value is not None:
            seen.add(key)
            found.append((value, {key: Way(SILENT, part)}))
    return found


def _terms(expression: Expression) -> list[int]:
    """Return the values in the field of the terms of an expression that is multiplied out, if there are few."""
    kind = expression[0]
    if kind not in LEAVES:
        left, right = _terms(expression[1]), _terms(expression[2])
        if kind in "+-":
            return [*left, *right][:MAX_TERMS]
        if kind == "*":
            return [a * b % PRIME for a in left for b in right][:MAX_TERMS]
        if len(right) == 1 and right[0]:
            inverse = pow(right[0], -1, PRIME)
            return [a * inverse % PRIME for a in left]
    key = same_function_key(expression)
    return [] if key is None else [key]


def _kinds(expression: Expression) -> set[str]:
    return {part[0] for part in expression[1:]}


def _operands(expression: Expression) -> list[tuple[str, Expression]]:
    """Return the operands of a chain of sums or products, each with its sign."""
    first, second = ("+", "-") if expression[0] in "+-" else ("*", "/")
    found: list[tuple[str, Expression]] = []
    todo = [(first, expression)]
    while todo:
        sign, part = todo.pop()
        if part[0] in (first, second):
            opposite = second if sign == first else first
            todo += [(opposite if part[0] == second else sign, part[2]), (sign, part[1])]
        else:
            found.append((sign, part))
    return found


def _pair(sign: str, one: Expression, other_sign: str, other: Expression) -> Expression:
    """Return two operands of a chain as one expression."""
    first = "+" if sign in "+-" else "*"
    if sign == first:
        return (other_sign, one, other)
    if other_sign == first:
        return (sign, other, one)
    return (first, one, other)


def _plain_number(value: Fraction) -> Number:
    return Number(value, value, False, Fraction(1), -1, -1, ())


def _addends(tree: Tree) -> list[Tree]:
    if tree[0] == "+":
        return [*_addends(tree[1]), *_addends(tree[2])]
    return [tree]


class _Scanner:
    """Reads the calculations of a text from left to right."""

    def __init__(self, tokens: list[Token], found: Arithmetic) -> None:
        self._tokens = tokens
        self._found = found
        self._operands = 0

    def scan(self) -> None:
        tokens, at, end = self._tokens, 0, len(self._tokens)
        start = 0  # of the clause
        while at < end and len(self._found.steps) < MAX_STEPS:
            token = tokens[at]
            if token.sort in (Sort.STOP, Sort.COMMA):
                at += 1
                start = at
                continue
            if token.sort is Sort.EQUALS:
                at = self._chain(at, self._label(start, at), None)
                start = at
                continue
            if self._begins(at):
                read = self._try(at)
                if read is not None:
                    tree, after = read
                    equals = self._equals_after(after)
                    if equals is not None:
                        at = self._chain(equals, self._label(start, at), tree)
                        start = at
                        continue
                    if tree[0] not in _SINGLE:
                        self._keep(tree, at, after)
                    at = max(after, at + 1)
                    continue
                if self._operands > MAX_OPERANDS:
                    at = self._next_equals(at)  # too long to be read from any of its numbers on
                    continue
            at += 1

    def _label(self, start: int, end: int) -> str:
        """Return the name that stands before a place, after the last end of a clause."""
        words: list[str] = []
        for token in self._tokens[start:end]:
            if token.sort in (Sort.WORD, Sort.NAME):
                words.append(token.text)
            elif token.sort is Sort.OPERATOR and token.text in "()":
                continue
            else:
                words.clear()
        return phrase_key(words[-8:])

    def _begins(self, at: int) -> bool:
        token = self._tokens[at]
        if token.sort is Sort.NUMBER or token.text in ("(", "["):
            return True
        after = self._tokens[at + 1] if at + 1 < len(self._tokens) else None
        if token.sort is Sort.CURRENCY:
            return after is not None and after.sort is Sort.NUMBER
        if token.text == "-" and after is not None and after.sort in (Sort.NUMBER, Sort.CURRENCY):
            before = self._tokens[at - 1] if at else None
            return (
                before is None or before.sort in (Sort.STOP, Sort.COMMA, Sort.EQUALS, Sort.WORD) or before.text == "("
            )
        return False

    def _try(self, at: int) -> tuple[Tree, int] | None:
        self._operands = 0
        try:
            tree, after = self._sum(at, 0)
        except _Unreadable:
            return None
        self._found.read.append((self._tokens[at].start, self._tokens[after - 1].end))
        return tree, after

    def _equals_after(self, at: int) -> int | None:
        """Return the place of the equals sign that follows a calculation, after the words of its unit."""
        at = self._skip_unit(at)
        return at if at < len(self._tokens) and self._tokens[at].sort is Sort.EQUALS else None

    def _chain(self, equals: int, label: str, first: Tree | None) -> int:
        """Read what follows an equals sign, up to the end of the chain; return the place after it."""
        tokens = self._tokens
        sides: list[tuple[Tree, int, int]] = [] if first is None else [(first, equals, equals)]
        at = equals
        while at < len(tokens) and tokens[at].sort is Sort.EQUALS:
            begin = self._skip_fillers(at + 1)
            side = self._side(begin)
            if side is not None:
                tree, after = side
                sides.append((tree, begin, after))
                at = after
            else:
                at = self._next_equals(begin)
        self._state(sides, label)
        return at

    def _skip_fillers(self, at: int) -> int:
        while at < len(self._tokens) and self._tokens[at].sort is Sort.WORD and self._tokens[at].text in _FILLERS:
            at += 1
        return at

    def _side(self, at: int) -> tuple[Tree, int] | None:
        """Return the calculation that a side is, and the place after it; None if it is anything else."""
        if at >= len(self._tokens):
            return None
        read = self._try(at) if self._begins(at) or self._tokens[at].sort in (Sort.NAME, Sort.WORD) else None
        if read is None:
            return None
        tree, after = read
        stop = self._skip_unit(after)
        if stop < len(self._tokens) and self._tokens[stop].sort is Sort.EQUALS:
            return tree, stop
        following = self._tokens[after] if after < len(self._tokens) else None
        if following is not None and following.sort is Sort.OPERATOR and following.text in "+-*/^":
            return None  # a part of a side with letters
        if following is not None and following.sort is Sort.NAME and following.glued:
            return None
        return tree, after

    def _next_equals(self, at: int) -> int:
        """Return the next equals sign of the clause, or its end."""
        while at < len(self._tokens) and self._tokens[at].sort not in (Sort.STOP, Sort.COMMA, Sort.EQUALS):
            at += 1
        return at

    def _state(self, sides: list[tuple[Tree, int, int]], label: str) -> None:
        """Add the calculations of a chain, and what it says they are."""
        found = self._found
        bare = [found.numbers[tree[1]] for tree, _, _ in sides if tree[0] == "n"]
        worked = [(tree, begin, after) for tree, begin, after in sides if tree[0] not in _SINGLE]
        if len(worked) > 1 and (whole := found.fraction(worked[-1][0])) and found.value(worked[0][0]) == whole.value:
            bare.append(whole)  # a result that is a fraction is no calculation
            worked.pop()
        last: Tree | None = sides[-1][0] if sides else None
        if not worked:
            numbers = [tree for tree, _, _ in sides if tree[0] == "n"]
            if len(numbers) > 1:
                last = self._convert(numbers)
        for place, (tree, begin, after) in enumerate(worked):
            value = found.value(tree)
            if value is None:
                continue
            span = self._span(tree, begin, after)
            step = Step(tree, value, *span, until=self._tokens[after - 1].end)
            others = []
            for number in bare:
                if _is_nearly(value, number):
                    step.stated.append(number)
                elif number.start > span[0]:
                    others.append(number)
            wrong = [n for n in others if not _is_converted(value, n)]
            if wrong and not step.stated and place == len(worked) - 1:
                step.slip = True
                step.stated += wrong[-1:]
            at = found.add_step(step)
            last = ("step", at)
            for number in others:
                if number not in wrong and value:
                    factor = number.value / value
                    last = ("step", found.add_step(Step(tree, value, *span, stated=[number], factor=factor)))
        if label and last is not None:
            if last[0] == "n" and not found.numbers[last[1]].unit:
                found.numbers[last[1]] = found.numbers[last[1]]._replace(unit=words_of_name(label))
            found.name(label, last)

    def _convert(self, numbers: Sequence[Tree]) -> Tree:
        """Add that an amount is stated in another unit: 2 hours = 120 minutes."""
        found = self._found
        one, other = found.numbers[numbers[0][1]], found.numbers[numbers[-1][1]]
        if one.value and other.value and one.value != other.value and other.value / one.value in BETWEEN_UNITS:
            step = Step(numbers[0], one.value, one.start, other.end, [other], factor=other.value / one.value)
            return ("step", found.add_step(step))
        return numbers[-1]

    def _keep(self, tree: Tree, begin: int, after: int) -> Tree:
        value = self._found.value(tree)
        if value is None:
            return tree
        until = self._tokens[max(after - 1, begin)].end
        return ("step", self._found.add_step(Step(tree, value, *self._span(tree, begin, after), until=until)))

    def _span(self, tree: Tree, begin: int, after: int) -> tuple[int, int]:
        numbers = [self._found.numbers[part[1]] for part in self._found._leaves(tree) if part[0] == "n"]
        if not numbers:
            return self._tokens[begin].start, self._tokens[max(after - 1, begin)].end
        return min(number.start for number in numbers), max(number.end for number in numbers)

    # Expressions

    def _sum(self, at: int, depth: int) -> tuple[Tree, int]:
        if depth > MAX_DEPTH:
            raise _Unreadable
        tree, at = self._term(at, depth)
        while True:
            place = self._skip_unit(at)
            sign = self._sign(place)
            if sign not in ("+", "-"):
                return tree, at
            try:
                right, after = self._term(place + 1, depth)
            except _Unreadable:
                if sign == "-":
                    return tree, at
                raise
            tree, at = (sign, tree, right), after

    def _term(self, at: int, depth: int) -> tuple[Tree, int]:
        tree, at = self._factor(at, depth)
        while True:
            place = self._skip_unit(at)
            token = self._token(place)
            if token is None:
                return tree, at
            sign = self._sign(place)
            if sign in ("*", "/"):
                right, at = self._factor(place + 1, depth)
                tree = (sign, tree, right)
            elif token.text == "of" and place == at and self._is_share(tree):
                try:
                    right, at = self._factor(place + 1, depth)
                except _Unreadable:
                    return tree, at
                tree = ("*", tree, right)
            elif token.text in ("(", "[") and place == at and token.glued:
                right, at = self._factor(place, depth)
                tree = ("*", tree, right)
            else:
                return tree, at

    def _is_share(self, tree: Tree) -> bool:
        if tree[0] == "n":
            number = self._found.numbers[tree[1]]
            return number.percent or number.value < 1
        return bool(tree[0] == "/" and tree[1][0] == tree[2][0] == "n")

    def _factor(self, at: int, depth: int) -> tuple[Tree, int]:
        token = self._token(at)
        if token is None or depth > MAX_DEPTH:
            raise _Unreadable
        if token.sort is Sort.OPERATOR and token.text in "+-":
            tree, after = self._factor(at + 1, depth + 1)
            if token.text == "+":
                return tree, after
            return ("-", self._constant(token, 0), tree), after
        tree, at = self._atom(at, depth)
        power = self._token(at)
        if power is not None and power.text == "^":
            exponent = self._token(at + 1)
            if exponent is not None and exponent.text == "(":
                exponent, closing = self._token(at + 2), self._token(at + 3)
                if closing is None or closing.text != ")":
                    raise _Unreadable
                after = at + 4
            else:
                after = at + 2
            if exponent is None or exponent.value not in (2, 3, 4):
                raise _Unreadable
            if tree[0] not in _SINGLE:
                tree = self._keep(tree, at, at)  # so that powers of powers do not double their work
                if tree[0] != "step":
                    raise _Unreadable
            base = tree
            for _ in range(int(exponent.value or 0) - 1):
                tree = ("*", tree, base)
            at = after
        return tree, at

    def _constant(self, token: Token, value: int) -> Tree:
        written = Fraction(value)
        return self._found.add_number(Number(written, written, False, Fraction(1), token.start, token.start, ()))

    def _atom(self, at: int, depth: int) -> tuple[Tree, int]:
        self._operands += 1
        token = self._token(at)
        if token is None or self._operands > MAX_OPERANDS:
            raise _Unreadable
        if token.sort is Sort.CURRENCY:
            at += 1
            token = self._token(at)
            if token is None or token.sort is not Sort.NUMBER:
                raise _Unreadable
        if token.sort is Sort.NUMBER:
            return self._number(at)
        if token.text in ("(", "["):
            tree, after = self._sum(at + 1, depth + 1)
            stop = self._skip_unit(after)
            closing = self._token(stop)
            if closing is None or closing.text not in (")", "]"):
                raise _Unreadable
            if tree[0] not in _SINGLE:
                tree = self._keep(tree, at, stop)
            return tree, stop + 1
        if token.sort in (Sort.NAME, Sort.WORD):
            return self._read_name(at)
        raise _Unreadable

    def _read_name(self, at: int) -> tuple[Tree, int]:
        """Return a name that was given a value before."""
        words: list[str] = []
        place = at
        while place < len(self._tokens) and self._tokens[place].sort in (Sort.WORD, Sort.NAME) and len(words) < 9:
            words.append(self._tokens[place].text)
            place += 1
        known = self._found.find_name(phrase_key(words)) if words else None
        if known is None:
            raise _Unreadable
        return known, place

    def _number(self, at: int) -> tuple[Tree, int]:
        token = self._tokens[at]
        value = token.value or Fraction(0)
        after = at + 1
        end, step = token.end, _step(token)
        rest = self._tokens[at + 1 : at + 4]
        if (
            len(rest) == 3 and not rest[0].glued and rest[0].value and rest[1].text == "/" and rest[2].value
            and rest[0].value < rest[2].value and value.denominator == 1 and rest[0].sort is rest[2].sort is Sort.NUMBER
        ):  # fmt: skip
            value, after, end = value + rest[0].value / rest[2].value, at + 4, rest[2].end
            step = Fraction(1, 10**9)
        following = self._token(after)
        percent = False
        if following is not None and (following.sort is Sort.PERCENT or following.text in ("percent", "percentage")):
            percent, after = True, after + 1
        elif (
            following is not None
            and following.sort is Sort.NAME
            and following.glued
            and following.text not in UNIT_LETTERS
        ):
            raise _Unreadable  # 3x
        elif following is not None and following.sort is Sort.CURRENCY and following.glued:
            after += 1
        explained = self._read_explanation(after)
        if explained is not None:
            return explained
        words = takewhile(lambda t: t.sort in (Sort.WORD, Sort.NAME), self._tokens[after : after + 4])
        unit = tuple([singular(t.text) for t in words])
        if at and self._tokens[at - 1].sort is Sort.CURRENCY:
            unit = (self._tokens[at - 1].text, *unit)
        amount = value / 100 if percent else value
        return self._found.add_number(Number(amount, value, percent, step, token.start, end, unit)), after

    def _read_explanation(self, at: int) -> tuple[Tree, int] | None:
        """Return the calculation that explains a number in brackets: 4 dozen eggs (4 * 12 = 48 eggs) + 2."""
        place = at
        while place - at <= 4 and (token := self._token(place)) is not None and token.sort is Sort.WORD:
            place += 1
        token = self._token(place)
        if token is None or token.text != "(" or token.glued:
            return None
        close = self._remark(place)
        if close is None or not any(t.sort is Sort.EQUALS for t in self._tokens[place:close]):
            return None
        count, operands = len(self._found.steps), self._operands
        read = self._try(place + 1)
        self._operands = operands
        equals = None if read is None else self._equals_after(read[1])
        if read is None or equals is None or read[0][0] in _SINGLE:
            return None
        self._chain(equals, "", read[0])
        return (("step", len(self._found.steps) - 1), close + 1) if len(self._found.steps) > count else None

    def _skip_unit(self, at: int) -> int:
        """Return the place after the words of a unit, if an operator or an equals sign follows; else the same place."""
        place = at
        words = 0
        while words <= MAX_UNIT:
            token = self._token(place)
            if token is None:
                return at
            if self._is_cross(place):
                break
            if token.sort is Sort.WORD or (token.sort is Sort.NAME and (words or token.text in UNIT_LETTERS)):
                words += 1
                place += 1
                continue
            after = self._token(place + 1)
            if token.text == "/" and after is not None and after.sort in (Sort.WORD, Sort.NAME):
                if self._found.find_name(phrase_key([after.text])) is not None and not words:
                    return place
                words += 1
                place += 2
                continue
            if token.text in ("(", "[") and (not token.glued or words):
                close = self._remark(place)
                if close is not None:
                    words += 1
                    place = close + 1
                    continue
            break
        token = self._token(place)
        if token is not None and (token.sort is Sort.EQUALS or self._sign(place) in _SIGNS):
            return place
        return at

    def _remark(self, at: int) -> int | None:
        """Return where a bracket closes that only explains: by words, a number, or a calculation with its result."""
        place, numbers, signs = at + 1, 0, 0
        while place < len(self._tokens) and place - at < 30:
            token = self._tokens[place]
            if token.sort is Sort.EQUALS:
                signs = -99
            if token.text in (")", "]"):
                return place if signs <= 0 and (numbers <= 1 or signs < -50) else None
            if token.sort is Sort.STOP or token.text in ("(", "["):
                return None
            numbers += token.sort is Sort.NUMBER
            signs += token.sort is Sort.OPERATOR
            place += 1
        return None

    def _sign(self, at: int) -> str:
        """Return the sign at a place, also where it is an x between two numbers; empty if there is none."""
        token = self._token(at)
        if token is None:
            return ""
        if token.sort is Sort.OPERATOR:
            return token.text
        return "*" if self._is_cross(at) else ""

    def _is_cross(self, at: int) -> bool:
        token, after = self._tokens[at], self._token(at + 1)
        return token.text in ("x", "X") and after is not None and after.sort in (Sort.NUMBER, Sort.CURRENCY)

    def _token(self, at: int) -> Token | None:
        return self._tokens[at] if at < len(self._tokens) else None


_SIGNS = frozenset("+-*/)]")
_FILLERS = frozenset(
    {"approximately", "about", "just", "only", "roughly", "around", "exactly", "a", "total", "of", "then"}
)


def _step(token: Token) -> Fraction:
    return Fraction(1, 10 ** len(token.text.replace(",", "").partition(".")[2]))


def _is_nearly(value: Fraction, number: Number) -> bool:
    """Decide whether a number is a value: exactly, rounded, or in percent."""
    if is_rounded(value, number.value, number.step / 100 if number.percent else number.step):
        return True
    return number.percent and is_rounded(value, number.written, number.step)


def _is_converted(value: Fraction, number: Number) -> bool:
    """Decide whether a number is a value in another unit; double or half a value is a mistake."""
    factor = number.value / value if value and number.unit else Fraction(0)
    return factor in BETWEEN_UNITS and factor not in (2, Fraction(1, 2))


@dataclass(frozen=True, slots=True)
class Comparison:
    """What the arithmetic of an answer says about one gold quantity.

    Attributes:
        found: how natural the reading is that gives gold's function; None if there is none.
        shortcut: whether gold's function is found only if its factors of 1 are left out.
        certain: whether all natural readings of the result give gold's function.
        stated: whether the answer only states gold's intermediate values, and does not calculate them.
        other: another function that the result is by a complete reading, if gold's is not found.
        lucky: whether the reading is natural, and differs from gold however numbers of equal value are exchanged.
    """

    found: int | None = None
    shortcut: bool = False
    certain: bool = False
    stated: bool = False
    other: Expression | None = None
    lucky: bool = False


NOTHING = Comparison()


class GoldFunction:
    """One gold quantity as a function of the numbers of the text."""

    def __init__(self, gold: Gold, unknown: int) -> None:
        points = points_of(gold)
        expressions = gold.expressions
        count = len(gold.numbers)
        self.numbers = gold.numbers
        self._points, self._unknown = points, unknown
        self.ones = gold.ones
        self._others = frozenset(range(count)) - gold.ones
        self.expression = expressions[unknown] if expressions else None
        self.value = None if points.values is None else points.values[unknown]
        self.key = _of(points.in_field(ALL), unknown)
        self.short = _of(points.in_field(self._others), unknown) if gold.ones else None
        # Who solves for one unknown may find the other one first.
        self.parts = frozenset().union(*map(parts_of, expressions))
        constants = frozenset(leaf[1] for one in expressions for leaf in leaves(one) if leaf[0] == "c")
        self.constants = constants if expressions else None
        self._gold = gold
        self.is_written = gold.is_written
        self.is_known = bool(expressions) or len(points.values or ()) > 1  # whether what it is made of is known
        self.by_value = [part for one in expressions for part in _parts_by_value(one, gold.numbers)]

    def merged(self, leaf: Sequence[int]) -> int | None:
        """Return its value in the field where a value stands for each number of the text."""
        field = Algebra(PRIME)
        found = self._gold.at(field, [field.number(value) for value in leaf])
        return None if found is None else field_residue(field, *found[self._unknown])

    def is_proved(self, expression: Expression, *, shortcut: bool) -> bool:
        """Decide whether an expression is this function, with letters for the numbers; a shortcut leaves out ones."""
        numbers, gold = self._points.with_letters(self._others if shortcut else ALL)
        if gold is None:
            return False
        algebra = Algebra()
        try:
            above, below = as_ratio(expression, numbers, algebra)
            gold_above, gold_below = gold[self._unknown]
            ours, theirs = algebra.multiply(above, gold_below), algebra.multiply(gold_above, below)
            return not algebra.add(ours, theirs, -1)
        except (LimitError, ZeroDivisionError):
            return False


@lru_cache(maxsize=1 << 10)
def functions_of(gold: Gold) -> tuple[GoldFunction, ...]:
    """Return the quantities of a gold derivation, each by itself; empty where they have no value."""
    return tuple([GoldFunction(gold, unknown) for unknown in range(len(points_of(gold).values or ()))])


def _of(values: list[int] | None, unknown: int) -> int | None:
    return None if values is None else values[unknown]


def compare_arithmetic(
    arithmetic: Arithmetic, gold: GoldFunction, finals: Sequence[Final], unit: Fraction = Fraction(1)
) -> Comparison:
    """Compare the calculations that lead to the result of an answer with gold.

    `unit` is what the answer multiplies gold's value by because it names another unit.
    """
    value, key = gold.value, gold.key
    if value is None or key is None:
        return NOTHING
    arithmetic.expect(gold, key * leaf_residue(("c", unit)) % PRIME)
    natural: dict[int, Way] = {}
    least, followed = FOREIGN, None  # the most natural reading without a slip
    best: tuple[int, bool] | None = None
    places: list[tuple[int, int]] = []  # the calculations that have the result, each with what gold is divided by there
    ended = False
    right = [final for final in finals if _is_final(final, value * unit)]
    for final in right or finals:
        for at in arithmetic.ends(final)[-MAX_ENDS:]:
            ended = True
            step = arithmetic.steps[at]
            # The answer may have a fraction where gold has a percentage.
            percent = step.total * 100 == value and (final.percent or any(number.percent for number in step.stated))
            scale = Fraction(100) if percent else 1 / unit
            ways = arithmetic.functions(at)
            places.append((at, leaf_residue(("c", 1 / scale))))
            if scale != 1:
                factor = leaf_residue(("c", scale))
                ways = {
                    k * factor % PRIME: w._replace(expression=("*", w.expression, ("c", scale)))
                    for k, w in ways.items()
                }
            for wanted, shortcut in ((key, False), (gold.short, True)):
                way = None if wanted is None else ways.get(wanted)
                better = way is not None and (best is None or (way.rank, shortcut) < best)
                if way is not None and better and gold.is_proved(way.expression, shortcut=shortcut):
                    best = way.rank, shortcut
            natural.update((k, w) for k, w in ways.items() if w.rank == NATURAL and not w.slip and _has_number(w))
            if final.percent or percent:
                # A share and the percentage that it is are one result.
                alike = {wanted * factor % PRIME for wanted in (key, gold.short or key) for factor in _PERCENT_FACTORS}
                natural = {k: w for k, w in natural.items() if k not in alike or k in (key, gold.short)}
            for way in ways.values():
                if way.rank < least and not way.slip:
                    least, followed = way.rank, way.expression
    # Nothing is invented for an answer that can be read without.
    if best is not None and (best[0] <= FORM or least >= COUNT):
        rank, shortcut = best
        certain = rank <= FORM and not shortcut and not arithmetic.crowded and set(natural) <= {key, gold.short}
        return Comparison(rank, shortcut, certain)
    if not right:
        return NOTHING if followed is None else Comparison(other=followed)
    if not ended and arithmetic.steps and key in arithmetic.guesses(value):
        return Comparison(SILENT)
    # A result that is calculated with a number from nowhere is no silent step of gold's way. Where it is calculated in
    # another natural way, all that gold needs being there speaks neither for nor against it.
    written = gold.expression if gold.is_written else None
    supported = written is not None and bool(arithmetic.supports(written, gold.numbers))
    if supported and not natural and (not ended or (followed is not None and least >= COUNT)):
        return Comparison(SILENT, stated=True)
    if not natural:
        return NOTHING
    for way in natural.values():
        counted = _with_counts(way.expression, gold.numbers)
        if counted != way.expression and same_function_key(counted) == key and gold.is_proved(counted, shortcut=False):
            return Comparison(FORM)
    other = list(natural.values())[-1].expression
    keys = {known * inverse % PRIME for known in (key, gold.short) if known is not None for _, inverse in places}
    ends = dict.fromkeys(at for at, _ in places)
    known = gold.is_known and not arithmetic.crowded and not arithmetic.leaves_unread(ends)
    if known:
        # Where no word tells numbers of equal value apart, 3*(a + b) may be 3*a + 3*b with two threes.
        same = arithmetic.same_leaves()
        for leaf in (same, [1 if index in gold.ones else value for index, value in enumerate(same)]):
            merged = gold.merged(leaf)
            known = known and all(_merged_key(way.expression, leaf) != merged for way in natural.values())
    lucky = known and not arithmetic.may_be(ends, keys)
    return Comparison(other=other, lucky=lucky)


def _is_final(final: Final, value: Fraction) -> bool:
    return is_rounded(value, final.value, final.step)


def _is_given(way: Way) -> bool:
    """Decide whether a way is a number of the text as it is."""
    return way.rank == NATURAL and way.expression[0] == "q"


def _demoted(way: Way) -> Way:
    """Return a way that is a form at best."""
    return way._replace(rank=FORM) if way.rank < FORM else way


def _is_unusual(way: Way) -> bool:
    """Decide whether a number of the text is counted, or changed by more than its unit: 1.2 for 20 %."""
    scaled = way.expression[0] == "/" and way.expression[2][0] == "c" and way.expression[2][1] != 100
    return way.rank == COUNT or (way.rank == FORM and (way.expression[0] in "+-" or scaled))


def _has_number(way: Way) -> bool:
    return any(leaf[0] == "q" for leaf in leaves(way.expression))


def _merged_key(expression: Expression, leaf: Sequence[int]) -> int | None:
    """Return the value of an expression in the field where a value stands for each number of the text."""
    if expression[0] in LEAVES:
        return leaf[expression[1] - 1] if expression[0] == "q" else leaf_residue(expression)
    left, right = (_merged_key(part, leaf) for part in expression[1:])
    return None if left is None or right is None else combine_residues(expression[0], left, right)


def _with_counts(expression: Expression, numbers: Sequence[Fraction]) -> Expression:
    """Return an expression in which a part that is added three times or more is multiplied by a number of the text."""
    if expression[0] in LEAVES:
        return expression
    if expression[0] not in "+-":
        return expression[0], _with_counts(expression[1], numbers), _with_counts(expression[2], numbers)
    counts: Counter[tuple[str, Expression]] = Counter()
    for sign, part in _operands(expression):
        counts[sign, _with_counts(part, numbers)] += 1
    total: Expression = _ZERO
    for (sign, part), count in counts.items():
        term = ("+", part, part) if count == 2 else part
        if count > 2:
            term = "*", ("q", numbers.index(count) + 1) if count in numbers else ("c", Fraction(count)), part
        total = term if total == _ZERO and sign == "+" else (sign, total, term)
    return total
