"""Tokens of plain text: words, numbers, names and signs, and the ends of clauses.

A clause ends at the end of a sentence, at a colon, a semicolon, a comma that is not inside a number, and at the end of
a line, unless the next line continues with an operator or an equals sign. A zero typed as an o is read as zero. Which
letters are names is decided in `names`.
"""

from __future__ import annotations

import re
from fractions import Fraction
from functools import lru_cache
from typing import ClassVar, NamedTuple

from draw_dataset.text.units import MEASURED
from draw_dataset.text.units import UNITS as MEASURES


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_MEASURED = [
    (word, (unit.family, unit.name)) for unit in MEASURES.values() if unit.family in MEASURED for word in unit.spellings
]

# A unit's family and name by each of its spellings: two units of one family in an equation must not be dropped.
UNITS: dict[str, tuple[str, str]] = {word: unit for word, unit in _MEASURED if len(word) > 1 or word == "¢"} | {
    word: (family, words.split()[0])
    for family, words in (
        ("speed", "mph"), ("speed", "kph kmh"), ("speed", "knots"), ("angle", "degree degrees deg"),
        ("work", "job jobs"), ("count", "unit units"),
    )
    for word in words.split()
}  # fmt: skip

# Letters that may be a unit after a number, with family and unit.
UNIT_LETTERS: dict[str, tuple[str, str]] = {
    **{word: unit for word, unit in _MEASURED if len(word) == 1 and word.isalpha()},
    "s": ("time", "second"),
}

# Words that take part in a calculation: an equation standing right next to one is not read without them.
CALCULATING = _words(
    """twice half double doubled triple tripled thrice quadruple times time plus minus less more than percent per of by
    sum difference product quotient ratio multiplied divided divide multiply subtract subtracting add adding increased
    decreased squared cubed square cube root hundred thousand million billion dozen third thirds fourth fourths quarter
    fifth both each into from over under average mean total exceeds fewer older younger longer shorter greater smaller
    faster slower between at to the a an"""
)

# Those of them that begin an instruction for the next step if they stand after an equation.
INSTRUCTIONS = _words("subtract subtracting add adding divide multiply each both to at the total average from")
# Words after which, or before which, an equation stands complete.
LEADING = _words(
    """so then thus hence therefore and or we get have has gives give giving given becomes become equation equations eq
    solve solving solved since because where when which that this is are means if now but also implies implying
    yields yield let simplify simplifying simplified substitute substituting again using use write set equals say
    call know see find note check answer solution result finally first second next i you it its as simply rewrite
    combine combining collect factor expand distribute distributing cancel plug plugging isolate with us our be can
    will must should follows namely i.e e.g ie eg therefor gets obtain obtained obtains system approximately about
    approx exactly left only rounded respectively here there expression he she they was were had would could gave
    represents represent makes make leaves earns pays spends needs sells buys bought runs eats uses used sold takes
    took drinks gains saves saved there's that's it's equal by"""
)

# Words that say that a value is rounded.
APPROXIMATE = _words("approximately about approx around roughly nearly almost rounded")
# Functions: with one of an unknown an equation is not linear.
FUNCTIONS = _words("sqrt root abs log ln sin cos tan exp")
# Further words that are units after a stroke: $0.60/egg.
COUNTED = _words(
    "person people item each ticket page word dozen box bag bottle pack egg apple piece game class student car g"
)

# Words that do not tell one named quantity from another.
STOP_WORDS = _words(
    """the a an of for by in to at is are was were be been will would can could that this these those his her their its
    our my your we he she it they there and so then thus therefore hence which has have had get gives gave now if when
    as since because let call say us each per on from with do does also just simply find need know given i.e"""
)

# Words between which and a number no new expression begins: cost of 3 apples.
PART_OF_NAME = _words("of for in with after at from to on every each per first last next than by")
# Words that may stand between such a word and the number.
DETERMINERS = _words("the remaining other new old original same full")
AGO = _words("ago later earlier hence before from")  # words after a time that make it part of a name: age 8 years ago
# Words after which "of" leads in: a total of 3 apples + 4 apples.
LEADS_IN = _words("total sum product difference equation value result out one half all rest")
# Words whose full stop does not end a sentence.
ABBREVIATIONS = _words("lb lbs oz ft in hr hrs min mins sec mi gal qt pt yd tbsp tsp mr mrs dr st approx no vs")
# Words that may stand for an equals sign.
COPULAS = _words("is are be was were represents represent equals becomes been")
# Words that may stand between an equals sign and what follows.
FILLERS = _words(
    """the also just only then now given represented by as equal to approximately about simply therefore called
    exactly"""
)

