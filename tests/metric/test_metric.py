"""The metric in the calls of `evaluate`: one answer whichever way the predictions come, and one error."""

from __future__ import annotations

import json
import math
import os
import uuid
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from types import MappingProxyType
from typing import Any

import evaluate
import numpy as np
import pytest
from datasets import Dataset
from hypothesis import given, settings
from hypothesis import strategies as st
from interpreter import NO_NETWORK, OFFLINE, finish, run, start
from metric.metric_inputs import ROWS, bundled, metric

from draw_dataset import score
from draw_dataset.data.features import row_features
from draw_dataset.data.sample import PREDICTIONS
from draw_dataset.errors import ChoiceError, DrawError, RowError, ScoreError
from draw_dataset.scoring.evaluate_metric import MAX_NESTING, decode, encode, plain_prediction, plain_row
from draw_dataset.scoring.options import Options

FIGURES = {
    "derivation_accuracy_certain", "derivation_accuracy_upper", "decided", "undecided", "unread",
    "no_derivation", "match",
    "derivation_accuracy", "equation_accuracy", "solution_accuracy", "counts", "right_answer_wrong_derivation",
    "right_answer_no_derivation", "right_answer_not_understood", "right_answer_right_derivation", "right_reasons",
    "mean_references", "references_not_gold", "n", "signature",
}  # fmt: skip
NEEDED = ("question", "equations", "solutions", "template", "alignment", "equiv_tnum")
GOLD: dict[str, Any] = {"template": ROWS[0]["template"], "alignment": ROWS[0]["alignment"]}


@pytest.mark.parametrize("name", PREDICTIONS)
def test_the_metric_gives_the_figures_of_score(name: str) -> None:
    found = metric().compute(predictions=bundled(name), references=ROWS)
    assert found == score(bundled(name), ROWS).to_dict()
    assert set(found) == FIGURES


def test_the_settings_reach_the_scorer() -> None:
    found = metric().compute(
        predictions=bundled("lucky"),
        references=ROWS,
        merge_equiv=True,
        tolerance=0.01,
        equation="first",
        seed=3,
        data="d",
    )
    assert found == score(bundled("lucky"), ROWS, Options(True, Fraction(1, 100), "first", 3), data="d").to_dict()


def test_verdicts_are_plain_data() -> None:
    verdicts = metric().compute(predictions=bundled("mixed"), references=ROWS, return_verdicts=True)["verdicts"]
    assert len(verdicts) == 30
    assert json.loads(json.dumps(verdicts)) == verdicts
    assert list(verdicts[0]) == [
        "derivation", "equation", "solution", "reason", "status", "message", "slot_map", "certain", "witness"
    ]  # fmt: skip


def test_a_row_needs_six_fields_only_and_may_have_more() -> None:
    small = [{name: row[name] for name in NEEDED} for row in ROWS]
    large = [row | {"mine": object(), "more": np.zeros(3)} for row in ROWS]
    accuracies = [
        metric().compute(predictions=bundled("careful"), references=rows)["derivation_accuracy"]
        for rows in (ROWS, small, large)
    ]
    assert len(set(accuracies)) == 1


def test_a_dataset_and_its_columns_may_be_given() -> None:
    rows = Dataset.from_list(ROWS, features=row_features())
    plain = metric().compute(predictions=[row["derivation"] for row in ROWS], references=ROWS)
    assert metric().compute(predictions=rows["derivation"], references=rows) == plain


# One-shot against batched.

Outcome = tuple[str, Any]


def outcome(call: Any) -> Outcome:
    try:
        return "result", call()
    except DrawError as error:
        return type(error).__name__, str(error)


def at_once(predictions: Any, rows: Any, **options: Any) -> Outcome:
    return outcome(lambda: metric().compute(predictions=predictions, references=rows, **options))


def in_batches(predictions: list[Any], rows: list[Any], cuts: list[int], in_memory: bool, **options: Any) -> Outcome:
    def call() -> Any:
        module = evaluate.load("derivation_accuracy", keep_in_memory=in_memory)
        bounds = [0, *sorted(cut % (len(rows) + 1) for cut in cuts), len(rows)]
        for begin, end in pairwise(bounds):
            if end == begin + 1:
                module.add(prediction=predictions[begin], reference=rows[begin])
            else:
                module.add_batch(predictions=predictions[begin:end], references=rows[begin:end])
        return module.compute(**options)

    return outcome(call)


