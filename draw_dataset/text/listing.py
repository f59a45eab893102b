"""Lets a table of words be written as a line of words."""

from __future__ import annotations


def listed(words: str) -> tuple[str, ...]:
    """Return the words of a line, in order.

    >>> listed("penny nickel dime")
    ('penny', 'nickel', 'dime')
    """
    return tuple(words.split())
