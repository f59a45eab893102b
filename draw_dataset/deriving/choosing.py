"""Origins of the numbers in a worked solution, as its writer meant them.

Several origins may fit a number's value: numbers of the text as they stand or in another form, earlier results,
constants. `Chooser` lists them with the points that each gets by itself, and `search` finds the choice that is the most
natural as a whole (both by `evidence`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from fractions import Fraction
from heapq import heappop, heappush
from itertools import combinations, product
from typing import assert_never

from draw_dataset.deriving.evidence import (
    MULTIPLIED,
    Calculation,
    Evidence,
    Option,
    OriginChoices,
    Surroundings,
    Weighing,
    Which,
    roles_of,
)
from draw_dataset.reading.answer import ParsedAnswer
from draw_dataset.reading.links import AnswerSetup, is_nearly
from draw_dataset.reading.provenance import NumberOrigins
from draw_dataset.reading.quantities import (
    CONSTANT,
    ConstantOrigin,
    Literal,
    NameOrigin,
    Node,
    Origin,
    PairOrigin,
    RestOrigin,
    Result,
    ResultOrigin,
    SetUp,
    TextOrigin,
    is_plain,
    literals_of,
    names_of,
    numbers_of,
    results_of,
)
from draw_dataset.text.lexicon import SCALES
from draw_dataset.text.numbers import FoundNumber
from draw_dataset.text.units import COUNTED, is_known

# Local search: start with the best origin of each number, then change one or exchange two while that gains points.
# From the best choice the same moves lead to the others that cost next to nothing: other readings of the solution.

MARGIN = 1.2  # points by which a choice must be better than another, or both are readings of the solution
COUNTING = 1.1  # further points by which a number that is used twice may be better than one that was counted
LIKELY = 0.2  # points of a constant that words speak for
MAX_SWEEPS = 4  # times that all choices are looked at again
MAX_WORK = 600  # times that all choices together are weighed; a solution that needs more keeps the best so far
MAX_NEAR = 64  # choices near the best one that are listed
MAX_OPEN = 24  # numbers of several origins of which pairs are looked at


def search(choices: OriginChoices) -> tuple[dict[int, Origin], list[dict[int, Origin]]]:
    """Return the most natural origins, and the others that come near: for each only what differs from the first."""
    if all(len(options) == 1 for options in choices.options.values()):
        return {literal: options[0][1] for literal, options in choices.options.items()}, []
    weighing = Weighing(choices)
    best, near = _Search(weighing).find_best()
    first = weighing.origins(best)
    return first, [{i: o for i, o in weighing.origins(which).items() if o != first[i]} for which in near]


class _Search:
    def __init__(self, weighing: Weighing) -> None:
        self._weighing = weighing
        self._order, self._options = weighing.order, weighing.options
        self._keys, self._open = weighing.keys, weighing.open
        self._pairs = self._exchangeable_pairs()

    def _exchangeable_pairs(self) -> list[tuple[int, int]]:
        """Return the pairs of numbers that may exchange their origins: of equal value, or with numbers in common."""
        pairs = dict.fromkeys(pair for group in self._weighing.groups for pair in combinations(group, 2))
        numbers = {
            at: {origin.number for _, origin in self._options[at] if isinstance(origin, TextOrigin)}
            for at in self._open[:MAX_OPEN]
        }
        for one, other in combinations(numbers, 2):
            if len(numbers[one] & numbers[other]) > 1:
                pairs[one, other] = None
        return list(pairs)

    def find_best(self) -> tuple[Which, list[Which]]:
        """Return the best choice, and those that come near it."""
        best = self._improve(tuple([0] * len(self._order)))
        for _ in range(MAX_SWEEPS):
            better, near = self._near(best)
            if better == best:
                break
            best = better  # two changes at once gain what one does not
        return best, near

    def _improve(self, which: Which) -> Which:
        """Return the choice with the most points that single changes and exchanges lead to."""
        limit = self._weighing.weighed + MAX_WORK
        best = self._weighing.total(which)
        for _ in range(MAX_SWEEPS):
            start = best
            for at in self._open:
                for changed in self._changes(which, at):
                    total = self._weighing.total(changed) if self._weighing.weighed < limit else best
                    if total > best + 1e-9:
                        best, which = total, changed
            for one, other in self._pairs:
                swapped = self._swap(which, one, other)
                if swapped is not None and self._weighing.weighed < limit:
                    total = self._weighing.total(swapped)
                    if total > best + 1e-9:
                        best, which = total, swapped
            if best <= start + 1e-9 or self._weighing.weighed >= limit:
                break
        return which

    def _near(self, best: Which) -> tuple[Which, list[Which]]:
        """Return the best choice that is found on the way, and other choices that come near, the nearest first."""
        limit = self._weighing.weighed + MAX_WORK
        top = self._weighing.total(best)
        found: list[Which] = []
        seen = {best}
        todo: list[tuple[float, Which]] = [(0.0, best)]
        while todo and len(found) < MAX_NEAR and self._weighing.weighed < limit:
            cost, which = heappop(todo)
            if cost < -1e-9:
                return which, []
            if which != best:
                found.append(which)
            for changed, margin in self._moves(which, best):
                if changed in seen or self._weighing.weighed >= limit:
                    continue
                seen.add(changed)
                cost = top - self._weighing.total(changed)
                if cost < margin:
                    heappush(todo, (cost, changed))
        return best, found

    def _moves(self, which: Which, best: Which) -> Iterator[tuple[Which, float]]:
        """Yield the choices that are one move away and are other readings, each with what it may cost."""
        reached = self._weighing.choices.reached(self._weighing.origins(which))
        margin = MARGIN + COUNTING * self._is_counted(which, best)
        for at in self._open:
            if self._order[at] not in reached:
                continue
            chosen = self._origin(which, at)
            for changed in self._changes(which, at):
                other = self._options[at][changed[at]][1]
                if _is_rival(chosen, other):
                    yield changed, margin
                elif which == best and self._may_be_counted(which, at, changed[at], reached):
                    yield changed, MARGIN + COUNTING
                elif isinstance(other, ConstantOrigin) and self._is_likely(chosen, at, changed[at]):
                    yield changed, margin / 2
        for one, second in self._pairs:
            swapped = self._swap(which, one, second)
            if swapped is None or not (self._order[one] in reached or self._order[second] in reached):
                continue
            if _is_rival(self._origin(which, one), self._origin(which, second)):
                yield swapped, margin

    def _origin(self, which: Which, at: int) -> Origin:
        return self._options[at][which[at]][1]

    def _is_likely(self, chosen: Origin, at: int, option: int) -> bool:
        """Return True if words suggest a constant where a number of the text was chosen."""
        return isinstance(chosen, TextOrigin) and is_plain(chosen) and self._options[at][option][0] >= LIKELY

    def _is_counted(self, which: Which, best: Which) -> bool:
        """Return True if a choice has a constant where the best one has a number of the text."""
        return any(
            isinstance(options[now][1], ConstantOrigin) and not isinstance(options[then][1], ConstantOrigin)
            for options, now, then in zip(self._options, which, best, strict=True)
            if now != then
        )

    def _may_be_counted(self, which: Which, at: int, option: int, reached: Set[int]) -> bool:
        """Return True if a number may have been counted: one that is used twice, or that words suggest: two parents."""
        chosen = self._origin(which, at)
        points, other = self._options[at][option]
        if not isinstance(chosen, TextOrigin) or not is_plain(chosen):
            return False
        if not isinstance(other, ConstantOrigin) or points < -0.5:
            return False
        value = self._weighing.choices.literals[self._order[at]].value
        if self._weighing.roles[at] not in MULTIPLIED and value != 1 and not self._has_constant(which, at):
            return False
        used = [self._origin(which, i) for i, literal in enumerate(self._order) if literal in reached]
        return sum(chosen.number in numbers_of(origin) for origin in used) > 1

    def _has_constant(self, which: Which, at: int) -> bool:
        """Return True if a constant stands in the calculation of a number: the 7 of 7 - 2 days."""
        places = next(places for places in self._weighing.calculations if at in places)
        return any(isinstance(self._origin(which, place), ConstantOrigin) for place in places)

    def _changes(self, which: Which, at: int) -> Iterator[Which]:
        """Yield the choices with another origin of one number."""
        for option in range(len(self._options[at])):
            if option != which[at]:
                yield (*which[:at], option, *which[at + 1 :])

    def _swap(self, which: Which, one: int, other: int) -> Which | None:
        """Return a choice with the origins of two numbers exchanged; None where one cannot have the other's."""
        first, second = self._origin(which, one), self._origin(which, other)
        mine, its = self._keys[one][which[one]], self._keys[other][which[other]]
        if mine == its:
            return None
        changed = list(which)
        if its in self._keys[one] and mine in self._keys[other]:
            changed[one], changed[other] = self._keys[one].index(its), self._keys[other].index(mine)
            return tuple(changed)
        if not isinstance(first, TextOrigin) or not isinstance(second, TextOrigin) or first.number == second.number:
            return None
        # Two numbers of the text may be exchanged in different forms: the halves of 2 * 5 and 1/2 * 5.
        for at, number in ((one, second.number), (other, first.number)):
            options = enumerate(self._options[at])
            there = [i for i, (_, o) in options if isinstance(o, TextOrigin) and o.number == number]
            if not there:
                return None
            changed[at] = there[0]
        return tuple(changed)


