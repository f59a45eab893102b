"""What a problem teaches: which derivations count as right for it, by the setting of the paper.

**TD** trains on annotated derivations: gold, and every variant in which a number is replaced by one that means the same
(EquivTNum). **TE** trains on equations: the derivations that lead from the numbers of the text to the gold equations,
either the first of them or all (the solver then chooses the one it likes best, which is latent). **TE*** is TE with the
templates of all data reconciled first; without that, each normal form of equations is a template of its own, as in the
paper. All settings give a set of derivations for each problem, so the rest of a system is the same for all.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from contextlib import suppress
from itertools import islice, product
from typing import Literal, get_args

from draw_dataset.core.alignment import TextNumber
from draw_dataset.core.derivation import Derivation
from draw_dataset.core.problem import Problem
from draw_dataset.core.references import consistent_derivations
from draw_dataset.errors import ChoiceError, DrawError, NotLinearError, RowError, TrainingError, shown
from draw_dataset.solver.arrangements import least
from draw_dataset.solver.inventory import Inventory
from draw_dataset.solver.tagged_text import TaggedText
from draw_dataset.version import __version__

Setting = Literal["TD", "TE", "TE*"]
Choice = Literal["first", "latent"]

MAX_DERIVATIONS = 64
"""Derivations of one problem that count as right; the release has up to 2187 that lead to the same equations."""

Gold = tuple[int, tuple[int, ...]]
"""A right candidate: a template of the inventory, and the number in each slot, least under the symmetries."""


def check_choices(**given: tuple[str, object]) -> None:
    """Refuse options that are none of those offered, each given with the type that lists them."""
    for name, (value, offered) in given.items():
        if value not in get_args(offered):
            raise ChoiceError(f"{name}: expected one of {', '.join(get_args(offered))}, but got {shown(value)}")


def right_derivations(problem: Problem, setting: Setting, choice: Choice) -> list[Derivation]:
    """Return the derivations that count as right for a problem; none if its equations allow none.

    Raises:
        RowError: the gold of the problem cannot be read; names the problem.
    """
    if setting == "TD":
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
        if found and choice == "first":
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


def inventory_of(golds: Sequence[Sequence[Derivation]], setting: Setting) -> Inventory:
    """Return the templates of the right derivations of problems, reconciled as the setting wants it.

    Raises:
        TrainingError: there are none.
    """
    inventory = Inventory.of([t for gold in golds for t in {d.template: None for d in gold}], setting != "TE")
    if not len(inventory):
        raise TrainingError(f"expected problems with derivations to learn from, but got {len(golds)} without any")
    return inventory


def located(text: TaggedText, golds: Sequence[Derivation], inventory: Inventory) -> tuple[Gold, ...]:
    """Return the right derivations of a text as candidates; those with a number that is not in the text are none."""
    rank = {number.place: i for i, number in enumerate(text.numbers)}
    found: dict[Gold, None] = {}
    for derivation in golds:
        located = inventory.locate(derivation)
        if located is not None and all(number.place in rank for number in located[1]):
            member, numbers = located
            automorphisms = inventory.classes[member].structure.automorphisms
            found[member, least([rank[number.place] for number in numbers], automorphisms)] = None
    return tuple(found)


def signature(problems: Sequence[Problem], setting: str, choice: str, **options: object) -> str:
    """Return how a system was trained, in one line: the setting, its options, and a hash of the problems."""
    digest = hashlib.sha256()
    for problem in problems:
        digest.update(repr(problem.to_row()).encode())
    learnt_from = setting if setting == "TD" else f"{setting}-{choice}"
    said = "".join(f"|{name}:{value}" for name, value in options.items())
    return f"solver|train:{learnt_from}{said}|n:{len(problems)}@{digest.hexdigest()[:8]}|version:{__version__}"
