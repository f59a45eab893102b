"""What a trained solver answers, and when it does not."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest
from solver.story_problems import make

from draw_dataset import Problem, grade
from draw_dataset.algebra.solution import SolutionKind
from draw_dataset.errors import ChoiceError, ExtraMissing, RowError, TrainingError
from draw_dataset.solver import text as tagged_text
from draw_dataset.solver.confidence import Abstention, evaluate
from draw_dataset.solver.model import Model
from draw_dataset.solver.search import BEAM, Searcher, attributes_of, encode_text
from draw_dataset.solver.systems import train
from draw_dataset.solver.text import TaggedText


def test_what_was_not_trained_on_is_solved(model: Model, problems: list[Problem]) -> None:
    score = evaluate(model, problems[24:], data="stories")
    assert score.derivation_accuracy == score.solution_accuracy == 1.0
    assert str(score.signature).startswith("deriv|data:stories@")


def test_a_prediction_has_equations_solution_and_q_notation(model: Model) -> None:
    text = "Max and Nora have 50 cards together. Nora has 8 more than Max. How many does each have?"
    prediction = model.predict(text)
    assert prediction.q_notation == "m + n = q1; m - n = q2"
    assert prediction.equations == ("m + n = 50", "m - n = 8")
    assert prediction.solution is not None
    assert prediction.solution.values == {"m": Fraction(29), "n": Fraction(21)}
    assert prediction.to_dict() == {
        "template": ["m + n = a", "m - n = b"],
        "alignment": [{"slot": "a", "sentence": 0, "token": 4}, {"slot": "b", "sentence": 1, "token": 2}],
        "solutions": [21.0, 29.0],
    }


@pytest.mark.parametrize("features", ["paper", "extended"])
@pytest.mark.parametrize("rule", ["perceptron", "margin"])
def test_the_same_seed_gives_the_same_model(problems: list[Problem], features: str, rule: str) -> None:
    one, other = (train(problems[:12], features=features, rule=rule, epochs=3, seed=4, k=2) for _ in range(2))
    assert all((one.weights[kind] == other.weights[kind]).all() for kind in one.weights)
    assert [p.to_dict() for p in one.predict_all(problems)] == [p.to_dict() for p in other.predict_all(problems)]
    assert one.signature == other.signature


def test_gold_is_not_looked_at_when_predicting(model: Model, problems: list[Problem]) -> None:
    problem = problems[30]
    blank = replace(problem, equations=(), solutions=(), template=(), alignment=())
    assert model.predict(blank) == model.predict(problem)


@pytest.mark.parametrize("setting", ["TD", "TE", "TE*"])
@pytest.mark.parametrize("choice", ["first", "latent"])
def test_every_setting_learns(problems: list[Problem], setting: str, choice: str) -> None:
    model = train(problems[:24], setting=setting, choice=choice)
    assert evaluate(model, problems[24:]).solution_accuracy >= 0.9
    assert f"train:{setting}" in model.signature


def test_only_te_keeps_ways_of_writing_apart(problems: list[Problem]) -> None:
    rewritten = [
        replace(p, id=p.id + 100, equations=(f"2*x = {p.equations[0][8:]} + {p.equations[1][8:]}", p.equations[0]))
        for p in problems[:12:3]
    ]
    both = [*problems[:12], *rewritten]
    assert [len(train(both, setting=s, epochs=1).inventory) for s in ("TD", "TE", "TE*")] == [3, 4, 3]


def test_k_keeps_the_best_templates(problems: list[Problem]) -> None:
    model = train(problems[:24], k=1)
    assert evaluate(model, problems[24:]).derivation_accuracy >= 0.9
    assert "|k:1|" in model.signature


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", Abstention.NO_NUMBERS),
        ("How many shells does each have ?", Abstention.NO_NUMBERS),
        ("Ann has 5 shells . How many does she have ?", Abstention.TOO_FEW_NUMBERS),
        ("Anna und Bernd haben zusammen 50 Karten. Bernd hat 8 mehr als Anna. Wie viele?", Abstention.UNKNOWN_WORDS),
        ("多少 50 和 8 ？", Abstention.UNKNOWN_WORDS),
        ("How many does each have ? " * 2_000 + "5 and 7 .", Abstention.TOO_LONG),
        ("x" * 10_000_000 + " 5 and 7", Abstention.TOO_LONG),
        ("How many have " + "(" * 5_000 + "5 and 7?", Abstention.TOO_LONG),
        (f"Ann and Ben have {'9' * 60} coins together . Ann has {'8' * 90} more .", Abstention.NO_NUMBERS),
        ("Ann has 7 . " * 41, Abstention.TOO_MANY_NUMBERS),
    ],
)  # fmt: skip
def test_it_abstains_rather_than_guesses(model: Model, text: str, reason: Abstention) -> None:
    prediction = model.predict(text)
    assert prediction.reason is reason
    assert prediction.message
    assert prediction.derivation is None
    assert prediction.to_dict() is None
    assert prediction.q_notation == ""
    assert prediction.equations == ()


def test_an_abstention_is_graded_as_one(model: Model, problems: list[Problem]) -> None:
    assert str(grade(model.predict("How many ?").to_dict(), problems[0].to_row()).reason) == "abstained"


def test_a_singular_system_is_never_given_out(problems: list[Problem]) -> None:
    rate = ["a * m + b * n = c", "m + n = d"]
    learnt = []
    for i, problem in enumerate(problems[:24:3]):
        text = f"Tea costs $ {3 + i} and oil costs $ {9 + i} . They pay $ {60 + i} for {8 + i} bottles . How many ?"
        equations = [f"{3 + i}*x + {9 + i}*y = {60 + i}", f"x + y = {8 + i}"]
        learnt.append(make(problem.id, text, rate, equations, {"a": 1, "b": 2, "c": 3, "d": 4}))
    model = train(learnt)
    # With equal prices nobody can say how many of each there were, if the prices are the factors.
    prediction = model.predict("Tea costs $ 4 and oil costs $ 4 . They pay $ 40 for 10 bottles . How many ?")
    assert prediction.solution is not None
    assert prediction.solution.kind is SolutionKind.UNIQUE


def test_thirty_numbers_are_searched_within_bounds(problems: list[Problem]) -> None:
    text = "Six jars weigh 1 , 2 , 3 , 4 , 5 and 6 pounds . How many pounds do the jars have together ?"
    six = make(
        900, text, ["a * m + b * n = c", "d * m + e * n = f"], ["x = 1"], {s: i + 2 for i, s in enumerate("abcdef")}
    )
    model = train([*problems[:12], six])
    long = (
        "Ann has " + " , ".join(str(100 + i) for i in range(30)) + " shells . How many shells does each have together ?"
    )
    assert model.predict(long).derivation is not None
    reading = TaggedText.of(long)
    encoded = encode_text(reading, attributes_of(reading, model.features), model.attributes)
    searcher = Searcher(model.layout, model.weights)
    chosen = model.chosen(encoded)
    scored = searcher.score_all(encoded, chosen, searcher.candidates(encoded, chosen))
    ways = {(model.layout.groups[c.group].slot_count, len(c.ways.rows)) for c, _ in scored}
    assert (2, 30 * 29) in ways  # all of them
    assert 0 < dict(ways)[6] <= BEAM  # of 427 million


def test_gold_that_cannot_be_read_names_the_row(problems: list[Problem]) -> None:
    broken = replace(problems[3], id=77, template=("m = = a",), alignment=problems[3].alignment[:1])
    with pytest.raises(RowError, match="problem 77"):
        train([*problems[:3], broken])
    with pytest.raises(RowError, match="problem 79"):
        train([replace(problems[3], id=79, equations=("x*y = 4",))], setting="TE")
    with pytest.raises(RowError, match="problem 78"):
        train([replace(problems[3], id=78, equations=("x = (",))], setting="TE")


@pytest.mark.filterwarnings("error")
def test_large_numbers_are_numbers(model: Model) -> None:
    large = "1" + "0" * 14
    prediction = model.predict(f"Ann buys {large} cards that cost $ {large} each . How much does Ann pay ?")
    assert prediction.solution is not None
    assert prediction.solution.numbers == (Fraction(10) ** 28,)


def test_nothing_to_learn_from_is_said() -> None:
    with pytest.raises(TrainingError, match="0 without any"):
        train([])


@pytest.mark.parametrize(
    "options",
    [{"setting": "TX"}, {"choice": "best"}, {"features": "all"}, {"k": 0}, {"k": True}, {"epochs": 0}, {"seed": -1},
     {"rule": "svm"}],
)  # fmt: skip
def test_unknown_options_are_refused(problems: list[Problem], options: dict[str, object]) -> None:
    with pytest.raises(ChoiceError, match=next(iter(options))):
        train(problems[:3], **options)


def test_without_the_tagger_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "HanTa.HanoverTagger", None)
    tagged_text._tagger.cache_clear()
    with pytest.raises(ExtraMissing, match=r"draw-dataset\[solver\]"):
        tagged_text.tag("A text that nobody has tagged before .")
