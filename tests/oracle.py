"""Are two derivations equivalent? The paper's Algorithm 1, line by line: the referee of the package's own.

Nothing of `draw_dataset` is imported, so that a mistake there cannot hide here. TemplEquiv tries every 1-to-1
mapping gamma of slots; for each it draws R random vectors, gives entry i to slot c_i of the first template
and to slot gamma(c_i) of the second, solves both systems and keeps gamma if the solutions agree every time.
AlignEquiv then looks for a kept gamma under which corresponding slots stand on the same, or an equivalent,
textual number.

Where the paper is silent, this file decides:

* The names of the unknowns mean nothing. Two solutions agree when a renaming of the unknowns turns one into
  the other; so unique solutions are compared sorted, and the templates must have equally many unknowns.
* A system without a unique solution is compared by its whole solution set, also up to that renaming.
* A random vector may by bad luck make a system singular that is regular elsewhere, which says nothing about
  the templates. Such a vector is drawn again. The draws are large, so this hardly ever happens.

Arithmetic is exact (`template_equiv`) or, as the paper's authors would have had it, in floats
(`template_equiv_floats`). `all_pairs` is the exact TemplEquiv for many templates at once.
"""

from __future__ import annotations

import math
import random
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import permutations
from typing import Literal, TypeVar

UNKNOWNS = frozenset("mno")
ROUNDS = 10  # the paper's R

LARGEST_DRAW = 10**9  # exact draws: two different solutions agree by chance about once in this many times
SMALLEST_FLOAT, LARGEST_FLOAT = 1.0, 10.0  # float draws: of one magnitude, so that rounding stays small
RELATIVE_TOLERANCE = 1e-6
ABSOLUTE_TOLERANCE = 1e-9  # for solutions that are zero
ROUNDING = 1e-11  # a pivot this small, relative to its matrix, is what rounding leaves of a zero

Position = tuple[int, int]  # (sentence, token): the identity of a textual number
Alignment = Mapping[str, Position]  # slot -> textual number
SlotMap = dict[str, str]  # gamma: slot of the first template -> slot of the second
Row = tuple[Fraction, ...]
Value = TypeVar("Value", Fraction, float)


# --- Reading templates --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Term:
    """A product: number * slots / slots, times one unknown or none."""

    number: Fraction
    over: tuple[str, ...]
    under: tuple[str, ...]
    unknown: str | None


@dataclass(frozen=True)
class Template:
    """A family of linear systems; each equation is the list of terms whose sum is zero."""

    equations: tuple[tuple[Term, ...], ...]
    slots: tuple[str, ...]
    unknowns: tuple[str, ...]

    @cached_property
    def exact_rows(self) -> Callable[..., list[list[Fraction]]]:
        """Slot values, in the order of `slots`, to the augmented matrix."""
        return compile_rows(self, Fraction)

    @cached_property
    def float_rows(self) -> Callable[..., list[list[float]]]:
        """`exact_rows` in floats."""
        return compile_rows(self, float)

    @cached_property
    def generic_ranks(self) -> tuple[int, int]:
        """Ranks without and with the right-hand side at almost every vector: no vector exceeds them."""
        rng = random.Random(0)
        seen = [solve_rows(self.exact_rows(*draw(rng, len(self.slots)))).ranks for _ in range(3)]
        return max(rank for rank, _ in seen), max(augmented for _, augmented in seen)


def read_template(equations: Iterable[str]) -> Template:
    """Read the release's grammar: `side = side`, signed terms, factors joined by `*` or `/` from the left.

    >>> template = read_template(["m = A + B * n", "m = C - n"])
    >>> template.slots, template.unknowns
    (('A', 'B', 'C'), ('m', 'n'))
    """
    read = tuple(read_equation(text) for text in equations)
    if not read:
        raise ValueError("a template must have at least one equation, but got none")
    terms = [term for equation in read for term in equation]
    return Template(
        equations=read,
        slots=tuple(sorted({slot for term in terms for slot in (*term.over, *term.under)})),
        unknowns=tuple(sorted({term.unknown for term in terms if term.unknown is not None})),
    )


def read_equation(text: str) -> tuple[Term, ...]:
    sides = text.split("=")
    if len(sides) != 2:
        raise ValueError(f"{text!r}: an equation must have one '=', but got {len(sides) - 1}")
    left, right = (read_side(side, text) for side in sides)
    return (*left, *(Term(-term.number, term.over, term.under, term.unknown) for term in right))


