"""Annotators' decisions and the annotation state that they lead to.

A decision has a kind and a payload of plain JSON data. The kinds::

    choose          {"literal": 2, "place": [0, 7]}         the literal comes from that number; null: from none
    unchoose        {"literal": 2}
    equivalent      {"places": [[0, 7], [1, 4]]}            these numbers mean the same thing (EquivTNum)
    not_equivalent  {"places": [[1, 4]]}                    these belong to no group
    number          {"place": [0, 4], "value": "12"}        the token there is a number, which the rules do not see
    asked           {"asked": ["m", "10*m + n"]}            the quantities asked for; [] if the text asks for none,
                                                            null takes the answer back
    role            {"unknown": "m", "role": "hours"}       an unknown in words of the text; null takes them back
    derivation      {"derivation": "m + n = q2; m = q1*n", "alternatives": []}
                                                            own equations in place of the imported ones, and others
                                                            that the text allows; null takes them back
    edit            {"question": "…"}                       another text; all is proposed again
    flag            {"why": "…"}                            not fit to be annotated
    skip, submit, reopen, undo, redo                        {}
    take            {"annotator": "…", "question": "…", "chosen": [[2, [0, 7]]], "groups": [[[0, 7], [1, 4]]],
                     "numbers": [[[0, 4], "12"]], "derivation": null, "alternatives": [], "asked": ["m"],
                     "roles": [["m", "hours"]]}
                                                            an adjudicator's: the work of someone as it was then

A place is a sentence and a token, counted from 0. The unknowns are m, n and o, in the order of the equations or as in a
stated derivation; q1, q2 … are the numbers of the text as it is then. Only decisions are stored; the state is computed
from them.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from typing import Any

from draw_dataset.algebra.limits import MEGABYTE, weighted_cache
from draw_dataset.annotate.normal import (
    build_problem,
    build_stated_problem,
    carry_derivation,
    carry_expression,
    name_unknowns,
    read_expressions,
    read_stated,
)
from draw_dataset.annotate.proposal import UNKNOWN_NAMES, Origin, Proposal, propose
from draw_dataset.derivation.derivation import Derivation, NumberClasses, Place, TextNumber
from draw_dataset.derivation.equivalence import derivations_equivalent
from draw_dataset.derivation.problem import LARGEST, LONGEST_ID, Problem, ProblemId, Role, is_problem_id
from draw_dataset.errors import AnnotationError, DrawError, LimitError, RowError, short_repr
from draw_dataset.text.edits import carry_numbers
from draw_dataset.text.numbers import NumberWords, locate_numbers
from draw_dataset.text.tokens import tokenize

MAX_QUESTION = 10_000  # characters
MAX_NAME = 100  # characters
MAX_SECONDS = 10**9  # the longest time that a decision may have taken: some thirty years
MAX_WHY = 1_000  # characters in the reason of a flag
MAX_EQUATIONS = 2_000  # characters of a stated derivation
MAX_EXPRESSION = 200  # characters of an expression that is asked for
MAX_ROLE = 200  # characters of a role
MOST_ASKED = 20  # expressions, and alternatives to a stated derivation

TextPlace = tuple[int, int]  # a sentence and a token of it, from 0

Payload = Mapping[str, Any]

_Reader = Callable[[object, str], object]


@dataclass(frozen=True, slots=True)
class Decision:
    """One decision of one annotator about one problem."""

    kind: str  # one of `KINDS`
    payload: Payload = field(default_factory=dict)  # its fields
    seconds: float = 0.0  # how long it took
    revision: int = 1  # the revision of the problem it was made on
    at: str = ""  # when, in UTC, as in ``2026-11-16T05:20:00.123456Z``; empty if it is not recorded yet
    number: int = 0  # its number in the store; 0 if it is not recorded yet


def read_decision(kind: object, payload: object = None, seconds: object = 0.0, revision: int = 1) -> Decision:
    """Return the decision in untrusted data.

    >>> read_decision("choose", {"literal": 1, "place": (0, 4)}).payload
    {'literal': 1, 'place': [0, 4]}
    """
    if not isinstance(kind, str) or kind not in KINDS:
        raise AnnotationError(f"decision: expected one of {', '.join(KINDS)}, but got {short_repr(kind)}")
    time = read_seconds(seconds, kind)
    payload = {} if payload is None else payload
    if kind in _ABSENT and isinstance(payload, Mapping):
        payload = {**_ABSENT[kind], **payload}
    fields = KINDS[kind]
    if not isinstance(payload, Mapping) or set(payload) != set(fields):
        wanted = f"a payload with {', '.join(fields)}" if fields else "an empty payload"
        raise AnnotationError(f"{kind}: expected {wanted}, but got {short_repr(payload)}")
    read = {name: reader(payload[name], f"{kind}: {name}") for name, reader in fields.items()}
    return Decision(kind, read, time, revision)


def read_seconds(value: object, where: str) -> float:
    """Return the time in untrusted data."""
    # An integer too long for a float is compared exactly, and NaN is not between anything.
    if isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value <= MAX_SECONDS:
        return float(value)
    raise AnnotationError(f"{where}: expected a number of seconds from 0 to {MAX_SECONDS}, but got {short_repr(value)}")


def read_question(value: object, where: str = "question") -> str:
    """Return a text that can be annotated."""
    text = read_text(value, where, MAX_QUESTION)
    if not text.strip():
        raise AnnotationError(f"{where}: expected a text, but got an empty string")
    return text


def read_text(value: object, where: str, most: int) -> str:
    """Return a text, possibly an empty one."""
    if not isinstance(value, str):
        raise AnnotationError(f"{where}: expected a string, but got {short_repr(value)}")
    if len(value) > most:
        raise AnnotationError(f"{where}: expected at most {most} characters, but got {len(value)}")
    for character in value:
        if unicodedata.category(character) in ("Cc", "Cs") and character not in "\n\r\t":
            raise AnnotationError(f"{where}: expected no control characters, but got U+{ord(character):04X}")
    return value


def _whole(value: object, where: str) -> int:
    if type(value) is not int or not 0 <= value < 1 << 31:
        raise AnnotationError(f"{where}: expected a whole number from 0, but got {short_repr(value)}")
    return value


def _place(value: object, where: str) -> list[int]:
    if not isinstance(value, (list, tuple)) or len(value) != 2:
        raise AnnotationError(f"{where}: expected a place as [sentence, token], but got {short_repr(value)}")
    return [_whole(part, where) for part in value]


def _place_or_none(value: object, where: str) -> list[int] | None:
    return None if value is None else _place(value, where)


def _list(value: object, where: str) -> Iterable[object]:
    if not isinstance(value, (list, tuple)):
        raise AnnotationError(f"{where}: expected a list, but got {short_repr(value)}")
    return value


def _places(value: object, where: str) -> list[list[int]]:
    return [_place(place, where) for place in _list(value, where)]


def _groups(value: object, where: str) -> list[list[list[int]]]:
    return [_places(group, where) for group in _list(value, where)]


def _pairs(value: object, where: str, what: str, first: _Reader, second: _Reader) -> list[list[object]]:
    read: list[list[object]] = []
    for pair in _list(value, where):
        if not isinstance(pair, (list, tuple)) or len(pair) != 2:
            raise AnnotationError(f"{where}: expected pairs of {what}, but got {short_repr(pair)}")
        read.append([first(pair[0], where), second(pair[1], where)])
    return read


_NUMBER = re.compile(r"[0-9]{1,15}(?:\.[0-9]{1,12}|/[0-9]{1,15})?", re.ASCII)


def _value(value: object, where: str) -> str:
    """Return the value of a number as a person gave it, in lowest terms."""
    text = value.strip() if isinstance(value, str) else ""
    if not _NUMBER.fullmatch(text):
        raise AnnotationError(f"{where}: expected a number, as 12, 0.5 or 1/3, but got {short_repr(value)}")
    try:
        return str(Fraction(text))
    except ZeroDivisionError as error:
        raise AnnotationError(f"{where}: expected a number, but got {short_repr(value)}") from error


def _unknown(value: object, where: str) -> str:
    if not isinstance(value, str) or value not in UNKNOWN_NAMES:
        raise AnnotationError(f"{where}: expected {', '.join(UNKNOWN_NAMES)}, but got {short_repr(value)}")
    return value


def _role(value: object, where: str) -> str | None:
    """Return a role on one line; None for an empty one."""
    return None if value is None else " ".join(read_text(value, where, MAX_ROLE).split()) or None


def _role_of(value: object, where: str) -> str:
    role = _role(value, where)
    if role is None:
        raise AnnotationError(f"{where}: expected words, but got {short_repr(value)}")
    return role


def _texts(value: object, where: str, most: int) -> list[str]:
    texts = [read_text(text, where, most).strip() for text in _list(value, where)]
    if len(texts) > MOST_ASKED or not all(texts):
        got = "an empty string" if len(texts) <= MOST_ASKED else str(len(texts))
        raise AnnotationError(f"{where}: expected at most {MOST_ASKED} strings with something in them, but got {got}")
    return texts


def _expressions(value: object, where: str) -> list[str] | None:
    return None if value is None else _texts(value, where, MAX_EXPRESSION)


def _stated(value: object, where: str) -> str | None:
    if value is None:
        return None
    text = read_text(value, where, MAX_EQUATIONS).strip()
    if not text:
        raise AnnotationError(f"{where}: expected equations in q-notation, or null, but got an empty string")
    return text


_DERIVATION: dict[str, _Reader] = {"derivation": _stated, "alternatives": partial(_texts, most=MAX_EQUATIONS)}

KINDS: dict[str, dict[str, _Reader]] = {
    "choose": {"literal": _whole, "place": _place_or_none},
    "unchoose": {"literal": _whole},
    "equivalent": {"places": _places},
    "not_equivalent": {"places": _places},
    "number": {"place": _place, "value": _value},
    "asked": {"asked": _expressions},
    "role": {"unknown": _unknown, "role": _role},
    "derivation": _DERIVATION,
    "edit": {"question": read_question},
    "flag": {"why": partial(read_text, most=MAX_WHY)},
    "skip": {},
    "submit": {},
    "reopen": {},
    "undo": {},
    "redo": {},
    "take": {
        "annotator": partial(read_text, most=MAX_WHY),
        "question": read_question,
        "chosen": partial(_pairs, what="a literal and a place", first=_whole, second=_place_or_none),
        "groups": _groups,
        "numbers": partial(_pairs, what="a place and a value", first=_place, second=_value),
        **_DERIVATION,
        "asked": _expressions,
        "roles": partial(_pairs, what="an unknown and its role", first=_unknown, second=_role_of),
    },
}
"""The kinds of decisions, each with the fields of its payload."""

_ABSENT: dict[str, dict[str, Any]] = {
    "derivation": {"alternatives": []},
    "take": {"numbers": [], "derivation": None, "alternatives": [], "asked": None, "roles": []},
}
"""Fields that a decision may lack, as those of older stores do, with their default values."""


def remaining_decisions(decisions: Iterable[Decision]) -> tuple[list[Decision], list[Decision]]:
    """Return the decisions left after all undoing, and those that can be redone, the next one last.

    >>> kinds = ["skip", "reopen", "undo", "undo", "redo"]
    >>> [[d.kind for d in part] for part in remaining_decisions(Decision(kind) for kind in kinds)]
    [['skip'], ['reopen']]
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


