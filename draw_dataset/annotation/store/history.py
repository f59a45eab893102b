"""From decisions to a state: they are applied one after the other, from the problem as it was imported.

Only decisions are stored; the state is computed from them whenever it is needed. Undoing leaves the last one out. So no
decision is ever lost, and every state comes from decisions. A decision that does not fit the current state is refused
when it is made. A recorded decision may no longer fit, because a later version of this package reads the text in
another way. Then it is ignored, the work's `notices` say so, and its question is open again.

After an edit everything is proposed again. Choices and groups stay if their numbers are still there (`text.changes`);
otherwise they are dropped, and a notice says so. A problem that is imported again with another text or other equations
counts as edited for everyone, and submitted or flagged works are open again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from draw_dataset.annotation.proposal.candidates import Origin, Proposal
from draw_dataset.annotation.store.decision import Decision, standing
from draw_dataset.annotation.store.work import Group, Marked, StoredProblem, Work, fresh_work, proposed
from draw_dataset.core.alignment import Place, TextNumber
from draw_dataset.errors import AnnotationError, shown
from draw_dataset.text import tokenize
from draw_dataset.text.changes import carried_numbers


def fold(revisions: Mapping[int, StoredProblem], annotator: str, decisions: Sequence[Decision]) -> Work:
    """Return the state that decisions lead to.

    Args:
        revisions: the problem as imported, by revision; the highest is the present one.
        annotator: whose decisions they are.
        decisions: all of them, in their order.

    Raises:
        AnnotationError: more is undone or redone than was done.
    """
    done, undone = standing(decisions)
    work, unfit = _replayed(revisions, annotator, done)
    return _finished(work, unfit, decisions, can_undo=bool(done), can_redo=bool(undone))


def _replayed(
    revisions: Mapping[int, StoredProblem], annotator: str, done: Sequence[Decision]
) -> tuple[Work, list[str]]:
    """Return the state after the decisions that were not undone, and notices about those that do not fit."""
    newest = revisions[max(revisions)]
    work = fresh_work(revisions[done[0].revision] if done else newest, annotator)
    unfit: list[str] = []
    for decision in done:
        if decision.revision != work.stored.revision:
            work = _moved(work, revisions[decision.revision])
        try:
            work = applied(work, decision)
        except AnnotationError as error:
            unfit.append(f"a recorded decision no longer fits and is ignored: {error}")
    return (work if work.stored.revision == newest.revision else _moved(work, newest)), unfit


def _finished(
    work: Work, unfit: Sequence[str], decisions: Sequence[Decision], *, can_undo: bool, can_redo: bool
) -> Work:
    return replace(
        work,
        notices=(*work.notices, *unfit),
        seconds=sum(decision.seconds for decision in decisions),
        decided=len(decisions),
        can_undo=can_undo,
        can_redo=can_redo,
    )


def decided(
    revisions: Mapping[int, StoredProblem], annotator: str, decisions: Sequence[Decision], new: Decision
) -> Work:
    """Return the state that decisions and a new one lead to.

    Raises:
        AnnotationError: the new one does not fit; says why.
    """
    if new.kind in ("undo", "redo"):
        return fold(revisions, annotator, [*decisions, new])
    work, unfit = _replayed(revisions, annotator, standing(decisions)[0])
    return _finished(applied(work, new), unfit, [*decisions, new], can_undo=True, can_redo=False)


def applied(work: Work, decision: Decision) -> Work:
    """Return the state after a decision other than to undo or redo.

    Raises:
        AnnotationError: the decision does not fit; says why.
    """
    payload, kind = decision.payload, decision.kind
    if kind == "reopen":
        if not work.submitted and work.flagged is None and not work.skipped:
            raise AnnotationError("reopen: expected work that is submitted, flagged or skipped, but it is open")
        return replace(work, submitted=False, flagged=None, skipped=False, notices=())
    if kind == "take":
        return _taken(work, payload)
    if work.submitted or work.flagged is not None:
        raise AnnotationError(f"{kind}: expected open work, but it is {work.status}; reopen it first")
    if kind == "flag":
        return replace(work, flagged=payload["why"], skipped=False, notices=())
    if kind == "skip":
        return replace(work, skipped=True, notices=())
    if kind == "submit":
        work.problem()  # raises if the work is not complete
        return replace(work, submitted=True, skipped=False, notices=())
    work = replace(work, skipped=False, taken=None, notices=())
    if kind == "edit":
        if payload["question"] == work.question:
            raise AnnotationError("edit: expected a changed text, but got the present one")
        return _reworded(work, payload["question"])
    if kind == "number":
        return _with_number(work, payload["place"], payload["value"])
    if work.proposal is None:
        raise AnnotationError(f"{kind}: the problem cannot be annotated as it is: {work.refusal}")
    if kind == "choose":
        return _chosen(work, work.proposal, payload["literal"], payload["place"])
    if kind == "unchoose":
        if payload["literal"] not in work.chosen:
            raise AnnotationError(f"unchoose: expected a chosen literal, but got {payload['literal']}")
        return replace(work, chosen={k: v for k, v in work.chosen.items() if k != payload["literal"]})
    numbers = [work.number_at((sentence, token)) for sentence, token in payload["places"]]
    return _joined(work, numbers) if kind == "equivalent" else _parted(work, numbers)


def take_payload(work: Work) -> dict[str, Any]:
    """Return the payload of a decision to take someone's work as it is now."""
    return {
        "annotator": work.annotator,
        "question": work.question,
        "chosen": [[k, None if o.number is None else list(o.number.place)] for k, o in sorted(work.chosen.items())],
        "groups": [[list(number.place) for number in group] for group in work.groups],
        "numbers": [[list(place), value] for place, value in work.marked],
    }