keys = st.sampled_from(["template", "alignment", "solutions", "slot", "sentence", "token", "derivation", "extra"])
garbage = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from(["2", "null", "{}"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=4) | st.tuples(inner, inner),
    max_leaves=12,
)
foreign = st.sampled_from(
    [
        np.int64(3), np.float64(2.5), np.str_("m = q1"), np.array([1.0]), b"m = q1", object(), {1, 2}, Fraction(1, 3),
        Decimal(2), 10**700, {1: 2}, MappingProxyType(GOLD), GOLD | {"extra": object()}, GOLD | {"template": [b"m"]},
        GOLD | {"solutions": [Fraction(1, 2)]}, GOLD | {"solutions": [np.float64(2.0)]}, math.nan, 1j,
    ]
)  # fmt: skip
tokens = st.sampled_from([1.5, "3", True, None, -1, 3, 3.0, math.inf, math.nan, [3], {}, 10**30])
bent = st.builds(
    lambda token, key: GOLD | {"alignment": [GOLD["alignment"][0] | {key: token}, *GOLD["alignment"][1:]]},
    tokens,
    st.sampled_from(["token", "sentence", "value", "slot", "other"]),
)
plain = st.sampled_from([*bundled("mixed"), *(row["derivation"] for row in ROWS), GOLD, "", "m = q99"])
rows = st.sampled_from(ROWS).flatmap(lambda row: st.sampled_from([row, json.loads(json.dumps(row))]))
# Rows that are none, or whose gold cannot be read; and values that typed columns would have converted.
bad_rows = st.sampled_from(
    [
        None, 7, "row", [ROWS[0]], {}, ROWS[0] | {"template": ["m = "]}, ROWS[1] | {"equations": ["x + "]},
        ROWS[2] | {"solutions": [math.nan]}, ROWS[3] | {"solutions": ["3"]}, ROWS[4] | {"id": "5"},
        ROWS[5] | {"alignment": [ROWS[5]["alignment"][0] | {"token": 1.5}]}, ROWS[6] | {"numbers": [None]},
        ROWS[7] | {"question": None}, ROWS[8] | {"equiv_tnum": None}, ROWS[9] | {"solutions": np.array([1.0])},
        ROWS[10] | {"alignment": tuple(ROWS[10]["alignment"])}, MappingProxyType(ROWS[11]),
        ROWS[12] | {"solutions": [int(v) for v in ROWS[12]["solutions"]]}, ROWS[13] | {"numbers": None},
    ]
)  # fmt: skip
usual = st.tuples(plain | garbage | bent, rows)
pairs = st.lists(usual, max_size=8) | st.lists(st.one_of(usual, st.tuples(foreign, rows), st.tuples(plain, bad_rows)))
options = st.fixed_dictionaries(
    {"return_verdicts": st.just(True)},
    optional={
        "merge_equiv": st.booleans(),
        "tolerance": st.sampled_from([0, 0.01, 1e-4, Fraction(1, 7)]),
        "equation": st.sampled_from(["random", "first", "expected"]),
        "seed": st.integers(0, 5),
    },
)


@given(pairs, st.lists(st.integers(0, 20), max_size=3), st.booleans(), options)
@settings(max_examples=200, deadline=None)
def test_all_at_once_and_in_batches_have_one_outcome(
    pairs: list[tuple[Any, Any]], cuts: list[int], in_memory: bool, options: dict[str, Any]
) -> None:
    predictions, references = [p for p, _ in pairs], [r for _, r in pairs]
    one = at_once(predictions, references, **options)
    assert one == in_batches(predictions, references, cuts, in_memory, **options)
    assert one[0] in ("result", "ScoreError", "RowError")


@given(garbage | bent | plain)
@settings(max_examples=500, deadline=None)
def test_what_is_stored_comes_back_as_it_was(prediction: Any) -> None:
    stored = plain_prediction(prediction, 0)
    # repr tells 1 from 1.0 and True, 0.0 from -0.0, and nan from nothing else.
    assert repr(decode(encode(stored))) == repr(stored)


def test_rows_come_back_as_they_were() -> None:
    for row in ROWS:
        stored = plain_row(row, 0)
        assert repr(decode(encode(stored))) == repr(stored)
        assert stored == {name: value for name, value in row.items() if name != "derivation"}


