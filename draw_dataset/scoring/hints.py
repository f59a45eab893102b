"""Hints: what was probably meant by a prediction that could not be read.

Three mistakes are common. A number of the text is written as ``Q1``, ``q_1``, ``#1`` or ``number1`` instead of ``q1``.
Such a name is an unknown, so the equations silently mean something else; so is the number of a numbered list, which
becomes a factor. And the text of a language model, prose with equations in it, is given where q-notation is expected,
or is in a field of its line that is not read. Hints are searched only in predictions that are wrong, and only at their
start.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from draw_dataset.errors import shown

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

_FIELDS = (
    "answer",
    "completion",
    "response",
    "output",
    "generation",
    "generated_text",
    "text",
    "content",
    "prediction",
)
"""Fields in which answers of language models are commonly kept, the most likely first."""

Given = Literal["file", "call"]
"""How predictions were given: as lines of a file, or to a function."""


@dataclass(frozen=True, slots=True)
class FirstUnread:
    """The first prediction that could not be read.

    Attributes:
        where: its position among the predictions, if it has one, and the id of its problem.
        cause: its reason and message.
        hint: what to do about it, if there is a hint.
    """

    where: str
    cause: str
    hint: str


def mistaken_name(unknowns: Iterable[str], slots: Sequence[str]) -> str | None:
    """Say that an unknown of q-notation looks as if it were meant for a number of the text; None if none does.

    >>> print(mistaken_name(["x", "Q1"], ["a"]))
    q-notation: expected q1, q2, … for the numbers of the text, but got the name 'Q1': did you mean q1?

    Args:
        unknowns: the names that were taken for unknowns.
        slots: the slots of the template, one for each number that was taken for one.
    """
    for name in unknowns:
        if len(name) < 2:
            continue
        found = _NAME.fullmatch(name) or (None if slots else _WEAK_NAME.fullmatch(name))
        if found is not None:
            return f"{_EXPECTED}, but got the name {shown(name)}: did you mean q{found[1]}?"
        if _ZERO.fullmatch(name):
            return f"{_EXPECTED}, but got the name {shown(name)}: numbers are counted from q1"
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
    """Return what to do about q-notation whose equations are numbered; empty if they are not.

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
    r"""Say whether a text is prose or LaTeX rather than q-notation.

    >>> is_prose("Let x be the larger number. Then x + y = 7."), is_prose("x + y = q2; x = q1*y"), is_prose(r"\(x\)")
    (True, False, True)
    """
    beginning = text[:_LOOKED_AT]
    if "\\" in beginning or "$" in beginning or "```" in beginning:
        return True
    return _TWO_WORDS.search(beginning) is not None


def hint_for(prediction: Any, given: Given) -> str:
    """Return what to do about a prediction that could not be read; empty if there is no hint.

    Args:
        prediction: the prediction as it was given; for a line of a file with its fields next to the id, the line.
        given: how it was given.
    """
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
        return f'a number alone goes into "solutions": [{shown(answer)}]'
    if isinstance(answer, str):
        return ""  # it was read as that
    field = text_field(prediction)
    return _as_answer(field, given) if field else ""


def text_field(line: Mapping[str, Any]) -> str:
    """Return the field of a line that most likely is the answer of a language model; empty if there is none.

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
