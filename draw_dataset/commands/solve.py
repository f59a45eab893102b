"""``draw solve``: answer word problems with derivations; train, run and score solvers."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from importlib.resources import as_file, files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from draw_dataset.commands.options import (
    DATA_DIR,
    GRAMMAR,
    JSON,
    NO_COLOUR,
    RELEASE,
    Arguments,
    argument,
    command,
    group,
    load_problems,
    number,
    option,
    require_extra,
    say,
    sources,
    use_one_thread,
    whole_number,
)
from draw_dataset.errors import ChoiceError, RowError, short_repr
from draw_dataset.io.atomic import STANDARD, check_writable, write_atomically
from draw_dataset.io.jsonl import display_name, read_json_lines, read_text, write_json_lines

if TYPE_CHECKING:
    from draw_dataset.derivation.derivation import TextNumber
    from draw_dataset.derivation.problem import Problem, ProblemId
    from draw_dataset.solver.confidence import Answerer, SolverAnswer

MAX_BYTES = 1 << 20  # size limit of a text; a longer problem is refused anyway
# Tests compare the next two with `solver`, which needs numpy.
SYSTEMS = ("template-first", "similarity", "zdc", "kazb")
FEWEST = 50  # problems from which a model is calibrated
# Options of systems; each system has its own defaults.
OPTIONS = ("choice", "features", "k", "epochs", "rule", "relations", "calibrate", "numbers", "nouns", "supervision")

_POSITIVE = whole_number(1, 1_000_000)
_PROBABILITY = number("a probability from 0 to 1", lambda value: 0 <= value <= 1)

MIN_CONFIDENCE = option("--min-confidence P", "abstain below this confidence, from 0 to 1", type=_PROBABILITY)
MODEL = option("--model FILE", "model that draw solve train wrote", type=Path, required=True)
ANSWER_OPTIONS = [
    option("--model FILE", "model that draw solve train wrote", type=Path),
    JSON,
    MIN_CONFIDENCE,
    option("--svg FILE", "also write the figure as SVG", type=Path),
    NO_COLOUR,
]


def _k(text: str) -> int | None:
    return None if text == "all" else _POSITIVE(text)


@group(params=ANSWER_OPTIONS, subcommand_metavar="TEXT | FILE | - | train … | predict … | evaluate …", default="answer")
def solve(**_: Any) -> None:
    """Solve a word problem and show its derivation; train, run and score solvers.

    TEXT is the problem in quotation marks; FILE has its text, or, if it ends in .jsonl, a question in each line.

    Without --model a small built-in solver answers, trained on the package's own sample problems. Expect
    errors: train one on the release.

    "in words" names the unknowns as the text does, and says first what the question asks for.

    confidence is the probability that the derivation is right, for problems like those of training; the
    runner-up is the best other derivation. With --min-confidence the solver abstains below a threshold.
    An answer with a confidence below 0.2 is headed "probably wrong".

    Exit status: 0 answered, 1 the solver abstains and says why, 2 input refused

    Examples:
      draw solve "Nina is six years older than Omar. Their ages sum to 40. How old is each of them?"
      draw solve problem.txt --model model.npz
      draw solve problem.txt --model model.npz --min-confidence 0.8
      draw solve problems.jsonl --model model.npz --json
      some-program | draw solve - --json
      draw solve train draw1k/train draw1k/validation --out model.npz
      draw solve predict draw1k/test --model model.npz --out predictions.jsonl
      draw solve evaluate draw1k/test --model model.npz
    """
    use_one_thread()


@command(
    argument("text", "TEXT", "problem, file, or -"),
    argument("more", "[MORE]...", "nothing"),
    *ANSWER_OPTIONS,
    parent=solve,
    name="answer",
    hidden=True,
)
def answer_text(arguments: Arguments) -> int:
    """Answer one problem, or the problems of a file."""
    if arguments.more:
        raise ChoiceError(f"expected one text, in quotation marks, but got {' '.join(arguments.more)!r} after it")
    if arguments.model is None:
        require_extra("solver", "HanTa")
    from draw_dataset.report.svg import answer_svg
    from draw_dataset.report.terminal import answer_text
    from draw_dataset.solver.confidence import apply_threshold
    from draw_dataset.solver.systems import load_model
    from draw_dataset.text.numbers import locate_numbers

    if arguments.svg is not None:
        check_writable(arguments.svg)
    texts = _texts(arguments.text)
    if arguments.svg is not None and len(texts) > 1:
        raise ChoiceError(f"--svg: expected one problem, but {arguments.text} has {len(texts)}")
    model = sample_model() if arguments.model is None else load_model(arguments.model)
    check_model(model, arguments.min_confidence)
    abstained = False
    for id_, text in texts:
        answer = apply_threshold(model.predict(text), arguments.min_confidence)
        derivation = answer.derivation
        abstained |= derivation is None
        numbers = () if derivation is None else locate_numbers(text)[0]
        # Before anything is printed, because the reader of a pipe may be gone after a line.
        if arguments.svg is not None and derivation is not None:
            write_atomically(arguments.svg, answer_svg(text, numbers, derivation) + "\n")
        if arguments.json:
            named = {} if id_ is None else {"id": id_}
            data = {**named, "probably_wrong": _is_probably_wrong(answer)}
            print(json.dumps({**data, **_answer_data(answer, numbers, model.signature)}))
            continue
        if id_ is not None:
            print(f"problem {id_}\n")
        if derivation is None:
            print(f"no answer: {answer.reason}: {answer.message}")
        else:
            if _is_probably_wrong(answer):
                print(f"probably wrong: confidence {answer.confidence:.2f} is below {PROBABLY_WRONG}\n")
            print(answer_text(text, numbers, derivation, colour=False if arguments.no_colour else None))
            print("equations " + "; ".join(answer.equations))
            print("solution  " + ", ".join(f"{name} = {_exact_text(value)}" for name, value in _values(answer).items()))
            if answer.named:
                print(f"in words  {_in_words(answer)}")
            for words in answer.stated:
                print(f"stated    {words}")
            if answer.confidence is not None:
                print(f"confidence {answer.confidence:.2f}{_confidence_basis(model)}")
            if answer.runner_up is not None:
                print(f"runner-up {answer.runner_up.q_notation}")
        if id_ is not None:
            print()
    return 1 if abstained else 0


def _texts(given: str) -> list[tuple[ProblemId | None, str]]:
    """Return the problems of an argument: a text, a text file, standard input, or a file of questions."""
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
        return [(id_, _text(problem)) for id_, problem in read_questions(given)]
    return [(None, read_text(given, error=ChoiceError, most=MAX_BYTES))]


def sample_model() -> Answerer:
    """Return the solver that comes with the package, trained on the embedded sample."""
    from draw_dataset.solver.systems import load_model

    model: Answerer
    with as_file(files("draw_dataset.solver") / "sample.npz") as path:  # by scripts/update_sample_model.py
        model = load_model(path)
    say(
        f"No --model given: using the small built-in model (120 problems, {len(model.inventory)} templates). "
        "Expect errors; draw solve train makes a better one."
    )
    return model


PROBABLY_WRONG = 0.2
"""The confidence below which an answer is called probably wrong: there 22 % are right; see docs/confidence.md."""


def _is_probably_wrong(answer: SolverAnswer) -> bool:
    return answer.derivation is not None and answer.confidence is not None and answer.confidence < PROBABLY_WRONG


def _confidence_basis(model: Answerer) -> str:
    """Return how many answers a confidence is estimated from, if they are few."""
    calibration = getattr(model, "calibration", None)
    if calibration is None or calibration.count >= _MANY_HELD_OUT:
        return ""
    return f" (a rough estimate, from {calibration.count} held-out answers)"


_MANY_HELD_OUT = 500
"""From so many held-out answers on, a confidence is printed without a caveat."""


def _values(answer: SolverAnswer) -> dict[str, Fraction]:
    return answer.solution.values if answer.solution is not None else {}


def _json_number(value: Fraction) -> int | float:
    return int(value) if value.denominator == 1 else float(value)


def _in_words(answer: SolverAnswer) -> str:
    """Return the values by the names of the unknowns, what the question asks for first."""
    naming, values = answer.naming, _values(answer)
    said = [one.name.sentence(_exact_text(one.value(values))) for one in naming.quantities]
    asked = len(naming.asked)
    if not 0 < asked < len(said):
        return ", ".join(said)
    return f"{', '.join(said[:asked])}; also {', '.join(said[asked:])}"


def _exact_text(value: Fraction) -> str:
    """Return a number exactly, and also rounded if it is a fraction."""
    from draw_dataset.algebra.number import short_number

    return str(value) if value.denominator == 1 else f"{value} (about {short_number(float(value))})"


def _answer_data(answer: SolverAnswer, numbers: Sequence[TextNumber], signature: str) -> dict[str, Any]:
    given = answer.to_dict() or {}
    second, runner_up = answer.runner_up, None
    if second is not None:
        solution = second.solution.values if second.solution else {}
        runner_up = {
            "derivation": second.q_notation,
            "equations": list(second.equations),
            "solution": {name: str(value) for name, value in solution.items()},
        }
    return {
        "numbers": [{"index": n.index, "text": n.text, "value": str(n.value)} for n in numbers],
        "derivation": answer.q_notation or None,
        "template": given.get("template"),
        "alignment": given.get("alignment"),
        "equations": list(answer.equations),
        "solution": {name: str(value) for name, value in _values(answer).items()},
        "named": {name: _json_number(value) for name, value in answer.named.items()},
        "asked": [name.words for name in answer.asked],
        "solutions": given.get("solutions"),
        "stated": list(answer.stated),
        "confidence": answer.confidence,
        "runner_up": runner_up,
        "reason": None if answer.reason is None else str(answer.reason),
        "message": answer.message,
        "model": signature,
    }


def check_model(model: Answerer, least: float | None) -> None:
    """Refuse --min-confidence with a model that has no confidence, before any work."""
    from draw_dataset.solver.confidence import check_confidence

    if least is not None:
        check_confidence(least, model)


@command(
    sources("SOURCE..."),
    option(
        f"--system {'|'.join(SYSTEMS)}",
        "solver: ours (template-first) or one of the paper's Table 5",
        default=SYSTEMS[0],
    ),
    option(
        "--also SOURCE",
        "additional rows, such as one-step problems from draw derive; only decided rows are used; repeatable",
        multiple=True,
        reads="source",
    ),
    option(
        "--without SOURCE",
        "leave out near-duplicates of these problems, which the model will be asked; repeatable",
        multiple=True,
        reads="source",
    ),
    option("--out FILE", "model file to write", type=Path, required=True),
    option(
        "--setting TD|TE|TE*",
        "learn from derivations (TD), equations (TE), or equations with reconciled templates (TE*)",
        default="TD",
    ),
    option(
        "--choice first|latent",
        "derivation that TE learns from: the first that gives the equations (default), or the model's own choice",
    ),
    option("--features extended|paper|inferred|zdc", "template-first only: text features (default: extended)"),
    option("--k N", "template-first only: templates to try for a text, or all (default: all)", type=_k),
    option("--epochs N", "training epochs (default: the solver's own)", type=_POSITIVE),
    option("--rule NAME", "learning rule: perceptron, margin or qp (default: the system's own)"),
    option(
        "--relations/--no-relations",
        "template-first only: prefer answers that agree with statements of the text, such as a sum of its unknowns "
        "(default: with extended features)",
        default=None,
    ),
    option(
        "--numbers context|rank", "similarity only: how numbers replace those of the similar problem (default: context)"
    ),
    option("--nouns near|parsed", "kazb only: find nouns by nearby words (default) or by spaCy's parser"),
    option(
        "--supervision equations|answer",
        "kazb only, under TE: a derivation is right by its equations (default) or by its answer",
    ),
    option("--seed N", "seed of the problem order", type=whole_number(0, (1 << 32) - 1), default=0),
    option(
        "--calibrate/--no-calibrate",
        f"template-first only: calibrate confidence by five-fold cross-validation (default: from {FEWEST} problems)",
        default=None,
    ),
    *RELEASE,
    JSON,
    parent=solve,
    name="train",
)
def train_model(arguments: Arguments) -> int:
    """Train a solver on annotated problems and write it to a file.

    The file holds templates, words and weights, and nothing that runs. It works with the feature version that
    it was trained with.

    Examples:
      draw solve train sample --out sample.npz                    the embedded problems; needs no file
      draw solve train draw1k/train draw1k/validation alg514 dolphin_l --out model.npz
      draw solve train draw1k/train draw1k/validation alg514 dolphin_l --without draw1k/test --out joint.npz
      draw solve train draw1k --also svamp-rows.jsonl --also mawps-rows.jsonl --out model.npz
      draw solve train draw1k/train --setting TE --features paper --k 10 --out paper.npz
      draw solve train dolphin_l --system similarity --setting TE --out similarity.npz
      draw solve train alg514_cv0/train rows.jsonl --out mine.npz
    """
    require_extra("solver", "HanTa")
    from draw_dataset.solver.confidence import FOLDS
    from draw_dataset.solver.model import can_calibrate
    from draw_dataset.solver.systems import save_model, takes_option, train

    check_writable(arguments.out)  # before the work, not after it
    problems = training_problems(
        arguments.sources, arguments.also, arguments.without, arguments.data_dir, arguments.corrected
    )
    given = {name: getattr(arguments, name) for name in OPTIONS}
    if arguments.calibrate is None and takes_option(arguments.system, "calibrate"):
        given["calibrate"] = can_calibrate(problems)
    # Calibration trains one more model for each fold of its cross-validation.
    rounds = None if arguments.epochs is None else arguments.epochs * (1 + FOLDS * bool(given["calibrate"]))
    with show_epochs(rounds) as watch:
        model = train(
            problems,
            system=arguments.system,
            setting=arguments.setting,
            seed=arguments.seed,
            watch=watch,
            **{name: value for name, value in given.items() if value is not None},
        )
    save_model(model, arguments.out)
    # A model on standard output is not mixed with this text.
    stream = sys.stderr if os.fspath(arguments.out) == STANDARD else sys.stdout
    if arguments.json:
        data = {
            "model": str(arguments.out),
            "system": arguments.system,
            "problems": len(problems),
            "templates": len(model.inventory),
            "calibrated": bool(given["calibrate"]),
        }
        print(json.dumps({**data, "signature": model.signature}), file=stream)
    else:
        print(f"wrote {arguments.out}: {len(model.inventory)} templates from {len(problems)} problems", file=stream)
        if given["calibrate"]:
            print("its answers have a confidence; with --min-confidence P it abstains below P", file=stream)
        print(model.signature, file=stream)
    return 0


@contextmanager
def show_epochs(total: int | None = None) -> Iterator[Callable[[int, int], None]]:
    """Show the training progress if stderr is a terminal; yield the function to call after each epoch."""
    from tqdm import tqdm

    with tqdm(total=total, desc="training", unit="epoch", disable=not sys.stderr.isatty(), leave=False) as bar:

        def watch(epoch: int, wrong: int) -> None:
            bar.set_postfix_str(f"{wrong} answered wrongly in epoch {epoch + 1}")
            bar.update()

        yield watch


def training_problems(
    sources: Sequence[str], also: Sequence[str], without: Sequence[str], data_dir: str | None, corrected: bool | str
) -> list[Problem]:
    """Return the problems to learn from; report on stderr how many are left out."""
    from draw_dataset.data.catalog import load

    problems = [p for source in dict.fromkeys(sources) for p in load(source, data_dir, corrected)]
    for source in dict.fromkeys(also):
        rows = load(source, data_dir, corrected)
        decided = [row for row in rows if row.status in ("", "decided")]
        if len(decided) < len(rows):
            say(f"--also {source}: {len(rows) - len(decided)} of {len(rows)} rows are not decided and are left out")
        problems += decided
    if without:
        kept = without_near(problems, [p for source in dict.fromkeys(without) for p in load(source, data_dir)])
        say(f"--without: {len(problems) - len(kept)} of {len(problems)} problems are nearly the same and left out")
        problems = kept
    return problems


def without_near(problems: Sequence[Problem], asked: Sequence[Problem]) -> list[Problem]:
    """Return the problems without near-duplicates of `asked`."""
    from draw_dataset.text.similarity import NearDuplicates

    index = NearDuplicates()
    for problem in asked:
        index.add(problem.question, problem.numbers)
    return [problem for problem in problems if not index.find(problem.question, problem.numbers)]


@command(
    argument("source", "SOURCE", f"{GRAMMAR}; lines with id and question are enough"),
    MODEL,
    option("--out FILE", "file of predictions; - is standard output", default=STANDARD),
    MIN_CONFIDENCE,
    DATA_DIR,
    JSON,
    parent=solve,
)
def predict(arguments: Arguments) -> int:
    """Predict the answers to many problems, one JSON object per line.

    Each line is {"id": 7, "prediction": {"template": […], "alignment": […], "solutions": […]},
    "confidence": 0.87, "runner_up": "m = q1*q2"}, or, if the solver abstains, {"id": 7, "prediction": null,
    "reason": "no numbers", "message": "…"}.
    A model without calibration, and a text without runner-up, leave these out.
    draw score reads them. Only the text of a problem is used: lines with id and question are enough.

    Exit status: 0 predicted, abstentions included, 2 input refused

    Examples:
      draw solve predict draw1k/test --model model.npz --out predictions.jsonl
      draw score predictions.jsonl --config draw1k --split test
      draw solve predict draw1k/test --model model.npz --min-confidence 0.8 --out sure.jsonl
      draw solve predict questions.jsonl --model model.npz > predictions.jsonl
    """
    require_extra("solver", "HanTa")
    from draw_dataset.solver.confidence import apply_threshold
    from draw_dataset.solver.systems import load_model

    check_writable(arguments.out)
    model = load_model(arguments.model)
    check_model(model, arguments.min_confidence)
    given = _problems(arguments.source, arguments.data_dir)
    abstained = 0

    def lines() -> Iterator[dict[str, Any]]:
        nonlocal abstained
        for id_, problem in show_progress(list(given.items())):
            answer = apply_threshold(model.predict(problem), arguments.min_confidence)
            line: dict[str, Any] = {"id": id_, "prediction": answer.to_dict()}
            if answer.confidence is not None:
                line["confidence"] = answer.confidence
            if answer.runner_up is not None:
                line["runner_up"] = answer.runner_up.q_notation
            if answer.reason is not None:
                abstained += 1
                line |= {"reason": str(answer.reason), "message": answer.message}
            yield line

    write_json_lines(arguments.out, lines())
    if arguments.json:
        data = {"out": arguments.out, "problems": len(given), "without_answer": abstained, "signature": model.signature}
        # Predictions on standard output are not mixed with this object.
        print(json.dumps(data), file=sys.stderr if arguments.out == STANDARD else sys.stdout)
    else:
        say(f"{len(given)} problems, {abstained} without an answer")
    return 0


def show_progress(problems: list[Any]) -> Any:
    """Return an iterable over problems that shows its progress if stderr is a terminal."""
    from tqdm import tqdm

    return tqdm(problems, desc="solving", unit="problem", disable=not sys.stderr.isatty(), leave=False)


def _problems(source: str, data_dir: str | None) -> dict[int | str, str | Problem]:
    """Return the problems of a source by id; for a line that is not a row, its question."""
    from draw_dataset.data.catalog import load, resolve

    given = resolve(source)
    entries: Iterable[tuple[int | str, str | Problem]]
    if given.file is not None:
        entries = read_questions(given.file)
    else:
        entries = [(problem.id, problem) for problem in load(given, data_dir)]
    found: dict[int | str, str | Problem] = {}
    for id_, problem in entries:
        if id_ in found and _text(found[id_]) != _text(problem):
            raise RowError(f"{source}: expected one question for each id, but got two for {short_repr(id_)}")
        found[id_] = problem
    if not found:
        raise ChoiceError(f"{source}: expected problems, but got none")
    return found


def _text(problem: str | Problem) -> str:
    return problem if isinstance(problem, str) else problem.question


def read_questions(path: str) -> Iterator[tuple[int | str, str | Problem]]:
    """Yield the problems of a file by id; for a line that is not a row, its question."""
    from draw_dataset.derivation.problem import Problem

    for line in read_json_lines(path):
        entry, where = line.value, f"{display_name(path)}, line {line.number}"
        if type(entry.get("id")) not in (int, str) or not isinstance(entry.get("question"), str):
            raise RowError(f"{where}: expected an object with an id and a question, but got {short_repr(entry)}")
        try:
            # The numbers of a row fix its tokens; predictions must count tokens in the same way.
            yield entry["id"], Problem.from_row(entry) if "numbers" in entry else entry["question"]
        except RowError as error:
            raise RowError(f"{where}: {error}") from error


@command(sources(), MODEL, *RELEASE, JSON, parent=solve)
def evaluate(arguments: Arguments) -> int:
    """Evaluate a model on annotated problems: derivation, equation and solution accuracy.

    An abstention counts as wrong. For other grading options, or several systems, write predictions with
    draw solve predict and give them to draw score.

    Examples:
      draw solve evaluate draw1k/test --model model.npz
      draw solve evaluate rows.jsonl --model model.npz --json
    """
    from draw_dataset.data.catalog import resolve

    require_extra("solver", "HanTa")
    from draw_dataset.scoring.gold import PreparedProblem
    from draw_dataset.scoring.options import check_data_name
    from draw_dataset.scoring.score import score
    from draw_dataset.scoring.table import compare_scores
    from draw_dataset.solver.systems import load_model

    source = resolve(arguments.source)
    data = source.data_name(arguments.corrected)
    check_data_name(data)
    model = load_model(arguments.model)
    problems = load_problems(source, arguments)
    predictions = [model.predict(problem).to_dict() for problem in show_progress(problems)]
    found = score(predictions, [PreparedProblem(problem) for problem in problems], data=data)
    table = compare_scores({arguments.model.stem: found})
    if arguments.json:
        print(json.dumps({**table.to_dict(), "model": model.signature}, ensure_ascii=False))
    else:
        print(table.to_text())
        print(f"model: {model.signature}")
    return 0
