"""Where values cannot show that gold is wrong: an aligned number has the value of another number of the text.

If gold should have taken the other one, its solutions stay the same. Only a reader can tell, so each function here says
where there is something to read; it cannot say that something is wrong. Some words tell which of two equal numbers is
meant more often than not: in "two numbers" or "3 pieces" a number counts things, and a derivation seldom needs it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import combinations

from draw_dataset.core.alignment import TextNumber
from draw_dataset.core.derivation import Derivation
from draw_dataset.core.equivalence import derivations_equivalent
from draw_dataset.core.problem import Problem

_COUNTS_KINDS = re.compile(
    r"[\s-]*(?:different |separate |equal |unequal |other |successive |consecutive |odd |even |positive |whole )*"
    r"(?:numbers?|integers?|digits?|pieces?|parts?|kinds?|types?|varieties|brands?|people|persons?|cars?|trains?|planes?|"
    r"accounts?|investments?|solutions?|angles?|sides?|boys|girls|men|women|plans?|companies|friends|brothers|sisters|"
    r"sections?|sizes|ways?|sums|amounts|groups|boats|buses|pipes|candles|jobs|denominations|funds)\b",
    re.IGNORECASE,
)


def equal_unaligned(problem: Problem) -> str | None:
    """Find an aligned number that counts kinds of things, where a number of the same value that does not is unused."""
    used = {problem.number_classes.of_place(n.place) for n in problem.derivation.alignment.values()}
    for slot, number in problem.derivation.alignment.items():
        if not _counts_kinds(problem, number):
            continue
        for other in problem.numbers:
            unused = problem.number_classes.of_place(other.place) not in used
            if unused and other.value == number.value and not _counts_kinds(problem, other):
                return f"slot {slot} takes q{number.index}, which counts things, not q{other.index} of the same value"
    return None


def equal_exchanged(problem: Problem) -> str | None:
    """Find two aligned numbers of one value whose exchange makes another derivation."""
    for a, b in exchanges(problem):
        return f"slots {a} and {b} hold numbers of the same value; exchanging them makes another derivation"
    return None


def exchanges(problem: Problem) -> Iterator[tuple[str, str]]:
    """Yield the pairs of slots with numbers of one value whose exchange makes another derivation."""
    gold, groups = problem.derivation, problem.equiv_tnum
    entries = dict(gold.alignment.items())
    for a, b in combinations(gold.template.slots, 2):
        if entries[a].value is None or entries[a].value != entries[b].value:
            continue
        other = Derivation(gold.template, entries | {a: entries[b], b: entries[a]})
        if not derivations_equivalent(other, gold, groups):
            yield a, b


def _counts_kinds(problem: Problem, number: TextNumber) -> bool:
    return number.end is not None and _COUNTS_KINDS.match(problem.question, number.end) is not None
