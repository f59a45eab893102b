"""Every experiment of scripts/lab.py runs on a few problems of the sample, which stand in for the release."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from lab import MODULES, main
from reproduction import figures
from sources.source_problems import GSM8K, MAWPS, SVAMP

from draw_dataset import Problem, make_variants
from draw_dataset.data.catalog import load_splits
from draw_dataset.data.sample import load_sample
from draw_dataset.io.jsonl import write_json_lines

FOLDED = {f"fold{i}": slice(2 * i, 2 * i + 2) for i in range(5)}


def load_tiny(dataset: str, data_dir: object = None) -> dict[str, list[Problem]]:
    del data_dir
    sample = load_sample()
    if dataset == "draw1k":
        return {"train": sample["train"][10:18], "validation": sample["validation"][:3], "test": sample["test"][:2]}
    folds = {name: sample["train"][part] for name, part in FOLDED.items()}
    return folds if dataset == "alg514" else {**folds, "development": sample["validation"][3:5]}


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    """Yield a folder with small files of other sources; the release is small, too."""
    monkeypatch.setattr(sys.modules[load_splits.__module__], "load_problems", load_tiny)
    monkeypatch.setattr(figures, "load_problems", load_tiny)
    figures.splits_of.cache_clear()
    (tmp_path / "svamp.json").write_text(json.dumps(SVAMP), encoding="utf-8")
    with (tmp_path / "mawps.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(MAWPS[0]))
        writer.writeheader()
        writer.writerows(MAWPS)
    write_json_lines(tmp_path / "gsm8k_test.jsonl", GSM8K)
    lines = [
        {"id": p.id, "answer": f"{'; '.join(p.equations)}. So {p.solutions[0]}."} for p in load_tiny("draw1k")["test"]
    ]
    for name in ("chatgpt_draw1k", "gpt35_draw1k"):
        write_json_lines(tmp_path / f"{name}.jsonl", lines)
    lines = [{"id": p.id, "answer": "I do not know."} for p in load_tiny("alg514")["fold0"]]
    write_json_lines(tmp_path / "gpt35_alg514.jsonl", lines)
    models = [
        {"id": g["id"], "question": g["question"], "solution": g["answer"], "answers": {"m": g["answer"]}}
        for g in GSM8K
    ]
    write_json_lines(tmp_path / "gsm8k_models.jsonl", models)
    sample = [p.to_row() for p in load_sample()["test"]][1:3]
    rows = [*sample, *make_variants(sample, 1, 0)]
    write_json_lines(tmp_path / "variants.jsonl", rows)
    predictions = [
        {"id": r["id"], "prediction": {k: r[k] for k in ("template", "alignment", "solutions")}} for r in rows
    ]
    write_json_lines(tmp_path / "predictions.jsonl", predictions)
    modern = [
        {"id": g["id"], "model": "m", "format": "plain", "question": g["question"], "solution": g["answer"],
         "answer": g["answer"]}
        for g in GSM8K
    ]  # fmt: skip
    write_json_lines(tmp_path / "modern_gsm8k.jsonl", modern)
    label = {"model": "m", "part": "seen", "derivation": "sound", "final": "right"}
    write_json_lines(tmp_path / "labels.jsonl", [{"id": g["id"], **label} for g in GSM8K])
    steps = [{"problem": g["question"], "steps": g["answer"].splitlines(), "label": -1} for g in GSM8K]
    write_json_lines(tmp_path / "processbench_gsm8k.jsonl", steps)
    read = [
        {"id": p.id, "d": p.derivation.q_notation(), "asked": ["m"], "status": "ok"}
        for p in load_tiny("alg514")["fold0"]
    ]
    write_json_lines(tmp_path / "alg514.1.jsonl", read)
    write_json_lines(tmp_path / "alg514.2.jsonl", [{**read[0], "d": "m = q1 + q1"}, *read[1:]])
    write_json_lines(tmp_path / "gsm8k_test_full.jsonl", GSM8K)
    write_json_lines(tmp_path / "gsm8k_train.jsonl", GSM8K)
    yield tmp_path
    figures.splits_of.cache_clear()


EXPERIMENTS = {
    "answers": ("--answers TINY", "chatgpt_draw1k: "),
    "built-in": ("", "| 0 to 1 | 117 | "),
    "census": ("--readings TINY --differences", "| alg514 | 2 | 1 (50.0 %) |"),
    "confidence": ("--sets alg514 --store TINY/kept", "| Alg-514 | 10 |"),
    "consecutive": ("--count 1", "| x, x + 2, x + 4 | "),
    "fresh": ("", "| alg514 | "),
    "golds": ("--solver --templates 1", "| solver on alg514, trained on v3 | v2, any | 10 |"),
    "joint": ("--only dolphin_l --fold fold0", "| dolphin_l | 2 |"),
    "kazb": ("alg514 --fold 0 --iterations 1 --store TINY/kazb.jsonl", '"part": "fold0", "n": 2'),
    "likeness": ("--only dolphin_l --weights 0,1", "| dolphin_l | 10 | 1 |"),
    "naming": ("--only alg514", "| alg514 | unseen | 10 | 19 |"),
    "one-step": ("--sources TINY --templates 2 --only 1", "| Draw | MAWPS | 2 |"),
    "readings": ("taught", "| gold (TD) |"),
    "readings references": ("--folds 1", "| TE | the one drawn at random |"),
    "readings templates": ("--data draw1k", "| Draw-1k | text |"),
    "relations": ("--only alg514", "| alg514 | 10 | 1 |"),
    "sources": ("--sources TINY --part status --part numbers --part placeholders --part transfer", '"mawps"'),
    "systems": ("--one similarity", "["),
    "trust": (
        "--answers TINY --sources TINY --labels TINY/labels.jsonl --wanted 16 --limit 40 --examples 1",
        "| equal value |",
    ),
    "variants-agree": ("TINY/predictions.jsonl TINY/variants.jsonl --inventory sample", '"problems": 2'),
    "variants-coverage": ("sample --count 1", '"rows": 120'),
    "variants-sample": ("sample --count 1 --kind added --kind missing", '"kind": "missing"'),
    "variants-identify": ("sample --rows 2 --variants 1 --samples 1 2", '"system": "guessing"'),
    "variants-open": ("TINY/gpt35_alg514.jsonl TINY/chatgpt_draw1k.jsonl", '"left open": 2, "ends": ["I do not know."'),
}
"""The arguments of an experiment, and something that it prints. Signs and matches have tests of their own."""


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_an_experiment_prints_its_figures(name: str, tiny: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments, printed = EXPERIMENTS[name]
    assert main([*name.split(), *arguments.replace("TINY", str(tiny)).split()]) == 0
    assert printed in capsys.readouterr().out


def test_the_list_names_every_experiment_with_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--list"]) == 0
    lines = dict(line.split(maxsplit=1) for line in capsys.readouterr().out.splitlines())
    assert sorted(lines) == sorted(name for names in MODULES.values() for name in names)


def test_wrong_arguments_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["nonsense"])
    assert main(["golds"]) == 2
    assert main(["signs", "--store", str(tmp_path)]) == 2
    assert "lab.py signs: " in capsys.readouterr().err
