"""The command: verdicts, exit statuses, JSON, help and errors."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import click
import pytest
from interpreter import NO_NETWORK, run
from report.pages import listed

from draw_dataset.cli import COMMANDS, draw, main
from draw_dataset.commands.options import CONFIGS
from draw_dataset.data.catalog import DATASETS


def test_equiv_says_yes_and_how(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["equiv", "m = a + b*n; m = c - n", "m + n = a; m - c*n = b"]) == 0
    assert capsys.readouterr().out == "equivalent\n  a -> b, b -> c, c -> a\n"


def test_equiv_says_no_and_why(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["equiv", "m = a + b", "m = a - b"]) == 1
    assert capsys.readouterr().out == (
        "not equivalent: with a = 2, b = 2 the first gives m = 4, the second gives m = 0\n"
    )


def test_equiv_witness_over_all_ways_to_fill(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["equiv", "--json", "m = a/b", "m = a*a/b/b"]) == 1
    witness = json.loads(capsys.readouterr().out)["reason"]["witness"]
    assert witness["ways_to_fill_the_second"] == 2
    assert sorted(witness["values"][0].values()) == sorted(witness["values"][1].values())


def test_equiv_all_and_limit(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["equiv", "--all", "--json", "m = a + b + c", "n = a + b + c"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert len(result["slot_maps"]) == 6
    assert result["more_slot_maps"] is False
    assert main(["equiv", "--all", "--limit", "2", "m = a + b + c", "n = a + b + c"]) == 0
    assert "raise --limit" in capsys.readouterr().out


def test_equiv_unknowns(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["equiv", "--unknowns", "x,y", "x + y = m", "x = m - y"]) == 0
    assert "m -> m" in capsys.readouterr().out
    assert main(["equiv", "w = a + b", "w = a - b"]) == 2
    assert "a name given with --unknowns)" in capsys.readouterr().err


def test_an_unreadable_template_is_an_error_with_its_place(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["equiv", "a * m + = c", "m = a"]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err == "draw equiv: equation 1, column 9: expected a number, a name or '(', but got '='\n"


def test_demo_loads_the_sample_without_a_network(tmp_path: Path) -> None:
    code = NO_NETWORK + "import sys; from draw_dataset.cli import main; sys.exit(main(['demo']))"
    told = run(code, tmp_path)
    assert "templates (1) and (2) of the paper" in told
    assert 'load_dataset("draw1k", "sample"): train 60, validation 30, test 30' in told
    assert "[slip: m = 6]" in told
    assert "lucky    derivation 0.333, equation 0.400, solution 0.833; right answer, wrong derivation: 15" in told
    shown = listed((tmp_path / "empty" / "demo.html").read_text(encoding="utf-8"))
    assert (len(shown), sum(one.reason != "right" for one in shown)) == (5 * 30, 43 + 19)


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["--help"],
        ["-h"],
        ["equiv", "--help"],
        ["demo", "--help"],
        ["check", "--help"],
        ["score", "--help"],
        ["--version"],
        ["--citation"],
    ],
)
def test_help(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 0
    assert capsys.readouterr().out


@pytest.mark.parametrize(
    "arguments",
    [["annotate"], ["solve"], ["equiv", "m = a"], ["equiv", "--limit", "0", "m = a", "m = a"], ["equiv", "--nothing"]],
)
def test_bad_usage(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.startswith("Usage: draw ")
    assert told.err.endswith(f"See draw {arguments[0]} --help.\n")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["score", "a.jsonl", "--refrences", "sample"], "draw score: unknown option '--refrences': did you mean --ref"),
        (
            ["annotate", "status", "--stroe", "w.db"],
            "draw annotate status: unknown option '--stroe': did you mean --store?",
        ),
        (["stats", "sample", "--frobnicate"], "draw stats: unknown option '--frobnicate'. See draw stats --help"),
        (["equiv", "m = a", "m = b", "m = c"], "(m = c). See draw equiv --help"),
        (["equiv", "m = a", "-m = -b", "--limit"], "draw equiv: --limit: expected N, but got nothing"),
        (["stats", "--plot", "--json"], "draw stats: --plot: expected FILE, but got the option --json"),
    ],
)
def test_what_a_command_does_not_take_is_said_in_its_own_terms(
    arguments: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    usage, message = capsys.readouterr().err.split(": ", 1)
    assert usage == "Usage"
    assert told in message
    assert message.startswith(" ".join(["draw", *arguments[:1]]))


def test_standard_input_is_read_once(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["score", "-", "--references", "-"]) == 2
    assert capsys.readouterr().err == "draw score: expected standard input once, but got - more than once\n"


def test_runs_as_a_module() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "draw_dataset.cli", "equiv", "m = a", "n = a"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "equivalent\n  a -> a\n")


def make_full(folder: Path) -> Path:
    """Return a device of our own that is always full."""
    node = folder / "full"
    try:
        os.mknod(node, 0o666 | stat.S_IFCHR, os.makedev(1, 7))
        node.open("w").close()
    except OSError:
        pytest.skip("no device nodes here")
    return node


def test_what_cannot_be_printed_is_said_in_a_sentence(tmp_path: Path) -> None:
    with make_full(tmp_path).open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "draw_dataset.cli", "show", "92"], stdout=full, stderr=subprocess.PIPE, text=True
        )
    assert done.returncode == 2
    assert done.stderr == "draw show: cannot write the output: No space left on device\n"


@pytest.mark.parametrize("option", ["--svg", "--html"])
def test_files_are_there_though_nobody_reads_what_is_printed(tmp_path: Path, option: str) -> None:
    target = tmp_path / "figure"
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        [sys.executable, "-m", "draw_dataset.cli", "show", "92", option, str(target)],
        stdout=write,
        stderr=subprocess.PIPE,
        text=True,
    )
    os.close(write)
    assert (done.returncode, done.stderr) == (0, "")
    assert target.stat().st_size > 1000


def test_an_interrupted_command_says_so_without_a_traceback(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object, **__: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr("draw_dataset.data.catalog.load", interrupted)
    assert main(["stats", "sample"]) == 130
    assert capsys.readouterr().err == "draw stats: interrupted\n"


def test_help_imports_no_command_and_a_command_imports_its_own() -> None:
    code = "import sys; from draw_dataset.cli import main; main(sys.argv[1:]); print(*sys.modules, file=sys.stderr)"
    loaded = {}
    for given in (["--help"], ["equiv", "--help"]):
        done = subprocess.run([sys.executable, "-c", code, *given], capture_output=True, text=True, check=True)
        loaded[given[0]] = {name for name in done.stderr.split() if name.startswith("draw_dataset.")}
    assert {name for name in loaded["--help"] if "commands." in name} == {"draw_dataset.commands.options"}
    assert not any(".core" in name or ".catalog" in name for name in loaded["equiv"])


@pytest.mark.parametrize("name", COMMANDS)
def test_the_table_says_what_the_command_says(name: str) -> None:
    found = draw.get_command(click.Context(draw), name)
    assert found is not None
    assert (found.name, found.help) == (name, COMMANDS[name][1])


def test_help_names_every_dataset() -> None:
    assert set(CONFIGS) == set(DATASETS)


@pytest.mark.parametrize("first", ["-m = -a", "-m + n = -a*b; n = b", "-m=-a"])
def test_a_template_may_begin_with_a_dash(first: str, capsys: pytest.CaptureFixture[str]) -> None:
    given = ["--", first, first] if " " not in first else [first, "--json", first]
    assert main(["equiv", *given]) == 0
    assert "equivalent" in capsys.readouterr().out


def test_an_option_takes_several_files_and_may_be_abbreviated(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    for name in ("one", "two"):
        (tmp_path / f"{name}.jsonl").write_text('{"id": 91, "answer": "5"}\n', encoding="utf-8")
    files = [str(tmp_path / "one.jsonl"), str(tmp_path / "two.jsonl")]
    printed = []
    for given in (["sample", "--answers", *files], ["--ans", files[0], "--answers", files[1], "--", "sample"]):
        main(["check", *given, "--js"])
        printed.append(capsys.readouterr().out)
    assert printed[0] == printed[1]
    assert main(["check", "sample", "--answers", files[0], "nowhere.jsonl"]) == 2
    assert "nowhere.jsonl: file not found" in capsys.readouterr().err


def test_the_last_of_two_options_decides(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["equiv", "m = a + b + c", "m = a + b + c", "--all", "--limit", "1", "--limit", "2", "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["slot_maps"]) == 2
