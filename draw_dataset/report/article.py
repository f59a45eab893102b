"""One prediction on the page: its reason, its verdict in a sentence, the prediction itself, and a figure next to gold.

An answer of a language model is shown with its marks (`answer`), to the left of the figure if there is room. A
prediction belongs to one of six lists, by the verdict on its derivation and solution.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from draw_dataset.files import escape
from draw_dataset.report.answer import answer_html, graded
from draw_dataset.report.figure import draw_svg
from draw_dataset.report.picture import picture_of
from draw_dataset.report.plain import clipped, number_text, printable, raw_text
from draw_dataset.scoring.prediction import answer_of
from draw_dataset.scoring.reference import Reference
from draw_dataset.scoring.verdict import Kind, Reason, Verdict

FIGURE_WIDTH = 430

LISTS = {
    "lucky": "Right answer, wrong derivation",
    "bare": "Right answer, no derivation",
    "unread": "Right answer, derivation not understood",
    "slips": "Right derivation, wrong answer",
    "shortcuts": "Right answer by a shortcut",
    "others": "Wrong answer",
}
"""The lists of the page in their order: what other metrics do not see comes first."""

_MAX_SEARCHED = 2_000


@dataclass(frozen=True, slots=True)
class Entry:
    """A prediction on the page.

    Attributes:
        system: whose it is.
        verdict: what is said of it.
        prediction: as it was given.
        reference: the problem.
    """

    system: str
    verdict: Verdict
    prediction: Any
    reference: Reference

    @property
    def listed(self) -> str:
        """The list it belongs to, one of `LISTS`."""
        if self.verdict.derivation:
            return "shortcuts" if self.verdict.solution else "slips"
        if not self.verdict.solution:
            return "others"
        return {Kind.NONE: "bare", Kind.UNREAD: "unread"}.get(self.verdict.reason.kind, "lucky")

    @property
    def answer(self) -> str | None:
        """What a language model has written, if it is that."""
        return answer_of(self.prediction)

    def indexed(self) -> dict[str, str]:
        """Return what the filters of the page look at."""
        problem = self.reference.problem
        given = self.answer if self.answer is not None else raw_text(self.prediction)
        words = f"{problem.id} {problem.question} {self.verdict.message} {clipped(given, 4 * _MAX_SEARCHED)}"
        text = clipped(" ".join(printable(words).lower().split()), _MAX_SEARCHED)
        return {"system": self.system, "reason": str(self.verdict.reason), "text": text}


def article(number: int, entry: Entry) -> str:
    """Return a prediction as HTML; the number is its place in the index of the page."""
    picture = picture_of(entry.reference, (entry.prediction,), entry.verdict)
    problem, answer = entry.reference.problem, entry.answer
    gold = ", ".join(number_text(value, 6) for value in problem.solutions)
    head = (
        f"<h4>Problem {_e(str(problem.id))} "
        f'<span class="chip">{_e(entry.system)}</span> <span class="chip reason">{_e(entry.verdict.reason)}</span></h4>'
        f"<p>{_e(_sentence(entry.verdict))}</p>"
    )
    figure = f'<div class="figure">{draw_svg(picture, width=FIGURE_WIDTH, style=False)}</div>'
    if answer is None:
        given = raw_text(entry.prediction, 2_000) or "nothing"
        return (
            f'<article data-item="{number}">{head}{figure}'
            f"<details><summary>As given</summary><p>Gold solutions: {_e(gold)}</p><pre>{_e(given)}</pre></details>"
            "</article>"
        )
    told = f'<p class="note">{_e(graded(entry.verdict))}; gold solutions {_e(gold)}</p>'
    return (
        f'<article class="of-answer" data-item="{number}">{head}{told}'
        f'<div class="beside"><div>{answer_html(answer, entry.verdict.reading)}</div>{figure}</div></article>'
    )


def _sentence(verdict: Verdict) -> str:
    message = clipped(printable(verdict.message), 600)
    shown = message if verdict.reason not in _CODED else f"{verdict.reason}: {message}"
    return shown[:1].upper() + shown[1:]


_CODED = (Reason.ABSTAINED, Reason.UNREADABLE, Reason.NOT_LINEAR, Reason.TOO_LARGE, Reason.BAD_ALIGNMENT)
"""Reasons whose sentence is an error message that does not name the reason."""


def _e(text: str) -> str:
    return escape(printable(text))
