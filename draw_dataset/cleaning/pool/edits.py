"""The question: what in a posted text is not part of the problem, and what must be written otherwise to be understood.

Sentences that ask for help, thank, greet or name a textbook are proposed for removal, but only if they carry no number
and ask for nothing else: ``Please help me find how many`` stays, and so does ``I am stuck on this for 2 hours``.
Numbers glued to a unit or a word are separated (the paper's ``10ml`` to ``10 ml``), and a blank is put after the end
of a sentence where none is. Everything is a change that can be undone.
"""

from __future__ import annotations

import re
from functools import lru_cache

from draw_dataset.prose import UNITS
from draw_dataset.text import find_numbers, sentence_spans
from draw_dataset.text.changes import Change

_KINDS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (kind, re.compile(pattern, re.IGNORECASE))
    for kind, pattern in (
        (
            "thanks",
            r"\bthan(?:k|x)s?\b|\bthank\s?you|\bthx\b|\bty\b|\bappreciate|\bgrateful|\bgod bless|\bcheers\b",
        ),
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
    """Return a text without all that only asks for help or thanks, numbers or not: for comparing, not for keeping.

    >>> without_pleas("How old is Ann if she is 3 less than 9? I am stuck on this for 2 hours, pls help!!")
    'How old is Ann if she is 3 less than 9?'
    """
    kept = [posted[start:end] for start, end in sentence_spans(posted, "raw") if _kind(posted[start:end]) is None]
    return " ".join(piece for piece in kept if re.search(r"\w", piece)) or posted


def doubtful_sentences(text: str) -> list[str]:
    """Return the sentences that ask for help or thank but carry a number: a person has to say if they belong there.

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
    return _merged_edges(changes)


def _merged_edges(changes: list[Change]) -> list[Change]:
    """Keep removals apart: a blank between two of them belongs to the first."""
    result: list[Change] = []
    for change in changes:
        if result:
            end = result[-1].start + len(result[-1].before)
            if change.start < end:
                change = Change(end, change.before[end - change.start :], "", change.kind)
        if change.before:
            result.append(change)
    return result


@lru_cache(maxsize=64)
def _kind(sentence: str) -> str | None:
    # A sentence is asked about when changes are proposed and again when texts are compared.
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