# Two encodings of the same letters are one name, and invisible characters are refused, because two names that look
# the same would be two people. So would names in capitals and in small letters: a store keeps the spelling that came
# first. Markup is kept: the page escapes it.
_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_JOINERS = frozenset("\u200c\u200d")  # invisible as well, but some scripts need them


def normal_name(name: str) -> str:
    r"""Return a name in its normal form.

    >>> normal_name("  Zoe\u0308 <b> ") == "Zo\u00eb <b>"
    True
    """
    if not isinstance(name, str):
        raise AnnotationError(f"name: expected a string, but got {short_repr(name)}")
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


def same_name(name: str, names: Iterable[str]) -> str | None:
    """Return the name among others that is the same but for case; None if there is none.

    >>> same_name("ann LEE", ["Bo", "Ann Lee"]), same_name("Ann", ["Bo"])
    ('Ann Lee', None)
    """
    known = list(names)
    if name in known:
        return name  # files of earlier versions may have both
    folded = unicodedata.normalize("NFC", name.casefold())
    return next((other for other in known if unicodedata.normalize("NFC", other.casefold()) == folded), None)


Group = tuple[TextNumber, ...]

Marked = tuple[tuple[TextPlace, str], ...]
"""Tokens that a person called numbers: each place with its value, in the order of the text."""


