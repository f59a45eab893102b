"""The question: where does each number of a worked solution come from, as its writer meant it.

A reader of answers lists every source that fits a number's value: numbers of the text as they stand or in another form,
earlier results, constants. For gold one of them must be chosen. Each source gets points by itself (`evidence`), and all
choices together get points for what people do when they write a solution down: every result is used, numbers of the
text are used once rather than twice, what is added counts the same things, and what is multiplied does not.

The best source of each number is taken first. Then one choice at a time is changed, or two numbers of equal value
exchange their sources, as long as that gains points. A calculation that stands twice on a line, in words and as a
calculator's mark, is one calculation. A change that would cost next to nothing is another reading of the solution.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

from draw_dataset.answers.reading import Work
from draw_dataset.answers.setup import nearly
from draw_dataset.answers.sources import TextSources
from draw_dataset.core.quantities import Literal, Node, Result, Source, literals_of, names_of
from draw_dataset.core.quantities.expressions import CONSTANT
from draw_dataset.sources.evidence import Evidence, is_plain, roles_of
from draw_dataset.sources.words import Surroundings
from draw_dataset.text import FoundNumber

MARGIN = 1.4
"""Points by which a source must be better than another, or both are readings of the solution."""

COUNTING = 1.6
"""Further points by which a number that is used twice may be better than one that was counted."""

HOPELESS = 4.5
"""Points by which a source is worse than the best one, so that nothing makes up for it."""

MOST = 6
"""Sources of one number that are weighed against each other."""

MAX_SWEEPS = 4
"""Times that all choices are looked at again."""

MAX_WORK = 6_000
"""Numbers that are looked at again, each time a choice is changed; a solution of more keeps its first choices."""


@dataclass(frozen=True, slots=True)
class Choice:
    """Where a number of a solution comes from.

    Attributes:
        source: the best source.
        others: sources that come near it.
    """

    source: Source
    others: tuple[Source, ...] = ()


@dataclass(frozen=True, slots=True)
class Chosen:
    """Where the numbers of a solution come from.

    Attributes:
        choices: for each literal its choice.
        parts: fractions that are two numbers, each by the two literals that were made for it.
    """

    choices: Mapping[int, Choice]
    parts: Mapping[int, tuple[int, int]]


@dataclass(slots=True)
class _Calculation:
    """A calculation or a side of an equation, with the number of results before it and what its literals do in it."""

    index: int
    roles: list[tuple[int, str]]


def choose(
    question: str,
    work: Work,
    sources: TextSources,
    numbers: Sequence[FoundNumber],
    around: Sequence[Surroundings],
    final: Node,
) -> Chosen:
    """Return where each literal of a solution's calculations and equations comes from.

    Args:
        question: the text.
        work: the solution, taken apart.
        sources: the numbers of the text as sources.
        numbers: the numbers of the text.
        around: what stands around each of them.
        final: the calculation that the solution ends in.
    """
    return _Chooser(question, work, sources, numbers, around).chosen(final)


class _Chooser:
    def __init__(
        self,
        question: str,
        work: Work,
        sources: TextSources,
        numbers: Sequence[FoundNumber],
        around: Sequence[Surroundings],
    ) -> None:
        self.work = work
        self.setup = work.setup
        self.sources = sources
        self.numbers = numbers
        self.around = around
        self.broken = {i for i, result in enumerate(self.setup.results) if not self._holds(result)}
        self.broken |= self._guessed()
        self.twin = self._twins()
        self.evidence = Evidence(question, work, numbers, around, self.twin)
        self.parts: dict[int, tuple[int, int]] = {}
        self.options: dict[int, list[tuple[float, Source]]] = {}
        self.which: dict[int, int] = {}
        self.calculations: list[_Calculation] = []
        self._usable: set[int] = set()
        self._needed: set[int] = set()
        self._open: list[int] = []
        self._best = 0.0
        self._exchanged: dict[int, list[Source]] = {}
        self._left = MAX_WORK

    def _holds(self, result: Result) -> bool:
        value = self.setup.values.get(result.node)
        return value is not None and (
            value == result.stated.value or nearly(value, result.stated.amount, result.stated)
        )

    def _guessed(self) -> set[int]:
        """Return the results with a factor nobody wrote or with names in them, where the bare calculation follows."""
        found = set()
        for index, (one, other) in enumerate(zip(self.setup.results, self.setup.results[1:], strict=False)):
            if one.stated.amount != other.stated.amount or index + 1 in self.broken or names_of(other.node):
                continue
            if names_of(one.node) or any(not self.setup.literals[i].end for i in literals_of(one.node)):
                found.add(index)
        return found

    def _twins(self) -> list[int]:
        """Return for each result the first of its line that is the same calculation, perhaps itself."""
        found: list[int] = []
        seen: dict[object, int] = {}
        last: tuple[object, int] = (None, 0)
        literals, text = self.setup.literals, self.work.plain.text
        for index, result in enumerate(self.setup.results):
            if index in self.broken:
                found.append(index)
                continue
            amounts = tuple(sorted(literals[i].amount for i in literals_of(result.node)))
            line = text.rfind("\n", 0, self.work.statements[result.at].start)
            twin = seen.setdefault((line, amounts, result.stated.amount), index)
            if twin == index and last[0] == (line, result.stated.amount):
                twin = last[1]  # said again in other words
            last = (line, result.stated.amount), twin
            found.append(twin)
        return found

    def chosen(self, final: Node) -> Chosen:
        results: dict[int, list[int]] = {}
        for index, result in enumerate(self.setup.results):
            results.setdefault(result.at, []).append(index)
        equations: dict[int, list[Node]] = {}
        for left, right, at in self.setup.equations:
            equations.setdefault(at, []).extend((left, right))
        before = 0
        for at in sorted({*results, *equations}):
            for node in equations.get(at, ()):
                self._take(node, before)
            for index in results.get(at, ()):
                before = index + 1
                if self.twin[index] == index:
                    self._take(self.setup.results[index].node, index)
        self._take(final, len(self.setup.results))
        self._improve(final)
        return Chosen({literal: self._choice(literal) for literal in self.options}, self.parts)

    def _take(self, node: Node, index: int) -> None:
        """List the sources of a calculation's numbers, with their points."""
        calculation = _Calculation(index, [])
        self.evidence.begin(index, node)
        for literal, role in roles_of(node, self.setup.literals):
            if literal in self.options or literal in self.parts:
                continue
            options = self._options(literal, role, index)
            parts = self.setup.literals[literal].parts
            if parts is not None and (not options or options[0][0] < 2 or self._is_worked(literal, parts, index)):
                split = self._split(literal, parts, role, index)
                if split:
                    calculation.roles += split
                    continue
            self.options[literal] = options or [(0.0, CONSTANT)]
            self.which[literal] = 0
            calculation.roles.append((literal, role))
        self.calculations.append(calculation)

    def _split(
        self, literal: int, parts: tuple[Fraction, Fraction], role: str, index: int
    ) -> list[tuple[int, str]] | None:
        """Take a fraction apart whose numerator and denominator are numbers of the text or results by themselves."""
        whole = self.setup.literals[literal]
        made: list[tuple[int, str]] = []
        for value, its_role in zip(parts, ("above", "divisor"), strict=True):
            made.append((len(self.setup.literals), its_role))
            new = Literal(value, whole.start, whole.end, str(value))
            self.setup.literals.append(new)
            alike = [Source("result", i) for i in self._results_of(value, index)]
            self.setup.sources.append([*self.sources.direct(new), *alike, CONSTANT])
        listed = [self._options(i, its_role, index) for i, its_role in made]
        if any(options[0][1].kind == "constant" and options[0][0] < 1 for options in listed):
            return None
        self.parts[literal] = (made[0][0], made[1][0])
        for (i, _), options in zip(made, listed, strict=True):
            self.options[i], self.which[i] = options, 0
        return made if role is not None else None

    def _is_worked(self, literal: int, parts: tuple[Fraction, Fraction], index: int) -> bool:
        """Say whether a fraction is a result over something, and stands in the text otherwise if at all: 25/100."""
        written = {number.text for number in self.numbers}
        return self.setup.literals[literal].text not in written and any(True for _ in self._results_of(parts[0], index))

    def _results_of(self, value: Fraction, before: int) -> Iterable[int]:
        return (
            i
            for i, result in enumerate(self.setup.results[:before])
            if result.stated.value == value and self.twin[i] == i and i not in self.broken
        )

    def _options(self, literal: int, role: str, index: int) -> list[tuple[float, Source]]:
        own = self.setup.literals[literal]
        found: dict[Source, float] = {}
        for source in [*self.setup.sources[literal], *self.evidence.more(own, self.sources)]:
            results = source.results()
            if any(self.twin[of] >= index or of in self.broken for of in results):
                continue  # itself, or a slip
            if source.kind == "result":
                source = source._replace(of=self.twin[source.of])
            elif source.kind == "rest":
                source = source._replace(of=(source.of[0], self.twin[source.of[1]]))
            if source not in found:
                found[source] = self.evidence.points(own, source, role)
        ranked = sorted(((points, source) for source, points in found.items()), key=lambda pair: -pair[0])[:MOST]
        return [pair for pair in ranked if pair[0] > ranked[0][0] - HOPELESS or pair[1].kind == "constant"]

    # All choices together.

    def _source(self, literal: int) -> Source:
        return self.options[literal][self.which[literal]][1]

    def _total(self) -> float:
        self._left -= len(self.options)
        total = 0.0
        uses: dict[int, int] = {}
        results: dict[int, int] = {}
        for calculation in self.calculations:
            here: dict[Source, str] = {}
            plain: list[tuple[int, str]] = []
            for literal, role in calculation.roles:
                points, source = self.options[literal][self.which[literal]]
                total += points
                if source.kind == "constant":
                    continue
                if source in here:
                    twice = role in _MULTIPLIED and here[source] in _MULTIPLIED and not self.evidence.square
                    total -= 2.5 if twice else 1.0
                here[source] = role
                for result in source.results():
                    results[result] = results.get(result, 0) + 1
                for number in source.numbers():
                    uses[number] = uses.get(number, 0) + 1
                if source.kind == "text":
                    plain.append((source.of, role))
            total += self._of_units(plain)
        for count in uses.values():
            total -= 0.1 * (count - 1) * (count + 3)
        for count in results.values():
            total -= 0.8 * min(2, count - 1)
        for number in self._usable:
            if number not in uses:
                total -= 0.2 if self.numbers[number].kind == "word" else 0.8
        return total - 1.8 * len(self._needed - results.keys())

    def _of_units(self, plain: Sequence[tuple[int, str]]) -> float:
        """Return the points of numbers of the text that stand in one calculation."""
        total = 0.0
        for (one, role), (other, other_role) in combinations(plain[:12], 2):
            a, b = self.around[one], self.around[other]
            alike = bool(a.unit) and a.unit == b.unit
            if role in _ADDED and other_role in _ADDED:
                total += 0.5 * alike + (0.4 if a.dollars and b.dollars else -0.4 if a.dollars != b.dollars else 0.0)
            elif role == other_role == "factor":
                if alike or (a.dollars and b.dollars):
                    total -= 0.9
            else:
                continue
            if abs(one - other) == 1 and self.numbers[one].sentence == self.numbers[other].sentence:
                total += 0.4
        return total

    def _improve(self, final: Node) -> None:
        self._usable = {
            source.of
            for options in self.options.values()
            for _, source in options
            if source.kind == "text" and is_plain(source)
        }
        listed = {source.of for options in self.options.values() for _, source in options if source.kind == "result"}
        self._needed = {i for i in listed if self.setup.results[i].node != final}
        self._open = [literal for literal, options in self.options.items() if len(options) > 1]
        best = self._total()
        for _ in range(MAX_SWEEPS):
            start = best
            for literal in self._open:
                best = self._try(literal, best)
            best = self._exchange(best)
            if best <= start + 1e-9 or self._left < 0:
                break
        self._best = best
        self._exchanged = self._near_exchanges()

    def _try(self, literal: int, best: float) -> float:
        kept = self.which[literal]
        for option in range(len(self.options[literal])):
            if option == kept or self._left < 0:
                continue
            self.which[literal] = option
            total = self._total()
            if total > best + 1e-9:
                best, kept = total, option
        self.which[literal] = kept
        return best

    def _exchange(self, best: float) -> float:
        for one, other in self._pairs():
            kept = self.which[one], self.which[other]
            swapped = self._swapped(one, other)
            if swapped is None or self._left < 0:
                continue
            self.which[one], self.which[other] = swapped
            total = self._total()
            if total > best + 1e-9:
                best = total
            else:
                self.which[one], self.which[other] = kept
        return best

    def _near_exchanges(self) -> dict[int, list[Source]]:
        """Return for each number the sources that it would have after an exchange that costs next to nothing."""
        found: dict[int, list[Source]] = {}
        for one, other in self._pairs():
            swapped = self._swapped(one, other)
            if swapped is None or self._left < -MAX_WORK:
                continue
            kept = self.which[one], self.which[other]
            first, second = self._source(one), self._source(other)
            self.which[one], self.which[other] = swapped
            if self._total() > self._best - MARGIN and _is_rival(first, second):
                found.setdefault(one, []).append(second)
                found.setdefault(other, []).append(first)
            self.which[one], self.which[other] = kept
        return found

    def _pairs(self) -> Iterable[tuple[int, int]]:
        """Return pairs of numbers of equal value that come from different places."""
        by_value: dict[Fraction, list[int]] = {}
        for literal in self._open:
            by_value.setdefault(self.setup.literals[literal].value, []).append(literal)
        return [pair for listed in by_value.values() for pair in combinations(listed[:8], 2)]

    def _swapped(self, one: int, other: int) -> tuple[int, int] | None:
        first, second = self._source(one), self._source(other)
        if first == second:
            return None
        places = []
        for literal, source in ((one, second), (other, first)):
            there = [option for option, (_, s) in enumerate(self.options[literal]) if s == source]
            if not there:
                return None
            places.append(there[0])
        return places[0], places[1]

    def _choice(self, literal: int) -> Choice:
        kept, options = self.which[literal], self.options[literal]
        source = options[kept][1]
        others = list(dict.fromkeys(self._exchanged.get(literal, ())))
        for option, (points, other) in enumerate(options):
            if other in others or option == kept or self._left < -MAX_WORK:
                continue
            if not _is_rival(source, other) and not self._may_be_counted(source, other, points):
                continue
            self.which[literal] = option
            margin = MARGIN + COUNTING if other.kind == "constant" else MARGIN
            if self._total() > self._best - margin:
                others.append(other)
        self.which[literal] = kept
        return Choice(source, tuple(others))

    def _may_be_counted(self, chosen: Source, other: Source, points: float) -> bool:
        """Say whether a number that the text has once, and that is used twice, may have been counted: two parents."""
        if chosen.kind != "text" or other.kind != "constant" or points < -0.5:
            return False
        return sum(chosen.of in self._source(literal).numbers() for literal in self.options) > 1


_ADDED = ("", "whole")
_MULTIPLIED = ("factor", "above", "divisor", "hundred")


def _is_rival(chosen: Source, other: Source) -> bool:
    """Say whether another source is another reading, and not another form of the same."""
    if chosen.kind == "text" and other.kind == "text":
        alike = (chosen.scale, chosen.offset, chosen.inverse) == (other.scale, other.offset, other.inverse)
        halved = other.inverse and other.scale == 1 and is_plain(chosen)
        return chosen.of != other.of and (alike or is_plain(other) or halved)
    return {chosen.kind, other.kind} <= {"text", "result"} and is_plain(chosen) and is_plain(other)
