"""Sections of functions: answers, rows, templates, derived rows, variants, scores, adapters."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from importlib import import_module
from itertools import islice, pairwise
from typing import Any

from frozen.values import SHARED, Item, all_rows, attempt, digest_of, load_rows, mask, plain, read_lines, take_piece

ANSWER_FILES = {
    "chatgpt_draw1k": "draw1k", "gpt35_draw1k": "draw1k", "gpt35_alg514": "alg514", "gsm8k_models": "",
    "modern_gsm8k": "", "mr_gsm8k_wrong": "", "processbench_gsm8k": "",
}  # fmt: skip
"""The files of answers with the dataset of their gold; gold of the others is derived from worked solutions."""

SOURCES = {
    "asdiv.xml": "asdiv", "gsm8k_test.jsonl": "gsm8k", "gsm8k_test_full.jsonl": "gsm8k", "gsm8k_train.jsonl": "gsm8k",
    "mawps.csv": "mawps", "svamp.json": "svamp", "svamp_full.json": "svamp",
}  # fmt: skip
DATASETS = ("draw1k", "alg514", "dolphin_l", "sample")
CORRECTED = (False, True, "v1", "v2", "v2-derivations")


@cache
def worked_solutions() -> dict[str, str]:
    """Return the worked solutions of GSM8K by question."""
    names = ("gsm8k_train.jsonl", "gsm8k_test_full.jsonl")
    lines = [line for name in names for line in read_lines(SHARED / "sources" / name)]
    return {" ".join(line["question"].split()): line["answer"] for line in lines}


@cache
def derive_gold(question: str, solution: str) -> dict[str, Any]:
    """Return the row derived from a worked solution."""
    from draw_dataset import derive

    record = {"id": 0, "question": question, "solution": solution}
    row: dict[str, Any] = derive([record], question="question", solution="solution")[0]
    return row


def answers_of(entry: dict[str, Any]) -> dict[str, str]:
    """Return the answers of one line, by the name of their writer or sample."""
    if "answers" in entry:
        return dict(entry["answers"])
    name = entry.get("model", entry.get("sample", entry.get("generator", "")))
    return {str(name): entry["answer"] if "answer" in entry else "\n\n".join(entry["steps"])}


def freeze_answers(every: int, name: str, piece: int) -> Iterator[Item]:
    """Yield verdicts, messages and readings of the answers in one piece of a file."""
    from draw_dataset import DrawError, grade, read_answer

    gold = {row["id"]: row for row in all_rows(ANSWER_FILES[name])} if ANSWER_FILES[name] else {}
    for at, entry in take_piece(read_lines(SHARED / "llm_answers" / f"{name}.jsonl"), every, piece):
        if gold:
            row = gold[entry["id"]]
        else:
            question = entry.get("question", entry.get("problem"))
            row = derive_gold(question, entry.get("solution") or worked_solutions().get(" ".join(question.split()), ""))
        for writer, answer in answers_of(entry).items():
            key = f"{name}:{at}:{entry.get('id', entry.get('uuid'))}:{writer}"
            read = attempt(read_answer, answer, row)
            try:
                verdict = grade({"answer": answer}, row)
                strict = grade({"answer": answer}, row, match="algorithm1")
            except DrawError as error:
                yield "answers", key, "refused"
                yield "messages", key, mask(str(error))
                yield "readings", key, {"read": read}
                continue
            value = plain(verdict)
            yield "messages", key, [value.pop("message"), strict.message]
            yield "answers", key, {**value, "algorithm1": [strict.derivation, str(strict.reason)]}
            judged = plain(verdict.reading)
            yield "readings", key, {"read": read, "judged": "as read" if judged == read else judged}


def freeze_rows(every: int, dataset: str) -> Iterator[Item]:
    """Yield the rows of a dataset's configurations, as published and corrected."""
    from datasets import load_dataset

    import draw_dataset  # noqa: F401 - makes the names known

    for corrected in CORRECTED:
        for split, rows in load_rows(dataset, corrected).items():
            yield "rows", f"{dataset}+{corrected}/{split}", len(rows)
            for at, row in take_piece(rows, every, 0, 1):
                published = load_rows(dataset)[split][at]
                same = corrected is not False and row == published
                yield "rows", f"{dataset}+{corrected}/{split}/{at}", "as published" if same else plain(row)
    loaded = load_dataset("draw_sample" if dataset == "sample" else dataset, split="all")
    yield "rows", f"{dataset}: features", {name: str(kind) for name, kind in loaded.features.items()}
    yield "rows", f"{dataset}: all", digest_of(list(loaded))
    info = loaded.info
    yield "rows", f"{dataset}: info", [info.license, info.citation, info.homepage, str(info.version)]
    for fold in range(5) if dataset in ("alg514", "dolphin_l") else ():
        for split, rows in load_rows(f"{dataset}_cv{fold}").items():
            yield "rows", f"{dataset}_cv{fold}/{split}", [digest_of(rows), *(row["id"] for row in rows)]