def read_side(side: str, text: str) -> list[Term]:
    """Read signed terms up to the end."""
    tokens = re.findall(r"\d+\.?\d*|\.\d+|\S", side)[::-1]  # reversed: the next token is the last
    terms = [read_term(tokens, text)]
    while tokens:
        if tokens[-1] not in "+-":
            raise ValueError(f"{text!r}: expected + - * or /, but got {tokens[-1]!r}")
        terms.append(read_term(tokens, text))
    return terms


def read_term(tokens: list[str], text: str) -> Term:
    """Take one term off the tokens; any number of signs may stand before a factor (`- -3 * a`)."""
    number, unknown = Fraction(1), None
    over: list[str] = []
    under: list[str] = []
    operator = "*"
    while True:
        while tokens and tokens[-1] in "+-":
            number = -number if tokens.pop() == "-" else number
        factor = tokens.pop() if tokens else "the end"
        if re.fullmatch(r"\d+\.?\d*|\.\d+", factor):
            if operator == "/" and Fraction(factor) == 0:
                raise ValueError(f"{text!r}: division by zero")
            number = number * Fraction(factor) if operator == "*" else number / Fraction(factor)
        elif factor in UNKNOWNS:
            if operator == "/" or unknown is not None:
                raise ValueError(f"{text!r}: not linear in the unknowns")
            unknown = factor
        elif re.fullmatch(r"[A-Za-z]", factor):
            (over if operator == "*" else under).append(factor)
        else:
            raise ValueError(f"{text!r}: expected a number or a letter, but got {factor!r}")
        if not tokens or tokens[-1] not in "*/":
            return Term(number, tuple(over), tuple(under), unknown)
        operator = tokens.pop()


def compile_rows(template: Template, number: Callable[[Fraction], Value]) -> Callable[..., list[list[Value]]]:
    """Make a function of the slot values that returns [coefficients of the unknowns | right-hand side].

    The one speed-up both arithmetics get: the text is read once, not once a draw. The source that is compiled
    is written from single letters and the names of constants only, never from the template's text.
    """
    constants: dict[str, Value] = {}

    def cell(terms: Sequence[Term], sign: int) -> str:
        return " + ".join(product(term, sign * term.number) for term in terms) or constant(Fraction(0))

    def product(term: Term, factor: Fraction) -> str:
        if term.over and abs(factor) == 1:
            text = ("-" if factor < 0 else "") + "*".join(term.over)
        else:
            text = "*".join((constant(factor), *term.over))
        return "".join((text, *("/" + slot for slot in term.under)))

    def constant(value: Fraction) -> str:
        name = f"number{len(constants)}"
        constants[name] = number(value)
        return name

    rows = []
    for equation in template.equations:
        cells = [cell([t for t in equation if t.unknown == unknown], 1) for unknown in template.unknowns]
        cells.append(cell([t for t in equation if t.unknown is None], -1))
        rows.append(f"[{', '.join(cells)}]")
    source = f"lambda {', '.join(template.slots)}: [{', '.join(rows)}]"
    made: Callable[..., list[list[Value]]] = eval(source, {**constants})
    return made


# --- Solve, exactly -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class SolutionSet:
    """All solutions of a system, in a form that is equal for two systems exactly when a renaming joins them.

    `rows` is, for a unique solution, one row of its sorted values; for many, the reduced row echelon form
    that is smallest over the orders of the unknowns; for none, empty.
    """

    kind: Literal["unique", "many", "none"]
    unknowns: int
    rows: tuple[Row, ...]
    ranks: tuple[int, int] = field(compare=False)  # without and with the right-hand side

    @property
    def unique(self) -> tuple[Fraction, ...] | None:
        """The sorted values of the unknowns, or None when they are not determined."""
        return self.rows[0] if self.kind == "unique" else None


def solve_exact(template: Template, values: Mapping[str, Fraction | int]) -> SolutionSet:
    """Solve the template at the slot values: the paper's Solve(T, A).

    >>> solve_exact(read_template(["m + n = a", "m - n = b"]), {"a": 7, "b": 2}).unique
    (Fraction(5, 2), Fraction(9, 2))
    """
    return solve_rows(template.exact_rows(*(Fraction(values[slot]) for slot in template.slots)))


