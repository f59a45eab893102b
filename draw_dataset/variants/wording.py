"""Other wordings of a problem: people with other names, other things of the same kind, sentences in another order.

Numbers, gold and what is asked stay; sentence ids, tokens and q-numbers are found again in the new text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence, Sized
from dataclasses import replace
from fractions import Fraction
from functools import partial
from random import Random
from typing import TypeVar

from draw_dataset.derivation.problem import Problem
from draw_dataset.text.numbers import number_words_of, rule_of
from draw_dataset.variants.fields import CannotVary
from draw_dataset.variants.ordering import coordinations, exchanges
from draw_dataset.variants.people import Cast, apply_edits, is_first_name, rename_people
from draw_dataset.variants.rebuilding import Edit, Rewritten, rebuild
from draw_dataset.variants.things import Inventory, exchange_things

_TRIES = 30  # draws for one problem

_Words = TypeVar("_Words", bound=Sized)
_Exchange = Callable[[str, _Words], Sequence[Edit]]
"""Returns the edits that a text needs so that all mentions of a thing move together."""


def _reword(problem: Problem, exchange: _Exchange[_Words], words: _Words) -> Rewritten | None:
    """Return a problem in which the text, the roles and the steps are edited; None if it cannot be proved right."""
    edits = exchange(problem.question, words)
    values = [number.value or Fraction(0) for number in problem.numbers]
    made = rebuild(problem, rule_of(problem), edits, values, problem.id) if edits else None
    if made is None:
        return None
    made = replace(
        made,
        roles=tuple([(name, apply_edits(role, exchange(role, words))) for name, role in problem.roles]),
        steps=tuple([apply_edits(step, exchange(step, words)) for step in made.steps]),
    )
    return Rewritten(made, tuple(edits))


def names(problem: Problem, random: Random) -> Iterator[Rewritten]:
    """Yield variants in which all people have other names of the same gender."""
    cast = Cast(problem.question, [role for _, role in problem.roles])
    cast.check()
    return _redraw(problem, partial(cast.draw, random), rename_people, "too many names for different initials")


def objects(problem: Problem, random: Random) -> Iterator[Rewritten]:
    """Yield variants in which things are others of the same kind."""
    inventory = Inventory(problem.question, [role for _, role in problem.roles])
    inventory.check()
    why_none = "the text has all other things of its kind"
    return _redraw(problem, partial(inventory.draw, random), exchange_things, why_none)


def _redraw(
    problem: Problem, draw: Callable[[], _Words], exchange: _Exchange[_Words], why_none: str
) -> Iterator[Rewritten]:
    """Yield variants with words that are drawn, none twice."""
    seen: set[str] = set()
    for _ in range(_TRIES):
        words = draw()
        if not len(words):
            raise CannotVary(why_none)
        made = _reword(problem, exchange, words)
        if made is None:
            raise CannotVary("its numbers are not found again among the new words")
        if made.problem.question not in seen:
            seen.add(made.problem.question)
            yield made


def order(problem: Problem, random: Random) -> Iterator[Rewritten]:
    """Yield variants in which two sentences, or two phrases of one form, have changed places."""
    rule, text = rule_of(problem), problem.question
    found = [one for find in (exchanges, coordinations) for one in find(text, rule, number_words_of(problem))]
    if not found:
        raise CannotVary("no two sentences or phrases can change places")
    random.shuffle(found)
    values = [number.value or Fraction(0) for number in problem.numbers]
    for one in found:
        (start, middle), (after, end) = one.first, one.second
        between = text[middle:after]
        new_first, new_second = text[after:end], text[start:middle]
        if one.recased and text[start].isupper():
            # Phrases of one form both begin with a name, or neither does: Rusty carries 4 and Nora carries 3.
            is_name = new_first[0].isupper() or _keeps_capital(text, start)
            new_first = new_first[0].upper() + new_first[1:]
            new_second = new_second if is_name else new_second[0].lower() + new_second[1:]
        edit = Edit(start, text[start:end], new_first + between + new_second)
        pieces = [(after, end, start), (start, middle, start + end - after + len(between))]
        made = rebuild(problem, rule, [edit], values, problem.id, pieces=pieces)
        if made is not None:
            yield Rewritten(made, (edit,))


def _keeps_capital(text: str, start: int) -> bool:
    """Decide whether the first word of a sentence has its capital anywhere: a name, or capitals only."""
    word = re.match(r"[^\W_]*", text[start:])[0]  # type: ignore[index]
    low = word.lower()
    elsewhere = re.search(rf"[a-z,]\s+{re.escape(word)}\b", text) is not None
    return elsewhere or len(word) < 2 or word[1:] != word[1:].lower() or is_first_name(low)


KINDS: dict[str, Callable[[Problem, Random], Iterator[Rewritten]]] = {
    "names": names,
    "objects": objects,
    "order": order,
}
"""Kinds with other words: each yields variants of a problem, or raises `CannotVary`."""