@pytest.mark.parametrize("text", ["2", "null", "{}", '"m = q1"', "[1]", "NaN", "\ud800", "\0"])
def test_a_text_stays_a_text_even_if_it_is_json(text: str) -> None:
    stored = in_batches([text], [ROWS[0]], [], False, return_verdicts=True)
    assert stored == at_once([text], [ROWS[0]], return_verdicts=True)
    assert stored[1]["verdicts"][0]["reason"] == "unreadable" or text == "2"


# What cannot be scored.


@pytest.mark.parametrize(
    ("predictions", "references", "error", "message"),
    [
        ([], [], ScoreError, "expected at least one prediction, but got none"),
        ([None], [], ScoreError, "expected as many predictions as references, but got 1 and 0"),
        ([None] * 3, ROWS[:2], ScoreError, "but got 3 and 2"),
        ([None], None, ScoreError, "references: expected a list, one item per problem, but got none"),
        (None, ROWS, ScoreError, "predictions: expected a list"),
        ("m = q1", ROWS[:6], ScoreError, "predictions: expected a list, one item per problem, but got str"),
        ([None], ROWS[0], RowError, r"references: expected a list of rows, but got one row; give \[row\]"),
        (7, ROWS, ScoreError, "predictions: expected a list"),
        ([None, np.int64(3)], ROWS[:2], ScoreError, r"predictions\[1\]: expected None, .* numpy.int64"),
        ([{"template": ["m = a", b"n"]}], ROWS[:1], ScoreError, r"predictions\[0\].template\[1\]: expected .* b'n'"),
        ([{"alignment": [{"token": {1}}]}], ROWS[:1], ScoreError, r"predictions\[0\].alignment\[0\].token: .*set"),
        ([{3: 4}], ROWS[:1], ScoreError, r"predictions\[0\]: expected keys that are strings"),
        ([None, None], [ROWS[0], 5], RowError, r"references\[1\]: expected a row"),
        ([None], [ROWS[0] | {"template": ["m = "]}], RowError, rf"references\[0\]: problem {ROWS[0]['id']}: gold"),
        ([None], [ROWS[0] | {"equations": ["m"]}], RowError, rf"references\[0\]: problem {ROWS[0]['id']}: gold"),
        ([None], [ROWS[0] | {"solutions": {1, 2}}], ScoreError, r"references\[0\].solutions: .*set"),
    ],
)
def test_bad_input_is_one_clear_error(predictions: Any, references: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        metric().compute(predictions=predictions, references=references)
    module = evaluate.load("derivation_accuracy")
    with pytest.raises(error, match=message):  # noqa: PT012 - either of the two may refuse
        module.add_batch(predictions=predictions, references=references)
        module.compute()


def test_nothing_but_its_own_nesting_is_too_deep() -> None:
    deep: Any = "m = q1"
    for _ in range(MAX_NESTING + 1):
        deep = [deep]
    with pytest.raises(ScoreError, match=f"nested at most {MAX_NESTING} deep"):
        metric().compute(predictions=[deep], references=ROWS[:1])
    shallow = at_once([deep[0]], ROWS[:1])
    assert shallow[1]["counts"] == {"unreadable": 1}
    endless: list[Any] = []
    endless.append(endless)
    with pytest.raises(ScoreError, match="nested"):
        metric().compute(predictions=[endless], references=ROWS[:1])


@pytest.mark.parametrize(
    "wrong",
    [
        {"merge_equiv": "yes"}, {"tolerance": math.nan}, {"tolerance": "1e-4"}, {"tolerance": 1},
        {"equation": "second"}, {"seed": -1}, {"seed": 1.0}, {"data": None}, {"data": "a|b"}, {"return_verdicts": 1},
    ],
)  # fmt: skip
def test_bad_settings_are_refused_by_name_in_both_calls(wrong: dict[str, Any]) -> None:
    one = at_once([None], ROWS[:1], **wrong)
    assert one[0] == ChoiceError.__name__
    assert one[1].startswith(f"{next(iter(wrong))}: expected")
    assert in_batches([None], ROWS[:1], [], False, **wrong) == one


def test_unknown_settings_and_inputs_are_refused() -> None:
    with pytest.raises(TypeError, match="unexpected keyword argument 'normalise'"):
        metric().compute(predictions=[None], references=ROWS[:1], normalise=True)
    with pytest.raises(ValueError, match="Bad inputs for evaluation module"):
        metric().add(prediction=None, reference=ROWS[0], normalise=True)


def test_a_failure_leaves_neither_file_nor_lock_nor_rows(tmp_path: Path) -> None:
    module = evaluate.load("derivation_accuracy", cache_dir=str(tmp_path))
    for _ in range(3):
        module.add(prediction=None, reference={"id": 9})
        with pytest.raises(RowError, match="reference 9: expected the fields"):
            module.compute()
        assert not list(tmp_path.rglob("*.arrow"))
    module.add(prediction=None, reference=ROWS[0])
    assert module.compute()["n"] == 1
    assert not list(tmp_path.rglob("*.arrow"))
    assert [path.name for path in tmp_path.rglob("*.lock")] in ([], ["default_experiment-1-0.arrow.lock"])


def test_a_refused_batch_adds_nothing() -> None:
    module = evaluate.load("derivation_accuracy")
    module.add_batch(predictions=bundled("lucky")[:5], references=ROWS[:5])
    with pytest.raises(ScoreError, match=r"predictions\[6\]"):
        module.add_batch(predictions=[None, object()], references=ROWS[5:7])
    assert module.compute() == metric().compute(predictions=bundled("lucky")[:5], references=ROWS[:5])


def test_a_megabyte_is_a_reason() -> None:
    text = "x = " + "9" * 1_000_000
    assert at_once([text], ROWS[:1], return_verdicts=True) == in_batches(
        [text], ROWS[:1], [], False, return_verdicts=True
    )
    assert at_once([text], ROWS[:1])[1]["counts"] == {"too large": 1}


# The other calls of evaluate.


def test_what_was_added_and_what_is_given_are_scored_together() -> None:
    module = evaluate.load("derivation_accuracy")
    module.add_batch(predictions=bundled("mixed")[:7], references=ROWS[:7])
    together = module.compute(predictions=bundled("mixed")[7:], references=ROWS[7:])
    assert together == metric().compute(predictions=bundled("mixed"), references=ROWS)
    assert module.compute(predictions=[None], references=ROWS[:1])["n"] == 1


def test_rows_keep_their_order_however_they_were_added() -> None:
    module = evaluate.load("derivation_accuracy")
    module.add(prediction=None, reference=ROWS[0])
    module.add_batch(predictions=["", "m = "], references=ROWS[1:3])
    module.add(prediction=7, reference=ROWS[3])
    reasons = [verdict["message"] for verdict in module.compute(return_verdicts=True)["verdicts"]]
    assert reasons[:2] == ["no prediction", "an empty string"]
    assert reasons[3].endswith("but got 7")


def test_combining() -> None:
    combined = evaluate.combine(["derivation_accuracy"])
    plain = metric().compute(predictions=bundled("mixed"), references=ROWS)
    assert combined.compute(predictions=bundled("mixed"), references=ROWS) == plain
    combined.add_batch(predictions=bundled("mixed")[:20], references=ROWS[:20])
    for prediction, row in zip(bundled("mixed")[20:], ROWS[20:], strict=True):
        combined.add(prediction, row)
    assert combined.compute() == plain
    two = evaluate.combine({"a": metric(), "b": evaluate.load("derivation_accuracy")}, force_prefix=True)
    assert two.compute(predictions=[None], references=ROWS[:1])["b_n"] == 1


def test_four_threads_find_the_same() -> None:
    expected = metric().compute(predictions=bundled("mixed"), references=ROWS, return_verdicts=True)

    def shared(_: int) -> Any:
        return metric().compute(predictions=bundled("mixed"), references=ROWS, return_verdicts=True)

    def own(_: int) -> Any:
        module = evaluate.load("derivation_accuracy", experiment_id=str(uuid.uuid4()))
        module.add_batch(predictions=bundled("mixed"), references=ROWS)
        return module.compute(return_verdicts=True)

    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(shared, range(8))) == [expected] * 8
        assert list(threads.map(own, range(4))) == [expected] * 4


