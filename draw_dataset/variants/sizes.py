"""Sizes of numbers: a problem with more digits, or with decimals where something is measured.

`enlarged` yields the problem at values that are 10, 100 or 1000 times as large, for numbers of which that makes sense
and that grow together: each equation still holds, because all its terms grow alike. `with_decimals` lets measured
numbers have decimals. Other values are then drawn around these as for any variant.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product

from draw_dataset.text.lexicon import singular, split_words
from draw_dataset.text.question import is_about_ages, is_about_numbers, questions_of
from draw_dataset.text.tokens import tokenize
from draw_dataset.text.units import MEASURED, UNITS, unit_named
from draw_dataset.variants.fields import (
    CannotVary,
    Field,
    NumberContext,
    VariableProblem,
    Words,
    orders,
)

_UNBOUNDED = 10**12
_RATES = frozenset(split_words("per each apiece a an every / more less fewer older younger"))
_MANY = frozenset(
    split_words(
        "ticket vote coin stamp sticker marble bead seed bean grain nut berry apple orange pear peach flower rose "
        "tulip book copy newspaper magazine letter card seashell shell rock stone brick tile nail screw bottle can "
        "box bag package pencil pen crayon eraser notebook charger phone customer visitor employee worker resident "
        "citizen fan soldier ant bee star leaf calorie pound record disc candy button calculator share seat"
    )
)
_FEW = frozenset(
    split_words(
        "child kid brother sister son daughter friend boy girl student teacher parent person people man woman family "
        "pet cat dog horse cow fish hen chicken duck pig goat sheep bird room car truck bus house bike class grade "
        "test exam lap floor story inning round team piece slice part side corner angle leg head foot hour day week "
        "month year minute second time shift question problem digit way trip step flight state layer row deck"
    )
)
# In such a text people handle things one by one, or a thing holds so many of another.
_AT_HOME = re.compile(
    r"\b(?:carr(?:y|ies|ied)|decks?|holds?|fits?|hours?|minutes?|days?|friends?|birthday|class\w*|baskets?|pockets?|"
    r"pages?|ovens?|bathroom|recipes?|bak\w+|cook\w*|eat\w*|ate|feeds?|wr[io]te\w*|reads?|typed?|brother|sister|parents|layers?|each|per)\b"
)
_BODIES = frozenset(
    split_words("lift lifts lifting lifted weigh weighs weighed drink drinks drank eat eats ate gain gained lose lost")
)
_NOT_LARGER = re.compile(
    r"\b(?:hours?|minutes?|seconds?|days?|weeks?|months?|years?|time|ages?|old|speeds?|rates?|velocity|current|wind|"
    r"percent\w*|prices?|costs?|each|per|digits?|how (?:long|old|fast|tall|far))\b|%"
)
_LARGEST = {"number": 10**6, "$": 10**6, "weight": 5000, "volume": 5000, "count": 20000}
_MUCH_MONEY = re.compile(
    r"\b(?:invest\w*|bank|company|compan\w+|business|lottery|sales|receipts|revenue|mortgage|property|estate|factory|"
    r"stocks?|bonds?)\b"
)
_NO_THINGS = frozenset(split_words("is less was this his times numbers its plus minus as has does exceeds equals"))
_NUMBER_OF = re.compile(r"\bnumbers? of\b", re.IGNORECASE)
_NOTES = frozenset(split_words("bill bills coin coins note notes"))
_MONEY_STEP = 10  # sums of money from a thousand are multiples of this
_LEAST = {"number": 2, "$": 100, "weight": 8, "volume": 8, "count": 15}


def enlarged(variable: VariableProblem) -> Iterator[VariableProblem]:
    """Yield the problem with larger numbers: first those that are ten times as large, then a hundred and a thousand.

    Raises:
        CannotVary: no numbers can be larger.
    """
    words = Words(tokenize(variable.problem.question, variable.rule))
    if is_about_ages(variable.problem.question):
        raise CannotVary("people do not become older than that")
    kinds = [_kind(variable, field, words) for field in variable.fields]
    ratios = {position for pair in variable.ratios for position in pair}
    kinds = ["" if position in ratios else kind for position, kind in enumerate(kinds)]
    grown = [grows for grows in _ways_to_grow(variable, kinds) if any(grows[0])]
    if not grown:
        raise CannotVary("no number can have more digits, so that the others still fit")
    for factor in (10, 100, 1000):
        for fields, unknowns in grown:
            made = _times(variable, factor, fields, unknowns, kinds)
            if made is not None:
                yield made


def _kind(variable: VariableProblem, field: Field, words: Words) -> str:
    """Return what a number stands for if it may be larger; else nothing."""
    if not field.moves or field.bounds.only or field.bounds.most < _UNBOUNDED or field.value.denominator > 1:
        return ""
    arounds = [words.around(variable.problem.numbers[mention.rank]) for mention in field.mentions]
    if any(mention.style.kind != "digits" or "." in mention.style.text for mention in field.mentions):
        return ""
    kinds = {_kind_of(variable, around, words) for around in arounds}
    kind = kinds.pop() if len(kinds) == 1 else ""
    return kind if kind and abs(field.value) >= _LEAST[kind] else ""


def _kind_of(variable: VariableProblem, around: NumberContext, words: Words) -> str:
    near = around.near
    if near[:1] == ("times",) or around.unit == "%" or not _RATES.isdisjoint(near[1:4]):
        return ""
    if around.unit == "$":
        if not _NOTES.isdisjoint(near[:2]):
            return ""
        much = _MUCH_MONEY.search(variable.problem.question.lower()) is not None
        return "$" if much and _RATES.isdisjoint(near[:2]) else ""
    unit = unit_named(around.next)
    family = UNITS[unit].family if unit is not None else ""
    if family == "volume" and not {"gas", "gasoline", "fuel"}.isdisjoint(words.lower):
        return ""
    if unit == "cup":
        return ""
    if family in ("weight", "volume"):
        # Roles say what is weighed; without them it may be a penny or a watering can.
        return family if _BODIES.isdisjoint(words.lower) and variable.problem.roles else ""
    if family or around.glued:
        return ""
    if any(word.startswith("digit") or "-digit" in word for word in words.lower):
        return ""
    if is_about_numbers(_NUMBER_OF.sub("", variable.problem.question)) and not any(
        word in ("$", "%") for word in words.lower
    ):
        things = [word for word in near[:2] if word.isalpha() and singular(word) != word and word not in _NO_THINGS]
        return "" if things or near[:1] == ("fewer",) else "number"
    noun = next((word for word in near[:3] if word.isalpha() and singular(word) != word), "")
    if singular(noun) not in _MANY or _AT_HOME.search(variable.problem.question.lower()) is not None:
        return ""
    return "count"


Ways = tuple[tuple[int, ...], tuple[int, ...]]


def _ways_to_grow(variable: VariableProblem, kinds: Sequence[str]) -> Iterator[Ways]:
    """Yield which fields and unknowns grow together, the most fields first: all terms of an equation grow alike."""
    n = variable.system.unknown_count
    able = [position for position, kind in enumerate(kinds) if kind]
    unknowns = _large_unknowns(variable)
    if len(able) > 8:
        return
    found: list[Ways] = []
    for chosen in product((1, 0), repeat=len(able)):
        fields = [0] * len(kinds)
        for position, grows in zip(able, chosen, strict=True):
            fields[position] = grows
        found += [
            (tuple(fields), other)
            for other in product(*[(1, 0) if large else (0,) for large in unknowns])
            if all(
                len(
                    {
                        sum(fields[variable.field_of[slot]] for slot in slots) + (other[column] if column < n else 0)
                        for column, _, slots in terms
                    }
                )
                == 1
                for terms in variable.system.terms
            )
        ]
    yield from sorted(found, key=lambda one: -sum(one[0]))


def _large_unknowns(variable: VariableProblem) -> list[bool]:
    """Return for each unknown whether it may be larger, by its role, or by the question if it has none."""
    problem = variable.problem
    asking = " ".join(span.text for span in questions_of(problem.question)).lower()
    names = problem.derivation.template.unknowns
    said = [problem.role_of.get(name, "").lower() or asking for name in names]
    return [
        _NOT_LARGER.search(text) is None
        and _FEW.isdisjoint(singular(word) for word in re.findall(r"[a-z]+", text) if len(word) > 2)
        and value.denominator == 1
        for text, value in zip(said, variable.solution, strict=True)
    ]


def _times(
    variable: VariableProblem, factor: int, grows: Sequence[int], larger: Sequence[int], kinds: Sequence[str]
) -> VariableProblem | None:
    """Return the problem with some numbers so many times as large; None if they would be too large."""
    fields = []
    for field, grown, kind in zip(variable.fields, grows, kinds, strict=True):
        value = field.value * factor if grown else field.value
        if grown and (abs(value) > _LARGEST[kind] or (factor > 10 and kind not in ("number", "$"))):
            return None
        step = Fraction(_MONEY_STEP if kind == "$" and abs(value) >= 100 * _MONEY_STEP else 1)
        mentions = tuple(
            [replace(one, style=replace(one.style, value=value, step=step, places=0)) for one in field.mentions]
        )
        fields.append(replace(field, value=value, mentions=mentions) if grown else field)
    solution = tuple(
        [value * factor if grown else value for value, grown in zip(variable.solution, larger, strict=True)]
    )
    if any(abs(value) > variable.unknowns.most for value in solution):
        return None
    if {field.value for field, grown in zip(fields, grows, strict=True) if grown} & variable.others:
        return None
    return replace(variable, fields=tuple(fields), solution=solution, orders=orders(fields))


# Decimals.

_STEPS: dict[str, Fraction] = {
    "$": Fraction(1, 20), "hour": Fraction(1, 2), "foot": Fraction(1, 2), "inch": Fraction(1, 2),
    "yard": Fraction(1, 2), "mile": Fraction(1, 10), "kilometer": Fraction(1, 10), "meter": Fraction(1, 10),
    "centimeter": Fraction(1, 10), "pound": Fraction(1, 2), "ounce": Fraction(1, 2), "gram": Fraction(1, 10),
    "kilogram": Fraction(1, 10), "gallon": Fraction(1, 2), "quart": Fraction(1, 2), "liter": Fraction(1, 10),
    "cup": Fraction(1, 2),
}  # fmt: skip
_MONEY = re.compile(
    r"\b(?:money|cost|costs|price|prices|pay|pays|paid|spend|spent|earn|earned|earnings|profit|change|dollars?|amount|"
    r"invest\w*|bill|owe|owed|charge|charged|save|saved)\b|\$"
)
_SLOT_BELOW = re.compile(r"/\s*\(?[^m-o=]*?[a-l]")


def with_decimals(variable: VariableProblem) -> VariableProblem:
    """Return the problem with numbers that may have decimals where something is measured.

    Raises:
        CannotVary: nothing is measured in whole numbers, or the answer could be no whole number of things.
    """
    problem = variable.problem
    if is_about_ages(problem.question):
        raise CannotVary("ages are whole numbers")
    words = Words(tokenize(problem.question, variable.rule))
    fields = [_measured(variable, field, words) for field in variable.fields]
    if all(new is old for new, old in zip(fields, variable.fields, strict=True)):
        raise CannotVary("nothing is measured in whole numbers")
    if not problem.roles and _SLOT_BELOW.search("; ".join(problem.derivation.template.equations)):
        raise CannotVary("it divides, perhaps to count something")
    return replace(variable, fields=tuple(fields), places=_places(variable))


def _measured(variable: VariableProblem, field: Field, words: Words) -> Field:
    if (
        not field.moves
        or field.bounds.only
        or field.value.denominator > 1
        or field.value > 1000
        or (field.bounds.most < _UNBOUNDED)
        or any(mention.style.kind != "digits" or "." in mention.style.text for mention in field.mentions)
    ):
        return field
    steps = set()
    for mention in field.mentions:
        around = words.around(variable.problem.numbers[mention.rank])
        noted = not _NOTES.isdisjoint(around.near[:2])
        unit = (
            ""
            if noted
            else "$"
            if around.unit == "$"
            else unit_named(around.next.removeprefix("-").split("-")[0]) or ""
        )
        steps.add((_STEPS.get(unit), unit))
    step, unit = steps.pop() if len(steps) == 1 else (None, "")
    if step is None:
        return field
    if unit == "$" and field.value > 200:
        return field
    places = 2 if unit == "$" else 1
    mentions = tuple([replace(one, style=replace(one.style, step=step, places=places)) for one in field.mentions])
    return replace(field, mentions=mentions)


def _places(variable: VariableProblem) -> tuple[int, ...]:
    """Return how many decimals each unknown may have: two for money, one for what is measured, none for a count."""
    problem = variable.problem
    asking = " ".join(span.text for span in questions_of(problem.question)).lower()
    names = problem.derivation.template.unknowns
    return tuple([_places_of(problem.role_of.get(name, "").lower(), asking) for name in names])


_MEASURED_WORDS = re.compile(
    r"\b(?:speeds?|rates?|lengths?|widths?|heights?|distance|weights?|how (?:far|fast|tall))\b"
)


def _places_of(role: str, asking: str) -> int:
    said = role or asking
    counted = re.search(r"\bhow many (?:more |fewer |total )?([a-z]+)", said) if not role else None
    first = counted[1] if counted is not None else next(iter(re.findall(r"[a-z]+", role)), "")
    unit = unit_named(first)
    if unit is not None and UNITS[unit].family in MEASURED and unit not in ("year", "month", "week", "day", "cent"):
        return 2 if unit == "dollar" else 1
    if counted is not None:
        return 0
    if _MONEY.search(said) and not re.search(r"\bhow many\b|\bnumber of\b|\btickets?\b|\bcoins?\b", said):
        return 2
    return 1 if _MEASURED_WORDS.search(said) else 0