@dataclass(frozen=True, slots=True)
class StoredProblem:
    """A problem as it was imported."""

    id: ProblemId
    question: str
    equations: tuple[str, ...]  # as written
    extra: Mapping[str, Any] = field(default_factory=dict)  # other imported fields, such as ``source``
    revision: int = 1  # how often it was imported with something changed, from 1

    @property
    def look_at(self) -> tuple[str, ...]:
        """Remarks of the import that force review of a problem that would be decided automatically."""
        given = self.extra.get("look_at")
        return tuple(map(str, given)) if isinstance(given, (list, tuple)) else ()

    @property
    def number_words(self) -> NumberWords:
        """The setting by which its numbers are found: that of the imported row."""
        return "ordinary" if self.extra.get("number_words") == "ordinary" else "standard"


@dataclass(frozen=True, slots=True)
class AnnotationState:
    """One annotator's work on one problem: what is answered, what is left, and the resulting derivation."""

    stored: StoredProblem
    annotator: str
    question: str  # the text with all edits
    proposal: Proposal | None  # None if text and equations cannot be annotated as they are
    refusal: str | None  # why they cannot be annotated
    chosen: Mapping[int, Origin] = field(default_factory=dict)  # by positions of literals in the proposal
    groups: tuple[Group, ...] = ()  # equivalent numbers (EquivTNum), all in text order
    marked: Marked = ()
    stated: str | None = None  # a derivation of the annotator's own, in q-notation; None for that of the proposal
    alternatives: tuple[str, ...] = ()  # further derivations that the text allows, for a stated one
    asked: tuple[str, ...] | None = None  # what the question asks for; empty if it does not say, None if nobody said it
    roles: tuple[Role, ...] = ()  # what unknowns are, in their order
    flagged: str | None = None  # the reason, possibly empty
    skipped: bool = False
    submitted: bool = False
    taken: str | None = None  # whose work an adjudicator took; None unless nothing was changed since
    seconds: float = 0.0  # the time spent on all decisions, those undone included
    notices: tuple[str, ...] = field(default=(), compare=False)  # about the last step
    decided: int = field(default=0, compare=False)  # number of recorded decisions, undone ones and undoing included
    can_undo: bool = field(default=False, compare=False)
    can_redo: bool = field(default=False, compare=False)

    @property
    def problem_id(self) -> ProblemId:
        """The problem's id."""
        return self.stored.id

    @property
    def original(self) -> str:
        """The text as it was imported."""
        return self.stored.question

    @property
    def status(self) -> str:
        """One of ``untouched``, ``started``, ``skipped``, ``flagged`` and ``submitted``."""
        if self.submitted:
            return "submitted"
        if self.flagged is not None:
            return "flagged"
        if self.skipped:
            return "skipped"
        return "started" if self.can_undo else "untouched"

    @property
    def is_done(self) -> bool:
        """Whether it is submitted or flagged."""
        return self.submitted or self.flagged is not None

    @property
    def left(self) -> tuple[int, ...]:
        """The positions of the literals that are still open questions."""
        if self.proposal is None or self.stated is not None:
            return ()
        return tuple(q for q in self.proposal.questions if q not in self.chosen)

    @property
    def trouble(self) -> str | None:
        """The reason why complete answers make no derivation; None if they do, or if some are missing."""
        derived = self._try_derive()
        return derived if isinstance(derived, str) else None

    @property
    def is_complete(self) -> bool:
        """Whether it may be submitted: nothing is open, and the answers make a derivation."""
        return self.derivation is not None

    @property
    def derivation(self) -> Derivation | None:
        """The derivation; None while something is open."""
        derived = self._try_derive()
        return derived if isinstance(derived, Derivation) else None

    def _try_derive(self) -> Derivation | str | None:
        if self.stated is not None:
            return Derivation.read(self.stated, self.numbers)
        if self.proposal is None or self.left:
            return None
        try:
            return self.proposal.derive(self.chosen)
        except (AnnotationError, LimitError) as error:
            return str(error)

    def number_at(self, place: TextPlace) -> TextNumber:
        """Return the number of the text at a place."""
        for number in self.numbers:
            if number.place == place:
                return number
        there = ", ".join(f'"{n.text}" at {list(n.place)}' for n in self.numbers) or "none"
        raise AnnotationError(f"expected a number of the text ({there}), but got {list(place)}")

    @property
    def numbers(self) -> tuple[TextNumber, ...]:
        """The numbers of the text as it is now."""
        if self.proposal is not None:
            return self.proposal.numbers
        return _find_numbers(self.question, self.marked, self.stored.number_words)

    @property
    def unknowns(self) -> tuple[str, ...]:
        """The names of the unknowns; none if there are no equations that can be read."""
        if self.stated is not None:
            return tuple(sorted(Derivation.read(self.stated, self.numbers).template.unknowns))
        return () if self.proposal is None else UNKNOWN_NAMES[: len(self.proposal.source.unknowns)]

    @property
    def shown_names(self) -> dict[str, str]:
        """The unknowns with their names in the equations that the annotator sees."""
        if self.stated is not None or self.proposal is None:
            return {unknown: unknown for unknown in self.unknowns}
        return dict(zip(self.unknowns, self.proposal.source.unknowns, strict=True))

    @property
    def unsaid(self) -> tuple[str, ...]:
        """What is not said of the unknowns and the question, in words."""
        said = dict(self.roles)
        names = [f"what {name} is" for unknown, name in self.shown_names.items() if unknown not in said]
        return (*names, *(["what the question asks for"] if self.asked is None else []))

    def problem(self) -> Problem:
        """Return the annotated problem; a stated derivation keeps its form."""
        proposal, asked, roles = self.proposal, self.asked or (), self.roles
        try:
            if self.stated is not None:
                numbers, others = self.numbers, self.alternatives
                return build_stated_problem(
                    self.problem_id, self.question, numbers, self.stated, others, self.groups, asked, roles
                )
            if proposal is not None and self.is_complete:
                return build_problem(self.problem_id, proposal, self.chosen, self.groups, asked=asked, roles=roles)
        except LimitError as error:
            raise AnnotationError(f"problem {self.problem_id}: {error}") from error
        raise AnnotationError(f"problem {self.problem_id}: {self.lacking()}")

    @property
    def is_own(self) -> bool:
        """Whether it is complete with a derivation that people made: the program decides none alone, or another one.

        So is a derivation of an edited text.
        """
        derivation = self.derivation
        if derivation is None or self.question != self.original:
            return derivation is not None
        alone = fresh_work(self.stored, "").derivation
        return alone is None or not derivations_equivalent(derivation, alone, NumberClasses())

    def lacking(self) -> str:
        """Return the reason why it is not complete."""
        if self.proposal is None:
            return f"it cannot be annotated as it is: {self.refusal}"
        if self.left:
            texts = ", ".join(self.proposal.literals[position].text for position in self.left)
            return f"expected every value to be decided, but it is still open where {texts} comes from"
        return f"the answers make no derivation: {self.trouble}"


