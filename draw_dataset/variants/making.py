"""Variants as rows: each is an ordinary row with its own id, its source, and the changes.

A row whose gold is known to be wrong is refused, because a variant would repeat the mistake. A row that gives no
variant is refused with the reason. The draws for a row depend only on the seed, the kind and the row's id. So the same
seed gives the same bytes, whatever other rows there are, unless their templates make other rivals.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import islice
from random import Random
from typing import Any, overload

from draw_dataset.checks.findings import UNTRUSTED
from draw_dataset.core.asked import read_asked
from draw_dataset.core.derivation import Derivation
from draw_dataset.core.problem import Problem, ProblemId
from draw_dataset.core.row_shapes import plain_row, rows_of
from draw_dataset.errors import ChoiceError, DrawError, RowError, shown
from draw_dataset.variants.choosing import choose
from draw_dataset.variants.columns import column_values, q_notation_of, rival_of
from draw_dataset.variants.fields import Puzzle, Unfit, check_numbers, puzzle_of
from draw_dataset.variants.numbers import with_numbers
from draw_dataset.variants.rebuilding import Edit
from draw_dataset.variants.rivals import Inventory, Rival
from draw_dataset.variants.traps import Trap, TrapMaker

KINDS = ("numbers", "traps", "twins")
"""What can be made: other numbers, a number that does not belong, and pairs in which it equals a number that does."""

MAX_COUNT = 100
"""How many variants of one row can be made."""

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Made:
    """What was made of one row.

    Attributes:
        source_id: the row.
        count: how many variants.
        lucky: how many rivals answer like gold on the original.
        fixed: those of them that differ from gold in fixed numbers only, in q-notation: no variant rules them out.
        alive: those that could be ruled out, and are not, in q-notation.
    """

    source_id: ProblemId
    count: int
    lucky: int = 0
    fixed: tuple[str, ...] = ()
    alive: tuple[str, ...] = ()


class VariantSet(Sequence[Row]):
    """Variants as rows, in the order of their sources.

    Attributes:
        rows: the rows.
        made: what was made of each source that gave a variant.
        refused: why the others gave none, by id.
    """

    def __init__(self, rows: list[Row], made: list[Made], refused: dict[ProblemId, str]) -> None:
        self.rows = rows
        self.made = made
        self.refused = refused

    def __len__(self) -> int:
        return len(self.rows)

    @overload
    def __getitem__(self, at: int) -> Row: ...
    @overload
    def __getitem__(self, at: slice) -> list[Row]: ...
    def __getitem__(self, at: int | slice) -> Row | list[Row]:
        return self.rows[at]

    def __repr__(self) -> str:
        return f"VariantSet({len(self.rows)} variants of {len(self.made)} rows, {len(self.refused)} refused)"

    def summary(self) -> dict[str, Any]:
        """Return the counts as plain data."""
        return {
            "rows": len(self.made) + len(self.refused),
            "variants": len(self.rows),
            "rows_with_variants": len(self.made),
            "refused": len(self.refused),
            "rivals": {
                "answer_like_gold_on_the_original": sum(one.lucky for one in self.made),
                "up_to_fixed_numbers": sum(len(one.fixed) for one in self.made),
                "not_ruled_out": sum(len(one.alive) for one in self.made),
                "rows_up_to_fixed_numbers": sum(bool(one.fixed) for one in self.made),
                "rows_not_ruled_out": sum(bool(one.alive) for one in self.made),
            },
            "why_refused": _counted(self.refused.values()),
        }


def make_variants(
    rows: Iterable[Mapping[str, Any] | Problem],
    count: int = 3,
    seed: int = 0,
    *,
    kinds: Sequence[str] = ("numbers",),
    inventory: Inventory | Iterable[Mapping[str, Any] | Problem] | None = None,
) -> VariantSet:
    """Make variants of rows: the same problems with other numbers, or with traps.

    >>> from draw_dataset.sample import load_sample
    >>> variants = make_variants(load_sample()["test"][:1], count=2, seed=0)
    >>> [row["id"] for row in variants], variants[0]["source_id"], variants[0]["variant"]["kind"]
    (['91-n1', '91-n2'], 91, 'numbers')

    Args:
        rows: the rows, or problems.
        count: how many of each kind for a row; for ``twins``, how many pairs.
        seed: the same seed gives the same variants.
        kinds: what to make, of `KINDS`.
        inventory: the templates of the rivals that the set should rule out, or rows that have them; by default those of
            the rows.

    Returns:
        The variants as a sequence of rows, with what was made of each row and why others gave none.

    Raises:
        ChoiceError: a kind is unknown, or the count or the seed is not valid.
        RowError: a row cannot be read; says which.
    """
    chosen = _check(count, seed, kinds)
    given = [_problem(row, at) for at, row in enumerate(rows_of(rows, "rows"))]
    if inventory is None:  # traps need none
        inventory = [problem for problem, _, _ in given] if "numbers" in chosen else []
    rivals = inventory_of(inventory)
    made_rows: list[Row] = []
    made: list[Made] = []
    refused: dict[ProblemId, str] = {}
    seen: set[ProblemId] = set()
    for problem, is_variant, counted in given:
        if problem.id in seen:
            continue
        seen.add(problem.id)
        why = "it is a variant itself" if is_variant else _wrong(problem)
        found = None if why else _variants_of(problem, count, seed, chosen, rivals, counted)
        if found is None or not found[0]:
            refused[problem.id] = why or (found[2] if found else "")
        else:
            made_rows += found[0]
            made.append(found[1])
    return VariantSet(made_rows, made, refused)


def inventory_of(rows: Inventory | Iterable[Mapping[str, Any] | Problem]) -> Inventory:
    """Return the templates of rows; those that cannot be read are left out.

    Raises:
        RowError: what is given is no list of rows; says what is wrong.
    """
    if isinstance(rows, Inventory):
        return rows
    templates = []
    for at, row in enumerate(rows_of(rows, "inventory")):
        problem = _read(row, "inventory", at)
        try:
            templates.append(problem.derivation.template)
        except DrawError:
            continue
    return Inventory(templates)


def _check(count: object, seed: object, kinds: Iterable[str]) -> tuple[str, ...]:
    """Return the kinds, after all choices are checked."""
    if type(count) is not int or not 1 <= count <= MAX_COUNT:
        raise ChoiceError(f"count: expected a whole number from 1 to {MAX_COUNT}, but got {shown(count)}")
    if type(seed) is not int or seed < 0:
        raise ChoiceError(f"seed: expected a whole number from 0, but got {shown(seed)}")
    chosen = () if isinstance(kinds, str) or not isinstance(kinds, Iterable) else tuple(kinds)
    if not chosen or any(kind not in KINDS for kind in chosen):
        raise ChoiceError(f"kinds: expected some of {', '.join(KINDS)}, but got {shown(kinds)}")
    return tuple(dict.fromkeys(chosen))


def _problem(row: Mapping[str, Any] | Problem, at: int) -> tuple[Problem, bool, frozenset[Fraction]]:
    """Return the problem of a row, whether it is a variant, and what its solution has counted (four zebras)."""
    problem = _read(row, "rows", at)
    if isinstance(row, Problem):
        return problem, False, frozenset()
    fields = plain_row(row)
    constants = fields.get("constants")
    if constants is not None and not isinstance(constants, list):
        raise RowError(f"rows[{at}]: constants: expected a list, but got {shown(constants)}")
    counted = [_COUNTED.fullmatch(one) for one in constants or () if isinstance(one, str)]
    values = frozenset(Fraction(match[1]) for match in counted if match)
    return problem, bool(fields.get("variant")), values


def _read(row: Mapping[str, Any] | Problem, what: str, at: int) -> Problem:
    try:
        return row if isinstance(row, Problem) else Problem.from_row(row)
    except RowError as error:
        raise RowError(f"{what}[{at}]: {error}") from error


_COUNTED = re.compile(r"(\d{1,6}): of the solution")
"""What `derive` calls a constant that has no name."""


def _wrong(problem: Problem) -> str:
    found = [code for code in problem.findings if code in UNTRUSTED]
    if found:
        return f"its gold is wrong: {', '.join(found)}"
    return "it has no derivation: its status is refused" if problem.status == "refused" else ""


def _variants_of(
    problem: Problem,
    count: int,
    seed: int,
    kinds: Sequence[str],
    inventory: Inventory,
    counted: frozenset[Fraction],
) -> tuple[list[Row], Made, str]:
    """Return the variants of a row, what was made of it, and why there is none if there is none."""
    rows: list[Row] = []
    made, why = Made(problem.id, 0), ""
    for kind in kinds:
        random = Random(f"{seed}|{kind}|{problem.id!r}")
        try:
            check_numbers(problem)
            read_asked(problem)  # whoever answers a variant is judged by it
            if kind == "numbers":
                puzzle = puzzle_of(problem, counted=counted)
                found, made = _numbers(puzzle, count, seed, random, inventory)
                why = "" if found else "no other plausible numbers were found"
            elif kind == "traps":
                traps = islice(TrapMaker(problem, random).traps(), count)
                found = [_trap_row(problem, trap, at, seed) for at, trap in enumerate(traps, 1)]
                why = "" if found else "no sentence that could be added fits"
            else:
                pairs = islice(TrapMaker(problem, random).twins(), count)
                found = [_trap_row(problem, trap, at, seed) for at, pair in enumerate(pairs, 1) for trap in pair]
                why = "" if found else "no sentence that could be added fits a number of gold"
        except Unfit as error:
            why = str(error)
        except RowError as error:
            why = f"gold cannot be read: {error}"
        else:
            rows += found
    return rows, replace(made, count=len(rows)), why


def _numbers(puzzle: Puzzle, count: int, seed: int, random: Random, inventory: Inventory) -> tuple[list[Row], Made]:
    problem = puzzle.problem
    choice = choose(puzzle, count, random, inventory, _alternatives(puzzle))
    rows: list[Row] = []
    for candidate in choice.chosen:
        number = len(rows) + 1
        made = with_numbers(puzzle, candidate.values, f"{problem.id}-n{number}")
        if made is not None:
            changes = [_change(edit, problem) for edit in sorted(made[1])]
            rows.append(_row(made[0], problem, {"kind": "numbers", "number": number, "seed": seed}, changes))
    told = Made(problem.id, len(rows), choice.lucky, _written(puzzle, choice.fixed), _written(puzzle, choice.alive))
    return rows, told


def _alternatives(puzzle: Puzzle) -> list[Rival]:
    """Return the alternatives that answer like gold; they must do so in every variant."""
    found = []
    for text in puzzle.problem.alternatives:
        rival = rival_of(puzzle, Derivation.read(text, puzzle.problem.numbers))
        if sorted(rival.solve(column_values(puzzle, puzzle.values)) or ()) == sorted(puzzle.solution):
            found.append(rival)
    return found


def _written(puzzle: Puzzle, rivals: Iterable[Rival]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(q_notation_of(puzzle, rival) for rival in rivals))


def _change(edit: Edit, problem: Problem) -> dict[str, Any]:
    """Return a replacement as plain data; for an article, the number after it."""
    number = next(n for n in problem.numbers if n.end is not None and n.end > edit.start)
    return {
        "index": number.index,
        "start": edit.start,
        "before": edit.before,
        "after": edit.after,
        "value": float(number.value or 0),
    }


_LETTERS = {"trap": "t", "equal": "e", "twin": "w"}


def _trap_row(problem: Problem, trap: Trap, number: int, seed: int) -> Row:
    made = replace(trap.problem, id=f"{problem.id}-{_LETTERS[trap.kind]}{number}")
    change = {
        "index": 1,
        "start": trap.edit.start,
        "before": trap.edit.before,
        "after": trap.edit.after,
        "value": float(trap.value),
    }
    about = {"kind": trap.kind, "number": number, "seed": seed}
    style = {"topic": trap.topic, "role": trap.role, "range": trap.range}
    return _row(made, problem, about, [change], style)


def _row(
    made: Problem,
    problem: Problem,
    about: dict[str, Any],
    changes: list[dict[str, Any]],
    style: Mapping[str, str] | None = None,
) -> Row:
    told = {**about, "changes": changes, "topic": "", "role": "", "range": "", **(style or {})}
    return {**made.to_row(), "source_id": problem.id, "variant": told}


def _counted(texts: Iterable[str]) -> dict[str, int]:
    return dict(Counter(texts).most_common())
