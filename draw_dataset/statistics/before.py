"""The question: which template do the equations of a problem have by themselves, before templates are reconciled.

The gold templates are published reconciled, so what Table 2 calls "before" has to be read off the equations: a literal
that equals an aligned value becomes a slot, one slot a value; other literals stay; names are unknowns. As the paper
does not say in which normal form it compared such templates, two bounds are counted: as written (equal up to names),
and up to equivalence.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction

from draw_dataset.core.equations import DIGITS, EVERY_NAME_UNKNOWN, Token, join_equations, scan, write
from draw_dataset.core.problem import Problem
from draw_dataset.core.template import Template
from draw_dataset.errors import ReadError, RowError
from draw_dataset.statistics.ambiguity import same_value


def template_of_equations(problem: Problem) -> Template:
    """Return the template of the equations as annotated; slots are s1, s2 ... and unknowns x1, x2 ... .

    >>> from draw_dataset.core.problem import AlignedNumber
    >>> aligned = (AlignedNumber("a", 0, 0, 5.0), AlignedNumber("b", 0, 2, 41.0))
    >>> print(template_of_equations(Problem(1, "", (), ("ann = ben + 5", "ann + ben = 41"), (), (), aligned)))
    x1 = x2 + s1; x1 + x2 = s2

    Raises:
        RowError: the equations cannot be read; names the problem.
    """
    try:
        source = scan(join_equations(problem.equations), EVERY_NAME_UNKNOWN)
        text = write(source._replace(tokens=tuple(_with_slots(source.tokens, problem))), _name)
        return Template(text, unknowns=[_name(2 * i + 1) for i in range(len(source.unknowns))])
    except ReadError as error:
        raise RowError(f"problem {problem.id}: equations: {error}") from error


def _with_slots(tokens: Iterable[Token], problem: Problem) -> Iterator[Token]:
    slots: dict[Fraction, int] = {}
    for token in tokens:
        if isinstance(token, str) and token[0] in DIGITS:
            value = Fraction(token.replace(",", ""))
            if any(same_value(value, a.value) for a in problem.alignment):
                yield 2 * slots.setdefault(value, len(slots))  # a name by its number, see `tokens`
                continue
        yield token


def _name(token: int) -> str:
    return f"{'x' if token & 1 else 's'}{(token >> 1) + 1}"
