"""`make_variants`: variants as rows, each with its own id, its source and the changes; and the way back.

A row whose gold is known to be wrong is refused. The draws for a row depend only on the seed, the kind and the row's
id, so the same seed gives the same bytes, unless the templates of other rows make other rivals.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import islice
from random import Random
from typing import Any, overload

from draw_dataset.algebra.number import from_float64, number_text
from draw_dataset.checks.findings import UNTRUSTED
from draw_dataset.derivation.derivation import Derivation, TextNumber
from draw_dataset.derivation.problem import Problem, ProblemId, is_problem_id, plain_row, read_asked, rows_of
from draw_dataset.errors import ChoiceError, DrawError, RowError, short_repr
from draw_dataset.text.numbers import rule_of
from draw_dataset.variants import questions, wording
from draw_dataset.variants.consistency import Consistency
from draw_dataset.variants.fields import CannotVary, VariableProblem, analyse, check_numbers
from draw_dataset.variants.rebuilding import Edit, Rewritten, rebuild
from draw_dataset.variants.rivals import (
    Rival,
    RivalInventory,
    column_values,
    generic_values,
    gold_rival,
    lucky_rivals,
    one_step_rivals,
    q_notation_of,
    rival_of,
)
from draw_dataset.variants.sampling import Candidate, candidates
from draw_dataset.variants.sizes import enlarged, with_decimals
from draw_dataset.variants.traps import Trap, TrapMaker
from draw_dataset.variants.writing import article_before

# A variant *rules out* a rival if the rival gives another answer than gold there. No variant rules out rivals that
# differ from gold in fixed numbers only (one for 1). The choice is greedy: first the candidate that rules out most of
# the other rivals, then the one that moves the most numbers, gives them new values, and keeps them as round as before.

_POOL = 2  # how many candidates are drawn for each variant that is wanted
_COMPARED = 8  # how many candidates are compared with the rivals in each turn
MAX_RIVALS = 1500  # how many rivals of one problem are followed


@dataclass(frozen=True, slots=True)
class Choice:
    """A set of candidates."""

    chosen: tuple[Candidate, ...]
    lucky: int  # how many rivals answer like gold on the original
    fixed: tuple[Rival, ...]  # those of them that differ from gold in fixed numbers only
    alive: tuple[Rival, ...]  # those that could be ruled out, and are not
    refused: tuple[tuple[str, int], ...] = ()  # rules about the text, and how many candidates each refused


def choose(
    variable: VariableProblem, count: int, random: Random, inventory: RivalInventory, also: Sequence[Rival]
) -> Choice:
    """Return a set of candidates that rules out as many rivals as it can; those of `also` count as gold."""
    gold = gold_rival(variable)
    consistency = Consistency(variable)
    drawn = (one for one in candidates(variable, random) if consistency.accepts(one.values, one.solution))
    stream = (one for one in drawn if len(_surviving(variable, [one], also)) == len(also)) if also else drawn
    pool = list(islice(stream, _POOL * count + 3))
    fixed, open_ = _lucky_rivals(variable, gold, inventory)
    chosen: list[Candidate] = []
    alive = open_
    while pool and len(chosen) < count:
        pool.sort(key=lambda c: (c.tier, -c.moved, -_fresh(c, chosen), -c.plain))
        best, left = _best(variable, pool[:_COMPARED], alive)
        pool.remove(best)
        chosen.append(best)
        alive = left
    if alive and chosen:
        # More draws for the rivals that are left: a candidate that rules them out replaces the last one chosen.
        for candidate in islice(stream, 4 * _COMPARED):
            before = _surviving(variable, chosen[:-1], open_)
            left = _surviving(variable, [candidate], before)
            if len(left) < len(alive):
                chosen[-1], alive = candidate, left
                if not alive:
                    break
    refused = tuple(consistency.refused.most_common())
    return Choice(tuple(chosen), len(fixed) + len(open_), tuple(fixed), tuple(alive), refused)


def _fresh(candidate: Candidate, chosen: Iterable[Candidate]) -> int:
    return sum(all(value != other.values[i] for other in chosen) for i, value in enumerate(candidate.values))


def _best(variable: VariableProblem, pool: Sequence[Candidate], alive: list[Rival]) -> tuple[Candidate, list[Rival]]:
    best, left = pool[0], _surviving(variable, pool[:1], alive)
    for candidate in pool[1:]:
        if not left:
            break
        others = _surviving(variable, [candidate], alive)
        if len(others) < len(left):
            best, left = candidate, others
    return best, left


def _surviving(variable: VariableProblem, chosen: Sequence[Candidate], rivals: Sequence[Rival]) -> list[Rival]:
    left = list(rivals)
    for candidate in chosen:
        values = column_values(variable, candidate.values)
        wanted = sorted(candidate.solution)
        left = [rival for rival in left if sorted(rival.solve(values) or ()) == wanted]
    return left


def _lucky_rivals(variable: VariableProblem, gold: Rival, inventory: RivalInventory) -> tuple[list[Rival], list[Rival]]:
    """Return the rivals that answer like gold: those that always will, and those that can be ruled out."""
    values = column_values(variable, variable.values)
    rivals = lucky_rivals(inventory, gold, values)[:MAX_RIVALS]
    wanted = sorted(variable.solution)
    rivals += [rival for rival in one_step_rivals(gold) if sorted(rival.solve(values) or ()) == wanted]
    everywhere, movable = generic_values(variable, everything=True), generic_values(variable, everything=False)
    same, alike = gold.solve(everywhere), gold.solve(movable)
    fixed, open_ = [], []
    for rival in rivals:
        if same is not None and sorted(rival.solve(everywhere) or ()) == sorted(same):
            continue  # gold in another form
        if alike is not None and sorted(rival.solve(movable) or ()) == sorted(alike):
            fixed.append(rival)
        else:
            open_.append(rival)
    return fixed, open_


def _number_edits(variable: VariableProblem, values: Sequence[Fraction]) -> list[Edit] | None:
    """Return the edits that give the fields other values; None if one cannot be written."""
    edits: list[Edit] = []
    for field, value in zip(variable.fields, values, strict=True):
        for mention in field.mentions:
            number = variable.problem.numbers[mention.rank]
            if value == number.value:
                continue
            written = mention.style.write(value)
            if written is None or number.start is None:
                return None
            edits.append(Edit(number.start, number.text, written))
            article = mention.article
            if article is not None:
                wanted = article_before(written)
                if article.text.lower() != wanted:
                    cased = wanted.capitalize() if article.text[0].isupper() else wanted
                    edits.append(Edit(article.start, article.text, cased))
    return edits


REWRITERS: dict[str, Callable[[Problem, Random], Iterator[Rewritten]]] = {**wording.KINDS, **questions.KINDS}
"""Kinds with another text and a gold of their own: each yields variants of a problem, or raises `CannotVary`."""

NUMBER_KINDS = ("numbers", "digits", "decimals")
"""Kinds that change numbers only: of the same size, with more digits, or with decimals."""

KINDS = (*NUMBER_KINDS, "traps", "twins", "distractor", *REWRITERS)
"""Kinds of variants: other numbers, numbers that do not belong (in front, in pairs, in the middle), other texts."""

MAX_COUNT = 100  # how many variants of one row can be made

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class VariantReport:
    """The variants of one row, in figures."""

    source_id: ProblemId
    count: int  # how many variants
    lucky: int = 0  # how many rivals answer like gold on the original
    fixed: tuple[str, ...] = ()  # those of them that differ from gold in fixed numbers only, in q-notation
    alive: tuple[str, ...] = ()  # those that could be ruled out, and are not, in q-notation
    inconsistent: tuple[tuple[str, int], ...] = ()  # rules about the text, and how many candidates each refused


class VariantSet(Sequence[Row]):
    """Variants as rows, in the order of their sources."""

    def __init__(self, rows: list[Row], made: list[VariantReport], refused: dict[ProblemId, str]) -> None:
        self.rows = rows  # the rows
        self.made = made  # the report of each source that gave a variant
        self.refused = refused  # why the others gave none, by id

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

    def inconsistent(self) -> dict[str, int]:
        """Return how many candidates each rule about the text refused, in the rows that gave variants."""
        found: Counter[str] = Counter()
        for one in self.made:
            found.update(dict(one.inconsistent))
        return dict(found.most_common())

    def summary(self) -> dict[str, Any]:
        """Return the counts as plain data."""
        return {
            "rows": len(self.made) + len(self.refused),
            "variants": len(self.rows),
            "rows_with_variants": len(self.made),
            "refused": len(self.refused),
            "kinds": dict(Counter(row["variant"]["kind"] for row in self.rows)),
            "rivals": {
                "answer_like_gold_on_the_original": sum(one.lucky for one in self.made),
                "up_to_fixed_numbers": sum(len(one.fixed) for one in self.made),
                "not_ruled_out": sum(len(one.alive) for one in self.made),
                "rows_up_to_fixed_numbers": sum(bool(one.fixed) for one in self.made),
                "rows_not_ruled_out": sum(bool(one.alive) for one in self.made),
            },
            "why_refused": dict(Counter(self.refused.values()).most_common()),
            "inconsistent_numbers": self.inconsistent(),
        }


def make_variants(
    rows: Iterable[Mapping[str, Any] | Problem],
    count: int = 3,
    seed: int = 0,
    *,
    kinds: Sequence[str] | Mapping[str, int] = ("numbers",),
    inventory: RivalInventory | Iterable[Mapping[str, Any] | Problem] | None = None,
) -> VariantSet:
    """Make variants of rows: the same problems with other numbers, with traps, or in other words.

    >>> from draw_dataset.data.sample import load_sample
    >>> variants = make_variants(load_sample()["test"][:1], count=2, seed=0)
    >>> [row["id"] for row in variants], variants[0]["source_id"], variants[0]["variant"]["kind"]
    (['91-n1', '91-n2'], 91, 'numbers')

    Args:
        rows: the rows, or problems.
        count: how many of each kind for a row; for ``twins``, how many pairs.
        seed: the same seed gives the same variants.
        kinds: what to make, of `KINDS`; a mapping has a count for each kind.
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
    made: list[VariantReport] = []
    refused: dict[ProblemId, str] = {}
    seen: set[ProblemId] = set()
    for problem, is_variant, counted in given:
        if problem.id in seen:
            continue
        seen.add(problem.id)
        why = "it is a variant itself" if is_variant else _why_refused(problem)
        found = None if why else _variants_of(problem, chosen, seed, rivals, counted)
        if found is None or not found[0]:
            refused[problem.id] = why or (found[2] if found else "")
        else:
            made_rows += found[0]
            made.append(found[1])
    return VariantSet(made_rows, made, refused)


