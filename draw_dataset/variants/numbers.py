"""A problem with other numbers.

Every mention of a moved field is replaced by the new value as `writing` writes it. The article before it is replaced as
well if the sound changes (an 8, a 9). So the text differs only at the changed tokens.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction

from draw_dataset.core.problem import Problem, ProblemId
from draw_dataset.variants.fields import Puzzle
from draw_dataset.variants.rebuilding import Edit, rebuilt

_VOWEL = re.compile(r"(?:8|1[18](?:$|\D|\d{3}(?:\D|$)|,\d)|eight|eleven|one-eighth|[aeiou])", re.IGNORECASE)
_SOUNDS_LIKE_W = re.compile(r"(?:one|once)(?![a-z])", re.IGNORECASE)


def number_edits(puzzle: Puzzle, values: Sequence[Fraction]) -> list[Edit] | None:
    """Return the edits that give the fields other values; None if one cannot be written."""
    edits: list[Edit] = []
    for field, value in zip(puzzle.fields, values, strict=True):
        if value == field.value:
            continue
        for mention in field.mentions:
            number = puzzle.problem.numbers[mention.rank]
            written = mention.write(value)
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


def article_before(written: str) -> str:
    """Return the article that stands before a number.

    >>> [article_before(number) for number in ("8", "80", "11", "118", "18", "1,800", "eleven", "one-way", "7")]
    ['an', 'an', 'an', 'a', 'an', 'a', 'an', 'a', 'a']
    """
    vowel = _VOWEL.match(written) and not _SOUNDS_LIKE_W.match(written)
    return "an" if vowel else "a"


def with_numbers(puzzle: Puzzle, values: tuple[Fraction, ...], id_: ProblemId) -> tuple[Problem, list[Edit]] | None:
    """Return a problem with other values of its fields and what was replaced; None if it cannot be proved right."""
    edits = number_edits(puzzle, values)
    if edits is None:
        return None
    made = rebuilt(puzzle.problem, puzzle.rule, edits, puzzle.number_values(values), id_)
    return None if made is None else (made, edits)
