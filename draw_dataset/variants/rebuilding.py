"""Rebuilding: a problem with an edited text, its numbers carried over one by one.

Each number of the new text is an old one, at the offset to which the edits have moved it. The result is proved: the
rules for numbers find exactly the expected list, and gold, written again, is graded right.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from draw_dataset.algebra.number import number_literal, number_text
from draw_dataset.checks.findings import LASTING
from draw_dataset.derivation.derivation import Place, TextNumber
from draw_dataset.derivation.problem import AlignedNumber, Problem, ProblemId, Role
from draw_dataset.scoring.gold import PreparedProblem
from draw_dataset.scoring.grading import grade_derivation
from draw_dataset.text.numbers import FoundNumber, find_numbers, locate_numbers, number_words_of
from draw_dataset.text.tokens import Rule, Token, tokenize


@dataclass(frozen=True, slots=True, order=True)
class Edit:
    """One replacement in a text."""

    start: int  # the offset of its first character in the old text
    before: str  # the old text
    after: str  # the new text


@dataclass(frozen=True, slots=True)
class Rewritten:
    """A problem with another text and a gold of its own, proved by whoever made it."""

    problem: Problem  # its id is that of the original
    edits: tuple[Edit, ...]  # the replacements in the text of the original


Piece = tuple[int, int, int]
"""A part that stands elsewhere in the new text: its start and end in the old one, its start in the new one."""


class Moved:
    """Map from offsets of an old text to the new one."""

    def __init__(self, edits: Sequence[Edit], pieces: Sequence[Piece] = ()) -> None:
        self._edits = sorted(edits)
        self._pieces = pieces

    def start(self, offset: int) -> int:
        """Return the new offset of a character; of an edited one, where its piece is or its replacement begins."""
        shift = 0
        for start, end, moved in self._pieces:
            if start <= offset < end:
                return offset - start + moved
        for edit in self._edits:
            end = edit.start + len(edit.before)
            if edit.start <= offset < end:
                return edit.start + shift
            if edit.start > offset:
                break
            shift += len(edit.after) - len(edit.before)
        return offset + shift

    def apply(self, text: str) -> str:
        """Return the new text."""
        for edit in reversed(self._edits):
            text = text[: edit.start] + edit.after + text[edit.start + len(edit.before) :]
        return text


@dataclass(frozen=True, slots=True)
class CarriedNumbers:
    """The numbers of a text after it was edited."""

    question: str
    numbers: tuple[TextNumber, ...]
    places: dict[Place, Place]  # of each number that is left, the old place and the new one
    added: tuple[TextNumber, ...]  # the numbers that the edits have added, as they were given


def carry_numbers(
    problem: Problem,
    rule: Rule,
    edits: Sequence[Edit],
    values: Sequence[Fraction | None],
    added: Sequence[tuple[int, Fraction]] = (),
    pieces: Sequence[Piece] = (),
) -> CarriedNumbers | None:
    """Find the numbers of an edited text again; None unless they are exactly the expected ones.

    `values` has the new value of each old number, None for one that an edit takes away; `added` the offsets and values
    of the numbers that the edits add; `pieces` the parts of an edited span that have another order now.
    """
    moved = Moved(edits, pieces)
    question = moved.apply(problem.question)
    new_tokens = tokenize(question, rule)
    number_words = number_words_of(problem)
    found = find_numbers(question, number_words, rule)
    places: dict[Place, Place] = {}
    annotated: dict[tuple[int, int], Fraction] = {}
    for number, value in zip(problem.numbers, values, strict=True):
        if number.start is None:
            return None
        if value is None:
            continue
        start = moved.start(number.start)
        there = next((n for n in found if n.start <= start < n.end), None)
        place = (there.sentence, there.token) if there is not None else _place_at(new_tokens, start)
        if place is None:
            return None
        places[number.place] = place
        annotated[place] = value
    numbers, _ = locate_numbers(question, annotated, number_words, rule)
    wanted = {places[n.place]: value for n, value in zip(problem.numbers, values, strict=True) if value is not None}
    others = [number for number in numbers if number.place not in annotated]
    # Sentences may change places, so the numbers may come in another order.
    if len(wanted) < len(places) or {n.place: n.value for n in numbers if n.place in annotated} != wanted:
        return None
    found_again = [next((n for n in others if (n.start or 0) <= at < (n.end or 0)), None) for at, _ in added]
    if len(others) != len(added) or [None if n is None else n.value for n in found_again] != [v for _, v in added]:
        return None
    return CarriedNumbers(question, numbers, places, tuple([n for n in found_again if n is not None]))


def rebuild(
    problem: Problem,
    rule: Rule,
    edits: Sequence[Edit],
    values: Sequence[Fraction],
    id_: ProblemId,
    extra: tuple[int, Fraction] | None = None,
    pieces: Sequence[Piece] = (),
) -> Problem | None:
    """Return a problem with an edited text; None if it cannot be proved right.

    Args:
        problem: the original.
        rule: how its text is cut into tokens.
        edits: the replacements.
        values: the new value of each number.
        id_: the id of the new problem.
        extra: the offset in the new text and the value of a number that the original does not have.
        pieces: the parts of an edited span that the new text has in another order.
    """
    carried = carry_numbers(problem, rule, edits, values, () if extra is None else (extra,), pieces)
    places = None if carried is None else carry_groups(problem, rule, edits, carried, pieces)
    return (
        None
        if carried is None or places is None
        else _build_proved(problem, id_, carried.question, carried.numbers, places)
    )


def carry_groups(
    problem: Problem, rule: Rule, edits: Sequence[Edit], carried: CarriedNumbers, pieces: Sequence[Piece] = ()
) -> dict[Place, Place] | None:
    """Return the new places of the numbers, and of the members of groups that are no numbers in the text."""
    moved, places = Moved(edits, pieces), dict(carried.places)
    old_tokens = {(t.sentence, t.index): t for t in tokenize(problem.question, rule)}
    new_tokens = tokenize(carried.question, rule)
    numbers = {number.place for number in problem.numbers}
    for group in problem.equiv_tnum:  # a member that is not a number here is not one in the new text
        for member in group:
            token = old_tokens.get((member.sentence or 0, member.token))
            there = _place_at(new_tokens, moved.start(token.start)) if token else None
            if member.place not in places and member.place not in numbers:
                if there is None:
                    return None
                places[member.place] = there
    return places


def _place_at(tokens: Sequence[Token], offset: int) -> tuple[int, int] | None:
    return next(((t.sentence, t.index) for t in tokens if t.start <= offset < t.end), None)


_Q_NUMBER = re.compile(r"\bq(\d{1,9})\b")


def _renumber(texts: Sequence[str], ranks: Mapping[str, int]) -> tuple[str, ...]:
    """Return q-notation with the ranks of a new text.

    >>> _renumber(["m = q1 + q12*q2"], {"1": 2, "2": 3, "12": 13})
    ('m = q2 + q13*q3',)
    """
    # A number that the old text does not have stays, and is reported by whoever reads it.
    return tuple([_Q_NUMBER.sub(lambda match: f"q{ranks.get(match[1], match[1])}", text) for text in texts])


Renamed = tuple[TextNumber, TextNumber]
"""A number of the old text, and the same number in the new text."""


def _rewrite_roles(problem: Problem, renamed: Sequence[Renamed]) -> tuple[Role, ...]:
    """Return the roles with the numbers of the new text; none if it is not clear which number a role mentions."""
    if not any(old.text != new.text for old, new in renamed):
        return problem.roles
    roles: list[Role] = []
    for name, role in problem.roles:
        pieces, at = [], 0
        for said in find_numbers(role, number_words_of(problem)):
            written = _number_in_role(role, said, problem.question, renamed)
            if written is None:
                return ()
            pieces += [role[at : said.start], written]
            at = said.end
        roles.append((name, "".join([*pieces, role[at:]])))
    return tuple(roles)


def _number_in_role(role: str, said: FoundNumber, question: str, renamed: Sequence[Renamed]) -> str | None:
    """Return a number of a role as the new text has it; None if several numbers of the text may be meant."""
    meant = [(old, new) for old, new in renamed if old.value == said.value]
    alike = [(old, new) for old, new in meant if old.text.lower() == said.text.lower()]
    if alike and not said.text.isdigit():  # odd is not the word "two" of the same value
        meant = alike
    if all(old.text == new.text for old, new in meant):
        return said.text
    for beside in (_word_after, _word_before):
        if len({new.value for _, new in meant}) > 1:
            meant = [one for one in meant if beside(question, one[0]) == beside(role, said)] or meant
    values = {new.value for _, new in meant}
    value = values.pop() if len(values) == 1 else None
    if value is None or not (alike or said.text.isdigit()):
        return None
    written = next((new.text for old, new in meant if (old, new) in alike), number_text(value))
    return written.lower() if said.text.islower() else written


_WORD = re.compile(r"[^\W_]+|[%$]")


def _word_after(text: str, number: TextNumber | FoundNumber) -> str:
    found = _WORD.search(text, number.end or 0)
    return found[0].lower() if found else ""


def _word_before(text: str, number: TextNumber | FoundNumber) -> str:
    return next(iter(_WORD.findall(text[: number.start or 0].lower())[-1:]), "")


def _build_proved(
    problem: Problem, id_: ProblemId, question: str, numbers: tuple[TextNumber, ...], places: dict[Place, Place]
) -> Problem | None:
    by_place = {number.place: number for number in numbers}
    ranks = {str(old.index): by_place[places[old.place]].index or 0 for old in problem.numbers}
    alignment = []
    for a in problem.alignment:
        if (a.sentence, a.token) not in places:
            return None
        number = by_place[places[a.sentence, a.token]]
        alignment.append(AlignedNumber(a.slot, number.sentence or 0, number.token, float(number.value or 0)))
    groups = []
    for group in problem.equiv_tnum:
        members = []
        for member in group:
            place = places[member.place]
            value = by_place[place].value if place in by_place else member.value
            members.append(TextNumber(place[0], place[1], value))
        groups.append(tuple(members))
    made = replace(
        problem,
        id=id_,
        question=question,
        numbers=numbers,
        alignment=tuple(alignment),
        equiv_tnum=tuple(groups),
        findings=tuple(code for code in problem.findings if code in LASTING),
        alternatives=_renumber(problem.alternatives, ranks),
        asked=_renumber(problem.asked, ranks),
        steps=_renumber(problem.steps, ranks),
        roles=_rewrite_roles(problem, [(old, by_place[places[old.place]]) for old in problem.numbers]),
    )
    solution = made.derivation.solve()
    template = made.derivation.template
    if len(solution.values) < len(template.unknowns):
        return None
    texts = [number_literal(made.derivation.alignment[slot].value or Fraction(0)) for slot in template.slots]
    made = replace(
        made,
        equations=tuple(template.written_with(texts).split("; ")),
        solutions=tuple(float(solution.values[name]) for name in _solution_order(problem)),
    )
    verdict = grade_derivation(made.derivation.q_notation(), PreparedProblem(made))
    return made if verdict.derivation and verdict.solution else None


def _solution_order(problem: Problem) -> list[str]:
    """Return the unknowns in the order of the row's solutions; in the template's order if that is not clear."""
    solution = problem.derivation.solve()
    left = dict(solution.values)
    order = []
    for value in problem.solutions:
        if not left:
            break
        nearest = min(left, key=lambda name: abs(float(left[name]) - value))
        order.append(nearest)
        del left[nearest]
    return order if len(problem.solutions) <= len(solution.values) else list(problem.derivation.template.unknowns)