def inventory_of(rows: RivalInventory | Iterable[Mapping[str, Any] | Problem]) -> RivalInventory:
    """Return the templates of rows; those that cannot be read are left out."""
    if isinstance(rows, RivalInventory):
        return rows
    templates = []
    for at, row in enumerate(rows_of(rows, "inventory")):
        problem = _read(row, "inventory", at)
        try:
            templates.append(problem.derivation.template)
        except DrawError:
            continue
    return RivalInventory(templates)


def _check(count: object, seed: object, kinds: Iterable[str] | Mapping[str, int]) -> dict[str, int]:
    """Return the count of each kind, after all choices are checked."""
    counts: list[Any] = [*kinds.values()] if isinstance(kinds, Mapping) else [count]
    for one in counts:
        if type(one) is not int or not 1 <= one <= MAX_COUNT:
            raise ChoiceError(f"count: expected a whole number from 1 to {MAX_COUNT}, but got {short_repr(one)}")
    if type(seed) is not int or seed < 0:
        raise ChoiceError(f"seed: expected a whole number from 0, but got {short_repr(seed)}")
    chosen = () if isinstance(kinds, str) or not isinstance(kinds, Iterable) else tuple(kinds)
    if not chosen or any(kind not in KINDS for kind in chosen):
        raise ChoiceError(f"kinds: expected some of {', '.join(KINDS)}, but got {short_repr(kinds)}")
    return dict(kinds) if isinstance(kinds, Mapping) else dict.fromkeys(chosen, counts[0])