def read_id(value: object, where: str, error: type[DrawError] = AnnotationError) -> ProblemId:
    """Return the id in untrusted data."""
    if is_problem_id(value):
        return value
    raise error(
        f"{where}: id: expected a whole number from 0 to {LARGEST}, or a string of 1 to {LONGEST_ID} characters that "
        f"can be seen, but got {short_repr(value)}"
    )


def fresh_work(stored: StoredProblem, annotator: str) -> AnnotationState:
    """Return the state before any decision.

    >>> work = fresh_work(StoredProblem(7, "Two and 2 make 4 . Add 5 .", ("x = 2 + 5",)), "Ann")
    >>> work.left, work.status
    ((0,), 'untouched')
    """
    proposal, refusal = try_propose(stored.question, stored.equations, (), stored.number_words)
    return AnnotationState(stored, annotator, stored.question, proposal, refusal)


def _weigh(
    found: tuple[Proposal | None, str | None],
    question: str,
    equations: tuple[str, ...],
    marked: Marked = (),
    _: NumberWords = "standard",
) -> int:
    texts = 1_000 + 4 * len(question) + 4 * sum(map(len, equations)) + 300 * len(marked)
    proposal = found[0]
    if proposal is None:
        return texts
    origins = sum([len(literal.origins) for literal in proposal.literals])
    tokens = len(proposal.source.tokens)
    return texts + 500 * len(proposal.numbers) + 600 * len(proposal.literals) + 300 * origins + 60 * tokens


