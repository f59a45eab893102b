"""The expressions that a question asks for (`asked` of a row), read in one place.

Gold may list more than is asked for, or something else: the digits where the number is asked for, the time where it is
the distance. An expression has gold's unknowns, numbers of the text as q1, q2, … and constants, as in ``10*m + n``,
``q2 - m`` or ``1/q1*m``. It is linear in the unknowns; its factors depend on the numbers of the text, so it has other
factors in a variant with other numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import prod

from draw_dataset.core.derivation import Derivation
from draw_dataset.core.equations import SolutionKind
from draw_dataset.core.problem import Problem
from draw_dataset.errors import DrawError, ReadError, RowError

Form = tuple[Fraction, ...]
"""A linear form in gold's unknowns: a factor for each of them in their order, and a constant."""


@dataclass(frozen=True, slots=True)
class AskedExpression:
    """An expression that a question asks for.

    Attributes:
        text: the expression as the row has it.
        unknowns: how many unknowns gold has.
        terms: its terms, each as a column of the form, a coefficient, and the positions of the numbers that it has.
        divisor: what all of it is divided by, in the same way without columns.
    """

    text: str
    unknowns: int
    terms: tuple[tuple[int, int, tuple[int, ...]], ...]
    divisor: tuple[tuple[int, tuple[int, ...]], ...]

    @property
    def is_unknown(self) -> bool:
        """Whether it is one of gold's unknowns as it is."""
        return not any(numbers for *_, numbers in (*self.terms, *self.divisor)) and is_unit(self.form(()) or ())

    def form(self, numbers: Sequence[Fraction]) -> Form | None:
        """Return the expression as a linear form, at values of the numbers of the text; None if it divides by zero."""
        divisor = sum([c * prod([numbers[at] for at in places]) for c, places in self.divisor])
        if not divisor:
            return None
        factors = [Fraction(0)] * (self.unknowns + 1)
        for column, c, places in self.terms:
            factors[column] += c * prod([numbers[at] for at in places])
        return tuple([factor / divisor for factor in factors])


def is_unit(form: Form) -> bool:
    """Say whether a form is one unknown as it is."""
    return not form[-1] and sorted(form[:-1]) == [Fraction(0)] * (len(form) - 2) + [Fraction(1)]


def value_at(form: Form, solution: Sequence[Fraction]) -> Fraction:
    """Return the value of a form for values of gold's unknowns."""
    return sum((factor * value for factor, value in zip(form, solution, strict=False)), form[-1])


def read_asked(problem: Problem) -> tuple[AskedExpression, ...]:
    """Return the expressions that a problem asks for; none where that is not decided.

    Raises:
        RowError: an expression cannot be read, is not linear in gold's unknowns, or has other names; names the problem.
    """
    try:
        return tuple([_read(text, problem) for text in problem.asked])
    except DrawError as error:
        raise RowError(f"problem {problem.id}: asked: {error}") from error


_NAME = "asked_for"
"""The name of an expression while it is read; gold's unknowns are single letters."""


def _read(text: str, problem: Problem) -> AskedExpression:
    unknowns = problem.derivation.template.unknowns
    read = Derivation.read(f"{_NAME} = {text}", problem.numbers)
    others = ", ".join(sorted({*read.template.unknowns} - {*unknowns, _NAME}))
    if others:
        raise RowError(f"expected gold's unknowns, but got {others}")
    if len(read.template.system.terms) != 1:
        raise ReadError("expression", "one expression", repr(text)[:60])
    if read.by_rank:
        raise RowError(f"expected the numbers of the text, but the row has none for {text!r}"[:120])
    position = {number.place: at for at, number in enumerate(problem.numbers)}
    places = [position[place] for place in read.places]
    # The equation is kept as one side that is zero, so the expression is divided by the factor of its own name.
    columns = [unknowns.index(name) if name != _NAME else None for name in read.template.unknowns] + [len(unknowns)]
    terms: list[tuple[int, int, tuple[int, ...]]] = []
    divisor: list[tuple[int, tuple[int, ...]]] = []
    for at, c, slots in read.template.system.terms[0]:
        column, numbers = columns[at], tuple([places[slot] for slot in slots])
        if column is None:
            divisor.append((-c, numbers))
        else:
            terms.append((column, c, numbers))
    return AskedExpression(text, len(unknowns), tuple(terms), tuple(divisor))


def asked_values(problem: Problem) -> tuple[Fraction, ...]:
    """Return the values that are asked for, in their order; nothing where that is not decided, or gold has no values.

    >>> from dataclasses import replace
    >>> from draw_dataset.sample import load_sample
    >>> problem = load_sample()["test"][0]
    >>> str(problem.derivation.template.unknowns[0]), len(asked_values(problem))
    ('m', 0)
    >>> len(asked_values(replace(problem, asked=("2*m",))))
    1

    Raises:
        RowError: an expression cannot be read, or has names that gold does not determine; names the problem.
    """
    expressions = read_asked(problem)
    if not expressions:
        return ()
    solution = problem.derivation.solve()
    values = [number.value for number in problem.numbers]
    known = [value for value in values if value is not None]
    if solution.kind is not SolutionKind.UNIQUE or len(known) < len(values):
        return ()
    exact = [solution.values[name] for name in problem.derivation.template.unknowns]
    forms = [expression.form(known) for expression in expressions]
    found = [value_at(form, exact) for form in forms if form is not None]
    return tuple(found) if len(found) == len(forms) else ()
