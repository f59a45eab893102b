"""``draw solve TEXT``: the derivation, the equations and the exact solution of one problem, or why there is none."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from draw_dataset.commands.solving.models import chosen_model
from draw_dataset.errors import ReadError
from draw_dataset.files import write_whole

if TYPE_CHECKING:
    from draw_dataset.core.alignment import TextNumber
    from draw_dataset.core.problem import Problem
    from draw_dataset.solver import Prediction

STANDARD_INPUT = "-"
MAX_BYTES = 1 << 20
"""Bytes read of standard input; a problem that long is refused anyway."""


def run(arguments: argparse.Namespace) -> int:
    """Print the answer; return 1 if the solver abstains."""
    from draw_dataset.report import answer_svg, answer_text

    text = _read_text() if arguments.text == STANDARD_INPUT else arguments.text
    model = chosen_model(arguments.model)
    prediction = model.predict(text)
    problem = None if prediction.derivation is None else answered_problem(text, prediction)
    if arguments.json:
        numbers = () if problem is None else problem.numbers
        print(json.dumps(_as_data(prediction, numbers, model.signature)))
    elif problem is None:
        print(f"no answer: {prediction.reason}: {prediction.message}")
    else:
        print(answer_text(problem, colour=False if arguments.no_colour else None))
        print("equations " + "; ".join(prediction.equations))
        print("solution  " + ", ".join(f"{name} = {_shown(value)}" for name, value in _values(prediction).items()))
    if problem is None:
        return 1
    if arguments.svg is not None:
        write_whole(arguments.svg, answer_svg(problem) + "\n")
    return 0


def answered_problem(text: str, prediction: Prediction) -> Problem:
    """Return an answer in the form of a problem, its derivation the predicted one, so that it can be drawn.

    Raises:
        ReadError: the prediction abstains.
    """
    from draw_dataset.core.problem import AlignedNumber, Problem
    from draw_dataset.text import locate_numbers

    derivation, solution = prediction.derivation, prediction.solution
    if derivation is None or solution is None:
        raise ReadError("prediction", "a derivation", "an abstention")
    numbers, _ = locate_numbers(text)
    return Problem(
        id=0,
        question=text,
        numbers=numbers,
        equations=prediction.equations,
        solutions=tuple(float(value) for value in solution.numbers),
        template=tuple(derivation.template.equations),
        alignment=tuple(
            AlignedNumber(slot, number.sentence or 0, number.token, float(number.value or 0))
            for slot, number in derivation.alignment.items()
        ),
    )


def _values(prediction: Prediction) -> dict[str, Fraction]:
    return prediction.solution.values if prediction.solution is not None else {}


def _shown(value: Fraction) -> str:
    """Return a number exactly, and rounded beside it if it is a fraction."""
    return str(value) if value.denominator == 1 else f"{value} (about {float(value):.6g})"


def _as_data(prediction: Prediction, numbers: Sequence[TextNumber], signature: str) -> dict[str, Any]:
    given = prediction.to_dict() or {}
    return {
        "numbers": [{"index": n.index, "text": n.text, "value": str(n.value)} for n in numbers],
        "derivation": prediction.q_notation or None,
        "template": given.get("template"),
        "alignment": given.get("alignment"),
        "equations": list(prediction.equations),
        "solution": {name: str(value) for name, value in _values(prediction).items()},
        "solutions": given.get("solutions"),
        "reason": None if prediction.reason is None else str(prediction.reason),
        "message": prediction.message,
        "model": signature,
    }


def _read_text() -> str:
    try:
        return sys.stdin.buffer.read(MAX_BYTES).decode("utf-8")
    except UnicodeDecodeError as error:
        raise ReadError("standard input", "a text in UTF-8", str(error)) from error
