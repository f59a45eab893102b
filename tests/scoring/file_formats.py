"""The answers of the sample in the formats of files that people have; each maker writes a file and returns its path."""

from __future__ import annotations

import csv
import gzip
import io
import json
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

Answers = Mapping[int, str]
Maker = Callable[[Path, Answers], Path]


def lines(path: Path, records: list[Any]) -> Path:
    path.write_text("".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records), encoding="utf-8")
    return path


def whole(path: Path, value: Any, indent: int | None = None) -> Path:
    path.write_text(json.dumps(value, ensure_ascii=False, indent=indent), encoding="utf-8")
    return path


def table(path: Path, answers: Answers, delimiter: str = ",", names: tuple[str, str] = ("id", "answer")) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter=delimiter)
        writer.writerow([*names, "model"])
        writer.writerows([id_, text, "mine"] for id_, text in answers.items())
    return path


def own(answers: Answers) -> list[dict[str, Any]]:
    return [{"id": id_, "answer": text} for id_, text in answers.items()]


def parquet(path: Path, answers: Answers) -> Path:
    import pyarrow
    import pyarrow.parquet

    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(own(answers)), path)
    return path


def lm_eval(path: Path, answers: Answers) -> Path:
    """Write samples of lm-evaluation-harness: every filter repeats the answers."""
    return lines(
        path,
        [
            {
                "doc_id": at, "doc": {"id": str(id_), "problem": "How many?"}, "target": "7",
                "arguments": {"gen_args_0": {"arg_0": "How many?", "arg_1": {"until": []}}},
                "resps": [[text]], "filtered_resps": ["7" if name == "strict" else text], "filter": name,
                "metrics": ["exact_match"], "doc_hash": "0" * 64, "prompt_hash": "1" * 64, "exact_match": 0.0,
            }
            for name in ("strict", "flexible")
            for at, (id_, text) in enumerate(answers.items())
        ],
    )  # fmt: skip


def inspect_sample(id_: int, text: str, epoch: int = 1) -> dict[str, Any]:
    parts = [{"type": "reasoning", "reasoning": "9 + 9 = 18"}, {"type": "text", "text": text}]
    return {
        "id": id_, "epoch": epoch, "input": [{"role": "user", "content": "How many?"}], "choices": ["1", "2"],
        "target": "7", "messages": [{"role": "user", "content": "How many?"}, {"role": "assistant", "content": parts}],
        "output": {
            "model": "mockllm/model", "completion": text,
            "choices": [{"message": {"role": "assistant", "content": parts}, "stop_reason": "stop"}],
        },
        "scores": {"derivation_scorer": {"value": {"derivation": 1}, "answer": "7"}}, "metadata": {}, "attachments": {},
    }  # fmt: skip


def inspect_json(path: Path, answers: Answers) -> Path:
    samples = [inspect_sample(id_, text) for id_, text in answers.items()]
    log = {"version": 2, "status": "success", "eval": {"task": "mine"}, "plan": {}, "results": {}, "stats": {}}
    return whole(path, {**log, "samples": samples}, indent=2)


def inspect_eval(path: Path, answers: Answers, epochs: int = 1) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("_journal/start.json", json.dumps({"version": 2, "eval": {"task": "mine"}}))
        for epoch in range(1, epochs + 1):
            for id_, text in answers.items():
                sample = json.dumps(inspect_sample(id_, text, epoch))
                archive.writestr(f"samples/{id_}_epoch_{epoch}.json", sample)
        archive.writestr("summaries.json", json.dumps([{"id": id_, "epoch": 1} for id_ in answers]))
        archive.writestr("header.json", json.dumps({"version": 2, "status": "success"}))
    return path


def batch(path: Path, answers: Answers) -> Path:
    def body(text: str) -> dict[str, Any]:
        message = {"role": "assistant", "content": text, "refusal": None}
        return {"id": "chatcmpl-1", "object": "chat.completion", "choices": [{"index": 0, "message": message}]}

    return lines(
        path,
        [
            {"id": f"batch_req_{id_}", "custom_id": str(id_), "error": None,
             "response": {"status_code": 200, "request_id": "r", "body": body(text)}}
            for id_, text in answers.items()
        ],
    )  # fmt: skip


def responses_batch(path: Path, answers: Answers) -> Path:
    def body(text: str) -> dict[str, Any]:
        message = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]}
        output = [{"type": "reasoning", "summary": []}, message]
        return {"id": "resp_1", "object": "response", "error": None, "output": output, "text": {"format": {}}}

    return lines(
        path,
        [
            {"id": f"batch_req_{id_}", "custom_id": str(id_), "response": {"status_code": 200, "body": body(text)}}
            for id_, text in answers.items()
        ],
    )


def message_batch(path: Path, answers: Answers) -> Path:
    """Write results of Anthropic's batches."""
    return lines(
        path,
        [
            {"custom_id": str(id_), "result": {"type": "succeeded", "message": {
                "type": "message", "role": "assistant", "content": [{"type": "text", "text": text}]}}}
            for id_, text in answers.items()
        ],
    )  # fmt: skip


def candidates(path: Path, answers: Answers) -> Path:
    """Write results of Gemini's batches."""
    return lines(
        path,
        [
            {"key": str(id_), "response": {"candidates": [{"content": {"role": "model", "parts": [{"text": text}]}}]}}
            for id_, text in answers.items()
        ],
    )


def chats(path: Path, answers: Answers) -> Path:
    ask = [{"role": "system", "content": "Solve."}, {"role": "user", "content": "How many?"}]
    return lines(path, [{"id": i, "messages": [*ask, {"role": "assistant", "content": t}]} for i, t in answers.items()])