ONE_OF_FOUR = """
import json, sys
import draw_dataset, evaluate
from draw_dataset.data.sample import load_sample, load_sample_predictions
rows = [problem.to_row() for problem in load_sample()["test"]]
predictions = load_sample_predictions("mixed")
module = evaluate.load("derivation_accuracy", num_process=4, process_id={me}, experiment_id="four")
mine = rows[{begin}:{end}]
given = dict(predictions=[predictions[row["id"]] for row in mine], references=mine) if mine else {{}}
print(json.dumps(module.compute(return_verdicts=True, **given)))
"""


def test_four_processes_find_the_same_together(tmp_path: Path) -> None:
    """Each has a part of the rows, the last one none; the first one computes."""
    bounds = [0, 11, 25, 30, 30]
    codes = [ONE_OF_FOUR.format(me=me, begin=bounds[me], end=bounds[me + 1]) for me in range(4)]
    told = [json.loads(finish(process)) for process in [start(code, tmp_path, **OFFLINE) for code in codes]]
    assert told[1:] == [None] * 3
    assert told[0] == metric().compute(predictions=bundled("mixed"), references=ROWS, return_verdicts=True)


ALONE = """
import json, draw_dataset, evaluate
from draw_dataset.data.sample import load_sample, load_sample_predictions
rows = [problem.to_row() for problem in load_sample()["test"]]
predictions = load_sample_predictions("mixed")
module = evaluate.load("derivation_accuracy")
print(json.dumps(module.compute(predictions=[predictions[row["id"]] for row in rows], references=rows)))
"""


