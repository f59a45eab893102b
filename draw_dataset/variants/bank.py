"""The sentences for traps: each has one number, is true in any world, and says nothing about the problem.

A sentence is *near* if it is about the topic of the problem, as the problem's own words show, and *far* if it is about
something else. Its role is *same* if it mentions a person of the problem by name, and *other* if not. ``{n}`` stands
for the number. It counts things in the plural, so it is at least 2. The sentences are written for this package.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from draw_dataset.text.lexicon import listed

Topic = Literal["near", "far"]
Role = Literal["same", "other"]


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of the bank.

    Attributes:
        text: the sentence, its tokens parted by blanks.
        least: the smallest number that sounds right in it.
        most: the largest.
    """

    text: str
    least: int
    most: int


_TOPICS: dict[str, tuple[frozenset[str], tuple[Sentence, ...]]] = {
    "trade": (
        frozenset(listed("$ dollar dollars cost costs price sold sells bought buy store shop ticket tickets paid")),
        (
            Sentence("A different shop gave away {n} calendars last winter .", 2, 5000),
            Sentence("The price list of another shop has {n} pages .", 2, 400),
            Sentence("A bakery in the next town greeted {n} guests on Sunday .", 5, 900),
            Sentence("The window of an old shop shows {n} clocks .", 2, 300),
            Sentence("A market far from here has room for {n} stalls .", 4, 900),
        ),
    ),
    "travel": (
        frozenset(listed("mph miles mile km kilometers train plane car boat drive drove speed travel traveled")),
        (
            Sentence("The road atlas in the library has {n} maps .", 4, 900),
            Sentence("A museum in another town shows {n} old engines .", 2, 400),
            Sentence("A harbour far from here has room for {n} ships .", 2, 900),
            Sentence("The waiting room of an old station has {n} chairs .", 2, 300),
            Sentence("A travel guide on the shelf has {n} photos .", 4, 3000),
        ),
    ),
    "ages": (
        frozenset(listed("age ages old older younger")),
        (
            Sentence("The family album has {n} photos .", 6, 5000),
            Sentence("A neighbour keeps {n} letters from a friend .", 2, 3000),
            Sentence("The birthday card on the shelf shows {n} balloons .", 2, 300),
            Sentence("A letter from an aunt has {n} lines .", 2, 900),
        ),
    ),
    "mixing": (
        frozenset(listed("solution acid alcohol mixture mix mixed mixing liters litres ml chemist pure salt")),
        (
            Sentence("The shelf in the store room holds {n} empty jars .", 2, 900),
            Sentence("A poster on the wall lists {n} safety rules .", 2, 90),
            Sentence("A book about plants has {n} drawings .", 2, 2000),
            Sentence("The notebook on the table has {n} blank pages .", 2, 200),
        ),
    ),
    "figures": (
        frozenset(listed("rectangle rectangular perimeter triangle angle angles square width length sides side")),
        (
            Sentence("A picture book next to the ruler has {n} pages .", 2, 900),
            Sentence("The gallery in the next street shows {n} paintings .", 2, 2000),
            Sentence("A drawer in the studio holds {n} crayons .", 2, 2000),
            Sentence("The model of another house has {n} tiny windows .", 2, 900),
        ),
    ),
    "numbers": (
        frozenset(listed("number numbers integer integers digit digits sum consecutive product difference")),
        (
            Sentence("The puzzle book has {n} pages .", 8, 600),
            Sentence("The class next door has {n} desks .", 5, 60),
            Sentence("A poster in the hall shows {n} stars .", 2, 900),
            Sentence("The town library lends out {n} books about other things .", 5, 9000),
            Sentence("A chess club in another school has {n} members .", 5, 200),
        ),
    ),
}

_ANY_NEAR = (
    Sentence("The local newspaper printed {n} letters about something else .", 2, 3000),
    Sentence("A picture on the wall shows {n} trees .", 2, 90),
    Sentence("The hall next door has {n} lamps .", 2, 120),
)

_FAR = (
    Sentence("A choir in another city knows {n} songs .", 2, 3000),
    Sentence("A library in the mountains owns {n} maps .", 2, 9000),
    Sentence("Someone counted {n} birds above a lake .", 2, 9000),
    Sentence("A lighthouse on an island has {n} steps .", 12, 900),
    Sentence("A poet wrote {n} verses about the moon .", 2, 3000),
    Sentence("In a distant harbour {n} ships waited for calm weather .", 2, 900),
    Sentence("A theatre abroad has {n} red curtains .", 2, 90),
    Sentence("The radio played {n} songs in the morning .", 2, 90),
)

_OF_SOMEBODY = (
    Sentence("{name} has read {n} pages of a novel .", 2, 900),
    Sentence("{name} keeps {n} postcards in a drawer .", 2, 2000),
    Sentence("{name} lives in a street with {n} lamps .", 2, 300),
    Sentence("{name} knows {n} songs by heart .", 2, 900),
    Sentence("{name} saw {n} birds on a roof .", 2, 60),
)

_DOING = frozenset(
    listed(
        "has had have is was bought buys sold sells invested invests drove drives rode rides walked walks runs ran "
        "earned earns spent spends saved made makes paid wants needs works worked mixed collected received borrowed "
        "deposited gave got leaves left paddled rowed jogs jogged decides went took picked planted"
    )
)
_NO_PERSON = frozenset(
    listed(
        "the he she it they we i you a an one two there this that each who what which everyone someone somebody nobody "
        "sum number angle store shop school theater theatre car train bus boat plane bank class club company admission "
        "tickets ticket and if when how find his her their its then while but or since after before both all company "
        "solution mixture money water dad mom father mother grandfather grandmother sister brother"
    )
)
_NOT_BEFORE = frozenset(listed("the a an of in at from to this that each every his her their"))


def sentences_for(words: Sequence[str], topic: Topic, role: Role, name: str | None) -> list[Sentence]:
    """Return the sentences of the bank that fit a problem; none if a person is asked for and none is known.

    Args:
        words: the words of the problem, in lower case.
        topic: near or far.
        role: whether a person of the problem is spoken of.
        name: of that person.
    """
    if role == "same":
        if name is None:
            return []
        return [Sentence(one.text.replace("{name}", name), one.least, one.most) for one in _OF_SOMEBODY]
    if topic == "far":
        return list(_FAR)
    present = set(words)
    best = max(_TOPICS, key=lambda topic_name: len(_TOPICS[topic_name][0] & present))
    known, sentences = _TOPICS[best]
    return list(sentences if known & present else _ANY_NEAR)


def person_in(words: Sequence[str]) -> str | None:
    """Return the name of somebody in a text, as it is written there: a capital, and a verb of what people do.

    >>> person_in("Last week Mona had 3 coins .".split()), person_in("The Ritz has 3 rooms .".split())
    ('Mona', None)
    """
    for at, (word, following) in enumerate(pairwise(words)):
        if not word.isalpha() or len(word) < 3 or not (word[0].isupper() and word[1:].islower()):
            continue
        before = words[at - 1].lower() if at else "."
        if following.lower() in _DOING and word.lower() not in _NO_PERSON and before not in _NOT_BEFORE:
            surname = at and words[at - 1][0].isupper() and before not in (".", "?", "!")
            plural = word.lower().endswith("s") and following.lower() in ("have", "are", "were")
            if not surname and not plural:
                return word
    return None
