"""Ambiguous problems: does the value in a slot stand at more than one place of the text.

The paper calls a problem ambiguous if a value of its equation system stands at several places of the text, so that a
person has to say which place is meant. How many problems are ambiguous depends on what counts as a number. There are
two readings:

*Word by word*: every number that `find_numbers` finds, except articles (a year ago), and every word that is a number in
some context, whatever its context is here: the pronoun *one* (one number is 1 more), coins, twice, odd and even, and
the head of a hyphenated word (two-digit, two-thirds). The paper does not say what it counted. Of the readings we tried,
this one comes nearest to its Table 2.

*In context*: the row's own `numbers`, the paper's Q(x) as we publish it. The pronoun is not a number there.
"""

from __future__ import annotations

from fractions import Fraction

from draw_dataset.core.exact import is_stored
from draw_dataset.core.problem import Problem
from draw_dataset.text.lexicon import LEXICON, WordClass
from draw_dataset.text.numbers import find_numbers
from draw_dataset.text.tokens import tokenize

_NUMBERS_BY_THEMSELVES = frozenset(
    [WordClass.CARDINAL, WordClass.SCALE, WordClass.MULTIPLIER, WordClass.COIN, WordClass.PARITY]
)


def is_ambiguous(problem: Problem) -> bool:
    """Say whether an aligned value stands on two or more number tokens, read word by word."""
    values = numbers_word_by_word(problem.question)
    return any(sum(is_stored(a.value, value) for value in values) >= 2 for a in problem.alignment)


def is_ambiguous_in_context(problem: Problem) -> bool:
    """Say whether an aligned number shares its value with another number of the row."""
    # Pairs of integers are hashed much faster than fractions, and scoring asks this of every row.
    values = [None if n.value is None else n.value.as_integer_ratio() for n in problem.numbers]
    if len(set(values)) == len(values):
        return False
    aligned = {(a.sentence, a.token) for a in problem.alignment}
    return any(values.count(v) > 1 for n, v in zip(problem.numbers, values, strict=True) if n.place in aligned)


def numbers_word_by_word(text: str) -> list[Fraction]:
    """Return the values of the number tokens of a text, each word read without its context.

    >>> [str(value) for value in numbers_word_by_word("One number is 1 more than two-thirds of a dime .")]
    ['1', '2/3', '1/10', '1', '2']
    """
    found = [number for number in find_numbers(text) if number.kind != "article"]
    values = [number.value for number in found]
    position = 0
    for token in tokenize(text):
        while position < len(found) and found[position].end <= token.start:
            position += 1
        inside = position < len(found) and found[position].start < token.end
        value = _alone(token.text.lower(), inside)
        if value is not None and not (inside and value == found[position].value):
            values.append(value)
    return values


def _alone(word: str, inside: bool) -> Fraction | None:
    """Return the value of a word by itself; inside a number that was found, only the value of the word's head."""
    entry = LEXICON.get(word)
    if entry is not None:
        return entry[1] if not inside and entry[0] in _NUMBERS_BY_THEMSELVES else None
    head, hyphen, _ = word.partition("-")
    entry = LEXICON.get(head) if hyphen else None
    return entry[1] if entry is not None and entry[0] is WordClass.CARDINAL else None
