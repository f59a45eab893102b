"""Files of predictions in other formats and layouts: the same scores, the notes about them, and refusals."""

from __future__ import annotations

import json
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scoring.file_formats import (
    FORMATS,
    as_csv,
    inspect_eval,
    inspect_sample,
    lines,
    lm_eval,
    own,
    table,
    whole,
)

from draw_dataset import score_file
from draw_dataset.checks.voices import read_answers
from draw_dataset.cli import main
from draw_dataset.data.sample import load_sample, load_sample_answers, load_sample_predictions
from draw_dataset.errors import ScoreError
from draw_dataset.scoring.files import read_predictions
from draw_dataset.scoring.gold_rows import FiledReferences, ListedIds, ListedReferences
from draw_dataset.scoring.score import Score, score

ROWS = [problem.to_row() for problem in load_sample()["test"]]
IDS = [row["id"] for row in ROWS]
ANSWERS = {id_: load_sample_answers("hasty")[id_] for id_ in IDS}
MIXED = load_sample_predictions("mixed")


@pytest.fixture(scope="module")
def references() -> ListedReferences:
    return ListedReferences(ROWS)


@pytest.fixture(scope="module")
def expected() -> dict[str, Any]:
    return score([{"answer": text} for text in ANSWERS.values()], ROWS).to_dict()


@pytest.mark.parametrize("description", FORMATS)
def test_every_format_gives_the_same_score(
    description: str, tmp_path: Path, references: ListedReferences, expected: dict[str, Any]
) -> None:
    name, make = FORMATS[description]
    notes: list[str] = []
    found = score_file(make(tmp_path / name, ANSWERS), references, note=notes.append)
    assert found.to_dict() == expected
    assert len(notes) <= 2


def test_rows_in_a_file_match_ids_of_another_type(tmp_path: Path, expected: dict[str, Any]) -> None:
    rows = lines(tmp_path / "rows.jsonl", ROWS)
    notes: list[str] = []
    with FiledReferences(rows) as filed:
        path = lines(tmp_path / "a.jsonl", [{"id": str(i), "answer": t} for i, t in ANSWERS.items()])
        assert score_file(path, filed, note=notes.append).to_dict() == expected
    assert len(notes) == 1
    assert notes[0].endswith("ids are strings here and matched as numbers, as the rows have them")
    texts = lines(tmp_path / "texts.jsonl", [row | {"id": str(row["id"])} for row in ROWS])
    with FiledReferences(texts) as filed:
        found = score_file(lines(tmp_path / "b.jsonl", own(ANSWERS)), filed)
    assert found.counts == expected["counts"]


def test_derivations_are_read_from_tables_and_lists(tmp_path: Path) -> None:
    expected = score([MIXED[id_] for id_ in IDS], ROWS).to_dict()
    cells = {id_: p if p is None or isinstance(p, str) else json.dumps(p) for id_, p in MIXED.items()}
    records = [{"id": id_, "prediction": cell} for id_, cell in cells.items()]
    path = tmp_path / "a.csv"
    path.write_text(as_csv(records), encoding="utf-8")
    assert score_file(path, ROWS).to_dict() == expected
    assert score_file(whole(tmp_path / "a.json", {i: MIXED[i] for i in IDS}), ROWS).to_dict() == expected
    columns = ("template", "alignment")
    split = [{"id": row["id"], **{name: json.dumps(row[name]) for name in columns}, "derivation": ""} for row in ROWS]
    path.write_text(as_csv(split), encoding="utf-8")
    assert score_file(path, ROWS).counts == {"right": 30}
    texts = whole(tmp_path / "texts.json", [row["derivation"] for row in ROWS])
    notes: list[str] = []
    assert score_file(texts, ROWS, note=notes.append).counts == {"right": 30}
    assert notes[0].endswith("30 texts without ids are matched to the rows in order, as predictions in q-notation")


