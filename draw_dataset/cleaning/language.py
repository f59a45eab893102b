"""The question: is a text in English? Decided by its letters and its most common words; the same on every machine."""

from __future__ import annotations

import re

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


def language_of(text: str) -> str:
    """Return ``English``, or the language or writing that a text seems to be in.

    >>> language_of("How many dimes and quarters does she have?"), language_of("¿Cuántos años tiene la hija de Juan?")
    ('English', 'Spanish')
    >>> language_of("12 + x = 5?"), language_of("Сколько лет сыну и отцу вместе?")
    ('English', 'another script')
    """
    words = [word.lower() for word in _WORD.findall(text)]
    letters = sum(map(len, words))
    foreign = sum(1 for word in words for letter in word if ord(letter) > 0x24F)
    if letters and foreign * 2 > letters:
        return "another script"
    if len(words) < 4:
        return "English"  # too little to tell, and formulas have no language
    hits = {language: sum(word in common for word in words) for language, common in _COMMON.items()}
    best = max(hits, key=lambda language: (hits[language], language == "English"))
    # Names and nouns of a problem are no common words, so English is given the benefit of the doubt.
    return best if hits[best] >= 3 and hits[best] > 1.5 * hits["English"] else "English"
