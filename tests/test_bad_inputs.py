"""Every public function that takes rows or names says what is wrong with an input: never a raw error of Python."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import draw_dataset as draw
from draw_dataset.data.features import rows_dataset
from draw_dataset.data.sample import load_sample

PROBLEMS = load_sample()["train"][:2]
ROW = PROBLEMS[0].to_row() | {"asked": ["q3 - m"], "constants": ["4: of the solution"]}
VARIANT = draw.make_variants([ROW], 1)[0]
ANSWERS = {VARIANT["id"]: VARIANT["solutions"]}
GOLD = ROW["derivation"]


class Odd:
    """Something that is nothing of ours."""


PARTS: dict[str, Any] = {
    "None": None, "5": 5, "-1": -1, "2.5": 2.5, "nan": float("nan"), "10**400": 10**400, "True": True, "x": "x",
    "empty": "", "bytes": b"x", "[]": [], "[None]": [None], "[5]": [5], "[x]": ["x"], "[[None]]": [[None]],
    "[{}]": [{}], "{}": {}, "odd": Odd(), "[odd]": [Odd()],
}  # fmt: skip
"""What a field of a row may hold by mistake."""


def wrong_rows(row: dict[str, Any]) -> Iterator[Any]:
    """Yield what is given for a row by mistake: something else, a row that lacks a field, or that has a wrong one."""
    yield from PARTS.values()
    for path in paths_of(row):
        for part in [*PARTS.values(), KeyError]:
            wrong = copy.deepcopy(row)
            *way, last = path
            inner: Any = wrong
            for step in way:
                inner = inner[step]
            if part is KeyError:
                del inner[last]
            else:
                inner[last] = part
            yield wrong


def paths_of(row: dict[str, Any]) -> Iterator[tuple[Any, ...]]:
    """Yield the way to each field of a row, and to each field of the first entry of a list."""
    for name, value in row.items():
        yield (name,)
        if isinstance(value, dict):
            yield from ((name, *path) for path in paths_of(value))
        if isinstance(value, list) and value and isinstance(value[0], dict):
            yield from ((name, 0, *path) for path in paths_of(value[0]))


def wrong_lists(row: dict[str, Any]) -> Iterator[Any]:
    """Yield what is given for a list of rows by mistake."""
    yield from PARTS.values()
    yield from ([wrong] for wrong in wrong_rows(row))
    yield from (row, {"train": [row]}, {5}, iter([None]), (wrong for wrong in (5,)), Odd)
    yield from ({"question": None}, {"question": [None]}, {"question": ["a"], "id": 5}, {None: None})


def of_a_row(call: Callable[[Any], Any]) -> tuple[Callable[[Any], Any], Callable[[], Iterator[Any]]]:
    return call, lambda: wrong_rows(ROW)


def of_rows(
    call: Callable[[Any], Any], row: dict[str, Any] = ROW
) -> tuple[Callable[[Any], Any], Callable[[], Iterator[Any]]]:
    return call, lambda: wrong_lists(row)


def whole(found: Any) -> Any:
    return list(found) if hasattr(found, "__next__") else found


CALLS = {
    "Alignment": of_rows(draw.Alignment),
    "Derivation": of_rows(lambda given: draw.Derivation(given, {})),
    "Derivation alignment": of_rows(lambda given: draw.Derivation("m = a", given)),
    "Derivation.of": of_a_row(draw.Derivation.of),
    "Derivation.read": of_rows(lambda given: draw.Derivation.read("m = q1", given)),
    "NumberClasses": of_rows(draw.NumberClasses),
    "Problem": of_a_row(lambda given: draw.Problem.from_row(given).to_row()),
    "Template": of_rows(draw.Template),
    "TextNumber": of_a_row(draw.TextNumber.of),
    "all_slot_maps": of_rows(lambda given: list(draw.all_slot_maps(given, "m = a"))),
    "canonical_key": of_rows(draw.canonical_key),
    "compare_scores": of_rows(draw.compare_scores),
    "compare_scores value": of_rows(lambda given: draw.compare_scores({"one": given})),
    "derivations_equivalent": of_a_row(lambda given: draw.derivations_equivalent(given, GOLD)),
    "derivations_equivalent classes": of_rows(lambda given: draw.derivations_equivalent(GOLD, GOLD, given)),
    "derive": of_rows(lambda given: whole(draw.derive(given, equations="equations", answer="solutions"))),
    "derive preset": of_rows(lambda given: draw.derive([ROW], preset=given)),
    "derive question": of_rows(lambda given: draw.derive([ROW], question=given, equations="equations")),
    "derive equations": of_rows(lambda given: draw.derive([ROW], equations=given)),
    "derive id": of_rows(lambda given: draw.derive([ROW], equations="equations", id=given)),
    "derive num_proc": of_rows(lambda given: draw.derive([], equations="equations", num_proc=given)),
    "find_derivation_slot_map": of_a_row(lambda given: draw.find_derivation_slot_map(given, GOLD)),
    "find_difference": of_rows(lambda given: draw.find_difference(given, "m = a")),
    "find_numbers": of_rows(draw.find_numbers),
    "find_slot_map": of_rows(lambda given: draw.find_slot_map(given, "m = a")),
    "grade": of_a_row(lambda given: draw.grade(GOLD, given)),
    "grade prediction": of_rows(lambda given: draw.grade(given, ROW)),
    "grade answer": of_a_row(lambda given: draw.grade({"answer": "m = 18"}, given)),
    "grade question": of_rows(lambda given: draw.grade("m = 18", question=given, solution=18)),
    "grade solution": of_rows(lambda given: draw.grade("m = 18", question=ROW["question"], solution=given)),
    "grade prediction by solution": of_rows(lambda given: draw.grade(given, question=ROW["question"], solution="23")),
    "grade_many": of_rows(lambda given: draw.grade_many([GOLD], given)),
    "grade_many predictions": of_rows(lambda given: draw.grade_many(given, [ROW])),
    "grade_many samples": of_rows(lambda given: draw.grade_many(given, ROW)),
    "load": of_rows(draw.load),
    "load corrected": of_rows(lambda given: draw.load("sample/test", corrected=given)),
    "load data_dir": of_rows(lambda given: draw.load("draw1k/test", data_dir=given) if given else None),
    "make_variants": of_rows(lambda given: draw.make_variants(given, 1)),
    "make_variants traps": of_rows(lambda given: draw.make_variants(given, 1, kinds=["traps", "twins"])),
    "make_variants count": of_rows(lambda given: draw.make_variants([ROW], given)),
    "make_variants seed": of_rows(lambda given: draw.make_variants([ROW], 1, given)),
    "make_variants kinds": of_rows(lambda given: draw.make_variants([ROW], 1, kinds=given)),
    "make_variants inventory": of_rows(lambda given: draw.make_variants([ROW], 1, inventory=given)),
    "probe": of_rows(lambda given: draw.probe(given, [VARIANT])),
    "probe answer": of_rows(lambda given: draw.probe({VARIANT["id"]: given}, [VARIANT])),
    "probe variants": of_rows(lambda given: draw.probe(ANSWERS, given), VARIANT),
    "probe inventory": of_rows(lambda given: draw.probe(ANSWERS, [VARIANT], inventory=given)),
    "probe data": of_rows(lambda given: draw.probe(ANSWERS, [VARIANT], data=given)),
    "probe missing": of_rows(lambda given: draw.probe(ANSWERS, [VARIANT], missing=given)),
    "prompt_for": of_a_row(draw.prompt_for),
    "prompt_for style": of_rows(lambda given: draw.prompt_for(ROW, given)),
    "prompt_for shots": of_rows(lambda given: draw.prompt_for(PROBLEMS[1], shots=given)),
    "read_answer": of_a_row(lambda given: draw.read_answer("m = 18", given)),
    "read_answer text": of_rows(lambda given: draw.read_answer(given, ROW)),
    "reconcile": of_rows(draw.reconcile),
    "score": of_rows(lambda given: draw.score([GOLD], given)),
    "score_file": of_rows(lambda given: draw.score_file(given, [ROW])),
    "show": of_a_row(lambda given: str(draw.show(given))),
    "show prediction": of_rows(lambda given: str(draw.show(ROW, given))),
    "solve": of_rows(draw.solve),
    "templates_equivalent": of_rows(lambda given: draw.templates_equivalent(given, "m = a")),
}
RESULTS = {"DrawError", "Reading", "Score", "ScoreTable", "Solution", "SolutionKind", "Verdict", "__version__"}
"""Public names that take no input of a user's."""


