"""Worked solutions as gold: the result as an expression in the numbers of the question.

The result is the last calculation that comes to the final number. Each number in it is replaced by its origin
(`choosing`), up to the numbers of the text and constants. Names, as in ``x + 2x = 27``, are eliminated.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import assert_never

from draw_dataset.algebra.nonlinear import Algebra, Poly, Ratio
from draw_dataset.algebra.number import is_rounded
from draw_dataset.deriving.choosing import Chooser, ChosenOrigins, dependencies_of, solved_names
from draw_dataset.deriving.evidence import Surroundings, surroundings_of
from draw_dataset.errors import LimitError, ReadError
from draw_dataset.reading.answer import ParsedAnswer, cached_number_origins, parse_answer
from draw_dataset.reading.functions import (
    LEAVES,
    Expression,
    leaves,
    q_notation,
    same_function_key,
    value_of,
)
from draw_dataset.reading.links import AnswerSetup, is_nearly
from draw_dataset.reading.provenance import SCALES, NumberOrigins
from draw_dataset.reading.quantities import (
    CONSTANT,
    UNCHANGED,
    Change,
    ConstantOrigin,
    Evaluation,
    NameOrigin,
    Node,
    Origin,
    PairOrigin,
    RestOrigin,
    Result,
    ResultOrigin,
    SetUp,
    TextOrigin,
    literals_of,
    numbers_of,
)
from draw_dataset.text.lexicon import things
from draw_dataset.text.numbers import FoundNumber, find_numbers
from draw_dataset.text.units import COUNTED, name_of_constant

ZERO: Expression = ("c", Fraction(0))
ONE: Expression = ("c", Fraction(1))
_HUNDRED: Expression = ("c", Fraction(100))


def cancel_constants(expression: Expression) -> Expression:
    """Return an expression without constants that a product multiplies and divides by: 8*q1/8*q2 is q1*q2.

    >>> cancel_constants(("*", ("/", ("*", ("c", Fraction(8)), ("q", 1)), ("c", Fraction(8))), ("q", 2)))
    ('*', ('q', 1), ('q', 2))
    """
    if expression[0] in ("q", "c"):
        return expression
    above, below, factor, count = _factors(expression) if expression[0] in ("*", "/") else ([], [], Fraction(1), 0)
    if count < 2 or factor != 1 or not above:
        return (expression[0], cancel_constants(expression[1]), cancel_constants(expression[2]))
    found = above[0]
    for part in above[1:]:
        found = ("*", found, part)
    for part in below:
        found = ("/", found, part)
    return found


def use_parts(expression: Expression, numbers: Sequence[Fraction]) -> Expression:
    """Return an expression in which the constants of a product are a part that the text has and nothing else uses.

    Two thirds of 12 are solved as 12/3*2, what is left of three quarters as a quarter, and dimes as 10 cents.

    >>> text = [Fraction(12), Fraction(2, 3)]
    >>> use_parts(("*", ("/", ("q", 1), ("c", Fraction(3))), ("c", Fraction(2))), text)
    ('*', ('q', 1), ('q', 2))
    """
    used = {leaf[1] for leaf in leaves(expression) if leaf[0] == "q"}
    for index, value in enumerate(numbers, 1):
        if 0 < value < 1 and index not in used:
            q: Expression = ("q", index)
            forms: list[tuple[Fraction, str, Expression]] = [(value, "*", q), (1 / value, "/", q)]
            if value != Fraction(1, 2):
                forms += [(1 - value, "*", ("-", ONE, q)), (1 / (1 - value), "/", ("-", ONE, q))]
            forms += [(100 * value, "*", ("*", q, _HUNDRED))]
            factors = [factor for factor, _, _ in forms]
            # A dime as 10 cents is no division by a tenth.
            forms = [form for form in forms if factors.count(form[0]) == 1]
            expression = _with_part(expression, forms) or expression
    return expression


def _with_part(expression: Expression, forms: Sequence[tuple[Fraction, str, Expression]]) -> Expression | None:
    """Return an expression in which the first product whose constants are a form has that form; None if none is."""
    if expression[0] in ("q", "c"):
        return None
    if expression[0] in ("*", "/"):
        above, below, factor, count = _factors(expression)
        sign, part = next(((sign, part) for value, sign, part in forms if value == factor), ("", ONE))
        if count and above and sign:
            found = above[0]
            for other in above[1:]:
                found = ("*", found, other)
            for other in below:
                found = ("/", found, other)
            return sign, found, part
    for place in (1, 2):
        inner = _with_part(expression[place], forms)
        if inner is not None:
            return (*expression[:place], inner, *expression[place + 1 :])
    return None


def _factors(expression: Expression) -> tuple[list[Expression], list[Expression], Fraction, int]:
    """Return the factors and divisors of a product, its constant factor, and the number of constants."""
    above: list[Expression] = []
    below: list[Expression] = []
    factor, count = Fraction(1), 0
    todo = [(expression, False)]
    while todo:
        part, divides = todo.pop()
        if part[0] in ("*", "/"):
            todo += [(part[2], divides ^ (part[0] == "/")), (part[1], divides)]
        elif part[0] == "c":
            if divides and not part[1]:
                return [expression], [], Fraction(1), 0
            factor, count = factor / part[1] if divides else factor * part[1], count + 1
        else:
            (below if divides else above).append(cancel_constants(part))
    return above, below, factor, count


class Builder:
    """Builds the expression of a result under one reading."""

    def __init__(self, setup: AnswerSetup, origins: Mapping[int, Origin], parts: Mapping[int, Node]) -> None:
        self._parts = parts
        self._setup = setup
        self._values = setup.values
        self._origins = origins
        self._results: dict[int, Expression] = {}

    def expression(self, node: Node) -> Expression:
        """Return a calculation as an expression in the numbers of the text."""
        way = dependencies_of(self._setup, node, self._origins, self._parts)
        if way.named:
            return self._eliminate_names(node)
        # The earlier ones first, as each builds on those before: no recursion from one to the next.
        for index in sorted(way.results):
            self._results[index] = self._result(self._setup.results[index])
        return self._plain(node)

    def _plain(self, node: Node) -> Expression:
        kind = node[0]
        if kind == "number":
            return self._literal(node[1])
        if kind == "neg":
            return ("-", ZERO, self._plain(node[1]))
        if kind == "^":
            base = self._plain(node[1])
            found = ONE if not node[2] else base
            for _ in range(node[2] - 1):
                found = ("*", found, base)
            return found
        left, right = self._plain(node[1]), self._plain(node[2])
        if kind == "*" and ONE in (left, right):
            return right if left == ONE else left  # times 100 %
        if kind == "/" and right[0] == "/" and right[1] == ONE:
            return ("*", left, right[2])  # divided by a reciprocal
        return (kind, left, right)

    def _literal(self, index: int) -> Expression:
        if index in self._parts:
            return self._plain(self._parts[index])
        origin = self._origins[index]
        match origin:
            case ConstantOrigin():
                return ("c", self._setup.literals[index].amount)
            case TextOrigin():
                return _apply_change(("q", origin.number + 1), origin.change)
            case ResultOrigin():
                return _apply_change(self._results[origin.result], origin.change)
            case RestOrigin():
                return ("-", ("q", origin.number + 1), self._results[origin.result])
            case PairOrigin():
                return _apply_change((origin.sign, ("q", origin.first + 1), ("q", origin.second + 1)), origin.change)
            case NameOrigin():
                # A name on the way is eliminated before.
                raise LimitError(f"the name {origin.name} was not eliminated")
            case _:
                assert_never(origin)

    def _result(self, result: Result) -> Expression:
        found = self._plain(result.node)
        sum(1 for _ in leaves(found))  # checks its length
        if result.stated.percent and self._values.get(result.node) == result.stated.value:
            return ("/", found, _HUNDRED)  # 100 - 60 = 40%
        return found

    def _eliminate_names(self, node: Node) -> Expression:
        """Return a calculation with names in it, solved for by the equations of the solution."""
        setup = SetUp(
            self._setup.literals, [[self._origins.get(i, CONSTANT)] for i in range(len(self._setup.literals))]
        )
        setup.equations, setup.results = self._setup.equations, self._setup.results
        ranks = {number for origin in self._origins.values() for number in numbers_of(origin)}
        letters: list[Ratio] = [({(-1 - i,): 1}, {(): 1}) for i in range(max(ranks, default=-1) + 1)]
        evaluation = Evaluation(setup, Algebra(), letters)
        evaluation.add_all()
        above, below = evaluation.known(node)
        if any(variable >= 0 for poly in (above, below) for monomial in poly for variable in monomial):
            raise LimitError("the names of the solution are not determined by its equations")
        if all(coefficient < 0 for coefficient in below.values()):
            above, below = ({monomial: -c for monomial, c in poly.items()} for poly in (above, below))
        if len(below) == 1 and () in below:
            return _sum({monomial: Fraction(c) / below[()] for monomial, c in above.items()})
        return ("/", _sum(above), _sum(below))


def _apply_change(plain: Expression, change: Change) -> Expression:
    """Return an expression inverted, multiplied, and with an offset."""
    if change is UNCHANGED:
        return plain
    scale, offset = change.scale, change.offset
    if change.inverse:
        found: Expression = ("/", ("c", scale), plain)
    elif scale == -1:
        return ("-", ("c", offset), plain)
    elif scale == _HUNDREDTH:
        found = ("/", plain, _HUNDRED)
    else:
        found = plain if scale == 1 else ("*", ("c", scale), plain)
    if not offset:
        return found
    return ("-", ("c", offset), ("*", ("c", -scale), plain)) if scale < 0 else ("+", ("c", offset), found)


def _sum(poly: Poly) -> Expression:
    """Return a polynomial as a sum of products."""
    found: Expression | None = None
    for monomial, coefficient in sorted(poly.items(), key=lambda item: (item[1] < 0, item[0])):
        size = abs(Fraction(coefficient))
        factors: list[Expression] = [("q", -variable) for variable in sorted(monomial, reverse=True)]
        term, *rest = factors if size == 1 and monomial else [("c", size), *factors]
        for factor in rest:
            term = ("*", term, factor)
        sign = "-" if coefficient < 0 else "+"
        found = term if found is None and sign == "+" else (sign, found or ZERO, term)
    return found or ZERO


_HUNDREDTH = Fraction(1, 100)


_PER = re.compile(r"(?<=[A-Za-z\d])\s?/\s?(?!and\b|or\b)[a-z]{3,20}\b(?!\s*[(\d])")

_RANK = re.compile(r"(?<==)(\s?\d{1,3})(?:st|nd|rd|th)\b|(?<=>>)(\d{1,3})(?:st|nd|rd|th)\b")
_TIMES = re.compile(r"(?<=\d\s)x(?=\d)")
_GROUPED = re.compile(r"(?<![\d.,])(\d{1,3})((?: \d{3}){1,4})(?![\d.,]\d|\d)")
_HYPHEN = re.compile(r"(?<=\d)-(?=[A-Za-z]{3,})")


def tidy(solution: str) -> str:
    """Return a solution without what the reader of answers would misread: repeated calculations, and "per" as a slash.

    >>> tidy("So 3 cups/day * 2 days = <<3*2=6>>6 cups")
    'So 3 cups * 2 days = <<3*2=6>>6 cups'
    >>> tidy("2 + 3 = 5-minute walk")
    '2 + 3 = 5 minute walk'
    """
    return _RANK.sub(
        lambda match: match.group()[:-2], _HYPHEN.sub(" ", _TIMES.sub("x ", _PER.sub("", without_copies(solution))))
    )


def without_blanks(solution: str, numbers: Iterable[str]) -> str:
    """Return a solution without the blanks inside of its numbers, where the question writes 400 000 as well.

    >>> without_blanks("She pays $400 000 x 3/100 = $12 000.", ["400 000", "3"])
    'She pays $400000 x 3/100 = $12000.'
    >>> without_blanks("In 3 400 seat halls", ["3", "400"])
    'In 3 400 seat halls'
    """
    if not any(map(_GROUPED.fullmatch, numbers)):
        return solution
    return _GROUPED.sub(lambda match: match.group().replace(" ", ""), solution)


_MARK = re.compile(r"<<([^<>\n]{1,200}?)=([^<>=\n]{1,60})>>")
_RESULT = re.compile(r"\.?\d")
_SPACED = re.compile(r"[\s,]|(?<!\d)\$")


def without_copies(solution: str) -> str:
    """Return a solution without the marks of a calculator that repeat what stands before them.

    >>> without_copies("5 * 2 = $<<5*2=10>>10 in all")
    '5 * 2 = $10 in all'
    >>> without_copies("5 bags of 2 = <<5*2=10>>10 in all")
    '5 bags of 2 = <<5*2=10>>10 in all'
    """
    if "<<" not in solution:
        return solution

    def shortened(match: re.Match[str]) -> str:
        calculation = _SPACED.sub("", match.group(1))
        before = solution[max(0, match.start() - 3 * len(match.group(1)) - 20) : match.start()]
        copied = _SPACED.sub("", before).replace("x", "*").replace("×", "*").endswith(f"{calculation}=")
        return "" if copied and _RESULT.match(solution, match.end()) else match.group()

    return _MARK.sub(shortened, solution)


# Where a literal may come from several numbers of equal value, nobody can tell which is meant: every such reading is a
# gold of its own.

MAX_GOLD_READINGS = 10  # readings of a worked solution that are looked at


_OF_TEXT = (TextOrigin, ResultOrigin)


class WorkedGold:
    """The result of a worked solution as a function of the numbers of its question, under one reading."""

    __slots__ = ("_chosen", "_node", "_setup", "numbers", "ones")

    def __init__(self, setup: AnswerSetup, node: Node, numbers: Sequence[Fraction], chosen: Mapping[int, int]) -> None:
        self._setup = setup
        self._node = node
        self._chosen = chosen
        self.numbers = tuple(numbers)  # the numbers of the question
        self.ones = frozenset(i for i, value in enumerate(numbers) if value == 1)  # those that are 1

    @property
    def expressions(self) -> tuple[()]:
        """They are not known as expressions."""
        return ()

    @property
    def is_written(self) -> bool:
        """They are not written as one expression."""
        return False

    @property
    def offset(self) -> int:
        """Its constants are read as the solution has them."""
        return 0

    def at(self, algebra: Algebra, numbers: Sequence[Ratio]) -> list[Ratio] | None:
        """Return the result where given quotients stand for the numbers; None where it has no value."""
        evaluation = Evaluation(self._setup, algebra, numbers, self._chosen)
        try:
            evaluation.add_all()
            return [evaluation.known(self._node)]
        except (LimitError, ZeroDivisionError):
            return None


def worked_golds(question: str, solution: str) -> list[WorkedGold]:
    """Return the golds that a worked solution may mean, the most natural first.

    >>> golds = worked_golds("Ann has 16 eggs. She eats 3 and sells the rest for $2 each.", "16-3=13. 13*2=26. A: 26")
    >>> len(golds)
    1
    """
    numbers = tuple(number.value for number in find_numbers(question))
    parsed = parse_answer(solution, cached_number_origins(numbers))
    node = result_of(parsed, parsed.finals[-1].value) if parsed.finals else None
    if node is None:
        raise ReadError("solution", "calculations that lead to its final number", solution[-60:])
    golds = [WorkedGold(parsed.setup, node, numbers, {})]
    for index in _literals(parsed.setup, node):
        first, *rest = parsed.setup.origins[index]
        if not isinstance(first, _OF_TEXT):
            continue
        for option, origin in enumerate(rest, 1):
            change = origin.change
            alike = isinstance(origin, _OF_TEXT) and first.change.scale == change.scale
            if isinstance(origin, ConstantOrigin):
                # 100 - 60 is a percentage, even where another 100 was found before.
                alike = parsed.setup.literals[index].value == 100
            if alike and not change.offset and not change.inverse and len(golds) < MAX_GOLD_READINGS:
                golds.append(WorkedGold(parsed.setup, node, numbers, {index: option}))
    return golds


def result_of(parsed: ParsedAnswer, final: Fraction) -> Node | None:
    """Return the expression whose value a solution gives as its result; it must come to that, but for rounding."""
    values = parsed.setup.values
    for result in reversed(parsed.setup.results):
        value = values.get(result.node)
        if result.stated.value == final and value is not None and is_nearly(value, result.stated.amount, result.stated):
            return result.node
    for node, value in values.items():
        # A conversion by a factor nobody wrote has the value by chance.
        if value == final and all(parsed.setup.literals[i].end for i in literals_of(node)):
            return node
    return None


def _literals(setup: AnswerSetup, node: Node) -> list[int]:
    """Return the literals that a result comes from."""
    found: dict[int, None] = {}
    todo = [node, *(side for left, right, _ in setup.equations for side in (left, right))]
    while todo:
        for index in literals_of(todo.pop()):
            if index not in found:
                found[index] = None
                results = [origin.result for origin in setup.origins[index] if isinstance(origin, ResultOrigin)]
                todo += [setup.results[result].node for result in results]
    return list(found)


MAX_READINGS = 32  # readings of a solution that are looked at


@dataclass(frozen=True, slots=True)
class Solved:
    """What a worked solution says."""

    expressions: tuple[Expression, ...]  # the functions that its result may be, the most natural first
    count: int  # how many readings there are in all; more than the expressions if not all were looked at
    final: Fraction | None  # the number that it gives as its result; None if there is none
    words: Mapping[Fraction, str] = field(default_factory=dict)  # the word beside each result on the way, or none


def steps_of(expression: Expression, words: Mapping[Fraction, str], numbers: Sequence[Fraction]) -> list[str]:
    """Return the results on the way to a function that a solution states, each with its word, and the function.

    >>> product = ("*", ("+", ("q", 1), ("q", 2)), ("q", 3))
    >>> steps_of(product, {Fraction(17): "vehicle"}, [Fraction(12), Fraction(5), Fraction(6)])
    ['vehicle = q1 + q2', 'm = (q1 + q2)*q3']
    """
    found: dict[str, str] = {}
    todo = [(expression, False)]
    while todo:
        part, is_open = todo.pop()
        if part[0] in LEAVES:
            continue
        if not is_open:
            todo += [(part, True), (part[2], False), (part[1], False)]
            continue
        value = value_of(part, numbers)
        written = q_notation(part)
        if value is None or part is expression or value not in words or written in found.values():
            continue
        word = words[value] or "result"
        count = sum(name.rstrip("0123456789") == word for name in found) + 1
        found[word if count == 1 else f"{word}{count}"] = written
    return [f"{name} = {written}" for name, written in found.items()] + [f"m = {q_notation(expression)}"]


def read_solution(
    question: str, numbers: Sequence[FoundNumber], solution: str, answer: Fraction | None = None
) -> Solved:
    """Return the functions that the result of a worked solution may be."""
    # Only the units that the question speaks of: a reader of answers lists every form that somebody may have used.
    scales = {scale for scale in SCALES if name_of_constant(scale, question)}
    origins = NumberOrigins([number.value for number in numbers], scales=scales)
    around = surroundings_of(question, numbers)
    best: Solved | None = None
    solution = without_blanks(solution, [number.text for number in numbers])
    short = tidy(solution)
    for text in (short, solution) if short != solution else (solution,):
        found = _read(question, text, origins, numbers, around, answer)
        if found.expressions and odd_constant(found.expressions[0], f"{question}\n{solution}") is None:
            return found
        if best is None or not best.expressions:
            best = found
    return best or Solved((), 0, answer)


def _read(
    question: str,
    solution: str,
    origins: NumberOrigins,
    numbers: Sequence[FoundNumber],
    around: Sequence[Surroundings],
    answer: Fraction | None,
) -> Solved:
    parsed = parse_answer(solution, origins)
    final = answer if answer is not None else parsed.finals[-1].value if parsed.finals else None
    if final is None:
        return Solved((), 0, None)
    best: Solved | None = None
    words = _words_of_results(parsed)
    for node in _ends(parsed, final, f"{question}\n{solution}"):
        chosen = Chooser(question, parsed, origins, numbers, around).choose(node)
        found = replace(_readings(node, chosen, final, origins.values), words=words)
        if found.expressions and odd_constant(found.expressions[0], f"{question}\n{solution}") is None:
            return found
        if best is None or not best.expressions:
            best = found
    return best or Solved((), 0, final)


_NAME = re.compile(r"(?!q\d+\Z|m\Z)[a-z]+")


def _words_of_results(parsed: ParsedAnswer) -> dict[Fraction, str]:
    """Return the word for what each result of a solution counts; an empty one if it says none."""
    found: dict[Fraction, str] = {}
    for result in parsed.setup.results:
        counted = things(result.stated.unit.lower().split())
        word = next((word for word in reversed(counted[:2]) if _NAME.fullmatch(word)), "")
        found[result.stated.value] = word or found.get(result.stated.value, "")
    return found


def odd_constant(expression: Expression, text: str) -> Fraction | None:
    """Return a number of an expression that has no name in a text, and that nobody can have counted; None if none.

    What is counted is small and whole, and something is multiplied or divided by it: three people, two ways. A part of
    something (1/3 is left) may have been found without a word, but nobody counts 2.5 hours.
    """
    todo: list[tuple[Expression, bool]] = [(expression, True)]
    while todo:
        part, added = todo.pop()
        if part[0] == "c":
            value: Fraction = abs(part[1])
            uncounted = value > 1 and value.denominator > 1
            if (uncounted or value > (2 if added else COUNTED)) and name_of_constant(value, text) is None:
                return value
        elif part[0] != "q":
            todo += [(inner, part[0] in "+-") for inner in part[1:]]
    return None


MAX_ENDS = 3  # calculations of a solution that may be the one it ends in


def _ends(parsed: ParsedAnswer, final: Fraction, text: str) -> list[Node]:
    """Return the calculations that a solution may end in, the last first."""
    literals = parsed.setup.literals
    stated = [result.node for result in reversed(parsed.setup.results) if result.stated.value == final]
    other = result_of(parsed, final)
    solved = {parsed.setup.results[i].node: ("name", name) for i, name in solved_names(parsed.setup).items()}
    ends = [*stated, *([] if other is None else [other])]
    found = dict.fromkeys([*(solved[node] for node in ends if node in solved), *ends])
    # A conversion by a factor that nobody wrote, and that has no name, has the value by chance.
    return [
        node
        for node in found
        if all(literals[i].end or name_of_constant(literals[i].value, text) for i in literals_of(node))
    ][:MAX_ENDS]


def _readings(node: Node, chosen: ChosenOrigins, final: Fraction, numbers: Sequence[Fraction]) -> Solved:
    found: dict[object, Expression] = {}
    for changed in ({}, *chosen.others[: MAX_READINGS - 1]):
        reading = {**chosen.first, **changed}
        try:
            expression = _as_final(Builder(chosen.setup, reading, chosen.parts).expression(node), final, numbers)
            expression = None if expression is None else use_parts(cancel_constants(expression), numbers)
        except (LimitError, ZeroDivisionError):
            continue
        key = None if expression is None else same_function_key(expression)
        if key is not None and expression is not None and expression[0] not in ("q", "c"):
            found.setdefault(key, expression)  # a number of the text alone is the result by chance
    count = len(chosen.others) + 1
    return Solved(tuple(found.values()), len(found) if count <= MAX_READINGS else count, final)


def _as_final(expression: Expression, final: Fraction, numbers: Sequence[Fraction]) -> Expression | None:
    """Return an expression that comes to the result, where that is a percentage perhaps a hundred times; else None."""
    sum(1 for _ in leaves(expression))  # checks its length
    value = value_of(expression, numbers)
    if value is None:
        return None
    if is_rounded(value, final):
        return expression
    return ("*", _HUNDRED, expression) if is_rounded(100 * value, final) else None