def test_four_spawned_processes_find_the_same_alone(tmp_path: Path) -> None:
    running = [start(ALONE, tmp_path, PYTHONHASHSEED=str(seed), **OFFLINE) for seed in range(4)]
    expected = metric().compute(predictions=bundled("mixed"), references=ROWS)
    assert [json.loads(finish(process)) for process in running] == [expected] * 4


# The bare name.

ORDERS = {
    "draw_dataset first": "import draw_dataset, evaluate\n",
    "evaluate first": "import evaluate\nimport draw_dataset\n",
    "load taken first": "from evaluate import load, combine\nimport draw_dataset, evaluate\n",
}
LOAD = (
    "print(evaluate.load('derivation_accuracy').name,\n"
    "      evaluate.load('derivation_accuracy', module_type='metric').name,\n"
    "      evaluate.combine(['derivation_accuracy']).evaluation_module_names)\n"
)


@pytest.mark.parametrize("offline", [{}, {"HF_EVALUATE_OFFLINE": "1", **OFFLINE}], ids=["online", "offline"])
@pytest.mark.parametrize("order", ORDERS.values(), ids=ORDERS)
def test_the_name_works_from_an_empty_folder_without_a_network(
    order: str, offline: dict[str, str], tmp_path: Path
) -> None:
    told = run(NO_NETWORK + order + LOAD, tmp_path, **offline)
    assert told == "derivation_accuracy derivation_accuracy ['derivation_accuracy']"


def test_a_local_directory_keeps_precedence(tmp_path: Path) -> None:
    folder = tmp_path / "here" / "derivation_accuracy"
    folder.mkdir(parents=True)
    (folder / "derivation_accuracy.py").write_text(
        "import datasets\nimport evaluate\n\n\nclass Mine(evaluate.Metric):\n    def _info(self):\n"
        "        return evaluate.MetricInfo(description='', citation='', features=datasets.Features({}))\n"
    )
    code = "import draw_dataset, evaluate; print(evaluate.load('derivation_accuracy').name)"
    assert run(code, tmp_path, folder.parent, **OFFLINE) == "mine"


def test_other_names_revisions_and_kinds_are_left_to_the_library(tmp_path: Path) -> None:
    code = (
        "import draw_dataset, evaluate\n"
        "for name, more in [('another_accuracy', {}), ('derivation_accuracy', {'revision': 'main'}),\n"
        "                   ('derivation_accuracy', {'module_type': 'comparison'})]:\n"
        "    try:\n"
        "        print(evaluate.load(name, **more))\n"
        "    except (FileNotFoundError, ConnectionError):\n"
        "        print('not ours')\n"
    )
    told = run(code, tmp_path, HF_EVALUATE_OFFLINE="1", **OFFLINE)
    assert told.splitlines() == ["not ours"] * 3


def test_the_metric_tells_what_it_is() -> None:
    module = metric()
    assert module.module_type == "metric"
    assert "q-notation" in module.inputs_description
    assert "Upadhyay" in module.citation
    assert "q-notation" in module.compute.__doc__
    assert os.path.basename(module.data_dir) == "default"