def _problem(row: Mapping[str, Any] | Problem, at: int) -> tuple[Problem, bool, frozenset[Fraction]]:
    """Return the problem of a row, whether it is a variant, and what its solution has counted (four zebras)."""
    problem = _read(row, "rows", at)
    if isinstance(row, Problem):
        return problem, False, frozenset()
    fields = plain_row(row)
    constants = fields.get("constants")
    if constants is not None and not isinstance(constants, list):
        raise RowError(f"rows[{at}]: constants: expected a list, but got {short_repr(constants)}")
    counted = [_COUNTED.fullmatch(one) for one in constants or () if isinstance(one, str)]
    values = frozenset(Fraction(match[1]) for match in counted if match)
    return problem, bool(fields.get("variant")), values


def _read(row: Mapping[str, Any] | Problem, what: str, at: int) -> Problem:
    try:
        return row if isinstance(row, Problem) else Problem.from_row(row)
    except RowError as error:
        raise RowError(f"{what}[{at}]: {error}") from error


_COUNTED = re.compile(r"(\d{1,6}): of the solution")  # the name that `derive` gives to a counted constant


def _why_refused(problem: Problem) -> str:
    found = [code for code in problem.findings if code in UNTRUSTED]
    if found:
        return f"its gold is wrong: {', '.join(found)}"
    if problem.is_excluded:
        return "it has no derivation: a correction excludes it"
    return "it has no derivation: its status is refused" if problem.is_refused else ""


