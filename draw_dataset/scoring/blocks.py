"""Answers to our own prompts: which part of such an answer counts.

A ``marked`` prompt asks for equations in the last fenced block and for a line ``Answer: …`` after it. A ``json`` prompt
asks for one object with ``equations`` and ``answers``. Everything that a model writes before is its reasoning and is
not read. The numbers of the answer line are read here only if the line has the requested form: numbers, each with at
most a name before it and words after it. Any other line is left to the reader of prose. Nothing is run, and every
regular expression has bounded repetition.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from draw_dataset.answers.finals import Final
from draw_dataset.errors import ScoreError
from draw_dataset.files.jsonl import decode_json
from draw_dataset.prose.plain import MAX_CHARACTERS


@dataclass(frozen=True, slots=True)
class Block:
    """The part of an answer that counts.

    Attributes:
        equations: its equations, separated by semicolons.
        given: the numbers that it gives as its result; None if the reader of prose has to find them.
        text: equations and result as prose.
    """

    equations: str
    given: tuple[Final, ...] | None
    text: str

    @property
    def clean(self) -> bool:
        """Whether the equations are nothing but names, signs and numbers of the text, so that nothing can be misread.

        >>> [Block(text, (), "").clean for text in ("m + n = q4", "2. m = q1", "m = Q1", "m = q_1")]
        [True, False, False, False]
        """
        return _CLEAN.fullmatch(self.equations) is not None and _DOUBTFUL.search(self.equations) is None


_CLEAN = re.compile(r"[A-Za-z0-9_+\-*/()=; ]*")
_DOUBTFUL = re.compile(r"(?<![A-Za-z0-9_])[0-9]|(?<![A-Za-z0-9_])(?:Q|[qQ]_)|[A-Za-z_]{2,}[0-9]")


def after_thinking(answer: str) -> str:
    """Return the part of an answer after the thoughts of a reasoning model; all of it if nothing follows them.

    >>> after_thinking("is it 3?</think>m = q1"), after_thinking("m = q1</think> ")
    ('m = q1', 'm = q1</think> ')
    """
    spoken = answer[:MAX_CHARACTERS].rpartition("</think>")[2]
    return spoken if spoken.strip() else answer[:MAX_CHARACTERS]


_FENCE = re.compile(r"^[ ]{0,3}(?:```|~~~)[^\n]*$", re.MULTILINE)


def last_block(answer: str) -> Block | None:
    r"""Return the last fenced block of an answer that has an equation, with what follows it; None if there is none.

    >>> block = last_block("So:\n```\nm + n = q4\nq3*m = q2*n\n```\nAnswer: 36, 84")
    >>> block.equations, [str(final.value) for final in block.given]
    ('m + n = q4; q3*m = q2*n', ['36', '84'])
    """
    spoken = after_thinking(answer)
    fences = [(match.start(), match.end()) for match in _FENCE.finditer(spoken)]
    # Fences open and close in turn; one that is never closed was cut off by a stop sequence.
    if len(fences) % 2:
        fences.append((len(spoken), len(spoken)))
    for (_, opened), (closed, after) in reversed([*zip(fences[::2], fences[1::2], strict=True)]):
        inside = spoken[opened:closed]
        if "=" in inside:
            lines = [line.strip().rstrip(",;").strip() for line in inside.splitlines()]
            equations = "; ".join(line for line in lines if line)
            tail = spoken[after:].strip()
            return Block(equations, _given(tail), f"{inside.strip()}\n\n{tail}".strip())
    return None


_NUMBER = r"[-−]?[ ]?[$€£]?[ ]?(?:[0-9]{1,3}(?:,[0-9]{3}){1,4}|[0-9]{1,15})?(?:\.[0-9]{1,15})?(?:/[0-9]{1,15})?"
_ITEM = re.compile(
    rf"[ ]*(?:[A-Za-z][A-Za-z_ ]{{0,40}}(?:=|:)[ ]*)?(?P<number>(?=[-−]?[ ]?[$€£]?[ ]?[.0-9]){_NUMBER})"
    r"(?P<percent>[ ]?%)?(?:[ ][A-Za-z][A-Za-z' -]{0,60})?[ ]*(?:[,;]|\.?[ ]*$)(?:[ ]*and\b)?"
)
_ANSWER = re.compile(
    r"(?:\*\*)?(?:final )?answers?(?:\*\*)?[ ]*:[ ]*(?:\*\*)?([^\n]{1,300}?)(?:\*\*)?[ ]*", re.IGNORECASE
)


def _given(tail: str) -> tuple[Final, ...] | None:
    """Return the numbers of an answer line; an empty tuple if nothing follows, None if something else does."""
    if not tail:
        return ()
    line = _ANSWER.fullmatch(tail)
    if line is None:
        return None
    text, at, found = line[1].strip(), 0, []
    while at < len(text):
        item = _ITEM.match(text, at)
        final = _final(item["number"], bool(item["percent"])) if item is not None else None
        if item is None or final is None:
            return None
        found.append(final)
        at = item.end()
    return tuple(found)


def _final(written: str, percent: bool = False) -> Final | None:
    """Return a number as a result; None if it is not a number, such as 1/0."""
    plain = re.sub(r"[ ,$€£]", "", written.replace("−", "-"))
    try:
        value = Fraction(plain)
    except (ValueError, ZeroDivisionError):
        return None
    step = Fraction(1, 10 ** len(plain.partition(".")[2].partition("/")[0]))
    return Final(value, 0, 0, step, marked=True, percent=percent)


def json_block(answer: str) -> Block | None:
    """Return the equations and the answers of the JSON object in an answer; None if there is no such object.

    >>> block = json_block('{"equations": ["m + n = q4", "q3*m = q2*n"], "answers": [36, 84.5]}')
    >>> block.equations, [str(final.value) for final in block.given]
    ('m + n = q4; q3*m = q2*n', ['36', '169/2'])
    """
    spoken = after_thinking(answer)
    start, end = spoken.find("{"), spoken.rfind("}")
    if not 0 <= start < end:
        return None
    try:
        read = decode_json(spoken[start : end + 1], "answer", ScoreError)
    except ScoreError:
        return None
    equations = read.get("equations") if isinstance(read, dict) else None
    lines = [equations] if isinstance(equations, str) else equations
    if not isinstance(lines, list) or not lines or not all(isinstance(line, str) for line in lines):
        return None
    answers = read.get("answers", read.get("answer"))
    given = _listed(answers)
    if isinstance(answers, dict):
        answers = [f"{name} = {value}" for name, value in answers.items()]
    told = [str(item) for item in (answers if isinstance(answers, list) else [answers]) if item is not None]
    tail = f"\n\nAnswer: {', '.join(told)[:2_000]}" if told else ""
    return Block("; ".join(line.strip().rstrip(",;") for line in lines), given, "\n".join(lines) + tail)


def _listed(answers: Any) -> tuple[Final, ...] | None:
    items: Sequence[Any] = answers if isinstance(answers, list) else () if answers is None else (answers,)
    found = []
    for item in items[:200]:
        if type(item) not in (int, float, str) or len(str(item)) > 40:
            return None
        text = str(item).strip()
        final = (
            _final(text) if re.fullmatch(rf"{_NUMBER}", text) else _final(repr(item)) if type(item) is float else None
        )
        if final is None:
            return None
        found.append(final)
    return tuple(found)
