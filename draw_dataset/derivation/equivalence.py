"""Equivalence of templates: the decision, the slot maps, and groups of many templates.

Two templates are equivalent (the paper's TemplEquiv) if some bijection of all their slots gives both systems the same
solutions for all slot values, in any order of the unknowns. The paper's Algorithm 1 tries every bijection with random
numbers. Here templates are equivalent exactly if their solutions, as functions of the slots, have the same canonical
form, which also gives a slot map. Before that, a point with all slots equal rejects most pairs, because its coordinates
are the same under every bijection. A slot map always goes from the first argument (predicted) to the second (gold).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import comb
from typing import Any

from draw_dataset.algebra.limits import MEGABYTE, Meter, comparison_budget, weighted_cache
from draw_dataset.algebra.linear import dot_is_zero, primitive_vector
from draw_dataset.algebra.polynomial import POINT, PRIME, Polynomial, multiply, rename, variable
from draw_dataset.algebra.solution import (
    Solution,
    SolutionKind,
    generic_point,
    regular_point,
    reordered_solutions,
    solution_set,
    solve_grounded,
)
from draw_dataset.algebra.system import Row, System, number_of
from draw_dataset.derivation.canonical import Form, Structure, canonical_form, isomorphisms, search_budget
from draw_dataset.derivation.derivation import Derivation, NumberClasses, Place, read_places
from draw_dataset.derivation.template import Template
from draw_dataset.errors import AlignmentError, LimitError, ReadError, short_repr

SlotMap = dict[str, str]  #: from the slots of the first (predicted) template to the slots of the second (gold) one

TemplateLike = Template | str | Sequence[str]


def templates_equivalent(predicted: TemplateLike, gold: TemplateLike, *, unknowns: Iterable[str] | None = None) -> bool:
    """Decide whether two templates are equivalent.

    Two templates are equivalent if the slots and unknowns of one can be renamed to those of the other so that both have
    the same solutions for all values of the slots.

    >>> templates_equivalent("m = a + b*n; m = c - n", "m + n = a; m - c*n = b")
    True
    >>> templates_equivalent("m = a + b", "m = a - b")
    False
    >>> templates_equivalent("u = a + b", "v = b + a", unknowns="uv")
    True

    Args:
        predicted: a template, or its equations.
        gold: another template, or its equations.
        unknowns: the names that are unknowns where equations are given; by default m, n and o, see `Template`.

    Raises:
        ReadError: the equations cannot be read, or have no unknown.
        LimitError: they are larger than the bounds in `draw_dataset.algebra.limits`.
    """
    first, second = read_pair(predicted, gold, unknowns)
    return _equivalent(first.system, second.system)


def read_pair(predicted: TemplateLike, gold: TemplateLike, unknowns: Iterable[str] | None) -> tuple[Template, Template]:
    """Return two templates; `unknowns` applies to those that are given as equations."""
    names = None if unknowns is None else tuple(unknowns)
    return Template.coerce(predicted, names), Template.coerce(gold, names)


def find_slot_map(
    predicted: TemplateLike, gold: TemplateLike, *, unknowns: Iterable[str] | None = None
) -> SlotMap | None:
    """Return one slot map under which two templates are equivalent; None if they are not equivalent.

    >>> find_slot_map("m = a + b*n; m = c - n", "m + n = a; m - c*n = b")
    {'a': 'b', 'b': 'c', 'c': 'a'}

    Args:
        predicted: a template, or its equations.
        gold: another template, or its equations.
        unknowns: the names that are unknowns where equations are given; see `Template`.

    Returns:
        For each slot of the first template the slot of the second.

    Raises:
        ReadError: the equations cannot be read, or have no unknown.
        LimitError: they are larger than the bounds in `draw_dataset.algebra.limits`.
    """
    first, second = read_pair(predicted, gold, unknowns)
    if not _equivalent(first.system, second.system):
        return None
    back = {number: slot for slot, number in canonical_slots(second).items()}
    return {slot: back[number] for slot, number in canonical_slots(first).items()}


def all_slot_maps(
    predicted: TemplateLike, gold: TemplateLike, *, unknowns: Iterable[str] | None = None
) -> Iterator[SlotMap]:
    """Yield every slot map under which two templates are equivalent: the paper's Γ, each map once.

    >>> sorted(m["a"] for m in all_slot_maps("m = a + b", "n = a + b"))
    ['a', 'b']

    Args:
        predicted: a template, or its equations.
        gold: another template, or its equations.
        unknowns: the names that are unknowns where equations are given; see `Template`.

    Yields:
        For each slot of the first template the slot of the second; a map is computed when it is asked for.

    Raises:
        ReadError: the equations cannot be read, or have no unknown.
        LimitError: they are larger than the bounds in `draw_dataset.algebra.limits`, or there are too many maps. The
            error may come after some maps.
    """
    first, second = read_pair(predicted, gold, unknowns)
    if not _equivalent(first.system, second.system):
        return
    count = first.system.slot_count
    start = _structures(first.system, (0,) * count)[0]
    for target in _structures(second.system, (0,) * count):
        for renaming in isomorphisms(start, target):
            yield {slot: second.slots[renaming[i]] for i, slot in enumerate(first.slots)}


def canonical_key(template: TemplateLike, *, unknowns: Iterable[str] | None = None) -> str:
    """Return a string that two templates share exactly if they are equivalent.

    The key is the same in every process and in every version of this package. If it ever had to change, its leading
    number would change as well.

    >>> canonical_key("2*m = a*b")
    '1|unique|1 unknowns|2 slots|0:2;1:1.0.1'

    Args:
        template: a template, or its equations.
        unknowns: the names that are unknowns where equations are given; see `Template`.

    Raises:
        ReadError: the equations cannot be read, or have no unknown.
        LimitError: they are larger than the bounds in `draw_dataset.algebra.limits`.
    """
    return _key(Template.coerce(template, unknowns).system)


@weighted_cache(8 * MEGABYTE, lambda key, _: 100 + len(key), key=number_of)
def _key(system: System) -> str:
    parts = ";".join(
        f"{label}:" + "+".join(".".join(map(str, (c, *variables))) for variables, c in terms)
        for label, terms in canonical_solutions(system)[0]
    )
    kind = solution_set(system).kind
    return f"1|{kind}|{system.unknown_count} unknowns|{system.slot_count} slots|{parts}"


def canonical_slots(template: Template) -> dict[str, int]:
    """Return the canonical number of each slot. In equivalent templates, slots with the same number correspond."""
    return dict(zip(template.slots, canonical_solutions(template.system)[1], strict=True))


def _equivalent(first: System, second: System) -> bool:
    if first.slot_count != second.slot_count or first.unknown_count != second.unknown_count:
        return False
    if first is second:
        return True
    one, other = _symmetric_point(first), _symmetric_point(second)
    if one is not None and other is not None and one != other:
        return False
    if solution_set(first).kind is not solution_set(second).kind:
        return False
    return canonical_solutions(first)[0] == canonical_solutions(second)[0]


def _symmetric_point(system: System) -> tuple[int, ...] | None:
    """Return the solutions, in order, where all slots have one value; None unless they are regular there."""
    if system.symmetric_point is None:
        found = None
        vector = regular_point(system, [POINT[0]] * system.slot_count) if not system.conditions else None
        if vector is not None:
            inverse = pow(vector[-1], -1, PRIME)
            found = tuple(sorted([h * inverse % PRIME for h in vector[:-1]]))
        system.symmetric_point = (found,)
    return system.symmetric_point[0]


def _weigh_form(found: tuple[Form, tuple[int, ...]], system: System, _: object = None) -> int:
    total = 500 + 16 * system.slot_count
    for _, terms in found[0]:
        total += 100 + 250 * len(terms) + (sum([c.bit_length() for _, c in terms]) >> 3)
    return total


@weighted_cache(16 * MEGABYTE, _weigh_form, key=lambda system, colours=None: (system.number, colours))
def canonical_solutions(system: System, colours: tuple[int, ...] | None = None) -> tuple[Form, tuple[int, ...]]:
    """Return the canonical form of the solutions, and the number of each slot in it."""
    meter = search_budget()
    forms = [canonical_form(s, meter) for s in _structures(system, colours or (0,) * system.slot_count)]
    form, renaming = min(forms)
    return form, renaming[: system.slot_count]


def _structures(system: System, colours: tuple[int, ...]) -> list[Structure]:
    """Return the solutions as polynomials in the slots, in every way that is not distinguished by its form.

    A unique solution is its vector without common factor, up to sign: a polynomial for the denominator (label 0) and
    one for each unknown (label 1). An infinite set is its reduced rows, one structure for every order of the unknowns;
    there a row is one polynomial, with a variable of its own colour for each column, and stands next to its negative.
    """
    solutions = solution_set(system)
    if solutions.kind is SolutionKind.NONE:
        return [Structure(colours, ())]
    if solutions.kind is SolutionKind.UNIQUE:
        vector = primitive_vector(solutions.vector, comparison_budget())
        negative = [{m: -c for m, c in p.items()} for p in vector]
        weight, other = _coefficients(vector), _coefficients(negative)
        chosen = [vector, negative] if weight == other else [vector if weight > other else negative]
        return [Structure(colours, ((0, v[-1]), *((1, p) for p in v[:-1]))) for v in chosen]
    marks = [variable(system.slot_count + column) for column in range(system.unknown_count + 1)]
    mark_colours = tuple(max(colours, default=0) + 1 + column for column in range(len(marks)))
    # By their parts: orders of the unknowns that give the same set would give every slot map again.
    found: dict[tuple[object, ...], Structure] = {}
    meter = comparison_budget()
    for one in reordered_solutions(system.unknown_count, system.rows, system.conditions):
        labelled = [(2 + i, row) for i, row in enumerate(one.rows)] + [(1, row) for row in one.excluded]
        meter.spend(8 * sum([len(p) for _, row in labelled for p in row]))
        parts = sorted(
            (label, sorted((m + mark, sign * c) for mark, p in zip(marks, row, strict=True) for m, c in p.items()))
            for label, row in labelled
            for sign in (1, -1)
        )
        at = tuple([(label, *terms) for label, terms in parts])
        if at not in found:
            polynomials = tuple([(label, dict(terms)) for label, terms in parts])
            found[at] = Structure((*colours, *mark_colours), polynomials)
    return list(found.values())


def _coefficients(vector: Sequence[Polynomial]) -> tuple[list[int], list[list[int]]]:
    """Return a value that renaming slots and unknowns does not change, to tell a vector from its negative."""
    return sorted(vector[-1].values()), sorted(sorted(p.values()) for p in vector[:-1])


@dataclass(frozen=True, slots=True)
class TemplateGroup:
    """Templates that are equivalent."""

    key: str  # the canonical key that they share
    # The template whose text occurs most often, then the shortest, then the first in alphabetical order
    representative: Template
    members: tuple[int, ...]  # their positions among the templates given
    slot_maps: tuple[SlotMap, ...]  # for each member, its slots to those of the representative


@dataclass(frozen=True, slots=True)
class Reconciliation:
    """The groups of a list of templates, in the order of their first members."""

    groups: tuple[TemplateGroup, ...]  # one for each class of equivalent templates
    group_of: tuple[int, ...]  # for each template given, the position of its group


def reconcile(templates: Iterable[TemplateLike]) -> Reconciliation:
    """Group templates by equivalence.

    >>> result = reconcile(["m + n = a; m - n = b", "m = a - n; n = m - b", "m = a * b"])
    >>> len(result.groups), result.group_of
    (2, (0, 0, 1))
    >>> result.groups[0].slot_maps[1]
    {'a': 'a', 'b': 'b'}

    Args:
        templates: templates, or their equations.

    Returns:
        The groups, each with its members and a slot map from each member to the first, and the group of each template.

    Raises:
        ReadError: a template cannot be read.
        LimitError: a template is larger than the bounds in `draw_dataset.algebra.limits`.
    """
    if not isinstance(templates, Iterable):
        raise ReadError("templates", "a list of templates", short_repr(templates))
    read = [Template.coerce(template) for template in templates]
    members: dict[str, list[int]] = {}
    for position, template in enumerate(read):
        members.setdefault(canonical_key(template), []).append(position)
    groups: list[TemplateGroup] = []
    group_of = [0] * len(read)
    for key, positions in members.items():
        representative = _representative([read[i] for i in positions])
        back = {number: slot for slot, number in canonical_slots(representative).items()}
        maps = [{slot: back[number] for slot, number in canonical_slots(read[i]).items()} for i in positions]
        for i in positions:
            group_of[i] = len(groups)
        groups.append(TemplateGroup(key, representative, tuple(positions), tuple(maps)))
    return Reconciliation(tuple(groups), tuple(group_of))


def _representative(templates: list[Template]) -> Template:
    counts = Counter(templates)
    if len(counts) == 1:
        return templates[0]
    texts = {template: str(template) for template in counts}
    return min(counts, key=lambda t: (-counts[t], len(texts[t]), texts[t]))


# Derivations need no search over bijections: corresponding slots hold numbers of the same class. If each class fills
# one slot, the bijection is forced; if a class fills several, it is a colour that the canonical form respects. A forced
# map is rejected if the systems, both regular, differ at one point of a prime field. It is accepted only by an
# identity: the equations are the same up to order and sign, or those of one system vanish at the solution of the other.


def derivations_equivalent(
    predicted: Derivation | Mapping[str, Any] | str,
    gold: Derivation | Mapping[str, Any] | str,
    equiv_tnum: NumberClasses | Iterable[Iterable[object]] = (),
) -> bool:
    """Decide whether two derivations are the same: Algorithm 1 of the paper, decided exactly.

    Their templates must be equivalent under a slot map that also maps the number in each slot to the same number, or to
    one that means the same.

    >>> gold = Derivation("m + n = a; m - b*n = c", {"a": 2, "b": 3, "c": 1})
    >>> derivations_equivalent("m = q1 + q3*n; m = q2 - n", gold)
    True
    >>> derivations_equivalent("m = q1 + q3*n; m = q4 - n", gold)
    False
    >>> derivations_equivalent("m = q1 + q3*n; m = q4 - n", gold, equiv_tnum=[[2, 4]])
    True

    Args:
        predicted: a derivation, a mapping with ``template`` and ``alignment``, or q-notation.
        gold: the gold derivation, in the same forms.
        equiv_tnum: groups of numbers that mean the same (the paper's EquivTNum).

    Raises:
        ReadError: a derivation cannot be read.
        AlignmentError: an alignment does not fit its template, or one derivation gives ranks and the other places.
        LimitError: they are larger than the bounds in `draw_dataset.algebra.limits`.
    """
    return find_derivation_slot_map(predicted, gold, equiv_tnum) is not None


def find_derivation_slot_map(
    predicted: Derivation | Mapping[str, Any] | str,
    gold: Derivation | Mapping[str, Any] | str,
    equiv_tnum: NumberClasses | Iterable[Iterable[object]] = (),
) -> SlotMap | None:
    """Return a slot map under which two derivations are equivalent; None if they are not equivalent.

    >>> find_derivation_slot_map("m = q1 + q2", "n = q2 + q1")
    {'a': 'b', 'b': 'a'}

    Takes and raises what `derivations_equivalent` does.

    Returns:
        For each slot of the first template the slot of the second.
    """
    template, places, by_rank = _template_and_places(predicted)
    gold_template, gold_places, gold_by_rank = _template_and_places(gold)
    if by_rank is not gold_by_rank and places and gold_places:
        raise AlignmentError(
            "derivations: expected both to know their numbers by place, or both by rank; "
            "give Derivation.read the numbers of the text"
        )
    classes = NumberClasses.of(equiv_tnum)
    if classes.by_rank is not None and gold_places and classes.by_rank is not gold_by_rank:
        raise AlignmentError("equiv_tnum: expected numbers by place where the derivations give places, else by rank")
    renaming = match_slots(
        template.system, classes.of_places(places), gold_template.system, classes.of_places(gold_places)
    )
    if renaming is None:
        return None
    gold_slots = gold_template.slots
    return {slot: gold_slots[i] for slot, i in zip(template.slots, renaming, strict=True)}


def _template_and_places(
    value: Derivation | Mapping[str, Any] | str,
) -> tuple[Template, tuple[Place, ...], bool | None]:
    if isinstance(value, Derivation):
        return value.template, value.places, value.by_rank
    if type(value) is dict and type(value.get("alignment")) is list and "template" in value:
        template = Template.coerce(value["template"])
        return template, read_places(template, value["alignment"]), False
    read = Derivation.of(value)
    return read.template, read.places, read.by_rank


def match_slots(
    predicted: System, predicted_classes: Sequence[Place], gold: System, gold_classes: Sequence[Place]
) -> tuple[int, ...] | None:
    """Return the gold slot of each predicted slot if the derivations are equivalent, given the class in each slot."""
    if len(predicted_classes) != len(gold_classes) or predicted.unknown_count != gold.unknown_count:
        return None
    slot_of = {c: slot for slot, c in enumerate(gold_classes)}
    if len(slot_of) == len(gold_classes):
        try:
            forced = tuple([slot_of[c] for c in predicted_classes])
        except KeyError:
            return None
        # a number class in two predicted slots leaves a gold slot without a partner.
        if len(set(forced)) < len(forced):
            return None
        if predicted is gold and predicted_classes == gold_classes:
            return forced
        return forced if same_solutions(predicted, gold, forced) else None
    if sorted(predicted_classes) != sorted(gold_classes):
        return None
    number = {c: i for i, c in enumerate(sorted(slot_of))}
    first = canonical_solutions(predicted, tuple([number[c] for c in predicted_classes]))
    second = canonical_solutions(gold, tuple([number[c] for c in gold_classes]))
    if solution_set(predicted).kind is not solution_set(gold).kind or first[0] != second[0]:
        return None
    back = {new: slot for slot, new in enumerate(second[1])}
    return tuple([back[new] for new in first[1]])


@weighted_cache(
    8 * MEGABYTE,
    weigh=lambda _, *arguments: 250 + 8 * len(arguments[2]),
    key=lambda predicted, gold, slot_map: (predicted.number, gold.number, slot_map),
)
def same_solutions(predicted: System, gold: System, slot_map: tuple[int, ...]) -> bool:
    """Decide whether two systems have the same solutions if slot i of one is slot ``slot_map[i]`` of the other."""
    if predicted.conditions or gold.conditions:
        # a condition can only take the one solution of a regular system away.
        ours, theirs = solution_set(predicted).kind, solution_set(gold).kind
        if ours is not theirs or ours is SolutionKind.NONE:
            return ours is theirs
    renamed = _rename_rows(predicted, slot_map) if predicted.size == gold.size else []
    if renamed and not predicted.conditions and not gold.conditions and _same_equations(renamed, gold.rows):
        return True
    gold_point = generic_point(gold)
    point = regular_point(predicted, [POINT[i] for i in slot_map]) if gold_point is not None else None
    if gold_point is None or point is None:
        return _same_solution_sets(predicted, gold, slot_map)
    # Both are fractions with a common denominator: bring them to the same one and compare.
    values = [h * gold_point[-1] % PRIME for h in point[:-1]]
    gold_values = [h * point[-1] % PRIME for h in gold_point[:-1]]
    if sorted(values) != sorted(gold_values):
        return False
    if len(set(gold_values)) < len(gold_values):
        return _same_solution_sets(predicted, gold, slot_map)
    columns = [gold_values.index(value) for value in values] + [len(gold_values)]
    if renamed and _same_equations(renamed, [tuple([row[i] for i in columns]) for row in gold.rows]):
        return True
    vector = solution_set(gold).vector
    matched = [vector[i] for i in columns]
    meter = comparison_budget()
    return all(dot_is_zero(row, matched, meter) for row in renamed or _rename_rows(predicted, slot_map))


def _rename_rows(system: System, slot_map: Sequence[int]) -> list[Row]:
    """Return the equations with slot i renamed to slot ``slot_map[i]``."""
    monomials = [variable(i) for i in slot_map]
    rows: list[Row] = []
    for terms in system.terms:
        row: list[Polynomial] = [{} for _ in range(system.unknown_count + 1)]
        for column, c, slots in terms:
            m = 0
            for slot in slots:
                m += monomials[slot]
            row[column][m] = c
        rows.append(tuple(row))
    return rows


def _same_equations(ours: Sequence[Row], theirs: Sequence[Row]) -> bool:
    """Decide whether two systems have the same equations up to order and sign: the cheapest identity."""
    if len(ours) != len(theirs):
        return False
    left = list(theirs)
    for row in ours:
        if row not in left:
            row = tuple([{m: -c for m, c in p.items()} for p in row])
            if row not in left:
                return False
        left.remove(row)
    return True


def _same_solution_sets(predicted: System, gold: System, slot_map: tuple[int, ...]) -> bool:
    """Decide by polynomials alone; for the cases that one regular point does not decide."""
    ours, theirs = solution_set(predicted), solution_set(gold)
    if ours.kind is not theirs.kind or ours.kind is SolutionKind.NONE:
        return ours.kind is theirs.kind
    monomials = [variable(i) for i in slot_map]
    if ours.kind is SolutionKind.UNIQUE:
        return _same_functions([rename(p, monomials) for p in ours.vector], theirs.vector)
    renamed = _rename_rows(predicted, slot_map)
    conditions = [tuple(rename(p, monomials) for p in row) for row in predicted.conditions]
    return any(
        one.rows == theirs.rows and _same_members(one.excluded, theirs.excluded)
        for one in reordered_solutions(predicted.unknown_count, renamed, conditions)
    )


def _same_members(ours: Sequence[Row], theirs: Sequence[Row]) -> bool:
    return len(ours) == len(theirs) and all(row in theirs for row in ours)


def _same_functions(ours: Sequence[Polynomial], theirs: Sequence[Polynomial]) -> bool:
    """Decide whether two vectors of fractions are equal up to order; greedily, because equality is transitive."""
    meter = comparison_budget()
    left = list(theirs[:-1])
    for p in ours[:-1]:
        scaled = multiply(p, theirs[-1], meter)
        found = next((q for q in left if multiply(q, ours[-1], meter) == scaled), None)
        if found is None:
            return False
        left.remove(found)
    return True


# Differences that a person can check by hand. Different numbers of slots, unknowns or solutions are reasons by
# themselves. Otherwise a *witness* is searched: two small numbers in the slots of the first template, such that no way
# to put them into the slots of the second gives the same solution. It may be missing if the search exceeds its budget.

_PAIRS = ((2, 3), (3, 5), (7, 2), (11, 5))
_MOST_WAYS = 1_000
_SOLVING = 50  # the cost of solving the smallest system, in units of work


@dataclass(frozen=True, slots=True)
class Witness:
    """Values for the slots of the first template that the second template cannot match with the same values."""

    values: dict[str, int]  # a value for each slot of the first template
    solution: Solution  # the solution of the first template there
    other_values: dict[str, int]  # one of the ways to give the same values to the second template's slots
    other_solution: Solution  # the solution of the second template there
    ways: int  # the number of ways; none of them gives the first template's solution


@dataclass(frozen=True, slots=True)
class Difference:
    """The reason why two templates are not equivalent."""

    code: str  # slot count, unknown count, solution kind or solutions
    message: str  # the reason in a sentence
    witness: Witness | None = None  # slot values that show it, where the reason needs them and small ones suffice


def find_difference(
    predicted: TemplateLike,
    gold: TemplateLike,
    names: tuple[str, str] = ("the first", "the second"),
    *,
    unknowns: Iterable[str] | None = None,
) -> Difference | None:
    """Return why two templates are not equivalent; None if they are equivalent.

    >>> print(find_difference("m = a + b", "m = a - b").message)
    with a = 2, b = 2 the first gives m = 4, the second gives m = 0
    >>> print(find_difference("m = a", "m = a*b").message)
    different numbers of slots: 1 (a) and 2 (a, b)

    Args:
        predicted: a template, or its equations.
        gold: another template, or its equations.
        names: what the message calls the two.
        unknowns: the names that are unknowns where equations are given; see `Template`.

    Raises:
        ReadError: the equations cannot be read, or have no unknown.
        LimitError: they are larger than the bounds in `draw_dataset.algebra.limits`.
    """
    first, second = read_pair(predicted, gold, unknowns)
    if len(first.slots) != len(second.slots):
        return Difference("slot count", f"different numbers of slots: {_describe_counts(first.slots, second.slots)}")
    if len(first.unknowns) != len(second.unknowns):
        counted = _describe_counts(first.unknowns, second.unknowns)
        return Difference("unknown count", f"different numbers of unknowns: {counted}")
    if templates_equivalent(first, second):
        return None
    kinds = solution_set(first.system).kind, solution_set(second.system).kind
    if kinds[0] is not kinds[1]:
        return Difference("solution kind", f"different numbers of solutions: {kinds[0]} and {kinds[1]}")
    witness = _find_witness(first, second)
    if witness is None:
        message = "the solutions differ as functions of the slots, whichever slots correspond"
    else:
        message = (
            f"with {_assignment(witness.values)} {names[0]} gives {_assignment(witness.solution.values)}, "
            + (f"which none of the {witness.ways} ways to fill {names[1]} gives: " if witness.ways > 1 else "")
            + (f"with {_assignment(witness.other_values)} " if witness.ways > 1 else "")
            + f"{'it' if witness.ways > 1 else names[1]} gives {_assignment(witness.other_solution.values)}"
        )
    return Difference("solutions", message, witness)


def _describe_counts(first: tuple[str, ...], second: tuple[str, ...]) -> str:
    return " and ".join(f"{len(names)} ({', '.join(names) or 'none'})" for names in (first, second))


def _assignment(values: dict[str, int] | dict[str, Fraction]) -> str:
    return ", ".join(f"{name} = {value}" for name, value in values.items()) or "nothing"


def _find_witness(first: Template, second: Template) -> Witness | None:
    try:
        return _search(first, second, comparison_budget())
    except LimitError:
        return None


def _search(first: Template, second: Template, meter: Meter) -> Witness | None:
    count = len(first.slots)
    for size in range(count + 1):
        if comb(count, size) > _MOST_WAYS:
            return None
        for usual, special in _PAIRS:
            ours = list(_fillings(first, size, usual, special, meter))
            theirs = list(_fillings(second, size, usual, special, meter))
            # a point at which a system is singular says nothing about the functions.
            if any(solution.kind is not SolutionKind.UNIQUE for _, solution in theirs):
                continue
            reached = {solution.numbers for _, solution in theirs}
            for values, solution in ours:
                if solution.kind is SolutionKind.UNIQUE and solution.numbers not in reached:
                    other_values, other_solution = theirs[0]
                    return Witness(values, solution, other_values, other_solution, len(theirs))
    return None


def _fillings(
    template: Template, size: int, usual: int, special: int, meter: Meter
) -> Iterator[tuple[dict[str, int], Solution]]:
    """Yield every way to give one number to `size` slots and another to the rest, with the solution."""
    for chosen in combinations(template.slots, size):
        meter.spend(_SOLVING)
        values = {slot: special if slot in chosen else usual for slot in template.slots}
        numbers = [Fraction(value) for value in values.values()]
        yield values, solve_grounded(template.system, numbers, template.unknowns, meter)
