"""Fields: which numbers of a problem may take other values, and what must hold among them.

The aligned numbers of a problem form *fields*: a number together with its EquivTNum copies, which change with it. A
field stays if its number is fixed (see `bounds`), or cannot be written with another value (see `writing`). These
relations hold among the fields:

* order: sums of money and percentages keep their order, so that the dearer ticket stays the dearer one;
* ratios: the two numbers of "3 to 2" or "3 : 2" stay in lowest terms;
* difference: no field has the value of another number of the text, so that alignments can be distinguished, unless
neither of the two can move.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from draw_dataset.core.alignment import Place, TextNumber
from draw_dataset.core.equations import SolutionKind, System, solve_grounded
from draw_dataset.core.problem import Problem
from draw_dataset.errors import DrawError
from draw_dataset.text.lexicon import Kind
from draw_dataset.text.numbers import FoundNumber, find_numbers
from draw_dataset.text.rules import number_words_of, rule_of
from draw_dataset.text.tokens import Rule, Token, tokenize
from draw_dataset.variants.bounds import Bounds, bounds_of
from draw_dataset.variants.relations import adds_percentages, is_halved, orders, ratios, without_counted, without_stated
from draw_dataset.variants.surroundings import Surroundings, Words
from draw_dataset.variants.unknown_bounds import UnknownBounds, unknown_bounds
from draw_dataset.variants.writing import Style, style_of


class Unfit(DrawError, ValueError):
    """A row that gives no variants; the message says why."""


@dataclass(frozen=True, slots=True)
class Mention:
    """One number of the text that changes with its field.

    Attributes:
        rank: its rank among the numbers of the text, from 0.
        style: how it is written.
        article: the article before it, which may have to change with it.
    """

    rank: int
    style: Style
    article: Token | None

    def write(self, value: Fraction) -> str | None:
        """Return the number written with another value."""
        return self.style.write(value)


@dataclass(frozen=True, slots=True)
class Field:
    """A number that fills a slot, with its copies.

    Attributes:
        value: its value.
        mentions: where it stands, if it can move.
        bounds: which values are natural; why it is fixed.
        unit: what it counts.
    """

    value: Fraction
    mentions: tuple[Mention, ...]
    bounds: Bounds
    unit: str

    @property
    def moves(self) -> bool:
        """Whether it may take another value."""
        return not self.bounds.fixed

    def allows(self, value: Fraction) -> bool:
        """Say whether a value is natural and can be written at every place."""
        return self.bounds.allow(value) and all(mention.write(value) is not None for mention in self.mentions)


@dataclass(frozen=True, slots=True)
class Puzzle:
    """A problem, prepared for other numbers.

    Attributes:
        problem: the problem.
        rule: how its text is cut into tokens.
        system: its template's system.
        field_of: the field in each slot.
        fields: the fields.
        columns: for each number of the text, the field that it belongs to, or None.
        others: the values of the numbers that belong to no field.
        orders: pairs of fields of which the first is the smaller one.
        ratios: pairs of fields that stay in lowest terms.
        solution: the values of the unknowns, in the template's order.
        unknowns: which values of them are natural.
    """

    problem: Problem
    rule: Rule
    system: System
    field_of: tuple[int, ...]
    fields: tuple[Field, ...]
    columns: tuple[int | None, ...]
    others: frozenset[Fraction]
    orders: tuple[tuple[int, int], ...]
    ratios: tuple[tuple[int, int], ...]
    solution: tuple[Fraction, ...]
    unknowns: UnknownBounds

    @property
    def values(self) -> tuple[Fraction, ...]:
        """The values of the fields."""
        return tuple([field.value for field in self.fields])

    def slot_values(self, values: tuple[Fraction, ...]) -> list[Fraction]:
        """Return the value in each slot for values of the fields."""
        return [values[field] for field in self.field_of]

    def number_values(self, values: tuple[Fraction, ...]) -> list[Fraction]:
        """Return the value of each number of the text for values of the fields."""
        return [
            number.value or Fraction(0) if column is None else values[column]
            for number, column in zip(self.problem.numbers, self.columns, strict=True)
        ]


def check_numbers(problem: Problem) -> None:
    """Check that the numbers of a problem stand in its text, and gold's among them.

    Raises:
        Unfit: they do not.
    """
    if any(problem.question[number.start : number.end] != number.text for number in problem.numbers):
        raise Unfit("its numbers are not those of its text")
    if not {(one.sentence, one.token) for one in problem.alignment} <= {number.place for number in problem.numbers}:
        raise Unfit("a number of gold is not in the text")


def puzzle_of(problem: Problem, must_move: bool = True, counted: frozenset[Fraction] = frozenset()) -> Puzzle:
    """Prepare a problem for other numbers.

    Args:
        problem: the problem.
        must_move: whether a problem is refused of which no number may change.
        counted: constants of its derivation that somebody counted; a number of the text may be a part of them.

    Raises:
        Unfit: it gives no variants; says why.
        RowError: its gold cannot be read.
    """
    check_numbers(problem)
    derivation = problem.derivation
    rule = rule_of(problem)
    words = Words(tokenize(problem.question, rule))
    found = {(n.sentence, n.token): n for n in find_numbers(problem.question, number_words_of(problem), rule)}
    around_of = [words.around(number) for number in problem.numbers]
    class_of = _classes(problem, around_of, set(derivation.places))
    by_class: dict[Place, list[int]] = {}
    for rank, number in enumerate(problem.numbers):
        by_class.setdefault(class_of[number.place], []).append(rank)
    order: dict[Place, int] = {}
    field_of = tuple(order.setdefault(class_of.get(place, place), len(order)) for place in derivation.places)
    fields: list[Field] = []
    columns: list[int | None] = [None] * len(problem.numbers)
    for position, (place, slot) in enumerate(zip(order, map(field_of.index, range(len(order))), strict=True)):
        aligned = derivation.alignment[derivation.template.slots[slot]]
        ranks = by_class.get(place, [])
        for rank in ranks:
            columns[rank] = position
        members = [problem.numbers[rank] for rank in ranks]
        at = next((m for m in members if m.place == aligned.place), None)
        if aligned.value is None or at is None:
            raise Unfit("a number of gold is not in the text")
        kinds = [_kind(found, member) for member in members]
        near = [around_of[rank] for rank in ranks]
        fields.append(_field(aligned.value, ranks, members, kinds, near, words, around_of[problem.numbers.index(at)]))
    fields = without_counted(without_stated(fields, problem.numbers, columns), counted)
    solution = solve_grounded(
        derivation.template.system, [fields[f].value for f in field_of], derivation.template.unknowns
    )
    if solution.kind is not SolutionKind.UNIQUE:
        raise Unfit("gold has no unique solution")
    if must_move and not any(field.moves for field in fields):
        why = ", ".join(dict.fromkeys(field.bounds.fixed for field in fields)) or "no number fills a slot"
        raise Unfit(f"no number can be changed: {why}")
    exact = tuple(solution.values[name] for name in derivation.template.unknowns)
    others = [
        n.value for n, column in zip(problem.numbers, columns, strict=True) if column is None and n.value is not None
    ]
    return Puzzle(
        problem=problem,
        rule=rule,
        system=derivation.template.system,
        field_of=field_of,
        fields=tuple(fields),
        columns=tuple(columns),
        others=frozenset(others),
        orders=orders(fields),
        ratios=ratios(fields, problem.numbers, columns, around_of, words),
        solution=exact,
        unknowns=unknown_bounds(
            words.lower,
            exact,
            others,
            halved=is_halved(derivation.template.system, field_of, fields),
            percentage=adds_percentages(derivation.template.system, field_of, fields),
        ),
    )


_AGAIN = frozenset({"same", "these", "those"})


def _classes(problem: Problem, arounds: Sequence[Surroundings], aligned: set[Place]) -> dict[Place, Place]:
    """Return the class of each number: those that mean the same by the annotation, or by the words before them.

    ``the same 16 miles`` are the 16 miles that were spoken of; so are ``the 20 %`` if nothing else is done with them.
    """
    classes = problem.number_classes
    class_of = {number.place: classes.of_place(number.place) for number in problem.numbers}
    numbers = problem.numbers
    for rank, number in enumerate(numbers):
        again = arounds[rank].previous in _AGAIN
        if not again and (arounds[rank].previous != "the" or number.place in aligned):
            continue
        for other, one in enumerate(numbers):
            known = (again and other < rank) or (not again and one.place in aligned)
            if other != rank and known and one.value == number.value and arounds[other].unit == arounds[rank].unit:
                old, new = class_of[number.place], class_of[one.place]
                class_of = {place: new if own == old else own for place, own in class_of.items()}
                break
    return class_of


def _kind(found: Mapping[tuple[int, int], FoundNumber], number: TextNumber) -> Kind:
    # A number that only the annotation has is a word that the rules read as something else.
    seen = found.get((number.sentence or 0, number.token))
    return "article" if seen is None else seen.kind


def _field(
    value: Fraction,
    ranks: list[int],
    members: list[TextNumber],
    kinds: list[Kind],
    arounds: list[Surroundings],
    words: Words,
    around: Surroundings,
) -> Field:
    bounds: Bounds | None = None
    mentions: list[Mention] = []
    for rank, member, kind, near in zip(ranks, members, kinds, arounds, strict=True):
        own = bounds_of(kind, value, near, words.lower)
        style = style_of(kind, member.text, value) if member.value == value else None
        if not own.fixed and style is None:
            own = Bounds(fixed="cannot be written otherwise")
        if style is not None:
            mentions.append(Mention(rank, style, near.article))
        if bounds is None or own.fixed:
            bounds = own
        elif not bounds.fixed:
            only = own.only or bounds.only
            bounds = Bounds(max(bounds.least, own.least), min(bounds.most, own.most), only)
    return Field(value, tuple(mentions), bounds or Bounds(fixed="does not stand in the text"), around.unit)