def _chosen(work: Work, proposal: Proposal, literal: int, place: Sequence[int] | None) -> Work:
    number = None if place is None else work.number_at((place[0], place[1]))
    return replace(work, chosen={**work.chosen, literal: proposal.origin(literal, number)})


def _joined(work: Work, numbers: Sequence[TextNumber]) -> Work:
    if len(set(numbers)) < 2:
        raise AnnotationError("equivalent: expected at least two numbers of the text, but got fewer")
    if len({number.value for number in numbers}) > 1:
        got = " and ".join(f"{number}, which is {number.value}" for number in numbers)
        raise AnnotationError(f"equivalent: expected numbers of one value, but got {got}")
    touched = [group for group in work.groups if set(group) & set(numbers)]
    union = {number for group in touched for number in group} | set(numbers)
    return replace(work, groups=_in_order([*(g for g in work.groups if g not in touched), union]))


def _parted(work: Work, numbers: Sequence[TextNumber]) -> Work:
    lonely = [number for number in numbers if not any(number in group for group in work.groups)]
    if lonely or not numbers:
        got = lonely[0] if lonely else "none"
        raise AnnotationError(f"not_equivalent: expected numbers that are in groups, but got {got}")
    return replace(work, groups=_in_order([set(group) - set(numbers) for group in work.groups]))


def _in_order(groups: Sequence[set[TextNumber] | Group]) -> tuple[Group, ...]:
    """Return groups of at least two in the order of the text."""
    ordered = [tuple(sorted(group, key=_order)) for group in groups if len(group) > 1]
    return tuple(sorted(ordered, key=lambda group: _order(group[0])))


def _order(number: TextNumber) -> tuple[int, int]:
    return number.sentence or 0, number.token


def _taken(work: Work, payload: Mapping[str, Any]) -> Work:
    if work.submitted:
        raise AnnotationError("take: expected open work, but it is submitted; reopen it first")
    marked = tuple(((sentence, token), value) for (sentence, token), value in payload.get("numbers", ()))
    proposal, refusal = proposed(payload["question"], work.stored.equations, marked, work.stored.number_words)
    taken = Work(work.stored, work.annotator, payload["question"], proposal, refusal, marked=marked)
    if proposal is None:
        raise AnnotationError(f"take: the work taken cannot be annotated: {refusal}")
    for literal, place in payload["chosen"]:
        taken = _chosen(taken, proposal, literal, place)
    for group in payload["groups"]:
        taken = _joined(taken, [taken.number_at((sentence, token)) for sentence, token in group])
    return replace(taken, taken=payload["annotator"])


