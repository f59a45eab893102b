"""Prompts for language models whose answers can be graded exactly.

``marked`` shows each number with its name, ``[q3: 7]``, and asks for equations in these names; ``json`` asks for them
as one object; ``plain`` shows the question as it is. `answer_for` writes gold in the form that a style asks for.
Numbers are marked where `find_numbers` finds them, never by ``row["numbers"]``, which gold has influenced.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import isclose
from typing import Any

from draw_dataset.algebra.number import exact, number_literal, number_text
from draw_dataset.data.sample import SPLITS, load_sample
from draw_dataset.derivation.problem import Problem, asked_values
from draw_dataset.errors import ChoiceError, RowError, short_repr
from draw_dataset.scoring.gold import PreparedProblem, shown_problem
from draw_dataset.scoring.prompted import Style, find_style
from draw_dataset.text.numbers import NumberWords, find_numbers, number_words_of

Row = Mapping[str, Any] | Problem
Message = dict[str, str]

_EQUATIONS = """\
The numbers of the problem are marked: [q3: 7] means that q3 is the name of this number and that the text says 7. Use \
letters such as m and n for the unknowns, and the names q1, q2, … for the numbers of the problem, never their values. \
Two numbers may have the same value: take the name of the one that is meant. Write a plain number only for a constant \
that the text does not state, as the 0.01 of a percentage in 0.01*q2*m or the 60 minutes of an hour. Write the \
equations as the problem states them, without simplifying."""

_SYSTEM = {
    "marked": f"""\
You set up and solve math word problems. {_EQUATIONS}
When you are done thinking, write the equations in one fenced block, one a line. After the block write one line: \
"Answer:" and the numbers that the problem asks for, separated by commas.""",
    "json": f"""\
You set up and solve math word problems. {_EQUATIONS}
Reply with one JSON object and nothing else. It has the keys "reasoning" (your thoughts, a text), "equations" (a list \
of texts, one equation each) and "answers" (a list of the numbers that the problem asks for).""",
    "plain": """\
You solve math word problems. Show your equations: say what each unknown stands for, and write the equations with the \
numbers as they stand in the text, before you simplify or compute anything. Then solve them. End with one line: \
"Answer:" and the numbers that the problem asks for, separated by commas.""",
}

JSON_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "reasoning": {"type": "string"},
        "equations": {"type": "array", "items": {"type": "string"}, "minItems": 1},
        "answers": {"type": "array", "items": {"type": "number"}},
    },
    "required": ["reasoning", "equations", "answers"],
    "additionalProperties": False,
}
"""The schema of an answer to a ``json`` prompt, for structured decoding."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """A problem as a model sees it."""

    label: str  # the style with its version and the number of worked examples, as in signatures
    system: str  # the instructions
    examples: tuple[tuple[str, str], ...]  # worked examples, each a problem and its answer
    question: str
    schema: Mapping[str, Any] | None = None  # the JSON schema of the answer; None unless the style is json

    @property
    def messages(self) -> list[Message]:
        """The prompt as the turns of a chat."""
        turns = [{"role": "system", "content": self.system}]
        for question, answer in self.examples:
            turns += [{"role": "user", "content": question}, {"role": "assistant", "content": answer}]
        return [*turns, {"role": "user", "content": self.question}]

    @property
    def text(self) -> str:
        """The prompt as one text, for base models."""
        shown_before = "".join(f"{question}\n{SOLUTION}\n{answer}\n\n" for question, answer in self.examples)
        return f"{self.system}\n\n{shown_before}{self.question}\n{SOLUTION}\n"

    def __str__(self) -> str:
        return self.text


SOLUTION = "Solution:"  #: the line before an answer in a prompt that is one text


def prompt_for(row: Row, style: str | Style = "marked", shots: int | Iterable[Row] = 0) -> Prompt:
    """Return the prompt of a problem.

    >>> prompt = prompt_for({"question": "Two numbers add up to 20 . One is 4 more ."}, "marked", shots=1)
    >>> prompt.question
    'Problem: [q1: Two] numbers add up to [q2: 20] . One is [q3: 4] more .'
    >>> [message["role"] for message in prompt.messages], prompt.label
    (['system', 'user', 'assistant', 'user'], 'marked/1+1shots')

    Args:
        row: the problem; only the ``question`` of a mapping is used.
        style: ``marked``, ``plain`` or ``json``.
        shots: how many worked examples of our sample are shown first, or the rows of other examples.

    Raises:
        ChoiceError: the style is unknown, there are fewer examples, or one is the problem that is asked.
        RowError: the row has no question, or the gold of an example cannot be read.
    """
    chosen = _style(style)
    question = _question(row)
    examples = tuple([(question_for(shot, chosen), answer_for(shot, chosen)) for shot in _shots(question, shots)])
    schema = JSON_SCHEMA if chosen.name == "json" else None
    return Prompt(chosen.label(len(examples)), system_for(chosen), examples, question_for(row, chosen), schema)


def system_for(style: str | Style) -> str:
    """Return the instructions of a style."""
    return _SYSTEM[_style(style).name]


def question_for(row: Row, style: str | Style) -> str:
    """Return the problem as a style shows it."""
    chosen = _style(style)
    question = _question(row)
    return f"Problem: {mark_numbers(question, _number_words(row)) if chosen.marked else question}"


def _number_words(row: Row) -> NumberWords:
    status = row.status if isinstance(row, Problem) else row.get("status")
    return "ordinary" if status else "standard"  # as `number_words_of` a problem


def mark_numbers(question: str, number_words: NumberWords = "standard") -> str:
    """Return a question with its numbers marked.

    >>> mark_numbers("Half of 12 eggs")
    '[q1: Half] of [q2: 12] eggs'
    """
    pieces, at = [], 0
    for number in find_numbers(question, number_words):
        pieces += [question[at : number.start], f"[q{number.index}: {number.text}]"]
        at = number.end
    return "".join([*pieces, question[at:]])


def answer_for(row: Row, style: str | Style = "marked") -> str:
    r"""Return gold as an answer in a style; a number that the prompt does not show is written as its value.

    It gives what is asked for, if the row says that. A plain answer says what the unknowns stand for, if the row does.

    >>> row = load_sample()["train"][0]
    >>> print(answer_for(row, "plain"))
    Let m be Mona's age and n Faisal's age.
    m = n + 5
    m + n = 41
    Answer: 23, 18
    >>> answer_for(row, "json")
    '{"reasoning": "", "equations": ["m = n + q2", "m + n = q3"], "answers": [23, 18]}'
    """
    chosen = _style(style)
    problem = shown_problem(PreparedProblem.of(row).problem)
    visible = len(find_numbers(problem.question, number_words_of(problem))) if chosen.marked else 0
    derivation = problem.derivation
    written = []
    for number in derivation.alignment.in_slots(derivation.template.slots):
        if number.index is not None and number.index <= visible:
            written.append(f"q{number.index}")
        elif number.value is None:
            raise RowError(
                f"problem {short_repr(problem.id)}: expected the value of each number, but {number} has none"
            )
        else:
            written.append(number_literal(number.value))
    equations = [equation.strip() for equation in derivation.template.written_with(written).split(";")]
    answers = [number_text(value) for value in _answers(PreparedProblem.of(row).problem)]
    if chosen.name == "json":
        values = [int(text) if text.lstrip("-").isdecimal() else float(Fraction(text)) for text in answers]
        return json.dumps({"reasoning": "", "equations": equations, "answers": values}, ensure_ascii=False)
    if chosen.marked:
        return "\n".join(["```", *equations, "```", f"Answer: {', '.join(answers)}"])
    return "\n".join([*_definitions(problem), *equations, f"Answer: {', '.join(answers)}"])


def _answers(problem: Problem) -> Sequence[Fraction]:
    """Return what the question asks for; gold's solutions as they are written if that is not known, or the same."""
    values, solutions = asked_values(problem), [exact(value) for value in problem.solutions]
    rounded = len(values) == len(solutions) and all(
        isclose(value, one, rel_tol=_ROUNDED) for value, one in zip(values, solutions, strict=True)
    )
    return values if values and not rounded else solutions


