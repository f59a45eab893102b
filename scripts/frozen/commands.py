"""Sections of commands: what ``draw`` prints and writes, its options and exit statuses, and the solver's answers."""

from __future__ import annotations

import os
import re
import shlex
import sys
from collections.abc import Iterator, Sequence
from contextlib import chdir, contextmanager
from io import BytesIO, TextIOWrapper
from pathlib import Path

from frozen.data import plant_predictions
from frozen.values import Item, all_rows, load_rows, mask, read_lines, write_lines

FILES = (
    "verdicts.jsonl", "r.yaml", "derived.jsonl", "worked-rows.jsonl", "v.jsonl", "no.jsonl", "numbers.jsonl",
    "probe.jsonl", "exported.jsonl", "reconciled/sample.jsonl", "graded/score.txt", "hub/README.md",
)  # fmt: skip
PAGES = ("page.html", "answers.html", "figure.svg", "figure.html", "probe.html", "demo.html")


@contextmanager
def streams(given: str) -> Iterator[tuple[TextIOWrapper, TextIOWrapper]]:
    """Replace the standard streams."""
    kept = sys.stdin, sys.stdout, sys.stderr
    out, err = (TextIOWrapper(BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
    sys.stdin, sys.stdout, sys.stderr = TextIOWrapper(BytesIO(given.encode()), encoding="utf-8"), out, err
    try:
        yield out, err
    finally:
        sys.stdin, sys.stdout, sys.stderr = kept


def run_draw(words: Sequence[str], given: str = "") -> tuple[int, str, str]:
    """Run a command line of ``draw``; return its exit status and what it wrote to both streams."""
    from draw_dataset.cli import main

    with streams(given) as (out, err):
        try:
            status = main(list(words))
        except SystemExit as end:
            status = end.code if isinstance(end.code, int) else int(end.code is not None)
        except Exception as error:  # as Python ends: a traceback and status 1
            print(f"crash: {type(error).__name__}: {error}", file=sys.stderr)
            status = 1
    texts = [mask(stream.buffer.getvalue().decode()) for stream in (out, err)]  # type: ignore[attr-defined]
    return int(status or 0), texts[0], texts[1]


def command_lines(part: str) -> list[str]:
    """Return the command lines of one part of ``commands.txt``."""
    text = Path(__file__).with_name("commands.txt").read_text(encoding="utf-8")
    lines = text.partition(f"\n[{part}]\n")[2].partition("\n[")[0].splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def read_text(name: str) -> str | None:
    """Return the text of a file that a command wrote; None if there is none."""
    return mask(Path(name).read_text(encoding="utf-8")) if Path(name).exists() else None


def run_line(line: str) -> tuple[int, str, str]:
    """Run a command line as it is written in this file."""
    words, _, given = line.partition(" < ")
    return run_draw(shlex.split(words), given)


def work_folder(name: str) -> Path:
    """Return a new folder for the files of commands."""
    folder = Path(os.environ["FREEZE_TEMPORARY"]) / name
    folder.mkdir(parents=True)
    return folder


def freeze_commands(every: int) -> Iterator[Item]:  # noqa: ARG001 - the sample is small
    """Yield what commands print and write on the sample."""
    rows = load_rows("sample")["test"]
    planted = plant_predictions(rows)
    answers = [
        {
            "id": row["id"],
            "answer": one["answer"] if isinstance(one, dict) and "answer" in one else "; ".join(row["equations"]),
        }
        for row, one in zip(rows, planted, strict=True)
    ]
    problem = {"text": "Ann had 12 pens. She gave 5 to Bob.", "calculation": "12 - 5", "result": 7}
    worked = {"question": "Eggs cost $2. Bo buys 3 and pays with $10.", "answer": "3*2=6. 10-6=4. #### 4"}
    with chdir(work_folder("commands")):
        write_lines("rows.jsonl", rows)
        write_lines("gold.jsonl", ({"id": row["id"], "prediction": row["derivation"]} for row in rows))
        write_lines("planted.jsonl", ({"id": r["id"], "prediction": p} for r, p in zip(rows, planted, strict=True)))
        write_lines("answers.jsonl", answers)
        write_lines("problems.jsonl", [problem, problem | {"result": 8}, problem | {"calculation": "5 + 5"}])
        write_lines("worked.jsonl", [worked, worked | {"answer": "3*2=6 #### 7"}])
        for line in command_lines("run"):
            status, out, err = run_line(line)
            yield "commands", line, {"exit": status, "out": out}
            yield "stderr", line, err if not line.startswith("pipeline") else ""
            if line.endswith("--out numbers.jsonl"):
                made, first = read_lines("numbers.jsonl"), {row["id"]: row["solutions"] for row in rows}
                write_lines("right.jsonl", ({"id": row["id"], "answer": row["solutions"]} for row in made))
                write_lines("same.jsonl", ({"id": row["id"], "answer": first[row["source_id"]]} for row in made))
        for name in FILES:
            yield "commands", f"file {name}", read_text(name)
        for name in PAGES:
            yield "pages", name, read_text(name)
        for line in command_lines("refuse"):
            yield "help", f"refused: {line}", run_line(line)[0]
    for command in command_lines("help"):
        status, out, _ = run_draw([*command.split(), "--help"])
        heads = [re.split(r" {2,}", line.strip())[0] for line in out.splitlines() if re.match(r" {1,4}-", line)]
        options = {option for head in heads for option in re.findall(r"(?<![\w-])--?[a-z][\w-]*", head)}
        yield "help", command, {"exit": status, "options": sorted(options)}
        if command not in ("register", "unregister", "crawl"):
            yield "help", f"refused: {command} --no-such-option", run_draw([*command.split(), "--no-such-option"])[0]


def freeze_solver(every: int, what: str) -> Iterator[Item]:
    """Yield the answers of one solver: the built-in one, or one that is trained."""
    with chdir(work_folder(f"solver {what}")):
        if what == "built-in":
            write_lines(
                "questions.jsonl", ({"id": r["id"], "question": r["question"]} for r in all_rows("sample")[::3])
            )
            status, out, _ = run_draw(["solve", "questions.jsonl", "--json"])
            yield "solver", what, status
            for at, line in enumerate(out.splitlines()):
                yield "solver", f"{what}:{at}", line
            status, out, _ = run_draw(["solve", "Two numbers add up to 30. One is 4 more than the other."])
            yield "solver", f"{what}: text", [status, out]
            return
        data, system = what.split()
        splits = load_rows(data)
        write_lines("train.jsonl", splits["train"][::every])
        write_lines("asked.jsonl", splits["validation"])
        train = f"solve train train.jsonl --out model.npz --json --seed 0 --system {system}"
        yield "solver", f"{what}: train", run_line(train + " --no-calibrate" * (system == "template-first"))[:2]
        yield "solver", f"{what}: predict", run_line("solve predict asked.jsonl --model model.npz --out p.jsonl")[0]
        for line in read_lines("p.jsonl") if Path("p.jsonl").exists() else ():
            yield "solver", f"{what}:{line['id']}", line
        yield "solver", f"{what}: evaluate", run_line("solve evaluate asked.jsonl --model model.npz --json")[:2]
