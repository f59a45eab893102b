"""What the predictions of one problem are compared with under certain options: made once, kept with the reference.

**Equation accuracy** takes for gold one of the derivations that lead from the text to the gold equations. Earlier work
took the first; the paper draws one at random; the expectation over all of them is what random draws scatter around. How
constants are treated dominates the figure, so the policy has a name (`core.references.POLICY`) and stands in the
signature.

**Solution accuracy** asks whether a solution has the gold numbers in it: as a multiset, within a tolerance, in whole
numbers. Each gold number becomes the interval of what is near enough. A solution comes as numerators over one
denominator, so that it is compared by multiplying: a hundred thousand predictions would make a million fractions
otherwise.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import fsum, lcm
from typing import NamedTuple

from draw_dataset.core.derivation import Derivation
from draw_dataset.core.equations import System, solve_integers
from draw_dataset.core.references import ConsistentDerivations
from draw_dataset.errors import DrawError, LimitError, NotLinearError, RowError
from draw_dataset.scoring.reference import Classes, Reference, matches
from draw_dataset.scoring.signature import Options

MAX_REFERENCES = 20_000
"""Derivations that the expectation is taken over, at most; the release has up to 2,187 of one problem."""

Intervals = tuple[tuple[int, int, int], ...]
"""The least number that is near enough, the greatest, and the denominator of both; in ascending order."""


class WeightedReference(NamedTuple):
    """A reference and the share of the draws that give it, or one equivalent to it.

    Attributes:
        system: the system of its template.
        classes: the class of the number in each of its slots.
        weight: the share.
        is_gold: whether it is equivalent to gold.
    """

    system: System
    classes: Classes
    weight: float
    is_gold: bool


@dataclass(frozen=True, slots=True)
class EquationReferences:
    """What equation accuracy compares with for one problem.

    Attributes:
        count: how many derivations lead to the equations.
        chosen: those that are used; their weights sum to one, but for equations none of whose derivations is linear.
    """

    count: int
    chosen: tuple[WeightedReference, ...]

    @property
    def share_not_gold(self) -> float:
        """The share of them that is not equivalent to gold."""
        return fsum([r.weight for r in self.chosen if not r.is_gold]) if self.chosen else 1.0


class Standard:
    """What predictions of a problem are compared with.

    Attributes:
        equations: the references of equation accuracy.
        solutions: the gold solutions with the tolerance.
    """

    __slots__ = ("_gold", "_gold_solved", "equations", "solutions")

    def __init__(self, gold: Derivation, equations: EquationReferences, solutions: Intervals) -> None:
        self.equations = equations
        self.solutions = solutions
        self._gold = gold
        self._gold_solved: bool | None = None

    @property
    def gold_solved(self) -> bool:
        """Whether the gold derivation gives the gold solutions, which it does not in a few rows of the release."""
        if self._gold_solved is None:
            solution = _solve(self._gold)
            self._gold_solved = solution is not None and all_found(*solution, self.solutions)
        return self._gold_solved


def standard_of(reference: Reference, options: Options) -> Standard:
    """Return the standard of a reference, made when it is first asked for.

    Raises:
        RowError: the gold solutions or the gold equations cannot be read; names the problem.
        LimitError: the expectation of equation accuracy is asked for over too many derivations.
    """
    known: Standard | None = reference.memory.get(options)
    if known is None:
        reference.memory[options] = known = _make(reference, options)
    return known


def _make(reference: Reference, options: Options) -> Standard:
    wanted = intervals(reference.solutions, options.tolerance)
    return Standard(reference.derivation, equation_references(reference, options), wanted)


def standard_without_equations(reference: Reference, options: Options) -> Standard:
    """Return what says whether a derivation and its solution are right: no derivation of the equations is made."""
    return Standard(reference.derivation, EquationReferences(0, ()), intervals(reference.solutions, options.tolerance))


def _solve(gold: Derivation) -> tuple[list[int], int] | None:
    """Solve gold with the values of the annotation, which need not be those of the text."""
    numbers = gold.alignment.in_slots(gold.template.slots)
    ratios = [number.value.as_integer_ratio() for number in numbers if number.value is not None]
    if len(ratios) < len(numbers):
        return None
    common = lcm(*[denominator for _, denominator in ratios])
    values = [numerator * (common // denominator) for numerator, denominator in ratios]
    return solve_integers(gold.template.system, values, common)


def equation_references(reference: Reference, options: Options) -> EquationReferences:
    """Return the references of equation accuracy for one problem.

    Raises:
        RowError: the gold equations cannot be read; names the problem.
        LimitError: the expectation is asked for over more than `MAX_REFERENCES` derivations.
    """
    consistent = reference.consistent
    count = consistent.count
    if options.equation == "expected":
        return EquationReferences(count, _all(consistent, reference, options))
    start = 0 if options.equation == "first" else drawn_reference(reference, options.seed, count)
    # Equations may be linear only because of the values of their literals; then the next derivation is tried, and
    # where none is linear there is no reference.
    for step in range(min(count, MAX_REFERENCES)):
        found = _system_and_classes(consistent, reference, (start + step) % count)
        if found is not None:
            return EquationReferences(count, (_weighted(*found, 1.0, reference, options),))
    return EquationReferences(count, ())


def drawn_reference(reference: Reference, seed: int, count: int) -> int:
    """Return which of so many derivations is the reference: by the problem itself, so the same in any process."""
    if count == 1:
        return 0
    key = f"{seed}|{reference.problem.id}|{reference.problem.question}".encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.sha256(key).digest()[:16], "big") % count


def _system_and_classes(
    consistent: ConsistentDerivations, reference: Reference, index: int
) -> tuple[System, Classes] | None:
    try:
        system, places = consistent.system(index)
    except DrawError as error:
        reference.check()  # if it is the equations themselves that cannot be read, this says where
        if isinstance(error, NotLinearError):
            return None
        raise RowError(f"problem {reference.problem.id}: gold equations: {error}") from error
    return system, reference.classes.of_places(places)


def _weighted(
    system: System, classes: Classes, weight: float, reference: Reference, options: Options
) -> WeightedReference:
    gold = reference.derivation.template.system
    is_gold = matches(system, classes, gold, reference.gold_classes, options.merge_equiv)
    return WeightedReference(system, classes, weight, is_gold)


def _all(consistent: ConsistentDerivations, reference: Reference, options: Options) -> tuple[WeightedReference, ...]:
    """Return all references, those that are equivalent to each other as one."""
    count = consistent.count
    if count > MAX_REFERENCES:
        raise LimitError(
            f"problem {reference.problem.id}: expected at most {MAX_REFERENCES} derivations of its equations for the "
            f"expected equation accuracy, but got {count}; use random or first"
        )
    groups: list[tuple[System, Classes, list[int]]] = []
    total = 0
    for index in range(count):
        found = _system_and_classes(consistent, reference, index)
        if found is None:
            continue
        total += 1
        for system, classes, size in groups:
            if matches(*found, system, classes, options.merge_equiv):
                size[0] += 1
                break
        else:
            groups.append((*found, [1]))
    return tuple(_weighted(system, classes, size[0] / total, reference, options) for system, classes, size in groups)


def intervals(wanted: Sequence[Fraction], tolerance: Fraction) -> Intervals:
    """Return what is near enough to each wanted number: relative to it where it is larger than one."""
    part, whole = tolerance.as_integer_ratio()
    found = []
    for number in sorted(wanted):
        numerator, denominator = number.as_integer_ratio()
        margin = part * max(abs(numerator), denominator)
        found.append((numerator * whole - margin, numerator * whole + margin, denominator * whole))
    return tuple(found)


def all_found(numerators: Sequence[int], denominator: int, wanted: Intervals) -> bool:
    """Say whether each wanted number is in a solution.

    Args:
        numerators: the numerators of the solution in ascending order.
        denominator: their denominator, positive.
        wanted: the wanted numbers as intervals.
    """
    if len(numerators) < len(wanted):
        return False
    # The smallest wanted number takes the smallest that fits: on a line, no other choice does better.
    left = list(numerators)
    for low, high, scale in wanted:
        least, greatest = low * denominator, high * denominator
        for at, value in enumerate(left):
            if least <= value * scale <= greatest:
                del left[at]
                break
        else:
            return False
    return True