def solve_rows(matrix: list[list[Fraction]]) -> SolutionSet:
    """Gaussian elimination on the augmented matrix."""
    width = len(matrix[0]) - 1
    reduced = reduced_echelon(matrix)
    pivots = [next(column for column, value in enumerate(row) if value) for row in reduced]
    if pivots and pivots[-1] == width:
        return SolutionSet("none", width, (), (len(reduced) - 1, len(reduced)))
    ranks = len(reduced), len(reduced)
    if len(reduced) == width:
        return SolutionSet("unique", width, (tuple(sorted(row[-1] for row in reduced)),), ranks)
    orders = permutations(range(width))
    forms = (reduced_echelon([[row[i] for i in order] + [row[-1]] for row in matrix]) for order in orders)
    return SolutionSet("many", width, min(forms), ranks)


def reduced_echelon(matrix: list[list[Fraction]]) -> tuple[Row, ...]:
    """Return the nonzero rows of the reduced row echelon form, right-hand side included."""
    rows = [list(row) for row in matrix]
    rank = 0
    for column in range(len(matrix[0])):
        pivot = next((i for i in range(rank, len(rows)) if rows[i][column]), None)
        if pivot is None:
            continue
        rows[rank], rows[pivot] = rows[pivot], rows[rank]
        lead = rows[rank][column]
        top = rows[rank] = [value / lead if value else value for value in rows[rank]]
        for i, row in enumerate(rows):
            factor = row[column]
            if i != rank and factor:
                rows[i] = [x - factor * y if y else x for x, y in zip(row, top, strict=True)]
        rank += 1
    return tuple(tuple(row) for row in rows[:rank])


# --- TemplEquiv, exactly ------------------------------------------------------------------------------------


def draw(rng: random.Random, size: int) -> list[Fraction]:
    """Generate random vector v; no entry is zero, as slots may be divided by."""
    return [Fraction(rng.randint(1, LARGEST_DRAW)) for _ in range(size)]


def template_equiv(t1: Template, t2: Template, rounds: int = ROUNDS, rng: random.Random | None = None) -> list[SlotMap]:
    """Return every mapping of the slots of t1 to those of t2 under which the solutions agree: TemplEquiv.

    >>> t1 = read_template(["m = A + B * n", "m = C - n"])
    >>> t2 = read_template(["m + n = A", "m - C * n = B"])
    >>> template_equiv(t1, t2)
    [{'A': 'B', 'B': 'C', 'C': 'A'}]
    """
    if len(t1.slots) != len(t2.slots):
        return []
    rng = rng or random.Random(0)
    found = []
    for image in permutations(t2.slots):
        gamma = dict(zip(t1.slots, image, strict=True))
        match = True
        for _ in range(rounds):
            solution1, solution2 = solve_both(t1, t2, gamma, rng)
            if solution1 != solution2:
                match = False
                break
        if match:
            found.append(gamma)
    return found


def solve_both(t1: Template, t2: Template, gamma: SlotMap, rng: random.Random) -> tuple[SolutionSet, SolutionSet]:
    """Solve both at one random vector, drawn again while it makes either more singular than it always is."""
    while True:
        values1 = dict(zip(t1.slots, draw(rng, len(t1.slots)), strict=True))
        values2 = {gamma[slot]: value for slot, value in values1.items()}
        solution1, solution2 = solve_exact(t1, values1), solve_exact(t2, values2)
        if solution1.ranks == t1.generic_ranks and solution2.ranks == t2.generic_ranks:
            return solution1, solution2


# --- TemplEquiv, in floats ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class FloatRows:
    """What a system without a unique solution has: its reduced augmented matrix, or None if inconsistent."""

    unknowns: int
    rows: list[list[float]] | None


FloatSolution = list[float] | FloatRows


