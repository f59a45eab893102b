"""``--json`` of every command: on standard output one JSON value, or one a line, and nothing else."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import click
import pytest
from annotation.page_server import Server
from cleaning.stand_in import fill_ledger, pages_of, site_of
from harnesses.stand_in import Models, StandIn
from pipelines.archives import HOST, write_archives
from solver.story_problems import stories
from test_register import Environment

from draw_dataset.adapters.common import rows_of
from draw_dataset.cli import COMMANDS, draw, main
from draw_dataset.commands import options

pytestmark = pytest.mark.slow

WITHOUT = {"app", "completion"}
"""Commands without ``--json``: what they print is a script."""

ONE, LINES, TABLE = options.JSON.help, options.JSON_LINES.help, options.JSON_FORMAT.help


def commands_of(command: click.Command, ctx: click.Context, path: str = "") -> Iterator[tuple[str, click.Command]]:
    if not isinstance(command, click.Group):
        yield path, command
        return
    for name in COMMANDS if command is draw else command.commands:
        found = command.get_command(ctx, name)
        assert found is not None
        yield from commands_of(found, ctx, f"{path} {name}".strip())


ALL = dict(commands_of(draw, click.Context(draw)))
PAGES = pages_of(site_of(400, 3))[:40]
ROWS = rows_of("sample/test")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with the input of every command, as the working directory."""
    folder = tmp_path_factory.mktemp("json")
    before = Path.cwd()
    os.chdir(folder)

    def write(name: str, entries: list[object]) -> None:
        Path(name).write_text("".join(json.dumps(entry) + "\n" for entry in entries), encoding="utf-8")

    answers = [{"id": row["id"], "answer": f"m = {index}"} for index, row in enumerate(ROWS)]
    write("rows.jsonl", [problem.to_row() for problem in stories()])
    write("answers.jsonl", list(answers))
    write("questions.jsonl", [{"id": row["id"], "question": row["question"]} for row in ROWS[:3]])
    write("gsm.jsonl", [{"question": "Ann has 3 pens and buys 4 .", "answer": "3+4=<<3+4=7>>7\n#### 7"}])
    steps = {"problem": ROWS[0]["question"], "steps": ["The answer is 7 ."], "label": 0}
    write("bench.jsonl", [steps])
    fill_ledger(Path("crawl.sqlite"), PAGES)
    write_archives(Path("archives"), PAGES[:6], 1)
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("DRAW_RELEASE_DIR", raising=False)
        yield folder
    os.chdir(before)


PREPARED: dict[str, list[list[str]]] = {
    "annotate": [["annotate", "import", "sample", "--store", "work.db"]],
    "sample": [["clean", "crawl.sqlite", "--out", "pool", "--quiet"]],
    "pipeline status": [["pipeline", "grade", "--predictions", "answers.jsonl", "--references", "sample/test", "--out",
                         "graded-before", "--quiet", "--workers", "1"]],
    "solve": [["solve", "train", "rows.jsonl", "--epochs", "1", "--out", "model.npz"]],
    "variants score": [["variants", "make", "sample/test", "--count", "1", "--out", "variants.jsonl"]],
}  # fmt: skip
"""Commands that run before those whose names begin so."""

STORE = ["--store", "work.db"]
MODEL = ["--model", "model.npz"]
PREDICTIONS = ["--predictions", "answers.jsonl", "--references", "sample/test"]
EXAMPLES: dict[str, list[list[str]]] = {
    "annotate import": [["sample", "--store", "new.db"]],
    "annotate status": [STORE],
    "annotate propose": [["sample"], ["x = 3 + 4", "--question", "Add 3 and 4 ."]],
    "annotate agreement": [STORE],
    "annotate adjudicate": [STORE],
    "annotate export": [[*STORE, "--out", "exported.jsonl", "--least", "1"], [*STORE, "--out", "-", "--least", "1"]],
    "annotate reconcile": [["sample"]],
    "annotate evaluate": [["sample"]],
    "benchmark": [["processbench", "bench.jsonl", "--references", "sample/test"]],
    "build": [["--out", "hub", "--only", "sample"], ["--out", "pushed", "--only", "sample", "--push-to-hub", "me/x"]],
    "check": [["sample"], ["sample", "--suspicions"], ["sample", "--answers", "answers.jsonl"]],
    "clean": [["crawl.sqlite", "--out", "cleaned", "--quiet"]],
    "crawl": [["--ledger", "crawl.sqlite", "--status"]],
    "demo": [["--html", "demo.html"]],
    "derive": [["gsm.jsonl", "--preset", "gsm8k", "--out", "derived.jsonl"], ["gsm.jsonl", "--preset", "gsm8k"]],
    "equiv": [["m = a + b", "m = b + a"], ["m = a + b", "m = a - b"]],
    "harness": [[], ["lm-eval"], ["inspect"]],
    "pipeline clean": [["--warc", "archives", "--out", "piped", "--site", HOST, "--quiet", "--workers", "1"]],
    "pipeline grade": [[*PREDICTIONS, "--out", "graded", "--quiet", "--workers", "1"]],
    "pipeline status": [["graded-before"]],
    "read": [["3x + 7x = 120, so x = 12", "--id", "99"]],
    "sample": [["pool", "--count", "2", "--out", "drawn.jsonl"], ["pool", "--count", "2", "--out", "-"]],
    "score": [["answers.jsonl", "--references", "sample/test", "--verdicts", "verdicts.jsonl", "--html", "s.html"]],
    "show": [["92"], ["--list"], ["92", "--prediction", "m = q1", "--svg", "figure.svg"]],
    "solve answer": [["Add 3 and 4 .", *MODEL], ["questions.jsonl", *MODEL]],
    "solve train": [["rows.jsonl", "--epochs", "1", "--out", "trained.npz"]],
    "solve predict": [["questions.jsonl", *MODEL, "--out", "p.jsonl"], ["questions.jsonl", *MODEL]],
    "solve evaluate": [["rows.jsonl", *MODEL]],
    "stats": [["sample"]],
    "variants make": [["sample/test", "--count", "1", "--out", "v.jsonl"], ["sample/test", "--count", "1"]],
    "variants score": [["variants-answers.jsonl", "--variants", "variants.jsonl"]],
}
"""Command lines of every command; those of the commands below run in processes of their own."""

