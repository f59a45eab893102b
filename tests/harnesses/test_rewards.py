"""Rewards from threads and processes are those of a plain loop, and a bad row is an error with its id."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest
from harnesses.agreement import ROWS
from harnesses.stand_in import Models

from draw_dataset.adapters import trl, verl
from draw_dataset.adapters.common import COMPONENTS, as_text, quick_figures, response_text, rows_of
from draw_dataset.adapters.trl import derivation_reward, proved_reward, readable_reward, solution_reward, to_trl
from draw_dataset.adapters.verl import compute_score, score_only, to_verl
from draw_dataset.errors import ChoiceError, RefusedWarning, RowError, ScoreError
from draw_dataset.prompting import prompt_for

COUNT = 10_000


def completions() -> list[tuple[str, str, str]]:
    """Return responses with their rows and styles: right, wrong and garbled ones, no two alike."""
    spoken, rows = Models(ROWS), [as_text(row) for row in ROWS]
    prompts = [prompt_for(row, "marked").text for row in ROWS]
    made = []
    for at in range(COUNT):
        place, model = at % len(ROWS), ("oracle", "wrong", "garbled")[at // len(ROWS) % 3]
        text = spoken.answer(model, prompts[place])
        made.append((f"<think>attempt {at}</think>{text}", rows[place], "marked/1"))
    return made


def rewards(chunk: list[tuple[str, str, str]]) -> list[float]:
    texts, rows, styles = zip(*chunk, strict=True)
    return proved_reward(list(texts), row=list(rows), prompt_style=list(styles))


def chunks(size: int) -> list[list[tuple[str, str, str]]]:
    made = completions()
    return [made[at : at + size] for at in range(0, COUNT, size)]


def test_threads_and_processes_give_what_a_plain_loop_gives() -> None:
    parts = chunks(250)
    plain = [reward for part in parts for reward in rewards(part)]
    assert len(plain) == COUNT
    # Of three rounds over 30 problems the first is all right, the second but for every third, the last is garbled.
    assert sum(plain[:90]) == 30 + 20
    quick_figures.cache_clear()
    with ThreadPoolExecutor(8) as threads:
        assert [reward for part in threads.map(rewards, parts) for reward in part] == plain
    with ProcessPoolExecutor(4, mp_context=get_context("spawn")) as processes:
        assert [reward for part in processes.map(rewards, parts) for reward in part] == plain


def test_rewards_take_no_signals_and_import_no_harness() -> None:
    code = (
        "import signal, sys\n"
        "def refuse(*_): raise SystemExit('a signal handler')\n"
        "signal.signal = signal.setitimer = signal.alarm = refuse\n"
        "from draw_dataset.adapters.trl import derivation_reward, to_trl\n"
        "from draw_dataset.adapters.verl import compute_score\n"
        "r = to_trl('sample/test')[:3]\n"
        "rows, styles = [x['row'] for x in r], [x['prompt_style'] for x in r]\n"
        "assert derivation_reward([x['gold_answer'] for x in r], row=rows, prompt_style=styles) == [1.0] * 3\n"
        "assert not {'torch', 'trl', 'verl', 'datasets', 'numpy'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, env=os.environ)


def test_texts_messages_and_thoughts_are_the_same() -> None:
    record = to_trl("sample/test")[0]
    gold = record["gold_answer"]
    given = [
        gold,
        [{"role": "assistant", "content": gold}],
        [{"role": "assistant", "content": [{"type": "text", "text": gold}]}],
        f"hm, m = q1 perhaps</think>\n{gold}",
        f"<think>hm</think>{gold}",
    ]
    columns = {"row": [record["row"]] * 5, "prompt_style": [record["prompt_style"]] * 5, "prompt": [None] * 5}
    for reward in (derivation_reward, solution_reward, readable_reward):
        assert reward(given, **columns) == [1.0] * 5
    assert response_text([{"role": "assistant", "content": None}]) == ""
    with pytest.raises(ChoiceError, match="a text or messages"):
        response_text(7)


def test_every_component_is_logged() -> None:
    record = to_trl("sample/test")[0]
    metrics: dict[str, float] = {}
    extra: dict[str, list[object]] = {}
    derivation_reward(
        [record["gold_answer"], "lorem ipsum"],
        row=[record["row"]] * 2,
        prompt_style=[record["prompt_style"]] * 2,
        log_metric=metrics.__setitem__,
        log_extra=extra.__setitem__,
    )
    assert metrics == {
        "derivation": 0.5, "certain": 0.5, "solution": 0.5, "readable": 0.5, "slip": 0.0, "veto": 0.5, "decided": 0.5,
        "not_text": 0.0
    }  # fmt: skip
    assert extra == {"reason": ["right", "unread"]}


@pytest.mark.parametrize(
    "broken", [None, b"m = q1", 7, [], [None], [{"role": "assistant"}], [{"content": 7}], {"content": "m"}]
)
def test_a_completion_that_is_no_text_is_an_empty_answer_and_counted(broken: object) -> None:
    record = to_trl("sample/test")[0]
    metrics: dict[str, float] = {}
    extra: dict[str, list[object]] = {}
    columns = {"row": [record["row"]] * 2, "prompt_style": [record["prompt_style"]] * 2}
    logs = {"log_metric": metrics.__setitem__, "log_extra": extra.__setitem__}
    assert derivation_reward([broken, record["gold_answer"]], **columns, **logs) == [0.0, 1.0]
    assert metrics["not_text"] == 0.5
    assert extra == {"reason": ["not text", "right"]}
    told = compute_score("d", broken, record["row"], {"prompt_style": "marked"})  # type: ignore[arg-type]
    assert set(told.values()) == {0.0}


@pytest.mark.parametrize("content", [None, [], [{"type": "image"}], [None, 5], [{"type": "text", "text": None}]])
def test_messages_without_text_are_an_empty_answer(content: object) -> None:
    record = to_trl("sample/test")[0]
    assert response_text([{"role": "assistant", "content": content}]) == ""
    assert derivation_reward([[{"role": "assistant", "content": content}]], row=[record["row"]]) == [0.0]


def test_columns_of_a_wrong_shape_are_refused_by_name() -> None:
    row = as_text(ROWS[0])
    with pytest.raises(ScoreError, match="column row"):
        derivation_reward(["m = q1"], prompt_style=["marked"])
    with pytest.raises(ScoreError, match="prompt_style as text"):
        derivation_reward(["m = q1"], row=[row], prompt_style=[None])  # type: ignore[list-item]
    with pytest.raises(ScoreError, match="completions as a list"):
        derivation_reward(None, row=[row])  # type: ignore[arg-type]
    for extra in (5, "marked", None, [], {"prompt_style": 5}):
        with pytest.raises(ScoreError, match="prompt_style in extra_info"):
            compute_score("d", "m = q1", row, extra)  # type: ignore[arg-type]


def test_a_bad_row_raises_with_its_id_and_is_never_a_zero() -> None:
    for broken in ({**ROWS[0], "template": ["m ="]}, {**ROWS[0], "solutions": [float("nan")]}, {"id": 91}):
        with pytest.raises(RowError, match="91"):
            derivation_reward(["m = q1"], row=[json.dumps(broken)], prompt_style=["marked"])
        with pytest.raises(RowError, match="91"):
            compute_score("mine", "m = q1", json.dumps(broken), {"prompt_style": "marked"})
        with pytest.raises(RowError, match="91"):
            to_trl([broken])
        with pytest.raises(RowError, match="91"):
            to_verl([broken])
    with pytest.raises(RowError, match="expected JSON"):
        derivation_reward(["m = q1"], row=["{"], prompt_style=["marked"])
    with pytest.raises(ScoreError, match="rows as JSON text"):
        derivation_reward(["m = q1"], row=[ROWS[0]], prompt_style=["marked"])  # type: ignore[list-item]
    with pytest.raises(ScoreError, match="2 completions, 1 rows and 1 styles"):
        derivation_reward(["m = q1"] * 2, row=[as_text(ROWS[0])], prompt_style=["marked"])
    with pytest.raises(ChoiceError, match="Unknown prompt style"):
        derivation_reward(["m = q1"], row=[as_text(ROWS[0])], prompt_style=["cot"])


@pytest.mark.parametrize("make", [to_trl, to_verl])
def test_a_column_that_is_missing_or_not_plain_is_named(make: Any) -> None:
    for column in ("question", "equations", "solutions", "template", "alignment", "equiv_tnum"):
        with pytest.raises(RowError, match=f"{ROWS[0]['id']}.*{column} is missing"):
            make([{name: value for name, value in ROWS[0].items() if name != column}])
    with pytest.raises(RowError, match=r"91: expected plain data in note, but got set; .*load_dataset"):
        make([{**ROWS[0], "note": {1}}])
    with pytest.raises(ScoreError, match="expected the row as JSON text in ground_truth"):
        compute_score("mine", "m = q1", prompt_style="marked")


DERIVED = {**ROWS[0], "id": "train-1", "status": "decided", "reason": "", "readings": 1, "constants": [], "steps": []}
"""A row with the columns of gsm8k_derivations, of our own problem."""


@pytest.mark.parametrize("make", [to_trl, to_verl])
def test_rows_of_derived_datasets_are_taken_and_refused_ones_left_out(make: Any, tmp_path: Path) -> None:
    import datasets

    refused = {**DERIVED, "id": "train-2", "status": "refused", "template": [], "alignment": []}
    rows = [DERIVED, refused]
    path = tmp_path / "rows.parquet"
    datasets.Dataset.from_list(rows).to_parquet(path)
    for given in (rows, datasets.Dataset.from_list(rows), str(path)):
        with pytest.warns(RefusedWarning, match="left out 1 row that is refused"):
            (record,) = make(given)
        text = record["row"] if make is to_trl else record["reward_model"]["ground_truth"]
        assert json.loads(text)["id"] == "train-1"


def test_verl_gets_the_same_keys_every_time() -> None:
    record = to_verl("sample/test")[0]
    told = [
        compute_score("d", text, record["reward_model"]["ground_truth"], record["extra_info"])
        for text in (record["extra_info"]["gold_answer"], "", "lorem ipsum")
    ]
    assert {tuple(one) for one in told} == {("score", *COMPONENTS)}
    assert [one["score"] for one in told] == [1.0, 0.0, 0.0]
    row, gold = record["reward_model"]["ground_truth"], record["extra_info"]["gold_answer"]
    assert score_only("d", gold, row, prompt_style="marked", reward="solution") == 1.0
    with pytest.raises(ChoiceError, match="reward: expected one of"):
        compute_score("d", gold, row, record["extra_info"], reward="beauty")
    with pytest.raises(ScoreError, match="prompt_style in extra_info"):
        compute_score("d", gold, row, {})


def test_training_sets_hold_every_field_of_a_row(tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    variant = {**ROWS[0], "id": "91-v1", "source_id": 91, "variant": {"kind": "numbers", "seed": 1}}
    path = tmp_path / "variants.jsonl"
    path.write_text(json.dumps(variant) + "\n", encoding="utf-8")
    assert rows_of(path) == [variant]
    for make, column in ((to_trl, "row"), (to_verl, "reward_model")):
        out = tmp_path / f"{make.__name__}.parquet"
        records = make(str(path), out, style="plain", shots=1)
        (stored,) = pq.read_table(out).to_pylist()
        assert stored == records[0]
        text = stored[column] if column == "row" else stored[column]["ground_truth"]
        assert json.loads(text) == variant
        assert len(stored["prompt"]) == 4


def test_the_veto_and_the_stricter_reward_have_one_name_for_both_trainers() -> None:
    row = as_text(ROWS[0])
    number = ROWS[0]["solutions"][0]
    bare = "Answer: " + ", ".join(f"{value:g}" for value in ROWS[0]["solutions"])
    for text in (bare, f"Answer: {number + 1:g}", "no idea"):
        columns = {"row": [row], "prompt_style": ["plain"]}
        veto, proved = trl.veto_reward([text], **columns), trl.proved_reward([text], **columns)
        assert veto == derivation_reward([text], **columns) == [float(text == bare)]
        assert proved == [0.0]
        assert verl.veto_reward("", text, row, prompt_style="plain")["score"] == veto[0]
        assert verl.proved_reward("", text, row, prompt_style="plain")["score"] == proved[0]