_ROUNDED = 1e-3  # gold's solutions may be rounded


def _definitions(problem: Problem) -> list[str]:
    """Return a sentence about what gold's unknowns stand for; none if the row does not say it."""
    roles = [(name, " ".join(role.split()).rstrip(".")) for name, role in problem.roles]
    told = [f"{name} {role}" for name, role in roles if role and name in problem.derivation.template.unknowns]
    if not told:
        return []
    first, *others = [told[0].replace(" ", " be ", 1), *told[1:]]
    listed = ", ".join([first, *others[:-1]])
    return [f"Let {listed} and {others[-1]}." if others else f"Let {listed}."]


def _style(style: str | Style) -> Style:
    return style if isinstance(style, Style) else find_style(style)


def _question(row: Row) -> str:
    question = row.question if isinstance(row, Problem) else row.get("question") if isinstance(row, Mapping) else None
    if not isinstance(question, str):
        raise RowError(f"row: expected a problem with a question, but got {short_repr(row)}")
    return question


@lru_cache(maxsize=1)
def _sample_shots() -> tuple[Problem, ...]:
    return tuple(load_sample()["train"])


def _shots(question: str, shots: int | Iterable[Row]) -> Sequence[Row]:
    asked = _fold(question)
    if isinstance(shots, int) and not isinstance(shots, bool):
        most = SPLITS["train"] - 1
        if not 0 <= shots <= most:
            raise ChoiceError(f"shots: expected a whole number from 0 to {most}, or rows, but got {short_repr(shots)}")
        return [problem for problem in _sample_shots() if _fold(problem.question) != asked][:shots] if shots else []
    if isinstance(shots, (str, bytes, Mapping)) or not isinstance(shots, Iterable):
        raise ChoiceError(f"shots: expected a whole number or rows, but got {short_repr(shots)}")
    given = list(shots)
    for shot in given:
        if _fold(_question(shot)) == asked:
            name = shot.id if isinstance(shot, Problem) else shot.get("id")
            raise ChoiceError(f"shots: expected other problems than the one that is asked, but got {short_repr(name)}")
    return given


def _fold(question: str) -> str:
    return " ".join(question.casefold().split())
