"""Values of expressions in a prime field if the equations are linear in their names: the quick way to reject.

`Evaluation` handles any equations, as polynomials, and it is called for many readings of the literals. Nearly all
equations are linear in their names once the numbers are numbers of a field. Then an expression is a number and a
coefficient for each name, and elimination in that form takes a tenth of the time. If something is not linear,
`NotLinear` is raised and `Evaluation` does the work.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from draw_dataset.core.algebra.polynomial import PRIME
from draw_dataset.core.quantities.expressions import AS_IT_IS, Node, Source
from draw_dataset.core.quantities.setup import SetUp

MAX_DEPTH = 60
"""How deep results and parts of expressions may be nested; deeper ones are left to `Evaluation`."""

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


class LinearEvaluation:
    """Values of expressions at one point of the field under one reading of the literals.

    Args:
        at: the values of the literals' sources.
        chosen: for each literal the source that is meant; the first if it is not listed.

    Attributes:
        steps: how many parts of expressions were visited.

    Raises:
        NotLinear: an equation is not linear in its names.
        ZeroDivisionError: an equation divides by zero.
    """

    __slots__ = ("_at", "_chosen", "_depth", "_results", "_solved", "steps")

    def __init__(self, at: FieldNumbers, chosen: Mapping[int, int]) -> None:
        self._at = at
        self._chosen = chosen
        self._results: dict[int, Form] = {}
        self._solved: dict[str, Form] = {}
        self._depth = 0
        self.steps = 0
        for left, right, _ in at.setup.equations:
            self._add(left, right)

    def value(self, node: Node) -> int | None:
        """Return the value of an expression; None if it is not determined, or divides by zero."""
        try:
            constant, terms = self._reduced(self._form(node))
        except ZeroDivisionError:
            return None
        return None if terms else constant

    def _add(self, left: Node, right: Node) -> None:
        constant, terms = self._reduced(_plus(self._form(left), self._form(right), -1))
        if not terms:
            return  # it follows from what is known, or contradicts it
        name, factor = next(iter(terms.items()))
        inverse = -_inverse(factor)
        value = constant * inverse % PRIME, {n: c * inverse % PRIME for n, c in terms.items() if n != name}
        for other, form in self._solved.items():
            if name in form[1]:
                self._solved[other] = _replaced(form, name, value)
        self._solved[name] = value

    def _reduced(self, form: Form) -> Form:
        for name in [name for name in form[1] if name in self._solved]:
            form = _replaced(form, name, self._solved[name])
        return form

    def _form(self, node: Node) -> Form:
        self.steps += 1
        kind = node[0]
        if kind == "number":
            return self._literal(node[1])
        if kind == "name":
            return 0, {node[1]: 1}
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

    def _literal(self, index: int) -> Form:
        option = self._chosen.get(index, 0)
        source = self._at.setup.sources[index][option]
        if source.kind == "result":
            found = self._result(source.of)
        elif source.kind == "rest":
            found = _plus((self._at.numbers[source.of[0]], _NONE), self._result(source.of[1]), -1)
        elif source.kind == "name":
            found = 0, {source.of: 1}
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
        found = self._results.get(number)
        if found is None:
            self._depth += 1
            if self._depth > MAX_DEPTH:
                raise NotLinear
            self._results[number] = found = self._form(self._at.setup.results[number].node)
            self._depth -= 1
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


def _replaced(form: Form, name: str, value: Form) -> Form:
    terms = dict(form[1])
    factor = terms.pop(name)
    return _plus((form[0], terms), _times(value, factor), 1)


def _inverse(value: int) -> int:
    value %= PRIME
    if not value:
        raise ZeroDivisionError
    return pow(value, -1, PRIME)


def _residue(value: Fraction) -> int:
    if value.denominator == 1:
        return value.numerator % PRIME
    return value.numerator * pow(value.denominator, -1, PRIME) % PRIME
