"""Derivations that a question and its equations leave open.

`draw_dataset.annotate` lists the numbers of the text that each number of the equations may come from. Three habits of
those who write equations settle more:

* whoever writes ``18/2`` where the text says "half" means that half, as ``18*(1/2)``;
* numbers of the text are used before one of them is used twice: ``4 + 4`` of two fours is both of them;
* a number that is not in the text must be a constant that everyone knows by name; otherwise there is no derivation.

Equivalent derivations, such as the two ways to read ``4 + 4``, are counted once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import islice

from draw_dataset.algebra.number import number_text
from draw_dataset.algebra.solution import solve
from draw_dataset.annotate.normal import induce
from draw_dataset.annotate.proposal import AVERAGE, CONSTANT, LiteralOrigins, Origin, Proposal, propose
from draw_dataset.derivation.derivation import Derivation, TextNumber
from draw_dataset.derivation.equivalence import derivations_equivalent
from draw_dataset.deriving.records import MAX_ALTERNATIVES, Derived, Reason, Refusal
from draw_dataset.errors import AnnotationError, DrawError, LimitError, NotLinearError
from draw_dataset.text.numbers import find_numbers
from draw_dataset.text.units import name_of_constant

_LITERAL = re.compile(r"(?<![\w.])\d{1,15}(?:\.\d{1,15})?(?![\w.])")
_OPERATOR = re.compile(r"\s*([*/])\s*")
_SCALED = re.compile(r"(\S.*)[\s-]+[^\W\d_]+$", re.DOTALL)

Place = int | None  # where a number of an equation stands in the text, if the dataset says so


def with_scales(
    equation: str, numbers: Sequence[TextNumber], places: Sequence[Place] = ()
) -> tuple[str, tuple[Place, ...]]:
    """Return an equation with the numbers that the text counts in dozens, millions or halves put together again.

    "8 dozen" is 96: ``8*12`` becomes ``96``, and ``8*3``, for a price by the dozen, ``(96/12)*3``.

    >>> eggs = [TextNumber(0, 2, Fraction(96), 1, "8 dozen"), TextNumber(0, 5, Fraction(5), 2, "5")]
    >>> with_scales("x = 8 * 12 / 5", eggs), with_scales("x = 5*8", eggs)
    (('x = 96 / 5', ()), ('x = 5*(96/12)', ()))
    """
    values = {number.value for number in numbers}
    scaled = {base: (value, factor) for base, value, factor in _scaled(numbers) if base not in values}
    if not scaled:
        return equation, tuple(places)
    literals = list(_LITERAL.finditer(equation))
    if places and len(places) != len(literals):
        return equation, tuple(places)
    given = list(places) or [None] * len(literals)
    written, stands, end, at = "", [], 0, 0
    while at < len(literals):
        literal = literals[at]
        written += equation[end : literal.start()]
        end = literal.end()
        stands.append(given[at])
        whole = scaled.get(Fraction(literal.group()))
        if whole is None:
            written += literal.group()
            at += 1
            continue
        value, factor = whole
        divides = written.rstrip().endswith("/")
        following = literals[at + 1] if at + 1 < len(literals) and not divides else None
        if following is not None and _multiplies(equation[end : following.start()], following, factor):
            written += number_text(value)
            end = following.end()
            at += 2
        else:
            written += f"({number_text(value)}/{factor})" if factor > 1 else f"({number_text(value)}*{1 / factor})"
            stands.append(None)
            at += 1
    return written + equation[end:], tuple(stands) if places else ()


def _scaled(numbers: Sequence[TextNumber]) -> Iterator[tuple[Fraction, Fraction, Fraction]]:
    """Yield the value of a number without its last word, its value, and how many times that is: 8, 96, 12."""
    for number in numbers:
        match = _SCALED.fullmatch(number.text)
        if match is None or not number.value:
            continue
        before = find_numbers(match.group(1), "ordinary")
        if len(before) == 1 and before[0].text == match.group(1) and before[0].value > 0:
            factor = number.value / before[0].value
            if factor != 1 and 1 in (factor.numerator, factor.denominator):
                yield before[0].value, number.value, factor


def _multiplies(between: str, following: re.Match[str], factor: Fraction) -> bool:
    """Return True if what follows multiplies by the factor of a number: the ``*12`` after the 8 of "8 dozen"."""
    operator = _OPERATOR.fullmatch(between)
    wanted = factor if operator and operator.group(1) == "*" else 1 / factor
    return operator is not None and Fraction(following.group()) == wanted


MAX_WAYS = 2_000  # ways to read equations that are looked at
MAX_WORK = 4_000  # numbers of equations that are put in, over all readings of one problem
MAX_COMPARED = 40  # different derivations of one problem that are told apart

_ALWAYS_CONSTANT = frozenset(map(Fraction, ("0", "1", "1/100")))
_ONE_TIMES = re.compile(r"(?<![\w.)/])(?<!/ )1\s*\*\s*(\(1/\d{1,9}\))")
_OPERAND = re.compile(r"([*/])(\s*)(\d{1,9})(?![\d.,]|\s*\^|\s*\w)")


def derive_equations(
    question: str,
    numbers: Sequence[TextNumber],
    equations: Sequence[str],
    places: Sequence[int | None] = (),
    asked: Sequence[str] = (),
) -> Derived:
    """Return the derivations that equations leave open."""
    if not numbers:
        raise Refusal(Reason.NO_NUMBERS)
    if places:  # then there is one equation
        equation, places = with_scales(equations[0], numbers, places)
        written = [equation]
    else:
        written = [_with_fractions(with_scales(equation, numbers)[0], numbers) for equation in equations]
    try:
        proposal = propose(question, written, numbers)
    except LimitError as error:
        raise Refusal(Reason.TOO_LARGE, str(error)[:80]) from error
    except AnnotationError as error:
        raise Refusal(_reason(error), str(error).removeprefix("equations: ")[:100]) from error
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


def _reason(error: AnnotationError) -> Reason:
    if isinstance(error.__cause__, NotLinearError):
        return Reason.NOT_LINEAR
    return Reason.NOT_ONE_SOLUTION if "one solution" in str(error) else Reason.UNREADABLE


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
    """Return the constants of equations with their names."""
    found: dict[str, None] = {}
    averaged = AVERAGE.search(proposal.question) is not None
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
            found[f"{number_text(value)}: {name or 'per cent'}"] = None
    return tuple(found)


_CLOCK = re.compile(r"(\d{1,2}):([0-5]\d)")


def _clock_parts(proposal: Proposal) -> set[Fraction]:
    """Return the hours and minutes of the times of day in a text, and the minutes in an hour if it has any."""
    times = [match for number in proposal.numbers if (match := _CLOCK.fullmatch(number.text))]
    parts = {Fraction(part) for match in times for part in match.groups()}
    return parts | {Fraction(60)} if parts else parts


def _derivations(proposal: Proposal, places: Sequence[int | None]) -> tuple[tuple[Derivation, ...], int]:
    """Return the derivations of a proposal, each once, and how many readings there are in all."""
    own = _own_derivation(proposal, places) if places else None
    found = [] if own is None else [_without_brackets(induce(own, "written"))]
    ways = proposal.ways
    most = max(1, MAX_WORK // max(1, len(proposal.literals)))
    for origins in islice(_ways_using_all(proposal), most):
        try:
            derivation = _without_brackets(induce(proposal.derive(dict(enumerate(origins))), "written"))
            if not any(_same(derivation, other) for other in found):
                found.append(derivation)
        except DrawError:
            continue
        if len(found) >= MAX_COMPARED:
            break
    if not found:
        raise Refusal(Reason.NOT_LINEAR, "in every reading of its numbers")
    count = len(found) if ways.count <= min(most, MAX_WAYS) and len(found) < MAX_COMPARED else ways.count
    if own is not None:
        count = 1
    return tuple(found[: MAX_ALTERNATIVES + 1]), count


_BRACKETS = re.compile(r"(?<![\w)])\(([a-z]\d*)\)")
_OUTER = re.compile(r"= \(([^()]*)\)$")


def _without_brackets(derivation: Derivation) -> Derivation:
    """Return a derivation without brackets around one name, or around a whole side."""
    inner = [_BRACKETS.sub(r"\1", _BRACKETS.sub(r"\1", text)) for text in derivation.template.equations]
    equations = [_OUTER.sub(r"= \1", text) for text in inner]
    if equations == list(derivation.template.equations):
        return derivation
    return Derivation(equations, derivation.alignment)


def _same(one: Derivation, other: Derivation) -> bool:
    same_places = sorted(map(str, one.places)) == sorted(map(str, other.places))
    return same_places and bool(derivations_equivalent(one, other, ()))


def _ways_using_all(proposal: Proposal) -> Iterator[tuple[Origin, ...]]:
    """Yield the ways to read equations in which no number is used twice before all of its value are used."""
    groups = _groups(proposal.literals)
    for origins in islice(proposal.ways, MAX_WAYS):
        if all(len({_place(origins[i]) for i in group}) >= most for group, most in groups):
            yield origins


def _groups(literals: Sequence[LiteralOrigins]) -> list[tuple[list[int], int]]:
    """Return the literals of equal value that may come from several numbers, and how many numbers they must use."""
    by_value: dict[Fraction, list[int]] = {}
    for at, literal in enumerate(literals):
        if len(literal.origins) > 1:
            by_value.setdefault(literal.value, []).append(at)
    groups = [group for group in by_value.values() if len(group) > 1]
    there = [{_place(origin) for at in group for origin in literals[at].origins} for group in groups]
    return [(group, min(len(group), len(places))) for group, places in zip(groups, there, strict=True)]


def _place(origin: Origin) -> object:
    return None if origin.number is None else origin.number.place


def _own_derivation(proposal: Proposal, places: Sequence[int | None]) -> Derivation | None:
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
