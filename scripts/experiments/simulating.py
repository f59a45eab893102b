"""Simulated systems with known derivations, so that the verdicts of probing can be compared with the truth.

A system has one derivation for each problem, gold or a planted one, and gives its answers at the numbers of every
variant. Others remember the original's answer, are always one off, or have gold for every other row only. A system
makes slips at a given rate: then one of its numbers is off by 1 or 10, has the wrong sign, is doubled, or has two
digits exchanged. A guessing system answers with numbers of the text. Asked several times, a system slips and guesses
anew each time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from random import Random

from draw_dataset.algebra.number import number_text
from draw_dataset.derivation.equivalence import canonical_key
from draw_dataset.derivation.problem import Problem, ProblemId
from draw_dataset.errors import RowError
from draw_dataset.variants.fields import VariableProblem
from draw_dataset.variants.probing import Case, Samples, items_of
from draw_dataset.variants.rivals import (
    Rival,
    RivalInventory,
    column_values,
    generic_values,
    gold_rival,
    lucky_rivals,
    numbers_of,
    one_step_rivals,
    q_notation_of,
)

Answers = dict[ProblemId, list[Fraction]]


def original_of(case: Case) -> VariableProblem:
    """Return the original of a case, which its variants are evidence for."""
    if case.variable is None:
        raise RowError(f"problem {case.id}: expected a variant with other numbers, but got none")
    return case.variable


@dataclass(frozen=True, slots=True)
class Planted:
    """A derivation that a simulated system uses for a problem."""

    case: Case  # the problem with its variants
    rival: Rival  # the derivation

    @property
    def written(self) -> str:
        """The derivation in q-notation."""
        return q_notation_of(original_of(self.case), self.rival)

    def answers(self, random: Random, slips: float = 0.0) -> Answers:
        """Return the answers to the original and to every variant."""
        found: Answers = {}
        for item in items_of(self.case, {self.case.id: None}):
            solution = list(self.rival.solve(column_values(original_of(self.case), item.values)) or ())
            if random.random() < slips and solution:
                at = random.randrange(len(solution))
                solution[at] = slipped(solution[at], random)
            found[item.id] = solution
        return found

    def texts(self, answers: Answers) -> dict[ProblemId, str]:
        """Return the same answers as texts that state their equations, as a language model writes them."""
        rows = {self.case.id: original_of(self.case).problem} | {v.problem.id: v.problem for v in self.case.variants}
        return {id_: self._text(rows[id_], values) for id_, values in answers.items()}

    def _text(self, problem: Problem, values: Sequence[Fraction]) -> str:
        template = self.rival.template
        shift = len(problem.numbers) - len(original_of(self.case).problem.numbers)
        held = [problem.numbers[(n.index or 1) - 1 + shift] for n in numbers_of(original_of(self.case), self.rival)]
        texts = [_written(number.value or Fraction(0)) for number in held]
        equations = template.written_with(texts).split("; ")
        results = " and ".join(f"{n} = {_written(v)}" for n, v in zip(template.unknowns, values, strict=True))
        return "\n".join(["We set up the equations:", *equations, "", f"So {results}."])


def _written(value: Fraction) -> str:
    text = number_text(value)
    return f"{float(value):.4f}" if "/" in text else text


def slipped(value: Fraction, random: Random) -> Fraction:
    """Return a number with a slip in it: never the number itself."""
    digits = str(abs(value.numerator))
    ways = [value + 1, value - 1, value * 10, value + 10, -value, value * 2]
    if value.denominator == 1 and len(digits) > 1 and digits[-1] != digits[-2] and digits[-1] != "0":
        ways.append(Fraction(int(f"{digits[:-2]}{digits[-1]}{digits[-2]}")))
    return random.choice([way for way in ways if way != value])


def right(case: Case) -> Planted:
    """Return the system that has gold's derivation."""
    return Planted(case, gold_rival(original_of(case)))


def planted_wrong(case: Case, inventory: RivalInventory, random: Random, *, lucky: bool = False) -> Planted | None:
    """Return a wrong derivation for a problem; None if there is none.

    It is gold's template with other numbers, one step from gold, or another template of the inventory, in turn; it has
    one solution wherever it is asked, and is not gold up to fixed numbers.
    """
    variable = original_of(case)
    gold = gold_rival(variable)
    values = column_values(variable, variable.values)
    pool = lucky_rivals(inventory, gold, values) if lucky else [*_way(variable, gold, inventory, random)]
    random.shuffle(pool)
    points = [column_values(variable, item.values) for item in items_of(case, {case.id: None})]
    for rival in pool[:60]:
        if not _is_gold(variable, gold, rival) and all(rival.solve(point) for point in points):
            return Planted(case, rival)
    return None


