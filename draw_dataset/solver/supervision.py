"""What a problem teaches: the derivations that count as right under each setting of the paper.

**TD** trains on annotated derivations: gold, and every variant in which a number is replaced by one that means the same
(EquivTNum). **TE** trains on equations: the derivations that lead from the numbers of the text to the gold equations,
either the first of them or all (the solver then chooses the one it likes best, which is latent). **TE*** is TE with the
templates of all data reconciled first; without that, each way of writing an equation is a template of its own, as in
the paper. All settings give a set of derivations, so that training is the same for all.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from itertools import islice, product
from typing import Literal, get_args

from draw_dataset.core.alignment import TextNumber
from draw_dataset.core.derivation import Derivation
from draw_dataset.core.problem import Problem
from draw_dataset.core.references import consistent_derivations
from draw_dataset.errors import ChoiceError, DrawError, NotLinearError, RowError, shown

Setting = Literal["TD", "TE", "TE*"]
Choice = Literal["first", "latent"]

MAX_DERIVATIONS = 64
"""Derivations of one problem that count as right; the release has up to 2187 that lead to the same equations."""


@dataclass(frozen=True, slots=True)
class Supervision:
    """A setting of training.

    Attributes:
        setting: TD, TE or TE*.
        choice: under TE and TE*, whether the first consistent derivation is right or all of them.

    Raises:
        ChoiceError: there is no such setting or choice.
    """

    setting: Setting = "TD"
    choice: Choice = "first"

    def __post_init__(self) -> None:
        for name, value, offered in (("setting", self.setting, Setting), ("choice", self.choice, Choice)):
            if value not in get_args(offered):
                raise ChoiceError(f"{name}: expected one of {', '.join(get_args(offered))}, but got {shown(value)}")

    @property
    def reconciled(self) -> bool:
        """Whether equivalent templates are one."""
        return self.setting != "TE"

    def derivations(self, problem: Problem) -> list[Derivation]:
        """Return the derivations that count as right for a problem; none if its equations allow none.

        Raises:
            RowError: the gold of the problem cannot be read; names the problem.
        """
        if self.setting == "TD":
            return _annotated(problem)
        try:
            consistent = consistent_derivations(list(problem.equations), problem.numbers)
        except DrawError as error:
            raise RowError(f"problem {problem.id}: gold equations: {error}") from error
        found: list[Derivation] = []
        for rank in range(min(consistent.count, MAX_DERIVATIONS)):
            # Equations may be linear only because two literals are equal that came from two numbers.
            with suppress(NotLinearError):
                found.append(consistent.nth(rank))
            if found and self.choice == "first":
                break
        return found


def _annotated(problem: Problem) -> list[Derivation]:
    """Return the gold derivation, and what it becomes when numbers are replaced by ones that mean the same."""
    gold = problem.derivation
    places = {number.place for number in problem.numbers}
    groups = {member.place: group for group in problem.equiv_tnum for member in group}
    choices: list[list[TextNumber]] = []
    for slot in gold.template.slots:
        number = gold.alignment[slot]
        same = [n for n in groups.get(number.place, ()) if n.place in places and n.place != number.place]
        choices.append([number, *same])
    return [
        Derivation(gold.template, dict(zip(gold.template.slots, numbers, strict=True)))
        for numbers in islice(product(*choices), MAX_DERIVATIONS)
        if len({number.place for number in numbers}) == len(numbers)
    ]
