"""Values of expressions in a prime field if the equations are linear in their names: the quick way to reject.

`Evaluation` handles any equations, as polynomials, and it is called for many readings of the literals. Nearly all
equations are linear in their names once the numbers are numbers of a field. Then an expression is a number and a
coefficient for each name, and elimination in that form takes a tenth of the time. If something is not linear,
`NotLinear` is raised and `Evaluation` does the work.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from heapq import heapify, heappop, heappush

from draw_dataset.core.algebra.polynomial import PRIME
from draw_dataset.core.quantities.expressions import AS_IT_IS, Node, Source, has_names, literals_of
from draw_dataset.core.quantities.setup import SetUp
from draw_dataset.errors import LimitError

MAX_DEPTH = 120
"""How deep results and parts of expressions may be nested; deeper ones are left to `Evaluation`."""

MAX_STEPS = 20_000
"""Work of one elimination."""

Form = tuple[int, dict[str, int]]
"""A number, and the coefficient of each name."""

_NONE: dict[str, int] = {}


class NotLinear(Exception):
    """An expression is not linear in its names, or too deep."""


class FieldNumbers:
    """The values of the literals' sources at one point of the field, each computed when it is asked for.

    Args:
        setup: the equations and calculations.
        numbers: the number of the field that stands for each class of numbers of the text.
    """

    __slots__ = ("_found", "numbers", "setup")

    def __init__(self, setup: SetUp, numbers: Sequence[int]) -> None:
        self.setup = setup
        self.numbers = numbers
        self._found: dict[tuple[int, int], int] = {}

    def number(self, index: int, option: int, source: Source) -> int:
        """Return the value of a source that is not a result, a rest or a name.

        Raises:
            ZeroDivisionError: it divides by zero.
        """
        key = index, option
        found = self._found.get(key)
        if found is None:
            self._found[key] = found = self._number(index, source)
        return found

    def _number(self, index: int, source: Source) -> int:
        if source.kind == "constant":
            return _residue(self.setup.literals[index].amount)
        if source.kind == "text":
            return changed(self.numbers[source.of], source)
        i, j = source.of
        a, b = self.numbers[i], self.numbers[j]
        if source.kind == "sum":
            return changed(a + b, source)
        if source.kind == "difference":
            return changed(a - b, source)
        return changed(a * b if source.kind == "product" else a * _inverse(b), source)


NAMED = 1
"""The bit of the names in a mask of `Dependence`."""


class Dependence:
    """Which literals the calculations and equations of a set-up depend on in the most natural reading, as bit masks.

    Only literals with several sources have a bit: the others are read in one way. All names together have one.

    Args:
        setup: the equations and calculations.
    """

    __slots__ = ("_bits", "_results", "_setup", "equations")

    def __init__(self, setup: SetUp) -> None:
        self._setup = setup
        several = (index for index, sources in enumerate(setup.sources) if len(sources) > 1)
        self._bits = {index: NAMED << place for place, index in enumerate(several, 1)}
        self._results: list[int] = []
        for result in setup.results:
            self._results.append(self._of(result.node))
        self.equations = [self._of(left) | self._of(right) for left, right, _ in setup.equations]

    def of_result(self, number: int) -> int:
        """Return what a result depends on."""
        return self._results[number]

    def of_literals(self, literals: Iterable[int]) -> int:
        """Return the mask of some literals."""
        mask = 0
        for index in literals:
            mask |= self._bits.get(index, 0)
        return mask

    def _of(self, node: Node) -> int:
        mask = NAMED if has_names(node) else 0
        for index in literals_of(node):
            mask |= self._bits.get(index, 0)
            natural = self._setup.sources[index][0]
            if natural.kind == "name":
                mask |= NAMED
            for number in natural.results():
                mask |= self._results[number] if number < len(self._results) else -1
        return mask


class LinearEvaluation:
    """Values of expressions at one point of the field under one reading of the literals.

    Equations are eliminated in their order. Each that says something new is solved for a name, in terms of names that
    are not solved for yet; those are replaced when a value is asked for. So a further equation costs no more if there
    are many before it.

    Another reading differs from the most natural one in a few literals. What does not depend on them is taken over: the
    equations before the first that does, and the results.

    Args:
        at: the values of the literals' sources.
        chosen: for each literal the source that is meant; the first if it is not listed.
        natural: the evaluation under the most natural reading, if this is another one.
        depends: on which literals results and equations depend, then.

    Attributes:
        steps: the work that adding the equations took: parts of expressions, and terms that were replaced.

    Raises:
        NotLinear: an equation is not linear in its names.
        ZeroDivisionError: an equation divides by zero.
        LimitError: the equations take too many steps.
    """

    __slots__ = ("_at", "_chosen", "_depends", "_depth", "_mask", "_natural", "_results", "_rows", "_shared", "steps")

    def __init__(
        self,
        at: FieldNumbers,
        chosen: Mapping[int, int],
        natural: LinearEvaluation | None = None,
        depends: Dependence | None = None,
    ) -> None:
        self._at = at
        self._chosen = chosen
        self._natural = natural
        self._depends = depends
        self._mask = depends.of_literals(chosen) if depends else 0
        self._results: dict[int, Form] = {}
        self._rows: dict[str, tuple[int, Form]] = {}
        self._shared = 0
        self._depth = 0
        self.steps = 0
        equations = at.setup.equations
        if natural is not None and depends is not None:
            mask = self._mask
            self._shared = next((i for i, on in enumerate(depends.equations) if on & mask), len(equations))
            if self._shared < len(equations):
                self._mask |= NAMED  # what is known of names differs too
        for number in range(self._shared, len(equations)):
            self._add(number, *equations[number][:2])

    def value(self, node: Node) -> tuple[int | None, int]:
        """Return the value of an expression, and the work that took; None if it is not determined, or divides by zero.

        Raises:
            NotLinear: it is not linear in its names.
            LimitError: it takes too many steps.
        """
        before, known = self.steps, self._results
        self._depth = 0
        if self._natural is not None:
            self._results = known.copy()  # the work must not depend on what was asked for before
        try:
            constant, terms = self._reduced(self._form(node))
        except ZeroDivisionError:
            return None, self.steps - before
        finally:
            self._results = known
            spent, self.steps = self.steps - before, before
        return None if terms else constant, spent

    def _row(self, name: str) -> tuple[int, Form] | None:
        """Return what a name is solved to, and the equation that says so."""
        row = self._rows.get(name)
        if row is None and self._shared and self._natural is not None:
            row = self._natural._rows.get(name)
            if row is not None and row[0] >= self._shared:
                return None
        return row

    def _add(self, number: int, left: Node, right: Node) -> None:
        self._depth = 0
        constant, terms = self._reduced(_plus(self._form(left), self._form(right), -1))
        if not terms:
            return  # it follows from what is known, or contradicts it
        name, factor = next(iter(terms.items()))
        inverse = -_inverse(factor)
        value = constant * inverse % PRIME, {n: c * inverse % PRIME for n, c in terms.items() if n != name}
        self._rows[name] = number, value

    def _reduced(self, form: Form) -> Form:
        """Replace the names that are solved for; each once, because what it is replaced by is solved for later."""
        todo = [(row[0], name) for name in form[1] if (row := self._row(name)) is not None]
        if not todo:
            return form
        heapify(todo)
        constant, terms = form[0], dict(form[1])
        while todo:
            _, name = heappop(todo)
            factor, row = terms.pop(name, 0), self._row(name)
            if not factor or row is None:
                continue
            self.steps += 1 + len(row[1][1])
            if self.steps > MAX_STEPS:
                raise LimitError("the equations took too many steps; expected fewer or simpler ones")
            constant += factor * row[1][0]
            for other, c in row[1][1].items():
                if other not in terms and (later := self._row(other)) is not None:
                    heappush(todo, (later[0], other))
                total = (terms.get(other, 0) + factor * c) % PRIME
                if total:
                    terms[other] = total
                else:
                    terms.pop(other, None)
        return constant % PRIME, terms

    def _form(self, node: Node) -> Form:
        self.steps += 1
        kind = node[0]
        if kind == "number":
            return self._literal(node[1])
        if kind == "name":
            return self._name(node[1])
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise NotLinear
        first = self._form(node[1])
        if kind == "neg":
            found = _times(first, -1)
        elif kind == "^":
            if first[1]:
                raise NotLinear
            found = pow(first[0], node[2], PRIME), _NONE
        else:
            second = self._form(node[2])
            if kind == "+":
                found = _plus(first, second, 1)
            elif kind == "-":
                found = _plus(first, second, -1)
            elif not second[1]:
                found = _times(first, second[0] if kind == "*" else _inverse(second[0]))
            elif kind == "*" and not first[1]:
                found = _times(second, first[0])
            else:
                raise NotLinear
        self._depth -= 1
        return found

    def _name(self, name: str) -> Form:
        """Return a name, or what is known of it so far: price * count is linear if one of them is a number by now."""
        return self._reduced((0, {name: 1}))

    def _literal(self, index: int) -> Form:
        option = self._chosen.get(index, 0)
        source = self._at.setup.sources[index][option]
        if source.kind == "result":
            found = self._result(source.of)
        elif source.kind == "rest":
            found = _plus((self._at.numbers[source.of[0]], _NONE), self._result(source.of[1]), -1)
        elif source.kind == "name":
            found = self._name(source.of)
        else:
            return self._at.number(index, option, source), _NONE
        if not found[1]:
            return changed(found[0], source), _NONE
        if source.inverse:
            raise NotLinear
        if source.scale != 1:
            found = _times(found, _residue(source.scale))
        return ((found[0] + _residue(source.offset)) % PRIME, found[1]) if source.offset else found

    def _result(self, number: int) -> Form:
        natural, depends = self._natural, self._depends
        if natural is not None and depends is not None and not depends.of_result(number) & self._mask:
            natural._depth = 0
            return natural._result(number)
        found = self._results.get(number)
        if found is None:
            before = self.steps
            self._depth += 1
            if self._depth > MAX_DEPTH:
                raise NotLinear
            self._results[number] = found = self._form(self._at.setup.results[number].node)
            self._depth -= 1
            if natural is None:
                self.steps = before  # it is found once, whoever asks first
        return found


def changed(value: int, source: Source) -> int:
    """Return a number of the field after the changes of a source: inverted, scaled, with an offset."""
    if source[2:] == AS_IT_IS:
        return value % PRIME
    if source.inverse:
        value = _inverse(value)
    if source.scale != 1:
        value *= _residue(source.scale)
    if source.offset:
        value += _residue(source.offset)
    return value % PRIME


def _plus(a: Form, b: Form, sign: int) -> Form:
    constant = (a[0] + sign * b[0]) % PRIME
    if not b[1]:
        return constant, a[1]
    terms = dict(a[1])
    for name, c in b[1].items():
        total = (terms.get(name, 0) + sign * c) % PRIME
        if total:
            terms[name] = total
        else:
            terms.pop(name, None)
    return constant, terms


def _times(form: Form, factor: int) -> Form:
    if not form[1]:
        return form[0] * factor % PRIME, _NONE
    if not factor % PRIME:
        return 0, _NONE
    return form[0] * factor % PRIME, {name: c * factor % PRIME for name, c in form[1].items()}


def _inverse(value: int) -> int:
    value %= PRIME
    if not value:
        raise ZeroDivisionError
    return pow(value, -1, PRIME)


def _residue(value: Fraction) -> int:
    if value.denominator == 1:
        return value.numerator % PRIME
    return value.numerator * pow(value.denominator, -1, PRIME) % PRIME
