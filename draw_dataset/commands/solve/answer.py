"""``draw solve TEXT``: the derivation, the equations and the exact solution of one problem, or why there is none.

The model that answers is the one that is named, or a small one of the embedded sample, made when it is first needed.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from draw_dataset.commands.solve.confidence import answered, as_data, check_model, told
from draw_dataset.commands.solve.predict import read_questions
from draw_dataset.commands.solve.train import epochs_shown
from draw_dataset.errors import ChoiceError, ModelError
from draw_dataset.files import STANDARD, read_text, write_atomically
from draw_dataset.files.atomic import check_writable

if TYPE_CHECKING:
    from draw_dataset.core.alignment import TextNumber
    from draw_dataset.core.problem import ProblemId
    from draw_dataset.solver import Answerer, SolverAnswer

MAX_BYTES = 1 << 20
"""Bytes of a text on standard input; a problem that long is refused anyway."""


def run(arguments: argparse.Namespace) -> int:
    """Print the answer; return 1 if the solver abstains."""
    from draw_dataset.report import answer_svg, answer_text
    from draw_dataset.solver import load_model
    from draw_dataset.text import locate_numbers

    if arguments.svg is not None:
        check_writable(arguments.svg)
    texts = _texts(arguments.text)
    if arguments.svg is not None and len(texts) > 1:
        raise ChoiceError(f"--svg: expected one problem, but {arguments.text} has {len(texts)}")
    model = sample_model() if arguments.model is None else load_model(arguments.model)
    check_model(model, arguments.min_confidence)
    abstained = False
    for id_, text in texts:
        answer = answered(model, text, arguments.min_confidence)
        derivation = answer.derivation
        abstained |= derivation is None
        numbers = () if derivation is None else locate_numbers(text)[0]
        # Before anything is printed: whoever reads that may be gone after a line.
        if arguments.svg is not None and derivation is not None:
            write_atomically(arguments.svg, answer_svg(text, numbers, derivation) + "\n")
        if arguments.json:
            named = {} if id_ is None else {"id": id_}
            print(json.dumps({**named, **_as_data(answer, numbers, model.signature)}))
            continue
        if id_ is not None:
            print(f"problem {id_}\n")
        if derivation is None:
            print(f"no answer: {answer.reason}: {answer.message}")
        else:
            print(answer_text(text, numbers, derivation, colour=False if arguments.no_colour else None))
            print("equations " + "; ".join(answer.equations))
            print("solution  " + ", ".join(f"{name} = {_shown(value)}" for name, value in _values(answer).items()))
            for line in told(answer):
                print(line)
        if id_ is not None:
            print()
    return 1 if abstained else 0


def _texts(given: str) -> list[tuple[ProblemId | None, str]]:
    """Return the problems that are meant: a text, that of a file or of standard input, or the questions of a file.

    Raises:
        ChoiceError: it is one word, which no problem is, and no file of that name is there.
    """
    if given == STANDARD:
        text = read_text(STANDARD, error=ChoiceError, most=MAX_BYTES)
        if text.lstrip("\ufeff \t\r\n").startswith(("{", "[")):
            raise ChoiceError(
                "standard input: expected the text of one problem, but got JSON; for many problems give a .jsonl file, "
                "or draw solve predict - --model FILE"
            )
        return [(None, text)]
    if (not given or any(character.isspace() for character in given.strip())) and not os.path.isfile(given):
        return [(None, given)]
    if not os.path.isfile(given):
        raise ChoiceError(f"{given[:200]}: file not found; to solve a text, give it in quotation marks")
    if given.endswith((".jsonl", ".json")):
        entries = [(id_, problem) for id_, problem in read_questions(given)]
        return [(id_, problem if isinstance(problem, str) else problem.question) for id_, problem in entries]
    return [(None, read_text(given, error=ChoiceError, most=MAX_BYTES))]


def sample_model() -> Answerer:
    """Return the model of the embedded sample: from the cache, or trained now and kept there.

    Its file is named after a hash of the code and the data that it is made from, so it is never an outdated one. What
    is done is said on stderr: nobody should take its answers for those of a real solver.

    Raises:
        ExtraMissing: it must be trained and the tagger is not installed.
    """
    from draw_dataset.fingerprint import model_fingerprint
    from draw_dataset.release.fetch import cache_root
    from draw_dataset.sample import load_sample
    from draw_dataset.solver import load_model, save_model, train
    from draw_dataset.solver.calibrating import can_calibrate

    path = cache_root() / "models" / f"sample-{model_fingerprint()}.npz"
    problems = [problem for split in load_sample().values() for problem in split]
    model: Answerer
    try:
        model = load_model(path)
    except ModelError:  # it is not there, or damaged
        _say(f"no --model: training a small one on the {len(problems)} sample problems of the package, once")
        with epochs_shown() as watch:
            model = train(problems, calibrate=can_calibrate(problems), watch=watch)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            save_model(model, path)
        except OSError as error:
            _say(f"it is not kept: {error}")
    _say(
        f"no --model: a small one answers, trained on {len(problems)} sample problems. It knows {len(model.inventory)} "
        "templates and is often wrong; draw solve train makes a better one"
    )
    return model


def _say(message: str) -> None:
    print(f"draw solve: {message}", file=sys.stderr)


def _values(answer: SolverAnswer) -> dict[str, Fraction]:
    return answer.solution.values if answer.solution is not None else {}


def _shown(value: Fraction) -> str:
    """Return a number exactly, and rounded next to it if it is a fraction."""
    return str(value) if value.denominator == 1 else f"{value} (about {float(value):.6g})"


def _as_data(answer: SolverAnswer, numbers: Sequence[TextNumber], signature: str) -> dict[str, Any]:
    given = answer.to_dict() or {}
    return {
        "numbers": [{"index": n.index, "text": n.text, "value": str(n.value)} for n in numbers],
        "derivation": answer.q_notation or None,
        "template": given.get("template"),
        "alignment": given.get("alignment"),
        "equations": list(answer.equations),
        "solution": {name: str(value) for name, value in _values(answer).items()},
        "solutions": given.get("solutions"),
        **as_data(answer),
        "reason": None if answer.reason is None else str(answer.reason),
        "message": answer.message,
        "model": signature,
    }
