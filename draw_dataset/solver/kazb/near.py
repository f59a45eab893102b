"""Reads the nouns of a text without a parser: by the words next to them and between them.

An approximation, called `near`. Nouns are what the tagger calls nouns. The head of a number is the next noun within a
few words after it, else the nearest one before it in its sentence. What "how many" asks for is the next noun after it.
An object of a preposition is the next noun after one that follows a noun. And the path between two words is the words
between them, where these are few.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from draw_dataset.solver.kazb.readings import Reading
from draw_dataset.solver.tagged_text import TaggedText, Word

REACH = 4
"""Words after a number in which its head noun is looked for, and after a preposition its object."""

LONGEST_PATH = 8
"""Words between two items that are taken for the path between them."""

QUESTION_WORDS = frozenset(["what", "which", "who", "whom", "whose", "when", "where", "how", "find", "calculate"])
"""Lemmas by which a sentence asks."""

_PREPOSITIONS = ("PRP", "PRF", "TO0")
_JOINING = frozenset(["and", "or"])


def read_near(text: TaggedText) -> Reading:
    """Return the reading of a tagged text."""
    words = text.words
    spots = frozenset(text.spots)
    nouns = tuple(at for at, word in enumerate(words) if word.is_noun and word.lemma != "#" and at not in spots)
    if not nouns:  # an occurrence of an unknown needs something to stand for
        nouns = tuple(at for at in range(len(words)) if at not in spots)[:1]
    places = [*nouns, *text.spots]
    between = {
        (one, other): words[min(one, other) + 1 : max(one, other)]
        for one in places
        for other in places
        if one != other and words[one].sentence == words[other].sentence and abs(one - other) <= LONGEST_PATH + 1
    }
    return Reading(
        lemmas=tuple(word.lemma for word in words),
        sentences=tuple(word.sentence for word in words),
        nouns=nouns,
        numbers=text.numbers,
        spots=text.spots,
        heads=tuple(head_noun(words, nouns, at) for at in text.spots),
        questions=questions_of(words),
        asked=frozenset(_asked(words, frozenset(nouns))),
        objects=_objects(words, frozenset(nouns)),
        paths={pair: tuple(_path(inside, pair[0] < pair[1])) for pair, inside in between.items()},
        relations={pair: told for pair, inside in between.items() if (told := _relation(inside))},
    )


def questions_of(words: Sequence[Word]) -> frozenset[int]:
    """Return the sentences that ask."""
    return frozenset(word.sentence for word in words if word.text == "?" or word.lemma in QUESTION_WORDS)


def head_noun(words: Sequence[Word], nouns: Sequence[int], at: int) -> int | None:
    """Return the head noun of a number: the next one within reach, else the nearest before it in its sentence."""
    own = [noun for noun in nouns if words[noun].sentence == words[at].sentence]
    following = [noun for noun in own if at < noun <= at + REACH]
    return following[0] if following else max([noun for noun in own if noun < at], default=None)


def _asked(words: Sequence[Word], nouns: frozenset[int]) -> Iterable[int]:
    for at in range(len(words) - 1):
        if words[at].lemma == "how" and words[at + 1].text in ("many", "much"):
            found = next_noun(words, nouns, at + 1)
            if found is not None:
                yield found


def next_noun(words: Sequence[Word], nouns: frozenset[int], at: int) -> int | None:
    """Return the next noun within reach, in the same sentence."""
    for following in range(at + 1, min(at + 1 + REACH, len(words))):
        if words[following].sentence != words[at].sentence:
            break
        if following in nouns:
            return following
    return None


def _objects(words: Sequence[Word], nouns: frozenset[int]) -> dict[int, frozenset[int]]:
    found: dict[int, frozenset[int]] = {}
    for noun in nouns:
        following = noun + 1
        if following < len(words) and words[following].pos in _PREPOSITIONS:
            tied = next_noun(words, nouns, following)
            if tied is not None:
                found[noun] = frozenset([tied])
    return found


def _path(between: Sequence[Word], forth: bool) -> Iterable[str]:
    yield "path"
    if not between:
        yield "adjacent"
    for lemma in dict.fromkeys(word.lemma for word in between):
        if lemma != "#":
            yield f"path {'>' if forth else '<'} {lemma}"
            if lemma in _JOINING:
                yield "joined"


def _relation(between: Sequence[Word]) -> str:
    """Return the verb or else the preposition between two words."""
    verbs = [word.lemma for word in between if word.is_verb]
    return verbs[0] if verbs else next((word.lemma for word in between if word.pos in _PREPOSITIONS), "")
