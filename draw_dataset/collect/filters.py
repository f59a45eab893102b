"""Filters of the pool, the funnel that counts them, and the judgement of one page by itself.

A filter returns the reason to drop a record. Filters on words come first, because reading equations costs more than all
of them together. A decision depends on one page alone, so any number of processes decide the same.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from draw_dataset.collect.ledger import StoredPage
from draw_dataset.collect.page import ParsedPage, parse_page
from draw_dataset.collect.record import Record, propose_changes, statement_data
from draw_dataset.errors import RowError, short_repr
from draw_dataset.io.plot import COLOURS, plot_file
from draw_dataset.reading.extraction import Refusal, extract_equations
from draw_dataset.reading.plain import MAX_CHARACTERS, plain_formulas
from draw_dataset.reading.segments import fold_text
from draw_dataset.reading.statements import Kind
from draw_dataset.text.numbers import find_numbers, has_number
from draw_dataset.text.tokens import Spotter

Filter = Callable[[Record], str]  # the reason to drop a record; empty to keep it

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

_LANGUAGES = {  # the languages of each common word
    word: tuple(language for language, common in _COMMON.items() if word in common)
    for word in frozenset().union(*_COMMON.values())
}


def language_of(text: str) -> str:
    """Return the likely language of a text by its letters and most common words, the same on every machine.

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
    """Decide whether a text has x as an unknown: a token of its own, and not a times sign.

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
    """Drop texts that ask nothing; two numbers are enough, since 28 of 600 training problems of Draw-1k ask nothing."""
    text = record.question
    if len(re.findall(r"[^\W\d_]{2,}", text)) < 4 or _PLEA.match(text):
        return "there is hardly any text"
    return "" if _ASKED.search(text) or len(find_numbers(text[:20_000])) > 1 else "there is no question"


def no_number(record: Record) -> str:
    """Drop questions without a number."""
    return "" if has_number(record.question[:20_000]) else "the question has no number"


def not_linear_by_words(record: Record) -> str:
    """Drop problems whose words name something that is not linear."""
    found = _NOT_LINEAR_QUESTION.search(record.question)
    if found:
        return f"the question has {found.group().strip()!r}"
    for _, text in record.explanations:
        found = _NOT_LINEAR_EXPLANATION.search(text)
        if found:
            return f"an explanation has {found.group().strip()!r}"
    return ""


def no_x(record: Record) -> str:
    """Drop problems without an unknown named x in any explanation, as the paper did."""
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


# Filters by name, in the order of the funnel. Equations are read only of records that the text filters keep.
TEXT_FILTERS: dict[str, Filter] = {
    "other-language": other_language,
    "no-question": no_question,
    "no-number": no_number,
    "not-linear-words": not_linear_by_words,
    "no-x": no_x,
}
EQUATION_FILTERS: dict[str, Filter] = {"not-linear-equations": not_linear_by_equations, "no-equations": no_equations}
FILTERS: dict[str, Filter] = {**TEXT_FILTERS, **EQUATION_FILTERS}


# The funnel: problems left after each step, beside the figures of the paper.

UNPARSED, KNOWN, DUPLICATE = "unparsed", "known", "duplicate"

STEPS: dict[str, tuple[str, ...]] = {  # the filters that lead to each step
    "crawled": (),
    "parsed": (UNPARSED,),
    "questions with numbers": ("other-language", "no-question", "no-number"),
    "linear by its words": ("not-linear-words",),
    "with x": ("no-x",),
    "linear": ("not-linear-equations",),
    "with equations": ("no-equations",),
    "not in Draw-1k or Alg-514": (KNOWN,),
    "deduplicated": (DUPLICATE,),
}

PAPER = {"crawled": "100k", "with x": "12k", "sampled": "1,000"}


@dataclass(slots=True)
class Funnel:
    """Counts of one cleaning."""

    crawled: int = 0
    dropped: dict[str, int] = field(default_factory=dict)  # by filter
    restored: dict[str, int] = field(default_factory=dict)  # by the filter that would have dropped them
    sampled: int | None = None
    notes: list[str] = field(default_factory=list)  # checks that were not done, and why

    def count(self, dropped_by: str, restored_from: str = "") -> None:
        """Count a record by the filter that dropped it, and by the one that would have dropped it."""
        self.crawled += 1
        if dropped_by:
            self.dropped[dropped_by] = self.dropped.get(dropped_by, 0) + 1
        if restored_from:
            self.restored[restored_from] = self.restored.get(restored_from, 0) + 1

    def merge(self, other: Funnel) -> None:
        """Add the counts of another part of the same pages; notes that both have stay once."""
        self.crawled += other.crawled
        for own, further in ((self.dropped, other.dropped), (self.restored, other.restored)):
            for name, count in further.items():
                own[name] = own.get(name, 0) + count
        if other.sampled is not None:
            self.sampled = (self.sampled or 0) + other.sampled
        self.notes += [note for note in other.notes if note not in self.notes]

    @property
    def steps(self) -> dict[str, int]:
        """The number of problems left after each step."""
        left, result = self.crawled, {}
        for step, names in STEPS.items():
            left -= sum(self.dropped.get(name, 0) for name in names)
            result[step] = left
        if self.sampled is not None:
            result["sampled"] = self.sampled
        return result

    def to_json(self) -> dict[str, Any]:
        """Return the counts as plain data."""
        return {
            "steps": self.steps,
            "paper": PAPER,
            "dropped": {name: self.dropped.get(name, 0) for names in STEPS.values() for name in names},
            "restored": self.restored,
            "notes": self.notes,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Funnel:
        """Read the counts from plain data."""
        try:
            steps = data["steps"]
            return cls(
                crawled=int(steps["crawled"]),
                dropped={str(name): int(count) for name, count in data["dropped"].items() if count},
                restored={str(name): int(count) for name, count in data["restored"].items()},
                sampled=int(steps["sampled"]) if "sampled" in steps else None,
                notes=[str(note) for note in data["notes"]],
            )
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            raise RowError(f"funnel: not as draw clean writes it ({error!r}): {short_repr(data)}") from error

    def to_text(self) -> str:
        """Return the funnel as a table.

        >>> funnel = Funnel(crawled=3, dropped={"no-x": 1})
        >>> print(funnel.to_text().splitlines()[5])
        with x                             2    66.7 %       12k   no-x 1
        """
        lines = [f"{'step':<27}{'problems':>9}{'of all':>10}{'paper':>10}   dropped"]
        for step, count in self.steps.items():
            share = f"{100 * count / self.crawled:.1f} %" if self.crawled else "-"
            dropped = ", ".join(
                f"{name} {self.dropped[name]}" for name in STEPS.get(step, ()) if self.dropped.get(name)
            )
            lines.append(f"{step:<27}{count:>9,}{share:>10}{PAPER.get(step, ''):>10}   {dropped}".rstrip())
        if self.restored:
            listed = ", ".join(f"{name} {count}" for name, count in sorted(self.restored.items()))
            lines.append(f"restored in spite of: {listed}")
        return "\n".join([*lines, *self.notes])


def save_funnel(funnel: Funnel, path: Path) -> None:
    """Save a funnel as a figure, one bar a step with the figure of the paper, in the format of the file's suffix."""
    steps = funnel.steps
    names, counts = list(steps), list(steps.values())
    with plot_file(path, (9, 0.5 * len(names) + 1.2)) as figure:
        axes = figure.subplots()
        axes.barh(range(len(names)), counts, 0.68, color=COLOURS[0])
        for place, (name, count) in enumerate(steps.items()):
            share = f" ({100 * count / funnel.crawled:.1f} %)" if funnel.crawled else ""
            paper = f"   paper: {PAPER[name]}" if name in PAPER else ""
            axes.annotate(
                f"{count:,}{share}{paper}", (count, place), xytext=(4, 0), textcoords="offset points", va="center"
            )
        axes.set_yticks(range(len(names)), names)
        axes.invert_yaxis()
        axes.set_xlim(0, max(*counts, 1) * 1.45)  # room for the texts behind the bars
        axes.set_xlabel("problems")
        axes.spines[["top", "right"]].set_visible(False)
        axes.tick_params(length=0)


