"""``draw harness``: show how to run the metric in a harness, and write training sets for trainers."""

from __future__ import annotations

import argparse
import sys
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

from draw_dataset.commands.options import GRAMMAR, add_release, whole_number
from draw_dataset.errors import ChoiceError
from draw_dataset.files import json_line

if TYPE_CHECKING:
    from collections.abc import Callable

HELP = "show how to run the metric in inspect-ai, lm-eval, TRL, verl or verifiers, and write training sets for trainers"

PACKAGES = {
    "inspect": "inspect-ai", "lm-eval": "lm-eval", "trl": "trl", "verl": "verl", "verifiers": "verifiers",
    "lighteval": "lighteval",
}  # fmt: skip
"""The harnesses, each with the package that brings it."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.epilog = (
        "examples:\n"
        "  draw harness                                    list the harnesses, and which are installed here\n"
        "  draw harness lm-eval                            show its tasks, and a command line that works\n"
        "  draw harness lm-eval --path                     print only the folder, for --include_path\n"
        "  draw harness trl draw1k/train --out train.parquet\n"
        "  draw harness verl variants.jsonl --out train.parquet --style marked --shots 2\n\n"
        "docs/harnesses.md has a section on each harness."
    )
    parser.add_argument("harness", nargs="?", metavar="HARNESS", help=f"the harness: one of {', '.join(PACKAGES)}")
    parser.add_argument("source", nargs="?", metavar="SOURCE", help=f"for trl and verl, the rows: {GRAMMAR}")
    parser.add_argument("--out", metavar="FILE", help="for trl and verl: the Parquet file to write")
    parser.add_argument(
        "--style",
        default="marked",
        metavar="NAME",
        help="the style of the prompts: marked, plain or json (default %(default)s)",
    )
    parser.add_argument(
        "--shots",
        type=whole_number(0, 59),
        default=0,
        metavar="N",
        help="how many worked examples to show first (default 0)",
    )
    add_release(parser)
    parser.add_argument("--path", action="store_true", help="for lm-eval: print only the folder of its tasks")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(arguments: argparse.Namespace) -> int:
    """Print how to run a harness, or write a training set."""
    name = arguments.harness
    if name is None:
        return _list(arguments.json)
    if name not in PACKAGES:
        raise ChoiceError(f"Unknown harness {name!r}: there are {', '.join(PACKAGES)}")
    if arguments.path and name != "lm-eval":
        raise ChoiceError(f"--path is for lm-eval: {name} finds the package by itself")
    if arguments.source is not None or arguments.out is not None:
        return _write(name, arguments)
    if name == "lm-eval" and arguments.path:
        from draw_dataset.adapters.lm_eval import task_folder

        print(task_folder())
        return 0
    told = {"harness": name, "installed": _installed(name), **_ADVICE[name]()}
    if arguments.json:
        print(json_line(told), end="")
        return 0
    found = told["installed"]
    print(
        f"{PACKAGES[name]}: {f'{found} is installed' if found else f'not installed here: pip install {PACKAGES[name]}'}"
    )
    for key, value in told.items():
        if key not in ("harness", "installed"):
            lines = value if isinstance(value, list) else [value]
            print(f"{key.replace('_', ' ')}:\n" + "\n".join(f"  {line}" for line in lines))
    return 0


def _installed(name: str) -> str | None:
    try:
        return version(PACKAGES[name])
    except PackageNotFoundError:
        return None


def _list(as_json: bool) -> int:
    found = {name: _installed(name) for name in PACKAGES}
    if as_json:
        print(json_line({"harnesses": found}), end="")
        return 0
    for name, there in found.items():
        print(f"{name:12}{there or 'not installed'}")
    print("draw harness NAME shows how to run one")
    return 0


def _write(name: str, arguments: argparse.Namespace) -> int:
    if name not in ("trl", "verl"):
        raise ChoiceError(f"expected trl or verl, which take training sets, but got {name}")
    if arguments.source is None or arguments.out is None:
        raise ChoiceError(
            f"expected SOURCE and --out FILE, as in: draw harness {name} draw1k/train --out train.parquet"
        )
    from draw_dataset.adapters.trl import to_trl
    from draw_dataset.adapters.verl import to_verl

    make = to_trl if name == "trl" else to_verl
    records = make(
        arguments.source,
        arguments.out,
        style=arguments.style,
        shots=arguments.shots,
        data_dir=arguments.data_dir,
        corrected=arguments.corrected,
    )
    if arguments.json:
        print(json_line({"out": arguments.out, "rows": len(records), "style": arguments.style}), end="")
    else:
        print(f"{arguments.out}: {len(records):,} rows for {name}, style {arguments.style}")
    if arguments.source.endswith("/test"):
        print("draw harness: this is a test split: do not train on it", file=sys.stderr)
    return 0


def _inspect() -> dict[str, Any]:
    return {
        "tasks": ["draw_dataset/draw1k", "draw_dataset/alg514", "draw_dataset/dolphin_l", "draw_dataset/draw_sample",
                  "draw_dataset/draw_rows"],
        "command": [
            "inspect eval draw_dataset/draw_sample --model openai/gpt-5.2",
            "inspect eval draw_dataset/draw1k --model MODEL -T style=plain -T split=test -T shots=2",
            "inspect eval draw_dataset/draw_rows --model MODEL -T data=variants.jsonl",
            "inspect score LOG --scorer draw_dataset/derivation_scorer --action append --overwrite",
        ],
    }  # fmt: skip


def _lm_eval() -> dict[str, Any]:
    from draw_dataset.adapters.lm_eval import task_folder

    folder = task_folder()
    return {
        "include_path": str(folder),
        "tasks": sorted(path.stem for path in folder.glob("*.yaml")),
        "command": [
            f"lm_eval run --model local-chat-completions --apply_chat_template --include_path {folder} \\",
            "  --model_args model=MODEL,base_url=http://127.0.0.1:8000/v1/chat/completions \\",
            "  --tasks draw_sample_marked_chat --log_samples --output_path out",
            f"lm_eval run --model hf --model_args pretrained=MODEL --include_path {folder} \\",
            "  --tasks draw1k_marked_base --log_samples --output_path out",
        ],
    }


def _trl() -> dict[str, Any]:
    return {
        "training_set": "draw harness trl draw1k/train --out train.parquet",
        "python": [
            "from draw_dataset.adapters.trl import derivation_reward, solution_reward, readable_reward",
            'dataset = datasets.Dataset.from_parquet("train.parquet")',
            "trainer = GRPOTrainer(model=…, train_dataset=dataset,",
            "    reward_funcs=[derivation_reward, solution_reward, readable_reward],",
            "    args=GRPOConfig(reward_weights=[1.0, 0.0, 0.0], …))",
        ],
    }


def _verl() -> dict[str, Any]:
    return {
        "training_set": "draw harness verl draw1k/train --out train.parquet",
        "command": [
            "python -m verl.trainer.main_ppo data.train_files=train.parquet data.val_files=val.parquet \\",
            "  reward.custom_reward_function.path=pkg://draw_dataset.adapters.verl \\",
            "  reward.custom_reward_function.name=compute_score …",
        ],
    }


def _verifiers() -> dict[str, Any]:
    return {
        "command": [
            "vf-eval draw_derivations --env.taskset.data draw1k/test --env.taskset.style marked --no-push \\",
            "  --env.agent.harness.id null --env.agent.runtime.type subprocess \\",
            "  --client.base-url http://127.0.0.1:8000/v1 --client.api-key-var OPENAI_API_KEY -m MODEL",
        ],
        "note": "without --no-push, vf-eval needs an account and uploads the results",
    }


def _lighteval() -> dict[str, Any]:
    return {
        "command": [
            "pip install 'lighteval==0.13.0' 'huggingface_hub<1' 'xxhash<4'",
            "lighteval accelerate model_name=MODEL 'draw_sample_marked|0' \\",
            "  --custom-tasks draw_dataset.adapters.lighteval",
        ],
        "note": "lighteval 0.13.0 does not run with huggingface_hub 2 (docs/harnesses.md)",
    }


_ADVICE: dict[str, Callable[[], dict[str, Any]]] = {
    "inspect": _inspect, "lm-eval": _lm_eval, "trl": _trl, "verl": _verl, "verifiers": _verifiers,
    "lighteval": _lighteval,
}  # fmt: skip
