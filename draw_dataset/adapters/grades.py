"""The question: what does a harness log about one response.

``derivation`` is the main figure, judged by quantities. ``certain`` is 1 if it is right in every reading of the
numbers, ``solution`` if the result is right, ``readable`` if anything could be read, ``slip`` if a right set-up has a
wrong result, and ``algorithm1`` if the set-up is gold's by Algorithm 1 of the paper. A response that makes no sense
gets a reason. A bad row raises an error. Nothing here uses signals or processes; the only state are bounded caches.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from draw_dataset.adapters.rows import gold_of
from draw_dataset.core.memory import MEGABYTE, remembered
from draw_dataset.errors import ChoiceError, ScoreError, shown
from draw_dataset.scoring.grading import grade
from draw_dataset.scoring.reference import Reference
from draw_dataset.scoring.verdict import UNREAD, Reason, Verdict

COMPONENTS = ("derivation", "certain", "solution", "readable", "slip")
"""What is logged of every response, each 0 or 1."""

ALGORITHM1 = "algorithm1"
"""What is also logged, but not with rewards, where every millisecond counts."""


@dataclass(frozen=True, slots=True)
class Grades:
    """The grades of one response.

    Attributes:
        verdict: by quantities.
        algorithm1: whether the derivation is right by Algorithm 1 too; None if that was not computed.
    """

    verdict: Verdict
    algorithm1: bool | None = None

    @property
    def readable(self) -> bool:
        """Whether anything could be read."""
        return is_readable(self.verdict)

    def figures(self) -> dict[str, float]:
        """Return every component as a number."""
        found = dict(zip(COMPONENTS, _figures(self.verdict), strict=True))
        return found if self.algorithm1 is None else {**found, ALGORITHM1: float(self.algorithm1)}


def is_readable(verdict: Verdict) -> bool:
    """Say whether anything of a response could be read."""
    return verdict.reason not in UNREAD and verdict.reason is not Reason.ABSTAINED


def _figures(verdict: Verdict) -> tuple[float, ...]:
    return (
        float(verdict.derivation),
        float(verdict.certain),
        float(verdict.solution),
        float(is_readable(verdict)),
        float(verdict.reason is Reason.SLIP),
    )


def grade_response(response: Any, row: str | Mapping[str, Any] | Reference, style: str) -> Grades:
    r"""Grade the response of a model.

    >>> row = {"id": 1, "question": "Add 5 and 3 .", "equations": ["x = 5 + 3"], "solutions": [8.0],
    ...     "template": ["m = a + b"], "equiv_tnum": [], "alignment": [
    ...         {"slot": "a", "sentence": 0, "token": 1, "value": 5.0},
    ...         {"slot": "b", "sentence": 0, "token": 3, "value": 3.0}]}
    >>> grade_response("```\nm = q2 + q1\n```\nAnswer: 9", row, "marked").figures()
    {'derivation': 1.0, 'certain': 1.0, 'solution': 0.0, 'readable': 1.0, 'slip': 1.0, 'algorithm1': 1.0}

    Args:
        response: a text, or the messages of a chat, of which the last one counts.
        row: the row, as a mapping or as JSON text.
        style: the style of the prompt, or its label.

    Raises:
        RowError: the row or its gold cannot be read; the message names the problem.
        ChoiceError: the style is unknown, or the response is neither a text nor messages.
    """
    gold = gold_of(row)
    prediction = {"answer": response_text(response), "prompt_style": style}
    return Grades(grade(prediction, gold), grade(prediction, gold, match="algorithm1").derivation)


def _weigh(_: object, response: str, row: str, style: str) -> int:
    # The text of the row is usually shared with other entries, but it is counted here as if it were not.
    return 600 + 4 * (len(response) + len(row) + len(style))


@remembered(64 * MEGABYTE, _weigh)
def quick_figures(response: str, row: str, style: str) -> tuple[tuple[float, ...], str]:
    """Return the components and the reason, without Algorithm 1, for rewards: several of them ask about one response.

    Raises:
        RowError: the row or its gold cannot be read; the message names the problem.
        ChoiceError: the style is unknown.
    """
    verdict = grade({"answer": response, "prompt_style": style}, gold_of(row))
    return _figures(verdict), str(verdict.reason)


NOT_TEXT = "not text"
"""The reason of a completion that is neither a text nor messages. It is graded as an empty answer."""


def reward_figures(completion: Any, row: Any, style: Any) -> tuple[tuple[float, ...], str]:
    """Return the components and the reason of one completion, whatever a trainer passes as such.

    One completion that is no text must not end a batch: it gets the figures of an empty answer, and the reason
    `NOT_TEXT`.

    Raises:
        RowError: the row or its gold cannot be read; the message names the problem.
        ChoiceError: the style is unknown.
        ScoreError: the row or the style is no text.
    """
    if not isinstance(row, str):
        raise ScoreError(f"rewards: expected rows as JSON text, as to_trl and to_verl write them, but got {shown(row)}")
    if not isinstance(style, str):
        raise ScoreError(f"rewards: expected prompt_style as text, such as 'marked/1', but got {shown(style)}")
    try:
        text = response_text(completion)
    except ChoiceError:
        return quick_figures("", row, style)[0], NOT_TEXT
    return quick_figures(text, row, style)


def response_text(response: Any) -> str:
    """Return the text of a response.

    >>> response_text([{"role": "assistant", "content": [{"type": "text", "text": "m = q1"}]}])
    'm = q1'

    Raises:
        ChoiceError: the response is neither a text nor messages.
    """
    if isinstance(response, str):
        return response
    if isinstance(response, Sequence) and response and isinstance(response[-1], Mapping) and "content" in response[-1]:
        content = response[-1]["content"]
        if content is None:
            return ""
        if isinstance(content, str):
            return content
        if isinstance(content, Sequence) and not isinstance(content, (bytes, bytearray)):
            texts = (part.get("text") for part in content if isinstance(part, Mapping))
            return "".join(text for text in texts if isinstance(text, str))
    raise ChoiceError(f"response: expected a text or messages with content, but got {shown(response)}")
