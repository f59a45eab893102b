"""Questions of a text, by rules on words: sentences that ask, their clauses, and whether they ask for one thing.

These rules serve texts without a column `asked`, which `draw_dataset.derivation.problem` reads. `is_ambiguous` decides
whether an aligned value stands at more than one place of the text.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

from draw_dataset.algebra.number import equals_stored
from draw_dataset.derivation.problem import Problem
from draw_dataset.text.lexicon import LEXICON, WordClass, split_words
from draw_dataset.text.numbers import find_numbers
from draw_dataset.text.tokens import tokenize
from draw_dataset.text.units import spellings

MEASURES = spellings() | frozenset(
    split_words(
        "acre acres unit units mph kph knots cubic square cm3 part parts percent % degree degrees centiliters bushels "
        "teaspoons calories kilowatt"
    )
)
"""Words after "how many" that name a measure, not a count."""

_SENTENCE = re.compile(r"[^.?!]*[.?!]?")
_ASKS = re.compile(
    r"\b(?:how|what|which|when|find|determine|calculate|compute|where|who|give|state|solve|whose)\b", re.IGNORECASE
)
_IMPERATIVE = re.compile(
    r"^\W*(?:then |please )?(?:find|determine|calculate|compute|what|how|give|solve)\b", re.IGNORECASE
)
_ALL = re.compile(
    r"\b(?:each|both|(?:the|these|those|two|2|three|3) (?:two |2 |three |3 |original |positive )?"
    r"(?:numbers|integers|ages|speeds|rates|prices|costs|amounts|values|lengths)|"
    r"their (?:present |current |own )?(?:ages|speeds|rates)|what are|respectively|"
    r"how old are (?:they|\w+ and \w+|each))\b",
    re.IGNORECASE,
)
_PAIR = re.compile(
    r"\bhow (?:many|much|old|fast|long) (?:[\w'$%.-]+ ){1,5}?and (?:how (?:many|much) )?"
    r"(?!replaced?\b|still\b|mix|to\b|get\b)"
    r"|\b(?:find|what is|what was|determine|what are) the (?:[\w'%.-]+ ){1,8}?and (?:the|a|an|of|how|what|that|for)\b",
    re.IGNORECASE,
)
_CLAUSE = re.compile(
    r"\b(?:how|what|which|find|determine|calculate|give|compute|who|when|where)\b.*", re.IGNORECASE | re.DOTALL
)
_CONDITION = re.compile(r"\s(?:if|so that|in order to|such that|given that|when|assuming)\s", re.IGNORECASE)
_SEVERAL = re.compile(
    r"\b(?:each|both|numbers|integers|ages|dimensions|angles|respectively|amounts|values|rates|speeds|prices|costs|digits"
    r"|what are|how many .{1,60}\band\b|find .{1,60}\band\b|what (?:is|was) .{1,60}\band\b)\b",
    re.IGNORECASE,
)
_COUNTED = re.compile(r"\bhow many (?:of (?:the|each|these|his|her) )?((?:[\w$%'/-]+ ?){1,6})", re.IGNORECASE)
_ABOUT_NUMBERS = re.compile(
    r"\b(?:numbers?|integers?|intergers?|intergers|digits?|unknown|numerator|denominator)\b", re.IGNORECASE
)
_ABOUT_AGES = re.compile(r"\b(?:years? old|how old|ages?|older|younger|years? ago)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Span:
    """A sentence of a text, with its offsets."""

    start: int
    end: int
    text: str


def sentences_of(text: str) -> list[Span]:
    """Return the sentences of a text; a full stop inside a number or an abbreviation ends none."""
    masked = re.sub(
        r"(?<=\d)\.(?=\d)|(?<=\s)\.(?=\d)|\b(?:Mr|Mrs|Ms|Dr|oz|lbs?|hrs?|approx)\.",
        lambda m: m[0].replace(".", "_"),
        text,
    )
    return [
        Span(match.start(), match.end(), text[match.start() : match.end()].strip())
        for match in _SENTENCE.finditer(masked)
        if match[0].strip()
    ]


def questions_of(text: str) -> list[Span]:
    """Return the sentences that ask: those with a question mark, or that begin as a request; else the last one.

    >>> [q.text for q in questions_of("Ann has 5 hens . How many legs is that ? Find the sum .")]
    ['How many legs is that ?', 'Find the sum .']
    """
    spans = sentences_of(text)
    asking = [s for s in spans if s.text.endswith("?") or _IMPERATIVE.match(s.text)]
    return asking or [s for s in spans[-1:] if _ASKS.search(s.text)]


class TaggedWord(Protocol):
    """A word of a tagged text."""

    @property
    def sentence(self) -> int:
        """The sentence it stands in."""

    @property
    def text(self) -> str:
        """The word in lower case."""

    @property
    def lemma(self) -> str:
        """Its dictionary form."""


def asking_sentences(words: Iterable[TaggedWord], cues: Collection[str]) -> frozenset[int]:
    """Return the sentences of a tagged text that ask: those with a question mark, or with one of the cue lemmas."""
    # The cues are not those of `questions_of`: trained solvers have weights for their own.
    return frozenset(word.sentence for word in words if word.text == "?" or word.lemma in cues)


def is_about_numbers(text: str) -> bool:
    """Decide whether a text is about numbers as such, which may be negative or fractions."""
    return _ABOUT_NUMBERS.search(text) is not None


def is_about_ages(text: str) -> bool:
    """Decide whether a text is about ages."""
    return _ABOUT_AGES.search(text) is not None


def counts_asked(text: str) -> list[str]:
    """Return the words after every "how many" of a text that asks for a count, not for a measure.

    >>> counts_asked("How many hens are there ? How many hours ?")
    ['hens are there ']
    """
    found = []
    for span in questions_of(text):
        for match in _COUNTED.finditer(span.text):
            words = match[1].lower().split()
            if not MEASURES.intersection(words[:3]):
                found.append(match[1].lower())
    return found


def clause_of(sentence: str) -> str:
    """Return the words of a sentence that ask, without its conditions; nothing if none asks.

    >>> clause_of("If a pen costs 3 and she pays 9 , how many pens does she get if there is no tax ?")
    'how many pens does she get'
    """
    match = _CLAUSE.search(_CONDITION.split(sentence)[0]) or _CLAUSE.search(sentence)
    return _CONDITION.split(match[0])[0].rstrip(" .?!") if match else ""


_THING_ASKED = (
    re.compile(
        r"^how many (?!more\b|fewer\b|less\b|times\b)(?:of (?:the|these|those|his|her|their) )?(.+?)"
        r"(?= (?:are|is|was|were|will|would|must|should|can|could|did|does|do|has|have|had|may|that|who|which|in|on|at|"
        r"if|for)\b|$)",
        re.IGNORECASE,
    ),
    re.compile(r"^how old (?:is|was) ([A-Za-z][\w' .-]*?)(?: now| today)?$", re.IGNORECASE),
    re.compile(
        r"^how much (?:does|do|did|is|are|was|were) (?:the price of |the cost of )?"
        r"(?:a|an|one|each|1|every|(?:a )?single|the) ([\w' -]+?)(?: (?:each|cost|weigh))?$",
        re.IGNORECASE,
    ),
    re.compile(
        r"^(?:what (?:is|was)|find|determine|calculate|compute) (?:the )?"
        r"(?:number|price|cost|age|weight|length|width|height|speed|rate|amount|value) of ([\w' -]+)$",
        re.IGNORECASE,
    ),
    re.compile(
        r"^(?:what (?:is|was)|find|determine|calculate|compute) the "
        r"((?:larger|greater|bigger|smaller|lesser|largest|greatest|smallest|least) (?:number|integer|one))$",
        re.IGNORECASE,
    ),
)


def thing_asked(text: str) -> str:
    """Return the words for the one thing that a text asks for; nothing if it asks for several, or is not understood.

    >>> thing_asked("Pens cost 3 and caps 2 . How many red pens did Al buy ?")
    'red pens'
    >>> thing_asked("How many more pens than caps are there ?"), thing_asked("How many pens and caps are there ?")
    ('', '')
    """
    asking = questions_of(text)
    clause = clause_of(asking[0].text) if len(asking) == 1 else ""
    if not clause or names_all(clause) or asks_for_pair(clause):
        return ""
    found = next((match for form in _THING_ASKED if (match := form.match(clause.strip()))), None)
    return "" if found is None or _TOGETHER.search(clause) else found[1]


_TOGETHER = re.compile(
    r"\b(?:together|altogether|total|in all|combined|sum|difference|more|fewer|less|than|times|and|or|left"
    r"|remain\w*)\b",
    re.IGNORECASE,
)


def names_all(clause: str) -> bool:
    """Decide whether a clause asks for all of some things: each, both, the numbers, their ages."""
    return _ALL.search(clause) is not None


def asks_for_pair(clause: str) -> bool:
    """Decide whether a clause asks for one thing and another: how many x and y."""
    return _PAIR.search(clause) is not None


def asks_for_one(text: str) -> bool:
    """Decide whether a text asks for one thing only.

    >>> asks_for_one("A sum is 20 . How many dimes are there ?"), asks_for_one("Find the two numbers .")
    (True, False)
    """
    asking = questions_of(text) or sentences_of(text)[-1:]
    if len(asking) != 1:
        return False
    clause = clause_of(asking[0].text) or asking[0].text
    return not (names_all(clause) or asks_for_pair(clause) or _SEVERAL.search(clause))


# Ambiguous problems: a value of the equation system stands at several places of the text. The paper does not say which
# words it counted as numbers. Two readings:
# *Word by word*: the numbers of `find_numbers` except articles, and every word that is a number in some context: the
# pronoun *one*, coins, twice, odd and even, and the head of a hyphenated word (two-digit). Nearest to its Table 2.
# *In context*: the row's own `numbers`, the paper's Q(x) as we publish it. The pronoun is not a number there.

_NUMBERS_BY_THEMSELVES = frozenset(
    [WordClass.CARDINAL, WordClass.SCALE, WordClass.MULTIPLIER, WordClass.COIN, WordClass.PARITY]
)


def is_ambiguous(problem: Problem) -> bool:
    """Decide whether an aligned value stands on two or more number tokens, read word by word."""
    values = numbers_word_by_word(problem.question)
    return any(sum(equals_stored(a.value, value) for value in values) >= 2 for a in problem.alignment)


def is_ambiguous_in_context(problem: Problem) -> bool:
    """Decide whether an aligned number shares its value with another number of the row."""
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
        value = _word_value(token.text.lower(), inside)
        if value is not None and not (inside and value == found[position].value):
            values.append(value)
    return values


def _word_value(word: str, inside: bool) -> Fraction | None:
    """Return the value of a word without its context; inside a number that was found, only that of the word's head."""
    entry = LEXICON.get(word)
    if entry is not None:
        return entry[1] if not inside and entry[0] in _NUMBERS_BY_THEMSELVES else None
    head, hyphen, _ = word.partition("-")
    entry = LEXICON.get(head) if hyphen else None
    return entry[1] if entry is not None and entry[0] is WordClass.CARDINAL else None
