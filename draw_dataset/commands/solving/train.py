"""``draw solve train``: a model from annotated problems."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from draw_dataset.catalog import load
from draw_dataset.commands.options import add_json, add_release, add_sources, whole_number
from draw_dataset.commands.solving.models import epochs_shown
from draw_dataset.errors import FolderError

_POSITIVE = whole_number(1, 1_000_000)

HELP = "train a solver on annotated problems and write it to a file"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.epilog = (
        "The file holds templates, words and weights, and nothing that runs. It is good for the version of the\n"
        "features that it was trained with.\n\n"
        "examples:\n"
        "  draw solve train sample --out sample.npz                    the embedded problems; needs no file\n"
        "  draw solve train draw1k/train draw1k/validation alg514 dolphin_l --out model.npz\n"
        "  draw solve train draw1k/train --setting TE --features paper --k 10 --out paper.npz\n"
        "  draw solve train alg514_cv0/train rows.jsonl --out mine.npz"
    )
    add_sources(parser, "+")
    parser.add_argument("--out", type=Path, required=True, metavar="FILE", help="where the model goes")
    parser.add_argument(
        "--setting",
        choices=["TD", "TE", "TE*"],
        default="TD",
        help="learn from derivations (TD, the default), equations (TE), or equations with reconciled templates (TE*)",
    )
    parser.add_argument(
        "--choice", choices=["first", "latent"], default="first", help="what TE takes for right (default first)"
    )
    parser.add_argument(
        "--features",
        choices=["extended", "paper"],
        default="extended",
        help="what is seen of a text (default extended)",
    )
    parser.add_argument("--k", type=_k, metavar="N", help="templates tried for a text, or all (default all)")
    parser.add_argument(
        "--epochs",
        type=_POSITIVE,
        metavar="N",
        help="rounds over the problems (default: the solver's own choice)",
    )
    parser.add_argument("--rule", metavar="NAME", help="of learning: perceptron or margin (default: the solver's own)")
    parser.add_argument(
        "--seed",
        type=whole_number(0, (1 << 32) - 1),
        default=0,
        metavar="N",
        help="of the order of problems (default 0)",
    )
    add_release(parser)
    add_json(parser)


def _k(text: str) -> int | None:
    return None if text == "all" else _POSITIVE(text)


def run(arguments: argparse.Namespace) -> int:
    """Train a model, write it, and say what it is."""
    # Here, as the other subcommands do not need it.
    from draw_dataset.solver import train

    if not arguments.out.absolute().parent.is_dir():  # before the work, not after it
        raise FolderError(f"--out: expected a file in an existing folder, but got {arguments.out}")
    problems = []
    for source in dict.fromkeys(arguments.sources):
        problems += load(source, arguments.data_dir, arguments.corrected)
    given = {"epochs": arguments.epochs, "rule": arguments.rule}
    with epochs_shown(arguments.epochs) as watch:
        model = train(
            problems,
            setting=arguments.setting,
            choice=arguments.choice,
            features=arguments.features,
            k=arguments.k,
            seed=arguments.seed,
            watch=watch,
            **{name: value for name, value in given.items() if value is not None},
        )
    model.save(arguments.out)
    if arguments.json:
        data = {"model": str(arguments.out), "problems": len(problems), "templates": len(model.inventory)}
        print(json.dumps({**data, "signature": model.signature}))
    else:
        print(f"wrote {arguments.out}: {len(model.inventory)} templates from {len(problems)} problems")
        print(model.signature)
    return 0