JOINING = _words("minus plus and times less")  # words that join what stands in brackets after other words
# Words that make the number before them part of a comparison: B is 4 years older than E.
COMPARING = _words(
    """than more less older younger times greater fewer longer shorter faster slower larger smaller of percent and plus
    minus"""
)


MAX_TOKENS = 12_000  # tokens read per text
MAX_DIGITS = 24  # digits per number; a longer number counts as a word


class Sort:
    """Sort of a token, one object of each, compared with ``is``.

    Not an Enum, because looking up members in Python 3.11 took more than a tenth of the time of reading an answer.
    """

    __slots__ = ("name",)

    NUMBER: ClassVar[Sort]
    NAME: ClassVar[Sort]
    WORD: ClassVar[Sort]
    OPERATOR: ClassVar[Sort]
    EQUALS: ClassVar[Sort]
    COMPARISON: ClassVar[Sort]
    PERCENT: ClassVar[Sort]
    CURRENCY: ClassVar[Sort]
    COMMA: ClassVar[Sort]
    STOP: ClassVar[Sort]
    BOX: ClassVar[Sort]

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"Sort.{self.name}"

    def __reduce__(self) -> tuple[object, ...]:
        # A copy, or a sort from another process, is the same object.
        return getattr, (Sort, self.name)


for _name in Sort.__annotations__:
    setattr(Sort, _name, Sort(_name))


class Token(NamedTuple):
    """A token of the plain text."""

    sort: Sort
    text: str  # as it stands, names and words in small letters
    start: int
    end: int
    value: Fraction | None = None  # set for a number
    glued: bool = False  # no blank before it
    line: bool = False  # first token of its line


# A blank after a token is taken along: no token begins with one, so no alternative need be tried there. Repetitions are
# bounded, because where no alternative fits all are tried again at the next place.
_TOKEN = re.compile(
    r"""
    (?:
    (?P<common>[A-Za-z][a-z]+(?=[ ,\n:;()=?!]))
  | (?P<q>(?<![^\W\d_])[qQ]_?(?P<rank>[1-9]\d{0,2})(?![\d_]))
  | (?P<ordinal>(?<![/\d.])\d+(?:st|nd|rd|th)\b)
  | (?P<number>(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?:\.\d+)?|\.\d+)(?P<thousand>[ ]?(?:million|billion)\b)?
  | (?P<identifier>[A-Za-z](?:[A-Za-z0-9]{0,60}_[A-Za-z0-9_]{1,60}|\d{1,2})(?!\w))
  | (?P<letter>[A-Za-zα-ωΑ-Ω](?![A-Za-z'’&_α-ω]))
  | (?P<long>[^\W\d_]{60,}+)
  | (?P<word>[^\W\d_]+(?:['’.&-][^\W\d_]{2,}|'[^\W\d_])*\d?\b\.?(?=[^\W\d_]?))
  | (?P<equals>[=≈])
  | (?P<comparison>[<>≤≥≠])
  | (?P<operator>[-+*/^()\[\]±])
  | (?P<currency>[$£€])
  | (?P<percent>%)
  | (?P<comma>,)
  | (?P<box>[\x02\x03])
  | (?P<stop>[.;:?!|]|\n)
    )[ ]?
    """,
    re.VERBOSE,
)
_SORTS = {
    "equals": Sort.EQUALS, "comparison": Sort.COMPARISON, "operator": Sort.OPERATOR, "currency": Sort.CURRENCY,
    "percent": Sort.PERCENT, "comma": Sort.COMMA, "box": Sort.BOX, "stop": Sort.STOP, "letter": Sort.NAME,
    "identifier": Sort.NAME, "q": Sort.NAME, "number": Sort.NUMBER, "thousand": Sort.NUMBER,
}  # fmt: skip
_WORD, _NUMBER = Sort.WORD, Sort.NUMBER
_THOUSANDS = {"million": 10**6, "billion": 10**9}
_CROSS = re.compile(r"[xX]\d{1,2}")
_DIGIT_AND_O = re.compile(r"[\d.][oO]")
_TYPO = re.compile(r"(?<![\w.])(?:\d*\.\d*[oO]+\d[\doO]*|\d+[oO]+\d+|\.\d+[oO]+(?![A-Za-z]))")
_GOES_ON = re.compile(r"[=+*/≈]|-\s")
_SOLID = re.compile(r"\S")


