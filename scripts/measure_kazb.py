"""Measures the system ``kazb``: its accuracies, what each family of features gives, its time and its memory.

The figures of docs/systems.md come from it. Alg-514 and Dolphin-L are cross-validated with the folds of the release and
pooled; Draw-1k is trained on train and asked about test (or validation, on which choices are made).

    python scripts/measure_kazb.py draw1k --validation
    python scripts/measure_kazb.py alg514 --store kazb.jsonl
    python scripts/measure_kazb.py alg514 --without pair --store kazb.jsonl
    python scripts/measure_kazb.py alg514 --nouns parsed --supervision answer --fold 0

Each training is one line of the store; a rerun computes only what is missing there, so a run may be interrupted.
"""

from __future__ import annotations

from reproduction.threads import one_thread

one_thread()  # before numpy is imported

import argparse  # noqa: E402
import hashlib  # noqa: E402
import json  # noqa: E402
import resource  # noqa: E402
import sys  # noqa: E402
import time  # noqa: E402
from collections.abc import Callable, Iterator  # noqa: E402
from contextlib import contextmanager  # noqa: E402
from pathlib import Path  # noqa: E402
from typing import Any  # noqa: E402

from tqdm import tqdm  # noqa: E402

from draw_dataset.catalog import load_dataset_splits  # noqa: E402
from draw_dataset.core.problem import Problem  # noqa: E402
from draw_dataset.files import read_json_lines, write_json_lines  # noqa: E402
from draw_dataset.solver import evaluate  # noqa: E402
from draw_dataset.solver.kazb import KazbModel, train_kazb  # noqa: E402
from draw_dataset.solver.kazb.options import FAMILIES, KazbOptions  # noqa: E402
from draw_dataset.solver.supervision import located, right_derivations  # noqa: E402
from draw_dataset.solver.tagged_text import TaggedText  # noqa: E402
from draw_dataset.text.rules import rule_of  # noqa: E402

PAPER = KazbOptions()
FIGURES = ("solution", "derivation", "equation")
KAZB = Path(__file__).resolve().parents[1] / "draw_dataset" / "solver" / "kazb"


def parser() -> argparse.ArgumentParser:
    """Return what the command line may say."""
    found = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    found.add_argument("data", choices=["draw1k", "alg514", "dolphin_l"])
    found.add_argument("--validation", action="store_true", help="of draw1k: ask about validation instead of test")
    found.add_argument("--fold", type=int, choices=range(5), help="only this fold")
    found.add_argument("--setting", choices=["TD", "TE", "TE*"], default="TE")
    found.add_argument("--nouns", choices=["near", "parsed"], default="near")
    found.add_argument("--supervision", choices=["equations", "answer"], default="equations")
    found.add_argument("--without", action="append", default=[], choices=list(FAMILIES), help="a family to leave out")
    found.add_argument("--iterations", type=int, default=PAPER.iterations)
    found.add_argument("--penalty", type=float, default=PAPER.penalty)
    found.add_argument("--width", type=int, default=PAPER.width)
    found.add_argument("--share", type=int, default=PAPER.share)
    found.add_argument("--store", type=Path, metavar="FILE", help="where trainings are kept")
    found.add_argument("--data-dir", metavar="DIR", help="the folder of the release's files")
    return found


def code_hash() -> str:
    """Return a hash of the system's code: figures of other code count as missing."""
    digest = hashlib.sha256()
    for path in sorted(KAZB.glob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:8]


def parts(arguments: argparse.Namespace) -> Iterator[tuple[str, list[Problem], list[Problem]]]:
    """Yield the name, the training problems and the test problems of each training."""
    splits = load_dataset_splits(arguments.data, arguments.data_dir)
    if arguments.data == "draw1k":
        asked = "validation" if arguments.validation else "test"
        yield asked, splits["train"], splits[asked]
        return
    for at, fold in enumerate(name for name in splits if name.startswith("fold")):
        if arguments.fold in (None, at):
            yield fold, [p for name, held in splits.items() if name != fold for p in held], splits[fold]


@contextmanager
def steps_shown(name: str) -> Iterator[Callable[[int, int], None]]:
    """Show the steps of a training on stderr."""
    with tqdm(desc=name, unit="step", disable=not sys.stderr.isatty(), leave=False) as bar:

        def tell(_: int, wrong: int) -> None:
            bar.set_postfix_str(f"{wrong} wrong")
            bar.update()

        yield tell


def measure(arguments: argparse.Namespace, name: str, learnt: list[Problem], asked: list[Problem]) -> dict[str, Any]:
    """Train once and return the figures."""
    options = KazbOptions(
        arguments.penalty, arguments.iterations, arguments.width, arguments.share, frozenset(arguments.without)
    )
    steps = 0
    started = time.process_time()
    with steps_shown(f"{arguments.data} {name}") as tell:

        def count(step: int, wrong: int) -> None:
            nonlocal steps
            steps = step + 1
            tell(step, wrong)

        model = train_kazb(
            learnt,
            setting=arguments.setting,
            nouns=arguments.nouns,
            supervision=arguments.supervision,
            options=options,
            progress=count,
        )
    trained = time.process_time()
    score = evaluate(model, asked)
    return {
        "part": name,
        "n": len(asked),
        **{figure: getattr(score, f"{figure}_accuracy") for figure in FIGURES},
        "reachable": round(reachable(model, asked), 4),
        "templates": len(model.inventory),
        "weights": sum(table.size for table in model.weights.values()),
        "steps": steps,
        "training seconds": round(trained - started, 1),
        "milliseconds a text": round(1000 * (time.process_time() - trained) / len(asked), 1),
        "peak megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
        "signature": model.signature,
    }


def reachable(model: KazbModel, asked: list[Problem]) -> float:
    """Return the share of problems whose gold equations follow from a known template and numbers of the text."""
    found = [
        located(TaggedText.of(p.question, rule_of(p)), right_derivations(p, "TE", "latent"), model.inventory)
        for p in asked
    ]
    return sum(1 for one in found if one) / len(asked)


def main() -> int:
    """Print the figures of each training, and pooled."""
    arguments = parser().parse_args()
    ignored = ("store", "data_dir", "fold")
    job = {"code": code_hash(), **{key: value for key, value in vars(arguments).items() if key not in ignored}}
    held: list[dict[str, Any]] = []
    if arguments.store is not None and arguments.store.exists():
        held = [line.value for line in read_json_lines(arguments.store)]
    found = []
    for name, learnt, asked in parts(arguments):
        known = [record for record in held if record["job"] == job and record["part"] == name]
        record = known[0] if known else {"job": job, **measure(arguments, name, learnt, asked)}
        if arguments.store is not None and not known:
            held.append(record)
            write_json_lines(arguments.store, held)
        print(json.dumps({key: value for key, value in record.items() if key != "job"}), flush=True)
        found.append(record)
    total = sum(record["n"] for record in found)
    pooled = {figure: round(100 * sum(r[figure] * r["n"] for r in found) / total, 1) for figure in FIGURES}
    print(json.dumps({"data": arguments.data, "n": total, **pooled}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