def _is_rival(chosen: Origin, other: Origin) -> bool:
    """Return True if another origin is another reading, and not another form of the same."""
    if isinstance(chosen, TextOrigin) and isinstance(other, TextOrigin):
        halved = other.change.inverse and other.change.scale == 1 and is_plain(chosen)
        alike = chosen.change == other.change
        return chosen.number != other.number and (alike or is_plain(other) or halved)
    kinds = {type(chosen), type(other)}
    if kinds != {TextOrigin, RestOrigin} and not kinds <= {TextOrigin, ResultOrigin}:
        return False
    return is_plain(chosen) and is_plain(other)


@dataclass(frozen=True, slots=True)
class Dependencies:
    """Everything that a calculation comes from."""

    literals: frozenset[int]  # the numbers, its own and those of the results
    results: frozenset[int]
    named: bool  # whether names are among them; then the equations of the solution count as well


def dependencies_of(setup: SetUp, node: Node, origins: Mapping[int, Origin], parts: Mapping[int, Node]) -> Dependencies:
    """Return everything that a calculation comes from."""
    literals: set[int] = set()
    results: set[int] = set()
    named = False
    todo = [node]
    while todo:
        part = todo.pop()
        by_name = bool(names_of(part))
        for index in literals_of(part):
            if index in literals:
                continue
            literals.add(index)
            if index in parts:
                todo.append(parts[index])
                continue
            origin = origins.get(index) or setup.origins[index][0]
            by_name = by_name or isinstance(origin, NameOrigin)
            new = [result for result in results_of(origin) if result not in results]
            results.update(new)
            todo += [setup.results[result].node for result in new]
        if by_name and not named:
            named = True
            todo += [side for left, right, _ in setup.equations for side in (left, right)]
    return Dependencies(frozenset(literals), frozenset(results), named)


