"""Grading an answer to one of our prompts: the requested parts are read exactly, anything else as prose.

A ``marked`` prompt asks for equations in the last fenced block and for a line ``Answer: …`` after it, a ``json`` prompt
for one object. Everything before is reasoning and is not read. Two kinds of answers still go to the prose reader:
answers without such equations; and answers whose equations are not right and have more than names, signs and numbers of
the text (a literal, a ``Q1``, a list number), because these may be misread. Without an answer line the result is the
solution of the equations. Every regular expression has bounded repetition.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from draw_dataset.errors import ChoiceError, ScoreError, short_repr
from draw_dataset.io.jsonl import decode_json
from draw_dataset.reading.answer import read_answer
from draw_dataset.reading.plain import MAX_CHARACTERS
from draw_dataset.reading.result import Final
from draw_dataset.scoring.answers import is_value, judge_answer_text, solves
from draw_dataset.scoring.derivations import judge_read
from draw_dataset.scoring.gold import PreparedProblem
from draw_dataset.scoring.options import Options
from draw_dataset.scoring.prediction import Prediction, Refused, read_prediction
from draw_dataset.scoring.verdict import UNREAD, Reason, Verdict
from draw_dataset.text.question import asks_for_one

_MAX_VERDICTS = 64
"""How many blocks of one problem are kept with their verdicts."""

_UNGRADED = UNREAD | {Reason.NO_DERIVATION, Reason.ABSTAINED}


@dataclass(frozen=True, slots=True)
class Style:
    """A style of prompts."""

    name: str
    version: int  # raised whenever its words change; every signature has it
    marked: bool  # whether the numbers of the text are shown as ``[q3: 7]``

    def label(self, shots: int = 0) -> str:
        """Return the style with its version, and how many worked examples came before the question.

        >>> STYLES["marked"].label(), STYLES["plain"].label(2)
        ('marked/1', 'plain/2+2shots')
        """
        return f"{self.name}/{self.version}" + (f"+{shots}shots" if shots else "")


STYLES: Mapping[str, Style] = {
    style.name: style for style in (Style("marked", 1, True), Style("plain", 2, False), Style("json", 1, True))
}
"""The styles by name."""

_LABEL = re.compile(r"([a-z]+)(?:/([0-9]{1,4}))?(?:\+[0-9]{1,4}shots)?(?:\+system)?")


def find_style(text: object) -> Style:
    """Return the style of a name or a label.

    >>> find_style("marked/1+2shots+system") is find_style("marked")
    True
    """
    match = _LABEL.fullmatch(text) if isinstance(text, str) else None
    style = STYLES.get(match[1]) if match else None
    if style is None or match is None or (match[2] is not None and int(match[2]) != style.version):
        there_are = ", ".join(style.label() for style in STYLES.values())
        raise ChoiceError(f"Unknown prompt style {short_repr(text)}: there are {there_are}")
    return style


@dataclass(frozen=True, slots=True)
class Block:
    """The part of an answer that counts."""

    equations: str  # its equations, separated by semicolons
    given: tuple[Final, ...] | None  # the result; None if the reader of prose has to find it
    text: str  # equations and result as prose

    @property
    def clean(self) -> bool:
        """Whether the equations are nothing but names, signs and numbers of the text, so that nothing can be misread.

        >>> [Block(text, (), "").clean for text in ("m + n = q4", "2. m = q1", "m = Q1", "m = q_1")]
        [True, False, False, False]
        """
        return _CLEAN.fullmatch(self.equations) is not None and _DOUBTFUL.search(self.equations) is None


_CLEAN = re.compile(r"[A-Za-z0-9_+\-*/()=; ]*")
_DOUBTFUL = re.compile(r"(?<![A-Za-z0-9_])[0-9]|(?<![A-Za-z0-9_])(?:Q|[qQ]_)|[A-Za-z_]{2,}[0-9]")


def judge_prompted(answer: str, style: Style, reference: PreparedProblem, options: Options) -> Verdict:
    """Return the verdict on an answer to a prompt of a style; the reference has the numbering of the row."""
    if options.match == "auto":
        options = options.with_match("quantities")
    if not style.marked:
        return judge_answer_text(answer, reference, options)
    gold = reference.as_shown
    block = json_block(answer) if style.name == "json" else last_block(answer)
    if block is None:
        return judge_answer_text(answer, gold, options)
    # Samples of one model often end in the same block, and wrong blocks take longest to decide.
    known = gold.prompted_verdicts.setdefault(options, {})
    verdict = known.get(block)
    if verdict is None:
        verdict = _judge_block(block, gold, options)
        if verdict.reason in _UNGRADED:
            return judge_answer_text(answer, gold, options)
        if len(known) >= _MAX_VERDICTS:
            known.clear()
        known[block] = verdict
    return verdict


def _judge_block(block: Block, gold: PreparedProblem, options: Options) -> Verdict:
    read = read_prediction(block.equations, gold)
    if not isinstance(read, Refused):
        verdict = judge_read(read, gold, gold.gold_without_equations(options), options)
        if verdict.derivation or block.clean:
            return _with_result(verdict, read, block, gold, options)
    return judge_answer_text(block.text, gold, options)


def _with_result(verdict: Verdict, read: Prediction, block: Block, gold: PreparedProblem, options: Options) -> Verdict:
    """Return the verdict for the result that the answer itself gives."""
    solution = _solution(verdict, block, gold, options.tolerance)
    if solution != verdict.solution:
        # Reason and message depend on the solution, so it is judged again with a right solution, or with none.
        again = Prediction(read.template, read.places, gold.solutions if solution else ())
        verdict = judge_read(again, gold, gold.gold_without_equations(options), options)
    return Verdict(
        derivation=verdict.derivation,
        equation=verdict.derivation,
        solution=solution,
        reason=verdict.reason,
        message=lambda: verdict.message,
        slot_map=verdict.slot_map,
        certain=verdict.certain,
        reading=lambda: read_answer(block.text, gold.problem),
    )


def _solution(verdict: Verdict, block: Block, gold: PreparedProblem, tolerance: Fraction) -> bool:
    """Decide whether the result is right: at once where the rule of prose leaves no doubt, else as its reader does."""
    given = block.given
    if given is not None:
        if not given:
            return verdict.solution
        asked = gold.for_answers
        there = [any(is_value(f, value, tolerance) for f in given) for value in asked.wanted or asked.solutions]
        if there and all(there):
            return True
        nothing_of_gold = verdict.reason in (Reason.OTHER, Reason.UNSOLVABLE)
        # A question about two digits may ask for the number that they form.
        if nothing_of_gold and not asked.wanted and "digit" not in asked.question.lower():
            return any(there) and asks_for_one(asked.question)
    return solves(block.text, gold, tolerance)


def after_thinking(answer: str) -> str:
    """Return the part of an answer after the thoughts of a reasoning model; all of it if nothing follows them.

    >>> after_thinking("is it 3?</think>m = q1"), after_thinking("m = q1</think> ")
    ('m = q1', 'm = q1</think> ')
    """
    spoken = answer[:MAX_CHARACTERS].rpartition("</think>")[2]
    return spoken if spoken.strip() else answer[:MAX_CHARACTERS]


_FENCE = re.compile(r"^[ ]{0,3}(?:```|~~~)[^\n]*$", re.MULTILINE)


def last_block(answer: str) -> Block | None:
    """Return the last fenced block of an answer that has an equation, with what follows it; None if there is none."""
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
    """Return the equations and the answers of the JSON object in an answer; None if there is no such object."""
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
