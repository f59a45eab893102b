"""Grading an answer to one of our prompts: the requested parts are read exactly, anything else as prose.

A prediction ``{"answer": text, "prompt_style": "marked/1"}`` says how the problem was shown (`styles`). The answer to a
``plain`` prompt is prose (`answers`). In the answer to a ``marked`` or ``json`` prompt one part counts (`blocks`):
equations in q-notation, with the numbers as the prompt shows them. They are judged by their quantities, which asks
Algorithm 1 first. That takes a fraction of the time of reading prose and leaves nothing open. Two kinds of answers
still go to the reader of prose: answers without such equations; and answers whose equations are not right and have more
than names, signs and numbers of the text (a literal, a ``Q1``, a list number), since these may be misread.

The result is right by the rule of answers in prose (`answer_solution`). If all gold numbers are in the answer line, or
the derivation has nothing in common with gold, that is decided at once; otherwise the reader of prose decides. Without
an answer line the result is the solution of the equations. Equation accuracy is derivation accuracy, as for any answer.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from draw_dataset.answers.reading import Reading, read_answer
from draw_dataset.scoring.answer_solution import asks_for_one, is_value
from draw_dataset.scoring.answers import asked_of, judge_answer_text
from draw_dataset.scoring.blocks import Block, json_block, last_block
from draw_dataset.scoring.prediction import Prediction, Refused, read_prediction
from draw_dataset.scoring.reference import Reference
from draw_dataset.scoring.signature import Options
from draw_dataset.scoring.styles import Style, shown_reference
from draw_dataset.scoring.verdict import UNREAD, Reason, Verdict

Judge = Callable[[Prediction, Reference], Verdict]
"""Judges a derivation in q-notation; if it has no solutions of its own, by the solution of its equations."""

ProseJudge = Callable[[str, Reference], Verdict]
"""Judges an answer in prose."""

_MOST_REMEMBERED = 64
"""How many blocks of one problem are kept with their verdicts."""

_FRUITLESS = UNREAD | {Reason.NO_DERIVATION, Reason.ABSTAINED}


def judge_styled(
    answer: str, reference: Reference, style: Style, judge: Judge, judge_prose: ProseJudge, options: Options
) -> Verdict:
    """Return the verdict on an answer to a prompt of a style.

    Args:
        answer: the text of the model.
        reference: gold, in the numbering of the row.
        style: the style of the prompt.
        judge: judges a derivation in q-notation.
        judge_prose: judges an answer in prose, by the same rule.
        options: the settings of scoring; verdicts on this problem are cached by them.
    """
    if not style.marked:
        return judge_prose(answer, reference)
    gold = shown_reference(reference)
    block = json_block(answer) if style.name == "json" else last_block(answer)
    if block is None:
        return judge_prose(answer, gold)
    # Samples of one model often end in the same block, and wrong blocks take longest to decide.
    known: dict[Block, Verdict] = gold.memory.setdefault((judge_styled, options), {})
    verdict = known.get(block)
    if verdict is None:
        verdict = _judge_block(block, gold, judge, judge_prose, options.tolerance)
        if verdict.reason in _FRUITLESS:
            return judge_prose(answer, gold)
        if len(known) >= _MOST_REMEMBERED:
            known.clear()
        known[block] = verdict
    return verdict


def _judge_block(block: Block, gold: Reference, judge: Judge, judge_prose: ProseJudge, tolerance: Fraction) -> Verdict:
    read = read_prediction(block.equations, gold)
    if not isinstance(read, Refused):
        verdict = judge(read, gold)
        if verdict.derivation or block.clean:
            return _with_result(verdict, read, block, gold, judge, tolerance)
    return judge_prose(block.text, gold)


def _with_result(
    verdict: Verdict, read: Prediction, block: Block, gold: Reference, judge: Judge, tolerance: Fraction
) -> Verdict:
    """Return the verdict for the result that the answer itself gives."""
    solution = _solution(verdict, block, gold, tolerance)
    if solution != verdict.solution:
        # Reason and message depend on the solution, so it is judged again with a right solution, or with none.
        verdict = judge(Prediction(read.template, read.places, gold.solutions if solution else ()), gold)

    def reading() -> Reading:
        return read_answer(block.text, gold.problem)

    return Verdict(
        verdict.derivation,
        verdict.derivation,
        solution,
        verdict.reason,
        lambda: verdict.message,
        verdict.slot_map,
        verdict.certain,
        reading,
    )


def _solution(verdict: Verdict, block: Block, gold: Reference, tolerance: Fraction) -> bool:
    """Say whether the result is right; at once where the rule of prose leaves no doubt, else as the reader says."""
    given = block.given
    if given is not None:
        if not given:
            return verdict.solution
        asked = asked_of(gold)
        there = [any(is_value(f, value, tolerance) for f in given) for value in asked.wanted or asked.solutions]
        if there and all(there):
            return True
        nothing_of_gold = verdict.reason in (Reason.OTHER, Reason.UNSOLVABLE)
        # A question about two digits may ask for the number that they form.
        if nothing_of_gold and not asked.wanted and "digit" not in asked.question.lower():
            return any(there) and asks_for_one(asked.question)
    return judge_answer_text(block.text, gold, tolerance).solution
