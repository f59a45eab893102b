"""Which page of the site misbehaves how, and what must become of it.

Most questions are answered well. Each `Manner` below is given to a few of them; `Site.expected` says in which state a
crawl must leave every id that can be discovered, and `Site.bodies` which bytes it must have stored.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field, replace
from functools import cached_property

from crawl.stand_in_site.pages import PER_LISTING, listing_page, page_of
from crawl.stand_in_site.questions import Question, make_questions

PRIVATE = "private"
"""A section that robots.txt forbids."""

MANNERS: dict[str, tuple[str, int]] = {
    # what it does: (what must become of it, how many pages do it)
    "cp1252 declared as utf-8": ("stored", 60),
    "cp1252 not declared": ("stored", 10),
    "no charset": ("stored", 40),
    "gzip": ("stored", 60),
    "chunked": ("stored", 60),
    "no length": ("stored", 30),
    "503 then good": ("stored", 12),
    "503 with a date to retry after": ("stored", 1),
    "429 with Retry-After": ("stored", 2),
    "truncated once": ("stored", 6),
    "truncated without length once": ("stored", 4),
    "reset once": ("stored", 4),
    "stall once": ("stored", 2),
    "empty once": ("stored", 3),
    "redirect within": ("stored", 10),
    "404": ("not-found", 20),
    "410": ("gone", 5),
    "403": ("forbidden", 3),
    "400": ("refused", 2),
    "500": ("server-error", 5),
    "stall": ("timeout", 1),
    "slow drip": ("timeout", 1),
    "reset": ("connection-failed", 3),
    "closed without an answer": ("connection-failed", 2),
    "garbage instead of an answer": ("connection-failed", 1),
    "truncated": ("truncated", 3),
    "truncated without length": ("truncated", 3),
    "truncated chunks": ("truncated", 3),
    "truncated gzip": ("truncated", 2),
    "loop of one": ("redirect-loop", 3),
    "loop of two": ("redirect-loop", 4),
    "endless redirects": ("redirect-loop", 1),
    "redirect to a known question": ("redirected", 10),
    "redirect to an unlisted question": ("redirected", 2),
    "redirect home": ("redirected-elsewhere", 2),
    "redirect off the site": ("redirected-elsewhere", 2),
    "redirect to a forbidden page": ("forbidden-by-robots", 1),
    "empty": ("empty", 4),
    "blank": ("empty", 2),
    "20 MB": ("too-large", 2),
    "20 MB without length": ("too-large", 1),
    "gzip bomb": ("too-large", 1),
    "pdf": ("not-html", 2),
}


@dataclass(frozen=True)
class Site:
    """Everything the server knows.

    `size` questions are listed, some of them forbidden; a few more are found by redirects only. With `manners=False`
    every page is good.
    """

    size: int = 3100
    seed: int = 0
    manners: bool = True
    manner_of: dict[int, str] = field(init=False, default_factory=dict)
    target_of: dict[int, int] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        if not self.manners:
            return
        rng = random.Random(f"plan {self.seed}")
        ids = [question.id for question in self.listed if not question.topic.startswith(PRIVATE)]
        rng.shuffle(ids)
        share = min(1.0, self.size / 3000)
        for manner, (_, count) in MANNERS.items():
            # Partners of a loop come in pairs, and a small site still has one of everything.
            some = max(2 if manner == "loop of two" else 1, round(count * share))
            some += some % 2 if manner == "loop of two" else 0
            for _ in range(some):
                self.manner_of[ids.pop()] = manner
        known = sorted(set(ids))
        loops = [number for number, manner in self.manner_of.items() if manner == "loop of two"]
        for one, two in zip(loops[::2], loops[1::2], strict=True):
            self.target_of.update({one: two, two: one})
        hidden = iter(self.hidden)
        for number, manner in self.manner_of.items():
            if manner == "redirect to a known question":
                self.target_of[number] = rng.choice(known)
            elif manner == "redirect to an unlisted question":
                self.target_of[number] = next(hidden).id

    @cached_property
    def _made(self) -> list[Question]:
        return make_questions(self.size + self._unlisted, self.seed)

    @property
    def _unlisted(self) -> int:
        return 2 if self.manners else 0

    @cached_property
    def hidden(self) -> list[Question]:
        """Questions that no listing links to."""
        return self._made[len(self._made) - self._unlisted :]

    @cached_property
    def listed(self) -> list[Question]:
        """Questions that listings link to, a few of them in a section that robots.txt forbids."""
        made = self._made[: self.size]
        if not self.manners:
            return made
        private = set(random.Random(f"private {self.seed}").sample([q.id for q in made], max(3, self.size // 150)))
        return [replace(q, topic=f"{PRIVATE}/{q.topic}") if q.id in private else q for q in made]

    @cached_property
    def questions(self) -> dict[int, Question]:
        """All questions by id."""
        return {question.id: question for question in (*self.listed, *self.hidden)}

    @cached_property
    def topics(self) -> dict[str, list[Question]]:
        """The questions of each topic, newest first; those that are forbidden are listed under their old topic."""
        topics: dict[str, list[Question]] = {}
        for question in reversed(self.listed):
            topics.setdefault(question.topic.removeprefix(f"{PRIVATE}/"), []).append(question)
        return dict(sorted(topics.items()))

    @cached_property
    def listings(self) -> dict[str, bytes]:
        """The body of each listing, by path."""
        pages = {}
        for topic, questions in self.topics.items():
            path = f"/algebra/homework/{topic}.faq"
            dead = [f"{path}.hide_answers.99999.html"] if self.manners else []
            pages[path] = listing_page(topic, questions, 0, dead)
            for first in range(1, len(questions) + 1, PER_LISTING):
                pages[f"{path}.hide_answers.{first}.html"] = listing_page(topic, questions, first)
        return pages

    @cached_property
    def listing_manner(self) -> dict[str, str]:
        """How some listings misbehave; each is good when it is asked for again."""
        if not self.manners:
            return {}
        ranges = [path for path in self.listings if "hide_answer" in path]
        chosen = random.Random(f"listings {self.seed}").sample(ranges, 3)
        return dict(zip(chosen, ("503 then good", "truncated once", "reset once"), strict=True))

    def manner(self, number: int) -> str:
        """Return how the page of a question behaves."""
        return self.manner_of.get(number, "good")

    def body(self, number: int) -> bytes:
        """Return the page of a question, as its bytes are when everything goes well."""
        manner = self.manner(number)
        question = self.questions[number]
        if manner == "cp1252 declared as utf-8":
            return page_of(question, "cp1252", "utf-8", curly=True)
        if manner == "cp1252 not declared":
            return page_of(question, "cp1252", None, curly=True)
        if manner == "no charset":
            return page_of(question, "utf-8", None, curly=number % 2 == 0)
        return page_of(question, curly=number % 7 == 0)

    @cached_property
    def expected(self) -> dict[int, str]:
        """The state in which a crawl over all listings must leave each id."""
        states = {}
        for question in self.listed:
            forbidden = question.topic.startswith(PRIVATE)
            manner = self.manner(question.id)
            states[question.id] = "forbidden-by-robots" if forbidden else MANNERS.get(manner, ("stored", 0))[0]
        return states | {self.target_of[n]: "stored" for n, m in self.manner_of.items() if "unlisted" in m}

    @property
    def stored(self) -> list[int]:
        """The ids whose pages a crawl must have stored, in order."""
        return sorted(number for number, state in self.expected.items() if state == "stored")
