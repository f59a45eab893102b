"""``draw evaluate-model`` and ``draw harness``: ask models over HTTP, and run the metric in harnesses."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from importlib.metadata import PackageNotFoundError, version
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from draw_dataset.commands.options import (
    GRAMMAR,
    JSON,
    QUIET,
    RELEASE,
    SAMPLE,
    SHOTS,
    STYLE,
    Arguments,
    argument,
    command,
    find_references,
    load_problems,
    number,
    option,
    references,
    say,
    suggest,
    whole_number,
)
from draw_dataset.errors import ChoiceError, short_repr
from draw_dataset.io.atomic import atomic_file, check_apart, check_writable
from draw_dataset.io.jsonl import bar_settings, json_line

if TYPE_CHECKING:
    from draw_dataset.asking.budget import Prices
    from draw_dataset.asking.endpoint import Endpoint
    from draw_dataset.asking.outcome import Outcome
    from draw_dataset.asking.request import Key
    from draw_dataset.asking.session import Journal
    from draw_dataset.errors import AskError
    from draw_dataset.prompting import Prompt
    from draw_dataset.scoring.gold import PreparedProblem

INCOMPLETE = 4  # exit code if some requests failed for good

# Choices of options; a test compares them with `draw_dataset.asking.request`, which is slow to import.
GUIDED = ("schema", "object", "tool", "off")
REASONING = ("field", "object", "template")

_NUMBER = number("a number from 0", lambda value: 0 <= value < float("inf"))
_POSITIVE = number("a number above 0", lambda value: 0 < value < float("inf"))


def _amount(text: str) -> Fraction:
    if _AMOUNT.fullmatch(str(text)) is None:
        raise click.BadParameter(f"expected an amount such as 0.25, but got {str(text)[:40]!r}")
    return Fraction(text)


_AMOUNT = re.compile(r"\d{1,9}(\.\d{1,9})?")


def _object(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise click.BadParameter(f"expected a JSON object, but got {text[:40]!r}")
    return value


@command(
    "Server",
    option("--base-url URL", "address up to /v1 (default: OPENAI_BASE_URL)"),
    option("--model NAME", "model name on the server", required=True),
    option("--api-key-env NAME", "environment variable with the API key", default="OPENAI_API_KEY"),
    option("--timeout S", "time out after S seconds without data", type=_POSITIVE, default=120.0),
    option("--rpm N", "rate limit in requests per minute", type=_POSITIVE),
    option("--concurrency N", "number of concurrent requests", type=whole_number(1, 256), default=4),
    option("--retries N", "retries of a failed request", type=whole_number(0, 100), default=5),
    option("--no-stream", "request each response as a whole, not streamed"),
    "Costs",
    option("--price-in P", "price of a million prompt tokens", type=_amount),
    option("--price-out P", "price of a million completion tokens, thoughts included", type=_amount),
    option("--budget B", "stop before the requests cost more; a larger budget resumes", type=_amount),
    "Prompts",
    *references(),
    option("--limit N", "ask only the first N problems", type=whole_number(1, 10**9)),
    STYLE,
    SHOTS,
    option("--system TEXT", "text before the instructions of the style, in the system message"),
    option(
        f"--guided auto|{'|'.join(GUIDED)}",
        "with --style json: how the server is made to write JSON (a JSON "
        "schema, any object, a tool call, not at all); auto = the first of schema, object and off that it accepts",
        default="auto",
    ),
    option("--samples K", "responses per problem", type=whole_number(1, 1000), default=1),
    option(
        "--n N",
        "responses per request (its field n), if there are several samples",
        type=whole_number(1, 1000),
        default=1,
    ),
    option("--reasoning-effort LEVEL", "reasoning effort, such as none, minimal, low, medium, high, xhigh, max"),
    option(
        f"--reasoning-as {'|'.join(REASONING)}",
        "field = reasoning_effort; object = reasoning: {effort}, as "
        "OpenRouter has it; template = chat_template_kwargs of vLLM, SGLang, llama.cpp",
        default=REASONING[0],
    ),
    option(
        "--temperature T",
        "temperature (default: 0 with one sample and no reasoning effort, else the server's)",
        type=_NUMBER,
    ),
    option("--top-p P", "nucleus sampling (default: the server's)", type=_NUMBER),
    option("--max-tokens N", "token limit of a response", type=whole_number(1, 10**7)),
    option(
        "--seed N",
        "seed; sample k gets N + k, a request with --n that of its first sample",
        type=whole_number(0, 2**31),
    ),
    option("--extra JSON", "more request fields; null removes a field", type=_object),
    "Batch files",
    option(
        "--batch-out FILE",
        "write the requests that have no response to a file for a Batch API, and ask nothing",
        type=Path,
    ),
    option(
        "--batch-in FILE", "store the results of a batch instead of asking; repeatable", multiple=True, reads="file"
    ),
    "Output",
    option(
        "--out FILE", "file of responses, one JSON object a line; an existing file is resumed", required=True, type=Path
    ),
    option(
        "--missing error|abstain",
        "if requests failed: end without a score, or count them as abstentions",
        default="error",
    ),
    QUIET,
    JSON,
)
def evaluate_model(arguments: Arguments) -> int:
    r"""Ask a model of an OpenAI-compatible server, save every response, and score them.

    Every response is saved to --out before the next request starts. The same command resumes an interrupted
    run and asks nothing twice. draw score scores the file, too.
    The API key comes from the environment and is never stored.

    Exit status: 0 done, 2 input refused, 4 some requests failed or the budget is used up (the same command
    asks them again)

    Examples:
      vllm serve Qwen/Qwen3-8B                              # or llama-server, or ollama serve
      draw evaluate-model --base-url http://127.0.0.1:8000/v1 --model Qwen/Qwen3-8B \
          --references draw1k/test --out qwen.jsonl
      draw evaluate-model --base-url http://127.0.0.1:11434/v1 --model llama3.2 --style plain --limit 20 \
          --references sample/test --out llama.jsonl
      draw evaluate-model --base-url https://api.openai.com/v1 --model gpt-5.2 --samples 5 --temperature 1 \
          --rpm 60 --references draw1k/test --out gpt.jsonl --price-in 1.75 --price-out 14 --budget 5
      draw evaluate-model --model gpt-5.2 --out gpt.jsonl --references draw1k/test --batch-out requests.jsonl
      draw evaluate-model --model gpt-5.2 --out gpt.jsonl --references draw1k/test --batch-in results.jsonl
      draw score qwen.jsonl --references draw1k/test --html report.html
    """
    from draw_dataset.asking.endpoint import Endpoint
    from draw_dataset.asking.request import with_system, work_of
    from draw_dataset.asking.session import Journal, digest_of
    from draw_dataset.prompting import prompt_for
    from draw_dataset.scoring.gold import PreparedProblem

    _check_asking(arguments)
    key = os.environ.get(arguments.api_key_env) or None
    endpoint = None
    if not arguments.batch_out and not arguments.batch_in:
        base_url = arguments.base_url or os.environ.get("OPENAI_BASE_URL")
        if not base_url:
            raise ChoiceError("expected --base-url URL, or OPENAI_BASE_URL in the environment, but got neither")
        endpoint = Endpoint(base_url, key, arguments.timeout, note=_first_failure(base_url, arguments.retries))
    source = find_references(arguments, SAMPLE)
    references = [PreparedProblem(p) for p in load_problems(source, arguments)][: arguments.limit]
    if not references:
        raise ChoiceError(f"expected at least one problem in {source.title}, but got none")
    for reference in references:
        reference.check()  # bad gold is reported before anything is asked
    prompts = {r.problem.id: prompt_for(r.problem, arguments.style, arguments.shots) for r in references}
    if arguments.system:
        prompts = {id_: with_system(prompt, arguments.system) for id_, prompt in prompts.items()}
    request = _request(arguments, next(iter(prompts.values())).label)
    check_writable(arguments.out)
    digests = {id_: digest_of(prompt.messages) for id_, prompt in prompts.items()}
    with Journal(arguments.out, request, digests) as journal:
        work = work_of(prompts, arguments.samples)
        stored = sum(key in journal.responses for key, _ in work)
        if stored or journal.dropped:
            half = "; the last line was only half written, so it is asked again" if journal.dropped else ""
            print(f"{stored} of {len(work)} responses are stored already{half}", file=sys.stderr)
        if arguments.batch_out:
            return _write_batch(arguments, journal, work, request)
        if endpoint is None:
            failed = _store_batch(arguments, journal, work, request, key)
        else:
            failed = _ask_server(arguments, endpoint, journal, work, request)
        responses = dict(journal.responses)
    missing = [key for key, _ in work if key not in responses]
    if missing:
        print(f"draw evaluate-model: {_why_missing(arguments, missing, failed, len(work))}", file=sys.stderr)
        if arguments.missing == "error":
            return INCOMPLETE
    data = source.data_name(arguments.corrected) + (f"[:{len(references)}]" if arguments.limit else "")
    return _report(arguments, responses, references, data) or (INCOMPLETE if missing else 0)


def _check_asking(arguments: Arguments) -> None:
    """Refuse options that do not go together, before any work."""
    from draw_dataset.scoring.prompted import find_style

    if (arguments.price_in is None) != (arguments.price_out is None):
        raise ChoiceError("expected --price-in and --price-out, but got only one of them")
    if arguments.budget is not None and arguments.price_in is None:
        raise ChoiceError("--budget: expected --price-in and --price-out with it")
    if arguments.guided != "auto" and find_style(arguments.style).name != "json":
        raise ChoiceError(f"--guided: expected --style json with it, but got {arguments.style}")
    if arguments.n > arguments.samples:
        raise ChoiceError(f"--n: expected at most --samples {arguments.samples}, but got {arguments.n}")
    if arguments.batch_out and arguments.batch_in:
        raise ChoiceError("expected --batch-out or --batch-in, but got both")
    if "n" in (arguments.extra or {}):
        raise ChoiceError("--extra: expected no field n; --n N asks for several responses")
    if arguments.batch_out:
        check_apart([arguments.batch_out], [os.fspath(arguments.out)])
        check_writable(arguments.batch_out)


def _prices(arguments: Arguments) -> Prices | None:
    from draw_dataset.asking.budget import Prices

    return None if arguments.price_in is None else Prices(arguments.price_in, arguments.price_out)


def _ask_server(
    arguments: Arguments,
    endpoint: Endpoint,
    journal: Journal,
    work: Sequence[tuple[Key, Prompt]],
    request: dict[str, Any],
) -> dict[Key, AskError]:
    from tqdm import tqdm

    from draw_dataset.asking.budget import Budget, costs_of
    from draw_dataset.asking.outcome import usages_of
    from draw_dataset.asking.request import AUTO, Guidance
    from draw_dataset.asking.session import Patience, Run, ask_all

    prices = _prices(arguments)
    budget = None
    if prices is not None and arguments.budget is not None:
        budget = Budget(prices, arguments.budget, costs_of(prices, usages_of(journal.responses.values())))
    # A run that has begun goes on in the same way.
    begun = {line.get("guided", GUIDED[0]) for line in journal.responses.values()}
    ways = [arguments.guided] if arguments.guided != "auto" else sorted(begun) if len(begun) == 1 else AUTO
    run = Run(
        Patience(concurrency=arguments.concurrency, per_minute=arguments.rpm, retries=arguments.retries),
        stream=not arguments.no_stream,
        per_request=arguments.n,
        guidance=Guidance(ways, _say_guidance),
        budget=budget,
    )
    stored = sum(key in journal.responses for key, _ in work)
    quiet = arguments.quiet or stored == len(work)
    settings = {"total": len(work), "initial": stored, "unit": "response", "desc": "asking", "disable": quiet}
    failures = 0
    with tqdm(**settings, **bar_settings()) as bar:

        def advance(stored: int, failed: int) -> None:
            nonlocal failures
            failures += failed
            if failures:
                bar.set_postfix_str(f"{failures} failed", refresh=False)
            bar.update(stored)

        return ask_all(endpoint, journal, work, request, run, advance)


def _say_guidance(way: str, error: AskError) -> None:
    how = {"object": "any JSON object is requested instead", "off": "decoding is not guided"}[way]
    print(f"draw evaluate-model: the server refuses the JSON schema ({error}); {how}", file=sys.stderr)


def _write_batch(
    arguments: Arguments, journal: Journal, work: Sequence[tuple[Key, Prompt]], request: dict[str, Any]
) -> int:
    from draw_dataset.asking.batch import MOST_REQUESTS, requests_of
    from draw_dataset.asking.request import group_work

    left = [(key, prompt) for key, prompt in work if key not in journal.responses]
    count = 0
    with atomic_file(arguments.batch_out) as file:
        for one in requests_of(group_work(left, arguments.n), request, _batch_guided(arguments)):
            file.write(json_line(one.to_dict()))
            count += 1
    if count > MOST_REQUESTS:
        say(f"{count:,} requests are more than the {MOST_REQUESTS:,} that OpenAI takes in one file: split it by lines")
    if arguments.json:
        print(json_line({"batch": str(arguments.batch_out), "requests": count, "model": arguments.model}), end="")
    else:
        print(f"{arguments.batch_out}: {count:,} requests")
    return 0


def _batch_guided(arguments: Arguments) -> str:
    return GUIDED[0] if arguments.guided == "auto" else str(arguments.guided)


def _store_batch(
    arguments: Arguments,
    journal: Journal,
    work: Sequence[tuple[Key, Prompt]],
    request: dict[str, Any],
    key: str | None,
) -> dict[Key, AskError]:
    """Store the results of batches; return what failed. A result that is stored already is left out."""
    from draw_dataset.asking.batch import read_results, requests_of
    from draw_dataset.asking.request import group_work
    from draw_dataset.asking.session import entries_of
    from draw_dataset.errors import AskError

    guided = _batch_guided(arguments)
    requests = {one.custom_id: one for one in requests_of(group_work(work, arguments.n), request, guided)}
    if arguments.n > 1:
        # After a first batch, requests are only for what it lacked.
        left = [(key_, prompt) for key_, prompt in work if key_ not in journal.responses]
        requests |= {one.custom_id: one for one in requests_of(group_work(left, arguments.n), request, guided)}
    failed: dict[Key, AskError] = {}
    for path in arguments.batch_in:
        for result in read_results(path, [*requests.values()], key):
            keys = [each for each in result.request.keys if each not in journal.responses]
            if result.error:
                failed |= dict.fromkeys(keys, AskError(result.error, transient=False))
            elif keys == [*result.request.keys]:
                journal.store(entries_of(keys, result.responses, result.request.prompt, guided, {"batch": True}))
    return {each: error for each, error in failed.items() if each not in journal.responses}


def _why_missing(arguments: Arguments, missing: Sequence[Key], failed: Mapping[Key, AskError], total: int) -> str:
    """Return why responses are missing, and how to get them."""
    told = []
    if failed:
        (id_, sample), error = next(iter(failed.items()))
        told.append(
            f"{len(failed)} of {total} requests failed. "
            f"The first (problem {short_repr(id_)}, sample {sample}): {error}."
        )
    rest = len(missing) - len(failed)
    if arguments.batch_in:
        told += [f"{rest} of {total} have no result."] if rest else []
        told.append("--batch-out writes them again; --missing abstain scores the others.")
    elif rest:
        told.append(
            f"{rest} of {total} were not asked, because the budget of {_money(arguments.budget)} is used up. "
            "The same command with a larger --budget resumes; --missing abstain scores the others."
        )
    else:
        told.append("The same command asks them again; --missing abstain scores the others.")
    return " ".join(told)


def _report(
    arguments: Arguments, responses: Mapping[Key, Mapping[str, Any]], references: Sequence[PreparedProblem], data: str
) -> int:
    """Print the figures of a run."""
    from draw_dataset.asking.outcome import outcome_of

    outcome = outcome_of(responses, references, arguments.samples, data=data, prices=_prices(arguments))
    if arguments.json:
        print(json_line({"model": arguments.model, "responses": str(arguments.out), **outcome.to_dict()}), end="")
    else:
        print(_outcome_text(arguments.model, outcome))
    for sample, score in enumerate(outcome.scores):
        if score.unread_note:
            say(f"sample {sample}: {score.unread_note}")
    return 0


def _money(amount: Fraction) -> str:
    return f"{float(amount):,.4g}" if amount < 1 else f"{float(amount):,.2f}"


def _first_failure(base_url: str, retries: int) -> Callable[[str], None]:
    """Return a function that prints the first failure of a connection at once, and no other."""
    calls = count()

    def tell(failure: str) -> None:
        if next(calls) == 0 and retries:
            # Other threads have no current command.
            again = f"asking again, up to {retries} times. Is a server running at {base_url}?"
            print(f"draw evaluate-model: {failure}; {again}", file=sys.stderr)

    return tell


def _request(arguments: Arguments, label: str) -> dict[str, Any]:
    temperature = arguments.temperature
    if temperature is None and arguments.samples == 1 and arguments.reasoning_effort in (None, "none"):
        temperature = 0.0  # models that reason refuse a temperature
    effort = arguments.reasoning_effort
    given = {
        "model": arguments.model,
        "temperature": temperature,
        "top_p": arguments.top_p,
        "max_tokens": arguments.max_tokens,
        "seed": arguments.seed,
        "system": arguments.system,
        "reasoning_effort": effort,
        "reasoning_as": arguments.reasoning_as if effort and arguments.reasoning_as != REASONING[0] else None,
        "guided": arguments.guided if arguments.guided != "auto" else None,
        "extra": arguments.extra,
        "prompt_style": label,
    }
    return {name: value for name, value in given.items() if value is not None}


def _outcome_text(model: str, outcome: Outcome) -> str:
    from draw_dataset.scoring.table import compare_scores

    count = len(outcome.scores)
    names = [model] if count == 1 else [f"sample {number}" for number in range(count)]
    lines = [compare_scores(dict(zip(names, outcome.scores, strict=True))).to_text()]
    if count > 1:
        lines.append("")
        for name, values in outcome.pass_at.items():
            chances = "  ".join(f"pass@{k} {100 * value:.1f}" for k, value in enumerate(values, 1))
            lines.append(f"{name:12}{chances}  majority {100 * outcome.majority[name]:.1f}")
    lines.append("")
    used = ", ".join(f"{amount:,} {kind.replace('_', ' ')}" for kind, amount in outcome.tokens.items())
    unknown = f" (the server did not count {outcome.uncounted} responses)" if outcome.uncounted else ""
    lines.append(f"tokens      {used or 'not reported by the server'}{unknown}")
    if outcome.cost is not None:
        least = "at least " if outcome.uncounted else ""
        lines.append(f"cost        {least}{_money(outcome.cost)}")
    lines.append(f"ended by    {', '.join(f'{why}: {many}' for why, many in outcome.finish_reasons.items())}")
    if cut := outcome.finish_reasons.get("length", 0):
        lines.append(f"            {cut} cut off by the token limit: raise --max-tokens, or the server's limit")
    if outcome.guided:
        lines.append(f"guided by   {', '.join(f'{way}: {many}' for way, many in outcome.guided.items())}")
    if outcome.from_tools:
        lines.append(f"tool calls  {outcome.from_tools} answers are the arguments of a tool call")
    if outcome.no_answer:
        missing, total = sum(outcome.no_answer.values()), sum(outcome.finish_reasons.values())
        reasons = ", ".join(f"{why}: {many}" for why, many in outcome.no_answer.items())
        lines.append(f"no answer   {missing} of {total} responses have no answer: {reasons}")
    return "\n".join(lines)


PACKAGES = {
    "inspect": "inspect-ai", "lm-eval": "lm-eval", "trl": "trl", "verl": "verl", "verifiers": "verifiers",
    "lighteval": "lighteval",
}  # fmt: skip


@command(
    argument("harness", "[HARNESS]", f"one of {', '.join(PACKAGES)}"),
    argument("source", "[SOURCE]", f"for trl and verl, the rows: {GRAMMAR}"),
    option("--out FILE", "for trl and verl: Parquet file to write"),
    STYLE,
    SHOTS,
    *RELEASE,
    option("--path", "for lm-eval: print only the task folder"),
    JSON,
)
def harness(arguments: Arguments) -> int:
    """Show how to run the metric in an evaluation harness, and write training sets for trainers.

    Examples:
      draw harness                                    list the harnesses, and which are installed here
      draw harness lm-eval                            show its tasks, and a command line that works
      draw harness lm-eval --path                     print only the folder, for --include_path
      draw harness trl draw1k/train --out train.parquet
      draw harness verl variants.jsonl --out train.parquet --style marked --shots 2

    docs/harnesses.md has a section on each harness.
    """
    name = arguments.harness
    if name is None:
        return _list_harnesses(arguments.json)
    if name not in PACKAGES:
        near = suggest(name, list(PACKAGES)).rstrip(".")
        raise ChoiceError(f"Unknown harness {name!r}" + (near or f": expected one of {', '.join(PACKAGES)}"))
    if arguments.path and name != "lm-eval":
        raise ChoiceError(f"--path is for lm-eval: {name} finds the package by itself")
    if arguments.source is not None or arguments.out is not None:
        return _write_training_set(name, arguments)
    advice = _lm_eval_advice() if name == "lm-eval" else _ADVICE[name]
    if arguments.path:
        print(advice["include_path"])
        return 0
    found = _find_version(name)
    if arguments.json:
        print(json_line({"harness": name, "installed": found, **advice}), end="")
        return 0
    print(
        f"{PACKAGES[name]}: " + (f"{found} is installed" if found else f"not installed: pip install {PACKAGES[name]}")
    )
    for key, value in advice.items():
        lines = value if isinstance(value, list) else [value]
        print(f"{key.replace('_', ' ')}:\n" + "\n".join(f"  {line}" for line in lines))
    return 0


def _find_version(name: str) -> str | None:
    try:
        return version(PACKAGES[name])
    except PackageNotFoundError:
        return None


def _list_harnesses(as_json: bool) -> int:
    found = {name: _find_version(name) for name in PACKAGES}
    if as_json:
        print(json_line({"harnesses": found}), end="")
        return 0
    for name, there in found.items():
        print(f"{name:12}{there or 'not installed'}")
    print("draw harness NAME shows how to run one")
    return 0


def _write_training_set(name: str, arguments: Arguments) -> int:
    if name not in ("trl", "verl"):
        raise ChoiceError(f"expected trl or verl, which take training sets, but got {name}")
    if arguments.source is None or arguments.out is None:
        raise ChoiceError(
            f"expected SOURCE and --out FILE, as in: draw harness {name} draw1k/train --out train.parquet"
        )
    from draw_dataset.adapters.trl import to_trl
    from draw_dataset.adapters.verl import to_verl

    make = to_trl if name == "trl" else to_verl
    prompt = {"style": arguments.style, "shots": arguments.shots}
    release = {"data_dir": arguments.data_dir, "corrected": arguments.corrected}
    records = make(arguments.source, arguments.out, **prompt, **release)
    if arguments.json:
        print(json_line({"out": arguments.out, "rows": len(records), "style": arguments.style}), end="")
    else:
        print(f"{arguments.out}: {len(records):,} rows for {name}, style {arguments.style}")
    if arguments.source.endswith("/test"):
        print("draw harness: this is a test split: do not train on it", file=sys.stderr)
    return 0


def _lm_eval_advice() -> dict[str, Any]:
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
            "draw score out/*/samples_draw1k_marked_base_*.jsonl",
        ],
    }


_ADVICE: dict[str, dict[str, Any]] = {
    "inspect": {
        "tasks": [f"draw_dataset/{name}" for name in ("draw1k", "alg514", "dolphin_l", "draw_sample", "draw_rows")],
        "command": [
            "inspect eval draw_dataset/draw_sample --model openai/gpt-5.2",
            "inspect eval draw_dataset/draw1k --model MODEL -T style=plain -T split=test -T shots=2",
            "inspect eval draw_dataset/draw_rows --model MODEL -T data=variants.jsonl",
            "inspect score LOG --scorer draw_dataset/derivation_scorer --action append --overwrite",
            "draw score LOG",
        ],
    },
    "trl": {
        "training_set": "draw harness trl draw1k/train --out train.parquet",
        "python": [
            "from draw_dataset.adapters.trl import derivation_reward, solution_reward, readable_reward",
            'dataset = datasets.Dataset.from_parquet("train.parquet")',
            "trainer = GRPOTrainer(model=…, train_dataset=dataset,",
            "    reward_funcs=[derivation_reward, solution_reward, readable_reward],",
            "    args=GRPOConfig(reward_weights=[1.0, 0.0, 0.0], …))",
        ],
    },
    "verl": {
        "training_set": "draw harness verl draw1k/train --out train.parquet",
        "command": [
            "python -m verl.trainer.main_ppo data.train_files=train.parquet data.val_files=val.parquet \\",
            "  reward.custom_reward_function.path=pkg://draw_dataset.adapters.verl \\",
            "  reward.custom_reward_function.name=compute_score …",
        ],
    },
    "verifiers": {
        "command": [
            "vf-eval draw_derivations --env.taskset.data draw1k/test --env.taskset.style marked --no-push \\",
            "  --env.agent.harness.id null --env.agent.runtime.type subprocess \\",
            "  --client.base-url http://127.0.0.1:8000/v1 --client.api-key-var OPENAI_API_KEY -m MODEL",
        ],
        "note": "without --no-push, vf-eval needs an account and uploads the results",
    },
    "lighteval": {
        "command": [
            "pip install 'lighteval==0.13.0' 'huggingface_hub<1' 'xxhash<4'",
            "lighteval accelerate model_name=MODEL 'draw_sample_marked|0' \\",
            "  --custom-tasks draw_dataset.adapters.lighteval",
        ],
        "note": "lighteval 0.13.0 does not run with huggingface_hub 2 (docs/harnesses.md)",
    },
}
