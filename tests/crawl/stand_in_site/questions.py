"""The questions of the site: problems under their ids, as people posted them and as tutors answered.

What a question is good for is its `trap`: None for a problem that can be annotated, else why it cannot, or should not,
be. Duplicates and variants know the question they repeat.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from typing import Any

from crawl.stand_in_site.drawing import Draws
from crawl.stand_in_site.explanations import Explanation, explain, without_algebra
from crawl.stand_in_site.kinds import LINEAR, MISC, NUMBERS
from crawl.stand_in_site.odd import NOT_LINEAR, no_number, no_question
from crawl.stand_in_site.problems import Known, known_of

PLEAS_BEFORE = ("", "", "", "Please help me, I am stuck. ", "Hello! ", "I really need help with this word problem. ")
PLEAS_AFTER = (
    "",
    "",
    "",
    " Thank you so much!",
    " Please show your work.",
    " I have been stuck on this for 2 hours, pls help!!",
)
TEXTBOOKS = ("Algebra for Beginners", "College Algebra 1", "Numbers & You, 3rd edition")
FIRST_ID, LAST_ID = 337, 951_415

WEIGHTS = {
    None: 78, "not-linear": 8, "no-x": 3, "no-number": 2, "no-question": 2, "no-explanation": 3, "wrong-solution": 2,
    "duplicate": 5, "variant": 4,
}  # fmt: skip
"""How often each trap occurs, of about a hundred."""


@dataclass(frozen=True)
class Question:
    """A question of the site, with all that is known about it.

    `posted` is the text on the page: the clean text of `known` with pleas around it. `trap` is None, or one of
    not-linear, no-x, no-number, no-question, no-explanation, wrong-solution (the only solution is of another problem),
    duplicate (the text of `repeats` once more: another plea, the same problem), variant (the text of `repeats` with
    other numbers: a problem of its own, and usable).
    """

    id: int
    topic: str
    known: Known
    posted: str
    explanations: tuple[Explanation, ...]
    textbook: str | None = None
    trap: str | None = None
    repeats: int | None = None
    words: int = 0  # what its wording was drawn with; the numbers are drawn apart

    @property
    def path(self) -> str:
        return f"/algebra/homework/{self.topic}.faq.question.{self.id}.html"

    @property
    def usable(self) -> bool:
        """Whether it belongs into the pool of problems to annotate."""
        return self.trap in (None, "variant")

    @property
    def row(self) -> dict[str, Any] | None:
        """The annotated problem, in the package's row shape, under the question's id."""
        return None if self.known.row is None else {**self.known.row, "id": self.id}


def make_questions(count: int, seed: int = 0) -> list[Question]:
    """Make questions with ids in ascending order."""
    rng = random.Random(f"questions {seed}")
    ids = sorted(rng.sample(range(FIRST_ID, LAST_ID), count))
    traps = rng.choices(list(WEIGHTS), list(WEIGHTS.values()), k=count)
    made: list[Question] = []
    texts: set[str] = set()
    for number, trap in zip(ids, traps, strict=True):
        earlier = [question for question in made[-200:] if question.trap is None]
        if trap in ("duplicate", "variant") and not earlier:
            trap = None
        question = None
        if trap in ("duplicate", "variant"):
            question = _repeat(rng, number, trap, rng.choice(earlier), texts)
        while question is None:
            fresh = _fresh(rng, number, trap)
            # A problem that came out word for word as another one is a duplicate that nobody would know of.
            if fresh.known.row is None or fresh.known.question not in texts:
                question = fresh
        texts.add(question.known.question)
        made.append(question)
    return made


def _fresh(rng: random.Random, number: int, trap: str | None) -> Question:
    words = rng.randrange(10**9)
    if trap == "not-linear":
        make, topic = rng.choice(NOT_LINEAR)
        known = make(rng)
    elif trap == "no-number":
        known, topic = no_number(rng), MISC
    elif trap == "no-question":
        known, topic = no_question(rng), NUMBERS
    else:
        known, topic = _linear(rng, rng.choice(list(LINEAR)), words)
    explanations = _explanations(rng, known, number, trap)
    if rng.random() < 0.03:
        topic = rng.choice([other for _, other in LINEAR.values()])  # people post anywhere
    textbook = rng.choice(TEXTBOOKS) if rng.random() < 0.1 else None
    return Question(number, topic, known, _posted(rng, known.question), explanations, textbook, trap, None, words)


def _linear(rng: random.Random, kind: str, words: int) -> tuple[Known, str]:
    make, topic = LINEAR[kind]
    return known_of(kind, make(Draws(words, rng.randrange(10**9)))), topic


def _explanations(rng: random.Random, known: Known, number: int, trap: str | None) -> tuple[Explanation, ...]:
    first = number * 3 + 10_000  # solutions have numbers of their own
    if trap == "no-explanation":
        return (replace(without_algebra(known, rng, first), source=""),)
    if trap == "no-x":
        if rng.random() < 0.5 or not known.solutions:
            return (without_algebra(known, rng, first),)
        return (explain(known, rng, first, letters="nk"),)
    chance = rng.random()
    if trap == "wrong-solution":
        return (_strange(rng, first),)
    own = explain(known, rng, first)
    if chance < 0.1:
        return own, explain(known, rng, first + 1)
    if chance < 0.14:
        return own, _strange(rng, first + 1)
    return (_strange(rng, first + 1), own) if chance < 0.16 else (own,)


def _strange(rng: random.Random, number: int) -> Explanation:
    """A solution of another problem, posted under this one."""
    other, _ = _linear(rng, rng.choice(list(LINEAR)), rng.randrange(10**9))
    return explain(other, rng, number, own=False)


def _repeat(rng: random.Random, number: int, trap: str, original: Question, texts: set[str]) -> Question:
    first = number * 3 + 10_000
    if trap == "duplicate":
        posted = _posted(rng, original.known.question)
        if rng.random() < 0.3:
            posted = posted.upper() if rng.random() < 0.3 else posted.replace(". ", ".\n")
        explanations = (explain(original.known, rng, first),)
        return replace(original, id=number, posted=posted, explanations=explanations, trap=trap, repeats=original.id)
    known = original.known
    while known.question in texts:
        known, topic = _linear(rng, known.kind, original.words)
    explanations = (explain(known, rng, first),)
    return Question(
        number, topic, known, _posted(rng, known.question), explanations, None, trap, original.id, original.words
    )


def _posted(rng: random.Random, question: str) -> str:
    return rng.choice(PLEAS_BEFORE) + question + rng.choice(PLEAS_AFTER)
