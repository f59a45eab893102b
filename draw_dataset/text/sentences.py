"""Groups the tokens of a text into its sentences.

The tokens know theirs (see `tokens`): a sentence ends after a token that is exactly ``.``, ``?`` or ``!``.
What follows the last such token is a sentence too.
"""

from __future__ import annotations

from itertools import groupby
from operator import attrgetter

from draw_dataset.text.tokens import Rule, Token, tokenize


def sentences(text: str, rule: Rule = "auto") -> list[tuple[Token, ...]]:
    """Return the sentences of a text, each as its tokens; the place in the list is the sentence's number.

    >>> for sentence in sentences("Dr. Lee drove 2.5 miles. How far is that?"):
    ...     print([token.text for token in sentence])
    ['Dr.', 'Lee', 'drove', '2.5', 'miles', '.']
    ['How', 'far', 'is', 'that', '?']
    """
    return [tuple(group) for _, group in groupby(tokenize(text, rule), key=attrgetter("sentence"))]