def template_equiv_floats(
    t1: Template,
    t2: Template,
    rounds: int = ROUNDS,
    rng: random.Random | None = None,
    *,
    shared_vectors: bool = False,
) -> list[SlotMap]:
    """TemplEquiv in floats, for its speed.

    As printed, each mapping draws its own vectors. The vectors, and the solutions of t1 at them, do not depend on
    gamma; with `shared_vectors` a round makes them when it is first reached and all later mappings share them.
    """
    if len(t1.slots) != len(t2.slots):
        return []
    rng = rng or random.Random(0)
    size, width1, width2 = len(t1.slots), len(t1.unknowns), len(t2.unknowns)
    rows1, rows2 = t1.float_rows, t2.float_rows
    drawn: list[tuple[list[float], FloatSolution]] = []
    found = []
    for order in permutations(range(size)):  # slot i of t2 takes the value of slot order[i] of t1
        if not shared_vectors:
            drawn.clear()
        for t in range(rounds):
            if t == len(drawn):
                vector = [rng.uniform(SMALLEST_FLOAT, LARGEST_FLOAT) for _ in range(size)]
                drawn.append((vector, solve_floats(rows1(*vector), width1)))
            vector, solution1 = drawn[t]
            if not same_floats(solution1, solve_floats(rows2(*[vector[i] for i in order]), width2)):
                break
        else:
            found.append({t1.slots[i]: slot for i, slot in zip(order, t2.slots, strict=True)})
    return found


def solve_floats(rows: list[list[float]], width: int) -> FloatSolution:
    """Gaussian elimination with partial pivoting, in place; unique solutions come sorted."""
    zero = ROUNDING * max([max(map(abs, row)) for row in rows])
    height = len(rows)
    rank = 0
    for column in range(width):
        pivot, largest = rank, zero
        for i in range(rank, height):
            size = abs(rows[i][column])
            if size > largest:
                pivot, largest = i, size
        if largest == zero:
            continue
        top = rows[pivot]
        rows[pivot] = rows[rank]
        rows[rank] = top
        rank += 1
        for i in range(rank, height):
            row = rows[i]
            factor = row[column] / top[column]
            if factor:
                for j in range(column, width + 1):
                    row[j] -= factor * top[j]
    for i in range(rank, height):
        if abs(rows[i][width]) > zero:
            return FloatRows(width, None)
    if rank < width:
        return FloatRows(width, reduced_floats(rows[:rank]))
    solution = [0.0] * width
    for i in range(width - 1, -1, -1):
        row = rows[i]
        value = row[width]
        for j in range(i + 1, width):
            value -= row[j] * solution[j]
        solution[i] = value / row[i]
    solution.sort()
    return solution


def same_floats(one: FloatSolution, two: FloatSolution) -> bool:
    """Compare up to the order of the unknowns and the tolerance."""
    if isinstance(one, list) and isinstance(two, list):
        if len(one) != len(two):
            return False
        for x, y in zip(one, two, strict=True):
            if not math.isclose(x, y, rel_tol=RELATIVE_TOLERANCE, abs_tol=ABSOLUTE_TOLERANCE):
                return False
        return True
    if isinstance(one, list) or isinstance(two, list):
        return False
    if one.unknowns != two.unknowns:
        return False
    if one.rows is None or two.rows is None:
        return one.rows is two.rows
    flat = [value for row in one.rows for value in row]
    for order in permutations(range(two.unknowns)):
        renamed = reduced_floats([[row[i] for i in order] + [row[-1]] for row in two.rows])
        if same_floats(flat, [value for row in renamed for value in row]):
            return True
    return False


def reduced_floats(matrix: list[list[float]]) -> list[list[float]]:
    """Return the reduced row echelon form of a consistent system, with partial pivoting."""
    rows = [list(row) for row in matrix]
    zero = ROUNDING * max((abs(value) for row in rows for value in row), default=0.0)
    rank = 0
    for column in range(len(rows[0]) - 1 if rows else 0):
        pivot = max(range(rank, len(rows)), key=lambda i: abs(rows[i][column]), default=None)
        if pivot is None or abs(rows[pivot][column]) <= zero:
            continue
        rows[rank], rows[pivot] = rows[pivot], rows[rank]
        lead = rows[rank][column]
        top = rows[rank] = [value / lead for value in rows[rank]]
        for i, row in enumerate(rows):
            if i != rank:
                factor = row[column]
                rows[i] = [value - factor * above for value, above in zip(row, top, strict=True)]
        rank += 1
    return rows[:rank]


# --- AlignEquiv and Algorithm 1 -----------------------------------------------------------------------------