def test_every_public_name_is_tried() -> None:
    assert {name.partition(" ")[0].partition(".")[0] for name in CALLS} | RESULTS == {*draw.__all__, "__version__"}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.filterwarnings("ignore")
def test_whatever_is_given_is_taken_or_refused_by_name(name: str) -> None:
    call, wrong = CALLS[name]
    for given in wrong():
        with suppress(draw.DrawError):
            call(given)


def test_rows_for_a_file_are_taken_or_refused_by_name(tmp_path: Path) -> None:
    path = tmp_path / "predictions.jsonl"
    path.write_text(json.dumps({"id": ROW["id"], "prediction": GOLD}) + "\n", encoding="utf-8")
    for given in wrong_lists(ROW):
        with suppress(draw.DrawError):
            draw.score_file(path, given)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: draw.make_variants(None), r"rows: expected a list of rows, but got nothing"),  # type: ignore[arg-type]
        (lambda: draw.make_variants([PROBLEMS[0], None]), r"rows\[1\]: row: expected a row.* but got nothing"),  # type: ignore[list-item]
        (lambda: draw.make_variants([{"id": 7}]), r"rows\[0\]: row 7: expected the fields .* is missing"),
        (lambda: draw.make_variants(ROW), r"rows: .* got one row; give \[row\]"),  # type: ignore[arg-type]
        (lambda: draw.probe(None, [VARIANT]), r"answers: expected a mapping from ids to .* but got None"),  # type: ignore[arg-type]
        (lambda: draw.probe(ANSWERS, 5), r"variants: expected a list of rows, but got a value of type int"),  # type: ignore[arg-type]
        (lambda: draw.probe(ANSWERS, [None]), r"expected a row.* but got nothing"),  # type: ignore[list-item]
        (lambda: draw.derive(None, preset="gsm8k"), r"expected the problems as a list.* but got None"),
        (lambda: draw.find_numbers(None), r"text: expected a string, but got None"),  # type: ignore[arg-type]
    ],
)  # fmt: skip
def test_a_refusal_says_where_and_what_was_expected_and_got(call: Callable[[], Any], message: str) -> None:
    with pytest.raises(draw.DrawError, match=message):
        call()


@pytest.mark.parametrize("shape", ["dataset", "columns", "frame", "numpy", "generator"])
def test_variants_are_made_of_rows_in_every_shape(shape: str) -> None:
    rows = [problem.to_row() for problem in PROBLEMS]
    dataset = rows_dataset(rows)
    given = {
        "dataset": dataset,
        "columns": dataset[:],
        "frame": dataset.to_pandas(),
        "numpy": dataset.with_format("numpy"),
        "generator": (row for row in rows),
    }[shape]
    made = draw.make_variants(given, 1)
    wanted = draw.make_variants(rows, 1)
    assert [row["question"] for row in made] == [row["question"] for row in wanted]
    answers = {row["id"]: row["solutions"] for row in made}
    assert draw.probe(answers, made, inventory=dataset).accuracy == 1
