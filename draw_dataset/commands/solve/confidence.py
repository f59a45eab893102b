"""What the subcommands of ``draw solve`` say about confidence: the option that asks for it, and how it is told.

With it they tell what speaks for an answer: what the text states of its unknowns.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from draw_dataset.solver import Answerer, SolverAnswer


def add_min_confidence(parser: argparse.ArgumentParser) -> None:
    """Declare the option below which confidence an answer is held back."""
    parser.add_argument(
        "--min-confidence",
        type=_probability,
        metavar="P",
        help="give no answer whose probability of being right is below P, from 0 to 1",
    )


def _probability(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        raise argparse.ArgumentTypeError(f"expected a probability from 0 to 1, but got {text[:40]!r}")
    return value


def check_model(model: Answerer, least: float | None) -> None:
    """Refuse to ask a model for confidence that it cannot tell, before any work.

    Raises:
        ChoiceError: it cannot; says what to do.
    """
    from draw_dataset.solver.confidence import check_confidence

    if least is not None:
        check_confidence(least, model)


def answered(model: Answerer, given: Any, least: float | None) -> SolverAnswer:
    """Return the answer of a model; an abstention, if its confidence is lower than what is asked for."""
    from draw_dataset.solver.confidence import held_back

    return held_back(model.predict(given), least)


def told(answer: SolverAnswer) -> list[str]:
    """Return the lines that tell what was read in the text, how sure an answer is, and what comes next to it."""
    lines = [f"stated    {words}" for words in answer.stated]
    if answer.confidence is not None:
        lines.append(f"confidence {answer.confidence:.2f}")
    if answer.runner_up is not None:
        lines.append(f"runner-up {answer.runner_up.q_notation}")
    return lines


def as_data(answer: SolverAnswer) -> dict[str, Any]:
    """Return the same for machines; of the runner-up, its derivation, equations and solution."""
    second = answer.runner_up
    return {
        "stated": list(answer.stated),
        "confidence": answer.confidence,
        "runner_up": None
        if second is None
        else {
            "derivation": second.q_notation,
            "equations": list(second.equations),
            "solution": {name: str(value) for name, value in second.solution.values.items()} if second.solution else {},
        },
    }
