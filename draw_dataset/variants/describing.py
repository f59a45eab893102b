"""Descriptions of rivals: a sentence about how a rival derivation differs from gold.

If it has the gold template, the sentence names its wrong numbers with the words next to them. Otherwise the sentence is
that of the metric. The number of a trap is named as such.
"""

from __future__ import annotations

from draw_dataset.core.alignment import TextNumber
from draw_dataset.errors import DrawError
from draw_dataset.scoring.grading import grade_derivation, wrong_slots
from draw_dataset.scoring.prediction import Prediction, read_prediction
from draw_dataset.scoring.reference import Reference
from draw_dataset.scoring.verdict import Reason
from draw_dataset.text.rules import rule_of
from draw_dataset.text.tokens import tokenize
from draw_dataset.variants.columns import numbers_of, q_notation_of
from draw_dataset.variants.explaining import Explanation
from draw_dataset.variants.fields import Puzzle
from draw_dataset.variants.surroundings import Words

_RIGHT_ANSWER = "right answer, "


class Describer:
    """Describes the rivals of one problem.

    Args:
        puzzle: the problem.
    """

    def __init__(self, puzzle: Puzzle) -> None:
        self._puzzle = puzzle
        self._reference = Reference(puzzle.problem)
        self._words = Words(tokenize(puzzle.problem.question, rule_of(puzzle.problem)))

    def derivation(self, explanation: Explanation) -> str:
        """Return a rival in q-notation; a number of a trap is written as ``trap``."""
        if explanation.trapped is None:
            return q_notation_of(self._puzzle, explanation.rival)
        texts = [f"q{number.index}" for number in numbers_of(self._puzzle, explanation.rival)]
        texts[explanation.trapped] = "trap"
        return explanation.rival.template.written_with(texts)

    def sentence(self, explanation: Explanation) -> str:
        """Return what a rival does otherwise than gold."""
        if explanation.trapped is not None:
            wanted = numbers_of(self._puzzle, explanation.rival)[explanation.trapped]
            return f"takes the number of the added sentence instead of {self._named(wanted)}"
        try:
            written = q_notation_of(self._puzzle, explanation.rival)
            verdict = grade_derivation(written, self._reference)
            if verdict.reason is Reason.ALIGNMENT:
                read = read_prediction(written, self._reference)
                wrong = wrong_slots(read, self._reference) if isinstance(read, Prediction) else []
                if wrong:
                    taken = [f"{self._named(one.held)} instead of {self._named(one.wanted)}" for one in wrong]
                    return f"takes {', and '.join(taken)}"
            return verdict.message.removeprefix(_RIGHT_ANSWER)
        except DrawError as error:
            return f"another derivation: {error}"

    def _named(self, number: TextNumber) -> str:
        """Return a number with the word next to it: the two of 'two numbers'."""
        around = self._words.around(number)
        following, before = (around.after[0] if around.after else ""), around.previous
        if around.glued:
            phrase = f"{number.text}{around.glued}"
        elif following.isalpha() or following == "%":
            phrase = f"{number.text} {following}"
        else:
            phrase = f"{before} {number.text}".strip()
        return f"the {number.text} of '{phrase}' (q{number.index})"