def _broken_results(setup: AnswerSetup, numbers: Sequence[FoundNumber]) -> set[int]:
    """Return the results that no later number stands for: slips, and results that have a better origin."""
    slips = {i for i, result in enumerate(setup.results) if not _holds(setup, result)}
    found = set(slips)
    for index, (one, other) in enumerate(zip(setup.results, setup.results[1:], strict=False)):
        if one.stated.amount != other.stated.amount or index + 1 in slips or names_of(other.node):
            continue
        # A factor nobody wrote, or names, where the bare calculation follows.
        if names_of(one.node) or any(not setup.literals[i].end for i in literals_of(one.node)):
            found.add(index)
    scaled = {number.value for number in numbers if number.kind == "scale"}
    for index, result in enumerate(setup.results):
        if result.node[0] == "*" and result.stated.value in scaled:
            values = sorted(setup.literals[i].value for i in literals_of(result.node))
            if len(values) == 2 and values[1] in SCALES.values():
                found.add(index)  # it only says what a number of the text is: 2 * 12 = 24 for 2 dozen
    return found


def _holds(setup: AnswerSetup, result: Result) -> bool:
    value = setup.values.get(result.node)
    return value is not None and (value == result.stated.value or is_nearly(value, result.stated.amount, result.stated))


def solved_names(setup: AnswerSetup) -> dict[int, str]:
    """Return the results that only solve an equation for its name: 50/5 after 4x + x = 50 and 5x = 50 is x."""
    if not setup.equations:
        return {}
    literals = setup.literals
    stated = [(result.node, result.stated.value) for result in setup.results]
    sides = [(left, literals[right[1]].value) for left, right, _ in setup.equations if right[0] == "number"]
    coefficients = {
        (literals[node[1][1]].value, value): node[2][1]
        for node, value in (*stated, *sides)
        if node[0] == "*" and node[1][0] == "number" and node[2][0] == "name"
    }
    others = [
        {*names_of(left), *names_of(right)} for left, right, _ in setup.equations if left[0] in "+-" or right[0] in "+-"
    ]
    found = {}
    for index, (node, _) in enumerate(stated):
        if node[0] == "/" and node[1][0] == node[2][0] == "number":
            name = coefficients.get((literals[node[2][1]].value, literals[node[1][1]].value))
            if name is not None and any(name in names for names in others):
                found[index] = name
    return found