def freeze_algebra(every: int, dataset: str) -> Iterator[Item]:
    """Yield keys of templates, comparisons of pairs, numbers of texts and drawings."""
    import draw_dataset as d

    rows = [row for _, row in take_piece(all_rows(dataset), every, 0, 1)]
    keys = [d.canonical_key(row["template"]) for row in rows]
    for at, (row, key) in enumerate(zip(rows, keys, strict=True)):
        name = f"{dataset}:{at}:{row['id']}"
        template = d.Template(row["template"])
        names = [plain(template.unknowns), plain(template.slots)]
        derivation = attempt(lambda row=row: d.Derivation.of(row).q_notation())
        solution = attempt(d.solve, row["equations"])
        yield "keys", name, {"key": key, "latex": template.to_latex(), "names": names, "q": derivation, **solution}
        found = [plain(d.find_numbers(row["question"], words)) for words in ("standard", "ordinary")]
        yield "numbers", name, [found[0], "the same" if found[0] == found[1] else found[1]]
        yield "shown", name, [str(d.show(row)), hashlib.sha256(d.show(row).svg.encode()).hexdigest()]
    alike = sorted(range(len(rows)), key=lambda at: (keys[at], at))
    for one, other in [*pairwise(range(len(rows))), *pairwise(alike)]:
        pair = rows[one]["template"], rows[other]["template"]
        derivations = rows[one]["derivation"], rows[other]["derivation"]
        yield (
            "pairs",
            f"{dataset}:{one}-{other}",
            {
                "map": plain(d.find_slot_map(*pair)),
                "maps": plain(list(islice(d.all_slot_maps(*pair), 20))),
                "difference": plain(d.find_difference(*pair)),
                "derivations": attempt(d.find_derivation_slot_map, *derivations, rows[other]["equiv_tnum"]),
            },
        )
    yield "pairs", f"{dataset}: reconcile", plain(d.reconcile(row["template"] for row in rows))


def freeze_derived(every: int, name: str, piece: int) -> Iterator[Item]:
    """Yield rows derived from one piece of a file of another dataset."""
    from draw_dataset import derive

    path, preset = SHARED / "sources" / name, SOURCES[name]
    if path.suffix == ".jsonl":
        chosen = take_piece(read_lines(path), every, piece)
        derived = derive([record for _, record in chosen], preset=preset)
        rows = [(at, row) for (at, _), row in zip(chosen, derived, strict=True)]
    else:
        rows = take_piece(derive(path, preset=preset), every, piece, 1)
    for at, row in rows:
        yield "derived", f"{name}:{at}:{row['id']}", plain(row)


