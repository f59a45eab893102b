"""Systems of equations, from text to solutions: tokens, the grammar, exact linear systems and their solutions."""

from draw_dataset.core.equations.grammar import Reader
from draw_dataset.core.equations.notation import latex, sympy_system
from draw_dataset.core.equations.solution import (
    Solution,
    SolutionKind,
    SolutionSet,
    generic_point,
    over_common_denominator,
    regular_point,
    reordered_solutions,
    solution_set,
    solve,
    solve_grounded,
    solve_integers,
)
from draw_dataset.core.equations.system import Row, System, merge_slots, number_of, read_system, system_of
from draw_dataset.core.equations.tokens import (
    DIGITS,
    EVERY_NAME_UNKNOWN,
    Names,
    Source,
    Token,
    join_equations,
    scan,
    split_equations,
    token_spans,
    write,
)

__all__ = [
    "DIGITS",
    "EVERY_NAME_UNKNOWN",
    "Names",
    "Reader",
    "Row",
    "Solution",
    "SolutionKind",
    "SolutionSet",
    "Source",
    "System",
    "Token",
    "generic_point",
    "join_equations",
    "latex",
    "merge_slots",
    "number_of",
    "over_common_denominator",
    "read_system",
    "regular_point",
    "reordered_solutions",
    "scan",
    "solution_set",
    "solve",
    "solve_grounded",
    "solve_integers",
    "split_equations",
    "sympy_system",
    "system_of",
    "token_spans",
    "write",
]