def align_equiv(gammas: Iterable[SlotMap], a1: Alignment, a2: Alignment, equiv: Iterable[Iterable[Position]]) -> bool:
    """Tell whether some gamma has (q, c) in A1 iff (q, gamma(c)) or (q', gamma(c)) in A2: AlignEquiv.

    (q', q) is in EquivTNum when one of the groups in `equiv` holds both. The paper's pairs (q, epsilon),
    numbers that serve no slot, are what an alignment leaves out; they are not compared.
    """
    groups = [frozenset(group) for group in equiv]

    def equal(q: Position, other: Position) -> bool:
        return q == other or any(q in group and other in group for group in groups)

    for gamma in gammas:
        forth = all(gamma[c] in a2 and equal(q, a2[gamma[c]]) for c, q in a1.items())
        back = all(c in a1 and equal(a1[c], a2[image]) for c, image in gamma.items() if image in a2)
        if forth and back:
            return True
    return False


def derivation_equiv(
    t1: Template,
    a1: Alignment,
    t2: Template,
    a2: Alignment,
    equiv: Iterable[Iterable[Position]] = (),
    rounds: int = ROUNDS,
    rng: random.Random | None = None,
    *,
    floats: bool = False,
) -> bool:
    """Tell whether predicted (t1, a1) and gold (t2, a2) are equivalent: Algorithm 1, exactly or in floats."""
    require_alignments((t1, a1), (t2, a2))
    if len(t1.slots) != len(t2.slots):
        return False
    gammas = (template_equiv_floats if floats else template_equiv)(t1, t2, rounds, rng)
    if not gammas:
        return False
    return align_equiv(gammas, a1, a2, equiv)


def require_alignments(*derivations: tuple[Template, Alignment]) -> None:
    """Refuse an alignment that is not of all slots: the paper defines a derivation only with a total one."""
    for template, alignment in derivations:
        if set(alignment) != set(template.slots):
            raise ValueError(f"must align {list(template.slots)}, but got {sorted(alignment)}")


# --- Many templates at once ---------------------------------------------------------------------------------


def all_pairs(
    templates: Sequence[Template], rounds: int = ROUNDS, rng: random.Random | None = None
) -> Iterator[tuple[int, int, list[SlotMap]]]:
    """Run the exact TemplEquiv on every pair i <= j with equally many slots; yield i, j and the mappings.

    Every gamma is tried until a round fails it, as in `template_equiv`; but a round's vector is the same for
    all templates of a slot count. So each template is solved once at each permutation of the vector, k! times
    a round, and a pair needs comparisons only. A template's pair with itself gives its symmetries.
    """
    rng = rng or random.Random(0)
    for size in sorted({len(template.slots) for template in templates}):
        members = [i for i, template in enumerate(templates) if len(template.slots) == size]
        images = list(permutations(range(size)))
        tables = [permuted_solutions([templates[i] for i in members], images, rng) for _ in range(rounds)]
        identity = images[0]
        for x, i in enumerate(members):
            for y, j in enumerate(members[x:], start=x):
                t1, t2 = templates[i], templates[j]
                kept = images
                for table in tables:
                    solution, solutions = table[x][identity], table[y]
                    kept = [image for image in kept if solution == solutions[image]]
                    if not kept:
                        break
                gammas = [{c: t2.slots[at] for c, at in zip(t1.slots, image, strict=True)} for image in kept]
                yield i, j, gammas


def permuted_solutions(
    templates: Sequence[Template], images: Sequence[tuple[int, ...]], rng: random.Random
) -> list[dict[tuple[int, ...], SolutionSet]]:
    """Solve each template with entry i of one random vector in slot image[i], for every image.

    The vector is drawn again while any of these systems is more singular than its template always is.
    """
    while True:
        vector = draw(rng, len(images[0]))
        tables = []
        for template in templates:
            table = {}
            for image in images:
                values = {template.slots[at]: value for at, value in zip(image, vector, strict=True)}
                table[image] = solve_exact(template, values)
            if any(solution.ranks != template.generic_ranks for solution in table.values()):
                break
            tables.append(table)
        else:
            return tables


def classes(count: int, pairs: Iterable[tuple[int, int, list[SlotMap]]]) -> list[list[int]]:
    """Partition 0..count-1 by the pairs that have a mapping: the templates after reconciliation."""
    members = {i: [i] for i in range(count)}
    for i, j, gammas in pairs:
        if gammas and members[i] is not members[j]:
            members[i].extend(members[j])
            for k in members[j]:
                members[k] = members[i]
    return sorted({id(group): sorted(group) for group in members.values()}.values())
