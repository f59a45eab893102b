"""Problems that the tests of variants share."""

from __future__ import annotations

from fractions import Fraction

import sympy

from draw_dataset import Problem
from draw_dataset.text.numbers import locate_numbers


def problem_of(
    text: str,
    template: str,
    *ranks: int,
    solutions: tuple[float, ...] = (),
    asked: tuple[str, ...] = (),
    roles: dict[str, str] | None = None,
) -> Problem:
    """Return a problem whose slots a, b, c … hold the numbers of given ranks."""
    numbers, _ = locate_numbers(text, rule="release")
    alignment = [
        {"slot": slot, "sentence": n.sentence, "token": n.token, "value": float(n.value or 0)}
        for slot, n in zip("abcdef", [numbers[rank - 1] for rank in ranks], strict=False)
    ]
    found = {
        "id": 1, "question": text, "equations": [], "solutions": list(solutions), "template": template.split("; "),
        "alignment": alignment, "equiv_tnum": [], "asked": list(asked), "roles": roles or {},
        "numbers": [
            {"index": n.index, "sentence": n.sentence, "token": n.token, "start": n.start, "end": n.end,
             "text": n.text, "value": float(n.value or 0)}
            for n in numbers
        ],
    }  # fmt: skip
    return Problem.from_row(found)


def solved_by_sympy(problem: Problem) -> dict[str, Fraction]:
    """Return gold's unknowns, as sympy solves the equations with the numbers of the text in them."""
    names = problem.derivation.template.unknowns
    equations = problem.derivation.template.to_sympy()
    values = {sympy.Symbol(slot): sympy.Rational(n.value) for slot, n in problem.derivation.alignment.items()}
    solution = sympy.solve([one.subs(values) for one in equations], [sympy.Symbol(n) for n in names], dict=True)
    assert len(solution) == 1
    found = {str(name): sympy.Rational(value) for name, value in solution[0].items()}
    return {name: Fraction(int(value.p), int(value.q)) for name, value in found.items()}