@weighted_cache(48 * MEGABYTE, _weigh)
def try_propose(
    question: str, equations: tuple[str, ...], marked: Marked = (), number_words: NumberWords = "standard"
) -> tuple[Proposal | None, str | None]:
    """Return the proposal for a text with its marked numbers and equations, or why they cannot be annotated."""
    try:
        read_question(question)
        for equation in equations:
            read_text(equation, "equations", MAX_QUESTION)
        numbers = locate_numbers(question, {place: Fraction(value) for place, value in marked}, number_words)[0]
        return propose(question, equations, numbers), None
    except (AnnotationError, LimitError, RowError) as error:
        return None, str(error)


@weighted_cache(2 * MEGABYTE, lambda numbers, question, *_: 200 + 2 * len(question) + 500 * len(numbers))
def _find_numbers(question: str, marked: Marked, number_words: NumberWords) -> tuple[TextNumber, ...]:
    """Return the numbers of a text for which nothing can be proposed; none if it cannot be read."""
    try:
        read_question(question)
        return locate_numbers(question, {place: Fraction(value) for place, value in marked}, number_words)[0]
    except (AnnotationError, RowError):
        return ()


# Undoing leaves the last decision out, so none is ever lost. A decision that does not fit the state is refused when it
# is made. A recorded one may no longer fit because a later version reads the text differently: it is ignored, `notices`
# says so, and its question is open again. After an edit, or a new revision, everything is proposed again; choices,
# groups, a stated derivation and expressions stay if their numbers are still there. Roles and expressions of unknowns
# that the equations no longer have are dropped.


def fold(revisions: Mapping[int, StoredProblem], annotator: str, decisions: Sequence[Decision]) -> AnnotationState:
    """Return the state that decisions lead to."""
    done, undone = remaining_decisions(decisions)
    work, unfit = _replay(revisions, annotator, done)
    return _finish(work, unfit, decisions, can_undo=bool(done), can_redo=bool(undone))


def _replay(
    revisions: Mapping[int, StoredProblem], annotator: str, done: Sequence[Decision]
) -> tuple[AnnotationState, list[str]]:
    """Return the state after the decisions that were not undone, and notices about those that do not fit."""
    newest = revisions[max(revisions)]
    work = fresh_work(revisions[done[0].revision] if done else newest, annotator)
    unfit: list[str] = []
    for decision in done:
        if decision.revision != work.stored.revision:
            work = _move(work, revisions[decision.revision])
        try:
            work = apply_decision(work, decision)
        except AnnotationError as error:
            unfit.append(f"a recorded decision no longer fits and is ignored: {error}")
    return (work if work.stored.revision == newest.revision else _move(work, newest)), unfit


def _finish(
    work: AnnotationState, unfit: Sequence[str], decisions: Sequence[Decision], *, can_undo: bool, can_redo: bool
) -> AnnotationState:
    return replace(
        work,
        notices=(*work.notices, *unfit),
        seconds=sum(decision.seconds for decision in decisions),
        decided=len(decisions),
        can_undo=can_undo,
        can_redo=can_redo,
    )