def raw_tokens(text: str) -> list[Token]:
    """Return the tokens of a plain text before anything is decided by their neighbours; names keep their case."""
    if _DIGIT_AND_O.search(text):
        text = _TYPO.sub(lambda match: match.group().lower().replace("o", "0"), text)
    found: list[Token] = []
    end = solid = -1
    fresh = True
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup or ""
        start, word = match.start(), match[kind]
        if kind == "common":  # most tokens
            found.append(_new(Token, (_WORD, word.lower(), start, start + len(word), None, start == end, fresh)))
            end, fresh = start + len(word), False
            if len(found) >= MAX_TOKENS:
                break
            continue
        glued = start == end
        end = start + len(word)
        sort, shown, value = _SORTS.get(kind, _WORD), word, None
        if kind == "word":
            shown = word.lower()
            if shown.endswith("."):
                # A full stop after a word ends the sentence, unless the word is short for a unit.
                if shown[:-1] not in ABBREVIATIONS or _ends_sentence(text, end):
                    end -= 1
                shown = shown[:-1]
        elif kind == "identifier":
            if glued and _CROSS.fullmatch(word) and found[-1].sort is _NUMBER:
                # 700x2 is a product, though x2 alone is a name.
                found.append(Token(Sort.OPERATOR, "*", start, start + 1, None, glued))
                start += 1
                sort, shown, value = _NUMBER, word[1:], Fraction(word[1:])
                fresh = False
        elif kind in ("number", "thousand"):
            shown, thousand = match.group("number", "thousand")
            digits = shown.replace(",", "")
            end = start + len(shown) + len(thousand or "")
            if len(digits) > MAX_DIGITS:
                sort, shown = _WORD, "number"
            else:
                value = _value(digits)
                if thousand:
                    value *= _THOUSANDS[thousand.strip().lower()]
        elif kind == "q":
            shown = f"q{match['rank']}"
        elif kind in ("ordinal", "long"):
            shown = word.lower()
        elif word == "\n":
            if solid < end:  # looked for once in a blank stretch, not once a line
                after = _SOLID.search(text, end)
                solid = after.start() if after else len(text)
            if found and _ends_operand(found[-1]) and _GOES_ON.match(text, solid):
                end = -1
                continue
            if found and found[-1].sort is Sort.EQUALS and re.match(r"[ ]*\S", text[end : end + 40]):
                end = -1
                continue
            fresh = False
        # A Token by the tuple's own constructor: that takes less than half the time, and texts have hundreds of them.
        found.append(_new(Token, (sort, shown, start, end, value, glued, fresh)))
        fresh = word == "\n"
        if kind == "word" and end < start + len(word):
            found.append(_new(Token, (Sort.STOP, ".", end, end + 1, None, True, False)))
        if len(found) >= MAX_TOKENS:
            break
    return found


_new = tuple.__new__


@lru_cache(maxsize=4096)
def _value(digits: str) -> Fraction:
    # The same few numbers are written again and again.
    whole, _, decimals = digits.partition(".")
    return Fraction(int(whole + decimals), 10 ** len(decimals))


def _ends_sentence(text: str, end: int) -> bool:
    rest = text[end : end + 3]
    return not rest.strip(" ") or rest[:1] == "\n" or (rest[:1] == " " and rest[1:2].isupper())


def _ends_operand(token: Token) -> bool:
    return token.sort in (Sort.NUMBER, Sort.NAME, Sort.PERCENT) or token.text in (")", "]") or token.sort is Sort.WORD