def test_parquet_with_columns_of_predictions(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    rows = [
        {"id": row["id"], "template": row["template"], "alignment": row["alignment"], "derivation": None}
        for row in ROWS[:-1]
    ]
    rows.append({"id": IDS[-1], "template": None, "alignment": None, "derivation": None})
    parquet.write_table(pyarrow.Table.from_pylist(rows), tmp_path / "p.parquet", row_group_size=7)
    assert score_file(tmp_path / "p.parquet", ROWS).counts == {"right": 29, "abstained": 1}


# Notes


@pytest.mark.parametrize(
    ("description", "note"),
    [
        ("the fields ('task_id', 'output')", 'using "output" as the answer, "task_id" as the id'),
        ("samples of lm-eval", 'using "resps" as the answer, "doc.id" as the id'),
        ("results of a batch", 'using "response" as the answer, "custom_id" as the id'),
        ("chats", 'using "messages" as the answer'),
        ("an archive of inspect-ai", 'using "output" as the answer'),
        ("the fields ('problem_id', 'answer')", 'using "problem_id" as the id'),
    ],
)
def test_the_fields_that_are_used_are_said_once(
    description: str, note: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name, make = FORMATS[description]
    path = make(tmp_path / name, ANSWERS)
    assert main(["score", str(path), "--config", "sample/test", "--samples", "100"]) == 0
    err = capsys.readouterr().err
    assert sum(line.startswith(f"draw score: {path}: {note}") for line in err.splitlines()) == 1


def test_our_own_layout_needs_no_note(tmp_path: Path) -> None:
    notes: list[str] = []
    score_file(lines(tmp_path / "a.jsonl", own(ANSWERS)), ROWS, note=notes.append)
    score_file(lines(tmp_path / "b.jsonl", [{**one, "text": "?"} for one in own(ANSWERS)]), ROWS, note=notes.append)
    assert notes == []


def test_a_field_of_gold_beside_the_answer_is_told(tmp_path: Path) -> None:
    notes: list[str] = []
    records = [{"problem_id": i, "answer": "7", "response": t} for i, t in ANSWERS.items()]
    found = score_file(lines(tmp_path / "a.jsonl", records), ROWS, note=notes.append)
    assert found.counts == score([{"answer": t} for t in ANSWERS.values()], ROWS).counts
    assert 'using "response" as the answer (not "answer"; field=answer takes that)' in notes[0]
    rows = [{**row, "response": ANSWERS[row["id"]]} for row in ROWS]
    gold = score_file(lines(tmp_path / "b.jsonl", rows), ROWS, note=notes.append)
    assert gold.counts == {"right": 30}  # as ever: the fields of a row are a prediction
    assert '(not "response"; field=response takes that)' in notes[1]
    assert score_file(tmp_path / "b.jsonl", ROWS, field="response").counts == found.counts


# Samples


def test_samples_of_other_layouts_are_numbered(tmp_path: Path) -> None:
    first = {i: ANSWERS[i] for i in IDS[:3]}
    rows = ROWS[:3]
    several = [
        inspect_eval(tmp_path / "a.eval", first, epochs=2),
        lines(tmp_path / "b.jsonl", [{"id": i, "responses": [t, "no idea"]} for i, t in first.items()]),
        lines(tmp_path / "c.jsonl", [{"doc_id": 0, "doc": {"id": i}, "resps": [[t, "?"]]} for i, t in first.items()]),
    ]
    expected = score([{"answer": text} for text in first.values()], rows).counts
    for path in several:
        both = score_file(path, rows)
        assert (both.count, both.problems, both.samples) == (6, 3, 2)
        assert both.pass_at(2, "solution") == score_file(path, rows, sample=0).accuracy("solution")
        assert score_file(path, rows, sample=0).counts == expected
        assert len(read_answers([path])[path.stem]) == 6


# Options


def test_fields_inside_fields_are_named_by_a_path(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = lines(tmp_path / "a.jsonl", [{"of": {"nr": i}, "got": {"said": t}} for i, t in ANSWERS.items()])
    given = ["score", str(path), "--config", "sample/test", "--samples", "100", "--format", "json"]
    assert main([*given, "--id-field", "of.nr", "--field", "got.said"]) == 0
    found = json.loads(capsys.readouterr().out)["systems"][0]["counts"]
    assert found == score([{"answer": text} for text in ANSWERS.values()], ROWS).counts


@pytest.mark.parametrize(
    ("record", "said"),
    [
        ({"nr": 91, "reply_en": "x + y = 20"},
         ["line 1: expected an id, and a field with", "did you mean --id-field nr and --field reply_en?"]),
        ({"id": 91, "reply_en": "x + y = 20", "q": "?"}, ["expected a field with", "did you mean --field reply_en?"]),
        ({"my nr": 91, "it's": "x + y = 20"}, ["--id-field 'my nr' and --field 'it'\"'\"'s'?"]),
        ({"nr": 91, "response": "x + y = 20"}, ["expected an id, but got", "did you mean --id-field nr?"]),
        ({"id": 91, "reply (en)": "x + y = 20"}, ["did you mean --field 'reply (en)'?"]),
        ({"id": 91, "question": "?"}, ["expected a field with the prediction or the answer, but got 'id', 'question'"]),
        ({"response": "x + y = 20"}, ["line 1: expected an id, but got the keys ['response']"]),
        ({"id": 91, "response": 7}, ["expected a field with"]),
    ],
)  # fmt: skip
def test_an_unknown_layout_is_refused_with_the_option_to_add(
    record: dict[str, Any], said: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = lines(tmp_path / "a.jsonl", [record])
    assert main(["score", str(path), "--config", "sample/test", "--missing", "abstain"]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    for part in said:
        assert part in captured.err


def test_the_option_that_is_advised_helps(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = table(tmp_path / "a.csv", ANSWERS, names=("nr", "reply_en"))
    given = ["score", str(path), "--config", "sample/test", "--samples", "100"]
    assert main(given) == 2
    assert "did you mean --id-field nr and --field reply_en?" in capsys.readouterr().err
    assert main([*given, "--id-field", "nr"]) == 2
    assert "did you mean --field reply_en?" in capsys.readouterr().err
    assert main([*given, "--id-field", "nr", "--field", "reply_en"]) == 0


@pytest.mark.parametrize(
    "names", [("Problem ID", "Model answer"), ("problem-id", "Answer"), ("ID", "Response"), ("Id ", "model  Output")]
)
def test_names_of_fields_are_matched_in_any_spelling(
    names: tuple[str, str], tmp_path: Path, expected: dict[str, Any]
) -> None:
    told: list[str] = []
    for path in (
        table(tmp_path / "a.csv", ANSWERS, names=names),
        lines(tmp_path / "a.jsonl", [{names[0]: i, "Question": "Is it ?", names[1]: t} for i, t in ANSWERS.items()]),
    ):
        found = score_file(path, ROWS, note=told.append)
        assert {**found.to_dict(), "signature": ""} == {**expected, "signature": ""}
    assert all(f'"{names[1]}" as the answer, "{names[0]}" as the id' in note for note in told)
    assert len(told) == 2


def test_our_own_fields_are_matched_in_any_spelling(tmp_path: Path) -> None:
    said = [{"ID": row["id"], "Sample": 0, "Derivation": row["derivation"]} for row in ROWS]
    told: list[str] = []
    found = score_file(lines(tmp_path / "a.jsonl", said), ROWS, sample=0, note=told.append)
    assert found.counts == {"right": 30}
    assert told[0].endswith('a.jsonl: using "Sample" as the sample, "Derivation" as the derivation, "ID" as the id')
    named = score_file(lines(tmp_path / "b.jsonl", [{**line, "sample": 1} for line in said]), ROWS, sample=1)
    assert named.counts == {"right": 30}  # a field that is written as ours comes first


def test_a_line_that_does_not_fit_the_layout_is_named(tmp_path: Path) -> None:
    good = [{"id": i, "response": t} for i, t in ANSWERS.items()]
    for bad, said in (
        ({"id": 95, "output": "x = 3"}, r"line 12: expected the field response, but got the keys .* did you mean"),
        ({"id": 95, "response": 7}, r"line 12: expected a string as response, or null to abstain, but got 7"),
        ({"nr": 95, "response": "x"}, r"line 12: expected an id, but got the keys .*id_field=nr"),
    ):
        path = lines(tmp_path / "a.jsonl", [*good[:11], bad])
        with pytest.raises(ScoreError, match=said):
            score_file(path, ROWS, missing="abstain")
    path = lines(tmp_path / "a.jsonl", [*good[:29], {"id": 120, "response": None}])
    assert score_file(path, ROWS).counts["abstained"] == 1


# Texts without ids


def test_texts_are_matched_only_if_there_are_as_many(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    texts = [text.replace("\n", " ") for text in ANSWERS.values()]
    path.write_text("\n".join(texts) + "\n", encoding="utf-8")
    notes: list[str] = []
    found = score_file(path, ROWS, note=notes.append)
    assert found.counts == score([{"answer": text} for text in texts], ROWS).counts
    assert notes == [f"{path}: 30 texts without ids are matched to the rows in order, as model answers"]
    for count in (29, 31, 0):
        path.write_text("".join(f"{text}\n" for text in (texts * 2)[:count]), encoding="utf-8")
        with pytest.raises(ScoreError, match="expected a text for each of the 30 rows"):
            score_file(path, ROWS, missing="abstain")
    with pytest.raises(ScoreError, match="texts without any"):
        list(read_predictions(path))
    # Rows that are the same share the first prediction.
    path.write_text("".join(f"{text}\n" for text in texts[:2] * 2), encoding="utf-8")
    assert score_file(path, ROWS[:2] * 2).count == 4


def test_an_array_of_texts_may_have_nulls_but_no_objects(tmp_path: Path) -> None:
    found = score_file(whole(tmp_path / "a.json", [None, *list(ANSWERS.values())[1:]]), ROWS)
    assert found.counts["abstained"] == 1
    with pytest.raises(ScoreError, match="expected a string as before, but got 7"):
        score_file(whole(tmp_path / "b.json", [None, 7]), ROWS)
    with pytest.raises(ScoreError, match="line 1: expected a JSON object, but got 7"):
        score_file(whole(tmp_path / "b.json", [7]), ROWS)


# Failed requests and empty replies


def test_failed_requests_abstain(tmp_path: Path) -> None:
    records: list[dict[str, Any]] = [
        {"custom_id": "91", "response": None, "error": {"code": "expired"}},
        {"custom_id": "92", "response": {"status_code": 500, "body": {"error": {"message": "overloaded"}}}},
        {"custom_id": "93", "response": {"body": {"choices": [{"message": {"role": "assistant", "content": None}}]}}},
        {"custom_id": "94", "response": {"body": {"choices": []}}},
        {"custom_id": "95", "response": {"body": {"output": [{"type": "function_call", "name": "f"}]}}},
    ]  # fmt: skip
    assert score_file(lines(tmp_path / "a.jsonl", records), ROWS[:5]).counts == {"abstained": 5}
    sample = inspect_sample(91, "") | {"output": {"model": "m", "choices": [], "error": "timeout"}}
    assert score_file(lines(tmp_path / "b.jsonl", [sample]), ROWS[:1]).counts == {"abstained": 1}


def test_an_attachment_of_inspect_is_read(tmp_path: Path) -> None:
    sample = inspect_sample(91, "attachment://abc") | {"attachments": {"abc": ANSWERS[91]}}
    found = score_file(lines(tmp_path / "a.jsonl", [sample]), ROWS[:1])
    assert found.counts == score([{"answer": ANSWERS[91]}], ROWS[:1]).counts
    apart = lines(tmp_path / "b.jsonl", [sample | {"attachments": {}}])
    with pytest.raises(ScoreError, match="line 1: expected the text of the answer, but it is stored apart"):
        score_file(apart, ROWS[:1])


def test_samples_of_several_files_are_read(tmp_path: Path) -> None:
    path = tmp_path / "a.eval"
    with zipfile.ZipFile(path, "w") as archive:
        for id_ in IDS[:3]:
            folder = f"samples/{id_}_epoch_1"
            archive.writestr(f"{folder}/sample.json", json.dumps(inspect_sample(id_, ANSWERS[id_])))
            archive.writestr(f"{folder}/messages/0.json", "[]")
            archive.writestr(f"{folder}/skeleton.json", "{}")
    assert score_file(path, ROWS[:3]).counts == score([{"answer": ANSWERS[i]} for i in IDS[:3]], ROWS[:3]).counts


def test_prompt_styles_of_harnesses_are_kept(tmp_path: Path) -> None:
    path = lm_eval(tmp_path / "a.jsonl", {91: ANSWERS[91]})
    record = json.loads(path.read_text().splitlines()[0])
    for style, kept in (("marked/1", "marked/1"), ("of another task", None)):
        record["doc"]["prompt_style"] = style
        (found,) = read_predictions(lines(path, [record]))
        assert found.prediction.get("prompt_style") == kept


# Other commands


def test_check_reads_answers_of_every_layout(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    careful = load_sample_answers("careful")
    rows = lines(tmp_path / "rows.jsonl", ROWS)
    path = table(tmp_path / "mine.csv", careful, names=("task_id", "response"))
    assert main(["check", str(rows), "--answers", str(path)]) == 0
    captured = capsys.readouterr()
    assert "among 30 problems with answers" in captured.out
    assert 'using "response" as the answer, "task_id" as the id' in captured.err
    other = table(tmp_path / "other.csv", careful, names=("nr", "reply_en"))
    assert main(["check", str(rows), "--answers", str(other), "--id-field", "nr", "--field", "reply_en"]) == 0
    assert main(["check", str(rows), "--id-field", "nr"]) == 2
    assert "expected --answers FILE with --id-field" in capsys.readouterr().err
    assert read_answers([path], known=ListedIds(IDS))["mine"][0][0] == 91


def test_show_takes_a_prediction_of_any_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = table(tmp_path / "mine.csv", ANSWERS)
    assert main(["show", "92", "--predictions", str(path)]) == 0
    assert "expected a prediction" not in capsys.readouterr().err


def test_variants_take_answers_of_every_layout(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made = tmp_path / "v.jsonl"
    assert main(["variants", "make", "sample/test", "--count", "2", "--with-originals", "--out", str(made)]) == 0
    rows = [json.loads(line) for line in made.read_text().splitlines()]
    said = {row["id"]: "The answers are " + " and ".join(f"{value:g}" for value in row["solutions"]) for row in rows}
    wanted = [{"id": id_, "answer": text} for id_, text in said.items()]
    found = []
    for path in (
        lines(tmp_path / "a.jsonl", wanted),
        table(tmp_path / "b.csv", said),  # type: ignore[arg-type]
        lines(tmp_path / "c.jsonl", [{"task_id": i, "response": t} for i, t in said.items()]),
        whole(tmp_path / "d.json", said),
        whole(tmp_path / "e.json", list(said.values())),
    ):
        capsys.readouterr()
        assert main(["variants", "score", str(path), "--variants", str(made), "--json"]) == 0
        result = json.loads(capsys.readouterr().out)
        found.append({name: value for name, value in result["systems"][0].items() if name not in ("name", "system")})
    assert found == found[:1] * len(found)
    numbers = lines(tmp_path / "n.jsonl", [{"nr": row["id"], "got": row["solutions"]} for row in rows])
    given = ["variants", "score", str(numbers), "--variants", str(made), "--field", "got", "--id-field", "nr"]
    assert main(given) == 0


# Laws


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    answers=st.dictionaries(st.integers(0, 10**6), texts, min_size=1, max_size=6),
    description=st.sampled_from(sorted(FORMATS)),
)
def test_texts_of_any_characters_are_read_as_they_were(
    answers: dict[int, str], description: str, tmp_path: Path
) -> None:
    name, make = FORMATS[description]
    is_table = "CSV" in description or "TSV" in description
    if is_table:
        answers = {id_: text.replace("\r", " ").replace("\0", " ") for id_, text in answers.items()}
    if "texts by id" in description or "a list of texts" in description:
        answers = {id_: f"So {text}" for id_, text in answers.items()}
    known = ListedIds(answers)
    read = {
        known.id_at(known.positions(id_)[0]): None if prediction is None else prediction["answer"]
        for _, id_, prediction in read_predictions(make(tmp_path / name, answers), known=known)
    }
    assert read == {id_: text or None if is_table else text for id_, text in answers.items()}


def test_standard_input_is_read_in_every_format_that_its_content_tells(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, expected: dict[str, Any]
) -> None:
    for description in ("lines, .gz", "lines, .zst", "Parquet", "an archive of inspect-ai", "texts by id", "chats"):
        name, make = FORMATS[description]
        with make(tmp_path / name, ANSWERS).open(encoding="utf-8") as file:
            monkeypatch.setattr(sys, "stdin", file)
            assert score_file("-", ROWS).to_dict() == expected


def test_a_score_of_lines_is_that_of_before(tmp_path: Path) -> None:
    path = lines(tmp_path / "p.jsonl", [{"id": id_, "prediction": MIXED[id_]} for id_ in IDS])
    found: Score = score_file(path, ROWS)
    assert found.to_dict() == score([MIXED[id_] for id_ in IDS], ROWS).to_dict()