def _variants_of(
    problem: Problem,
    kinds: Mapping[str, int],
    seed: int,
    inventory: RivalInventory,
    counted: frozenset[Fraction],
) -> tuple[list[Row], VariantReport, str]:
    """Return the variants of a row, what was made of it, and why there is none if there is none."""
    rows: list[Row] = []
    made, why = VariantReport(problem.id, 0), ""
    for kind, count in kinds.items():
        random = Random(f"{seed}|{kind}|{problem.id!r}")
        try:
            check_numbers(problem)
            read_asked(problem)  # whoever answers a variant is judged by it
            if kind == "numbers":
                variable = analyse(problem, counted=counted)
                found, made = _numbers(variable, count, seed, random, inventory)
                why = "" if found else _why_none(made)
            elif kind in NUMBER_KINDS:
                found = _sized(analyse(problem, counted=counted), kind, count, seed, random)
                why = "" if found else "no other plausible numbers of that size were found"
            elif kind == "traps":
                traps = islice(TrapMaker(problem, random).traps(), count)
                found = [_trap_row(problem, trap, at, seed) for at, trap in enumerate(traps, 1)]
                why = "" if found else "no sentence that could be added fits"
            elif kind == "distractor":
                traps = islice(TrapMaker(problem, random).distractors(), count)
                found = [_trap_row(problem, trap, at, seed) for at, trap in enumerate(traps, 1)]
                why = "" if found else "no sentence that could be added fits in the middle"
            elif kind in REWRITERS:
                texts = islice(REWRITERS[kind](problem, random), count)
                found = [_rewritten_row(problem, kind, one, at, seed) for at, one in enumerate(texts, 1)]
                why = "" if found else "no other text could be made"
            else:
                pairs = islice(TrapMaker(problem, random).twins(), count)
                found = [_trap_row(problem, trap, at, seed) for at, pair in enumerate(pairs, 1) for trap in pair]
                why = "" if found else "no sentence that could be added fits a number of gold"
        except CannotVary as error:
            why = str(error)
        except RowError as error:
            why = f"gold cannot be read: {error}"
        else:
            rows += found
    return rows, replace(made, count=len(rows)), why


def _numbers(
    variable: VariableProblem, count: int, seed: int, random: Random, inventory: RivalInventory
) -> tuple[list[Row], VariantReport]:
    problem = variable.problem
    choice = choose(variable, count, random, inventory, _alternatives(variable))
    rows: list[Row] = []
    for candidate in choice.chosen:
        number = len(rows) + 1
        edits = _number_edits(variable, candidate.values)
        if edits is None:
            continue
        values = variable.number_values(candidate.values)
        made = rebuild(problem, variable.rule, edits, values, f"{problem.id}-n{number}")
        if made is not None:
            changes = [_change(edit, problem) for edit in sorted(edits)]
            rows.append(_row(made, problem, {"kind": "numbers", "number": number, "seed": seed}, changes))
    told = VariantReport(
        problem.id,
        len(rows),
        choice.lucky,
        _q_notations(variable, choice.fixed),
        _q_notations(variable, choice.alive),
        choice.refused,
    )
    return rows, told


_DRAWN = 6  # how many candidates of another size are compared for each variant


