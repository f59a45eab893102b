"""Rivals: other derivations that give the same answers.

A *rival* is a template of the inventory with some numbers of the text in its slots, or gold changed by one step. Those
far off are removed in floating point, all alignments at once; the rest is decided exactly. Numbers that mean the same
are one *column*; beyond `MAX_ALIGNMENTS` ways, columns that gold does not use are left out.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from itertools import permutations
from math import perm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from draw_dataset.algebra.solution import SolutionKind, solve_grounded
from draw_dataset.algebra.system import System
from draw_dataset.derivation.derivation import Derivation, Place, TextNumber
from draw_dataset.derivation.equivalence import canonical_key
from draw_dataset.derivation.template import Template
from draw_dataset.errors import DrawError, LimitError
from draw_dataset.solver.arrays import Floats, FloatSystems, is_square
from draw_dataset.variants.fields import VariableProblem

MAX_ALIGNMENTS = 840  # how many ways to fill a template are tried

_NAMES = tuple(f"x{i}" for i in range(64))


@dataclass(frozen=True, slots=True)
class Step:
    """One step away from gold, its operands in gold's slots and unknowns."""

    kind: str  # ``replaced``, ``exchanged`` or ``left out``
    operation: str  # gold's operation
    left: str  # its left operand, and the right one; of a step that is left out, only the one that is
    right: str


@dataclass(frozen=True, slots=True)
class Rival:
    """A derivation of a problem, by the columns of its numbers."""

    template: Template
    columns: tuple[int, ...]  # the column in each slot
    steps: int = 9  # in how many places it differs from gold, as far as that is known; larger for other templates
    rank: int = 0  # how rare its template is: 0 for the most frequent one
    step: Step | None = None  # the step by which it differs from gold, if it is one

    def solve(self, values: Sequence[Fraction]) -> tuple[Fraction, ...] | None:
        """Return its answers in the order of its unknowns, for values of the columns; None unless they are unique."""
        return solve_columns(self.template.system, self.columns, values)


def solve_columns(system: System, columns: Sequence[int], values: Sequence[Fraction]) -> tuple[Fraction, ...] | None:
    """Return the solution of a system with columns in its slots; None unless there is exactly one."""
    names = _NAMES[: system.unknown_count]
    try:
        solution = solve_grounded(system, [values[column] for column in columns], names)
    except LimitError:
        return None
    return tuple([solution.values[n] for n in names]) if solution.kind is SolutionKind.UNIQUE else None


@lru_cache(maxsize=64)
def _alignments(columns: int, slots: int) -> NDArray[np.intp]:
    ways = perm(columns, slots)
    return np.fromiter((i for p in permutations(range(columns), slots) for i in p), np.intp, ways * slots).reshape(
        ways, slots
    )


class _Group:
    """Templates with the same numbers of slots and unknowns, to be evaluated together."""

    def __init__(self, slots: int, members: Sequence[tuple[int, Template]]) -> None:
        self.slots, self.members = slots, members
        self._systems = FloatSystems([template.system for _, template in members])

    def solutions(self, values: Floats, alignments: NDArray[np.intp]) -> Floats:
        """Return solutions by alignment, member and unknown; NaN where there is no unique solution."""
        found, unique = self._systems.solve_filled(values[alignments])
        return np.where(unique, found, np.nan).transpose(2, 1, 0)


class RivalInventory:
    """The templates that rivals are made of, equivalent ones once, the most frequent first."""

    def __init__(self, templates: Iterable[Template]) -> None:
        counts: dict[str, int] = {}
        first: dict[str, Template] = {}
        for template in templates:
            key = canonical_key(template)
            counts[key] = counts.get(key, 0) + 1
            first.setdefault(key, template)
        self.templates = tuple(first[key] for key in sorted(first, key=lambda key: (-counts[key], key)))
        grouped: dict[tuple[int, int], list[tuple[int, Template]]] = {}
        for rank, template in enumerate(self.templates):
            if is_square(template.system):
                grouped.setdefault((len(template.slots), len(template.unknowns)), []).append((rank, template))
        self._groups = [_Group(slots, members) for (slots, _), members in sorted(grouped.items())]

    def __len__(self) -> int:
        return len(self.templates)

    def evaluate(self, points: Sequence[Sequence[Fraction]], used: Sequence[int]) -> Iterator[RivalAnswers]:
        """Yield the answers of all rivals at several points, each the values of the columns; used columns are kept."""
        count = len(points[0]) if points else 0
        order = [*used, *(column for column in range(count) if column not in used)]
        for group in self._groups:
            kept = len(order)
            while kept > len(used) and perm(kept, group.slots) > MAX_ALIGNMENTS:
                kept -= 1
            if group.slots > kept or perm(kept, group.slots) > MAX_ALIGNMENTS:
                continue
            alignments = _alignments(kept, group.slots)
            chosen = np.array(order[:kept], np.intp)
            values = [np.array([float(point[c]) for c in chosen]) for point in points]
            yield RivalAnswers(group, chosen[alignments], [group.solutions(v, alignments) for v in values])