def planted_number(case: Case, random: Random, *, twice: bool) -> Planted | None:
    """Return gold with a wrong number in one slot: one that is used twice then, or one that gold does not use."""
    gold = gold_rival(original_of(case))
    values = column_values(original_of(case), original_of(case).values)
    points = [column_values(original_of(case), item.values) for item in items_of(case, {case.id: None})]
    ways = [
        replace(gold, columns=(*gold.columns[:at], other, *gold.columns[at + 1 :]), steps=9)
        for at, own in enumerate(gold.columns)
        for other in range(len(values))
        if other != own and (other in gold.columns) == twice
    ]
    random.shuffle(ways)
    for rival in ways:
        if not _is_gold(original_of(case), gold, rival) and all(rival.solve(point) for point in points):
            return Planted(case, rival)
    return None


def planted_step(case: Case, random: Random) -> Planted | None:
    """Return a derivation that is one step from gold."""
    gold = gold_rival(original_of(case))
    points = [column_values(original_of(case), item.values) for item in items_of(case, {case.id: None})]
    steps = one_step_rivals(gold)
    random.shuffle(steps)
    for rival in steps:
        if not _is_gold(original_of(case), gold, rival) and all(rival.solve(point) for point in points):
            return Planted(case, rival)
    return None


def memorised(case: Case) -> Answers:
    """Return the original's answer to every row."""
    return {id_: [*original_of(case).solution] for id_ in right(case).answers(Random(0))}


def one_off(case: Case, random: Random) -> Answers:
    """Return gold's answers, each one more, or each one less."""
    shift = random.choice((1, -1))
    return {id_: [value + shift for value in values] for id_, values in right(case).answers(random).items()}


def half(case: Case, planted: Planted, random: Random) -> Answers:
    """Return gold's answers to every other row, and a wrong derivation's to the rest."""
    own, wrong = right(case).answers(random), planted.answers(random)
    return {id_: (wrong if at % 2 else own)[id_] for at, id_ in enumerate(own)}


def mixed(case: Case, planted: Planted, random: Random) -> Answers:
    """Return for each row, as a coin says, gold's answers or a wrong derivation's."""
    own, wrong = right(case).answers(random), planted.answers(random)
    return {id_: (wrong if random.random() < 0.5 else own)[id_] for id_ in own}


def ask_often(ask: Callable[[], Answers], samples: int) -> dict[ProblemId, Samples]:
    """Return several answers to each row."""
    found = [ask() for _ in range(samples)]
    return {id_: Samples(tuple([one[id_] for one in found])) for id_ in found[0]}


def planted_outside(case: Case, inventory: RivalInventory, random: Random) -> Planted | None:
    """Return a wrong derivation that is no rival: two steps from gold, and no template of the inventory."""
    known = {canonical_key(template) for template in inventory.templates}
    gold = gold_rival(original_of(case))
    near = {str(rival.template) for rival in one_step_rivals(gold)}
    points = [column_values(original_of(case), item.values) for item in items_of(case, {case.id: None})]
    steps = one_step_rivals(gold)
    random.shuffle(steps)
    for step in steps[:10]:
        further = one_step_rivals(step)
        random.shuffle(further)
        for rival in further[:10]:
            if str(rival.template) in near or canonical_key(rival.template) in known:
                continue
            if not _is_gold(original_of(case), gold, rival) and all(rival.solve(point) for point in points):
                return Planted(case, rival)
    return None


def _way(variable: VariableProblem, gold: Rival, inventory: RivalInventory, random: Random) -> list[Rival]:
    columns = list(range(len(column_values(variable, variable.values))))
    way = random.randrange(3)
    if way == 0:
        found = one_step_rivals(gold)
        if found:
            return found
    template = gold.template if way == 1 else random.choice(inventory.templates)
    fitting = [t for t in inventory.templates if len(t.slots) <= len(columns)]
    if len(template.slots) > len(columns):
        template = random.choice(fitting)
    made = []
    for _ in range(60):
        chosen = tuple(random.sample(columns, len(template.slots)))
        made.append(replace(gold, template=template, columns=chosen, steps=9))
    return made


def _is_gold(variable: VariableProblem, gold: Rival, rival: Rival) -> bool:
    point = generic_values(variable, everything=False)
    return sorted(gold.solve(point) or ()) == sorted(rival.solve(point) or ())


def guesses(case: Case, random: Random) -> Answers:
    """Return the answers of somebody who takes numbers of the text."""
    found: Answers = {}
    count = len(original_of(case).solution)
    for item in items_of(case, {case.id: None}):
        values = column_values(original_of(case), item.values)
        found[item.id] = [random.choice(values) for _ in range(count)]
    return found
