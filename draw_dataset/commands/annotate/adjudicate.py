"""``draw annotate adjudicate``: settle what annotators disagree about."""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any

from draw_dataset.commands.annotate import add_store
from draw_dataset.commands.options import add_json
from draw_dataset.errors import ChoiceError

if TYPE_CHECKING:
    from draw_dataset.annotation.store import Store, Work
    from draw_dataset.core.problem import ProblemId

HELP = "list what annotators disagree about, or settle a problem"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.epilog = (
        "Without an ID the open disagreements are listed. The values of the equations are counted 1, 2 …, the numbers\n"
        "of the text are q1, q2 …, as on the page. A problem may be settled again; all decisions are kept.\n\n"
        "examples:\n"
        "  draw annotate adjudicate --store work.db\n"
        "  draw annotate adjudicate 17 --as Carol --take Ann --store work.db\n"
        "  draw annotate adjudicate 17 --as Carol --take Ann --equivalent q1,q3 --store work.db\n"
        "  draw annotate adjudicate 17 --as Carol --choose 2=q4 --choose 3=constant --store work.db\n"
        '  draw annotate adjudicate 17 --as Carol --flag "the equations are those of another text" --store work.db'
    )
    parser.add_argument("id", nargs="?", metavar="ID", help="the problem to settle")
    add_store(parser)
    parser.add_argument("--as", dest="adjudicator", metavar="NAME", help="who settles it")
    parser.add_argument("--take", metavar="ANNOTATOR", help="take this annotator's work as it is now")
    parser.add_argument(
        "--choose",
        action="append",
        default=[],
        metavar="N=qM",
        help="value N of the equations is number M of the text; or N=constant",
    )
    parser.add_argument(
        "--equivalent",
        action="append",
        default=[],
        metavar="qM,qN",
        help="these numbers mean the same; may be repeated",
    )
    parser.add_argument("--flag", metavar="WHY", help="why the problem cannot be annotated")
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """List the disagreements, or settle one."""
    from draw_dataset.annotation.outcome import open_disagreements
    from draw_dataset.annotation.store import Store

    deciding = arguments.take is not None or arguments.choose or arguments.equivalent or arguments.flag is not None
    given = (arguments.id is not None, arguments.adjudicator is not None, bool(deciding))
    if any(given) and not all(given):
        raise ChoiceError(
            "expected an ID, --as NAME and what to decide (--take, --choose, --equivalent or --flag) to settle "
            "a problem, or none of them to list the open ones"
        )
    with Store.open(arguments.store) as store:
        if arguments.id is None:
            listed = open_disagreements(store)
            print(json.dumps([_as_data(works) for works in listed]) if arguments.json else _as_text(listed))
        else:
            work = _settle(store, store.find(arguments.id), arguments)
            print(json.dumps(_settled_data(work)) if arguments.json else _settled_text(work))
    return 0


def _settle(store: Store, id_: ProblemId, arguments: argparse.Namespace) -> Work:
    from draw_dataset.annotation.store import fresh_work, normal_name

    name = normal_name(arguments.adjudicator)
    # Numbers are counted in the text that is decided on: that of the work taken, else the adjudicator's own.
    if arguments.take is not None:
        seen = store.work(id_, arguments.take)
    elif name in store.annotators():
        seen = store.work(id_, name, "adjudicator")
    else:
        seen = fresh_work(store.problem(id_).stored, name)
    decisions: list[tuple[str, dict[str, Any]]] = []
    for text in arguments.choose:
        literal, _, number = text.partition("=")
        if not literal.isdecimal() or int(literal) == 0:
            raise ChoiceError(f"--choose: expected a value and its number, as 2=q4, but got {text!r}")
        decisions.append(("choose", {"literal": int(literal) - 1, "place": _place(seen, number)}))
    decisions += [
        ("equivalent", {"places": [_place(seen, number) for number in text.split(",")]})
        for text in arguments.equivalent
    ]
    if arguments.flag is not None:
        decisions.append(("flag", {"why": arguments.flag}))
    return store.adjudicate(id_, name, arguments.take, decisions)


def _place(work: Work, text: str) -> list[int | None] | None:
    if text == "constant":
        return None
    rank = re.fullmatch(r"\s*q([1-9][0-9]{0,3})\s*", text)
    if rank is None or int(rank.group(1)) > len(work.numbers):
        raise ChoiceError(f"expected q1 to q{len(work.numbers)}, or constant, but got {text!r}")
    return list(work.numbers[int(rank.group(1)) - 1].place)


def _as_data(works: Sequence[Work]) -> dict[str, Any]:
    return {
        "id": works[0].problem_id,
        "question": works[0].original,
        "equations": list(works[0].stored.equations),
        "works": [_work_data(work) for work in works],
        "differences": _differences(works),
    }


def _work_data(work: Work) -> dict[str, Any]:
    if work.flagged is not None:
        return {"annotator": work.annotator, "flagged": work.flagged}
    problem = work.problem()
    return {
        "annotator": work.annotator,
        "question": work.question,
        "derivation": problem.derivation.q_notation(),
        "equiv_tnum": problem.to_row()["equiv_tnum"],
    }


def _differences(works: Sequence[Work]) -> list[str]:
    from draw_dataset.annotation.outcome import compare

    submitted = [work for work in works if work.submitted]
    found = [detail for one, other in combinations(submitted, 2) for detail in compare(one, other).details]
    return found + [
        f"flagged by {work.annotator}: {work.flagged or 'no reason given'}" for work in works if not work.submitted
    ]


def _as_text(listed: Sequence[Sequence[Work]]) -> str:
    lines = [f"{len(listed) or 'no'} open disagreement{'' if len(listed) == 1 else 's'}"]
    for works in listed:
        lines += ["", f"{works[0].problem_id}: {works[0].question}"]
        numbers = ", ".join(f"q{i} {number.text}" for i, number in enumerate(works[0].numbers, 1))
        lines += [f"  equations: {'; '.join(works[0].stored.equations)}", f"  numbers: {numbers}"]
        proposal = works[0].proposal
        literals = () if proposal is None else proposal.literals
        lines.append(f"  values: {', '.join(f'{i}: {literal.text}' for i, literal in enumerate(literals, 1))}")
        for work in works:
            said = "flagged" if work.flagged is not None else work.problem().derivation.q_notation()
            lines.append(f"  {work.annotator}: {said}")
        lines += [f"    {difference}" for difference in _differences(works)]
    return "\n".join(lines)


def _settled_data(work: Work) -> dict[str, Any]:
    return {"id": work.problem_id, "adjudicator": work.annotator, "took": work.taken, **_work_data(work)}


def _settled_text(work: Work) -> str:
    said = f"flagged: {work.flagged}" if work.flagged is not None else work.problem().derivation.q_notation()
    took = f" (the work of {work.taken})" if work.taken else ""
    return f"{work.problem_id}: settled by {work.annotator}{took}: {said}"
