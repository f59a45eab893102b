"""``draw check --answers`` and ``--suspicions``: golds that may be wrong, by what others answer or their texts say."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from draw_dataset.catalog import load_splits, resolve
from draw_dataset.checks.findings import Finding
from draw_dataset.commands.options import takes_files
from draw_dataset.errors import ChoiceError, shown
from draw_dataset.files import json_line
from draw_dataset.release import DATASETS

if TYPE_CHECKING:
    from draw_dataset.core.problem import Problem, ProblemId
    from draw_dataset.suspects import Suspect

SOLVER = "solver"
"""What the solver is called among the voices."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    takes_files(parser, "answers")
    group = parser.add_argument_group("gold derivations that may be wrong")
    group.add_argument(
        "--answers",
        nargs="+",
        metavar="FILE",
        help="answers of language models, or predictions, as draw score takes them; several for one problem are "
        "welcome. Lists the problems whose gold they contradict, the most certain first",
    )
    group.add_argument("--field", metavar="NAME", help="with --answers: the field of a line that is the answer")
    group.add_argument(
        "--solver",
        action="store_true",
        help="with --answers: let the solver, cross-validated, answer too (takes minutes)",
    )
    group.add_argument("--cut", type=float, metavar="S", help="with --answers: leave out suspects with a lower score")
    group.add_argument(
        "--figures",
        action="store_true",
        help="with --answers: draw gold of every suspect, and what answers say instead",
    )
    group.add_argument(
        "--suspicions", action="store_true", help="list gold derivations that their own texts speak against"
    )


def check_options(arguments: argparse.Namespace) -> None:
    """Refuse options that belong together and are given apart.

    Raises:
        ChoiceError: one is; says which, and what is missing.
    """
    if arguments.answers is None:
        for name in ("field", "solver", "cut", "figures"):
            if getattr(arguments, name) not in (None, False):
                raise ChoiceError(f"expected --answers FILE with --{name}, but got none")
    elif arguments.suspicions:
        raise ChoiceError("expected --answers or --suspicions, but got both")
    if arguments.code and (arguments.answers or arguments.suspicions):
        other = "--answers" if arguments.answers else "--suspicions"
        raise ChoiceError(f"--code chooses among findings: expected it without {other}, but got both")
    if arguments.figures and arguments.json:
        raise ChoiceError("expected --figures or --json, but got both")


def run_answers(arguments: argparse.Namespace) -> int:
    """Print the suspects; return 0 if there are none, 1 if there are."""
    from draw_dataset.report.shown import show
    from draw_dataset.suspects import CUT, find_suspects, read_answers, solver_answers

    progress = sys.stderr.isatty()
    problems, home = _problems(arguments)
    answers = read_answers(arguments.answers, field=arguments.field)
    if arguments.solver:
        answers[SOLVER] = solver_answers(problems, progress=progress)
    cut = CUT if arguments.cut is None else arguments.cut
    suspects = find_suspects(problems, answers, cut=cut, progress=progress)
    by_id = {problem.id: problem for problem in problems}
    for rank, suspect in enumerate(suspects, 1):
        if arguments.json:
            print(json_line({"rank": rank, "dataset": home[suspect.id], **suspect.to_dict()}), end="")
        else:
            print("\n".join(_lines(rank, home[suspect.id], suspect)), end="\n\n")
            if arguments.figures:
                print(show(by_id[suspect.id], suspect.rival if suspect.agreeing else None), end="\n\n")
    if not arguments.json:
        asked = len({id_ for said in answers.values() for id_, _ in said})
        print(f"{len(suspects) or 'no'} suspect{'' if len(suspects) == 1 else 's'} among {asked} problems with answers")
    return 1 if suspects else 0


def run_suspicions(arguments: argparse.Namespace) -> int:
    """Print the suspicions by kind; return 0 if there are none, 1 if there are."""
    from draw_dataset.checks.suspicions import SUSPICIONS, find_suspicions

    problems, home = _problems(arguments)
    found = find_suspicions(problems, progress=sys.stderr.isatty())
    if arguments.json:
        for one in found:
            told = {"dataset": home[one.problem_id], "id": one.problem_id, "code": one.code, "message": one.message}
            print(json_line(told), end="")
        return 1 if found else 0
    for code, meaning in SUSPICIONS.items():
        lines = [f"  {home[one.problem_id]} {one.problem_id}: {one.message}" for one in _of_kind(found, code)]
        if lines:
            print(f"{code}: {meaning} ({len(lines)})", *lines, "", sep="\n")
    print(f"{len(found) or 'no'} suspicion{'' if len(found) == 1 else 's'} of {len(problems)} problems")
    return 1 if found else 0


def _of_kind(found: Sequence[Finding], code: str) -> list[Finding]:
    return [one for one in found if one.code == code]


def _problems(arguments: argparse.Namespace) -> tuple[list[Problem], dict[ProblemId, str]]:
    """Return the problems of all sources, each id once, and the source of each id."""
    problems: dict[ProblemId, Problem] = {}
    home: dict[ProblemId, str] = {}
    for source in map(resolve, arguments.sources or DATASETS):
        for split in load_splits(source, arguments.data_dir, arguments.corrected).values():
            for problem in split:
                if home.setdefault(problem.id, source.title) != source.title:
                    raise ChoiceError(f"expected different ids, but {shown(problem.id)} is in two of the sources")
                problems.setdefault(problem.id, problem)
    return list(problems.values()), home


def _lines(rank: int, dataset: str, suspect: Suspect) -> list[str]:
    told = suspect.to_dict()
    against = suspect.voices - suspect.for_gold
    lines = [
        f"{rank}. {dataset} {suspect.id}: score {suspect.score:.2f}, {against} of {suspect.voices} voices against gold"
        f", {suspect.agreeing} agree",
        f"   gold    {_value(told['gold_values'])}  {suspect.gold}",
    ]
    if suspect.agreeing:
        lines.append(f"   answers {_value(told['rival_values'])}  {suspect.rival[:160]}")
    if suspect.text:
        lines.append(f"   part at sentence {suspect.sentence}: {suspect.text}")
    lines += [f"   {code}: {message}" for code, message in suspect.suspicions.items()]
    return lines


def _value(values: Sequence[str]) -> str:
    return f"[{', '.join(values)}]"
