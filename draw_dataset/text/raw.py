"""Finds the tokens of a text that nobody has tokenised.

One pass of one regular expression cuts the text into pieces: numbers with their decimals, thousands and
glued units (``1,000ml``, ``20-dollar``, ``2/3``), words with inner hyphens (``three-legged``), clitics
(``'s``), dotted abbreviations (``p.m.``), and every other sign alone (``$``, ``%``, brackets, quotes). On
the way a dot is given back to the abbreviation it belongs to, and ``don't`` is cut before ``n't``.

Four kinds of words carry a dot, and they differ in what may follow. A title (``Mr.``) leads to a name, so
its dot is its own unless a word follows that begins sentences (``on Main St. How far ...``). A connective
(``e.g.``) never ends a sentence that goes on. A number sign (``No. 5``) needs a number. Everything else,
units of measure above all (``12 ft. long``, ``5 p.m.``), may end a sentence, and does so when a capital
letter follows. At the end of the text a dot always ends the sentence: an abbreviation then gives it up.

The result follows the conventions of the release's own text, so that joining the tokens by blanks gives a
text which the release's rule cuts at the same places: ``$5`` becomes ``$ 5``, ``20%`` becomes ``20 %``,
``Tom's`` becomes ``Tom 's``; a sentence ends after ``.``, ``?`` or ``!``.

Every repetition is possessive or bounded, and what is matched is consumed: the time is linear in the text.
"""

from __future__ import annotations

import re

from draw_dataset.text.lexicon import listed

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


_PIECE = re.compile(
    r"""
    [^\W\d_]++(?!\S)                                          # most tokens: a plain word before a blank
  | (?:https?://|www\.)\S++
  | \d{1,2}:[0-5]\d(?=\s?[aApP]\.?[mM])                       # 5:30 pm; any other colon is a ratio and is cut
  | \d{4}-\d{4}(?!\w)                                         # 1998-1999
  | (?<!\w)(?:[rR]s\.?|P[hH][pP]|P)(?=\d\d)                   # P25,000 and Rs.500 are cut after the currency
  | (?:(?<![^\s(\[=<>"'])-(?=\.?\d))?                         # a sign, but not the hyphen of 5-10 or x-5
    (?: (?: \d{1,3}(?:,\d{3}){1,12}+(?!\d|,\d) | \d++ ) (?:\.\d++)?+ | (?<![\w.])\.\d++ )
    (?:/\d++){0,2}+ (?:-\d++/\d++)?+                          # 2/3, 12/25/2001, 2-1/2
    (?:[^\W\d_]++(?:/[^\W\d_]++)*+)?+ (?:-[^\W\d_]++)*+       # 10ml, 60km/h, 12-year-old
  | (?<!\w)[^\W\d_](?:\.[^\W\d_]){1,5}+(?!\w)\.?              # e.g., p.m., U.S.A.
  | [^\W_]++
    (?: [-/&](?=[^\W\d_])[^\W_]++                             # three-legged, km/h, Q&A
      | (?<=[^\W\d_]{2})-\d++                                 # Route-66, but x-5 is cut
      | '(?!(?:[sSdDmMtT]|re|RE|ve|VE|ll|LL)(?!\w))[^\W\d_]++ # o'clock, O'Brien
    )*+
    (?:\.(?:com|org|net|edu|gov)(?!\w))?
  | '(?:[sSdDmMtT]|re|RE|ve|VE|ll|LL)(?!\w)
  | \.{2,}+ | -{2,}+ | _{2,}+
  | \S
    """,
    re.VERBOSE,
)
_NEXT_WORD = re.compile(r"""\s*+["'(\[]?([^\W_]{0,20})""")


def raw_spans(folded: str) -> list[tuple[int, int]]:
    """Return the (start, end) offsets of the tokens of a folded text that is not tokenised.

    >>> text = "Mr. Hall doesn't owe $2.50."
    >>> [text[start:end] for start, end in raw_spans(text)]
    ['Mr.', 'Hall', 'does', "n't", 'owe', '$', '2.50', '.']
    """
    spans: list[tuple[int, int]] = []
    word, last_end = "", -1
    for piece in _PIECE.finditer(folded):
        text, (start, end) = piece.group(), piece.span()
        if text[-1] != "." and text[0] != "'":
            spans.append((start, end))  # nearly all of them
        elif text == "." and start == last_end and _may_carry_dot(word) and _keeps(word, folded, end):
            spans[-1] = (spans[-1][0], end)
        elif len(text) > 1 and text[-1] == "." and "." in text[:-1] and text[0] != ".":
            # A dotted abbreviation comes with its last dot, which it must give up at the end of a sentence.
            if _keeps(text[:-1], folded, end):
                spans.append((start, end))
            else:
                spans += (start, end - 1), (end - 1, end)
        elif text in ("'t", "'T") and start == last_end and len(word) > 1 and word[-1] in "nN":
            spans[-1:] = [(spans[-1][0], start - 1), (start - 1, end)]
        else:
            spans.append((start, end))
        word, last_end = text, end
    return spans


def _may_carry_dot(word: str) -> bool:
    return len(word) == 1 or word.lower() in ABBREVIATIONS


def _keeps(word: str, folded: str, end: int) -> bool:
    following = _NEXT_WORD.match(folded, end)
    return following is not None and keeps_dot(word, following.group(1))


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