def _twins(parsed: ParsedAnswer, broken: Set[int]) -> list[int]:
    """Return for each result the first of its line that is the same calculation, perhaps itself.

    A calculation that stands twice on a line, in words and as a calculator's mark, is one.
    """
    found: list[int] = []
    seen: dict[object, int] = {}
    last: tuple[object, int] = (None, 0)
    literals, text = parsed.setup.literals, parsed.plain.text
    for index, result in enumerate(parsed.setup.results):
        if index in broken:
            found.append(index)
            continue
        amounts = tuple(sorted(literals[i].amount for i in literals_of(result.node)))
        line = text.rfind("\n", 0, parsed.statements[result.at].start)
        twin = seen.setdefault((line, amounts, result.stated.amount), index)
        if twin == index and last[0] == (line, result.stated.amount):
            twin = last[1]  # said again in other words
        last = (line, result.stated.amount), twin
        found.append(twin)
    return found


HOPELESS = 4.5  # points by which an origin is worse than the best one, so that nothing makes up for it
RECENT = 4  # results of which a number may be a sum that nobody wrote down
MOST = 6  # origins of one number that are weighed against each other


@dataclass(frozen=True, slots=True)
class ChosenOrigins:
    """Where the numbers of a solution come from."""

    setup: AnswerSetup  # the set-up of the solution, with the literals that were made for parts
    first: Mapping[int, Origin]  # for each literal the most natural origin
    others: Sequence[Mapping[int, Origin]]  # other readings, the nearest first: the origins that differ from `first`
    parts: Mapping[int, Node]  # literals that are two numbers: the expression of the two literals made for each