def decide(
    revisions: Mapping[int, StoredProblem], annotator: str, decisions: Sequence[Decision], new: Decision
) -> AnnotationState:
    """Return the state that decisions and a new one lead to."""
    if new.kind in ("undo", "redo"):
        return fold(revisions, annotator, [*decisions, new])
    work, unfit = _replay(revisions, annotator, remaining_decisions(decisions)[0])
    return _finish(apply_decision(work, new), unfit, [*decisions, new], can_undo=True, can_redo=False)


def apply_decision(work: AnnotationState, decision: Decision) -> AnnotationState:
    """Return the state after a decision other than to undo or redo."""
    payload, kind = decision.payload, decision.kind
    if kind == "reopen":
        if not work.is_done and not work.skipped:
            raise AnnotationError("reopen: expected work that is submitted, flagged or skipped, but it is open")
        return replace(work, submitted=False, flagged=None, skipped=False, notices=())
    if kind == "take":
        return _take(work, payload)
    if work.is_done:
        raise AnnotationError(f"{kind}: expected open work, but it is {work.status}; reopen it first")
    if kind == "flag":
        return replace(work, flagged=payload["why"], skipped=False, notices=())
    if kind == "skip":
        return replace(work, skipped=True, notices=())
    if kind == "submit":
        work.problem()  # raises if the work is not complete
        return replace(work, submitted=True, skipped=False, notices=())
    work = replace(work, skipped=False, taken=None, notices=())
    if kind == "edit":
        if payload["question"] == work.question:
            raise AnnotationError("edit: expected a changed text, but got the present one")
        return _reword(work, payload["question"])
    if kind == "number":
        return _with_number(work, payload["place"], payload["value"])
    if kind == "derivation":
        return _state(work, payload)
    if work.proposal is None and work.stated is None:
        raise AnnotationError(f"{kind}: the problem cannot be annotated as it is: {work.refusal}")
    if kind == "asked":
        return _ask(work, payload["asked"])
    if kind == "role":
        return _say_role(work, payload["unknown"], payload["role"])
    if kind in ("choose", "unchoose") and (work.stated is not None or work.proposal is None):
        raise AnnotationError(
            f"{kind}: expected the equations of the problem, but the derivation is stated; withdraw that first"
        )
    if kind == "choose" and work.proposal is not None:
        return _choose(work, work.proposal, payload["literal"], payload["place"])
    if kind == "unchoose":
        if payload["literal"] not in work.chosen:
            raise AnnotationError(f"unchoose: expected a chosen literal, but got {payload['literal']}")
        return replace(work, chosen={k: v for k, v in work.chosen.items() if k != payload["literal"]})
    numbers = [work.number_at((sentence, token)) for sentence, token in payload["places"]]
    return _join(work, numbers) if kind == "equivalent" else _part(work, numbers)


def take_payload(work: AnnotationState) -> dict[str, Any]:
    """Return the payload of a decision to take someone's work as it is now."""
    return {
        "annotator": work.annotator,
        "question": work.question,
        "chosen": [[k, None if o.number is None else list(o.number.place)] for k, o in sorted(work.chosen.items())],
        "groups": [[list(number.place) for number in group] for group in work.groups],
        "numbers": [[list(place), value] for place, value in work.marked],
        "derivation": work.stated,
        "alternatives": list(work.alternatives),
        "asked": None if work.asked is None else list(work.asked),
        "roles": [list(pair) for pair in work.roles],
    }


def rename_equations(text: str, work: AnnotationState) -> str:
    """Return equations of a person's own with m, n and o in place of other unknowns, such as those of the problem.

    >>> problem = StoredProblem(7, "Ann has 3 times as many as Bob , 12 in all .", ("a + b = 12", "a = 3*b"))
    >>> rename_equations("b = q2 - a; a = q1*b", fresh_work(problem, "Ann"))
    'n = q2 - m; m = q1*n'
    """
    known = () if work.proposal is None else work.proposal.source.unknowns
    return name_unknowns(text, work.numbers, known)


def _state(work: AnnotationState, payload: Mapping[str, Any]) -> AnnotationState:
    """Return the state with a derivation of the annotator's own, or without it."""
    text = payload["derivation"]
    if text is None:
        if work.stated is None:
            raise AnnotationError("derivation: expected a stated derivation to withdraw, but there is none")
        return _drop_unfit(replace(work, stated=None, alternatives=()))
    read_question(work.question)
    stated = read_stated(text, work.numbers).q_notation()
    alternatives = tuple(read_stated(other, work.numbers).q_notation() for other in payload["alternatives"])
    return _drop_unfit(replace(work, stated=stated, alternatives=alternatives))


def _ask(work: AnnotationState, asked: Sequence[str] | None) -> AnnotationState:
    if asked is None:
        return replace(work, asked=None)
    read_expressions(asked, work.unknowns, work.numbers)
    return replace(work, asked=tuple(asked))


