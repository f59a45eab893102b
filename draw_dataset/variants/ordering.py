"""Sentences of a text that can change places: neighbours of one form that refer to nothing in each other.

Two sentences change places only if both state something with a number in the same form, neither has a word that points
back (a pronoun, *the other*, *then*), no noun is introduced in one for the other, no events follow each other, and the
sentence after them does not point at the last one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from draw_dataset.text.lexicon import singular, split_words
from draw_dataset.text.numbers import RANK_WORDS, NumberWords, find_numbers
from draw_dataset.text.question import questions_of
from draw_dataset.text.tokens import Rule, Token, sentences
from draw_dataset.text.units import spellings

POINTERS = frozenset(
    split_words(
        "he she it they him her his hers its their theirs them himself herself itself themselves this that these those "
        "such other another others same either neither also too then next later afterwards afterward after before "
        "finally now again still already yet however but so therefore thus hence instead rest remaining remainder "
        "left remained last first second third fourth former latter respectively meanwhile altogether total together "
        "combined additional extra even only which who whose whom there here thereafter initially originally else "
        "both each every everyone everybody sum average difference overall"
    )
)
_POINTING_AT_LAST = frozenset(
    split_words(
        "he she it him her his hers its himself herself itself this that these those such other another others rest "
        "then remaining remainder former latter respectively also too instead so later afterwards after latter same"
    )
)
_PLURAL = frozenset(split_words("they them their theirs themselves"))
_IN_ORDER = frozenset(split_words("first second third fourth last next former latter respectively previous one"))
TIMES = frozenset(
    split_words(
        "yesterday today tomorrow tonight monday tuesday wednesday thursday friday saturday sunday morning afternoon "
        "evening night noon midnight when while until till since once during earlier ago begins ends begin end "
        "start starts started starting stops stopped weekend january february march april may june july august "
        "september october november december breakfast lunch dinner begun began finished finish if suppose assume "
        "because let"
    )
)
_STATES = frozenset(
    split_words(
        "is are was were has have had costs cost sells weighs weighed weigh holds contains contain earns makes charges "
        "pays needs takes take runs drives walks travels works reads drinks eats owns collects lives measures gives "
        "produces sells sold scored bought picked read ate drank walked ran drove swam caught collected worked made "
        "baked planted found saw counted wrote invested earned saved sang got received paid ordered used uses weighs "
        "can could will typed types cuts mows paints flies travels traveled rode rides jogs jogged won lost spent "
        "donated brought grew gained raised cut painted built solved answered watched played carries carried provides "
        "yields plans wants likes"
    )
)
_EVENTS = frozenset(
    split_words(
        "sold scored bought picked ate drank walked ran drove swam caught collected made baked planted found "
        "counted wrote earned saved got received paid ordered used traveled rode jogged won lost spent "
        "donated brought grew gained raised cut painted built gave took left returned put threw broke gives "
        "buys sells loses gets finds puts throws breaks moves moved adds added removed removes mixed poured "
        "took shared divided gone went came comes goes decides decided borrowed lent stole dropped fell invited "
        "joined married died born split filled emptied wins"
    )
)
_FUNCTION = (
    frozenset(
        split_words(
            "a an the of in on at to from for with by as per and or than more less fewer twice times half not no "
            "many much "
            "how what is are was were has have had be been do does did will can could would years year old older "
            "younger "
            "number percent cent cents dollar dollars $ % , . ; : & amount each one two three four five six "
            "seven eight "
            "nine ten as equal least most up out about into over his"
        )
    )
    | spellings()
)
_COMPARING = frozenset(
    split_words(
        "more less fewer older younger taller shorter longer heavier lighter faster slower larger smaller bigger "
        "greater higher lower cheaper wider thicker thinner farther further"
    )
)
_OPENERS = frozenset(
    split_words("one some half part most none all few many several two three four five of and or for also to in")
)
_MOST_UNEQUAL = 2  # how many times longer one sentence may be than the other


@dataclass(frozen=True, slots=True)
class Exchange:
    """Two neighbours that can change places, by their offsets."""

    first: tuple[int, int]
    second: tuple[int, int]
    recased: bool = False  # whether the first one begins a sentence, and the second one does not


@dataclass(frozen=True, slots=True)
class _Sentence:
    """A sentence as the rules see it."""

    tokens: tuple[Token, ...]
    words: tuple[str, ...]  # in lower case
    asks: bool
    counts: int  # its numbers

    @property
    def span(self) -> tuple[int, int]:
        return self.tokens[0].start, self.tokens[-1].end

    @property
    def present(self) -> frozenset[str]:
        return frozenset(self.words)

    @property
    def nouns(self) -> frozenset[str]:
        """The words with a meaning of their own, without verbs and units, in the singular."""
        return frozenset(
            singular(word)
            for word in self.words
            if word[0].isalpha() and word not in _FUNCTION | _STATES | _EVENTS | _COMPARING and len(word) > 1
        )

    @property
    def names(self) -> frozenset[str]:
        """The words with a capital, but for the first one if it is no name."""
        return frozenset(
            token.text
            for token in self.tokens
            if token.text[0].isupper() and token.text.lower() not in _FUNCTION | _OPENERS
        )

    @property
    def definite(self) -> frozenset[str]:
        """The nouns after a definite article."""
        found: set[str] = set()
        for at, word in enumerate(self.words):
            if word == "the":
                for other in self.words[at + 1 : at + 4]:
                    if other in _FUNCTION | _STATES | _EVENTS or not other[0].isalpha():
                        break
                    found.add(singular(other))
        return frozenset(found)


def exchanges(text: str, rule: Rule, number_words: NumberWords) -> Iterator[Exchange]:
    """Yield the pairs of sentences of a text that can change places.

    >>> text = "Mona has 3 pens . Omar has 5 cups . How many things are there ?"
    >>> [(text[slice(*one.first)], text[slice(*one.second)]) for one in exchanges(text, "release", "standard")]
    [('Mona has 3 pens .', 'Omar has 5 cups .')]
    >>> list(exchanges("Mona has 3 pens . She buys 5 cups . How many are there ?", "release", "standard"))
    []
    """
    asking = questions_of(text)
    numbers = find_numbers(text, number_words, rule)
    found = []
    for at, tokens in enumerate(sentences(text, rule)):
        start, end = tokens[0].start, tokens[-1].end
        found.append(
            _Sentence(
                tokens,
                tuple([token.text.lower() for token in tokens]),
                tokens[-1].text == "?" or any(one.start < end and start < one.end for one in asking),
                sum(number.sentence == at for number in numbers),
            )
        )
    for at in range(len(found) - 1):
        if _can_change(found, at) and _may_follow(found, at):
            yield Exchange(found[at].span, found[at + 1].span)


def _can_change(all_: Sequence[_Sentence], at: int) -> bool:
    one, two = all_[at], all_[at + 1]
    if not (_is_plain(one) and _is_plain(two)):
        return False
    sizes = sorted((len(one.words), len(two.words)))
    events = (one.present | two.present) & _EVENTS
    if sizes[1] > _MOST_UNEQUAL * sizes[0] or not ((at and not events) or one.present & two.present & _STATES):
        return False
    if one.tokens[0].text[0].isupper() != two.tokens[0].text[0].isupper():
        return False
    same_start = one.words[0] == two.words[0]
    if one.tokens[0].text in one.names and same_start:
        return False  # the same person twice: what comes first may matter
    earlier = frozenset(word for sentence in all_[:at] for word in map(singular, sentence.words))
    # Whatever one of them introduces, the other must not take up.
    if (two.definite & (one.nouns - earlier)) or (one.definite & (two.nouns - earlier)):
        return False
    if not at and one.definite | two.definite:
        return False  # what is meant is known from a sentence before
    if any(("," in s.words or _has_full_name(s)) and one.names & two.names for s in (one, two)):
        return False
    if events:
        same = one.present & _EVENTS == two.present & _EVENTS
        return same and not one.names & two.names and not same_start
    if at == 0:
        named = one.tokens[0].text in one.names and two.tokens[0].text in two.names
        return named or same_start
    return same_start or (one.tokens[0].text in one.names and two.tokens[0].text in two.names)


_ENDS = frozenset([",", ".", "?", ";", "if", "how", "what"])
_VERB_ENDS = frozenset(split_words("must should will would are is were was can to for"))
_UNEQUAL_PARTS = frozenset(
    split_words(
        "ratio difference respectively minus divided between from subtract subtracted former latter first second then "
        "after before order ones one another"
    )
)
_ORDERED = frozenset(split_words("first second third fourth last former latter respectively previous other"))
_NOT_BEFORE_NUMBER = frozenset(
    split_words("$ and or a an the about only exactly nearly to by every some at of - another")
)
_MIXING = frozenset(split_words("mix mixing mixes combine combining combines blend blending blends"))
_MOST_TOKENS = 12
_SLACK = 3  # how many words one phrase may be longer than the other


def coordinations(text: str, rule: Rule, number_words: NumberWords) -> Iterator[Exchange]:
    """Yield the pairs of phrases of one form, joined by *and* or mixed with each other, that can change places.

    >>> text = "A seat is $ 3 for children and $ 5 for adults . How many adults came ?"
    >>> [(text[slice(*one.first)], text[slice(*one.second)]) for one in coordinations(text, "release", "standard")]
    [('$ 3 for children', '$ 5 for adults')]
    """
    if not _ORDERED.isdisjoint(text.lower().split()):
        return
    numbers: dict[tuple[int | None, int], str] = {
        (number.sentence, number.token): number.kind for number in find_numbers(text, number_words, rule)
    }
    found = sentences(text, rule)
    for place, tokens in enumerate(found):
        words = [token.text.lower() for token in tokens]
        following = [token.text.lower() for token in found[place + 1]] if place + 1 < len(found) else []
        if (
            not (_UNEQUAL_PARTS | RANK_WORDS).isdisjoint(words)
            or not (TIMES - {"if"}).isdisjoint(words)
            or "(" in words
        ):
            continue
        if "it" in without_dummies(following) or following[:1] in (["this"], ["that"]):
            continue
        for at, word in enumerate(words):
            end = _end_of(words, at)
            if word in ("and", "with") and 2 <= end - at - 1 <= _MOST_TOKENS:
                start, left = _partner(tokens, words, numbers, at, end)
                if start >= 0 and (word == "and" or words[start - 1] in _MIXING):
                    one, two = tokens[start:left], tokens[at + 1 : end]
                    yield Exchange((one[0].start, one[-1].end), (two[0].start, two[-1].end), recased=not start)


def _end_of(words: Sequence[str], at: int) -> int:
    """Return where the phrase behind an *and* ends; 0 if that is not clear."""
    counted = words[at + 1 : at + 2] and (words[at + 1][0] in "$0123456789" or words[at + 1] in ("a", "an"))
    for i in range(at + 1, len(words)):
        total = words[i + 1 : i + 3] == ["a", "total"]
        if words[i] in _ENDS or (counted and words[i] in _VERB_ENDS and (words[i] != "for" or total)):
            return i
    return 0


def without_dummies(words: Sequence[str]) -> list[str]:
    """Return words without *it* and *there* where they stand for nothing: how long will it take, there are.

    >>> without_dummies("how long will it take if it rains and there is wind".split())
    ['how', 'long', 'will', 'take', 'if', 'it', 'rains', 'and', 'is', 'wind']
    """
    found = []
    for at, word in enumerate(words):
        beside = {*words[max(at - 1, 0) : at], *words[at + 1 : at + 2]}
        if not (word == "it" and beside & _TAKE) and not (word == "there" and beside & _BE):
            found.append(word)
    return found


_TAKE = frozenset(split_words("take takes took"))
_BE = frozenset(split_words("is are was were will be been"))


def _partner(
    tokens: Sequence[Token], words: Sequence[str], numbers: Mapping[tuple[int | None, int], str], at: int, end: int
) -> tuple[int, int]:
    """Return where the phrase before an *and* begins and ends that has the form of the one behind it; -1 if none."""
    left = at - 1 if words[at - 1] == "," else at
    wanted = _shape(tokens[at + 1 : end], numbers)
    size = end - at - 1
    if sum(part.startswith("#") for part in wanted) != 1 or _has_letter(tokens[at + 1 : end]):
        return -1, left
    for length in sorted(range(max(2, size - _SLACK), size + _SLACK + 1), key=lambda n: abs(n - size)):
        start = left - length
        if (
            start >= 0
            and _shape(tokens[start:left], numbers) == wanted
            and _last_run(tokens[start:left], numbers) == _last_run(tokens[at + 1 : end], numbers)
            and _can_begin(words, start, wanted[0])
            and not frozenset(words[start:left]) & POINTERS
            and not frozenset(words[at + 1 : end]) & POINTERS
        ):
            return start, left
    return -1, left


def _shape(tokens: Sequence[Token], numbers: Mapping[tuple[int | None, int], str]) -> list[str]:
    """Return what a phrase has in common with its partner: its function words and units, numbers, runs of words."""
    found: list[str] = []
    for token in tokens:
        word = token.text.lower()
        kind = numbers.get((token.sentence, token.index))
        if kind is not None:
            found.append(f"#{kind}")
        elif word not in ("'s", "'") and (word in _FUNCTION | _STATES | _EVENTS | TIMES or not word[0].isalpha()):
            found.append(word)
        elif word not in ("'s", "'") and found[-1:] != ["word"]:
            found.append("word")
    return found


def _has_letter(tokens: Sequence[Token]) -> bool:
    """Decide whether a phrase has a letter that names something: jobs A, B and C come in this order."""
    return any(len(token.text) == 1 and token.text.isupper() and token.text != "I" for token in tokens[:-1])


def _last_run(tokens: Sequence[Token], numbers: Mapping[tuple[int | None, int], str]) -> int:
    """Return how many words a phrase ends in: one more may say something about both phrases."""
    run = 0
    for token in reversed(tokens):
        if _shape([token], numbers) != ["word"]:
            break
        run += 1
    return run


def _can_begin(words: Sequence[str], start: int, shape: str) -> bool:
    """Decide whether a phrase can begin at a word, so that nothing before belongs to it."""
    before = words[start - 1] if start else ""
    if shape[0] in "#$" or shape in ("a", "an"):
        return not before[:1].isdigit() and before not in _NOT_BEFORE_NUMBER
    return shape == "word" and before in ("", ",", "if", "that", ":")


def _has_full_name(sentence: _Sentence) -> bool:
    return any(
        one.text in sentence.names and two.text in sentence.names
        for one, two in zip(sentence.tokens, sentence.tokens[1:], strict=False)
    )


def _is_plain(sentence: _Sentence) -> bool:
    """Decide whether a sentence states something with a number and points nowhere."""
    words = sentence.present
    if sentence.asks or not sentence.counts or sentence.words[-1] != "." or len(words) < 4:
        return False
    parts = frozenset(part for word in words for part in word.split("-"))
    if parts & (POINTERS | RANK_WORDS | TIMES) or sentence.words[0] in _OPENERS or sentence.words[0][0].isdigit():
        return False
    if not words.isdisjoint(("(", ")", '"', ":", "“", "”", "``", "''", "!", "=", "x", "y")):
        return False
    said = " ".join(sentence.words)
    if words & _COMPARING and ("than" not in words or "more than" in said or "less than" in said):
        return False
    has_multiple = not words.isdisjoint(("twice", "times", "half", "third", "much", "many", "double", "triple"))
    if has_multiple and (sentence.words.count("as") == 1 or _is_short_of_noun(sentence.words)):
        return False
    return "times" not in words or "as" in words


def _is_short_of_noun(words: Sequence[str]) -> bool:
    """Decide whether a comparison leaves its noun to the sentence before: twice as many as Mona."""
    said = " ".join(words)
    return "many as " in said or "much as " in said


def _may_follow(all_: Sequence[_Sentence], at: int) -> bool:
    """Decide whether the sentences after a pair mean the same if it changes places."""
    after = all_[at + 2 :]
    if not after:
        return False  # nothing is asked
    if any(sentence.present & _IN_ORDER for sentence in after):
        return False
    following = frozenset(without_dummies(after[0].words))
    if following & _POINTING_AT_LAST:
        return False
    if following & _PLURAL:
        people = all(s.tokens[0].text in s.names for s in all_[at : at + 2])
        return people and after[0].asks
    return True
