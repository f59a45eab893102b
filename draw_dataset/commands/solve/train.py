"""``draw solve train``: a model from annotated problems."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from draw_dataset.commands.options import add_json, add_release, add_sources, takes_sources, whole_number
from draw_dataset.commands.solve.training_data import training_problems
from draw_dataset.files import STANDARD
from draw_dataset.files.atomic import check_writable

_POSITIVE = whole_number(1, 1_000_000)

SYSTEMS = ("template-first", "similarity", "zdc", "kazb")
"""The systems; a test compares them with `solver.systems`, which takes numpy to import."""

FEWEST = 50
"""Problems from which a model is calibrated; a test compares it with `solver.calibrating`."""

OPTIONS = ("choice", "features", "k", "epochs", "rule", "relations", "calibrate", "numbers", "nouns", "supervision")
"""The options of systems; those that are not given are left to the system."""

HELP = "train a solver on annotated problems and write it to a file"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.epilog = (
        "The file holds templates, words and weights, and nothing that runs. It is good for the version of the\n"
        "features that it was trained with.\n\n"
        "examples:\n"
        "  draw solve train sample --out sample.npz                    the embedded problems; needs no file\n"
        "  draw solve train draw1k/train draw1k/validation alg514 dolphin_l --out model.npz\n"
        "  draw solve train draw1k/train draw1k/validation alg514 dolphin_l --without draw1k/test --out joint.npz\n"
        "  draw solve train draw1k --also svamp-rows.jsonl --also mawps-rows.jsonl --out model.npz\n"
        "  draw solve train draw1k/train --setting TE --features paper --k 10 --out paper.npz\n"
        "  draw solve train dolphin_l --system similarity --setting TE --out similarity.npz\n"
        "  draw solve train alg514_cv0/train rows.jsonl --out mine.npz"
    )
    add_sources(parser, "+")
    parser.add_argument(
        "--system",
        choices=SYSTEMS,
        default=SYSTEMS[0],
        help="which solver: ours (template-first, the default), or one of Table 5 of the paper, rebuilt",
    )
    takes_sources(parser, "also", "without")
    parser.add_argument(
        "--also",
        action="append",
        default=[],
        metavar="SOURCE",
        help="learn from these rows besides, for example one-step problems that draw derive has made rows of; of "
        "derived rows only the decided ones (repeatable)",
    )
    parser.add_argument(
        "--without",
        action="append",
        default=[],
        metavar="SOURCE",
        help="leave out problems that are nearly the same as one of these, which the model shall be asked (repeatable)",
    )
    parser.add_argument("--out", type=Path, required=True, metavar="FILE", help="the file to write the model to")
    parser.add_argument(
        "--setting",
        choices=["TD", "TE", "TE*"],
        default="TD",
        help="learn from derivations (TD, the default), equations (TE), or equations with reconciled templates (TE*)",
    )
    parser.add_argument(
        "--choice",
        choices=["first", "latent"],
        help="which derivation TE learns from: the first that gives the equations (the default), or the one that the "
        "model itself prefers (latent)",
    )
    parser.add_argument(
        "--features",
        choices=["extended", "paper", "inferred", "zdc"],
        help="only template-first: the features of a text (default extended)",
    )
    parser.add_argument(
        "--k",
        type=_k,
        metavar="N",
        help="only template-first: how many templates are tried for a text, or all (default all)",
    )
    parser.add_argument(
        "--epochs",
        type=_POSITIVE,
        metavar="N",
        help="rounds over the problems (default: the solver's own choice)",
    )
    parser.add_argument(
        "--rule", metavar="NAME", help="the rule of learning: perceptron, margin or qp (default: the system's own)"
    )
    parser.add_argument(
        "--relations",
        action=argparse.BooleanOptionalAction,
        help="of template-first: prefer answers that agree with what the text states of its unknowns, such as their "
        "sum (default: with extended features)",
    )
    parser.add_argument(
        "--numbers",
        choices=["context", "rank"],
        help="only similarity: how numbers take the places of those of the similar problem (default context)",
    )
    parser.add_argument(
        "--nouns",
        choices=["near", "parsed"],
        help="only kazb: find nouns by counting words (near, the default) or with spaCy's parser (parsed)",
    )
    parser.add_argument(
        "--supervision",
        choices=["equations", "answer"],
        help="only kazb, under TE: what makes a derivation right, its equations (the default) or its answer",
    )
    parser.add_argument(
        "--seed",
        type=whole_number(0, (1 << 32) - 1),
        default=0,
        metavar="N",
        help="the seed of the order of problems (default 0)",
    )
    parser.add_argument(
        "--calibrate",
        action=argparse.BooleanOptionalAction,
        help="of template-first: find out how sure the model may be, which takes five more trainings on parts of the "
        f"problems (default: from {FEWEST} problems on)",
    )
    add_release(parser)
    add_json(parser)


def _k(text: str) -> int | None:
    return None if text == "all" else _POSITIVE(text)


def run(arguments: argparse.Namespace) -> int:
    """Train a model, write it, and say what it is."""
    # Here, as the other subcommands do not need it.
    from draw_dataset.solver import save_model, train
    from draw_dataset.solver.calibrating import can_calibrate
    from draw_dataset.solver.confidence import FOLDS
    from draw_dataset.solver.systems import takes

    check_writable(arguments.out)  # before the work, not after it
    problems = training_problems(
        arguments.sources, arguments.also, arguments.without, arguments.data_dir, arguments.corrected
    )
    given = {name: getattr(arguments, name) for name in OPTIONS}
    if arguments.calibrate is None and takes(arguments.system, "calibrate"):
        given["calibrate"] = can_calibrate(problems)
    # A calibration trains as often again as it sets a part of the problems aside.
    rounds = None if arguments.epochs is None else arguments.epochs * (1 + FOLDS * bool(given["calibrate"]))
    with epochs_shown(rounds) as watch:
        model = train(
            problems,
            system=arguments.system,
            setting=arguments.setting,
            seed=arguments.seed,
            watch=watch,
            **{name: value for name, value in given.items() if value is not None},
        )
    save_model(model, arguments.out)
    # Where the model itself goes to standard output, what is said of it does not.
    told = sys.stderr if os.fspath(arguments.out) == STANDARD else sys.stdout
    if arguments.json:
        data = {
            "model": str(arguments.out),
            "system": arguments.system,
            "problems": len(problems),
            "templates": len(model.inventory),
            "calibrated": bool(given["calibrate"]),
        }
        print(json.dumps({**data, "signature": model.signature}), file=told)
    else:
        print(f"wrote {arguments.out}: {len(model.inventory)} templates from {len(problems)} problems", file=told)
        if given["calibrate"]:
            print("its answers have a confidence; draw solve --min-confidence P holds back those below P", file=told)
        print(model.signature, file=told)
    return 0


@contextmanager
def epochs_shown(total: int | None = None) -> Iterator[Callable[[int, int], None]]:
    """Show the progress of a training on stderr, if that is a terminal; what this gives is told of every epoch."""
    from tqdm import tqdm

    with tqdm(total=total, desc="training", unit="epoch", disable=not sys.stderr.isatty(), leave=False) as bar:

        def watch(epoch: int, wrong: int) -> None:
            bar.set_postfix_str(f"{wrong} answered wrongly in epoch {epoch + 1}")
            bar.update()

        yield watch
