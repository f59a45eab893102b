"""The question: where does each number of a worked solution come from, as its writer meant it.

A reader of answers lists every source that fits a number's value: numbers of the text as they stand or in another form,
earlier results, constants. For gold one of them must be chosen. Here the sources of each number are listed, with the
points that each gets by itself (`evidence`); then the choice is looked for that is the most natural as a whole
(`weighing`, `searching`). A calculation that stands twice on a line, in words and as a calculator's mark, is one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from draw_dataset.answers.reading import Work
from draw_dataset.answers.sources import TextSources
from draw_dataset.core.quantities import Literal, Node, Source, names_of
from draw_dataset.core.quantities.expressions import CONSTANT
from draw_dataset.sources.constants import COUNTED, is_known
from draw_dataset.sources.evidence import Evidence
from draw_dataset.sources.reaching import way_to
from draw_dataset.sources.repeats import broken_results, solved_names, twins
from draw_dataset.sources.roles import MULTIPLIED, is_plain, roles_of
from draw_dataset.sources.searching import search
from draw_dataset.sources.weighing import Calculation, Given, Option
from draw_dataset.sources.words import Surroundings
from draw_dataset.text import FoundNumber

HOPELESS = 4.5
"""Points by which a source is worse than the best one, so that nothing makes up for it."""

RECENT = 4
"""Results of which a number may be a sum that nobody wrote down."""

MOST = 6
"""Sources of one number that are weighed against each other."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """Where the numbers of a solution come from.

    Attributes:
        first: for each literal the most natural source.
        others: other readings, each with the sources that differ from the first, the nearest first.
        parts: literals that are two numbers, each as the expression of the two literals that were made for it.
    """

    first: Mapping[int, Source]
    others: Sequence[Mapping[int, Source]]
    parts: Mapping[int, Node]


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
        self.solved = solved_names(self.setup)
        self.broken = broken_results(self.setup, numbers)
        if self.solved:
            # 5x = 50 says the equation before it once more; what is 50 elsewhere is not 5x.
            self.broken |= {i for i, result in enumerate(self.setup.results) if names_of(result.node)}
        self.twin = twins(work, self.broken)
        self.evidence = Evidence(question, work, numbers, around, self.twin)
        self.parts: dict[int, Node] = {}
        self.options: dict[int, list[Option]] = {}
        self.calculations: list[Calculation] = []

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
        unused = self.broken | self.solved.keys()
        own = [i for i in range(len(self.setup.results)) if self.twin[i] == i and i not in unused]
        first, others = search(
            Given(
                literals=self.setup.literals,
                options=self.options,
                calculations=self.calculations,
                numbers=self.numbers,
                around=self.around,
                units=[self.evidence.lines.unit(result.stated.end) for result in self.setup.results],
                needed=frozenset(i for i in own if self.setup.results[i].node != final),
                reached=lambda sources: way_to(self.setup, final, sources, self.parts).literals,
                square=self.evidence.square,
            )
        )
        for index, sources in enumerate(self.setup.sources):
            first.setdefault(index, sources[0])
        return Chosen(first, others, self.parts)

    def _take(self, node: Node, index: int) -> None:
        """List the sources of a calculation's numbers, with their points."""
        calculation = Calculation(index, [])
        self.evidence.begin(index, node)
        for literal, role in roles_of(node, self.setup.literals):
            if literal in self.options or literal in self.parts:
                continue
            options = self._options(literal, role, index)
            own = self.setup.literals[literal]
            # A fraction that a calculation came to is that result, whatever its two numbers are.
            stated = {self.setup.results[of].stated.text for of in self._ownof(own.value, index)}
            parts = None if own.text in stated else own.parts
            split = None
            if parts is not None and (not options or options[0][0] < 2 or self._is_worked(literal, parts, index)):
                split = self._split(literal, "/", parts, index)
            elif options and options[0][0] < 1 and not any(map(_is_one_number, (source for _, source in options))):
                counted = own.value <= COUNTED and role in MULTIPLIED
                silent = None if counted else self._silent(own.value, index)
                split = self._split(literal, *silent, index) if silent else None
            if split:
                calculation.roles += split
                continue
            self.options[literal] = options or [(0.0, CONSTANT)]
            calculation.roles.append((literal, role))
        self.calculations.append(calculation)

    def _split(
        self, literal: int, sign: str, values: tuple[Fraction, Fraction], index: int
    ) -> list[tuple[int, str]] | None:
        """Take a number apart that is two: a fraction, or a sum that nobody wrote down.

        Returns:
            The two literals that were made for it, each with what it does; None if one of them comes from nowhere.
        """
        whole = self.setup.literals[literal]
        made: list[tuple[int, str]] = []
        for value, role in zip(values, ("above", "divisor") if sign == "/" else ("", ""), strict=True):
            made.append((len(self.setup.literals), role))
            new = Literal(value, whole.start, whole.end, str(value))
            self.setup.literals.append(new)
            alike = [Source("result", i) for i in self._ownof(value, index)]
            self.setup.sources.append([*self.sources.direct(new), *alike, CONSTANT])
        listed = [self._options(i, role, index) for i, role in made]
        if any(options[0][1].kind == "constant" and options[0][0] < 1 for options in listed):
            return None
        self.parts[literal] = (sign, ("number", made[0][0]), ("number", made[1][0]))
        for (i, _), options in zip(made, listed, strict=True):
            self.options[i] = options
        return made

    def _silent(self, value: Fraction, index: int) -> tuple[str, tuple[Fraction, Fraction]] | None:
        """Return the sum or difference of a late result and another number that has a value, the latest first."""
        results = [i for i in range(max(0, index - RECENT), index) if self.twin[i] == i and i not in self.broken]
        stated = [self.setup.results[i].stated for i in reversed(results)]
        found = [literal.value for literal in stated if not literal.percent]
        if value <= 2 or value == 100:
            return None
        others = list(dict.fromkeys([*found, *(number.value for number in self.numbers)]))
        for sign, one, other in ((sign, one, other) for sign in "+-" for one in found for other in others):
            if other not in (0, 1) and one != 1 and value == (one + other if sign == "+" else one - other):
                return sign, (one, other)
        return None

    def _is_worked(self, literal: int, parts: tuple[Fraction, Fraction], index: int) -> bool:
        """Say whether a fraction is two numbers, and stands in the text otherwise if at all: 25/100."""
        if self.setup.literals[literal].text in {number.text for number in self.numbers}:
            return False
        values = {number.value for number in self.numbers}
        given = parts[0] != 1 and parts[0] in values and parts[1] in values
        return given or any(True for _ in self._ownof(parts[0], index))

    def _ownof(self, value: Fraction, before: int) -> Iterable[int]:
        return (
            i
            for i, result in enumerate(self.setup.results[:before])
            if result.stated.value == value and self.twin[i] == i and i not in self.broken
        )

    def _options(self, literal: int, role: str, index: int) -> list[Option]:
        own = self.setup.literals[literal]
        sources: list[Source] = []
        for source in self._sources(own, literal, index):
            if source not in sources:
                sources.append(source)
        if len(sources) == 2 and CONSTANT in sources and own.value > COUNTED and not is_known(own.value):
            (other,) = (source for source in sources if source.kind != "constant")
            if is_plain(other):
                return [(0.0, other)]  # nobody counts so far
        found = [(self.evidence.points(own, source, role), source) for source in sources]
        if own.value == 1 and any(source.kind == "result" for source in sources):
            # "One" is mostly an article: what was found is meant.
            found = [(points - (source.kind == "text"), source) for points, source in found]
        ranked = sorted(found, key=lambda pair: -pair[0])[:MOST]
        counted = own.value.denominator == 1 and 1 < own.value <= COUNTED
        least = ranked[0][0] - HOPELESS
        return [pair for pair in ranked if pair[0] > least or (counted and pair[1].kind == "constant")]

    def _sources(self, own: Literal, literal: int, index: int) -> Iterator[Source]:
        """Yield the sources that a literal may have, results that are the same calculation as one."""
        for source in (*self.setup.sources[literal], *self.evidence.more(own, self.sources)):
            if any(self.twin[of] >= index or of in self.broken for of in source.results()):
                continue  # itself, or a slip
            if source.kind == "result" and source.of in self.solved:
                source = Source("name", self.solved[source.of], source.scale, source.offset, source.inverse)
            if source.kind == "result":
                source = source._replace(of=self.twin[source.of])
            elif source.kind == "rest":
                source = source._replace(of=(source.of[0], self.twin[source.of[1]]))
                if self._leaves_what_it_took(*source.of):
                    continue
            yield source
        latest = max(self.twin[:index], default=-1)
        if latest >= 0 and latest not in self.broken and not own.percent:
            whole = own.value + self.setup.results[latest].stated.value
            for number, found in enumerate(self.numbers):
                if found.value == whole and not self._leaves_what_it_took(number, latest):
                    yield Source("rest", (number, latest))  # what is left, without a word

    def _leaves_what_it_took(self, number: int, result: int) -> bool:
        """Say whether a result is what is left of a number, so that the rest is what was taken: 5 - (5 - 2)."""
        node = self.setup.results[result].node
        if node[0] != "-" or node[1][0] != "number":
            return False
        return any(source.kind == "text" and source.of == number for source in self.setup.sources[node[1][1]])


def _is_one_number(source: Source) -> bool:
    return source.kind in ("text", "result", "name") and is_plain(source)