def _sized(variable: VariableProblem, kind: str, count: int, seed: int, random: Random) -> list[Row]:
    """Return variants with more digits or with decimals."""
    problem, also = variable.problem, _alternatives(variable)
    sizes = [with_decimals(variable)] if kind == "decimals" else list(enlarged(variable))
    streams = [_sized_candidates(one, kind, random) for one in sizes]
    rows: list[Row] = []
    while streams and len(rows) < count:
        at = random.randrange(len(streams))
        drawn = [one for one in islice(streams[at], _DRAWN) if len(_surviving(variable, [one], also)) == len(also)]
        best = min(drawn, key=lambda one: (one.tier, -one.moved, -one.plain), default=None)
        if best is None:
            del streams[at], sizes[at]
            continue
        edits = _number_edits(sizes[at], best.values)
        number = len(rows) + 1
        values = variable.number_values(best.values)
        made = None if not edits else rebuild(problem, variable.rule, edits, values, f"{problem.id}-{kind}{number}")
        if made is not None and edits:
            changes = [_change(edit, problem) for edit in sorted(edits)]
            rows.append(_row(made, problem, {"kind": kind, "number": number, "seed": seed}, changes))
    return rows


def _sized_candidates(variable: VariableProblem, kind: str, random: Random) -> Iterator[Candidate]:
    """Yield candidates that fit the text, at least one number having more digits or decimals than in the original."""
    consistency, numbers = Consistency(variable), variable.problem.numbers
    for one in candidates(variable, random):
        pairs = zip(
            variable.number_values(one.values), [number.value or Fraction(0) for number in numbers], strict=True
        )
        longer = any(
            old.denominator == 1
            and (new.denominator > 1 if kind == "decimals" else len(str(abs(int(new)))) > len(str(abs(int(old)))))
            for new, old in pairs
        )
        if longer and consistency.accepts(one.values, one.solution):
            yield one


def _why_none(made: VariantReport) -> str:
    """Return why no candidate is left: the rule about the text that refused the most, if one did."""
    rule = next((f": {rule}" for rule, _ in made.inconsistent), "")
    return f"no other plausible numbers were found{rule}"


def _alternatives(variable: VariableProblem) -> list[Rival]:
    """Return the alternatives that answer like gold; they must do so in every variant."""
    found = []
    for text in variable.problem.alternatives:
        rival = rival_of(variable, Derivation.read(text, variable.problem.numbers))
        if sorted(rival.solve(column_values(variable, variable.values)) or ()) == sorted(variable.solution):
            found.append(rival)
    return found


def _q_notations(variable: VariableProblem, rivals: Iterable[Rival]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(q_notation_of(variable, rival) for rival in rivals))


def _change(edit: Edit, problem: Problem) -> dict[str, Any]:
    """Return a replacement as plain data; for an article, the number after it."""
    number = next(n for n in problem.numbers if n.end is not None and n.end > edit.start)
    return _plain_change(number.index, edit, number.value or 0)


def _plain_change(index: int | None, edit: Edit, value: Fraction | int) -> dict[str, Any]:
    return {"index": index, "start": edit.start, "before": edit.before, "after": edit.after, "value": float(value)}


_LETTERS = {"trap": "t", "equal": "e", "twin": "w", "distractor": "d"}


def _trap_row(problem: Problem, trap: Trap, number: int, seed: int) -> Row:
    made = replace(trap.problem, id=f"{problem.id}-{_LETTERS[trap.kind]}{number}")
    change = _plain_change(trap.rank + 1, trap.edit, trap.value)
    about = {"kind": trap.kind, "number": number, "seed": seed}
    style = {"topic": trap.topic, "role": trap.role, "range": trap.range}
    return _row(made, problem, about, [change], style)


def _rewritten_row(problem: Problem, kind: str, one: Rewritten, number: int, seed: int) -> Row:
    made = replace(one.problem, id=f"{problem.id}-{kind}{number}")
    changes = [_plain_change(0, edit, 0) for edit in one.edits]  # no number of the original: index 0
    return _row(made, problem, {"kind": kind, "number": number, "seed": seed}, changes)


def _row(
    made: Problem,
    problem: Problem,
    about: dict[str, Any],
    changes: list[dict[str, Any]],
    style: Mapping[str, str] | None = None,
) -> Row:
    told = {**about, "changes": changes, "topic": "", "role": "", "range": "", **(style or {})}
    told["difficulty"] = difficulty_of(made, problem)
    return {**made.to_row(), "source_id": problem.id, "variant": told}


