"""Gold prepared for comparison under given options: made once for a problem, and kept with its reference.

**Equation accuracy** uses as gold one of the derivations that lead from the text to the gold equations. Earlier work
took the first, and the paper draws one at random. The expectation over all of them is the mean of such draws. The
treatment of constants has the largest effect on the figure, so the policy has a name (`core.references.POLICY`), which
the signature carries.

**Solution accuracy** asks whether a solution has the gold numbers in it: as a multiset, within a tolerance, in whole
numbers. Each gold number becomes the interval of the numbers that are near enough. A solution is given as numerators
over one denominator, so it is compared by multiplying. With fractions, a hundred thousand predictions would make a
million of them.
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
"""The largest number of derivations for the expectation; the release has up to 2,187 for one problem."""

Intervals = tuple[tuple[int, int, int], ...]
"""For each gold number, in ascending order: the smallest and the largest number near enough, and their denominator."""


class WeightedReference(NamedTuple):
    """A reference of equation accuracy, and the share of the draws that give it or one equivalent to it.

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
    """The references of equation accuracy for one problem.

    Attributes:
        count: how many derivations lead to the equations.
        chosen: the references that are used. Their weights sum to one; they are empty if no derivation is linear.
    """

    count: int
    chosen: tuple[WeightedReference, ...]

    @property
    def share_not_gold(self) -> float:
        """The share of the references that are not equivalent to gold."""
        return fsum([r.weight for r in self.chosen if not r.is_gold]) if self.chosen else 1.0


class PreparedGold:
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
        """Whether the gold derivation gives the gold solutions; in a few rows of the release it does not."""
        if self._gold_solved is None:
            solution = _solve(self._gold)
            self._gold_solved = solution is not None and all_found(*solution, self.solutions)
        return self._gold_solved


def prepared_gold(reference: Reference, options: Options) -> PreparedGold:
    """Return the prepared gold of a reference; it is made when it is first asked for.

    Raises:
        RowError: the gold solutions or the gold equations cannot be read; names the problem.
        LimitError: the expected mode of equation accuracy would compare with too many derivations.
    """
    known: PreparedGold | None = reference.memory.get(options)
    if known is None:
        reference.memory[options] = known = _make(reference, options)
    return known


def _make(reference: Reference, options: Options) -> PreparedGold:
    wanted = intervals(reference.solutions, options.tolerance)
    return PreparedGold(reference.derivation, equation_references(reference, options), wanted)


def prepared_without_equations(reference: Reference, options: Options) -> PreparedGold:
    """Return prepared gold for derivations and solutions only, without the references of equation accuracy."""
    return PreparedGold(
        reference.derivation, EquationReferences(0, ()), intervals(reference.solutions, options.tolerance)
    )


def _solve(gold: Derivation) -> tuple[list[int], int] | None:
    """Solve gold with the annotated values, which may differ from those of the text."""
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