# One page: parse it, then apply the filters.

MAX_QUESTION = 20_000  # characters; a page with a longer question is taken for broken


def record_of(page: StoredPage) -> Record:
    """Return the record of a page, without equations; dropped with a reason if the page cannot be parsed."""
    parsed = parse_page(page.body, page.charset, page.id)
    empty = Record(page.id, page.url, page.topic or "", "")
    if parsed is None:
        return empty.drop(UNPARSED, "no 'Question N:' on the page" if page.body.strip() else "an empty page")
    if parsed.id != page.id:
        return empty.drop(UNPARSED, f"the page is of question {parsed.id}")
    if len(parsed.question) > MAX_QUESTION:
        return empty.drop(UNPARSED, f"the question has {len(parsed.question)} characters")
    return describe(parsed, page.url, page.topic or "")


def describe(parsed: ParsedPage, url: str, topic: str) -> Record:
    """Return the record of a parsed page: its question with proposed changes, its explanations, no equations yet."""
    posted = " ".join(plain_formulas(parsed.question).split())
    return Record(
        id=parsed.id,
        url=url,
        topic=topic,
        posted=posted,
        changes=tuple(propose_changes(posted)),
        explanations=tuple((explanation.tutor, explanation.text) for explanation in parsed.explanations),
        textbook=parsed.textbook,
        repair=parsed.repair,
    )


def with_equations(record: Record) -> Record:
    """Return a record with the equations of its explanations, or the reason why there are none."""
    found = extract_equations(record.posted, [text for _, text in record.explanations])
    return replace(
        record,
        equations=found.equations,
        solutions=tuple((name, str(value)) for name, value in sorted(found.solution.items())),
        reason=str(found.reason or ""),
        detail=found.detail,
        missing=tuple(map(str, found.missing)),
        confirmed=found.confirmed,
        others=tuple(map(statement_data, found.others)),
    )


def judge_alone(record: Record, restore: Collection[int] = ()) -> Record:
    r"""Return a record with its equations, or dropped by the first filter that gives a reason.

    No filter may drop the ids of `restore`. The record comes from `record_of`, without equations.

    >>> problem = Record(7, "", "age", "Ann is 3 years older than Bob. Together they are 21. How old is Bob?")
    >>> judge_alone(problem).dropped_by
    'no-x'
    >>> from dataclasses import replace
    >>> judge_alone(replace(problem, explanations=(("amy", "x + x + 3 = 21\n2x = 18\nx = 9"),))).equations
    ('x + x + 3 = 21',)
    """
    if record.dropped_by:
        return record
    dropped = _drop_by_first(TEXT_FILTERS, record)
    if dropped is not None and record.id not in restore:
        return dropped
    record = with_equations(record)
    if dropped is not None:
        dropped = record.drop(dropped.dropped_by, dropped.why)
    else:
        dropped = _drop_by_first(EQUATION_FILTERS, record)
    if dropped is None:
        return record
    return dropped.restore() if record.id in restore else dropped


def _drop_by_first(filters: Mapping[str, Filter], record: Record) -> Record | None:
    for name, check in filters.items():
        if why := check(record):
            return record.drop(name, why)
    return None
