"""``draw annotate propose``: what a question and its equations leave open."""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from draw_dataset.commands.options import GRAMMAR
from draw_dataset.errors import AnnotationError, ChoiceError, LimitError, shown

if TYPE_CHECKING:
    from draw_dataset.annotation.proposal import Proposal
    from draw_dataset.core.problem import ProblemId

HELP = "list the derivations that fit a question and its equations"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.epilog = (
        "exit status: 0 every problem has candidates, 1 some have none, 2 something cannot be read\n\n"
        "examples:\n"
        '  draw annotate propose --question "Two numbers add up to 9 . One is 2 more than the other ." '
        '"x + y = 9" "x = y + 2"\n'
        "  draw annotate propose problems.jsonl --json    # lines with id, question and equations"
    )
    parser.add_argument(
        "what",
        nargs="+",
        metavar="SOURCE | EQUATION",
        help=f"problems with id, question and equations: {GRAMMAR}; with --question, the equations",
    )
    parser.add_argument("--question", metavar="TEXT", help="the text of one problem")
    parser.add_argument(
        "--limit", type=int, default=10, metavar="N", help="how many candidates to list for each problem (default: 10)"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object for each problem")


def run(arguments: argparse.Namespace) -> int:
    """Print what is open in each problem; return 1 if some cannot be proposed for."""
    # Here, as the other subcommands do not need them.
    from draw_dataset.annotation.proposal import propose

    if arguments.question is not None:
        problems: Iterable[tuple[ProblemId | None, str, Sequence[str]]] = [(None, arguments.question, arguments.what)]
    elif len(arguments.what) == 1:
        problems = _problems(arguments.what[0])
    else:
        raise ChoiceError("expected one source, or --question and the equations, but got several sources")
    refused = 0
    for id_, question, equations in problems:
        try:
            proposal = propose(question, equations)
        except (AnnotationError, LimitError) as error:
            refused += 1
            if arguments.json:
                print(json.dumps({"id": id_, "refused": str(error)}))
            else:
                print(f"{'' if id_ is None else f'{id_}: '}refused: {error}")
            continue
        if arguments.json:
            print(json.dumps(_as_data(id_, proposal, arguments.limit), ensure_ascii=False))
        else:
            _print(id_, proposal, arguments.limit)
    return 1 if refused else 0


def _problems(name: str) -> Iterator[tuple[ProblemId, str, Sequence[str]]]:
    from draw_dataset.annotation.store.intake import read_problems
    from draw_dataset.catalog import load, resolve

    if "=" in name and not os.path.exists(name):
        raise ChoiceError(f"expected --question TEXT with the equation {shown(name)}, but got none")
    source = resolve(name)
    given = load(source) if source.file is None else read_problems(Path(source.file))
    return ((problem.id, problem.question, problem.equations) for problem in given)


def _as_data(id_: ProblemId | None, proposal: Proposal, limit: int) -> dict[str, object]:
    return {
        "id": id_,
        "numbers": [{"index": n.index, "text": n.text, "value": str(n.value)} for n in proposal.numbers],
        "equations": proposal.equations,
        "count": proposal.count,
        "questions": [
            {
                "start": literal.start,
                "end": literal.end,
                "literal": literal.text,
                "from": [o.number.index if o.number is not None else None for o in literal.origins],
            }
            for literal in (proposal.literals[i] for i in proposal.questions)
        ],
        "candidates": [derivation.q_notation() for derivation in islice(proposal, limit)],
    }


def _print(id_: ProblemId | None, proposal: Proposal, limit: int) -> None:
    head = "" if id_ is None else f"{id_}: "
    print(f"{head}{proposal.equations}")
    print("  numbers: " + ", ".join(f'q{n.index} "{n.text}"' for n in proposal.numbers))
    for literal in (proposal.literals[i] for i in proposal.questions):
        places = [f"q{o.number.index}" if o.number is not None else "a constant" for o in literal.origins]
        print(f"  {literal.text} at column {literal.start + 1} may come from {', '.join(places)}")
    print(f"  {proposal.count} candidate{'' if proposal.count == 1 else 's'}:")
    for derivation in islice(proposal, limit):
        print(f"    {derivation.q_notation()}")
    if proposal.count > limit:
        print(f"    … and {proposal.count - limit} more")
