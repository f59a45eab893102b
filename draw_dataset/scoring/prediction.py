"""Predictions: untrusted data becomes a template with a number in each slot, or a reason why not, with a hint.

A prediction is a mapping with ``template`` and ``alignment``, a string in q-notation, or None. A mapping may have
``derivation``, a string in q-notation, instead, and may also have ``solutions``. A mapping with ``answer`` is the text
of a language model; one with ``steps`` gives it as a list of strings. A mapping with ``solutions`` alone is graded on
them; it has no derivation. Other keys are ignored. None, an empty string, an empty template and an answer that is None
abstain. Nothing is converted: 1.5 and "2" are not tokens.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal, NamedTuple

from draw_dataset.algebra.number import exact
from draw_dataset.derivation.derivation import Derivation, Place, read_places
from draw_dataset.derivation.template import Template
from draw_dataset.errors import AlignmentError, DrawError, LimitError, NotLinearError, ReadError, short_repr
from draw_dataset.scoring.gold import PreparedProblem
from draw_dataset.scoring.verdict import Reason

MAX_STEPS = 1000
"""How many steps an answer may be given by."""

MAX_SOLUTIONS = 100
"""How many numbers a prediction may give as its solutions."""


class Prediction(NamedTuple):
    """A prediction that could be read."""

    template: Template
    places: tuple[Place, ...]  # the place of the number in each of its slots
    solutions: tuple[Fraction, ...] | None  # the solutions that it gives itself, if any


@dataclass(frozen=True, slots=True)
class Refused:
    """A prediction that could not be read, that abstains, or that gives solutions alone."""

    reason: Reason
    message: str
    solutions: tuple[Fraction, ...] | None = None


def answer_of(given: Any) -> str | None:
    """Return the text of a language model, if a prediction is one; else None."""
    if type(given) is not dict and not isinstance(given, Mapping):
        return None
    answer = given.get("answer")
    if "template" in given or "derivation" in given:
        return None
    if answer is None and "steps" in given:
        steps = given_steps(given)
        return None if steps is None else "\n".join(steps)
    return answer if isinstance(answer, str) else None


def given_steps(given: Mapping[str, Any]) -> tuple[str, ...] | None:
    """Return the steps of an answer that is given by its steps alone; None for anything else."""
    steps = given.get("steps")
    if given.get("answer") is not None or not isinstance(steps, (list, tuple)) or len(steps) > MAX_STEPS:
        return None
    return tuple(steps) if all(isinstance(step, str) for step in steps) else None


def read_prediction(given: Any, reference: PreparedProblem) -> Prediction | Refused:
    """Return the prediction, or the reason why it could not be read."""
    try:
        return _read(given, reference)
    except NotLinearError as error:
        return Refused(Reason.NOT_LINEAR, _with_hint(error, given))
    except LimitError as error:
        return Refused(Reason.TOO_LARGE, _with_hint(error, given))
    except AlignmentError as error:
        return Refused(Reason.BAD_ALIGNMENT, str(error))
    except DrawError as error:
        return Refused(Reason.UNREADABLE, _with_hint(error, given))


def _with_hint(error: DrawError, given: Any) -> str:
    """Return what is wrong, and what was probably meant: another notation, or a model answer."""
    text = q_notation_of(given)
    hint = list_number(text) or meant_rank(text) or (hint_for(given, "call") if isinstance(given, str) else "")
    return f"{error}; {hint}" if hint else str(error)


def q_notation_of(given: Any) -> str:
    """Return the q-notation of a prediction; empty if it is something else."""
    text = given.get("derivation") if isinstance(given, Mapping) and "template" not in given else given
    return text if isinstance(text, str) else ""


def _read(given: Any, reference: PreparedProblem) -> Prediction | Refused:
    if given is None:
        return Refused(Reason.ABSTAINED, "no prediction")
    if isinstance(given, str):
        return _read_q_notation(given, None, reference)
    # A dict first: asking for an abstract type takes ten times as long.
    if type(given) is not dict and not isinstance(given, Mapping):
        raise ReadError("prediction", "a mapping, a string in q-notation or None", short_repr(given))
    solutions = _read_solutions(given["solutions"]) if given.get("solutions") is not None else None
    if "template" not in given:
        if isinstance(given.get("derivation"), str):
            return _read_q_notation(given["derivation"], solutions, reference)
        if solutions is not None:
            return Refused(Reason.NO_DERIVATION, "only solutions, without how they were found", solutions)
        if given.get("steps") is not None and given.get("answer") is None and "derivation" not in given:
            raise ReadError("steps", f"a list of at most {MAX_STEPS} strings", short_repr(given["steps"]))
        if "answer" in given and "derivation" not in given:
            if given["answer"] is None:
                return Refused(Reason.ABSTAINED, "no answer")
            raise ReadError("answer", "a string", short_repr(given["answer"]))
        keys = f"the keys {short_repr(list(given))}"
        raise ReadError("prediction", "a template and an alignment, or a derivation", keys)
    template_given = given["template"]
    if template_given is None or (isinstance(template_given, (str, list, tuple)) and len(template_given) == 0):
        return Refused(Reason.ABSTAINED, "an empty template")
    template = Template.coerce(template_given)
    places = read_places(template, given.get("alignment", []))
    for at, place in enumerate(places):
        if place not in reference.by_place:
            slot = template.slots[at]
            raise AlignmentError(
                f"alignment: expected a number of the text for slot {slot!r}, but there is none at "
                f"sentence {short_repr(place[0])}, token {short_repr(place[1])}"
            )
    return Prediction(template, places, solutions)


def _read_q_notation(
    text: str, solutions: tuple[Fraction, ...] | None, reference: PreparedProblem
) -> Prediction | Refused:
    if not text.strip():
        return Refused(Reason.ABSTAINED, "an empty string")
    numbers = reference.problem.numbers
    read = Derivation.read(text)
    places: list[Place] = []
    for _, rank in read.places:
        if rank > len(numbers):
            raise AlignmentError(f"q-notation: expected q1 to q{len(numbers)}, but got q{rank}")
        places.append(numbers[rank - 1].place)
    return Prediction(read.template, tuple(places), solutions)


def _read_solutions(given: Any) -> tuple[Fraction, ...]:
    if not isinstance(given, (list, tuple)):
        raise ReadError("solutions", "a list of numbers", short_repr(given))
    if len(given) > MAX_SOLUTIONS:
        raise LimitError(f"expected at most {MAX_SOLUTIONS} solutions, but got {len(given)}")
    return tuple(exact(value) for value in given)


_LOOKED_AT = 2_000
"""In how many characters of a prediction hints are searched."""

_NAME = re.compile(r"(?:[Qq][ _]?|[Nn](?:um(?:ber)?|UM(?:BER)?|_)_?)0*([1-9][0-9]{0,3})")
_WEAK_NAME = re.compile(r"[NnQq]0*([1-9][0-9]{0,3})")
"""A name that may also be an unknown, such as n1. It counts as a mistake only if nothing else stands for a number."""

_IN_TEXT = re.compile(
    r"(?<![A-Za-z0-9_])(?:[Qq]_\{?|Q|q(?=[₁-₉])|#|[Nn](?:um(?:ber)?|UM(?:BER)?)[ _]?)"
    r"(?:0*([1-9][0-9]{0,3})|([₁-₉][₀-₉]{0,3}))"
)
_LIST_NUMBER = re.compile(r"(?:^|[;\n])\s*([0-9]{1,2}[.)])\s+(?=[A-Za-z(])")
_ZERO = re.compile(r"[Qq]_?0+")
_SUBSCRIPTS = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")
_TWO_WORDS = re.compile(r"[A-Za-z]{2,}[,.:]?\s+[A-Za-z]")
"""In equations there is a sign between two names."""

ANSWER_FIELDS = (
    "response", "completion", "output", "generation", "generated_text", "model_answer", "model_output",
    "model_response", "llm_answer", "llm_output", "llm_response", "raw_output", "raw_response", "generated_answer",
    "predicted_answer", "pred", "predicted", "pred_answer", "generated", "llm_reply", "model_reply", "resps",
    "filtered_resps", "outputs", "responses", "completions", "generations", "generated_texts", "output_text", "reply",
    "choices", "candidates", "messages", "conversation", "conversations", "result", "message", "content", "text",
)  # fmt: skip
"""Fields that commonly hold model answers, the most likely first; `answer` and `prediction` are our own."""

_FIELDS = ("answer", *ANSWER_FIELDS, "prediction")

Given = Literal["file", "call"]
"""How predictions were given: as lines of a file, or to a function."""


@dataclass(frozen=True, slots=True)
class FirstUnread:
    """The first prediction that could not be read."""

    where: str  # its position among the predictions, if it has one, and the id of its problem
    cause: str  # its reason and message
    hint: str  # what to do about it, if there is a hint


def mistaken_name(unknowns: Iterable[str], slots: Sequence[str]) -> str | None:
    """Return the complaint about an unknown that looks like a number of the text; None if there is none.

    >>> print(mistaken_name(["x", "Q1"], ["a"]))
    q-notation: expected q1, q2, … for the numbers of the text, but got the name 'Q1': did you mean q1?
    """
    for name in unknowns:
        if len(name) < 2:
            continue
        found = _NAME.fullmatch(name) or (None if slots else _WEAK_NAME.fullmatch(name))
        if found is not None:
            return f"{_EXPECTED}, but got the name {short_repr(name)}: did you mean q{found[1]}?"
        if _ZERO.fullmatch(name):
            return f"{_EXPECTED}, but got the name {short_repr(name)}: numbers are counted from q1"
    return None


_EXPECTED = "q-notation: expected q1, q2, … for the numbers of the text"


def meant_rank(text: str) -> str:
    """Return ``did you mean q1?`` for a text that writes a number of the problem in another way; else nothing.

    >>> meant_rank("x + #2 = 7"), meant_rank("x + q2 = 7")
    ('did you mean q2?', '')
    """
    found = _IN_TEXT.search(text[:_LOOKED_AT])
    if found is None:
        return ""
    return f"did you mean q{found[1] or found[2].translate(_SUBSCRIPTS)}?"


def list_number(text: str) -> str:
    """Return the remedy for q-notation whose equations are numbered; empty if they are not.

    >>> list_number("1. x + y = q1; 2. x = q2")
    'leave out the list numbers 1. 2.'
    >>> list_number("1. x = q1"), list_number("1.5*x = q1; 2.x = q2")
    ('leave out the list number 1.', '')
    """
    if not text.lstrip().startswith(("1.", "1)")):
        return ""
    found = _LIST_NUMBER.findall(text[:_LOOKED_AT])
    if [int(number[:-1]) for number in found] != list(range(1, len(found) + 1)):
        return ""
    return f"leave out the list {'number' if len(found) == 1 else 'numbers'} {' '.join(found[:3])}" if found else ""


def is_prose(text: str) -> bool:
    """Decide whether a text is prose or LaTeX rather than q-notation."""
    beginning = text[:_LOOKED_AT]
    if "\\" in beginning or "$" in beginning or "```" in beginning:
        return True
    return _TWO_WORDS.search(beginning) is not None


def hint_for(prediction: Any, given: Given) -> str:
    """Return the remedy for a prediction that could not be read, as it was given; empty if there is no hint."""
    if isinstance(prediction, str):
        return _as_answer("prediction", given) if is_prose(prediction) else ""
    if not isinstance(prediction, Mapping):
        return ""
    derivation = prediction.get("derivation")
    if isinstance(derivation, str) and is_prose(derivation):
        return _as_answer("derivation", given)
    if "template" in prediction or derivation is not None:
        return ""
    answer = prediction.get("answer")
    if isinstance(answer, (int, float)) and not isinstance(answer, bool):
        return f'a number alone goes into "solutions": [{short_repr(answer)}]'
    if isinstance(answer, str):
        return ""  # it was read as that
    field = text_field(prediction)
    return _as_answer(field, given) if field else ""


def text_field(line: Mapping[str, Any]) -> str:
    """Return the field of a line that most likely is a model answer; empty if there is none.

    The metric keeps the names of fields that grading does not use, but not their content.
    """
    for name in _FIELDS:
        if name in line and (line[name] is None or isinstance(line[name], str)):
            return name
    for name, value in line.items():
        if name != "id" and isinstance(value, str) and is_prose(value):
            return name
    return ""


def _as_answer(field: str, given: Given) -> str:
    if given == "file":
        return f"if that is the answer of a language model, give --field {field}"
    return 'if that is the answer of a language model, give {"answer": text}, or text="answer" to the metric'
