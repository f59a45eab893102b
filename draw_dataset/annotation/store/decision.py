"""Decisions and names of annotators, and how they are stored.

A decision has a kind and a payload of plain JSON data. The kinds::

    choose          {"literal": 2, "place": [0, 7]}         the literal comes from that number; null: from none
    unchoose        {"literal": 2}
    equivalent      {"places": [[0, 7], [1, 4]]}            these numbers mean the same thing (EquivTNum)
    not_equivalent  {"places": [[1, 4]]}                    these mean what no other number does
    number          {"place": [0, 4], "value": "12"}        the token there is a number, which the rules do not see
    edit            {"question": "…"}                       another text; all is proposed again
    flag            {"why": "…"}                            not fit to be annotated
    skip, submit, reopen, undo, redo                        {}
    take            {"annotator": "…", "question": "…", "chosen": [[2, [0, 7]]], "groups": [[[0, 7], [1, 4]]],
                     "numbers": [[[0, 4], "12"]]}
                                                            an adjudicator's: the work of someone as it was then

A place is a sentence and a token, counted from 0.

A name is kept as people write it, even with markup: the page that shows it escapes it. Two encodings of the same
letters are one name (Unicode's normal form C), and blanks around it do not count. Invisible characters are refused,
because two names that look the same would be two people.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from draw_dataset.errors import AnnotationError, shown

MAX_QUESTION = 10_000
"""How many characters a text may have."""

MAX_NAME = 100
"""How many characters a name may have."""

MAX_SECONDS = 10**9
"""The longest time that a decision may have taken: some thirty years."""

MAX_WHY = 1_000
"""How many characters the reason of a flag may have."""

TextPlace = tuple[int, int]
"""A sentence and a token of it, from 0."""

Payload = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Decision:
    """One decision of one annotator about one problem.

    Attributes:
        kind: one of `KINDS`.
        payload: what belongs to it.
        seconds: how long it took.
        revision: the revision of the problem it was made on.
        at: when, in UTC, as in ``2026-11-16T05:20:00.123456Z``; empty if it is not recorded yet.
        number: its number in the store; 0 if it is not recorded yet.
    """

    kind: str
    payload: Payload = field(default_factory=dict)
    seconds: float = 0.0
    revision: int = 1
    at: str = ""
    number: int = 0


def read_decision(kind: object, payload: object = None, seconds: object = 0.0, revision: int = 1) -> Decision:
    """Return the decision in untrusted data.

    >>> read_decision("choose", {"literal": 1, "place": (0, 4)}).payload
    {'literal': 1, 'place': [0, 4]}

    Raises:
        AnnotationError: the kind is unknown, or the payload does not fit the kind.
    """
    if not isinstance(kind, str) or kind not in KINDS:
        raise AnnotationError(f"decision: expected one of {', '.join(KINDS)}, but got {shown(kind)}")
    time = read_seconds(seconds, kind)
    payload = {} if payload is None else payload
    if kind in _ABSENT and isinstance(payload, Mapping):
        payload = {**_ABSENT[kind], **payload}
    fields = KINDS[kind]
    if not isinstance(payload, Mapping) or set(payload) != set(fields):
        wanted = f"a payload with {', '.join(fields)}" if fields else "an empty payload"
        raise AnnotationError(f"{kind}: expected {wanted}, but got {shown(payload)}")
    read = {name: reader(payload[name], f"{kind}: {name}") for name, reader in fields.items()}
    return Decision(kind, read, time, revision)


def read_seconds(value: object, where: str) -> float:
    """Return the time in untrusted data.

    Raises:
        AnnotationError: it is not a number from 0 to `MAX_SECONDS`.
    """
    # An integer too long for a float is compared exactly, and NaN is not between anything.
    if isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value <= MAX_SECONDS:
        return float(value)
    raise AnnotationError(f"{where}: expected a number of seconds from 0 to {MAX_SECONDS}, but got {shown(value)}")


def read_question(value: object, where: str = "question") -> str:
    """Return a text that can be annotated.

    Raises:
        AnnotationError: it is not a string, empty, too long, or has control characters except line ends and tabs.
    """
    text = read_text(value, MAX_QUESTION, where)
    if not text.strip():
        raise AnnotationError(f"{where}: expected a text, but got an empty string")
    return text


def read_text(value: object, most: int, where: str) -> str:
    """Return a text, possibly an empty one.

    Raises:
        AnnotationError: it is not a string, longer than `most`, or has control characters except line ends and tabs.
    """
    if not isinstance(value, str):
        raise AnnotationError(f"{where}: expected a string, but got {shown(value)}")
    if len(value) > most:
        raise AnnotationError(f"{where}: expected at most {most} characters, but got {len(value)}")
    for character in value:
        if unicodedata.category(character) in ("Cc", "Cs") and character not in "\n\r\t":
            raise AnnotationError(f"{where}: expected no control characters, but got U+{ord(character):04X}")
    return value


def _why(value: object, where: str) -> str:
    return read_text(value, MAX_WHY, where)


def _whole(value: object, where: str) -> int:
    if type(value) is not int or not 0 <= value < 1 << 31:
        raise AnnotationError(f"{where}: expected a whole number from 0, but got {shown(value)}")
    return value


def _place(value: object, where: str) -> list[int]:
    if not isinstance(value, (list, tuple)) or len(value) != 2:
        raise AnnotationError(f"{where}: expected a place as [sentence, token], but got {shown(value)}")
    return [_whole(part, where) for part in value]


def _place_or_none(value: object, where: str) -> list[int] | None:
    return None if value is None else _place(value, where)


def _list(value: object, where: str) -> Iterable[object]:
    if not isinstance(value, (list, tuple)):
        raise AnnotationError(f"{where}: expected a list, but got {shown(value)}")
    return value


def _places(value: object, where: str) -> list[list[int]]:
    return [_place(place, where) for place in _list(value, where)]


def _groups(value: object, where: str) -> list[list[list[int]]]:
    return [_places(group, where) for group in _list(value, where)]


def _chosen(value: object, where: str) -> list[list[object]]:
    read: list[list[object]] = []
    for pair in _list(value, where):
        if not isinstance(pair, (list, tuple)) or len(pair) != 2:
            raise AnnotationError(f"{where}: expected pairs of a literal and a place, but got {shown(pair)}")
        read.append([_whole(pair[0], where), _place_or_none(pair[1], where)])
    return read


def _value(value: object, where: str) -> str:
    """Return the value of a number as a person gave it, in lowest terms."""
    text = value.strip() if isinstance(value, str) else ""
    if not _NUMBER.fullmatch(text):
        raise AnnotationError(f"{where}: expected a number, as 12, 0.5 or 1/3, but got {shown(value)}")
    try:
        return str(Fraction(text))
    except ZeroDivisionError as error:
        raise AnnotationError(f"{where}: expected a number, but got {shown(value)}") from error


_NUMBER = re.compile(r"[0-9]{1,15}(?:\.[0-9]{1,12}|/[0-9]{1,15})?", re.ASCII)


def _marked(value: object, where: str) -> list[list[object]]:
    read: list[list[object]] = []
    for pair in _list(value, where):
        if not isinstance(pair, (list, tuple)) or len(pair) != 2:
            raise AnnotationError(f"{where}: expected pairs of a place and a value, but got {shown(pair)}")
        read.append([_place(pair[0], where), _value(pair[1], where)])
    return read


_Reader = Callable[[object, str], object]

KINDS: dict[str, dict[str, _Reader]] = {
    "choose": {"literal": _whole, "place": _place_or_none},
    "unchoose": {"literal": _whole},
    "equivalent": {"places": _places},
    "not_equivalent": {"places": _places},
    "number": {"place": _place, "value": _value},
    "edit": {"question": read_question},
    "flag": {"why": _why},
    "skip": {},
    "submit": {},
    "reopen": {},
    "undo": {},
    "redo": {},
    "take": {
        "annotator": _why,
        "question": read_question,
        "chosen": _chosen,
        "groups": _groups,
        "numbers": _marked,
    },
}
"""The kinds of decisions, each with the fields of its payload."""

_ABSENT: dict[str, dict[str, Any]] = {"take": {"numbers": []}}
"""Fields that decisions of older stores do not have, with their default values."""


def standing(decisions: Iterable[Decision]) -> tuple[list[Decision], list[Decision]]:
    """Return the decisions that remain after all undoing, and those that could be redone, the next one last.

    >>> kinds = ["skip", "reopen", "undo", "undo", "redo"]
    >>> [[d.kind for d in part] for part in standing(Decision(kind) for kind in kinds)]
    [['skip'], ['reopen']]

    Raises:
        AnnotationError: there is nothing to undo or redo.
    """
    done: list[Decision] = []
    undone: list[Decision] = []
    for decision in decisions:
        if decision.kind == "undo":
            if not done:
                raise AnnotationError("undo: expected a decision to undo, but there is none")
            undone.append(done.pop())
        elif decision.kind == "redo":
            if not undone:
                raise AnnotationError("redo: expected an undone decision that nothing has followed, but there is none")
            done.append(undone.pop())
        else:
            done.append(decision)
            undone.clear()
    return done, undone


_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_JOINERS = frozenset("\u200c\u200d")
"""Invisible as well, but some scripts need them."""


def normal_name(name: str) -> str:
    r"""Return a name in its normal form.

    >>> normal_name("  Zoe\u0308 <b> ") == "Zo\u00eb <b>"
    True

    Raises:
        AnnotationError: it is empty, too long, or has invisible characters.
    """
    if not isinstance(name, str):
        raise AnnotationError(f"name: expected a string, but got {shown(name)}")
    if len(name) > 4 * MAX_NAME:
        raise AnnotationError(f"name: expected at most {MAX_NAME} characters, but got {len(name)}")
    normal = unicodedata.normalize("NFC", name).strip()
    if not normal:
        raise AnnotationError("name: expected at least one character that can be seen, but got none")
    if len(normal) > MAX_NAME:
        raise AnnotationError(f"name: expected at most {MAX_NAME} characters, but got {len(normal)}")
    for character in normal:
        if unicodedata.category(character) in _UNSEEN and character not in _JOINERS:
            raise AnnotationError(
                f"name: expected characters that can be seen, but got U+{ord(character):04X} in {ascii(normal)[:60]}"
            )
    return normal