def _say_role(work: AnnotationState, unknown: str, role: str | None) -> AnnotationState:
    if unknown not in work.unknowns:
        raise AnnotationError(
            f"role: expected an unknown of the equations, {' or '.join(work.unknowns)}, but got {unknown}"
        )
    said = {**dict(work.roles), unknown: role}
    return replace(work, roles=tuple((name, words) for name in work.unknowns if (words := said.get(name))))


def _drop_unfit(work: AnnotationState) -> AnnotationState:
    """Return the state without what is said of unknowns that the equations do not have, and with notices of that."""
    roles, asked, notices = [], [], []
    for unknown, role in work.roles:
        if unknown in work.unknowns:
            roles.append((unknown, role))
        else:
            notices.append(f"what {unknown} is, {role}, is dropped: the equations have no {unknown}")
    for text in work.asked or ():
        try:
            read_expressions([text], work.unknowns, work.numbers)
            asked.append(text)
        except AnnotationError:
            notices.append(f"{text} is no longer asked for: it does not fit the equations")
    still = None if work.asked is None or (work.asked and not asked) else tuple(asked)
    return replace(work, roles=tuple(roles), asked=still, notices=(*work.notices, *notices))


def _choose(work: AnnotationState, proposal: Proposal, literal: int, place: Sequence[int] | None) -> AnnotationState:
    number = None if place is None else work.number_at((place[0], place[1]))
    return replace(work, chosen={**work.chosen, literal: proposal.origin(literal, number)})


def _join(work: AnnotationState, numbers: Sequence[TextNumber]) -> AnnotationState:
    if len(set(numbers)) < 2:
        raise AnnotationError("equivalent: expected at least two numbers of the text, but got fewer")
    if len({number.value for number in numbers}) > 1:
        got = " and ".join(f"{number}, which is {number.value}" for number in numbers)
        raise AnnotationError(f"equivalent: expected numbers of one value, but got {got}")
    touched = [group for group in work.groups if set(group) & set(numbers)]
    union = {number for group in touched for number in group} | set(numbers)
    return replace(work, groups=_in_order([*(g for g in work.groups if g not in touched), union]))


def _part(work: AnnotationState, numbers: Sequence[TextNumber]) -> AnnotationState:
    lonely = [number for number in numbers if not any(number in group for group in work.groups)]
    if lonely or not numbers:
        got = lonely[0] if lonely else "none"
        raise AnnotationError(f"not_equivalent: expected numbers that are in groups, but got {got}")
    return replace(work, groups=_in_order([set(group) - set(numbers) for group in work.groups]))


def _in_order(groups: Sequence[set[TextNumber] | Group]) -> tuple[Group, ...]:
    """Return groups of at least two in the order of the text."""
    ordered = [tuple(sorted(group, key=_order)) for group in groups if len(group) > 1]
    return tuple(sorted(ordered, key=lambda group: _order(group[0])))


def _order(number: TextNumber) -> tuple[int, int]:
    return number.sentence or 0, number.token


def _take(work: AnnotationState, payload: Mapping[str, Any]) -> AnnotationState:
    if work.submitted:
        raise AnnotationError("take: expected open work, but it is submitted; reopen it first")
    marked = tuple(((sentence, token), value) for (sentence, token), value in payload.get("numbers", ()))
    proposal, refusal = try_propose(payload["question"], work.stored.equations, marked, work.stored.number_words)
    taken = AnnotationState(work.stored, work.annotator, payload["question"], proposal, refusal, marked=marked)
    if payload["derivation"] is not None:
        taken = _state(taken, payload)
    elif proposal is None:
        raise AnnotationError(f"take: the work taken cannot be annotated: {refusal}")
    if proposal is not None:
        for literal, place in payload["chosen"]:
            taken = _choose(taken, proposal, literal, place)
    for group in payload["groups"]:
        taken = _join(taken, [taken.number_at((sentence, token)) for sentence, token in group])
    taken = _ask(taken, payload["asked"])
    for unknown, role in payload["roles"]:
        taken = _say_role(taken, unknown, role)
    return replace(taken, taken=payload["annotator"])


def _move(work: AnnotationState, stored: StoredProblem) -> AnnotationState:
    """Return the state after the problem was imported again with something changed."""
    same_text, same_equations = stored.question == work.original, stored.equations == work.stored.equations
    moved = replace(work, stored=stored)
    if same_text and same_equations:
        return moved
    if not same_equations:
        moved = replace(moved, chosen={})
    reworded = _reword(moved, work.question if same_text else stored.question)
    what = " and ".join(["another text"] * (not same_text) + ["other equations"] * (not same_equations))
    notice = f"the problem was imported again with {what}: please look at it again"
    return replace(reworded, submitted=False, flagged=None, taken=None, notices=(notice, *reworded.notices))