class Chooser:
    """Finds where each literal of a solution's calculations and equations comes from."""

    def __init__(
        self,
        question: str,
        parsed: ParsedAnswer,
        origins: NumberOrigins,
        numbers: Sequence[FoundNumber],
        around: Sequence[Surroundings],
    ) -> None:
        self.parsed = parsed
        self.setup = parsed.setup.extended()
        self.origins = origins
        self.numbers = numbers
        self._by_value: dict[tuple[int, int], list[int]] = {}  # the numbers of each value
        for number, found in enumerate(numbers):
            self._by_value.setdefault(found.value.as_integer_ratio(), []).append(number)
        self.around = around
        self.solved = solved_names(self.setup)
        self.broken = _broken_results(self.setup, numbers)
        if self.solved:
            # 5x = 50 says the equation before it once more; what is 50 elsewhere is not 5x.
            self.broken |= {i for i, result in enumerate(self.setup.results) if names_of(result.node)}
        self.twin = _twins(parsed, self.broken)
        self.evidence = Evidence(question, parsed, numbers, around, self.twin)
        self.parts: dict[int, Node] = {}
        self.options: dict[int, list[Option]] = {}
        self.calculations: list[Calculation] = []

    def choose(self, final: Node) -> ChosenOrigins:
        """Return the origins, if the solution ends in a given calculation."""
        results: dict[int, list[int]] = {}
        for index, result in enumerate(self.setup.results):
            results.setdefault(result.at, []).append(index)
        equations: dict[int, list[Node]] = {}
        for left, right, at in self.setup.equations:
            equations.setdefault(at, []).extend((left, right))
        before = 0
        for at in sorted({*results, *equations}):
            for node in equations.get(at, ()):
                self._list_options(node, before)
            for index in results.get(at, ()):
                before = index + 1
                if self.twin[index] == index:
                    self._list_options(self.setup.results[index].node, index)
        self._list_options(final, len(self.setup.results))
        unused = self.broken | self.solved.keys()
        own = [i for i in range(len(self.setup.results)) if self.twin[i] == i and i not in unused]
        first, others = search(
            OriginChoices(
                literals=self.setup.literals,
                options=self.options,
                calculations=self.calculations,
                numbers=self.numbers,
                around=self.around,
                units=[self.evidence.lines.unit(result.stated.end) for result in self.setup.results],
                needed=frozenset(i for i in own if self.setup.results[i].node != final),
                reached=lambda origins: dependencies_of(self.setup, final, origins, self.parts).literals,
                square=self.evidence.square,
            )
        )
        for index, origins in enumerate(self.setup.origins):
            first.setdefault(index, origins[0])
        return ChosenOrigins(self.setup, first, others, self.parts)

    def _list_options(self, node: Node, index: int) -> None:
        """List the origins of a calculation's numbers, with their points."""
        calculation = Calculation(index, [])
        self.evidence.begin(index, node)
        for literal, role in roles_of(node, self.setup.literals):
            if literal in self.options or literal in self.parts:
                continue
            options = self._options(literal, role, index)
            own = self.setup.literals[literal]
            # A fraction that a calculation came to is that result, whatever its two numbers are.
            stated = {self.setup.results[of].stated.text for of in self._results_of_value(own.value, index)}
            parts = None if own.text in stated else own.parts
            split = None
            if parts is not None and (not options or options[0][0] < 2 or self._is_worked(literal, parts, index)):
                split = self._split(literal, "/", parts, index)
            elif options and options[0][0] < 1 and not any(map(_is_one_number, (origin for _, origin in options))):
                counted = own.value <= COUNTED and role in MULTIPLIED
                unwritten = None if counted else self._unwritten_sum(own.value, index)
                split = self._split(literal, *unwritten, index) if unwritten else None
            if split:
                calculation.roles += split
                continue
            self.options[literal] = options or [(0.0, CONSTANT)]
            calculation.roles.append((literal, role))
        self.calculations.append(calculation)

    def _split(
        self, literal: int, sign: str, values: tuple[Fraction, Fraction], index: int
    ) -> list[tuple[int, str]] | None:
        """Take a number apart that is two: a fraction, or a sum that nobody wrote down."""
        whole = self.setup.literals[literal]
        made: list[tuple[int, str]] = []
        for value, role in zip(values, ("above", "divisor") if sign == "/" else ("", ""), strict=True):
            new = Literal(value, whole.start, whole.end, str(value))
            alike = [ResultOrigin(i) for i in self._results_of_value(value, index)]
            node = self.setup.add_literal(new, [*self.origins.direct(new), *alike, CONSTANT])
            made.append((node[1], role))
        listed = [self._options(i, role, index) for i, role in made]
        if any(isinstance(options[0][1], ConstantOrigin) and options[0][0] < 1 for options in listed):
            return None
        self.parts[literal] = (sign, ("number", made[0][0]), ("number", made[1][0]))
        for (i, _), options in zip(made, listed, strict=True):
            self.options[i] = options
        return made

    def _unwritten_sum(self, value: Fraction, index: int) -> tuple[str, tuple[Fraction, Fraction]] | None:
        """Return the sum or difference of a late result and another number that has a value, the latest first."""
        results = [i for i in range(max(0, index - RECENT), index) if self.twin[i] == i and i not in self.broken]
        stated = [self.setup.results[i].stated for i in reversed(results)]
        found = [literal.value for literal in stated if not literal.percent]
        if value <= 2 or value == 100:
            return None
        others = list(dict.fromkeys([*found, *(number.value for number in self.numbers)]))
        for sign, one, other in product("+-", found, others):
            if other not in (0, 1) and one != 1 and value == (one + other if sign == "+" else one - other):
                return sign, (one, other)
        return None

    def _is_worked(self, literal: int, parts: tuple[Fraction, Fraction], index: int) -> bool:
        """Return True if a fraction is two numbers, and stands in the text otherwise if at all: 25/100."""
        if self.setup.literals[literal].text in {number.text for number in self.numbers}:
            return False
        values = {number.value for number in self.numbers}
        given = parts[0] != 1 and parts[0] in values and parts[1] in values
        return given or bool(self._results_of_value(parts[0], index))

    def _results_of_value(self, value: Fraction, before: int) -> list[int]:
        found = [i for i, result in enumerate(self.setup.results[:before]) if result.stated.value == value]
        return [i for i in found if self.twin[i] == i and i not in self.broken]

    def _options(self, literal: int, role: str, index: int) -> list[Option]:
        own = self.setup.literals[literal]
        origins = list(dict.fromkeys(self._origins(own, literal, index)))
        if len(origins) == 2 and CONSTANT in origins and own.value > COUNTED and not is_known(own.value):
            (other,) = (origin for origin in origins if origin != CONSTANT)
            if is_plain(other):
                return [(0.0, other)]  # nobody counts so far
        found = [(self.evidence.points(own, origin, role), origin) for origin in origins]
        if own.value == 1 and any(isinstance(origin, ResultOrigin) for origin in origins):
            # "One" is mostly an article: what was found is meant.
            found = [(points - isinstance(origin, TextOrigin), origin) for points, origin in found]
        ranked = sorted(found, key=lambda pair: -pair[0])[:MOST]
        counted = own.value.denominator == 1 and 1 < own.value <= COUNTED
        least = ranked[0][0] - HOPELESS
        return [pair for pair in ranked if pair[0] > least or (counted and isinstance(pair[1], ConstantOrigin))]

    def _origins(self, own: Literal, literal: int, index: int) -> Iterator[Origin]:
        """Yield the origins that a literal may have, results that are the same calculation as one."""
        for origin in (*self.setup.origins[literal], *self.evidence.more(own, self.origins)):
            if isinstance(origin, (TextOrigin, ConstantOrigin, PairOrigin)):  # most of them, which come from no result
                yield origin
                continue
            if any(self.twin[of] >= index or of in self.broken for of in results_of(origin)):
                continue  # itself, or a slip
            match origin:
                case ResultOrigin() if origin.result in self.solved:
                    yield NameOrigin(self.solved[origin.result], origin.change)
                case ResultOrigin():
                    yield ResultOrigin(self.twin[origin.result], origin.change)
                case RestOrigin():
                    if not self._leaves_what_it_took(origin.number, self.twin[origin.result]):
                        yield RestOrigin(origin.number, self.twin[origin.result])
                case NameOrigin():
                    yield origin
                case _:
                    assert_never(origin)
        latest = max(self.twin[:index], default=-1)
        if latest >= 0 and latest not in self.broken and not own.percent:
            whole = own.value + self.setup.results[latest].stated.value
            for number in self._by_value.get(whole.as_integer_ratio(), ()):
                if not self._leaves_what_it_took(number, latest):
                    yield RestOrigin(number, latest)  # what is left, without a word

    def _leaves_what_it_took(self, number: int, result: int) -> bool:
        """Return True if a result is what is left of a number, so that the rest is what was taken: 5 - (5 - 2)."""
        node = self.setup.results[result].node
        if node[0] != "-" or node[1][0] != "number":
            return False
        origins = self.setup.origins[node[1][1]]
        return any(isinstance(origin, TextOrigin) and origin.number == number for origin in origins)


def _is_one_number(origin: Origin) -> bool:
    return isinstance(origin, (TextOrigin, ResultOrigin, NameOrigin)) and is_plain(origin)
