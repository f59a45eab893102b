"""Record of a problem during cleaning, one JSON object a line, and the edits proposed for its text."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import Any

from draw_dataset.errors import RowError, short_repr
from draw_dataset.reading.statements import Statement
from draw_dataset.reading.tokens import UNITS
from draw_dataset.text.edits import Change, apply_changes
from draw_dataset.text.numbers import find_numbers
from draw_dataset.text.tokens import sentence_spans

Key = tuple[str, int]  # a site and the number of a question on it

_TEXT_FIELDS = ("url", "topic", "reason", "detail", "textbook", "repair", "dropped_by", "why", "restored_from")
_HOST = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://(?:[^/?#@]*@)?([^/?#]*)")
_DEFAULT_PORT = re.compile(r":(?:80|443)?$")


def site_of(url: str) -> str:
    """Return the host of an address, in lower case and without ``www.``; empty if it names none.

    >>> site_of("https://www.Algebra.com:443/algebra/homework"), site_of("/algebra/")
    ('algebra.com', '')
    """
    found = _HOST.match(url)
    return _DEFAULT_PORT.sub("", found.group(1).lower()).removeprefix("www.") if found else ""


@dataclass(frozen=True, slots=True)
class Record:
    """A problem of a page."""

    id: int  # the number of the question on the site
    url: str
    topic: str  # as filed on the site; may be wrong
    posted: str  # the question as posted, formulas as plain text
    changes: tuple[Change, ...] = ()  # the edits proposed for it
    explanations: tuple[tuple[str, str], ...] = ()  # (tutor, text) of each
    equations: tuple[str, ...] = ()  # empty if there is a reason
    solutions: tuple[tuple[str, str], ...] = ()  # the exact value of each unknown, as in ``5/2``
    reason: str = ""  # for missing equations
    detail: str = ""
    missing: tuple[str, ...] = ()  # literals of the equations that are not in the question
    confirmed: int = 0  # other statements of the explanation that agree with the solution
    others: tuple[Mapping[str, Any], ...] = ()  # other statements of the explanation, as plain data with their kind
    textbook: str = ""
    repair: str = ""  # of the page's encoding
    dropped_by: str = ""  # a filter
    why: str = ""  # the reason of that filter
    restored_from: str = ""  # the filter that would have dropped it

    @property
    def site(self) -> str:
        """The host of its address, without ``www.``."""
        return site_of(self.url)

    @property
    def key(self) -> Key:
        """Site and number, since a number is unique within its site only."""
        return self.site, self.id

    @property
    def question(self) -> str:
        """The question with its changes applied."""
        return apply_changes(self.posted, self.changes).strip()

    def drop(self, name: str, why: str) -> Record:
        """Return the record marked as dropped by a filter."""
        return replace(self, dropped_by=name, why=why)

    def restore(self) -> Record:
        """Return the record back in the pool, marked with the filter that had dropped it."""
        return replace(self, restored_from=self.dropped_by, dropped_by="")

    def to_json(self) -> dict[str, Any]:
        """Return it as plain data; ``question`` is the cleaned text."""
        data: dict[str, Any] = {name: getattr(self, name) for name in self.__slots__}
        data["question"] = self.question
        data["equations"], data["missing"] = list(self.equations), list(self.missing)
        data["changes"] = [change.to_json() for change in self.changes]
        data["explanations"] = [{"tutor": tutor, "text": text} for tutor, text in self.explanations]
        data["solutions"] = dict(self.solutions)
        data["others"] = [dict(other) for other in self.others]
        return data

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Record:
        """Read it from plain data."""
        where = f"record {short_repr(data.get('id')) if isinstance(data, Mapping) else short_repr(data)}"
        if not isinstance(data, Mapping) or type(data.get("id")) is not int or not isinstance(data.get("posted"), str):
            raise RowError(f"{where}: expected at least an id (a whole number) and posted (a text)")
        try:
            return cls(
                id=data["id"],
                posted=data["posted"],
                changes=tuple(Change.from_json(change) for change in data.get("changes", ())),
                explanations=tuple((str(e["tutor"]), str(e["text"])) for e in data.get("explanations", ())),
                equations=tuple(map(str, data.get("equations", ()))),
                solutions=tuple((str(name), str(Fraction(value))) for name, value in data.get("solutions", {}).items()),
                missing=tuple(map(str, data.get("missing", ()))),
                confirmed=int(data.get("confirmed", 0)),
                others=tuple(dict(other) for other in data.get("others", ())),
                **{name: str(data.get(name, "")) for name in _TEXT_FIELDS},
            )
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            raise RowError(f"{where}: not a record as draw clean writes it: {error}") from error


def statement_data(statement: Statement) -> dict[str, Any]:
    """Return a statement as plain data."""
    data: dict[str, Any] = {"kind": str(statement.kind), "text": statement.text}
    for name in ("equation", "doubt", "note"):
        if value := getattr(statement, name):
            data[name] = value
    return data


# Edits of a posted text, each of which can be undone. Sentences that ask for help, thank, greet or name a textbook are
# removed if they have no number and ask for nothing else: ``Please help me find how many`` stays. Numbers glued to a
# unit or a word are separated (the paper's ``10ml`` to ``10 ml``), and so are sentences.

_KINDS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (kind, re.compile(pattern, re.IGNORECASE))
    for kind, pattern in (
        ("thanks", r"\bthan(?:k|x)s?\b|\bthank\s?you|\bthx\b|\bty\b|\bappreciate|\bgrateful|\bgod bless|\bcheers\b"),
        (
            "help",
            r"\bhelp\b|\bstuck\b|\bconfus|\bstruggling\b|\bplease\s+(?:show|explain|solve|answer|respond|reply)|\bpl[sz]+\b"
            r"|\bi(?:'m| am) (?:lost|having (?:trouble|problems|a hard time)|not sure|so lost|desperate)"
            r"|\bi (?:don'?t|do not|can'?t|cannot|can not) (?:know|understand|get|figure|seem|solve|do)"
            r"|\bno idea\b|\bneed (?:this|it|the answer|an answer)\b|\bdue (?:today|tomorrow|tonight)\b"
            r"|\bhow (?:do|would|can|should) (?:i|you|we) (?:set (?:this|it) up|do this|solve (?:this|it)|start)"
            r"|\bshow (?:me )?(?:your|the|all) (?:work|steps)",
        ),
        (
            "textbook",
            r"\b(?:from|in|out of) (?:my|the|our|a) (?:algebra |math )?"
            r"(?:text ?book|workbook|book|worksheet|homework)\b"
            r"|\bthis (?:question|problem) is (?:from|in|out of)\b|\bnot (?:in|from) (?:a|the|my) (?:text ?)?book\b"
            r"|\bisbn\b",
        ),
        ("greeting", r"^\W*(?:hi|hello|hey|good (?:morning|evening|afternoon)|dear \w+)\b[\w ,]{0,40}\W*$"),
    )
)
_ASKS = re.compile(
    r"\b(?:how (?:many|much|long|far|fast|old|tall|wide|high|deep|big|large|heavy|often|soon)|what|which|when|where|who"
    r"|find|determine|calculate|compute|evaluate|estimate|express|write an? equation)\b",
    re.IGNORECASE,
)
_NOT_ASKING = re.compile(
    r"\bwhat (?:to do|i (?:am|should|did|have)|steps?|the (?:answer|equation|question|problem)|this)\b"
    r"|\bwhere (?:to|do i) (?:start|begin)"
    r"|\bhow to\b|\bfind (?:out )?(?:the |an |this )?(?:answer|solution)s?\b|\bwhen i\b|\bwhich (?:formula|equation)\b",
    re.IGNORECASE,
)
_GLUED = re.compile(r"(?<![\w.,/$-])(\$?\d[\d,]*(?:\.\d+)?|\.\d+)([A-Za-z]+)(?![\w-])")
_GLUED_WORD = re.compile(
    r"(?<![\w-])(of|to|is|and|at|for|with|than|by|are|has|was|only|every|costs?|about)(\d)", re.IGNORECASE
)
_GLUED_SENTENCE = re.compile(r"(?<=[a-z0-9%)])([.?!]+)(?=[A-Z][a-z])")
_NOT_UNITS = frozenset(("st", "nd", "rd", "th", "s", "x", "am", "pm", "d", "k"))
_UNIT_LETTERS = frozenset("Llgm")


def propose_changes(posted: str) -> list[Change]:
    """Return the changes proposed for a text, in its order, none overlapping another.

    >>> for change in propose_changes("Please help me. Mix 10ml of acid. How many ml are there? Thanks so much!"):
    ...     print(change.kind, repr(change.before), repr(change.after))
    help 'Please help me. ' ''
    unit '10ml' '10 ml'
    thanks ' Thanks so much!' ''
    """
    removed = _removals(posted)
    gone = [(change.start, change.start + len(change.before)) for change in removed]
    separated = [
        change
        for change in _separations(posted)
        if not any(start < change.start + len(change.before) and change.start < end for start, end in gone)
    ]
    return sorted([*removed, *separated])


def without_pleas(posted: str) -> str:
    """Return a text without sentences that ask for help or thank, even with numbers: for comparison only.

    >>> without_pleas("How old is Ann if she is 3 less than 9? I am stuck on this for 2 hours, pls help!!")
    'How old is Ann if she is 3 less than 9?'
    """
    kept = [posted[start:end] for start, end in sentence_spans(posted, "raw") if _kind(posted[start:end]) is None]
    return " ".join(piece for piece in kept if re.search(r"\w", piece)) or posted


def doubtful_sentences(text: str) -> list[str]:
    """Return the sentences that ask for help or thank but have a number, for a person to review.

    >>> doubtful_sentences("How old is Ann if she is 3 less than 9? I am stuck on this for 2 hours, pls help!!")
    ['I am stuck on this for 2 hours, pls help!']
    """
    numbers = [number.start for number in find_numbers(text, rule="raw")]
    return [
        text[start:end]
        for start, end in sentence_spans(text, "raw")
        if any(start <= n < end for n in numbers) and _kind(text[start:end])
    ]


def _removals(posted: str) -> list[Change]:
    spans = sentence_spans(posted, "raw")
    numbers = [number.start for number in find_numbers(posted, rule="raw")]
    kinds = [
        None if any(start <= place < end for place in numbers) else _kind(posted[start:end]) for start, end in spans
    ]
    # Something of the problem must stay, so a text that is all pleas is left to the filters.
    if all(kind is not None or not re.search(r"\w", posted[s:e]) for kind, (s, e) in zip(kinds, spans, strict=True)):
        return []
    changes: list[Change] = []
    for place, (kind, (start, end)) in enumerate(zip(kinds, spans, strict=True)):
        if kind is None:
            # Marks left alone by a removed sentence ("!!" of "Help!!") go with it.
            if changes and place and kinds[place - 1] and not re.search(r"\w", posted[start:end]):
                kinds[place] = kinds[place - 1]
                kind = kinds[place]
            else:
                continue
        if start == 0 or (changes and changes[-1].start + len(changes[-1].before) == start):
            while end < len(posted) and posted[end].isspace():
                end += 1
        else:
            while start > 0 and posted[start - 1].isspace():
                start -= 1
        changes.append(Change(start, posted[start:end], "", kind or "help"))
    # A blank between two removals belongs to the first.
    result: list[Change] = []
    for change in changes:
        if result:
            end = result[-1].start + len(result[-1].before)
            if change.start < end:
                change = Change(end, change.before[end - change.start :], "", change.kind)
        if change.before:
            result.append(change)
    return result


@lru_cache(maxsize=64)  # called when changes are proposed and again when texts are compared
def _kind(sentence: str) -> str | None:
    asking = _NOT_ASKING.sub(" ", sentence)
    if _ASKS.search(asking):
        return None
    return next((kind for kind, pattern in _KINDS if pattern.search(sentence)), None)


def _separations(posted: str) -> list[Change]:
    changes = []
    for match in _GLUED.finditer(posted):
        number, word = match.groups()
        known = word.lower() in UNITS or word in _UNIT_LETTERS
        if word.lower() not in _NOT_UNITS and (known or (len(word) >= 3 and not word.isupper())):
            changes.append(Change(match.start(), match.group(), f"{number} {word}", "unit"))
    changes += [
        Change(match.start(), match.group(), f"{match.group(1)} {match.group(2)}", "blank")
        for match in _GLUED_WORD.finditer(posted)
    ]
    changes += [
        Change(match.start(), match.group(), f"{match.group()} ", "blank") for match in _GLUED_SENTENCE.finditer(posted)
    ]
    result: list[Change] = []
    for change in sorted(changes):
        if not result or result[-1].start + len(result[-1].before) <= change.start:
            result.append(change)
    return result
