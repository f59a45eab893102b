"""Proof by transfer: derivations must give the answers of problems with the same text and other numbers."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from datasets import Dataset, IterableDataset, load_from_disk
from sources.source_problems import GSM8K

from draw_dataset import derive, score
from draw_dataset.cli import main
from draw_dataset.derivation.derivation import Derivation
from draw_dataset.derivation.equivalence import derivations_equivalent
from draw_dataset.deriving.transfer import MOST_SIBLINGS

HENS = "{name} has {0} hens and {1} geese. Each hen lays {2} eggs. How many eggs do {name}'s hens lay?"
WEEK = "{name} runs {0} miles a day, on {1} roads. How many miles does {name} run in a week?"
PARTS = "{name} had {0} figs. {name} ate {1} of them and gave half of the rest away. How many did {name} give away?"
NUTS = "{name} has {0} nuts, {1} figs and {2} bowls. {name} adds {3} nuts. How many nuts has {name}?"

Numbers = tuple[int, ...]


def hens(values: Numbers, name: str = "Ann", **more: Any) -> dict[str, Any]:
    """Return a problem whose expression does not say which number is meant where two are equal."""
    a, _, c = values
    return {"question": HENS.format(*values, name=name), "equations": f"{a} * {c}", "answer": a * c, **more}


def read(*problems: dict[str, Any], verify: bool = True, **options: Any) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = derive(
        list(problems), equations="equations", answer="answer", verify=verify, **options
    )
    return rows


def test_a_number_of_equal_value_is_told_apart_by_a_sibling() -> None:
    problems = [hens((4, 4, 3)), hens((6, 5, 2), "Bo")]
    before = read(*problems, verify=False)[0]
    assert (before["status"], before["derivation"], before["alternatives"]) == ("ambiguous", "m = q1*q3", ["m = q2*q3"])
    assert "siblings" not in before
    after, other = read(*problems)
    assert (after["status"], after["derivation"], after["alternatives"], after["readings"]) == (
        "decided", "m = q1*q3", [], 1,
    )  # fmt: skip
    assert (after["siblings"], other["siblings"]) == (1, 1)


def test_the_next_derivation_is_taken_where_the_first_fails() -> None:
    # The preset takes the first of two equal placeholders for both.
    def mawps(one: int, two: int, three: int) -> dict[str, Any]:
        sign = "- number0 number1" if one == three else "- number2 number1"
        question = "A jar has number0 nuts . Ed eats number1 nuts . A bag has number2 nuts . How many are left in it ?"
        numbers = f"{one} {two} {three}"
        return {"Question": question, "Numbers": numbers, "Equation": sign, "Answer": str(three - two)}

    problems = [mawps(9, 2, 9), mawps(4, 3, 8)]
    assert derive(problems, preset="mawps")[0]["derivation"] == "m = q1 - q2"
    row = derive(problems, preset="mawps", verify=True)[0]
    assert (row["derivation"], row["status"], row["solutions"]) == ("m = q3 - q2", "decided", [7.0])
    assert [entry["token"] for entry in row["alignment"]] == [row["numbers"][i]["token"] for i in (2, 1)]


def test_a_constant_that_hides_a_number_is_refused() -> None:
    def week(miles: int, roads: int, factor: int) -> dict[str, Any]:
        answer = (
            f"That is {miles}*{factor}=<<{miles}*{factor}={miles * factor}>>{miles * factor}.\n#### {miles * factor}"
        )
        return {"question": WEEK.format(miles, roads, name="Ed"), "answer": answer}

    # Seven roads are no seven days.
    problems = [week(4, 7, 7), week(5, 3, 7), week(6, 2, 7)]
    assert [row["derivation"] for row in derive(problems, preset="gsm8k")] == ["m = q1*q2", "m = q1*7", "m = q1*7"]
    first, *others = derive(problems, preset="gsm8k", verify=True)
    assert first["reason"] == "does not transfer: gives 15 for problem 1, whose answer is 35"
    assert [(row["derivation"], row["siblings"]) for row in others] == [("m = q1*7", 2)] * 2
    # Nor are seven days seven roads, where the others multiply by the roads.
    problems = [week(4, 7, 7), week(5, 3, 3), week(6, 2, 2)]
    assert [row["siblings"] for row in derive(problems, preset="gsm8k", verify=True)] == [2, 2, 2]


def test_a_row_that_fails_says_what_it_gives() -> None:
    rows = read(hens((4, 5, 3)), hens((6, 5, 2), id=17) | {"equations": "6 + 2", "answer": 8}, id="id")
    assert [row["status"] for row in rows] == ["refused", "refused"]
    assert rows[0]["reason"] == "does not transfer: gives 12 for problem 17, whose answer is 8"
    assert (rows[0]["derivation"], rows[0]["siblings"], rows[0]["readings"]) == ("", 0, 0)


def test_one_wrong_answer_does_not_refuse_the_others() -> None:
    wrong = hens((2, 9, 7)) | {"equations": "2 + 7", "answer": 9}
    rows = read(hens((4, 5, 3)), hens((6, 5, 2)), hens((8, 5, 3)), wrong)
    assert [row["status"] for row in rows] == ["decided"] * 3 + ["refused"]
    assert [row["siblings"] for row in rows] == [2, 2, 2, 0]


def test_a_verified_row_is_a_row() -> None:
    rows = read(hens((4, 4, 3)), hens((6, 5, 2)))
    assert score(["m = q1*q3", "m = q2*q3"], rows).derivation_accuracy == 0.5


def test_a_rounded_answer_is_the_answer() -> None:
    def share(cost: int, boys: int, answer: float) -> dict[str, Any]:
        text = f"A kite costs ${cost}. {boys} boys share the cost. What does each pay?"
        return {"question": text, "equations": f"{cost}/{boys}", "answer": answer}

    assert [row["siblings"] for row in read(share(20, 3, 6.67), share(10, 4, 2.5))] == [1, 1]


def test_names_pronouns_and_plurals_may_differ_and_words_may_not() -> None:
    texts = [
        "Ann has 9 pens. She loses 4 pens. How many has she?",
        "Ben has 7 pens. He loses 1 pen. How many has he?",
        "Ben has 7 pens. He finds 1 pen. How many has he?",
        "Ann has 8 pens. Bo loses 2 pens. How many has she?",
    ]
    numbers = [(9, 4), (7, 1), (7, 1), (8, 2)]
    problems = [
        {"question": text, "equations": f"{a} - {b}", "answer": a - b}
        for text, (a, b) in zip(texts, numbers, strict=True)
    ]
    assert [row["siblings"] for row in read(*problems)] == [1, 1, 0, 0]


def test_people_who_change_places_are_no_siblings() -> None:
    text = "{} has 5 more figs than {}, who has {}. How many figs has {}?"
    first = {"question": text.format("Ann", "Bo", 6, "Ann"), "equations": "5 + 6", "answer": 11}
    second = {"question": text.format("Cy", "Di", 8, "Di"), "equations": "8 * 1", "answer": 8}
    assert [row["siblings"] for row in read(first, second)] == [0, 0]


def test_problems_with_the_same_numbers_prove_nothing() -> None:
    assert [row["siblings"] for row in read(hens((4, 4, 3)), hens((4, 4, 3), "Bo"))] == [0, 0]


def test_a_field_may_name_the_original() -> None:
    one = hens((4, 4, 3), original_id=3)
    two = hens((6, 5, 2), original_id=3)
    two["question"] = two["question"].replace("geese", "ducks")
    reversed_ = {
        "question": "Ann has 4 hens and 2 geese. Her hens lay 12 eggs. What does one hen lay?",
        "equations": "12 / 4", "answer": 3, "original_id": 3,
    }  # fmt: skip
    assert [row["siblings"] for row in read(one, two, reversed_)] == [1, 1, 0]
    assert [row["siblings"] for row in read(one, two | {"original_id": 4})] == [0, 0]
    several = [{**problem, "seed": 1} for problem in (one | {"original_id": 1}, two)]
    assert [row["siblings"] for row in read(*several, sibling_field="seed")] == [1, 1]


def test_only_so_many_siblings_are_asked() -> None:
    rows = read(*(hens((n, 30, 2)) for n in range(3, 23)))
    assert {row["siblings"] for row in rows} == {MOST_SIBLINGS}


# Worked solutions that say little, and numbers that are often equal: without siblings some derivations take the wrong
# number, with siblings none that is left does.

MADE: list[tuple[str, str, Callable[..., list[tuple[str, int]]]]] = [
    (HENS, "m = q1*q3", lambda a, b, c: [(f"{a}*{c}", a * c)]),
    (WEEK, "m = q1*7", lambda a, b: [(f"{a}*7", a * 7)]),
    (PARTS, "m = (q1 - q2)*q3", lambda a, b: [(f"{a}-{b}", a - b), (f"{a - b}/2", (a - b) // 2)]),
    (NUTS, "m = q1 + q4", lambda a, b, c, d: [(f"{a}+{d}", a + d)]),
]


def worked(seed: int) -> Iterator[tuple[dict[str, Any], str]]:
    """Yield problems with their derivations."""
    random = Random(seed)
    for text, truth, steps_of in MADE:
        count = len(set(re.findall(r"\{\d\}", text)))
        for name in ("Ann", "Bo", "Cy", "Di", "Ed", "Flo"):
            values = [random.choice((4, 6, 7, 8)) for _ in range(count)]
            if text == PARTS:
                values = [2 * random.choice((6, 7, 8)), random.choice((2, 4, 6))]
            steps = steps_of(*values)
            written = "\n".join(f"{said} = <<{said}={value}>>{value}" for said, value in steps)
            yield {"question": text.format(*values, name=name), "answer": f"{written}\n#### {steps[-1][1]}"}, truth


def wrong(rows: list[dict[str, Any]], truths: list[str]) -> int:
    return sum(
        row["status"] != "refused"
        and not derivations_equivalent(Derivation.read(row["derivation"]), Derivation.read(truth))
        for row, truth in zip(rows, truths, strict=True)
    )


def test_no_wrong_number_is_left_where_there_are_siblings() -> None:
    before = after = decided = total = 0
    for seed in range(10):
        problems, truths = map(list, zip(*worked(seed), strict=True))
        before += wrong(derive(problems, preset="gsm8k"), truths)
        rows = derive(problems, preset="gsm8k", verify=True)
        after += wrong(rows, truths)
        decided += sum(row["status"] == "decided" and row["siblings"] > 0 for row in rows)
        total += len(rows)
    assert (total, after) == (240, 0)
    assert before >= 30
    assert decided >= 210


# Inputs that are read twice, and those that cannot be


def lines(problems: list[dict[str, Any]]) -> str:
    return "".join(json.dumps(problem) + "\n" for problem in problems)


TWINS = [hens((4, 4, 3), id=1), hens((6, 5, 2), id=2), {"id": 3, "question": "?"}, hens((2, 3, 9), id=4)]
FIELDS: dict[str, Any] = {"equations": "equations", "answer": "answer"}


def test_files_lists_and_datasets_are_verified_alike(tmp_path: Path) -> None:
    path = tmp_path / "twins.jsonl"
    path.write_text(lines(TWINS), encoding="utf-8")
    rows = derive(TWINS, **FIELDS, verify=True)
    assert [row["siblings"] for row in rows] == [2, 2, 0, 2]
    assert list(derive(path, **FIELDS, verify=True)) == rows
    assert derive(TWINS * 40, **FIELDS, verify=True, num_proc=2) == derive(TWINS * 40, **FIELDS, verify=True)
    whole = [twin for twin in TWINS if "answer" in twin]
    dataset = Dataset.from_list(whole)
    assert derive(dataset, **FIELDS, verify=True)["siblings"] == [2, 2, 2]
    stream = IterableDataset.from_generator(lambda: iter(whole))
    assert [row["siblings"] for row in derive(stream, **FIELDS, verify=True)] == [2, 2, 2]
    assert "siblings" not in derive(dataset, **FIELDS).column_names


def test_what_can_be_read_only_once_cannot_be_verified() -> None:
    with pytest.raises(ValueError, match=r"an iterator can be read only once: expected a list"):
        derive(iter(TWINS), **FIELDS, verify=True)
    assert main(["derive", "-", "--preset", "gsm8k", "--verify"]) == 2


def test_a_field_that_changes_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="no problem has the field 'origin'"):
        derive(TWINS, **FIELDS, verify=True, sibling_field="origin")
    with pytest.raises(ValueError, match="--verify"):
        derive(TWINS, **FIELDS, sibling_field="origin")


def test_the_command_counts_what_was_verified(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, out = tmp_path / "twins.jsonl", tmp_path / "rows.jsonl"
    odd = hens((5, 9, 3), id=9) | {"equations": "5 + 3", "answer": 8}
    alone = {"id": 10, "question": "Ann has 3 pens and finds 2. How many has she?", "equations": "3+2", "answer": 5}
    source.write_text(lines([*TWINS[:2], TWINS[3], odd, alone]), encoding="utf-8")
    asked = ["derive", str(source), "--equations", "equations", "--answer", "answer", "--verify", "--quiet"]
    folder = tmp_path / "dataset"
    assert main([*asked, "--out", str(out), "--out-dataset", str(folder), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["transfer"] == {"verified": 3, "by siblings": 6, "failed": 1, "without siblings": 1}
    assert load_from_disk(str(folder))["siblings"] == [2, 2, 2, 0, 0]
    assert main([*asked, "--out", str(out)]) == 0
    assert "verified by 6 siblings: 3; failed: 1; without siblings: 1" in capsys.readouterr().out


def test_a_run_without_verification_does_not_go_on_with_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, out = tmp_path / "twins.jsonl", tmp_path / "rows.jsonl"
    source.write_text(lines(TWINS), encoding="utf-8")
    asked = ["derive", str(source), "--equations", "equations", "--answer", "answer", "--quiet", "--out", str(out)]
    for options in ([], ["--verify"], ["--verify"]):
        main([*asked, *options])
        written = out.read_text(encoding="utf-8").splitlines(keepends=True)
        # As if the run had been killed after two rows.
        out.with_name("rows.jsonl.part").write_text("".join(written[:2]), encoding="utf-8")
        note = out.with_name("rows.jsonl.part.json")
        note.write_text(json.dumps(notes(source, verify=bool(options)), sort_keys=True), encoding="utf-8")
    err = capsys.readouterr().err
    assert err.count("resuming after 2 rows") == 1
    assert [json.loads(line).get("siblings") for line in written] == [2, 2, 0, 2]


def notes(source: Path, *, verify: bool) -> dict[str, Any]:
    """Return what an interrupted run says of its inputs."""
    from draw_dataset.version import __version__

    status = source.stat()
    return {
        "source": str(source), "stamp": [status.st_size, status.st_mtime_ns], "config": None, "split": None,
        "limit": None, "verify": verify, "sibling_field": None, "preset": "",
        "fields": ["question", "equations", None, None, "answer", "id"], "version": __version__,
    }  # fmt: skip


# Voices: answers that agree with each other and not with the derived function


def test_answers_are_voices_on_derived_rows(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bags = {
        "id": 44, "question": "Bo has 2 bags with 2 nuts each. How many nuts has Bo?",
        "answer": "He has 2+2=<<2+2=4>>4 nuts.\n#### 4",
    }  # fmt: skip
    source, out = tmp_path / "problems.jsonl", tmp_path / "rows.jsonl"
    source.write_text(lines([GSM8K[0], GSM8K[3], bags]), encoding="utf-8")
    assert main(["derive", str(source), "--preset", "gsm8k", "--out", str(out), "--quiet"]) == 0
    files = []
    for model in "ab":
        # The row of the second problem is refused; what is said of it is left out.
        said = {40: "6*8 = 48. 48-5 = 43. 43*3 = 129. #### 129", 43: "9-2 = 7", 44: "He has 2*2 = 4 nuts. #### 4"}
        files.append(tmp_path / f"{model}.jsonl")
        files[-1].write_text(lines([{"id": id_, "answer": text} for id_, text in said.items()]), encoding="utf-8")
    capsys.readouterr()
    assert main(["check", str(out), "--answers", *map(str, files), "--json"]) == 1
    (told,) = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert (told["id"], told["gold"], told["agreeing"], told["models"]) == (44, "m = q1 + q2", 2, 2)
    assert told["gold_values"] == told["rival_values"] == ["4"]