def _moved(work: Work, stored: StoredProblem) -> Work:
    """Return the state after the problem was imported again with something changed."""
    same_text, same_equations = stored.question == work.original, stored.equations == work.stored.equations
    moved = replace(work, stored=stored)
    if same_text and same_equations:
        return moved
    if not same_equations:
        moved = replace(moved, chosen={})
    reworded = _reworded(moved, work.question if same_text else stored.question)
    what = " and ".join(["another text"] * (not same_text) + ["other equations"] * (not same_equations))
    notice = f"the problem was imported again with {what}: please look at it again"
    return replace(reworded, submitted=False, flagged=None, taken=None, notices=(notice, *reworded.notices))


def _with_number(work: Work, place: Sequence[int], value: str) -> Work:
    """Return the state in which a token is a number, though the rules do not see it."""
    where = place[0], place[1]
    token = next((t for t in tokenize(work.question) if (t.sentence, t.index) == where), None)
    if token is None:
        raise AnnotationError(f"number: expected a place in the text, but got {list(place)}")
    if any(number.place == where for number in work.numbers):
        raise AnnotationError(f"number: {shown(token.text)} is a number already")
    return _reworded(work, work.question, tuple(sorted([*work.marked, (where, value)])))


def _carried_marks(work: Work, question: str) -> tuple[Marked, list[str]]:
    """Return the marked tokens that an edited text still has, and notices about the others."""
    if question == work.question:
        return work.marked, []
    old = {(t.sentence, t.index): t for t in tokenize(work.question)}
    kept: list[tuple[tuple[int, int], str]] = []
    notices = []
    for place, value in work.marked:
        word = old[place].text if place in old else ""
        # The same occurrence of the same word: the third "dozen" stays the third.
        rank = sum(t.text == word and (t.sentence, t.index) < place for t in old.values())
        there = [(t.sentence, t.index) for t in tokenize(question) if t.text == word]
        if rank < len(there):
            kept.append((there[rank], value))
        else:
            notices.append(f"the mark on {word} is dropped: the word is no longer there")
    return tuple(sorted(kept)), notices


def _reworded(work: Work, question: str, marked: Marked | None = None) -> Work:
    """Return the state with another text, other equations or more marked numbers; choices that still fit are kept."""
    before = work.proposal
    notices: list[str] = []
    if marked is None:
        marked, notices = _carried_marks(work, question)
    proposal, refusal = proposed(question, work.stored.equations, marked, work.stored.number_words)
    changed = replace(
        work, question=question, proposal=proposal, refusal=refusal, chosen={}, groups=(), marked=marked, notices=()
    )
    if before is None or proposal is None:
        dropped = [f"all {len(work.chosen)} choices"] * bool(work.chosen) + ["all groups"] * bool(work.groups)
        return replace(changed, notices=(*notices, *(f"{what} are dropped: {refusal}" for what in dropped)))
    where = carried_numbers(work.question, before.numbers, question, proposal.numbers)
    # A quotient is one literal only where the text has its value, so an edit may move the positions.
    position_of = {(literal.start, literal.end): i for i, literal in enumerate(proposal.literals)}
    chosen: dict[int, Origin] = {}
    for old, origin in sorted(work.chosen.items()):
        literal = before.literals[old]
        position = position_of.get((literal.start, literal.end))
        kept = None if position is None else _still_fitting(proposal, position, origin, where)
        if position is None or kept is None:
            notices.append(
                f"the choice for {literal.text} is dropped: {origin.number or 'the value'} is no longer there"
            )
        else:
            chosen[position] = kept
    notices += [
        f"{number} is dropped from its group: it is no longer there"
        for group in work.groups
        for number in group
        if number.place not in where
    ]
    groups = _in_order([{where[n.place] for n in group if n.place in where} for group in work.groups])
    return replace(changed, chosen=chosen, groups=groups, notices=tuple(notices))


def _still_fitting(
    proposal: Proposal, position: int, origin: Origin, where: Mapping[Place, TextNumber]
) -> Origin | None:
    """Return the origin that a choice has after an edit; None if its number is gone."""
    if origin.number is None:
        return proposal.origin(position, None)
    number = where.get(origin.number.place)
    try:
        return None if number is None else proposal.origin(position, number)
    except AnnotationError:
        # It still has its value, but no longer the unit that made it fit.
        return None