def share_gpt(path: Path, answers: Answers) -> Path:
    return whole(
        path,
        [
            {"id": i, "conversations": [{"from": "human", "value": "?"}, {"from": "gpt", "value": t}]}
            for i, t in answers.items()
        ],
    )


def named(id_name: str, answer_name: str) -> Maker:
    return lambda path, answers: lines(
        path, [{id_name: i, "prompt": "How many?", answer_name: t, "target": "7"} for i, t in answers.items()]
    )


def compressed(maker: Maker, ending: str) -> Maker:
    def make(path: Path, answers: Answers) -> Path:
        plain = maker(path.with_suffix(""), answers)
        content = plain.read_bytes()
        plain.unlink()
        path.write_bytes(gzip.compress(content) if ending == ".gz" else zstd(content))
        return path

    return make


def zstd(content: bytes) -> bytes:
    from draw_dataset.io.inflate import _zstd_module

    return bytes(_zstd_module().compress(content))


def with_newlines_escaped(answers: Answers) -> list[str]:
    return [text.replace("\n", " ") for text in answers.values()]


FORMATS: dict[str, tuple[str, Maker]] = {
    "lines": ("a.jsonl", lambda path, answers: lines(path, own(answers))),
    "lines of another name": ("a.out", lambda path, answers: lines(path, own(answers))),
    "lines in a text file": ("a.txt", lambda path, answers: lines(path, own(answers))),
    "an array": ("a.json", lambda path, answers: whole(path, own(answers))),
    "an array on many lines": ("a.json", lambda path, answers: whole(path, own(answers), indent=1)),
    "objects on many lines, as jq writes them": (
        "a.json", lambda path, answers: path.write_text("\n".join(json.dumps(o, indent=2) for o in own(answers)))
        and path,
    ),
    "texts by id": ("a.json", lambda path, answers: whole(path, answers)),
    "texts by id on many lines": ("a.json", lambda path, answers: whole(path, answers, indent=2)),
    "records by id": ("a.json", lambda path, answers: whole(path, {i: {"answer": t} for i, t in answers.items()})),
    "other records by id": ("a.json", lambda path, answers: whole(path, {i: {"text": t} for i, t in answers.items()})),
    "samples by id": ("a.json", lambda path, answers: whole(path, {i: [t] for i, t in answers.items()})),
    "a list in a field": ("a.json", lambda path, answers: whole(path, {"model": "m", "predictions": own(answers)})),
    "CSV": ("a.csv", table),
    "CSV of other names": ("a.csv", lambda path, answers: table(path, answers, names=("problem_id", "response"))),
    "CSV with semicolons": ("a.csv", lambda path, answers: table(path, answers, ";")),
    "TSV": ("a.tsv", lambda path, answers: table(path, answers, "\t")),
    "CSV whose ids became floats": (
        "a.csv", lambda path, answers: table(path, {f"{id_}.0": text for id_, text in answers.items()}),  # type: ignore[misc]
    ),
    "Parquet": ("a.parquet", parquet),
    "Parquet of another name": ("a", parquet),
    "samples of lm-eval": ("samples_task_2026-01-01T00-00-00.jsonl", lm_eval),
    "a log of inspect-ai": ("a.json", inspect_json),
    "an archive of inspect-ai": ("a.eval", inspect_eval),
    "results of a batch": ("a.jsonl", batch),
    "results of a batch of responses": ("a.jsonl", responses_batch),
    "results of Anthropic": ("a.jsonl", message_batch),
    "results of Gemini": ("a.jsonl", candidates),
    "chats": ("a.jsonl", chats),
    "conversations": ("a.json", share_gpt),
    "a list of texts": ("a.json", lambda path, answers: whole(path, list(answers.values()))),
    "a list of texts, indented": ("a.txt", lambda path, answers: whole(path, list(answers.values()), indent=0)),
    "choices": (
        "a.jsonl",
        lambda path, answers: lines(path, [{"id": i, "choices": [{"text": t}]} for i, t in answers.items()]),
    ),
    "a completion that is a chat": (
        "a.jsonl",
        lambda path, answers: lines(
            path, [{"id": i, "completion": [{"role": "assistant", "content": t}]} for i, t in answers.items()]
        ),
    ),
    "outputs of vLLM": (
        "a.jsonl",
        lambda path, answers: lines(path, [{"id": i, "outputs": [{"text": t}]} for i, t in answers.items()]),
    ),
    **{
        f"the fields {pair}": ("a.jsonl", named(*pair))
        for pair in (
            ("problem_id", "answer"), ("question_id", "response"), ("task_id", "output"), ("doc_id", "completion"),
            ("custom_id", "generated_text"), ("idx", "text"), ("index", "model_answer"), ("iIndex", "model_output"),
            ("id", "pred"), ("ID", "generation"),
        )
    },
}  # fmt: skip
"""The name of a file and its maker, by a description."""

for _description, _ending in (
    *(("lines", ".gz"), ("lines", ".zst"), ("CSV", ".gz"), ("TSV", ".zst"), ("Parquet", ".gz")),
    *(("an archive of inspect-ai", ".zst"), ("texts by id", ".gz")),
):
    _name, _maker = FORMATS[_description]
    FORMATS[f"{_description}, {_ending}"] = (f"{_name}{_ending}", compressed(_maker, _ending))


def as_csv(records: list[dict[str, Any]]) -> str:
    out = io.StringIO()
    writer = csv.DictWriter(out, records[0].keys())
    writer.writeheader()
    writer.writerows(records)
    return out.getvalue()