def difficulty_of(made: Problem, problem: Problem) -> dict[str, int]:
    """Return how many operations gold has, and how many digits the longest number of the text.

    A variant without gold has those of its original.
    """
    gold = problem if made.is_refused else made
    # A minus that begins an equation, a group or a factor is a sign.
    steps = sum(len(_OPERATION.findall(equation)) for equation in gold.derivation.template.equations)
    written = [number_text(number.value) for number in made.numbers if number.value is not None]
    return {"steps": steps, "digits": max([sum(c.isdigit() for c in one) for one in written], default=0)}


_OPERATION = re.compile(r"(?<=[\w).])\s*[-+*/]")


@dataclass(frozen=True, slots=True)
class Variant:
    """A row that is a variant."""

    problem: Problem
    source_id: ProblemId  # the id of its original
    kind: str  # one of `NUMBER_KINDS`, ``trap``, ``equal``, ``twin``, ``distractor``, or one of `REWRITERS`
    changes: tuple[Mapping[str, Any], ...]  # the replacements

    @property
    def has_own_gold(self) -> bool:
        """Whether it is judged by its own gold alone; its answer says nothing about the derivation of the original."""
        return self.kind in REWRITERS

    @property
    def extra_rank(self) -> int | None:
        """The rank, from 0, of the number that its original does not have, if it has a trap."""
        return None if self.kind in NUMBER_KINDS or self.has_own_gold else max(self.changes[0]["index"] - 1, 0)

    @property
    def trap(self) -> Fraction | None:
        """The number of its trap, if it has one."""
        return None if self.extra_rank is None else from_float64(self.changes[0]["value"])

    @property
    def kept_numbers(self) -> tuple[TextNumber, ...]:
        """The numbers of its text that its original has, too, in the order of the original."""
        numbers, rank = self.problem.numbers, self.extra_rank
        return numbers if rank is None else (*numbers[:rank], *numbers[rank + 1 :])

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> Variant:
        """Read a row."""
        if isinstance(row, Mapping) and not isinstance(row.get("variant"), Mapping):
            raise RowError(f"row {short_repr(row.get('id'))}: expected a variant, but it has no field variant")
        problem = Problem.from_row(row)
        about, source_id = row["variant"], row.get("source_id")
        changes = about.get("changes")
        if not is_problem_id(source_id) or not isinstance(about.get("kind"), str) or not isinstance(changes, list):
            raise RowError(f"row {short_repr(row.get('id'))}: expected source_id, and a variant with kind and changes")
        for change in changes:
            if not _is_change(change):
                raise RowError(
                    f"row {short_repr(row.get('id'))}: expected a change with index, start, before, after and value, "
                    f"but got {short_repr(change)}"
                )
        if not changes:
            raise RowError(f"row {short_repr(row.get('id'))}: expected changes, but got none")
        return cls(problem, source_id, about["kind"], tuple(changes))

    def original(self) -> Problem:
        """Return its original, with gold computed again; a variant with a gold of its own does not determine it."""
        problem = self.problem
        if self.has_own_gold:
            raise RowError(
                f"variant {short_repr(problem.id)}: expected a kind whose changes can be undone, but got {self.kind}; "
                f"give problem {short_repr(self.source_id)} itself"
            )
        values = {number.index: number.value or Fraction(0) for number in problem.numbers}
        edits, shift = [], 0
        for change in sorted(self.changes, key=lambda change: change["start"]):
            edits.append(Edit(change["start"] + shift, change["after"], change["before"]))
            shift += len(change["after"]) - len(change["before"])
            values[change["index"]] = from_float64(change["value"])
        rule = rule_of(problem)
        problem = replace(problem, numbers=self.kept_numbers)
        wanted = [values[number.index] for number in problem.numbers]
        there = all(problem.question.startswith(edit.before, edit.start) for edit in edits)
        made = rebuild(problem, rule, edits, wanted, self.source_id) if there else None
        if made is None:
            raise RowError(
                f"variant {short_repr(problem.id)}: "
                f"undoing its changes does not give problem {short_repr(self.source_id)}"
            )
        return made


def _is_change(change: object) -> bool:
    return (
        isinstance(change, Mapping)
        and all(type(change.get(name)) is int and change[name] >= 0 for name in ("index", "start"))
        and all(isinstance(change.get(name), str) for name in ("before", "after"))
        and type(change.get("value")) in (int, float)
    )
