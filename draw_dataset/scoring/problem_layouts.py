"""Layouts of files with their own problems: which fields hold question, solution, model answer, id, sample and system.

No references are needed: each record says its problem. Chats, samples of lm-evaluation-harness and training records
hold the question in a field of a field; `draw_dataset.scoring.layouts` reads answers.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from draw_dataset.derivation.problem import ProblemId, is_problem_id
from draw_dataset.errors import ScoreError, short_repr
from draw_dataset.io.jsonl import decode_json
from draw_dataset.scoring.layouts import (
    NOTHING,
    STRUCTURED,
    answer_texts,
    as_written,
    fields_of,
    id_of_cell,
    is_structure,
    likely_answer,
    sample_of_cell,
    value_at,
)
from draw_dataset.scoring.prediction import ANSWER_FIELDS

_BOXES = ("doc", "extra_info", "metadata")  # of lm-eval, verl and inspect-ai: fields that hold the record of the data
TEXTS = ("question", "problem", "query", "sQuestion", "question_text", "problem_text", "word_problem")
_CHATS = ("messages", "conversations", "conversation")
QUESTIONS = (
    *TEXTS, *(f"{box}.{name}" for box in _BOXES for name in TEXTS), "input", "prompt", *_CHATS, "instruction", "text",
)  # fmt: skip
_GOLD = (
    "solution", "gold", "gold_solution", "gold_answer", "reference_solution", "reference", "reference_answer",
    "ground_truth", "correct_solution", "correct_answer", "true_answer", "right_answer", "expected", "expected_answer",
    "answer_key",
)  # fmt: skip
SOLUTIONS = (
    *_GOLD, *(f"{box}.{name}" for box in _BOXES for name in (*_GOLD, "answer")), "reward_model.ground_truth", "target",
    "label", "lSolutions", "answer",
)  # fmt: skip
"""Fields that commonly hold questions and their solutions, the most likely first."""

_LISTED = ("answers", "samples", "predictions")
_ANSWERS = (*ANSWER_FIELDS, *_LISTED, "prediction", "answer")
_IDS = ("id", "problem_id", "question_id", "task_id", "qid", "doc.id", "doc_id")
_SYSTEMS = ("model", "model_name", "model_id", "llm")
_LONGEST_SYSTEM = 100
_QUESTION_NAME = re.compile(r"(?i)question|problem|prompt|query|task|frage|aufgabe")
_SOLUTION_NAME = re.compile(r"(?i)gold|sol|ref|truth|target|label|correct|expected|key|true")


Columns = tuple[tuple[str, str], ...]
"""Other short columns of a record, such as the name of a pupil, each with its text."""


class OwnRecord(NamedTuple):
    """A record with its own problem."""

    where: str
    id: ProblemId | None
    question: str
    solution: Any
    answers: tuple[Any, ...]
    sample: Any  # the number of the sample, if the record says it
    system: str | None  # whose answers they are, if the record says it
    columns: Columns = ()  # its other columns that are short


@dataclass(frozen=True, slots=True)
class ProblemLayout:
    """The fields of records with their own problems; a field in a field is written ``doc.question``."""

    question: str
    solution: str
    answer: str
    id_field: str = "id"
    sample: str = "sample"
    system: str | None = None
    lm_filter: str | None = None  # the filter of lm-eval whose records count; the others repeat the same answers
    is_table: bool = False

    @property
    def note(self) -> str:
        """A sentence about the fields that are used."""
        one = ""
        if self.lm_filter not in (None, "none"):
            one = f", and only records of filter {short_repr(self.lm_filter)}, because other filters repeat the answers"
        return f'using "{self.answer}" as the answer, "{self.solution}" as gold of each "{self.question}"{one}'

    def read(self, entry: Any, where: str) -> OwnRecord | None:
        """Return what a record holds; None if it repeats another. Raises `ScoreError` if it lacks a field."""
        if not isinstance(entry, Mapping):
            raise ScoreError(f"{where}: expected an object with its fields, but got {short_repr(entry)}")
        if self.lm_filter is not None and entry.get("filter") != self.lm_filter:
            return None
        names = (self.question, self.solution, self.answer)
        question, solution, answer = (value_at(entry, name) for name in names)
        if any(value is NOTHING for value in (question, solution, answer)):
            raise ScoreError(f"{where}: expected the fields {', '.join(names)}, but got {short_repr(entry)}")
        question = question_text(question)
        if question is None or not question.strip():
            given = value_at(entry, self.question)
            raise ScoreError(f"{where}: expected the text of the problem, but got {short_repr(given)}")
        id_: Any = value_at(entry, self.id_field)
        if self.is_table:
            id_ = id_of_cell(id_)
            id_ = NOTHING if _is_empty(id_) else id_
            solution = None if _is_empty(solution) else solution
            answer = _read_cell(answer, f"{where}, column {self.answer}")
        if id_ is NOTHING:
            id_ = None
        elif not is_problem_id(id_):
            raise ScoreError(f"{where}: expected a whole number or a string as the id, but got {short_repr(id_)}")
        sample = value_at(entry, self.sample)
        system = NOTHING if self.system is None else value_at(entry, self.system)
        return OwnRecord(
            where,
            id_,
            question,
            solution,
            _answers(answer, self.answer),
            None if sample is NOTHING or _is_empty(sample) else sample_of_cell(sample),
            None if system is NOTHING or _is_empty(system) else str(system),
            _other_columns(entry, {*names, self.id_field, self.sample, self.system}),
        )


_MOST_COLUMNS = 8  # other columns that are shown
_LONGEST_COLUMN = 80


def _other_columns(entry: Mapping[str, Any], used: Collection[str | None]) -> Columns:
    others = (
        (name, value) for name, value in entry.items() if name not in used and isinstance(value, (str, int, float))
    )
    told = [(str(name)[:_LONGEST_COLUMN], " ".join(str(value).split())) for name, value in others]
    return tuple([(name, text) for name, text in told if 0 < len(text) <= _LONGEST_COLUMN][:_MOST_COLUMNS])


def _is_empty(value: Any) -> bool:
    return value is None or value == "" or value != value


def _read_cell(value: Any, where: str) -> Any:
    """Return the answer in a cell of a table; a list may be written as JSON."""
    if isinstance(value, float) and value != value:
        return None
    if isinstance(value, str) and value.lstrip().startswith('["'):
        return decode_json(value, where, ScoreError)
    return value


def _answers(value: Any, field: str) -> tuple[Any, ...]:
    """Return the answers of a record: samples of a list, or the texts of a reply; a template has no texts."""
    if isinstance(value, list) and field.rpartition(".")[2] in _LISTED:
        return tuple(value)
    texts = answer_texts(value) if isinstance(value, (list, dict)) else None
    return (value,) if texts is None else tuple(texts)


def question_text(value: Any) -> str | None:
    """Return the text of a question: a text, or the last message of the user in a chat; None if there is none.

    >>> question_text([{"role": "system", "content": "Be brief."}, {"role": "user", "content": "How many?"}])
    'How many?'
    >>> question_text([{"from": "human", "value": "How many?"}, {"from": "gpt", "value": "4"}])
    'How many?'
    """
    if isinstance(value, str):
        return value
    if not isinstance(value, list) or not is_structure(value):
        return None
    asked = [one for one in value if one.get("role", one.get("from")) in ("user", "human")]
    if not asked:
        return None
    content = asked[-1].get("content", asked[-1].get("value"))
    if isinstance(content, list) and is_structure(content):
        content = "".join(part["text"] for part in content if isinstance(part.get("text"), str))
    return content if isinstance(content, str) else None


def find_problem_layout(
    entries: Sequence[Any],
    *,
    field: str | None = None,
    id_field: str | None = None,
    question_field: str | None = None,
    solution_field: str | None = None,
    by: str | None = None,
    is_table: bool = False,
) -> ProblemLayout | None:
    """Return the fields of records that have a question, its solution and a model answer; else None.

    >>> find_problem_layout([{"Question": "…", "Solution": 4, "Model Output": "4"}]).note
    'using "Model Output" as the answer, "Solution" as gold of each "Question"'
    >>> find_problem_layout([{"question": "…", "answer": "#### 4", "response": "4"}]).solution
    'answer'
    """
    given = [entry for entry in entries if isinstance(entry, dict)]
    if not given or len(given) < len(entries):
        return None
    chosen = {field, id_field, solution_field, by}
    question = question_field or next(
        (n for n in _names(given, QUESTIONS) if n not in chosen and question_text(value_at(given[0], n)) is not None),
        None,
    )
    known = [n for n in _names(given, SOLUTIONS) if n not in (field, id_field, question)]
    solution = solution_field or next(iter(known), None)
    answers = [field] if field else [n for n in _names(given, _ANSWERS) if n != id_field and _may_answer(given, n)]
    # A chat may hold both the question and the answer.
    answer = next((n for n in answers if n != solution and (n != question or n in _CHATS)), None)
    if question is None or solution is None or answer is None:
        return None
    if any(value_at(given[0], name) is NOTHING for name in (question, solution, answer)):
        return None
    lm_filter = given[0].get("filter") if answer in ("resps", "filtered_resps") else None
    taken = (question, solution, answer)
    ids = (n for n in _names(given, _IDS) if n not in taken)
    samples = (n for n in _names(given, ("sample",)) if n not in (*taken, id_field))
    return ProblemLayout(
        question,
        solution,
        answer,
        id_field or next(ids, "id"),
        next(samples, "sample"),
        by or system_field(given, taken),
        lm_filter if isinstance(lm_filter, str) else None,
        is_table,
    )


def _names(entries: Sequence[dict[str, Any]], names: Sequence[str]) -> Iterator[str]:
    """Yield those of the names, as they are written here, that the first record has."""
    return (name for name in as_written(entries, names) if value_at(entries[0], name) is not NOTHING)


def _may_answer(entries: Sequence[dict[str, Any]], name: str) -> bool:
    given = [value for entry in entries if (value := value_at(entry, name)) is not NOTHING and value is not None]
    if name in STRUCTURED and name != "result":
        return bool(given) and all(is_structure(value) and answer_texts(value) is not None for value in given)
    return True


def system_field(entries: Sequence[dict[str, Any]], taken: Sequence[str | None] = ()) -> str | None:
    """Return the field that says whose answers records have, if there is one: ``model``.

    >>> system_field([{"id": 7, "model": "small", "answer": "4"}])
    'model'
    """
    return next((name for name in _names(entries, _SYSTEMS) if name not in taken and _may_name(entries, name)), None)


def _may_name(entries: Sequence[dict[str, Any]], name: str) -> bool:
    """Decide whether a field holds names of systems."""
    given = [value_at(entry, name) for entry in entries]
    return all(isinstance(one, str) and 0 < len(one) <= _LONGEST_SYSTEM and "\n" not in one for one in given)


def without_problems(entries: Sequence[Any], where: str) -> str:
    """Return the complaint about records without question, solution or answer, with the fields that may be meant."""
    given = [entry for entry in entries if isinstance(entry, dict)]
    wanted = "expected a question, its solution and the answer of the model in each record"
    if not given:
        return f"{where}: {wanted}, but got {short_repr(entries[0] if entries else None)}"
    listed = fields_of(given)
    texts = [name for name in given[0] if isinstance(given[0][name], str)]
    named = [name for name in texts if _QUESTION_NAME.search(name)]
    questions = named or [name for name in texts if given[0][name].rstrip().endswith("?")]
    found = next(_names(given, QUESTIONS), None)
    question = found or next(iter(questions), None)
    rest = [name for name in given[0] if name != question]
    gold = next((n for n in _names(given, SOLUTIONS) if n != question and n != "answer"), None)
    named = [name for name in rest if _SOLUTION_NAME.search(name)]
    left = [{k: v for k, v in entry.items() if k not in (question, gold)} for entry in given]
    reply = next((n for n in _names(left, _ANSWERS) if n not in (gold, question)), None)
    answer = reply or likely_answer([{k: v for k, v in one.items() if k not in named} for one in left], "id") or None
    others = [name for name in (named or rest) if name != answer]
    solution = gold or (others[0] if named or len(others) == 1 else None)
    parts = [
        *([f"question_field={shlex.quote(question)}"] if question and not found else []),
        *([f"solution_field={shlex.quote(solution)}"] if solution and not gold else []),
        *([f"field={shlex.quote(answer)}"] if answer and not reply else []),
    ]
    hint = f": did you mean {' and '.join(parts)}?" if question and parts else "."
    return f"{where}: {wanted}, but got the fields {listed}{hint}"