class RivalAnswers:
    """The answers of the rivals of one group at several points."""

    def __init__(self, group: _Group, columns: NDArray[np.intp], answers: list[Floats]) -> None:
        self._group = group
        self._columns = columns
        self.answers = answers  # for each point, an array by alignment, template and unknown

    def rivals(self, chosen: NDArray[Any]) -> Iterator[Rival]:
        """Yield the rivals at which an array by alignment and template is true."""
        for way, member in zip(*np.nonzero(chosen), strict=True):
            rank, template = self._group.members[int(member)]
            yield Rival(template, tuple(int(c) for c in self._columns[int(way)]), 5 + len(template.slots), rank)


def lucky_rivals(inventory: RivalInventory, gold: Rival, values: Sequence[Fraction]) -> list[Rival]:
    """Return the rivals with exactly the answers of gold at one point, in any order; gold itself is among them."""
    solution = gold.solve(values)
    if solution is None:
        return []
    wanted = sorted(solution)
    floats = np.array([float(value) for value in wanted])
    near = 1e-7 * (1 + np.abs(floats))
    found: list[Rival] = []
    for evaluated in inventory.evaluate([values], gold.columns):
        answers = evaluated.answers[0]
        if answers.shape[-1] == len(wanted):
            close = (np.abs(np.sort(answers, axis=-1) - floats) <= near).all(axis=-1)
            found += [rival for rival in evaluated.rivals(close) if sorted(rival.solve(values) or ()) == wanted]
    return found


# In a step one operation is replaced (a sum for a difference), the two sides of a difference or a quotient are
# exchanged, or a number is left out. The resulting template need not occur in any annotated data.

_TOKEN = re.compile(r"\d+\.?\d*|\.\d+|\w+|\S")
_OTHER = {"+": "-", "-": "+", "*": "/", "/": "*"}
_MOST = 400


def one_step_rivals(gold: Rival) -> list[Rival]:
    """Return the derivations that differ from gold in one step, none twice.

    >>> found = one_step_rivals(Rival(Template("m = a + b"), (0, 1)))
    >>> [str(rival.template) for rival in found]
    ['m = a - b', 'm = b - a', 'm = a', 'm = b']
    """
    column = dict(zip(gold.template.slots, gold.columns, strict=True))
    return [
        Rival(other, tuple([column[slot] for slot in other.slots]), steps=2, step=step)
        for other, step in _one_step_templates(gold.template)
    ]


@lru_cache(maxsize=1 << 10)  # most problems share their templates
def _one_step_templates(template: Template) -> tuple[tuple[Template, Step], ...]:
    unknowns = frozenset(template.unknowns)
    found: dict[str, tuple[Template, Step]] = {}
    for text, step in _change_step(_TOKEN.findall(str(template))):
        if len(found) >= _MOST:
            break
        try:
            other = Template(text, unknowns=unknowns)
        except DrawError:
            continue  # not linear, or no equation any more
        if set(other.unknowns) == unknowns and text != str(template):
            found.setdefault(text, (other, step))
    return tuple(found.values())


def _change_step(tokens: list[str]) -> Iterator[tuple[str, Step]]:
    for at, token in enumerate(tokens):
        if token in _OTHER and _joins(tokens, at):
            left, right = _operand_before(tokens, at), _operand_after(tokens, at)
            step = Step("replaced", token, _join_tokens(tokens[left:at]), _join_tokens(tokens[at + 1 : right]))
            yield _join_tokens([*tokens[:at], _OTHER[token], *tokens[at + 1 :]]), step
            if token in "-/+" and left is not None and right is not None:
                sign = "-" if token == "+" else token
                changed = [*tokens[:left], *tokens[at + 1 : right], sign, *tokens[left:at], *tokens[right:]]
                yield _join_tokens(changed), replace(step, kind="exchanged")
    for at, token in enumerate(tokens):
        if token in _OTHER and _joins(tokens, at):
            left, right = _operand_before(tokens, at), _operand_after(tokens, at)
            if right is not None:
                step = Step("left out", token, "", _join_tokens(tokens[at + 1 : right]))
                yield _join_tokens([*tokens[:at], *tokens[right:]]), step
            if left is not None and token in "+*":
                step = Step("left out", token, _join_tokens(tokens[left:at]), "")
                yield _join_tokens([*tokens[:left], *tokens[at + 1 :]]), step


def one_number_rivals(gold: Rival, columns: int) -> list[Rival]:
    """Return gold with another number in one slot, so that a number may be used twice; there are so many columns.

    >>> [rival.columns for rival in one_number_rivals(Rival(Template("m = a + b"), (0, 1)), 3)]
    [(1, 1), (2, 1), (0, 0), (0, 2)]
    """
    return [
        replace(
            gold,
            columns=(*gold.columns[:at], other, *gold.columns[at + 1 :]),
            steps=0 if other not in gold.columns else 1,
        )
        for at, own in enumerate(gold.columns)
        for other in range(columns)
        if other != own
    ]


