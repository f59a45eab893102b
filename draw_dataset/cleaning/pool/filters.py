"""The question: does a problem belong into the pool? Each filter looks at one record and says why not, or nothing.

The order is the one of the funnel. First come the filters that look at words alone: what is no problem at all (another
language, no question, no number), what is not linear by its words, no unknown named x (both as the paper did). Reading
equations costs more than all of these together and most pages do not get that far, so the filters that need equations
(not linear by them, none found) come last. The language of a text is told by its letters and its most common words, so
that it is the same on every machine. Filters never look at other records; `duplicates` does that.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from draw_dataset.cleaning.pool.record import Record
from draw_dataset.prose import MAX_CHARACTERS, Kind, Refusal, fold_text, plain_formulas
from draw_dataset.text import find_numbers, has_number
from draw_dataset.text.spotting import Spotter

Filter = Callable[[Record], str]
"""Says why a record is to be dropped; an empty text if it is not."""

_ASKED = re.compile(
    r"\?|\b(?:how|what|which|when|where|who|whose|why|find|determine|calculate|compute|solve|evaluate|express|write"
    r"|give|state|name|list|is it|can (?:he|she|they|it))\b",
    re.IGNORECASE,
)
_PLEA = re.compile(
    r"^\W*(?:please|pls|help|me|with|this|see|textbook|page|how|do|i|it|solve|the|problem|question|answer|\W)*$", re.I
)
_NOT_LINEAR_QUESTION = Spotter.of(
    r"\bquadratic|\bparabola|\bhypotenuse|\bpythagor|\bsquare root|\bsqrt\b|\bexponential|\blogarithm|\bcompounded\b"
    r"|\bhalf.life\b|\binequalit|\bproduct of (?:two|three|the two|their|its|these) |\btheir product\b|\bsquares? of\b"
    r"|\bsquared\b|\bcubed\b|\bcubic\b|[a-z]\s?\^\s?[2-9]|[a-z][²³]|\bprobability\b|\bcombinations?\b|\bpermutation",
    "quadratic parabola hypotenuse pythagor square sqrt exponential logarithm compounded half inequalit product cubed"
    " cubic ^ ² ³ probability combination permutation",
)
_NOT_LINEAR_EXPLANATION = Spotter.of(
    r"\bquadratic\b|\bcomplet(?:e|ing) the square|\bdiscriminant\b|\bpythagor|\bparabola\b|\bvertex\b"
    r"|(?<![a-z])[xyzntrw]\s?\^\s?2|\bsqrt\s?\(|\blog\s?\(",
    "quadratic square discriminant pythagor parabola vertex ^ sqrt log",
)
# What stands before the x is looked at after it: a pattern that begins with a letter is found faster.
_LETTER_X = re.compile(r"[xX](?<![^\W\d_'][xX])(?![^\W\d_']|-(?:axis|ray|intercept))")
_FACTOR_BEFORE = re.compile(r"(?:[\d%)]|\d\s*[A-Za-z]{2,8})\s*$")
_FACTOR_AFTER = re.compile(r"\s*(?:[$£€]?\s?\.?\d|[$£€])")
_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")
_COMMON: dict[str, frozenset[str]] = {
    language: frozenset(words.split())
    for language, words in {
        "English": """the of and to a in is that it was for on are as with his they at be this from have or by one had
            not but what all were when we there can an your which their if will each about how up out them
            then she many some so these would other into has more her two him see could no make than been
            its who now my over did down only find number much does he after times how sum old age x y i you
            me please""",
        "Spanish": """el la los las de del que y en un una es por con para se su al lo como más pero sus le ya o este
            cuántos cuántas cuál cuánto si son tiene hay entre dos tres número edad cada uno""",
        "French": """le la les de des du et en un une est que qui dans pour sur au aux par avec ce il elle sont pas
            plus ne se combien quel quelle nombre âge ans si a deux trois chaque on""",
        "German": """der die das und in von zu den mit ist ein eine einer für auf nicht sich des dem wie viele sind
            es er sie im auch als an zahl alt alter wird aus bei nach wenn zwei drei""",
        "Portuguese": """o a os as de do da dos das que e em um uma é por com para se seu ao como mais quantos quantas
            qual número idade cada anos tem são não dois três""",
        "Italian": """il lo la i gli le di del della che e in un una è per con si su al come più quanti quante quale
            numero età anni ha sono non due tre ogni""",
        "Tagalog": "ang ng sa na mga ay at kung ilan ano siya niya ito may para ni si isang dalawang bilang edad",
    }.items()
}

_LANGUAGES = {
    word: tuple(language for language, common in _COMMON.items() if word in common)
    for word in frozenset().union(*_COMMON.values())
}
"""The languages that each common word is of."""


def language_of(text: str) -> str:
    """Return ``English``, or the language or writing that a text seems to be in.

    >>> language_of("How many dimes and quarters does she have?"), language_of("¿Cuántos años tiene la hija de Juan?")
    ('English', 'Spanish')
    >>> language_of("12 + x = 5?"), language_of("Сколько лет сыну и отцу вместе?")
    ('English', 'another script')
    """
    words = _WORD.findall(text.lower())
    if not text.isascii():
        letters = sum(map(len, words))
        foreign = sum(1 for word in words for letter in word if ord(letter) > 0x24F)
        if letters and foreign * 2 > letters:
            return "another script"
    if len(words) < 4:
        return "English"  # too little to tell, and formulas have no language
    hits = dict.fromkeys(_COMMON, 0)
    for word in words:
        for language in _LANGUAGES.get(word, ()):
            hits[language] += 1
    best = max(hits, key=lambda language: (hits[language], language == "English"))
    # Names and nouns of a problem are no common words, so English is given the benefit of the doubt.
    return best if hits[best] >= 3 and hits[best] > 1.5 * hits["English"] else "English"


def uses_x(text: str) -> bool:
    """Say whether a text has x as an unknown: a token of its own, and not a times sign.

    >>> uses_x("2x + 3 = 9"), uses_x("Let x be the price"), uses_x("next 3 x 4 = 12 boxes"), uses_x("5 x $3 and 2x4")
    (True, True, False, False)
    """
    folded = fold_text(plain_formulas(text[:MAX_CHARACTERS]))
    for match in _LETTER_X.finditer(folded):
        times = _FACTOR_BEFORE.search(folded, max(0, match.start() - 12), match.start()) and _FACTOR_AFTER.match(
            folded, match.end()
        )
        if not times:
            return True
    return False


def other_language(record: Record) -> str:
    """Drop questions that are not in English."""
    language = language_of(record.posted)
    return "" if language == "English" else f"the question seems to be in {language}"


def no_question(record: Record) -> str:
    """Drop texts that ask nothing.

    Many problems are only stated ("Ann and Bob own 83 marbles, and Ann has 5 more."), as 28 of the 600
    training problems of Draw-1k are: two numbers are enough for that.
    """
    text = record.question
    if len(re.findall(r"[^\W\d_]{2,}", text)) < 4 or _PLEA.match(text):
        return "there is hardly any text"
    return "" if _ASKED.search(text) or len(find_numbers(text[:20_000])) > 1 else "there is no question"


def no_number(record: Record) -> str:
    """Drop questions without a number."""
    return "" if has_number(record.question[:20_000]) else "the question has no number"


def not_linear_by_words(record: Record) -> str:
    """Drop problems whose words speak of something that is not linear."""
    found = _NOT_LINEAR_QUESTION.search(record.question)
    if found:
        return f"the question has {found.group().strip()!r}"
    for _, text in record.explanations:
        found = _NOT_LINEAR_EXPLANATION.search(text)
        if found:
            return f"an explanation has {found.group().strip()!r}"
    return ""


def no_x(record: Record) -> str:
    """Drop problems none of whose explanations has an unknown named x, as the paper did."""
    return "" if any(uses_x(text) for _, text in record.explanations) else "no explanation has an unknown x"


def not_linear_by_equations(record: Record) -> str:
    """Drop problems whose equations are not linear."""
    if record.equations or record.reason != Refusal.NOT_LINEAR:
        return ""
    stated = next((o["text"] for o in record.others if o["kind"] == Kind.NOT_LINEAR), record.detail)
    return f"not linear: {stated}"


def no_equations(record: Record) -> str:
    """Drop problems for which no equations could be read with certainty."""
    if record.equations:
        return ""
    return f"{record.reason}: {record.detail}" if record.detail else record.reason


TEXT_FILTERS: dict[str, Filter] = {
    "other-language": other_language,
    "no-question": no_question,
    "no-number": no_number,
    "not-linear-words": not_linear_by_words,
    "no-x": no_x,
}
"""The filters that look at words alone, by name, in their order; of what they drop, no equations are read."""

EQUATION_FILTERS: dict[str, Filter] = {
    "not-linear-equations": not_linear_by_equations,
    "no-equations": no_equations,
}
"""The filters that look at the equations read of a record, by name, in their order."""

FILTERS: dict[str, Filter] = {**TEXT_FILTERS, **EQUATION_FILTERS}
"""All filters of one record by name, in their order."""