PROCESSES = {"annotate serve", "evaluate-model", "register", "unregister"}


def objects(text: str) -> list[object]:
    """Return the one JSON object of a text, or those of its lines; a list only tells what is open."""
    try:
        found = [json.loads(text)]
    except ValueError:
        found = [json.loads(line) for line in text.splitlines()]
    assert all(isinstance(value, (dict, list)) for value in found)
    return found


def test_every_command_has_the_option_and_a_case_here() -> None:
    assert set(EXAMPLES) | PROCESSES | WITHOUT == set(ALL)
    for name, command in ALL.items():
        helps = [param.help for param in command.params if isinstance(param, click.Option) and "--json" in param.opts]
        assert len(helps) == (name not in WITHOUT), name
        assert set(helps) <= {ONE, LINES, TABLE}, name


@pytest.mark.parametrize("name", EXAMPLES)
def test_standard_output_is_json_and_nothing_else(
    name: str, place: Path, capfd: pytest.CaptureFixture[str], prepare: Callable[[str], None]
) -> None:
    prepare(name)
    for arguments in EXAMPLES[name]:
        capfd.readouterr()
        typed = name.removesuffix(" answer").split()
        status = main([*typed, *arguments, "--json"])
        said = capfd.readouterr()
        assert status in (0, 1, 3), said.err
        found = objects(said.out)
        # One object, unless the command lists things or writes rows to standard output.
        if name in ROWS_OUT:
            assert len(found) == 1 or "--out" not in arguments or "-" in arguments
        elif name not in ("annotate propose", "check", "solve answer", "show"):
            assert len(found) == 1


ROWS_OUT = {"annotate export", "derive", "sample", "solve predict", "variants make"}
"""Commands that write rows to standard output if no other file is named; what ``--json`` tells is on stderr then."""


@pytest.fixture(scope="module")
def prepare(place: Path) -> Callable[[str], None]:
    done: set[str] = set()

    def run(name: str) -> None:
        for prefix, commands in PREPARED.items():
            if name.startswith(prefix) and prefix not in done:
                done.add(prefix)
                statuses = [main(command) for command in commands]
                # The sample has three problems that cannot be annotated as they are.
                assert statuses == [int("import" in command) for command in commands]
                if prefix == "variants score":
                    made = [json.loads(line) for line in Path("variants.jsonl").read_text("utf-8").splitlines()]
                    lines = [json.dumps({"id": row["id"], "answer": "m = 1"}) for row in made]
                    Path("variants-answers.jsonl").write_text("\n".join(lines), encoding="utf-8")

    return run


def test_a_run_of_requests(place: Path, capfd: pytest.CaptureFixture[str]) -> None:
    with StandIn(Models(ROWS)) as server:
        server.fault = lambda prompt, count: "400" if count == 0 else ""
        run = ["evaluate-model", "--base-url", server.url, "--model", "wrong", "--references", "sample/test", "--json"]
        assert main([*run, "--out", "o.jsonl", "--missing", "abstain"]) == 4
        assert len(objects(capfd.readouterr().out)) == 1
        assert main([*run, "--out", "b.jsonl", "--batch-out", "batch.jsonl"]) == 0
        assert objects(capfd.readouterr().out) == [{"batch": "batch.jsonl", "requests": 30, "model": "wrong"}]


def test_names_in_an_environment(tmp_path: Path) -> None:
    fresh = Environment(tmp_path)
    for command, key in ((["register"], "registered_by"), (["register", "--status"], "registered_by"),
                         (["unregister"], "removed")):  # fmt: skip
        done = fresh.draw(*command, "--json")
        assert done.returncode == 0, done.stderr
        (found,) = objects(done.stdout)
        assert isinstance(found, dict)
        assert len(found[key]) == 1


def test_a_served_page(tmp_path: Path) -> None:
    assert main(["annotate", "import", "sample", "--store", str(tmp_path / "work.db")]) == 1  # three are refused
    server = Server(tmp_path, tmp_path / "work.db")
    server.begin()
    try:
        server.wait()  # reads the one line that it prints as JSON
        assert set(server.said) >= {"url", "token"}
    finally:
        server.end()