def _joins(tokens: list[str], at: int) -> bool:
    """Return True if a sign stands between two operands, and is not the sign of one."""
    return at > 0 and (tokens[at - 1][0].isalnum() or tokens[at - 1][0] == "." or tokens[at - 1] == ")")


def _operand_before(tokens: list[str], at: int) -> int | None:
    """Return the beginning of the operand before a sign: all factors of a term for a sum, one factor for a product."""
    place, depth = at - 1, 0
    weaker = "+-=;" if tokens[at] in "+-" else "+-*/=;"
    while place >= 0:
        if tokens[place] == ")":
            depth += 1
        elif tokens[place] == "(":
            if not depth:
                break
            depth -= 1
        elif not depth and tokens[place] in weaker:
            break
        place -= 1
    return place + 1 if place + 1 < at else None


def _operand_after(tokens: list[str], at: int) -> int | None:
    place, depth = at + 1, 0
    weaker = "+-=;" if tokens[at] in "+-" else "+-*/=;"
    while place < len(tokens):
        if tokens[place] == "(":
            depth += 1
        elif tokens[place] == ")":
            if not depth:
                break
            depth -= 1
        elif not depth and tokens[place] in weaker and place > at + 1:
            break
        place += 1
    return place if place > at + 1 else None


def _join_tokens(tokens: list[str]) -> str:
    return " ".join(tokens).replace(" ;", ";")


# Columns are first the fields, then the numbers that fill no slot, each class once. Rivals are written in columns, so
# that the answers of one rival can be computed at the values of every variant.


def gold_rival(variable: VariableProblem) -> Rival:
    """Return gold by its columns: the fields come first, then the numbers that fill no slot."""
    return Rival(variable.problem.derivation.template, variable.field_of, steps=0)


def column_values(variable: VariableProblem, values: Sequence[Fraction]) -> list[Fraction]:
    """Return the value of each column for values of the fields."""
    return [*values, *(number.value or Fraction(0) for number in find_unaligned(variable))]


def find_unaligned(variable: VariableProblem) -> list[TextNumber]:
    """Return the numbers of the text that belong to no field, each class once."""
    classes = variable.problem.number_classes
    found: dict[Place, TextNumber] = {}
    for number, column in zip(variable.problem.numbers, variable.columns, strict=True):
        if column is None:
            found.setdefault(classes.of_place(number.place), number)
    return list(found.values())


_GENERIC = (1009, 2003, 3001, 4001, 5003, 6007, 7001, 8009, 9001, 10007, 11003, 12007, 13001, 14009, 15013, 16001)


def generic_values(variable: VariableProblem, everything: bool) -> list[Fraction]:
    """Return values of the columns at which two derivations agree only if they always do."""
    values = column_values(variable, variable.values)
    for column in range(len(values)):
        if everything or (column < len(variable.fields) and variable.fields[column].moves):
            values[column] = Fraction(_GENERIC[column % 16] + 17000 * (column // 16), 7 + 2 * column)
    return values


def columns_of_ranks(variable: VariableProblem) -> list[int]:
    """Return the column of each number of the text, in their order."""
    classes = variable.problem.number_classes
    places = [classes.of_place(number.place) for number in find_unaligned(variable)]
    return [
        len(variable.fields) + places.index(classes.of_place(number.place)) if column is None else column
        for number, column in zip(variable.problem.numbers, variable.columns, strict=True)
    ]


def rival_of(variable: VariableProblem, derivation: Derivation, steps: int = 1) -> Rival:
    """Return a derivation, its numbers those of the problem, as a rival."""
    ranks = {number.place: rank for rank, number in enumerate(variable.problem.numbers)}
    columns = columns_of_ranks(variable)
    return Rival(derivation.template, tuple(columns[ranks[place]] for place in derivation.places), steps)


def numbers_of(variable: VariableProblem, rival: Rival) -> list[TextNumber]:
    """Return the number in each slot of a rival: of a column, gold's own numbers first, and none twice if it can be."""
    gold = variable.problem.derivation
    members: dict[int, list[TextNumber]] = {}
    for number, column in zip(variable.problem.numbers, columns_of_ranks(variable), strict=True):
        members.setdefault(column, []).append(number)
    for listed in members.values():
        listed.sort(key=lambda number: number.place not in gold.places)
    seen: Counter[int] = Counter()
    found = []
    for column in rival.columns:
        found.append(members[column][min(seen[column], len(members[column]) - 1)])
        seen[column] += 1
    return found


def q_notation_of(variable: VariableProblem, rival: Rival) -> str:
    """Return a rival in q-notation."""
    return rival.template.written_with([f"q{number.index}" for number in numbers_of(variable, rival)])