def freeze_variants(every: int, dataset: str) -> Iterator[Item]:
    """Yield variants of a subset of rows, and what probing says of planted answers."""
    from draw_dataset import make_variants, probe

    rows = all_rows(dataset)
    chosen = rows[:: 4 * every]
    made = make_variants(chosen, 2, 5, kinds=("numbers", "traps", "twins"), inventory=rows)
    yield "variants", f"{dataset}: summary", plain(made.summary())
    yield "variants", f"{dataset}: refused", plain(made.refused)
    for row in made:
        yield "variants", f"{dataset}:{row['id']}", plain(row)
    varied = {row["source_id"] for row in made}
    original = {row["id"]: row["solutions"] for row in chosen if row["id"] in varied}
    luck = random.Random(1)
    planted = {
        "right": lambda row: row["solutions"],
        "copied": lambda row: original[row["source_id"]],
        "text": lambda row: "So the answer is " + " and ".join(f"{value:g}" for value in row["solutions"]) + ".",
        "half": lambda row: row["solutions"] if luck.random() < 0.5 else [value + 1 for value in row["solutions"]],
        "sum": lambda row: [float(sum(number["value"] or 0 for number in row["numbers"][:2]))],
        "product": lambda row: [float(row["numbers"][0]["value"] or 0) * float(row["numbers"][-1]["value"] or 0)],
    }
    for name, answer in planted.items():
        result = probe({row["id"]: answer(row) for row in made} | original, made, data=dataset)
        yield "probes", f"{dataset}:{name}", plain(result)
        for problem in result.problems:
            yield "probes", f"{dataset}:{name}:{problem.id}", plain(problem)


def plant_predictions(rows: Sequence[dict[str, Any]], *, only_text: bool = False) -> list[Any]:
    """Return predictions of all shapes for rows, right and wrong ones."""

    def swapped(text: str) -> str:
        return text.replace("q1", "q0").replace("q2", "q1").replace("q0", "q2")

    def answer(row: dict[str, Any], change: float = 0) -> dict[str, str]:
        values = " and ".join(f"{value + change:g}" for value in row["solutions"])
        return {"answer": f"We have {', and '.join(row['equations'])}.\nSo the answer is {values}."}

    shapes: list[Callable[[int, dict[str, Any]], Any]] = [
        lambda _, row: row["derivation"],
        lambda _, row: swapped(row["derivation"]),
        lambda at, _: rows[at - 1]["derivation"],
        lambda _, row: row["derivation"].replace("+", "-", 1),
        lambda *_: "m = = q1",
        lambda *_: None,
        lambda _, row: {"template": row["template"], "alignment": row["alignment"]},
        lambda at, row: {"template": row["template"], "alignment": rows[at - 1]["alignment"]},
        lambda _, row: {"solutions": row["solutions"]},
        lambda _, row: answer(row),
        lambda _, row: answer(row, 1),
        lambda at, _: answer(rows[at - 1]),
        lambda *_: {"answer": "I do not know."},
    ]
    used = shapes[:6] if only_text else shapes
    return [used[at % len(used)](at, row) for at, row in enumerate(rows)]


