"""ZDC: its features, and the quadratic program that can teach them; the inferred features next to it."""

from __future__ import annotations

import numpy as np
import pytest
from solver.story_problems import make

from draw_dataset import Problem
from draw_dataset.derivation.template import Template
from draw_dataset.errors import ChoiceError
from draw_dataset.solver.confidence import evaluate
from draw_dataset.solver.features import feature_set
from draw_dataset.solver.learning import (
    TOLERANCE,
    Example,
    MarginProgram,
    build_inventory,
    locate_golds,
    right_derivations,
)
from draw_dataset.solver.search import ColumnLayout, Searcher, Vocabulary, attributes_of, encode_text
from draw_dataset.solver.systems import train
from draw_dataset.solver.templates import Inventory
from draw_dataset.solver.text import TaggedText

TEXT = "A tank holds 80 litres . It loses 2 litres every hour and 0.5 litres at night . How many litres does it hold ?"


def test_what_zdc_sees_at_a_number() -> None:
    first, second, third = feature_set("zdc").number_attributes(TaggedText.of(TEXT))
    assert {"asked noun 1", "asked False", "l hold before", "l litre after"} <= set(first)
    assert "value 2" in second
    assert "value 2" not in first
    assert "below 1" in third
    twice = feature_set("zdc").number_attributes(TaggedText.of("Ann has 3 times as many as Ben , who has 7 more ."))
    assert "multiplies" in twice[0]
    assert "multiplies" not in twice[1]
    assert {"comparing after", "comparing more after"} <= set(twice[1])


def test_what_zdc_sees_between_two_numbers() -> None:
    pairs = feature_set("zdc").pair_attributes(TaggedText.of(TEXT))
    assert {"larger", "sentences apart 1", "shared noun nearest", "refers back", "<"} <= set(pairs[0, 1])
    assert {"smaller", "sentences apart 1", ">"} <= set(pairs[1, 0])
    assert {"l hour <", "sentences apart 0"} <= set(pairs[1, 2])
    assert not any(seen.startswith("l ") for seen in pairs[0, 1])


def test_what_the_inferred_set_sees_besides_what_the_paper_lists() -> None:
    text = TaggedText.of(TEXT)
    inferred, paper = feature_set("inferred"), feature_set("paper")
    assert inferred.text_attributes(text) == paper.text_attributes(text)
    first, second, _ = inferred.number_attributes(text)
    assert {"l hold", "p NN2", "noun litre", "noun asked True", "asked False"} <= set(first)
    assert "value 2" in second
    pairs, listed = inferred.pair_attributes(text), paper.pair_attributes(text)
    assert set(pairs[0, 1]) - set(listed[0, 1]) == {"larger", "same noun True", "sentences apart 1"}
    assert "smaller" in pairs[1, 0]


@pytest.mark.parametrize("name", ["inferred", "zdc"])
def test_of_two_orders_of_a_pair_of_slots_one_has_the_name(name: str) -> None:
    structure = Inventory.of([Template("a*m + b*n = c; m + n = d")] * 2, True).classes[0].structure
    features = feature_set(name)
    for i in range(4):
        for j in range(i):
            both = [features.pair_columns(structure, i, j), features.pair_columns(structure, j, i)]
            named = [column for columns in both for column in columns if column.startswith("ordered ")]
            assert len(named) == 1


@pytest.mark.parametrize("rule", ["margin", "qp"])
def test_both_rules_learn(rule: str, problems: list[Problem]) -> None:
    told: list[tuple[int, int]] = []
    model = train(problems[:24], system="zdc", rule=rule, watch=lambda turn, wrong: told.append((turn, wrong)))
    assert evaluate(model, problems[24:]).derivation_accuracy >= 0.9
    assert [turn for turn, _ in told] == list(range(len(told)))
    assert told[-1][1] == 0
    assert "features:zdc" in model.signature
    assert f"rule:{rule}" in model.signature
    assert model.weights["text"].size == 0


def test_zdc_merges_equivalent_templates() -> None:
    one = make(1, "Ann has 4 and Ben 5 . How many ?", ["m = a + b"], ["x = 4 + 5"], {"a": 1, "b": 2})
    other = make(2, "Kim has 6 and Leo 7 . How many ?", ["m - a = b"], ["x - 6 = 7"], {"a": 1, "b": 2})
    assert len(train([one, other], system="zdc", setting="TE").inventory) == 1


def test_other_rules_and_k_are_none_of_zdc_s(problems: list[Problem]) -> None:
    with pytest.raises(ChoiceError, match=r"rule.*margin, qp.*'perceptron'"):
        train(problems, system="zdc", rule="perceptron")
    with pytest.raises(ChoiceError, match=r"\bk\b.*zdc.*choice, rule, epochs"):
        train(problems, system="zdc", k=3)


def test_the_program_ends_where_no_pair_asks_for_more(problems: list[Problem]) -> None:
    """Every right candidate is first, and most lead by 1: as far as what a pair may weigh allows it."""
    features = feature_set("zdc")
    chosen = problems[:9]
    texts = [TaggedText.of_problem(problem) for problem in chosen]
    golds = [right_derivations(problem, "TD", "first") for problem in chosen]
    inventory = build_inventory(golds, "TD")
    layout = ColumnLayout(inventory, features)
    seen = [attributes_of(text, features) for text in texts]
    names = {kind: Vocabulary({n: None for one in seen for listed in one[kind] for n in listed})
             for kind in ("text", "number", "pair")}  # fmt: skip
    names["solution"] = layout.solution_attributes
    encoded = [encode_text(text, one, names) for text, one in zip(texts, seen, strict=True)]
    every = {g: np.arange(len(group.members), dtype=np.int32) for g, group in enumerate(layout.groups)}
    searcher = Searcher(layout, {})
    examples = [
        Example(one, locate_golds(text, gold, inventory), every, tuple(searcher.candidates(one, every)))
        for one, text, gold in zip(encoded, texts, golds, strict=True)
    ]
    program = MarginProgram(layout, {kind: len(listed) for kind, listed in names.items()})
    program.learn(examples, 0, lambda *_: None)
    found = Searcher(layout, program.weights)
    loose = 0
    for example in examples:
        scored = found.score_all(example.encoded, every, example.ready)
        right = [(b, t, c) for b, (candidates, scores) in enumerate(scored) for t in range(len(candidates.which))
                 for c in range(scores.shape[1])
                 if (int(layout.groups[candidates.group].members[candidates.which[t]]),
                     tuple(candidates.ways.rows[c].tolist())) in example.golds]  # fmt: skip
        value = max(float(scored[b][1][t, c]) for b, t, c in right)
        for b, t, c in right:
            scored[b][1][t, c] = -np.inf
        rival = max(float(scores.max()) for _, scores in scored)
        assert value > rival
        loose += value - rival >= 1 - 2 * TOLERANCE
    assert loose >= len(examples) - 3
