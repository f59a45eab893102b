"""The question: which derivations do a question and its equations leave open.

`draw_dataset.annotation.proposal` says for each number of the equations which numbers of the text it may come from.
Three habits of those who write equations then settle more:

* whoever writes ``18/2`` where the text says "half" means that half, as ``18*(1/2)``;
* numbers of the text are used before one of them is used twice: ``4 + 4`` of two fours is both of them;
* a number that is not in the text must be a constant that everyone knows by name; otherwise there is no derivation.

Candidates that are the same derivation, such as the two ways to read ``4 + 4``, are counted once.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from fractions import Fraction
from itertools import islice

from draw_dataset.annotation.proposal import CONSTANT, LiteralOrigins, Origin, Proposal, induce, propose
from draw_dataset.core.alignment import TextNumber
from draw_dataset.core.derivation import Derivation
from draw_dataset.core.equations import solve
from draw_dataset.core.equivalence import derivations_equivalent
from draw_dataset.errors import AnnotationError, DrawError, LimitError, NotLinearError
from draw_dataset.sources.constants import name_of_constant
from draw_dataset.sources.expressions import decimal
from draw_dataset.sources.record import MAX_ALTERNATIVES, Derived, Reason, Refusal
from draw_dataset.sources.scaled import with_scales

MAX_WAYS = 2_000
"""Ways to read equations that are looked at."""

MAX_WORK = 4_000
"""Numbers of equations that are put in, over all readings of one problem."""

MAX_COMPARED = 40
"""Different derivations of one problem that are told apart."""

_ALWAYS_CONSTANT = frozenset(map(Fraction, ("0", "1", "1/100")))
_AVERAGE = re.compile(r"\baverage\b|\bmean\b", re.IGNORECASE)
_ONE_TIMES = re.compile(r"(?<![\w.)/])(?<!/ )1\s*\*\s*(\(1/\d{1,9}\))")
_OPERAND = re.compile(r"([*/])(\s*)(\d{1,9})(?![\d.,]|\s*\^|\s*\w)")


def derive_equations(
    question: str,
    numbers: Sequence[TextNumber],
    equations: Sequence[str],
    places: Sequence[int | None] = (),
    asked: Sequence[str] = (),
) -> Derived:
    """Return the derivations that equations leave open.

    Args:
        question: the text.
        numbers: its numbers.
        equations: the equations; every name in them is an unknown.
        places: where the numbers of the equations stand, if the dataset says so.
        asked: what the question asks for, in the names of the normal form.

    Raises:
        Refusal: there is none.
    """
    if not numbers:
        raise Refusal(Reason.NO_NUMBERS)
    written, places = _as_the_text_counts(equations, numbers, places)
    try:
        proposal = propose(question, list(written), numbers)
    except LimitError as error:
        raise Refusal(Reason.TOO_LARGE, str(error)[:80]) from error
    except AnnotationError as error:
        raise Refusal(_reason(error), _short(error)) from error
    constants = _named_constants(proposal)
    derivations, readings = _derivations(proposal, places)
    if not derivations[0].places:
        raise Refusal(Reason.NO_NUMBERS, "the result comes from no number of the text")
    solved = solve("; ".join(equations))
    return Derived(
        numbers=tuple(numbers),
        equations=tuple(written),
        derivations=derivations,
        readings=readings,
        solutions=tuple(solved.values.values()),
        constants=constants,
        asked=tuple(asked),
    )


def _as_the_text_counts(
    equations: Sequence[str], numbers: Sequence[TextNumber], places: Sequence[int | None]
) -> tuple[Sequence[str], Sequence[int | None]]:
    """Return equations with halves, dozens and millions as the numbers of the text have them, and their places."""
    if places:
        equation, places = with_scales(equations[0], numbers, places)
        return [equation], places
    return [_with_fractions(with_scales(equation, numbers)[0], numbers) for equation in equations], ()


def _reason(error: AnnotationError) -> Reason:
    if isinstance(error.__cause__, NotLinearError):
        return Reason.NOT_LINEAR
    if "one solution" in str(error):
        return Reason.NOT_ONE_SOLUTION
    return Reason.UNREADABLE


def _short(error: DrawError) -> str:
    return str(error).removeprefix("equations: ")[:100]


def _with_fractions(equation: str, numbers: Sequence[TextNumber]) -> str:
    """Write a division by 2 as a multiplication by the half that the text speaks of, where it has no 2."""
    values = {number.value for number in numbers}

    def fraction(match: re.Match[str]) -> str:
        value = Fraction(int(match.group(3)))
        if value in values or not value or 1 / value not in values or value == 1:
            return match.group()
        sign = "*" if match.group(1) == "/" else "/"
        return f"{sign}{match.group(2)}(1/{match.group(3)})"

    # A half is written as 1/2: once a half is known for one, there is nothing left to multiply.
    return _ONE_TIMES.sub(r"\1", _OPERAND.sub(fraction, equation))


def _named_constants(proposal: Proposal) -> tuple[str, ...]:
    """Return the constants of equations with their names.

    Raises:
        Refusal: one of them has none.
    """
    found: dict[str, None] = {}
    averaged = _AVERAGE.search(proposal.question) is not None
    for literal in proposal.literals:
        if literal.origins != (CONSTANT,):
            continue
        value = literal.value
        name = name_of_constant(value, proposal.question)
        if name is None and averaged and value.denominator == 1 and 1 < value <= len(proposal.numbers):
            name = "how many are averaged"
        if name is None and value not in _ALWAYS_CONSTANT:
            if value in _clock_parts(proposal):
                raise Refusal(Reason.CLOCK, f"{literal.text} is a part of one")
            raise Refusal(Reason.NOT_IN_TEXT, literal.text)
        if value not in (0, 1):
            found[f"{decimal(value)}: {name or 'per cent'}"] = None
    return tuple(found)


_CLOCK = re.compile(r"(\d{1,2}):([0-5]\d)")


def _clock_parts(proposal: Proposal) -> set[Fraction]:
    """Return the hours and minutes of the times of day in a text, and the minutes in an hour if it has any."""
    times = [match for number in proposal.numbers if (match := _CLOCK.fullmatch(number.text))]
    parts = {Fraction(part) for match in times for part in match.groups()}
    return parts | {Fraction(60)} if parts else parts


def _derivations(proposal: Proposal, places: Sequence[int | None]) -> tuple[tuple[Derivation, ...], int]:
    """Return the derivations of a proposal, each once, and how many readings there are in all."""
    found: list[Derivation] = []
    settled = _settled(proposal, places) if places else None
    if settled is not None:
        found.append(_tidied(induce(settled, "written")))
    count = 1 if settled is not None else 0
    ways = proposal.ways
    most = max(1, MAX_WORK // max(1, len(proposal.literals)))
    for origins in islice(_used_once(proposal), most):
        try:
            derivation = _tidied(induce(proposal.derive(dict(enumerate(origins))), "written"))
            if not any(_same(derivation, other) for other in found):
                found.append(derivation)
        except DrawError:
            continue
        if len(found) >= MAX_COMPARED:
            break
    if not found:
        raise Refusal(Reason.NOT_LINEAR, "in every reading of its numbers")
    if count == 0:
        count = len(found) if ways.count <= min(most, MAX_WAYS) and len(found) < MAX_COMPARED else ways.count
    return tuple(found[: MAX_ALTERNATIVES + 1]), count


_BRACKETS = re.compile(r"(?<![\w)])\(([a-z]\d*)\)")
_OUTER = re.compile(r"= \(([^()]*)\)$")


def _tidied(derivation: Derivation) -> Derivation:
    """Return a derivation without brackets around one name, or around a whole side."""
    inner = [_BRACKETS.sub(r"\1", _BRACKETS.sub(r"\1", text)) for text in derivation.template.equations]
    equations = [_OUTER.sub(r"= \1", text) for text in inner]
    if equations == list(derivation.template.equations):
        return derivation
    return Derivation(equations, derivation.alignment)


def _same(one: Derivation, other: Derivation) -> bool:
    return sorted(map(str, one.places)) == sorted(map(str, other.places)) and bool(
        derivations_equivalent(one, other, ())
    )


def _used_once(proposal: Proposal) -> Iterator[tuple[Origin, ...]]:
    """Yield the ways to read equations in which no number is used twice before all of its value are used."""
    groups = _groups(proposal.literals)
    for origins in islice(proposal.ways, MAX_WAYS):
        if all(len({_place(origins[i]) for i in group}) >= most for group, most in groups):
            yield origins


def _groups(literals: Sequence[LiteralOrigins]) -> list[tuple[list[int], int]]:
    """Return the literals of equal value that may come from several numbers, and how many numbers they must use."""
    by_value: dict[Fraction, list[int]] = {}
    for at, literal in enumerate(literals):
        if literal.is_question:
            by_value.setdefault(literal.value, []).append(at)
    found = []
    for group in by_value.values():
        there = {_place(origin) for at in group for origin in literals[at].origins}
        if len(group) > 1:
            found.append((group, min(len(group), len(there))))
    return found


def _place(origin: Origin) -> object:
    return None if origin.number is None else origin.number.place


def _settled(proposal: Proposal, places: Sequence[int | None]) -> Derivation | None:
    """Return the derivation that a dataset's own alignment says, if it says one that fits and nothing cancels."""
    if len(places) != len(proposal.literals):
        return None
    chosen: dict[int, Origin] = {}
    for at, (literal, start) in enumerate(zip(proposal.literals, places, strict=True)):
        if start is None:
            chosen[at] = CONSTANT  # the dataset writes it as a number, not as one of the text
            continue
        there = [o for o in literal.origins if o.number is not None and o.number.start == start]
        if not there:
            return None
        chosen[at] = there[0]
    try:
        derivation = proposal.derive(chosen)
    except DrawError:
        return None
    # Where a number cancels, the dataset took two of equal value for one: 8 + 23 - 8.
    wanted = {origin.number.place for origin in chosen.values() if origin.number is not None}
    return derivation if set(derivation.places) == wanted else None


def values_of(numbers: Sequence[TextNumber]) -> Collection[Fraction]:
    """Return the values of the numbers of a text."""
    return {number.value for number in numbers if number.value is not None}
