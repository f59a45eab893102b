"""Decides whether the dot after a word belongs to the word or ends the sentence.

Four kinds of words carry a dot, and they differ in what may follow. A title (``Mr.``) leads to a name, so
its dot is its own unless a word follows that begins sentences (``on Main St. How far ...``). A connective
(``e.g.``) never ends a sentence that goes on. A number sign (``No. 5``) needs a number. Everything else,
units of measure above all (``12 ft. long``, ``5 p.m.``), may end a sentence, and does so when a capital
letter follows. At the end of the text a dot always ends the sentence: an abbreviation then gives it up.
"""

from __future__ import annotations

from draw_dataset.text.listing import listed

_TITLES = frozenset(listed("mr mrs ms dr prof st mt rev gen col capt sgt lt"))
_CONNECTIVES = frozenset(listed("vs eg ie e.g i.e cf viz approx fig"))
_NUMBER_SIGNS = frozenset(listed("no nos"))
# Symbols such as km, kg or mph take no dot: after them it ends the sentence.
_OTHERS = frozenset(
    listed(
        "ft lb lbs oz hr hrs min mins sec secs yd yds gal gals qt qts pt pts mi yr yrs mo mos wk wks doz pkg "
        "sq cu max avg est etc co inc ltd corp ave blvd rd dept jr sr jan feb mar apr jun jul aug sep sept "
        "oct nov dec"
    )
)
ABBREVIATIONS = _TITLES | _CONNECTIVES | _NUMBER_SIGNS | _OTHERS

# Words that begin a sentence far more often than they are a name.
_STARTERS = frozenset(
    listed(
        "a an the this that these those he she it they we you i his her their its my our in on at if when "
        "then how what which who where why find determine calculate suppose each one two three there after "
        "before both for as is are do does did will can some all assume write solve given let to from by with"
    )
)


def keeps_dot(word: str, following: str) -> bool:
    """Say whether the dot glued to a word is part of the word.

    Args:
        word: the word before the dot, as written and without that dot: ``Mr``, ``e.g``, ``ft``, ``J``.
        following: the next word of the text as written; empty when no word follows.

    >>> keeps_dot("Mr", "Hall"), keeps_dot("ft", "long"), keeps_dot("ft", "How"), keeps_dot("dogs", "and")
    (True, True, False, False)
    """
    if not following:
        return False
    low = word.lower()
    if low in _CONNECTIVES:
        return True
    if low in _NUMBER_SIGNS:
        return following[0].isdigit()
    if low in _TITLES:
        return following.lower() not in _STARTERS
    if low in _OTHERS or "." in word:
        return not following[0].isupper()
    # An initial, as in J. Hall; but "the point B. How far" ends a sentence.
    return len(word) == 1 and word.isupper() and following[0].isupper() and following.lower() not in _STARTERS
