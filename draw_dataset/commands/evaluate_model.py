"""``draw evaluate-model``: ask a model over HTTP, keep every response, and score them."""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from draw_dataset.catalog import SAMPLE, load
from draw_dataset.commands.options import add_json, add_references, references_of, whole_number
from draw_dataset.errors import ChoiceError, shown
from draw_dataset.files import json_line
from draw_dataset.files.atomic import check_writable

if TYPE_CHECKING:
    from draw_dataset.asking.outcome import Outcome
    from draw_dataset.asking.session import Patience

HELP = "ask a model of an OpenAI-compatible server, keep every response, and score them"

INCOMPLETE = 4
"""The exit status if some requests failed for good."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.epilog = (
        "Each response is written to the file of --out before another problem is asked in its place. The same\n"
        "command goes on where it stopped: what is stored is not asked again. draw score scores the file, too.\n"
        "The key comes from the environment and is never stored.\n\n"
        "exit status: 0 done, 2 something was refused, 4 some requests failed (the same command asks them again)\n\n"
        "examples:\n"
        "  vllm serve Qwen/Qwen3-8B                              # or llama-server, or ollama serve\n"
        "  draw evaluate-model --base-url http://127.0.0.1:8000/v1 --model Qwen/Qwen3-8B \\\n"
        "      --references draw1k/test --out qwen.jsonl\n"
        "  draw evaluate-model --base-url http://127.0.0.1:11434/v1 --model llama3.2 --style plain --limit 20 \\\n"
        "      --references sample/test --out llama.jsonl\n"
        "  draw evaluate-model --base-url https://api.openai.com/v1 --model gpt-5.2 --samples 5 --temperature 1 \\\n"
        "      --rpm 60 --references draw1k/test --out gpt.jsonl\n"
        "  draw score qwen.jsonl --references draw1k/test --html report.html"
    )
    server = parser.add_argument_group("the server")
    server.add_argument("--base-url", metavar="URL", help="the address up to /v1 (default: what OPENAI_BASE_URL says)")
    server.add_argument("--model", required=True, metavar="NAME", help="what the server calls the model")
    server.add_argument(
        "--api-key-env",
        default="OPENAI_API_KEY",
        metavar="NAME",
        help="the environment variable with the key (default %(default)s)",
    )
    server.add_argument(
        "--timeout",
        type=_positive,
        default=120.0,
        metavar="S",
        help="give a request up after S seconds of silence (default %(default)g)",
    )
    server.add_argument(
        "--rpm", type=_positive, metavar="N", help="send at most N requests a minute (default: no limit)"
    )
    server.add_argument(
        "--concurrency",
        type=whole_number(1, 256),
        default=4,
        metavar="N",
        help="how many requests to send at a time (default 4)",
    )
    server.add_argument(
        "--retries",
        type=whole_number(0, 100),
        default=5,
        metavar="N",
        help="how often to try a failed request again (default 5)",
    )
    server.add_argument("--no-stream", action="store_true", help="ask for each response as a whole, not piece by piece")
    asked = parser.add_argument_group("what is asked")
    add_references(asked)
    asked.add_argument("--limit", type=whole_number(1, 10**9), metavar="N", help="ask only the first N problems")
    asked.add_argument(
        "--style",
        default="marked",
        metavar="NAME",
        help="the style of the prompts: marked, plain or json (default %(default)s)",
    )
    asked.add_argument(
        "--shots",
        type=whole_number(0, 59),
        default=0,
        metavar="N",
        help="how many worked examples to show first (default 0)",
    )
    asked.add_argument(
        "--samples",
        type=whole_number(1, 1000),
        default=1,
        metavar="K",
        help="how many responses to ask for each problem (default 1)",
    )
    asked.add_argument(
        "--temperature",
        type=_number,
        metavar="T",
        help="the temperature (default: 0 with one sample, else the server's)",
    )
    asked.add_argument(
        "--top-p", type=_number, metavar="P", help="the limit of nucleus sampling (default: the server's)"
    )
    asked.add_argument(
        "--max-tokens", type=whole_number(1, 10**7), metavar="N", help="how many tokens a response may have at most"
    )
    asked.add_argument(
        "--seed", type=whole_number(0, 2**31), metavar="N", help="the seed to send; sample k gets the seed N + k"
    )
    asked.add_argument(
        "--extra",
        type=_object,
        metavar="JSON",
        help="more fields for the request, as a JSON object; null takes one back",
    )
    output = parser.add_argument_group("what is written")
    output.add_argument(
        "--out",
        required=True,
        type=Path,
        metavar="FILE",
        help="the file of responses, one JSON object on each line; if it is there, the run goes on",
    )
    output.add_argument(
        "--missing",
        choices=["error", "abstain"],
        default="error",
        help="if requests failed: end without a score (error), or count them as no answer (abstain); default error",
    )
    add_json(output)


def _number(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value < float("inf"):
        raise argparse.ArgumentTypeError(f"expected a number from 0, but got {text[:40]!r}")
    return value


def _positive(text: str) -> float:
    value = _number(text)
    if not value:
        raise argparse.ArgumentTypeError(f"expected a number above 0, but got {text[:40]!r}")
    return value


def _object(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise argparse.ArgumentTypeError(f"expected a JSON object, but got {text[:40]!r}")
    return value


def run(arguments: argparse.Namespace) -> int:
    """Ask, store, score and print."""
    # Imported here, since the other subcommands do not need them.
    from draw_dataset.asking.endpoint import Endpoint
    from draw_dataset.asking.journal import Journal, digest_of
    from draw_dataset.asking.outcome import outcome_of
    from draw_dataset.asking.session import ask_all, work_of
    from draw_dataset.prompting import prompt_for
    from draw_dataset.scoring.reference import Reference

    base_url = arguments.base_url or os.environ.get("OPENAI_BASE_URL")
    if not base_url:
        raise ChoiceError("expected --base-url URL, or OPENAI_BASE_URL in the environment, but got neither")
    endpoint = Endpoint(base_url, os.environ.get(arguments.api_key_env) or None, arguments.timeout)
    source = references_of(arguments, SAMPLE)
    references = [Reference(p) for p in load(source, arguments.data_dir, arguments.corrected)][: arguments.limit]
    if not references:
        raise ChoiceError(f"expected at least one problem in {source.title}, but got none")
    for reference in references:
        reference.check()  # bad gold is reported before anything is asked
    prompts = {r.problem.id: prompt_for(r.problem, arguments.style, arguments.shots) for r in references}
    request = _request(arguments, next(iter(prompts.values())).label)
    check_writable(arguments.out)
    digests = {id_: digest_of(prompt.messages) for id_, prompt in prompts.items()}
    with Journal(arguments.out, request, digests) as journal:
        work = work_of(prompts, arguments.samples)
        stored = sum(key in journal.responses for key, _ in work)
        if stored or journal.dropped:
            half = "; the last line was only half written, so it is asked again" if journal.dropped else ""
            print(f"{stored} of {len(work)} responses are stored already{half}", file=sys.stderr)
        with _bar(len(work), stored) as bar:
            failed = ask_all(
                endpoint,
                journal,
                work,
                request,
                _patience(arguments),
                stream=not arguments.no_stream,
                advance=lambda: bar.update(1),
            )
        responses = dict(journal.responses)
    if failed:
        (id_, sample), error = next(iter(failed.items()))
        print(
            f"draw evaluate-model: {len(failed)} of {len(work)} requests failed. The first (problem {shown(id_)}, "
            f"sample {sample}): {error}. The same command asks them again; --missing abstain scores the others.",
            file=sys.stderr,
        )
        if arguments.missing == "error":
            return INCOMPLETE
    data = source.data_name(arguments.corrected) + (f"[:{len(references)}]" if arguments.limit else "")
    outcome = outcome_of(responses, references, arguments.samples, data=data)
    print(_as_json(arguments, outcome) if arguments.json else _as_text(arguments, outcome))
    for number, score in enumerate(outcome.scores):
        if score.unread_note:
            print(f"draw evaluate-model: sample {number}: {score.unread_note}", file=sys.stderr)
    return INCOMPLETE if failed else 0


def _request(arguments: argparse.Namespace, label: str) -> dict[str, Any]:
    temperature = arguments.temperature
    if temperature is None and arguments.samples == 1:
        temperature = 0.0
    given = {
        "model": arguments.model,
        "temperature": temperature,
        "top_p": arguments.top_p,
        "max_tokens": arguments.max_tokens,
        "seed": arguments.seed,
        "extra": arguments.extra,
        "prompt_style": label,
    }
    return {name: value for name, value in given.items() if value is not None}


def _patience(arguments: argparse.Namespace) -> Patience:
    from draw_dataset.asking.session import Patience

    return Patience(concurrency=arguments.concurrency, per_minute=arguments.rpm, retries=arguments.retries)


def _bar(total: int, stored: int) -> Any:
    from tqdm import tqdm

    return tqdm(total=total, initial=stored, unit="response", desc="asking", disable=None if stored < total else True)


def _as_json(arguments: argparse.Namespace, outcome: Outcome) -> str:
    data = {"model": arguments.model, "responses": str(arguments.out), **outcome.to_dict()}
    return json_line(data).rstrip("\n")


def _as_text(arguments: argparse.Namespace, outcome: Outcome) -> str:
    from draw_dataset.scoring.table import compare_scores

    count = len(outcome.scores)
    names = [arguments.model] if count == 1 else [f"sample {number}" for number in range(count)]
    lines = [compare_scores(dict(zip(names, outcome.scores, strict=True))).to_text()]
    if count > 1:
        lines.append("")
        for name, values in outcome.pass_at.items():
            chances = "  ".join(f"pass@{k} {100 * value:.1f}" for k, value in enumerate(values, 1))
            lines.append(f"{name:12}{chances}  majority {100 * outcome.majority[name]:.1f}")
    lines.append("")
    used = ", ".join(f"{amount:,} {kind.replace('_', ' ')}" for kind, amount in outcome.tokens.items())
    unknown = f" (the server did not count {outcome.uncounted} responses)" if outcome.uncounted else ""
    lines.append(f"tokens      {used or 'the server does not say'}{unknown}")
    lines.append(f"ended by    {', '.join(f'{why}: {many}' for why, many in outcome.finish_reasons.items())}")
    cut = outcome.finish_reasons.get("length", 0)
    if cut:
        lines.append(f"            {cut} cut off by the limit on tokens: raise --max-tokens, or the server's limit")
    if outcome.no_answer:
        missing, total = sum(outcome.no_answer.values()), sum(outcome.finish_reasons.values())
        reasons = ", ".join(f"{why}: {many}" for why, many in outcome.no_answer.items())
        lines.append(f"no answer   {missing} of {total} responses have no answer: {reasons}")
    return "\n".join(lines)
