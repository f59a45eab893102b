"""The question: what are the equations of a question, given all its explanations.

Each explanation is read and chosen from by itself, since some on a page are of another problem. If one is not linear
there are no equations. Of those that give equations the one with the fewest literals missing from the question wins,
then the one that uses more of the question's numbers, then one that its own steps confirm, then the first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from draw_dataset.cleaning.choosing import choose
from draw_dataset.cleaning.covering import QuestionNumbers
from draw_dataset.cleaning.outcome import Extraction, Reason
from draw_dataset.cleaning.statements import statements_of

MAX_CHARACTERS = 60_000
"""What is read of one explanation."""


def extract_equations(question: str, explanations: Sequence[str]) -> Extraction:
    r"""Return the equations of a question, or the reason why there are none.

    >>> question = "How much 10% acid must be mixed with 30% acid for 10 liters of 25% acid?"
    >>> found = extract_equations(question, ["Let x = amt of 10%\n.10x + .30(10-x) = .25(10)\n-.2x = -.5\nx = 2.5"])
    >>> found.equations, found.solution
    (('.10*x + .30*(10 - x) = .25*(10)',), {'x': Fraction(5, 2)})
    >>> str(extract_equations(question, ["twice x + 3 = 15"]).reason)
    'no equation was found'
    """
    numbers = QuestionNumbers(question) if question.strip() else None
    best: Extraction | None = None
    refused: Extraction | None = None
    for place, explanation in enumerate(explanations):
        if not explanation.strip():
            continue
        found = replace(choose(statements_of(explanation[:MAX_CHARACTERS]), numbers), explanation=place)
        if found.reason is Reason.NOT_LINEAR:
            return found  # one tutor took the problem for linear, another did not: nobody can tell who read it
        if found.reason is not None:
            refused = refused or found
        elif best is None or _rank(found) < _rank(best):
            best = found
    return best or refused or Extraction(reason=Reason.NO_EXPLANATION)


def _rank(found: Extraction) -> tuple[int, Fraction, bool]:
    return len(found.missing), -found.used, not found.confirmed