def freeze_scores(every: int, data: str) -> Iterator[Item]:
    """Yield scores of planted predictions with their signatures, verdicts and tables."""
    import evaluate

    from draw_dataset import compare_scores, derive, score, score_file

    if data.endswith(".json"):
        rows = [row for row in derive(SHARED / "sources" / data, preset="svamp") if row["status"] != "refused"]
    else:
        rows = all_rows(data)
    rows = rows[::every]
    planted = plant_predictions(rows)
    scores = {"gold": score([row["derivation"] for row in rows], rows, data=data)}
    for match in ("auto", "algorithm1", "quantities"):
        for gold in ("auto", "one", "any"):
            verdicts: list[Any] = []
            made = score(planted, rows, match=match, gold=gold, data=data, verdicts=verdicts)
            scores[f"{match} {gold}"] = made
            yield "scores", f"{data}: {match} {gold}", plain(made)
            for at, (row, verdict) in enumerate(zip(rows, verdicts, strict=True)):
                yield "scores", f"{data}: {match} {gold}:{at}:{row['id']}", plain(verdict)
    yield "scores", f"{data}: gold", plain(scores["gold"])
    strict = {name: one for name, one in scores.items() if name in ("gold", "algorithm1 auto", "algorithm1 any")}
    table = attempt(lambda: compare_scores(strict, samples=500, slices=True))
    yield "scores", f"{data}: table", table
    if "error" not in table:
        made_table = compare_scores(strict, samples=500, seed=1)
        yield "scores", f"{data}: tables", [mask(made_table.to_text()), mask(made_table.to_markdown())]
    metric = evaluate.load("derivation_accuracy")
    for name, predictions in (
        ("gold", [row["derivation"] for row in rows]),
        ("planted", plant_predictions(rows, only_text=True)),
    ):
        yield "scores", f"{data}: evaluate {name}", plain(metric.compute(predictions=predictions, references=rows))
    if data == "draw1k":
        file = SHARED / "llm_answers" / "chatgpt_draw1k.jsonl"
        if every == 1:
            yield "scores", f"{data}: file", plain(score_file(file, all_rows(data), data=data, missing="abstain"))


def freeze_adapters(every: int) -> Iterator[Item]:
    """Yield rewards, training sets and documents of the adapters, and prompts."""
    from draw_dataset import prompt_for
    from draw_dataset.adapters import lm_eval, trl, verl

    for name, harness in (("inspect", "inspect_ai"), ("lighteval", "lighteval"), ("verifiers", "verifiers")):
        try:
            found: Any = sorted(one for one in vars(import_module(f"draw_dataset.adapters.{name}")) if one[0] != "_")
        except ModuleNotFoundError as error:
            found = f"not installed: {harness}" if (error.name or "").startswith(harness) else str(error)
        yield "adapters", name, found
    rows = load_rows("sample")["test"]
    answers = [
        one["answer"] if isinstance(one, dict) and "answer" in one else str(one) for one in plant_predictions(rows)
    ]
    for style in ("marked", "plain", "json"):
        for shots in (0, 2):
            for at, row in take_piece(rows, every, 0, 1):
                prompt = prompt_for(row, style, shots)
                yield "adapters", f"prompt {style} {shots}:{at}", [prompt.label, plain(prompt.messages)]
        records = trl.to_trl("sample/test", style=style, shots=1)
        yield "adapters", f"trl records {style}", digest_of(plain(records))
        yield "adapters", f"verl records {style}", digest_of(plain(verl.to_verl("sample/test", style=style)))
        golds = [record["gold_answer"] for record in records]
        documents = list(lm_eval.documents("sample/test", style)["test"])
        yield "adapters", f"lm_eval documents {style}", [*plain(documents[:2]), digest_of(plain(documents))]
        for kind, texts in (("gold", golds), ("planted", answers), ("shifted", [*golds[1:], golds[0]])):
            columns = {"row": [r["row"] for r in records], "prompt_style": [r["prompt_style"] for r in records]}
            for reward in (trl.derivation_reward, trl.solution_reward, trl.readable_reward):
                yield "adapters", f"trl {style} {kind} {reward.__name__}", plain(reward(texts, **columns))
            for at, (text, record) in enumerate(zip(texts, records, strict=True)):
                label = {"prompt_style": record["prompt_style"]}
                scored = plain(verl.compute_score("draw", text, record["row"], label))
                results = plain(lm_eval.process_results(documents[at], [text, ""]))
                yield "adapters", f"verl and lm_eval {style} {kind}:{at}", [scored, results]
    yield "adapters", "lm_eval shots", digest_of([plain(lm_eval.marked_shots()), plain(lm_eval.plain_shots())])
    yield "adapters", "lm_eval tasks", sorted(path.name for path in lm_eval.task_folder().iterdir() if path.suffix)
