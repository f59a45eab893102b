"""The numbers of a problem: what the rules find, and what an annotation says they missed.

An aligned token is a number because a person said so. Where the rules of `find_numbers` do not see it, it still enters
the list, with its annotated value, at its place in the order of the text. If the rules took it for a part of the number
before it ("5 sixths" as one number), that number ends where the annotated one begins.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from draw_dataset.core.alignment import TextNumber
from draw_dataset.errors import RowError
from draw_dataset.text.numbers import NumberWords, find_numbers
from draw_dataset.text.tokens import Rule, Token, tokenize


def locate_numbers(
    question: str,
    annotated: Mapping[tuple[int, int], Fraction] | None = None,
    number_words: NumberWords = "standard",
    rule: Rule = "auto",
) -> tuple[tuple[TextNumber, ...], tuple[tuple[int, int], ...]]:
    """Return the numbers of a text, and the annotated places that only the annotation knows.

    Args:
        question: the text.
        annotated: annotated places and the value each is said to have.
        number_words: see `find_numbers`.
        rule: how the text is cut into tokens.

    Raises:
        RowError: an annotated place is not in the text.
    """
    found = [
        TextNumber(n.sentence, n.token, n.value, n.index, n.text, n.start, n.end)
        for n in find_numbers(question, number_words, rule)
    ]
    known = {number.place for number in found}
    missed = tuple(place for place in annotated or {} if place not in known)
    if not missed:
        return tuple(found), ()
    tokens = {(t.sentence, t.index): t for t in tokenize(question, rule)}
    for place in missed:
        token = tokens.get(place)
        if token is None:
            raise RowError(f"expected a number of the text, but got sentence {place[0]}, token {place[1]}, not in it")
        found = [_ending_before(number, token, rule) for number in found]
        value = (annotated or {})[place]
        found.append(TextNumber(place[0], place[1], value, None, token.text, token.start, token.end))
    found.sort(key=lambda n: (n.sentence or 0, n.token))
    return tuple(
        TextNumber(n.sentence, n.token, n.value, index, n.text, n.start, n.end) for index, n in enumerate(found, 1)
    ), missed


def _ending_before(number: TextNumber, token: Token, rule: Rule) -> TextNumber:
    """Return a number, read anew without its end if an annotated token stands in it."""
    if number.start is None or number.end is None or not number.start < token.start < number.end:
        return number
    text = number.text[: token.start - number.start].rstrip()
    again = find_numbers(text, rule=rule)
    if not again:
        return number
    end = number.start + len(text)
    return TextNumber(number.sentence, number.token, again[0].value, number.index, text, number.start, end)