def _with_number(work: AnnotationState, place: Sequence[int], value: str) -> AnnotationState:
    """Return the state in which a token is a number, though the rules do not see it."""
    where = place[0], place[1]
    token = next((t for t in tokenize(work.question) if (t.sentence, t.index) == where), None)
    if token is None:
        raise AnnotationError(f"number: expected a place in the text, but got {list(place)}")
    if any(number.place == where for number in work.numbers):
        raise AnnotationError(f"number: {short_repr(token.text)} is a number already")
    return _reword(work, work.question, tuple(sorted([*work.marked, (where, value)])))


def _carry_marks(work: AnnotationState, question: str) -> tuple[Marked, list[str]]:
    """Return the marked tokens that an edited text still has, and notices about the others."""
    if question == work.question:
        return work.marked, []
    old = {(t.sentence, t.index): t for t in tokenize(work.question)}
    kept: list[tuple[tuple[int, int], str]] = []
    notices = []
    for place, value in work.marked:
        word = old[place].text if place in old else ""
        # The same occurrence of the same word: the third "dozen" stays the third.
        rank = sum(t.text == word and (t.sentence, t.index) < place for t in old.values())
        there = [(t.sentence, t.index) for t in tokenize(question) if t.text == word]
        if rank < len(there):
            kept.append((there[rank], value))
        else:
            notices.append(f"the mark on {word} is dropped: the word is no longer there")
    return tuple(sorted(kept)), notices


def _reword(work: AnnotationState, question: str, marked: Marked | None = None) -> AnnotationState:
    """Return the state with another text, other equations or more marked numbers; choices that still fit are kept."""
    before = work.proposal
    notices: list[str] = []
    if marked is None:
        marked, notices = _carry_marks(work, question)
    proposal, refusal = try_propose(question, work.stored.equations, marked, work.stored.number_words)
    changed = replace(
        work, question=question, proposal=proposal, refusal=refusal, chosen={}, groups=(), marked=marked, notices=()
    )
    where = carry_numbers(work.question, work.numbers, question, changed.numbers)
    chosen: dict[int, Origin] = {}
    if before is None or proposal is None:
        notices += [f"all {len(work.chosen)} choices are dropped: {refusal}"] * bool(work.chosen)
    else:
        chosen, dropped = _carry_choices(work.chosen, before, proposal, where)
        notices += dropped
    notices += [
        f"{number} is dropped from its group: it is no longer there"
        for group in work.groups
        for number in group
        if number.place not in where
    ]
    groups = _in_order([{where[n.place] for n in group if n.place in where} for group in work.groups])
    said, dropped = _carry_texts(work, where)
    return _drop_unfit(replace(changed, chosen=chosen, groups=groups, notices=(*notices, *dropped), **said))


def _carry_choices(
    chosen: Mapping[int, Origin], before: Proposal, proposal: Proposal, where: Mapping[Place, TextNumber]
) -> tuple[dict[int, Origin], list[str]]:
    """Return the choices that still fit, and notices about the others."""
    notices = []
    # A quotient is one literal only where the text has its value, so an edit may move the positions.
    position_of = {(literal.start, literal.end): i for i, literal in enumerate(proposal.literals)}
    kept: dict[int, Origin] = {}
    for old, origin in sorted(chosen.items()):
        literal = before.literals[old]
        position = position_of.get((literal.start, literal.end))
        still = None if position is None else _still_fitting(proposal, position, origin, where)
        if position is None or still is None:
            notices.append(
                f"the choice for {literal.text} is dropped: {origin.number or 'the value'} is no longer there"
            )
        else:
            kept[position] = still
    return kept, notices


def _carry_texts(work: AnnotationState, where: Mapping[Place, TextNumber]) -> tuple[dict[str, Any], list[str]]:
    """Return a stated derivation and expressions with the numbers of another text, and notices about the others."""
    notices: list[str] = []

    def carry(
        texts: Sequence[str], carried: Callable[[str, Sequence[TextNumber], Mapping[Place, TextNumber]], str | None]
    ) -> tuple[str, ...]:
        found = [(text, carried(text, work.numbers, where)) for text in texts]
        notices.extend(f"{text} is dropped: a number of it is no longer there" for text, new in found if new is None)
        return tuple(new for _, new in found if new is not None)

    stated = carry([] if work.stated is None else [work.stated], carry_derivation)
    asked = carry(work.asked or (), carry_expression)
    said = {
        "stated": stated[0] if stated else None,
        "alternatives": carry(work.alternatives, carry_derivation) if stated else (),
        "asked": None if work.asked is None or (work.asked and not asked) else asked,
    }
    return said, notices


def _still_fitting(
    proposal: Proposal, position: int, origin: Origin, where: Mapping[Place, TextNumber]
) -> Origin | None:
    """Return the origin that a choice has after an edit; None if its number is gone."""
    if origin.number is None:
        return proposal.origin(position, None)
    number = where.get(origin.number.place)
    try:
        return None if number is None else proposal.origin(position, number)
    except AnnotationError:
        # It still has its value, but no longer the unit that made it fit.
        return None
